"""Reading a ``PrimFunc``: its decorator, its signature, and what follows from both.

A handle parameter with its ``T.match_buffer`` becomes a buffer parameter; ``T.sblock_alloc_buffer`` at function level,
and an explicit root block that carries nothing else, become ``root_allocs``.
Spec: ``spec/03b-loops-syntax.md`` ("Functions").
"""

from __future__ import annotations

import ast
from dataclasses import replace

from refrelax.rules import rule
from refrelax.syntax import dtypes
from refrelax.syntax.graph import GlobalVar
from refrelax.syntax.loops import (
    Buffer,
    BufferParam,
    For,
    IfThenElse,
    PrimFunc,
    SBlock,
    ScalarParam,
    Stmt,
    While,
    symbols_of,
)
from refrelax.syntax.read.arguments import dtype_named, namespace_name
from refrelax.syntax.read.buffers import field_nodes, make_buffer
from refrelax.syntax.read.constants import shown
from refrelax.syntax.read.context import Names, Scope, Source, TypeVarDecl, own_symbols
from refrelax.syntax.read.declarations import annotation_dtype
from refrelax.syntax.read.frames import FunctionFrame, StatementFrame
from refrelax.syntax.read.statements import read_body
from refrelax.syntax.scalars import SymVar

PERSISTENT = "tirx.persistent_kernel"


def read_prim_func(src: Source, node: ast.FunctionDef, module_scope: Scope) -> PrimFunc:
    """The function that ``node`` writes; ``module_scope`` knows ``TypeVar`` names, captured constants, ``cls``.

    Raises:
        Malformed: with the first thing that cannot be read.
    """
    try:
        return _read(src, node, module_scope)
    except RecursionError:
        return src.fail(node, "syn/too-deep", f"the function {node.name!r} nests too deeply")


def _read(src: Source, node: ast.FunctionDef, module_scope: Scope) -> PrimFunc:
    flags = decorator_flags(src, node)
    names = Names()
    function = FunctionFrame(node.name, names, s_tir=flags["s_tir"] or src.edition.all_scheduled)
    frame = StatementFrame(src, function, module_scope.child())
    own = own_symbols(src, node, frame.scope, names)
    function.signature.update(symbol.name for symbol in own)
    if flags["persistent"]:
        function.attrs[PERSISTENT] = True
    read_parameters(frame, node)
    ret = None if node.returns is None or _none(node.returns) else annotation_dtype(frame, node.returns)
    body = read_body(frame, node.body)
    root, body = unwrap_root(body)
    return PrimFunc(
        params=tuple(function.params),
        body=body,
        ret=ret,
        attrs=tuple(sorted(function.attrs.items())),
        private=flags["private"],
        s_tir=function.s_tir,
        symbols=symbols_of(function.params),
        root_allocs=(*function.root_allocs, *root),
        span=src.span(node),
    )


@rule("syn/prim-func-flag")
def decorator_flags(src: Source, node: ast.FunctionDef) -> dict[str, bool]:
    """The keywords of ``@T.prim_func(private=True, s_tir=True, …)``."""
    flags = {"private": False, "s_tir": False, "persistent": False, "check_well_formed": True, "tirx": False}
    for decorator in node.decorator_list[-1:]:
        if not isinstance(decorator, ast.Call):
            continue
        if decorator.args:
            src.fail(decorator, "syn/prim-func-flag", f"`{shown(decorator)}` takes keywords only")
        for each in decorator.keywords:
            value = each.value.value if isinstance(each.value, ast.Constant) else None
            if each.arg not in flags or not isinstance(value, bool):
                src.fail(each.value, "syn/prim-func-flag", f"expected a known flag and a truth, found {each.arg!r}")
            flags[each.arg] = value
    return flags


# --- parameters ------------------------------------------------------------------------------------------------------


@rule("syn/parameter")
def read_parameters(frame: StatementFrame, node: ast.FunctionDef) -> None:
    """The parameters, left to right; scalar ones are known to all (a quoted extent may name a later one)."""
    spec = node.args
    if spec.posonlyargs or spec.kwonlyargs or spec.vararg or spec.kwarg or spec.defaults:
        frame.src.fail(node, "syn/parameter", "a PrimFunc takes plain parameters only")
    buffers = _buffer_parameters(frame, spec)
    scalars: dict[str, SymVar] = {}
    for arg in spec.args:
        if arg.arg not in buffers:
            assert arg.annotation is not None
            dtype = annotation_dtype(frame, arg.annotation)
            var = SymVar(frame.function.names.fresh(arg.arg), dtype, span=frame.span(arg))
            frame.scope.define(arg.arg, var)
            scalars[arg.arg] = var
            frame.function.signature.add(var.name)
    declared = declarations(frame, node.body)
    for arg in spec.args:
        if arg.arg not in buffers:
            var = scalars[arg.arg]
            if dtypes.kind(var.dtype) == "handle":
                frame.function.handles[var.name] = len(frame.function.params)
            frame.function.params.append(ScalarParam(var, span=frame.span(arg)))
            continue
        assert isinstance(arg.annotation, ast.Call)
        define_quoted(frame, arg.annotation, declared)
        given = field_nodes(frame.reader, arg.annotation, "Buffer")
        name = frame.function.names.fresh(arg.arg)
        buffer = make_buffer(frame.reader, arg.annotation, name, given, quoted=True, s_tir=frame.function.s_tir)
        frame.function.params.append(BufferParam(replace(buffer, span=frame.span(arg)), span=frame.span(arg)))
        frame.scope.define(arg.arg, buffer)
        frame.function.signature.update(e.name for e in (*buffer.strides, buffer.elem_offset) if isinstance(e, SymVar))
        frame.scope.table.update(scalars)  # which a quoted stride does not hide


