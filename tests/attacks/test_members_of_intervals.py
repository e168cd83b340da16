"""What an operation gives of members of sets is a member of what it gives of the sets, also where a result leaves the
format, loses its bits, or depends on the sign of a zero."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from refrelax.semantics.numbers import reading
from refrelax.semantics.numbers.enclosure import contains
from refrelax.semantics.numbers.intervals import Interval
from refrelax.semantics.numbers.poison import Poison
from refrelax.syntax import bits, dtypes
from tests.draws import draws

IEEE, ENCLOSURE, STRICT = reading("ieee"), reading("enclosure"), reading("strict")
Operation = Callable[..., Any]


def holds(wide: Any, dtype: str, x: Any) -> bool:
    return ENCLOSURE.poison_rule(wide) is not None if isinstance(x, Poison) else contains(wide, dtype, x)


FOUND: dict[str, tuple[str, Operation, list[Any], list[float]]] = {
    "one end of a difference is beyond a format without infinity": (
        "float8_e4m3fn",
        lambda f, a, b: f.sub(a, b),
        [-448.0, Interval(14.0, 20.0)],
        [-448.0, 14.0],
    ),
    "one end of a square is beyond a format without infinity": (
        "float8_e4m3fn",
        lambda f, a: f.mul(a, a),
        [Interval(-24.0, -0.02734375)],
        [-0.02734375],
    ),
    "a product of float64 that a sum brings back": (
        "float64",
        lambda f, a, b, c: f.fma(a, b, c),
        [2.9999999999999996, -8.988465674311579e307, Interval(-1.0, 8.98846567431158e307)],
        [2.9999999999999996, -8.988465674311579e307, 8.98846567431158e307],
    ),
    "a product that loses bits in the middle": (
        "float8_e4m3fnuz",
        lambda f, *xs: f.reduce("mul", list(xs)),
        [0.203125, Interval(0.0, 0.0029296875), -4.5],
        [0.203125, 0.0029296875, -4.5],
    ),
    "the sign of a zero": ("float32", lambda f, a, b: f.math2("copysign")(a, b), [4.0, 0.0], [4.0, -0.0]),
    "the sign of a NaN": ("float32", lambda f, a, b: f.math2("copysign")(a, b), [4.0, math.nan], [4.0, -math.nan]),
}


@pytest.mark.parametrize("name", FOUND)
def test_found(name: str) -> None:
    dtype, operation, sets, members = FOUND[name]
    wide = operation(ENCLOSURE.at(dtype), *sets)
    assert holds(wide, dtype, operation(IEEE.at(dtype), *members))
    if name == "the sign of a NaN":
        assert contains(wide, dtype, -4.0) and contains(wide, dtype, 4.0)
        assert operation(IEEE.at(dtype), 4.0, math.inf * 0.0) == 4.0  # (whose sign is the host's)


def test_a_strict_zero_keeps_its_sign() -> None:
    copysign = STRICT.at("float32").math2("copysign")
    assert copysign(4.0, -0.0) == -4.0
    assert copysign(4.0, 0.0) == 4.0


def test_a_zero_is_no_power_of_two() -> None:
    """``float8_e8m0fnu`` has a number for +0 and none for -0: a zero of either sign is both."""
    for a in (0.0, Interval(0.0, 1.0), Interval(-2.0, 0.0)):
        wide = ENCLOSURE.at("float8_e8m0fnu").cast(a, "float32")
        for zero in (0.0, -0.0):
            assert contains(wide, "float8_e8m0fnu", IEEE.at("float8_e8m0fnu").cast(zero, "float32"))


def test_a_dot_product_of_products_below_float64() -> None:
    """Two halves of the least number are one of them, in a wider format."""
    least = 5e-324
    wide = ENCLOSURE.at("float64").dot([-least, least], [0.5, -0.5], "float64")
    assert contains(wide, "float64", -least)
    wide = ENCLOSURE.at("float64").dot([Interval(-least, 0.0), Interval(0.0, least)], [0.5, -0.5], "float64")
    assert contains(wide, "float64", -least)
    of_a_zero = ENCLOSURE.at("float64").dot([0.0, 0.0], [-1.0, 3.0], "float64")
    assert of_a_zero == 0.0


BINARY = ("add", "sub", "mul", "div", "floordiv", "floormod", "mod", "maximum", "minimum")
OPERATIONS: dict[str, Operation] = {
    **{name: lambda f, a, b, c, name=name: getattr(f, name)(a, b) for name in BINARY},
    "square": lambda f, a, b, c: f.mul(a, a),
    "fma": lambda f, a, b, c: f.fma(a, b, c),
    "copysign": lambda f, a, b, c: f.math2("copysign")(a, b),
    "atan2": lambda f, a, b, c: f.math2("atan2")(a, b),
    "sum": lambda f, a, b, c: f.reduce("add", [a, b, c]),
    "product": lambda f, a, b, c: f.reduce("mul", [a, b, c]),
    "dot": lambda f, a, b, c: f.dot([a, b], [b, c], f.dtype),
}


@st.composite
def sets(draw: st.DrawFn, dtype: str) -> tuple[Any, Any]:
    """A set of numbers and a member."""
    f: Any = IEEE.at(dtype)
    pattern = st.integers(0, 2 ** dtypes.bits(dtype) - 1).map(f.from_bits)
    small = st.sampled_from([0.0, -0.0, 1.0, -1.0, 0.5, -3.0]).map(f.round)
    number = st.one_of(pattern, small).filter(lambda x: not isinstance(x, Poison) and x == x)
    x, y = draw(number), draw(number)
    if draw(st.booleans()):
        return x, x
    low, high = min(x, y), max(x, y)
    share = draw(st.floats(0, 1))
    member = f.round(low + (high - low) * share) if low - low == 0 == high - high else low
    member = member if not isinstance(member, Poison) and low <= member <= high else draw(st.sampled_from([low, high]))
    wide: Any = ENCLOSURE.at(dtype)
    return wide.legal(Interval(low, high)), member


@pytest.mark.thorough
@settings(max_examples=draws(400), deadline=None)
@given(st.data(), st.sampled_from(sorted(OPERATIONS)), st.sampled_from(list(bits.FORMATS)))
def test_members_stay_members(data: st.DataObject, name: str, dtype: str) -> None:
    if not bits.FORMATS[dtype].signed and name in ("copysign", "atan2"):
        return
    drawn = [data.draw(sets(dtype)) for _ in range(3)]
    wide = OPERATIONS[name](ENCLOSURE.at(dtype), *[a for a, _ in drawn])
    x = OPERATIONS[name](IEEE.at(dtype), *[m for _, m in drawn])
    assert holds(wide, dtype, x), (name, dtype, drawn, x, wide)
