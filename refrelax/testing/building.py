"""A function under construction: what is in scope, and the few ways to extend it that keep it well-typed.

Generation is by construction. A rule asks for an operand (``tensor``, ``operand``), which is a variable in scope or a
new parameter of the function, and emits a binding, whose type deduction gives. References to variables are drawn oldest
first, so that shrinking makes them parameters and the bindings between them disappear.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from math import prod
from typing import Any

from hypothesis import strategies as st

from refrelax.errors import InternalError
from refrelax.semantics.dims import equal
from refrelax.semantics.types.context import Journal, TypingContext
from refrelax.semantics.types.deduce import value_type
from refrelax.semantics.types.signatures import base_type
from refrelax.syntax import bits, dtypes
from refrelax.syntax.graph import (
    AttrValue,
    Binding,
    Call,
    Constant,
    Expr,
    MatchCast,
    Op,
    Param,
    PrimValue,
    ShapeExpr,
    Var,
    VarBinding,
)
from refrelax.syntax.module import BaseFunc, Module
from refrelax.syntax.read.attributes import from_default
from refrelax.syntax.scalars import (
    Binary,
    Cast,
    Intrinsic,
    Literal,
    PrimExpr,
    SymVar,
    as_int,
    free_symbols,
    int_imm,
    walk,
)
from refrelax.syntax.signatures import signature
from refrelax.syntax.types import PrimType, ShapeType, TensorType, TupleType, Type, tensor_of
from refrelax.testing.options import Options

Draw = Callable[..., Any]
Dims = tuple[PrimExpr, ...]
Given = tuple[Expr, TensorType]
"""An operand: an expression (a variable or a constant) and its type."""


@cache
def _below(count: int) -> st.SearchStrategy[int]:
    """Places among so many choices: one strategy, which Hypothesis looks into once."""
    return st.integers(0, count - 1)


@dataclass(slots=True)
class Building:
    """One Relax function while it is made. ``closed``: its parameters are fixed, new operands are made inside it."""

    draw: Draw
    options: Options
    functions: dict[str, BaseFunc]
    frame: TypingContext
    counter: list[int]
    params: list[Param] = field(default_factory=list)
    types: dict[str, Type] = field(default_factory=dict)
    bindings: list[Binding] = field(default_factory=list)
    symbols: list[str] = field(default_factory=list)
    closed: bool = False
    depth: int = 0

    # --- choices -----------------------------------------------------------------------------------------------------

    def pick(self, choices: Sequence[Any]) -> Any:
        """One of ``choices``; the first is the simplest."""
        return choices[self.draw(_below(len(choices)))] if len(choices) > 1 else choices[0]

    def flag(self) -> bool:
        return bool(self.draw(st.booleans()))

    def integer(self, low: int, high: int) -> int:
        return int(self.draw(st.integers(low, high)))

    def name(self, stem: str) -> str:
        """A name that nothing in the module has."""
        self.counter[0] += 1
        return f"{stem}{self.counter[0]}"

    def dim(self, low: int = 0) -> PrimExpr:
        """A dim: small numbers, symbols, sums, products and resized ones; at least ``low`` where it is a number."""
        numbers: list[PrimExpr] = [int_imm(k) for k in (2, 3, 1, 5, 0) if k >= low]
        related: list[PrimExpr] = []
        for name in self.symbols:
            n = SymVar(name)
            related += [n, Binary("Add", n, int_imm(1)), Binary("Mul", n, int_imm(2))]
            related += [resized(n)] if "float_extents" in self.options.features else []
        return self.pick([*numbers, *related])  # type: ignore[no-any-return]

    def dims(self, low_rank: int, high_rank: int, low: int = 0) -> Dims:
        return tuple(self.dim(low) for _ in range(self.integer(low_rank, high_rank)))

    # --- operands ----------------------------------------------------------------------------------------------------

    def tensors(self, where: Callable[[TensorType], bool] = lambda _t: True) -> list[Given]:
        """The variables in scope of tensor type with known dims and dtype that fulfil ``where``, oldest first."""
        return [
            (Var(name), type_)
            for name, type_ in self.types.items()
            if isinstance(type_, TensorType) and isinstance(type_.shape, tuple) and type_.dtype and where(type_)
        ]

    def tensor(self, wanted: Sequence[str], low_rank: int = 0, high_rank: int = 3, low: int = 0) -> Given:
        """A tensor of one of the dtypes ``wanted``, of any shape with a rank in range."""

        def fits(t: TensorType) -> bool:
            shape = dims_of(t)
            known = all((n := as_int(d)) is None or n >= low for d in shape)
            return t.dtype in wanted and low_rank <= len(shape) <= high_rank and known

        found = self.pick([*self.tensors(fits), None])
        if found is not None:
            return found  # type: ignore[no-any-return]
        return self.fresh(self.dims(low_rank, min(high_rank, 3), low), self.pick(list(wanted)))

    def operand(self, shape: Dims, dtype: str) -> Given:
        """A tensor of exactly this type: a variable in scope, a constant, or a new parameter."""
        same = self.tensors(lambda t: t.dtype == dtype and self.same(dims_of(t), shape))
        choices: list[Any] = [*same, "fresh"]
        known = [as_int(d) for d in shape]
        # text cannot say what extents follow an extent of 0
        if None not in known and 0 not in known[:-1] and prod(e or 0 for e in known) <= 6:
            choices.append("constant")
        match self.pick(choices):
            case "fresh":
                return self.fresh(shape, dtype)
            case "constant":
                return self.constant(shape, dtype), tensor_of(shape, dtype)
            case found:
                return found  # type: ignore[no-any-return]

    def fresh(self, shape: Dims, dtype: str) -> Given:
        """A new parameter; a tensor of ones in a closed function, and for dims that parameters cannot define."""
        if self.closed or not used_symbols([tensor_of(shape, dtype)]) <= set(self.options.symbols):
            return self.operator("ones", ShapeExpr(shape), dtype=dtype)
        return Var(self.parameter(tensor_of(shape, dtype))), tensor_of(shape, dtype)

    def parameter(self, type_: Type) -> str:
        """A new parameter of the function."""
        name = self.name("x")
        self.params.append(Param(name, type_))
        self.types = {**{p.name: self.types.get(p.name, type_) for p in self.params}, **self.types}
        self.frame.types[name] = type_
        return name

    def constant(self, shape: Dims, dtype: str) -> Constant:
        """``R.const`` with a few small numbers."""
        extents = tuple(int(as_int(d) or 0) for d in shape)
        low = 0 if dtype == "bool" or dtypes.kind(dtype) == "uint" else -3
        numbers = [self.integer(low, 1 if dtype == "bool" else 3) for _ in range(prod(extents))]
        return Constant(dtype, extents, tuple(bits.encode(dtype, n) for n in numbers))

    def scalar_constant(self, dtype: str, number: float) -> Constant:
        return Constant(dtype, (), (bits.encode(dtype, number),))

    def same(self, a: Sequence[PrimExpr], b: Sequence[PrimExpr]) -> bool:
        """Whether two shapes are provably equal."""
        return len(a) == len(b) and all(equal(x, y, self.frame.facts) is True for x, y in zip(a, b, strict=True))

    # --- bindings ----------------------------------------------------------------------------------------------------

    def scalar(self, expr: PrimExpr) -> Expr:
        """A scalar expression as a value, spelled as the reader does: a binding or parameter alone is a variable."""
        if isinstance(expr, SymVar) and expr.name in self.types:
            return Var(expr.name)
        return PrimValue(expr)

    def emit(self, value: Expr, stem: str = "v") -> tuple[Var, Type]:
        """Bind ``value`` to a new variable; its type is deduced."""
        binding = VarBinding(self.name(stem), value)
        type_ = value_type(self.frame, binding)
        self._refuse_diagnostics(binding)
        prim = isinstance(value, PrimValue)
        self._bind(replace(binding, annotation=type_) if prim else binding, type_)
        return Var(binding.name), type_

    def cast(self, value: Expr, type_: Type) -> Var:
        """``R.match_cast(value, type_)``; new symbols of the type are in scope from here on."""
        name = self.name("v")
        self.frame.define_symbols((type_,))
        self._bind(MatchCast(name, value, type_), type_)
        return Var(name)

    def _bind(self, binding: Binding, type_: Type) -> None:
        self.bindings.append(binding)
        self.types[binding.name] = type_
        self.frame.bind(binding.name, type_, None)

    def _refuse_diagnostics(self, binding: VarBinding) -> None:
        if self.frame.journal.diagnostics:
            found = "; ".join(map(str, self.frame.journal.diagnostics))
            raise InternalError(f"a generated binding does not check: {binding}: {found}")

    def operator(self, op: str, *args: Expr, **attrs: Any) -> Given:
        """Emit a call of ``R.<op>``; gives the variable and its type (for a tensor)."""
        var, type_ = self.emit(call(op, *args, **attrs))
        return var, type_  # type: ignore[return-value]

    def define(self, name: str, function: BaseFunc) -> None:
        """A function of the module."""
        self.functions[name] = function
        self.frame.module = Module(self.functions)
        signatures = dict(self.frame.signatures)
        signatures[name] = base_type(function)
        self.frame.signatures = signatures


def resized(n: PrimExpr) -> PrimExpr:
    """``int64(ceil(float32(n) * 1.5))``: how TVM's ONNX front end writes a resized extent."""
    scaled = Binary("Mul", Cast("float32", n), Literal("float32", bits.encode("float32", 1.5)))
    return Cast("int64", Intrinsic("ceil", (scaled,), "float32"))


