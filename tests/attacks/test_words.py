"""Rewrite rules on integers, truths and signs: the right ones are proved for all sizes, the wrong ones are not.

A rule is a pair of expressions over tensors of symbolic sizes, of ranks 1 and 2.
"""

from __future__ import annotations

from typing import Any

import pytest

import refrelax as rr
from refrelax.judge.evidence import Proved
from refrelax.judge.pointwise import attempt

HEAD = "n = TypeVar('n')\nm = TypeVar('m')\n@I.ir_module\nclass Module:\n    @R.function\n    def main({params}):\n"
KINDS = {**dict.fromkeys("ABC", "int32"), **dict.fromkeys("PQ", "bool"), **dict.fromkeys("XY", "float32"), "U": "uint8"}
SHAPES = {1: "(n,)", 2: "(n, m)"}


def module(expression: str, rank: int = 1) -> Any:
    params = ", ".join(f"{name}: R.Tensor({SHAPES[rank]}, '{dtype}')" for name, dtype in KINDS.items())
    body = f"        r = {expression}\n        return r\n"
    return rr.check(rr.parse(HEAD.format(params=params) + body))


RIGHT = {
    "a sum regrouped": ("R.add(R.add(A, B), C)", "R.add(C, R.add(B, A))"),
    "a product distributed": ("R.multiply(R.add(A, B), C)", "R.add(R.multiply(A, C), R.multiply(B, C))"),
    "nothing is left": ("R.subtract(A, A)", "R.zeros_like(A)"),
    "constants": ("R.add(R.add(A, R.const(3, 'int32')), R.const(4, 'int32'))", "R.add(A, R.const(7, 'int32'))"),
    "a bound in a bound": (
        "R.minimum(R.maximum(R.minimum(A, R.const(9, 'int32')), R.const(0, 'int32')), R.const(9, 'int32'))",
        "R.maximum(R.minimum(A, R.const(9, 'int32')), R.const(0, 'int32'))",
    ),
    "an order turned": ("R.logical_not(R.less(A, B))", "R.greater_equal(A, B)"),
    "De Morgan": ("R.logical_not(R.logical_and(P, Q))", "R.logical_or(R.logical_not(P), R.logical_not(Q))"),
    "a choice turned": ("R.where(R.logical_not(P), X, Y)", "R.where(P, Y, X)"),
    "a choice of a choice": ("R.where(P, R.where(P, A, B), C)", "R.where(P, A, C)"),
    "the least of two": ("R.where(R.less(A, B), A, B)", "R.minimum(A, B)"),
    "a remainder by a power of two": (
        "R.floor_mod(A, R.const(4, 'int32'))",
        "R.bitwise_and(A, R.const(3, 'int32'))",
    ),
    "bytes wrap": ("R.subtract(R.add(U, U), U)", "U"),
    "a sum of sums": (
        "R.sum(R.add(A, R.multiply(B, R.const(3, 'int32'))), axis=[0])",
        "R.add(R.sum(A, axis=[0]), R.multiply(R.sum(B, axis=[0]), R.const(3, 'int32')))",
    ),
    "a sum backwards": ("R.sum(R.flip(A, axis=0), axis=[0])", "R.sum(A, axis=[0])"),
    "signs": ("R.subtract(X, R.negative(Y))", "R.add(X, Y)"),
    "a sign twice": ("R.negative(R.negative(X))", "X"),
    "a magnitude": ("R.abs(R.negative(X))", "R.abs(X)"),
}

WRONG = {
    "one is always less than the next": ("R.less(A, R.add(A, R.const(1, 'int32')))", "R.equal(A, A)"),
    "the negative of the least": (
        "R.negative(R.maximum(R.negative(A), R.negative(B)))",
        "R.minimum(A, B)",
    ),
    "halves of a sum": (
        "R.floor_divide(R.add(A, A), R.const(2, 'int32'))",
        "A",
    ),
    "an order of floats turned": ("R.logical_not(R.less(X, Y))", "R.greater_equal(X, Y)"),
    "a float is itself": ("R.equal(X, X)", "R.equal(A, A)"),
    "a sum of floats regrouped": ("R.subtract(R.add(X, Y), Y)", "X"),
    "a float less itself": ("R.subtract(X, X)", "R.zeros_like(X)"),
    "bytes do not wrap": ("R.less_equal(U, R.add(U, R.const(1, 'uint8')))", "R.equal(U, U)"),
    "an open shift where nothing is": (
        "R.zeros_like(A)",
        "R.subtract(R.left_shift(A, B), R.left_shift(A, B))",
    ),
    "an open condition": ("A", "R.where(R.less(R.left_shift(A, B), C), A, A)"),
    "an open arm that is taken elsewhere": (
        "R.where(P, R.left_shift(A, B), C)",
        "R.add(R.where(P, R.left_shift(A, B), C), R.subtract(R.left_shift(A, B), R.left_shift(A, B)))",
    ),
    "a sum of other items": (
        "R.sum(R.multiply(A, B), axis=[0])",
        "R.multiply(R.sum(A, axis=[0]), R.sum(B, axis=[0]))",
    ),
    "a float sum backwards": ("R.cumsum(R.flip(X, axis=0), axis=0)", "R.cumsum(X, axis=0)"),
    "the sign of a difference": ("R.negative(R.subtract(X, Y))", "R.subtract(Y, X)"),
    "a magnitude without its sign": ("R.abs(R.negative(X))", "X"),
    "a choice turned and not": ("R.where(R.logical_not(P), X, Y)", "R.where(P, X, Y)"),
}


@pytest.mark.by_day(8)
@pytest.mark.parametrize("rank", SHAPES)
@pytest.mark.parametrize("name", RIGHT)
def test_a_right_rule_is_proved(name: str, rank: int) -> None:
    before, after = RIGHT[name]
    found = attempt(module(before, rank), module(after, rank), "main")
    assert isinstance(found, Proved), found
    assert not found.relaxations


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_rule_is_not_proved(name: str) -> None:
    before, after = WRONG[name]
    assert isinstance(attempt(module(before), module(after), "main"), str)
