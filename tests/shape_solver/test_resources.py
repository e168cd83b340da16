"""Questions of any size end soon: shared parts, many nodes, deep nesting, narrow dtypes."""

from __future__ import annotations

import copy
import time

import pytest

from refrelax.semantics.dims import NO_FACTS, equal
from refrelax.semantics.dims.atoms import Atoms
from refrelax.semantics.dims.normal import normal
from refrelax.shape_solver import Proved, Unknown, prove, z3_
from refrelax.shape_solver.size import measure
from refrelax.syntax.scalars import Binary, PrimExpr, SymVar, int_imm
from tests.clock import seconds_since

X, Y = SymVar("x", "int64"), SymVar("y", "int64")


def shared(kind: str, levels: int) -> PrimExpr:
    """An expression of ``levels`` objects that is a tree of ``2 ** levels`` nodes and more."""
    e: PrimExpr = X
    for _ in range(levels):
        match kind:
            case "sum":
                e = Binary("Add", e, e)
            case "quotient":
                e = Binary("Add", Binary("FloorDiv", e, int_imm(3)), Binary("FloorMod", e, int_imm(3)))
            case "minimum":
                e = Binary("Min", Binary("Add", e, Y), Binary("Mul", e, int_imm(2)))
            case _:
                e = Binary("Sub", Binary("Mul", e, Y), e)
    return e


def unshared(e: PrimExpr) -> PrimExpr:
    return Binary(e.op, unshared(e.a), unshared(e.b)) if isinstance(e, Binary) else copy.copy(e)


KINDS = ("sum", "quotient", "minimum", "product")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("levels", [1, 4, 9])
def test_sharing_changes_neither_the_normal_form_nor_its_fuel(kind: str, levels: int) -> None:
    e = shared(kind, levels)
    one, other = Atoms(NO_FACTS), Atoms(NO_FACTS)
    assert normal(e, one) == normal(unshared(e), other)
    assert (one.work, one.spent, one.exhausted) == (other.work, other.spent, other.exhausted)


@pytest.mark.parametrize("kind", KINDS)
def test_shared_parts_are_opened_once(kind: str) -> None:
    start = time.process_time()
    normal(shared(kind, 40), Atoms(NO_FACTS))
    assert seconds_since(start) < 2


@pytest.mark.parametrize("kind", KINDS)
def test_a_question_that_is_too_large_is_open_at_once(kind: str) -> None:
    e = shared(kind, 40)
    start = time.process_time()
    answer = prove(Binary("GE", e, int_imm(0)))
    assert isinstance(answer, Unknown) and answer.stage == "size" and "16000 nodes" in answer.reason
    assert isinstance(prove("n >= 0", [Binary("GE", e, int_imm(0))]), Unknown)
    assert seconds_since(start) < 1


def test_depth_and_steps() -> None:
    e: PrimExpr = X
    for _ in range(1_500):
        e = Binary("Add", e, int_imm(1))
    assert isinstance(prove(Binary("GE", e, X)), Proved)  # a chain of one operator is flat
    e = X
    for _ in range(1_500):
        e = Binary("FloorDiv", Binary("Add", e, int_imm(1)), Y)
    answer = prove(Binary("GE", e, X))
    assert isinstance(answer, Unknown) and "160 levels" in answer.reason
    e = X
    for _ in range(9):
        e = Binary("FloorDiv", Binary("Add", e, e), int_imm(2))
    assert measure(e) == (measure(unshared(e)))
    assert isinstance(prove(" + ".join(["n"] * 100) + " >= n", ["n >= 0"]), Proved)


@pytest.mark.parametrize("kind", KINDS)
def test_the_largest_questions_end(kind: str) -> None:
    start = time.process_time()
    prove(Binary("GE", Binary("FloorMod", shared(kind, 7), int_imm(7)), int_imm(0)), fits="int8")
    prove(Binary("NE", shared(kind, 8), Binary("Add", shared(kind, 8), int_imm(1))))
    assert seconds_since(start) < 5


def test_equal_of_shared_parts() -> None:
    e = shared("sum", 40)
    assert equal(e, Binary("Mul", X, int_imm(1 << 40)), NO_FACTS) is True


@pytest.mark.thorough
@pytest.mark.skipif(not z3_.AVAILABLE, reason="needs z3")
def test_a_loop_of_z3_that_counts_nothing_is_stopped() -> None:
    """Z3's cuts go on for minutes here without spending a unit; a later stage may still decide."""
    claim = "(((0 + z) != (x * y)) or ((3 // z) == (0 - x)))"
    answer = prove(claim, ["x + y == z", "x % 4 == 0", "-4 <= z"])
    assert isinstance(answer, (Proved, Unknown))
    if isinstance(answer, Unknown):
        assert answer.reason == z3_.STOPPED
