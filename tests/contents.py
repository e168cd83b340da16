"""What a value holds, to be compared."""

from __future__ import annotations

from typing import Any

import refrelax as rr


def contents(value: Any) -> Any:
    """The dtype, extents and bits of every tensor in it; anything else as it prints."""
    if isinstance(value, tuple):
        return tuple(map(contents, value))
    if isinstance(value, rr.Tensor):
        return value.dtype, tuple(value.shape), list(value.patterns())
    return repr(value)
