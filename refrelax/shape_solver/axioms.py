"""The formula language of questions, and axioms for what is not polynomial: quotients, minima, powers, masks.

* terms: ``int`` | ``("var", name)`` | ``("+", t…)`` | ``("*", t…)`` | ``("ite", f, t, t)``;
* formulas: ``bool`` | ``("and", f…)`` | ``("or", f…)`` | ``("not", f)`` | ``("<=", t, t)`` | ``("=", t, t)``.

Spec: ``spec/06b-solver.md``, ``sh/encoding``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from refrelax.rules import rule
from refrelax.syntax.dtypes import integer_range

Node = Any
"""A term or a formula of the language above."""


def var(name: str) -> Node:
    return ("var", name)


def plus(*terms: Node) -> Node:
    return ("+", *terms)


def times(*terms: Node) -> Node:
    return ("*", *terms)


def le(a: Node, b: Node) -> Node:
    return ("<=", a, b)


def lt(a: Node, b: Node) -> Node:
    return ("<=", plus(a, 1), b)


def both(*parts: Node) -> Node:
    return ("and", *parts)


def some(*parts: Node) -> Node:
    return ("or", *parts)


def no(part: Node) -> Node:
    return (not part) if isinstance(part, bool) else ("not", part)


@dataclass(slots=True)
class Fresh:
    """Fresh variables for what is not polynomial, one for each meaning, and the axioms that define them."""

    axioms: list[Node] = field(default_factory=list)
    known: dict[Node, Node] = field(default_factory=dict)
    powers: list[tuple[Node, Node]] = field(default_factory=list)
    quotients: dict[Node, list[Node]] = field(default_factory=dict)

    def make(self, key: Node, axioms: Callable[[Node], list[Node]]) -> Node:
        """The variable of ``key``."""
        if key not in self.known:
            self.known[key] = var(f"!{len(self.known)}")
            self.axioms += axioms(self.known[key])
        return self.known[key]

    @rule("sh/encoding")
    def floordiv(self, a: Node, b: Node) -> Node:
        return self.make(("fd", a, b), lambda q: [*floor_axioms(q, a, b), *self.apart(q, b)])

    def apart(self, q: Node, b: Node) -> list[Node]:
        """Quotients by one symbolic divisor that differ differ by a divisor when multiplied back."""
        if isinstance(b, int):
            return []
        others = self.quotients.setdefault(b, [])
        found = [
            some(le(b, 0), le(y, x), le(plus(times(b, x), b), times(b, y)))
            for other in others[:MAX_PAIRS] for x, y in ((q, other), (other, q))
        ]  # fmt: skip
        others.append(q)
        return found

    def truncdiv(self, a: Node, b: Node) -> Node:
        return self.make(("td", a, b), lambda q: trunc_axioms(q, a, b))

    def minimum(self, *terms: Node) -> Node:
        return self.make(("min", *terms), lambda m: [*(le(m, t) for t in terms), some(*(("=", m, t) for t in terms))])

    def wrapped(self, a: Node, dtype: str) -> Node:
        low, high = integer_range(dtype)
        turns = self.make(("turns", a, dtype), lambda k: [])
        result = plus(a, times(-(high - low + 1), turns))
        self.axioms += [le(low, result), le(result, high)]
        return result

    def power(self, k: Node) -> Node:
        """``2 ** k``: its values up to 256, growth, and how it relates to the powers already there, where exponents
        are not negative: elsewhere it may be anything."""

        def axioms(p: Node) -> list[Node]:
            found = [le(1, p), some(lt(k, 0), le(plus(k, 1), p))]
            found += [some(no(("=", k, c)), ("=", p, 1 << c)) for c in range(9)]
            for other, q in self.powers[:MAX_POWERS]:
                related = [some(no(le(k, other)), le(p, q)), some(no(le(other, k)), le(q, p)),
                           some(no(("=", plus(k, 1), other)), ("=", times(2, p), q)),
                           some(no(("=", plus(other, 1), k)), ("=", times(2, q), p)),
                           some(no(lt(k, other)), le(times(2, p), q)),
                           some(no(lt(other, k)), le(times(2, q), p))]  # fmt: skip
                found += [some(lt(k, 0), lt(other, 0), each) for each in related]
            for place, (i, p_i) in enumerate(self.powers[:MAX_POWERS]):
                for j, p_j in self.powers[: place + 1]:
                    sums = [some(no(("=", k, plus(i, j))), ("=", p, times(p_i, p_j))),
                            some(no(("=", i, plus(k, j))), ("=", p_i, times(p, p_j))),
                            some(no(("=", j, plus(k, i))), ("=", p_j, times(p, p_i)))]  # fmt: skip
                    found += [some(lt(k, 0), lt(i, 0), lt(j, 0), each) for each in sums]
            self.powers.append((k, p))
            return found

        return self.make(("p2", k), axioms)

    def masked(self, a: Node, b: Node) -> Node:
        """``a & b``: what its sign and size say, and its lowest bits one by one."""
        return self.make(("&", a, b), lambda r: [*mask_axioms(r, a, b), *self.bits(r, a, b)])

    def bits(self, r: Node, a: Node, b: Node) -> list[Node]:
        """``r``, ``a`` and ``b`` as ``BITS`` binary digits below what is left of them."""
        found: list[Node] = []
        digits, tops = [], []
        for place, whole in enumerate((r, a, b)):
            names = [var(f"!{len(self.known)}.{place}.{k}") for k in range(BITS + 1)]
            digits.append(names[1:])
            tops.append(names[0])
            found += [f for each in names[1:] for f in (le(0, each), le(each, 1))]
            found.append(
                ("=", whole, plus(times(1 << BITS, names[0]), *(times(1 << k, d) for k, d in enumerate(names[1:]))))
            )
        for x, y, z in zip(*digits):
            found += [le(x, y), le(x, z), le(plus(y, z), plus(x, 1))]
        return [*found, *mask_axioms(*tops)]


MAX_POWERS = 12
"""With how many earlier powers, and pairs of those, a power is compared."""

MAX_PAIRS = 4
"""With how many earlier quotients by its divisor a quotient is compared."""

BITS = 6
"""How many of the lowest bits of ``a & b`` are told apart."""


def mask_axioms(r: Node, a: Node, b: Node) -> list[Node]:
    """What holds of ``r == a & b`` whatever the bits are."""
    same = [some(no(("=", a, 0)), ("=", r, 0)), some(no(("=", a, -1)), ("=", r, b)),
            some(no(("=", b, 0)), ("=", r, 0)), some(no(("=", b, -1)), ("=", r, a))]  # fmt: skip
    return [
        *same, some(no(("=", a, b)), ("=", r, a)),
        some(lt(a, 0), both(le(0, r), le(r, a))), some(lt(b, 0), both(le(0, r), le(r, b))),
        some(le(0, a), le(0, b), both(lt(r, 0), le(r, a), le(r, b))), some(both(le(0, a), le(0, b)), lt(plus(a, b), r)),
    ]  # fmt: skip


def floor_axioms(q: Node, a: Node, b: Node) -> list[Node]:
    """``q == floor(a / b)`` where ``b`` is not 0."""
    product, above = times(b, q), both(le(times(b, q), a), lt(a, plus(times(b, q), b)))
    if isinstance(b, int) and b > 0:
        return [above]
    below = both(le(a, product), lt(plus(product, b), a))
    return [some(le(b, 0), above), some(le(0, b), below), *floor_signs(q, a, b)]


def floor_signs(q: Node, a: Node, b: Node) -> list[Node]:
    """The sign of a quotient, and that it is no larger than what is divided: linear, and it follows from products."""
    minus = times(-1, a)
    return [
        some(le(b, 0), lt(a, 0), both(le(0, q), le(q, a))), some(le(b, 0), le(0, a), both(le(a, q), lt(q, 0))),
        some(le(0, b), lt(0, a), both(le(0, q), le(q, minus))), some(le(0, b), le(a, 0), both(le(minus, q), lt(q, 0))),
    ]  # fmt: skip


def trunc_axioms(q: Node, a: Node, b: Node) -> list[Node]:
    """``q == a / b`` rounded towards zero where ``b`` is not 0."""
    p, minus = times(b, q), times(-1, b)
    up, down = both(le(p, a), lt(a, plus(p, b))), both(le(a, p), lt(plus(p, minus), a))
    if isinstance(b, int) and b > 0:
        return [some(lt(a, 0), up), some(le(0, a), down)]
    up_negative, down_negative = both(le(p, a), lt(a, plus(p, minus))), both(le(a, p), lt(plus(p, b), a))
    return [
        some(le(b, 0), lt(a, 0), up), some(le(b, 0), le(0, a), down),
        some(le(0, b), lt(a, 0), up_negative), some(le(0, b), le(0, a), down_negative),
    ]  # fmt: skip
