"""Loads and stores at positions that are data.

A scatter is written from the result's side: each element asks every update whether it goes there, in order. So no
store has an index that is data, and the order of updates to one element is that of the operator.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from refrelax.lower.legalize.axes import Legalizer, replaced
from refrelax.lower.legalize.kernel import Array
from refrelax.lower.legalize.scalars import (
    Scalar,
    all_of,
    cast,
    if_then_else,
    index,
    lit,
    maximum,
    minimum,
    product,
    select,
)
from refrelax.lower.legalize.site import Site, Unfit
from refrelax.semantics.ops import attributes as A
from refrelax.syntax import dtypes
from refrelax.syntax.graph import ShapeExpr
from refrelax.syntax.scalars import as_int


def _position(indices: Array, at: Sequence[Scalar], s: Site, over: Sequence[Scalar] | None = None) -> Scalar:
    """An element of an index tensor, as int64."""
    if indices.dtype == "uint64":
        raise Unfit("unsigned positions of 64 bits")
    value = indices[list(at)] if over is None else s.spread(indices, at, over)
    return cast("int64", value)


def _wrapped(position: Scalar, n: Scalar) -> Scalar:
    """A negative position counts from the end, once. (One arm is evaluated: the sum cannot leave int64.)"""
    return if_then_else(position < 0, position + n, position)


# --- loads -----------------------------------------------------------------------------------------------------------


def _depth(indices: Array) -> int:
    found = as_int(indices.dims[-1].node)
    if found is None:
        raise Unfit("indices whose depth is not known")
    return found


# --- stores, from the result's side ----------------------------------------------------------------------------------


def _combine(reduction: str, dtype: str) -> Callable[[Scalar, Scalar], Scalar]:
    """The element after one more update."""
    if dtype == "bool" and reduction not in ("update", ""):
        raise Unfit("a reduction of truths")
    match reduction:
        case "update" | "":
            return lambda _old, new: new
        case "add":  # a sum starts from +0
            return lambda old, new: (old + lit(dtype, 0) if dtypes.is_float(dtype) else old) + new
        case "mul":
            return lambda old, new: old * new
        case "min":
            return minimum
        case "max":
            return maximum
        case _:
            raise Unfit("a mean of updates")


def _scatter_elements(s: Site) -> None:
    x, indices, updates = (s.array(k) for k in range(3))
    axis = A.integer(s.call, "axis") % x.ndim
    combine = _combine(A.text(s.call, "reduction"), x.dtype)
    for a, b in zip(indices.dims, updates.dims, strict=True):
        s.same(a, b, "lo/equal-extents")
    narrow = [k for k in range(x.ndim) if k != axis and indices.dims[k].node != x.dims[k].node]

    def step(own: Scalar, *at: Scalar) -> Scalar:
        i = at[:-1]
        source = replaced(i, axis, at[-1])
        hit = _wrapped(_position(indices, source, s), x.dims[axis]).equals(i[axis])
        new = select(hit, combine(own, updates[source]), own)
        covered = all_of([i[k] < indices.dims[k] for k in narrow])
        return if_then_else(covered, new, own)

    s.k.fold(s.out, [indices.dims[axis]], lambda *i: x[i], step)


def _scatter_nd(s: Site) -> None:
    x, indices, updates = (s.array(k) for k in range(3))
    depth, lead = _depth(indices), indices.ndim - 1
    combine = _combine(A.text(s.call, "reduction"), x.dtype)
    for a, b in zip([*indices.dims[:-1], *x.dims[depth:]], updates.dims, strict=True):
        s.same(a, b, "lo/equal-extents")

    def step(own: Scalar, *at: Scalar) -> Scalar:
        i, k = at[: x.ndim], at[x.ndim :]
        spots = [_wrapped(_position(indices, [*k, index(j)], s), x.dims[j]) for j in range(depth)]
        hit = all_of([p.equals(q) for p, q in zip(spots, i, strict=False)])
        return select(hit, combine(own, updates[[*k, *i[depth:]]]), own)

    if not lead:
        raise Unfit("one update")
    s.k.fold(s.out, indices.dims[:-1], lambda *i: x[i], step)


def _index_put(s: Site) -> None:
    x, values = s.array(0), s.array(2)
    given = s.a[1]
    indices = given if isinstance(given, list) else [s.array(1)]
    widest = max(indices, key=lambda t: t.ndim)
    over = list(widest.dims)
    for t in indices:
        for k in range(1, t.ndim + 1):
            if as_int(over[-k].node) == 1:
                over[-k] = t.dims[-k]
    if values.ndim > len(over) or any(as_int(n.node) == 1 for n in over):
        raise Unfit("values or positions that may stand for several")
    combine = _combine("add" if A.flag(s.call, "accumulate") else "update", x.dtype)

    def step(own: Scalar, *at: Scalar) -> Scalar:
        i, k = at[: x.ndim], at[x.ndim :]
        spots = [_wrapped(_position(t, k, s, over), n) for t, n in zip(indices, x.dims, strict=True)]
        hit = all_of([p.equals(q) for p, q in zip(spots, i, strict=True)])
        return select(hit, combine(own, s.spread(values, k, over)), own)

    s.k.fold(s.out, over, lambda *i: x[i], step)


def _take_backward(s: Site) -> None:
    """Zeros, to which the gradient of every element taken is added where it came from."""
    grad, x, indices = (s.array(k) for k in range(3))
    axis = (A.optional_integer(s.call, "axis", None) or 0) % x.ndim

    def step(own: Scalar, *at: Scalar) -> Scalar:
        i, k = at[: x.ndim], at[x.ndim :]
        hit = _position(indices, k, s).equals(i[axis])
        return select(hit, own + grad[[*i[:axis], *k, *i[axis + 1 :]]], own)

    if not dtypes.is_float(x.dtype) and not dtypes.is_integer(x.dtype):
        raise Unfit("a sum of truths")
    s.k.fold(s.out, indices.dims, lit(x.dtype, 0), step)


# --- axes from index values ------------------------------------------------------------------------------------------


def _shape_to_tensor(s: Site) -> None:
    shape = s.call.args[0]
    if not isinstance(shape, ShapeExpr) or not shape.values:
        raise Unfit("a shape that is not written out")
    values = [cast("int64", s.expression(each)) for each in shape.values]

    def element(i: Scalar) -> Scalar:
        result = values[-1]
        for k in reversed(range(len(values) - 1)):
            result = select(i.equals(k), values[k], result)
        return result

    s.k.compute(s.out, element)


def _size(s: Site) -> None:
    s.k.compute(s.out, lambda: product(s.array(0).dims))


# --- quantisation ----------------------------------------------------------------------------------------------------


GATHERING: Mapping[str, Legalizer] = {
    "relax.scatter_elements": _scatter_elements,
    "relax.scatter_nd": _scatter_nd,
    "relax.index_put": _index_put,
    "relax.grad.take_backward": _take_backward,
    "relax.shape_to_tensor": _shape_to_tensor,
    "relax.size": _size,
}
