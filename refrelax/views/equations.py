"""The equations that bind symbols: which axis of which parameter, or of what a ``match_cast`` found, gives each its
value."""

from __future__ import annotations

from collections.abc import Iterator

from refrelax.syntax.graph import Function, MatchCast
from refrelax.syntax.loops import BufferParam, PrimFunc
from refrelax.syntax.module import BaseFunc
from refrelax.syntax.scalars import PrimExpr, SymVar
from refrelax.syntax.types import DTensorType, ShapeType, TensorType, TupleType, Type


def of_parameters(function: BaseFunc | None) -> dict[str, str]:
    """The symbols that a call binds; the first place of each."""
    match function:
        case Function(params=params):
            places = [each for p in params if p.type is not None for each in _places(p.type, p.name)]
        case PrimFunc(params=params):
            buffers = [p.buffer for p in params if isinstance(p, BufferParam)]
            places = [(f"axis {k} of {b.name}", dim) for b in buffers for k, dim in enumerate(b.shape)]
        case _:
            places = []
    return _first(places)


def of_match(binding: MatchCast, known: set[str]) -> dict[str, str]:
    """The symbols that a ``match_cast`` binds: those that have no value yet."""
    found = _first(list(_places(binding.type, binding.name)))
    return {name: said for name, said in found.items() if name not in known}


def _first(places: list[tuple[str, PrimExpr]]) -> dict[str, str]:
    found: dict[str, str] = {}
    for place, dim in places:
        if isinstance(dim, SymVar):
            found.setdefault(dim.name, place)
    return found


def _places(type_: Type, name: str) -> Iterator[tuple[str, PrimExpr]]:
    match type_:
        case DTensorType(tensor=tensor):
            yield from _places(tensor, name)
        case TensorType(shape=tuple() as dims):
            yield from ((f"axis {k} of {name}", dim) for k, dim in enumerate(dims))
        case ShapeType(values=tuple() as dims):
            yield from ((f"{name}[{k}]", dim) for k, dim in enumerate(dims))
        case TupleType(fields=fields):
            for k, each in enumerate(fields):
                yield from _places(each, f"{name}.{k}")
        case _:
            return
