"""Elementwise operators of two operands: arithmetic, comparison, logic, bits.

``out[i] = function(a[i], b[i])`` over the broadcast operands. An operand is a tensor or a scalar; a scalar next to a
tensor counts as a tensor of shape ``(1,)``.

Spec: ``spec/ops/binary.md``.
"""

from __future__ import annotations

from collections.abc import Callable

from refrelax.errors import unspecified
from refrelax.rules import rule
from refrelax.semantics.numbers.ideal import LOG_ADD_EXP
from refrelax.semantics.numbers.interface import Arithmetic, Numerics, Payload
from refrelax.semantics.numbers.poison import poison
from refrelax.semantics.ops import dims as D
from refrelax.semantics.ops.common import (
    UNKNOWN,
    arity,
    as_operand,
    as_tensor_type,
    binary_vdevice,
    broadcast_dims,
    broadcast_shape,
    cast_to,
    dims_of,
    elementwise,
    of_rank,
    rank,
    short,
    to_prim,
    with_dims,
)  # fmt: skip
from refrelax.semantics.ops.definition import DeduceRule, Deduction, EvaluateRule, Evaluation, OpDef
from refrelax.semantics.values import Prim, Value
from refrelax.syntax import dtypes
from refrelax.syntax.graph import Call
from refrelax.syntax.types import PrimType, TensorType, Type

PAGE = "binary"

Function = Callable[[Payload, Payload], Payload]
Maker = Callable[[Numerics, str], Function]

# --- types -----------------------------------------------------------------------------------------------------------


def element_dtype(t: Type) -> str | None:
    """The dtype of an operand, ``None`` if unknown."""
    if isinstance(t, PrimType):
        return t.dtype
    found = as_tensor_type(t)
    return found.dtype if found is not None else None


@rule("op.binary/equal-dtypes")
def arithmetic_dtype(d: Deduction, call: Call, a: Type, b: Type) -> str | None:
    """The dtype of an arithmetic result: the one of both operands; next to a bool operand, the first one's."""
    x, y = element_dtype(a), element_dtype(b)
    if x is None or y is None:
        return None
    if x != y and x != "bool" and y != "bool":
        d.fail("op.binary/equal-dtypes", f"{short(call)} takes operands of one dtype, found {x} and {y}")
    return x


@rule("op.binary/operand")
def _operands(d: Deduction, call: Call, types: tuple[Type, ...]) -> tuple[Type, Type]:
    arity(d, call, 2)
    for position, each in enumerate(types):
        if not isinstance(each, PrimType) and as_tensor_type(each) is None:
            d.fail(
                "op.binary/operand",
                f"{short(call)}: operand {position} must be a tensor or a scalar, found {type(each).__name__}",
            )
    return types[0], types[1]


def _operand_dims(d: Deduction, t: Type) -> D.Dims | None:
    if isinstance(t, PrimType):
        return (D.ONE,)
    found = as_tensor_type(t)
    return dims_of(d, found) if found is not None else None


def _operand_rank(t: Type) -> int:
    found = as_tensor_type(t)
    return 1 if found is None else rank(found)


def broadcast_type(d: Deduction, call: Call, a: Type, b: Type, dtype: str | None) -> Type:
    """The type of an elementwise result of two operands, at ``dtype``."""
    if isinstance(a, PrimType) and isinstance(b, PrimType):
        return PrimType(dtype or a.dtype)
    vdevice = binary_vdevice(d, call, a, b)
    x, y = _operand_dims(d, a), _operand_dims(d, b)
    if x is not None and y is not None:
        dims = broadcast_dims(d, call, x, y)
        if dims is not None:
            return with_dims(dims, dtype, vdevice)
    p, q = as_tensor_type(a), as_tensor_type(b)
    if p is not None and q is not None and isinstance(p.shape, str) and p.shape == q.shape:
        return TensorType(p.shape, dtype, p.ndim, vdevice)
    m, n = _operand_rank(a), _operand_rank(b)
    return of_rank(UNKNOWN if UNKNOWN in (m, n) else max(m, n), dtype, vdevice)


def deduce_arithmetic(d: Deduction, call: Call, types: tuple[Type, ...]) -> Type:
    """Broadcast dims at the operands' dtype."""
    a, b = _operands(d, call, types)
    return broadcast_type(d, call, a, b, arithmetic_dtype(d, call, a, b))


@rule("op.binary/bits-dtype")
def deduce_bits(d: Deduction, call: Call, types: tuple[Type, ...]) -> Type:
    """Broadcast dims at the operands' dtype, an integer's or bool."""
    return _of_kinds(d, call, types, ("int", "uint", "bool"), "op.binary/bits-dtype", "integers or bool")


@rule("op.binary/shift-dtype")
def deduce_shift(d: Deduction, call: Call, types: tuple[Type, ...]) -> Type:
    """Broadcast dims at the operands' dtype, an integer's."""
    return _of_kinds(d, call, types, ("int", "uint"), "op.binary/shift-dtype", "integers")


