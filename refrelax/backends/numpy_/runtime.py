"""What generated source calls as ``rt``: checks, memory, and arithmetic with the interpreter's bits."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from math import prod
from typing import Any, Literal

import numpy as np

from refrelax.backends.numpy_ import (
    attention,
    blocks,
    exact,
    fast_losses,
    fast_norms,
    fast_operators,
    fast_places,
    narrow,
    operators_linear,
    pairs,
)
from refrelax.errors import Ended, trap, unspecified
from refrelax.running.arrays import numpy_dtype
from refrelax.semantics.ops.transform import fact as memory_fact
from refrelax.semantics.values import Prim, Shape, row_major
from refrelax.syntax import dtypes

cast = exact.cast
elementary = exact.elementary
binary = exact.binary
maximum = exact.maximum
minimum = exact.minimum
truncated_divide = exact.truncated_divide
floor_divide = exact.floor_divide
floor_modulo = exact.floor_modulo
grid_quotient = exact.truncated_divide
grid_remainder = exact.truncated_remainder
floordiv = exact.floor_divide
floormod = exact.floor_modulo
truncated_remainder = exact.truncated_remainder
dtype = numpy_dtype


of_bool, of_int8, of_int16, of_int32, of_int64 = map(np.dtype, ("bool", "int8", "int16", "int32", "int64"))
of_uint8, of_uint16, of_uint32, of_uint64 = map(np.dtype, ("uint8", "uint16", "uint32", "uint64"))
of_float16, of_float32, of_float64 = map(np.dtype, ("float16", "float32", "float64"))

USUAL = ("bool", "int64", "float64")
"""The dtypes that a Python number is taken to have where nothing says its type."""


def number(name: str, pattern: int) -> Any:
    """A NumPy scalar of a dtype that NumPy itself lacks, from its bits."""
    kind = numpy_dtype(name)
    return np.array([pattern], dtype=f"uint{8 * kind.itemsize}").view(kind)[0]


def of_dtype(value: Any, kind: Any) -> Any:
    """A number, or an array of them, at a dtype that NumPy itself lacks: rounded once."""
    return cast(value, kind)[()]


def axis(low: int, extent: int, position: int, rank: int) -> Any:
    """The numbers ``low, low + 1, …`` along one axis of a grid of ``rank`` axes."""
    shape = [1] * rank
    shape[position] = max(extent, 0)
    return np.arange(low, low + max(extent, 0)).reshape(shape)


def wrapped(value: Any, low: int, width: int) -> Any:
    """An integer, or a grid of them, modulo two to the power ``width``, from ``low`` up."""
    return ((value - low) & ((1 << width) - 1)) + low


def quotient(a: int, b: int) -> int:
    """``a / b`` rounded towards zero."""
    found = abs(a) // abs(b)
    return found if (a < 0) == (b < 0) else -found


def remainder(a: int, b: int) -> int:
    """What ``quotient`` leaves: it has the sign of ``a``."""
    return a - quotient(a, b) * b


def clamp(index: int, extent: int) -> int:
    """An index moved into range: what is loaded out of range means nothing."""
    return max(0, min(int(index), extent - 1))


def some(array: Any, *axes: int) -> Any:
    """The array, or one with an element along ``axes`` where it has none: what is loaded there means nothing."""
    if all(array.shape[axis] for axis in axes):
        return array
    return np.zeros([max(n, int(axis in axes)) for axis, n in enumerate(array.shape)], array.dtype)


def gather(array: Any, *indices: Any) -> Any:
    """``array[indices]`` over a grid, out-of-range indices moved into range."""
    if 0 in array.shape:
        shape = np.broadcast_shapes(*(np.shape(i) for i in indices))
        return np.zeros(shape, dtype=array.dtype)
    return array[tuple(np.clip(i, 0, extent - 1) for i, extent in zip(indices, array.shape, strict=True))]


def stride(array: Any, position: int) -> int:
    """The compact stride of an axis, in elements."""
    return prod(array.shape[position + 1 :])


def fma(a: Any, b: Any, c: Any) -> Any:
    """``a * b + c`` rounded once: exact products in binary64 for the narrow formats, by the definition for the rest."""
    from refrelax.semantics.numbers import reading

    a, b, c = np.broadcast_arrays(a, b, c)
    if a.dtype.kind in "iub":
        return a * b + c
    f = reading("ieee").at(a.dtype.name)
    flat = [f.fma(float(x), float(y), float(z)) for x, y, z in zip(a.ravel(), b.ravel(), c.ravel(), strict=True)]
    return np.array(flat, dtype=np.float64).astype(a.dtype).reshape(a.shape)


def popcount(x: Any) -> Any:
    """Set bits of every element."""
    return np.bitwise_count(np.asarray(x).view(f"uint{8 * np.asarray(x).itemsize}")).astype(np.asarray(x).dtype)


def clz(x: Any) -> Any:
    """Leading zero bits of every element; the width for zero."""
    x = np.asarray(x)
    width = 8 * x.itemsize
    flat = [width - int(e).bit_length() for e in x.view(f"uint{width}").ravel()]
    return np.array(flat, dtype=x.dtype).reshape(x.shape)


# --- values ----------------------------------------------------------------------------------------------------------


def constant(name: str, shape: tuple[int, ...], patterns: Sequence[int]) -> Any:
    """An array from bit patterns."""
    kind = numpy_dtype(name)
    cells = np.array(patterns, dtype=f"uint{8 * kind.itemsize}")
    found = (cells.astype(bool) if name == "bool" else cells.view(kind)).reshape(shape)
    found.flags.writeable = False
    return found


def of_bytes(name: str, shape: tuple[int, ...], data: bytes) -> Any:
    """A read-only array over the elements' bytes, little-endian, row-major."""
    kind = numpy_dtype(name)
    if name == "bool":
        found = (np.frombuffer(data, np.uint8) != 0).reshape(shape)
        found.flags.writeable = False
        return found
    return (
        np.frombuffer(data, kind.newbyteorder("<") if kind.itemsize > 1 else kind)
        .astype(kind, copy=False)
        .reshape(shape)
    )