def dims_of(type_: TensorType) -> Dims:
    """The dims of a tensor type that has some."""
    assert isinstance(type_.shape, tuple)
    return type_.shape


def call(op: str, *args: Expr, **attrs: Any) -> Call:
    """``R.op(*args, **attrs)`` with every other attribute at its default."""
    name = f"relax.{op}"
    sig = signature(name)
    unknown = set(attrs) - {slot.name for slot in sig.attrs}
    if unknown:
        raise InternalError(f"{name} has no attribute {', '.join(sorted(unknown))}")
    filled: dict[str, AttrValue] = {}
    for slot in sig.attrs:
        value = attrs.get(slot.name, slot.default)
        if isinstance(value, str) and value.startswith("@"):
            filled[slot.name] = filled[value[1:]]
        elif slot.kind in ("any", "imm", "sections") and slot.name in attrs:
            filled[slot.name] = value
        else:
            filled[slot.name] = from_default(replace(slot, default=value))
    return Call(Op(name), args, tuple(filled.items()))


def number(value: int | float, dtype: str = "int64") -> PrimValue:
    """A scalar argument."""
    return PrimValue(bits.literal(dtype, value))


def start(draw: Draw, options: Options, functions: dict[str, BaseFunc], counter: list[int], name: str) -> Building:
    """An empty function with the symbols of ``options`` in scope."""
    module = Module(functions)
    frame = TypingContext(module, Journal(), {k: base_type(f) for k, f in functions.items()}, name, False)
    symbols = list(options.symbols)
    frame.visible.update(symbols)
    frame.facts = frame.facts.with_shape_symbols(symbols)
    return Building(draw, options, functions, frame, counter, symbols=symbols)


