"""Operators of mode ``fast`` on float32 and float64 arrays, called as generated source calls them.

Each is a short cut around its row of ``operators.py`` and falls back on it for everything else. ``out`` is an operand
whose memory nothing else can see (``liveness.py``); what does not fit there is calculated in new memory.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from inspect import signature
from itertools import pairwise
from math import prod
from typing import Any

import numpy as np

from refrelax.backends.numpy_.blocks import Reshaped
from refrelax.backends.numpy_.blocks import where as by_bits
from refrelax.backends.numpy_.fast_losses import LOSSES
from refrelax.backends.numpy_.fast_norms import NORMS
from refrelax.backends.numpy_.fast_places import PLACES, whole
from refrelax.backends.numpy_.fast_rows import FLOATS, SHORT, VECDOT, blocks, row_squares, row_sums, trailing
from refrelax.backends.numpy_.fast_scales import dequantize, quantize
from refrelax.backends.numpy_.memory import fresh
from refrelax.backends.numpy_.narrow import HALF, UPPER, narrowed, widened
from refrelax.backends.numpy_.operands import number
from refrelax.backends.numpy_.operators import OPERATORS
from refrelax.backends.numpy_.operators_linear import product_of
from refrelax.semantics.values import Shape

INTEGERS = frozenset(np.dtype(code) for code in "bBhHiIqQ")

PLAIN = ("int32", "int64", "float32", "float64")

Apply = Callable[..., Any]


def usual(x: Any) -> bool:
    """An array in a format in which mode ``fast`` calculates as NumPy does."""
    return type(x) is np.ndarray and x.dtype in FLOATS


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


def _test(name: str, ufunc: Any) -> Apply:
    row = OPERATORS[name]
    return lambda x: whole(ufunc(x) if usual(x) else row({}, (x,), True))


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
    if type(a) is type(b) is type(condition) is np.ndarray and a.dtype is b.dtype and condition.dtype == np.bool_:
        if a.dtype in INTEGERS and a.itemsize >= 4 and a.shape == b.shape == condition.shape and a.size >= LARGE:
            found = fresh(a.shape, a.dtype)
            if a.flags.c_contiguous and b.flags.c_contiguous:
                by_bits(condition, a, b, found)
                return found
    return whole(OPERATORS["relax.where"]({}, (condition, a, b), True))


def _clip(x: Any, low: Any, high: Any, out: Any = None) -> Any:
    least, most = number(low), number(high)
    if usual(x) and type(least) in (int, float) and type(most) in (int, float) and least <= most:
        kind = x.dtype.type
        return whole(np.clip(x, kind(least), kind(most), out=None if out is None else room(out, x.dtype, x.shape)))
    return whole(OPERATORS["relax.clip"]({}, (x, low, high), True))


# --- along axes ------------------------------------------------------------------------------------------------------


def _axes(axis: Any) -> Any:
    return tuple(axis) if isinstance(axis, list) else axis


def _sum(x: Any, axis: Any, keepdims: bool) -> Any:
    first = None if axis is None or axis == [] else trailing(axis, x.ndim)
    if first and x.flags.c_contiguous and 0 < (width := prod(x.shape[first:])) <= SHORT and not few_columns(x):
        lead = x.shape[:first]
        total = np.einsum("ij->i", x.reshape(prod(lead), width))
        return total.reshape((*lead, *(1,) * (x.ndim - first)) if keepdims else lead)
    if first is not None and first == x.ndim - 1 and few_columns(x):
        return columns(np.add, x, keepdims)
    sum_: Any = np.add.reduce
    if first is None and isinstance(axis, list) and x.ndim - 1 in axis and x.flags.c_contiguous:
        if 0 < x.shape[-1] <= SHORT and x.size >= LARGE and x.shape[-1] >= LANES:  # the last axis, then the others
            lines = np.einsum("ij->i", x.reshape(-1, x.shape[-1])).reshape((*x.shape[:-1], 1))
            return sum_(lines, axis=tuple(axis), keepdims=keepdims)
    return sum_(x, axis=_axes(axis), keepdims=keepdims)


FEW_COLUMNS, MANY_ROWS = 8, 64
"""Elements of lines so short that all lines together, element by element, are less work than one line after the other,
and so many lines."""


def few_columns(x: Any) -> bool:
    """Whether the last axis of ``x`` is better folded by its columns."""
    return bool(x.ndim > 1 and 0 < x.shape[-1] <= FEW_COLUMNS and x.size >= MANY_ROWS * x.shape[-1])


def columns(fold: Any, x: Any, keepdims: bool = False) -> Any:
    """``x`` folded along its last axis, in order."""
    first, *others = [x[..., k : k + 1] if keepdims else x[..., k] for k in range(x.shape[-1])]
    if not others:
        return first.copy()
    total = fold(first, others[0])
    for each in others[1:]:
        fold(total, each, out=total)
    return total


def by_columns(form: Any, a: Any, b: Any, out: Any = None) -> Any:
    """A step of two arrays with a short last axis, one element of it after the other. ``out``: memory that is no longer
    needed, an operand's own perhaps."""
    if a.shape[-1] != b.shape[-1] or a.ndim < 2:
        return form(a, b, out=out)
    result = fresh(np.broadcast_shapes(a.shape, b.shape), a.dtype) if out is None else out
    for k in range(a.shape[-1]):
        form(a[..., k], b[..., k], out=result[..., k])
    return result