class Dtype(str):
    """The value of ``R.dtype``: a text wherever a dtype is wanted, and no text at the surface."""

    __slots__ = ()


def prim(name: str, value: Any) -> Prim:
    """A scalar with its dtype, for operators."""
    return Prim(name, value)


def returned(value: Any) -> Any:
    """What a loop program returns: a scalar of Python, and no array of rank 0."""
    if not isinstance(value, np.generic | np.ndarray):
        return value
    return value.item() if value.dtype.kind in "biuf" else float(value)


def scalar(value: Any) -> Any:
    """The scalar that a row gave as an array of shape (1,); a tensor that was made from scalars stays one."""
    if not isinstance(value, np.ndarray) or value.shape != (1,):
        return value
    return value[0].item() if value.dtype.kind in "biuf" else float(value[0])


def fact(what: str, x: Any, axis: int | None = None) -> int:
    """What ``R.inspect.tensor_{what}`` says of a compact tensor at the beginning of its memory."""
    return memory_fact(what, x.dtype.name, x.shape, row_major(x.shape), 0, axis, None)


def shape(*dims: int) -> Shape:
    return Shape(dims if all([type(d) is int for d in dims]) else tuple([int(d) for d in dims]))  # noqa: C419


def empty(dims: tuple[int, ...], kind: Any) -> Any:
    """Memory for an output. What a program reads there before writing means nothing."""
    if any(extent < 0 for extent in dims):
        raise unspecified("ev/negative-extent", f"an output of shape {dims}")
    return np.zeros(dims, kind)


def truth(condition: Any) -> bool:
    """The condition of an ``if``: a scalar, or element 0 of a tensor."""
    if isinstance(condition, np.ndarray):
        if condition.size == 0:
            raise unspecified("ev/if-condition", "the condition has no element")
        return bool(condition.reshape(-1)[0])
    return bool(condition.value if isinstance(condition, Prim) else condition)


# --- checks at graph level -------------------------------------------------------------------------------------------

Kind = Literal["param", "match-cast", "return"]


def mismatch(kind: Kind, aspect: str, message: str) -> Ended:
    """How a value that does not have its type ends the run, by where it was asked."""
    return trap(f"ev/param-{aspect}" if kind == "param" else f"ev/{kind}-mismatch", message)


_known = cache(numpy_dtype)


def expect_tensor(kind: Kind, where: str, value: Any, wanted: str | None, rank: int) -> None:
    """A tensor of this dtype (``None``: any) and rank (-1: any)."""
    if type(value) is np.ndarray and value.ndim == rank and (wanted is None or value.dtype == _known(wanted)):
        return
    if not isinstance(value, np.ndarray | np.generic):
        raise mismatch(kind, "type", f"{where}: expected a tensor")
    if isinstance(value, np.ndarray) and not (type(value) is np.ndarray and value.dtype.isnative):
        raise TypeError(f"{where}: an array that is to be converted")  # (by who calls: ``calls.py``)
    if wanted is not None and value.dtype.name != wanted:
        raise mismatch(kind, "dtype", f"{where}: expected dtype {wanted}, found {value.dtype.name}")
    if rank >= 0 and value.ndim != rank:
        raise mismatch(kind, "rank", f"{where}: expected {rank} dimensions, found {value.ndim}")


def expect_shape(kind: Kind, where: str, value: Any, rank: int) -> None:
    if not isinstance(value, Shape):
        raise mismatch(kind, "type", f"{where}: expected a shape")
    if rank >= 0 and len(value) != rank:
        raise mismatch(kind, "rank", f"{where}: expected a shape of {rank} dimensions, found {len(value)}")


