"""A call that is to become a loop program: its dims, its scalars, its arguments, and what it is no site of."""

# ruff: noqa: E501
from __future__ import annotations

from typing import Any

import pytest

import refrelax as rr
from refrelax.lower.legalize.driver import _counts, _facts, _fits
from refrelax.lower.legalize.scalars import Scalar
from refrelax.lower.legalize.site import Site, Typing, Unfit, known_tensor, make_site, result_types
from refrelax.syntax.graph import (
    Call,
    Constant,
    ConstantRef,
    DataTypeValue,
    Op,
    PrimValue,
    ShapeExpr,
    StringValue,
    Tuple,
    TupleGetItem,
    Var,
)
from refrelax.syntax.scalars import Binary, PrimExpr, SymVar, as_int, int_imm
from refrelax.syntax.types import AnyType, PrimType, ShapeType, TensorType, TupleType, Type
from refrelax.syntax.write.scalars import SHOWN, expression

N, M, K = (SymVar(name, "int64") for name in "nmk")
SHORT = SymVar("h", "int32")


def tensor(*dims: PrimExpr | int, dtype: str = "float32") -> TensorType:
    return TensorType(tuple(int_imm(d) if isinstance(d, int) else d for d in dims), dtype, len(dims))


def binary(op: Any, a: PrimExpr, b: PrimExpr | int) -> Binary:
    return Binary(op, a, int_imm(b) if isinstance(b, int) else b)


MODULE = rr.parse("@R.function\ndef main(x: R.Tensor):\n    return x\n")
TYPES: dict[str, Type] = {
    "x": tensor(N, 3), "y": tensor(M), "t": TupleType((tensor(N), tensor(M))), "s": ShapeType((N, K), 2), "u": TensorType(None, "float32", 2), "p": PrimType("int64"),
    "a": AnyType(), "w": tensor(binary("Mul", N, M)), "v": tensor(binary("Mul", K, 2), 1),
}  # fmt: skip
TYPING = Typing(MODULE, TYPES.get)


def site(*args: Any, result: Type | None = None, unread: tuple[int, ...] = ()) -> Site:
    return make_site(Call(Op("relax.f"), args), "f", tensor(N) if result is None else result, TYPING, "y", unread)


def buffers(made: Site) -> list[str]:
    def shape(dims: Any) -> str:
        return ", ".join(str(as_int(d)) if as_int(d) is not None else expression(d, SHOWN) for d in dims)

    return [f"{p.buffer.name}[{shape(p.buffer.shape)}]" for p in (*made.k.inputs, *made.k.outputs)]


MADE: dict[str, tuple[tuple[Any, ...], Type, list[str], list[str]]] = {
    "a tensor": ((Var("x"),), tensor(N), ["a[n, 3]", "out[n]"], []), "two": ((Var("x"), Var("y")), tensor(N), ["a[n, 3]", "b[m]", "out[n]"], []),
    "a tuple": ((Var("t"),), tensor(N), ["a[n]", "b[m]", "out[n]"], []), "a tuple that is written": ((Tuple((Var("x"), Var("y"))),), tensor(N), ["a[n, 3]", "b[m]", "out[n]"], []),
    "two results": ((Var("x"),), TupleType((tensor(N), tensor(3))), ["a[n, 3]", "out0[n]", "out1[3]"], []),
    "one result in a tuple": ((Var("x"),), TupleType((tensor(N),)), ["a[n, 3]", "out[n]"], []),
    "a compound extent of known symbols": ((Var("x"), Var("y"), Var("w")), tensor(N), ["a[n, 3]", "b[m]", "c[n * m]", "out[n]"], []),
    "a compound extent": ((Var("v"),), tensor(N), ["a[m, 1]", "out[n]"], []),
    "a compound result": ((Var("x"),), tensor(binary("Mul", N, 3)), ["a[n, 3]", "out[n * 3]"], ["n * 3 >= 0"]),
    "a scalar": ((Var("x"), PrimValue(int_imm(4))), tensor(N), ["a[n, 3]", "out[n]"], []), "a symbol": ((Var("x"), PrimValue(K)), tensor(N), ["a[n, 3]", "out[n]"], []),
    "a shape": ((Var("x"), ShapeExpr((N, K))), tensor(N), ["a[n, 3]", "out[n]"], []), "a shape by name": ((Var("x"), Var("s")), tensor(N), ["a[n, 3]", "out[n]"], []),
    "a number of a constant": ((Var("x"), Constant("float32", (), (0,))), tensor(N), ["a[n, 3]", "out[n]"], []),
    "a constant": ((Constant("float32", (2,), (0, 0)),), tensor(N), ["a[2]", "out[n]"], []),
}  # fmt: skip


