"""What is known at a step, and the integer claims that certificates confirm there.

A certificate says: for all values of its symbols, where its assumptions hold, its claim has a value and holds. A step
names for each of its symbols an integer of its own; the claim so written is shown wherever what is written for the
assumptions is known.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from refrelax.shape_solver.checker.document import FORMAT, VERSION, examine
from refrelax.shape_solver.checker.terms import Question, Rejected, dtype_range, expect, shown
from refrelax.shape_solver.descents.terms import Expr, Key, Table, conjuncts


@dataclass(frozen=True, slots=True)
class Known:
    """Facts by their normal forms, and the variables in them."""

    facts: frozenset[Key]
    names: frozenset[str]


@dataclass(slots=True)
class Certificates:
    """Those of a record, each confirmed when it is first used."""

    table: Table
    documents: list[Any]
    confirmed: dict[int, Question]

    def question(self, number: Any) -> Question:
        known = type(number) is int and 0 <= number < len(self.documents)
        expect(known, "the number of a certificate", number)
        if number not in self.confirmed:
            self.confirmed[number] = self._confirmed(self.documents[number])
        return self.confirmed[number]

    def _confirmed(self, found: Any) -> Question:
        match found:
            case {"question": {"fits": None, "division": "require"} as question, "evidence": evidence, **rest} if (
                not rest
            ):
                said = examine({"format": FORMAT, "version": VERSION, "question": question, "evidence": evidence})
            case _:
                raise Rejected(f"expected a certificate of exact integers that requires values, found {shown(found)}")
        expect(bool(said.by), "a certificate that the checker confirms", said.rejected or "a script for a solver")
        return Question.read(question)

    def instance(self, row: Any) -> tuple[frozenset[Key], Key]:
        """``[certificate, [integer or truth, …]]``: what it rests on, and what it says."""
        match row:
            case [number, [*values]]:
                question = self.question(number)
            case _:
                raise Rejected(f"expected a certificate and what its symbols are, found {shown(row)}")
        expect(len(values) == len(question.symbols), f"{len(question.symbols)} symbols", values)
        read = {"int": self.table.integer, "bool": self.table.truth}
        by = [read[sort](value) for sort, value in zip(question.symbols, values, strict=True)]
        under = {
            key
            for each in (written(each, by) for each in question.assumptions)
            if not self.is_range(each)
            for key in conjuncts(self.table.truth_key(each))
        }
        return frozenset(under) - {("true",)}, self.table.truth_key(written(question.claim, by))

    def is_range(self, e: Expr) -> bool:
        """Whether ``e`` says of an element, a number of its dtype, that this has no smaller, or no larger ones."""
        match e:
            case ("ge" | "le" as op, ("elem", t), ("const", bound)) if self.table.sized(t):
                low, high = dtype_range(self.table.dtype(t))
                return bool(bound <= low if op == "ge" else bound >= high)
            case _:
                return False


def written(e: Any, by: Sequence[Expr]) -> Expr:
    """A term of a certificate over the terms of the record."""
    if e[0] == "sym":
        found: Expr = by[e[1]]
        return found
    return tuple(written(part, by) if isinstance(part, list) else part for part in e)


@dataclass(slots=True)
class Shown:
    """The claims of one step."""

    table: Table
    claims: list[tuple[frozenset[Key], Key]]

    def need(self, e: Expr, known: Known) -> None:
        """That ``e`` holds where what is known does.

        Raises:
            Rejected: it is not shown.
        """
        for key in conjuncts(self.table.truth_key(e)):
            expect(self.holds(key, known), f"a claim that is shown: {shown(e)}", sorted(map(shown, known.facts))[:8])

    def holds(self, key: Key, known: Known) -> bool:
        if key == ("true",) or key in known.facts or ("false",) in known.facts:
            return True
        if key[0] == "or" and (self.holds(key[1], known) or self.holds(key[2], known)):
            return True
        if key[0] == "iff" and key[1] == key[2]:
            return True
        return any(claim == key and under <= known.facts for under, claim in self.claims)

    def equal(self, a: Expr, b: Expr, known: Known) -> None:
        self.need(("eq", a, b), known)


def assumed(table: Table, known: Known, facts: Iterable[Expr]) -> Known:
    """More that is known."""
    facts = tuple(facts)
    keys = {key for each in facts for key in conjuncts(table.truth_key(each))} - {("true",)}
    names = frozenset[str]().union(*map(table.mentions, facts)) - table.globals.keys()
    return Known(known.facts | keys, known.names | names)


def domain(name: str, extent: Expr) -> tuple[Expr, Expr]:
    """``0 <= name < extent``."""
    return ("ge", ("sym", name), ("const", 0)), ("lt", ("sym", name), extent)
