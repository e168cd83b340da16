"""What is known of each kind of atom: the axioms that a log may cite, as data.

Every entry is a function of the atom's value ``v`` and its operands, written with ``+ - *`` only, so that it can be
read over polynomials (by the checker), over plain integers (exhaustively, in the tests) and over Z3's integers (proved
once, in the tests). A list ``[p, q]`` of facts means ``p >= 0 and q >= 0``; ``zero(p)`` means ``p == 0``.

Kinds of atoms and their values:

* ``fd(a, b)``: floor of ``a / b``, for ``b != 0``; ``td(a, b)``: the quotient rounded towards zero;
* ``min(a, b, …)``; ``and(a, b)``: bitwise, two's complement of any width;
* ``ge(a)``: 1 where ``a >= 0``, else 0; ``eq(a)``: 1 where ``a == 0``, else 0;
* ``p2(k)``: two to the power ``k``, for ``k >= 0``; ``define(a)``: ``a`` itself.

Where an atom's value is not said (a zero divisor, a negative exponent) it is any integer.

Spec: ``spec/06b-solver.md``, ``sh/certificate-log``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

KINDS = {"fd": 2, "td": 2, "min": 2, "and": 2, "ge": 1, "eq": 1, "p2": 1, "define": 1}
"""Kinds of atoms that a log may name, and their number of operands (of a minimum: the least)."""

Number = Any
"""A polynomial, an integer or a term of Z3."""


@dataclass(frozen=True, slots=True)
class Zero:
    """The fact that ``p == 0``."""

    p: Number


def zero(p: Number) -> Zero:
    return Zero(p)


@dataclass(frozen=True, slots=True)
class Axiom:
    """Where all of ``needs`` are at least 0, ``gives`` is at least 0 (or zero)."""

    id: str
    kind: str
    needs: Callable[..., Sequence[Number]]
    gives: Callable[..., Number]


@dataclass(frozen=True, slots=True)
class Choice:
    """One of the branches holds: in each, all its facts."""

    id: str
    kind: str
    branches: Callable[..., Sequence[Sequence[Number]]]


AXIOMS: tuple[Axiom, ...] = (
    Axiom("define", "define", lambda v, a: [], lambda v, a: zero(v - a)),
    Axiom("fd/low", "fd", lambda v, a, b: [b - 1], lambda v, a, b: a - b * v),
    Axiom("fd/high", "fd", lambda v, a, b: [b - 1], lambda v, a, b: b * v + b - 1 - a),
    Axiom("fd/low-negative", "fd", lambda v, a, b: [-b - 1], lambda v, a, b: b * v - a),
    Axiom("fd/high-negative", "fd", lambda v, a, b: [-b - 1], lambda v, a, b: a - b * v - b - 1),
    Axiom("td/low-pp", "td", lambda v, a, b: [a, b - 1], lambda v, a, b: a - b * v),
    Axiom("td/high-pp", "td", lambda v, a, b: [a, b - 1], lambda v, a, b: b * v + b - 1 - a),
    Axiom("td/low-np", "td", lambda v, a, b: [-a, b - 1], lambda v, a, b: b * v - a),
    Axiom("td/high-np", "td", lambda v, a, b: [-a, b - 1], lambda v, a, b: a - b * v + b - 1),
    Axiom("td/low-pn", "td", lambda v, a, b: [a, -b - 1], lambda v, a, b: a - b * v),
    Axiom("td/high-pn", "td", lambda v, a, b: [a, -b - 1], lambda v, a, b: b * v - b - 1 - a),
    Axiom("td/low-nn", "td", lambda v, a, b: [-a, -b - 1], lambda v, a, b: b * v - a),
    Axiom("td/high-nn", "td", lambda v, a, b: [-a, -b - 1], lambda v, a, b: a - b * v - b - 1),
    Axiom("truth/low-ge", "ge", lambda v, a: [], lambda v, a: v),
    Axiom("truth/high-ge", "ge", lambda v, a: [], lambda v, a: 1 - v),
    Axiom("truth/low-eq", "eq", lambda v, a: [], lambda v, a: v),
    Axiom("truth/high-eq", "eq", lambda v, a: [], lambda v, a: 1 - v),
    Axiom("p2/positive", "p2", lambda v, k: [k], lambda v, k: v - 1),
    Axiom("p2/growth", "p2", lambda v, k: [k], lambda v, k: v - k - 1),
    Axiom("and/low-left", "and", lambda v, a, b: [a], lambda v, a, b: v),
    Axiom("and/low-right", "and", lambda v, a, b: [b], lambda v, a, b: v),
    Axiom("and/high-left", "and", lambda v, a, b: [a], lambda v, a, b: a - v),
    Axiom("and/high-right", "and", lambda v, a, b: [b], lambda v, a, b: b - v),
    Axiom("and/least-left", "and", lambda v, a, b: [-b - 1], lambda v, a, b: a - v),
    Axiom("and/least-right", "and", lambda v, a, b: [-a - 1], lambda v, a, b: b - v),
    Axiom("and/same", "and", lambda v, a, b: [a - b, b - a], lambda v, a, b: zero(v - a)),
    Axiom("and/opposite", "and", lambda v, a, b: [a + b + 1, -a - b - 1], lambda v, a, b: zero(v)),
)  # fmt: skip

PAIRS: tuple[Axiom, ...] = (
    Axiom("p2/order", "p2", lambda v, w, k, j: [j, k - j], lambda v, w, k, j: v - w),
    Axiom("p2/double", "p2", lambda v, w, k, j: [j, k - j - 1], lambda v, w, k, j: v - 2 * w),
    Axiom("and/commute", "and", lambda v, w, p, q, a, b: [p - b, b - p, q - a, a - q],
          lambda v, w, p, q, a, b: zero(v - w)),
    Axiom("and/and", "and", lambda v, w, p, q, a, b: [p - w, w - p, q - b, b - q],
          lambda v, w, p, q, a, b: zero(v - w)),
    Axiom("and/or", "and", lambda v, w, p, q, a, b: [p + w - a - b, a + b - w - p, q - b, b - q],
          lambda v, w, p, q, a, b: zero(v - b)),
    Axiom("and/xor", "and", lambda v, w, p, q, a, b: [p + 2 * w - a - b, a + b - 2 * w - p, q - b, b - q],
          lambda v, w, p, q, a, b: zero(v + w - b)),
    Axiom("and/not", "and", lambda v, w, p, q, a, b: [p + a + 1, -p - a - 1, q - b, b - q],
          lambda v, w, p, q, a, b: zero(v + w - b)),
    Axiom("and/signs", "and", lambda v, w, p, q, a, b: [p + a, -p - a, q + b, -q - b, a, 1 - a, b, 1 - b],
          lambda v, w, p, q, a, b: zero(v + w)),
)  # fmt: skip
"""Axioms about two atoms of one kind: their values, then their operands."""

TRIPLES: tuple[Axiom, ...] = (
    Axiom(
        "p2/product", "p2", lambda u, v, w, i, j, k: [j, k, i - j - k, j + k - i],
        lambda u, v, w, i, j, k: zero(u - v * w),
    ),
)  # fmt: skip
"""Axioms about three atoms of one kind."""

CHOICES: tuple[Choice, ...] = (
    Choice("min/member", "min", lambda v, *args: [[zero(v - each)] for each in args]),
    Choice("ge/truth", "ge", lambda v, a: [[zero(v - 1), a], [zero(v), -a - 1]]),
    Choice("eq/truth", "eq", lambda v, a: [[zero(v - 1), zero(a)], [zero(v), a - 1], [zero(v), -a - 1]]),
    Choice("sign", "", lambda p: [[p], [-p - 1]]),
)


def minimum_low(member: int) -> Axiom:
    """``min/low``: the least of the operands is at most the operand numbered ``member``."""
    return Axiom("min/low", "min", lambda v, *args: [], lambda v, *args: args[member] - v)


MAX_STEP = 256


def power_shift(step: int) -> Axiom:
    """``p2/shift``: an exponent that is greater by the constant ``step``."""
    needs = lambda v, w, k, j: [j, k - j - step, j + step - k]  # noqa: E731
    return Axiom("p2/shift", "p2", needs, lambda v, w, k, j: zero(v - (1 << step) * w))


def power_below(most: int) -> Axiom:
    """``p2/below``: an exponent is at most the number ``most``."""
    return Axiom("p2/below", "p2", lambda v, k: [k, most - k], lambda v, k: (1 << most) - v)


def power_above(least: int) -> Axiom:
    """``p2/above``: an exponent is at least the number ``least``."""
    return Axiom("p2/above", "p2", lambda v, k: [k - least], lambda v, k: v - (1 << least))


def bits_below(width: int) -> Axiom:
    """``and/below``: bits of which none is past the lowest ``width`` stay there: so does their ``a | b``."""
    ones = (1 << width) - 1
    return Axiom("and/below", "and", lambda v, a, b: [a, ones - a, b, ones - b], lambda v, a, b: ones - a - b + v)


def bits_apart(width: int) -> Axiom:
    """``and/apart``: the lowest ``width`` bits meet none of a multiple of ``2**width``, whose factor is an operand of
    the second atom."""
    power = 1 << width
    needs = lambda v, w, p, q, a, b: [p - power * a, power * a - p, q, power - 1 - q]  # noqa: E731
    return Axiom("and/apart", "and", needs, lambda v, w, p, q, a, b: zero(v))


def bits_split(width: int) -> Axiom:
    """``and/split``: what two operands have past the lowest ``width`` bits, and these bits, in an atom each."""
    power = 1 << width

    def needs(v: Number, w: Number, u: Number, p: Number, q: Number, *parts: Number) -> Sequence[Number]:
        a, b, c, d = parts
        return [p - power * a - c, power * a + c - p, q - power * b - d, power * b + d - q,
                c, power - 1 - c, d, power - 1 - d]  # fmt: skip

    return Axiom("and/split", "and", needs, lambda v, w, u, *parts: zero(v - power * w - u))


NUMBERED: dict[str, tuple[int, int, Callable[[int], Axiom]]] = {
    "min/low": (1, 1 << 16, minimum_low), "p2/shift": (2, MAX_STEP + 1, power_shift),
    "p2/below": (1, MAX_STEP + 1, power_below), "p2/above": (1, MAX_STEP + 1, power_above),
    "and/below": (1, MAX_STEP + 1, bits_below), "and/apart": (2, MAX_STEP + 1, bits_apart),
    "and/split": (3, MAX_STEP + 1, bits_split),
}  # fmt: skip
"""Axioms with a number as well: how many atoms they are about, what the number is below, and the axiom."""

MASK = "and/mask"
"""No row: an atom ``a & b``, of which one is a number, is what reading such a term gives."""

POWER = "and/power"
"""No row: of atoms of three kinds, ``v = a & (w - 1)``, ``w = 2**k`` and ``u = a // w``. Where ``k >= 0``, ``v`` is
``a - w * u``."""

BIT = "and/bit"
"""No row: of four atoms, ``v = a & w``, ``w = 2**k``, ``u = a // w`` and ``t = u // 2``. Where ``k >= 0``, ``v`` is
``w * (u - 2 * t)``."""

BY_ID: dict[str, Axiom] = {each.id: each for each in (*AXIOMS, *PAIRS, *TRIPLES)}
CHOICE_BY_ID: dict[str, Choice] = {each.id: each for each in CHOICES}
COUNT: dict[str, int] = {each.id: count for count, group in enumerate((AXIOMS, PAIRS, TRIPLES), 1) for each in group}
"""How many atoms an axiom is about."""
