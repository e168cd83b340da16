"""Operators that look up, store, sort and scan. An out-of-range load gives any element, an out-of-range store ends the
run."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import pairwise
from math import prod
from typing import Any

import numpy as np

from refrelax.backends.numpy_ import exact
from refrelax.backends.numpy_.blocks import together
from refrelax.backends.numpy_.memory import fresh, in_rows
from refrelax.backends.numpy_.operands import Attrs, Run, is_float, literal, met, number, plain, within
from refrelax.backends.numpy_.reductions import FOLDS
from refrelax.errors import unspecified
from refrelax.running.arrays import numpy_dtype
from refrelax.syntax import dtypes

# --- loads -----------------------------------------------------------------------------------------------------------


def flat_position(index: Sequence[Any], extents: Sequence[int]) -> Any:
    """The number of the element or row at ``index`` in row-major order; where an index is out of range, any."""
    position: Any = None
    for i, n in zip(index, extents, strict=False):
        own = np.asarray(i).astype(np.int64, copy=False)
        if position is None:
            position = own
            continue
        position = position * n
        if position.shape == own.shape or np.broadcast_shapes(position.shape, own.shape) == position.shape:
            position += own
        else:
            position = position + own
    return position


def load(x: Any, index: Sequence[Any]) -> Any:
    """``x[index]``, where an index is out of range any element, in new memory."""
    if any(n == 0 for n in x.shape[: len(index)]):
        shape = np.broadcast_shapes(*(np.shape(i) for i in index))
        return np.zeros((*shape, *x.shape[len(index) :]), dtype=x.dtype)
    rows = np.ascontiguousarray(x).reshape(prod(x.shape[: len(index)]), *x.shape[len(index) :])
    return np.take(rows, flat_position(index, x.shape), axis=0, mode="clip")


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
    """A negative index counts from the end, once; the extent need not fit the dtype of the indices."""
    if not index.size or within(index, n) or index.min() >= 0:
        return index
    wide = index.astype(np.int64)
    return np.where(wide < 0, wide + n, wide)


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


STEPS = {"add": np.add, "mul": np.multiply, "max": np.maximum, "min": np.minimum}
"""What NumPy does itself, one element after the other."""


def _as_numpy(reduction: str, *parts: Any) -> bool:
    """Whether NumPy's step is the language's: of a zero of either sign its extremes are any."""
    return reduction in ("add", "mul") or (reduction in STEPS and all(map(_one_zero, parts)))


def store(x: Any, index: Sequence[Any], values: Any, reduction: str) -> Any:
    """A copy of ``x`` with ``values`` stored at ``index``, in row-major order of the values; a negative index counts
    from the end, once. Without an index each value is as large as ``x``."""
    shape = together(index) if index else values.shape[: values.ndim - x.ndim]
    rest = x.shape[len(index) :]
    if 0 in shape or 0 in rest:  # nothing to store
        return np.array(x, order="C")
    if (
        reduction in ("add", "mul")
        and _flat(x, index, values)
        and (reduction == "mul" or _one_zero(values) or _one_zero(x))
    ):
        return _near(x, index, values.astype(x.dtype, copy=False), STEPS[reduction])
    index = [_placed(i, n, x.shape) for i, n in zip(index, x.shape, strict=False)]
    if values.shape != (*shape, *rest):
        values = np.broadcast_to(values, (*shape, *rest))
    values = values.reshape(prod(shape), *rest)
    if reduction == "mean":
        return _mean(
            x, [np.broadcast_to(i, shape) for i in index], store(x, index, values.reshape(*shape, *rest), "add")
        )
    if reduction not in ("update", "", *COMBINE):
        raise unspecified("op.scatter/reduction", f"reduction {reduction!r}")
    if not index:  # the whole of it, once for each value
        position = np.zeros(prod(shape), np.int64)
    else:
        position = flat_position(index, x.shape)
        if position.shape != shape:
            position = np.broadcast_to(position, shape)
        position = position.reshape(-1)
    result = in_rows(x)
    rows = result.reshape(prod(x.shape[: len(index)]), *rest)
    if reduction in ("update", ""):
        values = values.astype(x.dtype, copy=False)
        if rows.ndim > 1 and rows[0].nbytes <= 1 << 12:  # (one object a row is quicker than a loop over it)
            rows, values = as_objects(rows), as_objects(np.ascontiguousarray(values))
        rows[position] = values  # in order: the last one stays
    else:
        if reduction == "add" and not (_one_zero(values) or _one_zero(x)):  # a sum begins at +0: no stored-to -0 stays
            rows[position] += np.zeros((), dtype=x.dtype)
        values = values.astype(x.dtype, copy=False)
        if rows.ndim == 1 and x.dtype.num in PLAIN_SORTS and _as_numpy(reduction, rows, values):
            STEPS[reduction].at(rows, position, values)
            return result.reshape(x.shape)
        _folded(rows, position, values, FOLDS[COMBINE[reduction]])
    return result.reshape(x.shape)


def _flat(x: Any, index: Sequence[Any], values: Any) -> bool:
    """Whether single elements are stored to, at positions and from values in rows of their own."""
    if not index or len(index) != x.ndim or values.ndim != 1 or x.dtype.num not in PLAIN_SORTS:
        return False
    return all([each.shape == values.shape for each in index])  # noqa: C419


NEAR = 1 << 16
"""Positions of which all that is made stays near."""


def _near(x: Any, index: Sequence[Any], values: Any, step: Any) -> Any:
    """Values folded into single elements, in their order, some at a time."""
    result = in_rows(x)
    cells = result.reshape(-1)
    for first in range(0, len(values), NEAR):
        now = slice(first, first + NEAR)
        here = [_placed(i[now], n, x.shape) for i, n in zip(index, x.shape, strict=True)]
        step.at(cells, flat_position(here, x.shape), values[now])
    return result


def _placed(index: Any, n: int, shape: Sequence[int]) -> Any:
    """An index of a store, which ends the run where it is out of range."""
    if not index.size or within(index, n):
        return index
    wide = index.astype(np.int64)
    wide = np.where(wide < 0, wide + n, wide)
    if not within(wide, n):
        raise unspecified("op.scatter/out-of-range", f"a store outside of {tuple(shape)}")
    return wide


def as_objects(rows: Any) -> Any:
    """The rows of an array as elements that are only moved."""
    cells = rows if rows.ndim == 2 else rows.reshape(len(rows), -1)
    return cells.view(_object(cells.shape[1] * cells.itemsize))[:, 0]


@cache
def _object(size: int) -> Any:
    """The dtype of so many bytes."""
    return np.dtype((np.void, size))


def _folded(rows: Any, position: Any, values: Any, fold: Any) -> None:
    """Values folded into rows in their order: first all that come first to their row, then all that come second, …"""
    count = len(position)
    if not count:
        return
    order = _order_of(position)
    at = position[order]
    begins = np.flatnonzero(np.concatenate([[True], at[1:] != at[:-1]]))
    sizes = np.diff(np.append(begins, count))
    turn = np.arange(count) - np.repeat(begins, sizes)
    if sizes.max() > 16 + count // 4:  # one row gets most of them
        for k in range(count):
            rows[position[k]] = fold(rows[position[k]], values[k])
        return
    by_turn = _order_of(turn)
    order, at = order[by_turn], at[by_turn]
    edges = np.concatenate([[0], np.cumsum(np.bincount(turn))])
    laid = np.take(values, order, axis=0)
    for a, b in pairwise(edges.tolist()):
        spot = at[a:b]
        rows[spot] = fold(rows[spot], laid[a:b])


def _order_of(keys: Any) -> Any:
    """The stable order of small numbers that are not negative."""
    packed = (keys.astype(np.int64) << 31) | np.arange(len(keys))
    if len(keys) >= 1 << 31 or int(keys.max()) >= 1 << 32:
        return np.argsort(keys, kind="stable")
    packed.sort()
    return packed & ((1 << 31) - 1)


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
    index[axis] = indices
    return store(x, index, updates, attrs["reduction"])


def scatter_nd(attrs: Attrs, args: Sequence[Any], _fast: bool) -> Any:
    x, indices, updates = args
    depth = indices.shape[-1]
    if depth > x.ndim or updates.shape != (*indices.shape[:-1], *x.shape[depth:]):
        raise unspecified("op.scatter_nd/extents", f"{updates.shape}, {indices.shape}, {x.shape}")
    return store(x, [indices[..., k] for k in range(depth)], updates, attrs["reduction"])


def index_put(attrs: Attrs, args: Sequence[Any], _fast: bool) -> Any:
    x, indices, values = args
    indices = indices if isinstance(indices, tuple) else (indices,)
    shape = together(indices)
    if values.size == prod(shape):
        values = values.reshape(shape)
    if len(indices) != x.ndim:
        raise ValueError(f"{len(indices)} indices of {x.ndim} axes")
    return store(x, indices, values, "add" if attrs["accumulate"] else "update")


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


def sort_keys(x: Any, descending: bool) -> Any:
    """int64 numbers of at most 32 bits in the order of the elements, equal ones equal, a NaN the greatest; ``None`` for
    wider dtypes."""
    if is_float(x.dtype):
        if x.dtype == np.float64:
            return None
        narrow = x.astype(np.float32)
        keys = narrow.view(np.int32)
        keys = np.where(narrow == 0, 0, keys ^ ((keys >> 31) & 0x7FFFFFFF))
        if descending:
            np.invert(keys, out=keys)
        lost = np.isnan(narrow)
        if lost.any():
            keys[lost] = 0x7FFFFFFF
        return keys.astype(np.int64)
    if x.dtype.itemsize > 4:
        return None
    keys = x.astype(np.int64)
    return ~keys if descending else keys


def positions(x: Any, axis: int, descending: bool, count: int | None = None) -> Any:
    """The stable order along ``axis``, NaNs last; the first ``count`` of it. The position of an element stands below
    its key in one integer, so that a plain sort or partition of those is stable."""
    n = x.shape[axis]
    keys = sort_keys(x, descending) if n < 1 << 31 else None
    if keys is None:
        found = _wide_positions(x, axis, descending)
        return found if count is None else np.take(found, np.arange(count), axis=axis)
    keys = np.moveaxis(keys, axis, -1)
    packed = (keys << 31) | np.arange(n)
    if count is not None and count < n:
        if 4 * count < n and count:
            packed.partition(count - 1, axis=-1)
            packed = packed[..., :count]
            packed.sort(-1)
        else:
            packed.sort(-1)
            packed = packed[..., :count]
    else:
        packed.sort(-1)
    return np.moveaxis(packed & 0x7FFFFFFF, -1, axis)


def _wide_positions(x: Any, axis: int, descending: bool) -> Any:
    if is_float(x.dtype):
        wide = x.astype(np.float64)
        return np.lexsort((-wide if descending else wide, np.isnan(wide)), axis=axis)
    if not descending:
        return np.argsort(x, axis=axis, kind="stable")
    backwards = np.flip(np.argsort(np.flip(x, axis), axis=axis, kind="stable"), axis)
    return x.shape[axis] - 1 - backwards


def _one_zero(x: Any) -> bool:
    """Whether equal elements have equal bits, so that any sort is the stable one: integers, and floats without -0."""
    if not x.size:
        return True
    if x.dtype == np.float32:  # whose least pattern as an integer is that of -0
        return bool(np.min(x.view(np.int32)) != -(1 << 31))
    return not is_float(x.dtype) or not (np.signbit(x) & (x == 0)).any()


PLAIN_SORTS = frozenset(np.dtype(code).num for code in "?bBhHiIlLqQfde")
"""The dtypes that NumPy sorts itself, by number: their letters are those of dtypes of ml_dtypes too."""


FLOAT_SORTS = frozenset(np.dtype(code).num for code in "efd")


def sort(attrs: Attrs, args: Sequence[Any], fast: bool) -> Any:
    """``fast``: zeros of either sign in any order."""
    (x,), axis, descending = args, attrs["axis"] % args[0].ndim, attrs["descending"]
    if x.dtype.num in PLAIN_SORTS and x.size and (fast or _one_zero(x)):
        if not descending:
            found = in_rows(x)
            found.sort(axis=axis)
            return found
        turn: Any = np.negative if is_float(x.dtype) else np.invert  # (NaNs are last either way)
        found = turn(x, out=fresh(x.shape, x.dtype))
        found.sort(axis=axis)
        return turn(found, out=found)
    return np.take_along_axis(x, positions(x, axis, descending), axis)


def argsort(attrs: Attrs, args: Sequence[Any], _fast: bool) -> Any:
    (x,), axis = args, attrs["axis"] % args[0].ndim
    return positions(x, axis, attrs["descending"]).astype(numpy_dtype(attrs["dtype"] or x.dtype.name), copy=False)


def topk(attrs: Attrs, args: Sequence[Any], _fast: bool) -> Any:
    (x,), axis, k = args, attrs["axis"] % args[0].ndim, attrs["k"]
    count = min(k, x.shape[axis]) if k > 0 else x.shape[axis]
    if attrs["ret_type"] == "values" and (values := extremes(x, axis, count, attrs["largest"])) is not None:
        return values
    order = _few(x, axis, count, attrs["largest"])
    order = positions(x, axis, attrs["largest"], count) if order is None else order
    values = np.take_along_axis(x, order, axis)
    places = order.astype(numpy_dtype(attrs["dtype"] or x.dtype.name))
    return {"both": (values, places), "values": values, "indices": places}[attrs["ret_type"]]


def _few(x: Any, axis: int, count: int, largest: bool) -> Any:
    """The positions of the ``count`` greatest or least elements in order, by the value of the last of them; ``None``
    where others are equal to that, or there is a NaN, or that is no gain."""
    n = x.shape[axis]
    if x.dtype not in (np.float32, np.float64) or not count > 0 or 8 * count > n or not x.size:
        return None
    lines = np.ascontiguousarray(np.moveaxis(x, axis, -1))
    last = np.partition(lines, n - count if largest else count - 1, axis=-1)
    edge = last[..., n - count if largest else count - 1, None]
    chosen = lines >= edge if largest else lines <= edge
    if np.isnan(last[..., n - count :]).any() or np.count_nonzero(chosen) != count * (x.size // n):
        return None
    spots = np.flatnonzero(chosen)
    keys, starts = lines.reshape(-1)[spots].reshape(-1, count), np.arange(0, spots.size, count)[:, None]
    order = np.argsort(-keys if largest else keys, axis=-1, kind="stable")
    spots = spots[order + starts].reshape(*lines.shape[:-1], count)
    spots %= n
    return spots if axis == x.ndim - 1 else np.moveaxis(spots, -1, axis)


def extremes(x: Any, axis: int, count: int, largest: bool) -> Any:
    """The ``count`` greatest or least elements in order, without their positions; ``None`` where that takes more (a NaN
    or a zero among them)."""
    n = x.shape[axis]
    if x.dtype.num not in PLAIN_SORTS or not count > 0 or 4 * count > n or not x.size:
        return None
    own = x if axis == x.ndim - 1 else np.moveaxis(x, axis, -1)
    found = _of_long_lines(own, count, largest) if n >= LONG else None
    if found is None:
        lines = np.array(own, order="C")
        lines.partition(n - count if largest else count - 1, axis=-1)
        found = lines[..., n - count :] if largest else lines[..., :count]
        found.sort(-1)
        if x.dtype.num in FLOAT_SORTS and not (np.abs(found) > 0).all():  # (a NaN is not)
            return None
        found = found[..., ::-1] if largest else found
    elif x.dtype.num in FLOAT_SORTS and not found.all():
        return None
    return np.array(found if axis == x.ndim - 1 else np.moveaxis(found, -1, axis), order="C")


LONG, COLUMNS = 1 << 13, 1 << 8
"""Elements of a line whose columns are looked at first, and the number of these."""


def _of_long_lines(x: Any, count: int, largest: bool) -> Any:
    """The greatest or least ``count`` elements of each line, in order, none of them a NaN. A line is folded to columns:
    the ``count``th of their extremes is an element beside which there are ``count``, and few others, which are sorted.
    ``None`` where that does not help."""
    kind, n = x.dtype, x.shape[-1]
    if count > COLUMNS >> 3 or not (kind.kind in "iu" or (kind.kind == "f" and kind.itemsize >= 4)):
        return None
    lines, folded = x.reshape(-1, n), n - n % COLUMNS
    found = np.empty((len(lines), count), kind)
    extreme: Any = np.maximum if largest else np.minimum
    place = COLUMNS - count if largest else count - 1
    for line, own in zip(lines, found, strict=True):
        best = extreme.reduce(line[:folded].reshape(-1, COLUMNS), axis=0)
        extreme(best, line[n - COLUMNS :], out=best)
        best.partition(place)
        if kind.kind == "f" and np.isnan(best[place:]).any():  # (they are above everything)
            return None
        some = line[line >= best[place] if largest else line <= best[place]]
        if not count <= some.size <= n >> 3:  # (an element may be the extreme of two columns)
            return None
        some.sort()
        own[...] = some[: -count - 1 : -1] if largest else some[:count]
    return found.reshape(*x.shape[:-1], count)


def nonzero(_attrs: Attrs, args: Sequence[Any], _fast: bool) -> Any:
    x = args[0]
    if x.dtype.isbuiltin != 1:  # (0 as the dtype has it: float8_e8m0fnu has none, and its least number stands for it)
        x = np.asarray(_comparable(x) != _comparable(literal(x, 0)))
    return np.stack(np.nonzero(x)).astype(np.int64) if x.ndim else np.zeros((0, int(x != 0)), np.int64)


def unique(_attrs: Attrs, args: Sequence[Any], _fast: bool) -> Any:
    """The distinct slices, and where they are, as ``sorted`` and the flags say."""
    x, ascending, index, inverse, counts, *axis = args
    if axis and axis[0] is not None:
        along = int(number(axis[0])) % x.ndim
    else:
        x, along = x.reshape(-1), 0
    keys = _comparable(x)
    if keys.dtype.kind == "f" and np.isnan(keys).any():
        raise unspecified("num/nan-in-extremes", "R.unique of items with a NaN")
    count = x.shape[along]
    if x.ndim == 1 and keys.dtype.kind in "iu" and number(ascending) and not any(map(number, (index, inverse, counts))):
        laid = np.sort(keys)
        return laid[np.concatenate([[True], laid[1:] != laid[:-1]])].astype(x.dtype, copy=False) if count else x.copy()
    lines = np.moveaxis(keys, along, 0).reshape(count, prod(keys.shape) // count if count else 0)
    order = np.lexsort(lines.T[::-1]) if lines.size else np.arange(count)  # (stable: equals stay as they are met)
    laid = lines[order]
    begins = np.ones(count, bool)
    begins[1:] = (laid[1:] != laid[:-1]).any(axis=1)
    first, group = order[begins], np.cumsum(begins) - 1
    place = np.arange(len(first)) if number(ascending) else np.argsort(np.argsort(first))
    owner = np.empty(count, np.int64)
    owner[order] = place[group]
    met_first = np.empty(len(first), np.int64)
    met_first[place] = first
    values = np.take(x, met_first, axis=along)
    more = [
        each
        for each, wanted in zip(
            (met_first, owner, np.bincount(owner, minlength=len(first)).astype(np.int64)),
            (index, inverse, counts),
            strict=True,
        )
        if number(wanted)
    ]
    return (values, *more) if more else values


def _comparable(x: Any) -> Any:
    """The elements in a dtype of NumPy's own that orders them as theirs does."""
    if x.dtype.isbuiltin == 1:
        return x
    name = x.dtype.name
    return x.astype(np.float64 if is_float(name) else np.uint8 if dtypes.kind(name) == "uint" else np.int8)


