"""Erasure: what is left of a type where some of its symbols are not in scope.

A tensor or shape type that mentions *one* symbol out of scope loses its **whole** shape and keeps rank, dtype and
device. A prim type has nothing to lose; a function type brings its own symbols and is left alone.

Spec: ``spec/05-types.md``, Erasure.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Set
from dataclasses import dataclass, field

from refrelax.rules import rule
from refrelax.semantics.dims import Facts, simplify, substitute
from refrelax.syntax.scalars import Literal, PrimExpr, SymVar, free_symbols
from refrelax.syntax.types import DTensorType, ShapeType, TensorType, TupleType, Type

Shape = tuple[PrimExpr, ...] | str | None


@dataclass(frozen=True, slots=True)
class Assignment:
    """What a call knows about the symbols (``dims``) and the shape variables (``shapes``) of its callee."""

    dims: Mapping[str, PrimExpr] = field(default_factory=dict)
    shapes: Mapping[str, Shape] = field(default_factory=dict)


@rule("ty/erase-to-scope")
def erase_to_scope(ty: Type, visible: Set[str]) -> Type:
    """``ty`` where only the symbols ``visible`` are in scope. Shape variables never leave their scope."""
    return _without(ty, lambda shape: isinstance(shape, str) or not _inside(shape, visible))


@rule("ty/erase-at-block-end")
def erase_variables(ty: Type, gone: Set[str]) -> Type:
    """``ty`` without the shapes that mention one of the variables ``gone``; all others stay."""

    def is_lost(shape: tuple[PrimExpr, ...] | str) -> bool:
        mentioned = {shape} if isinstance(shape, str) else frozenset[str]().union(*map(free_symbols, shape))
        return not gone.isdisjoint(mentioned)

    return _without(ty, is_lost)


def _without(ty: Type, is_lost: Callable[[tuple[PrimExpr, ...] | str], bool]) -> Type:
    match ty:
        case TensorType(shape=tuple() | str() as shape) if is_lost(shape):
            return TensorType(None, ty.dtype, ty.ndim, ty.vdevice)
        case ShapeType(values=tuple() as dims) if is_lost(dims):
            return ShapeType(None, ty.ndim)
        case DTensorType():
            tensor = _without(ty.tensor, is_lost)
            assert isinstance(tensor, TensorType)
            return ty if tensor is ty.tensor else DTensorType(tensor, ty.device_mesh, ty.placement)
        case TupleType():
            fields = tuple(_without(each, is_lost) for each in ty.fields)
            same = all(a is b for a, b in zip(fields, ty.fields, strict=True))
            return ty if same else TupleType(fields)
        case _:
            return ty


def _inside(dims: tuple[PrimExpr, ...], visible: Set[str]) -> bool:
    for dim in dims:
        if isinstance(dim, Literal):
            continue
        if isinstance(dim, SymVar):
            if dim.name not in visible:
                return False
        elif not free_symbols(dim) <= visible:
            return False
    return True


@rule("ty/erase-by-assignment")
def erase_by_assignment(ty: Type, given: Assignment, facts: Facts) -> Type:
    """``ty`` with the symbols of ``given`` replaced by their dims (simultaneously, then simplified); what mentions
    any other symbol loses its whole shape."""
    match ty:
        case TensorType(shape=str() as name):
            shape = given.shapes.get(name)
            return TensorType(shape, ty.dtype, len(shape) if isinstance(shape, tuple) else ty.ndim, ty.vdevice)
        case TensorType(shape=tuple() as dims):
            return TensorType(_assign(dims, given, facts), ty.dtype, ty.ndim, ty.vdevice)
        case ShapeType(values=tuple() as dims):
            return ShapeType(_assign(dims, given, facts), ty.ndim)
        case DTensorType():
            tensor = erase_by_assignment(ty.tensor, given, facts)
            assert isinstance(tensor, TensorType)
            return DTensorType(tensor, ty.device_mesh, ty.placement)
        case TupleType():
            return TupleType(tuple(erase_by_assignment(each, given, facts) for each in ty.fields))
        case _:
            return ty


def _assign(dims: tuple[PrimExpr, ...], given: Assignment, facts: Facts) -> tuple[PrimExpr, ...] | None:
    known = given.dims.keys()
    if not _inside(dims, known):
        return None
    out: list[PrimExpr] = []
    for dim in dims:
        if isinstance(dim, Literal):
            out.append(dim)
        elif isinstance(dim, SymVar) and isinstance(given.dims[dim.name], (SymVar, Literal)):
            out.append(given.dims[dim.name])
        else:
            replaced = substitute(dim, dict(given.dims))
            out.append(replaced if facts.required else simplify(replaced, facts))  # the spelling is everybody's own
    return tuple(out)
