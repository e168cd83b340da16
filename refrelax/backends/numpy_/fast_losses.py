"""Losses of mode ``fast`` at float32 and float64: what is summed is not stored."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from refrelax.backends.numpy_.fast_norms import NORMS
from refrelax.backends.numpy_.fast_rows import FLOATS, SHORT, VECDOT, WHOLE, blocks, row_sums
from refrelax.backends.numpy_.memory import fresh
from refrelax.backends.numpy_.operands import within
from refrelax.backends.numpy_.operators import OPERATORS


def cross_entropy(x: Any, y: Any) -> Any:
    """``-sum(x * y)``, divided by the first extent where there is more than one axis."""
    usual = x.dtype in FLOATS and y.dtype == x.dtype and x.shape == y.shape and x.size
    if not usual or not x.flags.c_contiguous or not y.flags.c_contiguous or not 0 < x.shape[-1] <= SHORT:
        return np.asarray(OPERATORS["relax.nn.cross_entropy_with_logits"]({}, (x, y), True))
    width = x.shape[-1]
    total = -np.add.reduce(VECDOT(x.reshape(-1, width), y.reshape(-1, width)))
    return np.asarray(total / x.dtype.type(len(x)) if x.ndim > 1 else total)


def nll_loss(x: Any, targets: Any, *rest: Any, **attrs: Any) -> Any:
    """Of rows of predictions, where every target is a class that counts."""
    if not _classes(x, targets, rest, attrs):
        return np.asarray(OPERATORS["relax.nn.nll_loss"](attrs, (x, targets, *rest), True))
    return _loss(x.reshape(-1)[np.arange(0, x.size, x.shape[1]) + targets], targets, rest, attrs)


def nll_of_log_softmax(x: Any, targets: Any, *rest: Any, **attrs: Any) -> Any:
    """The loss of ``log_softmax(x)`` along the last axis, of which it reads one element a row: the others are not made.
    Those that are read are the same."""
    if not _classes(x, targets, rest, attrs):
        return nll_loss(NORMS["relax.nn.log_softmax"](x, axis=-1), targets, *rest, **attrs)
    count, classes = x.shape
    found, parts = np.empty(count, x.dtype), blocks(count, classes, NEAR)
    lines = np.arange(count if parts is WHOLE else max(1, NEAR // classes))
    spare = fresh((len(lines), classes), x.dtype)
    for part in parts:
        rows = x[part]
        t = np.subtract(rows, np.maximum.reduce(rows, -1, keepdims=True), spare[: len(rows)])
        own = t[lines[: len(rows)], targets[part]]
        np.subtract(own, np.log(row_sums(np.exp(t, t))[:, 0]), out=found[part])
    return _loss(found, targets, rest, attrs)


NEAR = 1 << 16
"""Elements of a block."""


def _classes(x: Any, targets: Any, rest: tuple[Any, ...], attrs: dict[str, Any]) -> bool:
    """Whether ``x`` has rows of predictions, each with a target that is a class and counts."""
    usual = x.dtype in FLOATS and x.ndim == 2 and targets.shape == x.shape[:1] and x.size
    if not usual or attrs["reduction"] == "none" or targets.dtype not in INDICES or not x.flags.c_contiguous:
        return False
    if rest and (rest[0].dtype != x.dtype or rest[0].shape != x.shape[1:]):
        return False
    ignored = attrs["ignore_index"]
    return within(targets, x.shape[1]) and not (0 <= ignored < x.shape[1] and (targets == ignored).any())


INDICES = (np.dtype(np.int32), np.dtype(np.int64))


def _loss(found: Any, targets: Any, rest: tuple[Any, ...], attrs: dict[str, Any]) -> Any:
    """Of the predictions of the targets."""
    taken = rest[0][targets] if rest else None
    total = -np.add.reduce(found if taken is None else found * taken)
    if attrs["reduction"] == "mean":
        total = total / (found.dtype.type(len(found)) if taken is None else np.add.reduce(taken))
    return np.asarray(total)


LOSSES: dict[str, Callable[..., Any]] = {
    "relax.nn.cross_entropy_with_logits": cross_entropy,
    "relax.nn.nll_loss": nll_loss,
}
