"""Claims that mention long extents, asked with a symbol in place of each.

An extent of a kernel's parameters is evaluated before the kernel runs, every step of it in int64 (``sh/overflow``).
So a part of one is some int64 number, and a claim that holds for every such number holds. How two parts that differ by
one step are related, and that a part is not negative, is all that a claim about the ranges of a concatenation needs:
its size does not grow with the number of operands.

Spec: ``spec/10-lowering.md``, ``lo/extent-part``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from refrelax.rules import rule
from refrelax.semantics.dims import Facts, at_least
from refrelax.semantics.dims.facts import shape_facts
from refrelax.shape_solver.core import mapped_down
from refrelax.syntax.scalars import (
    CONNECTIVES,
    Binary,
    Cast,
    Intrinsic,
    Not,
    PrimExpr,
    Select,
    SymVar,
    as_int,
    free_symbols,
    int_imm,
)

ZERO = int_imm(0)


@dataclass(frozen=True, slots=True)
class Question:
    """A statement and what it is asked under; the symbols that stand for parts of extents."""

    statement: PrimExpr
    given: tuple[PrimExpr, ...]
    parts: Mapping[str, PrimExpr] = field(default_factory=dict)


def parts(extents: Iterable[PrimExpr]) -> frozenset[PrimExpr]:
    """The compound int64 terms that are evaluated wherever one of the extents is."""
    found: set[PrimExpr] = set()
    pending = list(extents)
    while pending:
        e = pending.pop()
        if isinstance(e, Binary) and e.op not in CONNECTIVES and e not in found:
            if e.dtype == "int64":
                found.add(e)
            pending += [e.a, e.b]
        elif isinstance(e, Cast):
            pending.append(e.value)
    return frozenset(found)


@rule("lo/extent-part")
def named(question: Question, known: frozenset[PrimExpr], facts: Sequence[PrimExpr]) -> Question | None:
    """The question with a symbol for each greatest part in it, and what is known of these symbols; ``None`` where no
    part occurs. ``facts``: of these, the ones about a symbol that is left are kept."""
    names = _Names(known, {n for e in (question.statement, *question.given) for n in free_symbols(e)})
    statement, given = names.replaced(question.statement), [names.replaced(each) for each in question.given]
    if not names.symbols:
        return None
    bounds = _bounds(facts)
    for part, symbol in list(names.symbols.items()):
        if at_least(part, ZERO, bounds):
            given.append(Binary("GE", symbol, ZERO))
        step = names.step(part)
        if step is not None:
            given.append(Binary("EQ", symbol, step))
    left = {name for e in (statement, *given) for name in free_symbols(e)}
    own = [f for f in facts if free_symbols(f) and free_symbols(f) <= left]
    stands_for = {symbol.name: part for part, symbol in names.symbols.items()}
    return Question(statement, tuple(dict.fromkeys([*given, *own])), stands_for)


def _bounds(facts: Sequence[PrimExpr]) -> Facts:
    """The symbols that the facts say are not negative."""
    compared = [f for f in facts if isinstance(f, Binary) and f.op == "GE" and as_int(f.b) == 0]
    return shape_facts(f.a.name for f in compared if isinstance(f.a, SymVar))


class _Names:
    """Parts and the symbols that stand for them."""

    def __init__(self, known: frozenset[PrimExpr], taken: set[str]) -> None:
        self.known = known
        self.taken = taken
        self.symbols: dict[PrimExpr, SymVar] = {}

    def replaced(self, e: PrimExpr) -> PrimExpr:
        return mapped_down(e, self._instead)

    def _instead(self, e: PrimExpr) -> PrimExpr | None:
        """A symbol for a part, and what is no arithmetic as it is."""
        if isinstance(e, Binary) and e in self.known:
            return self.symbol(e)
        return None if isinstance(e, Binary | Not | Cast | Select | Intrinsic) else e

    def symbol(self, part: PrimExpr) -> SymVar:
        if part not in self.symbols:
            k = len(self.symbols)
            while f"part_{k}" in self.taken:
                k += 1
            self.taken.add(f"part_{k}")
            self.symbols[part] = SymVar(f"part_{k}")
        return self.symbols[part]

    def step(self, part: PrimExpr) -> PrimExpr | None:
        """``part`` in terms of the other symbols, where its operands are such, or symbols and numbers themselves."""
        if not isinstance(part, Binary):
            return None
        a, b = (self.symbols.get(each, each) for each in (part.a, part.b))
        simple = all(isinstance(each, SymVar) or as_int(each) is not None for each in (a, b))
        return Binary(part.op, a, b) if simple else None
