"""The state of reading one graph-level function: where names lead, where bindings go.

A ``Reader`` belongs to one top-level function and its nested functions. It reads expressions through ``expressions``,
types through ``types``, statements through ``graph``; they all take it as their first argument.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from refrelax.rules import rule
from refrelax.syntax.graph import Binding, BindingBlock, Block, Expr, Var, VarBinding
from refrelax.syntax.read.constants import constant, shown
from refrelax.syntax.read.context import Names, Scope, Source, TypeVarDecl
from refrelax.syntax.read.scalars import read_scalar
from refrelax.syntax.scalars import PrimExpr, SymVar
from refrelax.syntax.types import Type


@dataclass(slots=True)
class Sink:
    """Where the bindings of the sequence being read go. Ordinary bindings gather in ``pending`` until a block ends."""

    blocks: list[Block] = field(default_factory=list)
    pending: list[Binding] = field(default_factory=list)
    dataflow: bool = False

    def flush(self) -> None:
        """End the ordinary block, if there is one."""
        if self.pending:
            self.blocks.append(BindingBlock(tuple(self.pending)))
            self.pending = []


@dataclass(slots=True)
class Reader:
    """See the module's docstring. ``texts`` are the names that the text itself uses, which temporaries avoid."""

    src: Source
    names: Names
    scope: Scope
    sink: Sink
    texts: frozenset[str] = frozenset()
    scalars: dict[str, str] = field(default_factory=dict)
    """Relax variables (parameters, bindings) of scalar type by unique name, with their dtype: symbols in shapes,
    variables elsewhere."""

    types: dict[str, Type] = field(default_factory=dict)
    """The annotations of variables by unique name, for ``x.ty``."""

    # --- names -------------------------------------------------------------------------------------------------------

    def temporary(self) -> str:
        """A fresh name for a nested value: ``gv``, or ``lv`` in a dataflow block; none that the text uses itself."""
        base = "lv" if self.sink.dataflow else "gv"
        k = 0
        while True:
            name = base if k == 0 else f"{base}_{k}"
            if name not in self.names.taken and name not in self.texts:
                self.names.taken.add(name)
                return name
            k += 1

    def anonymous(self) -> str:
        """The name of a bare statement: ``_``, ``_1``, ``_2``, …."""
        k = 0
        while (name := "_" if k == 0 else f"_{k}") in self.names.taken:
            k += 1
        self.names.taken.add(name)
        return name

    def bind(self, value: Expr, node: ast.AST) -> Var:
        """Bind a nested value to a temporary."""
        span = self.src.span(node)
        name = self.temporary()
        self.sink.pending.append(VarBinding(name, value, span=span))
        return Var(name, span=span)

    @contextmanager
    def inside(self, scope: Scope) -> Iterator[None]:
        """Read within ``scope``."""
        outer, self.scope = self.scope, scope
        try:
            yield
        finally:
            self.scope = outer

    @contextmanager
    def collecting(self, dataflow: bool = False) -> Iterator[Sink]:
        """Collect bindings in a sink of their own."""
        outer, self.sink = self.sink, Sink(dataflow=dataflow)
        try:
            yield self.sink
        finally:
            self.sink = outer

    # --- scalars and symbols -----------------------------------------------------------------------------------------

    def scalar(self, node: ast.expr, int_dtype: str = "int64") -> PrimExpr:
        """A scalar expression; bare integers are ``int64``."""
        return read_scalar(self.src, node, self.scope, int_dtype)

    @rule("syn/symbol-name")
    def quoted_symbol(self, node: ast.AST, name: str) -> PrimExpr:
        """The symbol that a quoted name stands for; ``graph.py`` has defined those of a signature before."""
        entry = self.scope.lookup(name)
        span = self.src.span(node)
        if isinstance(entry, SymVar):
            return SymVar(entry.name, entry.dtype, span=span)
        if isinstance(entry, Var):
            return SymVar(entry.name, span=span)
        if not isinstance(entry, TypeVarDecl):
            message = f"the symbol {name!r} is not defined here; declare it: {name} = T.int64()"
            self.src.fail(node, "syn/symbol-name", message)
        symbol = SymVar(self.names.fresh(name), entry.dtype, span=span)
        self.scope.define(name, symbol)
        return symbol

    # --- devices -----------------------------------------------------------------------------------------------------

    @rule("syn/vdevice")
    def vdevice(self, node: ast.expr) -> str:
        """A virtual device as ``kind:index:scope``; ``"cuda:1"`` and ``"cuda"`` are completed."""
        value = constant(self.src, node, self.scope)
        if not isinstance(value, str) or not value or len(value.split(":")) > 3:
            self.src.fail(node, "syn/vdevice", f'expected a device such as "llvm:0:global", found `{shown(node)}`')
        kind, index, scope = (value.split(":") + ["0", "global"][value.count(":") :])[:3]
        if not kind or not scope or (not (index.isascii() and index.isdecimal()) and index != "-1"):
            self.src.fail(node, "syn/vdevice", f'expected a device such as "llvm:0:global", found `{shown(node)}`')
        if kind == "vdevice" and 0 <= int(index) < len(self.src.vdevices):
            return self.src.vdevices[int(index)]
        return f"{kind}:{int(index)}:{scope}"
