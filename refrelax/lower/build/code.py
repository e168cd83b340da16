"""What a built function is written with: calls of the machine, bound to names.

Spec: ``spec/14-build.md``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from refrelax.lower.build.table import Table
from refrelax.lower.names import Taken
from refrelax.rules import rule
from refrelax.semantics.builtins.heap import IMMEDIATE, LOAD, STORE
from refrelax.syntax import dtypes
from refrelax.syntax.graph import (
    Binding,
    Call,
    Expr,
    ExternFunc,
    GlobalVar,
    Op,
    PrimValue,
    ShapeExpr,
    StringValue,
    Tuple,
    TupleGetItem,
    Var,
    VarBinding,
)
from refrelax.syntax.scalars import Literal, PrimExpr, SymVar, as_int, free_variables, int_imm
from refrelax.syntax.types import VOID, AnyType, PrimType, TensorType, Type

ANY = AnyType()
TABLE = TensorType(None, "int64", 1)
"""The type of the table, which is the machine's and no annotation of the program."""


class Unbuildable(Exception):
    """The machine has no call for something."""


def number(value: int) -> PrimValue:
    """An integer argument."""
    return PrimValue(int_imm(value))


def packed(name: str, args: Sequence[Expr], result: Type = ANY) -> Call:
    """A call of a library function."""
    return Call(ExternFunc(name), tuple(args), ty_args=(result,))


def with_context(name: str, args: Sequence[Expr], result: Type = ANY) -> Call:
    """A call of a library function that sees the machine."""
    return Call(Op("relax.call_builtin_with_ctx"), (ExternFunc(name), Tuple(tuple(args))), ty_args=(result,))


@dataclass(slots=True)
class Code:
    """The bindings written so far of one sequence. ``types``: of the function's variables before; ``ended``: those that
    it kills; ``scalars``: the scalar variables that are bound where we stand (the name of one that a branch bound may
    be a symbol's after it) and have their name until the end."""

    table: Table
    heap: Var
    taken: Taken
    types: Mapping[str, Type]
    function: str
    ended: frozenset[str] = frozenset()
    scalars: set[str] = field(default_factory=set)
    bindings: list[Binding] = field(default_factory=list)

    def branch(self) -> Code:
        """The same place with nothing written: what is bound there is not bound here."""
        return replace(self, scalars=set(self.scalars), bindings=[])

    def bound(self, name: str, type_: Type | None) -> None:
        """A variable has its value from here on."""
        if isinstance(type_, PrimType):
            self.scalars.add(name)
            if name in self.ended:  # (as a symbol it goes on: from here on it is in the table)
                self._bind_variable(SymVar(name, type_.dtype))
                self.scalars.discard(name)

    def emit(self, value: Expr, wish: str = "gv") -> Var:
        """A value under a fresh name."""
        name = self.taken.fresh(wish)
        self.bindings.append(VarBinding(name, value))
        return Var(name)

    def do(self, name: str, args: Sequence[Expr]) -> None:
        """A call of a library function for what it does, named after that: ``_check_tensor_info``."""
        self.emit(packed(name, args, VOID), "_" + name.rpartition(".")[2])

    # --- symbols -----------------------------------------------------------------------------------------------------

    @rule("lo/symbol-bound")
    def ready(self, wanted: Sequence[PrimExpr]) -> None:
        """See to it that the table holds these expressions."""
        for e in wanted:
            for symbol in self._symbols(e):
                if symbol not in self.table.known:
                    self._bind_variable(symbol)
        program = self.table.program([e for e in wanted if as_int(e) is None])
        if program is not None:
            self.emit(Call(GlobalVar(program), (self.heap,)), "_computed")

    @staticmethod
    def _symbols(e: PrimExpr) -> list[SymVar]:
        return list(dict.fromkeys(free_variables(e)))

    def _bind_variable(self, symbol: SymVar) -> None:
        """A scalar variable that an expression mentions is put in the table where it is first needed."""
        if symbol.name not in self.scalars or dtypes.kind(symbol.dtype) == "float":
            raise Unbuildable(f"the symbol {symbol.name} is not known where it is used")
        slot = self.table.define(symbol)
        args = (Var(symbol.name), self.heap, number(STORE), number(slot), StringValue(""))
        self.do("vm.builtin.match_prim_value", args)

    def valued(self, dims: Iterable[PrimExpr]) -> None:
        """Put the scalar variables that stand alone as dims in the table: each is a symbol that has a value."""
        for dim in dims:
            if isinstance(dim, SymVar) and dim.name in self.scalars and dim not in self.table.known:
                self._bind_variable(dim)

    def pair(self, dim: PrimExpr) -> tuple[PrimValue, PrimValue]:
        """Code and number of a dim that is made."""
        value = as_int(dim)
        if value is not None:
            return number(IMMEDIATE), number(value)
        return number(LOAD), number(self.table.slots[dim])

    @rule("lo/made-shape")
    def shape(self, dims: tuple[PrimExpr, ...], wish: str = "gv") -> Expr:
        """A shape, made from the table unless all of it is written."""
        if all(as_int(d) is not None for d in dims):
            return ShapeExpr(dims)
        self.ready(dims)
        codes = [each for d in dims for each in self.pair(d)]
        return self.emit(packed("vm.builtin.make_shape", (self.heap, number(len(dims)), *codes)), wish)

    def scalar(self, value: PrimExpr, wish: str = "gv") -> Expr:
        """A scalar, made from the table unless it is written, or a variable."""
        if isinstance(value, Literal):
            return PrimValue(value)
        if isinstance(value, SymVar) and value.name in self.scalars:
            return Var(value.name)
        if dtypes.kind(value.dtype) == "float":
            raise Unbuildable("the table holds integers")
        self.ready((value,))
        args = (self.heap, *self.pair(value))
        return self.emit(packed("vm.builtin.make_prim_value", args, PrimType(value.dtype)), wish)

    # --- values ------------------------------------------------------------------------------------------------------

    def atom(self, value: Expr) -> Expr:
        """A value as an argument: a name, or what is written out."""
        match value:
            case PrimValue(value=expr):
                return self.scalar(expr)
            case ShapeExpr(values=dims):
                return self.shape(dims)
            case Tuple() | TupleGetItem():
                return self.emit(self.compound(value))
            case _ if isinstance(value, Call):
                raise Unbuildable("a call inside a call")
            case _:
                return value

    def compound(self, value: Tuple | TupleGetItem) -> Call:
        """A tuple or a field, by a call."""
        if isinstance(value, Tuple):
            return packed("vm.builtin.make_tuple", [self.atom(each) for each in value.fields])
        return packed("vm.builtin.tuple_getitem", (self.atom(value.tuple), number(value.index)))
