"""Elementwise operators of one tensor: ``out[i] = function(x[i])``.

Spec: ``spec/ops/unary.md``.
"""

from __future__ import annotations

from collections.abc import Callable

from refrelax.rules import rule
from refrelax.semantics.numbers.interface import Payload
from refrelax.semantics.ops import attributes as A
from refrelax.semantics.ops.common import arity, retyped, short, tensor
from refrelax.semantics.ops.definition import DeduceRule, Deduction, OpDef
from refrelax.semantics.ops.meaning import Array, Meaning, Text, defined
from refrelax.syntax import dtypes
from refrelax.syntax.graph import Call
from refrelax.syntax.signatures import REAL_FUNCTIONS
from refrelax.syntax.types import TensorType, Type

PAGE = "unary"

Function = Callable[[Payload], Payload]
Maker = Callable[[Meaning, str], Function]
"""Given a dtype, the function of one element."""


@rule("op.unary/float-dtype")
def deduce_float(d: Deduction, call: Call, types: tuple[Type, ...]) -> TensorType:
    """The argument's type; its dtype must be a float."""
    arity(d, call, 1)
    x = tensor(d, call, types, 0)
    if x.dtype is not None and not dtypes.is_float(x.dtype):
        d.fail("op.unary/float-dtype", f"{short(call)} takes a tensor of a float dtype, found {x.dtype}")
    return with_vdevice(call, x)


@rule("op.unary/bits-dtype")
def deduce_bits(d: Deduction, call: Call, types: tuple[Type, ...]) -> TensorType:
    """The argument's type; its dtype must be an integer's or bool."""
    arity(d, call, 1)
    x = tensor(d, call, types, 0)
    if x.dtype is not None and not (dtypes.is_integer(x.dtype) or dtypes.kind(x.dtype) == "bool"):
        d.fail("op.unary/bits-dtype", f"{short(call)} takes a tensor of integers or bool, found {x.dtype}")
    return with_vdevice(call, x)


def deduce_same(d: Deduction, call: Call, types: tuple[Type, ...]) -> TensorType:
    """The argument's type, any dtype."""
    arity(d, call, 1)
    return with_vdevice(call, tensor(d, call, types, 0))


def deduce_bool(d: Deduction, call: Call, types: tuple[Type, ...]) -> TensorType:
    """The argument's type at dtype ``bool``."""
    arity(d, call, 1)
    return with_vdevice(call, retyped(tensor(d, call, types, 0), "bool"))


def with_vdevice(call: Call, x: TensorType) -> TensorType:
    """``x`` on the virtual device that ``ty_args`` names, if it names one."""
    for each in call.ty_args:
        if isinstance(each, TensorType) and each.vdevice is not None:
            return TensorType(x.shape, x.dtype, x.ndim, each.vdevice)
    return x


# --- functions of one element ----------------------------------------------------------------------------------------


def _identity(a: Payload) -> Payload:
    return a


def _math(name: str) -> Maker:
    """A function of real numbers, rounded once to the dtype."""
    return lambda m, dtype: m.at(dtype).math(name)


def _integral(name: str) -> Maker:
    """``floor`` and its kin: on integers and bool the identity."""
    return lambda m, dtype: m.at(dtype).math(name) if dtypes.is_float(dtype) else _identity


def _abs(m: Meaning, dtype: str) -> Function:
    f = m.at(dtype)
    match dtypes.kind(dtype):
        case "float":
            return f.math("abs")
        case "int":
            return lambda a: f.maximum(a, f.neg(a))
        case _:
            return _identity


def _sign(m: Meaning, dtype: str) -> Function:
    f = m.at(dtype)
    if dtypes.is_float(dtype):
        return f.math("sign")
    if dtypes.kind(dtype) == "bool":
        return _identity
    zero, one, minus = f.lit(0), f.lit(1), f.lit(-1)
    return lambda a: f.select(f.less(a, zero), minus, f.select(f.equal(a, zero), zero, one))


def _square(m: Meaning, dtype: str) -> Function:
    if dtypes.kind(dtype) == "bool":
        return _identity
    f = m.at(dtype)
    return lambda a: f.mul(a, a)


def _negative(m: Meaning, dtype: str) -> Function:
    return _identity if dtypes.kind(dtype) == "bool" else m.at(dtype).neg


def _logical_not(m: Meaning, dtype: str) -> Function:
    if dtypes.kind(dtype) == "bool":
        return m.negate
    f = m.at(dtype)
    zero, one = f.lit(0), f.lit(1)
    return lambda a: f.select(f.equal(a, zero), one, zero)


def _bitwise_not(m: Meaning, dtype: str) -> Function:
    return m.negate if dtypes.kind(dtype) == "bool" else m.at(dtype).bit_not


def _check(name: str, of_integer: bool) -> Maker:
    """A classification of floats; every integer gives ``of_integer``."""

    def make(m: Meaning, dtype: str) -> Function:
        if not dtypes.is_float(dtype):
            return lambda _a: m.truth(of_integer)
        f = m.at(dtype)
        return {"isnan": f.isnan, "isinf": f.isinf, "isfinite": f.isfinite}[name]

    return make


# --- rows ------------------------------------------------------------------------------------------------------------


def _text(make: Maker, truth: bool = False) -> Text:
    def text(m: Meaning, call: Call, x: Array) -> Array:
        return m.pointwise("bool" if truth else x.dtype, make(m, x.dtype), x)

    return text


def _row(name: str, make: Maker, deduce: DeduceRule = deduce_same) -> OpDef:
    return defined(f"relax.{name}", deduce, _text(make), PAGE)


def _check_row(name: str, of_integer: bool) -> OpDef:
    return defined(f"relax.{name}", deduce_bool, _text(_check(name, of_integer), truth=True), PAGE)


def deduce_astype(d: Deduction, call: Call, types: tuple[Type, ...]) -> TensorType:
    """The argument's type at the dtype of the attribute."""
    arity(d, call, 1)
    return retyped(tensor(d, call, types, 0), A.dtype(call))


def astype(m: Meaning, call: Call, x: Array) -> Array:
    """``out[i] = cast(x[i])``."""
    source, target = x.dtype, A.dtype(call) or x.dtype
    f = m.at(target)
    return m.pointwise(target, _identity if source == target else lambda a: f.cast(a, source), x)


OPERATORS: tuple[OpDef, ...] = (
    _row("abs", _abs),
    _row("negative", _negative),
    _row("sign", _sign),
    _row("square", _square),
    _row("floor", _integral("floor")),
    _row("ceil", _integral("ceil")),
    _row("round", _integral("round")),
    _row("trunc", _integral("trunc")),
    _row("logical_not", _logical_not),
    _row("bitwise_not", _bitwise_not, deduce_bits),
    *(_row(name, _math(name), deduce_float) for name in REAL_FUNCTIONS),
    _check_row("isnan", of_integer=False),
    _check_row("isinf", of_integer=False),
    _check_row("isfinite", of_integer=True),
    defined("relax.astype", deduce_astype, astype, PAGE),
    defined("relax.wrap_param", deduce_astype, astype, PAGE),
)
