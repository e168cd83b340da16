"""Groups of steps at bfloat16, two elements at a time.

Two neighbours are one number of 32 bits, of which each is a half: the one is widened by a shift and the other by a
mask, and a shift and an *or* narrow both. So a block is held as its elements at even places and then those at odd
places, in (2, …, half as many); what goes element by element does not see that. ``ml_dtypes`` converts one after the
other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from math import prod
from typing import Any

import numpy as np

from refrelax.backends.numpy_.blocks import KINDS, NEAR_UPPER, blocked, pieces, together
from refrelax.backends.numpy_.memory import fresh
from refrelax.backends.numpy_.narrow import FEW, TELLS, UPPER, WIDE, near, told
from refrelax.backends.numpy_.narrow import widened as widened_apart

PAIRS = np.dtype(np.uint32)
"""The dtype by which ``widened`` and ``packed`` know pairs: no group at bfloat16 has elements of it."""

_PLACES, _UPPER = np.array(16, PAIRS), np.array(0xFFFF0000, PAIRS)

Step = Callable[..., None]


def widened(x: Any, out: Any = None) -> Any:
    """The elements of ``x``, or of pairs, in float32."""
    if x.dtype is not PAIRS:
        return widened_apart(x, out)
    out = fresh((2, *x.shape), WIDE) if out is None else out
    bits = out.view(PAIRS)
    np.left_shift(x, _PLACES, bits[0])
    np.bitwise_and(x, _UPPER, bits[1])
    return out


def packed(t: Any, out: Any, round_: Callable[[Any, bool], None] | None, sum_: bool) -> None:
    """Float32 elements rounded, by ``round_`` if that is due, to elements of bfloat16 or to pairs; ``t`` is scratch
    memory afterwards."""
    if out.dtype is not PAIRS:
        np.copyto(out, t, casting="unsafe")
        return
    if round_ is not None:
        round_(t, sum_)
    first, second = t.view(PAIRS)
    np.right_shift(first, _PLACES, first)
    np.bitwise_or(first, second, out)


def blocked_upper(step: Step, operands: Sequence[Any], made: Sequence[str], scratch: Sequence[str]) -> tuple[Any, ...]:
    """``blocked`` of steps at bfloat16."""
    shape = together(operands)
    size = prod(shape)
    if size < 4 * FEW:
        return blocked(step, operands, made, scratch, near=NEAR_UPPER)
    results = tuple([fresh(shape, KINDS[dtype]) for dtype in made])
    parts = [*operands, *results]
    if all([(p.shape == shape and p.flags.c_contiguous) or not p.ndim for p in parts]):  # noqa: C419
        parts, rest = [p.reshape(-1) if p.ndim else p for p in parts], size % 2
        if rest:  # the last element alone
            own = [p[-1:] if p.ndim else p for p in parts]
            step(*own, *pieces((1,), scratch))
            parts = [p[:-1] if p.ndim else p for p in parts]
        shape = (size - rest,)
    if shape[-1] % 2 or (seen := _paired(parts, shape)) is None:
        return blocked(step, operands, made, scratch, near=NEAR_UPPER)
    lead, half = shape[:-1], shape[-1] // 2
    rows = shape[0] if lead else half
    most = min(rows, max(1, NEAR_UPPER * rows // size)) if size > 2 * NEAR_UPPER else rows
    spare = pieces((2 * most * (prod(lead[1:]) * half if lead else 1),), scratch)
    for first in range(0, rows, most):
        part = slice(first, min(first + most, rows))
        count = part.stop - first
        own_shape = (2, count, *lead[1:], half) if lead else (2, count)
        now = [p if cut is None else p[(*cut, part)] for p, cut in seen]
        step(*now, *[t[: prod(own_shape)].reshape(own_shape) for t in spare])
    return results


def _paired(parts: Sequence[Any], shape: tuple[int, ...]) -> list[tuple[Any, Any]] | None:
    """Operands and results as steps on pairs see them, each with where its rows are cut (``None``: not at all);
    ``None`` where one cannot be seen so."""
    found: list[tuple[Any, Any]] = []
    for p in parts:
        lead: tuple[Any, ...] = ()
        paired = p.ndim and p.shape[-1] == shape[-1]
        if paired:
            p = p.reshape((1,) * (len(shape) - p.ndim) + p.shape)
        whole = p.ndim == len(shape) and p.shape[0] == shape[0]
        if paired and p.dtype == UPPER:
            if p.strides[-1] != UPPER.itemsize:
                return None
            p = p.view(PAIRS)
        elif paired:
            p, lead = p.reshape(*p.shape[:-1], shape[-1] // 2, 2).transpose(p.ndim, *range(p.ndim)), (slice(None),)
        found.append((p, lead if whole else None))
    return found


def blocked_told(step: Step, operands: Sequence[Any], made: Sequence[str], scratch: Sequence[str]) -> tuple[Any, ...]:
    """The same of steps that round by ``near_``: in the quick way, and all of it again if that raises."""
    if TELLS:
        try:
            with told():
                return blocked_upper(partial(step, near_=near), operands, made, scratch)
        except FloatingPointError:
            pass
    return blocked_upper(step, operands, made, scratch)
