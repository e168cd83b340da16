"""Several tensors into one, one into several, repetition, slices, gathers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from refrelax.lower.legalize.elementwise import Legalizer
from refrelax.lower.legalize.kernel import Array
from refrelax.lower.legalize.scalars import (
    Scalar,
    cast,
    if_then_else,
    lit,
    maximum,
    minimum,
)
from refrelax.lower.legalize.site import Site, Unfit
from refrelax.semantics.ops import attributes as A
from refrelax.syntax import dtypes


def replaced(at: Sequence[Scalar], axis: int, position: Scalar) -> list[Scalar]:
    """An index with the coordinate of ``axis`` exchanged."""
    return [*at[:axis], position, *at[axis + 1 :]]


# --- concat, stack ---------------------------------------------------------------------------------------------------


# --- split -----------------------------------------------------------------------------------------------------------


# --- repetition ------------------------------------------------------------------------------------------------------


# --- slices ----------------------------------------------------------------------------------------------------------


# --- take ------------------------------------------------------------------------------------------------------------


def _take(s: Site) -> None:
    """``x[position(indices[k])]``; out of range ``fast`` reads nothing, ``nan`` gives NaN."""
    x, mode = s.array(0), A.text(s.call, "mode", "fast")
    axis = (A.optional_integer(s.call, "axis", None) or 0) % x.ndim
    n = x.dims[axis]
    indices = s.a[1]
    rank = indices.ndim if isinstance(indices, Array) else 0
    if mode in ("wrap", "clip"):
        s.suppose(n >= 1)

    def element(*i: Scalar) -> Scalar:
        where = indices[i[axis : axis + rank]] if isinstance(indices, Array) else s.scalar(1)
        if dtypes.kind(where.dtype) == "uint" and dtypes.bits(where.dtype) == 64:
            raise Unfit("unsigned positions of 64 bits")
        position = cast("int64", where)
        if mode == "wrap":
            position = position % n
        elif mode == "clip":
            position = minimum(maximum(position, 0), n - 1)
        value = x[[*i[:axis], position, *i[axis + rank :]]]
        if mode == "nan" and dtypes.is_float(x.dtype):
            return if_then_else((position >= 0) & (position < n), value, lit(x.dtype, float("nan")))
        return value

    s.k.compute(s.out, element)


JOINING: Mapping[str, Legalizer] = {
    "relax.take": _take,
}
