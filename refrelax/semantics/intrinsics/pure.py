"""Intrinsics that are functions of their arguments' elements."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from refrelax.rules import rule
from refrelax.semantics.loops.elements import build_element
from refrelax.semantics.loops.frame import Builder, Element
from refrelax.semantics.loops.vectors import build_reinterpreted
from refrelax.semantics.numbers.interface import MATH, MATH2, Arithmetic
from refrelax.syntax import dtypes
from refrelax.syntax.scalars import Intrinsic


def _math(name: str) -> Callable[[Arithmetic], Callable[[Any], Any]]:
    return lambda f: f.math(name)


def _math2(name: str) -> Callable[[Arithmetic], Callable[[Any, Any], Any]]:
    return lambda f: f.math2(name)


UNARY: dict[str, Callable[[Arithmetic], Callable[[Any], Any]]] = {
    **{name: _math(name) for name in MATH},
    "fabs": lambda f: f.math("abs"),
    "nearbyint": lambda f: f.math("round"),
    "bitwise_not": lambda f: f.bit_not,
    "popcount": lambda f: f.popcount,
    "clz": lambda f: f.clz,
    "isnan": lambda f: f.isnan,
    "isinf": lambda f: f.isinf,
    "isfinite": lambda f: f.isfinite,
}
"""One argument; the arithmetic is that of the argument's dtype."""

BINARY: dict[str, Callable[[Arithmetic], Callable[[Any, Any], Any]]] = {
    **{name: _math2(name) for name in MATH2},
    "bitwise_and": lambda f: f.bit_and,
    "bitwise_or": lambda f: f.bit_or,
    "bitwise_xor": lambda f: f.bit_xor,
    "shift_left": lambda f: f.shift_left,
    "shift_right": lambda f: f.shift_right,
    "truncmod": lambda f: f.mod,
    "max": lambda f: f.maximum,
    "min": lambda f: f.minimum,
}
"""Two arguments of one dtype (``ldexp``: the second is an int32)."""

TERNARY: dict[str, Callable[[Arithmetic], Callable[[Any, Any, Any], Any]]] = {
    "fma": lambda f: f.fma,
}

PURE = frozenset({"reinterpret", *UNARY, *BINARY, *TERNARY})
"""Every intrinsic that this file gives a meaning; ``reinterpret`` also takes the source's dtype."""


@rule("ev/intrinsic")
def build_pure(build: Builder, call: Intrinsic) -> Element:
    """Arguments left to right, then the primitive."""
    if call.op == "reinterpret" and dtypes.lanes(call.args[0].dtype) != dtypes.lanes(call.dtype):
        return build_reinterpreted(build, call)
    args = [build_element(build, each) for each in call.args]
    source = dtypes.element(call.args[0].dtype)
    if call.op == "reinterpret":
        a, reinterpret = args[0], build.context.numerics.at(dtypes.element(call.dtype)).reinterpret
        return lambda frame: reinterpret(a(frame), source)
    f = build.context.numerics.at(source)
    if call.op in UNARY:
        one, a = UNARY[call.op](f), args[0]
        return lambda frame: one(a(frame))
    if call.op in BINARY:
        two, (a, b) = BINARY[call.op](f), args
        return lambda frame: two(a(frame), b(frame))
    three, (a, b, c) = TERNARY[call.op](f), args
    return lambda frame: three(a(frame), b(frame), c(frame))
