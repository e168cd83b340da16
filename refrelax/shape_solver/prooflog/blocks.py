"""Bit operators, quotients by powers of two and conversions, written down block by block: no search.

A value is ``2**k`` times what is past its lowest ``k`` bits, and these. So are the operands of ``a & b``, and then
``a & b`` itself (``and/split``); what shifts, masks and conversions ask for are such parts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from refrelax.shape_solver.checker.poly import Poly
from refrelax.shape_solver.checker.schemas import MAX_STEP
from refrelax.shape_solver.prooflog.axioms import acquaint
from refrelax.shape_solver.prooflog.bitwise import equation, same
from refrelax.shape_solver.prooflog.conjunctions import Forms
from refrelax.shape_solver.prooflog.ledger import Ledger
from refrelax.shape_solver.prooflog.witness import known

MAX_SPLITS = 300
MAX_ROUNDS = 6
MAX_PLACE = 64
COST = 20
"""What looking at one place costs, in terms of rows that are looked at."""

Bounds = tuple[int | None, int | None]
"""Facts that say of a part that it is at least 0, and below the power; ``None`` where it is a number."""


@dataclass(frozen=True, slots=True)
class Split:
    """What is past the lowest bits of a polynomial, these bits, and the facts about them."""

    high: Poly
    low: Poly
    bounds: Bounds


@dataclass(slots=True)
class Blocks:
    ledger: Ledger
    found: dict[tuple[Poly, int], Split] = field(default_factory=dict)
    opening: set[tuple[Poly, int]] = field(default_factory=set)
    left: int = MAX_SPLITS
    forms: Forms = field(init=False)

    def __post_init__(self) -> None:
        self.forms = Forms(self.ledger)

    def of(self, given: Poly, k: int) -> Split | None:
        """``given`` at the place ``k``; ``None`` past the limits."""
        p = self.ledger.reduce(given)
        if k <= 0 or k > MAX_STEP:
            return None
        if (p, k) not in self.found:
            if self.left <= 0 or self.ledger.meter.empty:
                return None
            if (p, k) in self.opening:  # (a ^ c) ^ c, by which a would be split
                return None
            self.left -= 1
            self.ledger.meter.spent += COST
            self.opening.add((p, k))
            made = self.made(p, k)
            self.opening.discard((p, k))
            if made is None or self.ledger.reduce(p - (1 << k) * made.high - made.low).terms:
                return None
            self.found[p, k] = made
        return self.found[p, k]

    def made(self, p: Poly, k: int) -> Split | None:
        value = p.constant()
        if value is not None:
            return Split(Poly.of(value >> k), Poly.of(value & ((1 << k) - 1)), (None, None))
        rules = (
            self.bitwise,
            self.complement,
            self.whole,
            self.scaled,
            self.signed,
            self.quotient,
            self.summed,
            self.short,
        )
        for rule in () if self.symbol(p) else rules:
            found = rule(p, k)
            if found is not None:
                return found
        return self.leaf(p, k)

    def symbol(self, p: Poly) -> bool:
        seen = list(p.mentions())
        return len(seen) == 1 and p == Poly.atom(seen[0]) and self.ledger.reading.atoms[seen[0]].kind == "sym"

    def leaf(self, p: Poly, k: int) -> Split:
        """By the quotient itself."""
        ledger = self.ledger
        high = ledger.reading.make("fd", (p, Poly.of(1 << k)))
        (number,) = high.mentions()
        acquaint(ledger, number)
        low = ledger.axiom("fd/low", [number], [None])
        return Split(high, p - (1 << k) * high, (low, ledger.axiom("fd/high", [number], [None])))

    def quotient(self, p: Poly, k: int) -> Split | None:
        """A quotient of what is split at the sum of both places."""
        place = divided(self.ledger, p)
        if place is None:
            return None
        a, j = place
        ledger = self.ledger
        (number,) = p.mentions()
        further = self.of(a, j + k)
        if further is None or Poly.atom(number) == further.high:
            return None
        low, (below, above) = p - (1 << k) * further.high, further.bounds
        ends = ledger.axiom("fd/low", [number], [None]), ledger.axiom("fd/high", [number], [None])
        first = self.bound(low, (1, below), (1, ends[1]), scale=1 << j)
        second = self.bound((1 << k) - 1 - low, (1, above), (1, ends[0]), scale=1 << j)
        return Split(further.high, low, (first, second))

    def short(self, p: Poly, k: int) -> Split | None:
        """What is known to be below the power, or below a lower one."""
        ones = Poly.of((1 << k) - 1)
        for j in sorted(changes(p)) if len(p.terms) > 1 else ():
            found = self.of(p, j) if j < k else None
            if found is not None and not self.ledger.reduce(found.high).terms and found.low == p:
                return Split(Poly.of(0), p, (found.bounds[0], self.bound(ones - p, (1, found.bounds[1]))))
        low, high = known(self.ledger, p), known(self.ledger, ones - p)
        if low is None or high is None:
            return None
        return Split(Poly.of(0), p, (low[0], high[0]))

    def summed(self, p: Poly, k: int) -> Split | None:
        """What is below ``2**j`` and a multiple of that."""
        for j in sorted(changes(p)):
            multiple = Poly({mono: c >> j for mono, c in p.terms.items() if not c & ((1 << j) - 1)})
            rest = Poly({mono: c for mono, c in p.terms.items() if c & ((1 << j) - 1)})
            below = self.of(rest, j) if rest.mentions() and multiple.terms and j < k else None
            if below is None or self.ledger.reduce(below.high).terms or below.low != rest:
                continue
            above = self.of(multiple, k - j)
            if above is None:
                continue
            low = rest + (1 << j) * above.low
            first = self.bound(low, (1, below.bounds[0]), (1 << j, above.bounds[0]))
            second = self.bound((1 << k) - 1 - low, (1, below.bounds[1]), (1 << j, above.bounds[1]))
            return Split(above.high, low, (first, second))
        return None

    def whole(self, p: Poly, k: int) -> Split | None:
        """A multiple of the power beside something else."""
        multiple = Poly({mono: c >> k for mono, c in p.terms.items() if not c & ((1 << k) - 1)})
        rest = Poly({mono: c for mono, c in p.terms.items() if c & ((1 << k) - 1)})
        if not multiple.terms:
            return None
        if not rest.terms:
            return Split(multiple, Poly.of(0), (None, None))
        found = self.of(rest, k)
        return None if found is None else Split(multiple + found.high, found.low, found.bounds)

    def scaled(self, p: Poly, k: int) -> Split | None:
        """A multiple of a lower power."""
        j = content(p)
        if j == 0 or j >= k:
            return None
        found = self.of(Poly({mono: c >> j for mono, c in p.terms.items()}), k - j)
        if found is None:
            return None
        low, scale = (1 << j) * found.low, 1 << j
        first = self.bound(low, (scale, found.bounds[0]))
        second = self.bound((1 << k) - 1 - low, (scale, found.bounds[1]))
        return Split(found.high, low, (first, second))

    def signed(self, p: Poly, k: int) -> Split | None:
        """``a + 2**(k-1)``, of which a conversion to a signed dtype takes the quotient."""
        half = 1 << (k - 1)
        a = p - half
        if k < 2 or (a.terms.get((), 0) and self.forms.find(a) is None):
            return None
        whole, upper = self.of(a, k), self.of(a, k - 1)
        if whole is None or upper is None:
            return None
        last = self.of(upper.high, 1)
        if last is None or self.ledger.reduce(last.high - whole.high).terms:
            return None
        high = upper.high - whole.high
        low, (some, not_one) = p - (1 << k) * high, last.bounds
        first = self.bound(low, (1, upper.bounds[0]), (half, not_one))
        second = self.bound((1 << k) - 1 - low, (1, upper.bounds[1]), (half, some))
        return Split(high, low, (first, second))

    def complement(self, p: Poly, k: int) -> Split | None:
        if p.terms.get((), 0) != -1 or any(c > 0 for c in p.terms.values()) or len(p.terms) < 2:
            return None
        found = self.of(-p - 1, k)
        if found is None:
            return None
        ones = (1 << k) - 1
        return Split(-found.high - 1, ones - found.low, (found.bounds[1], found.bounds[0]))

    def bitwise(self, p: Poly, k: int) -> Split | None:
        """``a & b``, ``a | b``, ``a ^ b``, ``a & ~b`` by both operands."""
        form = self.forms.find(p)
        if form is None:
            return None
        if isinstance(form[0], int):
            return self.operated(form[0], k, form[1])
        (number,) = self.ledger.reading.make("and", form[0]).mentions()
        self.numbered(number)
        return self.operated(number, k, form[1])

    def operated(self, number: int, k: int, form: int) -> Split | None:
        """``a & b``, ``a ^ b``, ``a | b``, ``a & ~b``, ``b & ~a``, where the atom is ``a & b``."""
        ledger = self.ledger
        both = self.conjoined(number, k)
        if both is None:
            return None
        x, y, w, u = both
        (atom,) = u.mentions()
        (a, below_a), (b, below_b) = x.bounds, y.bounds
        left, right = ledger.axiom("and/high-left", [atom], [a]), ledger.axiom("and/high-right", [atom], [b])
        nonneg = ledger.axiom("and/low-left", [atom], [a])
        together = ledger.axiom("and/below", [atom], [a, below_a, b, below_b], k)
        high, low, first, second = (
            (w, u, [nonneg], [left, below_a]),
            (x.high + y.high - 2 * w, x.low + y.low - 2 * u, [left, right], [together, nonneg]),
            (x.high + y.high - w, x.low + y.low - u, [left, b], [together]),
            (x.high - w, x.low - u, [left], [below_a, nonneg]),
            (y.high - w, y.low - u, [right], [below_b, nonneg]),
        )[form]
        ones = Poly.of((1 << k) - 1)
        return Split(high, low, (self.bound(low, *once(first)), self.bound(ones - low, *once(second))))

    def conjoined(self, number: int, k: int) -> tuple[Split, Split, Poly, Poly] | None:
        """The atom ``a & b`` split: its operands, and the two atoms that it is made of."""
        ledger = self.ledger
        p, q = ledger.reading.atoms[number].args
        x, y = self.of(p, k), self.of(q, k)
        if x is None or y is None:
            return None
        make = ledger.reading.make
        w, u = make("and", (x.high, y.high)), make("and", (x.low, y.low))
        premises: list[int | None] = []
        for whole, part in ((p, x), (q, y)):
            gap = whole - (1 << k) * part.high - part.low
            premises += [same(ledger, gap), same(ledger, -gap)] if gap.terms else [None, None]
        premises += [*x.bounds, *y.bounds]
        (upper,), (lower,) = w.mentions(), u.mentions()
        found = ledger.axiom("and/split", [number, upper, lower], premises, k)
        if number not in (upper, lower):
            self.replaced(found, [number, lower, upper])
        self.numbered(upper)
        self.numbered(lower)
        return x, y, w, u

    def numbered(self, number: int) -> None:
        """Lets what an atom ``a & b`` is, of which one is a number, replace it."""
        if any(arg.constant() is not None for arg in self.ledger.reading.atoms[number].args):
            self.replaced(self.ledger.mask(number), [number])

    # --- facts

    def bound(self, p: Poly, *terms: tuple[int, int | None], scale: int = 1) -> int | None:
        """``p >= 0``: ``scale`` times the opposite, and factors and facts, are less than 0; ``None`` for a number."""
        if p.constant() is not None:
            return None
        known = [[factor, [fact]] for factor, fact in terms if fact is not None]
        return self.ledger.combine(p, [[scale, ["not"]], *known])

    def replaced(self, equation: int, atoms: list[int]) -> None:
        """Lets the equation replace one of ``atoms``, or else what is left in it."""
        seen = (self.ledger.reduced[equation] or Poly({})).mentions()
        left = [each for each in sorted(seen, reverse=True) if self.ledger.reading.atoms[each].kind in ("and", "fd")]
        any(self.ledger.rule(equation, atom) for atom in [*atoms, *left] if atom in seen)

    # --- atoms

    def quotients(self) -> None:
        """Quotients by powers of two, where what is divided has bits that are known in parts."""
        ledger = self.ledger
        for number, atom in list(enumerate(ledger.reading.atoms)):
            power = atom.args[1].constant() if atom.kind == "fd" else None
            if power == 1 and number not in ledger.places:
                ends = (ledger.axiom(f"fd/{end}", [number], [None]) for end in ("low", "high"))
                self.replaced(ledger.equal(*ends), [number])
            if power is None or power < 2 or power & (power - 1) or number in ledger.places:
                continue
            a, k = atom.args[0], power.bit_length() - 1
            if not self.parted(ledger.reduce(a)):
                continue
            found = self.of(a, k)
            if found is None or ledger.reduce(found.high) == Poly.atom(number):
                continue
            low, high = (ledger.axiom(f"fd/{end}", [number], [None]) for end in ("low", "high"))
            f = Poly.atom(number)
            first = self.bound(f - found.high, (1, high), (1, found.bounds[0]), scale=power)
            second = self.bound(found.high - f, (1, low), (1, found.bounds[1]), scale=power)
            if first is not None and second is not None:
                self.replaced(ledger.equal(first, second), [number])

    def parted(self, p: Poly) -> bool:
        kinds = {self.ledger.reading.atoms[each].kind for each in p.mentions()}
        return "and" in kinds or len(p.terms) != 1 or not p.mentions() or divided(self.ledger, p) is not None

    def conjunctions(self) -> None:
        """Atoms ``a & b`` at the places that their operands name."""
        ledger = self.ledger
        for number, atom in list(enumerate(ledger.reading.atoms)):
            if atom.kind != "and" or number in ledger.places or self.same(number):
                continue
            places = {place for p in atom.args for place in self.places(p)}
            if places:
                self.conjoined(number, min(places))
            self.negative(number)

    def same(self, number: int) -> bool:
        """Lets the atom of the reduced operands replace the atom ``number``, if that is another one."""
        ledger = self.ledger
        p, q = ledger.reading.atoms[number].args
        x, y = ledger.reduce(p), ledger.reduce(q)
        if (x, y) == (p, q):
            twin = ledger.reading.numbers.get(("and", (q, p)))
            if twin is not None and twin < number:
                self.replaced(ledger.axiom("and/commute", [number, twin], [None] * 4), [number])
                return True
            return False
        (other,) = ledger.reading.make("and", (x, y)).mentions()
        equations = [None if a == b else equation(ledger, b - a) for a, b in ((x, p), (y, q))]
        self.numbered(other)
        self.replaced(ledger.congruence(number, other, equations), [number])
        return True

    def places(self, p: Poly) -> set[int]:
        """Where the bits of ``p`` change from one part to another."""
        found = {content(p)}
        for j in changes(p):
            rest = Poly({mono: c for mono, c in p.terms.items() if c & ((1 << j) - 1)})
            alone = len(list(rest.mentions())) == 1 == len(rest.terms)
            if alone or self.forms.find(rest) or self.forms.find(-rest - 1):
                found.add(j)
        for each in p.mentions():
            place = divided(self.ledger, Poly.atom(each))
            if place is not None and set(place[0].terms) <= set(p.terms):
                found.add(place[1])
        return {k for k in found if 0 < k <= MAX_PLACE}

    def negative(self, number: int) -> None:
        """``-a & -b`` for bits ``a`` and ``b``."""
        ledger = self.ledger
        p, q = ledger.reading.atoms[number].args
        if p.constant() is not None or q.constant() is not None:
            return
        premises: list[int | None] = [None] * 4
        for need in (-p, p + 1, -q, q + 1):
            premise = known(ledger, need)
            if premise is None:
                return
            premises += premise
        (w,) = ledger.reading.make("and", (-p, -q)).mentions()
        self.replaced(ledger.axiom("and/signs", [number, w], premises), [number])


def divided(ledger: Ledger, p: Poly) -> tuple[Poly, int] | None:
    """``a`` and ``j`` where ``p`` is the atom ``a // 2**j``."""
    if len(p.terms) != 1:
        return None
    ((mono, c),) = p.terms.items()
    if len(mono) != 1 or c != 1 or ledger.reading.atoms[mono[0]].kind != "fd":
        return None
    a, b = ledger.reading.atoms[mono[0]].args
    power = b.constant() or 0
    return (a, power.bit_length() - 1) if power > 1 and not power & (power - 1) else None


def once(facts: Sequence[int | None]) -> list[tuple[int, int | None]]:
    return [(1, fact) for fact in facts]


def changes(p: Poly) -> set[int]:
    """The exponents of the powers of two that factors in ``p`` have."""
    return {(c & -c).bit_length() - 1 for mono, c in p.terms.items() if mono} - {0}


def content(p: Poly) -> int:
    """The exponent of the greatest power of two that divides ``p``."""
    bits = 0
    for c in p.terms.values():
        bits |= c
    return (bits & -bits).bit_length() - 1 if bits else 0


def blocks(ledger: Ledger) -> None:
    """Writes down what atoms ``a & b`` and quotients by powers of two are, by their parts."""
    parts = Blocks(ledger)
    for _ in range(MAX_ROUNDS):
        before = len(ledger.rules)
        parts.found.clear()
        parts.quotients()
        parts.conjunctions()
        if len(ledger.rules) == before:
            break
