"""A library function that is called for its effect writes to what it is given, also in compiled modules."""

from __future__ import annotations

from typing import Any

import pytest

import refrelax as rr

TEXT = """
@I.ir_module
class Module:
    @R.function(private=True)
    def contract(x: R.Tensor((2,), dtype="float32"){param}) -> {type}:
        R.func_attr({{"{attribute}": "lib.f"}})
        d = R.add(x, x)
        {result}
    @R.function(pure=False)
    def main(x: R.Tensor((2,), dtype="float32"), y: R.Tensor((2,), dtype="float32")) -> R.Tensor((2,), dtype="float32"):
        o = R.zeros(R.shape([2]), dtype="float32")
        _ = R.call_packed("lib.f", x, {given}, ty_args=(R.Tuple,))
        w = R.add(o, R.reshape(y, R.shape([2])))
        return w
"""

ONE = {"param": "", "type": 'R.Tensor((2,), dtype="float32")', "result": "return d"}
SWAP = {
    "param": ', y: R.Tensor((2,), dtype="float32")',
    "type": 'R.Tuple(R.Tensor((2,), dtype="float32"), R.Tensor((2,), dtype="float32"))',
    "result": "return (y, x)",
}
X, Y = [1.0, 2.0], [5.0, 7.0]


def _double(a: Any, out: Any) -> None:
    out.assign(rr.Tensor.of([2 * each for each in a.tolist()], "float32"))


@pytest.mark.parametrize("backend", ["numpy", "cuda-emulated"])
@pytest.mark.parametrize("attribute", ["Contract", "other"])
@pytest.mark.parametrize("given", ["o", "y", "x"])
def test_what_a_library_function_writes_is_seen(backend: str, attribute: str, given: str) -> None:
    checked = rr.check(rr.parse(TEXT.format(attribute=attribute, given=given, **ONE)))
    externs = {"lib.f": _double} if attribute == "other" else {}
    verdict = rr.diff(checked, "main", [X, Y], impl=backend, externs=externs)
    assert isinstance(verdict, rr.Agreement), verdict


@pytest.mark.parametrize("mode", ["bits", "fast"])
def test_it_is_seen_in_both_modes(mode: Any) -> None:
    checked = rr.check(rr.parse(TEXT.format(attribute="other", given="o", **ONE)))
    ended = rr.compile(checked, backend="numpy", mode=mode).run("main", X, Y, externs={"lib.f": _double})
    assert isinstance(ended, rr.Returned) and ended.value.tolist() == [7.0, 11.0], ended


@pytest.mark.parametrize("backend", ["numpy", "cuda-emulated"])
def test_a_contract_that_swaps_in_place(backend: str) -> None:
    checked = rr.check(rr.parse(TEXT.format(attribute="Contract", given="y, x, y", **SWAP)))
    ended = rr.run(checked, "main", X, Y)
    assert isinstance(ended, rr.Returned) and ended.value.tolist() == X, ended
    verdict = rr.diff(checked, "main", [X, Y], impl=backend)
    assert isinstance(verdict, rr.Agreement), verdict


VIEWS = """
@I.ir_module
class Module:
    @R.function(pure=False)
    def main(x: R.Tensor((2,), dtype="float32"), y: R.Tensor((2,), dtype="float32")) -> R.Tensor((2,), dtype="float32"):
        v = R.reshape(x, R.shape([2]))
        c = R.const([3.0, 4.0], "float32")
        _ = R.call_packed("lib.f", {first}, {second}, ty_args=(R.Tuple,))
        z = R.call_dps_packed("lib.f", (c,), out_ty=R.Tensor((2,), dtype="float32"))
        w = R.add(R.add(z, v), R.add(x, y))
        return w
"""


@pytest.mark.parametrize("backend", ["numpy", "cuda-emulated"])
@pytest.mark.parametrize(("first", "second"), [("x", "x"), ("x", "v"), ("v", "x"), ("v", "v"), ("y", "v"), ("c", "y")])
@pytest.mark.parametrize("looks", ["at both", "at one", "at none"])
def test_arguments_that_share_memory_and_constants_that_are_only_read(
    backend: str, first: str, second: str, looks: str
) -> None:
    """What is not written stays as it is, whether or not the function has looked at it."""

    def store(a: Any, out: Any) -> None:
        if looks == "at both":
            out.tolist()
        out.assign([2 * each for each in a.tolist()] if looks != "at none" else [9.0, 8.0])

    checked = rr.check(rr.parse(VIEWS.format(first=first, second=second)))
    verdict = rr.diff(checked, "main", [X, Y], impl=backend, externs={"lib.f": store})
    assert isinstance(verdict, rr.Agreement), verdict


@pytest.mark.parametrize("backend", ["numpy", "cuda-emulated"])
def test_a_library_function_reads_a_constant(backend: str) -> None:
    """Constants of a program that overwrites nothing are read-only memory."""
    text = """@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((), dtype="float32")):
        y = R.call_dps_packed("testing.add_into", (x, R.const(0.5, "float32")), out_ty=R.Tensor((), dtype="float32"))
        return y
"""
    verdict = rr.diff(rr.check(rr.parse(text)), "main", [1.0], impl=backend, externs=rr.testing.EXTERNS)
    assert isinstance(verdict, rr.Agreement), verdict
