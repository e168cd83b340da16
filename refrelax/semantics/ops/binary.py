"""Elementwise operators of two operands: arithmetic, comparison, logic, bits.

``out[i] = function(a[i], b[i])`` over the broadcast operands. An operand is a tensor or a scalar; a scalar next to a
tensor counts as a tensor of shape ``(1,)``.

Spec: ``spec/ops/binary.md``.
"""

from __future__ import annotations

from collections.abc import Callable

from refrelax.rules import rule
from refrelax.semantics.numbers.interface import Arithmetic, Payload
from refrelax.semantics.ops import dims as D
from refrelax.semantics.ops.common import (
    UNKNOWN,
    arity,
    as_tensor_type,
    binary_vdevice,
    broadcast_dims,
    dims_of,
    of_rank,
    rank,
    short,
    to_prim,
    with_dims,
)  # fmt: skip
from refrelax.semantics.ops.definition import DeduceRule, Deduction, EvaluateRule, Evaluation, OpDef
from refrelax.semantics.ops.meaning import Array, Meaning, Text, cast, value_rule
from refrelax.semantics.values import Prim, TensorValue, Value
from refrelax.syntax import dtypes
from refrelax.syntax.graph import Call
from refrelax.syntax.types import PrimType, TensorType, Type

PAGE = "binary"

Function = Callable[[Payload, Payload], Payload]
Maker = Callable[[Meaning, str], Function]

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
    if dtypes.is_float(a) != dtypes.is_float(b):
        return a if dtypes.is_float(a) else b
    if dtypes.bits(a) != dtypes.bits(b):
        return max(a, b, key=dtypes.bits)
    return a if dtypes.kind(a) == "uint" else b


@rule("op.binary/meeting-dtype")
def meeting_dtype(m: Meaning, a: str, b: str) -> str:
    """``promote``; two float formats of one width have no dtype in which they meet."""
    formats = a != b and dtypes.is_float(a) and dtypes.is_float(b) and dtypes.bits(a) == dtypes.bits(b)
    m.require(not formats, "op.binary/meeting-dtype", f"{a} and {b} have no dtype in common")
    return promote(a, b)


# --- functions of two elements ---------------------------------------------------------------------------------------


DIVISIONS = frozenset({"div", "mod", "floordiv", "floormod"})
"""What bools have not (``num/no-operation``): a run that comes to it is open."""


def _of(method: str) -> Maker:
    """A method of ``Arithmetic``; on bool, what it gives on 0 and 1, converted back (``!= 0``)."""

    def make(m: Meaning, dtype: str) -> Function:
        if dtypes.kind(dtype) != "bool" or method in DIVISIONS:
            return getattr(m.at(dtype), method)  # type: ignore[no-any-return]
        small, truth = m.at("uint8"), m.at("bool")
        function = getattr(small, method)
        return lambda a, b: truth.cast(function(small.cast(a, "bool"), small.cast(b, "bool")), "uint8")

    return make


def _swapped(function: Function) -> Function:
    return lambda a, b: function(b, a)


def _greater(m: Meaning, dtype: str) -> Function:
    return _swapped(_of_truth("less")(m, dtype))


def _greater_equal(m: Meaning, dtype: str) -> Function:
    return _swapped(_of_truth("less_equal")(m, dtype))


def _of_truth(method: str) -> Maker:
    """A comparison; bools compare as 0 and 1."""

    def make(m: Meaning, dtype: str) -> Function:
        if dtypes.kind(dtype) != "bool":
            return getattr(m.at(dtype), method)  # type: ignore[no-any-return]
        small = m.at("uint8")
        function = getattr(small, method)
        return lambda a, b: function(small.cast(a, "bool"), small.cast(b, "bool"))

    return make


def _logical(connect: Callable[[Meaning], Function]) -> Maker:
    """A connective; an integer or float operand counts as ``!= 0``, and the truth as 1 or 0."""

    def make(m: Meaning, dtype: str) -> Function:
        function = connect(m)
        if dtypes.kind(dtype) == "bool":
            return function
        f = m.at(dtype)
        zero, one = f.lit(0), f.lit(1)
        return lambda a, b: f.select(function(f.not_equal(a, zero), f.not_equal(b, zero)), one, zero)

    return make


def _exclusive(m: Meaning) -> Function:
    return m.at("bool").bit_xor


def _bits(method: str) -> Maker:
    return lambda m, dtype: getattr(m.at(dtype), method)


