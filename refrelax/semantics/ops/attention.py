"""Attention: ``softmax(scale * q @ k.T + bias) @ v`` per batch and head, in the layout batch, sequence, head, feature.

Spec: ``spec/ops/attention.md``.
"""

from __future__ import annotations

from collections.abc import Callable
from math import isqrt

from refrelax.errors import unspecified
from refrelax.rules import rule
from refrelax.semantics.numbers.interface import Payload
from refrelax.semantics.ops import attributes as A
from refrelax.semantics.ops import dims as D
from refrelax.semantics.ops.activation import softmax_line
from refrelax.semantics.ops.common import arity, index_of, known_dims, rank, short, tensor, tensor_value, with_dims
from refrelax.semantics.ops.conv import charge
from refrelax.semantics.ops.definition import Deduction, Evaluation, OpDef
from refrelax.semantics.values import Tensor, Value
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
        if heads is not None and own and heads % own:
            d.fail("op.nn.attention/heads", f"{short(call)}: {heads} query heads are no multiple of {own}")
    if call.op.name == "relax.nn.attention_bias":
        arity(d, call, 4)
        b = _four(d, call, tensor(d, call, types, 3), "bias")
        _agree(d, call, *((x, y) for x, y in zip((q[0], q[2], q[1]), b, strict=False) if not D.is_one(y)), (k[1], b[3]))
    query = tensor(d, call, types, 0)
    return with_dims((q[0], q[1], q[2], v[3]), query.dtype, query.vdevice)


def _agree(d: Deduction, call: Call, *pairs: tuple[PrimExpr, PrimExpr]) -> None:
    for a, b in pairs:
        if d.equal(a, b) is False:
            d.fail("op.nn.attention/dims", f"{short(call)}: query, key, value and bias do not fit together")


# --- values ----------------------------------------------------------------------------------------------------------

Seen = Callable[[int], range]
"""For a query, the keys that it attends to."""


@rule("op.nn.attention/window", "op.nn.attention/extents")
def mask(e: Evaluation, call: Call, queries: int, keys: int) -> Seen:
    """``TopLeft``: keys up to the query's position; ``BottomRight``: up to it plus ``abs(queries - keys)``; else all.

    A sliding window is open: the language gives it no meaning.
    """
    if A.optional_integer(call, "window_size", None) is not None:
        raise unspecified("op.nn.attention/window", f"{short(call)} with a sliding window", e.span)
    match A.text(call, "causal_mask", None):
        case "TopLeft":
            ahead = 0
        case "BottomRight":
            ahead = abs(queries - keys)
        case _:
            ahead = keys
    return lambda i: range(min(keys, i + ahead + 1))


def _scaled(e: Evaluation, call: Call, dtype: str, features: int) -> Callable[[Payload], Payload]:
    """The score times ``scale``, or divided by the square root of the number of features."""
    f, scale = e.numerics.at(dtype), A.optional_real(call, "scale", None)
    if scale is not None:
        factor = f.lit(scale)
        return lambda a: f.mul(a, factor)
    exact = isqrt(features) ** 2 == features
    root = f.lit(isqrt(features)) if exact else f.math("sqrt")(f.lit(features))
    return lambda a: f.div(a, root)


