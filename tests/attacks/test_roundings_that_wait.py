"""Chains at float16 and bfloat16 whose roundings are made later than their steps: with the bits of the definition."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import refrelax as rr

TEXT = """n = TypeVar("n")
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((n, 3), "{0}"), y: R.Tensor((n, 3), "{0}"), z: R.Tensor((3,), "{0}")):
        with R.dataflow():
            {1}
            R.output({2})
        return ({2},)
"""

CHAINS = {
    "one reader that is exact": ("a = R.add(x, y); b = R.nn.relu(a); c = R.multiply(b, x)", "c"),
    "two readers": ("a = R.multiply(x, y); b = R.nn.relu(a); c = R.add(a, b)", "c"),
    "all of them leave": ("a = R.multiply(x, y); b = R.nn.relu(a); c = R.add(b, z)", "a, b, c"),
    "of two that wait": ("a = R.multiply(x, y); b = R.add(x, y); c = R.maximum(a, b); d = R.subtract(c, y)", "d"),
    "twice the same": ("a = R.add(x, x); b = R.multiply(a, a); c = R.maximum(b, b); d = R.subtract(c, c)", "c, d"),
    "both signs": ("a = R.multiply(x, y); b = R.negative(a); c = R.abs(b); d = R.add(c, z)", "d"),
    "a comparison": ("a = R.add(x, y); b = R.nn.relu(a); m = R.greater(b, z); c = R.where(m, x, b)", "c"),
    "a choice": ("a = R.multiply(x, y); m = R.less(a, x); b = R.where(m, a, y); c = R.nn.relu(b)", "b, c"),
    "too small": (
        'a = R.multiply(x, R.const(0.0001, "{0}")); b = R.multiply(a, y); c = R.nn.relu(b); d = R.add(c, b)',
        "a, b, d",
    ),
    "too great": ('a = R.multiply(x, R.const(30000, "{0}")); b = R.add(a, a); c = R.minimum(b, y)', "b, c"),
}


def bits_of(array: Any) -> Any:
    """The bits, of every NaN and zero the same."""
    wide = array.astype(np.float32)
    return np.where(np.isnan(wide), 0x7FFF, np.where(wide == 0, 0, array.view(np.uint16)))


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("name", CHAINS)
def test_the_bits_are_those_of_the_steps(name: str, dtype: str) -> None:
    body, outs = CHAINS[name]
    checked = rr.check(rr.parse(TEXT.format(dtype, body.format(dtype).replace("; ", "\n            "), outs)))
    fast = rr.compile(checked)
    assert "rt.widened" in fast.source
    turn, kind = np.random.default_rng(7), np.dtype(np.float16 if dtype == "float16" else ml_dtypes.bfloat16)
    every = np.arange(1 << 16, dtype=np.uint16).view(kind)
    x, y = (np.concatenate([turn.choice(every, (30, 3)), turn.normal(size=(90, 3)).astype(kind)]) for _ in "xy")
    z = turn.normal(size=3).astype(kind)
    wanted = rr.run(checked, "main", x, y, z)
    assert isinstance(wanted, rr.Returned)
    for times in (1, 500):  # (many blocks)
        found = fast["main"](np.tile(x, (times, 1)), np.tile(y, (times, 1)), z)
        for a, b in zip(found, wanted.value, strict=True):
            np.testing.assert_array_equal(bits_of(a), np.tile(bits_of(b.numpy()), (times, 1)))
