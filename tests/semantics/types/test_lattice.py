"""The laws of the lattice and of erasure."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refrelax.semantics.dims import shape_facts
from refrelax.semantics.types.erase import Assignment, erase_by_assignment, erase_to_scope
from refrelax.semantics.types.lattice import UNBOUND_CONSTANT, Check, check, is_base_of, join
from refrelax.semantics.types.renaming import alpha_equal, mentioned
from refrelax.syntax.scalars import Binary, SymVar, int_imm
from refrelax.syntax.types import AnyType, FuncType, PrimType, ShapeType, TensorType, TupleType, Type, tensor_of
from tests.semantics.types.strategies import M, N, first_order, types

FACTS = shape_facts(["n", "m"])
F32 = "float32"


@given(types)
def test_subtype_is_reflexive(t: Type) -> None:
    assert check(t, t, FACTS) is Check.PASS


@given(first_order, first_order, first_order)
def test_subtype_is_transitive(a: Type, b: Type, c: Type) -> None:
    if is_base_of(a, b, FACTS) and is_base_of(b, c, FACTS):
        assert is_base_of(a, c, FACTS)


@given(types)
def test_any_is_the_top(t: Type) -> None:
    assert check(AnyType(), t, FACTS) is Check.PASS
    if t != AnyType():
        assert check(t, AnyType(), FACTS) is Check.L1
    assert join(t, AnyType(), FACTS) == AnyType() == join(AnyType(), t, FACTS)


@given(types, types)
def test_join_is_an_upper_bound(a: Type, b: Type) -> None:
    both = join(a, b, FACTS)
    assert is_base_of(both, a, FACTS), both
    assert is_base_of(both, b, FACTS), both


@given(types, types)
def test_join_is_idempotent_and_commutative(a: Type, b: Type) -> None:
    assert join(a, a, FACTS) == a
    ab, ba = join(a, b, FACTS), join(b, a, FACTS)
    assert is_base_of(ab, ba, FACTS)
    assert is_base_of(ba, ab, FACTS)


@given(first_order, first_order, first_order)
def test_join_is_least(a: Type, b: Type, c: Type) -> None:
    """Any common supertype is a supertype of the join."""
    if is_base_of(c, a, FACTS) and is_base_of(c, b, FACTS):
        assert is_base_of(c, join(a, b, FACTS), FACTS)


@given(types, st.sets(st.sampled_from(["n", "m"])))
def test_erasure(t: Type, visible: set[str]) -> None:
    erased = erase_to_scope(t, visible)
    assert erase_to_scope(erased, visible) == erased
    assert mentioned(erased) <= visible
    if not isinstance(t, FuncType):
        assert is_base_of(erased, t, FACTS)
    assert erase_to_scope(t, {"n", "m"}) == t


@given(first_order)
def test_assignment_by_itself_changes_nothing_provable(t: Type) -> None:
    same = erase_by_assignment(t, Assignment({"n": N, "m": M}), FACTS)
    assert is_base_of(t, same, FACTS)
    assert is_base_of(same, t, FACTS)


def test_erasure_loses_the_whole_shape() -> None:
    t = tensor_of((int_imm(3), N), F32, "llvm:0:global")
    assert erase_to_scope(t, {"m"}) == TensorType(None, F32, 2, "llvm:0:global")
    assert erase_by_assignment(t, Assignment({"m": N}), FACTS) == TensorType(None, F32, 2, "llvm:0:global")


def test_assignment_is_simultaneous() -> None:
    t = tensor_of((N, M, Binary("Add", N, M)), F32)
    swapped = erase_by_assignment(t, Assignment({"n": M, "m": N}), FACTS)
    assert isinstance(swapped, TensorType)
    assert isinstance(swapped.shape, tuple)
    assert swapped.shape[:2] == (M, N)


def dims(*values: object) -> TensorType:
    return tensor_of(tuple(int_imm(v) if isinstance(v, int) else v for v in values), F32)  # type: ignore[misc]


ONE_MORE = Binary("Add", N, int_imm(1))
TWO_MORE = Binary("Add", N, int_imm(2))


@pytest.mark.parametrize(("base", "derived", "grade"), [
    (dims(3, 4), dims(3, 4), Check.PASS),
    (dims(3), dims(4), Check.L0),
    (dims(N), dims(3), Check.L2),
    (dims(N), dims(M), Check.L2),
    (dims(ONE_MORE), dims(TWO_MORE), Check.L2),
    (dims(ONE_MORE), dims(Binary("Add", int_imm(1), N)), Check.PASS),
    (dims(3, N), dims(4, M), Check.L0),
    (dims(), dims(1), Check.L0),
    (dims(0), dims(0), Check.PASS),
    (dims(3), TensorType(None, F32, 1), Check.L2),
    (dims(3), TensorType(None, F32, -1), Check.L1),
    (dims(3), TensorType(None, None, 1), Check.L1),
    (dims(3), tensor_of((int_imm(3),), "float16"), Check.L0),
    (tensor_of((int_imm(3),), F32, "cuda:0:global"), dims(3), Check.L1),
    (tensor_of((int_imm(3),), F32, "cuda:0:global"), tensor_of((int_imm(3),), F32, "llvm:0:global"), Check.L0),
    (dims(3), ShapeType(None, 1), Check.L0),
    (dims(3), AnyType(), Check.L1),
    (dims(3), UNBOUND_CONSTANT, Check.PASS),
    (PrimType("int64"), PrimType("int32"), Check.L0),
    (ShapeType(None, 2), ShapeType(None, -1), Check.L1),
    (ShapeType((N,), 1), ShapeType(None, 1), Check.L2),
    (TupleType((dims(N), AnyType())), TupleType((dims(3), dims(3))), Check.L2),
    (TupleType((dims(3),)), TupleType((dims(3), dims(3))), Check.L0),
    (FuncType(None, AnyType(), True), FuncType(None, AnyType(), False), Check.L0),
    (FuncType(None, AnyType(), False), FuncType((dims(3),), dims(3), True), Check.PASS),
    (FuncType((dims(3),), dims(3)), FuncType(None, dims(3)), Check.L2),
    (FuncType((dims(N),), dims(N)), FuncType((dims(M),), dims(M)), Check.PASS),
    (FuncType((dims(N),), dims(N)), FuncType((dims(M),), dims(3)), Check.L2),
    (FuncType((dims(3),), dims(3)), FuncType((AnyType(),), dims(3)), Check.L2),
])  # fmt: skip
def test_grades(base: Type, derived: Type, grade: Check) -> None:
    assert check(base, derived, FACTS) is grade


def test_alpha_equality_isolates_symbols() -> None:
    k = SymVar("k")
    assert alpha_equal(FuncType((dims(N), dims(M)), dims(N, M)), FuncType((dims(k), dims(N)), dims(k, N)))
    assert not alpha_equal(FuncType((dims(N), dims(M)), dims(N, M)), FuncType((dims(N), dims(M)), dims(M, N)))
    assert not alpha_equal(FuncType((dims(N), dims(N)), dims(N)), FuncType((dims(N), dims(M)), dims(N)))
