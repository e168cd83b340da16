"""Assignments at the loop level: stores, lets, mutable scalars, buffers, axes, declarations of variables.

In the current edition a plain ``z = e`` makes a mutable scalar (or stores into one), and ``y: T.let = e`` is the let;
in the older spelling a plain ``y = e`` and ``y: T.int32 = e`` were lets.
Spec: ``spec/03b-loops-syntax.md`` ("Names and memory").
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from refrelax.rules import rule
from refrelax.syntax import dtypes
from refrelax.syntax.loops import AllocBuffer, Bind, Buffer, BufferParam, BufferStore, DeclBuffer, ScalarParam, Stmt
from refrelax.syntax.read import building
from refrelax.syntax.read.arguments import POINTERS, bound, dtype_named, namespace_name, pointer_dtype
from refrelax.syntax.read.blocks import ALLOC_FORMS, AXES, attribute_items, declare_alloc, declare_axes, declare_match
from refrelax.syntax.read.buffers import cell, field_nodes, make_buffer, shape_of, view_of
from refrelax.syntax.read.building import BuildError
from refrelax.syntax.read.constants import shown
from refrelax.syntax.read.context import Known, ModuleAlias
from refrelax.syntax.read.device_intrinsics import SCOPE_IDS
from refrelax.syntax.read.forms import let_variable
from refrelax.syntax.read.frames import Frame
from refrelax.syntax.read.intrinsics import PACKED
from refrelax.syntax.read.regions import Slice, View, index_lanes, vector_indices
from refrelax.syntax.read.scalars import DTypeName, is_expression
from refrelax.syntax.scalars import BufferRef, Intrinsic, Literal, PrimExpr, StringImm, SymVar, as_int

Stmts = tuple[Stmt, ...]


def read_assign(frame: Frame, node: ast.Assign) -> Stmts:
    """``target = value``."""
    if len(node.targets) != 1:
        frame.src.fail(node, "syn/assignment-target", "expected one target")
    return assign(frame, node, node.targets[0], node.value)


@rule("syn/assignment-target")
def assign(frame: Frame, node: ast.stmt, target: ast.expr, value: ast.expr) -> Stmts:
    """One assignment, by the form of its target."""
    match target:
        case ast.Name(id=name):
            return assign_name(frame, node, name, value)
        case ast.Subscript(value=base, slice=index):
            buffer = frame.reader.value(base)
            if not isinstance(buffer, Buffer):
                frame.src.fail(target, "syn/assignment-target", f"`{shown(base)}` is no buffer")
            return (store(frame, node, buffer, index, value),)
        case ast.Tuple(elts=targets) | ast.List(elts=targets):
            return assign_many(frame, node, targets, value)
        case ast.Attribute(value=ast.Name(id=name), attr="buffer"):
            return assign_name(frame, node, name, value)
    return frame.src.fail(target, "syn/assignment-target", f"`{shown(target)}` cannot be assigned to")


def assign_many(frame: Frame, node: ast.stmt, targets: list[ast.expr], value: ast.expr) -> Stmts:
    """``a, b = …``: axes, pairwise values, or the items of a constant."""
    if isinstance(value, ast.Call) and (name := namespace_name(value.func, frame.reader)) is not None:
        if name == "axis.remap" or name in AXES:
            declare_axes(frame, value, name, targets)
            return ()
        if name in SCOPE_IDS:
            return scope_ids(frame, value, name, targets)
    if isinstance(value, (ast.Tuple, ast.List)) and len(value.elts) == len(targets):
        pairs = zip(targets, value.elts, strict=True)
        return tuple(s for t, v in pairs for s in assign(frame, node, t, v))
    found = frame.reader.value(value)
    if not isinstance(found, (list, tuple)) or len(found) != len(targets):
        frame.src.fail(value, "syn/assignment-target", f"`{shown(value)}` does not give {len(targets)} values")
    made: list[Stmt] = []
    for target, item in zip(targets, found, strict=True):
        if not isinstance(target, ast.Name):
            frame.src.fail(target, "syn/assignment-target", f"expected a name, found `{shown(target)}`")
        made.extend(bind_value(frame, node, target.id, value, item))
    return tuple(made)


def assign_name(frame: Frame, node: ast.stmt, name: str, value: ast.expr) -> Stmts:
    """``name = value``: a form of its own, a store into an existing scalar, or a new name for a value."""
    if isinstance(value, ast.Call):
        form = namespace_name(value.func, frame.reader)
        if form is not None:
            special = assign_form(frame, value, name, form)
            if special is not None:
                return special
        elif isinstance(value.func, ast.Attribute) and value.func.attr in ("view", "reshape"):
            base = frame.reader.value(value.func.value)
            if isinstance(base, Buffer):
                buffer = view_of(frame.reader, value, base, frame.function.names.fresh(name))
                frame.scope.define(name, buffer)
                return (DeclBuffer(buffer, span=frame.span(node)),)
    existing = frame.scope.lookup(name)
    if isinstance(existing, Buffer) and (existing.scalar or _single(existing)):
        found = frame.reader.value(value)
        if existing.scalar or is_expression(found) or isinstance(found, (int, float)):
            zero = (Literal("int32", 0),)
            return (
                BufferStore(existing.name, stored(frame, value, found, existing.dtype), zero, span=frame.span(node)),
            )
    return bind_value(frame, node, name, value, frame.reader.value(value))


def _single(buffer: Buffer) -> bool:
    return len(buffer.shape) == 1 and as_int(buffer.shape[0]) == 1


def bind_value(frame: Frame, node: ast.stmt, name: str, at: ast.expr, value: Any) -> Stmts:
    """A new name for a value: an alias, a let of a handle, or a mutable scalar (a let in the older spelling)."""
    if isinstance(value, (list, tuple, dict, str, DTypeName)) or value is None:
        frame.scope.define(name, Known(value))
        return ()
    if isinstance(value, ModuleAlias) or (isinstance(value, Buffer) and not value.scalar):
        frame.scope.define(name, value)
        return ()
    if isinstance(value, View):
        if all(isinstance(i, Slice) and i.step is None for i in value.items) and not frame.old:
            frame.scope.define(name, Known(value))
            return ()
    found = frame.reader.expression(at, value)
    if isinstance(found, SymVar) and found.name in frame.function.unbound and not frame.old:
        frame.scope.define(name, found)
        return ()
    if frame.old or dtypes.kind(found.dtype) in ("handle", "void"):
        var = SymVar(frame.function.names.fresh(name), found.dtype, span=frame.span(node))
        frame.scope.define(name, var)
        return (Bind(var, found, span=frame.span(node)),)
    return declare_scalar(frame, node, name, found.dtype, found)


def declare_scalar(frame: Frame, node: ast.stmt, name: str, dtype: str, init: PrimExpr | None) -> Stmts:
    """A mutable scalar."""
    buffer = cell(frame.function.names.fresh(name), dtype)
    frame.scope.define(name, buffer)
    return (AllocBuffer(buffer, init, span=frame.span(node)),)


# --- stores ----------------------------------------------------------------------------------------------------------


def stored(frame: Frame, node: ast.expr, value: Any, dtype: str) -> PrimExpr:
    """``value`` as it is stored into elements of ``dtype``: cast, with the lanes it must already have."""
    try:
        if isinstance(value, (int, float)) and dtypes.kind(dtype) == "float":
            return building.constant(value, dtype, frame.span(node))
        found = frame.reader.expression(node, value)
        if dtypes.lanes(found.dtype) != dtypes.lanes(dtype):
            frame.src.fail(node, "syn/store-lanes", f"a value of {found.dtype} is stored where {dtype} is expected")
        return building.cast(dtype, found, frame.span(node))
    except BuildError as error:
        return frame.src.fail(node, error.rule, str(error))


@rule("syn/store-lanes")
def store(frame: Frame, node: ast.stmt, buffer: Buffer, index: ast.expr, value: ast.expr) -> BufferStore:
    """``A[i, j] = value``."""
    return store_value(frame, node, buffer, index, value, frame.reader.value(value))


def store_value(
    frame: Frame,
    node: ast.stmt,
    buffer: Buffer,
    index: ast.expr,
    at: ast.expr,
    value: Any,
    predicate: PrimExpr | None = None,
) -> BufferStore:
    """A store of an evaluated value."""
    try:
        indices = vector_indices(View(buffer, tuple(frame.reader.indices(buffer, index))))
        lanes = index_lanes(buffer, indices) * dtypes.lanes(buffer.dtype)
    except BuildError as error:
        frame.src.fail(index, error.rule, str(error))
    made = stored(frame, at, value, dtypes.with_lanes(buffer.dtype, lanes))
    return BufferStore(buffer.name, made, indices, predicate, span=frame.span(node))


def read_augmented(frame: Frame, node: ast.AugAssign) -> Stmts:
    """``A[i] += e``, ``z += e``."""
    load = ast.copy_location(
        ast.Name(node.target.id, ast.Load())
        if isinstance(node.target, ast.Name)
        else ast.Subscript(node.target.value, node.target.slice, ast.Load())
        if isinstance(node.target, ast.Subscript)
        else node.value,
        node.target,
    )
    value = ast.copy_location(ast.BinOp(load, node.op, node.value), node)
    return assign(frame, node, node.target, value)


# --- annotated assignments -------------------------------------------------------------------------------------------


@rule("syn/annotation")
def read_annotated(frame: Frame, node: ast.AnnAssign) -> Stmts:
    """``y: T.let[T.int32] = e``, ``z: T.int32 = e``, ``v: T.float32[4]``."""
    if not isinstance(node.target, ast.Name):
        frame.src.fail(node.target, "syn/assignment-target", f"expected a name, found `{shown(node.target)}`")
    name, annotation = node.target.id, node.annotation
    if namespace_name(annotation, frame.reader) == "let":
        return _let(frame, node, name, None)
    if isinstance(annotation, ast.Subscript):
        if namespace_name(annotation.value, frame.reader) == "let":
            return _let(frame, node, name, annotation_dtype(frame, annotation.slice))
        return _vector(frame, node, name, annotation)
    dtype = annotation_dtype(frame, annotation)
    if frame.old and node.value is not None:
        return _let(frame, node, name, dtype)
    if dtypes.kind(dtype) in ("handle", "void"):
        frame.src.fail(annotation, "syn/annotation", f"a mutable scalar has no dtype {dtype}: write T.let[…]")
    value = node.value and stored(frame, node.value, frame.reader.value(node.value), dtype)
    return declare_scalar(frame, node, name, dtype, value or None)


def annotation_dtype(frame: Frame, node: ast.expr) -> str:
    """The dtype of an annotation: ``T.int32``, ``T.int32()``, ``T.handle("float32", "global")``."""
    target = node.func if isinstance(node, ast.Call) else node
    name = namespace_name(target, frame.reader)
    if name in POINTERS:
        return pointer_dtype(frame.reader, node)
    if name == "void":
        return "void"
    dtype = dtype_named(name) if name is not None else None
    if dtype is None:
        frame.src.fail(node, "syn/annotation", f"expected the type of a scalar, found `{shown(node)}`")
    return dtype


def _let(frame: Frame, node: ast.AnnAssign, name: str, dtype: str | None) -> Stmts:
    if node.value is None:
        frame.src.fail(node, "syn/annotation", "T.let needs a value")
    value = frame.reader.value(node.value)
    if isinstance(value, str):
        made: PrimExpr = StringImm(value, span=frame.span(node.value))
    elif isinstance(value, float) and dtype is not None and dtypes.kind(dtype) == "float":
        made = building.constant(value, dtype, frame.span(node.value))
    else:
        made = frame.reader.argument(node.value, value)
    if dtype is not None and dtype != made.dtype and isinstance(made, Literal):
        made = building.cast(dtype, made)
    return (bind_let(frame, node, node.target, name, made, dtype),)


@rule("syn/let-dtype")
def bind_let(frame: Frame, node: ast.stmt, target: ast.expr, name: str, value: PrimExpr, dtype: str | None) -> Bind:
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


def _vector(frame: Frame, node: ast.AnnAssign, name: str, annotation: ast.Subscript) -> Stmts:
    dtype = annotation_dtype(frame, annotation.value)
    if node.value is not None:
        frame.src.fail(node, "syn/annotation", "a local vector has no initial value")
    shape = annotation.slice.elts if isinstance(annotation.slice, ast.Tuple) else [annotation.slice]
    buffer = Buffer(
        frame.function.names.fresh(name),
        tuple(frame.reader.scalar(s) for s in shape),
        dtype,
        scope="local",
        span=frame.span(node),
    )
    frame.scope.define(name, buffer)
    return (AllocBuffer(buffer, span=frame.span(node)),)


# --- forms with a reader of their own --------------------------------------------------------------------------------


def assign_form(frame: Frame, call: ast.Call, name: str, form: str) -> Stmts | None:
    """``name = T.<form>(…)`` where that is more than an expression; ``None`` where it is one."""
    if form in AXES or form == "axis.remap":
        declare_axes(frame, call, form, [ast.copy_location(ast.Name(name, ast.Store()), call)])
        return ()
    if form in ALLOC_FORMS or (form == "alloc_buffer" and frame.old):
        declare_alloc(frame, call, name)
        return ()
    reader = FORMS.get(form)
    if reader is not None:
        return reader(frame, call, name)
    if form in SCOPE_IDS:
        return scope_ids(frame, call, form, [ast.copy_location(ast.Name(name, ast.Store()), call)])
    dtype = dtype_named(form) or (pointer_dtype(frame.reader, call) if form in POINTERS else None)
    if form == "var":
        dtype = frame.reader.dtype_of(call.args[0]) if call.args else "int32"
    if dtype is not None and (form in POINTERS or form == "var" or not (call.args or call.keywords)):
        declare_variable(frame, call, name, dtype)
        return ()
    return None


@rule("syn/symbol-dtype")
def declare_variable(frame: Frame, node: ast.AST, name: str, dtype: str) -> None:
    """``m = T.int32()``: the symbol of the signature under that name, or a new variable, not yet bound."""
    entry = frame.scope.lookup(name)
    if isinstance(entry, SymVar) and entry.name in frame.function.signature:
        if entry.dtype != dtype:
            message = f"{name!r} has dtype {entry.dtype} in the signature, not {dtype}"
            frame.src.fail(node, "syn/symbol-dtype", message)
        return
    var = SymVar(frame.function.names.fresh(name), dtype, span=frame.span(node))
    frame.scope.define(name, var)
    frame.function.unbound.add(var.name)


def _match(frame: Frame, call: ast.Call, name: str) -> Stmts:
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


def _with_param(frame: Frame, call: ast.Call) -> ast.Call:
    if call.args:
        return call
    for keyword in call.keywords:
        if keyword.arg == "param":
            rest = [k for k in call.keywords if k is not keyword]
            return ast.copy_location(ast.Call(call.func, [keyword.value], rest), call)
    return frame.src.fail(call, "syn/argument-count", "T.match_buffer takes a handle or a region first")


def _alloc(scope: str) -> Callable[[Frame, ast.Call, str], Stmts]:
    def read(frame: Frame, call: ast.Call, name: str) -> Stmts:
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


def _decl(frame: Frame, call: ast.Call, name: str) -> Stmts:
    given = field_nodes(frame.reader, call, "Buffer")
    unique = frame.function.names.fresh(name)
    buffer = make_buffer(frame.reader, call, unique, given, s_tir=frame.function.s_tir)
    frame.scope.define(name, buffer)
    if buffer.data is None:
        return (AllocBuffer(buffer, span=frame.span(call)),)
    return (DeclBuffer(buffer, span=frame.span(call)),)


def _cell(scope: str) -> Callable[[Frame, ast.Call, str], Stmts]:
    def read(frame: Frame, call: ast.Call, name: str) -> Stmts:
        given = bound(frame.reader, call, "dtype", *(("scope",) if not scope else ()))
        dtype = frame.reader.dtype_of(given["dtype"]) if "dtype" in given else "float32"
        where = frame.reader.value(given["scope"]) if "scope" in given else scope or "global"
        buffer = cell(frame.function.names.fresh(name), dtype, str(where))
        frame.scope.define(name, buffer)
        return (AllocBuffer(buffer, span=frame.span(call)),)

    return read


def _decl_scalar(frame: Frame, call: ast.Call, name: str) -> Stmts:
    """``z = T.decl_scalar(dtype, data, scope, elem_offset)``: a mutable scalar in existing memory."""
    given = bound(frame.reader, call, "dtype", "data", "scope", "elem_offset", "byte_offset")
    given["shape"] = ast.copy_location(ast.Constant(1), call)
    buffer = make_buffer(frame.reader, call, frame.function.names.fresh(name), given, s_tir=frame.function.s_tir)
    if buffer.data is None:
        frame.src.fail(call, "syn/argument-count", "T.decl_scalar takes a dtype, data and a scope")
    buffer = replace(buffer, scalar=True)
    frame.scope.define(name, buffer)
    return (DeclBuffer(buffer, span=frame.span(call)),)


def _thread(frame: Frame, call: ast.Call, name: str) -> Stmts:
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
def scope_ids(frame: Frame, call: ast.Call, form: str, targets: list[ast.expr]) -> Stmts:
    """``tx = T.thread_id([128])``, ``x, y = T.cta_id([2, 3])``: a variable for each extent."""
    given = bound(frame.reader, call, "extents", "dtype")
    node = given.get("extents")
    extents = () if node is None or _is_none(node) else shape_of(frame.reader, node)
    if len(targets) != max(len(extents), 1):
        frame.src.fail(call, "syn/scope-id", f"{len(targets)} variables for {len(extents)} extents")
    dtype = frame.reader.dtype_of(given["dtype"]) if "dtype" in given else "int32"
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


def _bind(frame: Frame, call: ast.Call, name: str) -> Stmts:
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


def _meta(frame: Frame, call: ast.Call, name: str) -> Stmts:
    value = frame.reader.value(call.args[0]) if call.args else None
    frame.scope.define(name, Known(value))
    return ()


FORMS: dict[str, Callable[[Frame, ast.Call, str], Stmts]] = {
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
