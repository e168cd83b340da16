"""Attention a block of queries at a time, over the keys that the block sees (mode ``fast``)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from refrelax.backends.numpy_.fast_rows import softmax
from refrelax.backends.numpy_.memory import fresh

NEAR = 1 << 18
"""Scores of a block."""


def rows_of(heads: int, queries: int, keys: int) -> int:
    """How many queries make a block: few enough to stay near and to leave out hidden keys, enough for a product."""
    return queries if queries <= 64 else max(16, min(queries, 128, NEAR // max(heads * keys, 1)))


Shown = Callable[[slice], tuple[Any, float]]
"""For a block of queries: which keys they see, and what is at most in the place of a score that is hidden."""


def attend(
    step: Callable[..., None], q: Any, k: Any, v: Any, operands: Sequence[Any], mask: int, fill: float,
    scratch: Sequence[str],
) -> Any:  # fmt: skip
    """``softmax(step(q @ k)) @ v``. ``step(scores, *operands, result, *scratch)``: what is done to scores, which ends
    in ``fill`` where operand number ``mask`` is false."""
    return _attend(step, q, k, v, operands, lambda part: (_rows(operands[mask], part), fill), scratch)


LOW = -1e8
"""What a mask adds to hide a key, or less."""

USUAL = 1e6
"""A bound of scores beside which ``LOW`` hides: what is left of it is far below what any exponential shows."""


def attend_biased(
    step: Callable[..., None], q: Any, k: Any, v: Any, operands: Sequence[Any], mask: int, scale: float,
    scratch: Sequence[str],
) -> Any:  # fmt: skip
    """``attend`` where ``step`` multiplies scores by ``scale``, about, and adds operand number ``mask``. Where that is
    ``LOW`` or less the key is hidden, if no score is unusual: the sum is -infinity, or less than half of ``LOW``."""
    bias, most = operands[mask], 0.0
    if q.size and k.size:
        most = abs(scale) * q.shape[-1] * float(np.abs(q).max()) * float(np.abs(k).max())

    def shown(part: slice) -> tuple[Any, float]:
        own = _rows(bias, part)
        shows = ~(own <= LOW)
        infinite = np.count_nonzero(shows) + np.count_nonzero(own == -np.inf) == shows.size
        return shows, -np.inf if infinite else LOW + 2 * USUAL

    return _attend(step, q, k, v, operands, shown if most <= USUAL else None, scratch)  # (a NaN is not)


def _attend(
    step: Callable[..., None], q: Any, k: Any, v: Any, operands: Sequence[Any], shown: Shown | None,
    scratch: Sequence[str],
) -> Any:  # fmt: skip
    lead = np.broadcast_shapes(q.shape[:-2], k.shape[:-2], *(each.shape[:-2] for each in operands))
    queries, keys = q.shape[-2], k.shape[-1]
    result = fresh((*np.broadcast_shapes(lead, v.shape[:-2]), queries, v.shape[-1]), q.dtype)
    heads = int(np.prod(lead))
    if not (keys and result.size):  # a sum over no key is 0
        result.fill(0)
        return result
    if not np.isfinite(v).all():
        shown = None
    rows = rows_of(heads, queries, keys)
    for first in range(0, queries, rows):
        part = slice(first, min(first + rows, queries))
        shows, fill = (None, 0.0) if shown is None else shown(part)
        seen = None if shows is None else _seen(shows, keys)
        weights = _weights(step, q, k, operands, part, seen or slice(0, keys), lead, scratch)
        if seen is not None and seen != slice(0, keys) and fill > -np.inf:
            whole = _top(weights, fill)
            weights = weights if whole else _weights(step, q, k, operands, part, slice(0, keys), lead, scratch)
            seen = seen if whole else slice(0, keys)
        softmax_of = weights.reshape(-1, weights.shape[-1])
        softmax(softmax_of, softmax_of)
        np.matmul(weights, v[..., seen or slice(0, keys), :], out=result[..., part, :])
    return result


def _rows(mask: Any, part: slice) -> Any:
    """What a block of queries has of a mask."""
    mask = np.atleast_2d(mask)
    return mask if mask.shape[-2] == 1 else mask[..., part, :]


def _seen(own: Any, keys: int) -> slice | None:
    """The keys from the first to the last that a query of a block sees; ``None`` if a query sees none."""
    if own.shape[-1] != keys or not own.any(-1).all():
        return None
    columns = np.flatnonzero(own.reshape(-1, keys).any(0))
    return slice(int(columns[0]), int(columns[-1]) + 1)


def _weights(
    step: Callable[..., None], q: Any, k: Any, operands: Sequence[Any], part: slice, seen: slice, lead: Any,
    scratch: Sequence[str],
) -> Any:  # fmt: skip
    """The scores of a block of queries over some keys, after the steps."""
    shape = (*lead, part.stop - part.start, seen.stop - seen.start)
    scores = fresh(shape, q.dtype)
    np.matmul(q[..., part, :], k[..., :, seen], out=scores)
    cut = [_cut(each, part, seen) for each in operands]
    step(scores, *cut, scores, *[fresh(shape, dtype) for dtype in scratch])
    return scores


def _cut(x: Any, part: slice, seen: slice) -> Any:
    """The part of an operand, which may be of extent 1, that meets a block of scores."""
    if x.ndim == 0:
        return x
    columns = seen if x.shape[-1] != 1 else slice(None)
    if x.ndim == 1:
        return x[columns]
    return x[..., part if x.shape[-2] != 1 else slice(None), columns]


def _top(scores: Any, fill: float) -> bool:
    """Whether every query has a score so far above ``fill`` that what is hidden has the weight 0."""
    return bool((scores.max(-1) > fill / 2).all())


def direct(q: Any, k: Any, v: Any, bias: Any, scale: Callable[[Any], Any], limits: Any) -> Any:
    """``softmax(scale(q @ k.T) + bias) @ v`` in the layout batch, head, sequence, feature; query ``i`` sees the first
    ``limits[i]`` keys, of which there is one; ``limits`` do not decrease."""
    queries, keys = q.shape[-2], k.shape[-2]
    result = fresh((*q.shape[:-1], v.shape[-1]), q.dtype)
    rows = rows_of(q.shape[0] * q.shape[1], queries, keys)
    turned = np.swapaxes(k, -1, -2)
    for first in range(0, queries, rows):
        part = slice(first, min(first + rows, queries))
        seen = slice(0, int(limits[part.stop - 1]))
        scores = np.ascontiguousarray(scale(np.matmul(q[..., part, :], turned[..., seen])))  # (of turned arrays not so)
        if bias is not None:
            scores += _cut(bias, part, seen)
        if limits[first] < seen.stop:
            np.copyto(scores, -np.inf, where=np.arange(seen.stop) >= limits[part][:, None])
        lines = scores.reshape(-1, scores.shape[-1])
        softmax(lines, lines)
        np.matmul(scores, v[..., seen, :], out=result[..., part, :])
    return result
