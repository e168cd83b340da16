"""Steps of a proof that look at data or part a reduction, each beside what it must not prove."""

from __future__ import annotations

import pytest

import refrelax as rr

GRAPH = """
n = TypeVar("n")
@I.ir_module
class Module:
    @R.function
    def main(p: R.Tensor((n,), "bool"), q: R.Tensor((n,), "bool"), x: R.Tensor((n,), "float32"),
             y: R.Tensor((n,), "float32"), z: R.Tensor((n,), "float32")):
        r = {}
        return r
"""
CAST = 'R.less(R.astype(z, "int32"), R.const(0, "int32"))'
"""A truth that is poison where ``z`` is no number."""

PROVED = {
    "an arm knows its condition": ("R.where(p, R.where(p, x, y), z)", "R.where(p, x, z)"),
    "an arm knows what its condition is not": ("R.where(p, x, R.where(R.logical_not(p), y, z))", "R.where(p, x, y)"),
    "both parts hold": (
        "R.where(R.logical_and(p, q), R.where(q, x, y), z)",
        "R.where(R.logical_and(p, q), x, z)",
    ),
    "neither part holds": (
        "R.where(R.logical_or(p, q), x, R.where(p, z, y))",
        "R.where(R.logical_or(p, q), x, y)",
    ),
    "one after the other": ("R.where(R.logical_and(p, q), x, y)", "R.where(p, R.where(q, x, y), y)"),
    "under an operation": ("R.exp(R.where(p, x, y))", "R.where(p, R.exp(x), R.exp(y))"),
    "poison of the first program": (f"R.where(p, R.where({CAST}, x, x), y)", "R.where(p, x, y)"),
    "a quotient by a power of two": (
        'R.divide(x, R.const(8.0, "float32"))',
        'R.multiply(R.const(0.125, "float32"), x)',
    ),
    "a maximum of one": ("R.maximum(x, x)", "x"),
    "a maximum taken twice": ("R.maximum(y, R.maximum(x, y))", "R.maximum(x, y)"),
    "what is left of a disjunction": (
        "R.where(R.logical_or(p, q), R.where(p, x, y), x)",
        "R.where(R.logical_and(R.logical_not(p), q), y, x)",
    ),
    "a maximum with nothing below an operation": ('R.exp(R.maximum(R.const("-inf", "float32"), x))', "R.exp(x)"),
    "a maximum with nothing": ('R.minimum(x, R.const("inf", "float32"))', "x"),
}
NOT_PROVED = {
    "another arm": ("R.where(p, R.where(p, x, y), z)", "R.where(p, y, z)"),
    "one part of a disjunction": (
        "R.where(R.logical_or(p, q), R.where(p, x, y), z)",
        "R.where(R.logical_or(p, q), x, z)",
    ),
    "what fails is not all parts": (
        "R.where(R.logical_and(p, q), x, R.where(p, y, z))",
        "R.where(R.logical_and(p, q), x, z)",
    ),
    "poison beside what decides a disjunction": (
        "R.where(p, x, y)",
        f"R.where(p, R.where(R.logical_or(p, {CAST}), x, y), y)",
    ),
    "poison beside what decides a conjunction": (
        "R.where(p, x, y)",
        f"R.where(p, x, R.where(R.logical_and(p, {CAST}), x, y))",
    ),
    "poison of a condition whose arms are one": ("R.where(p, x, y)", f"R.where(p, R.where({CAST}, x, x), y)"),
    "a quotient by another number": (
        'R.divide(x, R.const(3.0, "float32"))',
        'R.multiply(R.const(0.3333333432674408, "float32"), x)',
    ),
    "a quotient whose reciprocal is no number": (
        'R.divide(x, R.const(1.401298464324817e-45, "float32"))',
        'R.multiply(R.const("inf", "float32"), x)',
    ),
    "a maximum with the lowest number": ('R.maximum(x, R.const(-3.4028234663852886e38, "float32"))', "x"),
    "a minimum after a maximum": ("R.minimum(y, R.maximum(x, y))", "R.maximum(x, y)"),
    "what is not left of a disjunction": (
        "R.where(R.logical_or(p, q), R.where(p, x, y), x)",
        "R.where(R.logical_and(R.logical_not(p), q), x, y)",
    ),
    "poison times nothing": (
        'R.sum(R.zeros((n,), "int32"))',
        'R.sum(R.multiply(R.astype(z, "int32"), R.zeros((n,), "int32")))',
    ),
    "a maximum with nothing, which may be nothing beside a NaN": ("x", 'R.maximum(x, R.const("-inf", "float32"))'),
    "a minimum with nothing, below an operation": ("R.exp(x)", 'R.exp(R.minimum(R.const("inf", "float32"), x))'),
    "a maximum with plus infinity": ('R.maximum(x, R.const("inf", "float32"))', "x"),
}


