"""What computing an element again costs, what groups are called, and which fused functions may become loop programs."""

# ruff: noqa: E501
from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

import refrelax as rr
from refrelax.lower import lower
from refrelax.lower.annotations import told
from refrelax.lower.claims import Ledger, both, eq, le, lt, nonnegative, within
from refrelax.lower.counts import calls, dispatched, launches, operators
from refrelax.lower.extent_parts import parts
from refrelax.lower.fuse_ops.interface import extents
from refrelax.lower.fuse_ops.primitive import title
from refrelax.lower.weights import nodes, weigh
from refrelax.syntax.scalars import (
    Binary,
    BufferLoad,
    Cast,
    Intrinsic,
    Let,
    Literal,
    Not,
    PrimExpr,
    Select,
    SymVar,
    int_imm,
)
from refrelax.syntax.types import AnyType, TensorType, TupleType

I, N = SymVar("i", "int64"), SymVar("n", "int64")
LOAD = BufferLoad("X", (Binary("Add", I, N),), "float32")
ONE = Literal("float32", 0)
PLUS, EXP = Binary("Add", LOAD, ONE), Intrinsic("T.exp", (LOAD,), "float32")
BOTH = Binary("Mul", PLUS, EXP)
LESS = Binary("LT", LOAD, ONE)


def chosen(condition: PrimExpr, a: PrimExpr, b: PrimExpr, op: str = "if_then_else") -> Intrinsic:
    return Intrinsic(op, (condition, a, b), "float32")


COSTS: list[tuple[PrimExpr, int, int]] = [
    (LOAD, 0, 4), (ONE, 0, 1), (I, 0, 1), (Cast("float16", PLUS), 1, 7), (Cast("float16", LOAD), 0, 5), (PLUS, 1, 6),
    (EXP, 8, 5), (BOTH, 10, 12), (Not(LESS), 2, 7), (Intrinsic("T.exp", (EXP,), "float32"), 16, 6),
    (Select(Binary("LT", I, N), PLUS, EXP), 10, 15), (Select(I, PLUS, EXP), 9, 13), (Select(LESS, LOAD, LOAD), 1, 15),
    (Select(Binary("And", LESS, LESS), PLUS, LOAD), 2, 24), (chosen(LESS, PLUS, EXP), 9, 18), (chosen(LESS, LOAD, LOAD), 0, 15),
    (Intrinsic("likely", (LESS,), "bool"), 1, 7), (Intrinsic("T.pow", (PLUS, EXP), "float32"), 17, 12),
    (Let(SymVar("v", "float32"), PLUS, EXP), 17, 12),
]  # fmt: skip


@pytest.mark.by_day(6)
@pytest.mark.parametrize("k", range(len(COSTS)))
def test_costs(k: int) -> None:
    e, cost, size = COSTS[k]
    assert (weigh(e), nodes(e)) == (cost, size)


def test_titles() -> None:
    def named(*names: str) -> str:
        members: Any = [SimpleNamespace(callee=each) for each in names]
        return title(members)

    assert named("add", "fused_relu") == "fused_add_relu" and named("a" * 100) == f"fused_{'a' * 100}"
    long = "b" * 39
    assert named(long, long) == f"fused_{long}_{long}" and named(long, long + "b") == f"fused_{long}_{long}b"
    assert named(long, long + "bb") == f"fused_{long}_and_1_more"
    assert named(long, long, "c", "d") == f"fused_{long}_{long}_and_2_more"
    assert named("a" * 100, "b", "c") == f"fused_{'a' * 100}_and_2_more"


PRIMITIVE = """
n, m = T.int64(), T.int64()
@I.ir_module
class Module:
    @T.prim_func(private=True, s_tir=True)
    def plus(x: T.Buffer((n,), "float32"), y: T.Buffer((n,), "float32")):
        for i in range(n):
            with T.sblock("y"):
                vi = T.axis.spatial(n, i)
                y[vi] = x[vi] + T.float32(1)

    @R.function{private}
    def fused(x: R.Tensor((n,), "float32"){more}) -> R.Tensor((n,), "float32"):
        R.func_attr({{"Primitive": True}})
        cls = Module
        with R.dataflow():
            a = R.call_tir(cls.plus, (x,), out_ty=R.Tensor((n,), "float32"))
            b = R.call_tir(cls.plus, (a,), out_ty=R.Tensor((n,), "float32"))
            R.output(b)
        return b

    @R.function
    def main(x: R.Tensor((n,), "float32"), s: R.Shape([m]), c: R.Tensor((), "bool")):
        cls = Module
        {body}
        return out
"""
SHAPED = ', s: R.Shape(["m"])'
SITES: dict[str, tuple[str, str, str, bool]] = {
    "a call": ("(private=True)", "", "out = cls.fused(x)", True),
    "two calls": ("(private=True)", "", "a = cls.fused(x)\n        out = cls.fused(a)", True),
    "in a branch": (
        "(private=True)", "", "if c:\n            out = cls.fused(x)\n        else:\n            out = x", True,
    ),
    "a function that others may call": ("", "", "out = cls.fused(x)", False),
    "a function that is a value": ("(private=True)", "", "f = cls.fused\n        out = f(x)", False),
    "a call of a type that is promised": (
        "(private=True)", "", 'out: R.Tensor((m,), "float32") = cls.fused(x)', False,
    ),
    "a shape that is written": ("(private=True)", SHAPED, "out = cls.fused(x, R.shape([m]))", True),
    "a shape that is not": ("(private=True)", SHAPED, "out = cls.fused(x, s)", False),
}  # fmt: skip


