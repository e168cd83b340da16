"""Assignments at the loop level: stores, lets, mutable scalars, buffers, axes, declarations of variables.

In the current edition a plain ``z = e`` makes a mutable scalar (or stores into one), and ``y: T.let = e`` is the let;
in the older spelling a plain ``y = e`` and ``y: T.int32 = e`` were lets.
Spec: ``spec/03b-loops-syntax.md`` ("Names and memory").
"""

from __future__ import annotations

import ast
from typing import Any

from refrelax.rules import rule
from refrelax.syntax import dtypes
from refrelax.syntax.loops import AllocBuffer, Bind, Buffer, BufferStore, DeclBuffer, Stmt
from refrelax.syntax.read import building
from refrelax.syntax.read.arguments import POINTERS, dtype_named, namespace_name, pointer_dtype
from refrelax.syntax.read.blocks import ALLOC_FORMS, AXES, declare_alloc, declare_axes
from refrelax.syntax.read.buffers import cell, shape_of, view_of
from refrelax.syntax.read.building import BuildError
from refrelax.syntax.read.constants import shown
from refrelax.syntax.read.context import Known, ModuleAlias
from refrelax.syntax.read.declarations import FORMS, annotation_dtype, bind_let, scope_ids
from refrelax.syntax.read.device_intrinsics import SCOPE_IDS
from refrelax.syntax.read.frames import StatementFrame
from refrelax.syntax.read.regions import Slice, View, index_lanes, vector_indices
from refrelax.syntax.read.scalar_values import DTypeName, is_expression
from refrelax.syntax.scalars import Literal, PrimExpr, StringImm, SymVar, as_int

Stmts = tuple[Stmt, ...]


def read_assign(frame: StatementFrame, node: ast.Assign) -> Stmts:
    """``target = value``."""
    if len(node.targets) != 1:
        frame.src.fail(node, "syn/assignment-target", "expected one target")
    return assign(frame, node, node.targets[0], node.value)


@rule("syn/assignment-target")
def assign(frame: StatementFrame, node: ast.stmt, target: ast.expr, value: ast.expr) -> Stmts:
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


def assign_many(frame: StatementFrame, node: ast.stmt, targets: list[ast.expr], value: ast.expr) -> Stmts:
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


def assign_name(frame: StatementFrame, node: ast.stmt, name: str, value: ast.expr) -> Stmts:
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


def bind_value(frame: StatementFrame, node: ast.stmt, name: str, at: ast.expr, value: Any) -> Stmts:
    """A new name for a value: an alias, a let of a handle, or a mutable scalar (a let in the older spelling)."""
    if isinstance(value, (list, tuple, dict, str, DTypeName)) or value is None:
        frame.scope.define(name, Known(value))
        return ()
    if isinstance(value, ModuleAlias) or (isinstance(value, Buffer) and not value.scalar):
        frame.scope.define(name, value)
        return ()
    if isinstance(value, View):
        if all(isinstance(i, Slice) and i.step is None for i in value.items) and not frame.edition.plain_lets:
            frame.scope.define(name, Known(value))
            return ()
    found = frame.reader.expression(at, value)
    if isinstance(found, SymVar) and found.name in frame.function.unbound and not frame.edition.plain_lets:
        frame.scope.define(name, found)
        return ()
    entry = frame.scope.lookup(name)
    if isinstance(entry, SymVar) and entry.name in frame.function.unbound and not isinstance(found, Literal):
        if entry.dtype == found.dtype:  # so TVM prints a let of a variable that the text has mentioned already
            return (bind_let(frame, node, at, name, found, None),)
    if frame.edition.plain_lets or dtypes.kind(found.dtype) in ("handle", "void"):
        var = SymVar(frame.function.names.fresh(name), found.dtype, span=frame.span(node))
        frame.scope.define(name, var)
        return (Bind(var, found, span=frame.span(node)),)
    return declare_scalar(frame, node, name, found.dtype, found)


def declare_scalar(frame: StatementFrame, node: ast.stmt, name: str, dtype: str, init: PrimExpr | None) -> Stmts:
    """A mutable scalar."""
    buffer = cell(frame.function.names.fresh(name), dtype)
    frame.scope.define(name, buffer)
    return (AllocBuffer(buffer, init, span=frame.span(node)),)


# --- stores ----------------------------------------------------------------------------------------------------------


def stored(frame: StatementFrame, node: ast.expr, value: Any, dtype: str) -> PrimExpr:
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
def store(frame: StatementFrame, node: ast.stmt, buffer: Buffer, index: ast.expr, value: ast.expr) -> BufferStore:
    """``A[i, j] = value``."""
    return store_value(frame, node, buffer, index, value, frame.reader.value(value))


def store_value(
    frame: StatementFrame,
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


def read_augmented(frame: StatementFrame, node: ast.AugAssign) -> Stmts:
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
def read_annotated(frame: StatementFrame, node: ast.AnnAssign) -> Stmts:
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
    if frame.edition.plain_lets and node.value is not None:
        return _let(frame, node, name, dtype)
    if dtypes.kind(dtype) in ("handle", "void"):
        frame.src.fail(annotation, "syn/annotation", f"a mutable scalar has no dtype {dtype}: write T.let[…]")
    value = node.value and stored(frame, node.value, frame.reader.value(node.value), dtype)
    return declare_scalar(frame, node, name, dtype, value or None)


def _let(frame: StatementFrame, node: ast.AnnAssign, name: str, dtype: str | None) -> Stmts:
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


def _vector(frame: StatementFrame, node: ast.AnnAssign, name: str, annotation: ast.Subscript) -> Stmts:
    dtype = annotation_dtype(frame, annotation.value)
    if node.value is not None:
        frame.src.fail(node, "syn/annotation", "a local vector has no initial value")
    buffer = Buffer(
        frame.function.names.fresh(name),
        shape_of(frame.reader, annotation.slice),
        dtype,
        scope="local",
        span=frame.span(node),
    )
    frame.scope.define(name, buffer)
    return (AllocBuffer(buffer, span=frame.span(node)),)


# --- forms with a reader of their own --------------------------------------------------------------------------------


def assign_form(frame: StatementFrame, call: ast.Call, name: str, form: str) -> Stmts | None:
    """``name = T.<form>(…)`` where that is more than an expression; ``None`` where it is one."""
    if form in AXES or form == "axis.remap":
        declare_axes(frame, call, form, [ast.copy_location(ast.Name(name, ast.Store()), call)])
        return ()
    if form in ALLOC_FORMS or (form == "alloc_buffer" and frame.edition.block_allocations):
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
def declare_variable(frame: StatementFrame, node: ast.AST, name: str, dtype: str) -> None:
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
