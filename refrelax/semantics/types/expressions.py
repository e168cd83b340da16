"""The type of an expression, one arm a form.

Spec: ``spec/05-types.md``, Expressions.
"""

from __future__ import annotations

from typing import assert_never

from refrelax.errors import Diagnostic, IllTyped, Span
from refrelax.rules import rule
from refrelax.semantics.ops import IMPURE, OPERATORS
from refrelax.semantics.ops.sharding import OWN, distributed, is_distributed
from refrelax.semantics.types.calls import CALL_FORMS, call_form
from refrelax.semantics.types.checked import EntryCheck
from refrelax.semantics.types.context import CallDeduction, TypingContext
from refrelax.semantics.types.lattice import UNBOUND_CONSTANT, depends_on_unbound, describe
from refrelax.semantics.types.signatures import EXTERN, PURE_EXTERN, PURE_LIBRARY
from refrelax.semantics.types.unify import deduce_call
from refrelax.syntax.graph import (
    Call,
    Constant,
    ConstantRef,
    DataTypeValue,
    DistConstant,
    Expr,
    ExternFunc,
    Function,
    GlobalVar,
    If,
    Op,
    PrimValue,
    ShapeExpr,
    StringValue,
    Tuple,
    TupleGetItem,
    Var,
)
from refrelax.syntax.scalars import as_int, int_imm
from refrelax.syntax.types import (
    AnyType,
    FuncType,
    PackedFuncType,
    PrimType,
    ShapeType,
    TensorType,
    TupleType,
    Type,
    tensor_of,
)

_ANY = AnyType()


@rule("ty/leaf", "ty/tuple")
def type_of(frame: TypingContext, e: Expr) -> Type:
    """The type of an expression that is no ``If`` and no ``Function`` (those need a scope: ``deduce``).

    Raises:
        IllTyped: with the diagnostics of the rule that refused it.
    """
    match e:
        case Var():
            return frame.types.get(e.name, _ANY)
        case Call():
            return call_type(frame, e)
        case Tuple():
            return TupleType(tuple(type_of(frame, each) for each in e.fields))
        case TupleGetItem():
            return projection(frame, e)
        case GlobalVar():
            return frame.signatures.get(e.name, _ANY)
        case ExternFunc(name=name):
            return PURE_EXTERN if name in PURE_LIBRARY else EXTERN
        case Constant():
            return tensor_of(tuple(int_imm(extent) for extent in e.shape), e.dtype)
        case DistConstant():
            return e.type
        case ConstantRef():
            return constant_type(frame, e)
        case PrimValue():
            return PrimType(e.value.dtype)
        case ShapeExpr():
            return ShapeType(e.values, len(e.values))
        case StringValue() | DataTypeValue() | Op() | If() | Function():
            return _ANY
        case _:
            assert_never(e)


@rule("ty/bound-constant", "ty/unbound-constant")
def constant_type(frame: TypingContext, e: ConstantRef) -> Type:
    """The exact type of a supplied array; of one that was not, nothing is known and nothing is held against it."""
    array = frame.module.constants.get(e.index)
    if array is None:
        message = f'metadata["ir.GenericConst"][{e.index}] was not supplied: annotations that depend on it are trusted'
        frame.journal.note("ty/unbound-constant", message, e.span)
        return UNBOUND_CONSTANT
    dtype = array.dtype
    return tensor_of(tuple(int_imm(int(extent)) for extent in array.shape), str(getattr(dtype, "name", dtype)))


@rule("ty/tuple-get-item", "ty/tuple-index")
def projection(frame: TypingContext, e: TupleGetItem) -> Type:
    """The field's type; the operand must be a tuple with such a field."""
    operand = type_of(frame, e.tuple)
    if not isinstance(operand, TupleType):
        message = f"only a tuple has fields: expected a tuple, found {describe(operand)}"
        raise IllTyped([Diagnostic("ty/tuple-get-item", message, e.span, _definition(frame, e.tuple))])
    if not 0 <= e.index < len(operand.fields):
        message = f"field {e.index} of a tuple of {len(operand.fields)}: expected 0 to {len(operand.fields) - 1}"
        raise IllTyped([Diagnostic("ty/tuple-index", message, e.span, _definition(frame, e.tuple))])
    return operand.fields[e.index]


def _definition(frame: TypingContext, e: Expr) -> tuple[tuple[str, Span | None], ...]:
    return ((f"definition of {e.name}", frame.spans.get(e.name)),) if isinstance(e, Var) else ()


# --- calls -----------------------------------------------------------------------------------------------------------


def call_type(frame: TypingContext, call: Call) -> Type:
    """The result's type of any call, its purity checked against where it stands.

    Raises:
        IllTyped: the callee's rule refused the arguments, or the callee is no function.
    """
    args = tuple(type_of(frame, each) for each in call.args)
    try:
        ty, pure, name = _dispatch(frame, call, args)
    except IllTyped as refused:
        if not any(map(depends_on_unbound, args)):
            raise
        frame.journal.note("ty/unbound-constant", f"not checked: {refused.diagnostics[0].message}", call.span)
        ty, pure, name = _ANY, call.op.name not in IMPURE, "ty/unbound-constant"
    if not pure:
        purity(frame, call)
    ty = _held_against_nothing(args, ty)
    frame.step(name, ty, tuple(zip(map(label, call.args), args, strict=True)), call.span)
    return ty


