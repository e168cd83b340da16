"""The integer claims of a record, each with a certificate.

Spec: ``spec/06c-pointwise.md``, ``sh/descent-record``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from refrelax.shape_solver.certificate import Certificate, NoCertificate
from refrelax.shape_solver.claim import Effort, Proved, Query, Stage
from refrelax.shape_solver.context import negation
from refrelax.shape_solver.descents.claims import Shown
from refrelax.shape_solver.descents.formats import total
from refrelax.shape_solver.pointwise.logic import by_number, compare, ranges_of, within
from refrelax.shape_solver.pointwise.poison import in_bounds
from refrelax.shape_solver.pointwise.recording_tables import NoRecord, Row, Scope, Tables, said
from refrelax.shape_solver.pointwise.terms import (
    Apply,
    Choose,
    Fold,
    Int,
    Load,
    Number,
    Term,
)
from refrelax.shape_solver.prover import Prover
from refrelax.syntax.scalars import Binary, Not, PrimExpr, SymVar, free_symbols
from refrelax.syntax.write.scalars import expression


@dataclass(slots=True)
class Claims(Tables):
    """A record under way, and what its claims rest on."""

    _claims: dict[Any, int | None] = field(default_factory=dict)

    def equal(self, a: PrimExpr, b: PrimExpr, at: Scope) -> list[Row]:
        """Claims by which two integers are equal."""
        return [] if a == b else self.needed(compare("EQ", a, b), at)

    def needed(self, e: PrimExpr, at: Scope) -> list[Row]:
        """Claims by which ``e`` holds.

        Raises:
            NoRecord: it is not shown, or there is no log of it.
        """
        found = self.seen(e, at)
        if found is None:
            raise NoRecord(f"a claim that is not shown: {expression(e)} under {', '.join(map(expression, at.given))}")
        return found

    def seen(self, e: PrimExpr, at: Scope) -> list[Row] | None:
        """Claims by which ``e`` holds, if it is seen to."""
        match e:
            case Binary("And", a, b):
                one, other = self.seen(a, at), self.seen(b, at)
                return None if one is None or other is None else [*one, *other]
            case Binary("Or", a, b):
                one = self.seen(a, at)
                return self.seen(b, at) if one is None else one
            case Not(a) if not isinstance(turned := negation(a), Not):
                return self.seen(turned, at)
        key = self.table.truth_key(self.table.truth(self.spell(e)))
        if Shown(self.table, []).holds(key, at.known):
            return []
        if not self.descent.logic.holds(e, at.given, "a step of the record"):
            return None
        return [self.certified(e, at)]

    def decided(self, e: PrimExpr, at: Scope) -> bool:
        return self.seen(e, at) is not None or self.seen(Not(e), at) is not None

    def certified(self, e: PrimExpr, at: Scope) -> Row:
        logic = self.descent.logic
        given = logic.relevant(e, at.given)
        number, numbered, names = self._confirmed((e, *given))
        if number is None and (ranges := self._ranges((e, *given))):
            number, numbered, names = self._confirmed((e, *given, *ranges))
        if number is None:
            raise NoRecord(f"a claim without a log: {expression(e)}")
        query = Query(numbered[0], numbered[1:], None, "require")
        kinds = query.symbols()
        return [number, [self.spell(SymVar(names.get(name, name), kinds[name])) for name in kinds]]

    def _confirmed(self, parts: tuple[PrimExpr, ...]) -> tuple[int | None, tuple[PrimExpr, ...], dict[str, str]]:
        """The number of a certificate of a claim under what is given, if there is one; both by numbers, and the names
        of these."""
        numbered, names = by_number(parts)
        if numbered not in self._claims:
            self._claims[numbered] = self._certificate(numbered)
        return self._claims[numbered], numbered, names

    def _ranges(self, parts: tuple[PrimExpr, ...]) -> tuple[PrimExpr, ...]:
        """That elements which are integers are numbers of their dtypes."""
        opaque = self.descent.terms.opaque
        return ranges_of(SymVar(n, opaque[n].dtype) for e in parts for n in free_symbols(e) if n in opaque)

    def _certificate(self, numbered: tuple[PrimExpr, ...]) -> int | None:
        claim, *given = numbered
        for effort in ("quick", "normal"):
            answer = Prover(tuple(given), effort, division="require", arithmetic="no-overflow").prove(claim)
            if not isinstance(answer, Proved):
                continue
            query = Query(claim, tuple(given), None, "require")
            if (found := documented(query, self.documents, answer.certificate.stages, (effort,))) is not None:
                return found
        return None

    def bounds(self, t: Load, at: Scope, second: bool) -> list[Row]:
        return [row for each in in_bounds(t) for row in self.needed(each, at)] if second else []

    def never(self, t: Term, at: Scope) -> list[Row]:
        """The claims by which an element is never poison."""
        match t:
            case Int() | Number():
                return []
            case Apply(op, dtype, args) if total(op, dtype, [a.dtype for a in args]):
                return [row for a in args for row in self.never(a, at)]
            case Load(tensor, indices):
                found = self.bounds(t, at, True)
                return (
                    found if tensor.body is None else [*found, *self.never(self.descent.terms.at(tensor, indices), at)]
                )
            case Choose(Int(c), yes, no):
                return [*self.never(yes, self.inside(at, c)), *self.never(no, self.inside(at, Not(c)))]
            case Choose(c, yes, no):
                return [row for each in (c, yes, no) for row in self.never(each, at)]
            case Fold():
                below = self.items(t, at)
                return [*self.never(t.start, at), *self.never(t.body, below)]
        raise NoRecord(f"{said(t)} that is never poison")

    def items(self, t: Fold, at: Scope) -> Scope:
        """What is known of the items of a reduction."""
        for v, extent in t.axes:
            at = self.inside(at, *within(v, extent))
        return at if t.guard is None else self.inside(at, t.guard)


def documented(
    query: Query,
    documents: list[Any],
    stages: tuple[Stage, ...] = (),
    efforts: tuple[Effort, ...] = ("quick", "normal"),
) -> int | None:
    """The number of a certificate of a question among ``documents``, if there is a log of it."""
    for effort in efforts:
        try:
            document = Certificate(query, stages).document(effort)
        except NoCertificate:
            return None
        if document["evidence"]["kind"] != "smt2":
            documents.append({"question": document["question"], "evidence": document["evidence"]})
            return len(documents) - 1
    return None
