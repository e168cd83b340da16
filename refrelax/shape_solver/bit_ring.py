"""The parts of expressions of bits, by number: expressions read as polynomials of them, and spelled as arithmetic.

Spec: ``spec/06b-solver.md``, ``sh/bits``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import reduce

from refrelax.rules import rule
from refrelax.semantics.dims import NO_FACTS
from refrelax.semantics.dims.atoms import Atoms
from refrelax.semantics.dims.normal import normal
from refrelax.semantics.dims.poly import Poly, as_const, serial, sub
from refrelax.semantics.dims.ranges import interval
from refrelax.semantics.dims.spell import spell
from refrelax.shape_solver.bit_forms import (
    MAX_MOVED,
    alone,
    distributed,
    exponent,
    is_bits,
    is_power,
    is_two_to,
    low_mask,
    masked,
    number_or,
    wrapped,
    zeros,
)
from refrelax.shape_solver.bit_products import Bits, apart, both, constant, either, joined
from refrelax.shape_solver.context import Context
from refrelax.shape_solver.core import INT, integer
from refrelax.shape_solver.defined import conditions
from refrelax.syntax.dtypes import integer_range
from refrelax.syntax.scalars import Binary, Cast, Intrinsic, Literal, PrimExpr, as_int, int_imm, literal_int

MAX_ODD = 4
"""Products of the lowest bit of a sum, in place of it."""

Visit = Callable[[PrimExpr], PrimExpr]


@dataclass(slots=True)
class Ring:
    """The parts of one expression, by number. A part that is the same polynomial as another is the same part, if the
    other needs no more to have a value: a guard may stand around that one."""

    context: Context
    numbers: dict[str, list[int]] = field(default_factory=dict)
    parts: list[PrimExpr] = field(default_factory=list)
    needs: list[frozenset[PrimExpr]] = field(default_factory=list)
    """What a part needs to have a value, that is not known to hold."""
    whole: list[int] = field(default_factory=list)
    """The bits that a part can have."""
    atoms: Atoms = field(default_factory=lambda: Atoms(NO_FACTS))
    remainders: dict[tuple[int, int], Bits | None] = field(default_factory=dict)
    """Parts modulo a power of two, where that is something else."""
    within: dict[int, tuple[int, int]] = field(default_factory=dict)
    """Parts that are conversions to a signed dtype: the ones of that width, and the part that was converted."""

    @rule("sh/bits")
    def read(self, e: PrimExpr, visit: Visit) -> Bits | None:
        """The polynomial of ``e``; ``None`` if it has too many products."""
        match e:
            case Literal():
                return constant(literal_int(e))
            case Intrinsic("bitwise_not", (a,)):
                return either(self.read(a, visit), constant(-1))
            case Intrinsic(("bitwise_and" | "bitwise_or" | "bitwise_xor") as op, (a, b)):
                x, y = self.read(a, visit), self.read(b, visit)
                common = both(x, y)
                if op == "bitwise_and":
                    return self.lowered(common)
                return either(x, y) if op == "bitwise_xor" else either(either(x, y), common)
            case Binary("FloorMod", a, b) if (c := as_int(b)) is not None and is_two_to(c):
                return self.lowered(both(self.read(a, visit), constant(c - 1)))
            case Binary(("FloorDiv" | "Mul") as op, a, b) if (c := as_int(b)) is not None and is_two_to(c):
                return self.moved(self.read(a, visit), c.bit_length() - 1 if op == "Mul" else 1 - c.bit_length())
            case Intrinsic(("shift_left" | "shift_right") as op, (a, b)) if 0 <= number_or(as_int(b), -1) <= MAX_MOVED:
                c = number_or(as_int(b), 0)
                return self.moved(self.read(a, visit), c if op == "shift_left" else -c)
            case Cast(dtype, a) if dtype.startswith("uint"):
                return self.lowered(both(self.read(a, visit), constant(integer_range(dtype)[1])))
            case Cast(dtype, a) if dtype.startswith("int"):
                return self.extended(self.read(a, visit), dtype)
            case Binary("Add", a, b) if is_bits(a) or is_bits(b):
                x, y = self.read(a, visit), self.read(b, visit)
                return either(x, y) if apart(x, y) else self.part(visit(e))
            case _:
                return self.part(visit(e))

    def moved(self, bits: Bits | None, by: int) -> Bits | None:
        """Every bit moved up, or down where ``by`` is negative."""
        result: Bits | None = {}
        for product, mask in (bits or {}).items():
            moved = constant(mask << by if by >= 0 else mask >> -by)
            for number in product:
                e = self.parts[number]
                scaled = (
                    Binary("Mul", e, integer(1 << by)) if by >= 0 else Binary("FloorDiv", e, integer(1 << -by))
                )  # fmt: skip
                moved = both(moved, self.part(scaled)) or {}
            result = either(result, moved)
        return None if bits is None else result

    def extended(self, bits: Bits | None, dtype: str) -> Bits | None:
        """The conversion to a signed dtype: its highest bit stands at all places above it, in each part."""
        low, high = integer_range(dtype)
        result: Bits | None = {}
        for product, mask in (bits or {}).items():
            kept = constant((mask - low) % (high - low + 1) + low)
            for number in product:
                if mask & -low:
                    kept = both(kept, self.sign_extended(number, low, high)) or {}
                else:
                    kept = both(kept, {frozenset((number,)): self.whole[number]}) or {}
            result = either(result, kept)
        return None if bits is None else self.lowered(result)

    def sign_extended(self, number: int, low: int, high: int) -> Bits:
        """The part ``number`` converted to the range."""
        while number in self.within and self.within[number][0] >= high - low:
            number = self.within[number][1]
        e = self.parts[number]
        atoms = Atoms(self.context.facts)
        least, greatest = interval(normal(self.context.image(e), atoms), atoms)
        if least is not None and greatest is not None and low <= least and greatest <= high:
            return self.part(e)
        bits = self.part(wrapped(e, low, high))
        match list(bits):
            case [product] if len(product) == 1 and number not in product:
                whole = next(iter(product))
                if self.needs[number] <= self.needs[whole]:
                    self.within.setdefault(whole, (high - low, number))
        return bits

    def lowered(self, bits: Bits | None) -> Bits | None:
        """Parts under masks of low bits as what was converted to more bits than these."""
        if bits is None:
            return bits
        result: Bits | None = {}
        for product, mask in bits.items():
            found: Bits | None = constant(mask)
            for number in product:
                while mask > 0 and number in self.within and mask <= self.within[number][0]:
                    number = self.within[number][1]
                kept = self.remainder(number, mask.bit_length()) if mask > 0 else None
                found = both(found, {frozenset((number,)): self.whole[number]} if kept is None else kept)
            if mask == 1 and any(isinstance(self.parts[number], Binary) for number in product):
                least = self.lowest({product: 1})
                if least is not None and len(least) <= MAX_ODD and all(len(each) <= len(product) for each in least):
                    found = least
            result = either(result, found)
        return result

    def remainder(self, number: int, width: int) -> Bits | None:
        """The part without what is a multiple of ``2**width``, if it has any."""
        if (number, width) not in self.remainders:
            self.atoms.refuel()
            p = normal(self.parts[number], self.atoms)
            half = 1 << (width - 1)
            kept = {mono: left for mono, c in p.items() if (left := (c + half) % (2 * half) - half)}
            spelled = None if kept == p else spell(kept, self.atoms, INT)
            if spelled is not None and not self.needed(spelled) <= self.needs[number]:
                spelled = None
            self.remainders[number, width] = None if spelled is None else self.part(spelled)
        return self.remainders[number, width]

    def lowest(self, bits: Bits) -> Bits | None:
        """The lowest bits of ``bits``, those of sums and products by those of their operands."""
        result: Bits | None = {}
        for product in bits:
            found: Bits | None = constant(1)
            for number in product:
                found = both(found, self.odd(self.parts[number]))
            result = either(result, found)
        return result

    def odd(self, e: PrimExpr) -> Bits | None:
        match e:
            case Binary("Add" | "Sub", a, b):
                return either(self.odd(a), self.odd(b))
            case Binary("Mul", a, b):
                return both(self.odd(a), self.odd(b))
            case _:
                return both(self.part(e), constant(1))

    def part(self, e: PrimExpr) -> Bits:
        """``e`` as it stands; ``-(1 << k)`` as ``~((1 << k) - 1)``."""
        self.atoms.refuel()
        value = as_const(self.canonical(e))
        if value is not None:
            return constant(value)
        match e:
            case Binary("Sub", zero, power) if as_int(zero) == 0 and is_power(power):
                return either(self.part(Binary("Sub", power, int_imm(1))), constant(-1)) or {}
            case _:
                number = self.number(e)
                if self.whole[number] != -1:
                    return {frozenset((number,)): self.whole[number]}
                opposite = self.opposite(e)
                if opposite is None:
                    return {frozenset((number,)): -1}
                return either(opposite, constant(-1)) or {}

    def opposite(self, e: PrimExpr) -> Bits | None:
        """The part that is ``-1 - e``, if it is there already: ``e`` is its ``~``."""
        self.atoms.refuel()
        own = self.canonical(e)
        needed = self.needed(e)
        known, first = self.known(serial(sub({(): -1}, own)), needed), self.known(serial(own), needed)
        return None if known is None or first is None or known > first else {frozenset((known,)): self.whole[known]}

    def canonical(self, e: PrimExpr) -> Poly:
        """What tells parts apart."""
        return normal(distributed(self.context.image(e)), self.atoms)

    def number(self, e: PrimExpr) -> int:
        self.atoms.refuel()
        plain = normal(self.context.image(e), self.atoms)
        keys, needed = [serial(self.canonical(e)), serial(plain)], self.needed(e)
        number = next((n for key in keys if (n := self.known(key, needed)) is not None), len(self.parts))
        if number == len(self.parts):
            self.parts.append(e)
            self.needs.append(needed)
            self.whole.append(self.reach(e))
        for key in keys:
            if number not in (numbers := self.numbers.setdefault(key, [])):
                numbers.append(number)
        return number

    def known(self, key: str, needed: frozenset[PrimExpr]) -> int | None:
        """The first part of this polynomial that has a value wherever ``needed`` holds."""
        return next((number for number in self.numbers.get(key, ()) if self.needs[number] <= needed), None)

    def needed(self, e: PrimExpr) -> frozenset[PrimExpr]:
        """What ``e`` needs to have a value, without what is known to hold."""
        asked = (self.context.image(each) for each in conditions(e))
        return frozenset(
            each for each in asked if each not in self.context.hypotheses and as_const(normal(each, self.atoms)) != 1
        )

    def reach(self, e: PrimExpr) -> int:
        """The bits that ``e`` can have: those below its greatest value, without the zeros that it ends in."""
        atoms = Atoms(self.context.facts)
        low, high = interval(normal(self.context.image(e), atoms), atoms)
        below = (1 << high.bit_length()) - 1 if low is not None and low >= 0 and high is not None else -1
        low_zeros = zeros(e)
        return (below >> low_zeros << low_zeros) or -1

    # --- as arithmetic

    def spelled(self, bits: Bits) -> PrimExpr:
        """The value of a polynomial."""
        if bits.get(frozenset()) == -1:
            rest = {product: mask for product, mask in bits.items() if product}
            return Binary("Sub", integer(-1), self.spelled(rest)) if rest else integer(-1)
        first = next(iter(bits.values()), 0)
        if len(bits) > 1 and first > 0 and is_two_to(first) and all(mask == first for mask in bits.values()):
            return self.parity(bits, first)
        return self.summed(joined(bits))

    def parity(self, bits: Bits, mask: int) -> PrimExpr:
        """The ``^`` of single bits at one place: their sum modulo 2."""
        total: PrimExpr = integer(1 if frozenset() in bits else 0)
        for product in sorted(filter(None, bits), key=sorted):
            value = reduce(lambda a, b: Intrinsic("bitwise_and", (a, b), INT), [self.parts[n] for n in sorted(product)])
            total = Binary("Add", total, Binary("FloorDiv", value, integer(mask)) if mask > 1 else value)
        bit = Binary("FloorMod", total, int_imm(2))
        return Binary("Mul", bit, integer(mask)) if mask > 1 else bit

    def order(self, term: tuple[frozenset[int], int]) -> tuple[int, list[int], int]:
        return len(term[0]), sorted(term[0]), term[1]

    def summed(self, terms: dict[tuple[frozenset[int], int], int]) -> PrimExpr:
        total: PrimExpr | None = None
        for (product, mask), factor in sorted(terms.items(), key=lambda each: self.order(each[0])):
            value = self.product(product, mask)
            size = value if abs(factor) == 1 else Binary("Mul", value, integer(abs(factor)))
            if total is None:
                total = size if factor > 0 else Binary("Sub", int_imm(0), size)
            else:
                total = Binary("Add" if factor > 0 else "Sub", total, size)
        return int_imm(0) if total is None else total

    def product(self, product: frozenset[int], mask: int) -> PrimExpr:
        """The parts under ``&`` and the mask. ``x & (1 << k) - 1`` is ``x % (1 << k)``, ``x & 1 << k`` is
        ``x // (1 << k) % 2 * (1 << k)``."""
        if not product:
            return integer(mask)
        covered = reduce(int.__and__, (self.whole[number] for number in product))
        plain, moduli, single = [], [], []
        for number in sorted(product):
            e = self.parts[number]
            if (power := low_mask(e)) is not None:
                moduli.append(power)
            elif is_power(e):
                single.append(e)
            else:
                plain.append(e)
        if len(moduli) > 1:  # modulo the least of them
            least = reduce(lambda a, b: Binary("Min", a, b), map(exponent, moduli))
            moduli = [Intrinsic("shift_left", (int_imm(1), least), INT)]
        if not plain:
            plain = [alone(single, moduli)]
            single, moduli = [], []
        value = reduce(lambda a, b: Intrinsic("bitwise_and", (a, b), INT), plain)
        if mask & covered != covered:
            value = masked(value, mask)
        for power in moduli:
            value = Binary("FloorMod", value, power)
        for power in single:
            bit = Binary("FloorMod", Binary("FloorDiv", value, power), int_imm(2))
            value = Binary("Mul", bit, power)
        return value
