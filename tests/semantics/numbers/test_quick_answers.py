"""When the arithmetic that is written out answers, and when it leaves a step to the general form: exhaustively over
a table of payloads, pair by pair. (``test_quick_ends.py`` draws numbers.)"""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import pytest

from refrelax.semantics.numbers import interval_ends, interval_floats
from refrelax.semantics.numbers.enclosure import enclosure
from refrelax.semantics.numbers.intervals import INF, Interval, as_interval
from refrelax.semantics.numbers.poison import poison

RULE = "num/cast-range"
NUMBERS = (0.0, -0.0, 1.0, -1.0, 3.0, -2.5, 2.0**-20, 65504.0, -65504.0, INF, -INF, float("nan"))
ENDS = (
    (-3.0, -1.0), (-1.0, 0.0), (-1.5, 2.0), (0.0, 2.0), (1.0, 3.0), (-0.5, 0.25), (-5.0, 4.0), (0.0, 0.0), (2.5, 2.5),
    (-65504.0, 60000.0), (2.0, INF), (-INF, 1.0), (-INF, INF),
)  # fmt: skip
PLAIN = [Interval(low, high) for low, high in ENDS]
MORE = [Interval(1.0, 3.0, True), Interval(-1.5, 2.0, False, RULE), Interval(INF, -INF, True, RULE), poison(RULE)]
PAYLOADS: list[Any] = [*NUMBERS, *PLAIN, *MORE]


def is_plain(x: Any) -> bool:
    return x.__class__ is float or (x.__class__ is Interval and not x.nan and x.rule is None)


def same(a: Any, b: Any) -> bool:
    x, y = as_interval(a), as_interval(b)
    return (x.lo, x.hi, x.nan, x.rule) == (y.lo, y.hi, y.nan, y.rule)


def finite(x: Interval) -> bool:
    return not x.nan and x.rule is None and x.lo > -INF and x.hi < INF


@pytest.mark.parametrize("dtype", ("float32", "float16"))
@pytest.mark.parametrize("name", ("add", "sub", "mul", "div"))
def test_a_step_is_left_to_the_general_form_for_its_reasons_only(name: str, dtype: str) -> None:
    f: Any = enclosure().at(dtype)
    general = getattr(interval_floats, f"{name}_ends")
    plain = dict.fromkeys(("add", "sub", "mul", "div"), lambda a, b: "plain")
    other = dict.fromkeys(("add", "sub", "mul", "div"), lambda a, b: "left")
    step: Any = interval_ends.quick(dtype, plain, other)[name]  # type: ignore[arg-type]
    for a, b in [*product(PAYLOADS, repeat=2), *((each, each) for each in PLAIN)]:
        found = step(a, b)
        if a.__class__ is b.__class__ is float:
            assert found == ("left" if name == "div" and b == 0 else "plain"), (a, b)
            continue
        wanted = as_interval(f._combine(as_interval(a), as_interval(b) if a is not b else None, general))
        left = not is_plain(a) or not is_plain(b) or not finite(wanted) or wanted.lo == wanted.hi == 0
        if name == "div":
            left = left or not finite(as_interval(b))
        assert found == "left" if left else same(found, wanted), (a, b, found, wanted)


@pytest.mark.parametrize("dtype", ("float32", "float16"))
def test_a_negative_is_left_for_its_reasons_only(dtype: str) -> None:
    f: Any = enclosure().at(dtype)
    neg: Any = interval_ends.negating(dtype, lambda a: "left")  # type: ignore[arg-type,return-value]
    for a in PAYLOADS:
        wanted = f._negated(a)
        left = a.__class__ is not Interval or not is_plain(a) or not finite(a) or a.lo == a.hi == 0
        assert neg(a) == "left" if left else same(neg(a), wanted), (a, neg(a), wanted)


def test_ends_of_items_and_of_products_are_theirs() -> None:
    for a, b in product(PAYLOADS, repeat=2):
        found, ends = interval_ends.products([a], [b]), interval_ends.finite_ends([a, b])
        usual = [as_interval(each) for each in (a, b)] if is_plain(a) and is_plain(b) else []
        if not usual or not all(map(finite, usual)):
            assert ends is None
        else:
            assert ends == ([usual[0].lo, usual[1].lo], [usual[0].hi, usual[1].hi])
            four = [Fraction(x) * Fraction(y) for x in (usual[0].lo, usual[0].hi) for y in (usual[1].lo, usual[1].hi)]
            assert found == ([float(min(four))], [float(max(four))]), (a, b, found)
        if not usual:
            assert found is None


@pytest.mark.parametrize("dtype", ("float32", "float16"))
def test_a_sum_of_few_is_left_for_its_reasons_only(dtype: str) -> None:
    """Two, three and four items; what is given is the sum that the general form gives."""
    f: Any = enclosure().at(dtype)
    few = [0.0, -0.0, 1.0, -2.5, 65504.0, INF, *PLAIN[:4], PLAIN[6], PLAIN[9], PLAIN[10], MORE[0], MORE[1], MORE[3]]
    for items in [*product(few, repeat=2), *product(few, repeat=3), *((x, y, 1.0, x) for x, y in product(few, few))]:
        found = f._sum(list(items))
        usual = all(map(is_plain, items)) and all(finite(as_interval(x)) for x in items)
        if found is None:
            continue
        assert usual, items
        assert same(found, f._reduce("add", list(items), None, False)), items
    wide = [x for x in few if is_plain(x) and finite(as_interval(x)) and abs(as_interval(x).lo) < 100]
    for items in product(wide, repeat=3):
        if any(x.__class__ is Interval and x.lo != x.hi for x in items):
            assert f._sum(list(items)) is not None, items
            assert f._sum([*items, 1.0]) is not None, items
