"""Contractions: einsum, outer products, attention."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from math import isqrt, prod
from typing import Any

import numpy as np

from refrelax.backends.numpy_ import exact
from refrelax.backends.numpy_.attention import direct
from refrelax.backends.numpy_.operands import Attrs, Run, literal, met, plain
from refrelax.backends.numpy_.reductions import matmul, reduce, softmax
from refrelax.errors import unspecified


def einsum(attrs: Attrs, args: Sequence[Any], fast: bool) -> Any:
    """``fast``: NumPy's. Else one point of the summed labels at a time, the labels in order of first occurrence."""
    operands = list(args[0]) if isinstance(args[0], tuple) else [args[0]]
    if len(operands) == 2 and plain(fast, operands[0]) and operands[0].dtype == operands[1].dtype:
        product = product_of(attrs["subscripts"], operands[0].shape, operands[1].shape)
        if product is not None:
            return product(*operands)
    words, out = labels(attrs["subscripts"].replace(" ", ""), [x.ndim for x in operands])
    size: dict[str, int] = {}
    pairs = [(c, n) for word, x in zip(words, operands, strict=True) for c, n in zip(word, x.shape, strict=True)]
    for label, n in pairs:
        size[label] = n if n != 1 or label not in size else size[label]
    if plain(fast, operands[0]) and all(size[label] == n for label, n in pairs):
        path: Any = ["einsum_path", (0, 1)] if len(operands) == 2 else len(operands) > 2  # no search where there is one
        return np.array(np.einsum(f"{','.join(words)}->{out}", *operands, optimize=path))  # a diagonal is a view
    summed = [label for label in size if label not in out]
    spread = [_spread(x, word, out, summed) for x, word in zip(operands, words, strict=True)]
    shape = [size[label] for label in out]
    total = np.zeros(shape, dtype=operands[0].dtype)
    for point in np.ndindex(*(size[label] for label in summed)):
        total = total + _product([_at(x, point, len(out)) for x in spread])
    return np.asarray(total, dtype=operands[0].dtype).reshape(shape)


Shape = tuple[int, ...]


@lru_cache(maxsize=256)
def product_of(subscripts: str, first: Shape, second: Shape) -> Callable[[Any, Any], Any] | None:
    """A contraction of two operands of these shapes as a product of stacks of matrices, or of elements where nothing is
    summed; ``None`` if it is no such thing."""
    (a, b), out = labels(subscripts.replace(" ", ""), [len(first), len(second)])
    if len(set(a)) < len(a) or len(set(b)) < len(b):
        return None
    size: dict[str, int] = {}
    for c, n in zip(a + b, (*first, *second), strict=True):
        if size.setdefault(c, n) != n:
            return None
    batch = [c for c in out if c in a and c in b]
    left, right = [c for c in out if c in a and c not in b], [c for c in out if c in b and c not in a]
    summed = [c for c in a if c in b and c not in out]
    if len(batch) + len(left) + len(summed) < len(a) or len(batch) + len(right) + len(summed) < len(b):
        return None
    if not summed:
        shapes = [tuple(size[c] if c in word else 1 for c in out) for word in (a, b)]
        orders = [tuple(word.index(c) for c in out if c in word) for word in (a, b)]
        return lambda x, y: x.transpose(orders[0]).reshape(shapes[0]) * y.transpose(orders[1]).reshape(shapes[1])

    def laid(word: str, rows: list[str], columns: list[str]) -> tuple[Shape, Shape]:
        shape = (*(size[c] for c in batch), prod(size[c] for c in rows), prod(size[c] for c in columns))
        return tuple(word.index(c) for c in (*batch, *rows, *columns)), shape

    (turn_a, shape_a), (turn_b, shape_b) = laid(a, left, summed), laid(b, summed, right)
    order = [*batch, *left, *right]
    shape, turn = tuple(size[c] for c in order), tuple(order.index(c) for c in out)

    if not batch and len(left) > 1 == len(summed) == len(right):  # a stack of matrices times one matrix
        as_they_are = [*a] == left + summed and [*b] == summed + right and [*out] == order
        if as_they_are and apart(size[left[-1]], size[summed[0]], size[right[0]]):
            return np.matmul

    def product(x: Any, y: Any) -> Any:
        found = np.matmul(x.transpose(turn_a).reshape(shape_a), y.transpose(turn_b).reshape(shape_b))
        return found.reshape(shape).transpose(turn)

    return product


