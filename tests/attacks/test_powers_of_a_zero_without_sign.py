"""A zero that is computed keeps no sign, and the sign decides which infinity an odd negative power of it is."""

from __future__ import annotations

from typing import Any

import pytest

from refrelax.semantics.numbers import reading
from refrelax.semantics.numbers.enclosure import contains
from refrelax.semantics.numbers.intervals import INF, as_interval


@pytest.mark.parametrize("power", [-3.0, -1.0, -2.0])
def test_both_infinities_are_permitted(power: float) -> None:
    def computed(name: str) -> Any:
        f: Any = reading(name).at("float32")
        zero = f.math("trunc")(f.sub(f.math("exp")(1.0), f.math("exp")(1.0)))
        return f.math2("pow")(zero, power)

    assert contains(computed("enclosure"), "float32", computed("ieee"))
    for zero in (0.0, -0.0):
        found = as_interval(reading("enclosure").at("float32").math2("pow")(zero, power))
        assert (found.lo == -INF, found.hi, found.nan) == (power != -2.0, INF, False)
