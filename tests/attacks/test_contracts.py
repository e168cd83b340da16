"""A contract is what the definition runs; what is registered is what an implementation runs, and is held against it."""

from __future__ import annotations

from typing import Any

import refrelax as rr

TEXT = """
n = TypeVar("n")
k = TypeVar("k")
m = TypeVar("m")
@I.ir_module
class Module:
    @R.function(private=True)
    def contract(a: R.Tensor((n, k), dtype="float32"), b: R.Tensor((k, m), dtype="float32")) -> R.Tensor((n, m), dtype="float32"):
        R.func_attr({"Contract": "lib.matmul"})
        with R.dataflow():
            c = R.matmul(a, b)
            R.output(c)
        return c
    @R.function
    def main(x: R.Tensor((n, 4), dtype="float32"), w: R.Tensor((4, 3), dtype="float32")) -> R.Tensor((n, 3), dtype="float32"):
        with R.dataflow():
            y = R.call_dps_packed("lib.matmul", (x, w), out_ty=R.Tensor((n, 3), dtype="float32"))
            R.output(y)
        return y
"""  # noqa: E501

X = [[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]]
W = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 1.0, 1.0]]


def _library(by: float) -> Any:
    def matmul(a: Any, b: Any, out: Any) -> None:
        product = a.numpy() @ b.numpy()
        product[0, 0] += by
        out.assign(rr.Tensor.of(product.tolist(), "float32"))

    return matmul


def test_a_library_that_keeps_its_contract_agrees() -> None:
    checked = rr.check(rr.parse(TEXT))
    verdict = rr.diff(checked, "main", [X, W], impl="numpy", externs={"lib.matmul": _library(0.0)})
    assert isinstance(verdict, rr.Agreement), verdict


def test_a_library_that_breaks_its_contract_is_found_and_the_definition_does_not_run_it() -> None:
    checked = rr.check(rr.parse(TEXT))
    broken = {"lib.matmul": _library(1.0)}
    assert rr.run(checked, "main", X, W, externs=broken).value.tolist()[0][0] == 5.0
    verdict = rr.diff(checked, "main", [X, W], impl="numpy", externs=broken)
    assert isinstance(verdict, rr.Divergence) and "y[0, 0]" in str(verdict), verdict


def test_where_nothing_is_registered_backends_run_the_contract() -> None:
    checked = rr.check(rr.parse(TEXT))
    for backend in ("numpy", "cuda-emulated"):
        verdict = rr.diff(checked, "main", [X, W], impl=backend)
        assert isinstance(verdict, rr.Agreement), f"{backend}: {verdict}"


SWAPPED = """
@I.ir_module
class Module:
    @R.function(private=True)
    def contract(x: R.Tensor((2,), dtype="int32"), y: R.Tensor((2,), dtype="int32")) -> R.Tuple(R.Tensor((2,), dtype="int32"), R.Tensor((2,), dtype="int32")):
        R.func_attr({"Contract": "lib.swap"})
        return (y, x)
    @R.function(pure=False)
    def main(x: R.Tensor((2,), dtype="int32"), y: R.Tensor((2,), dtype="int32")) -> R.Tuple(R.Tensor((2,), dtype="int32"), R.Tensor((2,), dtype="int32")):
        _ = R.call_packed("lib.swap", x, y, x, y, ty_args=(R.Tuple,))
        return (x, y)
"""  # noqa: E501


def test_results_that_are_memory_of_each_others_places_are_all_kept() -> None:
    ended = rr.run(rr.check(rr.parse(SWAPPED)), "main", [1, 2], [5, 7])
    assert isinstance(ended, rr.Returned), ended
    assert [each.tolist() for each in ended.value] == [[5, 7], [1, 2]]
