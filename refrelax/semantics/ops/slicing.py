"""Parts of a tensor by ranges: strided slices.

Spec: ``spec/ops/slicing.md``.
"""

from __future__ import annotations

from refrelax.rules import rule
from refrelax.semantics.ops import attributes as A
from refrelax.semantics.ops import dims as D
from refrelax.semantics.ops.common import (
    UNKNOWN,
    arity,
    known_dims,
    normal_axes,
    of_rank,
    rank,
    short,
    tensor,
    with_dims,
)  # fmt: skip
from refrelax.semantics.ops.definition import Deduction, OpDef
from refrelax.semantics.ops.meaning import Array, Extents, Index, Meaning, defined
from refrelax.syntax.graph import Call, Expr, PrimValue, Tuple, Var
from refrelax.syntax.scalars import PrimExpr, SymVar, as_int
from refrelax.syntax.types import PrimType, TensorType, TupleType, Type

PAGE = "slicing"

# --- strided_slice ---------------------------------------------------------------------------------------------------


@rule("op.strided_slice/int64-tuples")
def _check_tuple(d: Deduction, call: Call, what: str, found: Type) -> None:
    fields = found.fields if isinstance(found, TupleType) else None
    if fields is None or any(not isinstance(each, PrimType) or each.dtype != "int64" for each in fields):
        d.fail("op.strided_slice/int64-tuples", f"{short(call)}: {what} must be a tuple of int64 scalars")


def _written(argument: Expr) -> list[PrimExpr] | None:
    """The scalar expressions of a tuple that is written out; ``None`` for a variable."""
    if not isinstance(argument, Tuple):
        return None
    values: list[PrimExpr] = []
    for each in argument.fields:
        if isinstance(each, PrimValue):
            values.append(each.value)
        elif isinstance(each, Var):  # a scalar variable is a symbol
            values.append(SymVar(each.name))
    return values if len(values) == len(argument.fields) else None


@rule("op.strided_slice/equal-lengths", "op.strided_slice/constant-axes", "op.strided_slice/zero-stride")
def deduce_strided_slice(d: Deduction, call: Call, types: tuple[Type, ...]) -> Type:
    """The dims of the argument, those of ``axes`` replaced by the number of positions,
    ``max(0, ceil((end - begin) / stride))`` with the bounds counted from the end and clamped as below, or as they are
    under ``assume_inbound``. Of bounds that are not written in the call only the rank is known.
    """
    arity(d, call, 4, 5)
    x = tensor(d, call, types, 0)
    for what, found in zip(("axes", "begin", "end", "strides"), types[1:], strict=False):
        _check_tuple(d, call, what, found)
    written = [_written(each) for each in call.args[1:]]
    lengths = {len(each) for each in written if each is not None}
    if len(lengths) > 1:
        d.fail("op.strided_slice/equal-lengths", f"{short(call)}: axes, begin, end and strides differ in length")
    numbers = [as_int(axis) for axis in written[0] or ()]
    if any(each is None for each in numbers):
        d.fail("op.strided_slice/constant-axes", f"{short(call)}: an axis must be an integer literal")
    if len(written) == 4 and any(as_int(each) == 0 for each in written[3] or ()):
        d.fail("op.strided_slice/zero-stride", f"{short(call)}: a stride is 0")
    places = [each or 0 for each in numbers]
    if rank(x) != UNKNOWN:
        places = normal_axes(d, call, rank(x), places)
    dims = known_dims(x)
    if any(each is None for each in written) or dims is None:
        return x if written[0] == [] else of_rank(rank(x), x.dtype, x.vdevice)
    axes, begin, end, *rest = (each for each in written if each is not None)
    strides = rest[0] if rest else [D.ONE] * len(axes)
    result = list(dims)
    inbound = A.flag(call, "assume_inbound")
    for axis, a, b, s in zip(places, begin, end, strides, strict=True):
        result[axis] = d.simplify(_length(a, b, s, dims[axis], inbound))
    return with_dims(result, x.dtype, x.vdevice)


def _length(begin: PrimExpr, end: PrimExpr, stride: PrimExpr, extent: PrimExpr, inbound: bool) -> PrimExpr:
    """How many positions ``begin, begin + stride, …`` lie before ``end``."""
    if inbound:
        return D.steps(begin, end, stride)
    a, b = _canonical(begin, extent, stride), _canonical(end, extent, stride)
    return D.steps(a, b, stride)


def _canonical(index: PrimExpr, extent: PrimExpr, stride: PrimExpr) -> PrimExpr:
    """An index counted from 0 and clamped: to ``[0, extent]``, or to ``[-1, extent - 1]`` under a negative stride."""
    i, n, s = as_int(index), as_int(extent), as_int(stride)
    if i is not None and n is not None and s is not None:
        return D.imm(clamp(i, n, s))
    if isinstance(index, SymVar) and index == extent:
        return index
    backward = D.less(stride, D.ZERO)
    low = D.if_then_else(backward, D.imm(-1), D.ZERO)
    high = D.if_then_else(backward, D.sub(extent, D.ONE), extent)
    if i is None or i < 0:
        index = D.if_then_else(D.less(index, D.ZERO), D.add(index, extent), index)
    return D.minimum(D.maximum(index, low), high)


