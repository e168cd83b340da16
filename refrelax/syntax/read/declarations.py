"""``name = T.<form>(…)`` with a reader of its own: buffers, scalars, lets, threads and scopes that a text declares.

Spec: ``spec/03b-loops-syntax.md`` ("Names and memory").
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace

from refrelax.rules import rule
from refrelax.syntax import dtypes
from refrelax.syntax.loops import AllocBuffer, Bind, BufferParam, DeclBuffer, ScalarParam, Stmt
from refrelax.syntax.read.arguments import POINTERS, bound, dtype_named, exactly, namespace_name, pointer_dtype
from refrelax.syntax.read.blocks import attribute_items, declare_match
from refrelax.syntax.read.buffers import cell, field_nodes, make_buffer, shape_of
from refrelax.syntax.read.constants import shown
from refrelax.syntax.read.context import Known
from refrelax.syntax.read.forms import let_variable
from refrelax.syntax.read.frames import StatementFrame
from refrelax.syntax.read.intrinsics import PACKED
from refrelax.syntax.scalars import BufferRef, Intrinsic, PrimExpr, SymVar

Stmts = tuple[Stmt, ...]


def annotation_dtype(frame: StatementFrame, node: ast.expr) -> str:
    """The dtype of an annotation: ``T.int32``, ``T.int32()``, ``T.handle("float32", "global")``."""
    target = node.func if isinstance(node, ast.Call) else node
    name = namespace_name(target, frame.reader)
    if name in POINTERS:
        return pointer_dtype(frame.reader, node)
    if isinstance(node, ast.Call) and (node.args or node.keywords):
        frame.src.fail(node, "syn/annotation", f"expected the type of a scalar, found `{shown(node)}`")
    if name == "void":
        return "void"
    dtype = dtype_named(name) if name is not None else None
    if dtype is None:
        frame.src.fail(node, "syn/annotation", f"expected the type of a scalar, found `{shown(node)}`")
    return dtype


@rule("syn/let-dtype")
def bind_let(
    frame: StatementFrame, node: ast.stmt, target: ast.expr, name: str, value: PrimExpr, dtype: str | None
) -> Bind:
    """A let, under a declared variable or a new one."""
    if dtype is not None and isinstance(value, Intrinsic) and value.op in PACKED:
        value = replace(value, dtype=dtype)
    pointers = dtype is not None and dtypes.kind(dtype) == dtypes.kind(value.dtype) == "handle"
    if dtype is not None and dtype != value.dtype and not pointers and dtypes.kind(value.dtype) != "void":
        frame.src.fail(node, "syn/let-dtype", f"{name!r} is declared {dtype}, but its value has dtype {value.dtype}")
    entry = frame.scope.lookup(name)
    if isinstance(entry, SymVar) and entry.name in frame.function.unbound:
        var = let_variable(frame.reader, target, name, value.dtype)
    else:
        var = SymVar(frame.function.names.fresh(name), dtype or value.dtype, span=frame.span(node))
    frame.scope.define(name, var)
    return Bind(var, value, span=frame.span(node))


def _match(frame: StatementFrame, call: ast.Call, name: str) -> Stmts:
    """``A = T.match_buffer(a, (n,), "float32")``: of a handle parameter, or of a region inside a block."""
    call = _with_param(frame, call)
    value = frame.reader.value(call.args[0])
    position = frame.function.handles.get(value.name) if isinstance(value, SymVar) else None
    if position is None:
        if isinstance(value, SymVar):
            frame.src.fail(
                call.args[0], "syn/match-buffer", f"{value.name!r} is no handle parameter that is still free"
            )
        declare_match(frame, call, name)
        return ()
    del frame.function.handles[value.name]
    rest = ast.copy_location(ast.Call(call.func, call.args[1:], call.keywords), call)
    given = field_nodes(frame.reader, rest, "match_buffer")
    buffer = make_buffer(
        frame.reader, rest, frame.function.names.fresh(name), given, quoted=True, s_tir=frame.function.s_tir
    )
    param = frame.function.params[position]
    frame.function.params[position] = BufferParam(buffer, span=param.span)
    frame.scope.define(name, buffer)
    if isinstance(param, ScalarParam) and isinstance(call.args[0], ast.Name):
        frame.scope.define(call.args[0].id, Known(BufferRef(buffer.name, "data")))
    return ()


def _with_param(frame: StatementFrame, call: ast.Call) -> ast.Call:
    if call.args:
        return call
    for keyword in call.keywords:
        if keyword.arg == "param":
            rest = [k for k in call.keywords if k is not keyword]
            return ast.copy_location(ast.Call(call.func, [keyword.value], rest), call)
    return frame.src.fail(call, "syn/argument-count", "T.match_buffer takes a handle or a region first")


def _alloc(scope: str) -> Callable[[StatementFrame, ast.Call, str], Stmts]:
    def read(frame: StatementFrame, call: ast.Call, name: str) -> Stmts:
        given = field_nodes(frame.reader, call, "Buffer")
        notes = given.pop("annotations", None)
        unique = frame.function.names.fresh(name)
        buffer = make_buffer(frame.reader, call, unique, given, scope=scope, s_tir=frame.function.s_tir)
        frame.scope.define(name, buffer)
        attrs = () if notes is None or _is_none(notes) else tuple(sorted(attribute_items(frame, notes).items()))
        return (AllocBuffer(buffer, annotations=attrs, span=frame.span(call)),)

    return read


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _decl(frame: StatementFrame, call: ast.Call, name: str) -> Stmts:
    given = field_nodes(frame.reader, call, "Buffer")
    unique = frame.function.names.fresh(name)
    buffer = make_buffer(frame.reader, call, unique, given, s_tir=frame.function.s_tir)
    frame.scope.define(name, buffer)
    if buffer.data is None:
        return (AllocBuffer(buffer, span=frame.span(call)),)
    return (DeclBuffer(buffer, span=frame.span(call)),)


def _cell(scope: str) -> Callable[[StatementFrame, ast.Call, str], Stmts]:
    def read(frame: StatementFrame, call: ast.Call, name: str) -> Stmts:
        given = bound(frame.reader, call, "dtype", *(("scope",) if not scope else ()))
        dtype = frame.reader.dtype_of(given["dtype"]) if "dtype" in given else "float32"
        where = frame.reader.value(given["scope"]) if "scope" in given else scope or "global"
        if not isinstance(where, str):
            frame.src.fail(given["scope"], "syn/constant-expression", "expected a string as scope")
        if dtypes.kind(dtype) in ("handle", "void"):
            frame.src.fail(call, "syn/annotation", f"a mutable scalar has no dtype {dtype}")
        buffer = cell(frame.function.names.fresh(name), dtype, where)
        frame.scope.define(name, buffer)
        return (AllocBuffer(buffer, span=frame.span(call)),)

    return read


def _decl_scalar(frame: StatementFrame, call: ast.Call, name: str) -> Stmts:
    """``z = T.decl_scalar(dtype, data, scope, elem_offset)``: a mutable scalar in existing memory."""
    given = bound(frame.reader, call, "dtype", "data", "scope", "elem_offset", "byte_offset")
    given["shape"] = ast.copy_location(ast.Constant(1), call)
    buffer = make_buffer(frame.reader, call, frame.function.names.fresh(name), given, s_tir=frame.function.s_tir)
    if buffer.data is None:
        frame.src.fail(call, "syn/argument-count", "T.decl_scalar takes a dtype, data and a scope")
    buffer = replace(buffer, scalar=True)
    frame.scope.define(name, buffer)
    return (DeclBuffer(buffer, span=frame.span(call)),)


def _thread(frame: StatementFrame, call: ast.Call, name: str) -> Stmts:
    given = bound(frame.reader, call, "thread_tag", "dtype")
    tag = frame.reader.value(given["thread_tag"]) if "thread_tag" in given else None
    if not isinstance(tag, str):
        frame.src.fail(call, "syn/constant-expression", "T.env_thread takes a thread tag")
    dtype = frame.reader.dtype_of(given["dtype"]) if "dtype" in given else "int32"
    var = SymVar(frame.function.names.fresh(name), dtype, span=frame.span(call))
    frame.scope.define(name, var)
    frame.function.threads[var.name] = tag
    return ()


@rule("syn/scope-id")
def scope_ids(frame: StatementFrame, call: ast.Call, form: str, targets: list[ast.expr]) -> Stmts:
    """``tx = T.thread_id([128])``, ``x, y = T.cta_id([2, 3])``: a variable for each extent."""
    given = bound(frame.reader, call, "extents", "dtype")
    node = given.get("extents")
    extents = () if node is None or _is_none(node) else shape_of(frame.reader, node)
    if len(targets) != max(len(extents), 1):
        frame.src.fail(call, "syn/scope-id", f"{len(targets)} variables for {len(extents)} extents")
    dtype = frame.reader.dtype_of(given["dtype"]) if "dtype" in given else "int32"
    if not dtypes.is_integer(dtype) or dtypes.lanes(dtype) != 1:
        frame.src.fail(given["dtype"], "syn/scope-id", f"an index of threads is an integer, not {dtype}")
    made = []
    for k, target in enumerate(targets):
        if not isinstance(target, ast.Name):
            frame.src.fail(target, "syn/assignment-target", f"expected a name, found `{shown(target)}`")
        attrs = (("axis", k),) if len(targets) > 1 else ()
        value = Intrinsic(form, extents, dtype, attrs, span=frame.span(call))
        var = SymVar(frame.function.names.fresh(target.id), dtype, span=frame.span(target))
        frame.scope.define(target.id, var)
        made.append(Bind(var, value, span=frame.span(call)))
    return tuple(made)


def _bind(frame: StatementFrame, call: ast.Call, name: str) -> Stmts:
    given = bound(frame.reader, call, "value", "type_annotation", "var")
    if "value" not in given:
        frame.src.fail(call, "syn/argument-count", "T.bind takes a value")
    value = frame.reader.argument(given["value"], frame.reader.value(given["value"]))
    target, variable = given.get("var"), name
    if target is not None and not _is_none(target):
        if not isinstance(target, ast.Name):
            frame.src.fail(target, "syn/assignment-target", f"expected a variable, found `{shown(target)}`")
        variable = target.id
    made = bind_let(frame, call, call, variable, value, None)  # type: ignore[arg-type]
    if name:
        frame.scope.define(name, made.var)
    return (made,)


def _meta(frame: StatementFrame, call: ast.Call, name: str) -> Stmts:
    frame.scope.define(name, Known(frame.reader.value(exactly(frame.reader, call, 1)[0])))
    return ()


FORMS: dict[str, Callable[[StatementFrame, ast.Call, str], Stmts]] = {
    "match_buffer": _match,
    "alloc_buffer": _alloc("global"),
    "alloc_local": _alloc("local"),
    "alloc_shared": _alloc("shared"),
    "smem": _alloc("shared"),
    "decl_buffer": _decl,
    "Buffer": _decl,
    "buffer_decl": _decl,
    "alloc_scalar": _cell(""),
    "local_scalar": _cell("local"),
    "shared_scalar": _cell("shared"),
    "decl_scalar": _decl_scalar,
    "env_thread": _thread,
    "bind": _bind,
    "Bind": _bind,
    "meta_var": _meta,
}
"""``name = T.<form>(…)`` with a reader of its own."""

BUFFER_FORMS = frozenset(
    {"alloc_buffer", "alloc_local", "alloc_shared", "smem", "decl_buffer", "Buffer", "buffer_decl"}
)
"""Those that make a buffer, which ``with T.decl_buffer(…) as B:`` names as well."""
