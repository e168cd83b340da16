"""A function of a set reaches from the least to the greatest result of its members, and as much further as is
permitted: in a format that is small enough to ask for all members."""

from __future__ import annotations

import math
from itertools import combinations_with_replacement, product
from typing import Any

import pytest

from refrelax.semantics.numbers import elementary, reading
from refrelax.semantics.numbers.bounds import ABSOLUTE, OF_ONE, PERMITTED_ULPS
from refrelax.semantics.numbers.functions import FUNCTIONS
from refrelax.semantics.numbers.interval_functions import NONNEGATIVE, Inflation
from refrelax.semantics.numbers.intervals import INF, Interval, as_interval
from refrelax.semantics.numbers.poison import Poison, poison
from refrelax.syntax import bits

SMALL = "float8_e3m4"
F: Any = reading("enclosure").at(SMALL)
NUMBERS = sorted({x for x in (bits.decode(SMALL, k) for k in range(256)) if x == x})
"""All of them, with both infinities, and one zero."""
ENDS = (-INF, -15.5, -4.75, -3.125, -1.0, -0.5, -0.015625, 0.0, 0.25, 1.0, 1.5, 3.25, 14.0, INF)
RANGES = [(a, b) for a, b in combinations_with_replacement(ENDS, 2) if (a, b) not in ((INF, INF), (-INF, -INF))]


def said(payload: Any) -> tuple[float, float, bool, str | None]:
    """A set as its ends, and what else it may be; no sign of a zero."""
    a = as_interval(payload)
    return (a.lo + 0.0, a.hi + 0.0, a.nan, a.rule)


def has_pole(a: float, b: float) -> bool:
    """Whether the tangent leaps between two numbers."""
    return math.floor(a / math.pi + 0.5) != math.floor(b / math.pi + 0.5)


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_of_a_set(name: str) -> None:
    correct, inflate = elementary.function(name, SMALL), Inflation(SMALL)
    results = [correct(x) for x in NUMBERS]
    for (a, b), (nan, rule) in product(RANGES, ((False, None), (True, "num/cast-range"))):
        of_members = results[NUMBERS.index(a) : NUMBERS.index(b) + 1]
        numbers = [x for x in of_members if x == x]
        nan_too = nan or len(numbers) < len(of_members)
        wanted: Any = Interval(INF, -INF, nan_too, rule)
        if (name == "rsqrt" and a <= 0 <= b) or (name == "tan" and (math.isinf(a) or math.isinf(b) or has_pole(a, b))):
            wanted = Interval(-INF, INF, nan_too, rule)
        elif FUNCTIONS[name].shape == "wave" and (math.isinf(a) or math.isinf(b)):
            wanted = inflate.around(name, -1.0, 1.0, rule, True)
        elif numbers:
            wanted = inflate.around(name, min(numbers), max(numbers), rule, nan_too)
        assert said(F.math(name)(Interval(a, b, nan, rule))) == said(wanted), (a, b, nan, rule)


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_of_a_number(name: str) -> None:
    """Exact where the standards say so, else as much around as is permitted."""
    correct, inflate, row = elementary.function(name, SMALL), Inflation(SMALL), FUNCTIONS[name]
    for x in (*NUMBERS, -0.0, math.nan):
        result = correct(x)
        is_pole = math.isinf(result) and (x == 0 or x in row.domain) and name != "rsqrt"
        is_exact = row.ulps == 0.5 or result != result or math.isinf(x) or is_pole or (x == 0 and result in (0.0, 1.0))
        wanted: Any = result if is_exact else inflate.around(name, result, result)
        if name == "rsqrt" and x == 0:
            wanted = Interval(-INF, INF)
        assert said(F.math(name)(x)) == said(wanted), x


def unit(dtype: str, x: float) -> float:
    """From a number of a format to the next one, within its range."""
    kind = bits.FORMATS[dtype]
    exponent = math.frexp(x)[1] - 1 if x else 1 - kind.bias
    return 2.0 ** (max(exponent, 1 - kind.bias) - kind.mantissa_bits)


