"""Rules that make a loop-level function and call it with ``R.call_tir``.

Every form writes all of its outputs and loads in bounds, so that what it means is determined: elementwise with
broadcasts and transposed loads, reductions with ``T.init``, positions of extremes, products of matrices, padded loads
under ``T.if_then_else``, predicates, two stages through a local buffer, sequential recurrences, several outputs,
primitive arguments, updates in place.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from refrelax.syntax import bits, dtypes
from refrelax.syntax.graph import AttrList, Attrs, Call, Expr, GlobalVar, Op, PrimValue, Tuple, Var
from refrelax.syntax.loops import (
    Buffer,
    BufferParam,
    BufferStore,
    For,
    IterKind,
    IterVar,
    PrimFunc,
    SBlock,
    ScalarParam,
    Stmt,
)
from refrelax.syntax.read.building import if_then_else
from refrelax.syntax.read.rewrites import UNARY
from refrelax.syntax.scalars import (
    Binary,
    BinaryOp,
    BufferLoad,
    Cast,
    Intrinsic,
    PrimExpr,
    Select,
    SymVar,
    as_int,
    bool_imm,
    int_imm,
)
from refrelax.syntax.types import TensorType, TupleType, Type, tensor_of
from refrelax.testing.building import Building, Dims, dims_of
from refrelax.testing.graph_rules import Rule


@dataclass(slots=True)
class Loops:
    """A PrimFunc under construction. ``own``: the callee's name of each of the caller's symbolic dims."""

    b: Building
    params: list[ScalarParam | BufferParam] = field(default_factory=list)
    args: list[Expr] = field(default_factory=list)
    own: dict[PrimExpr, SymVar] = field(default_factory=dict)
    body: list[Stmt] = field(default_factory=list)
    allocs: list[Buffer] = field(default_factory=list)
    outputs: list[TensorType] = field(default_factory=list)

    def shape(self, dims: Sequence[PrimExpr]) -> Dims:
        """The caller's dims in the callee's words: numbers as they are, everything else a symbol."""
        return tuple(self._dim(d) for d in dims)

    def _dim(self, dim: PrimExpr) -> PrimExpr:
        if as_int(dim) is not None:
            return dim
        for known, symbol in self.own.items():
            if self.b.same((known,), (dim,)):
                return symbol
        self.own[dim] = SymVar(self.b.name("p"))
        return self.own[dim]

    def input(self, value: Expr, type_: TensorType) -> Buffer:
        """A parameter for an operand of the call."""
        buffer = Buffer(self.b.name("A"), self.shape(dims_of(type_)), type_.dtype or "")
        self.params.append(BufferParam(buffer))
        self.args.append(value)
        return buffer

    def output(self, inner: Dims, outer: Dims, dtype: str) -> Buffer:
        """A parameter for an output: its shape in the callee's words, and in the caller's."""
        buffer = Buffer(self.b.name("B"), inner, dtype)
        self.params.append(BufferParam(buffer))
        self.outputs.append(tensor_of(outer, dtype))
        return buffer

    def block(
        self,
        extents: Sequence[PrimExpr],
        kinds: Sequence[IterKind],
        body: tuple[Stmt, ...],
        axes: Sequence[SymVar],
        init: tuple[Stmt, ...] | None = None,
        predicate: PrimExpr | None = None,
    ) -> None:
        """Serial loops over ``extents`` around one block."""
        loops = [SymVar(self.b.name("i")) for _ in extents]
        zero = int_imm(0)
        iters = tuple(
            IterVar(axis, zero, extent, kind, loop)
            for axis, extent, kind, loop in zip(axes, extents, kinds, loops, strict=True)
        )
        stmt: Stmt = SBlock(self.b.name("s"), iters, body, predicate=predicate, init=init)
        for loop, extent in reversed(list(zip(loops, extents, strict=True))):
            stmt = For(loop, zero, extent, (stmt,))
        self.body.append(stmt)

    def axes(self, count: int) -> list[SymVar]:
        return [SymVar(self.b.name("v")) for _ in range(count)]

    def finish(self, inplace: Sequence[int] | None = None) -> None:
        """Define the function and emit the call."""
        name = self.b.name("k")
        seen: list[SymVar] = []
        for param in self.params:
            if isinstance(param, BufferParam):
                for dim in param.buffer.shape:
                    if isinstance(dim, SymVar) and dim not in seen:
                        seen.append(dim)
        known = {p.var.name for p in self.params if isinstance(p, ScalarParam)}
        symbols = tuple(s for s in seen if s.name not in known)
        self.b.define(
            name,
            PrimFunc(
                tuple(self.params), tuple(self.body), private=True, s_tir=True, symbols=symbols,
                root_allocs=tuple(self.allocs),
            ),
        )  # fmt: skip
        types = tuple(self.outputs)
        out: Type = types[0] if len(types) == 1 else TupleType(types)
        op: str = "relax.call_tir"
        attrs: Attrs = ()
        if inplace is not None:
            op, attrs = "relax.call_tir_inplace", (("inplace_indices", AttrList(tuple(inplace))),)
        self.b.emit(Call(Op(op), (GlobalVar(name), Tuple(tuple(self.args))), attrs, (out,)))


def load(buffer: Buffer, indices: Sequence[PrimExpr]) -> BufferLoad:
    return BufferLoad(buffer.name, tuple(indices), buffer.dtype)


def store(buffer: Buffer, value: PrimExpr, indices: Sequence[PrimExpr]) -> BufferStore:
    return BufferStore(buffer.name, value, tuple(indices))


def literal(dtype: str, number: float) -> PrimExpr:
    return bits.literal(dtype, number)


# --- expressions -----------------------------------------------------------------------------------------------------


def expression(b: Building, leaves: Sequence[PrimExpr], axes: Sequence[SymVar], depth: int = 2) -> PrimExpr:
    """Arithmetic over ``leaves`` (all of one dtype) and the block's axes."""
    dtype = leaves[0].dtype
    form = b.pick(("leaf", "binary", "unary", "select", "literal", "axis")) if depth else "leaf"
    match form:
        case "binary":
            return binary(b, expression(b, leaves, axes, depth - 1), expression(b, leaves, axes, depth - 1))
        case "unary":
            return unary(b, expression(b, leaves, axes, depth - 1))
        case "select":
            test = comparison(b, expression(b, leaves, axes, 0), leaves, axes)
            arms = expression(b, leaves, axes, depth - 1), expression(b, leaves, axes, 0)
            if b.flag():
                return if_then_else(test, *arms)
            return Select(test, *arms)
        case "literal":
            return literal(dtype, b.integer(0, 1) if dtype == "bool" else b.integer(-2, 2))
        case "axis" if axes and dtype != "bool":
            axis = b.pick(list(axes))
            return axis if dtype == axis.dtype else Cast(dtype, axis)
        case _:
            return b.pick(list(leaves))  # type: ignore[no-any-return]


