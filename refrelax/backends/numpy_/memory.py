"""New arrays in memory that was used before: taking it from the kernel again costs as much as a pass over it.

Large pieces are kept, up to a limit, and given out again once nobody holds an array over them.
"""

from __future__ import annotations

from math import prod
from sys import getrefcount
from typing import Any

import numpy as np

LEAST, GREATEST = 1 << 18, 1 << 25
"""Bytes of the pieces that are kept."""
KEPT = 1 << 27
"""Bytes that are kept in all."""

_FREE = 2
"""References to a piece that nobody else holds, as ``getrefcount`` counts them."""

_pieces: dict[int, list[Any]] = {}


def fresh(shape: tuple[int, ...], dtype: Any) -> Any:
    """An array whose elements are not written yet."""
    kind = dtype if type(dtype) is np.dtype else np.dtype(dtype)
    size = prod(shape) * kind.itemsize
    if not LEAST <= size <= GREATEST:
        return np.empty(shape, kind)
    size = -(-size // LEAST) * LEAST
    held = _pieces.setdefault(size, [])
    for _ in range(len(held)):
        try:
            piece = held.pop(0)  # nobody else can take it now
        except IndexError:
            break
        free = getrefcount(piece) == _FREE
        held.append(piece)
        if free:
            return np.ndarray(shape, kind, piece)
    piece = np.empty(size, np.uint8)
    _keep(size, piece)
    return np.ndarray(shape, kind, piece)


def _keep(size: int, piece: Any) -> None:
    while sum(each * len(held) for each, held in list(_pieces.items())) + size > KEPT:
        oldest = next((each for each, held in list(_pieces.items()) if held), None)
        if oldest is None:
            break
        _pieces[oldest].pop(0)
        if not _pieces[oldest]:
            del _pieces[oldest]
    _pieces.setdefault(size, []).append(piece)
