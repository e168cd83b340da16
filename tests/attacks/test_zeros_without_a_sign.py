"""A zero that is computed keeps no sign, and the sign decides which infinity an odd negative power of it is, and which
half turn the angle of a point left of it."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from refrelax.semantics.numbers import reading
from refrelax.semantics.numbers.enclosure import contains
from refrelax.semantics.numbers.intervals import INF, Interval, as_interval
from refrelax.semantics.numbers.intsets import truths
from refrelax.semantics.numbers.strict import sign_kept, strict
from refrelax.semantics.numbers.truth import FALSE, TRUE


def zero(name: str) -> Any:
    """A zero that is computed."""
    f: Any = reading(name).at("float32")
    return f.math("trunc")(f.sub(f.math("exp")(1.0), f.math("exp")(1.0)))


@pytest.mark.parametrize("power", [-3.0, -1.0, -2.0])
def test_both_infinities_are_permitted(power: float) -> None:
    enclosed, canonical = (
        reading(name).at("float32").math2("pow")(zero(name), power) for name in ("enclosure", "ieee")
    )
    assert contains(enclosed, "float32", canonical)
    for each in (0.0, -0.0):
        found = as_interval(reading("enclosure").at("float32").math2("pow")(each, power))
        assert (found.lo == -INF, found.hi, found.nan) == (power != -2.0, INF, False)


@pytest.mark.parametrize("left", [-INF, -2.0, -0.0])
def test_both_half_turns_are_permitted(left: float) -> None:
    exact, permitted = (reading(name).at("float32").math2("atan2") for name in ("ieee", "enclosure"))
    for each, other in product((0.0, -0.0, zero("enclosure")), (0.0, -0.0)):
        assert contains(permitted(each, left), "float32", exact(other, left)), (each, other)


@pytest.mark.parametrize(("a", "b"), [(2.0, INF), (0.5, -INF), (INF, 2.0), (-INF, 3.0), (-2.0, INF)])
def test_an_infinity_of_an_infinity_is_exact(a: float, b: float) -> None:
    for name in ("pow", "hypot"):
        wanted = reading("ieee").at("float32").math2(name)(a, b)
        assert reading("enclosure").at("float32").math2(name)(a, b) == wanted in (INF, -INF)


def test_a_zero_of_either_sign_stays_one_where_signs_count() -> None:
    f: Any = strict().at("float32")
    either = Interval(0.0, 0.0)
    for found in (
        f.order([either])[0][0], f.order([either, -0.0, 3.0])[0][1], f.select(truths(True, True), 0.0, -0.0),
        f.select(truths(True, True), either, 0.0), f.either(lambda: 0.0, lambda: -0.0),
        f.forms(lambda x, y: x, lambda x, y: y)(0.0, -0.0),
        f.forms(lambda x: x, lambda x: -x, lambda x: x)(0.0),
    ):  # fmt: skip
        assert sign_kept(found, 0.0) and sign_kept(found, -0.0)
    for found in (
        f.order([-0.0, 1.0])[0][0],
        f.select(truths(True, True), -0.0, -0.0),
        f.either(lambda: -0.0, lambda: -0.0),
    ):
        assert sign_kept(found, -0.0) and not sign_kept(found, 0.0)
    assert f.select(TRUE, -0.0, 0.0) == 0 and not sign_kept(f.select(TRUE, -0.0, 0.0), 0.0)
    assert not sign_kept(f.select(FALSE, 0.0, -0.0), 0.0)