def bucketize(attrs: Attrs, args: Sequence[Any], _fast: bool) -> Any:
    x, edges = args
    dtype = np.int32 if attrs["out_int32"] else np.int64
    wanted = met(x.dtype, edges.dtype)
    a, b = exact.cast(np.asarray(x), wanted), exact.cast(edges, wanted)
    if is_float(wanted):
        a, b = a.astype(np.float64), b.astype(np.float64)  # which holds all that a narrow format does
    if not (b[1:] > b[:-1]).all() or not (b[-1:] == b[-1:]).all():  # poison, of which the loops make a count
        return ((b <= a[..., None]) if attrs["right"] else (b < a[..., None])).sum(axis=-1).astype(dtype)
    found = np.searchsorted(b, a, side="right" if attrs["right"] else "left")
    return found.astype(dtype)  # (of a NaN any: poison)


# --- scans -----------------------------------------------------------------------------------------------------------

ACROSS, APART = 64, 1 << 11
"""Elements beside one another for which a step over all of them is quicker than going along each line; the same where
they are not neighbours."""


def _accumulated(step: Any, x: Any, axis: int, exclusive: bool) -> Any:
    """Sums or products along an axis, each without the element at its place if ``exclusive``."""
    result, n = fresh(x.shape, x.dtype), x.shape[axis]
    lead = (slice(None),) * axis
    source, target = x, result
    if exclusive:
        result[(*lead, slice(0, 1))] = step.identity
        source, target = x[(*lead, slice(0, -1))], result[(*lead, slice(1, None))]
    beside = prod(x.shape[axis + 1 :])
    if x.size // n < (ACROSS if beside * n == x.size else APART) or beside < 8 or not x.flags.c_contiguous:
        step.accumulate(source, axis=axis, out=target)
        return result
    before: Any = None
    for line, into in zip(np.moveaxis(source, axis, 0), np.moveaxis(target, axis, 0), strict=True):
        if before is None:
            into[...] = line
        else:
            step(before, line, out=into)
        before = into
    return result


def _scan(op: str) -> Run:
    def run(attrs: Attrs, args: Sequence[Any], fast: bool) -> Any:
        (x,), axis = args, attrs["axis"]
        dtype = numpy_dtype(attrs["dtype"]) if attrs["dtype"] else x.dtype
        if dtype == np.bool_:
            raise unspecified("op.reduce/arithmetic-dtype", "a scan at bool")
        x = x if x.dtype == dtype else exact.cast(x, dtype)
        if axis is None:
            x, axis = x.reshape(-1), 0
        wraps = x.dtype.kind in "iu" and x.dtype.num in PLAIN_SORTS  # (which wrap, in any order of the sums)
        if (plain(fast, x) or wraps) and x.ndim and x.shape[axis]:
            return _accumulated(np.add if op == "add" else np.multiply, x, axis % x.ndim, bool(attrs["exclusive"]))
        lines = np.moveaxis(x, axis % x.ndim, 0)
        start = np.full(lines.shape[1:], 0 if op == "add" else 1, dtype=dtype)
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
    "relax.unique": unique,
    "relax.bucketize": bucketize,
    "relax.cumsum": _scan("add"),
    "relax.cumprod": _scan("mul"),
}
