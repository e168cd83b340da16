"""Graph-level operators on arrays. One row an operator: ``f(attributes, args, fast) -> value``.

An operator without a row is compiled through its loop program (``lower/``) or not at all (``Unsupported``).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import numpy as np

from refrelax.backends.numpy_ import (
    exact,
    operators_grid,
    operators_image,
    operators_index,
    operators_linear,
    operators_network,
    operators_shape,
    operators_window,
)
from refrelax.backends.numpy_.blocks import power
from refrelax.backends.numpy_.guests import hosted
from refrelax.backends.numpy_.operands import NARROW, Attrs, Run, array, axes_of, extents, is_float, literal, met
from refrelax.backends.numpy_.reductions import argreduce, matmul, reduce, softmax
from refrelax.errors import unspecified
from refrelax.running.arrays import numpy_dtype
from refrelax.semantics.numbers.interface import MATH
from refrelax.semantics.ops import OPERATORS as DEFINED
from refrelax.semantics.values import Prim, Shape

# --- elementwise -----------------------------------------------------------------------------------------------------


def sigmoid(x: Any) -> Any:
    """``1 / (1 + exp(-x))`` in one temporary."""
    t = np.asarray(np.negative(x))
    np.exp(t, out=t)
    t += t.dtype.type(1)
    return np.divide(t.dtype.type(1), t, out=t)


FAST: dict[str, Callable[[Any], Any]] = {
    "exp": np.exp, "log": np.log, "sqrt": np.sqrt, "tanh": np.tanh, "sin": np.sin, "cos": np.cos, "square": np.square,
    "abs": np.abs, "rsqrt": lambda x: 1 / np.sqrt(x), "sigmoid": sigmoid,
}  # fmt: skip
"""What ``fast`` uses on float32 and float64: within the permitted units in the last place."""


def _math(name: str) -> Run:
    fast_form = FAST.get(name)

    def run(_attrs: Attrs, args: Sequence[Any], fast: bool) -> Any:
        (x,) = args
        if x.dtype.kind in "iub":
            return _integer_math(name, x)
        if fast and fast_form is not None and x.dtype in (np.float32, np.float64):
            return fast_form(x)
        if fast and fast_form is not None and x.dtype.name in NARROW:
            return np.asarray(fast_form(x.astype(np.float32))).astype(x.dtype)
        return exact.elementary(name, x)

    return run


def _integer_math(name: str, x: Any) -> Any:
    if x.dtype == np.bool_:
        return x.copy()
    match name:
        case "abs":
            return np.abs(x)
        case "sign":
            return np.sign(x)
        case "square":
            return x * x
        case _:
            return x.copy()


def _negative(_attrs: Attrs, args: Sequence[Any], _fast: bool) -> Any:
    (x,) = args
    return x.copy() if x.dtype == np.bool_ else -x


def _logical_not(_attrs: Attrs, args: Sequence[Any], _fast: bool) -> Any:
    (x,) = args
    return np.asarray(x == 0).astype(x.dtype)


def meeting(a: Any, b: Any) -> tuple[Any, Any]:
    """Two operands converted to the dtype in which they meet."""
    if a.dtype == b.dtype:
        return a, b
    dtype = met(a.dtype, b.dtype)
    return exact.cast(a, dtype), exact.cast(b, dtype)


def _binary(apply: Callable[[Any, Any], Any], bits: bool = False) -> Run:
    """At the dtype in which the operands meet, then the first one's. ``bits``: bools as they are."""

    def run(_attrs: Attrs, args: Sequence[Any], _fast: bool) -> Any:
        a, b = array(args[0]), array(args[1])
        wanted = a.dtype
        a, b = meeting(a, b)
        if a.dtype == np.bool_ and not bits:  # as 0 and 1, and back
            a, b = a.astype(np.uint8), b.astype(np.uint8)
        found = np.asarray(apply(a, b))
        return found if found.dtype == wanted else exact.cast(found, wanted)

    return run


def _of_two(row: Run, form: Callable[[Any, Any], Any]) -> Run:
    """``fast`` at float32 and float64: as NumPy does."""

    def run(attrs: Attrs, args: Sequence[Any], fast: bool) -> Any:
        a, b = array(args[0]), array(args[1])
        if not fast or a.dtype != b.dtype or a.dtype not in (np.float32, np.float64):
            return row(attrs, args, fast)
        if form is power and b.size == 1 and b.reshape(-1)[0] == 2:
            wide = a if b.ndim <= a.ndim else np.broadcast_to(a, np.broadcast_shapes(a.shape, b.shape))
            return np.asarray(np.square(wide))
        return np.asarray(form(a, b))

    return run


