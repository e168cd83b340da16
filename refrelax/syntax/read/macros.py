"""Macros of hand-written text, ``@T.macro`` and ``@T.inline``: their statements take the place of a call.
(``@R.macro`` is defined here too; ``loop_macros.py`` and ``graph_macros.py`` expand them.)

The names of a macro's body have the meaning that they have where it is defined (``hygienic=False``: where it is
called), its parameters stand for the arguments, read once. Nothing is executed; how often macros expand is bounded.
Spec: ``spec/03b-loops-syntax.md`` ("Macros").
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import contextmanager

from refrelax.rules import rule
from refrelax.syntax.read.arguments import NAMESPACES
from refrelax.syntax.read.constants import shown
from refrelax.syntax.read.context import Macro, Scope, Source

MAX_EXPANSIONS = 10_000
"""Macro calls that one text may make, those inside macros counted each time."""


@rule("syn/macro")
def macro_of(src: Source, node: ast.FunctionDef, scope: Scope) -> Macro | None:
    """The macro that ``node`` defines; ``None`` if it has no ``@T.macro``, ``@T.inline`` or ``@R.macro``."""
    head = node.decorator_list[-1] if node.decorator_list else None
    call = head if isinstance(head, ast.Call) else None
    name = call.func if call is not None else head
    match name:
        case ast.Attribute(value=ast.Name(id=space), attr="macro" | "inline") if space in NAMESPACES:
            graph = False
        case ast.Attribute(value=ast.Name(id="R"), attr="macro"):
            graph = True
        case _:
            return None
    hygienic = True
    if call is not None and call.args:
        src.fail(call.args[0], "syn/macro", "a macro takes `hygienic=True` or `False`, by name")
    for each in call.keywords if call is not None else ():
        match each:
            case ast.keyword(arg="hygienic", value=ast.Constant(value=bool() as value)):
                hygienic = value
            case _:
                src.fail(each.value, "syn/macro", "a macro takes `hygienic=True` or `False`")
    spec = node.args
    if spec.vararg or spec.kwarg or spec.kwonlyargs or spec.posonlyargs:
        src.fail(node, "syn/macro", f"the macro {node.name!r} takes plain parameters only")
    body = node.body
    if graph:
        *body, last = node.body
        if not isinstance(last, ast.Return) or last.value is None:
            src.fail(last, "syn/macro", f"the macro {node.name!r} has to end with `return` of a value")
    inside = (each for statement in body for each in ast.walk(statement))
    returned = next((each for each in inside if isinstance(each, (ast.Return, ast.Yield))), None)
    if returned is not None:
        what = "returns at its end only" if graph else "gives no value: its statements take the place of the call"
        src.fail(returned, "syn/macro", f"a macro {what}")
    return Macro(node, scope, hygienic, graph)


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


@contextmanager
@rule("syn/macro-expansion")
def expanding(src: Source, call: ast.Call, macro: Macro) -> Iterator[None]:
    """While the statements of a macro are read: it is not called by itself, and not all that often."""
    src.expansions += 1
    if src.expansions > MAX_EXPANSIONS:
        src.fail(call, "syn/macro-expansion", f"macros expand more than {MAX_EXPANSIONS} times")
    if macro.node in src.expanding:
        src.fail(call, "syn/macro-expansion", f"the macro {macro.node.name!r} calls itself")
    src.expanding.append(macro.node)
    try:
        yield
    finally:
        src.expanding.pop()


def arguments_of(src: Source, call: ast.Call, node: ast.FunctionDef) -> dict[str, ast.expr]:
    """The arguments by parameter; a default where the call gives none."""
    params = [each.arg for each in node.args.args]
    if len(call.args) > len(params) or any(isinstance(each, ast.Starred) for each in call.args):
        src.fail(call, "syn/argument-count", f"the macro {node.name!r} takes {len(params)} arguments")
    given = dict(zip(params, call.args, strict=False))
    for keyword in call.keywords:
        if keyword.arg not in params or keyword.arg in given:
            src.fail(keyword.value, "syn/unknown-keyword", f"`{shown(call.func)}`: no such parameter is free")
        given[str(keyword.arg)] = keyword.value
    for name, default in zip(reversed(params), reversed(node.args.defaults), strict=False):
        given.setdefault(name, default)
    missing = [name for name in params if name not in given]
    if missing:
        src.fail(call, "syn/argument-count", f"`{shown(call.func)}` needs the argument {missing[0]!r}")
    return given