def word(text: str, first: str, second: str) -> str:
    return rr.validate(rr.parse(text.format(first)), rr.parse(text.format(second))).word


@pytest.mark.parametrize("name", PROVED)
def test_what_data_decide(name: str) -> None:
    assert word(GRAPH, *PROVED[name]) == "PROVED"


@pytest.mark.by_day(7)
@pytest.mark.parametrize("name", NOT_PROVED)
def test_what_data_do_not_decide(name: str) -> None:
    assert word(GRAPH, *NOT_PROVED[name]) != "PROVED"


LOOPS = """
n = TypeVar("n")
m = TypeVar("m")
@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((n,), "int32"), B: T.Buffer((m,), "int32"), C: T.Buffer((1,), "int32")):
        {}
"""


def loop(extent: str, item: str, start: str = "0", fold: str = "C[0] + {}") -> str:
    return f"C[0] = T.int32({start})\n        for i in range({extent}):\n            C[0] = {fold.format(item)}"


BOTH = loop("n + m", "T.if_then_else(i < n, A[i], B[i - n])")
ONE_BY_ONE = loop("n", "A[i]") + "\n        for i in range(m):\n            C[0] = C[0] + B[i]"
LARGEST = "T.max(C[0], {})"
LEAST = "-2147483648"
SUMS_PROVED = {
    "parted where its items change": (BOTH, ONE_BY_ONE),
    "nothing before": (loop("n + m", "T.if_then_else(i < m, T.int32(0), A[i - m])"), loop("n", "A[i]")),
    "pieces that are given": (
        loop("m", "T.if_then_else(i < n, B[i], B[i])"),
        loop("T.min(m, n)", "B[i]") + "\n        for i in range(m - T.min(m, n)):\n"
        "            C[0] = C[0] + B[i + T.min(m, n)]",
    ),
    "nothing after": (loop("n + m", "T.if_then_else(i < n, A[i], T.int32(0))"), loop("n", "A[i]")),
    "a largest one in pieces": (
        loop("n + m", "T.if_then_else(i < n, A[i], B[i - n])", LEAST, LARGEST),
        loop("m", "B[i]", LEAST, LARGEST) + "\n        for i in range(n):\n            C[0] = T.max(C[0], A[i])",
    ),
}
SUMS_NOT_PROVED = {
    "a place that may lie outside": (loop("n", "T.if_then_else(i < m, A[i], T.int32(0))"), loop("m", "A[i]")),
    "another place": (BOTH, BOTH.replace("i < n", "i <= n").replace("B[i - n]", "B[T.max(i - n, 0)]")),
    "an item twice": (BOTH, ONE_BY_ONE.replace("range(m)", "range(n)").replace("B[i]", "A[i]")),
    "ones beside": (loop("n + m", "T.if_then_else(i < m, T.int32(1), A[i - m])"), loop("n", "A[i]")),
    "pieces that are not all": (
        loop("m", "B[i]"),
        loop("T.min(m, n)", "B[i]") + "\n        for i in range(m - T.min(m, n)):\n            C[0] = C[0] + B[i]",
    ),
    "a start that is counted twice": (
        BOTH.replace("int32(0)", "int32(5)"),
        ONE_BY_ONE.replace("int32(0)", "int32(10)"),
    ),
    "a largest one of nothing": (
        loop("n", "B[0]", LEAST, LARGEST),
        "C[0] = B[0]",
    ),
}


@pytest.mark.parametrize("name", SUMS_PROVED)
def test_reductions_in_pieces(name: str) -> None:
    assert word(LOOPS, *SUMS_PROVED[name]) == "PROVED"


@pytest.mark.by_day(3)
@pytest.mark.parametrize("name", SUMS_NOT_PROVED)
def test_reductions_that_have_other_pieces(name: str) -> None:
    assert word(LOOPS, *SUMS_NOT_PROVED[name]) != "PROVED"
