"""Random modules of both levels, as the reader would make them: unique names, agreeing dtypes, canonical attributes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import strategies as st

from refrelax.syntax import bits, dtypes
from refrelax.syntax import graph as g
from refrelax.syntax import loops as lp
from refrelax.syntax import scalars as s
from refrelax.syntax import types as ty
from refrelax.syntax.module import Module

DTYPES = ["float32", "float16", "bfloat16", "int32", "int64", "uint8", "bool"]
STRINGS = st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), max_size=6)


def literal(draw: Any, dtype: str) -> s.Literal:
    kind = dtypes.kind(dtype)
    if kind == "bool":
        return s.bool_imm(draw(st.booleans()))
    if kind == "float":
        return bits.literal(dtype, draw(st.sampled_from([0.0, -0.0, 1.0, 0.1, -2.5, 1e-8, float("inf"), float("nan")])))
    low, high = dtypes.integer_range(dtype)
    return s.int_imm(draw(st.sampled_from([0, 1, 2, 5, high, low])), dtype)


@dataclass
class Scope:
    """Names taken, and what may be mentioned: scalar variables by dtype, buffers, graph variables."""

    draw: Any
    taken: set[str] = field(default_factory=set)
    scalars: list[s.SymVar] = field(default_factory=list)
    buffers: list[lp.Buffer] = field(default_factory=list)
    variables: list[str] = field(default_factory=list)
    bare: str = "int32"

    def fresh(self, base: str) -> str:
        k = 0
        while (name := f"{base}{k}") in self.taken:
            k += 1
        self.taken.add(name)
        return name

    def inner(self) -> Scope:
        """A scope inside this one: names are shared, what is visible is not."""
        return Scope(self.draw, self.taken, [*self.scalars], [*self.buffers], [*self.variables], self.bare)

    def pick(self, *options: Any) -> Any:
        return self.draw(st.sampled_from(options))

    # --- scalars -----------------------------------------------------------------------------------------------------

    def leaf(self, dtype: str) -> s.PrimExpr:
        found: list[s.PrimExpr] = [v for v in self.scalars if v.dtype == dtype]
        found += [
            s.BufferLoad(b.name, tuple(s.int_imm(k, "int32") for k, _ in enumerate(b.shape)), dtype)
            for b in self.buffers
            if b.dtype == dtype and not b.scalar
        ]
        found += [
            s.BufferLoad(b.name, (s.int_imm(0, "int32"),), dtype) for b in self.buffers if b.scalar and b.dtype == dtype
        ]
        if not found or self.draw(st.integers(0, 3)) == 0:
            return literal(self.draw, dtype)
        return self.pick(*found)

    def expr(self, dtype: str, depth: int = 2) -> s.PrimExpr:
        if depth == 0:
            return self.leaf(dtype)
        kind = dtypes.kind(dtype)
        if kind == "bool":
            return self.truth(depth)
        choice = self.draw(st.integers(0, 7))
        a, b = self.expr(dtype, depth - 1), self.expr(dtype, depth - 1)
        match choice:
            case 0 | 1:
                return self.leaf(dtype)
            case 2 | 3:
                ops = ["Add", "Sub", "Mul", "Min", "Max", "Div"] + (
                    ["FloorDiv", "FloorMod", "Mod"] if kind != "float" else []
                )
                return s.Binary(self.pick(*ops), a, b)
            case 4:
                return s.Select(self.truth(depth - 1), a, b)
            case 5:
                condition = self.truth(depth - 1)
                return a if isinstance(condition, s.Literal) else s.Intrinsic("if_then_else", (condition, a, b), dtype)
            case 6 if kind == "float":
                return s.Intrinsic(self.pick("exp", "sqrt", "tanh"), (a,), dtype)
            case 6 if not isinstance(a, s.Literal):
                return s.Intrinsic(self.pick("bitwise_and", "bitwise_xor"), (a, b), dtype)
            case _:
                other = self.pick("int32", "float32", "uint8")
                inner = self.expr(other, depth - 1)
                return a if other == dtype or isinstance(inner, s.Literal) else s.Cast(dtype, inner)

    def truth(self, depth: int) -> s.PrimExpr:
        if depth <= 0:
            return self.leaf("bool")
        match self.draw(st.integers(0, 3)):
            case 0:
                return self.leaf("bool")
            case 1:
                dtype = self.pick("int32", "int64", "float32")
                a, b = self.expr(dtype, depth - 1), self.expr(dtype, depth - 1)
                return s.Binary(self.pick("EQ", "NE", "LT", "LE", "GT", "GE"), a, b)
            case 2:
                return s.Binary(self.pick("And", "Or"), self.truth(depth - 1), self.truth(depth - 1))
            case _:
                inner = self.truth(depth - 1)
                return inner if isinstance(inner, s.Literal) else s.Not(inner)

    def dim(self) -> s.PrimExpr:
        dims = [v for v in self.scalars if v.dtype == "int64"]
        if not dims or self.draw(st.booleans()):
            return s.int_imm(self.draw(st.integers(0, 9)), "int64")
        a = self.pick(*dims)
        b = s.int_imm(self.draw(st.integers(2, 5)), "int64")
        return self.pick(
            a, s.Binary("Mul", a, b), s.Binary("Add", s.Binary("FloorDiv", a, b), b), s.Binary("Max", a, b)
        )


# --- graph level -----------------------------------------------------------------------------------------------------


def a_type(scope: Scope, depth: int = 1) -> ty.Type:
    dims = tuple(scope.dim() for _ in range(scope.draw(st.integers(0, 3))))
    match scope.draw(st.integers(0, 9 if depth else 6)):
        case 0:
            return ty.AnyType()
        case 1:
            return ty.ShapeType(dims, len(dims))
        case 2:
            return ty.ShapeType(None, scope.pick(-1, 2))
        case 3:
            return ty.TensorType(None, scope.pick(None, "float32"), scope.pick(-1, 0, 3))
        case 7:
            return ty.TupleType(tuple(a_type(scope, 0) for _ in range(scope.draw(st.integers(0, 3)))))
        case 8:
            return ty.FuncType((a_type(scope, 0),), a_type(scope, 0), scope.pick(True, False))
        case 9:
            return ty.FuncType(None, ty.AnyType(), scope.pick(True, False))
        case _:
            return ty.tensor_of(dims, scope.pick(None, *DTYPES), scope.pick(None, None, "cuda:1:global"))


def a_constant(scope: Scope) -> g.Constant:
    dtype = scope.pick(*DTYPES)
    shape = scope.pick((), (), (2,), (1, 3), (0,))
    count = 1
    for extent in shape:
        count *= extent
    return g.Constant(dtype, shape, tuple(literal(scope.draw, dtype).bits for _ in range(count)))


def a_leaf(scope: Scope) -> g.Expr:
    choices: list[g.Expr] = [g.Var(each) for each in scope.variables] * 2
    match scope.draw(st.integers(0, 6)) if choices else 0:
        case 0:
            return a_constant(scope)
        case 1:
            return g.ShapeExpr((scope.dim(), scope.dim()))
        case 2:
            return g.StringValue(scope.draw(STRINGS))
        case 3:
            return g.DataTypeValue(scope.pick(*DTYPES))
        case _:
            return scope.pick(*choices)


def a_call(scope: Scope) -> g.Expr:
    x, y = a_leaf(scope), a_leaf(scope)
    number = scope.pick(scope.expr("int64", 1), literal(scope.draw, "float32"), literal(scope.draw, "bool"))
    tensor = ty.tensor_of((scope.dim(),), "float32")
    match scope.draw(st.integers(0, 8)):
        case 0:
            return g.Call(g.Op("relax.add"), (x, y))
        case 1:
            attrs = (("axis", g.AttrList((0, -1))), ("keepdims", scope.pick(True, False)))
            return g.Call(g.Op("relax.sum"), (x,), attrs)
        case 2:
            return g.Call(g.Op("relax.call_tir"), (g.GlobalVar("kernel"), g.Tuple((x, y))), (), (tensor,))
        case 3:
            out = ty.TupleType((tensor, tensor))
            return g.Call(g.Op("relax.call_dps_packed"), (g.ExternFunc("lib.f"), g.Tuple(())), (), (out,))
        case 4:
            return g.Call(g.ExternFunc("lib.g"), (x, g.PrimValue(number)), (), (tensor,))
        case 5:
            return g.Call(g.Op("relax.call_pure_packed"), (g.ExternFunc("lib.g"), x, y), (), (tensor,))
        case 6:
            return g.TupleGetItem(g.Var(scope.pick(*scope.variables)), 1) if scope.variables else g.Tuple((x,))
        case 7:
            return g.Tuple((x, g.Tuple((y,)), g.Tuple(())))
        case _:
            epsilon = bits.literal("float64", scope.pick(1e-5, 0.5, 3.0))
            attrs = (("axes", g.AttrList((-1,))), ("epsilon", epsilon))
            return g.Call(g.Op("relax.nn.rms_norm"), (x, y), attrs)


def a_sequence(scope: Scope, depth: int) -> g.SeqExpr:
    blocks: list[g.Block] = []
    for _ in range(scope.draw(st.integers(0, 3))):
        if scope.draw(st.booleans()):
            inner = scope.inner()
            bindings = tuple(a_binding(inner, 0) for _ in range(scope.draw(st.integers(1, 3))))
            outputs = tuple(b.name for b in bindings if scope.draw(st.booleans()))
            blocks.append(g.DataflowBlock(bindings, outputs))
            scope.variables += outputs
        elif not blocks or isinstance(blocks[-1], g.DataflowBlock):
            blocks.append(g.BindingBlock(tuple(a_binding(scope, depth) for _ in range(scope.draw(st.integers(1, 3))))))
    return g.SeqExpr(tuple(blocks), a_leaf(scope))


def a_binding(scope: Scope, depth: int) -> g.Binding:
    annotation = scope.pick(None, a_type(scope))
    match scope.draw(st.integers(0, 6 if depth else 4)):
        case 0:
            known = ty.tensor_of((scope.dim(), *_new_symbol(scope)), "float32")
            value, name = a_leaf(scope), scope.fresh("cast")
            scope.variables.append(name)
            return g.MatchCast(name, value, known, scope.pick(None, known))
        case 5:
            condition = g.Var(scope.pick(*scope.variables)) if scope.variables else a_constant(scope)
            then, other = a_sequence(scope.inner(), 0), a_sequence(scope.inner(), 0)
            value = g.If(condition, then, other)
        case 6:
            name = scope.fresh("inner")
            function = a_function(scope, nested=True)
            scope.variables.append(name)
            return g.VarBinding(name, function)
        case _:
            value = a_call(scope)
    name = scope.fresh("v")
    scope.variables.append(name)
    return g.VarBinding(name, value, annotation)


def _new_symbol(scope: Scope) -> tuple[s.PrimExpr, ...]:
    if scope.draw(st.booleans()):
        return ()
    symbol = s.SymVar(scope.fresh("k"))
    scope.scalars.append(symbol)
    return (symbol,)


def a_function(outer: Scope, nested: bool = False) -> g.Function:
    scope = outer.inner()
    scope.bare = "int64"
    own = [s.SymVar(scope.fresh("n")) for _ in range(scope.draw(st.integers(0, 2)))]
    scope.scalars += own
    params = [g.Param(scope.fresh("x"), ty.tensor_of((each,), "float32")) for each in own]
    params += [g.Param(scope.fresh("y"), a_type(scope)) for _ in range(scope.draw(st.integers(0, 2)))]
    ret = a_type(scope)
    scope.variables += [p.name for p in params]
    attrs = (
        (("k", g.AttrList((1, "a", True, None, bits.literal("float64", 0.5)))),) if scope.draw(st.booleans()) else ()
    )
    body = a_sequence(scope, 0 if nested else 1)
    symbols = tuple(each.name for each in own)
    return g.Function(
        tuple(params), ret, body, scope.pick(True, False), nested or scope.pick(True, False), attrs, symbols
    )


# --- loop level ------------------------------------------------------------------------------------------------------


def a_buffer(around: Scope, base: str, **more: Any) -> lp.Buffer:
    shape = tuple(around.pick(s.int_imm(4, "int32"), around.dim()) for _ in range(around.draw(st.integers(1, 2))))
    return lp.Buffer(around.fresh(base), shape, around.pick(*DTYPES), **more)


def statements(scope: Scope, depth: int, loop: bool = False) -> tuple[lp.Stmt, ...]:
    return tuple(a_statement(scope, depth, loop) for _ in range(scope.draw(st.integers(1, 3))))


def a_store(scope: Scope) -> lp.Stmt:
    stored = [b for b in scope.buffers if not b.scalar]
    if not stored:
        return lp.Evaluate(s.Intrinsic("call_extern", (s.StringImm("f"), scope.leaf("int32")), "int32"))
    buffer = scope.pick(*stored)
    return lp.BufferStore(buffer.name, scope.expr(buffer.dtype), tuple(scope.expr("int32", 1) for _ in buffer.shape))


def a_statement(scope: Scope, depth: int, loop: bool) -> lp.Stmt:
    match scope.draw(st.integers(0, 10 if depth else 4)):
        case 0:
            dtype = scope.pick("int32", "int64", "float32", "bool")
            value = scope.expr(dtype)
            scope.scalars.append(s.SymVar(scope.fresh("let"), dtype))
            return lp.Bind(scope.scalars[-1], value)
        case 1:
            dtype = scope.pick("int32", "float32")
            value = scope.pick(None, scope.expr(dtype))
            one = (s.int_imm(1, "int32"),)
            scope.buffers.append(lp.Buffer(scope.fresh("cell"), one, dtype, scope="local", scalar=True))
            return lp.AllocBuffer(scope.buffers[-1], value)
        case 2:
            made = a_buffer(scope, "L", scope=scope.pick("local", "shared", "global", "shared.dyn"))
            scope.buffers.append(made)
            return lp.AllocBuffer(made)
        case 3 if loop:
            return scope.pick(lp.Break(), lp.Continue())
        case 5:
            return a_loop(scope, depth)
        case 6:
            other = statements(scope.inner(), depth - 1, loop) if scope.draw(st.booleans()) else ()
            return lp.IfThenElse(scope.truth(2), statements(scope.inner(), depth - 1, loop), other)
        case 7:
            return lp.While(scope.truth(1), statements(scope.inner(), depth - 1, True))
        case 8:
            return a_block(scope, depth)
        case 9:
            inner = scope.inner()
            var = s.SymVar(scope.fresh("tx"), "int32")
            inner.scalars.append(var)
            return lp.LaunchThread(var, "threadIdx.x", s.int_imm(8, "int32"), statements(inner, depth - 1))
        case 10:
            return lp.AssertStmt(scope.truth(2), "ValueError", (scope.draw(STRINGS), "b"))
        case _:
            return a_store(scope)


def a_loop(scope: Scope, depth: int) -> lp.Stmt:
    inner = scope.inner()
    dtype = scope.pick("int32", "int64")
    var = s.SymVar(scope.fresh("i"), dtype)
    low = s.int_imm(scope.pick(0, 0, 0, 3), dtype)
    extent = s.int_imm(scope.draw(st.integers(1, 9)), dtype) if dtype == "int32" else scope.dim()
    inner.scalars.append(var)
    body = statements(inner, depth - 1, True)
    kind = scope.pick("serial", "serial", "parallel", "unroll", "vectorized", "thread_binding")
    thread = "threadIdx.y" if kind == "thread_binding" else None
    notes = (("k", 1),) if scope.draw(st.booleans()) and kind == "serial" else ()
    return lp.For(var, low, extent, body, kind, thread, None, notes)


def a_block(scope: Scope, depth: int) -> lp.Stmt:
    inner = scope.inner()
    iters = []
    for _ in range(scope.draw(st.integers(1, 3))):
        var = s.SymVar(scope.fresh("vi"), "int32")
        low, extent = s.int_imm(scope.pick(0, 0, 2), "int32"), s.int_imm(4, "int32")
        iters.append(lp.IterVar(var, low, extent, scope.pick("spatial", "reduce", "opaque"), scope.expr("int32", 1)))
        inner.scalars.append(var)
    regions = tuple(
        lp.BufferRegion(b.name, tuple((low, extent) for _ in b.shape)) for b in scope.buffers if not b.scalar
    )
    init = (a_store(inner),) if scope.draw(st.booleans()) else None
    where = scope.truth(2)
    return lp.SBlock(
        scope.draw(STRINGS),
        tuple(iters),
        statements(inner, depth - 1),
        None if isinstance(where, s.Literal) else where,
        scope.pick(None, (), regions),
        scope.pick(None, regions),
        init,
        attrs=(("note", "x"),) if scope.draw(st.booleans()) else (),
    )


def a_prim_func(outer: Scope) -> lp.PrimFunc:
    scope = outer.inner()
    scope.taken = set()
    own = [s.SymVar(scope.fresh("n")) for _ in range(scope.draw(st.integers(0, 2)))]
    params: list[lp.ScalarParam | lp.BufferParam] = []
    scope.scalars += own
    for each in own:
        params.append(lp.BufferParam(lp.Buffer(scope.fresh("A"), (each, s.int_imm(4, "int32")))))
    params += [lp.BufferParam(a_buffer(scope, "B")) for _ in range(scope.draw(st.integers(0, 2)))]
    scope.buffers += [p.buffer for p in params if isinstance(p, lp.BufferParam)]
    for _ in range(scope.draw(st.integers(0, 2))):
        params.append(lp.ScalarParam(s.SymVar(scope.fresh("p"), scope.pick("int32", "int64", "float32"))))
        scope.scalars.append(params[-1].var)
    block_level = scope.pick(True, False)
    allocs = (a_buffer(scope, "root"),) if block_level and scope.draw(st.booleans()) else ()
    scope.buffers += allocs
    body = statements(scope, 2)
    return lp.PrimFunc(
        tuple(params), body, None, (("tirx.noalias", True),), scope.pick(True, False), block_level, tuple(own), allocs
    )


@st.composite
def modules(draw: Any, graph: bool = True, loops: bool = True) -> Module:
    """Small modules of one to three functions."""
    functions: dict[str, Any] = {}
    if loops:
        functions["kernel"] = a_prim_func(Scope(draw))
    if graph:
        functions["main"] = a_function(Scope(draw, set()))
        if draw(st.booleans()):
            functions["other"] = a_function(Scope(draw, set()))
    attrs = (("version", 3),) if draw(st.booleans()) else ()
    return Module(functions, attrs)


@pytest.fixture(scope="session")
def graph_modules() -> st.SearchStrategy[Module]:
    return modules(loops=False)


@pytest.fixture(scope="session")
def loop_modules() -> st.SearchStrategy[Module]:
    return modules(graph=False)


@pytest.fixture(scope="session")
def any_modules() -> st.SearchStrategy[Module]:
    return modules()
