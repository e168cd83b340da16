"""Intrinsics that are functions of their arguments' elements."""

from __future__ import annotations

from refrelax.rules import rule
from refrelax.semantics.loops.elements import build_element
from refrelax.semantics.loops.frame import Builder, Element
from refrelax.semantics.loops.vectors import build_reinterpreted, of_other_width
from refrelax.semantics.numbers.scalar_operators import BINARY, PURE, TERNARY, UNARY
from refrelax.syntax import dtypes
from refrelax.syntax.scalars import Intrinsic

__all__ = ["PURE", "build_pure"]


@rule("ev/intrinsic")
def build_pure(build: Builder, call: Intrinsic) -> Element:
    """Arguments left to right, then the primitive."""
    if call.op == "reinterpret" and dtypes.lanes(call.args[0].dtype) != dtypes.lanes(call.dtype):
        return build_reinterpreted(build, call)
    args = [build_element(build, each) for each in call.args]
    source = dtypes.element(call.args[0].dtype)
    if call.op == "reinterpret":
        return _reinterpreted(build, call, source, args[0])
    f = build.context.numerics.at(source)
    if call.op in UNARY:
        one, a = UNARY[call.op](f), args[0]
        given, target = "int32" if call.op == "clz" else source, dtypes.element(call.dtype)
        if call.op in ("clz", "popcount") and target != given:
            cast = build.context.numerics.at(target).cast
            return lambda frame: cast(one(a(frame)), given)
        return lambda frame: one(a(frame))
    if call.op in BINARY:
        two, (a, b) = BINARY[call.op](f), args
        return lambda frame: two(a(frame), b(frame))
    three, (a, b, c) = TERNARY[call.op](f), args
    return lambda frame: three(a(frame), b(frame), c(frame))


def _reinterpreted(build: Builder, call: Intrinsic, source: str, a: Element) -> Element:
    """The bits of an element at another dtype of the same width; a byte at ``bool`` as it is in memory."""
    if (stop := of_other_width(call)) is not None:
        return stop
    target = dtypes.element(call.dtype)
    f = build.context.numerics.at(target)
    if target == "bool" != source:
        assemble = f.assemble
        return lambda frame: assemble((a(frame),), source, 0)
    reinterpret = f.reinterpret
    return lambda frame: reinterpret(a(frame), source)
