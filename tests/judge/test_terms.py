"""Comparing terms at given shapes: zeros of both signs, groupings, what may be poison, what counts as compared."""

from __future__ import annotations

import pytest

from refrelax.errors import Ended
from refrelax.judge.terms import TermComparison
from refrelax.semantics.numbers.symbolic import Symbolic


def sums(reading: Symbolic, start: float, names: str) -> object:
    f = reading.at("float32")
    total = f.begin("add", f.lit(start))
    for name in names:
        total = f.accumulate("add", total, reading.variable(name, "float32"))
    return f.settle(total)


def test_a_sum_from_minus_zero_is_another_sum() -> None:
    reading = Symbolic()
    plus, minus = sums(reading, 0.0, "abc"), sums(reading, -0.0, "abc")
    assert not TermComparison(reading).equal(plus, minus)
    relaxed = TermComparison(reading, frozenset({"zero-sign"}))
    assert relaxed.equal(plus, minus) and relaxed.relaxations == {"zero-sign"}
    f = reading.at("float32")
    assert TermComparison(reading).equal(plus, f.reduce("add", [reading.variable(n, "float32") for n in "cab"]))


def test_a_sum_of_one_item_is_not_that_item() -> None:
    """(+0) + (-0) is +0."""
    reading = Symbolic()
    x = reading.variable("a", "float32")
    assert not TermComparison(reading).equal(sums(reading, 0.0, "a"), x)
    assert TermComparison(reading, frozenset({"zero-sign"})).equal(sums(reading, 0.0, "a"), x)
    assert reading.at("int32").reduce("add", [y := reading.variable("k", "int32")]) is y


def test_the_second_program_may_group_what_the_first_leaves_to_any_order() -> None:
    reading = Symbolic()
    f = reading.at("float32")
    a, b, c, d = (reading.variable(name, "float32") for name in "abcd")
    flat = f.reduce("add", [a, b, c, d])
    nested = f.reduce("add", [f.reduce("add", [a, b]), f.reduce("add", [c, d])])
    assert TermComparison(reading).equal(flat, nested)
    assert not TermComparison(reading).equal(nested, flat)
    relaxed = TermComparison(reading, frozenset({"reassociation"}))
    assert relaxed.equal(nested, flat) and relaxed.relaxations == {"reassociation"}


def test_a_choice_between_equals_keeps_a_condition_that_may_be_poison() -> None:
    reading = Symbolic()
    f, k = reading.at("float32"), reading.at("int32")
    x, y = reading.variable("x", "float32"), reading.variable("y", "float32")
    assert f.select(f.less(x, f.lit(0.0)), y, y) is y
    cast = k.less(k.cast(x, "float32"), k.lit(0))
    assert f.select(cast, y, y) is not y
    with pytest.raises(Ended) as ended:
        reading.decide(cast)
    assert not hasattr(ended.value.outcome, "rule")


def test_an_unknown_divisor_ends_the_run() -> None:
    reading = Symbolic()
    k = reading.at("int32")
    x = reading.variable("x", "int32")
    with pytest.raises(Ended):
        k.floordiv(x, reading.variable("y", "int32"))
    with pytest.raises(Ended):
        k.floormod(x, k.lit(0))
    assert k.floordiv(x, k.lit(3)) is k.floordiv(x, k.lit(3))