def apart(rows: int, summed: int, columns: int) -> bool:
    """Whether products of a stack of matrices with one matrix are quicker one by one than as one product of all rows:
    BLAS has a kernel for small matrices, which it does not lay out anew, and a call for fewer numbers is worth none."""
    return rows >= 8 and 1 << 15 <= rows * summed * columns <= 10**6


def times_matrix(x: Any, y: Any) -> Any:
    """A stack of matrices times one matrix, in floats of NumPy's own."""
    rows, summed = x.shape[-2:]
    if x.flags.c_contiguous and x.size and summed == y.shape[0] and not apart(rows, summed, y.shape[1]):
        return np.matmul(x.reshape(-1, summed), y).reshape(*x.shape[:-1], y.shape[1])
    return np.matmul(x, y)


def _at(x: Any, point: tuple[int, ...], kept: int) -> Any:
    """``x`` at a point of its summed axes, which follow the ``kept`` ones."""
    return x[(..., *(0 if n == 1 else p for p, n in zip(point, x.shape[kept:], strict=True)))]


def _product(parts: list[Any]) -> Any:
    result = parts[0]
    for part in parts[1:]:
        result = result * part
    return result


def labels(text: str, ranks: list[int]) -> tuple[list[str], str]:
    """The labels of each operand and of the result; ``...`` becomes upper-case letters not in use."""
    left, arrow, right = text.partition("->")
    words = left.split(",")
    widest = max((r - len(w.replace("...", "")) for w, r in zip(words, ranks, strict=True) if "..." in w), default=0)
    spare = [c for c in "ABCDEFGHIJKLMNOPQRSTUVWXYZ" if c not in text][:widest]
    if not arrow:
        plain_text = left.replace("...", "").replace(",", "")
        right = "..." * ("..." in left) + "".join(sorted(c for c in set(plain_text) if plain_text.count(c) == 1))
    found = []
    for word, rank in zip(words, ranks, strict=True):
        count = rank - len(word.replace("...", ""))
        found.append(word.replace("...", "".join(spare[len(spare) - count :]) if count else ""))
    return found, right.replace("...", "".join(spare))


def _spread(x: Any, word: str, out: str, summed: list[str]) -> Any:
    """``x`` with one axis for each label of the result, then of the summed ones; repeated labels become a diagonal."""
    while len(set(word)) < len(word):
        label = next(c for c in word if word.count(c) > 1)
        a, b = word.index(label), word.index(label, word.index(label) + 1)
        n = x.shape[b] if x.shape[a] == 1 else x.shape[a]
        x = np.broadcast_to(x, [n if k in (a, b) and m == 1 else m for k, m in enumerate(x.shape)])
        x = np.moveaxis(np.diagonal(x, axis1=a, axis2=b), -1, a)
        word = word[:b] + word[b + 1 :]
    order = [*out, *summed]
    x = np.transpose(x, [word.index(c) for c in order if c in word])
    extents = iter(x.shape)
    return x.reshape([next(extents) if c in word else 1 for c in order])


def outer(_attrs: Attrs, args: Sequence[Any], _fast: bool) -> Any:
    a, b = args
    meeting = met(a.dtype, b.dtype)
    x, y = exact.cast(a, meeting)[:, None], exact.cast(b, meeting)[None, :]
    return exact.cast(x & y if meeting == np.bool_ else x * y, a.dtype)


# --- attention -------------------------------------------------------------------------------------------------------


