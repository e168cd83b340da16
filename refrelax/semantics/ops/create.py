"""Tensors from nothing but numbers and positions.

Spec: ``spec/ops/create.md``.
"""

from __future__ import annotations

from fractions import Fraction
from math import isfinite

from refrelax.rules import rule
from refrelax.semantics.numbers.interface import Payload
from refrelax.semantics.ops import attributes as A
from refrelax.semantics.ops import dims as D
from refrelax.semantics.ops.common import (
    UNKNOWN,
    arity,
    integer_scalar,
    of_rank,
    rank,
    retyped,
    scalar,
    shape_argument,
    shaped_like,
    short,
    tensor,
    with_dims,
)  # fmt: skip
from refrelax.semantics.ops.definition import Deduction, OpDef
from refrelax.semantics.ops.meaning import Array, Extents, Index, Meaning, Scalar, Text, cast, defined
from refrelax.syntax import dtypes
from refrelax.syntax.bits import literal_value
from refrelax.syntax.graph import Call, PrimValue
from refrelax.syntax.scalars import Binary, Cast, Intrinsic, Literal, PrimExpr, as_int
from refrelax.syntax.types import PrimType, TensorType, Type

PAGE = "create"


# --- filling ---------------------------------------------------------------------------------------------------------


@rule("op.full/scalar-fill")
def _fill_type(d: Deduction, call: Call, types: tuple[Type, ...]) -> TensorType:
    fill = tensor(d, call, types, 1)
    if rank(fill) != 0:
        d.fail(
            "op.full/scalar-fill", f"{short(call)}: the fill value must be a tensor of rank 0, found rank {rank(fill)}"
        )
    return fill


def deduce_full(d: Deduction, call: Call, types: tuple[Type, ...]) -> Type:
    """The shape argument at ``dtype``, or at the fill value's dtype."""
    arity(d, call, 2)
    shape, fill = shape_argument(d, call, types, 0), _fill_type(d, call, types)
    return shaped_like(call, 0, shape, A.dtype(call, default=None) or fill.dtype, fill.vdevice)


def full(m: Meaning, call: Call, shape: Extents, fill: Array) -> Array:
    """``out[i] = fill``, converted to the dtype of the result."""
    value = cast(m, fill, A.dtype(call, default=None) or fill.dtype)
    return m.copy(m.along(value, (), shape))


def deduce_full_like(d: Deduction, call: Call, types: tuple[Type, ...]) -> Type:
    """The type of the tensor argument, at ``dtype`` if given."""
    arity(d, call, 2)
    _fill_type(d, call, types)
    return _like(d, call, types)


def _like(d: Deduction, call: Call, types: tuple[Type, ...]) -> TensorType:
    x, dtype = tensor(d, call, types, 0), A.dtype(call, default=None)
    return x if dtype is None else retyped(x, dtype)


def full_like(m: Meaning, call: Call, x: Array, fill: Array) -> Array:
    """``out[i] = fill``, converted to the dtype of the result."""
    return m.copy(m.along(cast(m, fill, A.dtype(call, default=None) or x.dtype), (), x.dims))


def deduce_constant(d: Deduction, call: Call, types: tuple[Type, ...]) -> Type:
    """The shape argument at ``dtype``."""
    arity(d, call, 1)
    return shaped_like(call, 0, shape_argument(d, call, types, 0), A.dtype(call))


def _constant(value: int) -> Text:
    def text(m: Meaning, call: Call, shape: Extents) -> Array:
        return constant(m, A.dtype(call) or "", shape, value)

    return text


def constant(m: Meaning, dtype: str, dims: Extents, value: int) -> Array:
    """``out[i] = value``."""
    element = m.at(dtype).lit(value)
    return m.tensor(dims, dtype, lambda *_i: element)


def deduce_constant_like(d: Deduction, call: Call, types: tuple[Type, ...]) -> Type:
    """The type of the argument, at ``dtype`` if given."""
    arity(d, call, 1)
    return _like(d, call, types)


def _constant_like(value: int) -> Text:
    def text(m: Meaning, call: Call, x: Array) -> Array:
        return constant(m, A.dtype(call, default=None) or x.dtype, x.dims, value)

    return text


# --- positions -------------------------------------------------------------------------------------------------------


@rule("op.common/scalar-argument")
def scalar_expression(d: Deduction, call: Call, types: tuple[Type, ...], position: int) -> PrimExpr:
    """The scalar expression that stands as argument ``position``."""
    argument = call.args[position]
    if not isinstance(argument, PrimValue):
        d.fail("op.common/scalar-argument", f"{short(call)}: argument {position} must be a scalar expression")
    return argument.value


