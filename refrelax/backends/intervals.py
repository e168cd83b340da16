"""Where every step of an index can lie: the no-overflow obligation, once for all sizes or at each launch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from refrelax.syntax.dtypes import integer_range, kind
from refrelax.syntax.scalars import Binary, BufferLoad, Cast, Intrinsic, Literal, Not, PrimExpr, SymVar, as_int, walk

LEAST, GREATEST = -(1 << 63), (1 << 63) - 1

NARROW = (1 << 31) - 1

SLACK = 4096
"""What the last step of a loop, or the rounding of a grid, may add to a count."""

Interval = tuple[int, int]


class Overflow(Exception):
    """Some step may leave int64."""


@dataclass(frozen=True, slots=True)
class UncheckedIndex:
    """An index left unchecked in a kernel: every step of it must fit for the sizes of the launch.

    ``domains``: the loop variables in scope, outermost first, with their ``(min, extent)``.
    """

    index: PrimExpr
    domains: tuple[tuple[str, PrimExpr, PrimExpr], ...]

    def fits(self, symbols: Mapping[str, Interval]) -> bool:
        """Whether no step leaves int64 for symbols in these ranges."""
        known = dict(symbols)
        try:
            for name, low, extent in self.domains:
                start, size = interval(low, known), interval(extent, known)
                known[name] = (start[0], max(start[0], start[1] + size[1] - 1))
            interval(self.index, known)
        except Overflow:
            return False
        return True

    def narrow(self, symbols: Mapping[str, Interval]) -> bool:
        """Whether every step that reads no memory stays within 32 bits for symbols in these ranges."""
        known = dict(symbols)
        try:
            for name, low, extent in self.domains:
                start, size = interval(low, known), interval(extent, known)
                known[name] = (start[0], max(start[0], start[1] + size[1] - 1))
                if start[1] + size[1] > NARROW - SLACK:
                    return False
            pure = (n for n in walk(self.index) if not any(isinstance(m, BufferLoad) for m in walk(n)))
            return all(low >= -NARROW and high <= NARROW for low, high in (interval(n, known) for n in pure))
        except Overflow:
            return False


def may_wrap(e: PrimExpr, domains: Mapping[str, tuple[PrimExpr, PrimExpr]]) -> bool:
    """Whether a step of integers may leave the range of its own dtype: an element wraps there, an index does not.

    ``domains``: the loop variables in scope, with their ``(min, extent)``; any other symbol may be anything.
    """
    if leaves_int64(e, domains):
        return True
    steps = [n for n in walk(e) if isinstance(n, Binary) and n.op in STEPS and kind(n.dtype) in ("int", "uint")]
    if not steps:
        return False
    try:
        known = _ranges(e, domains)
        for step in steps:
            (low_end, high_end), (least, greatest) = interval(step, known), integer_range(step.dtype)
            if low_end < least or high_end > greatest:
                return True
    except Overflow:
        return True
    return False


def leaves_int64(e: PrimExpr, domains: Mapping[str, tuple[PrimExpr, PrimExpr]]) -> bool:
    """Whether a number in ``e``, a literal or what a conversion of a negative one gives, may be greater than int64
    holds: no index of a backend is. ``domains``: as above."""
    numbers = [n for n in walk(e) if isinstance(n, Literal) and kind(n.dtype) == "uint"]
    if any((as_int(n) or 0) > GREATEST for n in numbers):
        return True
    casts = [n for n in walk(e) if isinstance(n, Cast) and n.dtype == "uint64"]
    if not casts:
        return False
    try:
        known = _ranges(e, domains)
        return any(low < 0 or high > GREATEST for low, high in (interval(n.value, known) for n in casts))
    except Overflow:
        return True


def _ranges(e: PrimExpr, domains: Mapping[str, tuple[PrimExpr, PrimExpr]]) -> dict[str, Interval]:
    """Where the symbols of ``e`` lie.

    Raises:
        Overflow: the bounds of a loop may leave int64.
    """
    known = {n.name: integer_range(n.dtype) for n in _symbols(e, domains) if kind(n.dtype) in ("int", "uint")}
    for name, (low, extent) in domains.items():
        start, size = interval(low, known), interval(extent, known)
        ends = known.get(name, (LEAST, GREATEST))
        known[name] = max(start[0], ends[0]), min(max(start[0], start[1] + size[1] - 1), ends[1])
    return known


STEPS = ("Add", "Sub", "Mul")


def _symbols(e: PrimExpr, domains: Mapping[str, tuple[PrimExpr, PrimExpr]]) -> list[SymVar]:
    bounds = [each for pair in domains.values() for each in pair]
    return [n for each in (e, *bounds) for n in walk(each) if isinstance(n, SymVar)]


def interval(e: PrimExpr, known: Mapping[str, Interval]) -> Interval:
    """An interval that holds every value of ``e``.

    Raises:
        Overflow: a step may leave int64, or nothing is known of a symbol.
    """
    match e:
        case Literal():
            number = as_int(e)
            assert number is not None
            return number, number
        case SymVar():
            if e.name not in known:
                raise Overflow
            return known[e.name]
        case Binary():
            return _within(_binary(e.op, interval(e.a, known), interval(e.b, known)))
        case Cast():
            return _converted(e, interval(e.value, known))
        case Not():
            interval(e.a, known)
            return 0, 1
        case Intrinsic(op="if_then_else", args=(c, a, b)):
            interval(c, known)
            return _hull(interval(a, known), interval(b, known))
        case _:
            raise Overflow


def _converted(e: Cast, inner: Interval) -> Interval:
    """``inner`` where nothing wraps, else all that the dtype holds."""
    if e.dtype == "bool":
        return 0, 1
    low, high = integer_range(e.dtype)
    return inner if low <= inner[0] and inner[1] <= high else _within((low, high))


def _within(found: Interval) -> Interval:
    if found[0] < LEAST or found[1] > GREATEST:
        raise Overflow
    return found


def _hull(a: Interval, b: Interval) -> Interval:
    return min(a[0], b[0]), max(a[1], b[1])


def _binary(op: str, a: Interval, b: Interval) -> Interval:
    match op:
        case "Add":
            return a[0] + b[0], a[1] + b[1]
        case "Sub":
            return a[0] - b[1], a[1] - b[0]
        case "Mul":
            products = [x * y for x in a for y in b]
            return min(products), max(products)
        case "Min":
            return min(a[0], b[0]), min(a[1], b[1])
        case "Max":
            return max(a[0], b[0]), max(a[1], b[1])
        case "FloorDiv" | "Div" if b[0] > 0:  # towards one side as each operand grows
            quotients = [x // y if op == "FloorDiv" or x >= 0 else -(-x // y) for x in a for y in b]
            return min(quotients), max(quotients)
        case "FloorDiv" | "Div":
            largest = max(abs(a[0]), abs(a[1]))
            return (0 if a[0] >= 0 and b[0] >= 0 else -largest - 1), largest
        case "FloorMod" | "Mod" if b[0] > 0:
            most = b[1] - 1
            return (0 if op == "FloorMod" or a[0] >= 0 else max(a[0], -most)), (most if a[0] < 0 else min(most, a[1]))
        case "FloorMod" | "Mod":
            largest = max(abs(b[0]), abs(b[1]))
            return (0 if (a[0] >= 0 and b[0] >= 0) or (op == "FloorMod" and b[0] >= 0) else -largest), largest
        case _:
            return 0, 1
