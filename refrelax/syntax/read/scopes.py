"""Forms that put what follows them into a statement of their own: ``T.attr``, ``T.launch_thread``, ``T.device_entry``.

Spec: ``spec/03b-loops-syntax.md`` ("Statements").
"""

from __future__ import annotations

import ast
from collections.abc import Callable

from refrelax.syntax.loops import AttrStmt, LaunchThread, Stmt
from refrelax.syntax.read.arguments import bound, exactly, namespace_name
from refrelax.syntax.read.frames import StatementFrame
from refrelax.syntax.scalars import Literal, PrimExpr, SymVar

Wrap = Callable[[tuple[Stmt, ...]], Stmt]
"""Puts the statements that follow into a statement that reaches to the end of the list."""


def opener(frame: StatementFrame, node: ast.stmt) -> list[Wrap] | None:
    """The scopes that a bare ``T.attr(…)`` or ``tx = T.launch_thread(…)`` opens to the end of its list."""
    target: ast.Name | None = None
    match node:
        case ast.Expr(value=ast.Call() as call):
            pass
        case ast.Assign(targets=[ast.Name() as named], value=ast.Call() as call):
            target = named
        case _:
            return None
    name = namespace_name(call.func, frame.reader)
    if name not in SCOPES:
        return None
    with frame.src.deeper(node):
        if target is not None and name != "launch_thread":
            frame.src.fail(node, "syn/with-form", f"T.{name} gives no value to name")
        return SCOPES[name](frame, call, target)


def _launch(frame: StatementFrame, call: ast.Call, target: ast.expr | None) -> list[Wrap]:
    """``T.launch_thread("threadIdx.x", 4)`` or ``T.launch_thread(tx, 4)`` of an ``env_thread``."""
    given = bound(frame.reader, call, "thread", "extent")
    if "thread" not in given or "extent" not in given:
        frame.src.fail(call, "syn/argument-count", "T.launch_thread takes a thread and an extent")
    thread, extent = frame.reader.value(given["thread"]), frame.reader.scalar(given["extent"])
    if isinstance(thread, str):
        wanted = target.id if isinstance(target, ast.Name) else thread.rpartition(".")[0] or "v"
        var, tag = SymVar(frame.function.names.fresh(wanted), extent.dtype, span=frame.span(call)), thread
    elif isinstance(thread, SymVar) and thread.name in frame.function.threads:
        var, tag = thread, frame.function.threads[thread.name]
    else:
        frame.src.fail(call, "syn/thread", "expected a thread tag, or a variable made by T.env_thread")
    if isinstance(target, ast.Name):
        frame.scope.define(target.id, var)
    span = frame.span(call)
    return [lambda inner: LaunchThread(var, tag, extent, inner, span=span)]


def _attr(frame: StatementFrame, call: ast.Call, target: ast.expr | None) -> list[Wrap]:
    """``T.attr({"k": v})`` or ``T.attr(node, "key", value)``."""
    span = frame.span(call)

    def wrap(node: PrimExpr | None, key: str, value: PrimExpr) -> Wrap:
        return lambda inner: AttrStmt(node, key, value, inner, span=span)

    if len(call.args) == 1 and isinstance(call.args[0], ast.Dict):
        found = []
        for k, v in zip(call.args[0].keys, call.args[0].values, strict=True):
            key = None if k is None else frame.reader.value(k)
            if not isinstance(key, str):
                frame.src.fail(call, "syn/attribute-value", "the key of an attribute is a string")
            found.append(wrap(None, key, frame.reader.argument(v, frame.reader.value(v))))
        return found
    given = bound(frame.reader, call, "node", "attr_key", "value")
    if len(given) != 3:
        frame.src.fail(call, "syn/argument-count", "T.attr takes a node, a key and a value")
    node = frame.reader.value(given["node"])
    key = frame.reader.value(given["attr_key"])
    if not isinstance(key, str):
        frame.src.fail(call, "syn/attribute-value", "the key of an attribute is a string")
    value = frame.reader.argument(given["value"], frame.reader.value(given["value"]))
    about = None if node is None or node == 0 else frame.reader.argument(given["node"], node)
    return [wrap(about, key, value)]


def _device_entry(frame: StatementFrame, call: ast.Call, target: ast.expr | None) -> list[Wrap]:
    """``T.device_entry()``: what follows runs on the device."""
    exactly(frame.reader, call, 0)
    span = frame.span(call)
    return [lambda inner: AttrStmt(None, "tirx.device_entry", Literal("bool", 1), inner, span=span)]


SCOPES: dict[str | None, Callable[[StatementFrame, ast.Call, ast.expr | None], list[Wrap]]] = {
    "launch_thread": _launch,
    "attr": _attr,
    "device_entry": _device_entry,
}
"""Forms that put the statements after them (or the body of their ``with``) into a statement of their own."""
