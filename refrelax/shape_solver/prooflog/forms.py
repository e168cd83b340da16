"""Quotients by what is no number, as the normal form gives them: ``a // b == p`` by two steps.

The prover's context and normal form say what ``p`` is. That ``b*p <= a <= b*p + b - 1`` is shown from the facts; that
the quotient is then ``p`` is written down, not searched for.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field

from refrelax.semantics.dims.atoms import Atoms
from refrelax.semantics.dims.normal import normal
from refrelax.shape_solver.checker.poly import Poly
from refrelax.shape_solver.context import Context
from refrelax.shape_solver.prooflog.ledger import Ledger
from refrelax.shape_solver.prooflog.lemma import entails
from refrelax.shape_solver.prooflog.translate import Names, Untranslatable


@dataclass(slots=True)
class Forms:
    """The normal forms of atoms under the facts of a question that are no disjunctions."""

    count: int
    """How many facts a question has."""
    context: Context | None = None
    names: Names | None = None
    found: dict[int, Poly | None] = field(default_factory=dict)

    def of(self, ledger: Ledger, number: int) -> Poly | None:
        """What the atom is, if that is something else."""
        if number not in self.found:
            self.found[number] = None
            with suppress(Untranslatable):
                self.found[number] = self.formed(ledger, number)
        return self.found[number]

    def formed(self, ledger: Ledger, number: int) -> Poly | None:
        if self.names is None or self.context is None:
            self.names = Names(ledger)
            facts = [fact for fact in ledger.facts[: self.count] if fact[0] != "or"]
            self.context = Context().assuming(*map(self.names.formula, facts))
            for name, origin in self.context.origins:
                self.names.fresh[name] = self.names.term(origin)
        atoms = Atoms(self.context.facts)
        found = self.names.normal(normal(self.context.image(self.names.atom(number)), atoms), atoms)
        return None if found == Poly.atom(number) else found


def settle(ledger: Ledger, number: int, form: Poly, positive: int | None) -> bool:
    """Lets ``form`` replace the quotient ``number``, by a divisor of at least 1 (the fact ``positive``, if that is no
    number), where it is shown to be it."""
    a, b = ledger.reading.atoms[number].args
    v, rest = Poly.atom(number), a - b * form
    if number in ledger.reduce(form).mentions() or not ledger.reduce(v - form).terms:
        return False
    low = entails(ledger, rest)
    high = None if low is None else entails(ledger, b - 1 - rest)
    if low is None or high is None:
        return False
    axioms = [ledger.axiom(f"fd/{side}", [number], [positive]) for side in ("low", "high")]
    by = [[b.constant(), ["not"]]] if positive is None else [[1, ["not"]], [1, ["not", positive]]]
    first = ledger.combine(v - form, [*by, [1, [axioms[1]]], [1, [low]]])
    second = ledger.combine(form - v, [*by, [1, [axioms[0]]], [1, [high]]])
    return ledger.rule(ledger.equal(first, second), number)
