"""Statements of the loop level: loops, conditions, blocks, threads, assertions, evaluations.

Spec: ``spec/03b-loops-syntax.md`` ("Statements").
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from refrelax.rules import rule
from refrelax.syntax import dtypes
from refrelax.syntax.loops import (
    AssertStmt,
    Break,
    Buffer,
    Continue,
    Evaluate,
    IfThenElse,
    Return,
    Stmt,
    While,
)
from refrelax.syntax.read import building
from refrelax.syntax.read.arguments import bound, exactly, namespace_name
from refrelax.syntax.read.assignments import assign_form, read_annotated, read_assign, read_augmented, store_value
from refrelax.syntax.read.blocks import (
    BLOCK_FORMS,
    attribute_items,
    block_of,
    declare_attrs,
    declare_regions,
    declare_where,
    read_block,
)
from refrelax.syntax.read.building import BuildError
from refrelax.syntax.read.constants import shown
from refrelax.syntax.read.context import Macro
from refrelax.syntax.read.declarations import BUFFER_FORMS, FORMS, bind_let
from refrelax.syntax.read.for_loops import read_for
from refrelax.syntax.read.frames import StatementFrame
from refrelax.syntax.read.loop_macros import expand
from refrelax.syntax.read.macros import macro_of
from refrelax.syntax.read.scopes import SCOPES, opener
from refrelax.syntax.scalars import CommReducer, Literal, PrimExpr, RangeArg, StringImm

Stmts = tuple[Stmt, ...]


def read_body(frame: StatementFrame, nodes: list[ast.stmt]) -> Stmts:
    """A list of statements, in the scope of ``frame``."""
    made: list[Stmt] = []
    for k, node in enumerate(nodes):
        wraps = opener(frame, node)
        if wraps is None:
            made.extend(read_statement(frame, node))
            continue
        inner = read_body(frame, nodes[k + 1 :])
        for wrap in reversed(wraps):
            inner = (wrap(inner),)
        made.extend(inner)
        break
    return tuple(made)


@rule("syn/unknown-statement")
def read_statement(frame: StatementFrame, node: ast.stmt) -> Stmts:
    """One statement."""
    with frame.src.deeper(node):
        try:
            match node:
                case ast.Assign():
                    return read_assign(frame, node)
                case ast.AnnAssign():
                    return read_annotated(frame, node)
                case ast.AugAssign():
                    return read_augmented(frame, node)
                case ast.Expr(value=value):
                    return read_expression(frame, node, value)
                case ast.For(orelse=[]):
                    return (read_for(frame, node, read_body),)
                case ast.With():
                    return read_with(frame, node, node.items)
                case ast.If():
                    return read_if(frame, node)
                case ast.While(test=test, body=body, orelse=[]):
                    inner = frame.child()
                    return (While(truth(inner, test), read_body(inner, body), span=frame.span(node)),)
                case ast.Assert():
                    return (read_assert(frame, node),)
                case ast.Return(value=ast.expr() as value):
                    return (_returned(frame, value, node),)
                case ast.Break():
                    return (Break(span=frame.span(node)),)
                case ast.Continue():
                    return (Continue(span=frame.span(node)),)
                case ast.Pass() | ast.Nonlocal():
                    return ()
                case ast.FunctionDef() if (macro := macro_of(frame.src, node, frame.scope)) is not None:
                    frame.scope.define(node.name, macro)
                    return ()
        except BuildError as error:
            frame.src.fail(node, error.rule, str(error))
    return frame.src.fail(node, "syn/unknown-statement", f"`{shown(node)}` is no statement of the loop level")


def truth(frame: StatementFrame, node: ast.expr) -> PrimExpr:
    """A condition."""
    return truth_of(frame, node, frame.reader.value(node))


def read_if(frame: StatementFrame, node: ast.If) -> Stmts:
    """``if``: a Python constant chooses while reading, without a scope of its own; anything else is a statement."""
    value = frame.reader.value(node.test)
    if isinstance(value, bool):
        return read_body(frame, node.body if value else node.orelse)
    condition = truth_of(frame, node.test, value)
    then, other = read_body(frame.child(), node.body), read_body(frame.child(), node.orelse)
    return (IfThenElse(condition, then, other, span=frame.span(node)),)


@rule("syn/condition")
def truth_of(frame: StatementFrame, node: ast.expr, value: Any) -> PrimExpr:
    """An evaluated condition. An integer ``c``, which TVM takes as well, stands for ``c != 0``."""
    found = frame.reader.expression(node, value)
    if dtypes.kind(found.dtype) in ("int", "uint") and dtypes.lanes(found.dtype) == 1:
        return building.binary("NE", found, Literal(found.dtype, 0), frame.span(node))
    if dtypes.kind(found.dtype) != "bool":
        frame.src.fail(node, "syn/condition", f"a condition is a bool or an integer, not {found.dtype}")
    return found


@rule("syn/assert-message")
def read_assert(frame: StatementFrame, node: ast.Assert) -> AssertStmt:
    """``assert c, "message"`` or ``assert c, ("Kind", ["part", …])``."""
    condition = truth(frame, node.test)
    message = "" if node.msg is None else frame.reader.value(node.msg)
    kind = "RuntimeError"
    if isinstance(message, tuple):
        if len(message) != 2 or not isinstance(message[0], str):
            frame.src.fail(node, "syn/assert-message", "expected a message, or (kind, [parts])")
        kind, message = message
    parts = [message] if isinstance(message, str) else message
    if not isinstance(parts, (list, tuple)) or not all(isinstance(p, (str, int, float)) for p in parts):
        frame.src.fail(node, "syn/assert-message", "the parts of a message are strings")
    return AssertStmt(condition, kind, tuple(str(p) for p in parts), span=frame.span(node))


# --- expression statements -------------------------------------------------------------------------------------------


def read_expression(frame: StatementFrame, node: ast.Expr, value: ast.expr) -> Stmts:
    """A bare expression: a declaration, a call for its effect, a docstring."""
    if isinstance(value, ast.Constant) and (isinstance(value.value, str) or value.value is Ellipsis):
        return ()
    if isinstance(value, ast.Call):
        macro = frame.scope.lookup(value.func.id) if isinstance(value.func, ast.Name) else None
        if isinstance(macro, Macro):
            return expand(frame, value, macro, read_body)
        name = namespace_name(value.func, frame.reader)
        if name in DECLARATIONS:
            DECLARATIONS[name](frame, value)
            return ()
        if name in EFFECTS:
            return EFFECTS[name](frame, value)
        if name is not None and name in FORMS:
            return assign_form(frame, value, "v" if name.lower() == "bind" else "buffer", name) or ()
        if isinstance(value.func, ast.Attribute) and value.func.attr == "vstore":
            return vector_store(frame, node, value)
    found = frame.reader.argument(value, frame.reader.value(value))
    return (Evaluate(found, span=frame.span(node)),)


def vector_store(frame: StatementFrame, node: ast.stmt, call: ast.Call) -> Stmts:
    """``A.vstore([i], value, predicate=p)``."""
    assert isinstance(call.func, ast.Attribute)
    buffer = frame.reader.value(call.func.value)
    given = bound(frame.reader, call, "begin", "value", "predicate")
    if not isinstance(buffer, Buffer) or "begin" not in given or "value" not in given:
        frame.src.fail(call, "syn/argument-count", "vstore takes indices and a value, on a buffer")
    begin, value = given["begin"], given["value"]
    index = ast.copy_location(ast.Tuple(begin.elts, ast.Load()), begin) if isinstance(begin, ast.List) else begin
    predicate = frame.reader.scalar(given["predicate"]) if "predicate" in given else None
    return (store_value(frame, node, buffer, index, value, frame.reader.value(value), predicate),)


def _one(frame: StatementFrame, call: ast.Call) -> ast.expr:
    if len(call.args) != 1 or call.keywords:
        frame.src.fail(call, "syn/argument-count", f"`{shown(call.func)}` takes one argument")
    return call.args[0]


def _evaluate(frame: StatementFrame, call: ast.Call) -> Stmts:
    node = _one(frame, call)
    return (Evaluate(frame.reader.argument(node, frame.reader.value(node)), span=frame.span(call)),)


def _returned(frame: StatementFrame, value: ast.expr, node: ast.AST) -> Return:
    found = frame.reader.argument(value, frame.reader.value(value))
    if isinstance(found, (StringImm, CommReducer, RangeArg)):
        frame.src.fail(value, "syn/not-a-scalar", f"expected a value to return, found `{shown(value)}`")
    return Return(found, span=frame.span(node))


def _ret(frame: StatementFrame, call: ast.Call) -> Stmts:
    node = _one(frame, call)
    return (_returned(frame, node, call),)


def _store(frame: StatementFrame, call: ast.Call) -> Stmts:
    given = bound(frame.reader, call, "buffer", "value", "indices", "predicate")
    if not {"buffer", "value", "indices"} <= given.keys():
        frame.src.fail(call, "syn/argument-count", "T.buffer_store takes a buffer, a value and indices")
    buffer, value, indices = frame.reader.value(given["buffer"]), given["value"], given["indices"]
    if not isinstance(buffer, Buffer):
        frame.src.fail(call, "syn/assignment-target", f"`{shown(given['buffer'])}` is no buffer")
    index = (
        ast.copy_location(ast.Tuple(indices.elts, ast.Load()), indices) if isinstance(indices, ast.List) else indices
    )
    predicate = frame.reader.scalar(given["predicate"]) if "predicate" in given else None
    statement = ast.copy_location(ast.Expr(call), call)
    return (store_value(frame, statement, buffer, index, value, frame.reader.value(value), predicate),)


@rule("syn/function-attributes")
def _func_attr(frame: StatementFrame, call: ast.Call) -> None:
    """``T.func_attr({…})``: the attributes of the function; the name it has anyway is left out."""
    for key, value in attribute_items(frame, _one(frame, call)).items():
        key = "tirx." + key[4:] if key.startswith("tir.") and frame.edition.tir_attributes else key
        if key in frame.function.attrs:
            frame.src.fail(call, "syn/function-attributes", f"the attribute {key!r} is given twice")
        if key == "global_symbol" and value == frame.function.name:
            continue
        frame.function.attrs[key] = value


def _break(frame: StatementFrame, call: ast.Call) -> Stmts:
    exactly(frame.reader, call, 0)
    return (Break(span=frame.span(call)),)


def _continue(frame: StatementFrame, call: ast.Call) -> Stmts:
    exactly(frame.reader, call, 0)
    return (Continue(span=frame.span(call)),)


DECLARATIONS: dict[str, Callable[[StatementFrame, ast.Call], None]] = {
    "reads": lambda frame, call: declare_regions(frame, call, "reads"),
    "writes": lambda frame, call: declare_regions(frame, call, "writes"),
    "where": declare_where,
    "sblock_attr": declare_attrs,
    "block_attr": declare_attrs,
    "func_attr": _func_attr,
}
"""Bare calls that declare something about the block or the function."""

EFFECTS: dict[str | None, Callable[[StatementFrame, ast.Call], Stmts]] = {
    "evaluate": _evaluate,
    "ret": _ret,
    "Return": _ret,
    "buffer_store": _store,
    "break_loop": _break,
    "continue_loop": _continue,
}
"""Bare calls that are statements."""


# --- with ------------------------------------------------------------------------------------------------------------


UNNAMED = BLOCK_FORMS | {"init", "attr", "device_entry"}
"""What ``with`` opens and ``as`` gives no name to."""


@rule("syn/with-form")
def read_with(frame: StatementFrame, node: ast.With, items: list[ast.withitem]) -> Stmts:
    """``with T.sblock(…)``, ``T.init()``, ``T.attr(…)``, ``T.launch_thread(…)``; several items nest."""
    item, rest = items[0], items[1:]
    call = item.context_expr
    name = namespace_name(call.func, frame.reader) if isinstance(call, ast.Call) else None
    body = node.body

    def inside(inner: StatementFrame, nodes: list[ast.stmt]) -> Stmts:
        return read_with(inner, node, rest) if rest else read_body(inner, nodes)

    if isinstance(call, ast.Call):
        if item.optional_vars is not None and (name in UNNAMED or not isinstance(item.optional_vars, ast.Name)):
            frame.src.fail(item.optional_vars, "syn/with-form", f"`with {shown(call)}` gives no value to name")
        if name in BLOCK_FORMS:
            return (read_block(frame, call, body, inside),)
        if name == "init":
            exactly(frame.reader, call, 0)
            block = block_of(frame, call, "T.init")
            if block.init is not None:
                frame.src.fail(call, "syn/block-duplicate", f"T.init stands twice in the block {block.name!r}")
            block.init = inside(replace(frame.child(), initial=True), body)
            return ()
        if name in SCOPES:
            inner = frame.child()
            wraps = SCOPES[name](inner, call, item.optional_vars)
            made = inside(inner, body)
            for wrap in reversed(wraps):
                made = (wrap(made),)
            return made
        if name == "LetStmt":
            return (*_let_statement(inner := frame.child(), node, call, item.optional_vars), *inside(inner, body))
        if name in BUFFER_FORMS and isinstance(item.optional_vars, ast.Name):
            inner = frame.child()
            before = assign_form(inner, call, item.optional_vars.id, str(name)) or ()
            return (*before, *inside(inner, body))
    return frame.src.fail(call, "syn/with-form", f"`with {shown(call)}` has no meaning at the loop level")


def _let_statement(frame: StatementFrame, node: ast.stmt, call: ast.Call, target: ast.expr | None) -> Stmts:
    """``with T.LetStmt(value) as x:`` of the older spelling: a let for the body."""
    given = bound(frame.reader, call, "value", "type_annotation", "var")
    if "value" not in given:
        frame.src.fail(call, "syn/argument-count", "T.LetStmt takes a value")
    target = given.get("var", target)
    if not isinstance(target, ast.Name):
        frame.src.fail(call, "syn/assignment-target", "T.LetStmt needs a variable")
    value = frame.reader.argument(given["value"], frame.reader.value(given["value"]))
    return (bind_let(frame, node, target, target.id, value, None),)
