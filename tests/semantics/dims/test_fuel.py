"""``sh/fuel``: deep dimensions cost a bounded amount of work, and what is answered past it is still true."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

import pytest

from refrelax.errors import Ended
from refrelax.semantics.dims import bounds, equal, shape_facts, simplify, substitute, value
from refrelax.shape_solver import prove
from refrelax.syntax.scalars import Binary, PrimExpr, Select, SymVar, int_imm
from tests.clock import seconds_since

DEPTH = 250
CHAINS = {
    "min": ("Min",), "max": ("Max",), "min-max": ("Min", "Max"), "floordiv": ("FloorDiv",), "floormod": ("FloorMod",),
    "truncmod": ("Mod",), "product": ("Mul",), "quotient-product": ("FloorDiv", "Mul"), "select": ("Select",),
    "mixed": ("FloorMod", "Min", "Mul", "Sub"),
}  # fmt: skip
FACTS = shape_facts(["n", *(f"m{i}" for i in range(7))])
ENV = {"n": 5, **{f"m{i}": i + 3 for i in range(7)}}


def chain(ops: tuple[str, ...], depth: int) -> PrimExpr:
    e: PrimExpr = SymVar("n")
    for i in range(depth):
        m, op = SymVar(f"m{i % 7}"), ops[i % len(ops)]
        if op == "Select":
            e = Select(Binary("LT", e, m), m, Binary("Add", SymVar("n"), int_imm(i + 1)))
        else:
            e = Binary(op, e, Binary("Add", m, int_imm(i + 1)))  # type: ignore[arg-type]
    return e


T = TypeVar("T")


def timed(question: Callable[[], T]) -> T:
    start = time.process_time()
    answer = question()
    assert seconds_since(start) < 2  # without fuel: minutes
    return answer


@pytest.mark.thorough
@pytest.mark.parametrize("depth", [20, pytest.param(40, marks=pytest.mark.nightly), DEPTH])
@pytest.mark.parametrize("name", CHAINS)
def test_deep_chains_end(name: str, depth: int) -> None:
    depth = min(depth, 100) if name == "select" else depth  # two levels of nesting each
    e = chain(CHAINS[name], depth)
    assert timed(lambda: equal(e, chain(CHAINS[name], depth), FACTS)) is True
    assert timed(lambda: equal(e, Binary("Sub", Binary("Add", e, int_imm(1)), int_imm(1)), FACTS)) is True
    assert timed(lambda: equal(e, Binary("Add", e, int_imm(1)), FACTS)) is not True
    low, high = timed(lambda: bounds(e, FACTS))
    short = timed(lambda: simplify(e, FACTS))
    assert timed(lambda: simplify(short, FACTS)) == short
    timed(lambda: substitute(e, {"n": SymVar("k")}))
    try:
        found = value(e, ENV)
    except Ended:
        return
    assert value(short, ENV) == found
    assert (low is None or low <= found) and (high is None or found <= high)


@pytest.mark.by_day(6)
@pytest.mark.parametrize("name", CHAINS)
def test_quick_proofs_end(name: str) -> None:
    e = chain(CHAINS[name], 100 if name == "select" else DEPTH)
    timed(lambda: prove(Binary("GE", e, SymVar("n")), effort="quick"))
