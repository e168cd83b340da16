"""Operators that look up, store, sort and scan. An out-of-range load gives any element, an out-of-range store ends the
run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from refrelax.backends.numpy_ import exact
from refrelax.backends.numpy_.operands import Attrs, Run, is_float, number, plain
from refrelax.backends.numpy_.reductions import FOLDS
from refrelax.errors import unspecified
from refrelax.running.arrays import numpy_dtype

# --- loads -----------------------------------------------------------------------------------------------------------


def load(x: Any, index: Sequence[Any]) -> Any:
    """``x[index]`` with every index moved into range, in new memory."""
    if any(n == 0 for n in x.shape[: len(index)]):
        shape = np.broadcast_shapes(*(np.shape(i) for i in index))
        return np.zeros((*shape, *x.shape[len(index) :]), dtype=x.dtype)
    found = x[tuple(np.clip(i, 0, n - 1) for i, n in zip(index, x.shape, strict=False))]
    return found if found.base is None else found.copy()  # of a single position a view


def grid(shape: Sequence[int], leading: int) -> list[Any]:
    """Index arrays of the first ``leading`` axes of a shape, broadcastable over all of it."""
    rank = len(shape)
    return [np.arange(n).reshape([-1 if j == k else 1 for j in range(rank)]) for k, n in enumerate(shape[:leading])]


def gather_elements(attrs: Attrs, args: Sequence[Any], _fast: bool) -> Any:
    x, indices = args
    axis = attrs["axis"] % x.ndim
    index = grid(indices.shape, x.ndim)
    index[axis] = indices
    return load(x, index)


def gather_nd(attrs: Attrs, args: Sequence[Any], _fast: bool) -> Any:
    (x, indices), batch = args, attrs["batch_dims"]
    lead = indices.shape[:-1]
    index = [*grid(lead, batch), *(indices[..., k] for k in range(indices.shape[-1]))]
    if not index:
        return np.broadcast_to(x, (*lead, *x.shape)).copy()
    return load(x, [np.broadcast_to(i, lead) for i in index])


def wrapped(index: Any, n: int) -> Any:
    """A negative index counts from the end, once."""
    return np.where(index < 0, index + n, index)


def index_tensor(_attrs: Attrs, args: Sequence[Any], _fast: bool) -> Any:
    x, indices = args
    shape = np.broadcast_shapes(*(t.shape for t in indices))
    return load(x, [np.broadcast_to(wrapped(t, n), shape) for t, n in zip(indices, x.shape, strict=False)])


def reverse_sequence(attrs: Attrs, args: Sequence[Any], _fast: bool) -> Any:
    """The first ``lengths[b]`` positions of batch ``b`` in reverse order."""
    x, lengths = args
    axis, batch = attrs["seq_axis"] % x.ndim, attrs["batch_axis"] % x.ndim
    counts = np.asarray(lengths).astype(np.int64)
    if counts.shape != (x.shape[batch],) or ((counts < 0) | (counts > x.shape[axis])).any():
        raise unspecified("op.reverse_sequence/length-range", f"lengths {counts} of {x.shape[axis]}")
    index = grid(x.shape, x.ndim)
    count = counts.reshape([-1 if k == batch else 1 for k in range(x.ndim)])
    index[axis] = np.where(index[axis] < count, count - 1 - index[axis], index[axis])
    return load(x, index)


# --- stores ----------------------------------------------------------------------------------------------------------

COMBINE = {"add": "add", "mul": "mul", "max": "maximum", "min": "minimum"}


def store(x: Any, index: Sequence[Any], values: Any, reduction: str) -> Any:
    """A copy of ``x`` with ``values`` stored at ``index``, in row-major order of the values."""
    shape = np.broadcast_shapes(*(np.shape(i) for i in index))
    index = [np.broadcast_to(i, shape) for i in index]
    if any(((i < 0) | (i >= n)).any() for i, n in zip(index, x.shape, strict=False)):
        raise unspecified("op.scatter/out-of-range", f"a store outside of {x.shape}")
    result = x.copy()
    values = np.broadcast_to(values, (*shape, *x.shape[len(index) :]))
    if reduction in ("update", ""):
        for at in np.ndindex(*shape):
            result[tuple(i[at] for i in index)] = values[at]
        return result
    if reduction == "mean":
        return _mean(x, index, store(x, index, values, "add"))
    if reduction not in COMBINE:
        raise unspecified("op.scatter/reduction", f"reduction {reduction!r}")
    fold = FOLDS[COMBINE[reduction]]
    if reduction == "add":  # a sum begins at +0: a stored-to -0 does not survive
        touched = tuple(i.reshape(-1) for i in index)
        result[touched] = result[touched] + np.zeros((), dtype=x.dtype)
    for at in np.ndindex(*shape):
        spot = tuple(i[at] for i in index)
        result[spot] = fold(result[spot], values[at])
    return result


def _mean(x: Any, index: Sequence[Any], total: Any) -> Any:
    """``total`` over the number of its terms: the element that was there and what was stored to it."""
    count = np.ones(x.shape, dtype="int64")
    np.add.at(count, tuple(index), 1)
    if x.dtype.kind in "iu":
        return exact.truncated_divide(total, count.astype(x.dtype)).astype(x.dtype)
    return np.where(count > 1, total / count.astype(x.dtype), x).astype(x.dtype)


def scatter_elements(attrs: Attrs, args: Sequence[Any], _fast: bool) -> Any:
    x, indices, updates = args
    if indices.shape != updates.shape:
        raise unspecified("op.scatter_elements/extents", f"{indices.shape} and {updates.shape}")
    axis = attrs["axis"] % x.ndim
    index = grid(indices.shape, x.ndim)
    index[axis] = wrapped(indices, x.shape[axis])
    return store(x, index, updates, attrs["reduction"])


def scatter_nd(attrs: Attrs, args: Sequence[Any], _fast: bool) -> Any:
    x, indices, updates = args
    depth = indices.shape[-1]
    if depth > x.ndim or updates.shape != (*indices.shape[:-1], *x.shape[depth:]):
        raise unspecified("op.scatter_nd/extents", f"{updates.shape}, {indices.shape}, {x.shape}")
    index = [wrapped(indices[..., k], x.shape[k]) for k in range(depth)]
    return store(x, index, updates, attrs["reduction"])


def index_put(attrs: Attrs, args: Sequence[Any], _fast: bool) -> Any:
    x, indices, values = args
    indices = indices if isinstance(indices, tuple) else (indices,)
    shape = np.broadcast_shapes(*(t.shape for t in indices))
    count = int(np.prod(shape))
    if values.size == count:
        values = values.reshape(shape)
    index = [np.broadcast_to(wrapped(t, n), shape) for t, n in zip(indices, x.shape, strict=True)]
    return store(x, index, values, "add" if attrs["accumulate"] else "update")


def slice_scatter(attrs: Attrs, args: Sequence[Any], _fast: bool) -> Any:
    x, source = args[0], args[1]
    start, stop, step = (int(number(v)) for v in args[2:5])
    axis = attrs["axis"] % x.ndim
    wanted = [*x.shape]
    wanted[axis] = max(0, -((start - stop) // step)) if step > 0 else -1
    if list(source.shape) != wanted or (source.size and not 0 <= start <= stop <= x.shape[axis]):
        raise unspecified("op.slice_scatter/extents", f"{source.shape} into [{start}, {stop}) of {x.shape}")
    result = x.copy()
    if source.size:
        result[(slice(None),) * axis + (slice(start, stop, step),)] = source
    return result


# --- order -----------------------------------------------------------------------------------------------------------


def positions(x: Any, axis: int, descending: bool) -> Any:
    """The stable order along ``axis``, NaNs last."""
    if is_float(x.dtype):
        wide = x.astype(np.float64)
        return np.lexsort((-wide if descending else wide, np.isnan(wide)), axis=axis)
    if x.dtype == np.bool_:
        x = x.astype(np.int8)
    if not descending:
        return np.argsort(x, axis=axis, kind="stable")
    backwards = np.flip(np.argsort(np.flip(x, axis), axis=axis, kind="stable"), axis)
    return x.shape[axis] - 1 - backwards


def sort(attrs: Attrs, args: Sequence[Any], _fast: bool) -> Any:
    (x,), axis = args, attrs["axis"] % args[0].ndim
    return np.take_along_axis(x, positions(x, axis, attrs["descending"]), axis)


def argsort(attrs: Attrs, args: Sequence[Any], _fast: bool) -> Any:
    (x,), axis = args, attrs["axis"] % args[0].ndim
    return positions(x, axis, attrs["descending"]).astype(numpy_dtype(attrs["dtype"] or x.dtype.name))


def topk(attrs: Attrs, args: Sequence[Any], _fast: bool) -> Any:
    (x,), axis, k = args, attrs["axis"] % args[0].ndim, attrs["k"]
    count = min(k, x.shape[axis]) if k > 0 else x.shape[axis]
    order = np.take(positions(x, axis, attrs["largest"]), np.arange(count), axis=axis)
    values = np.take_along_axis(x, order, axis)
    places = order.astype(numpy_dtype(attrs["dtype"] or x.dtype.name))
    return {"both": (values, places), "values": values, "indices": places}[attrs["ret_type"]]


def nonzero(_attrs: Attrs, args: Sequence[Any], _fast: bool) -> Any:
    x = args[0]
    return np.stack(np.nonzero(x)).astype(np.int64) if x.ndim else np.zeros((0, int(x != 0)), np.int64)


def bucketize(attrs: Attrs, args: Sequence[Any], _fast: bool) -> Any:
    x, edges = args
    dtype = np.int32 if attrs["out_int32"] else np.int64
    a, b = np.asarray(x)[..., None], edges
    if is_float(x.dtype) or is_float(edges.dtype):
        a, b = a.astype(np.float64), b.astype(np.float64)
    return ((b <= a) if attrs["right"] else (b < a)).sum(axis=-1).astype(dtype)


# --- scans -----------------------------------------------------------------------------------------------------------


def _scan(op: str) -> Run:
    def run(attrs: Attrs, args: Sequence[Any], fast: bool) -> Any:
        (x,), axis = args, attrs["axis"]
        dtype = numpy_dtype(attrs["dtype"]) if attrs["dtype"] else x.dtype
        if dtype == np.bool_:
            raise unspecified("op.reduce/arithmetic-dtype", "a scan at bool")
        x = exact.cast(x, dtype)
        if axis is None:
            x, axis = x.reshape(-1), 0
        lines = np.moveaxis(x, axis % x.ndim, 0)
        start = np.full(lines.shape[1:], 0 if op == "add" else 1, dtype=dtype)
        if plain(fast, x) and not attrs["exclusive"]:
            return (np.cumsum if op == "add" else np.cumprod)(x, axis=axis).astype(dtype)
        found = []
        for line in lines:
            before = start
            start = np.asarray(FOLDS[op](start, line), dtype=dtype)
            found.append(before if attrs["exclusive"] else start)
        whole = np.stack(found) if found else lines.copy()
        return np.moveaxis(whole, 0, axis % x.ndim).copy()

    return run


OPERATORS: dict[str, Run] = {
    "relax.gather_elements": gather_elements,
    "relax.gather_nd": gather_nd,
    "relax.index_tensor": index_tensor,
    "relax.reverse_sequence": reverse_sequence,
    "relax.scatter_elements": scatter_elements,
    "relax.scatter_nd": scatter_nd,
    "relax.index_put": index_put,
    "relax.slice_scatter": slice_scatter,
    "relax.sort": sort,
    "relax.argsort": argsort,
    "relax.topk": topk,
    "relax.nonzero": nonzero,
    "relax.bucketize": bucketize,
    "relax.cumsum": _scan("add"),
    "relax.cumprod": _scan("mul"),
}
