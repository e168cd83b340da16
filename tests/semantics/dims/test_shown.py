"""What was shown not to be negative under some facts is remembered: asked again it costs and answers the same."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from refrelax.semantics.dims import ranges, shape_facts
from refrelax.semantics.dims.atoms import MAX_SPENT, MAX_WORK, Atoms
from refrelax.semantics.dims.normal import normal
from refrelax.semantics.dims.poly import sub
from refrelax.syntax.scalars import Binary, PrimExpr, SymVar, int_imm
from tests.draws import draws

NAMES = ("n", "m", "k")
LEAVES = st.sampled_from([SymVar(name) for name in NAMES]) | st.integers(-3, 5).map(int_imm)
TERMS = st.recursive(
    LEAVES,
    lambda e: st.builds(Binary, st.sampled_from(["Add", "Sub", "Mul", "Min", "FloorDiv", "FloorMod"]), e, e),
    max_leaves=8,
)


def asked(e: PrimExpr, atoms: Atoms) -> tuple[bool, int, int]:
    """The answer, and both counts."""
    return ranges.nonneg(normal(e, atoms), atoms), atoms.work, atoms.spent


@settings(max_examples=draws(150), deadline=None)
@given(st.lists(TERMS, min_size=1, max_size=4), st.integers(0, 1), st.integers(0, 40), st.integers(0, 400))
def test_what_is_remembered_changes_no_answer_and_no_count(
    terms: list[PrimExpr], again: int, spent: int, work: int
) -> None:
    """Also where a count is about to run out."""
    shared = shape_facts(NAMES)
    for e in [*terms, *terms * again]:
        for left_spent, left_work in ((MAX_SPENT, MAX_WORK), (spent, work)):
            fresh, known = (
                Atoms(facts, spent=MAX_SPENT - left_spent, work=MAX_WORK - left_work)
                for facts in (shape_facts(NAMES), shared)
            )
            assert asked(e, fresh) == asked(e, known)


def test_a_second_question_looks_at_nothing_again() -> None:
    facts = shape_facts(NAMES)
    n, m, k = map(SymVar, NAMES)
    atoms = Atoms(facts)
    deep = normal(Binary("FloorMod", Binary("Mul", n, m), Binary("Add", k, int_imm(1))), atoms)
    assert ranges.nonneg(sub(deep, normal(int_imm(0), atoms)), atoms)
    count = len(facts.shown)
    assert count and ranges.nonneg(deep, Atoms(facts, table=dict(atoms.table))) and len(facts.shown) == count
