"""Bit operators and conversions as arithmetic, exact on all integers (two's complement without end).

Integers under ``^`` and ``&`` are a ring in which ``x & x == x`` and ``x ^ x == 0``. An expression of bit operators is
a polynomial in it: a set of products of *parts* (what is no bit operator), each under a constant mask. The polynomial
is unique; as arithmetic it is a sum over the sets of its products, ``a ^ b == a + b - 2 * (a & b)`` and so on. What is
left is ``a & b`` of parts that are no constants. A conversion to a dtype from ``l`` to ``h`` is
``(x - l) % (h - l + 1) + l``.

Spec: ``spec/06b-solver.md``, ``sh/bits``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import reduce

from refrelax.rules import rule
from refrelax.semantics.dims import NO_FACTS
from refrelax.semantics.dims.atoms import Atoms
from refrelax.semantics.dims.normal import normal
from refrelax.semantics.dims.poly import Poly, as_const, serial, sub
from refrelax.semantics.dims.ranges import interval
from refrelax.semantics.dims.spell import spell
from refrelax.shape_solver.context import Context
from refrelax.shape_solver.core import INT, each_once, integer, rebuilt
from refrelax.syntax.dtypes import integer_range
from refrelax.syntax.scalars import (
    Binary,
    Cast,
    Intrinsic,
    Literal,
    Not,
    PrimExpr,
    Select,
    SymVar,
    as_int,
    children,
    int_imm,
    literal_int,
)

BITWISE = frozenset({"bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_not"})
MAX_OPENED = 64
"""Bit operators opened in one claim."""

MAX_MOVED = 64
"""Places that bits are moved by."""

MAX_TERMS = 40
"""Products of one polynomial."""

MAX_ODD = 4
"""Products of the lowest bit of a sum, in place of it."""

MAX_JOINED = 8
"""Products whose sets are all summed, and terms of such a sum; with more, an operator is opened over its operands."""

Bits = dict[frozenset[int], int]
"""Products of parts by number, each with the mask over it (never 0; -1 is all bits). Their ``^`` is the value."""

NOTHING = Context()

Visit = Callable[[PrimExpr], PrimExpr]


def opened(e: PrimExpr, context: Context = NOTHING, moves: bool = True) -> PrimExpr:
    """``e`` with its conversions and its bit operators opened (the latter unless there are too many). ``context``: what
    is known of its symbols. ``moves``: whether a quotient of bit operators is one itself."""
    nodes = list(each_once(e))
    count = sum(1 for node in nodes if isinstance(node, Intrinsic) and node.op in BITWISE)
    if not count and not any(
        isinstance(node, Cast) or (isinstance(node, Binary) and node.op == "Div") for node in nodes
    ):
        return e
    ring = _Ring(context, {}, atoms=Atoms(context.facts)) if 0 < count <= MAX_OPENED else None
    return _Opening(ring, moves).visit(e)


@dataclass(slots=True)
class _Opening:
    ring: _Ring | None
    moves: bool
    known: dict[int, PrimExpr] = field(default_factory=dict)

    def visit(self, e: PrimExpr) -> PrimExpr:
        if isinstance(e, (SymVar, Literal)):
            return e
        if id(e) not in self.known:
            self.known[id(e)] = self.opened(e)
        return self.known[id(e)]

    def opened(self, e: PrimExpr) -> PrimExpr:
        if self.ring is not None and (found := self.compared(self.ring, e)) is not None:
            return found
        if self.ring is not None and (is_bits(e) if self.moves else isinstance(e, Intrinsic) and e.op in BITWISE):
            bits = self.ring.read(e, self.visit)
            if bits is not None and short(bits):
                return self.ring.spelled(bits)
        if self.ring is not None and self.moves and isinstance(e, Cast) and is_bits(e.value):
            bits = self.ring.read(e, self.visit)
            if bits is not None and short(bits):
                return self.ring.spelled(bits)
        inner = rebuilt(e, tuple(map(self.visit, children(e))))
        match inner:
            case Select(c, a, b) | Intrinsic("if_then_else", (c, a, b)) if a.dtype != "bool":
                return chosen(c, a, b) or inner
            case Cast(dtype, a):
                return wrapped(a, *integer_range(dtype))
            case Binary("Div", Binary("Div", a, b), c) if as_int(b) and as_int(c):
                return Binary("Div", a, integer(_or(as_int(b), 1) * _or(as_int(c), 1)))
            case Intrinsic(op, args) if self.ring is not None and op in BITWISE:
                return arithmetic(op, *args)
            case _:
                return inner

    def compared(self, ring: _Ring, e: PrimExpr) -> PrimExpr | None:
        """An equation of bit operators as one of what is left of both sides by ``^``, if that is less; ``a | b == 0``
        as two."""
        match e:
            case Binary("EQ" | "NE" as op, Intrinsic("bitwise_or", (a, b)), zero) if ring.read(zero, self.visit) == {}:
                x_zero, y_zero = (Binary("EQ", self.visit(part), int_imm(0)) for part in (a, b))
                neither = Binary("And", x_zero, y_zero)
                return neither if op == "EQ" else Not(neither)
            case Binary("EQ" | "NE" as op, a, b) if a.dtype != "bool" and (is_bits(a) or is_bits(b)):
                x, y = ring.read(a, self.visit), ring.read(b, self.visit)
                left = either(x, y)
                if x is None or y is None or left is None:
                    return None
                if left and all(mask == 1 for mask in left.values()) and ring.lowest(left) == {}:
                    return Binary(op, int_imm(0), int_imm(0))
                if len(left) == 2 < len(x) + len(y):  # the same bits on both sides are gone
                    one, other = left.items()
                    return Binary(op, ring.spelled(dict([one])), ring.spelled(dict([other])))
                if len(left) >= max(len(x), len(y)) or not short(left):
                    return None
                return Binary(op, ring.spelled(left), int_imm(0))
            case _:
                return None


def chosen(c: PrimExpr, a: PrimExpr, b: PrimExpr) -> PrimExpr | None:
    """``a if a < b else b`` as a minimum, and the like."""
    match c:
        case Binary("LT" | "LE" | "GT" | "GE" as op, x, y) if (x, y) in ((a, b), (b, a)):
            return Binary("Min" if (op in ("LT", "LE")) == ((x, y) == (a, b)) else "Max", a, b)
        case _:
            return None


def is_bits(e: PrimExpr) -> bool:
    """Whether ``e`` is a bit operator, or some of the bits of one, or these moved by a number."""
    while True:
        match e:
            case Intrinsic(op) if op in BITWISE:
                return True
            case Intrinsic("shift_left" | "shift_right", (a, count)) if 0 <= _or(as_int(count), -1) <= MAX_MOVED:
                e = a
            case Binary("FloorMod" | "FloorDiv" | "Mul", a, b) if _is_two_to(as_int(b)):
                e = a
            case Cast(dtype, a) if dtype.startswith("uint"):
                e = a
            case _:
                return False


def _or(number: int | None, default: int) -> int:
    return default if number is None else number


def _is_two_to(number: int | None) -> bool:
    return number is not None and number > 0 and number & (number - 1) == 0


@dataclass(slots=True)
class _Ring:
    """The parts of one expression, by number. A part that is the same polynomial as another is the same part."""

    context: Context
    numbers: dict[str, int]
    parts: list[PrimExpr] = field(default_factory=list)
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
            case Binary("FloorMod", a, b) if (c := as_int(b)) is not None and _is_two_to(c):
                return self.lowered(both(self.read(a, visit), constant(c - 1)))
            case Binary(("FloorDiv" | "Mul") as op, a, b) if (c := as_int(b)) is not None and _is_two_to(c):
                return self.moved(self.read(a, visit), c.bit_length() - 1 if op == "Mul" else 1 - c.bit_length())
            case Intrinsic(("shift_left" | "shift_right") as op, (a, b)) if 0 <= _or(as_int(b), -1) <= MAX_MOVED:
                c = _or(as_int(b), 0)
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
                self.within.setdefault(next(iter(product)), (high - low, number))
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
        known, first = self.numbers.get(serial(sub({(): -1}, own))), self.numbers[serial(own)]
        return None if known is None or known > first else {frozenset((known,)): self.whole[known]}

    def canonical(self, e: PrimExpr) -> Poly:
        """What tells parts apart."""
        return normal(distributed(self.context.image(e)), self.atoms)

    def number(self, e: PrimExpr) -> int:
        self.atoms.refuel()
        plain = normal(self.context.image(e), self.atoms)
        keys = [serial(self.canonical(e)), serial(plain)]
        number = next((self.numbers[key] for key in keys if key in self.numbers), len(self.parts))
        for key in keys:
            self.numbers.setdefault(key, number)
        if number == len(self.parts):
            self.parts.append(e)
            self.whole.append(self.reach(e))
        return number

    def reach(self, e: PrimExpr) -> int:
        """The bits that ``e`` can have: those below its greatest value, without the zeros that it ends in."""
        atoms = Atoms(self.context.facts)
        low, high = interval(normal(self.context.image(e), atoms), atoms)
        below = (1 << high.bit_length()) - 1 if low is not None and low >= 0 and high is not None else -1
        zeros = _zeros(e)
        return (below >> zeros << zeros) or -1

    # --- as arithmetic

    def spelled(self, bits: Bits) -> PrimExpr:
        """The value of a polynomial."""
        if bits.get(frozenset()) == -1:
            rest = {product: mask for product, mask in bits.items() if product}
            return Binary("Sub", integer(-1), self.spelled(rest)) if rest else integer(-1)
        first = next(iter(bits.values()), 0)
        if len(bits) > 1 and first > 0 and _is_two_to(first) and all(mask == first for mask in bits.values()):
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


def alone(single: list[PrimExpr], moduli: list[PrimExpr]) -> PrimExpr:
    """The ``&`` of powers of two and of the lowest bits below one: a power, if it is all of them and below."""
    if not single:
        return Binary("Sub", moduli[0], int_imm(1))
    first, *others = single
    value = first
    for power in others:
        value = Select(Binary("EQ", exponent(first), exponent(power)), value, int_imm(0))
    for power in moduli:
        value = Select(Binary("LT", exponent(first), exponent(power)), value, int_imm(0))
    return value


def exponent(power: PrimExpr) -> PrimExpr:
    """``k`` of ``1 << k``."""
    return children(power)[1]


def distributed(e: PrimExpr) -> PrimExpr:
    """``e`` with the quotient of a minimum by a positive number as the minimum of quotients."""
    if not any(isinstance(node, Binary) and node.op in ("Min", "Max") for node in each_once(e)):
        return e
    inner = rebuilt(e, tuple(map(distributed, children(e))))
    match inner:
        case Binary("FloorDiv", Binary("Min" | "Max" as op, a, b), c) if (_or(as_int(c), 0)) > 0:
            return Binary(op, distributed(Binary("FloorDiv", a, c)), distributed(Binary("FloorDiv", b, c)))
        case _:
            return inner


def constant(value: int) -> Bits:
    return {frozenset(): value} if value else {}


def either(x: Bits | None, y: Bits | None) -> Bits | None:
    """``x ^ y``."""
    if x is None or y is None:
        return None
    result = dict(x)
    for product, mask in y.items():
        left = result.pop(product, 0) ^ mask
        if left:
            result[product] = left
    return result if len(result) <= MAX_TERMS else None


def both(x: Bits | None, y: Bits | None) -> Bits | None:
    """``x & y``."""
    if x is None or y is None:
        return None
    result: Bits | None = {}
    for product, mask in x.items():
        for other, over in y.items():
            if mask & over:
                result = either(result, {product | other: mask & over})
    return result


def apart(x: Bits | None, y: Bits | None) -> bool:
    """Whether no bit is in both: then their sum is their ``^``."""
    return x is not None and y is not None and not any(mask & over for mask in x.values() for over in y.values())


def joined(bits: Bits) -> dict[tuple[frozenset[int], int], int]:
    """The ``^`` of products as a sum of products with factors: over each set of ``n`` of them, ``(-2) ** (n - 1)``
    times their ``&``."""
    total: dict[tuple[frozenset[int], int], int] = {}
    sets: list[tuple[frozenset[int], int, int]] = []
    for product, mask in bits.items():
        more = [(product, mask, 1)]
        more += [(product | other, mask & over, -2 * c) for other, over, c in sets if mask & over]
        sets += more
        for each, over, factor in more:
            total[each, over] = total.get((each, over), 0) + factor
    return {term: factor for term, factor in total.items() if factor}


def short(bits: Bits) -> bool:
    """Whether ``bits`` are a short sum."""
    rest = {product: mask for product, mask in bits.items() if product or mask != -1}
    return len(rest) <= MAX_JOINED and len(joined(rest)) <= MAX_JOINED


def arithmetic(op: str, a: PrimExpr, b: PrimExpr | None = None) -> PrimExpr:
    """One bit operator over opened operands."""
    if b is None:
        return Binary("Sub", integer(-1), a)
    common: PrimExpr = Intrinsic("bitwise_and", (a, b), INT)
    if op == "bitwise_and":
        return common
    return Binary("Sub", Binary("Add", a, b), common if op == "bitwise_or" else Binary("Mul", int_imm(2), common))


def has_moves(e: PrimExpr) -> bool:
    """Whether a part of ``e`` moves or cuts the bits of a bit operator."""
    return any(is_bits(node) and not (isinstance(node, Intrinsic) and node.op in BITWISE) for node in each_once(e))


def is_power(e: PrimExpr) -> bool:
    """Whether ``e`` has the form ``1 << k``."""
    return isinstance(e, Intrinsic) and e.op == "shift_left" and as_int(e.args[0]) == 1


def low_mask(e: PrimExpr) -> PrimExpr | None:
    """``1 << k`` where ``e`` has the form ``(1 << k) - 1``."""
    match e:
        case Binary("Sub", power, one) if as_int(one) == 1 and is_power(power):
            return power
        case Binary("Add", power, one) if as_int(one) == -1 and is_power(power):
            return power
        case Binary("Add", one, power) if as_int(one) == -1 and is_power(power):
            return power
        case _:
            return None


def wrapped(e: PrimExpr, low: int, high: int) -> PrimExpr:
    """``e`` wrapped into the range."""
    if isinstance(e, Literal):
        return integer((literal_int(e) - low) % (high - low + 1) + low)
    moved = Binary("Sub", e, integer(low)) if low else e
    rest: PrimExpr = Binary("FloorMod", moved, integer(high - low + 1))
    return Binary("Add", rest, integer(low)) if low else rest


def masked(a: PrimExpr, mask: int) -> PrimExpr:
    """``a & mask``; for a negative mask what is left when the bits outside of it are taken away."""
    if mask < 0:
        return Binary("Sub", a, masked(a, -mask - 1)) if mask != -1 else a
    result: PrimExpr | None = None
    for start, width in runs(mask):
        part = Binary("FloorDiv", a, integer(1 << start)) if start else a
        digit: PrimExpr = Binary("FloorMod", part, integer(1 << width))
        digit = Binary("Mul", digit, integer(1 << start)) if start else digit
        result = digit if result is None else Binary("Add", result, digit)
    return int_imm(0) if result is None else result


def runs(mask: int) -> Iterator[tuple[int, int]]:
    """First bit and length of each run of ones, the lowest first."""
    start = 0
    while mask >> start:
        if not mask >> start & 1:
            start += 1
            continue
        width = 1
        while mask >> (start + width) & 1:
            width += 1
        yield start, width
        start += width


def _zeros(e: PrimExpr) -> int:
    """``k`` where ``e`` has the form of a multiple of ``2**k``."""
    match e:
        case Intrinsic("shift_left", (_, b)) if (c := as_int(b)) is not None and c >= 0:
            return min(c, MAX_MOVED)
        case Binary("Mul", a, b):
            return _zeros(a) + _zeros(b)
        case _:
            c = as_int(e)
            return (c & -c).bit_length() - 1 if c else 0