def attention(attrs: Attrs, args: Sequence[Any], fast: bool) -> Any:
    """``softmax(q k^T * scale + bias) v`` over the keys that each query sees; (batch, sequence, head, feature)."""
    q, k, v, *rest = args
    if attrs.get("window_size") is not None:
        raise unspecified("op.nn.attention/window", "a sliding window")
    if q.shape[0] != k.shape[0] or k.shape[:2] != v.shape[:2] or q.shape[3] != k.shape[3]:
        raise unspecified("op.nn.attention/extents", f"{q.shape}, {k.shape}, {v.shape}")
    k, v = (t if t.shape[2] == q.shape[2] else np.repeat(t, max(q.shape[2] // max(t.shape[2], 1), 1), axis=2)
            for t in (k, v))  # fmt: skip
    if not q.shape[0] * q.shape[1] * q.shape[2] * v.shape[3]:
        return np.zeros((*q.shape[:3], v.shape[3]), q.dtype)  # no element, so that no operation is missing (of bool)
    q, k, v = (np.transpose(t, (0, 2, 1, 3)) for t in (q, k, v))
    limits = visible(attrs["causal_mask"], q.shape[2], k.shape[2])
    same = q.dtype == k.dtype == v.dtype and (not rest or rest[0].dtype == q.dtype)
    if plain(fast, q) and same and k.shape[2] and np.isfinite(v).all():  # a weight of 0 times infinity would be NaN
        scale, features = attrs["scale"], q.shape[3]
        found = direct(q, k, v, rest[0] if rest else None, lambda scores: scaled(scores, scale, features), limits)
    else:
        scores = scaled(matmul(q, np.swapaxes(k, -1, -2), q.dtype, fast), attrs["scale"], q.shape[3])
        if rest:
            scores = scores + rest[0]
        rows = [_row(scores[:, :, i, :count], v[:, :, :count], q.dtype) for i, count in enumerate(limits)]
        empty = np.zeros((*q.shape[:2], 0, v.shape[3]), dtype=q.dtype)
        found = np.stack(rows, axis=2) if rows else empty
    return np.ascontiguousarray(np.transpose(found, (0, 2, 1, 3)))


def _row(scores: Any, v: Any, dtype: Any) -> Any:
    """One query: weights (batch, head, key) over values (batch, head, key, feature)."""
    weights = softmax(scores, -1, False)
    return matmul(weights[:, :, None, :], v, dtype, False)[:, :, 0, :]


def visible(mask: str | None, queries: int, keys: int) -> Any:
    """How many keys each query sees."""
    ahead = {"TopLeft": 0, "BottomRight": abs(queries - keys)}.get(mask or "", keys)
    return np.minimum(keys, np.arange(queries) + ahead + 1)


def scaled(scores: Any, scale: float | None, features: int) -> Any:
    """The scores times ``scale``, or divided by the square root of the number of features, in place."""
    if scores.size == 0:
        return scores
    if scale is not None:
        scores *= literal(scores, scale)
        return scores
    root = isqrt(features)
    exactly = literal(scores, root) if root * root == features else exact.elementary("sqrt", literal(scores, features))
    scores /= exactly
    return scores


def cross_entropy(_attrs: Attrs, args: Sequence[Any], fast: bool) -> Any:
    """``-sum(x * y)``, divided by the first extent when the rank is above 1; ``y`` converted, where one is a bool."""
    x, y = args[0], exact.cast(args[1], args[0].dtype)
    if x.shape != y.shape:
        raise unspecified("op.nn.cross_entropy_with_logits/equal-extents", f"{x.shape} and {y.shape}")
    total = reduce("add", (x * y).reshape(-1), [0], fast=fast)
    total = total if x.dtype == np.bool_ else -total
    return exact.truncated_divide(total, literal(x, x.shape[0])) if x.ndim > 1 else np.asarray(total)


OPERATORS: dict[str, Run] = {
    "relax.einsum": einsum,
    "relax.outer": outer,
    "relax.nn.attention": attention,
    "relax.nn.attention_bias": attention,
    "relax.nn.cross_entropy_with_logits": cross_entropy,
}