def binary(b: Building, x: PrimExpr, y: PrimExpr) -> PrimExpr:
    ops: tuple[BinaryOp, ...] = ("And", "Or") if x.dtype == "bool" else ("Add", "Sub", "Mul", "Max", "Min")
    return Binary(b.pick(ops), x, y)


def unary(b: Building, x: PrimExpr) -> PrimExpr:
    if dtypes.is_float(x.dtype):
        op = b.pick(("exp", "tanh", "sqrt", "abs", "floor"))
        return UNARY[op](x) if op in UNARY else Intrinsic(op, (x,), x.dtype)
    if x.dtype == "bool":
        return x
    return Binary(b.pick(("FloorDiv", "FloorMod", "Div")), x, literal(x.dtype, b.pick((2, 3, 5))))


def comparison(b: Building, x: PrimExpr, leaves: Sequence[PrimExpr], axes: Sequence[SymVar]) -> PrimExpr:
    if x.dtype == "bool":
        return x
    if axes and b.flag():
        return Binary("LT", b.pick(list(axes)), int_imm(b.integer(1, 2)))
    op: BinaryOp = b.pick(("LT", "LE", "EQ", "GT", "GE", "NE"))
    return Binary(op, x, expression(b, leaves, (), 0))


# --- forms -----------------------------------------------------------------------------------------------------------


def elementwise(b: Building) -> None:
    """One or two outputs from one or two inputs, the second possibly broadcast or a scalar argument."""
    x, type_ = b.tensor(b.options.dtypes)
    f, outer, dtype = Loops(b), dims_of(type_), type_.dtype or ""
    first = f.input(x, type_)
    form = b.pick(("one", "same", "row", "scalar")) if dtype != "bool" else "one"
    second = None
    if form == "same" or (form == "row" and outer):
        second = f.input(*b.operand(outer if form == "same" else outer[-1:], dtype))
    scalar = _scalar(f, dtype) if form == "scalar" else None
    blocks = []
    for _ in range(b.integer(1, 2)):
        axes = f.axes(len(outer))
        leaves: list[PrimExpr] = [load(first, axes)]
        if second is not None:
            leaves.append(load(second, axes[len(axes) - len(second.shape) :]))
        if scalar is not None:
            leaves.append(scalar)
        blocks.append((axes, expression(b, leaves, axes)))
    for axes, value in blocks:
        out = f.output(first.shape, outer, value.dtype)
        f.block(first.shape, ["spatial"] * len(outer), (store(out, value, axes),), axes)
    f.finish()