def bare_symbols(types: Sequence[Type]) -> list[str]:
    """Symbols that stand alone as a dim, in the order in which symbols occur first."""
    dims = [dim for type_ in types for dim in all_dims(type_)]
    order = dict.fromkeys(n.name for dim in dims for n in walk(dim) if isinstance(n, SymVar))
    bare = {dim.name for dim in dims if isinstance(dim, SymVar)}
    return [name for name in order if name in bare]


def all_dims(type_: Type) -> list[PrimExpr]:
    """Every dim of a type."""
    match type_:
        case TensorType(shape=tuple() as shape):
            return list(shape)
        case ShapeType(values=tuple() as values):
            return list(values)
        case TupleType(fields=fields):
            return [d for each in fields for d in all_dims(each)]
        case _:
            return []


def used_symbols(types: Sequence[Type]) -> set[str]:
    """Symbols that occur in types."""
    return {name for type_ in types for dim in all_dims(type_) for name in free_symbols(dim)}


def visible_type(type_: Type, symbols: set[str]) -> Type:
    """``type_`` with the dims forgotten that mention other symbols."""
    known = used_symbols([type_]) <= symbols
    match type_:
        case TensorType(shape=tuple() as shape) if not known:
            return TensorType(None, type_.dtype, len(shape), type_.vdevice)
        case ShapeType(values=tuple() as values) if not known:
            return ShapeType(None, len(values))
        case TupleType(fields=fields):
            return TupleType(tuple(visible_type(each, symbols) for each in fields))
        case PrimType() | _:
            return type_
