"""Conditions that the reader enforces too, on trees that no text gives; and the two walks' scopes."""

from __future__ import annotations

import pytest

from refrelax.semantics.types.wellformed import diagnose
from refrelax.syntax.graph import (
    BindingBlock,
    Call,
    DataflowBlock,
    Expr,
    Function,
    GlobalVar,
    If,
    Op,
    Param,
    PrimValue,
    SeqExpr,
    ShapeExpr,
    Tuple,
    TupleGetItem,
    Var,
    VarBinding,
)
from refrelax.syntax.loops import (
    AllocBuffer,
    Bind,
    Break,
    Buffer,
    BufferParam,
    BufferRegion,
    BufferStore,
    DeclBuffer,
    Evaluate,
    For,
    IfThenElse,
    IterVar,
    PrimFunc,
    SBlock,
    ScalarParam,
    Stmt,
    While,
)
from refrelax.syntax.module import Module
from refrelax.syntax.scalars import (
    Binary,
    BufferLoad,
    Intrinsic,
    Let,
    Literal,
    Not,
    PrimExpr,
    Select,
    SymVar,
    bool_imm,
    int_imm,
)
from refrelax.syntax.types import FuncType, ShapeType, TensorType, Type, tensor_of

T3 = tensor_of((int_imm(3),), "float32")
X = Var("x")
ADD = Call(Op("relax.add"), (X, X))


def rules(f: Function | PrimFunc) -> list[str]:
    return [each.rule for each in diagnose(Module({"main": f}))]


def graph(*bindings: VarBinding, value: Expr = X, params: tuple[Param, ...] = (Param("x", T3),)) -> Function:
    blocks = (BindingBlock(bindings),) if bindings else ()
    return Function(params, None, SeqExpr(blocks, value))


def test_nothing_to_say() -> None:
    assert rules(graph(VarBinding("y", ADD), value=Var("y"))) == []


@pytest.mark.parametrize(("f", "expected"), [
    (graph(VarBinding("y", Call(Op("relax.add"), (X, Var("z"))))), "wf/var-defined-before-use"),
    (graph(VarBinding("y", Call(Op("relax.add"), (Var("z"), X))), VarBinding("z", ADD)), "wf/var-defined-before-use"),
    (graph(VarBinding("y", ADD), VarBinding("y", ADD)), "wf/var-defined-once"),
    (graph(VarBinding("x", ADD)), "wf/var-defined-once"),
    (graph(params=(Param("x", None),)), "wf/parameter-annotated"),
    (graph(params=(Param("x", T3), Param("x", T3))), "wf/var-defined-once"),
    (graph(VarBinding("y", Call(Op("relax.add"), (ADD, X)))), "wf/normal-form"),
    (graph(VarBinding("y", Tuple((ADD,)))), "wf/normal-form"),
    (graph(VarBinding("y", TupleGetItem(ADD, 0))), "wf/normal-form"),
    (graph(value=ADD), "wf/normal-form"),
    (graph(VarBinding("y", If(ADD, SeqExpr((), X), SeqExpr((), X)))), "wf/normal-form"),
    (graph(VarBinding("y", Call(GlobalVar("nowhere"), (X,)))), "wf/global-defined"),
    (graph(VarBinding("y", ShapeExpr((SymVar("k"),)))), "wf/symbol-defined"),
    (graph(VarBinding("y", PrimValue(SymVar("k")))), "wf/symbol-defined"),
    (graph(VarBinding("y", ADD, tensor_of((SymVar("k"),), "float32"))), "wf/symbol-defined"),
    (graph(VarBinding("y", ShapeExpr((Literal("float32", 0),)))), "wf/shape-integer"),
    (graph(params=(Param("x", tensor_of((Binary("Add", SymVar("n"), int_imm(1)),), None)),)), "wf/symbol-defined"),
    (graph(params=(Param("x", TensorType("s", "float32", 1)),)), "wf/var-defined-before-use"),
    (graph(VarBinding("y", Call(Op("relax.call_tir"), (GlobalVar("main"), X)))), "wf/call-tir-inline-tuple"),
])  # fmt: skip
def test_graph_conditions(f: Function, expected: str) -> None:
    assert rules(f) == [expected]


def test_a_branch_hides_what_it_binds() -> None:
    then = SeqExpr((BindingBlock((VarBinding("a", ADD),)),), Var("a"))
    f = graph(VarBinding("r", If(X, then, SeqExpr((), X))), VarBinding("z", Call(Op("relax.add"), (Var("a"), X))))
    found = diagnose(Module({"main": f}))
    assert [each.rule for each in found] == ["wf/var-defined-before-use"]
    assert found[0].related[0][0] == "definition of a"


def test_dataflow_outputs_are_bound() -> None:
    block = DataflowBlock((VarBinding("y", ADD),), ("z",))
    assert rules(Function((Param("x", T3),), None, SeqExpr((block,), X))) == ["wf/dataflow-output"]


def test_a_callable_scopes_its_symbols() -> None:
    n = SymVar("n")
    callable_type: Type = FuncType((tensor_of((n,), "float32"),), tensor_of((n,), "float32"))
    assert rules(graph(params=(Param("x", T3), Param("f", callable_type)))) == []
    open_result = FuncType((T3,), tensor_of((n,), "float32"))
    assert rules(graph(params=(Param("x", T3), Param("f", open_result)))) == ["wf/symbol-defined"]
    shape = Param("s", ShapeType((n,), 1))
    assert rules(graph(params=(Param("x", T3), Param("f", open_result), shape))) == []