def deduce_eye(d: Deduction, call: Call, types: tuple[Type, ...]) -> Type:
    """``(n, m)`` at ``dtype``."""
    arity(d, call, 3)
    n, m = scalar_expression(d, call, types, 0), scalar_expression(d, call, types, 1)
    for each, what in zip(types, ("the number of rows", "the number of columns", "the offset"), strict=True):
        integer_scalar(d, call, each, what)
    return with_dims((n, m), A.dtype(call))


def eye(m: Meaning, call: Call, n: Scalar, k: Scalar, offset: Scalar) -> Array:
    """``out[i, j] = 1 if j - i == k else 0``."""
    return _diagonal(m, A.dtype(call) or "", (n.index, k.index), offset.index)


def _diagonal(m: Meaning, dtype: str, dims: Extents, k: Index) -> Array:
    one, zero, pick = m.at(dtype).lit(1), m.at(dtype).lit(0), m.pick
    return m.tensor(dims, dtype, lambda i, j: pick(j - i == k, one, zero))


@rule("op.eye_like/rank")
def deduce_eye_like(d: Deduction, call: Call, types: tuple[Type, ...]) -> Type:
    """The type of the matrix argument, at ``dtype`` if given."""
    arity(d, call, 2)
    x = tensor(d, call, types, 0)
    if rank(x) not in (2, UNKNOWN):
        d.fail("op.eye_like/rank", f"{short(call)} takes a tensor of rank 2, found rank {rank(x)}")
    _offset(d, call, types[1])
    return _like(d, call, types)


@rule("op.tril/scalar-offset")
def _offset(d: Deduction, call: Call, k: Type) -> None:
    """Which diagonal: an integer that is no tensor."""
    if not isinstance(k, PrimType):
        d.fail("op.tril/scalar-offset", f"{short(call)}: the offset must be a scalar, found {type(k).__name__}")
    integer_scalar(d, call, k, "the offset")


def eye_like(m: Meaning, call: Call, x: Array, offset: Scalar) -> Array:
    """``out[i, j] = 1 if j - i == k else 0``."""
    return _diagonal(m, A.dtype(call, default=None) or x.dtype, x.dims, offset.index)


def deduce_arange(d: Deduction, call: Call, types: tuple[Type, ...]) -> Type:
    """``ceil((end - start) / step)`` elements, none where that is negative. Of integers, and of literals, the quotient
    is that of the numbers as they are written; else all three are converted to float32 and each step is rounded there.
    Of a literal step of 0 only the rank is known."""
    arity(d, call, 3)
    start, stop, step = (scalar_expression(d, call, types, k) for k in range(3))
    if as_number(step) == 0:
        return of_rank(1, A.dtype(call))
    return with_dims((d.simplify(_positions(start, stop, step)),), A.dtype(call))