@pytest.mark.by_day(6)
@pytest.mark.parametrize("name", MADE)
def test_what_a_kernel_takes(name: str) -> None:
    args, result, wanted, demands = MADE[name]
    made = site(*args, result=result)
    assert buffers(made) == wanted
    assert [expression(e, SHOWN) for _, e in made.required] == demands
    assert made.tupled is isinstance(result, TupleType)
    assert len(made.passed) == len(made.k.inputs)


def test_what_stands_before() -> None:
    assert site(Var("t")).before == [("y_0_0", TupleGetItem(Var("t"), 0)), ("y_0_1", TupleGetItem(Var("t"), 1))]
    assert site(Var("x"), Var("t")).passed == [Var("x"), Var("y_1_0"), Var("y_1_1")]
    assert site(Tuple((Var("x"), Var("y")))).before == []


def test_scalars_of_a_kernel() -> None:
    made = site(Var("x"), PrimValue(binary("Add", binary("Add", K, N), M)))
    assert list(made.scalars) == ["k", "m"] and [p.var.name for p in made.k.scalars] == ["k", "m"]
    assert made.scalar(1).node == binary("Add", binary("Add", K, N), M)
    assert list(made.scalars) == ["k", "m"] and made.expression(K).node == K and len(made.k.scalars) == 2
    with pytest.raises(Unfit):
        site(Var("x"), PrimValue(SHORT))
    renamed = site(Var("v"), PrimValue(binary("Mul", K, 2)))
    assert isinstance(renamed.scalar(1).node, SymVar) and list(renamed.scalars) == [] and len(renamed.relations) == 1
    (own,) = renamed.relations
    assert renamed.relations[own] == binary("Mul", K, 2) and renamed.dim(binary("Mul", K, 2)) == SymVar(own, "int64")


def test_arguments_that_are_only_looked_at() -> None:
    made = site(Var("x"), Var("s"), unread=(1,))
    assert made.shapes == {1: (N, K)} and made.dtypes == {} and made.a[1] is None
    made = site(Var("x"), Var("y"), unread=(1,))
    assert made.shapes == {1: (M,)} and made.dtypes == {1: "float32"} and buffers(made) == ["a[n, 3]", "out[n]"]
    made = site(Var("x"), ShapeExpr((K,)))
    assert made.shapes == {1: (K,)} and site(Var("x"), Var("a"), unread=(1,)).shapes == {}


def test_what_is_no_site() -> None:
    for args, result in (
        ((Var("u"),), tensor(N)), ((Var("a"),), tensor(N)), ((Var("none"),), tensor(N)), ((StringValue("x"),), tensor(N)), ((DataTypeValue("int8"),), tensor(N)),
        ((Var("x"),), TensorType(None, "float32", 1)), ((Var("x"),), TupleType(())), ((Var("x"),), AnyType()), ((Var("p"),), tensor(N)),
        ((Tuple((Var("x"), Var("none"))),), tensor(N)), ((ConstantRef(0),), tensor(N)),
    ):  # fmt: skip
        with pytest.raises(Unfit):
            site(*args, result=result)
    made = site(Var("x"), PrimValue(N), Var("t"))
    for ask in (made.array, made.arrays, made.scalar):
        fits = {made.array: 0, made.scalar: 1, made.arrays: 2}[ask]  # type: ignore[dict-item]
        for k in range(3):
            if k == fits:
                assert ask(k) is made.a[k]
            else:
                with pytest.raises(Unfit):
                    ask(k)


