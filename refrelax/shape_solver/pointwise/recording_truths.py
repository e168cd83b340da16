"""Writing down what is known of truths that are data: both cases of one, and the choices that they decide.

Spec: ``spec/06c-pointwise.md``, ``sh/descent-truths``.
"""

from __future__ import annotations

from typing import Any

from refrelax.rules import rule
from refrelax.shape_solver.checker.terms import Rejected
from refrelax.shape_solver.descents.claims import Shown
from refrelax.shape_solver.descents.terms import Expr, negated
from refrelax.shape_solver.descents.words import Settled, Words
from refrelax.shape_solver.pointwise.recording_claims import Claims
from refrelax.shape_solver.pointwise.recording_tables import Moved, NoRecord, Scope
from refrelax.shape_solver.pointwise.terms import Choose, Int, Term
from refrelax.syntax.scalars import Not, PrimExpr, SymVar


class Laid(Words):
    """An element over leaves that are found as it is written: whatever is no operation on words."""

    def word(self, t: int, dtype: str, strict: bool = True) -> Expr:
        try:
            return Words.word(self, t, dtype, strict)
        except Rejected:
            assert isinstance(self.leaves, dict)
            if t in self.leaves:
                raise
            self.leaves[t] = ("elem", t)
            return Words.word(self, t, dtype, strict)


def laid(claims: Claims, c: Term) -> tuple[Expr, list[int]]:
    """A truth over its leaves.

    Raises:
        NoRecord: it is no word.
    """
    found = Laid(claims.table, {})
    try:
        return found.word(claims.term(c), "bool"), sorted(found.met)
    except Rejected as problem:
        raise NoRecord(f"a truth: {problem}") from None


def is_decided(claims: Claims, t: int, at: Scope) -> bool:
    """Whether it is known of a truth that it holds, or that it does not."""
    key = claims.table.truth_key(("elem", t))
    return bool({key, negated(key)} & at.known.facts)


def told(claims: Claims, t: Choose, at: Scope, second: bool) -> Moved | None:
    """A choice by data that is decided, as its arm."""
    if isinstance(t.condition, Int) or not any(isinstance(each, SymVar | Not) for each in at.given):
        return None
    try:
        word, leaves = laid(claims, t.condition)
        for holds, arm in ((True, t.yes), (False, t.no)):
            key = claims.table.truth_key(word if holds else ("not", word))
            if all(Shown(claims.table, []).holds(part, at.known) for part in parts(key)):
                rows: list[Any] = []
                for each in leaves:
                    known = claims.table.dtype(each) == "bool" and is_decided(claims, each, at)
                    rows += [] if known or not second else claims.never(claims.objects[each], at)
                return ["told", holds, [["elem", each] for each in leaves]], rows, arm
    except NoRecord:
        return None
    return None


def parts(key: Any) -> list[Any]:
    return [*parts(key[1]), *parts(key[2])] if key[0] == "and" else [key]


@rule("sh/descent-truths")
def to_suppose(claims: Claims, a: Term, b: Term, at: Scope) -> tuple[int, PrimExpr, list[Any]]:
    """A truth of which nothing is known, in the condition of a choice at either head: as the checker has it, as what is
    given has it, and claims by which it is never poison.

    Raises:
        NoRecord: there is none.
    """
    table = claims.table
    for side in (a, b):
        if not isinstance(side, Choose) or isinstance(side.condition, Int):
            continue
        whole = claims.term(side.condition)
        for t in laid(claims, side.condition)[1]:
            if table.dtype(t) != "bool" or is_decided(claims, t, at) or not Settled(table)(t):
                continue
            term = claims.objects[t]
            own = side is a and table.key(whole) == table.key(t)
            try:
                rows = [] if own else claims.never(term, at)
            except NoRecord:
                continue
            return t, claims.descent.terms.as_index(term), rows
    raise NoRecord("no truth whose cases are to be seen")