def _positions(start: PrimExpr, stop: PrimExpr, step: PrimExpr) -> PrimExpr:
    """How many of ``start, start + step, …`` lie before ``stop``."""
    if all(dtypes.kind(each.dtype) == "int" for each in (start, stop, step)):
        return D.steps(start, stop, step)
    known = [as_number(each) for each in (start, stop, step)]
    if None not in known:
        first, last, apart = (each for each in known if each is not None)
        return D.imm(max(0, -((first - last) // apart)))
    first_, last_, apart_ = (each if each.dtype == "float32" else Cast("float32", each) for each in (start, stop, step))
    count = Intrinsic("ceil", (Binary("Div", Binary("Sub", last_, first_), apart_),), "float32")
    return D.maximum(Cast("int64", count), D.ZERO)


def as_number(e: PrimExpr) -> Fraction | None:
    """The number that a literal says; ``None`` for any other expression, an infinity and NaN."""
    value = literal_value(e) if isinstance(e, Literal) else None
    return None if value is None or value != value or value in (INFINITY, -INFINITY) else Fraction(value)


INFINITY = float("inf")


@rule("op.arange/zero-step")
def arange(m: Meaning, call: Call, *ends: Scalar) -> Array:
    """``out[i] = start + i * step``, each step rounded to the dtype; at an integer dtype start and step are truncated
    first, and the sum wraps."""
    whole = all(dtypes.kind(each.dtype) == "int" for each in ends)
    if not whole:
        finite = all(isfinite(each.number) for each in ends)
        m.require(finite, "op.arange/zero-step", "a bound or step that is no number")
    start, stop, step = (each.index if whole else Fraction(each.number) for each in ends)
    m.require(step != 0, "op.arange/zero-step", "step 0")
    values = [each.value for each in call.args if isinstance(each, PrimValue)]
    dtype, f = A.dtype(call) or "", m.at(A.dtype(call) or "")
    count = m.most(0, -((start - stop) // step)) if whole else m.dim(_positions(*values))
    if dtypes.is_float(dtype):
        first, apart = f.lit(start), f.lit(step)
        return m.tensor((count,), dtype, lambda i: f.add(first, f.mul(f.lit(i), apart)))
    first, apart = (each.index for each in (ends[0], ends[2]))
    return m.tensor((count,), dtype, lambda i: f.lit(first + i * apart))


# --- triangles -------------------------------------------------------------------------------------------------------


@rule("op.tril/rank")
def deduce_triangle(d: Deduction, call: Call, types: tuple[Type, ...]) -> Type:
    """The argument's type; its rank is at least 2 where it is known."""
    arity(d, call, 2)
    x = tensor(d, call, types, 0)
    _offset(d, call, types[1])
    if rank(x) in (0, 1):
        d.fail("op.tril/rank", f"{short(call)} takes a tensor of rank 2 or more, found rank {rank(x)}")
    return x


def _triangle(lower: bool) -> Text:
    def text(m: Meaning, call: Call, x: Array, offset: Scalar) -> Array:
        zero = m.at(x.dtype).lit(0)
        k = offset.index

        def element(*i: Index) -> Payload:
            inside = i[-1] - i[-2] <= k if lower else i[-1] - i[-2] >= k
            return m.pick(inside, x[i], zero)

        return m.tensor(x.dims, x.dtype, element)

    return text


# --- windows ---------------------------------------------------------------------------------------------------------


@rule("op.hamming_window/float-dtype", "op.hamming_window/window-size")
def deduce_hamming(d: Deduction, call: Call, types: tuple[Type, ...]) -> Type:
    """``(window_size,)`` at ``dtype``, a float. The size is an integer."""
    arity(d, call, 4)
    dtype = A.dtype(call)
    if dtype is None or not dtypes.is_float(dtype):
        d.fail("op.hamming_window/float-dtype", f"{short(call)} gives a float dtype, found {dtype}")
    size = scalar_expression(d, call, types, 0)
    integer_scalar(d, call, types[0], "the window size")
    for each, what in zip(types[1:], ("periodic", "alpha", "beta"), strict=True):
        scalar(d, call, each, what)
    known = as_int(size)
    if known is not None and known < 1:
        d.fail("op.hamming_window/window-size", f"{short(call)}: the window must have a positive size, found {known}")
    return with_dims((d.simplify(size),), dtype)


def hamming_window(m: Meaning, call: Call, size: Scalar, periodic: Scalar, alpha: Scalar, beta: Scalar) -> Array:
    """``out[i] = alpha - beta * cos(2 pi i / m)``, ``m`` the size when periodic, else the size less one; a window of
    one element is 1."""
    n, dtype = size.index, A.dtype(call) or ""
    f, a, b = m.at(dtype), cast(m, alpha, dtype)[0,], cast(m, beta, dtype)[0,]
    cos, points = f.math("cos"), n if periodic.number else m.most(n - 1, 1)
    turn = f.div(f.mul(f.lit(2), f.lit(PI)), f.lit(points))

    def element(i: Index) -> Payload:
        return m.choose(n == 1, lambda: f.lit(1), lambda: f.sub(a, f.mul(b, cos(f.mul(turn, f.lit(i))))))

    return m.tensor((n,), dtype, element)


PI = Fraction(884279719003555, 281474976710656)
"""The binary64 number nearest to pi."""


OPERATORS: tuple[OpDef, ...] = (
    defined("relax.full", deduce_full, full, PAGE),
    defined("relax.full_like", deduce_full_like, full_like, PAGE),
    defined("relax.ones", deduce_constant, _constant(1), PAGE),
    defined("relax.zeros", deduce_constant, _constant(0), PAGE),
    defined("relax.ones_like", deduce_constant_like, _constant_like(1), PAGE),
    defined("relax.zeros_like", deduce_constant_like, _constant_like(0), PAGE),
    defined("relax.eye", deduce_eye, eye, PAGE),
    defined("relax.eye_like", deduce_eye_like, eye_like, PAGE),
    defined("relax.arange", deduce_arange, arange, PAGE),
    defined("relax.tril", deduce_triangle, _triangle(lower=True), PAGE),
    defined("relax.triu", deduce_triangle, _triangle(lower=False), PAGE),
    defined("relax.hamming_window", deduce_hamming, hamming_window, PAGE),
)
