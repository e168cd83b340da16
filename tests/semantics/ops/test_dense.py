"""Elements that lie at strides from an offset: one at a time, in range or not, and a line of them."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from refrelax.semantics.ops.meaning.calculus import ALL
from refrelax.semantics.ops.meaning.numbers import Dense


@pytest.mark.parametrize("rank", range(6))
@pytest.mark.parametrize("turned", (False, True))
def test_an_element_is_where_strides_take_it(rank: int, turned: bool) -> None:
    dims, strides = (3, 2, 4, 1, 2)[:rank], (1, 5, 17, 60, 100)[:rank]
    offset = 7
    if turned:  # the first axis from its end
        strides, offset = tuple(-s if k == 0 else s for k, s in enumerate(strides)), 11
    spent: list[int] = []
    cells: list[Any] = list(range(400))
    x = Dense("int64", dims, cells, spent.append, strides, offset)

    def where(at: tuple[int, ...]) -> int:
        return offset + sum(p * s for p, s in zip(at, strides, strict=True))

    for at in product(*map(range, dims)):
        assert x[at] == x.get(at, -1) == where(at)
        for axis in range(rank):
            line = [where((*at[:axis], k, *at[axis + 1 :])) for k in range(dims[axis])]
            assert x.over((*at[:axis], ALL, *at[axis + 1 :])) == line
            for beyond in (-1, dims[axis]):
                assert x.get((*at[:axis], beyond, *at[axis + 1 :]), -1) == -1
    assert x.over((ALL,) * rank) == [where(at) for at in product(*map(range, dims))]
