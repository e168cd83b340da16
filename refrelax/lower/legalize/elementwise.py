"""What legalizers that are written by hand share: scalars as operands."""

from __future__ import annotations

from collections.abc import Callable

from refrelax.lower.legalize.kernel import Array
from refrelax.lower.legalize.scalars import (
    Scalar,
    cast,
    greatest,
    least,
    lit,
)
from refrelax.lower.legalize.site import Site
from refrelax.syntax import bits, dtypes
from refrelax.syntax.scalars import Literal

Legalizer = Callable[[Site], None]


def operand(s: Site, position: int) -> Array:
    """A tensor operand; a scalar counts as a tensor of shape ``(1,)``."""
    found = s.a[position]
    if isinstance(found, Scalar):
        return Array("", (), found.dtype, found)
    return s.array(position)


def number_at(dtype: str, value: Scalar) -> Scalar:
    """A scalar as a number of ``dtype``, rounded once."""
    if isinstance(value.node, Literal):
        number = bits.literal_value(value.node)
        if isinstance(number, float) and not dtypes.is_float(dtype):
            if number != number or abs(number) == float("inf"):
                return least(dtype) if number < 0 else greatest(dtype)
            number = int(number)
        return lit(dtype, number)
    return cast(dtype, value)
