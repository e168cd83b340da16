"""Integer polynomials over numbered atoms: the checker's own arithmetic.

A monomial is the sorted tuple of its atoms' numbers, repeated by their power; no coefficient is zero.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from refrelax.shape_solver.checker.terms import Fuel, Rejected, integer, shown

Mono = tuple[int, ...]

MAX_COEFFICIENT = 65_536
"""Bits of a coefficient that is worked out."""

MAX_DEGREE = 512
"""Atoms in one monomial that is worked out."""


WORD = 1_024
"""Bits of coefficients by which a product of terms costs as much again."""

MAX_PRODUCTS = 40_000
"""Pairs of terms that one product may have."""


class Poly:
    """An immutable polynomial with ``+ - *``; operands may be plain integers."""

    __slots__ = ("terms",)

    def __init__(self, terms: dict[Mono, int]) -> None:
        self.terms = terms

    @staticmethod
    def of(value: Poly | int) -> Poly:
        """An integer as a constant polynomial."""
        if isinstance(value, Poly):
            return value
        return Poly({(): value} if value else {})

    @staticmethod
    def atom(number: int) -> Poly:
        """The polynomial that is one atom."""
        return Poly({(number,): 1})

    @staticmethod
    def read(rows: Any, atoms: int) -> Poly:
        """From JSON: ``[[coefficient, [atom, …]], …]`` with atoms below ``atoms``.

        Raises:
            Rejected: anything else.
        """
        terms: dict[Mono, int] = {}
        if not isinstance(rows, list):
            raise Rejected(f"expected a list of terms, found {shown(rows)}")
        for row in rows:
            match row:
                case [coefficient, [*mono]]:
                    if not all(type(each) is int and 0 <= each < atoms for each in mono):
                        raise Rejected(f"expected numbers of atoms below {atoms}, found {shown(mono)}")
                    key = tuple(sorted(mono))
                    terms[key] = terms.get(key, 0) + integer(coefficient)
                case _:
                    raise Rejected(f"expected [coefficient, [atom, ...]], found {shown(row)}")
        return Poly({mono: c for mono, c in terms.items() if c})

    def written(self) -> list[Any]:
        """For JSON; reads back."""
        return [[c, list(mono)] for mono, c in sorted(self.terms.items())]

    def constant(self) -> int | None:
        """The value of a constant polynomial, else ``None``."""
        if not self.terms:
            return 0
        return self.terms.get(()) if len(self.terms) == 1 else None

    def replaced(self, atom: int, by: Poly) -> Poly:
        """This polynomial with ``by`` in place of ``atom``."""
        return self.divided(atom, by)[1]

    def divided(self, atom: int, by: Poly) -> tuple[Poly, Poly]:
        """Quotient and remainder by ``atom - by``: the remainder has ``by`` in place of ``atom``."""
        found = [mono for mono in self.terms if atom in mono]
        if not found:
            return NOTHING, self
        quotient: dict[Mono, int] = {}
        rest = {mono: c for mono, c in self.terms.items() if atom not in mono}
        for mono in found:
            if mono.count(atom) == 1:  # what is there mostly, without sums in between
                inner, c = tuple(each for each in mono if each != atom), self.terms[mono]
                quotient[inner] = quotient.get(inner, 0) + c
                _add_product(rest, {inner: c}, by.terms)
                continue
            part = {tuple(each for each in mono if each != atom): self.terms[mono]}
            for power in range(mono.count(atom) - 1, -1, -1):
                _add_product(quotient, part, {(atom,) * power: 1})
                part, before = {}, part
                _add_product(part, before, by.terms)
            _add_product(rest, part, ONE)
        return _nonzero(quotient), _nonzero(rest)

    def mentions(self) -> Iterable[int]:
        """The atoms that occur, each once."""
        return {atom for mono in self.terms for atom in mono}

    def __add__(self, other: Poly | int) -> Poly:
        return self._plus(Poly.of(other), 1)

    def __sub__(self, other: Poly | int) -> Poly:
        return self._plus(Poly.of(other), -1)

    def _plus(self, other: Poly, factor: int) -> Poly:
        total = dict(self.terms)
        for mono, c in other.terms.items():
            value = total.get(mono, 0) + factor * c
            if value:
                total[mono] = value
            else:
                total.pop(mono, None)
        return Poly(total)

    def __mul__(self, other: Poly | int) -> Poly:
        if isinstance(other, int):
            return Poly({mono: c * other for mono, c in self.terms.items()} if other else {})
        total: dict[Mono, int] = {}
        _add_product(total, self.terms, other.terms)
        return _nonzero(total)

    def times(self, other: Poly, fuel: Fuel) -> Poly:
        """The product, if it is one that ``fuel`` pays for."""
        fuel.spend(len(self.terms) * len(other.terms) * (1 + (self.bits() + other.bits()) // WORD))
        result = self * other
        if any(c.bit_length() > MAX_COEFFICIENT for c in result.terms.values()):
            raise Rejected(f"expected coefficients of at most {MAX_COEFFICIENT} bits")
        if any(len(mono) > MAX_DEGREE for mono in result.terms):
            raise Rejected(f"expected products of at most {MAX_DEGREE} atoms")
        return result

    def bits(self) -> int:
        """Bits of the longest coefficient."""
        return max((c.bit_length() for c in self.terms.values()), default=0)

    def __neg__(self) -> Poly:
        return self * -1

    __radd__ = __add__
    __rmul__ = __mul__

    def __rsub__(self, other: int) -> Poly:
        return Poly.of(other) - self

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Poly) and self.terms == other.terms

    def __hash__(self) -> int:
        return hash(frozenset(self.terms.items()))

    def __repr__(self) -> str:
        rows = sorted(self.terms.items())
        text = " + ".join("*".join([_short(c), *(f"#{a}" for a in m)]) for m, c in rows[:12])
        return (text if len(rows) <= 12 else f"{text} + ...") or "0"


ONE: Mapping[Mono, int] = {(): 1}
NOTHING = Poly({})


def _add_product(total: dict[Mono, int], left: Mapping[Mono, int], right: Mapping[Mono, int]) -> None:
    """Adds the product of two sums of terms to a third; coefficients may become 0.

    Raises:
        Rejected: these are more than ``MAX_PRODUCTS`` pairs of terms.
    """
    if len(left) * len(right) > MAX_PRODUCTS:
        raise Rejected(f"expected products of at most {MAX_PRODUCTS} pairs of terms")
    for a, c in left.items():
        for b, d in right.items():
            mono = tuple(sorted(a + b)) if a and b else a or b
            total[mono] = total.get(mono, 0) + c * d


def _nonzero(terms: dict[Mono, int]) -> Poly:
    return Poly({mono: c for mono, c in terms.items() if c} if 0 in terms.values() else terms)


def _short(c: int) -> str:
    return str(c) if c.bit_length() <= 512 else f"({c.bit_length()} bits)"
