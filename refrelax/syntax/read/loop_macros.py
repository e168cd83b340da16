"""Macros of hand-written loop-level text: a call of ``@T.macro`` or ``@T.inline`` stands for its statements.

Spec: ``spec/03b-loops-syntax.md`` ("Macros").
"""

from __future__ import annotations

import ast
from dataclasses import replace

from refrelax.rules import rule
from refrelax.syntax.graph import GlobalVar
from refrelax.syntax.loops import Buffer, Stmt
from refrelax.syntax.read.context import Known, Macro, ModuleAlias
from refrelax.syntax.read.for_loops import ReadBody
from refrelax.syntax.read.frames import StatementFrame
from refrelax.syntax.read.macros import arguments_of, expanding
from refrelax.syntax.scalars import SymVar


@rule("syn/macro-expansion")
def expand(frame: StatementFrame, call: ast.Call, macro: Macro, read: ReadBody) -> tuple[Stmt, ...]:
    """The statements that a call of a macro stands for."""
    src, node = frame.src, macro.node
    if macro.graph:
        src.fail(call, "syn/macro", f"the macro {node.name!r} is one of the graph level")
    with expanding(src, call, macro):
        inner = (macro.scope if macro.hygienic else frame.scope).child()
        for name, given in arguments_of(src, call, node).items():
            value = frame.reader.value(given)
            plain = isinstance(value, (Buffer, SymVar, GlobalVar, ModuleAlias))
            inner.define(name, value if plain else Known(value))
        return read(replace(frame, scope=inner), node.body)
