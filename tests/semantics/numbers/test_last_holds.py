"""``forms(…, last_holds=True)`` of ``log_softmax``: the sum in any order permits all that the two differences do, so
that a reading of sets need not ask for them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from refrelax.semantics.numbers.enclosure import enclosure
from refrelax.semantics.numbers.intervals import INF, Interval, as_interval
from refrelax.semantics.numbers.poison import poison
from refrelax.semantics.numbers.readings import ieee
from refrelax.semantics.numbers.strict import strict
from refrelax.syntax import bits, dtypes
from refrelax.testing.exactness import FORMATS
from tests.draws import draws

READINGS = {"enclosure": enclosure, "strict": strict}


def steps(f: Any, a: Any, t: Any, s: Any) -> Any:
    return f.sub(f.sub(a, t), s)


def in_any_order(f: Any, a: Any, t: Any, s: Any) -> Any:
    return f.reduce("add", [a, f.neg(t), f.neg(s)])


@st.composite
def payload(draw: st.DrawFn, dtype: str) -> Any:
    """A number, an interval between two, perhaps with a NaN or poison, or poison alone."""
    numbers = st.integers(0, 2 ** dtypes.bits(dtype) - 1).map(lambda k: bits.decode(dtype, k))
    small = st.sampled_from([0.0, -0.0, 1.0, -1.0, 2.0, 0.5, -3.0])
    number = st.one_of(numbers, small)
    kind = draw(st.sampled_from(["number", "number", "interval", "interval", "poison"]))
    if kind == "poison":
        return poison(draw(st.sampled_from(["x/a", "x/b"])))
    x, y = draw(number), draw(number)
    f: Any = enclosure().at(dtype)
    if kind == "number" or x != x or y != y:
        return x
    return f.legal(Interval(min(x, y), max(x, y), draw(st.booleans()), draw(st.sampled_from([None, None, "x/c"]))))


def said(x: Any) -> tuple[Any, ...]:
    held = as_interval(x)
    return (INF, -INF, held.nan, held.rule) if held.empty else (held.lo, held.hi, held.nan, held.rule)


@pytest.mark.thorough
@pytest.mark.parametrize("reading", READINGS)
@settings(max_examples=draws(300), deadline=None)
@given(st.data(), st.sampled_from(FORMATS))
def test_the_sum_in_any_order_holds_the_differences(reading: str, data: st.DataObject, dtype: str) -> None:
    f: Any = READINGS[reading]().at(dtype)
    a, t, s = (data.draw(payload(dtype)) for _ in range(3))
    wide = in_any_order(f, a, t, s)
    assert said(f.join([steps(f, a, t, s), wide])) == said(wide)
    assert said(f.forms(lambda *x: steps(f, *x), lambda *x: in_any_order(f, *x), last_holds=True)(a, t, s)) == said(
        wide
    )


def test_a_number_that_a_greater_one_swallows() -> None:
    """``2**52 - least - 2**52`` is 0 in one order, and the least number in another."""
    f: Any = enclosure().at("float64")
    wide = as_interval(in_any_order(f, 2.0**52, 5e-324, 2.0**52))
    assert wide.lo <= -5e-324 < 0.0 <= wide.hi


def test_a_format_without_a_zero_is_asked_for_both() -> None:
    """There a sum starts at the least number, and is no sum of what it is asked for."""
    f: Any = enclosure().at("float8_e8m0fnu")
    both = f.forms(lambda *x: steps(f, *x), lambda *x: in_any_order(f, *x), last_holds=True)(4.0, 2.0, 1.0)
    assert said(both) == said(f.join([steps(f, 4.0, 2.0, 1.0), in_any_order(f, 4.0, 2.0, 1.0)]))


def test_one_number_takes_the_first() -> None:
    f: Any = ieee().at("float32")
    assert f.forms(lambda x: x, lambda x: f.neg(x), last_holds=True)(1.0) == 1.0
