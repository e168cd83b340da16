"""What a compiled function writes to an argument is seen there, also where it worked on a copy."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import pytest

import refrelax as rr

TEXT = """
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def inc(a: T.Buffer((4,), "float32")):
        for i in range(4):
            a[i] = a[i] + T.float32(1)

    @R.function
    def main(x: R.Tensor((4,), "float32"), y: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        cls = Module
        b = R.call_tir_inplace(cls.inc, (x,), inplace_indices=[0], out_ty=R.Tensor((4,), "float32"))
        r = R.add(b, y)
        return r
"""


def pairs() -> dict[str, tuple[Any, Any]]:
    whole, same = np.arange(6, dtype="float32"), np.arange(4, dtype="float32")
    return {
        "one array twice": (same, same),
        "two views that overlap": (whole[:4], whole[2:]),
        "the other byte order": (np.arange(4, dtype=np.dtype("float32").newbyteorder("S")), np.ones(4, "float32")),
    }


@pytest.mark.parametrize("mode", ["bits", "fast"])
@pytest.mark.parametrize("pair", pairs())
def test_what_is_written_is_seen(pair: str, mode: Literal["bits", "fast"]) -> None:
    compiled = rr.compile(rr.check(rr.parse(TEXT)), backend="numpy", mode=mode)
    x, y = pairs()[pair]
    before, other = x.copy(), y.copy()
    result = compiled["main"](x, y)
    assert result.tolist() == (before + 1 + other).tolist()
    assert x.tolist() == (before + 1).tolist()


def test_what_cannot_be_written_is_refused() -> None:
    compiled = rr.compile(rr.check(rr.parse(TEXT)), backend="numpy")
    x = np.arange(4, dtype="float32")
    x.flags.writeable = False
    with pytest.raises(rr.UsageError, match="read-only"):
        compiled["main"](x, x)
