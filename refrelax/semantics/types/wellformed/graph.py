"""The structural conditions on a Relax function: scopes, A-normal form, dataflow blocks.

Variables and symbols share one set of definitions. Nothing here looks at types beyond the names that they mention.

Spec: ``spec/04-well-formedness.md``, Scopes and Normal form.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from refrelax.errors import Diagnostic, Span
from refrelax.rules import rule
from refrelax.semantics.types.purity import forces_purity
from refrelax.semantics.types.renaming import definable, dims_of, shape_variables
from refrelax.semantics.types.wellformed import operands
from refrelax.semantics.types.wellformed.forms import LEAF_OR_TUPLE, call_tir_form, children_of
from refrelax.semantics.types.wellformed.promises import wrong_promises
from refrelax.syntax import dtypes
from refrelax.syntax.graph import (
    Binding,
    Call,
    DataflowBlock,
    Expr,
    Function,
    GlobalVar,
    If,
    IndexMap,
    MatchCast,
    Op,
    PrimValue,
    SeqExpr,
    ShapeExpr,
    Var,
)
from refrelax.syntax.module import Module
from refrelax.syntax.scalars import Literal, PrimExpr, SymVar, free_symbols, free_variables
from refrelax.syntax.types import DTensorType, FuncType, TupleType, Type


def diagnose_function(module: Module, name: str, f: Function) -> list[Diagnostic]:
    """Every condition that the graph function ``name`` breaks, nested functions included."""
    walk = _Scopes(module, name)
    walk.function(f)
    return walk.found


class _Scopes:
    """One walk over one top-level function."""

    def __init__(self, module: Module, name: str) -> None:
        self.module = module
        self.name = name
        self.found: list[Diagnostic] = []
        self.defined: set[str] = set()
        self.block_vars: set[str] = set()
        self.past_block_vars: set[str] = set()
        self.places: dict[str, Span | None] = {}
        self.variables: set[str] = set()
        self.dtypes: dict[str, str] = {}
        self.in_dataflow = False

    def report(self, rule_id: str, message: str, span: Span | None, about: str | None = None) -> None:
        place = ((f"definition of {about}", self.places.get(about)),) if about is not None else ()
        self.found.append(Diagnostic(rule_id, message, span, place))

    @contextmanager
    def scope(self) -> Iterator[None]:
        """What is defined inside is invisible afterwards."""
        defined, block_vars, dataflow = set(self.defined), set(self.block_vars), self.in_dataflow
        yield
        self.defined, self.block_vars, self.in_dataflow = defined, block_vars, dataflow

    # --- functions ---------------------------------------------------------------------------------------------------

    @rule("wf/force-pure", "wf/parameter-annotated")
    def function(self, f: Function) -> None:
        if forces_purity(f) and not f.pure:
            self.report("wf/force-pure", "relax.force_pure stands on a function that is declared impure", f.span)
        for said in wrong_promises(f):
            self.report("wf/promise", f"in {self.name}, {said}", f.span)
        with self.scope():
            self.in_dataflow = False
            self.past_block_vars |= self.block_vars  # a closure captures no dataflow variable
            self.block_vars = set()
            around = set(self.defined)
            for param in f.params:
                if param.type is None:
                    self.report("wf/parameter-annotated", f"parameter {param.name} has no type", param.span or f.span)
                else:
                    self.define_symbols(param.type, param.span or f.span)
            # A scalar parameter may be a dim of a later one's type; its own place defines it, not the dim. The symbol
            # of a function around this one is another.
            self.defined -= {param.name for param in f.params} - self.variables - around
            for param in f.params:
                if param.type is not None:
                    self.type(param.type, param.span or f.span)
                self.define(param.name, param.span or f.span)
            if f.ret is not None:
                self.type(f.ret, f.span)
            self.sequence(f.body)

    def sequence(self, seq: SeqExpr) -> None:
        for block in seq.blocks:
            if isinstance(block, DataflowBlock):
                self.dataflow(block)
            else:
                for each in block.bindings:
                    self.binding(each)
        self.leaf(seq.body, "the value of a sequence", seq.span)
        self.expr(seq.body, seq.span)

    @rule("wf/dataflow-output")
    def dataflow(self, block: DataflowBlock) -> None:
        bound = {each.name for each in block.bindings}
        for name in block.outputs:
            if name not in bound:
                span = block.bindings[0].span if block.bindings else None
                self.report("wf/dataflow-output", f"R.output names {name}, which the block does not bind", span)
        outer, outer_vars = self.in_dataflow, self.block_vars
        self.in_dataflow, self.block_vars = True, set()
        outputs = frozenset(block.outputs)
        for each in block.bindings:
            self.binding(each, dataflow=each.name not in outputs)
        self.past_block_vars |= self.block_vars
        self.in_dataflow, self.block_vars = outer, outer_vars

    # --- bindings ----------------------------------------------------------------------------------------------------

    def binding(self, b: Binding, *, dataflow: bool = False) -> None:
        if isinstance(b.value, Function):
            self.local_function(b, b.value, dataflow=dataflow)
            return
        self.expr(b.value, b.span)
        if isinstance(b, MatchCast):
            self.define_symbols(b.type, b.span)
            self.type(b.type, b.span)
        if b.annotation is not None:
            self.type(b.annotation, b.span)
        self.define(b.name, b.span, dataflow=dataflow)

    def local_function(self, b: Binding, f: Function, *, dataflow: bool) -> None:
        """The function's own name is in scope inside it."""
        self.define(b.name, b.span, dataflow=dataflow)
        with self.scope():
            self.defined.add(b.name)
            self.function(f)

    @rule("wf/var-defined-once")
    def define(self, name: str, span: Span | None, *, dataflow: bool = False) -> None:
        if name in self.variables or name in self.defined:
            self.report("wf/var-defined-once", f"{name} is defined more than once", span, name)
        else:
            self.places[name] = span
        self.variables.add(name)
        (self.block_vars if dataflow else self.defined).add(name)

    def define_symbols(self, ty: Type, span: Span | None) -> None:
        """The first occurrence of a bare symbol in a definitional position defines it; later ones refer to it."""
        for symbol in definable(ty):
            self.dtypes.setdefault(symbol.name, symbol.dtype)
            if symbol.name not in self.defined and symbol.name not in self.block_vars:
                self.defined.add(symbol.name)
                self.places.setdefault(symbol.name, span)

    # --- expressions -------------------------------------------------------------------------------------------------

    @rule("wf/normal-form")
    def leaf(self, e: Expr, where: str, span: Span | None) -> None:
        if not isinstance(e, LEAF_OR_TUPLE):
            kind = type(e).__name__
            message = f"{where} must be a leaf (a variable, a constant, a shape, a tuple of leaves), found {kind}"
            self.report("wf/normal-form", message, e.span or span)

    @rule("wf/global-defined", "wf/if-in-dataflow", "wf/normal-form")
    def expr(self, e: Expr, near: Span | None) -> None:
        span = e.span or near
        match e:
            case Var():
                self.use(e.name, span)
            case GlobalVar():
                if e.name not in self.module.functions:
                    self.report("wf/global-defined", f"the module has no function {e.name}", span)
            case Op():  # (what is called is not looked at here)
                self.report("wf/normal-form", f"the operator {e.name} is no value: it stands where it is called", span)
            case ShapeExpr():
                self.shape(e, span)
            case PrimValue():
                self.scalar(e.value, span)
            case If():
                self.if_expr(e, span)
            case Function():
                self.function(e)
            case _:
                for where, each in children_of(e):
                    self.leaf(each, where, span)
                    self.expr(each, span)
                if isinstance(e, Call):
                    self.call(e, span)

    def call(self, e: Call, span: Span | None) -> None:
        for ty in e.ty_args:
            self.type(ty, span)
        for _, value in e.attrs:
            while isinstance(value, IndexMap):
                self.found += operands.index_map(value, span)
                value = value.inverse
        self.found += call_tir_form(e, span)

    def if_expr(self, e: If, span: Span | None) -> None:
        if self.in_dataflow:
            self.report("wf/if-in-dataflow", "a dataflow block has no control flow, found an if", span)
        self.leaf(e.condition, "the condition of an if", span)
        self.expr(e.condition, span)
        for branch in (e.then_branch, e.else_branch):
            with self.scope():
                self.sequence(branch)

    @rule("wf/shape-integer")
    def shape(self, e: ShapeExpr, span: Span | None) -> None:
        for dim in e.values:
            self.dim(dim, span)

    @rule("wf/var-defined-before-use", "wf/dataflow-var-scope")
    def use(self, name: str, span: Span | None) -> None:
        if name in self.block_vars or (name in self.defined and name in self.variables):
            return
        if name in self.defined:
            message = f"{name} is a symbol: a variable was expected, or the symbol as a scalar"
            self.report("wf/var-defined-before-use", message, span, name)
        elif name in self.past_block_vars:
            message = f"{name} is a dataflow variable, used outside of its block (R.output does not name it)"
            self.report("wf/dataflow-var-scope", message, span, name)
        elif name in self.places:
            self.report("wf/var-defined-before-use", f"{name} is not in scope here", span, name)
        else:
            self.report("wf/var-defined-before-use", f"{name} is used before it is defined", span)

    # --- types and scalar expressions --------------------------------------------------------------------------------

    def type(self, ty: Type, span: Span | None) -> None:
        """Every name in ``ty`` is in scope; the parameters of a function type define their own symbols."""
        for dim in dims_of(ty):
            self.dim(dim, span)
        for name in shape_variables(ty):
            self.use(name, span)
        for inner in function_types(ty):
            with self.scope():
                for param in inner.params or ():
                    self.define_symbols(param, span)
                for param in inner.params or ():
                    self.type(param, span)
                self.type(inner.ret, span)

    @rule("wf/dataflow-var-in-type")
    def dim(self, dim: PrimExpr, span: Span | None) -> None:
        if isinstance(dim, SymVar) and dim.name in self.block_vars:
            message = f"{dim.name} is a dataflow variable: it cannot be a dim of a shape"
            self.report("wf/dataflow-var-in-type", message, span, dim.name)
            return
        if not isinstance(dim, Literal):
            self.scalar(dim, span)
        if not dtypes.is_integer(dim.dtype):
            self.report("wf/shape-integer", f"a dim must be an integer, found {dim.dtype}", span)

    @rule("wf/symbol-dtype")
    def _dtypes(self, e: PrimExpr, span: Span | None) -> None:
        """A symbol has the dtype of its definition everywhere."""
        for symbol in free_variables(e):
            defined = self.dtypes.setdefault(symbol.name, symbol.dtype)
            if defined != symbol.dtype:
                message = f"the symbol {symbol.name} is defined as {defined}, found {symbol.dtype}"
                self.report("wf/symbol-dtype", message, symbol.span or span, symbol.name)

    @rule("wf/symbol-defined")
    def scalar(self, e: PrimExpr, span: Span | None) -> None:
        self.found += operands.scalar(e, span)
        self._dtypes(e, span)
        for name in sorted(free_symbols(e)):
            if name in self.defined or name in self.block_vars:
                continue
            if name in self.variables or name in self.past_block_vars:
                self.use(name, span)
            else:
                about = name if name in self.places else None
                self.report("wf/symbol-defined", f"the symbol {name} is not defined here", span, about)


def function_types(ty: Type) -> Iterator[FuncType]:
    """The function types in ``ty`` that stand in no other function type."""
    match ty:
        case FuncType():
            yield ty
        case TupleType():
            for each in ty.fields:
                yield from function_types(each)
        case DTensorType():
            yield from function_types(ty.tensor)
        case _:
            return
