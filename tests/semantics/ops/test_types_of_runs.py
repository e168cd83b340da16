"""What a run adds to what checking knew: of which types it knew less than dtype and rank, and what is equal then."""

from __future__ import annotations

import pytest

from refrelax.semantics.ops.retyping import AtRun, incomplete
from refrelax.semantics.values import DType, Shape
from refrelax.syntax.graph import DataTypeValue
from refrelax.syntax.scalars import SymVar, int_imm
from refrelax.syntax.types import AnyType, PrimType, ShapeType, TensorType, TupleType, Type

DIMS = (int_imm(2), SymVar("n"))
WHOLE = [
    TensorType(DIMS, "float32"), TensorType(None, "float32", 2), TensorType(None, "float32", 0), PrimType("int64"),
    ShapeType(None, 2), ShapeType(None), TupleType(()), TupleType((TensorType(DIMS, "int8"), PrimType("bool"))), None,
]  # fmt: skip
LESS = [
    TensorType(None, "float32"), TensorType(DIMS, None), TensorType(None, None, 2), AnyType(),
    TupleType((TensorType(DIMS, "int8"), AnyType())), TupleType((TupleType((TensorType(None, "int8"),)),)),
]  # fmt: skip


@pytest.mark.parametrize(("types", "wanted"), [(WHOLE, False), (LESS, True)])
def test_which_types_are_incomplete(types: list[Type | None], wanted: bool) -> None:
    for each in types:
        assert incomplete(each) is wanted, each


def test_what_is_equal_in_a_run() -> None:
    """Numbers are told apart; of what is no number the same text is equal, and another one is not known."""
    run = AtRun({"s": Shape((2, 3)), "t": DType("int8")}, None)
    n, m = SymVar("n"), SymVar("m")
    for a, b, wanted in (
        (int_imm(2), int_imm(2), True), (int_imm(2), int_imm(3), False), (n, n, True), (n, m, None),
        (n, int_imm(2), None), (int_imm(2), n, None),
    ):  # fmt: skip
        assert run.equal(a, b) is wanted, (a, b)
    assert run.shape_of("s") == (int_imm(2), int_imm(3)) and run.shape_of("t") is None is run.shape_of("u")
    assert run.value_of("t") == DataTypeValue("int8") and run.value_of("s") is None is run.value_of("u")
