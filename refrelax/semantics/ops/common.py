"""What the type rules and the value rules of many operators share.

Type rules: the argument that must be a tensor, axes in range, broadcasting of dims, the virtual device of a result.
Value rules: broadcasting as a view of stride 0, the extents that an operand is.

Spec: ``spec/ops/common.md``.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import isfinite, prod

from refrelax.errors import InternalError, unspecified
from refrelax.rules import rule
from refrelax.semantics.numbers.interface import Numerics, Payload
from refrelax.semantics.numbers.poison import poison
from refrelax.semantics.ops import dims as D
from refrelax.semantics.ops.definition import Deduction, Evaluation
from refrelax.semantics.values import Prim, Shape, TensorValue, Value, from_payloads
from refrelax.syntax import bits, dtypes
from refrelax.syntax.graph import Call, ShapeExpr, Var
from refrelax.syntax.scalars import PrimExpr
from refrelax.syntax.types import DTensorType, PrimType, ShapeType, TensorType, TupleType, Type

UNKNOWN = -1
"""The rank of a tensor whose rank is not known."""


def as_checked(e: Evaluation, call: Call, position: int) -> TensorType | None:
    """What checking knew of argument ``position``, a variable; ``None`` for any other argument."""
    found = e.type_of(call.args[position])
    return None if found is None else as_tensor_type(found)


# --- type rules ------------------------------------------------------------------------------------------------------


def short(call: Call) -> str:
    """The operator's name in messages: ``R.add``."""
    return call.op.name.replace("relax.", "R.", 1)


def arity(d: Deduction, call: Call, least: int, most: int | None = None) -> None:
    """The call has as many arguments as the operator takes, which the reader has checked (``syn/arguments``)."""
    most = least if most is None else most
    if not least <= len(call.args) <= most:
        raise InternalError(f"{short(call)} takes {least} to {most} arguments, found {len(call.args)}")


def as_tensor_type(found: Type) -> TensorType | None:
    """A tensor type, seen through a distributed tensor; ``None`` for anything else."""
    if isinstance(found, DTensorType):
        return found.tensor
    return found if isinstance(found, TensorType) else None


@rule("op.common/tensor-argument")
def tensor(d: Deduction, call: Call, types: tuple[Type, ...], position: int) -> TensorType:
    """Argument ``position``, which must be a tensor."""
    if position >= len(types):
        raise InternalError(f"{short(call)} has no argument {position}")
    found = as_tensor_type(types[position])
    if found is None:
        d.fail(
            "op.common/tensor-argument",
            f"{short(call)}: argument {position} must be a tensor, found {type(types[position]).__name__}",
        )
    return found


@rule("op.common/tuple-of-tensors")
def tensors(d: Deduction, call: Call, found: Type) -> list[TensorType]:
    """An argument that must be a tuple of one or more tensors."""
    fields = found.fields if isinstance(found, TupleType) else ()
    result = [each for each in map(as_tensor_type, fields) if each is not None]
    if not fields or len(result) != len(fields):
        d.fail("op.common/tuple-of-tensors", f"{short(call)}: expected a tuple of one or more tensors")
    return result


@rule("op.common/shape-argument")
def shape_argument(d: Deduction, call: Call, types: tuple[Type, ...], position: int) -> ShapeType:
    """Argument ``position``, which must be a shape."""
    found = types[position]
    if not isinstance(found, ShapeType):
        d.fail(
            "op.common/shape-argument",
            f"{short(call)}: argument {position} must be a shape, found {type(found).__name__}",
        )
    return found


def known_dims(t: TensorType) -> D.Dims | None:
    """The dims that stand in the type itself."""
    return t.shape if isinstance(t.shape, tuple) else None


def dims_of(d: Deduction, t: TensorType) -> D.Dims | None:
    """The dims of a tensor, also through the shape variable that its type names."""
    return d.shape_of(t.shape) if isinstance(t.shape, str) else t.shape


def of_what_rank(t: TensorType) -> str:
    """The rank of a tensor as messages say it."""
    return "unknown rank" if t.ndim == UNKNOWN else f"rank {t.ndim}"


def rank(t: TensorType) -> int:
    """The rank, -1 when unknown."""
    return len(t.shape) if isinstance(t.shape, tuple) else t.ndim


def with_dims(dims: Sequence[PrimExpr], dtype: str | None, vdevice: str | None = None) -> TensorType:
    """A tensor type with known dims."""
    return TensorType(tuple(dims), dtype, len(dims), vdevice)


def of_rank(ndim: int, dtype: str | None, vdevice: str | None = None) -> TensorType:
    """A tensor type with unknown dims; rank 0 has none to be unknown."""
    return TensorType(None, dtype, ndim, vdevice)


def retyped(t: TensorType, dtype: str | None) -> TensorType:
    """``t`` at another dtype."""
    return TensorType(t.shape, dtype, t.ndim, t.vdevice)


