"""Operators that are seen from outside, and those that only carry a value through.

Spec: ``spec/ops/effects.md``.
"""

from __future__ import annotations

from refrelax.errors import Effect, trap, unspecified
from refrelax.rules import rule
from refrelax.semantics.ops import attributes as A
from refrelax.semantics.ops.common import arity, rank, short, tensor, tensor_value
from refrelax.semantics.ops.definition import Deduction, Evaluation, OpDef
from refrelax.semantics.values import Prim, TensorValue, Value, from_payloads
from refrelax.syntax.graph import Call, Var
from refrelax.syntax.types import VOID, AnyType, PrimType, TensorType, Type

PAGE = "effects"


def deduce_print(d: Deduction, call: Call, types: tuple[Type, ...]) -> Type:
    """Void."""
    return VOID


def _snapshot(value: Value) -> Value:
    """What an observer sees now: later stores do not change it."""
    if isinstance(value, TensorValue):
        return from_payloads(value.numerics, value.dtype, value.shape, value.payloads())
    return tuple(_snapshot(each) for each in value) if isinstance(value, tuple) else value


def evaluate_print(e: Evaluation, call: Call, args: tuple[Value, ...]) -> Value:
    """An effect, which others see: the format and the values, as they are then. No format is checked against them."""
    e.effects.append(Effect("print", "relax.print", tuple(_snapshot(each) for each in args)))
    return ()


@rule("op.assert_op/bool-scalar")
def deduce_assert(d: Deduction, call: Call, types: tuple[Type, ...]) -> Type:
    """Void; the condition is a bool scalar, as a tensor of rank 0 or no tensor."""
    arity(d, call, 1, len(call.args) or 1)
    found = types[0]
    scalar = isinstance(found, PrimType) and found.dtype == "bool"
    tensor0 = isinstance(found, TensorType) and found.dtype in (None, "bool") and rank(found) in (0, -1)
    if not (scalar or tensor0 or isinstance(found, AnyType)):
        d.fail("op.assert_op/bool-scalar", f"{short(call)}: the condition must be a bool scalar, found {found}")
    return VOID


@rule("op.assert_op/failed", "op.assert_op/bool-scalar")
def evaluate_assert(e: Evaluation, call: Call, args: tuple[Value, ...]) -> Value:
    """Void if the condition holds; else the run ends with ``Trapped``. Poison in it leaves the run open, under its
    rule."""
    condition = args[0]
    if not isinstance(condition, Prim | TensorValue):  # of `R.Any`: no type rule tells a string from a tensor
        raise unspecified("op.assert_op/bool-scalar", f"a condition that is a {type(condition).__name__}", e.span)
    holds = bool(condition.value) if isinstance(condition, Prim) else e.numerics.decide(tensor_value(condition)[()])
    if not holds:
        text = args[1] if len(args) > 1 and isinstance(args[1], str) else ""
        raise trap("op.assert_op/failed", text or "assertion failed", e.span)
    return ()


def deduce_null(d: Deduction, call: Call, types: tuple[Type, ...]) -> Type:
    """Anything."""
    return AnyType()


def evaluate_null(e: Evaluation, call: Call, args: tuple[Value, ...]) -> Value:
    """The null value."""
    return None


def deduce_identity(d: Deduction, call: Call, types: tuple[Type, ...]) -> Type:
    """The argument's type."""
    arity(d, call, 1)
    return types[0]


def evaluate_identity(e: Evaluation, call: Call, args: tuple[Value, ...]) -> Value:
    """The argument itself."""
    return args[0]


@rule("op.grad.checkpoint/variable")
def deduce_checkpoint(d: Deduction, call: Call, types: tuple[Type, ...]) -> Type:
    """The argument's type; the argument is a variable."""
    arity(d, call, 1)
    if not isinstance(call.args[0], Var):
        d.fail("op.grad.checkpoint/variable", f"{short(call)} takes a variable")
    return types[0]


def deduce_to_vdevice(d: Deduction, call: Call, types: tuple[Type, ...]) -> Type:
    """The argument's type on the virtual device that the attribute names."""
    arity(d, call, 1)
    x = tensor(d, call, types, 0)
    return TensorType(x.shape, x.dtype, x.ndim, A.text(call, "dst_vdevice"))


OPERATORS: tuple[OpDef, ...] = (
    OpDef("relax.print", deduce_print, evaluate_print, PAGE, pure=False),
    OpDef("relax.assert_op", deduce_assert, evaluate_assert, PAGE, pure=False),
    OpDef("relax.null_value", deduce_null, evaluate_null, PAGE),
    OpDef("relax.builtin.stop_lift_params", deduce_identity, evaluate_identity, PAGE, memory="view"),
    OpDef("relax.hint_on_device", deduce_identity, evaluate_identity, PAGE, memory="either"),
    OpDef("relax.to_vdevice", deduce_to_vdevice, evaluate_identity, PAGE, memory="either"),
    OpDef("relax.grad.no_grad", deduce_identity, evaluate_identity, PAGE, memory="view"),
    OpDef("relax.grad.start_checkpoint", deduce_checkpoint, evaluate_identity, PAGE, memory="view"),
    OpDef("relax.grad.end_checkpoint", deduce_checkpoint, evaluate_identity, PAGE, memory="view"),
)
