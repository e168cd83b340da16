"""What the reader of a ``PrimFunc`` remembers on its way down: the function, the block and the loops around."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field, replace

from refrelax.errors import Span
from refrelax.syntax.editions import Edition
from refrelax.syntax.graph import AttrValue
from refrelax.syntax.loops import (
    Buffer,
    BufferParam,
    BufferRegion,
    IterVar,
    MatchBufferRegion,
    ScalarParam,
    Stmt,
)
from refrelax.syntax.read.context import Names, Scope, Source
from refrelax.syntax.read.scalars import ScalarReader
from refrelax.syntax.scalars import PrimExpr


@dataclass(slots=True)
class BlockFrame:
    """The parts of a ``T.sblock`` gathered so far."""

    name: str
    iters: list[IterVar] = field(default_factory=list)
    predicate: PrimExpr | None = None
    reads: tuple[BufferRegion, ...] | None = None
    writes: tuple[BufferRegion, ...] | None = None
    init: tuple[Stmt, ...] | None = None
    allocs: list[Buffer] = field(default_factory=list)
    matches: list[MatchBufferRegion] = field(default_factory=list)
    attrs: dict[str, AttrValue] = field(default_factory=dict)


@dataclass(slots=True)
class FunctionFrame:
    """The function being read. ``handles``: handle parameters not yet matched, by unique name, to their
    position; ``unbound``: variables declared and not yet bound; ``signature``: symbols that the signature defines."""

    name: str
    names: Names
    s_tir: bool
    params: list[ScalarParam | BufferParam] = field(default_factory=list)
    handles: dict[str, int] = field(default_factory=dict)
    root_allocs: list[Buffer] = field(default_factory=list)
    attrs: dict[str, AttrValue] = field(default_factory=dict)
    threads: dict[str, str] = field(default_factory=dict)
    unbound: set[str] = field(default_factory=set)
    signature: set[str] = field(default_factory=set)


@dataclass(slots=True)
class StatementFrame:
    """Where a statement stands: its function, its scope, the innermost block, the loops around by variable;
    ``initial``: in the ``T.init`` of the block."""

    src: Source
    function: FunctionFrame
    scope: Scope
    block: BlockFrame | None = None
    loops: dict[str, tuple[PrimExpr, PrimExpr]] = field(default_factory=dict)
    initial: bool = False

    @property
    def reader(self) -> ScalarReader:
        """A reader of expressions at this place."""
        return ScalarReader(self.src, self.scope, "int32", self.function.names, self.function.unbound)

    @property
    def edition(self) -> Edition:
        """How the text is spelled."""
        return self.src.edition

    def child(self) -> StatementFrame:
        """A place one scope further in."""
        return replace(self, scope=self.scope.child())

    def in_block(self, block: BlockFrame) -> StatementFrame:
        """The inside of a block."""
        return replace(self, scope=self.scope.child(), block=block, initial=False)

    def in_loops(self, loops: dict[str, tuple[PrimExpr, PrimExpr]]) -> StatementFrame:
        """The inside of loops with these (min, extent) by variable."""
        return replace(self, scope=self.scope.child(), loops={**self.loops, **loops})

    def span(self, node: ast.AST) -> Span:
        return self.src.span(node)
