"""``T.*`` intrinsics: what a call of one means, as literal tables over the numerics interface.

``build_intrinsic`` builds a call for its value, ``build_effect`` a call for its effect. An intrinsic without an entry
has no meaning in this edition (``ld/intrinsic-without-meaning``).

Spec: ``spec/07-evaluation.md``, *Intrinsics*.
"""

from __future__ import annotations

from refrelax.errors import unspecified
from refrelax.rules import rule
from refrelax.semantics.intrinsics.atomics import ATOMICS, build_atomic
from refrelax.semantics.intrinsics.calls import CALLS, build_call
from refrelax.semantics.intrinsics.fixed_point import FIXED_POINT, build_fixed_point
from refrelax.semantics.intrinsics.fragments import FRAGMENTS, build_fragment
from refrelax.semantics.intrinsics.host_calls import build_packed_call
from refrelax.semantics.intrinsics.missing import reason
from refrelax.semantics.intrinsics.pure import PURE, build_pure
from refrelax.semantics.intrinsics.records import HOST, build_host
from refrelax.semantics.loops.elements import UNDEFINED, build_element, build_if_then_else
from refrelax.semantics.loops.frame import Builder, Element, Frame, Run
from refrelax.semantics.loops.indices import build_index
from refrelax.semantics.loops.leaving import BreakLoop, ContinueLoop, ReturnValue, ThreadEnds
from refrelax.syntax.scalars import BufferRef, Cast, Intrinsic, Literal, PrimExpr, StringImm, SymVar


def build_intrinsic(build: Builder, call: Intrinsic) -> Element:
    """A call for its value."""
    match call.op:
        case "if_then_else":
            return build_if_then_else(build, call)
        case "likely":
            return build_element(build, call.args[0])
        case "ignore_loop_partition":
            return build_element(build, Cast("bool", call.args[0], span=call.span))
        case "undef":
            return lambda _frame: UNDEFINED
        case op if op in PURE:
            return build_pure(build, call)
        case op if op in FIXED_POINT:
            return build_fixed_point(build, call)
        case op if op in CALLS or op.startswith("cls."):
            return build_call(build, call)
        case op if op in HOST:
            return build_host(build, call)
        case op if op in ATOMICS:
            return build_atomic(build, call)
        case op if op in FRAGMENTS:
            return build_fragment(build, call)
        case "call_packed_lowered" | "call_cpacked_lowered":
            return build_packed_call(build, call)
        case _:
            return _without_meaning(call)


@rule("ld/intrinsic-without-meaning")
def _without_meaning(call: Intrinsic) -> Element:
    def stop(_frame: Frame) -> None:
        message = f"T.{call.op} has no meaning in this edition of the spec{reason(call.op)}"
        raise unspecified("ld/intrinsic-without-meaning", message, call.span)

    return stop


@rule("ev/evaluate")
def build_effect(build: Builder, value: PrimExpr) -> Run:
    """An expression for its effect. What has none (``0``, a handle) does nothing."""
    match value:
        case Intrinsic(op="ret"):
            result = build_element(build, value.args[0]) if value.args else None

            def leave(frame: Frame) -> None:
                raise ReturnValue(None if result is None else result(frame))

            return leave
        case Intrinsic(op="break_loop" | "continue_loop" as op):
            kind = BreakLoop if op == "break_loop" else ContinueLoop

            def jump(_frame: Frame) -> None:
                raise kind

            return jump
        case Intrinsic(op="thread_return"):

            def end_thread(_frame: Frame) -> None:
                raise ThreadEnds

            return end_thread
        case Intrinsic(op="tvm_storage_sync" | "prefetch"):
            return lambda _frame: None  # a barrier of a single thread; a hint
        case Intrinsic(op="assume", args=(condition,)):
            return _assume(build, condition)
        case Intrinsic(op=op) if op in CALLS:
            return build_call(build, value, needed=False)
        case Intrinsic(op="call_packed_lowered" | "call_cpacked_lowered"):
            return build_packed_call(build, value, needed=False)
        case Intrinsic():
            return build_intrinsic(build, value)
        case Literal() | SymVar() | BufferRef() | StringImm():
            return lambda _frame: None
        case _:
            return build_element(build, value)


@rule("ev/assume")
def _assume(build: Builder, condition: PrimExpr) -> Run:
    """A promise about the run: where it does not hold, the run is open."""
    truth = build_index(build, condition).run

    def check(frame: Frame) -> None:
        if not truth(frame):
            raise unspecified("ev/assume", "what T.assume promises does not hold", condition.span)

    return check