def _power(a: Any, b: Any) -> Any:
    """An integer to a negative power means nothing."""
    if np.asarray(a).dtype.kind in "iu":
        return np.power(a, np.maximum(b, np.zeros_like(b)))
    return exact.binary("pow", a, b)


def _log_add_exp(a: Any, b: Any) -> Any:
    """``max + log1p(exp(-|a - b|))``; of equal numbers ``a + log 2``."""
    near = exact.elementary("log1p", exact.elementary("exp", -np.abs(a - b)))
    return np.where(a == b, a + exact.elementary("log", literal(a, 2)), exact.maximum(a, b) + near)


def _count(a: Any, b: Any) -> Any:
    """A shift count in range: any other means nothing."""
    return np.clip(b, 0, 8 * np.asarray(a).itemsize - 1).astype(np.asarray(b).dtype)


def _compare(apply: Callable[[Any, Any], Any]) -> Run:
    return lambda _attrs, args, _fast: np.asarray(apply(*meeting(array(args[0]), array(args[1]))))


def _logical(apply: Callable[[Any, Any], Any]) -> Run:
    """The truth of two operands at the dtype of the first."""

    def run(_attrs: Attrs, args: Sequence[Any], _fast: bool) -> Any:
        a, b = array(args[0]), array(args[1])
        if a.dtype == b.dtype == np.bool_:
            return np.asarray(apply(a, b))
        return np.asarray(apply(a != 0, b != 0)).astype(a.dtype)

    return run


def _relu(_attrs: Attrs, args: Sequence[Any], fast: bool) -> Any:
    zero = np.zeros((), dtype=args[0].dtype)
    return np.maximum(args[0], zero) if fast else exact.maximum(args[0], zero)


def _clip(_attrs: Attrs, args: Sequence[Any], _fast: bool) -> Any:
    x, low, high = args
    low, high = (exact.cast(array(v), x.dtype).reshape(()) for v in (low, high))
    return exact.maximum(exact.minimum(x, high), low)


def _where(_attrs: Attrs, args: Sequence[Any], _fast: bool) -> Any:
    condition, a, b = (array(v) for v in args)
    chosen = condition if condition.dtype == np.bool_ else condition != 0
    wanted = a.dtype
    a, b = meeting(a, b)
    return exact.cast(np.where(chosen, a, b), wanted)


def _astype(attrs: Attrs, args: Sequence[Any], _fast: bool) -> Any:
    return exact.cast(args[0], numpy_dtype(attrs["dtype"]))


# --- making and reshaping --------------------------------------------------------------------------------------------


def _full(attrs: Attrs, args: Sequence[Any], _fast: bool) -> Any:
    shape, value = extents(args[0]), array(args[1]).reshape(())
    dtype = attrs["dtype"]
    return np.broadcast_to(exact.cast(value, numpy_dtype(dtype) if dtype else value.dtype), shape).copy()


def full(shape: Sequence[int], number: Any, dtype: Any) -> Any:
    """An array of one number, rounded once."""
    return np.full(shape, exact.cast(np.asarray(number), dtype), dtype=dtype)


def _filled(number: int) -> Run:
    return lambda attrs, args, _fast: full(extents(args[0]), number, numpy_dtype(attrs["dtype"]))


def _filled_like(number: int) -> Run:
    def run(attrs: Attrs, args: Sequence[Any], _fast: bool) -> Any:
        dtype = attrs["dtype"]
        return full(args[0].shape, number, numpy_dtype(dtype) if dtype else args[0].dtype)

    return run


def _reshape(attrs: Attrs, args: Sequence[Any], _fast: bool) -> Any:
    """``kept``: the axes where the text has a literal 0, which stands for the extent that is there."""
    shape, own = list(extents(args[1])), args[0].shape
    copied = [k for k in attrs.get("kept", ()) if k < len(own)]
    for k in attrs.get("kept", ()):
        shape[k] = own[k] if k < len(own) else 0
    if -1 in shape:  # what is copied stands on both sides
        rest = prod(e for k, e in enumerate(shape) if e != -1 and k not in copied)
        left = prod(e for k, e in enumerate(own) if k not in copied)
        shape[shape.index(-1)] = left // rest if rest else 0
    return args[0].reshape(shape)


