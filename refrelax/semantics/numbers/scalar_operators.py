"""Scalar operators and intrinsics by the primitive that defines each of them.

Loop-level elements and the float parts of dimensions both read these tables: one spelling, one meaning.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from refrelax.semantics.numbers.interface import MATH, MATH2, Arithmetic

ARITHMETIC: dict[str, Callable[[Arithmetic], Callable[[Any, Any], Any]]] = {
    "Add": lambda f: f.add,
    "Sub": lambda f: f.sub,
    "Mul": lambda f: f.mul,
    "Div": lambda f: f.div,
    "Mod": lambda f: f.mod,
    "FloorDiv": lambda f: f.floordiv,
    "FloorMod": lambda f: f.floormod,
    "Min": lambda f: f.minimum,
    "Max": lambda f: f.maximum,
    "EQ": lambda f: f.equal,
    "NE": lambda f: f.not_equal,
    "LT": lambda f: f.less,
    "LE": lambda f: f.less_equal,
    "GT": lambda f: _turned(f.less),
    "GE": lambda f: _turned(f.less_equal),
}
"""The operators of ``scalars.BinaryOp``, but the connectives; ``GT`` and ``GE`` swap operands of ``LT`` and ``LE``."""


def _turned(test: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    return lambda a, b: test(b, a)


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
"""Every intrinsic that is a function of its arguments' elements; ``reinterpret`` also takes the source's dtype."""
