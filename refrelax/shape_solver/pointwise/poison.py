"""Which elements are never poison.

Spec: ``spec/06c-pointwise.md``, ``sh/never-poison``.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from refrelax.rules import rule
from refrelax.shape_solver.context import negation
from refrelax.shape_solver.pointwise.elements import is_total
from refrelax.shape_solver.pointwise.logic import Given, Logic, assumed, compare, within
from refrelax.shape_solver.pointwise.terms import Apply, Choose, Fold, Int, Load, Number, OpenTerm, Term, Terms
from refrelax.syntax.scalars import PrimExpr, int_imm


@dataclass(slots=True)
class Poison:
    """The questions of one comparison, with their answers."""

    terms: Terms
    logic: Logic
    _known: dict[tuple[int, int], bool] = field(default_factory=dict)

    @rule("sh/never-poison")
    def never(self, t: Term, given: Given) -> bool:
        """Whether an element is never poison under ``given``."""
        given = self.logic.interned(given)
        key = (id(t), id(given))
        if key not in self._known:
            self.logic.spend()
            self._known[key] = False  # (a term is no part of itself)
            self._known[key] = self._never_poison(t, given)
        return self._known[key]

    def _never_poison(self, t: Term, given: Given) -> bool:
        match t:
            case Int() | Number():
                return True
            case Apply():
                return all(self.never(a, given) for a in t.args) and is_total(t)  # (what is open has no dtype)
            case Load(tensor):
                if not all(self.logic.holds(c, given, "load in bounds") for c in in_bounds(t)):
                    return False
                if tensor.body is None:
                    return not tensor.computed
                return self.never(self.terms.at(tensor, t.indices), given)
            case Choose(Int(c), yes, no):
                return self._arm(c, yes, given) and self._arm(negation(c), no, given)
            case Choose(condition, yes, no):
                return all(self.never(each, given) for each in (condition, yes, no))
            case Fold():
                known = given
                for v, extent in t.axes:
                    known = (*known, *self.logic.domain(v, extent))
                return self.never(t.start, given) and self._arm(t.guard, t.body, known)
            case _:
                return False

    @rule("sh/never-poison")
    def always(self, t: Term, given: Given) -> bool:
        """Whether an element is poison, or open, wherever ``given`` holds."""
        self.logic.spend()
        match t:
            case OpenTerm():
                return True
            case Apply():
                return any(self.always(a, given) for a in t.args)
            case Load(tensor):
                if any(self.logic.holds(negation(c), given, "a load out of bounds") for c in in_bounds(t)):
                    return True
                return tensor.body is not None and self.always(self.terms.at(tensor, t.indices), given)
            case Choose(condition, yes, no):
                return self.always(condition, given) or (self.always(yes, given) and self.always(no, given))
            case Fold() if t.guard is None:
                known = given
                for v, extent in t.axes:
                    if not self.logic.holds(compare("GT", extent, int_imm(0)), given, "a reduction over something"):
                        return False
                    known = (*known, *self.logic.domain(v, extent))
                return self.always(t.body, known)
            case _:
                return False

    def _arm(self, condition: PrimExpr | None, t: Term, given: Given) -> bool:
        known = given if condition is None else assumed(given, condition)
        return (condition is not None and self.logic.absurd(known)) or self.never(t, known)


def in_bounds(load: Load) -> Given:
    """What says that a load is in bounds."""
    return tuple(c for i, d in zip(load.indices, load.tensor.shape, strict=True) for c in within(i, d))
