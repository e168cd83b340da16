"""Libraries that TVM dispatches to, beside ``sorting.py``: products of matrices, and Thrust's sorts and scans.

Spec: ``spec/08-effects-and-storage.md``, *Products and scans*.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

from refrelax.errors import Span
from refrelax.rules import rule
from refrelax.semantics.builtins.access import Host, converted, elements, integer, number, put, tensors, wanted
from refrelax.semantics.numbers.interface import Payload
from refrelax.semantics.values import Prim, TensorValue
from refrelax.syntax import dtypes

Args = list[Any]


def _numbers_at(x: TensorValue, dtype: str, machine: Host) -> list[Payload]:
    cast = machine.numerics.at(dtype).cast
    return [each if x.dtype == dtype else cast(each, x.dtype) for each in elements(x, machine)]


def _flag(args: Args, k: int, span: Span | None) -> bool:
    return len(args) > k and bool(number(args[k], span))


@rule("vm/matmul")
def matmul(machine: Host, args: Args, span: Span | None) -> Any:
    """``(A, B, C, transpose A, transpose B, alpha?, beta?)``: ``C`` becomes ``alpha * (A @ B) + beta * C``.

    Matrices, or stacks of as many of them; a stack of one is used for each. ``beta`` of 0 does not read ``C``.
    """
    a, b, c = tensors(args, 3, "three matrices first", span)
    wanted(a.ndim == b.ndim == c.ndim and c.ndim in (2, 3), "matrices or stacks of matrices", span)
    turned = _flag(args, 3, span), _flag(args, 4, span)
    (rows, depth), (depth_b, columns) = (
        each.shape[-2:][:: -1 if turn else 1] for each, turn in zip((a, b), turned, strict=True)
    )
    count = prod(c.shape[:-2])
    fits = depth == depth_b and c.shape[-2:] == (rows, columns)
    wanted(fits and all(prod(x.shape[:-2]) in (1, count) for x in (a, b)), "matrices that can be multiplied", span)
    alpha, beta = (number(each, span) for each in (*args[5:7], *(Prim("int64", k) for k in (1, 0)[len(args[5:7]) :])))
    f = machine.numerics.at(c.dtype)
    left, right = _numbers_at(a, c.dtype, machine), _numbers_at(b, c.dtype, machine)
    machine.meter.step(c.size * max(depth, 1))
    before = elements(c, machine) if beta else []

    def line(cells: list[Payload], x: TensorValue, turn: bool, stack: int, at: int, along_rows: bool) -> list[Payload]:
        """Row ``at`` of a matrix of the stack, or column ``at``, after the transposition."""
        height, width = x.shape[-2:]
        base = (stack if prod(x.shape[:-2]) > 1 else 0) * height * width
        if along_rows != turn:
            return cells[base + at * width : base + (at + 1) * width]
        return cells[base + at : base + height * width : width] if width else []

    result = []
    for stack in range(count):
        lefts = [line(left, a, turned[0], stack, i, True) for i in range(rows)]
        rights = [line(right, b, turned[1], stack, j, False) for j in range(columns)]
        result += [f.dot(x, y, c.dtype) for x in lefts for y in rights]
    if alpha != 1:
        factor = converted(machine.numerics, alpha, c.dtype)
        result = [f.mul(factor, each) for each in result]
    if beta:
        factor = converted(machine.numerics, beta, c.dtype)
        result = [f.add(each, f.mul(factor, old)) for each, old in zip(result, before, strict=True)]
    put(c, result, span)
    return ()


@rule("vm/argsort-nms")
def argsort_nms(machine: Host, args: Args, span: Span | None) -> Any:
    """``(x, counts, out, axis, ascending)``: the positions of each line's first ``count`` elements in order.

    The other positions follow as they are.
    """
    x, counts, out = tensors(args, 3, "three tensors first", span)
    axis, rising = integer(args[3], span), _flag(args, 4, span)
    wanted(-x.ndim <= axis < x.ndim, "an axis of the first tensor", span)
    axis %= x.ndim
    outer = x.shape[:axis] + x.shape[axis + 1 :]
    fits = x.shape == out.shape and prod(outer) == counts.size and out.dtype == counts.dtype == "int32"
    wanted(fits, "a count of int32 for each line, and room for int32 positions", span)
    n, behind = x.shape[axis], prod(x.shape[axis + 1 :])
    cells, sizes = elements(x, machine), elements(counts, machine)
    f, g = machine.numerics.at(x.dtype), machine.numerics.at("int32")
    result: list[Payload] = [None] * x.size
    for k, size in enumerate(sizes):
        length = machine.numerics.to_index(size, "int32")
        wanted(length <= n, f"counts of at most {n}", span)
        start = k // behind * n * behind + k % behind
        line = cells[start : start + n * behind : behind][: max(length, 0)]
        _, places = f.order(line, not rising)
        ordered = [g.cast(each, "int64") for each in places] + [g.lit(each) for each in range(len(line), n)]
        result[start : start + n * behind : behind] = ordered
    put(out, result, span)
    return ()


@rule("vm/thrust-sort")
def thrust_sort(machine: Host, args: Args, span: Span | None) -> Any:
    """``(x, values, positions, ascending, workspace?)``: every line along the last axis in order, stably."""
    x, values, places = tensors(args, 3, "three tensors first", span)
    rising, fits = _flag(args, 3, span), x.ndim > 0 and x.shape == values.shape == places.shape
    wanted(fits and x.dtype == values.dtype, "tensors of one shape", span)
    f, g, cells, n = machine.numerics.at(x.dtype), machine.numerics.at(places.dtype), elements(x, machine), x.shape[-1]
    ordered, positions = list[Payload](), list[Payload]()
    for start in range(0, x.size, max(n, 1)):
        line, found = f.order(cells[start : start + n], not rising)
        ordered += line
        positions += [each if places.dtype == "int64" else g.cast(each, "int64") for each in found]
    put(values, ordered, span)
    put(places, positions, span)
    return ()


@rule("vm/thrust-sort")
def stable_sort_by_key(machine: Host, args: Args, span: Span | None) -> Any:
    """``(keys, values, keys out, values out, for scatter, workspace?)``: pairs in rising order of their keys.

    ``for scatter``: a negative key counts from the end.
    """
    keys, values, keys_out, values_out = tensors(args, 4, "four vectors first", span)
    same = keys.shape == values.shape == keys_out.shape == values_out.shape and keys.ndim == 1
    wanted(same and (keys.dtype, values.dtype) == (keys_out.dtype, values_out.dtype), "four vectors", span)
    f, g, cells = machine.numerics.at(keys.dtype), machine.numerics.at(values.dtype), elements(keys, machine)
    if _flag(args, 4, span):
        size, zero = f.lit(keys.size), f.lit(0)
        cells = [f.select(f.less(each, zero), f.add(each, size), each) for each in cells]
    ordered, places = f.order(cells)
    items = elements(values, machine)
    put(keys_out, ordered, span)
    put(values_out, [g.pick(items, each) for each in places], span)
    return ()


@rule("vm/sum-scan")
def sum_scan(machine: Host, args: Args, span: Span | None) -> Any:
    """``(x, out, exclusive?, workspace?)``: running sums along the last axis at the dtype of ``out``."""
    x, out = tensors(args, 2, "two tensors first", span)
    wanted(x.ndim > 0 and x.shape == out.shape and dtypes.kind(out.dtype) != "bool", "tensors of one shape", span)
    exclusive, f, n = _flag(args, 2, span), machine.numerics.at(out.dtype), x.shape[-1]
    cells = _numbers_at(x, out.dtype, machine)
    machine.meter.step(x.size * max(n, 1))
    sums = [
        f.reduce("add", cells[start : start + k + (not exclusive)])
        for start in range(0, x.size, max(n, 1))
        for k in range(n)
    ]
    put(out, sums, span)
    return ()


_PRODUCTS = ("cblas", "mkl", "dnnl", "cublas", "cublaslt", "hipblas")

CONTRIB: dict[str, tuple[int, Callable[[Host, Args, Span | None], Any]]] = {
    **{f"tvm.contrib.{name}.{kind}": (5, matmul) for name in _PRODUCTS for kind in ("matmul", "batch_matmul")},
    **{f"tvm.contrib.{name}.batch_matmul_iterative": (5, matmul) for name in ("cblas", "mkl")},
    "tvm.contrib.mkl.matmul_u8s8s32": (5, matmul),
    "tvm.contrib.sort.argsort_nms": (5, argsort_nms),
    "tvm.contrib.thrust.sort": (4, thrust_sort),
    "tvm.contrib.thrust.stable_sort_by_key": (5, stable_sort_by_key),
    "tvm.contrib.thrust.sum_scan": (2, sum_scan),
}
"""The least number of arguments, and the meaning."""