def _buffer_parameters(frame: StatementFrame, spec: ast.arguments) -> set[str]:
    """The names of the buffers among the parameters, told apart before a name can hide ``T``."""
    seen: set[str] = set()
    for arg in spec.args:
        if arg.annotation is None:
            frame.src.fail(arg, "syn/parameter", f"the parameter {arg.arg!r} needs a type")
        if arg.arg in seen:
            frame.src.fail(arg, "syn/parameter", f"a second parameter {arg.arg!r}")
        seen.add(arg.arg)
    return {arg.arg for arg in spec.args if arg.annotation is not None and _is_buffer(frame, arg.annotation)}


def _is_buffer(frame: StatementFrame, node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and namespace_name(node.func, frame.reader) in (
        "Buffer",
        "buffer",
        "match_buffer",
    )


def _none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def declarations(frame: StatementFrame, body: list[ast.stmt]) -> dict[str, str]:
    """Dtypes of the variables that the body declares at its top level: ``m = T.int64()``."""
    found: dict[str, str] = {}
    for statement in body:
        if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
            continue
        target, value = statement.targets[0], statement.value
        pairs = (
            zip(target.elts, value.elts, strict=False)
            if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple)
            else [(target, value)]
        )
        for name, call in pairs:
            if isinstance(name, ast.Name) and isinstance(call, ast.Call) and not call.args:
                spelled = namespace_name(call.func, frame.reader)
                dtype = None if spelled is None else dtype_named(spelled)
                if dtype is not None:
                    found.setdefault(name.id, dtype)
    return found


def define_quoted(frame: StatementFrame, call: ast.Call, declared: dict[str, str]) -> None:
    """Symbols for the names in quoted extents that nothing defines yet: int32 unless the body declares them."""
    shape = call.args[0] if call.args else next((k.value for k in call.keywords if k.arg == "shape"), None)
    for extent in shape.elts if isinstance(shape, (ast.Tuple, ast.List)) else [shape]:
        if not isinstance(extent, ast.Constant) or not isinstance(extent.value, str):
            continue
        written = list(ast.walk(frame.reader.parse_quoted(extent, extent.value)))
        lets = {
            key.id for each in written if isinstance(each, ast.Dict) for key in each.keys if isinstance(key, ast.Name)
        }
        for each in written:
            if not isinstance(each, ast.Name) or each.id in {"T", "tir", "tirx", *lets}:
                continue
            entry = frame.scope.lookup(each.id)
            if entry is None or isinstance(entry, TypeVarDecl | GlobalVar):  # a quoted name is no function
                dtype = entry.dtype if isinstance(entry, TypeVarDecl) else declared.get(each.id, "int32")
                var = SymVar(frame.function.names.fresh(each.id), dtype, span=frame.span(extent))
                frame.scope.define(each.id, var)
                frame.function.signature.add(var.name)


# --- the root block --------------------------------------------------------------------------------------------------


def unwrap_root(body: tuple[Stmt, ...]) -> tuple[tuple[Buffer, ...], tuple[Stmt, ...]]:
    """An explicit root block that carries nothing but allocations: (its allocations, its body)."""
    match body:
        case (SBlock(name="root", iters=(), predicate=None, init=None, matches=(), attrs=()) as root,):
            if not root.reads and not root.writes and (root.allocs or _implied(root.body)):
                return root.allocs, root.body
    return (), body


def _implied(body: tuple[Stmt, ...]) -> bool:
    """Whether a body makes TVM add a root block by itself: it holds a block, and is not just one without axes."""
    match body:
        case (SBlock(iters=iters),):
            return bool(iters)
        case _:
            return any(_holds_block(each) for each in body)


def _holds_block(node: Stmt) -> bool:
    match node:
        case SBlock():
            return True
        case For(body=body) | While(body=body):
            return any(_holds_block(each) for each in body)
        case IfThenElse(then_body=then, else_body=other):
            return any(_holds_block(each) for each in (*then, *other))
        case _:
            return any(_holds_block(each) for each in getattr(node, "body", ()))
