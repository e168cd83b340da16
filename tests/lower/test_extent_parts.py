"""Claims with a symbol in place of each part of an extent: short for many operands, and never weaker."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

import refrelax as rr
from refrelax.errors import Ended
from refrelax.lower.claims import MAX_NODES, Claim, Ledger, nonnegative
from refrelax.lower.extent_parts import Question, named, parts
from refrelax.semantics.dims import value
from refrelax.shape_solver import Unknown
from refrelax.syntax.scalars import Binary, Not, PrimExpr, SymVar, int_imm
from tests.clock import seconds_since


def concat(count: int, before: str = "") -> str:
    """``count`` tensors of symbolic extents, after the axes ``before``."""
    params = ", ".join(f'x{i}: R.Tensor(({before}n{i},), "float32")' for i in range(count))
    total, operands = " + ".join(f"n{i}" for i in range(count)), ", ".join(f"x{i}" for i in range(count))
    symbols = "\n".join(f"{s} = T.int64()" for s in ("n", *(f"n{i}" for i in range(count))))
    return f"""
{symbols}
@I.ir_module
class Module:
    @R.function
    def main({params}) -> R.Tensor(({before}{total},), "float32"):
        with R.dataflow():
            y = R.concat(({operands},), axis=-1)
            R.output(y)
        return y
"""


def lowered(text: str) -> tuple[float, list[Claim], set[str]]:
    checked = rr.check(rr.parse(text))
    start = time.process_time()
    result = rr.lower(checked, "default")
    seconds = seconds_since(start)
    return seconds, [claim for step in result.steps for claim in step.claims], set(result.module.module.functions)


@pytest.mark.thorough
@pytest.mark.parametrize("before", ["", "n, "])
def test_many_operands_are_lowered_in_little_time(before: str) -> None:
    for count in (2, 5, 16):
        seconds, claims, functions = lowered(concat(count, before))
        assert "concatenate" in functions, [str(claim) for claim in claims if not claim.proved]
        assert len(claims) == count + 1 and all(claim.proved for claim in claims)
        assert seconds < 5  # with a condition for each operand: 10 s for 9, 26 s for 10


def test_every_element_comes_from_its_operand() -> None:
    checked = rr.check(rr.parse(concat(5)))
    module, start = rr.lower(checked, "default").module, 0
    args = []
    for extent in (3, 0, 1, 2, 4):
        args.append([float(k) for k in range(start, start + extent)])
        start += extent
    found = rr.run(module, "main", *args)
    assert isinstance(found, rr.Returned)
    assert found.value.numpy().tolist() == [float(k) for k in range(start)]


def test_a_claim_that_is_too_long_is_not_asked() -> None:
    e: PrimExpr = SymVar("n0")
    for k in range(MAX_NODES):
        e = Binary("Add", e, SymVar(f"n{k}"))
    ledger = Ledger()
    assert not ledger.holds(Binary("GE", e, int_imm(0)), "lo/in-bounds", "here")
    assert isinstance(ledger.claims[0].answer, Unknown)


# --- never weaker ----------------------------------------------------------------------------------------------------

SYMBOLS = tuple(SymVar(name) for name in ("a", "b", "c"))
leaves = st.one_of(st.sampled_from(SYMBOLS), st.integers(0, 3).map(int_imm))
operators = st.sampled_from(("Add", "Mul", "Sub", "FloorDiv", "Min"))
extents = st.recursive(leaves, lambda inner: st.builds(Binary, operators, inner, inner), max_leaves=6)


@given(st.lists(extents, min_size=1, max_size=3), st.data())
def test_a_named_question_implies_the_claim(dims: list[PrimExpr], data: st.DataObject) -> None:
    v, known = SymVar("v"), parts(dims)
    sides = st.sampled_from([*sorted(known, key=repr), *SYMBOLS, v, int_imm(1)])
    compared = st.builds(Binary, st.sampled_from(("LT", "LE", "EQ")), sides, st.builds(Binary, operators, sides, sides))
    statement = data.draw(compared)
    near = tuple(data.draw(st.lists(compared | compared.map(Not), max_size=2)))
    facts = nonnegative(*SYMBOLS)
    question = named(Question(statement, near), known, facts)
    if question is None:
        return
    for env in ({"a": 0, "b": 1, "c": 2, "v": 1}, {"a": 3, "b": 0, "c": 1, "v": 0}, {"a": 2, "b": 5, "c": 3, "v": 4}):
        try:
            full = {**env, **{name: value(part, env) for name, part in question.parts.items()}}
            held = all(value(each, env) for each in (*near, *facts))
            assert value(question.statement, full) == value(statement, env)
        except Ended:
            continue  # the extent has no value: no kernel runs
        if held:
            assert all(value(each, full) for each in question.given)
