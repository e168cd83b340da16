"""Membership and verdicts of ``enclosure``, and the permitted sets that are no interval around a number."""

from __future__ import annotations

import math

import pytest
from number_payloads import ENCLOSURE, IEEE, held

from refrelax.errors import InternalError, UsageError
from refrelax.semantics.numbers import READINGS, reading
from refrelax.semantics.numbers.bounds import PERMITTED_ULPS, RELAXATIONS, widest_decisive
from refrelax.semantics.numbers.enclosure import contains, enclose, judge
from refrelax.semantics.numbers.interface import MATH, MATH2
from refrelax.semantics.numbers.intervals import Interval
from refrelax.semantics.numbers.intsets import Ints, TruthSet, some
from refrelax.semantics.numbers.poison import poison
from refrelax.semantics.numbers.rounding import smallest, smallest_normal
from refrelax.semantics.numbers.truth import FALSE, TRUE
from refrelax.semantics.numbers.verdicts import Inside, Outside, Undecided


def test_every_function_has_a_bound() -> None:
    assert set(MATH) | set(MATH2) <= set(PERMITTED_ULPS)
    assert "flush-subnormals" in RELAXATIONS


def test_points_are_judged_exactly() -> None:
    assert judge(1.5, "float32", 1.5) == Inside(1.0)
    assert judge(1.5, "float32", 1.5 + 2.0**-23) == Outside((), 1.0)
    assert judge(1.5, "float32", 0x3FC00000) == Inside(1.0)  # an int is a bit pattern
    assert judge(math.nan, "float32", math.nan) == Inside(1.0)
    assert judge(math.nan, "float32", 1.0) == Outside((), math.inf)
    assert judge(1.0, "float32", math.nan) == Outside((), math.inf)
    assert judge(1.0, "float32", math.inf) == Outside((), math.inf)


def test_margins_and_distances() -> None:
    wide = Interval(1.0, 1.0 + 4 * 2.0**-23)
    assert judge(wide, "float32", 1.0 + 2 * 2.0**-23) == Inside(1.0)
    assert judge(wide, "float32", 1.0) == Inside(0.0)
    assert judge(wide, "float32", 1.0 + 6 * 2.0**-23) == Outside((), 2.0)


def test_wide_enclosures_are_never_agreement() -> None:
    wide = Interval(-1e-3, 1e-3)
    assert isinstance(judge(wide, "float32", 0.0), Undecided)
    assert isinstance(judge(wide, "float32", 0.0, scale=10.0), Inside)  # narrow beside the tensor's other elements
    assert isinstance(judge(wide, "float32", 0.1, scale=1e-9), Outside)  # outside is outside, however wide
    assert judge(Interval(0.0, math.inf), "float32", 1.0) == Undecided(math.inf)
    assert judge(Interval(1.0, 1.0, False, "st/never-written"), "float32", 1.0) == Undecided(math.inf)
    assert judge(poison("st/never-written"), "int8", 1) == Undecided(math.inf)
    assert isinstance(judge(TruthSet(True, True), "bool", 1), Undecided)
    assert widest_decisive(24) == 2.0**-8


def test_two_units_are_always_decisive() -> None:
    assert isinstance(judge(Interval(1.0, 1.5), "float8_e5m2", 1.25), Inside)


def test_integers_and_truths() -> None:
    assert judge(7, "int32", 7) == Inside(1.0)
    assert judge(7, "int32", 8) == Outside((), math.inf)
    assert judge(some([2, 5]), "int64", 5) == Inside(0.0)
    assert isinstance(judge(some([2, 5]), "int64", 5, scale=3.0), Undecided)
    assert judge(some([2, 5]), "int64", 3) == Outside((), math.inf)
    assert isinstance(judge(Ints(-128, 127), "int8", 3), Undecided)
    assert judge(TRUE, "bool", True) == Inside(1.0)
    assert judge(FALSE, "bool", True) == Outside((), math.inf)
    assert contains(-1, "int8", 255)  # the pattern of -1


def test_nan_is_a_choice_in_maximum() -> None:
    f = ENCLOSURE.at("float32")
    either = f.maximum(math.nan, 2.0)
    assert held(either, "float32", 2.0)
    assert held(either, "float32", math.nan)
    assert not held(either, "float32", 3.0)
    several = f.reduce("maximum", [5.0, math.nan, 3.0])
    assert held(several, "float32", 3.0)
    assert not held(several, "float32", 6.0)
    index = enclose(f.argreduce("maximum", [5.0, math.nan, 3.0]), "int64")
    assert isinstance(index, Ints)
    assert list(index.listed()) == [0, 1]


def test_order_gives_sets() -> None:
    f = ENCLOSURE.at("float32")
    near = f.math("log2")(2.0)
    values, positions = f.order([3.0, near, 1.0, 0.5])
    assert values[0] == 0.5
    assert values[3] == 3.0
    assert positions[0] == 3
    assert sorted(enclose(positions[1], "int64").listed()) == [1, 2]  # type: ignore[union-attr]
    assert f.order([2.0, 1.0, 2.0], True)[1] == [0, 2, 1]


def test_partial_results_collect_and_copies_stay_apart() -> None:
    f = ENCLOSURE.at("float32")
    shared = f.accumulate("add", f.begin("add", 0.0), 1.0)
    left, right = f.accumulate("add", shared, 2.0), f.accumulate("add", shared, 5.0)
    assert held(f.settle(left), "float32", 3.0)
    assert held(f.settle(right), "float32", 6.0)
    assert not held(f.settle(left), "float32", 6.0)
    mixed = f.accumulate("maximum", left, 10.0)
    assert held(f.settle(mixed), "float32", 10.0)


def test_half_precision_sum_needs_no_float32_if_none_is_promised() -> None:
    f, items = ENCLOSURE.at("float16"), [1.0] * 3000
    assert held(f.reduce("add", items), "float16", 2048.0)
    assert not held(f.reduce("add", items, "float32"), "float16", 2048.0)


def test_unsupported_uses_are_reported() -> None:
    with pytest.raises(InternalError):
        ENCLOSURE.at("float32").to_bits(Interval(0.0, 1.0))
    with pytest.raises(InternalError):
        bool(Interval(0.0, 1.0))
    with pytest.raises(UsageError, match="expected one of ieee"):
        reading("nothing")
    assert {name: make(0).name for name, make in READINGS.items()} == {name: name for name in READINGS}


def test_the_same_seed_is_the_same_implementation() -> None:
    items = [IEEE.at("float32").lit(k / 7) for k in range(40)]

    def run(seed: int) -> list[float]:
        f = reading("sampled", seed).at("float32")
        return [f.reduce("add", items) for _ in range(10)]

    assert run(3) == run(3)
    assert len(set(run(3))) > 1


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_sets_around_zero_are_measured_against_the_smallest_normal_number(dtype: str) -> None:
    """Below it the format's units are all of one size, and a set of a few of them tells as much as one around it."""
    unit, normal = smallest(dtype), smallest_normal(dtype)
    assert isinstance(judge(Interval(-4 * unit, 4 * unit), dtype, 0.0), Inside)
    assert isinstance(judge(Interval(-normal, normal), dtype, 0.0), Undecided)
    assert isinstance(judge(Interval(-4 * unit, 4 * unit), dtype, 5 * unit), Outside)
