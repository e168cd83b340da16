"""A product beyond a format that has neither infinity nor NaN is its greatest number: what is multiplied before and
what after that decides, and every order is permitted."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refrelax.semantics.numbers import reading
from refrelax.semantics.numbers.enclosure import contains
from refrelax.syntax import bits

ENDLESS = [dtype for dtype, f in bits.FORMATS.items() if f.specials == "none"]


def in_each_order(f: Any, items: list[float]) -> set[float]:
    found = set()
    for order in permutations(items):
        product = order[0]
        for each in order[1:]:
            product = f.mul(product, each)
        found.add(product)
    return found


@pytest.mark.parametrize("items", [[12.0, -12.0, -0.875], [0.5, 16.0, -14.0]])
def test_what_comes_after_the_greatest_number_makes_it_less(items: list[float]) -> None:
    dtype = "float6_e3m2fn"
    wide = reading("enclosure").at(dtype).reduce("mul", items)
    found = in_each_order(reading("ieee").at(dtype), items)
    assert len(found) > 1
    assert all(contains(wide, dtype, x) for x in found)


@pytest.mark.parametrize("dtype", ENDLESS)
@given(st.data())
def test_every_order_is_permitted(dtype: str, data: st.DataObject) -> None:
    f: Any = reading("ieee").at(dtype)
    number = st.integers(0, 2 ** bits.FORMATS[dtype].width - 1).map(f.from_bits)
    items = data.draw(st.lists(number, min_size=2, max_size=4))
    wide = reading("enclosure").at(dtype).reduce("mul", items)
    assert all(contains(wide, dtype, x) for x in in_each_order(f, items))