def permitted(name: str, dtype: str, x: float, sign: int) -> float:
    """The last permitted result on one side of a result, which may be beyond the format."""
    largest = float(bits.largest_finite(dtype))
    if math.isinf(x):
        return x if x == sign * INF else math.copysign(largest, x) + sign * room(name, dtype, largest)
    end = x + sign * room(name, dtype, x)
    return sign * INF if sign * end > largest and bits.FORMATS[dtype].specials == "ieee" else end


def room(name: str, dtype: str, x: float) -> float:
    """How far a result may lie from the canonical one."""
    kind, ulps = bits.FORMATS[dtype], PERMITTED_ULPS[name]
    if ulps == 0.5:
        return 0.0
    if kind.mantissa_bits < 7:
        ulps = 1.0
    of_one = OF_ONE.get(name, 0.0) * unit(dtype, 1.0) / unit(dtype, x) if kind.mantissa_bits >= 7 else 0.0
    return (max(ulps, of_one) + 0.5) * unit(dtype, x) + ABSOLUTE.get(name, 0.0) * 2.0 ** (1 - kind.bias)


@pytest.mark.parametrize("dtype", ["float8_e3m4", "float8_e5m2", "bfloat16", "float16", "float32", "float8_e4m3fn"])
def test_how_far_around(dtype: str) -> None:
    inflate, largest = Inflation(dtype), float(bits.largest_finite(dtype))
    least = unit(dtype, 0.0)
    infinities = (-INF, INF) if bits.FORMATS[dtype].specials == "ieee" else ()
    ends = sorted({*infinities, *(s * x for x in (0.0, least, 2.0, 3.0, largest) for s in (-1, 1))})
    for name in ("exp", "tanh", "sigmoid", "erf", "log", "sqrt", "rsqrt", "sin", "softplus", "gelu", "hypot"):
        for low, high in combinations_with_replacement(ends, 2):
            a, b = permitted(name, dtype, low, -1), permitted(name, dtype, high, 1)
            keeps_sign = name == "tanh" or name in NONNEGATIVE
            if low >= 0 and keeps_sign:
                a = max(a, 0.0)
            if high <= 0 and name == "tanh":
                b = min(b, 0.0)
            nan = not infinities and b > largest
            for given, rule in ((False, None), (True, "num/cast-range")):
                found = inflate.around(name, low, high, rule, given)
                assert said(found) == said(Interval(a, b, nan or given, rule)), (name, low, high)
                if low == high and not given:
                    assert said(inflate.about(name)(low)) == said(found), (name, low)


@pytest.mark.parametrize("name", ["sin", "cos", "tan"])
def test_of_a_set_far_out(name: str) -> None:
    """Where the period is not reduced any more a set has all results, and a number one."""
    f, inflate = reading("enclosure").at("float64"), Inflation("float64")
    for x in (1.0, 2.0**20, 2.0**41):
        correct = elementary.function(name, "float64")
        one = correct(x)
        at = Interval(x, x, True)
        assert said(f.math(name)(at)) == said(inflate.around(name, one, one, None, True))
        for low, high in ((x, math.nextafter(x, INF)), (-math.nextafter(x, INF), -x)):
            found = said(f.math(name)(Interval(low, high)))
            if x > 2.0**40:
                everything = Interval(-INF, INF) if name == "tan" else inflate.around(name, -1.0, 1.0)
                assert found == said(everything)
            else:
                ends = sorted((correct(low), correct(high)))
                assert found == said(inflate.around(name, *ends))


def test_around_poison_is_everything() -> None:
    inflate = Inflation("float6_e3m2fn")
    for low, high in product((1.0, poison("num/no-nan"), poison("num/cast-range")), repeat=2):
        rules = [each.rule for each in (low, high) if isinstance(each, Poison)]
        for rule in (None, "num/other") if rules else ():
            found = inflate.around("exp", low, high, rule)
            assert said(found) == (-28.0, 28.0, False, rule or rules[0])


# --- two arguments ----------------------------------------------------------------------------------------------------

SIDES = (-INF, -1.0, -0.5, 0.0, 1.0, 2.0, INF)
PAIRS = [(a, b) for a, b in combinations_with_replacement(SIDES, 2)]


