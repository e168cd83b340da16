"""What an annotation says of a value that is no call, and when it must be said again."""

from __future__ import annotations

import pytest

from refrelax.lower.annotations import bound, says_as_much, told
from refrelax.syntax.graph import MatchCast, Var, VarBinding
from refrelax.syntax.scalars import Binary, SymVar, int_imm
from refrelax.syntax.types import TensorType, TupleType, Type

N, M = SymVar("n"), SymVar("m")


def tensor(*dims: object, dtype: str | None = "float32") -> TensorType:
    return TensorType(tuple(dims), dtype, len(dims))  # type: ignore[arg-type]


RANK = TensorType(None, "float32", 1)
OWN = tensor(Binary("Add", N, int_imm(1)))
SPELLED = tensor(Binary("Add", int_imm(1), N))

ROWS: list[tuple[Type, Type, Type, bool]] = [
    (OWN, OWN, OWN, True),
    (SPELLED, OWN, OWN, True),
    (RANK, OWN, RANK, False),
    (OWN, RANK, OWN, False),
    (tensor(N, dtype=None), tensor(M), tensor(M, dtype=None), False),
    (TupleType((SPELLED, RANK)), TupleType((OWN, OWN)), TupleType((OWN, RANK)), False),
    (TupleType((SPELLED, SPELLED)), TupleType((OWN, OWN)), TupleType((OWN, OWN)), True),
    (TupleType((SPELLED,)), TupleType((OWN, OWN)), TupleType((SPELLED,)), False),
    (TupleType((OWN, OWN)), TupleType((OWN,)), TupleType((OWN, OWN)), False),
]


@pytest.mark.parametrize(("annotation", "own", "wanted", "as_much"), ROWS)
def test_annotations(annotation: Type, own: Type, wanted: Type, as_much: bool) -> None:
    binding, value = VarBinding("x", Var("y"), annotation), Var("z")
    assert told(annotation, own) == wanted
    assert says_as_much(binding, own, frozenset()) is as_much
    assert says_as_much(binding, own, frozenset({"y"})) is as_much
    assert not says_as_much(binding, own, frozenset({"x"}))
    kept = VarBinding("x", value, annotation)
    assert bound(binding, value, own, frozenset()) == (kept if as_much else MatchCast("x", value, wanted))
    assert bound(binding, value, own, frozenset({"x"})) == MatchCast("x", value, annotation)


def test_nothing_said_is_as_much() -> None:
    binding = VarBinding("x", Var("y"))
    assert says_as_much(binding, OWN, frozenset({"x"}))
    assert bound(binding, Var("z"), OWN, frozenset({"x"})) == VarBinding("x", Var("z"))
