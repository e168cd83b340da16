"""Macros of hand-written graph-level text, ``@R.macro``: a call stands for the macro's statements and its result.

Spec: ``spec/03b-loops-syntax.md`` ("Macros").
"""

from __future__ import annotations

import ast
from collections.abc import Callable

from refrelax.rules import rule
from refrelax.syntax.graph import Expr, GlobalVar, PrimValue, StringValue, Var
from refrelax.syntax.read.constants import try_constant
from refrelax.syntax.read.context import Entry, Known, Macro
from refrelax.syntax.read.macros import arguments_of, expanding
from refrelax.syntax.read.reader import Reader
from refrelax.syntax.scalars import SymVar

ReadExpr = Callable[[Reader, ast.expr], Expr]


@rule("syn/macro-expansion")
def expand_value(reader: Reader, call: ast.Call, macro: Macro, read: ReadExpr) -> Expr:
    """Read the macro's statements in the place of the call; its value is what the macro returns."""
    from refrelax.syntax.read.graph import read_statement

    if not macro.graph:
        reader.src.fail(call, "syn/macro", f"the macro {macro.node.name!r} is one of loops: it gives no value")
    inner = (macro.scope if macro.hygienic else reader.scope).child()
    for name, given in arguments_of(reader.src, call, macro.node).items():
        inner.define(name, _entry(reader, given, read))
    stored = (each for each in ast.walk(macro.node) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store))
    reader.names.taken |= {each.id for each in stored} & reader.texts  # what the caller names is not the macro's
    *statements, last = macro.node.body
    assert isinstance(last, ast.Return) and last.value is not None
    with expanding(reader.src, call, macro), reader.inside(inner):
        for each in statements:
            read_statement(reader, each)
        return read(reader, last.value)


def _entry(reader: Reader, node: ast.expr, read: ReadExpr) -> Entry:
    """What a parameter stands for: a constant of Python as it is, anything else a variable."""
    known, value = try_constant(reader.src, node, reader.scope)
    if known:
        return Known(value)
    match read(reader, node):
        case (Var() | GlobalVar()) as found:
            return found
        case PrimValue(value=SymVar() as symbol):
            return symbol
        case StringValue(value=text):
            return Known(text)
        case found:
            return reader.bind(found, node)
