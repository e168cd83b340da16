"""Arguments that a signature refuses: what a program with checks in place of annotations must refuse, too.

Each is made from good arguments by one change of one tensor, shape, scalar or tuple: another dtype, a rank more, an
extent more, another number, a field less or more, a shape in the place of a tensor with its extents and the other way
round.

Spec: ``spec/14-build.md``, ``lo/check-spelled``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod
from typing import Any

from refrelax.running.arrays import Tensor
from refrelax.semantics.values import Prim, Shape
from refrelax.syntax import dtypes
from refrelax.syntax.types import AnyType, DTensorType, PrimType, ShapeType, TensorType, TupleType, Type

OTHER = {"float32": "float64", "int64": "int32"}
SCALARS = ("int64", "int32", "bool", "float32", "float64")


def refused(args: Sequence[Any], types: Sequence[Type]) -> Iterator[list[Any]]:
    """The arguments with one of them changed, in every way."""
    for place, (value, type_) in enumerate(zip(args, types, strict=True)):
        for other in _others(value, type_):
            yield [*args[:place], other, *args[place + 1 :]]


def erased(ours: Sequence[Type | None], theirs: Sequence[Type | None]) -> bool:
    """Whether a second signature takes anything where a first one does not, be it in a field of a tuple."""
    return any(_erases(a, b) for a, b in zip(ours, theirs, strict=False))


def _erases(ours: Type | None, theirs: Type | None) -> bool:
    match ours, theirs:
        case ((None | AnyType()), _):
            return False
        case _, AnyType():
            return True
        case TupleType(fields=a), TupleType(fields=b):
            return erased(a, b)
        case _:
            return False


def _others(value: Any, type_: Type) -> Iterator[Any]:
    match type_, value:
        case ((TensorType() | DTensorType()), Tensor()):
            yield _zeros(OTHER.get(value.dtype, "float32"), value.shape)
            yield _zeros(value.dtype, (*value.shape, 1))
            for axis, extent in enumerate(value.shape):
                yield _zeros(value.dtype, (*value.shape[:axis], extent + 1, *value.shape[axis + 1 :]))
            yield _zeros(value.dtype, ())
            yield Shape((1,))
            yield Shape(value.shape)  # (of which the machine matches the extents as of a tensor's)
            if value.dtype == "bool":  # that may lead to a check on the way
                yield Tensor.of_bytes("bool", value.shape, b"\1" * prod(value.shape))
        case ShapeType(), Shape(dims=dims):
            yield Shape((*dims, 1))
            for axis, extent in enumerate(dims):
                yield Shape((*dims[:axis], extent + 1, *dims[axis + 1 :]))
            yield _zeros("int64", dims)
        case PrimType(dtype=dtype), (Prim() | bool() | int() | float()):
            number = value.value if isinstance(value, Prim) else value
            yield from (Prim(other, _as(other, number)) for other in SCALARS if other != dtype)
            yield _zeros(dtype, ())
            yield Shape((1,))
            yield Prim(dtype, not number if dtype == "bool" else number + 1)  # that may be an extent
        case TupleType(fields=fields), tuple():
            yield value[1:]
            yield (*value, Shape(()))
            for k, (each, inner) in enumerate(zip(value, fields, strict=False)):
                for other in _others(each, inner):
                    yield (*value[:k], other, *value[k + 1 :])
        case _:
            return


def _as(dtype: str, number: int | float) -> int | float:
    kind = dtypes.kind(dtype)
    return bool(number) if kind == "bool" else float(number) if kind == "float" else int(number)


def _zeros(dtype: str, shape: tuple[int, ...]) -> Tensor:
    return Tensor.of_bytes(dtype, shape, bytes(prod(shape) * dtypes.itemsize(dtype)))
