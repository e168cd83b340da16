"""What legalizers that are written by hand share: which axes go, where an element lies, scalars as operands."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from refrelax.lower.legalize.kernel import Array
from refrelax.lower.legalize.scalars import Scalar, function, product
from refrelax.lower.legalize.site import Site

Legalizer = Callable[[Site], None]


def operand(s: Site, position: int) -> Array:
    """A tensor operand; a scalar counts as a tensor of shape ``(1,)``."""
    found = s.a[position]
    if isinstance(found, Scalar):
        return Array("", (), found.dtype, found)
    return s.array(position)


def replaced(at: Sequence[Scalar], axis: int, position: Scalar) -> list[Scalar]:
    """An index with the coordinate of ``axis`` exchanged."""
    return [*at[:axis], position, *at[axis + 1 :]]


class Axes:
    """Which axes a reduction takes away; ``kept`` and ``gone`` are in increasing order."""

    def __init__(self, x: Array, axes: Sequence[int] | None, keepdims: bool) -> None:
        self.x, self.keepdims = x, keepdims
        self.gone = list(range(x.ndim)) if axes is None else sorted(axis % x.ndim for axis in axes)
        self.kept = [axis for axis in range(x.ndim) if axis not in self.gone]
        self.lengths = [x.dims[axis] for axis in self.gone]
        self.dims = [x.dims[axis] for axis in self.kept]

    def count(self) -> Scalar:
        """How many elements are reduced to one."""
        return product(self.lengths)

    def of_result(self, i: Sequence[Scalar]) -> list[Scalar]:
        """The coordinates on the kept axes, from an index of the result."""
        return [i[axis] for axis in self.kept] if self.keepdims else list(i)

    def source(self, kept: Sequence[Scalar], gone: Sequence[Scalar]) -> list[Scalar]:
        """The index into the argument."""
        at = dict(zip((*self.kept, *self.gone), (*kept, *gone), strict=True))
        return [at[axis] for axis in range(self.x.ndim)]

    def split(self, i: Sequence[Scalar]) -> tuple[list[Scalar], list[Scalar]]:
        """An index of a nest over the result's dims and the lengths, as kept and gone coordinates."""
        cut = len(i) - len(self.gone)
        return self.of_result(i[:cut]), list(i[cut:])


def unflatten(position: Scalar, dims: Sequence[Scalar]) -> list[Scalar]:
    """The index of a shape at a row-major position."""
    result: list[Scalar] = []
    for k in range(len(dims)):
        inner = product(dims[k + 1 :])
        found = position // inner
        result.append(found % dims[k] if k else found)
    return result


def if_first(position: Scalar, first: Scalar, later: Scalar) -> Scalar:
    """``later`` where there is an element before this one, else ``first``."""
    return function("if_then_else", position > 0, later, first, dtype=first.dtype)
