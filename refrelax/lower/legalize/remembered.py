"""Calls that were made loop programs before: of the same operator, on arguments of the same types, with the same known
of their symbols. What they come to is the same, whoever calls.

A proof reads both programs so, one after another pass; a model has the same few calls in every layer. Where claims are
written down (``refrelax lower``) every call makes its own.

Spec: ``spec/10-lowering.md``.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field

from refrelax.lower.origins.vouched import Claimed
from refrelax.lower.tuples import renamed
from refrelax.semantics.graph.link import nodes
from refrelax.syntax.graph import Call, Constant, ConstantRef, Expr, Var
from refrelax.syntax.loops import PrimFunc
from refrelax.syntax.scalars import PrimExpr, SymVar
from refrelax.syntax.types import Type

MOST = 4096
"""Calls that are kept; then all are forgotten."""


@dataclass(frozen=True, slots=True)
class Remembered:
    """The loop program of a call. ``passed``: what it is given, with the call's variables by number."""

    base: str
    kernel: PrimFunc
    passed: tuple[Expr, ...]
    tupled: bool
    origin: Claimed | None


@dataclass(slots=True)
class RememberedCalls:
    """By what decides them."""

    calls: dict[Hashable, Remembered] = field(default_factory=dict)

    def keep(self, key: Hashable, what: Remembered) -> None:
        """Keep one."""
        if len(self.calls) >= MOST:
            self.calls.clear()
        self.calls[key] = what


def names_of(call: Call) -> list[str]:
    """The variables of a call, in order."""
    return list(dict.fromkeys(each.name for each in nodes(call.args) if isinstance(each, Var)))


def numbered(exprs: tuple[Expr, ...], names: Sequence[str], back: bool = False) -> tuple[Expr, ...]:
    """With variables by number, or by name again."""
    pairs = [(name, f"%{k}") for k, name in enumerate(names)]
    found: tuple[Expr, ...] = renamed(exprs, {b: a for a, b in pairs} if back else dict(pairs))
    return found


def holds_array(call: Call) -> bool:
    """Whether elements that are written out stand in a call: more than is compared each time."""
    return any(isinstance(each, Constant) and each.shape for each in nodes(call.args))


def key_of(
    call: Call,
    result: Type | None,
    types: Callable[[str], Type | None],
    extents: Mapping[str, PrimExpr],
    known: Sequence[PrimExpr],
) -> Hashable | None:
    """What decides what a call comes to; ``None``: more than is told from it. ``extents``: what is known of symbols of
    the caller's that are extents; ``known``: what else is."""
    if holds_array(call) or any(isinstance(each, ConstantRef) for each in nodes(call.args)):
        return None
    names = names_of(call)
    told = (result, *map(types, names))
    mentioned = {each.name for each in nodes((told, call)) if isinstance(each, SymVar)}
    own = frozenset(extents[name] for name in mentioned & extents.keys())
    return (call.op, numbered(call.args, names), call.attrs, call.ty_args, told, own, tuple(known))
