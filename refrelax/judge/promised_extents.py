"""Extents at which a run of the first program gets anywhere: what its checks of parameters and its bounds promise.

Extents drawn independently of each other almost never satisfy ``z = R.match_cast(y, R.Tensor((n + 1, 4)))`` of a
parameter ``y`` of ``m`` rows, and what comes after the check is then never run.

Spec: ``spec/01-conformance.md``, ``va/refinement``; ``spec/07-evaluation.md``, ``ev/symbol-bounds``.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from refrelax.errors import Ended
from refrelax.semantics.dims import value
from refrelax.semantics.graph.link import nodes
from refrelax.semantics.symbol_bounds import Ends, symbol_bounds
from refrelax.shape_solver.context import conjuncts
from refrelax.syntax.graph import Function, MatchCast, Var
from refrelax.syntax.loops import PrimFunc
from refrelax.syntax.module import Module
from refrelax.syntax.scalars import Binary, Intrinsic, Literal, Not, PrimExpr, SymVar, free_symbols, walk
from refrelax.syntax.types import ShapeType, TensorType, Type
from refrelax.testing.arguments import symbols_of


@dataclass(frozen=True, slots=True)
class Promised:
    """``equal``: symbols, and what a check says that they are, in order; ``ends``: the bounds of symbols; ``assumed``:
    what ``T.assume`` says of symbols alone, somewhere in the program and under whatever name: runs are drawn by it,
    nothing is known from it."""

    equal: tuple[tuple[str, PrimExpr], ...] = ()
    ends: Mapping[str, Ends] | None = None
    assumed: tuple[PrimExpr, ...] = ()

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

    def hold(self, dims: Mapping[str, int]) -> bool:
        """Whether what is assumed holds at some extents."""
        try:
            return all(bool(value(each, dims)) for each in self.assumed)
        except Ended:
            return False


def _at(expr: PrimExpr, dims: Mapping[str, int]) -> int | None:
    """The extent that an expression is, if it is one."""
    try:
        found = value(expr, dims)
    except Ended:
        return None
    return found if found >= 0 else None


def promised(module: Module, entry: str) -> Promised:
    """What the entry promises of its symbols, as far as extents are drawn by it."""
    function = module.functions.get(entry)
    assumed = _assumed(module, symbols_of(module, entry))
    if not isinstance(function, Function):
        return Promised(assumed=assumed)
    types = {p.name: p.type for p in function.params}
    found: list[tuple[str, PrimExpr]] = []
    for block in function.body.blocks:
        for binding in block.bindings:
            if isinstance(binding, MatchCast) and isinstance(binding.value, Var) and binding.value.name in types:
                found += _pairs(types[binding.value.name], binding.type)
    return Promised(tuple(found), symbol_bounds(function), assumed)


def _assumed(module: Module, symbols: Collection[str]) -> tuple[PrimExpr, ...]:
    """What loop programs assume of these names; of each, no other is mentioned."""
    programs = (each for each in module.functions.values() if isinstance(each, PrimFunc))
    said = (each.args[0] for f in programs for each in nodes(f) if isinstance(each, Intrinsic) and each.op == "assume")
    parts = dict.fromkeys(part for each in said for part in conjuncts(each))
    plain = (each for each in parts if all(isinstance(e, Binary | Not | SymVar | Literal) for e in walk(each)))
    return tuple(each for each in plain if free_symbols(each) and free_symbols(each) <= {*symbols})


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
