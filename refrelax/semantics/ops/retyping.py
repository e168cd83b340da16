"""The type rule of an operator asked again, at the dtypes and ranks that a run has.

Where a type leaves a dtype or a rank unknown, deduction lets the call pass, and what it would have refused reaches the
value rule. There the run is ``Unspecified``, under the rule that refuses.

Spec: ``spec/07-evaluation.md``, ``ev/operator-type``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NoReturn

from refrelax.errors import Rejection, Span, unspecified
from refrelax.rules import rule
from refrelax.semantics.ops.definition import OpDef
from refrelax.semantics.values import DType, Prim, Shape, TensorValue
from refrelax.syntax.graph import Call, DataTypeValue, Expr, Tuple, TupleGetItem, Var
from refrelax.syntax.scalars import PrimExpr, as_int, int_imm
from refrelax.syntax.types import AnyType, DTensorType, PrimType, ShapeType, TensorType, TupleType, Type


class AtRun:
    """What a type rule may ask of a run: extents are numbers, dims that it cannot compare stay open."""

    def __init__(self, values: Mapping[str, Any], span: Span | None) -> None:
        self.values = values
        self.span = span

    def equal(self, a: PrimExpr, b: PrimExpr) -> bool | None:
        x, y = as_int(a), as_int(b)
        return (a == b or None) if x is None or y is None else x == y

    def to_the_run(self, a: PrimExpr, b: PrimExpr) -> None:
        return

    def simplify(self, dim: PrimExpr) -> PrimExpr:
        return dim

    def shape_of(self, name: str) -> tuple[PrimExpr, ...] | None:
        found = self.values.get(name)
        return tuple(map(int_imm, found.dims)) if isinstance(found, Shape) else None

    def value_of(self, name: str) -> Expr | None:
        found = self.values.get(name)
        return DataTypeValue(found.name) if isinstance(found, DType) else None

    def fail(self, rule: str, message: str) -> NoReturn:
        raise unspecified(rule, message, self.span)


def incomplete(type_: Type | None) -> bool:
    """Whether checking knew less than dtype and rank of an argument."""
    match type_:
        case TensorType(dtype=dtype, ndim=ndim, shape=shape):
            return dtype is None or (ndim < 0 and not isinstance(shape, tuple))
        case DTensorType(tensor=tensor):
            return incomplete(tensor)
        case TupleType(fields=fields):
            return any(map(incomplete, fields))
        case AnyType():
            return True
        case _:
            return False


def run_type(value: Any, known: Type | None) -> Type:
    """The type that a value has: what checking found, unless that is incomplete; then of a tensor the dtype and the
    rank beside the dims that checking found, since extents that it did not know have rules of their own at run time."""
    if known is not None and not incomplete(known):
        return known
    match value:
        case TensorValue():
            if isinstance(known, TensorType) and isinstance(known.shape, tuple):
                return TensorType(known.shape, value.dtype, value.ndim)
            dims = tuple(map(int_imm, value.shape)) if known is None else None
            return TensorType(dims, value.dtype, value.ndim)
        case Prim(dtype=dtype):
            return PrimType(dtype)
        case Shape(dims=dims):
            return ShapeType(tuple(map(int_imm, dims)), len(dims))
        case tuple():
            fields = known.fields if isinstance(known, TupleType) else [None] * len(value)
            return TupleType(tuple(map(run_type, value, fields)))
        case _:
            return AnyType()


def _unknown(expr: Expr, type_of: Callable[[Expr], Type | None]) -> bool:
    if isinstance(expr, Tuple):
        return any(_unknown(each, type_of) for each in expr.fields)
    return isinstance(expr, Var | TupleGetItem) and incomplete(type_of(expr) or AnyType())


@rule("ev/operator-type")
def asked_again(
    definition: OpDef,
    call: Call,
    args: tuple[Any, ...],
    values: Mapping[str, Any],
    type_of: Callable[[Expr], Type | None],
) -> None:
    """End the run where the type rule refuses the values of a call that checking knew too little of.

    Raises:
        Ended: ``Unspecified``, under the rule that refuses.
    """
    if not any(_unknown(each, type_of) for each in call.args):
        return
    try:
        types = tuple(map(run_type, args, (type_of(each) for each in call.args)))
        definition.deduce(AtRun(values, call.span), call, types)
    except Rejection as refused:
        raise unspecified(refused.diagnostics[0].rule, refused.diagnostics[0].message, call.span) from None
