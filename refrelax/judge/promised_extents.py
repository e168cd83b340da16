"""Extents at which a run of the first program gets anywhere: what its checks of parameters and its bounds promise.

Extents drawn independently of each other almost never satisfy ``z = R.match_cast(y, R.Tensor((n + 1, 4)))`` of a
parameter ``y`` of ``m`` rows, and what comes after the check is then never run.

Spec: ``spec/01-conformance.md``, ``va/refinement``; ``spec/07-evaluation.md``, ``ev/symbol-bounds``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from refrelax.errors import Ended
from refrelax.semantics.dims import value
from refrelax.semantics.symbol_bounds import Ends, symbol_bounds
from refrelax.syntax.graph import Function, MatchCast, Var
from refrelax.syntax.module import Module
from refrelax.syntax.scalars import PrimExpr, SymVar, free_symbols
from refrelax.syntax.types import ShapeType, TensorType, Type


@dataclass(frozen=True, slots=True)
class Promised:
    """``equal``: symbols, and what a check says that they are, in order; ``ends``: the bounds of symbols."""

    equal: tuple[tuple[str, PrimExpr], ...] = ()
    ends: Mapping[str, Ends] | None = None

    def kept(self, dims: Mapping[str, int], most: int = 0) -> dict[str, int]:
        """Extents near ``dims`` that keep what can be kept. Bounds of at most ``most`` are reached."""
        new = dict(dims)
        for name, (low, high) in (self.ends or {}).items():
            if name in new:
                at_least = new[name] if low is None else max(low, new[name])
                new[name] = at_least if high is None else high if high <= most else min(high, at_least)
        for name, expr in self.equal:
            if name in new and set(free_symbols(expr)) <= new.keys() and (found := _at(expr, new)) is not None:
                new[name] = found
        return new


def _at(expr: PrimExpr, dims: Mapping[str, int]) -> int | None:
    """The extent that an expression is, if it is one."""
    try:
        found = value(expr, dims)
    except Ended:
        return None
    return found if found >= 0 else None


def promised(module: Module, entry: str) -> Promised:
    """What the entry promises of its symbols; nothing, where it is no function of the graph level."""
    function = module.functions.get(entry)
    if not isinstance(function, Function):
        return Promised()
    types = {p.name: p.type for p in function.params}
    found: list[tuple[str, PrimExpr]] = []
    for block in function.body.blocks:
        for binding in block.bindings:
            if isinstance(binding, MatchCast) and isinstance(binding.value, Var) and binding.value.name in types:
                found += _pairs(types[binding.value.name], binding.type)
    return Promised(tuple(found), symbol_bounds(function))


def _pairs(declared: Type | None, cast: Type) -> Iterator[tuple[str, PrimExpr]]:
    match declared, cast:
        case (TensorType(shape=tuple(ours)), TensorType(shape=tuple(theirs))) | (
            ShapeType(values=tuple(ours)),
            ShapeType(values=tuple(theirs)),
        ) if len(ours) == len(theirs):
            yield from ((a.name, b) for a, b in zip(ours, theirs, strict=True) if isinstance(a, SymVar) and a != b)
        case _:
            pass


__all__ = ["Promised", "promised"]