def test_tensors_that_are_known() -> None:
    assert known_tensor(tensor(N, 2)) == tensor(N, 2) and result_types(tensor(N)) == [tensor(N)]
    assert result_types(TupleType((tensor(N), tensor(M)))) == [tensor(N), tensor(M)]
    for each in (
        None,
        AnyType(),
        TensorType(None, "float32", 1),
        TensorType((N,), None, 1),
        tensor(SHORT),
        tensor(N, dtype="float32x4"),
    ):
        with pytest.raises(Unfit):
            known_tensor(each)


def test_types_of_arguments() -> None:
    for e, wanted in (
        (Var("x"), tensor(N, 3)), (Var("none"), None), (Constant("int8", (2, 1), (0, 0)), tensor(2, 1, dtype="int8")), (ConstantRef(0), None),
        (PrimValue(K), PrimType("int64")), (ShapeExpr((N, K)), ShapeType((N, K), 2)), (Tuple((Var("x"), Var("y"))), TupleType((tensor(N, 3), tensor(M)))),
        (Tuple((Var("x"), Var("none"))), None), (TupleGetItem(Var("t"), 1), tensor(M)), (TupleGetItem(Var("x"), 0), None), (StringValue("x"), None),
    ):  # fmt: skip
        assert TYPING.of(e) == wanted


def test_broadcasting() -> None:
    made = site(Var("x"), Var("y"), result=tensor(N, 3))
    x = made.array(0)
    at, over = [Scalar(SymVar("i", "int64")), Scalar(SymVar("j", "int64"))], [Scalar(N), Scalar(int_imm(3))]
    made.spread(x, at, over)
    assert made.required == []
    made.spread(x, [Scalar(K), *at], [Scalar(K), *over])
    assert made.required == []
    made.spread(x, at, [Scalar(M), Scalar(int_imm(3))])
    made.spread(x, at, [Scalar(M), Scalar(int_imm(3))])
    assert made.required == [("lo/broadcast-equal", binary("EQ", N, M))]
    with pytest.raises(Unfit):
        made.spread(x, at, [Scalar(N), Scalar(int_imm(4))])
    made.suppose(Scalar(binary("LT", N, 3)))
    assert made.premises == [binary("LT", N, 3)] and made.out is made.outs[0]


def facts_of(made: Site) -> tuple[list[str], list[str], list[str]]:
    def shown(facts: list[PrimExpr]) -> list[str]:
        found = [expression(e, SHOWN) for e in facts]
        return [each.replace("9223372036854775807", "most").replace("-9223372036854775808", "least") for each in found]

    return shown(_facts(made)), shown(_counts(made)), shown(_fits(made))


FACTS: dict[str, tuple[tuple[Any, ...], Type, tuple[list[str], list[str], list[str]]]] = {
    "numbers": ((Constant("float32", (2,), (0, 0)),), tensor(2), ([], [], [])),
    "symbols": ((Var("x"),), tensor(M), (["n >= 0", "m >= 0"], ["n * 3 <= most"], [])),
    "one symbol": ((Var("y"),), tensor(M), (["m >= 0"], [], [])),
    "a product": ((Var("x"), Var("y"), Var("w")), tensor(N), (["n >= 0", "m >= 0", "n * m >= 0"], ["n * 3 <= most", "n * m <= most"], ["n * m <= most"])),
    "what an extent stands for": ((Var("v"),), tensor(N), (["m == k * 2", "m >= 0", "n >= 0"], [], [])),
    "a result that is computed": ((Var("x"),), tensor(binary("Add", N, 1)), (["n >= 0"], ["n * 3 <= most", "n + 1 <= most"], ["n + 1 <= most"])),
    "a scalar that is computed": ((Var("y"), PrimValue(binary("Add", M, 1))), tensor(M), (["m >= 0"], [], ["m + 1 <= most", "m + 1 >= least"])),
    "a scalar of 32 bits": ((Var("y"), PrimValue(binary("Add", int_imm(1, "int32"), int_imm(2, "int32")))), tensor(M), (["m >= 0"], [], [])),
}  # fmt: skip


@pytest.mark.by_day(6)
@pytest.mark.parametrize("name", FACTS)
def test_what_is_known_where_a_call_runs(name: str) -> None:
    args, result, wanted = FACTS[name]
    assert facts_of(site(*args, result=result)) == wanted
