"""What an implementation leaves open stays open when it is handed on: it was taken for 0."""

from __future__ import annotations

import pytest

from refrelax.running.arrays import Tensor
from refrelax.running.run import inward
from refrelax.semantics.numbers import reading
from refrelax.semantics.numbers.poison import poison
from refrelax.semantics.values import from_payloads


@pytest.mark.parametrize("dtype", ["int64", "float32", "bool"])
@pytest.mark.parametrize("sets", ["enclosure", "strict"])
def test_poison_is_poison_in_sets(dtype: str, sets: str) -> None:
    given = Tensor(from_payloads(reading("ieee"), dtype, (), [poison("st/never-written")]))
    found = inward(given, None, reading(sets))
    assert [found.numerics.poison_rule(each) for each in found.payloads()] == ["st/never-written"]
