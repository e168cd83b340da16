"""Bit operators and conversions as arithmetic, exact on all integers (two's complement without end).

``a | b = a + b - (a & b)``, ``a ^ b = a + b - 2 * (a & b)``, ``~a = -a - 1``, and ``a & c`` for a constant ``c`` is
a sum of ``a // 2**k % 2**w * 2**k``, one for each run of ``w`` ones in ``c`` from bit ``k``. What is left is
``a & b`` of two expressions that are no constants. A conversion to a dtype from ``l`` to ``h`` is
``(x - l) % (h - l + 1) + l``.

Spec: ``spec/06-shapes.md``, ``sh/bits``.
"""

from __future__ import annotations

from collections.abc import Iterator

from refrelax.rules import rule
from refrelax.shape_solver.core import each_once, integer, mapped
from refrelax.syntax.dtypes import integer_range
from refrelax.syntax.scalars import Binary, Cast, Intrinsic, Literal, PrimExpr, as_int, int_imm, literal_int

BITWISE = frozenset({"bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_not"})
MAX_OPENED = 64
"""Bit operators opened in one claim: each mentions its operands twice."""


def opened(e: PrimExpr) -> PrimExpr:
    """``e`` with its conversions and its bit operators opened (the latter unless there are too many)."""
    count = sum(1 for node in each_once(e) if isinstance(node, Intrinsic) and node.op in BITWISE)

    def change(node: PrimExpr) -> PrimExpr:
        match node:
            case Cast(dtype, a):
                return wrapped(a, *integer_range(dtype))
            case Intrinsic(op, args) if op in BITWISE and count <= MAX_OPENED:
                return bitwise(op, *args)
            case _:
                return node

    return mapped(e, change)


def wrapped(e: PrimExpr, low: int, high: int) -> PrimExpr:
    """``e`` wrapped into the range."""
    if isinstance(e, Literal):
        return integer((literal_int(e) - low) % (high - low + 1) + low)
    moved = Binary("Sub", e, integer(low)) if low else e
    rest: PrimExpr = Binary("FloorMod", moved, integer(high - low + 1))
    return Binary("Add", rest, integer(low)) if low else rest


@rule("sh/bits")
def bitwise(op: str, *args: PrimExpr) -> PrimExpr:
    """One bit operator over opened operands."""
    if op == "bitwise_not":
        return Binary("Sub", Binary("Sub", int_imm(0), args[0]), int_imm(1))
    a, b = args
    common = conjunction(a, b)
    match op:
        case "bitwise_and":
            return common
        case "bitwise_or":
            return Binary("Sub", Binary("Add", a, b), common)
        case _:
            return Binary("Sub", Binary("Add", a, b), Binary("Mul", int_imm(2), common))


def conjunction(a: PrimExpr, b: PrimExpr) -> PrimExpr:
    """``a & b``: digits of one where the other is a constant, nothing where one is below the other's lowest bit."""
    x, y = as_int(a), as_int(b)
    if x is not None and y is not None:
        return integer(x & y)
    if y is not None:
        return masked(a, y)
    if x is not None:
        return masked(b, x)
    for low, high in ((a, b), (b, a)):
        width = _width(low)
        if width is not None and width <= _zeros(high):
            return int_imm(0)
    return Intrinsic("bitwise_and", (a, b), "int64")


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


def _width(e: PrimExpr) -> int | None:
    """``k`` where ``e`` has the form of a number from 0 to below ``2**k``."""
    match e:
        case Binary("FloorMod", _, b) if (c := as_int(b)) is not None and c > 0:
            return (c - 1).bit_length()
        case _:
            return None


def _zeros(e: PrimExpr) -> int:
    """``k`` where ``e`` has the form of a multiple of ``2**k``."""
    match e:
        case Intrinsic("shift_left", (_, b)) if (c := as_int(b)) is not None and c >= 0:
            return c
        case Binary("Mul", a, b):
            return _zeros(a) + _zeros(b)
        case _:
            c = as_int(e)
            return (c & -c).bit_length() - 1 if c else 0
