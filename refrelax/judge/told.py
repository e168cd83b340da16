"""Extents that a built module tells of a tensor whose type it has erased: those that are numbers where it is made, or
where a parameter is checked.

They only say where to look. What is made of them is checked by a ``match_cast``, which a proof has to see to pass.

Spec: ``spec/06c-pointwise.md``, ``va/inline``.
"""

from __future__ import annotations

from collections.abc import Mapping

from refrelax.semantics.builtins import heap as builtin
from refrelax.syntax.graph import Binding, Call, Expr, ExternFunc, Function, Op, PrimValue, ShapeExpr, Var, VarBinding
from refrelax.syntax.scalars import PrimExpr, as_int, int_imm
from refrelax.syntax.types import TensorType, Type

IN_STORAGE = frozenset({"relax.memory.alloc_tensor", "relax.vm.alloc_tensor", "vm.builtin.alloc_tensor"})
"""What gives a tensor in a storage."""

SHAPE = "vm.builtin.make_shape"


def bindings_of(function: Function) -> dict[str, Binding]:
    """The bindings of a function's own blocks by name."""
    return {b.name: b for block in function.body.blocks for b in block.bindings}


def extents_of(
    e: Expr, bound: Mapping[str, Binding], params: Mapping[str, Type | None]
) -> tuple[PrimExpr | None, ...] | None:
    """The extents of a tensor that is allocated here, or is one of ``params``, whose first checks say them; ``None``
    for one that is no number; ``None``: nothing is told."""
    told = params.get(e.name) if isinstance(e, Var) else None
    if isinstance(told, TensorType) and isinstance(told.shape, tuple):
        return _numbers(told.shape)
    match _value(e, bound):
        case Call(op=Op(name=name) | ExternFunc(name=name), args=(_, _, shape, *_)) if name in IN_STORAGE:
            return _shape(shape, bound)
        case _:
            return None


def _numbers(dims: tuple[PrimExpr, ...]) -> tuple[PrimExpr | None, ...]:
    return tuple(each if as_int(each) is not None else None for each in dims)


def _value(e: Expr, bound: Mapping[str, Binding]) -> Expr | None:
    binding = bound.get(e.name) if isinstance(e, Var) else None
    return binding.value if isinstance(binding, VarBinding) else None


def _shape(e: Expr, bound: Mapping[str, Binding]) -> tuple[PrimExpr | None, ...] | None:
    match e if isinstance(e, ShapeExpr) else _value(e, bound):
        case ShapeExpr(values=values):
            return _numbers(values)
        case Call(op=ExternFunc(name=name), args=(_, _, *rest)) if name == SHAPE:
            numbers = [as_int(each.value) if isinstance(each, PrimValue) else None for each in rest]
            pairs = zip(numbers[::2], numbers[1::2], strict=False)
            return tuple(int_imm(k) if code == builtin.IMMEDIATE and k is not None else None for code, k in pairs)
        case _:
            return None


__all__ = ["IN_STORAGE", "bindings_of", "extents_of"]