def within(a: float, b: float) -> list[float]:
    """Members of a set: its ends, what the table of ends has between them, and more near zero."""
    return [x for x in (*SIDES, -0.0, 1.5, 15.5, -15.5) if a <= x <= b]


def size(a: float, b: float) -> tuple[float, float]:
    """The least and the greatest magnitude."""
    sizes = [abs(x) for x in within(a, b)]
    return min(sizes), max(sizes)


@pytest.mark.parametrize("name", ["pow", "atan2", "hypot", "copysign", "nextafter", "fmod"])
def test_of_two_sets(name: str) -> None:
    correct, inflate, both = elementary.function2(name, SMALL), Inflation(SMALL), F.math2(name)
    known = {(x, y): correct(x, y) for x, y in product(within(-INF, INF), repeat=2)}
    for (a, b), (c, d) in product(PAIRS, repeat=2):
        lo, hi, nan, rule = said(both(Interval(a, b), Interval(c, d)))
        results = [known[x, y] for x in within(a, b) for y in within(c, d)]
        numbers = [r for r in results if r == r]
        assert rule is None
        assert nan or len(numbers) == len(results), (a, b, c, d)
        assert all(lo <= r <= hi for r in numbers), (a, b, c, d)
        match name:  # and no more than that
            case "pow" if (a > 0 and b < INF and c > -INF and d < INF) or (a <= 0 < c == d < INF and c == int(c)):
                wanted: Any = inflate.around(name, min(numbers), max(numbers))
            case "pow" if a == b == 0 and c == d and -INF < d < 0:  # the sign of a zero is open
                wanted = Interval(-INF, INF) if c == -1 else inflate.around(name, INF, INF)
            case "pow":
                wanted = Interval(0.0 if a > 0 else -INF, INF, a < 0)
            case "atan2" if a <= 0 <= b and c <= 0:
                wanted = inflate.around(name, -correct(0.0, -1.0), correct(0.0, -1.0))
            case "atan2" | "hypot":
                wanted = inflate.around(name, min(numbers), max(numbers))
            case "copysign":
                least, most = size(a, b)
                wanted = Interval(least if c > 0 else -most, -least if d < 0 else most)
            case "nextafter":
                low = a - unit(SMALL, a) if math.isfinite(a) else min(a, 15.5)  # whatever the other set holds
                wanted = Interval(low, b + unit(SMALL, b) if math.isfinite(b) else max(b, -15.5))
            case _:
                most = min(size(a, b)[1], size(c, d)[1])
                open_ = c <= 0 <= d or a == -INF or b == INF
                wanted = Interval(-most if a < 0 else 0.0, most if b > 0 else 0.0, open_)
        if (a, c) != (b, d):  # (two numbers are one, whose result is not around that of sets)
            assert (lo, hi, nan) == said(wanted)[:3], (a, b, c, d)


@pytest.mark.parametrize("name", ["pow", "atan2", "hypot", "copysign", "nextafter", "fmod"])
def test_of_two_numbers(name: str) -> None:
    """Exact where the function is, at infinities, and at a zero of a power; else as much around."""
    correct, inflate, both = elementary.function2(name, SMALL), Inflation(SMALL), F.math2(name)
    for x, y in product((*within(-INF, INF), 3.0, math.nan), repeat=2):
        result = correct(x, y)
        is_special = not math.isfinite(x) or not math.isfinite(y) or (name == "pow" and 0 in (x, y))
        wanted: Any = inflate.around(name, result, result)
        if name in ("nextafter", "fmod", "copysign") or result != result or is_special:
            wanted = result
        if name == "copysign" and x == x and (y != y or y == 0):  # the sign is open
            wanted = Interval(-abs(x), abs(x))
        if name == "atan2" and x == 0 and y <= 0:
            wanted = inflate.around(name, -correct(0.0, -1.0), correct(0.0, -1.0))
        if name == "pow" and x == 0 and y < 0:
            wanted = Interval(-INF, INF) if y == -1 else inflate.around(name, INF, INF)
        assert said(both(x, y)) == said(wanted), (x, y)
