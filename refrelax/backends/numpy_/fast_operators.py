"""Operators of mode ``fast`` on float32 and float64 arrays, called as generated source calls them.

Each is a short cut around its row of ``operators.py`` and falls back on it for everything else. ``out`` is an operand
whose memory nothing else can see (``liveness.py``); what does not fit there is calculated in new memory.
"""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from itertools import pairwise
from math import prod
from typing import Any

import numpy as np

from refrelax.backends.numpy_.fast_norms import NORMS
from refrelax.backends.numpy_.operands import number
from refrelax.backends.numpy_.operators import OPERATORS
from refrelax.semantics.values import Shape

PLAIN = ("int32", "int64", "float32", "float64")

FLOATS = (np.dtype(np.float32), np.dtype(np.float64))

Apply = Callable[..., Any]


def usual(x: Any) -> bool:
    """An array in a format in which mode ``fast`` calculates as NumPy does."""
    return type(x) is np.ndarray and x.dtype in FLOATS


def whole(x: Any) -> Any:
    """NumPy gives scalars where an array of rank 0 is meant."""
    return x if type(x) is np.ndarray else np.asarray(x)


def room(out: Any, dtype: Any, *shapes: tuple[int, ...]) -> Any:
    """``out`` if a result of this dtype and of these shapes broadcast together fits it; else ``None``."""
    if type(out) is not np.ndarray or out.dtype != dtype or not out.flags.writeable:
        return None
    return out if all(shape in ((), out.shape) for shape in shapes) or fits(out, shapes) else None


def fits(out: Any, shapes: tuple[tuple[int, ...], ...]) -> bool:
    """Shapes that do not broadcast fit nothing: the operator itself says so."""
    try:
        return bool(np.broadcast_shapes(*shapes) == out.shape)
    except ValueError:
        return False


# --- elementwise -----------------------------------------------------------------------------------------------------


def _binary(name: str, ufunc: Any) -> Apply:
    row = OPERATORS[name]

    def apply(a: Any, b: Any, out: Any = None) -> Any:
        if usual(a) and type(b) is np.ndarray and a.dtype == b.dtype:
            if a.ndim or b.ndim:
                return ufunc(a, b, out=None if out is None else room(out, a.dtype, a.shape, b.shape))
            return np.asarray(ufunc(a, b))
        return whole(row({}, (a, b), True))

    return apply


def _unary(name: str, form: Callable[[Any, Any], Any]) -> Apply:
    """``form(x, out)``: the operator into ``out``, which may be ``x`` itself, or into new memory."""
    row = OPERATORS[name]

    def apply(x: Any, out: Any = None) -> Any:
        if usual(x):
            return whole(form(x, None if out is None else room(out, x.dtype, x.shape)))
        return whole(row({}, (x,), True))

    return apply


def _rsqrt(x: Any, out: Any) -> Any:
    root = np.sqrt(x, out=out)
    return np.divide(x.dtype.type(1), root, out=root if type(root) is np.ndarray else None)


def _sigmoid(x: Any, out: Any) -> Any:
    """``1 / (1 + exp(-x))`` in one temporary."""
    t = np.asarray(np.negative(x, out=out))
    np.exp(t, out=t)
    t += t.dtype.type(1)
    return np.divide(t.dtype.type(1), t, out=t)


def _relu(x: Any, out: Any) -> Any:
    return np.maximum(x, x.dtype.type(0), out=out)


def _where(condition: Any, a: Any, b: Any, out: Any = None) -> Any:
    """Over ``a``: only what comes from ``b`` is stored."""
    if usual(a) and type(b) is np.ndarray and a.dtype == b.dtype and type(condition) is np.ndarray:
        chosen = condition if condition.dtype == np.bool_ else condition != 0
        if out is a and room(a, a.dtype, a.shape, b.shape, chosen.shape) is not None:
            np.copyto(a, b, where=~chosen)
            return a
        return whole(np.where(chosen, a, b))
    return whole(OPERATORS["relax.where"]({}, (condition, a, b), True))


# --- along axes ------------------------------------------------------------------------------------------------------