def _permute_dims(attrs: Attrs, args: Sequence[Any], _fast: bool) -> Any:
    axes = attrs["axes"]
    order = None if axes is None else [a % args[0].ndim for a in axes]
    return np.transpose(args[0], order)


def _concat(attrs: Attrs, args: Sequence[Any], _fast: bool) -> Any:
    parts = list(args[0]) if isinstance(args[0], tuple) else list(args)
    axis = attrs["axis"]
    if axis is None:
        return np.concatenate([p.reshape(-1) for p in parts])
    return np.concatenate(parts, axis=axis)


def _expand_dims(attrs: Attrs, args: Sequence[Any], _fast: bool) -> Any:
    axis = attrs["axis"]
    return np.expand_dims(args[0], tuple(axis) if isinstance(axis, list) else axis)


def _broadcast_to(_attrs: Attrs, args: Sequence[Any], _fast: bool) -> Any:
    return np.broadcast_to(args[0], extents(args[1]))


def whole_index(indices: Any, modulo: int = 0) -> Any:
    """Positions as int64. What only uint64 holds is the greatest int64, which is beyond every axis as well; or, with
    ``modulo``, a number that leaves the same rest."""
    if indices.dtype != np.uint64:
        return indices.astype(np.int64, copy=False)
    return (indices % np.uint64(modulo) if modulo else np.minimum(indices, np.uint64(2**63 - 1))).astype(np.int64)


def _take(attrs: Attrs, args: Sequence[Any], _fast: bool) -> Any:
    """Out of range in mode ``fast`` means nothing, so any element will do there."""
    x, indices = args[0], array(args[1]) if not isinstance(args[1], Prim) else np.array(args[1].value)
    axis, mode = attrs["axis"], attrs["mode"]
    x, axis = (x.reshape(-1), 0) if axis is None else (x, axis % x.ndim)
    extent = x.shape[axis]
    if extent == 0:
        if indices.size and mode in ("wrap", "clip"):
            raise unspecified("op.take/empty-axis", f"take from an axis without elements, mode {mode}")
        shape = (*x.shape[:axis], *indices.shape, *x.shape[axis + 1 :])
        return np.full(shape, np.nan if mode == "nan" and is_float(x.dtype) else 0, dtype=x.dtype)
    if mode == "wrap":  # NumPy's own wrapping adds the extent again and again: from -2**63 it does not come back
        at = np.remainder(whole_index(indices, extent), extent)
    else:
        at = whole_index(indices)
    result = np.take(x, at, axis=axis, mode="clip")
    if mode != "nan" or not is_float(x.dtype):
        return result
    bad = ((indices < 0) | (indices >= extent)).reshape([1] * axis + [*indices.shape] + [1] * (x.ndim - 1 - axis))
    return np.where(bad, np.array(np.nan, dtype=x.dtype), result).astype(x.dtype)


# --- reductions ------------------------------------------------------------------------------------------------------


def _reduction(op: str) -> Run:
    def run(attrs: Attrs, args: Sequence[Any], fast: bool) -> Any:
        x = args[0]
        return reduce(op, x, axes_of(attrs, "axis", x.ndim), bool(attrs["keepdims"]), fast)

    return run


def _mean(attrs: Attrs, args: Sequence[Any], fast: bool) -> Any:
    x, axes = args[0], axes_of(attrs, "axis", args[0].ndim)
    total = reduce("add", x, axes, bool(attrs["keepdims"]), fast)
    return exact.truncated_divide(total, exact.cast(np.array(prod(x.shape[a] for a in axes)), x.dtype))


def _arg(op: str) -> Run:
    return lambda attrs, args, _fast: argreduce(op, args[0], attrs["axis"], bool(attrs["keepdims"]))


def _matmul(attrs: Attrs, args: Sequence[Any], fast: bool) -> Any:
    dtype = attrs["out_dtype"]
    return matmul(args[0], args[1], numpy_dtype(dtype) if dtype and dtype != "void" else args[0].dtype, fast)


def _softmax(log: bool) -> Run:
    return lambda attrs, args, fast: softmax(args[0], attrs["axis"] % args[0].ndim, fast, log)


