"""Orders: sort, argsort, topk, median, written from the result's side.

The rank of an element is the number of elements of its line that come before it; position ``k`` of the result takes
the element whose rank is ``k``. So no index of a load or store is data; the price is quadratic work.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from refrelax.lower.legalize.axes import Axes, Legalizer, if_first, operand, replaced, unflatten
from refrelax.lower.legalize.kernel import Array
from refrelax.lower.legalize.operations import operation
from refrelax.lower.legalize.scalars import Scalar, cast, function, index, lit, select
from refrelax.lower.legalize.site import Site, Unfit
from refrelax.semantics.ops import attributes as A
from refrelax.semantics.ops.binary import promote
from refrelax.syntax import dtypes

Item = Callable[[Sequence[Scalar], Scalar], Scalar]
"""The element of a line: the coordinates of the line, the position on it."""


def _before(a: Scalar, b: Scalar, earlier: Scalar, descending: bool) -> Scalar:
    """Whether ``a`` comes before ``b``: by value, equal ones by position; NaN after everything."""
    if a.dtype == "bool":
        a, b = cast("uint8", a), cast("uint8", b)
    result = (a > b if descending else a < b) | (a.equals(b) & earlier)
    if dtypes.is_float(a.dtype):
        missing = [operation("isnan", each.dtype, each) for each in (a, b)]
        result = result | (missing[1] & (~missing[0] | earlier))
    return result


def ranks(s: Site, dims: Sequence[Scalar], length: Scalar, item: Item, descending: bool) -> Array:
    """``rank[line, r]``: how many elements of the line come before its element ``r``."""
    rank = s.k.alloc("rank", (*dims, length), "int64")

    def step(*i: Scalar) -> Scalar:
        line, here, other = i[:-2], i[-2], i[-1]
        return select(_before(item(line, other), item(line, here), other < here, descending), index(1), index(0))

    return s.k.reduce(rank, [length], "Add", index(0), step)


def _taken(s: Site, out: Array, length: Scalar, start: Scalar, step: Callable[..., tuple[Scalar, Scalar]]) -> None:
    """``out[i]``: the second of ``step(*i, r)`` for the ``r`` where the first of it holds."""

    def choose(own: Scalar, *i: Scalar) -> Scalar:
        found, value = step(*i)
        return select(found, cast(out.dtype, value), own)

    s.k.fold(out, [length], start, choose)


def _ordered(s: Site, axis: int, descending: bool, values: Array | None, positions: Array | None) -> None:
    """Elements and positions of every line along ``axis``, as many as the results have."""
    x = s.array(0)
    dims = [n for k, n in enumerate(x.dims) if k != axis]

    def line_of(i: Sequence[Scalar]) -> list[Scalar]:
        return [p for k, p in enumerate(i) if k != axis]

    def item(line: Sequence[Scalar], r: Scalar) -> Scalar:
        return x[[*line[:axis], r, *line[axis:]]]

    rank = ranks(s, dims, x.dims[axis], item, descending)

    def at(*i: Scalar) -> Scalar:
        return rank[[*line_of(i[:-1]), i[-1]]].equals(i[axis])

    if values is not None:
        zero = lit(values.dtype, 0)
        _taken(s, values, x.dims[axis], zero, lambda *i: (at(*i), x[replaced(i[:-1], axis, i[-1])]))
    if positions is not None:
        zero = lit(positions.dtype, 0)
        _taken(s, positions, x.dims[axis], zero, lambda *i: (at(*i), i[-1]))


def _axis(s: Site) -> int:
    return A.integer(s.call, "axis") % s.array(0).ndim


def _sort(s: Site) -> None:
    _ordered(s, _axis(s), A.flag(s.call, "descending"), s.out, None)


def _argsort(s: Site) -> None:
    if s.out.dtype == "bool":
        raise Unfit("positions as truths")
    _ordered(s, _axis(s), A.flag(s.call, "descending"), None, s.out)


def _topk(s: Site) -> None:
    kind = A.text(s.call, "ret_type")
    values = s.outs[0] if kind in ("both", "values") else None
    positions = s.outs[-1] if kind in ("both", "indices") else None
    if positions is not None and positions.dtype == "bool":
        raise Unfit("positions as truths")
    _ordered(s, _axis(s), A.flag(s.call, "largest"), values, positions)


def _median(s: Site) -> None:
    """The element of rank ``(n - 1) // 2``, and its position."""
    x, chosen = s.array(0), A.integers(s.call, "axis")
    if chosen is not None and len(chosen) != 1:
        raise Unfit("a median over several axes")
    axes = Axes(x, chosen, A.flag(s.call, "keepdims"))
    length = axes.count()

    def item(line: Sequence[Scalar], r: Scalar) -> Scalar:
        return x[axes.source(line, unflatten(r, axes.lengths) if chosen is None else [r])]

    rank, middle = ranks(s, axes.dims, length, item, False), (length - 1) // 2

    def found(i: Sequence[Scalar]) -> tuple[list[Scalar], Scalar]:
        line = axes.of_result(i[:-1])
        return line, rank[[*line, i[-1]]].equals(middle)

    def value(*i: Scalar) -> tuple[Scalar, Scalar]:
        line, hit = found(i)
        return hit, item(line, i[-1])

    _taken(s, s.outs[0], length, lit(x.dtype, 0), value)
    if len(s.outs) > 1:
        _taken(s, s.outs[1], length, index(0), lambda *i: (found(i)[1], i[-1]))


# --- powers of integers ----------------------------------------------------------------------------------------------


def power(real: Legalizer) -> Legalizer:
    """Of floats and truths as ``real`` says; of integers by squaring: ``square[k]`` is the base to ``2**k``."""

    def legalize(s: Site) -> None:
        a, b = operand(s, 0), operand(s, 1)
        dtype = promote(a.dtype, b.dtype)
        if not dtypes.is_integer(dtype):
            real(s)
            return
        bits = dtypes.bits(dtype) - int(dtypes.kind(dtype) == "int")
        squares = s.k.alloc("square", (*s.out.dims, index(bits)), dtype)
        last = s.out.ndim

        def square(*i: Scalar) -> Scalar:
            before = squares[[*i[:last], i[last] - 1]]
            return if_first(i[last], cast(dtype, s.spread(a, i[:last], s.out.dims)), before * before)

        def step(own: Scalar, *i: Scalar) -> Scalar:
            exponent = cast(dtype, s.spread(b, i[:last], s.out.dims))
            odd = function("bitwise_and", function("shift_right", exponent, cast(dtype, i[last])), lit(dtype, 1))
            return select(odd.differs(0), own * squares[i], own)

        s.k.scan(squares, last, square)
        result = s.out if s.out.dtype == dtype else s.k.alloc("power", s.out.dims, dtype)
        s.k.fold(result, [index(bits)], lit(dtype, 1), step)
        if result is not s.out:
            s.k.compute(s.out, lambda *i: cast(s.out.dtype, result[i]))

    return legalize


SORTING: Mapping[str, Legalizer] = {
    "relax.sort": _sort,
    "relax.argsort": _argsort,
    "relax.topk": _topk,
    "relax.median": _median,
}
