"""The sorting functions that dispatched loop programs call by name.

Each takes its input tensors, its output tensors, the axis and the order, and writes the outputs. Sorting is stable.

Spec: ``spec/08-effects-and-storage.md``, *Sorting*.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

from refrelax.errors import unspecified
from refrelax.rules import rule
from refrelax.semantics.numbers.interface import Numerics, Payload
from refrelax.semantics.numbers.poison import poison
from refrelax.semantics.values import Prim, TensorValue
from refrelax.syntax import dtypes

Line = list[tuple[int, ...]]


def _lines(x: TensorValue, axis: int, extent: int) -> Iterator[Line]:
    """The indices of every line of ``x`` along ``axis``, ``extent`` of each."""
    outer = [range(n) if a != axis else range(1) for a, n in enumerate(x.shape)]
    for start in product(*outer):
        yield [(*start[:axis], k, *start[axis + 1 :]) for k in range(extent)]


def _place(x: TensorValue, index: tuple[int, ...]) -> int | None:
    """The cell of an element; ``None`` outside of the tensor, or of its memory: a description made in place
    (``T.tvm_stack_make_array``) may reach beyond the buffer that it describes."""
    if len(index) != x.ndim or not all(0 <= i < n for i, n in zip(index, x.shape, strict=True)):
        return None
    position = x.offset + sum(i * stride for i, stride in zip(index, x.strides, strict=True))
    return position if 0 <= position < len(x.storage.plane(x.dtype, x.numerics)) else None


_OUTSIDE = poison("ld/load-out-of-bounds")


def _read(x: TensorValue, index: tuple[int, ...]) -> Payload:
    return _OUTSIDE if _place(x, index) is None else x[index]


@rule("ld/store-out-of-bounds")
def _write(out: TensorValue, index: tuple[int, ...], payload: Payload) -> None:
    position = _place(out, index)
    if position is None:
        raise unspecified("ld/store-out-of-bounds", f"a library function stores at {index} of {out.shape}")
    out.storage.store(out.dtype, position, payload)


def _arguments(args: tuple[Any, ...], tensors: int, numbers: int) -> tuple[list[TensorValue], list[int]]:
    if len(args) != tensors + numbers:
        message = f"expected {tensors} tensors and {numbers} numbers, found {len(args)} arguments"
        raise unspecified("vm/argument", f"a sorting function: {message}")
    found, rest = list(args[:tensors]), list(args[tensors:])
    whole = [each for each in rest[:-1] if isinstance(each, Prim) and not dtypes.is_float(each.dtype)]
    fits = len(whole) == numbers - 1 and isinstance(rest[-1], Prim)
    if not all(isinstance(each, TensorValue) for each in found) or not fits:
        raise unspecified("vm/argument", "a sorting function takes tensors, then integers, then a truth")
    return found, [*(int(each.value) for each in whole), int(rest[-1].value != 0)]


def _same_dtype(x: TensorValue, out: TensorValue) -> None:
    """What holds elements of ``x`` has its dtype."""
    if x.dtype != out.dtype:
        raise unspecified("vm/argument", f"a sorting function puts {x.dtype} into {out.dtype}")


def _axis(axis: int, x: TensorValue) -> int:
    if not -x.ndim <= axis < x.ndim:
        raise unspecified("vm/argument", f"axis {axis} of a tensor of rank {x.ndim}")
    return axis % x.ndim


@rule("vm/sort")
def sort(numerics: Numerics, *args: Any) -> None:
    """``(x, out, axis, ascending)``."""
    (x, out), (axis, ascending) = _arguments(args, 2, 2)
    _same_dtype(x, out)
    axis, f = _axis(axis, x), numerics.at(x.dtype)
    for line in _lines(x, axis, x.shape[axis]):
        ordered, _ = f.order([_read(x, i) for i in line], not ascending)
        for index, payload in zip(line, ordered, strict=True):
            _write(out, index, payload)


@rule("vm/argsort")
def argsort(numerics: Numerics, *args: Any) -> None:
    """``(x, out, axis, ascending)``: positions, at the dtype of ``out``."""
    (x, out), (axis, ascending) = _arguments(args, 2, 2)
    axis, f, g = _axis(axis, x), numerics.at(x.dtype), numerics.at(out.dtype)
    for line in _lines(x, axis, x.shape[axis]):
        _, places = f.order([_read(x, i) for i in line], not ascending)
        for index, place in zip(line, places, strict=True):
            _write(out, index, place if out.dtype == "int64" else g.cast(place, "int64"))


@rule("vm/topk")
def topk(numerics: Numerics, *args: Any) -> None:
    """``(x, outs…, k, axis, kind, ascending)``: the first ``k`` of every line; ``kind`` names the outputs."""
    kind = args[-2] if len(args) > 1 else None
    if kind not in ("both", "values", "indices"):
        raise unspecified(
            "vm/argument", f"expected both, values or indices as the last argument but one, found {kind!r}"
        )
    count = 3 if kind == "both" else 2
    (x, *outs), (k, axis, ascending) = _arguments((*args[:-2], args[-1]), count, 3)
    if kind != "indices":
        _same_dtype(x, outs[0])
    axis, f = _axis(axis, x), numerics.at(x.dtype)
    for line in _lines(x, axis, x.shape[axis]):
        values, places = f.order([_read(x, i) for i in line], not ascending)
        for index, value, place in list(zip(line, values, places, strict=True))[: k if k > 0 else None]:
            for out, wanted in zip(outs, ("values", "indices") if kind == "both" else (kind,), strict=True):
                if wanted == "values":
                    _write(out, index, value)
                else:
                    _write(out, index, place if out.dtype == "int64" else numerics.at(out.dtype).cast(place, "int64"))


SORTING: dict[str, Callable[..., None]] = {
    "tvm.contrib.sort.sort": sort,
    "tvm.contrib.sort.argsort": argsort,
    "tvm.contrib.sort.topk": topk,
}
"""Library functions of loop programs that need no registration; the first argument is the reading."""
