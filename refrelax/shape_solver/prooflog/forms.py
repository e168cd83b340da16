"""Quotients by what is no number, as the normal form gives them: ``a // b == p`` by two steps.

The prover's context and normal form say what ``p`` is. That ``b*p <= a <= b*p + b - 1`` is shown from the facts; that
the quotient is then ``p`` is written down, not searched for.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field
from math import gcd
from typing import Any

from refrelax.semantics.dims.atoms import Atoms
from refrelax.semantics.dims.normal import normal
from refrelax.shape_solver.checker.poly import Poly
from refrelax.shape_solver.checker.reading import eq, ge
from refrelax.shape_solver.context import Context
from refrelax.shape_solver.prooflog.ledger import Ledger
from refrelax.shape_solver.prooflog.translate import Names, Untranslatable
from refrelax.shape_solver.prooflog.witness import Witness, entails

MAX_SIGNS = 4
"""Signs that are split for one quotient."""


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
        atoms_of = ledger.reading.atoms
        turned = any(atoms_of[each].args[1:] == (-atoms_of[number].args[1],) for each in found.mentions())
        return None if turned or found == Poly.atom(number) else found


def settle(ledger: Ledger, number: int, form: Poly) -> bool:
    """Lets ``form`` replace the quotient ``number``, if it is shown to be it."""
    if number in ledger.reduce(form).mentions() or not ledger.reduce(Poly.atom(number) - form).terms:
        return False
    equation = equation_of(ledger, number, form)
    return equation is not None and ledger.rule(equation, number)


def equation_of(ledger: Ledger, number: int, form: Poly, depth: int = MAX_SIGNS) -> int | None:
    """The fact that the quotient ``number`` is ``form``: what encloses it encloses nothing else. Signs that this takes
    and that are not known are split."""
    v, witness = Poly.atom(number), Witness(ledger)
    split = unsigned(ledger, number, form, witness)
    span = witness.enclosed(number) if split is None else None
    if split is not None:
        return either(ledger, *split, number, form, depth - 1) if depth else None
    if span is None:
        return None
    found = []
    for sign, (end, name) in zip((1, -1), span.ends):
        below = entails(ledger, (end - span.modulus * form) * sign + span.modulus - 1)
        if below is None:
            return None
        found.append(witness.lifted((v - form) * sign, Poly.of(sign), below, number, span, name, below))
    return ledger.equal(*found)


def unsigned(ledger: Ledger, number: int, form: Poly, witness: Witness) -> tuple[dict[str, Any], Poly, Poly] | None:
    """A split that says a sign: of a divisor that is not 0, or of what is divided and rounded towards zero (in ``form``
    first: it has fewer factors)."""
    atoms = ledger.reading.atoms
    for each in (*sorted(form.mentions()), number):
        if atoms[each].kind not in ("fd", "td"):
            continue
        a, b = atoms[each].args
        if b.constant() is None and witness.of(b - 1) is None and witness.of(-b - 1) is None:
            for parts in ((b - 1, -b - 1), (-b - 1, b - 1)):
                given = ledger.index.get(("or", *map(ge, parts)))
                if given is not None:
                    return {"or": given}, *parts
            return None
        if atoms[each].kind == "td" and witness.of(a) is None and witness.of(-a) is None:
            common = gcd(*a.terms.values())
            p = Poly({mono: c // common for mono, c in a.terms.items()})
            return {"sign": p.written()}, p, -p - 1
    return None


def either(ledger: Ledger, on: dict[str, Any], p: Poly, q: Poly, number: int, form: Poly, depth: int) -> int | None:
    """The fact that the quotient ``number`` is ``form`` where ``p >= 0`` and where ``q >= 0``."""
    branches = []
    for start in (p, q):
        below = ledger.branch([ge(start)])
        below.combine(start + 1, [[1, ["not"]], [1, [len(ledger.facts)]]])
        found = equation_of(below, number, form, depth)
        if found is None:
            return None
        below.goal = found
        branches.append(below)
    return ledger.cases(on, branches, eq(Poly.atom(number) - form))
