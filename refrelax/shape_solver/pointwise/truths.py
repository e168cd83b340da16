"""Truths that are data, as cases: what is known of a condition in the arms of its choice.

A truth that is no integer expression is an opaque symbol among what is given, or the negation of one. A conjunction
that holds is its parts, a disjunction that fails is what its parts are not; the same truth at the same element is one
term, so it is one symbol.

Spec: ``spec/06c-pointwise.md``, ``sh/descent``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from refrelax.rules import rule
from refrelax.shape_solver.pointwise.logic import Given
from refrelax.shape_solver.pointwise.poison import Poison
from refrelax.shape_solver.pointwise.terms import Apply, Int, Term, Terms
from refrelax.syntax.scalars import Not, PrimExpr, SymVar, as_int

Exposed = Callable[[Term, Given, bool], Term]


@dataclass(slots=True)
class Truths:
    """``exposed``: a truth with its head brought forward; its last argument: that loads must be in bounds."""

    terms: Terms
    poison: Poison
    exposed: Exposed

    @rule("sh/descent")
    def supposed(self, given: Given, t: Term, holds: bool) -> Given | None:
        """``given`` and that a truth holds or does not; ``None`` where it is known to be the other way."""
        known = self._with(given, t, holds)
        while known is not None and len(known) > len(given):
            given, known = known, self._followed(known)
        return known

    def _with(self, given: Given, t: Term, holds: bool) -> Given | None:
        match t:
            case Apply("Not", _, (inner,)):
                return self._with(given, self.exposed(inner, given, False), not holds)
            case Apply("And" | "Or" as op, "bool", (x, y)) if holds is (op == "And"):
                first = self._with(given, self.exposed(x, given, False), holds)
                return None if first is None else self._with(first, self.exposed(y, first, False), holds)
            case Int(value):
                known = as_int(value)
                return given if known is None or bool(known) is holds else None
            case _:
                said, other = self._said(t, holds), self._said(t, not holds)
                return None if other in given else given if said in given else (*given, said)

    def _said(self, t: Term, holds: bool) -> PrimExpr:
        symbol = SymVar(self.terms.opaque_name(t), "bool")
        return symbol if holds else Not(symbol)

    def _followed(self, known: Given) -> Given | None:
        """What follows from one part of a connective that is known for the other; ``None`` where the connective is not
        what its parts are."""
        for each in known:
            inner, holds = (each.a, False) if isinstance(each, Not) else (each, True)
            t = self.terms.opaque.get(inner.name) if isinstance(inner, SymVar) else None
            if not isinstance(t, Apply) or t.op not in ("And", "Or"):
                continue
            found = self._of_parts(t, known, False)
            if found is not None:
                if found is not holds:
                    return None
                continue
            x, y = (self.exposed(part, known, False) for part in t.args)
            a, b = (self._decided(part, known, False) for part in (x, y))
            if a is not None or b is not None:  # (a known connective whose other part is not known hangs on that part)
                return self._with(known, y if a is not None else x, holds)
        return known

    @rule("sh/descent")
    def decided(self, t: Term, given: Given, checked: bool) -> bool | None:
        """Whether a truth is known to hold, or not to. ``checked``: it may have no part that is poison and is not
        known."""
        if not any(isinstance(each, SymVar | Not) for each in given):
            return None
        return self._decided(t, given, checked)

    def _decided(self, t: Term, given: Given, checked: bool) -> bool | None:
        name = self.terms.names.get(id(t))
        if name is not None:
            symbol = SymVar(name, "bool")
            if symbol in given:
                return True
            if Not(symbol) in given:
                return False
        match t:
            case Int(value):
                known = as_int(value)
                return None if known is None else bool(known)
            case Apply("Not", _, (inner,)):
                found = self._decided(self.exposed(inner, given, checked), given, checked)
                return None if found is None else not found
            case Apply("And" | "Or"):
                return self._of_parts(t, given, checked)
            case _:
                return None

    def _of_parts(self, t: Apply, given: Given, checked: bool) -> bool | None:
        """The value of a connective: from both operands, or from one that decides beside one that is no poison."""
        decides = t.op == "Or"
        x, y = (self.exposed(each, given, checked) for each in t.args)
        a, b = (self._decided(each, given, checked) for each in (x, y))
        if a is not None and b is not None:
            return (a or b) if decides else (a and b)
        if a is decides:
            return decides if not checked or self.poison.never(y, given) else None
        if b is decides:
            return decides if not checked or self.poison.never(x, given) else None
        return None
