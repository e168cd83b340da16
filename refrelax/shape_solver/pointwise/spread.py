"""Strides that are written: those of elements one behind the other, and those that leave gaps.

Spec: ``spec/06c-pointwise.md``, ``sh/read-program``.
"""

from __future__ import annotations

from refrelax.syntax.loops import Buffer
from refrelax.syntax.scalars import as_int


def is_compact(buffer: Buffer) -> bool:
    """Whether strides that are written are those of a row-major buffer."""
    below = 1
    for d, stride in zip(reversed(buffer.shape), reversed(buffer.strides), strict=True):
        extent = as_int(d)
        if as_int(stride) != below or extent is None:
            return False
        below *= extent
    return True


def is_apart(buffer: Buffer) -> bool:
    """Whether no two elements of a buffer with literal strides, greater ones first, share their place: memory of its
    own may have gaps (of padded rows) that nobody looks at."""
    end = 0  # the last place of the axes behind
    for d, stride in zip(reversed(buffer.shape), reversed(buffer.strides), strict=True):
        extent, step = as_int(d), as_int(stride)
        if extent is None or step is None or step <= end:
            return False
        end += max(extent - 1, 0) * step
    return True
