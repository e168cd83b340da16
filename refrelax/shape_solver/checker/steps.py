"""The steps of evaluating a claim under ``fits`` that may go wrong, in evaluation order: the checker's own.

Spec: ``spec/06b-solver.md``, ``sh/overflow-first``.
"""

from __future__ import annotations

from refrelax.shape_solver.checker.terms import COMPARISONS, DIVISIONS, SHIFTS, Fuel, Question, Term

Step = tuple[bool, Term]
"""(``True``, it has a value) or (``False``, it is within the range), each asked where those before it went well."""

WITHIN = ("min", "max", "floormod", "truncmod")
"""What stays in a range that holds 0, 1 and the operands."""


class Walk:
    """The steps of one question."""

    def __init__(self, question: Question, fuel: Fuel) -> None:
        assert question.fits is not None
        self.low, self.high = question.fits
        self.fuel = fuel

    def truth(self, e: Term) -> list[Step]:
        """The steps of a truth."""
        match e:
            case ["not", a]:
                return self.truth(a)
            case ["and", a, b] | ["implies", a, b]:
                return [*self.truth(a), *self.under(["not", a], self.truth(b))]
            case ["or", a, b]:
                return [*self.truth(a), *self.under(a, self.truth(b))]
            case ["iff", a, b]:
                return [*self.truth(a), *self.truth(b)]
            case ["select", c, a, b]:
                return [*self.truth(c), *self.under(["not", c], self.truth(a)), *self.under(c, self.truth(b))]
            case [op, a, b] if op in COMPARISONS:
                return [*self.term(a), *self.term(b)]
            case _:
                return []

    def term(self, e: Term) -> list[Step]:
        """The steps of an integer."""
        self.fuel.spend()
        match e:
            case ["const", value]:
                return [] if self.low <= value <= self.high else [(False, ["false"])]
            case ["sym", _]:
                return []
            case ["select", c, a, b]:
                return [*self.truth(c), *self.under(["not", c], self.term(a)), *self.under(c, self.term(b))]
            case ["wrap", _, a]:
                return [*self.term(a), *self.inside(e)]
            case [("not" | "abs"), a]:
                return [*self.term(a), *self.inside(e)]
        op, a, b = e
        found = [*self.term(a), *self.term(b)]
        if op in DIVISIONS:
            found.append((True, ["ne", b, ["const", 0]]))
        elif op in SHIFTS:
            found.append((True, ["ge", b, ["const", 0]]))
        return found if op in WITHIN else [*found, *self.inside(e)]

    def inside(self, e: Term) -> list[Step]:
        return [(False, ["ge", e, ["const", self.low]]), (False, ["le", e, ["const", self.high]])]

    def under(self, excused: Term, needed: list[Step]) -> list[Step]:
        """``needed`` where ``excused`` does not hold."""
        self.fuel.spend(len(needed))
        return [(defines, ["or", excused, each]) for defines, each in needed]
