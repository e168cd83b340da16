"""What legalizers that are written by hand share: scalars as operands."""

from __future__ import annotations

from collections.abc import Callable

from refrelax.lower.legalize.kernel import Array
from refrelax.lower.legalize.scalars import (
    Scalar,
)
from refrelax.lower.legalize.site import Site

Legalizer = Callable[[Site], None]


def operand(s: Site, position: int) -> Array:
    """A tensor operand; a scalar counts as a tensor of shape ``(1,)``."""
    found = s.a[position]
    if isinstance(found, Scalar):
        return Array("", (), found.dtype, found)
    return s.array(position)