@rule("op.power/negative-exponent")
def _power(m: Meaning, dtype: str) -> Function:
    """Floats: ``pow`` of IEEE 754. Integers: the product of ``b`` factors ``a``; poison where ``b`` is negative."""
    if dtypes.is_float(dtype):
        return m.at(dtype).math2("pow")
    if dtypes.kind(dtype) == "bool":
        return _truth_power(m)
    f = m.at(dtype)
    zero, one, negative = f.lit(0), f.lit(1), m.poison("op.power/negative-exponent")

    def power(a: Payload, b: Payload) -> Payload:
        result, factor = f.add(f.mul(a, zero), one), a  # poison in either operand counts, also where no factor does
        for k in range(dtypes.bits(dtype) - int(dtypes.kind(dtype) == "int")):
            odd = f.not_equal(f.bit_and(f.shift_right(b, f.lit(k)), one), zero)
            result = f.select(odd, f.mul(result, factor), result)
            factor = f.mul(factor, factor)
        return f.select(f.less(b, zero), negative, result)

    return power


def _truth_power(m: Meaning) -> Function:
    """On truths, ``a ** b`` is ``a or not b``."""
    return lambda a, b: m.any_of(a, m.negate(b))


def _atan2(m: Meaning, dtype: str) -> Function:
    return m.at(dtype).math2("atan2")


def _log_add_exp(m: Meaning, dtype: str) -> Function:
    """``log(exp(a) + exp(b))`` as ``max + log1p(exp(-|a - b|))``; the literal form, which overflows, is permitted."""
    f: Arithmetic = m.at(dtype)
    exp, log1p, absolute, log = f.math("exp"), f.math("log1p"), f.math("abs"), f.math("log")
    log2 = log(f.lit(2))

    def stable(a: Payload, b: Payload) -> Payload:
        apart = f.add(f.maximum(a, b), log1p(exp(f.neg(absolute(f.sub(a, b))))))
        return f.select(f.equal(a, b), f.add(a, log2), apart)

    def literal(a: Payload, b: Payload) -> Payload:
        return log(f.add(exp(a), exp(b)))

    return f.forms(stable, literal)


# --- rows ------------------------------------------------------------------------------------------------------------


@rule("op.binary/float-only")
def _text(make: Maker, truth: bool = False, real: bool = False) -> Text:
    """``real``: a function of real numbers; at an integer dtype, which deduction lets pass, the run is open."""

    def text(m: Meaning, call: Call, a: Array, b: Array) -> Array:
        m.require(
            not real or dtypes.is_float(promote(a.dtype, b.dtype)), "op.binary/float-only", f"{a.dtype}, {b.dtype}"
        )
        meeting = meeting_dtype(m, a.dtype, b.dtype)
        m.broadcast(a.dims, b.dims)
        x, y = cast(m, a, meeting), cast(m, b, meeting)
        out = m.pointwise("bool" if truth else meeting, make(m, meeting), x, y)
        return out if truth else cast(m, out, a.dtype)

    return text


def _of_scalars(inner: EvaluateRule) -> EvaluateRule:
    """Of two scalars the result is a scalar."""

    def evaluate(e: Evaluation, call: Call, args: tuple[Value, ...]) -> Value:
        out = inner(e, call, args)
        if isinstance(out, TensorValue) and isinstance(args[0], Prim) and isinstance(args[1], Prim):
            return to_prim(e, out.dtype, out[0])
        return out

    return evaluate


def _row(
    name: str, make: Maker, deduce: DeduceRule = deduce_arithmetic, truth: bool = False, real: bool = False
) -> OpDef:
    text = _text(make, truth, real)
    return OpDef(f"relax.{name}", deduce, _of_scalars(value_rule(text)), PAGE, text=text)


def _truth_row(name: str, make: Maker) -> OpDef:
    return _row(name, make, deduce_compare, truth=True)


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
    _row("atan2", _atan2, real=True),
    _row("log_add_exp", _log_add_exp, real=True),
    _truth_row("equal", _of_truth("equal")),
    _truth_row("not_equal", _of_truth("not_equal")),
    _truth_row("less", _of_truth("less")),
    _truth_row("less_equal", _of_truth("less_equal")),
    _truth_row("greater", _greater),
    _truth_row("greater_equal", _greater_equal),
    _row("logical_and", _logical(lambda m: m.all_of)),
    _row("logical_or", _logical(lambda m: m.any_of)),
    _row("logical_xor", _logical(_exclusive)),
    _row("bitwise_and", _bits("bit_and"), deduce_bits),
    _row("bitwise_or", _bits("bit_or"), deduce_bits),
    _row("bitwise_xor", _bits("bit_xor"), deduce_bits),
    _row("left_shift", _bits("shift_left"), deduce_shift),
    _row("right_shift", _bits("shift_right"), deduce_shift),
)
