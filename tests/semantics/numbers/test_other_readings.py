"""``exact``, ``symbolic`` and ``guarded``."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from number_payloads import IEEE, ordinary, same

from refrelax.errors import Ended, InternalError
from refrelax.semantics.numbers import reading
from refrelax.semantics.numbers.exact import Unsupported
from refrelax.semantics.numbers.guarded import Box
from refrelax.semantics.numbers.symbolic import Symbolic


def polynomial(numerics: Any, dtype: str, items: list[float]) -> Any:
    """Something with every kind of operation that all readings have."""
    f = numerics.at(dtype)
    xs = [f.lit(x) for x in items]
    total = f.reduce("add", [f.mul(x, x) for x in xs])
    chosen = f.select(f.less(xs[0], xs[-1]), total, f.neg(total))
    return f.div(f.add(chosen, f.dot(xs, xs, dtype)), f.lit(4.0))


@given(st.lists(st.integers(-20, 20).map(float), min_size=1, max_size=6))
def test_exact_agrees_with_ieee_where_nothing_is_rounded(items: list[float]) -> None:
    assert polynomial(reading("exact"), "float64", items) == Fraction(polynomial(IEEE, "float64", items))


def test_exact_does_not_round_and_refuses_what_is_not_rational() -> None:
    f = reading("exact").at("float32")
    third = f.div(f.lit(1.0), f.lit(3.0))
    assert f.mul(third, f.lit(3.0)) == 1
    assert f.math("floor")(third) == 0
    assert reading("exact").at("int8").cast(f.lit(300.0), "float32").rule == "num/cast-range"
    for use in (lambda: f.math("exp")(third), lambda: f.div(third, f.lit(0.0)), lambda: f.math2("atan2")(third, third)):
        with pytest.raises(Unsupported):
            use()


def test_reassociated_reductions_are_one_term() -> None:
    numerics = Symbolic()
    f = numerics.at("float32")
    xs = [numerics.variable(name, "float32") for name in "abcd"]
    terms = {id(f.reduce("add", list(order))) for order in itertools.permutations(xs)}
    partial = f.begin("add", f.lit(0.0))
    for x in reversed(xs):
        partial = f.accumulate("add", partial, x)
    terms.add(id(f.settle(partial)))
    assert len(terms) == 1
    # outside of reductions the order is part of the meaning
    assert f.add(f.add(xs[0], xs[1]), xs[2]) is not f.add(xs[0], f.add(xs[1], xs[2]))
    assert f.add(xs[0], xs[1]) is f.add(xs[1], xs[0])
    assert f.sub(xs[0], xs[1]) is not f.sub(xs[1], xs[0])
    assert f.reduce("add", xs) is not f.reduce("add", xs[:3])
    assert f.mul(xs[0], f.lit(0.0)) is not f.mul(xs[0], f.lit(-0.0))


def test_terms_compute_constants_and_refuse_to_decide() -> None:
    numerics = Symbolic()
    f = numerics.at("float32")
    x = numerics.variable("x", "float32")
    assert f.add(f.lit(1.0), f.lit(2.0)) == 3.0
    assert f.dot([f.lit(1.0), x], [f.lit(2.0), x], "float32") is f.reduce("add", [f.mul(x, x), f.lit(2.0)])
    assert f.select(f.less(x, f.lit(0.0)), x, x) is x
    with pytest.raises(Ended) as ended:
        numerics.decide(f.less(x, f.lit(0.0)))
    assert ended.value.outcome.rule == "num/undetermined"


@given(st.lists(ordinary("float32"), min_size=1, max_size=6))
def test_guarded_computes_what_ieee_computes(items: list[float]) -> None:
    numerics = reading("guarded")
    boxed = polynomial(numerics, "float32", items)
    assert isinstance(boxed, Box)
    assert numerics.at("float32").to_bits(boxed) == IEEE.at("float32").to_bits(polynomial(IEEE, "float32", items))
    unboxed = numerics.at("int64").cast(numerics.at("float32").lit(5.0), "float32")
    assert numerics.to_index(unboxed, "int64") == 5
    assert same(IEEE.at("float32").lit(items[0]), items[0]) or items[0] == 0


MISUSES = [
    lambda f, a: a + 1, lambda f, a: 1 - a, lambda f, a: a < a, lambda f, a: a == a, lambda f, a: bool(a),
    lambda f, a: max(a, a),
    lambda f, a: sorted([a, a]), lambda f, a: sum([a, a]), lambda f, a: [1, 2][a], lambda f, a: float(a),
    lambda f, a: {a},
    lambda f, a: abs(a), lambda f, a: -a, lambda f, a: round(a), lambda f, a: a in [f.lit(1.0)],
    lambda f, a: f.add(a, 1.0),
    lambda f, a: f.lit(a), lambda f, a: f.select(True, a, a), lambda f, a: f.cast(a, "float64"),
]  # fmt: skip


@pytest.mark.parametrize("misuse", MISUSES)
def test_guarded_boxes_raise(misuse: Any) -> None:
    f = reading("guarded").at("float32")
    with pytest.raises(InternalError):
        misuse(f, f.lit(0.5))


def test_guarded_tells_dtypes_apart() -> None:
    numerics = reading("guarded")
    with pytest.raises(InternalError, match="float32 was expected, found one of float16"):
        numerics.at("float32").add(numerics.at("float32").lit(1.0), numerics.at("float16").lit(1.0))


def by_exponentials(x: float, dtype: str) -> float:
    """``tanh`` as a quotient of exponentials, each step rounded to the dtype."""
    f = IEEE.at(dtype)
    e = f.math("exp")(f.mul(f.lit(-2.0), f.lit(abs(x))))
    found = float(f.div(f.sub(f.lit(1.0), e), f.add(f.lit(1.0), e)))
    return found if x >= 0 else -found


@given(st.floats(-8, 8), st.sampled_from(("float16", "bfloat16", "float32", "float64")))
def test_tanh_may_be_a_quotient_of_exponentials(x: float, dtype: str) -> None:
    x = float(IEEE.at(dtype).lit(x))
    permitted = reading("enclosure").at(dtype).math("tanh")(x)
    low, high = (permitted, permitted) if isinstance(permitted, float) else (permitted.lo, permitted.hi)
    assert low <= by_exponentials(x, dtype) <= high
    assert low <= math.tanh(x) <= high or dtype != "float64"
    assert (low >= 0) if x > 0 else (high <= 0) if x < 0 else low == high == 0


def test_a_scan_of_terms_has_a_term_for_every_item() -> None:
    f: Any = reading("symbolic").at("float32")
    items = [f.lit(1.0), f.lit(2.5), f.lit(-3.0)]
    found = f.scan("add", items)
    assert len(found) == 3
    assert [repr(each) for each in found] == [repr(f.reduce("add", items[: k + 1])) for k in range(3)]


def test_a_fold_of_terms_keeps_what_it_begins_with() -> None:
    numerics = Symbolic()
    f = numerics.at("float32")
    x, y = numerics.variable("x", "float32"), numerics.variable("y", "float32")
    for op, first in (("add", 2.0), ("mul", 2.0), ("maximum", 2.0), ("add", 1.0), ("maximum", 1.0)):
        found = f.settle(f.accumulate(op, f.begin(op, f.lit(first)), x))
        assert found is f.reduce(op, [f.lit(first), x]) is not f.reduce(op, [x])
    assert f.settle(f.accumulate("mul", f.begin("mul", f.lit(1.0)), x)) is f.reduce("mul", [x])
    assert f.select(f.less(x, y), x, y) not in (x, y)


def test_a_choice_between_equals_stays_where_the_truth_may_be_poison() -> None:
    numerics = Symbolic()
    f = numerics.at("float32")
    x = numerics.variable("x", "float32")
    cast = numerics.at("int8").cast(x, "float32")
    truth = numerics.at("int8").less(cast, numerics.at("int8").lit(0))
    assert numerics.may_be_poison(truth) and f.select(truth, x, x) is not x
