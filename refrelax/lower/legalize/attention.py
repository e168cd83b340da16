"""Attention, decomposed: scores, their softmax over the keys that a query sees, the weighted sum of the values."""

from __future__ import annotations

from collections.abc import Mapping
from math import isqrt

from refrelax.lower.legalize.elementwise import Legalizer
from refrelax.lower.legalize.kernel import Array
from refrelax.lower.legalize.scalars import Scalar, function, if_then_else, index, least, lit, maximum, select
from refrelax.lower.legalize.site import Site, Unfit
from refrelax.semantics.ops import attributes as A
from refrelax.syntax import dtypes
from refrelax.syntax.scalars import as_int


def _heads(q: Array, other: Array) -> int:
    """How many query heads share one head of ``other``."""
    a, b = as_int(q.dims[2].node), as_int(other.dims[2].node)
    if a is None or b is None:
        raise Unfit("a number of heads that is not known")
    return max(a // max(b, 1), 1)


def _scaled(s: Site, dtype: str, features: Scalar, value: Scalar) -> Scalar:
    """The score times ``scale``, or divided by the root of the number of features."""
    scale, count = A.optional_real(s.call, "scale", None), as_int(features.node)
    if scale is not None:
        return value * lit(dtype, scale)
    if count is None:
        raise Unfit("a number of features that is not known")
    exact = isqrt(count) ** 2 == count
    return value.over(lit(dtype, isqrt(count)) if exact else function("sqrt", lit(dtype, count)))


def _ahead(s: Site, q: Array, k: Array) -> Scalar | None:
    """How many keys past its own position a query sees; ``None`` for all."""
    if A.optional_integer(s.call, "window_size", None) is not None:
        raise Unfit("a sliding window")
    queries, keys = q.dims[1], k.dims[1]
    match A.text(s.call, "causal_mask", None):
        case "TopLeft":
            return index(0)
        case "BottomRight":
            return maximum(queries - keys, keys - queries)
        case _:
            return None


def _attention(s: Site) -> None:
    q, k, v = (s.array(n) for n in range(3))
    if not dtypes.is_float(q.dtype):
        raise Unfit("no exponentials of integers")
    bias = s.array(3) if len(s.a) > 3 else None
    for a, b in ((q.dims[0], k.dims[0]), (k.dims[0], v.dims[0]), (k.dims[1], v.dims[1]), (q.dims[3], k.dims[3])):
        s.same(a, b, "lo/equal-extents")
    dtype, by_key, by_value, ahead = q.dtype, _heads(q, k), _heads(q, v), _ahead(s, q, k)
    batch, queries, heads, features = q.dims
    keys = k.dims[1]
    rows, whole = (batch, heads, queries), (batch, heads, queries, keys)
    zero = lit(dtype, 0)

    def seen(i: Scalar, j: Scalar, value: Scalar, hidden: Scalar) -> Scalar:
        return value if ahead is None else select(j <= i + ahead, value, hidden)

    products, scores = s.k.alloc("products", whole, dtype), s.k.alloc("scores", whole, dtype)
    s.k.reduce(products, [features], "Add", zero, lambda b, h, i, j, c: q[b, i, h, c] * k[b, j, h // by_key, c])

    def score(*at: Scalar) -> Scalar:
        value = _scaled(s, dtype, features, products[at])
        return value if bias is None else value + s.spread(bias, at, whole)

    s.k.compute(scores, score)
    top, total = s.k.alloc("maxelem", rows, dtype), s.k.alloc("expsum", rows, dtype)
    raised, weights = s.k.alloc("exp", whole, dtype), s.k.alloc("weights", whole, dtype)
    low = least(dtype)
    s.k.reduce(top, [keys], "Max", low, lambda b, h, i, j: seen(i, j, scores[b, h, i, j], low))
    s.k.compute(raised, lambda b, h, i, j: seen(i, j, function("exp", scores[b, h, i, j] - top[b, h, i]), zero))
    s.k.reduce(total, [keys], "Add", zero, lambda b, h, i, j: raised[b, h, i, j])
    s.k.compute(weights, lambda b, h, i, j: raised[b, h, i, j].over(total[b, h, i]))

    def item(b: Scalar, i: Scalar, h: Scalar, c: Scalar, j: Scalar) -> Scalar:
        value = weights[b, h, i, j] * v[b, j, h // by_value, c]
        return value if ahead is None else if_then_else(j <= i + ahead, value, zero)

    s.k.reduce(s.out, [keys], "Add", zero, item)


ATTENTION: Mapping[str, Legalizer] = {
    "relax.nn.attention": _attention,
    "relax.nn.attention_bias": _attention,
}
