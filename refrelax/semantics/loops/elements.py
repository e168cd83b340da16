"""Scalar expressions in element position: payloads of the reading.

``+ - *`` on integers wrap here (data), other than in index position. ``T.Select`` evaluates both arms, and poison in
the
arm that is not chosen does not matter; ``T.if_then_else`` evaluates one.

Spec: ``spec/07-evaluation.md``, *Elements*.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, assert_never

from refrelax.errors import Ended, unspecified
from refrelax.rules import rule
from refrelax.semantics.loops.frame import Builder, Element, Frame
from refrelax.semantics.loops.indices import build_index, is_index
from refrelax.semantics.loops.memory import build_load
from refrelax.semantics.loops.pointers import bind_handle
from refrelax.semantics.numbers.poison import poison
from refrelax.semantics.numbers.scalar_operators import ARITHMETIC
from refrelax.syntax import dtypes
from refrelax.syntax.scalars import (
    Binary,
    Broadcast,
    BufferLoad,
    BufferRef,
    Cast,
    CommReducer,
    Intrinsic,
    Let,
    Literal,
    Not,
    PrimExpr,
    Ramp,
    RangeArg,
    Select,
    Shuffle,
    StringImm,
    SymVar,
)

UNDEFINED = poison("ev/undef")
"""What ``T.undef()`` gives, and a lane of a masked load that is off."""


def build_element(build: Builder, expr: PrimExpr) -> Element:
    """Build a scalar expression as an element; vectors (``lanes > 1``) give a tuple of payloads."""
    if dtypes.lanes(expr.dtype) != 1:
        return build.vector(expr)
    match expr:
        case Literal():
            return _literal(build, expr)
        case SymVar() if not _is_pointer(expr):
            return _variable(build, expr)
        case Binary():
            return _binary(build, expr)
        case Not():
            negate, a = build.context.numerics.negate, build_element(build, expr.a)
            return lambda frame: negate(a(frame))
        case Cast():
            return _cast(build, expr)
        case Select():
            return _select(build, expr)
        case BufferLoad():
            return _load(build, expr)
        case Let():
            return build_let(build, expr)
        case Intrinsic():
            return build.intrinsic(expr)
        case Ramp() | Broadcast() | Shuffle():
            return build.vector(expr)
        case SymVar() | StringImm() | BufferRef() | CommReducer() | RangeArg():
            return _no_element(expr)
        case _:
            assert_never(expr)


@rule("ld/unknown-handle")
def _no_element(expr: PrimExpr) -> Element:
    """What is no number, where one is asked for: what a pointer is as an element is not said."""

    def stop(_frame: Frame) -> None:
        message = f"an element is asked of a {type(expr).__name__} of {expr.dtype}"
        raise unspecified("ld/unknown-handle", message, expr.span)

    return stop


def _is_pointer(expr: PrimExpr) -> bool:
    return dtypes.kind(expr.dtype) == "handle"


@rule("ev/masked-load")
def _load(build: Builder, expr: BufferLoad) -> Element:
    """A load; under a predicate that is false it gives poison ``ev/undef`` and touches nothing."""
    load = build_load(build, build.buffers[expr.buffer], [build_index(build, i) for i in expr.indices])
    if expr.predicate is None:
        return load
    mask = build_index(build, expr.predicate).run
    return lambda frame: load(frame) if mask(frame) else UNDEFINED


def _literal(build: Builder, expr: Literal) -> Element:
    payload = build.context.numerics.at(expr.dtype).from_bits(expr.bits)
    return lambda _frame: payload


def _variable(build: Builder, expr: SymVar) -> Element:
    slot = build.elements.get(expr.name)
    if slot is not None:
        return lambda frame: frame[slot]
    numerics = build.context.numerics
    run = build.variables[expr.name].run
    if dtypes.kind(expr.dtype) == "bool":
        truth = numerics.truth
        return lambda frame: truth(bool(run(frame)))
    lit = numerics.at(expr.dtype).lit
    return lambda frame: lit(run(frame))


def operation(build: Builder, expr: Binary) -> Callable[[Any, Any], Any]:
    """The function on payloads that a binary node stands for."""
    numerics = build.context.numerics
    if expr.op == "And":
        return numerics.all_of
    if expr.op == "Or":
        return numerics.any_of
    return ARITHMETIC[expr.op](numerics.at(dtypes.element(expr.a.dtype)))


@rule("ev/scalar-binary")
def _binary(build: Builder, expr: Binary) -> Element:
    a, b = build_element(build, expr.a), build_element(build, expr.b)
    apply = operation(build, expr)
    return lambda frame: apply(a(frame), b(frame))


@rule("ev/scalar-cast")
def _cast(build: Builder, expr: Cast) -> Element:
    if expr.dtype == expr.value.dtype:
        return build_element(build, expr.value)
    cast, source, a = build.context.numerics.at(expr.dtype).cast, expr.value.dtype, build_element(build, expr.value)
    return lambda frame: cast(a(frame), source)


@rule("ev/select-both-arms")
def _select(build: Builder, expr: Select) -> Element:
    a, b = build_element(build, expr.true_value), build_element(build, expr.false_value)
    if is_index(build, expr.condition):
        test = build_index(build, expr.condition).run

        def choose(frame: Frame) -> Any:
            taken, yes, no = test(frame), a(frame), b(frame)  # what ends the run in either arm ends it
            return yes if taken else no

        return choose
    condition, select = build_element(build, expr.condition), build.context.numerics.at(expr.dtype).select
    return lambda frame: select(condition(frame), a(frame), b(frame))


@rule("ev/if-then-else-one-arm")
def build_if_then_else(build: Builder, expr: Intrinsic) -> Element:
    """``T.if_then_else(c, a, b)``: one arm is evaluated. A reading that cannot decide joins both arms."""
    condition, yes, no = expr.args
    a, b = build_element(build, yes), build_element(build, no)
    if is_index(build, condition):
        test = build_index(build, condition).run
        return lambda frame: a(frame) if test(frame) else b(frame)
    truth, decide = build_element(build, condition), build.context.numerics.decide
    select = build.context.numerics.at(dtypes.element(expr.dtype)).select

    def choose(frame: Frame) -> Any:
        t = truth(frame)
        try:
            taken = decide(t)
        except Ended as end:
            if getattr(end.outcome, "rule", "") != "num/undetermined":
                raise
            x, y = a(frame), b(frame)
            return tuple(select(t, p, q) for p, q in zip(x, y, strict=True)) if type(x) is tuple else select(t, x, y)
        return a(frame) if taken else b(frame)

    return choose


@rule("ev/let")
def build_let(build: Builder, expr: Let) -> Element:
    """A value by a name, in one expression."""
    inner = build.child()
    if _is_pointer(expr.var):
        keep = bind_handle(inner, expr.var.name, expr.value)
        named = build_element(inner, expr.body)

        def run_named(frame: Frame) -> Any:
            keep(frame)
            return named(frame)

        return run_named
    if is_index(build, expr.value):
        value = build_index(build, expr.value)
        slot = inner.variable(expr.var.name, value.lo, value.hi)
        run: Callable[[Frame], Any] = value.run
    else:
        run = build_element(build, expr.value)
        slot = inner.element_variable(expr.var.name)
    body = build_element(inner, expr.body)

    def let(frame: Frame) -> Any:
        frame[slot] = run(frame)
        return body(frame)

    return let
