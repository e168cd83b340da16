"""Small domains, point by point: the checker's own evaluator of questions.

Spec: ``spec/06b-solver.md``, ``sh/certificate``.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

from refrelax.shape_solver.checker.terms import MAX_SHIFT, Fuel, Question, Rejected, Term, dtype_range

MAX_POINTS = 500_000
MAX_WORK = 20_000_000
"""Nodes that are evaluated, at all points together, each once more for every word of its value."""
WORD = 64
MAX_BITS = 65_536
"""Bits of a value that is worked out."""

Span = tuple[int, int]
Env = Sequence[int]


class NoValue(Exception):
    """A division by zero, a negative shift count, or (``Overflow``) a step out of range."""


class Overflow(NoValue):
    """A step left the range that ``fits`` asks for."""


class TooLarge(Exception):
    """There is a value, but it is not computed."""


def _truncated(a: int, b: int) -> int:
    q = abs(a) // abs(b)
    return q if (a >= 0) == (b > 0) else -q


def _power(a: int, b: int) -> int:
    """``2**b``, the factor or divisor of ``a`` in a shift by ``b``."""
    if b < 0:
        raise NoValue
    if b > MAX_SHIFT and a:
        raise TooLarge
    return 1 << b if a else 1


BINARY: dict[str, Callable[[int, int], int]] = {
    "add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul": lambda a, b: a * b, "floordiv": lambda a, b: a // b,
    "floormod": lambda a, b: a - b * (a // b), "truncdiv": _truncated,
    "truncmod": lambda a, b: a - b * _truncated(a, b), "min": min, "max": max,
    "shl": lambda a, b: a * _power(a, b), "shr": lambda a, b: a // _power(a, b),
    "and": lambda a, b: a & b, "or": lambda a, b: a | b, "xor": lambda a, b: a ^ b,
}  # fmt: skip

COMPARED: dict[str, Callable[[int, int], bool]] = {
    "eq": lambda a, b: a == b, "ne": lambda a, b: a != b, "lt": lambda a, b: a < b, "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b, "ge": lambda a, b: a >= b,
}  # fmt: skip


def integer(e: Term, env: Env, fits: Span | None = None, fuel: Fuel | None = None) -> int:
    """The value of the integer ``e``, every step within ``fits``. ``fuel`` pays for long values.

    Raises:
        NoValue: it has none.
        TooLarge: it is not worked out.
        Rejected: ``fuel`` is at its end.
    """
    found = _integer(e, env, fits, fuel)
    if fits is not None and not fits[0] <= found <= fits[1]:
        raise Overflow
    bits = found.bit_length()
    if bits > MAX_BITS:
        raise TooLarge
    if bits >= WORD and fuel is not None:
        fuel.spend(bits // WORD)
    return found


def _integer(e: Term, env: Env, fits: Span | None, fuel: Fuel | None) -> int:
    match e:
        case ["const", number]:
            return int(number)
        case ["sym", int() as number]:
            return env[number]
        case ["select", c, a, b]:
            return integer(a if truth(c, env, fits, fuel) else b, env, fits, fuel)
        case ["wrap", dtype, a]:
            low, high = dtype_range(dtype)
            return (integer(a, env, fits, fuel) - low) % (high - low + 1) + low
        case ["abs", a]:
            return abs(integer(a, env, fits, fuel))
        case ["not", a]:
            return -integer(a, env, fits, fuel) - 1
        case [op, a, b]:
            x, y = integer(a, env, fits, fuel), integer(b, env, fits, fuel)
            try:
                return BINARY[op](x, y)
            except ZeroDivisionError:
                raise NoValue from None
    raise AssertionError(e)


def truth(e: Term, env: Env, fits: Span | None = None, fuel: Fuel | None = None) -> bool:
    """The value of the truth ``e``. Raises as ``integer``."""
    match e:
        case ["true"] | ["false"]:
            return bool(e == ["true"])
        case ["sym", number]:
            return bool(env[number])
        case ["not", a]:
            return not truth(a, env, fits, fuel)
        case ["and", a, b]:
            return truth(a, env, fits, fuel) and truth(b, env, fits, fuel)
        case ["or", a, b]:
            return truth(a, env, fits, fuel) or truth(b, env, fits, fuel)
        case ["implies", a, b]:
            return not truth(a, env, fits, fuel) or truth(b, env, fits, fuel)
        case ["iff", a, b]:
            return truth(a, env, fits, fuel) == truth(b, env, fits, fuel)
        case ["select", c, a, b]:
            return truth(a if truth(c, env, fits, fuel) else b, env, fits, fuel)
        case [str() as op, a, b]:
            return COMPARED[op](integer(a, env, fits, fuel), integer(b, env, fits, fuel))
    raise AssertionError(e)


def refutes(question: Question, env: Env, fuel: Fuel | None = None) -> bool:
    """Whether the assumptions hold at ``env`` and the claim does not.

    Raises:
        Rejected: that is not computed.
    """
    try:
        return _refutes(question, env, fuel)
    except TooLarge:
        raise Rejected(f"expected shifts by at most {MAX_SHIFT} and values of at most {MAX_BITS} bits") from None


def _refutes(question: Question, env: Env, fuel: Fuel | None) -> bool:
    try:
        if not all(truth(each, env, None, fuel) for each in question.assumptions):
            return False
    except NoValue:
        return False
    try:
        return not truth(question.claim, env, question.fits, fuel)
    except Overflow:
        return True
    except NoValue:
        return question.require


def counterexample(question: Question) -> tuple[int, ...] | None:
    """Values of the symbols that refute ``question``; ``None`` if there are none among all that its bounds leave.

    Raises:
        Rejected: these are too many, or not all are computed.
    """
    ranges = domain(question)
    if ranges is None:
        raise Rejected(f"expected at most {MAX_POINTS} points and {MAX_WORK} nodes at all of them together")
    fuel = Fuel(MAX_WORK)
    for point in itertools.product(*ranges):
        if refutes(question, point, fuel):
            return point
    return None


def few(question: Question) -> bool:
    """Whether the bounds of ``question`` leave few points, with values that are computed."""
    ranges = domain(question)
    terms = (question.claim, *question.assumptions)
    return ranges is not None and all(_computed(each, ranges) for each in terms)


def domain(question: Question) -> list[range] | None:
    """The values of each symbol that plain bounds leave; ``None`` if these are too many points."""
    total, result = 1, []
    found = bounds(question)
    for number, sort in enumerate(question.symbols):
        low, high = (0, 1) if sort == "bool" else found[number]
        if low is None or high is None:
            return None
        result.append(range(low, high + 1))
        total *= max(1, high + 1 - low)
    work = total * sum(map(_nodes, (question.claim, *question.assumptions)))
    return result if total <= MAX_POINTS and work <= MAX_WORK else None


def _nodes(e: Term) -> int:
    return 1 + sum(_nodes(part) for part in e[1:] if isinstance(part, list))


def _computed(e: Term, ranges: list[range]) -> bool:
    """Whether the form of every shift count in ``e`` keeps it small."""
    match e:
        case [("shl" | "shr"), a, b]:
            return _small(b, ranges) and _computed(a, ranges)
        case [_, *parts]:
            return all(_computed(part, ranges) for part in parts if isinstance(part, list))
    raise AssertionError(e)


def _small(e: Term, ranges: list[range]) -> bool:
    match e:
        case ["const", number] | ["floormod", _, ["const", number]]:
            return bool(number <= MAX_SHIFT)
        case ["sym", number]:
            return bool(ranges[number].stop <= MAX_SHIFT)
        case _:
            return False


MIRRORED = {"lt": "gt", "gt": "lt", "le": "ge", "ge": "le", "eq": "eq"}
Ends = tuple[int | None, int | None]


def bounds(question: Question) -> list[Ends]:
    """The values that assumptions of the form ``symbol <= constant`` leave to each symbol."""
    found: list[Ends] = [question.fits or (None, None)] * len(question.symbols)
    pending: list[Any] = list(question.assumptions)
    while pending:
        match pending.pop():
            case ["and", a, b]:
                pending += [a, b]
            case [op, ["sym", number], ["const", end]]:
                found[number] = _tightened(found[number], op, end)
            case [op, ["const", end], ["sym", number]]:
                found[number] = _tightened(found[number], MIRRORED.get(op, ""), end)
    return found


def _tightened(ends: Ends, op: str, end: int) -> Ends:
    low, high = ends
    if op in ("ge", "gt", "eq"):
        least = end + (op == "gt")
        low = least if low is None else max(low, least)
    if op in ("le", "lt", "eq"):
        greatest = end - (op == "lt")
        high = greatest if high is None else min(high, greatest)
    return low, high
