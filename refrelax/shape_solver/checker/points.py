"""Small domains, point by point: the checker's own evaluator of questions.

Spec: ``spec/06-shapes.md``, ``sh/certificate``.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from typing import Any

from refrelax.shape_solver.checker.reading import MAX_SHIFT, dtype_range
from refrelax.shape_solver.checker.steps import Expr, is_bool

MAX_POINTS = 500_000
NOT_COMPUTED = f"expected shifts by at most {MAX_SHIFT}"

Env = Mapping[str, int]


class NoValue(Exception):
    """A division by zero, a negative shift count, or (``Overflow``) a step out of range."""


class Overflow(NoValue):
    """A step left the range that ``fits`` asks for."""


class TooLarge(NoValue):
    """There is a value, but it is not computed."""


def _floor_remainder(a: int, b: int) -> int:
    return a - b * (a // b)


def _truncated(a: int, b: int) -> int:
    q = abs(a) // abs(b)
    return q if (a >= 0) == (b > 0) else -q


def _shift_left(a: int, b: int) -> int:
    if b < 0:
        raise NoValue
    if b > MAX_SHIFT and a:
        raise TooLarge
    return a * (1 << b) if a else 0


def _shift_right(a: int, b: int) -> int:
    if b < 0:
        raise NoValue
    return a // (1 << min(b, MAX_SHIFT))


OPERATORS: dict[str, Callable[[int, int], int]] = {
    "Add": lambda a, b: a + b, "Sub": lambda a, b: a - b, "Mul": lambda a, b: a * b, "FloorDiv": lambda a, b: a // b,
    "FloorMod": _floor_remainder, "Div": _truncated, "Mod": lambda a, b: a - b * _truncated(a, b), "Min": min,
    "Max": max, "EQ": lambda a, b: int(a == b), "NE": lambda a, b: int(a != b), "LT": lambda a, b: int(a < b),
    "LE": lambda a, b: int(a <= b), "GT": lambda a, b: int(a > b), "GE": lambda a, b: int(a >= b),
    "shift_left": _shift_left, "shift_right": _shift_right, "bitwise_and": lambda a, b: a & b,
    "bitwise_or": lambda a, b: a | b, "bitwise_xor": lambda a, b: a ^ b,
}  # fmt: skip


def value(e: Expr, env: Env, fits: tuple[int, int] | None = None) -> int:
    """The value of ``e``; truth values are 0 and 1.

    Raises:
        NoValue: it has none.
    """
    found = _value(e, env, fits)
    if fits is not None and not fits[0] <= found <= fits[1] and not is_bool(e):
        raise Overflow
    return found


def _value(e: Expr, env: Env, fits: tuple[int, int] | None) -> int:
    match e:
        case [("int" | "bool"), int() as number]:
            return number
        case ["sym", str() as name, _]:
            return env[name]
        case ["Not", a]:
            return 1 - value(a, env, fits)
        case ["And", a, b]:
            return value(b, env, fits) if value(a, env, fits) else 0
        case ["Or", a, b]:
            return 1 if value(a, env, fits) else value(b, env, fits)
        case ["if_then_else", c, a, b]:
            return value(a if value(c, env, fits) else b, env, fits)
        case ["Select", c, a, b]:
            chosen, x, y = value(c, env, fits), value(a, env, fits), value(b, env, fits)
            return x if chosen else y
        case ["Let", str() as name, bound, body]:
            return value(body, {**env, name: value(bound, env, fits)}, fits)
        case ["Cast", str() as target, _, a]:
            return _cast(target, value(a, env, fits))
        case ["likely", a]:
            return value(a, env, fits)
        case ["abs", a]:
            return abs(value(a, env, fits))
        case ["bitwise_not", a]:
            return -value(a, env, fits) - 1
        case [str() as op, a, b] if op in OPERATORS:
            x, y = value(a, env, fits), value(b, env, fits)
            try:
                return OPERATORS[op](x, y)
            except ZeroDivisionError:
                raise NoValue from None
    raise ValueError(f"expected an expression, found {e!r}"[:200])


def _cast(target: str, number: int) -> int:
    if target == "bool":
        return int(number != 0)
    low, high = dtype_range(target)
    return (number - low) % (high - low + 1) + low


def domain(question: Any) -> dict[str, range] | None:
    """The values of each symbol that plain bounds leave; ``None`` if these are too many points."""
    found: dict[str, str] = {}
    for e in (question["claim"], *question["assume"]):
        symbols(e, found)
    total, result = 1, {}
    for name, dtype in found.items():
        values = range(2) if dtype == "bool" else bounds(name, question["assume"], question["fits"])
        if values is None:
            return None
        result[name] = values
        total *= max(0, values.stop - values.start)
    return result if total <= MAX_POINTS else None


def few(question: Any) -> bool:
    """Whether the bounds of ``question`` leave few points, with values that are computed."""
    ranges = domain(question)
    return ranges is not None and all(_computed(e, ranges) for e in (question["claim"], *question["assume"]))


def _computed(e: Expr, ranges: Mapping[str, range]) -> bool:
    """Whether the form of every shift count in ``e`` keeps it small."""
    match e:
        case ["shift_left", a, b]:
            return _small(b, ranges) and _computed(a, ranges)
        case [_, *parts]:
            return all(_computed(part, ranges) for part in parts)
        case _:
            return True


def _small(e: Expr, ranges: Mapping[str, range]) -> bool:
    match e:
        case ["int", number] | ["FloorMod", _, ["int", number]]:
            return bool(number <= MAX_SHIFT)
        case ["sym", name, _]:
            return name in ranges and ranges[name].stop <= MAX_SHIFT
        case _:
            return False


def counterexample(question: Any) -> dict[str, int] | None:
    """A point that refutes ``question``; ``None`` if there is none among all that its bounds leave.

    Raises:
        ValueError: these are too many, or the question is malformed.
    """
    ranges = domain(question)
    if ranges is None:
        raise ValueError(f"expected at most {MAX_POINTS} points")
    for point in itertools.product(*ranges.values()):
        env = dict(zip(ranges, point))
        if refutes(question, env):
            return env
    return None


def refutes(question: Any, env: Env) -> bool:
    """Whether the assumptions hold at ``env`` and the claim does not.

    Raises:
        ValueError: that is not computed.
    """
    fits = None if question["fits"] is None else (question["fits"][0], question["fits"][1])
    try:
        if not all(value(each, env) for each in question["assume"]):
            return False
    except TooLarge:
        raise ValueError(NOT_COMPUTED) from None
    except NoValue:
        return False
    try:
        return not value(question["claim"], env, fits)
    except Overflow:
        return True
    except TooLarge:
        if fits is None:
            raise ValueError(NOT_COMPUTED) from None
        return True  # it is in no dtype
    except NoValue:
        return bool(question["division"] == "require")


def symbols(e: Expr, found: dict[str, str]) -> None:
    """Adds the symbols of ``e`` and their dtypes."""
    match e:
        case ["sym", name, dtype]:
            found.setdefault(name, dtype)
        case ["Let", name, value, body]:
            inner: dict[str, str] = {}
            symbols(body, inner)
            inner.pop(name, None)
            symbols(value, found)
            found.update({k: v for k, v in inner.items() if k not in found})
        case [_, *parts]:
            for part in parts:
                symbols(part, found)


MIRRORED = {"LT": "GT", "GT": "LT", "LE": "GE", "GE": "LE", "EQ": "EQ"}


def bounds(name: str, assume: list[Expr], fits: Any) -> range | None:
    """The values that comparisons of the bare symbol with constants leave."""
    low, high = (None, None) if fits is None else (fits[0], fits[1])
    pending = list(assume)
    while pending:
        match pending.pop():
            case ["And", a, b]:
                pending += [a, b]
            case [op, ["sym", found, _], ["int", end]] if found == name:
                low, high = _tightened(low, high, op, end)
            case [op, ["int", end], ["sym", found, _]] if found == name:
                low, high = _tightened(low, high, MIRRORED.get(op, ""), end)
    return None if low is None or high is None else range(low, high + 1)


def _tightened(low: int | None, high: int | None, op: str, end: int) -> tuple[int | None, int | None]:
    if op in ("GE", "GT", "EQ"):
        least = end + (op == "GT")
        low = least if low is None else max(low, least)
    if op in ("LE", "LT", "EQ"):
        greatest = end - (op == "LT")
        high = greatest if high is None else min(high, greatest)
    return low, high
