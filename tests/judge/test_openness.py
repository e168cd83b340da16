"""What a program leaves open: excluded and counted when the source has it, a divergence when a lowering brings it in.

Each case is a pair: a program that is *determined*, and one that leaves something *open* where the first does not.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

import refrelax as rr
from refrelax.judge import validate
from refrelax.judge.evidence import Equivalent, ProvedAt, Refuted, Tested

HEAD = "@I.ir_module\nclass Module:\n"
NAN = float("nan")


def loop(body: str, more: str = "") -> str:
    """A PrimFunc from ``A`` to ``B``, 4 elements each, called by ``main``."""
    return f"""{HEAD}
    @T.prim_func(private=True, s_tir=True)
    def f(A: T.Buffer((T.int64(4),), "float32"), B: T.Buffer((T.int64(4),), "float32")):
        {more}
        for i in range(T.int64(4)):
            {body}
    @R.function
    def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        cls = Module
        y = R.call_tir(cls.f, (x,), out_ty=R.Tensor((4,), "float32"))
        return y
"""


def staged(written: int) -> str:
    """A copy through a buffer of which ``written`` elements are written."""
    lines = ("L = T.sblock_alloc_buffer((T.int64(4),))", f"for k in range(T.int64({written})):", "    L[k] = A[k]")
    return loop("B[i] = L[i]", ("\n" + 8 * " ").join(lines))


def cast(value: str) -> str:
    return f"""{HEAD}
    @T.prim_func(private=True, s_tir=True)
    def f(A: T.Buffer((T.int64(24),), "float32"), B: T.Buffer((T.int64(24),), "int32")):
        for i in range(T.int64(24)):
            B[i] = {value}
    @R.function
    def main(x: R.Tensor((24,), "float32")) -> R.Tensor((24,), "int32"):
        cls = Module
        y = R.call_tir(cls.f, (x,), out_ty=R.Tensor((24,), "int32"))
        return y
"""


def cache(rows: int, read: str) -> str:
    """A cache of 4 rows of which 2 are filled; ``rows`` are summed under a mask, or without one."""
    return f"""{HEAD}
    @T.prim_func(private=True, s_tir=True)
    def fill(A: T.Buffer((T.int64(2), T.int64(3)), "float32"), C: T.Buffer((T.int64(4), T.int64(3)), "float32")):
        for i, j in T.grid(T.int64(2), T.int64(3)):
            C[i, j] = A[i, j]
    @T.prim_func(private=True, s_tir=True)
    def total(C: T.Buffer((T.int64(4), T.int64(3)), "float32"), B: T.Buffer((T.int64(3),), "float32")):
        for j, i in T.grid(T.int64(3), T.int64({rows})):
            with T.sblock("total"):
                vj, vi = T.axis.remap("SR", [j, i])
                with T.init():
                    B[vj] = T.float32(0)
                B[vj] = B[vj] + {read}
    @R.function
    def main(x: R.Tensor((2, 3), "float32")) -> R.Tensor((3,), "float32"):
        cls = Module
        kept = R.call_tir(cls.fill, (x,), out_ty=R.Tensor((4, 3), "float32"))
        y = R.call_tir(cls.total, (kept,), out_ty=R.Tensor((3,), "float32"))
        return y