def clamp(index: int, extent: int, stride: int) -> int:
    """An index counted from 0 and clamped to what ``stride`` can start from."""
    low, high = (-1, extent - 1) if stride < 0 else (0, extent)
    return min(max(index + extent if index < 0 else index, low), high)


Part = tuple[Index, Index, Index, Index]
"""What is taken of an axis: from, until, by, and of how many."""


def sliced(m: Meaning, x: Array, parts: dict[int, Part], inbound: bool = False) -> Array:
    """``out[i] = x[from + i * by]``; axes without a part are whole."""
    starts: list[Index] = [0] * x.ndim
    steps, dims = [1] * x.ndim, list(x.dims)
    for axis, (a, b, s, n) in parts.items():
        if not inbound:
            a, b = _clamped(m, a, n, s), _clamped(m, b, n, s)
        starts[axis], steps[axis], dims[axis] = a, s, m.most(0, -((a - b) // s))
    return m.copy(m.strided(x, starts, steps, dims))


def _clamped(m: Meaning, index: Index, extent: Index, stride: Index) -> Index:
    """``clamp``."""
    low = m.most(m.least(stride, 0), -1)
    counted = m.pick(index < 0, index + extent, index)
    return m.least(m.most(counted, low), extent + low)


def _inbound(m: Meaning, a: Index, b: Index, s: Index, n: Index) -> Index:
    """Whether both ends lie in an axis, and a slice that goes backwards begins at one of its elements."""
    return m.every([a >= 0, a <= n, b >= 0, b <= n, m.some((s >= 1, a <= b, a < n))])


@rule("op.strided_slice/inbound", "op.strided_slice/zero-stride-run")
def strided_slice(
    m: Meaning, call: Call, x: Array, axes: Extents, begin: Extents, end: Extents, strides: Extents | None = None
) -> Array:
    """``out[i] = x[i with begin + i[axis] * stride]``, from ``begin`` until ``end``, which is left out.

    Without ``assume_inbound`` a negative bound counts from the end, once, and is then clamped: to ``[0, n]``, under a
    negative stride to ``[-1, n - 1]``, with ``n`` for the extent. With it, a bound out of range is open.
    """
    inbound, parts = A.flag(call, "assume_inbound"), {}
    fits = m.every(-x.ndim <= axis for axis in axes) and m.every(axis < x.ndim for axis in axes)
    distinct = fits and len({int(axis) % x.ndim for axis in axes}) == len(axes)
    m.require(distinct, "op.common/fits-run", f"axes {axes} of {x.dims}")
    strides = (1,) * len(axes) if strides is None else strides
    alike = len(axes) == len(begin) == len(end) == len(strides)
    m.require(alike, "op.common/fits-run", "axes, begin, end and strides differ in length")
    for k, a, b, s in zip(axes, begin, end, strides, strict=alike):
        axis = int(k) % x.ndim
        n = x.dims[axis]
        m.require(s != 0, "op.strided_slice/zero-stride-run", "a stride is 0")
        m.require(not inbound or _inbound(m, a, b, s, n), "op.strided_slice/inbound", f"[{a}, {b}) of {n} elements")
        parts[axis] = a, b, s, n
    return sliced(m, x, parts, inbound)


# --- dynamic_strided_slice -------------------------------------------------------------------------------------------


@rule("op.dynamic_strided_slice/index-tensor")
def deduce_dynamic_slice(d: Deduction, call: Call, types: tuple[Type, ...]) -> Type:
    """The argument's rank and dtype."""
    arity(d, call, 4)
    x = tensor(d, call, types, 0)
    for position, what in ((1, "begin"), (2, "end"), (3, "strides")):
        t: TensorType = tensor(d, call, types, position)
        dims = known_dims(t)
        fits = dims is not None and len(dims) == 1 and as_int(dims[0]) == rank(x)
        if t.dtype not in (None, "int64") or not (fits or rank(x) == UNKNOWN):
            d.fail(
                "op.dynamic_strided_slice/index-tensor",
                f"{short(call)}: {what} must be an int64 vector of {rank(x)} elements",
            )
    return of_rank(rank(x), x.dtype, x.vdevice)


def dynamic_strided_slice(m: Meaning, call: Call, x: Array, begin: Array, end: Array, strides: Array) -> Array:
    """As ``strided_slice`` on every axis, without ``assume_inbound``, with the bounds read from tensors."""
    parts = {}
    for axis, n in enumerate(x.dims):
        a, b, s = (m.index_of(each[axis,], each.dtype) for each in (begin, end, strides))
        m.require(s != 0, "op.strided_slice/zero-stride-run", "a stride is 0")
        parts[axis] = a, b, s, n
    return sliced(m, x, parts)


OPERATORS: tuple[OpDef, ...] = (
    defined("relax.strided_slice", deduce_strided_slice, strided_slice, PAGE),
    defined("relax.dynamic_strided_slice", deduce_dynamic_slice, dynamic_strided_slice, PAGE),
)
