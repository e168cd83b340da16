"""Forms of expressions of bits, read and written: powers of two, masks, quotients by them, conversions.

Spec: ``spec/06b-solver.md``, ``sh/bits``.
"""

from __future__ import annotations

from collections.abc import Iterator

from refrelax.shape_solver.core import each_once, integer, rebuilt
from refrelax.syntax.scalars import (
    Binary,
    Cast,
    Intrinsic,
    Literal,
    PrimExpr,
    Select,
    as_int,
    children,
    int_imm,
    literal_int,
)

BITWISE = frozenset({"bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_not"})
MAX_MOVED = 64
"""Places that bits are moved by."""


def is_bits(e: PrimExpr) -> bool:
    """Whether ``e`` is a bit operator, or some of the bits of one, or these moved by a number."""
    while True:
        match e:
            case Intrinsic(op) if op in BITWISE:
                return True
            case Intrinsic("shift_left" | "shift_right", (a, count)) if 0 <= number_or(as_int(count), -1) <= MAX_MOVED:
                e = a
            case Binary("FloorMod" | "FloorDiv" | "Mul", a, b) if is_two_to(as_int(b)):
                e = a
            case Cast(dtype, a) if dtype.startswith("uint"):
                e = a
            case _:
                return False


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


def zeros(e: PrimExpr) -> int:
    """``k`` where ``e`` has the form of a multiple of ``2**k``."""
    match e:
        case Intrinsic("shift_left", (_, b)) if (c := as_int(b)) is not None and c >= 0:
            return min(c, MAX_MOVED)
        case Binary("Mul", a, b):
            return zeros(a) + zeros(b)
        case _:
            c = as_int(e)
            return (c & -c).bit_length() - 1 if c else 0


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
        case Binary("FloorDiv", Binary("Min" | "Max" as op, a, b), c) if (number_or(as_int(c), 0)) > 0:
            return Binary(op, distributed(Binary("FloorDiv", a, c)), distributed(Binary("FloorDiv", b, c)))
        case _:
            return inner


def number_or(number: int | None, default: int) -> int:
    return default if number is None else number


def is_two_to(number: int | None) -> bool:
    return number is not None and number > 0 and number & (number - 1) == 0