def shaped_like(
    call: Call, position: int, found: ShapeType, dtype: str | None, vdevice: str | None = None
) -> TensorType:
    """The type of a tensor whose shape is the shape argument ``position``: its dims, else the variable's name."""
    argument = call.args[position]
    if isinstance(argument, ShapeExpr):
        return with_dims(argument.values, dtype, vdevice)
    if found.values is not None:
        return with_dims(found.values, dtype, vdevice)
    return TensorType(argument.name if isinstance(argument, Var) else None, dtype, found.ndim, vdevice)


@rule("op.common/axis-range", "op.common/axes-distinct")
def normal_axes(d: Deduction, call: Call, ndim: int, axes: Sequence[int]) -> list[int]:
    """The axes counted from 0; each within ``[-ndim, ndim)``, none named twice."""
    result: list[int] = []
    for axis in axes:
        if not -ndim <= axis < ndim:
            d.fail(
                "op.common/axis-range",
                f"{short(call)}: axis {axis} is not in [{-ndim}, {ndim}) of a rank {ndim} tensor",
            )
        axis %= ndim
        if axis in result:
            d.fail("op.common/axes-distinct", f"{short(call)}: axis {axis} is named more than once")
        result.append(axis)
    return result


def normal_axis(d: Deduction, call: Call, ndim: int, axis: int) -> int:
    """One axis, counted from 0."""
    return normal_axes(d, call, ndim, [axis])[0]


@rule("op.common/broadcast")
def broadcast_dims(d: Deduction, call: Call, a: D.Dims, b: D.Dims) -> D.Dims | None:
    """Dims of two operands aligned at the right; ``None`` where two dims are neither provably equal nor 1.

    A literal 1 gives way to the other dim. Two different literals are an error.
    """
    count, agree = max(len(a), len(b)), True
    result: list[PrimExpr] = []
    for k in range(1, count + 1):
        if k > len(a) or k > len(b):
            result.append((a if len(a) > len(b) else b)[-k])
            continue
        x, y = a[-k], b[-k]
        if D.is_one(x):
            result.append(y)
        elif D.is_one(y) or (same := d.equal(x, y)) is True:
            result.append(x)
        elif D.as_int(x) is not None and D.as_int(y) is not None:
            d.fail(
                "op.common/broadcast",
                f"{short(call)}: dim {len(a) - k} of the first operand is {D.as_int(x)} and dim {len(b) - k} of the "
                f"second is {D.as_int(y)}; they do not broadcast",
            )
        else:
            if same is False:
                d.to_the_run(x, y)
            agree = False
            result.append(x)
    return tuple(reversed(result)) if agree else None


@rule("op.common/broadcast")
def broadcast_all(d: Deduction, call: Call, several: Sequence[D.Dims | None]) -> D.Dims | None:
    """Dims of several operands aligned at the right; ``None`` if those of one are not known, or do not say it."""
    known = [dims for dims in several if dims is not None]
    whole: D.Dims | None = ()
    for k, dims in enumerate(known):
        for other in known[:k]:
            broadcast_dims(d, call, other, dims)
        whole = None if whole is None else broadcast_dims(d, call, whole, dims)
    return whole if len(known) == len(several) else None


@rule("op.common/same-vdevice")
def binary_vdevice(d: Deduction, call: Call, a: Type, b: Type) -> str | None:
    """The virtual device of two operands; two different ones are an error."""
    x, y = getattr(a, "vdevice", None), getattr(b, "vdevice", None)
    if x is not None and y is not None and x != y:
        d.fail("op.common/same-vdevice", f"{short(call)}: one operand is on {x}, the other on {y}")
    return x if x is not None else y


def joined_vdevice(*types: TensorType) -> str | None:
    """The virtual device that all operands agree on."""
    found = {t.vdevice for t in types if t.vdevice is not None}
    return found.pop() if len(found) == 1 else None


@rule("op.common/equal-dtypes")
def joined_dtype(d: Deduction, call: Call, types: Sequence[TensorType]) -> str | None:
    """The one dtype of several operands; unknown if one is unknown; two different ones are an error."""
    known = [t.dtype for t in types if t.dtype is not None]
    for each in known[1:]:
        if each != known[0]:
            d.fail(
                "op.common/equal-dtypes", f"{short(call)}: expected tensors of one dtype, found {known[0]} and {each}"
            )
    return known[0] if known and len(known) == len(types) else None


@rule("op.common/same-dims")
def joined_dims(d: Deduction, call: Call, shapes: Sequence[D.Dims], but: int | None = None) -> bool:
    """Whether all shapes provably agree on every axis but ``but``; a provable difference is an error."""
    agree = True
    for other in shapes[1:]:
        for axis, (x, y) in enumerate(zip(shapes[0], other, strict=True)):
            if axis == but:
                continue
            same = d.equal(y, x)
            if same is False:
                d.fail("op.common/same-dims", f"{short(call)}: the tensors differ on axis {axis}")
            agree = agree and same is True
    return agree


@rule("op.common/scalar-value")
def scalar(d: Deduction, call: Call, type_: Type, what: str) -> PrimType:
    """A scalar expression, or a variable that is bound to one; what may be a tensor is none."""
    if not isinstance(type_, PrimType):
        d.fail("op.common/scalar-value", f"{short(call)}: {what} must be a scalar, found {type_}")
    return type_