ROWS: dict[str, Run] = {
    **{f"relax.{name}": _math(name) for name in MATH if f"relax.{name}" in DEFINED},
    "relax.negative": _negative,
    "relax.logical_not": _logical_not,
    "relax.bitwise_not": lambda _c, a, _f: ~a[0],
    "relax.isnan": lambda _c, a, _f: np.asarray(np.isnan(a[0])),
    "relax.isinf": lambda _c, a, _f: np.asarray(np.isinf(a[0])),
    "relax.isfinite": lambda _c, a, _f: np.asarray(np.isfinite(a[0])),
    "relax.nn.relu": _relu,
    "relax.clip": _clip,
    "relax.add": _binary(np.add),
    "relax.subtract": _binary(np.subtract),
    "relax.multiply": _binary(np.multiply),
    "relax.divide": _binary(exact.truncated_divide),
    "relax.floor_divide": _binary(exact.floor_divide),
    "relax.mod": _binary(exact.truncated_remainder),
    "relax.floor_mod": _binary(exact.floor_modulo),
    "relax.maximum": _binary(exact.maximum),
    "relax.minimum": _binary(exact.minimum),
    "relax.power": _of_two(_binary(_power), power),
    "relax.atan2": _of_two(_binary(lambda a, b: exact.binary("atan2", a, b)), np.arctan2),
    "relax.log_add_exp": _binary(_log_add_exp),
    "relax.left_shift": _binary(lambda a, b: np.left_shift(a, _count(a, b))),
    "relax.right_shift": _binary(lambda a, b: np.right_shift(a, _count(a, b))),
    "relax.equal": _compare(np.equal),
    "relax.not_equal": _compare(np.not_equal),
    "relax.less": _compare(np.less),
    "relax.less_equal": _compare(np.less_equal),
    "relax.greater": _compare(np.greater),
    "relax.greater_equal": _compare(np.greater_equal),
    "relax.logical_and": _logical(np.logical_and),
    "relax.logical_or": _logical(np.logical_or),
    "relax.logical_xor": _logical(np.logical_xor),
    "relax.bitwise_and": _binary(np.bitwise_and, bits=True),
    "relax.bitwise_or": _binary(np.bitwise_or, bits=True),
    "relax.bitwise_xor": _binary(np.bitwise_xor, bits=True),
    "relax.where": _where,
    "relax.astype": _astype,
    "relax.full": _full,
    "relax.zeros": _filled(0),
    "relax.ones": _filled(1),
    "relax.zeros_like": _filled_like(0),
    "relax.ones_like": _filled_like(1),
    "relax.reshape": _reshape,
    "relax.permute_dims": _permute_dims,
    "relax.concat": _concat,
    "relax.expand_dims": _expand_dims,
    "relax.broadcast_to": _broadcast_to,
    "relax.flatten": lambda _c, a, _f: a[0].reshape(-1),
    "relax.take": _take,
    "relax.sum": _reduction("add"),
    "relax.prod": _reduction("mul"),
    "relax.max": _reduction("maximum"),
    "relax.min": _reduction("minimum"),
    "relax.mean": _mean,
    "relax.argmax": _arg("maximum"),
    "relax.argmin": _arg("minimum"),
    "relax.matmul": _matmul,
    "relax.nn.softmax": _softmax(False),
    "relax.nn.log_softmax": _softmax(True),
    "relax.shape_of": lambda _c, a, _f: Shape(tuple(a[0].shape)),
    "relax.hint_on_device": lambda _c, a, _f: a[0],
    "relax.to_vdevice": lambda _c, a, _f: a[0],
    "relax.memory.ensure_zero_offset": lambda _c, a, _f: a[0],
    "relax.dist.annotate_sharding": lambda _c, a, _f: a[0],
    "relax.dist.redistribute": lambda _c, a, _f: a[0],
    **operators_shape.OPERATORS,
    **operators_index.OPERATORS,
    **operators_linear.OPERATORS,
    **operators_network.OPERATORS,
    **operators_window.OPERATORS,
    **operators_image.OPERATORS,
    **operators_grid.OPERATORS,
}  # fmt: skip
"""Every operator at the dtypes in which NumPy calculates as the language does."""

OPERATORS: dict[str, Run] = {name: hosted(name, row) for name, row in ROWS.items()}
