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

_pieces: dict[int, list[Any]] = {}


def fresh(shape: tuple[int, ...], dtype: Any) -> Any:
    """An array whose elements are not written yet."""
    kind = dtype if type(dtype) is np.dtype else np.dtype(dtype)
    size = prod(shape) * kind.itemsize
    if not LEAST <= size <= GREATEST:
        return np.empty(shape, kind)
    size = -(-size // LEAST) * LEAST
    held = _pieces.get(size)
    if held is not None:
        for _ in range(len(held)):
            try:
                found = _next(held, shape, kind)
            except IndexError:
                break
            if found is not None:
                return found
    piece = np.empty(size, np.uint8)
    _keep(size, piece)
    return np.ndarray(shape, kind, piece)


def _next(held: list[Any], shape: tuple[int, ...], kind: Any) -> Any:
    """An array over the last of the pieces, or ``None`` where somebody holds one. A piece stays the last if nobody
    does, since it was used a moment ago and is near; else it becomes the first."""
    piece = held.pop()  # nobody else can take it now
    if getrefcount(piece) != _FREE:
        held.insert(0, piece)
        return None
    found = np.ndarray(shape, kind, piece)
    held.append(piece)
    return found


def _count() -> int:
    """What ``_next`` counts of a piece that nobody else holds: 2, or 1 where names are lent and not counted (from
    Python 3.14 on). Asked of ``_next`` itself, as another function may be compiled to count otherwise."""
    global _FREE
    for _FREE in range(1, 9):
        if _next([np.empty(1, np.uint8)], (1,), np.dtype(np.uint8)) is not None:
            break
    return _FREE


_FREE = 0
_FREE = _count()


def in_rows(x: Any) -> Any:
    """A copy in rows. (NumPy's own goes along the strides of its source; of few bytes it is quicker all the same.)"""
    if x.nbytes < LEAST:
        return np.array(x, order="C")
    found = fresh(x.shape, x.dtype)
    np.copyto(found, x)
    return found


def _keep(size: int, piece: Any) -> None:
    while sum(each * len(held) for each, held in list(_pieces.items())) + size > KEPT:
        oldest = next((each for each, held in list(_pieces.items()) if held), None)
        if oldest is None:
            break
        _pieces[oldest].pop(0)
        if not _pieces[oldest]:
            del _pieces[oldest]
    _pieces.setdefault(size, []).append(piece)