def _scalar(f: Loops, dtype: str) -> SymVar:
    var = SymVar(f.b.name("c"), dtype)
    f.params.append(ScalarParam(var))
    f.args.append(PrimValue(literal(dtype, f.b.integer(-2, 2))))
    return var


def transpose(b: Building) -> None:
    """``B[j, i] = e(A[i, j])``, spread over either order of loops."""
    x, type_ = b.tensor(b.options.dtypes, low_rank=2)
    f, outer = Loops(b), dims_of(type_)
    a = f.input(x, type_)
    inner, axes = a.shape, f.axes(len(outer))
    out = f.output(inner[::-1], outer[::-1], type_.dtype or "")
    value = expression(b, [load(a, axes)], axes, 1)
    f.block(inner, ["spatial"] * len(outer), (store(out, value, axes[::-1]),), axes)
    f.finish()


FOLDS: dict[str, tuple[BinaryOp, float]] = {
    "add": ("Add", 0.0), "mul": ("Mul", 1.0), "max": ("Max", float("-inf")), "min": ("Min", float("inf")),
}  # fmt: skip


def reduction(b: Building) -> None:
    """Over the last axis with ``T.init``; the rest is spatial."""
    x, type_ = b.tensor(b.options.numbers or ("float32",), low_rank=1)
    f, outer, dtype = Loops(b), dims_of(type_), type_.dtype or ""
    a = f.input(x, type_)
    op, start = FOLDS[b.pick(list(FOLDS))]
    if op in ("Max", "Min") and not dtypes.is_float(dtype):
        low, high = dtypes.integer_range(dtype)
        start = low if op == "Max" else high
    axes = f.axes(len(outer))
    out = f.output(a.shape[:-1], outer[:-1], dtype)
    at = axes[:-1]
    item = expression(b, [load(a, axes)], axes, 1)
    body = store(out, Binary(op, load(out, at), item), at)
    init = store(out, literal(dtype, start), at)
    f.block(a.shape, [*["spatial"] * len(at), "reduce"], (body,), axes, (init,))  # type: ignore[list-item]
    f.finish()


def arg_extreme(b: Building) -> None:
    """The first position of the greatest element of each row and that element, by one reduction block."""
    x, type_ = b.tensor(b.options.floats or ("float32",), low_rank=1, low=1)
    f, outer, dtype = Loops(b), dims_of(type_), type_.dtype or ""
    a = f.input(x, type_)
    axes = f.axes(len(outer))
    at = axes[:-1]
    where = f.output(a.shape[:-1], outer[:-1], "int64")
    value = f.output(a.shape[:-1], outer[:-1], dtype)
    better = Binary("GE", load(value, at), load(a, axes))
    body = (
        store(where, Select(better, load(where, at), axes[-1]), at),
        store(value, Select(better, load(value, at), load(a, axes)), at),
    )
    init = (store(where, int_imm(0), at), store(value, literal(dtype, float("-inf")), at))
    f.block(a.shape, [*["spatial"] * len(at), "reduce"], body, axes, init)  # type: ignore[list-item]
    f.finish()


def matmul(b: Building) -> None:
    x, type_ = b.tensor(b.options.numbers or ("float32",), low_rank=2, high_rank=2)
    dtype, (n, k) = type_.dtype or "", dims_of(type_)
    m = b.dim()
    f = Loops(b)
    a = f.input(x, type_)
    c = f.input(*b.operand((k, m), dtype))
    out = f.output((a.shape[0], c.shape[1]), (n, m), dtype)
    i, j, r = f.axes(3)
    product = Binary("Mul", load(a, (i, r)), load(c, (r, j)))
    body = store(out, Binary("Add", load(out, (i, j)), product), (i, j))
    extents = (a.shape[0], c.shape[1], a.shape[1])
    init = store(out, literal(dtype, 0), (i, j))
    f.block(extents, ["spatial", "spatial", "reduce"], (body,), (i, j, r), (init,))
    f.finish()


def padded(b: Building) -> None:
    """One axis grows by a border on each side, whose elements are a literal."""
    x, type_ = b.tensor(b.options.numbers or ("float32",), low_rank=1)
    f, outer, dtype = Loops(b), dims_of(type_), type_.dtype or ""
    a = f.input(x, type_)
    before, after = b.integer(0, 2), b.integer(0, 1)
    grown = int_imm(before + after)
    out = f.output((_plus(a.shape[0], grown), *a.shape[1:]), (_plus(outer[0], grown), *outer[1:]), dtype)
    axes = f.axes(len(outer))
    at = Binary("Sub", axes[0], int_imm(before))
    inside = Binary(
        "And", Binary("LE", int_imm(before), axes[0]), Binary("LT", axes[0], _plus(a.shape[0], int_imm(before)))
    )
    value = Intrinsic("if_then_else", (inside, load(a, (at, *axes[1:])), literal(dtype, b.integer(0, 2))), dtype)
    f.block(out.shape, ["spatial"] * len(outer), (store(out, value, axes),), axes)
    f.finish()