def _of_kinds(
    d: Deduction, call: Call, types: tuple[Type, ...], kinds: tuple[str, ...], rule_id: str, wanted: str
) -> Type:
    for each in map(element_dtype, _operands(d, call, types)):
        if each is not None and dtypes.kind(each) not in kinds:
            d.fail(rule_id, f"{short(call)} takes {wanted}, found {each}")
    return deduce_arithmetic(d, call, types)


def deduce_compare(d: Deduction, call: Call, types: tuple[Type, ...]) -> Type:
    """Broadcast dims at dtype ``bool``; the operands' dtypes may differ: they meet in one as loop-level operands do
    (chapter 03b), so that -1 beside a ``uint8`` counts as 255 and an ``int32`` beside a ``float32`` is rounded."""
    a, b = _operands(d, call, types)
    return broadcast_type(d, call, a, b, "bool")


def promote(a: str, b: str) -> str:
    """The dtype in which operands of two dtypes meet: a float before an integer, the wider, then the unsigned."""
    if a == b or b == "bool":
        return a
    if a == "bool":
        return b
    if dtypes.is_float(a) != dtypes.is_float(b):
        return a if dtypes.is_float(a) else b
    if dtypes.bits(a) != dtypes.bits(b):
        return a if dtypes.bits(a) > dtypes.bits(b) else b
    return a if dtypes.kind(a) == "uint" else b


@rule("op.binary/meeting-dtype")
def meeting_dtype(e: Evaluation, a: str, b: str) -> str:
    """``promote``; two float formats of one width have no dtype in which they meet."""
    if a != b and dtypes.is_float(a) and dtypes.is_float(b) and dtypes.bits(a) == dtypes.bits(b):
        raise unspecified("op.binary/meeting-dtype", f"{a} and {b} have no dtype in common", e.span)
    return promote(a, b)


# --- functions of two elements ---------------------------------------------------------------------------------------


def _of(method: str) -> Maker:
    """A method of ``Arithmetic``; on bool, what it gives on 0 and 1, converted back (``!= 0``)."""

    def make(numerics: Numerics, dtype: str) -> Function:
        if dtypes.kind(dtype) != "bool":
            return getattr(numerics.at(dtype), method)  # type: ignore[no-any-return]
        small, truth = numerics.at("uint8"), numerics.at("bool")
        function = getattr(small, method)
        return lambda a, b: truth.cast(function(small.cast(a, "bool"), small.cast(b, "bool")), "uint8")

    return make


def _swapped(function: Function) -> Function:
    return lambda a, b: function(b, a)


def _greater(numerics: Numerics, dtype: str) -> Function:
    return _swapped(_of_truth("less")(numerics, dtype))


def _greater_equal(numerics: Numerics, dtype: str) -> Function:
    return _swapped(_of_truth("less_equal")(numerics, dtype))


def _of_truth(method: str) -> Maker:
    """A comparison; bools compare as 0 and 1."""

    def make(numerics: Numerics, dtype: str) -> Function:
        if dtypes.kind(dtype) != "bool":
            return getattr(numerics.at(dtype), method)  # type: ignore[no-any-return]
        small = numerics.at("uint8")
        function = getattr(small, method)
        return lambda a, b: function(small.cast(a, "bool"), small.cast(b, "bool"))

    return make


def _logical(connect: Callable[[Numerics], Function]) -> Maker:
    """A connective; an integer or float operand counts as ``!= 0``, and the truth as 1 or 0."""

    def make(numerics: Numerics, dtype: str) -> Function:
        function = connect(numerics)
        if dtypes.kind(dtype) == "bool":
            return function
        f = numerics.at(dtype)
        zero, one = f.lit(0), f.lit(1)
        return lambda a, b: f.select(function(f.not_equal(a, zero), f.not_equal(b, zero)), one, zero)

    return make


def _exclusive(numerics: Numerics) -> Function:
    return numerics.at("bool").bit_xor


def _bits(method: str) -> Maker:
    return lambda numerics, dtype: getattr(numerics.at(dtype), method)


@rule("op.power/negative-exponent")
def _power(numerics: Numerics, dtype: str) -> Function:
    """Floats: ``pow`` of IEEE 754. Integers: the product of ``b`` factors ``a``; poison where ``b`` is negative."""
    if dtypes.is_float(dtype):
        return numerics.at(dtype).math2("pow")
    if dtypes.kind(dtype) == "bool":
        return _truth_power(numerics)
    f = numerics.at(dtype)
    zero, one, negative = f.lit(0), f.lit(1), poison("op.power/negative-exponent")

    def power(a: Payload, b: Payload) -> Payload:
        result, factor = one, a
        for k in range(dtypes.bits(dtype) - int(dtypes.kind(dtype) == "int")):
            odd = f.not_equal(f.bit_and(f.shift_right(b, f.lit(k)), one), zero)
            result = f.select(odd, f.mul(result, factor), result)
            factor = f.mul(factor, factor)
        return f.select(f.less(b, zero), negative, result)

    return power


