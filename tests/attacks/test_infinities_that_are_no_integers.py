"""An infinity in the place of an integer is no argument; it was a traceback."""

from __future__ import annotations

import math

import pytest

from refrelax.errors import UsageError
from refrelax.running.arrays import to_constant


@pytest.mark.parametrize("value", [math.inf, -math.inf, [math.inf]])
@pytest.mark.parametrize("dtype", ["int32", "uint8"])
def test_an_infinity_is_no_element_of_integers(value: object, dtype: str) -> None:
    with pytest.raises(UsageError, match=f"expected an integer of {dtype}, found -?inf"):
        to_constant(value, dtype)
