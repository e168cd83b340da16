"""Matrix products, reductions, normalised exponentials: nests with reduce axes, in increasing order."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from refrelax.lower.legalize.elementwise import Legalizer, promote
from refrelax.lower.legalize.kernel import Array
from refrelax.lower.legalize.scalars import (
    Scalar,
    cast,
    function,
    greatest,
    index,
    least,
    lit,
    maximum,
    product,
    select,
)
from refrelax.lower.legalize.site import Site, Unfit
from refrelax.semantics.ops import attributes as A
from refrelax.syntax import dtypes
from refrelax.syntax.scalars import BinaryOp

# --- products --------------------------------------------------------------------------------------------------------


def _matmul(s: Site) -> None:
    """``out[…, i, j] = sum over k of a[…, i, k] * b[…, k, j]``, in the dtype of ``out``."""
    a, b = s.array(0), s.array(1)
    row, column = a.ndim == 1, b.ndim == 1
    length, other = a.dims[-1], b.dims[-1 if column else -2]
    s.same(length, other, "lo/equal-extents")
    if s.out.dtype == "bool":
        raise Unfit("a product of truths")
    batch = s.out.ndim - (not row) - (not column)
    meeting = promote(a.dtype, b.dtype)

    def item(*at: Scalar) -> Scalar:
        lead, inner, k = at[:batch], list(at[batch:-1]), at[-1]
        i = [] if row else [inner.pop(0)]
        over = s.out.dims[:batch]
        x = s.spread(a, (*lead, *i, k), (*over, *([] if row else [a.dims[-2]]), a.dims[-1]))
        wide = (*over, b.dims[-1]) if column else (*over, b.dims[-2], b.dims[-1])
        y = s.spread(b, (*lead, k, *inner), wide)
        return cast(s.out.dtype, cast(meeting, x)) * cast(s.out.dtype, cast(meeting, y))

    s.k.reduce(s.out, [length], "Add", lit(s.out.dtype, 0), item)


# --- over axes -------------------------------------------------------------------------------------------------------


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


def _axes(s: Site) -> Axes:
    return Axes(s.array(0), A.integers(s.call, "axis"), A.flag(s.call, "keepdims"))


def _start(op: BinaryOp, dtype: str) -> Scalar:
    match op:
        case "Add":
            return lit(dtype, 0)
        case "Mul":
            return lit(dtype, 1)
        case "Max":
            return least(dtype)
        case _:
            return greatest(dtype)


_OF_TRUTHS: dict[BinaryOp, tuple[BinaryOp, bool]] = {
    "Add": ("Or", False), "Max": ("Or", False), "Mul": ("And", True), "Min": ("And", True),
}  # fmt: skip


def _reduction(op: BinaryOp) -> Legalizer:
    def legalize(s: Site) -> None:
        x, axes = s.array(0), _axes(s)

        def item(*i: Scalar) -> Scalar:
            return x[axes.source(*axes.split(i))]

        if x.dtype == "bool":
            connect, start = _OF_TRUTHS[op]
            s.k.reduce(s.out, axes.lengths, connect, lit("bool", start), item)
        else:
            s.k.reduce(s.out, axes.lengths, op, _start(op, x.dtype), item)

    return legalize


def divided(total: Scalar, count: Scalar) -> Scalar:
    """A sum by a count. The mean of nothing is any value: an integer one is not divided by 0."""
    if not dtypes.is_float(total.dtype):
        return total.over(maximum(cast(total.dtype, count), 1))
    return total.over(cast(total.dtype, count))


def _numeric(s: Site, real: bool = False) -> None:
    dtype = s.array(0).dtype
    if dtype == "bool" or (real and not dtypes.is_float(dtype)):
        raise Unfit("no numbers to average")


def _mean(s: Site) -> None:
    _numeric(s)
    x, axes = s.array(0), _axes(s)
    total = s.k.alloc("total", s.out.dims, x.dtype)
    s.k.reduce(total, axes.lengths, "Add", lit(x.dtype, 0), lambda *i: x[axes.source(*axes.split(i))])
    s.k.compute(s.out, lambda *i: divided(total[i], axes.count()))


def moments(
    s: Site, dims: Sequence[Scalar], lengths: Sequence[Scalar], dtype: str, item: Callable[..., Scalar]
) -> tuple[Array, Array]:
    """The mean and the variance of ``item(*i, *r)`` over ``r``, in two passes, as arrays over ``dims``."""
    count = product(lengths)
    total, mean = s.k.alloc("total", dims, dtype), s.k.alloc("mean", dims, dtype)
    s.k.reduce(total, lengths, "Add", lit(dtype, 0), item)
    s.k.compute(mean, lambda *i: divided(total[i], count))
    squares, variance = s.k.alloc("squares", dims, dtype), s.k.alloc("variance", dims, dtype)
    cut = len(dims)

    def squared(*i: Scalar) -> Scalar:
        apart = item(*i) - mean[i[:cut]]
        return apart * apart

    s.k.reduce(squares, lengths, "Add", lit(dtype, 0), squared)
    s.k.compute(variance, lambda *i: divided(squares[i], count))
    return mean, variance


def _variance(root: bool) -> Legalizer:
    def legalize(s: Site) -> None:
        _numeric(s, real=root)
        x, axes = s.array(0), _axes(s)
        _, variance = moments(s, s.out.dims, axes.lengths, x.dtype, lambda *i: x[axes.source(*axes.split(i))])
        s.k.compute(s.out, lambda *i: function("sqrt", variance[i]) if root else variance[i])

    return legalize


def unflatten(position: Scalar, dims: Sequence[Scalar]) -> list[Scalar]:
    """The index of a shape at a row-major position."""
    result: list[Scalar] = []
    for k in range(len(dims)):
        inner = product(dims[k + 1 :])
        found = position // inner
        result.append(found % dims[k] if k else found)
    return result


def _position(op: str) -> Legalizer:
    """The first position of the extreme; the first NaN is the extreme. The extreme itself has a cell of its own: a
    position that is poison must not become an index."""

    def legalize(s: Site) -> None:
        x, axes = s.array(0), _axes(s)
        whole = len(axes.gone) != 1
        dtype = "uint8" if x.dtype == "bool" else x.dtype
        extreme = s.k.alloc("extreme", s.out.dims, dtype)

        def at(i: Sequence[Scalar]) -> Scalar:
            gone = unflatten(i[-1], axes.lengths) if whole else [i[-1]]
            value = x[axes.source(axes.of_result(i[:-1]), gone)]
            return cast("uint8", value) if x.dtype == "bool" else value

        def nan(value: Scalar) -> Scalar:
            return function("isnan", value, dtype="bool")

        def greater(old: Scalar, *i: Scalar) -> Scalar:
            new = at(i)
            better = new > old if op == "Max" else new < old
            if dtypes.is_float(dtype):
                better = better | (nan(new) & ~nan(old))
            return select(better, new, old)

        def first(found: Scalar, *i: Scalar) -> Scalar:
            new, best = at(i), extreme[i[:-1]]
            here = new.equals(best)
            if dtypes.is_float(dtype):
                here = here | (nan(new) & nan(best))
            return select(here & (found < 0), i[-1], found)

        s.k.fold(extreme, [axes.count()], least(dtype) if op == "Max" else greatest(dtype), greater)
        s.k.fold(s.out, [axes.count()], index(-1), first)

    return legalize


# --- normalised exponentials -----------------------------------------------------------------------------------------


def softmax_parts(s: Site, x: Array, axis: int) -> tuple[Array, Array, Array]:
    """The maximum, the raised differences and their sum along ``axis``."""
    axes = Axes(x, [axis], False)

    def kept(i: Sequence[Scalar]) -> list[Scalar]:
        return [i[k] for k in axes.kept]

    top, raised, total = (
        s.k.alloc("maxelem", axes.dims, x.dtype),
        s.k.alloc("exp", x.dims, x.dtype),
        s.k.alloc("expsum", axes.dims, x.dtype),
    )
    s.k.reduce(top, axes.lengths, "Max", least(x.dtype), lambda *i: x[axes.source(i[:-1], i[-1:])])
    s.k.compute(raised, lambda *i: function("exp", x[i] - top[kept(i)]))
    s.k.reduce(total, axes.lengths, "Add", lit(x.dtype, 0), lambda *i: raised[axes.source(i[:-1], i[-1:])])
    return top, raised, total


def _softmax(logarithm: bool) -> Legalizer:
    def legalize(s: Site) -> None:
        x = s.array(0)
        axis = A.integer(s.call, "axis") % x.ndim
        top, raised, total = softmax_parts(s, x, axis)

        def element(*i: Scalar) -> Scalar:
            kept = [i[k] for k in range(x.ndim) if k != axis]
            if not logarithm:
                return raised[i].over(total[kept])
            return x[i] - top[kept] - function("log", total[kept])

        s.k.compute(s.out, element)

    return legalize


# --- running sums ----------------------------------------------------------------------------------------------------


def _scan(op: str, start: int) -> Legalizer:
    """Each element from the one before it, in increasing order."""

    def legalize(s: Site) -> None:
        x, axis, out = s.array(0), A.optional_integer(s.call, "axis"), s.out
        if out.dtype == "bool":
            raise Unfit("a running sum of truths")
        flat = axis is None
        along = 0 if axis is None else axis % x.ndim
        exclusive = A.flag(s.call, "exclusive")
        first = lit(out.dtype, start)

        def item(i: Sequence[Scalar]) -> Scalar:
            return cast(out.dtype, x[unflatten(i[0], x.dims) if flat else i])

        def combine(a: Scalar, b: Scalar) -> Scalar:
            return a + b if op == "Add" else a * b

        def element(*i: Scalar) -> Scalar:
            before = [p - 1 if k == along else p for k, p in enumerate(i)]
            if exclusive:
                return if_first(i[along], first, combine(out[before], item(before)))
            return combine(if_first(i[along], first, out[before]), item(i))

        s.k.scan(out, along, element)

    return legalize


def if_first(position: Scalar, first: Scalar, later: Scalar) -> Scalar:
    """``later`` where there is an element before this one, else ``first``."""
    return function("if_then_else", position > 0, later, first, dtype=first.dtype)


REDUCTIONS: Mapping[str, Legalizer] = {
    "relax.matmul": _matmul,
    "relax.sum": _reduction("Add"),
    "relax.prod": _reduction("Mul"),
    "relax.max": _reduction("Max"),
    "relax.min": _reduction("Min"),
    "relax.mean": _mean,
    "relax.variance": _variance(root=False),
    "relax.std": _variance(root=True),
    "relax.argmax": _position("Max"),
    "relax.argmin": _position("Min"),
    "relax.nn.softmax": _softmax(logarithm=False),
    "relax.nn.log_softmax": _softmax(logarithm=True),
    "relax.cumsum": _scan("Add", 0),
    "relax.cumprod": _scan("Mul", 1),
}
