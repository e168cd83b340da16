"""``forms`` is ``either`` of functions of the same arguments, in every reading."""

from __future__ import annotations

import inspect
import pkgutil
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import pytest

from refrelax.semantics import numbers
from refrelax.semantics.numbers.enclosure import enclosure
from refrelax.semantics.numbers.ideal import DOUBLE, ideal
from refrelax.semantics.numbers.ieee import ieee
from refrelax.semantics.numbers.intervals import Interval
from refrelax.semantics.numbers.poison import poison
from refrelax.semantics.numbers.sampled import sampled
from refrelax.semantics.ops.meaning import symbolic

NAN = Interval(1.0, 2.0, True)
ENCLOSED = (1.0, -0.0, 0.0, Interval(1.0, 3.0), Interval(-1.0, 2.0), NAN, poison("st/never-written"))


def arithmetics() -> Iterator[type]:
    modules = [import_module(f"{numbers.__name__}.{each.name}") for each in pkgutil.iter_modules(numbers.__path__)]
    for module in (*modules, symbolic):
        yield from (c for c in vars(module).values() if inspect.isclass(c) and c.__module__ == module.__name__)


def test_whoever_says_what_either_is_says_it_of_functions() -> None:
    both = [("either" in vars(c), "forms" in vars(c), c.__name__) for c in arithmetics()]
    assert [name for one, other, name in both if one != other] == []
    assert sum(one for one, _, _ in both) >= 8


@pytest.mark.parametrize("count", [1, 2, 3])
@pytest.mark.parametrize("a", ENCLOSED)
@pytest.mark.parametrize("b", ENCLOSED)
def test_an_enclosure_holds_every_form(count: int, a: Any, b: Any) -> None:
    f = enclosure().at("float32")
    functions = [lambda x, y: x, lambda x, y: y, lambda x, y: f.lit(5)][:count]
    found = f.forms(*functions)(a, b)
    assert repr(found) == repr(f.either(*[lambda g=g: g(a, b) for g in functions]))


@pytest.mark.parametrize("numerics", [ieee(), ideal(DOUBLE)])
def test_the_first_form_is_that_of_one_result(numerics: Any) -> None:
    f = numerics.at("float32")
    assert repr(f.forms(f.sub, f.add)(f.lit(3), f.lit(1))) == repr(f.lit(2))


def test_a_sample_takes_each_form_at_times() -> None:
    f = sampled(1).at("float32")
    function = f.forms(lambda x: x, f.neg)
    assert {function(1.0) for _ in range(64)} == {1.0, -1.0}