@pytest.mark.by_day(6)
@pytest.mark.parametrize("name", SITES)
def test_which_groups_become_loop_programs(name: str) -> None:
    private, more, body, wanted = SITES[name]
    checked = rr.check(rr.parse(PRIMITIVE.format(private=private, more=more, body=body)))
    made = lower(checked, passes=("fuse_loops",)).module
    assert ("fused" in made.module.prim_funcs()) is wanted
    args = [[1.0, 2.0], (3,), True]
    one, two = rr.run(checked, "main", *args), rr.run(made, "main", *args)
    if isinstance(one, rr.Returned):
        assert isinstance(two, rr.Returned) and one.value.tolist() == two.value.tolist()
    else:
        assert type(one) is type(two)


COUNTED = """
n = T.int64()
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def f(x: T.Buffer((n,), "float32"), y: T.Buffer((n,), "float32")):
        for i in range(n):
            y[i] = x[i]

    @R.function(private=True)
    def g(x: R.Tensor((n,), "float32")) -> R.Tensor((n,), "float32"):
        return x

    @R.function
    def main(x: R.Tensor((n,), "float32"), h: R.Callable([R.Tensor((n,), "float32")], R.Tensor((n,), "float32"))):
        cls = Module
        a = R.add(x, R.exp(x))
        b = R.call_tir(cls.f, (a,), out_ty=R.Tensor((n,), "float32"))
        c = cls.g(b)
        d = R.call_dps_packed("lib.f", (c,), out_ty=R.Tensor((n,), "float32"))
        e = R.call_pure_packed("lib.g", d, ty_args=(R.Tensor((n,), "float32"),))
        k = h(e)
        if R.all(x > R.const(0.0, "float32")):
            out = R.negative(k)
        else:
            out = k
        return out
"""


def test_how_much_there_is() -> None:
    text = COUNTED.replace('if R.all(x > R.const(0.0, "float32")):', 'z = R.const(True, "bool")\n        if z:')
    module = rr.parse(text)
    assert (launches(module, "main"), dispatched(module, "main"), operators(module, "main")) == (2, 2, 3)
    assert (launches(module, "f"), dispatched(module, "nothing"), operators(module, "g")) == (0, 0, 0)
    assert [each for each in calls(module, "main") if each.startswith("@")] == ["@g"]


M = SymVar("m", "int64")


def test_statements() -> None:
    assert within(I, int_imm(0), N) == both(le(int_imm(0), I), lt(I, N)) == Binary("And", le(int_imm(0), I), lt(I, N))
    assert both(eq(I, N)) == Binary("EQ", I, N)
    short = SymVar("k", "int32")
    found = nonnegative(Binary("Add", I, N), Let(M, int_imm(1), M), I, short)
    assert found == (Binary("GE", I, int_imm(0)), Binary("GE", N, int_imm(0)), Binary("GE", short, int_imm(0, "int32")))


def test_a_ledger_keeps_what_it_was_asked() -> None:
    ledger = Ledger()
    assert ledger.holds(le(I, Binary("Add", I, int_imm(1))), "lo/claim", "a") and ledger.unproved == 0
    assert not ledger.holds(le(N, I), "lo/claim", "b") and (len(ledger.claims), ledger.unproved) == (2, 1)
    assert ledger.holds(le(N, I), "lo/claim", "c", [lt(N, I)]) and ledger.known(le(N, I), [lt(N, I)])
    assert not ledger.known(le(N, I), []) and len(ledger.claims) == 3 and ledger.apart().claims == []
    big = int_imm(1)
    for _ in range(5):
        big = Binary("Add", big, N)  # type: ignore[assignment]
    assert ledger.holds(eq(big, big), "lo/claim", "d")
    assert str(ledger.claims[1]) == "UNKNOWN  b: n <= i  [lo/claim]" or str(ledger.claims[1]).startswith(
        "REFUTED  b: n <= i"
    )
    assert str(ledger.claims[2]).endswith("c: n <= i  given n < i  [lo/claim]")


def test_parts_of_extents() -> None:
    product, total = Binary("Mul", N, M), Binary("Add", Binary("Mul", N, M), I)
    short = Binary("Add", SymVar("k", "int32"), int_imm(1, "int32"))
    assert parts([total, N, int_imm(3)]) == {total, product}
    assert parts([Cast("int64", short)]) == set() and parts([Binary("Add", Cast("int64", short), product)]) >= {product}
    assert parts([Binary("LT", total, N)]) <= {total, product} and parts([]) == set()


def test_what_an_annotation_says() -> None:
    def tensor(*dims: PrimExpr) -> TensorType:
        return TensorType(dims, "float32", len(dims))

    unknown = TensorType(None, "float32", 1)
    assert (
        told(tensor(N), tensor(M)) == tensor(M)
        and told(unknown, tensor(M)) == unknown
        and told(tensor(N), unknown) == tensor(N)
    )
    pair = TupleType((tensor(N), AnyType()))
    assert told(pair, TupleType((tensor(M), unknown))) == TupleType((tensor(M), AnyType()))
    assert told(pair, TupleType((tensor(M),))) == pair and told(AnyType(), tensor(M)) == AnyType()


def test_promises_about_symbols_of_types() -> None:
    types = [TensorType((N, int_imm(3)), "float32", 2), TensorType(None, "float32", 1), TensorType((M,), "float32", 1)]
    short, both_, other = Binary("LE", N, int_imm(9)), Binary("LE", N, M), Binary("LE", N, I)
    signs = (Binary("GE", N, int_imm(0)), Binary("GE", M, int_imm(0)))
    assert extents(types, (short, both_, other)) == (*signs, short, both_) and extents(types) == signs
    assert extents(types[:1], (short, both_)) == (signs[0], short) and extents([], (short,)) == ()
