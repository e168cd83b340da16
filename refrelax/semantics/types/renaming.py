"""Symbols of types: which ones a type mentions, which ones it can define, and equality of function types up to
their names.

A *bare* symbolic dim of a parameter type defines its symbol; a symbol inside a compound dim only uses it. Symbols
of the parameters of a ``R.Callable`` are scoped to that type.

Spec: ``spec/05-types.md``, Symbols.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from refrelax.semantics.dims import substitute
from refrelax.syntax.scalars import PrimExpr, SymVar, free_symbols
from refrelax.syntax.types import DTensorType, FuncType, ShapeType, TensorType, TupleType, Type
from refrelax.syntax.types import definable as definable
from refrelax.syntax.types import dims_of as dims_of


def mentioned(ty: Type) -> frozenset[str]:
    """Names of all symbols that occur free in ``ty``, function types left out."""
    found: frozenset[str] = frozenset()
    for dim in dims_of(ty):
        found |= free_symbols(dim)
    return found


def shape_variables(ty: Type) -> Iterator[str]:
    """Names of the shape variables (``R.Tensor(s, …)``) in ``ty``, function types left out."""
    match ty:
        case TensorType(shape=str() as name):
            yield name
        case DTensorType():
            yield from shape_variables(ty.tensor)
        case TupleType():
            for each in ty.fields:
                yield from shape_variables(each)
        case _:
            return


def map_dims(ty: Type, change: Callable[[PrimExpr], PrimExpr]) -> Type:
    """``ty`` with every dim replaced, function types included."""
    match ty:
        case TensorType(shape=tuple() as dims):
            return replace(ty, shape=tuple(map(change, dims)))
        case ShapeType(values=tuple() as dims):
            return replace(ty, values=tuple(map(change, dims)))
        case DTensorType():
            tensor = map_dims(ty.tensor, change)
            assert isinstance(tensor, TensorType)
            return replace(ty, tensor=tensor)
        case TupleType():
            return TupleType(tuple(map_dims(each, change) for each in ty.fields))
        case FuncType():
            params = None if ty.params is None else tuple(map_dims(each, change) for each in ty.params)
            return replace(ty, params=params, ret=map_dims(ty.ret, change))
        case _:
            return ty


def canonical(ty: FuncType) -> FuncType:
    """``ty`` with the symbols that its parameters define renamed by position (``#0``, ``#1``, …)."""
    names: dict[str, PrimExpr] = {}
    for param in ty.params or ():
        for symbol in definable(param):
            names.setdefault(symbol.name, SymVar(f"#{len(names)}", symbol.dtype))
    if not names:
        return ty
    renamed = map_dims(ty, lambda dim: substitute(dim, names))
    assert isinstance(renamed, FuncType)
    return renamed


def alpha_equal(a: FuncType, b: FuncType) -> bool:
    """Whether two function types are the same up to the names of the symbols that their parameters define."""
    return a == b or canonical(a) == canonical(b)