def _truth_power(numerics: Numerics) -> Function:
    """On truths, ``a ** b`` is ``a or not b``."""
    return lambda a, b: numerics.any_of(a, numerics.negate(b))


def _atan2(numerics: Numerics, dtype: str) -> Function:
    return numerics.at(dtype).math2("atan2")


def _log_add_exp(numerics: Numerics, dtype: str) -> Function:
    """``log(exp(a) + exp(b))`` as ``max + log1p(exp(-|a - b|))``; the literal form, which overflows, is permitted."""
    f: Arithmetic = numerics.at(dtype)
    exp, log1p, absolute, log = f.math("exp"), f.math("log1p"), f.math("abs"), f.math("log")
    log2 = log(f.lit(2))

    def stable(a: Payload, b: Payload) -> Payload:
        apart = f.add(f.maximum(a, b), log1p(exp(f.neg(absolute(f.sub(a, b))))))
        return f.select(f.equal(a, b), f.add(a, log2), apart)

    def literal(a: Payload, b: Payload) -> Payload:
        return log(f.add(exp(a), exp(b)))

    return lambda a, b: f.either(lambda: stable(a, b), lambda: literal(a, b), lambda: f.ideal(LOG_ADD_EXP, a, b))


# --- rows ------------------------------------------------------------------------------------------------------------


def _evaluate(make: Maker, truth: bool = False) -> EvaluateRule:
    def evaluate(e: Evaluation, call: Call, args: tuple[Value, ...]) -> Value:
        a, b = as_operand(e, args[0]), as_operand(e, args[1])
        meeting = meeting_dtype(e, a.dtype, b.dtype)
        result_dtype = "bool" if truth else a.dtype
        computed = "bool" if truth else meeting
        shape = broadcast_shape(e, a.shape, b.shape)
        out = elementwise(
            e, computed, make(e.numerics, meeting), cast_to(e, a, meeting), cast_to(e, b, meeting), shape=shape
        )
        out = cast_to(e, out, result_dtype)
        if isinstance(args[0], Prim) and isinstance(args[1], Prim):
            return to_prim(e, out.dtype, out.payloads()[0])
        return out

    return evaluate


@rule("op.binary/float-only")
def _evaluate_float(make: Maker) -> EvaluateRule:
    """For functions of real numbers: at an integer dtype, which deduction lets pass, the run is open."""
    inner = _evaluate(make)

    def evaluate(e: Evaluation, call: Call, args: tuple[Value, ...]) -> Value:
        a, b = as_operand(e, args[0]), as_operand(e, args[1])
        if not dtypes.is_float(promote(a.dtype, b.dtype)):
            raise unspecified("op.binary/float-only", f"{short(call)} of {a.dtype} and {b.dtype}", e.span)
        return inner(e, call, args)

    return evaluate


def _row(name: str, make: Maker, deduce: DeduceRule = deduce_arithmetic) -> OpDef:
    return OpDef(f"relax.{name}", deduce, _evaluate(make), PAGE)


def _truth_row(name: str, make: Maker) -> OpDef:
    return OpDef(f"relax.{name}", deduce_compare, _evaluate(make, truth=True), PAGE)


OPERATORS: tuple[OpDef, ...] = (
    _row("add", _of("add")),
    _row("subtract", _of("sub")),
    _row("multiply", _of("mul")),
    _row("divide", _of("div")),
    _row("floor_divide", _of("floordiv")),
    _row("mod", _of("mod")),
    _row("floor_mod", _of("floormod")),
    _row("maximum", _of("maximum")),
    _row("minimum", _of("minimum")),
    _row("power", _power),
    OpDef("relax.atan2", deduce_arithmetic, _evaluate_float(_atan2), PAGE),
    OpDef("relax.log_add_exp", deduce_arithmetic, _evaluate_float(_log_add_exp), PAGE),
    _truth_row("equal", _of_truth("equal")),
    _truth_row("not_equal", _of_truth("not_equal")),
    _truth_row("less", _of_truth("less")),
    _truth_row("less_equal", _of_truth("less_equal")),
    _truth_row("greater", _greater),
    _truth_row("greater_equal", _greater_equal),
    _row("logical_and", _logical(lambda n: n.all_of)),
    _row("logical_or", _logical(lambda n: n.any_of)),
    _row("logical_xor", _logical(_exclusive)),
    _row("bitwise_and", _bits("bit_and"), deduce_bits),
    _row("bitwise_or", _bits("bit_or"), deduce_bits),
    _row("bitwise_xor", _bits("bit_xor"), deduce_bits),
    _row("left_shift", _bits("shift_left"), deduce_shift),
    _row("right_shift", _bits("shift_right"), deduce_shift),
)
