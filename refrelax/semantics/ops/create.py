"""Tensors from nothing but numbers and positions.

Spec: ``spec/ops/create.md``.
"""

from __future__ import annotations

from fractions import Fraction

from refrelax.errors import unspecified
from refrelax.rules import rule
from refrelax.semantics.ops import attributes as A
from refrelax.semantics.ops import dims as D
from refrelax.semantics.ops.common import (
    UNKNOWN,
    arity,
    cast_to,
    extent,
    extents,
    number,
    of_rank,
    rank,
    retyped,
    shape_argument,
    shaped_like,
    short,
    tensor,
    tensor_value,
    with_dims,
)  # fmt: skip
from refrelax.semantics.ops.definition import Deduction, EvaluateRule, Evaluation, OpDef
from refrelax.semantics.values import Tensor, Value
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


def evaluate_full(e: Evaluation, call: Call, args: tuple[Value, ...]) -> Tensor:
    """``out[i] = fill``."""
    fill = tensor_value(args[1])
    value = cast_to(e, fill, A.dtype(call, default=None) or fill.dtype)
    element = value[()]
    return e.tabulate(value.dtype, extents(args[0]), lambda *i: element)


def deduce_full_like(d: Deduction, call: Call, types: tuple[Type, ...]) -> Type:
    """The type of the tensor argument, at ``dtype`` if given."""
    arity(d, call, 2)
    _fill_type(d, call, types)
    return _like(d, call, types)


def _like(d: Deduction, call: Call, types: tuple[Type, ...]) -> TensorType:
    x, dtype = tensor(d, call, types, 0), A.dtype(call, default=None)
    return x if dtype is None else retyped(x, dtype)


def evaluate_full_like(e: Evaluation, call: Call, args: tuple[Value, ...]) -> Tensor:
    """``out[i] = fill``, converted to the dtype of the result."""
    x, fill = tensor_value(args[0]), tensor_value(args[1])
    dtype = A.dtype(call, default=None) or x.dtype
    element = cast_to(e, fill, dtype)[()]
    return e.tabulate(dtype, x.shape, lambda *i: element)


def deduce_constant(d: Deduction, call: Call, types: tuple[Type, ...]) -> Type:
    """The shape argument at ``dtype``."""
    arity(d, call, 1)
    return shaped_like(call, 0, shape_argument(d, call, types, 0), A.dtype(call))


def _constant(value: int) -> EvaluateRule:
    def evaluate(e: Evaluation, call: Call, args: tuple[Value, ...]) -> Tensor:
        dtype = A.dtype(call)
        assert dtype is not None
        element = e.numerics.truth(bool(value)) if dtype == "bool" else e.numerics.at(dtype).lit(value)
        return e.tabulate(dtype, extents(args[0]), lambda *i: element)

    return evaluate


def deduce_constant_like(d: Deduction, call: Call, types: tuple[Type, ...]) -> Type:
    """The type of the argument, at ``dtype`` if given."""
    arity(d, call, 1)
    return _like(d, call, types)


def _constant_like(value: int) -> EvaluateRule:
    def evaluate(e: Evaluation, call: Call, args: tuple[Value, ...]) -> Tensor:
        x = tensor_value(args[0])
        dtype = A.dtype(call, default=None) or x.dtype
        element = e.numerics.truth(bool(value)) if dtype == "bool" else e.numerics.at(dtype).lit(value)
        return e.tabulate(dtype, x.shape, lambda *i: element)

    return evaluate


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
    return with_dims((n, m), A.dtype(call))


def evaluate_eye(e: Evaluation, call: Call, args: tuple[Value, ...]) -> Tensor:
    """``out[i, j] = 1 if j - i == k else 0``."""
    dtype = A.dtype(call)
    assert dtype is not None
    return _diagonal(e, dtype, (extent(args[0]), extent(args[1])), extent(args[2]))


def _diagonal(e: Evaluation, dtype: str, shape: tuple[int, ...], k: int) -> Tensor:
    f = e.numerics.at(dtype)
    one = e.numerics.truth(True) if dtype == "bool" else f.lit(1)
    zero = e.numerics.truth(False) if dtype == "bool" else f.lit(0)
    return e.tabulate(dtype, shape, lambda i, j: one if j - i == k else zero)


@rule("op.eye_like/rank")
def deduce_eye_like(d: Deduction, call: Call, types: tuple[Type, ...]) -> Type:
    """The type of the matrix argument, at ``dtype`` if given."""
    arity(d, call, 2)
    x = tensor(d, call, types, 0)
    if rank(x) not in (2, UNKNOWN):
        d.fail("op.eye_like/rank", f"{short(call)} takes a tensor of rank 2, found rank {rank(x)}")
    return _like(d, call, types)


def evaluate_eye_like(e: Evaluation, call: Call, args: tuple[Value, ...]) -> Tensor:
    """``out[i, j] = 1 if j - i == k else 0``."""
    x = tensor_value(args[0])
    return _diagonal(e, A.dtype(call, default=None) or x.dtype, x.shape, extent(args[1]))


