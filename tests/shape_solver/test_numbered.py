"""Questions that differ by the names of their symbols alone are asked once, and answered alike."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from refrelax.semantics.dims import substitute
from refrelax.shape_solver.pointwise.fits import Sizes
from refrelax.shape_solver.pointwise.logic import Logic, by_number, compare
from refrelax.syntax.scalars import Binary, Let, PrimExpr, SymVar, free_symbols, int_imm

NAMES = ("i", "j", "n", "s0", "s1")


def symbols() -> st.SearchStrategy[PrimExpr]:
    return st.sampled_from([SymVar(name, "int64") for name in NAMES])


def expressions(binding: bool = True) -> st.SearchStrategy[PrimExpr]:
    leaves = symbols() | st.integers(-3, 9).map(lambda k: int_imm(k, "int64"))

    def more(inner: st.SearchStrategy[PrimExpr]) -> st.SearchStrategy[PrimExpr]:
        bound = st.sampled_from([SymVar(name, "int64") for name in NAMES[:3]])
        lets = st.builds(Let, bound, inner, inner)
        plain = st.builds(Binary, st.sampled_from(["Add", "Mul", "FloorMod", "Min"]), inner, inner)
        return lets | plain if binding else plain

    return st.recursive(leaves, more, max_leaves=6)


@given(st.lists(expressions(), min_size=1, max_size=3))
def test_the_numbers_stand_for_the_symbols_and_no_others(exprs: list[PrimExpr]) -> None:
    numbered, names = by_number(exprs)
    assert len(set(names.values())) == len(names)
    assert set(names.values()) == {name for each in exprs for name in free_symbols(each)}
    back = {number: SymVar(name, "int64") for number, name in names.items()}
    again = [substitute(each, back) for each in numbered]
    assert by_number(again)[0] == numbered


@given(expressions(False), expressions(False), st.permutations(NAMES))
def test_other_names_are_the_same_question(a: PrimExpr, b: PrimExpr, order: list[str]) -> None:
    """Without names that are bound, one of which may have to give way."""
    other = {name: SymVar(f"{new}_", "int64") for name, new in zip(NAMES, order, strict=True)}
    logic = Logic(Sizes(lambda _: None))
    answers = []
    for names in ({}, other):
        claim, domain = (substitute(each, names) for each in (compare("LE", a, b), compare("GE", a, int_imm(0))))
        before = logic.left
        answers.append(logic.holds(claim, (domain,)))
    assert answers[0] == answers[1] and logic.left == before


def test_where_a_claim_fails_is_told_by_its_own_names() -> None:
    logic = Logic(Sizes(lambda _: None))
    for name in ("n", "m"):
        extent = SymVar(name, "int64")
        logic.assume(compare("GE", extent, int_imm(0)))
        assert not logic.holds(compare("LT", extent, int_imm(4)))
    assert {name for shape in logic.shapes for name, _ in shape} == {"n", "m"}


def test_a_name_of_two_dtypes_keeps_its_name() -> None:
    both = (SymVar("n", "int64"), SymVar("n", "int32"))
    assert by_number(both) == (both, {})
