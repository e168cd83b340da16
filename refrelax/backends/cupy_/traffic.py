"""What a kernel reads and writes of the device's memory, counted from its own text and loops.

Every place of a kernel that loads or stores is a ``Touch``. It moves each element that it touches once a *pass*: the
loops that its index depends on say how many there are, or how many values the indices can have, whichever is fewer, and
never more than the buffer has. Places that touch the same
buffer in one phase of a kernel are one pass over it. What a condition leaves out is counted.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import prod
from typing import Any
from typing import Literal as _Lit

from refrelax.backends.intervals import Interval, Overflow, interval
from refrelax.running.arrays import numpy_dtype
from refrelax.semantics.dims import value
from refrelax.syntax.scalars import PrimExpr, children

When = _Lit["always", "fits", "spills"]
"""Of a row program: for the columns of a row that stay in the block's memory, or the others."""


@dataclass(frozen=True, slots=True)
class Touch:
    """One place that reads or writes ``buffer``.

    ``indices``: of its element; ``loops``: the loops in scope, outermost first, with their ``(name, min, extent)``;
    ``along``: those of them that the index depends on, or ``None`` for all; ``repeats``: extents in tiles of which the
    whole pass is made again; ``phase``: which pass of the kernel; ``columns``: the loops over the columns of a row.
    """

    buffer: str
    dtype: str
    shape: tuple[PrimExpr, ...]
    written: bool
    indices: tuple[PrimExpr, ...]
    loops: tuple[tuple[str, PrimExpr, PrimExpr], ...]
    along: frozenset[str] | None
    phase: int = 0
    when: When = "always"
    repeats: tuple[PrimExpr, ...] = ()
    columns: frozenset[str] = frozenset()

    def share(self, symbols: Mapping[str, Any], stay: int) -> tuple[int, int]:
        """The part of its elements that it touches where so many columns of a row stay: of how many how many."""
        if self.when == "always":
            return 1, 1
        count = size((extent for name, _, extent in self.loops if name in self.columns), symbols)
        mine = min(stay, count) if self.when == "fits" else count - min(stay, count)
        depends = self.along is None or bool(self.along & self.columns)
        return (count, mine) if depends and count else (1, int(mine > 0))

    def elements(self, symbols: Mapping[str, Any]) -> int:
        """How many elements it touches at most."""
        whole = size(self.shape, symbols)
        known: dict[str, Interval] = {n: (v, v) for n, v in symbols.items() if isinstance(v, int)}
        count = 1
        try:
            for name, low, extent in self.loops:
                start, steps = interval(low, known), interval(extent, known)
                known[name] = (start[0], max(start[0], start[1] + steps[1] - 1))
                if self.along is None or name in self.along:
                    count *= max(steps[1], 0)
                elif steps[1] <= 0:
                    count = 0
        except Overflow:  # extents that are read from memory
            return whole
        if len(self.indices) != len(self.shape):
            return min(count, whole)
        dims = (max(value(dim, symbols), 0) for dim in self.shape)
        each = (_values(index, known, dim) for index, dim in zip(self.indices, dims, strict=True))
        return min(count, whole, prod(each))


def _values(index: PrimExpr, known: Mapping[str, Interval], most: int) -> int:
    """How many values an index can have, ``most`` at most: the length of its interval, or what its operands allow."""
    try:
        low, high = interval(index, known)
    except Overflow:
        return most
    found = min(most, high - low + 1)
    return min(found, prod(_values(each, known, most) for each in inner)) if (inner := children(index)) else found


def size(shape: Iterable[PrimExpr], symbols: Mapping[str, Any]) -> int:
    """The elements of a shape."""
    return prod(max(value(dim, symbols), 0) for dim in shape)


def moved(touches: Iterable[Touch], symbols: Mapping[str, Any], stay: int, tile: int) -> tuple[int, int]:
    """Bytes read and bytes written by one launch; ``stay``: how many columns of a row the block keeps."""
    passes: dict[tuple[bool, str, int, int], int] = {}
    limits: dict[tuple[bool, str, int, int], int] = {}
    for touch in touches:
        of, part = touch.share(symbols, stay)
        if part == 0:
            continue
        times = -(-size(touch.repeats, symbols) // tile) if touch.repeats else 1
        item = int(numpy_dtype(touch.dtype).itemsize)
        key = touch.written, touch.buffer, touch.phase, times
        passes[key] = passes.get(key, 0) + -(-touch.elements(symbols) * part // of) * item * times
        limits[key] = size(touch.shape, symbols) * item * times
    totals = [0, 0]
    for key, count in passes.items():
        totals[key[0]] += min(count, limits[key])
    return totals[0], totals[1]
