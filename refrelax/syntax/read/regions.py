"""Parts of buffers: slices, views, and what a load of them is."""

from __future__ import annotations

from dataclasses import dataclass

from refrelax.errors import Span
from refrelax.rules import rule
from refrelax.syntax import dtypes
from refrelax.syntax.loops import Buffer, BufferRegion
from refrelax.syntax.read.building import BuildError, binary, cast
from refrelax.syntax.scalars import Binary, BufferLoad, Cast, Intrinsic, Literal, PrimExpr, Ramp, as_int

MOST_LANES = 1 << 16
"""Of a vector."""


def scalable_lanes(count: PrimExpr) -> int | None:
    """The lanes of a scalable vector, -k, where ``count`` is ``T.vscale() * k``."""
    while isinstance(count, Cast):
        count = count.value
    match count:
        case Intrinsic(op="vscale"):
            return -1
        case Binary(op="Mul", a=a, b=b):
            for scale, factor in ((a, as_int(b)), (b, as_int(a))):
                if factor is not None and factor > 0 and scalable_lanes(scale) == -1:
                    return -factor
    return None


def extent_between(begin: PrimExpr, end: PrimExpr) -> PrimExpr:
    """``end - begin``, without a subtraction where ``end`` is spelled ``begin + extent`` (as printed text does)."""
    if begin == end:
        return Literal(begin.dtype, 0)
    if isinstance(end, Binary) and end.op == "Add":
        if end.a == begin:
            return end.b
        if end.b == begin:
            return end.a
    return binary("Sub", end, begin)


@dataclass(frozen=True, slots=True)
class Slice:
    """``begin:begin + extent``, with the step of a vector (``None`` where the text gives none)."""

    begin: PrimExpr
    extent: PrimExpr
    step: PrimExpr | None = None

    @classmethod
    def between(cls, begin: PrimExpr, end: PrimExpr, step: PrimExpr | None = None) -> Slice:
        """``begin:end:step``; a literal bound takes the dtype of the other one."""
        if begin.dtype != end.dtype:
            if isinstance(begin, Literal):
                begin = cast(end.dtype, begin)
            elif isinstance(end, Literal):
                end = cast(begin.dtype, end)
        return cls(begin, extent_between(begin, end), step)

    def range(self) -> tuple[PrimExpr, PrimExpr]:
        """(min, extent); a step other than 1 has none."""
        if self.step is not None and as_int(self.step) != 1:
            raise BuildError("syn/slice-step", "a region has no step other than 1")
        return self.begin, self.extent

    @rule("syn/slice-extent", "syn/lane-count")
    def index(self) -> PrimExpr:
        """The vector of indices that the slice stands for in a load or store; one index if it has one."""
        scalable = scalable_lanes(self.extent)
        if scalable is not None and (self.step is None or as_int(self.step) == 1):
            return Ramp(self.begin, Literal(self.begin.dtype, 1), scalable)
        extent = as_int(self.extent)
        step = self.step if self.step is not None else Literal(self.begin.dtype, 1)
        by = as_int(step)
        if extent is None or by is None or by < 1 or extent < 1:
            raise BuildError("syn/slice-extent", "a slice as a vector needs a constant, positive extent and step")
        lanes = (extent + by - 1) // by
        if lanes > MOST_LANES:
            raise BuildError("syn/lane-count", f"expected at most {MOST_LANES} lanes, found {lanes}")
        return self.begin if lanes == 1 else Ramp(self.begin, cast(self.begin.dtype, step), lanes)


@dataclass(frozen=True, slots=True)
class View:
    """``A[i, 0:4]``: a part of a buffer, not yet known to be a region or a vector."""

    buffer: Buffer
    items: tuple[PrimExpr | Slice, ...]


@rule("syn/index-dtype")
def index_lanes(buffer: Buffer, indices: tuple[PrimExpr, ...]) -> int:
    """Lanes of an access: those of its last index; the others are scalars."""
    for k, index in enumerate(indices):
        if dtypes.kind(index.dtype) not in ("int", "uint"):
            raise BuildError("syn/index-dtype", f"an index of {buffer.name!r} has dtype {index.dtype}, not an integer")
        if dtypes.lanes(index.dtype) != 1 and k != len(indices) - 1:
            raise BuildError("syn/index-dtype", f"only the last index of {buffer.name!r} may be a vector")
    return dtypes.lanes(indices[-1].dtype) if indices else 1


def vector_indices(view: View) -> tuple[PrimExpr, ...]:
    """The indices of a view in a load or store."""
    return tuple(i.index() if isinstance(i, Slice) else i for i in view.items)


def load_of_view(view: View, span: Span | None = None, predicate: PrimExpr | None = None) -> BufferLoad:
    """The load that a view stands for as an expression."""
    indices = vector_indices(view)
    lanes = index_lanes(view.buffer, indices) * dtypes.lanes(view.buffer.dtype)
    return BufferLoad(view.buffer.name, indices, dtypes.with_lanes(view.buffer.dtype, lanes), predicate, span=span)


def region_of_view(view: View, span: Span | None = None) -> BufferRegion:
    """The region that a view stands for in ``T.reads``, ``T.writes`` and ``T.match_buffer``."""
    ranges = []
    for item in view.items:
        if isinstance(item, Slice):
            ranges.append(item.range())
        elif isinstance(item, Ramp) and as_int(item.stride) == 1 and item.lanes > 0:
            ranges.append((item.base, Literal(item.base.dtype, item.lanes)))
        else:
            ranges.append((item, Literal(item.dtype, 1)))
    return BufferRegion(view.buffer.name, tuple(ranges), span=span)