def _mean(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    if not usual(x) or x.size == 0:
        return whole(OPERATORS["relax.mean"]({"axis": axis, "keepdims": keepdims}, (x,), True))
    axes = None if axis is None else tuple(axis) if isinstance(axis, list) else (axis,)
    total = np.sum(x, axis=axes, keepdims=bool(keepdims))
    return np.asarray(total / x.dtype.type(x.size if axes is None else prod(x.shape[a] for a in axes)))


def _matmul(a: Any, b: Any, out_dtype: Any = None) -> Any:
    if usual(a) and type(b) is np.ndarray and a.dtype == b.dtype and out_dtype in (None, "void", a.dtype.name):
        return whole(np.matmul(a, b))
    return whole(OPERATORS["relax.matmul"]({"out_dtype": out_dtype}, (a, b), True))


# --- making ----------------------------------------------------------------------------------------------------------


def _arange(start: Any, stop: Any, step: Any, dtype: str = "int64") -> Any:
    """From 0 by 1, which is exact until the conversion; everything else as its row does."""
    first, last, by = number(start), number(stop), number(step)
    if type(first) is int and type(last) is int and first == 0 and type(by) is int and by == 1 and dtype in PLAIN:
        return np.arange(max(last, 0)).astype(dtype, copy=False)
    return OPERATORS["relax.arange"]({"dtype": dtype}, (start, stop, step), True)


# --- views -----------------------------------------------------------------------------------------------------------


def _reshape(x: Any, shape: Any, kept: Any = ()) -> Any:
    if type(shape) is Shape and not kept and -1 not in shape.dims:
        return x.reshape(shape.dims)
    return OPERATORS["relax.reshape"]({"kept": kept}, (x, shape), True)


def _permute_dims(x: Any, axes: Any = None) -> Any:
    return x.transpose(axes)


def _expand_dims(x: Any, axis: Any = None) -> Any:
    axes = axis if isinstance(axis, list) else [axis]
    rank = x.ndim + len(axes)
    places = {a % rank for a in axes} if all(type(a) is int and -rank <= a < rank for a in axes) else ()
    if len(places) != len(axes):
        return OPERATORS["relax.expand_dims"]({"axis": axis}, (x,), True)
    old = iter(x.shape)
    return x.reshape([1 if k in places else next(old) for k in range(rank)])


def _broadcast_to(x: Any, shape: Any) -> Any:
    if type(shape) is Shape and x.shape == shape.dims:
        return x
    return OPERATORS["relax.broadcast_to"]({}, (x, shape), True)


def _split(x: Any, indices_or_sections: Any = None, axis: int = 0) -> Any:
    """Cut at increasing indices within bounds: views."""
    cuts = indices_or_sections
    if type(x) is np.ndarray and isinstance(cuts, list) and cuts:
        edges = [0, *cuts, x.shape[axis]]
        if edges == sorted(edges):
            lead = (slice(None),) * (axis % x.ndim)
            return tuple(x[(*lead, slice(a, b))] for a, b in pairwise(edges))
    return OPERATORS["relax.split"]({"indices_or_sections": cuts, "axis": axis}, (x,), True)


UFUNCS = {"add": np.add, "subtract": np.subtract, "multiply": np.multiply, "divide": np.divide}

FORMS: dict[str, Callable[[Any, Any], Any]] = {
    "negative": np.negative, "exp": np.exp, "log": np.log, "sqrt": np.sqrt, "tanh": np.tanh, "sin": np.sin,
    "cos": np.cos, "abs": np.abs, "square": np.square,
    "rsqrt": _rsqrt, "sigmoid": _sigmoid, "nn.relu": _relu,
}  # fmt: skip

FAST_OPERATORS: dict[str, Apply] = {
    **{f"relax.{name}": _binary(f"relax.{name}", ufunc) for name, ufunc in UFUNCS.items()},
    **{f"relax.{name}": _unary(f"relax.{name}", form) for name, form in FORMS.items()},
    "relax.where": _where,
    **NORMS,
    "relax.mean": _mean,
    "relax.matmul": _matmul,
    "relax.arange": _arange,
    "relax.reshape": _reshape,
    "relax.permute_dims": _permute_dims,
    "relax.expand_dims": _expand_dims,
    "relax.broadcast_to": _broadcast_to,
    "relax.split": _split,
}

IN_PLACE = frozenset(name for name, apply in FAST_OPERATORS.items() if "out" in signature(apply).parameters)
"""Operators that may write their result over an operand: those that take ``out=``."""

FIRST_ONLY = frozenset(NORMS)
"""Those that may write it over the first operand alone."""
