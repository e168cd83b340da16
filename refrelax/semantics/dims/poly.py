"""Integer polynomials over named atoms: the arithmetic under the normal form.

A monomial is the sorted tuple of its atoms' keys, repeated by their power (``()`` is 1); a polynomial maps monomials to
coefficients that are never zero. Dictionaries keep the order of first appearance, which only printing looks at.
"""

from __future__ import annotations

from math import gcd

from refrelax.spelled import spelled

Mono = tuple[str, ...]
Poly = dict[Mono, int]

ZERO: Poly = {}
ONE: Poly = {(): 1}


def const(value: int) -> Poly:
    """The constant polynomial."""
    return {(): value} if value else {}


def as_const(p: Poly) -> int | None:
    """The value of a constant polynomial, else ``None``."""
    if not p:
        return 0
    return p.get(()) if len(p) == 1 else None


def add(p: Poly, q: Poly, factor: int = 1) -> Poly:
    """``p + factor * q``."""
    if not q or not factor:
        return p
    total = dict(p)
    for mono, coefficient in q.items():
        value = total.get(mono, 0) + factor * coefficient
        if value:
            total[mono] = value
        else:
            total.pop(mono, None)
    return total


def sub(p: Poly, q: Poly) -> Poly:
    """``p - q``."""
    return add(p, q, -1)


def scale(p: Poly, factor: int) -> Poly:
    """``factor * p``."""
    if factor == 1:
        return p
    return {mono: factor * c for mono, c in p.items()} if factor else {}


def join(a: Mono, b: Mono) -> Mono:
    """The product of two monomials."""
    if not a or not b:
        return a or b
    return tuple(sorted(a + b))


def without(mono: Mono, divisor: Mono) -> Mono | None:
    """``mono / divisor``, or ``None`` if it does not divide."""
    left = list(mono)
    for key in divisor:
        if key not in left:
            return None
        left.remove(key)
    return tuple(left)


def serial(p: Poly) -> str:
    """A spelling that is the same for equal polynomials, and only for those (given unambiguous atom keys)."""
    if not p:
        return "0"
    terms = sorted(p.items())
    try:
        return "+".join(f"{c}*{'*'.join(mono)}" if mono else str(c) for mono, c in terms)
    except ValueError:  # a number of more digits than Python prints
        return "+".join("*".join((spelled(c), *mono)) for mono, c in terms)


def weight(p: Poly) -> int:
    """How much there is to look at: the factors of all monomials, and one for each term."""
    return len(p) + sum(map(len, p))


def content(p: Poly) -> int:
    """The greatest common divisor of the coefficients of non-constant monomials; 0 for a constant."""
    divisor = 0
    for mono, c in p.items():
        if mono:
            divisor = gcd(divisor, c)
            if divisor == 1:
                return 1
    return divisor


def leading(p: Poly) -> Mono:
    """The greatest monomial, by degree and then by name. ``p`` is not zero."""
    return max(p, key=lambda mono: (len(mono), mono))
