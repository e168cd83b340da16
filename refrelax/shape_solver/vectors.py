"""How wide a word holds every value of a question, so that integers of that width are exact: for bit-vectors.

Symbols have bounds, or the question sees only their lowest bits: what is only added, multiplied, masked and then
wrapped into ``w`` bits is the same for ``x`` and ``x`` modulo ``2**w``.

Spec: ``spec/06b-solver.md``, ``sh/vectors``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from refrelax.rules import rule
from refrelax.shape_solver.core import each_once
from refrelax.syntax.dtypes import bits, integer_range
from refrelax.syntax.scalars import (
    Binary,
    Cast,
    Intrinsic,
    Literal,
    PrimExpr,
    Select,
    SymVar,
    as_int,
    children,
    literal_int,
)

Range = tuple[int, int]
Bounds = Mapping[str, tuple[int | None, int | None]]
MAX_WIDTH = 136
"""Bits of the widest words that are looked at: products of 64 bits and some more."""

RING = {"Add", "Sub", "Mul", "bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_not"}


def interesting(parts: Iterable[PrimExpr]) -> bool:
    """Whether a question is about bits at all: words say no more about other ones than arithmetic does."""
    for e in parts:
        for node in each_once(e):
            if isinstance(node, Cast) or (isinstance(node, Intrinsic) and node.op.startswith(("bitwise", "shift"))):
                return True
    return False


@rule("sh/vectors")
def words(parts: list[PrimExpr], bounds: Bounds, window: int | None = None) -> tuple[int, dict[str, Range]] | None:
    """The width of words that hold all values of ``parts``, and the range of each symbol; ``None`` if that is too
    wide.

    ``bounds``: what is known of the symbols. ``window``: how far from 0 the others are looked at, which is good for a
    counterexample only.
    """
    seen = demands(parts)
    ranges: dict[str, Range] = {}
    for name in dict.fromkeys(node.name for e in parts for node in each_once(e) if isinstance(node, SymVar)):
        low, high = bounds.get(name, (None, None))
        if low is None or high is None or high - low >= 1 << MAX_WIDTH:
            lowest = seen.get(name)
            if lowest is None and window is None:
                return None
            if lowest is not None:
                low, high = 0, (1 << lowest) - 1
            else:
                low, high = _near(low, high, window or 0)
        ranges[name] = low, high
    reach = Reach(ranges)
    if not all(reach.of(e) for e in parts):
        return None
    widest = max(max(high.bit_length(), (-low - 1).bit_length()) for low, high in reach.seen)
    return (widest + 2, ranges) if widest + 2 <= MAX_WIDTH else None


def _near(low: int | None, high: int | None, window: int) -> Range:
    """As much of a range as lies within a window at its end, or around 0."""
    if low is not None:
        return low, low + window if high is None else min(high, low + window)
    return (-window if high is None else high - window), (window if high is None else high)


def demands(parts: Iterable[PrimExpr]) -> dict[str, int]:
    """Symbols of which the question sees only so many of the lowest bits."""
    found: dict[str, int | None] = {}
    asked: dict[tuple[int, int | None], None] = {}
    pending: list[tuple[PrimExpr, int | None]] = [(e, None) for e in parts]
    while pending:
        e, wanted = pending.pop()
        if (id(e), wanted) in asked:
            continue
        asked[id(e), wanted] = None
        match e:
            case SymVar(name):
                known = found.get(name, 0)
                found[name] = None if wanted is None or known is None else max(known, wanted)
            case Cast(dtype, a):
                width = bits(dtype)
                pending.append((a, width if wanted is None else min(width, wanted)))
            case Binary("FloorMod", a, b) if (c := as_int(b)) is not None and c > 0 and c & (c - 1) == 0:
                pending.append((a, c.bit_length() - 1 if wanted is None else min(c.bit_length() - 1, wanted)))
            case Intrinsic("shift_left", (a, b)) if as_int(b) is not None:
                pending.append((a, wanted))
            case Intrinsic("bitwise_and", (a, b)) if (mask := _mask(a, b)) is not None:
                width = mask.bit_length()
                pending += [(part, width if wanted is None else min(width, wanted)) for part in (a, b)]
            case Binary() | Intrinsic() if e.op in RING:
                pending += [(part, wanted) for part in children(e)]
            case Select(c, a, b) | Intrinsic("if_then_else", (c, a, b)):
                pending += [(c, None), (a, wanted), (b, wanted)]
            case _:
                pending += [(part, None) for part in children(e)]
    return {name: wanted for name, wanted in found.items() if wanted is not None}


def _mask(a: PrimExpr, b: PrimExpr) -> int | None:
    """The constant operand of ``a & b`` that is not negative."""
    return next((c for part in (a, b) if (c := as_int(part)) is not None and c >= 0), None)


class Reach:
    """Ranges of integer parts, each object once; ``seen`` holds them all."""

    def __init__(self, ranges: Mapping[str, Range]) -> None:
        self.ranges = ranges
        self.known: dict[int, tuple[PrimExpr, Range | None]] = {}
        self.seen: list[Range] = [(0, 1)]

    def of(self, e: PrimExpr) -> Range | None:
        if id(e) not in self.known:
            inner = [self.of(part) for part in children(e)]
            found = None if None in inner else self.built(e, [each for each in inner if each is not None])
            if found is not None and max(abs(found[0]), abs(found[1])) >= 1 << MAX_WIDTH:
                found = None
            if found is not None:
                self.seen.append(found)
            self.known[id(e)] = e, found
        return self.known[id(e)][1]

    def built(self, e: PrimExpr, parts: list[Range]) -> Range | None:
        match e:
            case Literal():
                return literal_int(e), literal_int(e)
            case SymVar(name, dtype):
                return (0, 1) if dtype == "bool" else self.ranges[name]
            case _ if e.dtype == "bool" and not isinstance(e, Cast):
                return 0, 1
            case Cast(dtype):
                return integer_range(dtype)
            case Select() | Intrinsic("if_then_else"):
                return min(parts[1][0], parts[2][0]), max(parts[1][1], parts[2][1])
            case Intrinsic("abs", _):
                return 0, max(map(abs, parts[0]))
            case Intrinsic("bitwise_not", _):
                return -parts[0][1] - 1, -parts[0][0] - 1
            case Intrinsic(op, _):
                return _bit(op, *parts)
            case Binary(op):
                return _arithmetic(op, *parts)
            case _:
                return None


class Ranges(Reach):
    """Ranges of integer parts, ``None`` where they have no end; what is cut has the range that it is cut to."""

    @staticmethod
    def within(bounds: Bounds) -> Ranges:
        """``bounds``: what is known of symbols."""
        return Ranges({n: (low, high) for n, (low, high) in bounds.items() if low is not None and high is not None})

    def of(self, e: PrimExpr) -> Range | None:
        found = self.known.get(id(e))
        if found is None:
            cut = self.cut(e)
            whole = super().of(e) if cut is None and self.bounded(e) else cut
            found = self.known[id(e)] = e, whole
        return found[1]

    def bounded(self, e: PrimExpr) -> bool:
        return not isinstance(e, SymVar) or e.dtype == "bool" or e.name in self.ranges

    def cut(self, e: PrimExpr) -> Range | None:
        match e:
            case Cast(dtype) if dtype != "bool":
                return integer_range(dtype)
            case Binary("FloorMod", _, b) if c := as_int(b):
                return (0, c - 1) if c > 0 else (c + 1, 0)
            case Binary("Mod", _, b) if c := as_int(b):
                return 1 - abs(c), abs(c) - 1
            case Intrinsic("bitwise_and", (a, b)):
                masks = [c for part in (a, b) if (c := as_int(part)) is not None and c >= 0]
                return (0, min(masks)) if masks else None
            case _:
                return None

    def fixed(self, e: PrimExpr) -> bool:
        """Whether there is one value."""
        found = self.of(e)
        return found is not None and found[0] == found[1]

    def fits(self, e: PrimExpr, width: int) -> bool:
        found = self.of(e)
        return found is not None and -(1 << (width - 1)) <= found[0] and found[1] < 1 << width


def _bit(op: str, a: Range, b: Range) -> Range | None:
    if op in ("shift_left", "shift_right"):
        most = max(b[1], 0)
        if most > MAX_WIDTH:
            return None
        first, last = (a[0] << most, a[1] << most) if op == "shift_left" else (a[0] >> most, a[1] >> most)
        return min(a[0], first), max(a[1], last)
    width = max(end.bit_length() if end >= 0 else (-end - 1).bit_length() for end in (*a, *b))
    return (0 if a[0] >= 0 and b[0] >= 0 else -(1 << width)), (1 << width) - 1


def _arithmetic(op: str, a: Range, b: Range) -> Range | None:
    match op:
        case "Add":
            return a[0] + b[0], a[1] + b[1]
        case "Sub":
            return a[0] - b[1], a[1] - b[0]
        case "Mul":
            ends = [x * y for x in a for y in b]
            return min(ends), max(ends)
        case "Min":
            return min(a[0], b[0]), min(a[1], b[1])
        case "Max":
            return max(a[0], b[0]), max(a[1], b[1])
        case "FloorDiv" if b[0] == b[1] > 0:
            return a[0] // b[0], a[1] // b[0]
        case _:  # a quotient is no larger than its dividend (but for the sign), a remainder than the larger of both
            size = max(map(abs, (*a, *b))) + 1
            return -size, size
