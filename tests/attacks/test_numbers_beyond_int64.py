"""A uint64 that int64 does not hold is that number in a backend: in a condition, a comparison and a conversion."""

from __future__ import annotations

import pytest

pytest.importorskip("numpy")

import numpy as np

import refrelax as rr
from refrelax.backends.cupy_ import emulate

MODULE = """
@I.ir_module
class Module:
    @T.prim_func
    def beyond(O: T.Buffer((9,), "int32"), P: T.Buffer((9,), "bool"), Q: T.Buffer((9,), "float64"), S: T.Buffer((9,), "int32")):
        for i in range(9):
            with T.sblock("condition"):
                v = T.axis.spatial(9, i)
                O[v] = T.if_then_else(T.Cast("uint64", v - 5) > T.uint64(3), 1, 0)
        for i in range(9):
            with T.sblock("comparison"):
                v = T.axis.spatial(9, i)
                P[v] = T.Cast("uint64", v - 5) < T.uint64(18446744073709551614)
        for i in range(9):
            with T.sblock("conversion"):
                v = T.axis.spatial(9, i)
                Q[v] = T.Cast("float64", T.Cast("uint64", 0 - v))
        for i in range(9):
            with T.sblock("branch"):
                v = T.axis.spatial(9, i)
                if T.Cast("uint64", v) < T.Cast("uint64", 3 - v):
                    S[v] = 1
                else:
                    S[v] = 2
"""  # noqa: E501

BACKENDS = ("numpy", *(("cuda-emulated",) if emulate.compiler() else ()))


@pytest.mark.by_day(3)
@pytest.mark.parametrize("mode", ["bits", "fast"])
@pytest.mark.parametrize("backend", BACKENDS)
def test_a_negative_number_converted_is_a_great_one(backend: str, mode: str) -> None:
    checked = rr.check(rr.parse(MODULE))
    places = [np.zeros(9, dtype) for dtype in (np.int32, np.bool_, np.float64, np.int32)]
    wanted = rr.run(checked, "beyond", *places)
    found = rr.compile(checked, backend=backend, mode=mode).run("beyond", *places)
    assert isinstance(wanted, rr.Returned) and isinstance(found, rr.Returned)
    for w, f in zip(wanted.arguments, found.arguments, strict=True):
        assert f.numpy().tolist() == w.numpy().tolist()
    assert wanted.arguments[0].numpy().tolist() == [1] * 5 + [0] * 4


TAKE = """
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((3,), "uint8"), i: R.Tensor((4,), "uint64")) -> R.Tensor((4,), "uint8"):
        with R.dataflow():
            y = R.take(x, i, axis=0, mode="{}")
            R.output(y)
        return y
"""


@pytest.mark.parametrize("lowered", [False, True])
@pytest.mark.parametrize("how", ["clip", "wrap"])
@pytest.mark.parametrize("backend", BACKENDS)
def test_a_great_position_is_brought_to_the_last_or_wrapped(backend: str, how: str, lowered: bool) -> None:
    checked = rr.check(rr.parse(TAKE.format(how)))
    x, i = np.array([5, 6, 7], np.uint8), np.array([1, 2**64 - 1, 2**63, 2**63 + 1], np.uint64)
    wanted = rr.run(checked, "main", x, i)
    found = rr.compile(rr.lower(checked).module if lowered else checked, backend=backend).run("main", x, i)
    assert isinstance(wanted, rr.Returned) and isinstance(found, rr.Returned), found
    assert wanted.value.tolist() == [6, 7, 7, 7] if how == "clip" else [x[int(k) % 3] for k in i]
    assert found.value.tolist() == wanted.value.tolist()