@rule("op.common/integer-scalar")
def integer_scalar(d: Deduction, call: Call, type_: Type, what: str) -> None:
    """A scalar that counts or tells a place is an integer."""
    if not dtypes.is_integer(scalar(d, call, type_, what).dtype):
        d.fail("op.common/integer-scalar", f"{short(call)}: {what} must be an integer, found {type_}")


# --- value rules -----------------------------------------------------------------------------------------------------


def tensor_value(value: Value) -> TensorValue:
    """An argument that deduction has shown to be a tensor."""
    if not isinstance(value, TensorValue):
        raise InternalError(f"expected a tensor, found {type(value).__name__}")
    return value


def number(value: Value) -> int | float:
    """A prim operand as the Python number it is."""
    if isinstance(value, Prim):
        return value.value
    raise InternalError(f"expected a scalar, found {type(value).__name__}")


def extent(value: Value) -> int:
    """A prim operand as a Python integer."""
    return int(number(value))


def extents(value: Value) -> tuple[int, ...]:
    """A shape, or a tuple of prim values, as Python integers."""
    if isinstance(value, Shape):
        return value.dims
    if isinstance(value, tuple):
        return tuple(extent(each) for each in value)
    raise InternalError(f"expected a shape, found {type(value).__name__}")


@rule("op.common/fits-run")
def fits(e: Evaluation, call: Call, condition: bool, found: str) -> None:
    """End the run unless the extents, ranks or dtypes that checking left open fit the operator."""
    if not condition:
        raise unspecified("op.common/fits-run", f"{short(call)} of {found}", e.span)


def to_prim(e: Evaluation, dtype: str, payload: Payload) -> Prim:
    """A payload as a scalar value. Raises ``Ended`` where the payload is poison: a scalar has no poison to carry."""
    poisoned = e.numerics.poison_rule(payload)
    if poisoned is not None:
        raise unspecified(poisoned, f"a {dtype} scalar has no meaning", e.span)
    if dtypes.kind(dtype) == "bool":
        return Prim(dtype, e.numerics.decide(payload))
    if not isinstance(payload, int | float):
        raise unspecified("num/undetermined", f"a {dtype} scalar of which several values are permitted", e.span)
    return Prim(dtype, bits.decode(dtype, e.numerics.at(dtype).to_bits(payload)))


@rule("op.common/broadcast-run")
def broadcast_shape(e: Evaluation, *shapes: tuple[int, ...], rule: str = "op.common/broadcast-run") -> tuple[int, ...]:
    """The extents of several operands aligned at the right.

    Deduction leaves dims that it cannot compare open; where they then differ, and neither is 1, the run is
    ``Unspecified`` under ``rule``.
    """
    found, clash = _aligned(shapes)
    if clash:
        raise unspecified(rule, f"extents {list(clash)} do not broadcast", e.span)
    return found


@lru_cache(maxsize=4096)
def _aligned(shapes: tuple[tuple[int, ...], ...]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The extents of shapes aligned at the right; and of the last axis where they do not fit, those there."""
    result: list[int] = []
    for k in range(1, max(map(len, shapes), default=0) + 1):
        column = [s[-k] for s in shapes if k <= len(s)]
        wide = [extent for extent in column if extent != 1]
        if wide and min(wide) != max(wide):
            return (), tuple(column)
        result.append(wide[0] if wide else 1)
    return tuple(reversed(result)), ()


@rule("num/cast-range")
def number_at(numerics: Numerics, dtype: str, value: float) -> Payload:
    """A number among the attributes at a dtype: at one of integers truncated, or poison beyond it, as ``literal`` of
    the definitions."""
    if dtypes.is_integer(dtype):
        low, high = dtypes.integer_range(dtype)
        if not isfinite(value) or not low <= int(value) <= high:
            return poison("num/cast-range")
    return numerics.at(dtype).lit(value)


@rule("op.common/integer-positions")
def integral(numerics: Numerics, element: Payload, dtype: str) -> int:
    """An element as a Python integer; ends the run where it is none, poison or undetermined."""
    if not dtypes.is_integer(dtype):
        raise unspecified("op.common/integer-positions", f"an element of {dtype} counts or tells a place")
    return numerics.to_index(element, dtype)


def index_of(e: Evaluation, x: TensorValue, at: tuple[int, ...]) -> int:
    """``integral`` of the element of a tensor."""
    return integral(e.numerics, x[at], x.dtype)


def copy(e: Evaluation, x: TensorValue, shape: tuple[int, ...] | None = None) -> TensorValue:
    """The same elements in fresh memory, under another shape if one is given."""
    e.spend(prod(x.shape))
    return from_payloads(e.numerics, x.dtype, x.shape if shape is None else shape, x.payloads())


def replace(index: Sequence[int], axis: int, position: int) -> tuple[int, ...]:
    """An index with the coordinate of ``axis`` exchanged."""
    return (*index[:axis], position, *index[axis + 1 :])
