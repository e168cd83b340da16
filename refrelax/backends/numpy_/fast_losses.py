"""Losses of mode ``fast`` at float32 and float64: what is summed is not stored."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from refrelax.backends.numpy_.fast_rows import FLOATS, SHORT, VECDOT
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
    row = OPERATORS["relax.nn.nll_loss"]
    if (
        x.dtype not in FLOATS
        or x.ndim != 2
        or targets.shape != x.shape[:1]
        or not x.size
        or attrs["reduction"] == "none"
    ):
        return np.asarray(row(attrs, (x, targets, *rest), True))
    weights = rest[0] if rest else None
    if targets.dtype not in (np.int32, np.int64) or not x.flags.c_contiguous:
        return np.asarray(row(attrs, (x, targets, *rest), True))
    if weights is not None and (weights.dtype != x.dtype or weights.shape != x.shape[1:]):
        return np.asarray(row(attrs, (x, targets, *rest), True))
    ignored, (count, classes) = attrs["ignore_index"], x.shape
    if targets.min() < 0 or targets.max() >= classes or (0 <= ignored < classes and (targets == ignored).any()):
        return np.asarray(row(attrs, (x, targets, *rest), True))
    found = x.reshape(-1)[np.arange(0, x.size, classes) + targets]
    taken = None if weights is None else weights[targets]
    total = -np.add.reduce(found if taken is None else found * taken)
    if attrs["reduction"] == "mean":
        total = total / (x.dtype.type(count) if taken is None else np.add.reduce(taken))
    return np.asarray(total)


LOSSES: dict[str, Callable[..., Any]] = {
    "relax.nn.cross_entropy_with_logits": cross_entropy,
    "relax.nn.nll_loss": nll_loss,
}
