"""Facts that have to do with a claim: those that share symbols with it, directly or through each other."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from refrelax.shape_solver.pointwise.fits import Sizes
from refrelax.shape_solver.pointwise.linked import Linked
from refrelax.shape_solver.pointwise.logic import Logic
from refrelax.syntax.scalars import Binary, PrimExpr, SymVar, int_imm

NAMES = st.frozensets(st.sampled_from("abcdefgh"), max_size=3)


def fact(number: int, names: frozenset[str]) -> PrimExpr:
    e: PrimExpr = int_imm(number)
    for name in sorted(names):
        e = Binary("Add", e, SymVar(name, "int64"))
    return Binary("GE", e, int_imm(0))


def looked_for(names: frozenset[str], facts: list[tuple[PrimExpr, frozenset[str]]]) -> list[PrimExpr]:
    """One after the other, until none shares a symbol with what was found."""
    reached = set(names)
    while more := {n for _, own in facts if not reached.isdisjoint(own) for n in own} - reached:
        reached |= more
    return [each for each, own in facts if not reached.isdisjoint(own)]


@given(NAMES, st.lists(NAMES, max_size=12), st.lists(NAMES, max_size=5))
def test_facts_are_found_by_their_symbols(
    names: frozenset[str], always: list[frozenset[str]], here: list[frozenset[str]]
) -> None:
    facts = [(fact(k, own), own) for k, own in enumerate([*always, *here])]
    linked = Linked()
    for each, own in facts[: len(always)]:
        linked.add(each, own)
    assert linked.with_symbols(names, facts[len(always) :]) == looked_for(names, facts)


def test_what_is_assumed_later_counts() -> None:
    logic = Logic(Sizes(lambda name: None))
    n, m, k = (SymVar(name, "int64") for name in "nmk")
    claim = Binary("GE", n, int_imm(0))
    first, second, third = Binary("LE", n, m), Binary("LE", m, k), Binary("LE", int_imm(0), int_imm(1))
    logic.assume(first)
    assert len(logic.relevant(claim, ())) == 1
    logic.assume(second, third)
    assert len(logic.relevant(claim, ())) == 2
    assert not logic.relevant(Binary("GE", SymVar("other", "int64"), int_imm(0)), ())
