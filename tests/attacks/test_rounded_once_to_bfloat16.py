"""What becomes bfloat16 is rounded once, and not through binary32: elementary functions in mode ``bits``, integers."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("numpy")

import ml_dtypes
import numpy as np

import refrelax as rr

PAIRS = {
    "R.power(x, y)": [(1.15625, -2.21875), (1.5, -0.00482177734375), (2.21875, -0.1591796875), (2.84375, 0.291015625)],
    "R.atan2(x, y)": [(2.671875, 0.34765625), (1.3359375, 0.173828125)],
}

LOOP = """
@T.prim_func(s_tir=True)
def main(x: T.Buffer((2,), "bfloat16"), y: T.Buffer((2,), "bfloat16")):
    for i in range(2):
        y[i] = T.exp10(x[i])
"""


def array(numbers: Any) -> Any:
    return np.array(numbers, dtype=ml_dtypes.bfloat16)


@pytest.mark.parametrize("call", PAIRS)
def test_near_the_middle_of_two_numbers(call: str) -> None:
    n, kind = len(PAIRS[call]), "bfloat16"
    text = f'@R.function\ndef main(x: R.Tensor(({n},), "{kind}"), y: R.Tensor(({n},), "{kind}")):\n    return {call}\n'
    checked = rr.check(rr.parse(text))
    args = [array(each) for each in zip(*PAIRS[call], strict=True)]
    wanted, found = rr.run(checked, "main", *args), rr.compile(checked, "numpy", "bits").run("main", *args)
    assert isinstance(wanted, rr.Returned) and isinstance(found, rr.Returned)
    assert found.value == wanted.value


def test_of_a_loop() -> None:
    checked, found = rr.check(rr.parse(LOOP)), array([0, 0])
    x, wanted = (rr.Tensor.of(array(each)) for each in ([-0.0181884765625, 1.0], [0, 0]))
    assert isinstance(rr.run(checked, "main", x, wanted), rr.Returned)
    rr.compile(checked, "numpy", "bits")["main"](x, found)
    assert found.tobytes() == wanted.numpy().tobytes() == array([0.95703125, 10.0]).tobytes()


INTEGERS = [16842753, 16842751, 33685505, 257]
LONG = [(1 << 40) + (1 << 32) + 1, (1 << 62) + (1 << 54) + 1, (1 << 62) + (1 << 54)]


@pytest.mark.parametrize("mode", ["bits", "fast"])
@pytest.mark.parametrize("dtype", ["int32", "uint32", "int64", "uint64"])
def test_of_integers(dtype: str, mode: str) -> None:
    items = [*INTEGERS, *(LONG if "64" in dtype else ())]
    x = np.array([*items, *(() if dtype[0] == "u" else (-each for each in items))], dtype)
    text = f'@R.function\ndef main(x: R.Tensor(("n",), "{dtype}")):\n    return R.astype(x, "bfloat16")\n'
    checked = rr.check(rr.parse(text))
    wanted, found = rr.run(checked, "main", x), rr.compile(checked, "numpy", mode).run("main", x)
    assert isinstance(wanted, rr.Returned) and isinstance(found, rr.Returned)
    assert found.value == wanted.value