def _held_against_nothing(args: tuple[Type, ...], ty: Type) -> Type:
    """A tensor that comes from an unbound constant and is not known well is held against nothing either."""
    unknown = isinstance(ty, TensorType) and (ty.dtype is None or ty.ndim == -1)
    return UNBOUND_CONSTANT if unknown and any(map(depends_on_unbound, args)) else ty


def _dispatch(frame: TypingContext, call: Call, args: tuple[Type, ...]) -> tuple[Type, bool, str]:
    if isinstance(call.op, Op):
        return operator_type(frame, call, args)
    callee = type_of(frame, call.op)
    if isinstance(callee, PackedFuncType):
        callee = EXTERN
    if not isinstance(callee, FuncType):
        return _not_a_function(frame, call, callee)
    where = _callee_place(frame, call.op)
    found = deduce_call(
        callee, args, frame.facts, what=call.op.name, ty_args=call.ty_args, span=call.span, places=where
    )
    if found.obligations:
        name = frame.prefix + frame.binding
        frame.journal.entry_checks.append(EntryCheck(frame.function, name, call.op.name, found.obligations))
        for each in found.obligations:
            frame.leave_open(call.op.name, each.expected, each.found, call.span)
    return found.type, callee.purity, "ty/call-opaque" if callee.params is None else "ty/call"


@rule("ty/call-not-a-function")
def _not_a_function(frame: TypingContext, call: Call, callee: Type) -> tuple[Type, bool, str]:
    if isinstance(call.op, GlobalVar) and call.op.name not in frame.module.functions:
        return _ANY, True, "wf/global-defined"
    if isinstance(call.op, Var) and call.op.name not in frame.types:
        return _ANY, True, "wf/var-defined-before-use"
    message = f"only a function can be called: {call.op.name} has type {describe(callee)}"
    raise IllTyped([Diagnostic("ty/call-not-a-function", message, call.span, _callee_place(frame, call.op))])


def _callee_place(frame: TypingContext, op: GlobalVar | ExternFunc | Var | Op) -> tuple[tuple[str, Span | None], ...]:
    if isinstance(op, GlobalVar):
        f = frame.module.functions.get(op.name)
        return ((f"definition of {op.name}", getattr(f, "span", None)),)
    return _definition(frame, op)


@rule("ty/operator", "ty/operator-without-rule")
def operator_type(frame: TypingContext, call: Call, args: tuple[Type, ...]) -> tuple[Type, bool, str]:
    """The type rule of the operator; one without a rule gives ``R.Any``, so that its annotation is trusted."""
    name = call.op.name
    pure = name not in IMPURE
    if name in CALL_FORMS:
        return call_form(frame, call, args), pure, f"op.{name.removeprefix('relax.')}"
    definition = OPERATORS.get(name)
    if definition is None:
        message = f"{name} has no type rule: its annotation is trusted"
        frame.journal.note("ty/operator-without-rule", message, call.span)
        return _ANY, pure, "ty/operator-without-rule"
    d = CallDeduction(frame, call.span, call.op.name)
    ty = without_negative_extents(definition.deduce(d, call, args))
    if name not in OWN and any(map(is_distributed, args)):
        ty = distributed(d, call, args, ty)
    return ty, pure, f"op.{name.removeprefix('relax.')}"


@rule("ev/negative-extent")
def without_negative_extents(ty: Type) -> Type:
    """What is deduced where an extent is a negative number: a run has no such result, so only its rank is said."""
    match ty:
        case TensorType(shape=tuple(dims)) if any((n := as_int(dim)) is not None and n < 0 for dim in dims):
            return TensorType(None, ty.dtype, len(dims), ty.vdevice)
        case TupleType(fields):
            return TupleType(tuple(map(without_negative_extents, fields)))
        case _:
            return ty


@rule("wf/impure-in-dataflow", "wf/impure-in-pure-function")
def purity(frame: TypingContext, call: Call) -> None:
    """An impure call stands neither in a dataflow block nor in a function that says it is pure."""
    if frame.dataflow:
        message = f"the call of {call.op.name} is impure: a dataflow block holds pure calls only"
        frame.journal.report("wf/impure-in-dataflow", message, call.span)
    elif frame.pure:
        message = f"the call of {call.op.name} is impure, but the function around it is declared pure"
        place = (f"function {frame.prefix or frame.function}", frame.spans.get("/" + frame.prefix))
        frame.journal.report("wf/impure-in-pure-function", message, call.span, place)


def label(e: Expr, what: str = "") -> str:
    """What a premise of the derivation is about: a name, or in brackets what it is instead (nothing is called so)."""
    match e:
        case Var() | GlobalVar() | ExternFunc():
            return e.name
        case _:
            return f"({what or type(e).__name__})"
