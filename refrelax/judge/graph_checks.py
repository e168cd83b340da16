"""Checks of a graph-level function under a proof: extents as index arithmetic, and types that are seen to hold.

Spec: ``spec/06c-pointwise.md``, ``va/pointwise``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from refrelax.judge.built import Table
from refrelax.judge.graph_values import Truth, Value, as_number
from refrelax.judge.planned import Place, View
from refrelax.rules import rule
from refrelax.semantics.graph.link import nodes
from refrelax.shape_solver.pointwise import Definedness, Logic, NotRead, TensorTerm, Term, Terms
from refrelax.shape_solver.pointwise.elements import Reading
from refrelax.shape_solver.pointwise.logic import compare
from refrelax.syntax import graph
from refrelax.syntax.loops import PrimFunc, ScalarParam
from refrelax.syntax.module import Module
from refrelax.syntax.scalars import Binary, PrimExpr, SymVar, free_symbols, int_imm
from refrelax.syntax.types import AnyType, PrimType, ShapeType, TensorType, TupleType, Type

NATURAL = "an extent that is not negative"


@dataclass(slots=True)
class Checks:
    """What is known of one program's integers, and what its meaning rests on."""

    module: Module
    terms: Terms
    logic: Logic
    obligations: list[Definedness] = field(default_factory=list, kw_only=True)
    facts: list[PrimExpr] = field(default_factory=list, kw_only=True)
    """What checks that may fail have found so far."""

    def scalar(self, e: PrimExpr, symbols: Mapping[str, PrimExpr]) -> PrimExpr:
        """An integer of the graph: index arithmetic, over the symbols in scope."""
        if any(name not in symbols for name in free_symbols(e)):
            raise NotRead("a symbol that is no dimension of a parameter")
        reading = Reading(self.terms, self.logic, symbols, (), _no_memory, None, self.require, _no_demand)
        return reading.index(e)

    def require(self, purpose: str, statement: PrimExpr, given: tuple[PrimExpr, ...]) -> None:
        self.obligations.append(Definedness(purpose, statement, (*given, *self.facts)))

    def cast(
        self, value: Value, type_: Type, symbols: dict[str, PrimExpr], open_: list[PrimExpr] | None = None
    ) -> None:
        """A ``match_cast`` that cannot fail, and the symbols that it defines. ``open_`` takes the equations that are
        not proved; without it there are none."""
        match value, type_:
            case _, AnyType():
                return
            case TensorTerm(), TensorType(shape=tuple() as dims, dtype=dtype) if dtype in (None, value.dtype):
                self.matched(dims, value.shape, symbols, open_)
            case graph.ShapeExpr(extents), ShapeType(values=tuple() as dims):
                self.binds(dims, extents, symbols)
                self.matched(dims, extents, symbols, open_)
            case tuple(), TupleType(fields) if len(fields) == len(value):
                for each, field_ in zip(value, fields, strict=True):
                    self.cast(each, field_, symbols, open_)
            case _:
                raise NotRead("a match_cast that is not decided here")

    def define(self, value: Value, type_: Type, symbols: dict[str, PrimExpr]) -> None:
        """The symbols that stand alone in a type, as what the value says."""
        match value, type_:
            case (TensorTerm(shape=extents), TensorType(shape=tuple() as dims)) | (
                graph.ShapeExpr(extents),
                ShapeType(values=tuple() as dims),
            ) if len(dims) == len(extents):
                if isinstance(value, graph.ShapeExpr):
                    self.binds(dims, extents, symbols)
                _define_alone(dims, extents, symbols)
            case tuple(), TupleType(fields) if len(fields) == len(value):
                for each, field_ in zip(value, fields, strict=True):
                    self.define(each, field_, symbols)
            case _:
                return

    @rule("ev/negative-extent")
    def binds(self, dims: tuple[PrimExpr, ...], extents: tuple[PrimExpr, ...], symbols: Mapping[str, PrimExpr]) -> None:
        """Where a symbol of a shape stands for a negative number the run is open; one that has another number already
        is refused instead. (Of a tensor none is negative.)"""
        known = dict(symbols)
        for d, extent in zip(dims, extents, strict=False):
            if not isinstance(d, SymVar):
                continue
            number = known.setdefault(d.name, extent)
            if self.logic.equal(number, extent, tuple(self.facts), "extents that are checked"):
                self.not_negative(extent)
            else:
                natural = compare("GE", extent, int_imm(0, extent.dtype))
                self.require(NATURAL, Binary("Or", natural, compare("NE", number, extent)), ())

    def not_negative(self, extent: PrimExpr) -> None:
        """Note an extent of a view, or what a symbol is bound to."""
        self.require(NATURAL, compare("GE", extent, int_imm(0, extent.dtype)), ())

    def matched(
        self,
        dims: tuple[PrimExpr, ...],
        extents: tuple[PrimExpr, ...],
        symbols: dict[str, PrimExpr],
        open_: list[PrimExpr] | None = None,
    ) -> None:
        """Define the symbols that stand alone; every other extent must be equal."""
        if len(dims) != len(extents):
            raise NotRead("a check of extents that fails")
        _define_alone(dims, extents, symbols)
        for d, extent in zip(dims, extents, strict=True):
            wanted = self.scalar(d, symbols)
            if self.logic.equal(wanted, extent, tuple(self.facts), "extents that are checked"):
                continue
            if open_ is None:
                raise NotRead("a check of extents that may fail")
            open_.append(compare("EQ", wanted, extent))

    def as_said(self, value: Value, type_: Type, symbols: dict[str, PrimExpr]) -> None:
        """See that a value is of a type; no element of it is read for that."""
        match value, type_:
            case graph.ShapeExpr(dims), ShapeType(values=None) if type_.ndim in (-1, len(dims)):
                return
            case (Table() | Place() | View() | TensorTerm(), TensorType(shape=None | tuple(), vdevice=None)):
                shape, dtype = self.kind(value)
                if type_.dtype not in (None, dtype) or type_.ndim not in (-1, len(shape)):
                    raise NotRead("a result of the machine's library that is not what the call says")
                if isinstance(type_.shape, tuple):
                    self.matched(type_.shape, shape, symbols)
            case tuple(), TupleType(fields) if len(fields) == len(value):
                for each, field_ in zip(value, fields, strict=True):
                    self.as_said(each, field_, symbols)
            case _, PrimType(dtype="int64") if as_number(value) is not None:
                return
            case Truth(), PrimType(dtype="bool"):
                return
            case _:
                self.cast(value, type_, symbols)

    def kind(self, value: Table | Place | View | TensorTerm) -> tuple[tuple[PrimExpr, ...], str]:
        """The extents and the dtype of what lies in memory."""
        match value:
            case Table(size):
                return (int_imm(size),), "int64"
            case Place(content):
                return content.shape, content.dtype
            case View(of, shape):
                return shape, of.content.dtype
            case TensorTerm():
                return value.shape, value.dtype

    def scalars(self, callee: str, args: tuple[graph.Expr, ...]) -> None:
        """See that a function that is called without types gets its scalars at their dtypes: the table and shapes hold
        ``int64``."""
        func = self.module.functions.get(callee)
        for k, param in enumerate(func.params if isinstance(func, PrimFunc) else ()):
            arg = args[k] if k < len(args) else None
            found = arg.value.dtype if isinstance(arg, graph.PrimValue) else "int64"
            if isinstance(param, ScalarParam) and (
                param.var.dtype != found or (isinstance(arg, graph.Var) and self.narrow())
            ):
                raise NotRead(f"a scalar of cls.{callee} that may be of another dtype")

    def narrow(self) -> bool:
        """Whether a name may be a scalar that is no ``int64``."""
        found = (each for function in self.module.relax_functions().values() for each in nodes(function))
        return any(
            (isinstance(each, graph.PrimValue) and each.value.dtype != "int64")
            or (isinstance(each, graph.Param) and isinstance(each.type, PrimType) and each.type.dtype != "int64")
            for each in found
        )


def _define_alone(dims: Sequence[PrimExpr], extents: Sequence[PrimExpr], symbols: dict[str, PrimExpr]) -> None:
    """Symbols that are a whole dim and have no value yet, as the extents there."""
    for d, extent in zip(dims, extents, strict=True):
        if isinstance(d, SymVar):
            symbols.setdefault(d.name, extent)


def _no_memory(load: object, indices: object, scope: object, hard: object) -> Term:
    raise NotRead("memory in an extent")


def _no_demand(term: object, scope: object) -> None:
    raise NotRead("memory in an extent")
