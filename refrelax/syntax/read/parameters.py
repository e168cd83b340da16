"""The signature of a graph-level function: its parameters and the symbols that they define.

Spec: ``spec/03-syntax.md``.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import fields, is_dataclass

from refrelax.rules import rule
from refrelax.syntax.graph import (
    Param,
    Var,
)
from refrelax.syntax.read.context import TypeVarDecl, own_symbols
from refrelax.syntax.read.reader import Reader
from refrelax.syntax.read.trees import children
from refrelax.syntax.read.types import dotted, quoted_name, read_type
from refrelax.syntax.scalars import SymVar
from refrelax.syntax.types import PrimType


@rule("syn/parameters")
def read_parameters(reader: Reader, node: ast.FunctionDef) -> tuple[tuple[Param, ...], tuple[str, ...]]:
    """Parameters and the symbols that the signature defines. Annotations may refer to later parameters."""
    args = node.args
    if args.posonlyargs or args.kwonlyargs or args.vararg or args.kwarg or args.defaults:
        reader.src.fail(node, "syn/parameters", "a Relax function takes plain parameters without defaults")
    unique = {}
    for arg in args.args:
        if arg.arg in unique:
            reader.src.fail(arg, "syn/parameters", f"two parameters are named {arg.arg!r}")
        unique[arg.arg] = reader.names.fresh(arg.arg)
        reader.scope.define(arg.arg, Var(unique[arg.arg]))
    for arg in args.args:
        scalar = _prim_annotation(reader, arg.annotation)
        if scalar is not None:
            reader.scalars[unique[arg.arg]] = scalar
            reader.scope.define(arg.arg, SymVar(unique[arg.arg], scalar, span=reader.src.span(arg)))
    symbols = [symbol.name for symbol in own_symbols(reader.src, node, reader.scope, reader.names)]
    quoted = _quoted_symbols(reader, node)
    params = tuple(
        Param(unique[a.arg], read_type(reader, a.annotation) if a.annotation else None, span=reader.src.span(a))
        for a in args.args
    )
    reader.types.update({p.name: p.type for p in params if p.type is not None})
    return params, _as_met(params, [*symbols, *quoted]) if symbols and quoted else (*symbols, *quoted)


def _as_met(params: tuple[Param, ...], symbols: list[str]) -> tuple[str, ...]:
    """Symbols in the order in which the parameters' types have them, in quotes or not; then those that stand elsewhere
    in the signature."""
    met = dict.fromkeys(name for p in params if p.type is not None for name in _names_in(p.type))
    return tuple(sorted(symbols, key=list(dict.fromkeys([*met, *symbols])).index))


def _names_in(root: object) -> Iterator[str]:
    """The symbols of a type, as they stand."""
    pending = [root]
    while pending:
        each = pending.pop()
        if isinstance(each, SymVar):
            yield each.name
        elif isinstance(each, tuple):
            pending += each[::-1]
        elif is_dataclass(each):
            pending += [getattr(each, f.name) for f in reversed(fields(each))]


def _prim_annotation(reader: Reader, node: ast.expr | None) -> str | None:
    """The dtype of a scalar annotation, else ``None``."""
    name = dotted(node.func if isinstance(node, ast.Call) else node) if node is not None else None
    if name is None or not (name == "R.Prim" or name.startswith("T.")):
        return None
    if node is not None:
        found = read_type(reader, node)
        return found.dtype if isinstance(found, PrimType) else None
    return None


def _quoted_symbols(reader: Reader, node: ast.FunctionDef) -> list[str]:
    """Symbols that quoted names in parameter annotations define: dims are the strings that stand in lists."""
    found: list[str] = []
    for arg in node.args.args:
        for name in _quoted_names(arg.annotation):
            entry = reader.scope.table.get(name)
            if isinstance(entry, SymVar):
                continue
            outer = reader.scope.lookup(name)
            dtype = outer.dtype if isinstance(outer, TypeVarDecl) else "int64"
            if entry is not None:
                reader.src.fail(arg, "syn/symbol-name", f"{name!r} is a parameter that is no scalar, and a symbol")
            symbol = SymVar(reader.names.fresh(name), dtype, span=reader.src.span(arg))
            reader.scope.define(name, symbol)
            found.append(symbol.name)
    return found


def _quoted_names(node: ast.expr | None) -> list[str]:
    if node is None:
        return []
    found = []
    pending: list[ast.AST] = [node]
    while pending:
        each = pending.pop()
        if isinstance(each, (ast.List, ast.Tuple)):
            for item in each.elts:
                name = quoted_name(item)
                if name is not None:
                    found.append(name)
        pending.extend(children(each)[::-1])
    return found
