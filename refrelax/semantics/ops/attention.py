"""Attention: ``softmax(scale * q @ k.T + bias) @ v`` per batch and head, in the layout batch, sequence, head, feature.

Spec: ``spec/ops/attention.md``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from math import isqrt
from operator import index

from refrelax.rules import rule
from refrelax.semantics.numbers.interface import Payload
from refrelax.semantics.ops import attributes as A
from refrelax.semantics.ops import dims as D
from refrelax.semantics.ops.activation import raised
from refrelax.semantics.ops.common import arity, known_dims, rank, short, tensor, with_dims
from refrelax.semantics.ops.definition import Deduction, OpDef
from refrelax.semantics.ops.meaning import ALL, Array, Index, Meaning, Run, agree, cast, defined, literal
from refrelax.syntax.graph import Call
from refrelax.syntax.scalars import PrimExpr, as_int
from refrelax.syntax.types import TensorType, Type

PAGE = "attention"

# --- types -----------------------------------------------------------------------------------------------------------


@rule("op.nn.attention/rank")
def _four(d: Deduction, call: Call, t: TensorType, what: str) -> D.Dims:
    dims = known_dims(t)
    if rank(t) != 4 or dims is None:
        d.fail("op.nn.attention/rank", f"{short(call)}: {what} must have rank 4 and known dims, found rank {rank(t)}")
    return dims


@rule("op.nn.attention/dims", "op.nn.attention/heads")
def deduce_attention(d: Deduction, call: Call, types: tuple[Type, ...]) -> Type:
    """``(batch, queries, heads, value features)`` at the query's dtype."""
    q, k, v = (_four(d, call, tensor(d, call, types, n), w) for n, w in enumerate(("query", "key", "value")))
    _agree(d, call, (q[0], k[0]), (q[0], v[0]), (k[1], v[1]), (q[3], k[3]))
    for other in (k, v):
        heads, own = as_int(q[2]), as_int(other[2])
        if heads is not None and own is not None and heads != own * (heads // max(own, 1)):
            d.fail("op.nn.attention/heads", f"{short(call)}: {heads} query heads are no multiple of {own}")
    for position in range(3, len(types)):  # a bias; where sequences start, and how long they are
        tensor(d, call, types, position)
    if call.op.name == "relax.nn.attention_bias":
        arity(d, call, 4)
        b = _four(d, call, tensor(d, call, types, 3), "bias")
        _agree(d, call, *((x, y) for x, y in zip((q[0], q[2], q[1]), b, strict=False) if not D.is_one(y)), (k[1], b[3]))
    if call.op.name == "relax.nn.attention_var_len":
        for n in range(3, len(types)):
            tensor(d, call, types, n)
    query = tensor(d, call, types, 0)
    return with_dims((q[0], q[1], q[2], v[3]), query.dtype, query.vdevice)


def _agree(d: Deduction, call: Call, *pairs: tuple[PrimExpr, PrimExpr]) -> None:
    for a, b in pairs:
        if d.equal(a, b) is False:
            d.fail("op.nn.attention/dims", f"{short(call)}: query, key, value and bias do not fit together")


# --- values ----------------------------------------------------------------------------------------------------------

Bounds = Callable[[Index], tuple[Index, Index]]
"""For a query, the first of the keys that it attends to, and their end."""


@rule("op.nn.attention/window")
def ahead(m: Meaning, call: Call, queries: Index, keys: Index) -> Index:
    """How many keys past its own position a query attends to: ``TopLeft`` none, ``BottomRight`` the difference of the
    lengths, else all.

    A sliding window is open: the language gives it no meaning.
    """
    m.require(A.optional_real(call, "window_size", None) is None, "op.nn.attention/window", "a sliding window")
    match A.text(call, "causal_mask", None):
        case "TopLeft":
            return 0
        case "BottomRight":
            return m.most(queries - keys, keys - queries)
        case _:
            return keys


def _scaled(m: Meaning, call: Call, dtype: str, features: Index) -> Callable[[Payload], Payload]:
    """The score times ``scale``, or divided by the square root of the number of features."""
    f, scale = m.at(dtype), A.optional_real(call, "scale", None)
    if scale is not None:
        factor = literal(m, dtype, scale)
        return lambda a: f.mul(a, factor)
    n = index(features)

    @cache
    def root() -> Payload:  # asked for by an element, as a dtype may have no root
        return f.lit(isqrt(n)) if isqrt(n) ** 2 == n else f.math("sqrt")(f.lit(n))

    return lambda a: f.div(a, root())


def attended(
    m: Meaning, call: Call, arrays: Sequence[Array], bounds: Bounds | None, all_batches: bool, bias: Array | None = None
) -> Array:
    """``out[i] = sum over j of p[i, j] * v[j]``; ``p[i]`` is the softmax of ``q[i] . k[j] * scale + bias``.

    ``j`` is within ``bounds``. Unless ``all_batches``, the first stands for all.
    """
    q, (k, v) = arrays[0], (cast(m, each, arrays[0].dtype) for each in arrays[1:])
    (batches, queries, heads, features), keys, f = q.dims, k.dims[1], m.at(q.dtype)
    batches = batches if all_batches else m.least(batches, 1)
    by_key, by_value = (m.most(heads // m.most(x.dims[2], 1), 1) for x in (k, v))
    scaled = _scaled(m, call, q.dtype, features)
    one = (batches, queries, heads, 1)

    def seen(i: Index) -> Run:
        if bounds is None:
            return ALL
        low, high = bounds(i)
        return Run(low, high - low)

    def score(b: Index, i: Index, h: Index, j: Index) -> Payload:
        value = scaled(f.dot(q.over((b, i, h, ALL)), k.over((b, j, h // by_key, ALL)), q.dtype))
        return value if bias is None else f.add(value, bias[b, h, i, j])

    scores = m.rows((batches, queries, heads, keys), q.dtype, lambda _b, i, _h: seen(i), score)
    top = m.tensor(one, q.dtype, lambda b, i, h, _: f.reduce("maximum", scores.over((b, i, h, seen(i)))))
    powers = m.pointwise(q.dtype, raised(f), scores, top)
    total = m.tensor(one, q.dtype, lambda b, i, h, _: f.reduce("add", powers.over((b, i, h, seen(i)))))
    weights = m.pointwise(q.dtype, f.div, powers, total)

    def element(b: Index, i: Index, h: Index, c: Index) -> Payload:
        b, run = b if all_batches else m.least(b, batches - 1), seen(i)
        return f.dot(weights.over((b, i, h, run)), v.over((b, run, h // by_value, c)), q.dtype)

    return m.tensor((*q.dims[:3], v.dims[3]), q.dtype, element)


@rule("op.nn.attention/extents")
def _fit(m: Meaning, q: Array, k: Array, v: Array) -> None:
    """Batches and features agree, keys and values go together, and the query's heads are a multiple of theirs."""
    shared = ((q.dims[2] // m.most(x.dims[2], 1)) * x.dims[2] == q.dims[2] for x in (k, v))
    fit = m.every((agree(m, k.dims[:2], v.dims[:2]), q.dims[0] == k.dims[0], q.dims[3] == k.dims[3], *shared))
    m.require(fit, "op.nn.attention/extents", f"{q.dims}, {k.dims}, {v.dims}")


@rule("op.nn.attention/extents")
def attention(m: Meaning, call: Call, q: Array, k: Array, v: Array, bias: Array | None = None) -> Array:
    """``out[i] = sum over j of p[i, j] * v[j]``; ``p[i]`` is the softmax of ``q[i] . k[j] * scale + bias[i, j]``.

    Without ``scale`` the product ``q[i] . k[j]`` is divided by the square root of the number of features. ``j`` runs
    over the keys of the batch: under the ``causal_mask`` ``"TopLeft"`` over those up to ``i``, under ``"BottomRight"``
    over those up to ``i + abs(keys - queries)``; any other string masks nothing. Where there is no key it is 0. All is
    computed at the query's dtype, to which keys and values are converted; a bias is of it.
    """
    _fit(m, q, k, v)
    (batches, queries, heads, _), keys = q.dims, k.dims[1]
    more = ahead(m, call, queries, keys)
    causal = A.text(call, "causal_mask", None) in ("TopLeft", "BottomRight")
    bounds: Bounds | None = (lambda i: (0, m.least(keys, i + more + 1))) if causal else None
    if bias is not None:
        dims = (batches, heads, queries, keys)
        agrees = m.every((bias.dtype == q.dtype, agree(m, m.broadcast(dims, bias.dims), dims), bias.dims[3] == keys))
        m.require(agrees, "op.nn.attention/extents", f"a bias of {bias.dims}")
        bias = m.spread(bias, dims)
    return attended(m, call, (q, k, v), bounds, True, bias)


@rule("op.nn.attention_var_len/starts")
def attention_var_len(m: Meaning, call: Call, q: Array, k: Array, v: Array, starts: Array, *more: Array) -> Array:
    """As ``attention``, of sequences that lie one after the other: a query of sequence ``s`` attends to the keys of
    sequence ``s`` only.

    Sequence ``s`` has the queries from ``seqstart_q[s]`` to below ``seqstart_q[s + 1]``, and so the keys; a mask counts
    positions and lengths within the sequence. Every batch of the result is that of the first batch of the arguments.
    The greatest lengths say nothing.
    """
    given = (starts, more[0] if len(more) > 1 else starts)
    _fit(m, q, k, v)
    m.require(all(each.ndim == 1 for each in given), "op.nn.attention_var_len/starts", "starts that are no vector")
    own, other = (m.indices(each.dims, lambda s, each=each: m.index_of(each[s,], each.dtype)) for each in given)
    rule_, count, (queries, keys) = "op.nn.attention_var_len/starts", own.dims[0], (q.dims[1], k.dims[1])
    m.require(m.every((count == other.dims[0], count > 0)), rule_, "no sequence, or not as many")
    for each, length in ((own, queries), (other, keys)):
        m.require(
            m.every((each[0,] == 0, each[count - 1,] == length)), rule_, f"sequences that are not all of {length}"
        )
        m.indices((count - 1,), lambda s, x=each: m.choose(x[s,] <= x[s + 1,], lambda: x[s,], lambda: m.ends(rule_)))

    def owner(i: Index) -> Index:
        """The last sequence that begins at or before a query."""
        return m.reached(own, i) - 1

    def end(i: Index) -> Index:
        s = owners[i,]
        lengths = own[s + 1,] - own[s,], other[s + 1,] - other[s,]
        return other[s,] + m.least(lengths[1], i - own[s,] + ahead(m, call, *lengths) + 1)

    owners = m.indices((queries,), owner)
    lows, highs = m.indices((queries,), lambda i: other[owners[i,],]), m.indices((queries,), end)
    return attended(m, call, (q, k, v), lambda i: (lows[i,], highs[i,]), False)


OPERATORS: tuple[OpDef, ...] = (
    defined("relax.nn.attention", deduce_attention, attention, PAGE),
    defined("relax.nn.attention_bias", deduce_attention, attention, PAGE),
    defined("relax.nn.attention_var_len", deduce_attention, attention_var_len, PAGE),
)
