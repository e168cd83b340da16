"""An integer of which a range is known, as a real: the range, and what it holds beside."""

from __future__ import annotations

import pytest

from refrelax.semantics.numbers import intsets
from refrelax.semantics.numbers.ideal import ideal


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("precision", [53, 192])
def test_a_range_of_integers_is_that_range(dtype: str, precision: int) -> None:
    as_real = ideal(precision).at(dtype).converter("int64")
    for low, high in ((3, 5), (-2, 7), (0, 1), (4, 4), (-1, -1)):
        for rule in (None, "num/convert-range"):
            found = as_real(intsets.Ints(low, high, rule=rule))
            assert (found.lo, found.hi, found.rule) == (low, high, rule)  # type: ignore[attr-defined]
    one = as_real(4)
    assert one.lo == one.hi == 4  # type: ignore[attr-defined]