def expect_tuple(kind: Kind, where: str, value: Any, count: int) -> None:
    if not isinstance(value, tuple) or len(value) != count:
        raise mismatch(kind, "type", f"{where}: expected a tuple of {count}")


def expect_prim(kind: Kind, where: str, value: Any, wanted: str, known: str | None = None) -> None:
    """A scalar of a dtype. A number that comes without one tells its kind alone; ``known``: the dtype that the checker
    derived, where it is another."""
    if not isinstance(value, bool | int | float | Prim):
        raise mismatch(kind, "type", f"{where}: expected a scalar")
    if isinstance(value, Prim):
        found, of = value.dtype, wanted
    else:
        found = "bool" if isinstance(value, bool) else "float" if isinstance(value, float) else "int"
        of = dtypes.kind(wanted).removeprefix("u")
    if known is not None or found != of:
        raise mismatch(kind, "dtype", f"{where}: expected a {wanted}, found a {known or found}")


def expect_function(kind: Kind, where: str, value: Any) -> None:
    if not callable(value):
        raise mismatch(kind, "type", f"{where}: expected a function")


def expect_extent(kind: Kind, where: str, found: int, wanted: int) -> None:
    if found != wanted:
        raise mismatch(kind, "shape", f"{where}: expected {wanted}, found {found}")


def expect_extents(kind: Kind, where: str, found: tuple[int, ...], wanted: tuple[int, ...]) -> None:
    """Extents of one rank, axis by axis."""
    for extent, its in zip(found, wanted, strict=True):
        expect_extent(kind, where, extent, its)


def expect_arity(name: str, found: int, wanted: int) -> None:
    if found != wanted:
        raise trap("ev/arity", f"{name} takes {wanted} arguments, {found} were given")


def so_many(name: str, args: tuple[Any, ...], wanted: int) -> tuple[Any, ...]:
    """The arguments, as many as ``name`` takes."""
    expect_arity(name, len(args), wanted)
    return args


# --- runs of elementwise steps of mode fast --------------------------------------------------------------------------

attend = attention.attend
attend_biased = attention.attend_biased
blocked = blocks.blocked
blocked_upper = pairs.blocked_upper
blocked_told = pairs.blocked_told
kinds = blocks.KINDS
widened = pairs.widened
by_columns = fast_operators.by_columns
packed = pairs.packed
rounded = narrow.rounded
cut = narrow.cut
narrowed = narrow.narrowed
filled = blocks.filled
Reshaped = blocks.Reshaped
where = blocks.where
power = blocks.power
erf = blocks.erf
odds = blocks.odds
FEW = 1 << 11
"""Elements for which a block is not worth a call."""
softmax = fast_norms.softmax
sum_of_products = fast_operators.sum_of_products
nll_of_log_softmax = fast_losses.nll_of_log_softmax
hot = fast_places.hot
times_matrix = operators_linear.times_matrix


def nothing(_value: Any) -> tuple[()]:
    """What a call gives whose type says that it gives nothing, whatever the function gave."""
    return ()


def unit(value: Any) -> Any:
    """What a call of a PrimFunc gives: the empty tuple where it returns nothing."""
    return () if value is None else value


# --- checks at loop level --------------------------------------------------------------------------------------------


def check_buffer(function: str, name: str, value: Any, wanted: str, rank: int) -> None:
    """A PrimFunc's argument: an array of this dtype and rank."""
    if not isinstance(value, np.ndarray | np.generic):
        raise trap("ev/param-type", f"{function}: parameter {name} is a buffer")
    if value.dtype.name != wanted:
        raise trap("ev/buffer-param-dtype", f"{function}: {name} has dtype {wanted}, the argument {value.dtype.name}")
    if value.ndim != rank:
        raise trap("ev/buffer-param-rank", f"{function}: {name} has {rank} dimensions, the argument {value.ndim}")


def check_extent(function: str, name: str, position: int, found: int, wanted: int) -> None:
    """One extent of a PrimFunc's argument."""
    if found != wanted:
        message = f"{function}: axis {position} of {name} has extent {wanted}, the argument {found}"
        raise trap("ev/buffer-param-shape", message)


def share_memory(written: Sequence[Any], others: Sequence[Any]) -> bool:
    """Whether an array that is stored in shares memory with another argument."""
    if not all(isinstance(each, np.ndarray) for each in (*written, *others)):
        return False
    return any(np.may_share_memory(a, b) for k, a in enumerate(written) for b in (*written[k + 1 :], *others))


def check_assert(condition: Any, message: str) -> None:
    if not condition:
        raise trap("ld/assert-fails", message)


def inside(name: str, shape: tuple[int, ...], *index: Any) -> None:
    """A store is in bounds, or the run ends."""
    if not all(0 <= i < extent for i, extent in zip(index, shape, strict=True)):
        at = ", ".join(str(int(i)) for i in index)
        raise unspecified("ld/store-out-of-bounds", f"store to {name}[{at}], whose shape is {shape}")