def _plus(dim: PrimExpr, more: PrimExpr) -> PrimExpr:
    known, extra = as_int(dim), as_int(more)
    if extra == 0:
        return dim
    return int_imm(known + extra) if known is not None and extra is not None else Binary("Add", dim, more)


def predicated(b: Building) -> None:
    """A copy, then an update of the elements below a bound, under ``T.where``."""
    x, type_ = b.tensor(b.options.numbers or ("float32",), low_rank=1)
    f, outer = Loops(b), dims_of(type_)
    a = f.input(x, type_)
    out = f.output(a.shape, outer, type_.dtype or "")
    rank = len(outer)
    first, second = f.axes(rank), f.axes(rank)
    f.block(a.shape, ["spatial"] * rank, (store(out, load(a, first), first),), first)
    value = expression(b, [load(out, second), load(a, second)], second, 1)
    before = len(f.body)
    f.block(a.shape, ["spatial"] * rank, (store(out, value, second),), second, predicate=bool_imm(True))
    f.body[before] = _with_predicate(f.body[before], int_imm(b.integer(0, 2)))
    f.finish()


def _with_predicate(stmt: Stmt, bound: PrimExpr) -> Stmt:
    """The nest with ``T.where(outermost loop < bound)`` on its block."""
    assert isinstance(stmt, For)
    test = Binary("LT", stmt.var, bound)

    def inside(each: Stmt) -> Stmt:
        if isinstance(each, For):
            return replace(each, body=(inside(each.body[0]),))
        assert isinstance(each, SBlock)
        return replace(each, predicate=test)

    return inside(stmt)


def two_stages(b: Building) -> None:
    """An intermediate in a buffer of the function, read by a second stage: what fusion gives."""
    x, type_ = b.tensor(b.options.dtypes, low_rank=1)
    f, outer, dtype = Loops(b), dims_of(type_), type_.dtype or ""
    a = f.input(x, type_)
    out = f.output(a.shape, outer, dtype)
    local = Buffer(b.name("L"), a.shape, dtype)
    f.allocs.append(local)
    rank = len(outer)
    first, second = f.axes(rank), f.axes(rank)
    f.block(a.shape, ["spatial"] * rank, (store(local, expression(b, [load(a, first)], first, 1), first),), first)
    leaves = [load(local, second), load(a, second)]
    f.block(a.shape, ["spatial"] * rank, (store(out, expression(b, leaves, second, 1), second),), second)
    f.finish()


def recurrence(b: Building) -> None:
    """``B[i] = A[i] + (B[i - 1] if 0 < i else 0)``: loops whose order matters, without a block."""
    x, type_ = b.tensor(b.options.numbers or ("float32",), low_rank=1, high_rank=1)
    f, outer, dtype = Loops(b), dims_of(type_), type_.dtype or ""
    a = f.input(x, type_)
    out = f.output(a.shape, outer, dtype)
    i = SymVar(b.name("i"))
    earlier = load(out, (Binary("Sub", i, int_imm(1)),))
    carried = Intrinsic("if_then_else", (Binary("LT", int_imm(0), i), earlier, literal(dtype, 0)), dtype)
    f.body.append(For(i, int_imm(0), a.shape[0], (store(out, binary(b, load(a, (i,)), carried), (i,)),)))
    f.finish()


def in_place(b: Building) -> None:
    """An update of the argument itself. The argument is a copy that nothing else uses."""
    x, type_ = b.tensor(b.options.numbers or ("float32",))
    outer, dtype = dims_of(type_), type_.dtype or ""
    copy, copied = b.operator("add", x, x) if dtype != "bool" else b.operator("logical_not", x)
    f = Loops(b)
    a = f.input(copy, copied)
    axes = f.axes(len(outer))
    f.outputs.append(tensor_of(outer, dtype))
    value = expression(b, [load(a, axes)], axes)
    f.block(a.shape, ["spatial"] * len(outer), (store(a, value, axes),), axes)
    f.finish(inplace=[0])
    if isinstance(copy, Var):
        b.types.pop(copy.name, None)  # its memory is another value's from here on


LOOPS: dict[str, Rule] = {
    "loop_elementwise": elementwise, "loop_reduction": reduction, "loop_matmul": matmul, "transpose": transpose,
    "padded": padded, "predicated": predicated, "two_stages": two_stages, "recurrence": recurrence,
    "arg_extreme": arg_extreme, "in_place": in_place,
}  # fmt: skip