def _shared(q: Tensor, k: Tensor, v: Tensor) -> tuple[int, int]:
    """How many query heads share one key head, and one value head."""
    return max(q.shape[2] // max(k.shape[2], 1), 1), max(q.shape[2] // max(v.shape[2], 1), 1)


def evaluate_attention(e: Evaluation, call: Call, args: tuple[Value, ...]) -> Tensor:
    """``out[i] = sum over j of p[i, j] * v[j]``; ``p[i]`` is the softmax of ``q[i] . k[j] * scale + bias``."""
    q, k, v, *rest = (tensor_value(each) for each in args)
    if q.shape[0] != k.shape[0] or k.shape[:2] != v.shape[:2] or q.shape[3] != k.shape[3]:
        raise unspecified("op.nn.attention/extents", f"{short(call)} of {q.shape}, {k.shape}, {v.shape}", e.span)
    f, by_key, by_value = e.numerics.at(q.dtype), *_shared(q, k, v)
    seen, scaled = mask(e, call, q.shape[1], k.shape[1]), _scaled(e, call, q.dtype, q.shape[3])
    weights: dict[tuple[int, int, int], list[Payload]] = {}

    def score(b: int, i: int, h: int, j: int) -> Payload:
        features = range(q.shape[3])
        products = f.dot([q[b, i, h, c] for c in features], [k[b, j, h // by_key, c] for c in features], q.dtype)
        value = scaled(products)
        if not rest:
            return value
        at = tuple(0 if n == 1 else p for p, n in zip((b, h, i, j), rest[0].shape, strict=True))
        return f.add(value, rest[0][at])

    def element(b: int, i: int, h: int, c: int) -> Payload:
        if (b, i, h) not in weights:
            weights[b, i, h] = softmax_line(f, [score(b, i, h, j) for j in seen(i)])
        return f.dot(weights[b, i, h], [v[b, j, h // by_value, c] for j in seen(i)], q.dtype)

    charge(e, (q.shape[0], q.shape[1], q.shape[2], k.shape[1]), q.shape[3] + v.shape[3])
    return e.tabulate(q.dtype, (*q.shape[:3], v.shape[3]), element)


@rule("op.nn.attention_var_len/starts")
def evaluate_var_len(e: Evaluation, call: Call, args: tuple[Value, ...]) -> Tensor:
    """Sequences one after the other: query ``i`` of sequence ``s`` attends to the keys of sequence ``s`` only."""
    q, k, v, starts_q = (tensor_value(each) for each in args[:4])
    starts_k = tensor_value(args[4]) if len(args) > 5 else starts_q
    first_q = [index_of(e, starts_q, (s,)) for s in range(starts_q.shape[0])]
    first_k = [index_of(e, starts_k, (s,)) for s in range(starts_k.shape[0])]
    fits = (
        len(first_q) == len(first_k)
        and first_q == sorted(first_q)
        and first_k == sorted(first_k)
        and (first_q[:1], first_q[-1:]) == ([0], [q.shape[1]])
        and (first_k[:1], first_k[-1:]) == ([0], [k.shape[1]])
    )
    if not fits:
        raise unspecified("op.nn.attention_var_len/starts", f"{short(call)}: {first_q} and {first_k}", e.span)
    owner = [s for s in range(len(first_q) - 1) for _ in range(first_q[s], first_q[s + 1])]
    f, by_key, by_value = e.numerics.at(q.dtype), *_shared(q, k, v)
    scaled = _scaled(e, call, q.dtype, q.shape[3])
    weights: dict[tuple[int, int], list[Payload]] = {}

    def keys(i: int) -> list[int]:
        s = owner[i]
        lengths = first_q[s + 1] - first_q[s], first_k[s + 1] - first_k[s]
        return [first_k[s] + j for j in mask(e, call, *lengths)(i - first_q[s])]

    def score(i: int, h: int, j: int) -> Payload:
        features = range(q.shape[3])
        return scaled(f.dot([q[0, i, h, c] for c in features], [k[0, j, h // by_key, c] for c in features], q.dtype))

    def element(_b: int, i: int, h: int, c: int) -> Payload:
        if (i, h) not in weights:
            weights[i, h] = softmax_line(f, [score(i, h, j) for j in keys(i)])
        return f.dot(weights[i, h], [v[0, j, h // by_value, c] for j in keys(i)], q.dtype)

    return e.tabulate(q.dtype, (*q.shape[:3], v.shape[3]), element)


OPERATORS: tuple[OpDef, ...] = (
    OpDef("relax.nn.attention", deduce_attention, evaluate_attention, PAGE),
    OpDef("relax.nn.attention_bias", deduce_attention, evaluate_attention, PAGE),
    OpDef("relax.nn.attention_var_len", deduce_attention, evaluate_var_len, PAGE),
)
