"""Macros of hand-written text, ``@T.macro`` and ``@T.inline``: their statements take the place of a call.

The names of a macro's body have the meaning that they have where it is defined (``hygienic=False``: where it is
called), its parameters stand for the arguments, read once. Nothing is executed; how often macros expand is bounded.
Spec: ``spec/03b-loops-syntax.md`` ("Macros").
"""

from __future__ import annotations

import ast
from typing import Any

from refrelax.rules import rule
from refrelax.syntax.graph import GlobalVar
from refrelax.syntax.loops import Buffer, Stmt
from refrelax.syntax.read.arguments import NAMESPACES
from refrelax.syntax.read.constants import shown
from refrelax.syntax.read.context import Known, Macro, ModuleAlias, Scope, Source
from refrelax.syntax.read.for_loops import ReadBody
from refrelax.syntax.read.frames import Frame
from refrelax.syntax.scalars import SymVar

MAX_EXPANSIONS = 10_000
"""Macro calls that one text may make, those inside macros counted each time."""


@rule("syn/macro")
def macro_of(src: Source, node: ast.FunctionDef, scope: Scope) -> Macro | None:
    """The macro that ``node`` defines; ``None`` if it has no ``@T.macro`` or ``@T.inline``."""
    head = node.decorator_list[-1] if node.decorator_list else None
    call = head if isinstance(head, ast.Call) else None
    name = call.func if call is not None else head
    match name:
        case ast.Attribute(value=ast.Name(id=space), attr="macro" | "inline") if space in NAMESPACES:
            pass
        case _:
            return None
    hygienic = True
    for each in call.keywords if call is not None else ():
        match each:
            case ast.keyword(arg="hygienic", value=ast.Constant(value=bool() as value)):
                hygienic = value
            case _:
                src.fail(each.value, "syn/macro", "a macro takes `hygienic=True` or `False`")
    spec = node.args
    if spec.vararg or spec.kwarg or spec.kwonlyargs or spec.posonlyargs:
        src.fail(node, "syn/macro", f"the macro {node.name!r} takes plain parameters only")
    inside = (each for statement in node.body for each in ast.walk(statement))
    returned = next((each for each in inside if isinstance(each, (ast.Return, ast.Yield))), None)
    if returned is not None:
        src.fail(returned, "syn/macro", "a macro gives no value: its statements take the place of the call")
    return Macro(node, scope, hygienic)


def take_macros(src: Source, nodes: list[ast.FunctionDef], scope: Scope) -> list[ast.FunctionDef]:
    """Define the macros among ``nodes`` in ``scope``; returns the other functions."""
    rest = []
    for each in nodes:
        macro = macro_of(src, each, scope)
        if macro is None:
            rest.append(each)
        else:
            scope.define(each.name, macro)
    return rest


@rule("syn/macro-expansion")
def expand(frame: Frame, call: ast.Call, macro: Macro, read: ReadBody) -> tuple[Stmt, ...]:
    """The statements that a call of a macro stands for."""
    src, node = frame.src, macro.node
    src.expansions += 1
    if src.expansions > MAX_EXPANSIONS:
        src.fail(call, "syn/macro-expansion", f"macros expand more than {MAX_EXPANSIONS} times")
    if node in src.expanding:
        src.fail(call, "syn/macro-expansion", f"the macro {node.name!r} calls itself")
    inner = (macro.scope if macro.hygienic else frame.scope).child()
    for name, value in _arguments(frame, call, node).items():
        plain = isinstance(value, (Buffer, SymVar, GlobalVar, ModuleAlias))
        inner.define(name, value if plain else Known(value))
    src.expanding.append(node)
    try:
        return read(Frame(src, frame.function, inner, frame.block, frame.loops), node.body)
    finally:
        src.expanding.pop()


def _arguments(frame: Frame, call: ast.Call, node: ast.FunctionDef) -> dict[str, Any]:
    """The arguments by parameter; a default where the call gives none."""
    params = [each.arg for each in node.args.args]
    given: dict[str, Any] = {}
    if len(call.args) > len(params) or any(isinstance(each, ast.Starred) for each in call.args):
        frame.src.fail(call, "syn/argument-count", f"the macro {node.name!r} takes {len(params)} arguments")
    for name, each in zip(params, call.args, strict=False):
        given[name] = frame.reader.value(each)
    for keyword in call.keywords:
        if keyword.arg not in params or keyword.arg in given:
            frame.src.fail(keyword.value, "syn/unknown-keyword", f"`{shown(call.func)}`: no such parameter is free")
        given[str(keyword.arg)] = frame.reader.value(keyword.value)
    for name, default in zip(reversed(params), reversed(node.args.defaults), strict=False):
        if name not in given:
            given[name] = frame.reader.value(default)
    missing = [name for name in params if name not in given]
    if missing:
        frame.src.fail(call, "syn/argument-count", f"`{shown(call.func)}` needs the argument {missing[0]!r}")
    return given
