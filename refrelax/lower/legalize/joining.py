"""Several tensors into one, one into several, repetition, slices, gathers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from refrelax.lower.legalize.elementwise import Legalizer
from refrelax.lower.legalize.kernel import Array
from refrelax.lower.legalize.scalars import (
    Scalar,
    cast,
    if_then_else,
    index,
    lit,
    maximum,
    minimum,
)
from refrelax.lower.legalize.site import Site, Unfit
from refrelax.semantics.ops import attributes as A
from refrelax.syntax import dtypes
from refrelax.syntax.graph import Expr, PrimValue, Tuple
from refrelax.syntax.scalars import as_int


def replaced(at: Sequence[Scalar], axis: int, position: Scalar) -> list[Scalar]:
    """An index with the coordinate of ``axis`` exchanged."""
    return [*at[:axis], position, *at[axis + 1 :]]


# --- concat, stack ---------------------------------------------------------------------------------------------------


# --- split -----------------------------------------------------------------------------------------------------------


# --- repetition ------------------------------------------------------------------------------------------------------


# --- slices ----------------------------------------------------------------------------------------------------------


def _written(s: Site, argument: Expr) -> list[Scalar]:
    if not isinstance(argument, Tuple):
        raise Unfit("bounds that are not written out")
    found = [s.expression(each.value) for each in argument.fields if isinstance(each, PrimValue)]
    if len(found) != len(argument.fields) or any(each.dtype != "int64" for each in found):
        raise Unfit("bounds that are no scalar expressions")
    return found


def _strided_slice(s: Site) -> None:
    """``x[begin + i * stride]``, begin counted from the end where negative and clamped."""
    x = s.array(0)
    axes, begin, end = (_written(s, each) for each in s.call.args[1:4])
    strides = _written(s, s.call.args[4]) if len(s.call.args) > 4 else [index(1)] * len(axes)
    inbound = A.flag(s.call, "assume_inbound")
    first, step = [index(0)] * x.ndim, [1] * x.ndim
    for axis, a, b, stride in zip(axes, begin, end, strides, strict=True):
        k, by = as_int(axis.node), as_int(stride.node)
        if k is None or not by:
            raise Unfit("an axis or a stride that is not known")
        n = x.dims[k]
        if inbound:
            for bound in (a, b):
                s.suppose(bound >= 0)
                s.suppose(bound <= n)
        first[k], step[k] = (a if inbound else _clamped(a, n, by)), by

    def element(*i: Scalar) -> Scalar:
        return x[[p if as_int(a.node) == 0 and k == 1 else a + p * k for p, a, k in zip(i, first, step, strict=True)]]

    s.k.compute(s.out, element)


def _clamped(begin: Scalar, n: Scalar, stride: int) -> Scalar:
    """Where a slice starts: in ``[0, n]``, or in ``[-1, n - 1]`` backwards."""
    k, low, high = as_int(begin.node), (0 if stride > 0 else -1), (n if stride > 0 else n - 1)
    if k is None:
        return maximum(minimum(if_then_else(begin < 0, begin + n, begin), high), low)
    if k == 0 and stride > 0:
        return index(0)
    return minimum(begin, high) if k >= 0 else maximum(n + k, low)


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
    "relax.strided_slice": _strided_slice,
    "relax.take": _take,
}
