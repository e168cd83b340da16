"""Between tensors and shapes.

Spec: ``spec/ops/shape.md``.
"""

from __future__ import annotations

from refrelax.rules import rule
from refrelax.semantics.ops import dims as D
from refrelax.semantics.ops.common import (
    UNKNOWN,
    arity,
    dims_of,
    index_of,
    known_dims,
    of_rank,
    rank,
    shape_argument,
    short,
    tensor,
    tensor_value,
    with_dims,
)  # fmt: skip
from refrelax.semantics.ops.definition import Deduction, Evaluation, OpDef
from refrelax.semantics.ops.meaning import Array, Extents, Meaning, defined
from refrelax.semantics.values import Shape, Value
from refrelax.syntax.graph import Call
from refrelax.syntax.scalars import as_int
from refrelax.syntax.types import ShapeType, Type

PAGE = "shape"


def deduce_shape_of(d: Deduction, call: Call, types: tuple[Type, ...]) -> Type:
    """The dims of the argument as a shape."""
    arity(d, call, 1)
    x = tensor(d, call, types, 0)
    dims = dims_of(d, x)
    return ShapeType(dims, len(dims)) if dims is not None else ShapeType(None, rank(x))


def evaluate_shape_of(e: Evaluation, call: Call, args: tuple[Value, ...]) -> Shape:
    """The extents."""
    return Shape(tensor_value(args[0]).shape)


@rule("op.tensor_to_shape/int64-vector")
def deduce_tensor_to_shape(d: Deduction, call: Call, types: tuple[Type, ...]) -> Type:
    """A shape of unknown dims whose rank is the number of elements, where that is a literal."""
    arity(d, call, 1)
    x = tensor(d, call, types, 0)
    if rank(x) not in (1, UNKNOWN) or x.dtype not in (None, "int64"):
        d.fail(
            "op.tensor_to_shape/int64-vector", f"{short(call)} takes an int64 vector, found {x.dtype} of rank {rank(x)}"
        )
    dims = known_dims(x)
    count = as_int(dims[0]) if dims is not None else None
    return ShapeType(None, UNKNOWN if count is None else count)


def evaluate_tensor_to_shape(e: Evaluation, call: Call, args: tuple[Value, ...]) -> Shape:
    """The elements as dims of a shape, also where they are negative."""
    x = tensor_value(args[0])
    return Shape(tuple(index_of(e, x, (i,)) for i in range(x.shape[0])))


def deduce_shape_to_tensor(d: Deduction, call: Call, types: tuple[Type, ...]) -> Type:
    """An int64 vector with one element a dim."""
    arity(d, call, 1)
    found = shape_argument(d, call, types, 0)
    ndim = found.ndim if found.values is None else len(found.values)
    return of_rank(1, "int64") if ndim == UNKNOWN else with_dims((D.imm(ndim),), "int64")


def shape_to_tensor(m: Meaning, call: Call, dims: Extents) -> Array:
    """The extents as elements."""
    f, piece = m.at("int64"), m.pieces([1] * len(dims))
    if not dims:
        return m.tensor((0,), "int64", lambda _i: f.lit(0))
    return m.tensor((len(dims),), "int64", lambda i: piece(i, lambda t, _p: f.lit(dims[t])))


def deduce_size(d: Deduction, call: Call, types: tuple[Type, ...]) -> Type:
    """An int64 scalar tensor."""
    arity(d, call, 1)
    tensor(d, call, types, 0)
    return with_dims((), "int64")


def size(m: Meaning, call: Call, x: Array) -> Array:
    """The number of elements."""
    return m.tensor((), "int64", lambda: m.at("int64").lit(m.product(x.dims)))


OPERATORS: tuple[OpDef, ...] = (
    OpDef("relax.shape_of", deduce_shape_of, evaluate_shape_of, PAGE),
    OpDef("relax.tensor_to_shape", deduce_tensor_to_shape, evaluate_tensor_to_shape, PAGE),
    defined("relax.shape_to_tensor", deduce_shape_to_tensor, shape_to_tensor, PAGE),
    defined("relax.size", deduce_size, size, PAGE),
)