def deduce_arange(d: Deduction, call: Call, types: tuple[Type, ...]) -> Type:
    """``ceil((stop - start) / step)`` elements, none where that is negative; computed in float32 if one of them is a
    float and not all are numbers."""
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
def evaluate_arange(e: Evaluation, call: Call, args: tuple[Value, ...]) -> Tensor:
    """``out[i] = start + i * step``."""
    start, _, step = (Fraction(number(each)) for each in args)
    if step == 0:
        raise unspecified("op.arange/zero-step", f"{short(call)} with step 0", e.span)
    count = e.dim(_positions(*(each.value for each in call.args if isinstance(each, PrimValue))))
    dtype = A.dtype(call)
    assert dtype is not None
    f = e.numerics.at(dtype)
    if dtypes.is_float(dtype):
        first, apart = f.lit(start), f.lit(step)
        return e.tabulate(dtype, (count,), lambda i: f.add(first, f.mul(f.lit(i), apart)))
    return e.tabulate(dtype, (count,), lambda i: f.lit(int(start) + i * int(step)))


# --- triangles -------------------------------------------------------------------------------------------------------


@rule("op.tril/rank", "op.tril/scalar-offset")
def deduce_triangle(d: Deduction, call: Call, types: tuple[Type, ...]) -> Type:
    """The argument's type; its rank is at least 2."""
    arity(d, call, 2)
    x = tensor(d, call, types, 0)
    if not isinstance(types[1], PrimType):
        d.fail("op.tril/scalar-offset", f"{short(call)}: the offset must be a scalar, found {type(types[1]).__name__}")
    if rank(x) in (0, 1):
        d.fail("op.tril/rank", f"{short(call)} takes a tensor of rank 2 or more, found rank {rank(x)}")
    return x


def _triangle(lower: bool) -> EvaluateRule:
    def evaluate(e: Evaluation, call: Call, args: tuple[Value, ...]) -> Tensor:
        x, k = tensor_value(args[0]), extent(args[1])
        zero = e.numerics.truth(False) if x.dtype == "bool" else e.numerics.at(x.dtype).lit(0)
        if lower:
            return e.tabulate(x.dtype, x.shape, lambda *i: x[i] if i[-1] - i[-2] <= k else zero)
        return e.tabulate(x.dtype, x.shape, lambda *i: x[i] if i[-1] - i[-2] >= k else zero)

    return evaluate


# --- windows ---------------------------------------------------------------------------------------------------------


@rule("op.hamming_window/float-dtype", "op.hamming_window/window-size")
def deduce_hamming(d: Deduction, call: Call, types: tuple[Type, ...]) -> Type:
    """``(window_size,)`` at ``dtype``, a float."""
    arity(d, call, 4)
    dtype = A.dtype(call)
    if dtype is None or not dtypes.is_float(dtype):
        d.fail("op.hamming_window/float-dtype", f"{short(call)} gives a float dtype, found {dtype}")
    size = scalar_expression(d, call, types, 0)
    known = as_int(size)
    if known is not None and known < 1:
        d.fail("op.hamming_window/window-size", f"{short(call)}: the window must have a positive size, found {known}")
    return with_dims((d.simplify(size),), dtype)


def evaluate_hamming(e: Evaluation, call: Call, args: tuple[Value, ...]) -> Tensor:
    """``out[i] = alpha - beta * cos(2 pi i / m)``, ``m`` the size when periodic, else the size less one."""
    size, periodic, alpha, beta = extent(args[0]), bool(number(args[1])), number(args[2]), number(args[3])
    dtype = A.dtype(call)
    assert dtype is not None
    f = e.numerics.at(dtype)
    points = size if periodic else max(size - 1, 1)
    if size == 1:
        return e.tabulate(dtype, (1,), lambda i: f.lit(1))
    cos, turn = f.math("cos"), f.div(f.mul(f.lit(2), f.lit(PI)), f.lit(points))
    a, b = f.lit(alpha), f.lit(beta)
    return e.tabulate(dtype, (size,), lambda i: f.sub(a, f.mul(b, cos(f.mul(turn, f.lit(i))))))


PI = Fraction(884279719003555, 281474976710656)
"""The binary64 number nearest to pi."""


OPERATORS: tuple[OpDef, ...] = (
    OpDef("relax.full", deduce_full, evaluate_full, PAGE),
    OpDef("relax.full_like", deduce_full_like, evaluate_full_like, PAGE),
    OpDef("relax.ones", deduce_constant, _constant(1), PAGE),
    OpDef("relax.zeros", deduce_constant, _constant(0), PAGE),
    OpDef("relax.ones_like", deduce_constant_like, _constant_like(1), PAGE),
    OpDef("relax.zeros_like", deduce_constant_like, _constant_like(0), PAGE),
    OpDef("relax.eye", deduce_eye, evaluate_eye, PAGE),
    OpDef("relax.eye_like", deduce_eye_like, evaluate_eye_like, PAGE),
    OpDef("relax.arange", deduce_arange, evaluate_arange, PAGE),
    OpDef("relax.tril", deduce_triangle, _triangle(lower=True), PAGE),
    OpDef("relax.triu", deduce_triangle, _triangle(lower=False), PAGE),
    OpDef("relax.hamming_window", deduce_hamming, evaluate_hamming, PAGE),
)