"""


def graph(*lines: str, types: str, ret: str) -> str:
    body = "\n".join(f"        {line}" for line in lines)
    return f"{HEAD}    @R.function\n    def main({types}) -> {ret}:\n{body}\n        return r\n"


INTS = 'x: R.Tensor((3,), "int32"), y: R.Tensor((3,), "int32")'
FLOATS = 'x: R.Tensor((24,), "float32")'
ELEMENTS = [1.5, -2.0, NAN, 0.25] * 6


@dataclass(frozen=True)
class Pair:
    """Two programs, arguments on which they differ, and the rule under which the second leaves something open."""

    determined: str
    open: str
    args: list[Any]
    rule: str


PAIRS = {
    "an out-of-bounds load": Pair(
        loop('B[i] = T.if_then_else(i < T.int64(3), A[i + T.int64(1)], T.float32(0))'),
        loop("B[i] = A[i + T.int64(1)]"),
        [[1.0, 2.0, 3.0, 4.0]],
        "ld/load-out-of-bounds",
    ),
    "a read of memory never written": Pair(
        staged(4),
        staged(3),
        [[1.0, 2.0, 3.0, 4.0]],
        "st/never-written",
    ),
    "an output that is not fully written": Pair(
        loop("B[i] = A[i]"),
        loop("if i < T.int64(3):\n                B[i] = A[i]"),
        [[1.0, 2.0, 3.0, 4.0]],
        "st/never-written",
    ),
    "a cast of NaN in a loop": Pair(
        cast('T.Select(A[i] != A[i], T.int32(0), T.Cast("int32", T.max(T.min(A[i], T.float32(99)), T.float32(-99))))'),
        cast('T.Cast("int32", T.max(T.min(A[i], T.float32(99)), T.float32(-99)))'),
        [ELEMENTS],
        "num/cast-range",
    ),
    "a cast of NaN in the graph": Pair(
        graph(
            "c = R.clip(x, -99, 99)", "k = R.astype(c, \"int32\")", "z = R.zeros_like(k)", "b = R.isnan(x)",
            "r = R.where(b, z, k)", types=FLOATS, ret='R.Tensor((24,), "int32")',
        ),
        graph("c = R.clip(x, -99, 99)", "r = R.astype(c, \"int32\")", types=FLOATS, ret='R.Tensor((24,), "int32")'),
        [ELEMENTS],
        "num/cast-range",
    ),
    "a cache read past what is filled": Pair(
        cache(4, "T.if_then_else(vi < T.int64(2), C[vi, vj], T.float32(0))"),
        cache(3, "C[vi, vj]"),
        [[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]],
        "st/never-written",
    ),
    "an integer division by zero": Pair(
        graph(
            "o = R.ones_like(y)", "z = R.zeros_like(y)", "b = R.equal(y, z)", "d = R.where(b, o, y)",
            "q = R.floor_divide(x, d)", "r = R.where(b, z, q)", types=INTS, ret='R.Tensor((3,), "int32")',
        ),
        graph(
            "z = R.zeros_like(y)", "b = R.equal(y, z)", "q = R.floor_divide(x, y)", "r = R.where(b, z, q)",
            types=INTS, ret='R.Tensor((3,), "int32")',
        ),
        [[7, 8, 9], [2, 0, 3]],
        "num/int-division-by-zero",
    ),
}  # fmt: skip

ALL_OPEN = {"a cache read past what is filled"}
"""Programs that leave every element of the result open: nothing is compared, and that is no agreement."""

IMMEDIATE = {"an integer division by zero"}


class Lowered:
    """An implementation that runs another program than the one it was given."""

    def __init__(self, module: rr.CheckedModule) -> None:
        self.module = module

    def run(self, _module: rr.Module, entry: str, args: list[Any]) -> Any:
        return rr.run(self.module, entry, *args)


def checked(text: str) -> rr.CheckedModule:
    return rr.check(rr.parse(text))


@pytest.mark.parametrize("name", PAIRS)
def test_the_first_is_determined(name: str) -> None:
    pair = PAIRS[name]
    outcome = rr.run(checked(pair.determined), "main", *pair.args)
    assert isinstance(outcome, rr.Returned)
    assert outcome.poison == ()


@pytest.mark.parametrize("name", PAIRS)
def test_the_second_is_open_under_its_rule(name: str) -> None:
    pair = PAIRS[name]
    outcome = rr.run(checked(pair.open), "main", *pair.args)
    if name in IMMEDIATE:
        assert isinstance(outcome, rr.Unspecified)
        assert outcome.rule == pair.rule
    else:
        assert isinstance(outcome, rr.Returned)
        assert {rule for _, rule in outcome.poison} == {pair.rule}


@pytest.mark.parametrize("mode", ["bits", "fast"])
@pytest.mark.parametrize("name", PAIRS)
def test_in_the_source_it_is_excluded_and_counted(name: str, mode: str) -> None:
    pair = PAIRS[name]
    verdict = rr.diff(checked(pair.open), "main", pair.args, impl="numpy", mode=mode)
    if name in IMMEDIATE:
        assert isinstance(verdict, rr.NoVerdict)
        assert verdict.excluded
        return
    assert sum(each.excluded for each in verdict.bindings) > 0
    assert verdict.report.excluded > 0 and verdict.report.open[0].rule == pair.rule
    if name in ALL_OPEN:
        assert isinstance(verdict, rr.NoVerdict) and verdict.word == "OPEN" and pair.rule in verdict.why
    else:
        assert isinstance(verdict, rr.Agreement), verdict


@pytest.mark.parametrize("name", PAIRS)
def test_where_the_source_is_determined_all_is_judged(name: str) -> None:
    """The masked forms agree; poison under a mask excludes no element of the result."""
    pair = PAIRS[name]
    verdict = rr.diff(checked(pair.determined), "main", pair.args, impl="numpy")
    assert isinstance(verdict, rr.Agreement), verdict
    assert [each.excluded for each in verdict.bindings][-1] == 0


@pytest.mark.parametrize("name", PAIRS)
def test_brought_in_by_a_lowering_it_is_a_divergence(name: str) -> None:
    pair = PAIRS[name]
    verdict = rr.diff(checked(pair.determined), "main", pair.args, impl=Lowered(checked(pair.open)))
    assert isinstance(verdict, rr.Divergence), verdict
    assert pair.rule in verdict.message


@pytest.mark.parametrize("name", PAIRS)
def test_validate_refutes_the_lowering(name: str) -> None:
    pair = PAIRS[name]
    found = validate(checked(pair.determined), checked(pair.open))
    assert isinstance(found, Refuted), found
    assert found.counterexample is not None
    assert pair.rule in found.counterexample.message


@pytest.mark.by_day(4)
@pytest.mark.parametrize("name", PAIRS)
def test_a_lowering_may_determine_what_was_open(name: str) -> None:
    """The other way round nothing is wrong: the determined program refines the open one."""
    pair = PAIRS[name]
    found = validate(checked(pair.open), checked(pair.determined))
    assert isinstance(found, Equivalent | ProvedAt | Tested | rr.NoVerdict), found


def test_the_open_elements_are_counted_one_by_one() -> None:
    pair = PAIRS["an out-of-bounds load"]
    verdict = rr.diff(checked(pair.open), "main", pair.args, impl="numpy")
    assert isinstance(verdict, rr.Agreement)
    assert [each.excluded for each in verdict.bindings] == [1]