def test_a_nested_function_may_call_itself_and_see_outside() -> None:
    call = VarBinding("w", Call(Var("inner"), (X,)))
    inner = Function((Param("y", T3),), T3, SeqExpr((BindingBlock((call,)),), Var("w")))
    assert rules(graph(VarBinding("inner", inner))) == []


# --- loops -----------------------------------------------------------------------------------------------------------

FOUR = int_imm(4, "int32")
A, B = Buffer("A", (FOUR,)), Buffer("B", (FOUR,))
I = SymVar("i", "int32")
VI = SymVar("vi", "int32")


def load(*indices: PrimExpr, name: str = "A") -> BufferLoad:
    return BufferLoad(name, indices, "float32")


def store(*indices: PrimExpr, value: PrimExpr | None = None, name: str = "B") -> BufferStore:
    return BufferStore(name, load(*indices) if value is None else value, indices)


def loop(*body: Stmt, var: SymVar = I, **rest: object) -> For:
    return For(var, int_imm(0, "int32"), FOUR, body, **rest)  # type: ignore[arg-type]


def prim(*body: Stmt, params: tuple[Buffer, ...] = (A, B)) -> PrimFunc:
    return PrimFunc(tuple(map(BufferParam, params)), body)


def block(*body: Stmt, binding: PrimExpr = I, **rest: object) -> SBlock:
    axis = IterVar(VI, int_imm(0, "int32"), FOUR, "spatial", binding)
    return SBlock("b", (axis,), body, **rest)  # type: ignore[arg-type]


ZERO = int_imm(0, "int32")
HALF = Literal("float16", 0)


@pytest.mark.parametrize("f", [
    prim(loop(store(I))),
    prim(loop(block(store(VI)))),
    prim(loop(SBlock("opaque", (), (store(I),)))),
    prim(loop(block(store(VI), predicate=Binary("LT", I, int_imm(2, "int32"))))),
    prim(AllocBuffer(Buffer("C", (FOUR,), scope="local")), loop(store(I, name="C"))),
    prim(Bind(SymVar("t", "float32"), load(ZERO)), store(ZERO, value=SymVar("t", "float32"))),
    prim(loop(store(I)), loop(store(SymVar("j", "int32")), var=SymVar("j", "int32"))),
    prim(While(Binary("LT", load(ZERO), load(ZERO)), (Break(),))),
    prim(loop(store(SymVar("n", "int32"))), params=(Buffer("A", (SymVar("n", "int32"),)), B)),
    PrimFunc((ScalarParam(I), BufferParam(A), BufferParam(B)), (store(I),)),
    prim(store(ZERO, value=Let(SymVar("t", "float32"), load(ZERO), SymVar("t", "float32")))),
    prim(),
])  # fmt: skip
def test_loops_accepted(f: PrimFunc) -> None:
    assert rules(f) == []


@pytest.mark.parametrize(("f", "expected"), [
    (prim(store(I)), "wf/loop-var-defined"),
    (prim(loop(store(I)), store(ZERO, value=load(I))), "wf/loop-var-defined"),
    (prim(loop(loop(store(I)))), "wf/loop-var-once"),
    (prim(store(ZERO, name="C")), "wf/buffer-declared"),
    (prim(loop(AllocBuffer(Buffer("C", (FOUR,)))), store(ZERO, name="C")), "wf/buffer-declared"),
    (prim(AllocBuffer(A)), "wf/buffer-declared-once"),
    (prim(DeclBuffer(Buffer("C", (SymVar("k", "int32"),)))), "wf/loop-var-defined"),
    (prim(BufferStore("B", load(ZERO), (ZERO, ZERO))), "wf/index-count"),
    (prim(BufferStore("B", load(ZERO, ZERO), (ZERO,))), "wf/index-count"),
    (prim(BufferStore("B", load(ZERO), (Literal("float32", 0),))), "wf/index-integer"),
    (prim(store(ZERO, value=HALF)), "wf/store-dtype"),
    (prim(store(ZERO, value=Binary("Add", load(ZERO), HALF))), "wf/operand-dtypes"),
    (prim(IfThenElse(load(ZERO), (store(ZERO),))), "wf/condition-bool"),
    (prim(store(ZERO, value=Select(ZERO, load(ZERO), load(ZERO)))), "wf/condition-bool"),
    (prim(Evaluate(Not(ZERO))), "wf/condition-bool"),
    (prim(Evaluate(Binary("And", bool_imm(True), ZERO))), "wf/condition-bool"),
    (prim(For(I, ZERO, load(ZERO), (store(I),))), "wf/extent-integer"),
    (prim(loop(store(I), kind="thread_binding")), "wf/thread-tag"),
    (prim(loop(store(I), thread="threadIdx.x")), "wf/thread-tag"),
    (prim(Break()), "wf/break-outside-loop"),
    (prim(loop(block(store(VI, value=load(I))))), "wf/block-var-access"),
    (prim(loop(block(store(VI), binding=load(I)))), "wf/axis-binding"),
    (prim(loop(block(store(VI), reads=(BufferRegion("A", ()),)))), "wf/region-rank"),
    (prim(loop(block(store(VI))), store(VI, value=load(ZERO))), "wf/loop-var-defined"),
    (prim(params=(Buffer("A", (FOUR,), strides=(FOUR, FOUR)), B)), "wf/stride-count"),
    (prim(Evaluate(Intrinsic("cls.nowhere", (), "void"))), "wf/global-defined"),
])  # fmt: skip
def test_loop_conditions(f: PrimFunc, expected: str) -> None:
    assert expected in rules(f)
    assert set(rules(f)) == {expected}
