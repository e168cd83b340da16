"""The forms that an atom ``a & b`` gives: ``a & b``, ``a ^ b``, ``a | b``, ``a & ~b`` and ``b & ~a`` as polynomials.

They are kept until a rule replaces an atom, so that a polynomial is looked up and not compared with each of them.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from refrelax.shape_solver.checker.poly import Poly
from refrelax.shape_solver.prooflog.ledger import Ledger

Operands = tuple[Poly, Poly]


@dataclass(slots=True)
class Forms:
    """What is known of a ledger's atoms ``a & b`` at its present rules; the first atom in the order of numbers wins."""

    ledger: Ledger
    rules: int = 0
    atoms: int = 0
    masks: int = 0
    of_atoms: dict[Poly, tuple[int, int]] = field(default_factory=dict)
    of_masks: dict[Poly, tuple[Operands, int]] = field(default_factory=dict)

    def find(self, p: Poly) -> tuple[int | Operands, int] | None:
        """What ``operated`` makes ``p`` of: an atom, or the operands of one of which one is a number."""
        self._read()
        return self.of_atoms.get(p) or self.of_masks.get(p)

    def _read(self) -> None:
        """Takes in what is new since the last question; everything, where a rule is."""
        reading = self.ledger.reading
        if self.rules != len(self.ledger.rules):
            self.rules, self.atoms, self.masks = len(self.ledger.rules), 0, 0
            self.of_atoms.clear()
            self.of_masks.clear()
        while self.atoms < len(reading.atoms):
            if reading.atoms[self.atoms].kind == "and":
                self._atom(self.atoms)
            self.atoms += 1
        while self.masks < len(reading.masks):
            self._mask(*reading.masks[self.masks])
            self.masks += 1

    def _atom(self, number: int) -> None:
        a, b, v = (self.ledger.reduce(each) for each in (*self.ledger.reading.atoms[number].args, Poly.atom(number)))
        for index, form in enumerate((v, a + b - 2 * v, a + b - v, a - v, b - v)):
            if form not in (a, b):
                self.of_atoms.setdefault(form, (number, index))

    def _mask(self, given: Poly, mask: int, value: Poly) -> None:
        a, found = self.ledger.reduce(given), self.ledger.reduce(value)
        if a.constant() is not None:
            return
        for index, form in enumerate((a + mask - 2 * found, a + mask - found, a - found), start=1):
            if form != a:
                self.of_masks.setdefault(form, ((given, Poly.of(mask)), index))
