"""``p >= 0`` as the normal form shows it (``sh/never-negative``), written down: no search, no linear arithmetic.

Atoms are measured from their bounds; where all coefficients are then nonnegative, the sum of products of bounds is the
step. Else a quotient or a minimum gives way to what bounds it, and what that asks for is shown in the same way.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from refrelax.shape_solver.checker.poly import Mono, Poly
from refrelax.shape_solver.checker.reading import eq, ge
from refrelax.shape_solver.prooflog.ledger import Ledger

FUEL = 24
"""Questions that one witness may ask, as many as the normal form asks."""

MAX_TERMS = 64
"""Terms of a polynomial that is measured from bounds."""

MAX_SQUARES = 5
"""Squares that are completed one after another."""

Bound = tuple[int, int]
"""A value, and the number of the fact that says that it is one."""


@dataclass(frozen=True, slots=True)
class Bracket:
    """What encloses a quotient ``v``: ``low <= modulus * v <= high``."""

    modulus: Poly
    """The divisor or its opposite, whichever is positive."""
    positive: int | None
    """The fact that it is at least 1; ``None`` for a number."""
    premises: list[int | None]
    ends: tuple[tuple[Poly, str], tuple[Poly, str]]
    """``low`` and ``high``, each with the axiom that says so."""


@dataclass(slots=True)
class Witness:
    """The witnesses of one question."""

    ledger: Ledger
    left: int = FUEL
    lows: dict[int, Bound] = field(default_factory=dict)
    highs: dict[int, Bound] = field(default_factory=dict)
    seen: int = 0
    """How many facts were looked at for bounds."""
    gone: set[int] = field(default_factory=set)
    """Quotients and minima that gave way to what bounds them, above this question."""

    def of(self, p: Poly) -> int | None:
        """The number of the fact ``p >= 0``, or ``None``."""
        short = self.ledger.reduce(p)
        found = self.plain(p, short)
        if found is not None or short.constant() is not None or self.left <= 0:
            return found
        self.left -= 1
        rising = self.rising(short)
        for atom in rising[:1] or self.linear(short):
            self.gone.add(atom)
            found = self.without(p, short, atom)
            self.gone.discard(atom)
            if found is not None:
                return found
        found = self.factored(p, short)
        return self.divided(p, short) if found is None else found

    # --- by bounds of atoms

    def plain(self, p: Poly, short: Poly) -> int | None:
        """``p``, which is ``short`` by the equations, if it is known or a sum of products of bounds."""
        ledger = self.ledger
        if ge(p) in ledger.index:
            return ledger.index[ge(p)]
        ledger.meter.spent += 4 * len(short.terms)
        terms = self.measured(short)
        if terms is None:
            terms, rest = self.squares(short)
            more = self.measured(rest) if terms else None
            if more is None:
                return self.completed(p, short)
            terms = [*terms, *more]
        return ledger.combine(p, [[1, ["not"]], *terms])

    def completed(self, p: Poly, short: Poly) -> int | None:
        """``p``, of which a multiple is squares of what completes them and what is more than the opposite of the
        factor."""
        scale, rest = 1, short
        terms: list[Any] = []
        while (found := completion(rest)) is not None:
            factor, root = found
            terms = [[c * factor, facts] for c, facts in terms] + [[1, [root.written()]]]
            scale, rest = scale * factor, factor * rest - root * root
            if len(terms) > MAX_SQUARES or len(rest.terms) > MAX_TERMS:
                return None
        end = rest.constant()
        more = ([] if end > -scale else None) if end is not None else self.measured(rest) if terms else None
        return None if not terms or more is None else self.ledger.combine(p, [[scale, ["not"]], *terms, *more])

    def bounds(self) -> None:
        """Takes in the bounds among the facts that were written since."""
        ledger = self.ledger
        for number in range(self.seen, len(ledger.facts)):
            p = ledger.reduced[number]
            if p is None or len(p.terms) > 2 or ledger.facts[number][0] != "ge":
                continue
            for mono, c in p.terms.items():
                rest = p.terms.get((), 0)
                if len(mono) != 1 or len(p.terms) != 1 + bool(rest) or abs(c) != 1:
                    continue
                if c > 0 and (mono[0] not in self.lows or -rest > self.lows[mono[0]][0]):
                    self.lows[mono[0]] = -rest, number
                elif c < 0 and (mono[0] not in self.highs or rest < self.highs[mono[0]][0]):
                    self.highs[mono[0]] = rest, number
        self.seen = len(ledger.facts)

    def measured(self, p: Poly) -> list[Any] | None:
        """``p`` as a sum of products of bounds, for ``Ledger.combine``: all atoms are measured from one end, and what
        is then negative from the other."""
        self.bounds()
        near: dict[int, int] = {}
        far: dict[int, Bound] = {}
        for atom in sorted(p.mentions()):
            low, high = self.lows.get(atom), self.highs.get(atom)
            if low is not None:
                near[atom] = low[1]
                p = p.replaced(atom, Poly.atom(atom) + low[0]) if low[0] else p
                if high is not None:
                    far[atom] = high[0] - low[0], high[1]
            elif high is not None:
                near[atom] = high[1]
                p = p.replaced(atom, high[0] - Poly.atom(atom))
            else:
                return None
            if len(p.terms) > MAX_TERMS:
                return None
        terms: list[Any] = []
        for _ in range(MAX_TERMS):
            mono = max((mono for mono, c in p.terms.items() if mono and c < 0), key=len, default=None)
            if mono is None:
                break
            bounded = next((each for each in mono if each in far), None)
            if bounded is None:
                return None
            rest = list(mono)
            rest.remove(bounded)
            c, (width, fact) = -p.terms[mono], far[bounded]
            p = p - Poly({tuple(rest): c * width}) + Poly({mono: c})
            terms.append([c, [fact, *(near[each] for each in rest)]])
        if any(c < 0 for c in p.terms.values()):
            return None
        return [*terms, *([c, [near[atom] for atom in mono]] for mono, c in p.terms.items() if mono)]

    def squares(self, p: Poly) -> tuple[list[Any], Poly]:
        """The squares in ``p`` times what is never negative, for ``Ledger.combine``, and the rest."""
        terms: list[Any] = []
        rest: dict[Mono, int] = {}
        for mono, c in p.terms.items():
            if c <= 0 or len(set(mono)) == len(mono):
                rest[mono] = c
                continue
            odd = [atom for atom in sorted(set(mono)) if mono.count(atom) % 2]
            root = tuple(atom for atom in sorted(set(mono)) for _ in range(mono.count(atom) // 2))
            signs = [self.lows.get(atom) for atom in odd]
            if all(low is not None and low[0] >= 0 for low in signs):
                facts = [self.plain(x, x) for x in map(Poly.atom, odd)]
                terms.append([c, [Poly({root: 1}).written(), *facts]])
            else:
                rest[mono] = c
        return terms, Poly(rest)

    # --- by a factor, or one fact

    def factored(self, p: Poly, short: Poly) -> int | None:
        """``p``, which is an atom that is never negative times what is not."""
        for atom in sorted(set(next(iter(short.terms), ())).intersection(*short.terms)):
            if self.lows.get(atom, (-1, 0))[0] >= 0:
                x, rest = Poly.atom(atom), Poly({_without(mono, atom): c for mono, c in short.terms.items()})
                first, second = self.plain(x, x), self.of(rest)
                if first is None or second is None:
                    return None
                return self.ledger.combine(p, [[1, ["not"]], [1, [first, second]]])
        return None

    def divided(self, p: Poly, short: Poly) -> int | None:
        """``p`` from a fact ``g * p + h >= 0`` with ``h <= g - 1``: where ``p`` were negative, so would that be."""
        lead = max((mono for mono in short.terms if mono), key=len)
        self.ledger.meter.spent += len(self.ledger.reduced) // 2
        for number, fact in enumerate(list(self.ledger.reduced)):
            if fact is None or len(fact.terms) < 2 or self.ledger.facts[number][0] != "ge":
                continue
            for g in multiples(fact, short, lead):
                beyond = g - 1 - fact + g * short
                if (growth := self.plain(g, g)) is not None and (end := self.plain(beyond, beyond)) is not None:
                    return self.ledger.combine(p, [[1, ["not", growth]], [1, [number]], [1, [end]]])
        return None

    # --- by what bounds a quotient or a minimum

    def linear(self, p: Poly) -> list[int]:
        """Quotients and minima that are in ``p`` to the first power alone, those made last first."""
        kinds = self.ledger.reading.atoms
        found = {atom for mono in p.terms for atom in mono if kinds[atom].kind in ("fd", "td", "min")} - self.gone
        return sorted((a for a in found if all(mono.count(a) < 2 for mono in p.terms)), reverse=True)

    def rising(self, p: Poly) -> list[int]:
        """Minima, a number of times, of a sum without products: which operand each is, is asked before anything else.
        If one of its cases is not shown, no other way shows it either."""
        if any(len(mono) > 1 for mono in p.terms):
            return []
        kinds = self.ledger.reading.atoms
        found = [mono[0] for mono, c in p.terms.items() if mono and c > 0 and kinds[mono[0]].kind == "min"]
        return sorted(set(found) - self.gone, reverse=True)

    def without(self, p: Poly, short: Poly, number: int) -> int | None:
        factor: dict[Mono, int] = {}
        rest: dict[Mono, int] = {}
        for mono, c in short.terms.items():
            if number in mono:
                factor[tuple(each for each in mono if each != number)] = c
            else:
                rest[mono] = c
        f, r = Poly(factor), Poly(rest)
        whole = f.constant()
        for sign in (1, -1) if whole is None else (1 if whole > 0 else -1,):
            positive = self.of(f * sign) if whole is None else -1
            if positive is not None:
                kind = self.ledger.reading.atoms[number].kind
                return (self.minimum if kind == "min" else self.quotient)(p, r, f, sign, positive, number)
        return None

    def quotient(self, p: Poly, rest: Poly, factor: Poly, sign: int, positive: int, number: int) -> int | None:
        """From what encloses ``m * v``, and ``m * p > -m`` where ``p`` were negative."""
        span = self.enclosed(number)
        if span is None:
            return None
        end, name = span.ends[sign < 0]
        below = self.of(rest * span.modulus + factor * end + span.modulus - 1)
        return None if below is None else self.lifted(p, factor, positive, number, span, name, below)

    def lifted(self, p: Poly, factor: Poly, positive: int, number: int, span: Bracket, name: str, below: int) -> int:
        """``p >= 0``, as ``m * p + m - 1 >= 0`` is the fact ``below`` and ``factor`` times an axiom."""
        side = self.ledger.axiom(name, [number], span.premises)
        whole = span.modulus.constant()
        by: list[Any] = [[whole, ["not"]]] if whole is not None else [[1, ["not"]], [1, ["not", span.positive]]]
        return self.ledger.combine(p, [*by, [1, [below]], times(factor, positive, side)])

    def enclosed(self, number: int) -> Bracket | None:
        """What encloses a quotient, by the signs of its operands."""
        atom = self.ledger.reading.atoms[number]
        a, b = atom.args
        below, above = self.premise(b - 1), self.premise(-b - 1)
        divisor = below or above
        if divisor is None:
            return None
        m, whole, name = (b, a, "p") if below else (-b, -a, "n")
        floor: tuple[Poly, Poly] = whole - m + 1, whole
        if atom.kind == "fd":
            ending = "" if below else "-negative"
            return Bracket(m, divisor[0], [*divisor], ((floor[0], f"fd/high{ending}"), (floor[1], f"fd/low{ending}")))
        up, down = self.premise(a), self.premise(-a)
        sign = up or down
        if sign is None:
            return None
        ending = f"{'p' if up else 'n'}{name}"
        low, high = f"td/low-{ending}", f"td/high-{ending}"
        premises = [*sign, *divisor]
        if (up is not None) == (below is not None):
            return Bracket(m, divisor[0], premises, ((floor[0], high), (floor[1], low)))
        return Bracket(m, divisor[0], premises, ((whole, low), (whole + m - 1, high)))

    def interval(self, p: Poly) -> tuple[int | None, int | None]:
        """What the bounds of atoms say of a sum."""
        self.bounds()
        return self.end(p, self.lows, self.highs), self.end(p, self.highs, self.lows)

    def end(self, p: Poly, rising: dict[int, Bound], falling: dict[int, Bound]) -> int | None:
        total = 0
        for mono, c in p.terms.items():
            by = rising if c > 0 else falling
            if len(mono) > 1 or (mono and mono[0] not in by):
                return None
            total += c * by[mono[0]][0] if mono else c
        return total

    def premise(self, p: Poly) -> tuple[int | None] | None:
        """The premise ``p >= 0`` for an axiom (``None`` inside for a constant); ``None`` if it is not shown."""
        value = p.constant()
        if value is not None:
            return (None,) if value >= 0 else None
        found = self.of(p)
        return None if found is None else (found,)

    def minimum(self, p: Poly, rest: Poly, factor: Poly, sign: int, positive: int, number: int) -> int | None:
        """From ``v <= a`` for an operand; by cases where ``p`` grows with ``v``."""
        ledger = self.ledger
        args = ledger.reading.atoms[number].args
        if sign > 0:
            return self.each(p, number, args)
        for member, arg in enumerate(args):
            below = self.of(rest + factor * arg)
            if below is not None:
                side = ledger.axiom("min/low", [number], [], member)
                return ledger.combine(p, [[1, ["not"]], [1, [below]], times(factor, positive, side)])
        return None

    def each(self, p: Poly, number: int, args: tuple[Poly, ...]) -> int | None:
        """``p >= 0`` whichever operand the minimum is."""
        branches = []
        for arg in args:
            below = self.ledger.branch([eq(Poly.atom(number) - arg)])
            below.used.add(number)
            inside = Witness(below, self.left)
            found = inside.of(p) if below.rule(len(below.facts) - 1, number) else None
            self.left = inside.left
            if found is None:
                return None
            below.goal = found
            branches.append(below)
        return self.ledger.cases({"atom": number}, branches, ge(p))


def completion(p: Poly) -> tuple[int, Poly] | None:
    """``k`` and ``r`` so that ``k * p - r * r`` is without one of the monomials whose squares are in ``p``."""
    for square, c in p.terms.items():
        half = square[::2]
        if not half or c < 0 or square[1::2] != half:
            continue
        root = {half: 2 * c}
        for mono, b in p.terms.items():
            rest = list(mono)
            if mono != square and all(rest.count(each) >= half.count(each) for each in half):
                for each in half:
                    rest.remove(each)
                root[tuple(rest)] = b
        if not any(mono != half and set(half) <= set(mono) for mono in root):
            return 4 * c, Poly(root)
    return None


def multiples(fact: Poly, p: Poly, lead: Mono) -> Iterator[Poly]:
    """What ``p`` may be multiplied by in ``fact``: all that its one atom is, else what meets its leading monomial."""
    wanted = p.terms[lead]
    if len(lead) == 1 and abs(wanted) == 1 and len(p.terms) <= 2 and all(mono in ((), lead) for mono in p.terms):
        (x,) = lead
        found = {_without(mono, x): c * wanted for mono, c in fact.terms.items() if x in mono}
        if found and not any(x in mono for mono in found):
            yield Poly(found)
        return
    for mono, c in fact.terms.items():
        if c != wanted or len(mono) <= len(lead):
            continue
        rest = list(mono)
        for atom in lead:
            if atom in rest:
                rest.remove(atom)
        if len(rest) == len(mono) - len(lead):
            yield Poly({tuple(rest): 1})


def _without(mono: Mono, atom: int) -> Mono:
    place = mono.index(atom)
    return mono[:place] + mono[place + 1 :]


def times(factor: Poly, positive: int, fact: int) -> list[Any]:
    """The fact number ``fact`` times ``factor`` or its opposite, whichever the fact ``positive`` says is one."""
    value = factor.constant()
    return [1, [positive, fact]] if value is None else [abs(value), [fact]]


def entails(ledger: Ledger, p: Poly) -> int | None:
    """The number of the fact ``p >= 0``, by a witness of it."""
    return None if ledger.meter.empty else Witness(ledger).of(p)


def known(ledger: Ledger, p: Poly) -> tuple[int | None] | None:
    """The premise ``p >= 0`` for an axiom (``None`` inside for a constant); ``None`` if it is not shown."""
    return None if ledger.meter.empty else Witness(ledger).premise(p)


def equates(ledger: Ledger, p: Poly) -> int | None:
    """The number of the fact ``p == 0``, derived."""
    first = entails(ledger, p)
    second = None if first is None else entails(ledger, -p)
    return None if first is None or second is None else ledger.equal(first, second)