LANES = 32
"""Elements of a line that is worth its own sum."""


def _total(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    if type(x) is np.ndarray and x.dtype in INTEGERS:  # (which wrap, in any order)
        add: Any = np.add.reduce
        return whole(add(x, axis=_axes(axis), keepdims=bool(keepdims), dtype=x.dtype))
    if not usual(x):
        return whole(OPERATORS["relax.sum"]({"axis": axis, "keepdims": keepdims}, (x,), True))
    return whole(_sum(x, axis, bool(keepdims)))


def sum_of_products(a: Any, b: Any, axis: Any, keepdims: bool, mean: bool) -> Any:
    """The sum, or the mean, of ``a * b`` over axes, where the products are of no other use; ``a`` and ``b`` of one
    shape."""
    first = 0 if axis is None else None if axis == [] else trailing(axis, a.ndim)
    width = 0 if first is None else prod(a.shape[first:])
    if first is None or not width or not (a.flags.c_contiguous and b.flags.c_contiguous):
        if first is None and axis and a.size and a.flags.c_contiguous and b.flags.c_contiguous:
            axes = [k % a.ndim for k in (axis if isinstance(axis, list) else [axis])]
            if a.ndim - 1 not in axes or a.shape[-1] <= SHORT:
                total = _along(a, b, axes, mean)
                return total.reshape([1 if k in axes else n for k, n in enumerate(a.shape)]) if keepdims else total
        product = a * b
        return (_mean if mean else _total)(product, axis, keepdims)
    if first == a.ndim - 1 and few_columns(a):
        total = columns(np.add, a * b, keepdims)
        return np.divide(total, a.dtype.type(width), out=total) if mean else total
    lead = a.shape[:first]
    rows, others = a.reshape(prod(lead), width), b.reshape(prod(lead), width)
    total = VECDOT(rows, others) if width <= SHORT else _long(rows, others)
    if mean:
        total /= a.dtype.type(width)
    return total.reshape((*lead, *(1,) * (a.ndim - first)) if keepdims else lead)


def _long(a: Any, b: Any) -> Any:
    """Sums of products of long rows: of pieces, then of their sums."""
    whole_, count = a.shape[1] // SHORT * SHORT, len(a)
    pieces = [t[:, :whole_].reshape(count, whole_ // SHORT, SHORT) for t in (a, b)]
    total = np.add.reduce(VECDOT(*pieces), -1)
    return total + VECDOT(a[:, whole_:], b[:, whole_:]) if whole_ < a.shape[1] else total


def _along(a: Any, b: Any, axes: Sequence[int], mean: bool) -> Any:
    """Sums of products over axes that are not the last ones: each is added where it is made."""
    every = "abcdefghijklmnopqrstuvwxyz"[: a.ndim]
    total = np.einsum(f"{every},{every}->{''.join(c for k, c in enumerate(every) if k not in axes)}", a, b)
    return np.asarray(total / a.dtype.type(prod(a.shape[k] for k in axes)) if mean else total)


def _spread(name: str, root: bool) -> Apply:
    """The variance, or its root, of rows."""
    row = OPERATORS[name]

    def apply(x: Any, apart: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
        """``apart``: the distances of ``x`` from the means, where these are known."""
        if apart is not None and axis and usual(x) and x.size and apart.dtype == x.dtype and apart.shape == x.shape:
            found = sum_of_products(apart, apart, axis, bool(keepdims), mean=True)
            return whole(np.sqrt(found) if root else found)
        first = None if not axis or not usual(x) or not x.size else trailing(axis, x.ndim)
        if first is None and axis and usual(x) and x.size and x.flags.c_contiguous:
            return _spread_apart(x, axis, bool(keepdims), root)
        if not first or not x.flags.c_contiguous or prod(x.shape[first:]) > SHORT:
            return whole(row({"axis": axis, "keepdims": keepdims}, (x,), True))
        rows = x.reshape(prod(x.shape[:first]), -1)
        count = x.dtype.type(rows.shape[1])
        width = np.empty((len(rows), 1), x.dtype)
        for part in blocks(len(rows), rows.shape[1], 1 << 16):
            near = rows[part]
            apart = np.subtract(near, row_sums(near) / count)
            np.divide(row_squares(apart), count, out=width[part])
        if root:
            np.sqrt(width, out=width)
        return width.reshape((*x.shape[:first], *(1,) * (x.ndim - first)) if keepdims else x.shape[:first])

    return apply


def _spread_apart(x: Any, axis: Any, keepdims: bool, root: bool) -> Any:
    """The same over axes that are not the last ones: each product is added where it is made."""
    axes = sorted(a % x.ndim for a in (axis if isinstance(axis, list) else [axis]))
    count = x.dtype.type(prod(x.shape[a] for a in axes))
    apart = fresh(x.shape, x.dtype)
    np.subtract(x, np.add.reduce(x, tuple(axes), keepdims=True) / count, out=apart)
    width = _along(apart, apart, axes, mean=True)
    width = np.sqrt(width) if root else width
    return whole(width.reshape([1 if k in axes else n for k, n in enumerate(x.shape)]) if keepdims else width)


def _extreme(name: str, ufunc: Any) -> Apply:
    row = OPERATORS[name]

    def apply(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
        exact = type(x) is np.ndarray and x.dtype in INTEGERS
        if not (usual(x) or exact) or not x.size or axis == []:
            return whole(row({"axis": axis, "keepdims": keepdims}, (x,), True))
        first = None if axis is None or not x.flags.c_contiguous else trailing(axis, x.ndim)
        if first is not None and first == x.ndim - 1 and few_columns(x):
            return columns(ufunc, x, bool(keepdims))
        if first is not None and x.ndim - first > 1:  # (several axes as one: NumPy goes along the last one alone)
            found = ufunc.reduce(x.reshape(*x.shape[:first], -1), axis=-1)
            return found.reshape(*x.shape[:first], *(1,) * (x.ndim - first)) if keepdims else whole(found)
        return whole(ufunc.reduce(x, axis=_axes(axis), keepdims=bool(keepdims)))

    return apply


def _mean(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    if not usual(x) or x.size == 0:
        return whole(OPERATORS["relax.mean"]({"axis": axis, "keepdims": keepdims}, (x,), True))
    axes = None if axis is None else axis if isinstance(axis, list) else [axis]
    total = _sum(x, axis, bool(keepdims))
    return np.asarray(total / x.dtype.type(x.size if axes is None else prod([x.shape[a] for a in axes])))


def _position(name: str) -> Apply:
    row, least = OPERATORS[name], name == "relax.argmin"

    def apply(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
        if type(x) is np.ndarray and x.size and x.ndim:
            if not keepdims:
                return whole(x.argmin(axis) if least else x.argmax(axis))
            return whole((np.argmin if least else np.argmax)(x, axis, None, keepdims=True))
        return row({"axis": axis, "keepdims": keepdims}, (x,), True)

    return apply


LARGE = 1 << 12


def _matmul(a: Any, b: Any, out_dtype: Any = None) -> Any:
    if type(a) is np.ndarray and type(b) is np.ndarray and a.dtype == b.dtype and a.dtype in FLOATS:
        if out_dtype is None or out_dtype == "void" or out_dtype == a.dtype:
            if a.size >= LARGE and a.ndim == b.ndim == 2 and a.shape[1] == b.shape[0]:
                return np.matmul(a, b, out=fresh((a.shape[0], b.shape[1]), a.dtype))
            found = np.matmul(a, b)
            return found if type(found) is np.ndarray else np.asarray(found)
        return whole(OPERATORS["relax.matmul"]({"out_dtype": out_dtype}, (a, b), True))
    if a.dtype == b.dtype and a.dtype in (HALF, UPPER) and a.ndim > 1 < b.ndim and a.size >= LARGE:
        if out_dtype is None or out_dtype in ("void", a.dtype.name):
            return _narrow_product(a, b)
    if a.dtype is b.dtype is BYTE and out_dtype == "int32" and a.ndim == b.ndim == 2 and a.shape[1] == b.shape[0]:
        if 0 < a.shape[1] < SUMS and a.size and b.size:
            return np.matmul(a.astype(np.float32), b.astype(np.float32)).astype(np.int32)
    return whole(OPERATORS["relax.matmul"]({"out_dtype": out_dtype}, (a, b), True))


def _einsum(operands: Any, subscripts: str) -> Any:
    """Two operands as a product of matrices, where that is what is meant."""
    if type(operands) is tuple and len(operands) == 2 and usual(operands[0]) and usual(operands[1]):
        x, y = operands
        if x.dtype is y.dtype and (product := product_of(subscripts, x.shape, y.shape)) is not None:
            return whole(product(x, y))
    return OPERATORS["relax.einsum"]({"subscripts": subscripts}, (operands,), True)


BYTE, SUMS = np.dtype(np.int8), 1 << 10
"""So many products of bytes, at most 2**14 each, have sums that float32 holds, in any order."""


def _narrow_product(a: Any, b: Any) -> Any:
    """Of matrices of float16 or bfloat16: in float32, of two in memory that was used before, rounded once."""
    if a.ndim == b.ndim == 2 and a.shape[1] == b.shape[0]:
        product = np.matmul(widened(a), widened(b), out=fresh((a.shape[0], b.shape[1]), np.float32))
    else:
        product = np.matmul(widened(a), widened(b))
    return narrowed(product, a.dtype, fresh(product.shape, a.dtype))


# --- making ----------------------------------------------------------------------------------------------------------


def _arange(start: Any, stop: Any, step: Any, dtype: str = "int64", rounded: bool = False) -> Any:
    """From 0 by 1, which is exact until the conversion; everything else as its row does."""
    first, last, by = number(start), number(stop), number(step)
    if type(first) is int and type(last) is int and first == 0 and type(by) is int and by == 1 and dtype in PLAIN:
        return np.arange(max(last, 0)).astype(dtype, copy=False)
    return OPERATORS["relax.arange"]({"dtype": dtype, "rounded": rounded}, (start, stop, step), True)


# --- views -----------------------------------------------------------------------------------------------------------


def _reshape(x: Any, shape: Any, kept: Any = ()) -> Any:
    if type(shape) is Shape and not kept and -1 not in shape.dims:
        return x.reshape(shape.dims)
    return OPERATORS["relax.reshape"]({"kept": kept}, (x, shape), True)


def _concat(*given: Any, axis: Any = 0) -> Any:
    """``given``: the parts, or one tuple of them; a part may be ``Reshaped``, which is copied once."""
    parts = given[0] if len(given) == 1 and isinstance(given[0], tuple) else given
    lead = parts[0].shape if parts else ()
    if lead and type(axis) is int and type(parts[0]) is np.ndarray and parts[0].nbytes < SMALL and _plain(parts):
        return np.concatenate(parts, axis=axis)
    if type(axis) is not int or not lead or not _alike(parts):
        return whole(OPERATORS["relax.concat"]({"axis": axis}, (tuple(map(_now, parts)),), True))
    axis %= len(lead)
    before, after, total, moved = lead[:axis], lead[axis + 1 :], 0, False
    for part in parts:
        shape = part.shape
        if len(shape) != len(lead) or shape[:axis] != before or shape[axis + 1 :] != after:
            return np.concatenate([_now(p) for p in parts], axis=axis)  # which says what is wrong
        total += shape[axis]
        moved = moved or type(part) is Reshaped
    result = fresh((*before, total, *after), parts[0].dtype)
    if not moved:
        return np.concatenate(parts, axis=axis, out=result)
    first, cut = 0, (slice(None),) * axis
    for part in parts:
        slot = result[(*cut, slice(first, first + part.shape[axis]))]
        if isinstance(part, Reshaped):
            part.place(slot)
        else:
            slot[...] = part
        first += part.shape[axis]
    return result


SMALL = 1 << 20
"""Bytes of a part from which on memory that was used before is worth a look."""


def _plain(parts: Any) -> bool:
    """Whether all parts are arrays of one dtype."""
    kind = parts[0].dtype
    return all([type(each) is np.ndarray and each.dtype is kind for each in parts])  # noqa: C419


def _alike(parts: Any) -> bool:
    """Whether all parts have one dtype."""
    kind = parts[0].dtype
    return all([part.dtype is kind or part.dtype == kind for part in parts])  # noqa: C419


def _now(part: Any) -> Any:
    return part.array.reshape(part.shape) if isinstance(part, Reshaped) else part


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


def _squeeze(x: Any, axis: Any = None) -> Any:
    """A view."""
    chosen = range(x.ndim) if axis is None else [a % x.ndim for a in (axis if isinstance(axis, list) else [axis])]
    return np.squeeze(x, tuple(k for k in dict.fromkeys(chosen) if x.shape[k] == 1))


def _strided_slice(x: Any, *bounds: Any, assume_inbound: bool = False) -> Any:
    """A view (``liveness.VIEWED``), where the bounds are those of a slice; numbers mean what they do in Python."""
    if not assume_inbound and all([type(each) is tuple for each in bounds]) and len(bounds) == 4:  # noqa: C419
        cut = [slice(None)] * x.ndim
        for axis, *numbers in zip(*bounds, strict=True):
            start, stop, step = map(number, numbers)
            if not step:
                break
            cut[number(axis)] = slice(start, stop, step)
        else:
            return x[tuple(cut)]
    return OPERATORS["relax.strided_slice"]({"assume_inbound": assume_inbound, "view": True}, (x, *bounds), True)


def _split(x: Any, indices_or_sections: Any = None, axis: int = 0) -> Any:
    """Cut at increasing indices within bounds: views."""
    cuts = indices_or_sections
    if type(cuts) is int and cuts > 1 and x.shape[axis] and x.shape[axis] % cuts == 0:
        cuts = list(range(x.shape[axis] // cuts, x.shape[axis], x.shape[axis] // cuts))
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
    **{f"relax.{name}": _test(f"relax.{name}", getattr(np, name)) for name in ("isnan", "isinf", "isfinite")},
    "relax.where": _where,
    "relax.clip": _clip,
    **NORMS,
    **LOSSES,
    **PLACES,
    "relax.mean": _mean,
    "relax.sum": _total,
    "relax.variance": _spread("relax.variance", root=False),
    "relax.std": _spread("relax.std", root=True),
    "relax.max": _extreme("relax.max", np.maximum),
    "relax.min": _extreme("relax.min", np.minimum),
    "relax.argmax": _position("relax.argmax"),
    "relax.argmin": _position("relax.argmin"),
    "relax.quantize": quantize,
    "relax.dequantize": dequantize,
    "relax.matmul": _matmul,
    "relax.einsum": _einsum,
    "relax.arange": _arange,
    "relax.concat": _concat,
    "relax.reshape": _reshape,
    "relax.permute_dims": _permute_dims,
    "relax.expand_dims": _expand_dims,
    "relax.broadcast_to": _broadcast_to,
    "relax.split": _split,
    "relax.squeeze": _squeeze,
    "relax.strided_slice": _strided_slice,
}

IN_PLACE = frozenset(name for name, apply in FAST_OPERATORS.items() if "out" in signature(apply).parameters)
"""Operators that may write their result over an operand: those that take ``out=``."""

FIRST_ONLY = frozenset(NORMS)
"""Those that may write it over the first operand alone."""
