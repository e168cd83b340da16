"""Softmax and norms as generated source of mode ``fast`` calls them: ``fast_rows.py`` where the layout is plain, else
the rows of ``operators.py``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from refrelax.backends.numpy_ import fast_rows
from refrelax.backends.numpy_.fast_rows import FLOATS, as_rows, blocks, trailing
from refrelax.backends.numpy_.memory import fresh
from refrelax.backends.numpy_.narrow import narrowed, rounded, widened
from refrelax.backends.numpy_.operands import NARROW, literal
from refrelax.backends.numpy_.operators import OPERATORS
from refrelax.backends.numpy_.operators_network import spread

Apply = Callable[..., Any]


def fits(out: Any, x: Any) -> bool:
    """Whether a result like ``x`` may be stored in ``out``."""
    return type(out) is np.ndarray and out.dtype == x.dtype and out.shape == x.shape and out.flags.c_contiguous


def place(out: Any, x: Any) -> Any:
    """Where a result like ``x`` goes."""
    return out if out is not None and fits(out, x) and out.flags.writeable else fresh(x.shape, x.dtype)


def plain(x: Any, *others: Any) -> bool:
    """Arrays of one format in which mode ``fast`` calculates as NumPy does."""
    if type(x) is not np.ndarray or x.dtype not in FLOATS:
        return False
    return all([type(each) is np.ndarray and each.dtype == x.dtype for each in others])  # noqa: C419


def _softmax(name: str, form: Callable[[Any, Any], None], log: bool) -> Apply:
    row = OPERATORS[name]

    def apply(x: Any, axis: int = -1, out: Any = None) -> Any:
        if type(x) is np.ndarray and x.dtype in FLOATS and x.ndim and axis in (-1, x.ndim - 1):
            if not x.size:
                return np.empty_like(x)
            few = 0 < x.size < fast_rows.SMALL and x.flags.c_contiguous
            rows = x if few else as_rows(x, x.ndim - 1)
            if rows is not None:
                target = place(out, x)
                form(rows, target if few else target.reshape(rows.shape))
                return target
        elif type(x) is np.ndarray and x.dtype in FLOATS and x.ndim and x.size:
            return _across(x, axis, place(out, x), log)
        elif x.dtype.name in NARROW and x.ndim and axis in (-1, x.ndim - 1):
            rows = as_rows(x, x.ndim - 1)
            if rows is not None:
                target = fresh(x.shape, x.dtype)
                fast_rows.narrow_softmax(rows, target.reshape(rows.shape), log)
                return target
        return row({"axis": axis}, (x,), True)

    return apply


def _across(x: Any, axis: int, out: Any, log: bool) -> Any:
    """Softmax along any axis."""
    t = np.subtract(x, np.maximum.reduce(x, axis, keepdims=True), out=out)
    if log:
        return np.subtract(t, np.log(np.add.reduce(np.exp(t), axis, keepdims=True)), out=t)
    np.exp(t, out=t)
    return np.divide(t, np.add.reduce(t, axis, keepdims=True), out=t)


def layer_norm(x: Any, gamma: Any, beta: Any, out: Any = None, **attrs: Any) -> Any:
    if plain(x, gamma, beta) and (first := trailing(attrs["axes"], x.ndim)) is not None:
        rows = as_rows(x, first)
        if not x.size and gamma.shape == beta.shape == x.shape[first:]:
            return np.empty_like(x)
        if rows is not None and gamma.shape == beta.shape == x.shape[first:]:
            target = place(out, x)
            scale = gamma.reshape(-1) if attrs["scale"] else None
            shift = beta.reshape(-1) if attrs["center"] else None
            fast_rows.layer_norm(rows, scale, shift, attrs["epsilon"], target.reshape(rows.shape))
            return target
    return OPERATORS["relax.nn.layer_norm"](attrs, (x, gamma, beta), True)


def rms_norm(x: Any, weight: Any, out: Any = None, **attrs: Any) -> Any:
    if x.ndim == 2 and len(x) == 1 and x.dtype in FLOATS and attrs["axes"] == [-1]:  # one token
        if weight.dtype == x.dtype and weight.shape == x.shape[1:] and weight.size:
            target = None if out is None or not out.flags.writeable or not fits(out, x) else out
            return fast_rows.rms_norm_of_one(x, weight, attrs["epsilon"], target)
    if plain(x, weight) and (first := trailing(attrs["axes"], x.ndim)) is not None:
        rows = as_rows(x, first)
        if not x.size and weight.shape == x.shape[first:]:
            return np.empty_like(x)
        if rows is not None and weight.shape == x.shape[first:]:
            target = place(out, x)
            fast_rows.rms_norm(rows, weight.reshape(-1), attrs["epsilon"], target.reshape(rows.shape))
            return target
    return OPERATORS["relax.nn.rms_norm"](attrs, (x, weight), True)


def _grouped(name: str) -> Apply:
    row = OPERATORS[name]

    def apply(x: Any, gamma: Any, beta: Any, out: Any = None, **attrs: Any) -> Any:
        if not plain(x, gamma, beta) or x.ndim < 3 or attrs["channel_axis"] % x.ndim != 1 or not x.size:
            return row(attrs, (x, gamma, beta), True)
        groups = attrs.get("num_groups", x.shape[1])
        spaces = sorted(a % x.ndim for a in attrs["axes"]) == list(range(2, x.ndim))
        if not spaces or x.shape[1] % groups or gamma.shape != (x.shape[1],) or beta.shape != gamma.shape:
            return row(attrs, (x, gamma, beta), True)
        if not x.flags.c_contiguous:
            return row(attrs, (x, gamma, beta), True)
        target, rows = place(out, x), x.reshape(x.shape[0] * groups, -1)
        scale, shift = gamma if attrs["scale"] else None, beta if attrs["center"] else None
        size = x.shape[1] // groups
        fast_rows.group_norm(rows, scale, shift, attrs["epsilon"], groups, size, target.reshape(rows.shape))
        return target

    return apply


def batch_norm(x: Any, gamma: Any, beta: Any, mean: Any, variance: Any, **attrs: Any) -> Any:
    given = (x, gamma, beta, mean, variance)
    usual = plain(*given) and x.ndim > 1 and attrs["axis"] % x.ndim == 1 and x.size
    if not usual or not x.flags.c_contiguous or any(v.shape != (x.shape[1],) for v in given[1:]):
        return OPERATORS["relax.nn.batch_norm"](attrs, given, True)
    out = fresh(x.shape, x.dtype)
    cells, into = (v.reshape(x.shape[0], x.shape[1], -1) for v in (x, out))
    scale, shift, small = gamma if attrs["scale"] else None, beta if attrs["center"] else None, attrs["epsilon"]
    if not attrs["training"]:
        root = np.sqrt(variance + literal(x, small))
        fast_rows.batch_norm(cells, mean, root, scale, shift, into)
        return out, mean.copy(), variance.copy()
    center, width = fast_rows.by_channel(cells, into)
    fast_rows.batch_norm(into, None, np.sqrt(width + literal(x, small)), scale, shift, into)
    new, old = literal(x, attrs["momentum"]), literal(x, 1.0 - attrs["momentum"])
    return out, old * mean + new * center, old * variance + new * width


def narrow(x: Any, *others: Any) -> bool:
    """Arrays that are all float16, or all bfloat16."""
    return x.dtype not in FLOATS and x.dtype.name in NARROW and all([o.dtype == x.dtype for o in others])  # noqa: C419


NEAR_WIDE = 1 << 15
"""Elements of a block that is scaled and shifted in float32."""


def _narrow_rms_norm(x: Any, weight: Any, out: Any = None, **attrs: Any) -> Any:
    """Of narrow elements in float32, as the definition says: nothing cancels. Some rows at a time."""
    first = trailing(attrs["axes"], x.ndim) if narrow(x, weight) else None
    rows = None if first is None else as_rows(x, first)
    if rows is None or weight.shape != x.shape[first:]:
        return rms_norm(x, weight, out=out, **attrs)
    target, wide = fresh(x.shape, x.dtype), widened(weight).reshape(-1)
    cells = target.reshape(rows.shape)
    for part in blocks(len(rows), rows.shape[1], NEAR_NARROW):
        t = widened(rows[part])
        fast_rows.rms_norm(t, wide, attrs["epsilon"], t)
        narrowed(t, x.dtype, cells[part])
    return target


NEAR_NARROW = 1 << 16
"""Elements of a block in float32."""


def _rounded(apply: Apply) -> Apply:
    """Narrow operands are normalised in float32, by the steps of the definition: what is nearer to the exact result may
    be rounded to a neighbour that these do not give, and a shift that cancels shows it. What is normalised is rounded
    before scale and shift, and so are these: a loop program that says these roundings permits no others."""

    def run(x: Any, gamma: Any, beta: Any, out: Any = None, **attrs: Any) -> Any:
        if not narrow(x, gamma, beta):
            return apply(x, gamma, beta, out=out, **attrs)
        first = None if "channel_axis" in attrs else trailing(attrs["axes"], x.ndim)
        rows = None if first is None else as_rows(x, first)
        if rows is not None and gamma.shape == beta.shape == x.shape[first:]:
            target, kept = fresh(x.shape, x.dtype), ((gamma, attrs["scale"]), (beta, attrs["center"]))
            scale, shift = (widened(v).reshape(-1) if of else None for v, of in kept)
            fast_rows.narrow_layer_norm(rows, scale, shift, attrs["epsilon"], target.reshape(rows.shape))
            return target
        wide = apply(*map(widened, (x, gamma, beta)), **{**attrs, "scale": False, "center": False})
        found = narrowed(wide, x.dtype)
        axes = [a % x.ndim for a in ([attrs["channel_axis"]] if "channel_axis" in attrs else attrs["axes"])]
        return _moved(attrs, found, spread(gamma, axes, x.ndim), spread(beta, axes, x.ndim))

    return run


def _moved(attrs: dict[str, Any], value: Any, gamma: Any, beta: Any) -> Any:
    """``affine`` of narrow elements, over them: its two steps in float32, each rounded, some items at a time."""
    parts = blocks(len(value), value[0].size, NEAR_WIDE) if value.ndim and value.size else ()
    scale, shift = (widened(v) if of else None for v, of in ((gamma, attrs["scale"]), (beta, attrs["center"])))
    for part in parts:
        cells = value[part]
        t = widened(cells)
        for number, step in ((scale, np.multiply), (shift, np.add)):
            if number is not None:
                step(t, number[part] if len(number) > 1 else number, out=t)
                if step is np.multiply and shift is not None:
                    rounded(t, value.dtype)
        narrowed(t, value.dtype, cells)
    return value


NORMS: dict[str, Apply] = {
    "relax.nn.softmax": _softmax("relax.nn.softmax", fast_rows.softmax, log=False),
    "relax.nn.log_softmax": _softmax("relax.nn.log_softmax", fast_rows.log_softmax, log=True),
    "relax.nn.layer_norm": _rounded(layer_norm),
    "relax.nn.rms_norm": _narrow_rms_norm,
    "relax.nn.group_norm": _rounded(_grouped("relax.nn.group_norm")),
    "relax.nn.instance_norm": _rounded(_grouped("relax.nn.instance_norm")),
    "relax.nn.batch_norm": batch_norm,
}
"""The rows; ``out`` is memory of the first operand that nothing else sees."""

FEW = 1 << 10
"""Elements for which looking costs more than the work."""

GREATEST: Any = np.maximum.reduce
SUM: Any = np.add.reduce


def softmax(x: Any, out: Any = None) -> Any:
    """Along the last axis, at float32 and float64."""
    if not 0 < x.size <= FEW:
        return NORMS["relax.nn.softmax"](x, axis=-1, out=out)
    t = np.subtract(x, GREATEST(x, -1, None, None, True))
    np.exp(t, t)
    return np.divide(t, SUM(t, -1, None, None, True), t)
