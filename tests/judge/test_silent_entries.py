"""Entries that give nothing to anyone: what they store in memory of their own is compared, and how their runs end."""

import pytest

import refrelax as rr
from refrelax.judge.evidence import Equivalent, Refuted

HEAD = "@I.ir_module\nclass Module:\n    @T.prim_func(s_tir=True)\n"


def module(body: str, params: str = "n: T.int32") -> rr.Module:
    lines = "".join(" " * 8 + line + "\n" for line in body.strip("\n").splitlines())
    return rr.parse(f"{HEAD}    def main({params}):\n{lines}")


STORES = """A = T.alloc_buffer((9,), "float32")
for i in range(9):
    A[i] = T.Cast("float32", i + n % 7)
for i in range(8):
    A[i] = A[i + 1]"""
RENAMED = STORES.replace("A", "M").replace("n % 7", "n % 7 * 1")
SELECTS = """A = T.alloc_buffer((9,), "float32")
for i in range(9):
    A[i] = T.float32(1)
T.evaluate(T.Select(n > 1, A[n % 9], T.float32(2)))"""
BRANCHES = SELECTS.replace("T.Select", "T.if_then_else")
EVALUATED = "T.evaluate(n + 1)"


@pytest.mark.parametrize(
    ("first", "second"),
    [(STORES, STORES), (STORES, RENAMED), (SELECTS, BRANCHES), (EVALUATED, EVALUATED)],
    ids=["the same", "names and an index", "a branch for a choice", "an expression"],
)
def test_in_step_is_proved(first, second):
    found = rr.validate(module(first), module(second))
    assert isinstance(found, Equivalent)
    assert any("gives nothing to anyone" in each for each in found.evidence.trusts)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (STORES, STORES.replace("A[i] = A[i + 1]", "A[i] = A[i]")),
        (STORES, STORES.replace("n % 7", "n % 5")),
        (STORES, STORES.replace("range(8)", "range(7)")),
        (STORES, STORES.replace("range(8)", "range(9)")),
        (STORES, "T.evaluate(0)"),
        ("T.evaluate(0)", "T.evaluate(0)"),
        ("for i in range(3):\n    T.evaluate(0)", "T.evaluate(0)"),
        (STORES, STORES.replace('"float32", i', '"float64", i').replace('"float32")', '"float64")')),
    ],
    ids=[
        "another element",
        "another value",
        "fewer",
        "poison",
        "nothing",
        "both nothing",
        "a loop of nothing",
        "dtype",
    ],
)
def test_what_is_not_in_step_has_no_verdict(first, second):
    found = rr.validate(module(first), module(second))
    assert found.word == "NO-VERDICT" and "nothing to compare" in str(found)


UNWRITTEN = SELECTS.replace("for i in range(9)", "for i in range(1, 5)")
LOOKED_AT = UNWRITTEN.replace("T.Select(n > 1", "T.if_then_else(A[n % 9] > T.float32(0)")


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (STORES, STORES.replace("(9,)", "(8,)")),
        (STORES, STORES + "\nif n > 2:\n    A[n % 9 + 9] = T.float32(1)"),
        (STORES, STORES + '\nassert n < 2, "no"'),
        (UNWRITTEN, LOOKED_AT),
    ],
    ids=["stores behind the end", "sometimes", "traps", "a branch on what nobody wrote"],
)
def test_a_run_that_ends_otherwise_refutes(first, second):
    assert isinstance(rr.validate(module(first), module(second)), Refuted)
