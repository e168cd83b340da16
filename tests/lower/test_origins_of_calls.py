"""When a call of a loop program is the operators that it comes from: types that fit, numbers that are counts."""

# ruff: noqa: E501
from __future__ import annotations

from typing import Any

import pytest

import refrelax as rr
from refrelax.lower import lower
from refrelax.lower.origins.calls import _count, _expr, _unified, counted
from refrelax.lower.origins.expand import Expanded, expanded, proved_origins
from refrelax.syntax.graph import Call, Op, PrimValue, ShapeExpr, StringValue, Tuple, TupleGetItem, Var
from refrelax.syntax.scalars import Binary, PrimExpr, SymVar, int_imm
from refrelax.syntax.types import AnyType, ShapeType, TensorType, TupleType, Type

N, M, K = (SymVar(name, "int64") for name in "nmk")


def tensor(*dims: PrimExpr | int, dtype: str = "float32") -> TensorType:
    return TensorType(tuple(int_imm(d) if isinstance(d, int) else d for d in dims), dtype, len(dims))


def binary(op: Any, a: PrimExpr, b: PrimExpr | int) -> Binary:
    return Binary(op, a, int_imm(b) if isinstance(b, int) else b)


def test_numbers_that_are_counts() -> None:
    for e, wanted in (
        (N, True), (M, False), (int_imm(0), True), (int_imm(3), True), (int_imm(-1), False), (binary("Add", N, 2), True),
        (binary("Mul", N, 2), True), (binary("Sub", N, 2), False), (binary("Add", N, -2), False), (binary("Add", M, 2), False),
        (binary("Mul", N, M), False), (binary("Mul", M, N), False), (binary("FloorDiv", N, 2), False),
    ):  # fmt: skip
        assert _count(e, frozenset({"n"})) is wanted, e


UNKNOWN = TensorType(None, "float32", 2)

FITS: dict[str, tuple[list[tuple[Type, Type | None]], dict[str, Any], dict[str, Any] | None]] = {
    "nothing": ([], {}, {}), "numbers": ([(tensor(2, 3), tensor(2, 3))], {}, {}), "another number": ([(tensor(2, 3), tensor(2, 4))], {}, None),
    "a symbol": ([(tensor(N, 3), tensor(K, 3))], {}, {"n": K}), "a symbol that is a number": ([(tensor(N), tensor(7))], {}, {"n": int_imm(7)}),
    "a number for a symbol": ([(tensor(7), tensor(K))], {}, None),
    "a symbol twice": ([(tensor(N, N), tensor(K, K))], {}, {"n": K}), "a symbol for two": ([(tensor(N, N), tensor(K, M))], {}, None),
    "a symbol that is known": ([(tensor(N), tensor(K))], {"n": K}, {"n": K}), "a symbol that is another": ([(tensor(N), tensor(K))], {"n": M}, None),
    "computed": ([(tensor(N, binary("Mul", N, 2)), tensor(K, binary("Add", K, K)))], {}, {"n": K}),
    "computed before": ([(tensor(binary("Mul", N, 2), N), tensor(binary("Mul", K, 2), K))], {}, {"n": K}),
    "computed otherwise": ([(tensor(N, binary("Mul", N, 2)), tensor(K, binary("Add", K, 2)))], {}, None),
    "computed of nothing": ([(tensor(binary("Mul", N, 2)), tensor(8))], {}, None),
    "another rank": ([(tensor(N), tensor(K, 1))], {}, None), "another dtype": ([(tensor(N), tensor(K, dtype="float16"))], {}, None),
    "unknown": ([(tensor(N, M), UNKNOWN)], {}, None), "no type": ([(tensor(N), None)], {}, None), "no tensor": ([(tensor(N), AnyType())], {}, None),
    "a shape": ([(ShapeType((N,), 1), ShapeType((N,), 1))], {}, None),
    "a tuple": ([(TupleType((tensor(N), tensor(M))), TupleType((tensor(K), tensor(2))))], {}, {"n": K, "m": int_imm(2)}),
    "a longer tuple": ([(TupleType((tensor(N),)), TupleType((tensor(K), tensor(2))))], {}, None),
    "a tuple of others": ([(TupleType((tensor(N), tensor(N))), TupleType((tensor(K), tensor(2))))], {}, None),
    "a tuple for a tensor": ([(tensor(N), TupleType((tensor(N),)))], {}, None),
    "one after the other": ([(tensor(N), tensor(K)), (tensor(M, N), tensor(4, K))], {}, {"n": K, "m": int_imm(4)}),
    "one after another": ([(tensor(N), tensor(K)), (tensor(M, N), tensor(4, M))], {}, None),
}  # fmt: skip


@pytest.mark.by_day(6)
@pytest.mark.parametrize("name", FITS)
def test_types_that_fit(name: str) -> None:
    pairs, symbols, wanted = FITS[name]
    found = dict(symbols)
    assert _unified(list(pairs), found) is (wanted is not None)
    if wanted is not None:
        assert found == wanted


def test_extents_that_types_name() -> None:
    types = (
        tensor(N, 3), ShapeType((M, binary("Add", SymVar("p", "int64"), 1)), 2), TupleType((tensor(K), AnyType())), None,
        UNKNOWN, ShapeType(None, 2),
    )  # fmt: skip
    assert counted(types) == {"n", "m", "k"} and counted(()) == set()


def test_an_argument_in_the_callers_terms() -> None:
    names = {"x": Var("a"), "t": Var("u")}

    def dim(e: PrimExpr) -> PrimExpr:
        return K if e == N else e

    for e, wanted in (
        (Var("x"), Var("a")), (PrimValue(N), PrimValue(K)), (ShapeExpr((N, M)), ShapeExpr((K, M))), (StringValue("x"), StringValue("x")),
        (Tuple((Var("x"), PrimValue(N))), Tuple((Var("a"), PrimValue(K)))), (TupleGetItem(Var("t"), 1), TupleGetItem(Var("u"), 1)),
        (Call(Op("relax.add"), (Var("x"), Var("t"))), Call(Op("relax.add"), (Var("a"), Var("u")))),
    ):  # fmt: skip
        assert _expr(e, names, dim) == wanted


PROGRAM = """
n, k, m = T.int64(), T.int64(), T.int64()
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((n,), "int64"), s: R.Shape([k, m])):
        with R.dataflow():
            y = {}
            R.output(y)
        z = {}
        return (y, z)
"""
CALLS = (
    "R.add(x, R.prim_value(k))", "R.clip(x, 0, k)", "R.add(x, R.prim_value(k + 1))", "R.full(R.shape([k, n]), R.const(2, 'int64'))",
    "R.broadcast_to(x, R.shape([k, n]))", "R.add(x, R.prim_value(5))", "R.add(x, x)", "R.full(R.shape([3]), R.const(2, 'int64'))",
)  # fmt: skip


@pytest.mark.by_day(6)
@pytest.mark.parametrize("call", CALLS)
def test_loop_programs_are_written_as_what_they_were(call: str) -> None:
    """Under the numbers of each call; one loop program stands for both calls."""
    before = rr.check(rr.parse(PROGRAM.format(call, call.replace("k", "m"))))
    made = lower(before, passes=("legalize",)).module
    assert len(made.module.prim_funcs()) == 1
    origins = proved_origins(made.module, lambda _: True)
    found = expanded(Expanded(made.module, made.types), made, origins)
    assert found.module.functions["main"] == before.module.functions["main"]
    assert {name: type_ for name, type_ in found.types["main"].items() if name in "xyz"} == {
        name: type_ for name, type_ in before.types["main"].items() if name in "xyz"
    }
