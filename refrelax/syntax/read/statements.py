"""Statements of the loop level: loops, conditions, blocks, threads, assertions, evaluations.

Spec: ``spec/03b-loops-syntax.md`` ("Statements").
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from refrelax.rules import rule
from refrelax.syntax import dtypes
from refrelax.syntax.loops import (
    AssertStmt,
    AttrStmt,
    Break,
    Buffer,
    Continue,
    Evaluate,
    For,
    ForKind,
    IfThenElse,
    LaunchThread,
    Return,
    Stmt,
    While,
)
from refrelax.syntax.read import building
from refrelax.syntax.read.arguments import bound, namespace_name
from refrelax.syntax.read.assignments import (
    FORMS,
    assign_form,
    bind_let,
    read_annotated,
    read_assign,
    read_augmented,
    store_value,
)
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
from refrelax.syntax.read.frames import Frame
from refrelax.syntax.read.regions import extent_between
from refrelax.syntax.scalars import Literal, PrimExpr, SymVar, as_int

Stmts = tuple[Stmt, ...]
Wrap = Callable[[Stmts], Stmt]
"""Puts the statements that follow into a statement that reaches to the end of the list."""


def read_body(frame: Frame, nodes: list[ast.stmt]) -> Stmts:
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
def read_statement(frame: Frame, node: ast.stmt) -> Stmts:
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
                case ast.For():
                    return (read_for(frame, node),)
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
                    return (Return(frame.reader.argument(value, frame.reader.value(value)), span=frame.span(node)),)
                case ast.Break():
                    return (Break(span=frame.span(node)),)
                case ast.Continue():
                    return (Continue(span=frame.span(node)),)
                case ast.Pass():
                    return ()
        except BuildError as error:
            frame.src.fail(node, error.rule, str(error))
    return frame.src.fail(node, "syn/unknown-statement", f"`{shown(node)}` is no statement of the loop level")


def truth(frame: Frame, node: ast.expr) -> PrimExpr:
    """A condition."""
    found = frame.reader.scalar(node)
    if dtypes.kind(found.dtype) not in ("bool", "int", "uint"):
        frame.src.fail(node, "syn/operand-types", f"a condition is a bool, not {found.dtype}")
    return found


def read_if(frame: Frame, node: ast.If) -> Stmts:
    """``if``: a Python constant chooses while reading, without a scope of its own; anything else is a statement."""
    value = frame.reader.value(node.test)
    if isinstance(value, bool):
        return read_body(frame, node.body if value else node.orelse)
    condition = truth_of(frame, node.test, value)
    then, other = read_body(frame.child(), node.body), read_body(frame.child(), node.orelse)
    return (IfThenElse(condition, then, other, span=frame.span(node)),)


def truth_of(frame: Frame, node: ast.expr, value: Any) -> PrimExpr:
    """An evaluated condition."""
    found = frame.reader.expression(node, value)
    if dtypes.kind(found.dtype) not in ("bool", "int", "uint"):
        frame.src.fail(node, "syn/operand-types", f"a condition is a bool, not {found.dtype}")
    return found


@rule("syn/assert-message")
def read_assert(frame: Frame, node: ast.Assert) -> AssertStmt:
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


def read_expression(frame: Frame, node: ast.Expr, value: ast.expr) -> Stmts:
    """A bare expression: a declaration, a call for its effect, a docstring."""
    if isinstance(value, ast.Constant) and (isinstance(value.value, str) or value.value is Ellipsis):
        return ()
    if isinstance(value, ast.Call):
        name = namespace_name(value.func, frame.reader)
        if name in DECLARATIONS:
            DECLARATIONS[name](frame, value)
            return ()
        if name in EFFECTS:
            return EFFECTS[name](frame, value)
        if name is not None and name in FORMS:
            return assign_form(frame, value, "" if name.lower() == "bind" else "buffer", name) or ()
        if isinstance(value.func, ast.Attribute) and value.func.attr == "vstore":
            return vector_store(frame, node, value)
    found = frame.reader.argument(value, frame.reader.value(value))
    return (Evaluate(found, span=frame.span(node)),)


def vector_store(frame: Frame, node: ast.stmt, call: ast.Call) -> Stmts:
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


def _one(frame: Frame, call: ast.Call) -> ast.expr:
    if len(call.args) != 1 or call.keywords:
        frame.src.fail(call, "syn/argument-count", f"`{shown(call.func)}` takes one argument")
    return call.args[0]


def _evaluate(frame: Frame, call: ast.Call) -> Stmts:
    node = _one(frame, call)
    return (Evaluate(frame.reader.argument(node, frame.reader.value(node)), span=frame.span(call)),)


def _ret(frame: Frame, call: ast.Call) -> Stmts:
    node = _one(frame, call)
    return (Return(frame.reader.argument(node, frame.reader.value(node)), span=frame.span(call)),)


def _store(frame: Frame, call: ast.Call) -> Stmts:
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
def _func_attr(frame: Frame, call: ast.Call) -> None:
    """``T.func_attr({…})``: the attributes of the function; the name it has anyway is left out."""
    for key, value in attribute_items(frame, _one(frame, call)).items():
        key = "tirx." + key[4:] if key.startswith("tir.") and frame.old else key
        if key in frame.function.attrs:
            frame.src.fail(call, "syn/function-attributes", f"the attribute {key!r} is given twice")
        if key == "global_symbol" and value == frame.function.name:
            continue
        frame.function.attrs[key] = value


DECLARATIONS: dict[str, Callable[[Frame, ast.Call], None]] = {
    "reads": lambda frame, call: declare_regions(frame, call, "reads"),
    "writes": lambda frame, call: declare_regions(frame, call, "writes"),
    "where": declare_where,
    "sblock_attr": declare_attrs,
    "block_attr": declare_attrs,
    "func_attr": _func_attr,
}
"""Bare calls that declare something about the block or the function."""

EFFECTS: dict[str | None, Callable[[Frame, ast.Call], Stmts]] = {
    "evaluate": _evaluate,
    "ret": _ret,
    "Return": _ret,
    "buffer_store": _store,
    "break_loop": lambda frame, call: (Break(span=frame.span(call)),),
    "continue_loop": lambda frame, call: (Continue(span=frame.span(call)),),
}
"""Bare calls that are statements."""


# --- loops -----------------------------------------------------------------------------------------------------------

_LOOPS: dict[str, ForKind] = {
    "range": "serial",
    "serial": "serial",
    "parallel": "parallel",
    "vectorized": "vectorized",
    "unroll": "unroll",
    "unrolled": "unroll",
    "thread_binding": "thread_binding",
}


@rule("syn/loop-form")
def read_for(frame: Frame, node: ast.For) -> For:
    """``for i in range(n)``, ``for i, j in T.grid(n, 4)``, ``for bx in T.thread_binding(4, thread="blockIdx.x")`` …"""
    call = node.iter
    if not isinstance(call, ast.Call) or node.orelse:
        frame.src.fail(node, "syn/loop-form", "expected range, T.serial, T.grid, T.parallel, T.vectorized, T.unroll …")
    if isinstance(call.func, ast.Name) and call.func.id == "range":
        name: str | None = "range"
    else:
        name = namespace_name(call.func, frame.reader)
    targets = node.target.elts if isinstance(node.target, (ast.Tuple, ast.List)) else [node.target]
    if name == "grid":
        return _grid(frame, node, call, targets)
    if name not in _LOOPS or len(targets) != 1:
        frame.src.fail(call, "syn/loop-form", f"`{shown(call)}` is no loop over one variable")
    return _single_loop(frame, node, call, _LOOPS[name], targets[0])


def _loop_variable(frame: Frame, target: ast.expr, dtype: str) -> tuple[str, SymVar]:
    if not isinstance(target, ast.Name):
        frame.src.fail(target, "syn/assignment-target", f"expected a loop variable, found `{shown(target)}`")
    declared = frame.scope.lookup(target.id)
    if isinstance(declared, SymVar) and declared.name in frame.function.unbound and declared.dtype == dtype:
        frame.function.unbound.discard(declared.name)  # an outer T.attr mentions the variable before its loop
        return target.id, SymVar(declared.name, dtype, span=frame.span(target))
    return target.id, SymVar(frame.function.names.fresh(target.id), dtype, span=frame.span(target))


def _grid(frame: Frame, node: ast.For, call: ast.Call, targets: list[ast.expr]) -> For:
    given = [frame.reader.value(a) for a in call.args] if not _starred(call) else frame.reader.items(call.args)
    if len(targets) != len(given) or not given:
        frame.src.fail(call, "syn/loop-form", f"{len(targets)} loop variables over {len(given)} extents")
    bounds = []
    for value in given:
        pair = value if isinstance(value, tuple) else (None, value)
        if len(pair) != 2:
            frame.src.fail(call, "syn/loop-form", f"expected an extent or a pair of bounds, found {len(pair)} values")
        extent = frame.reader.expression(call, pair[1])
        low = Literal(extent.dtype, 0) if pair[0] is None else frame.reader.expression(call, pair[0])
        _check_bound(frame, call, extent)
        bounds.append(building.match_operands(low, extent))
    made = [_loop_variable(frame, t, extent.dtype) for t, (_, extent) in zip(targets, bounds, strict=True)]
    inner = frame.in_loops({var.name: b for (_, var), b in zip(made, bounds, strict=True)})
    for name, var in made:
        inner.scope.define(name, var)
    body = read_body(inner, node.body)
    for (_, var), (low, extent) in reversed(list(zip(made, bounds, strict=True))):
        body = (For(var, low, extent, body, span=frame.span(node)),)
    (loop,) = body
    assert isinstance(loop, For)
    return loop


def _starred(call: ast.Call) -> bool:
    return any(isinstance(a, ast.Starred) for a in call.args)


def _check_bound(frame: Frame, node: ast.expr, bound: PrimExpr) -> None:
    if not dtypes.is_integer(bound.dtype) or dtypes.lanes(bound.dtype) != 1:
        frame.src.fail(node, "syn/loop-form", f"the bound of a loop is an integer, not {bound.dtype}")


def _single_loop(frame: Frame, node: ast.For, call: ast.Call, kind: ForKind, target: ast.expr) -> For:
    args, options = _loop_arguments(frame, call, kind)
    if not 1 <= len(args) <= (3 if kind == "serial" else 2):
        frame.src.fail(call, "syn/loop-form", f"`{shown(call)}`: a loop takes one or two bounds")
    bounds = [frame.reader.scalar(a) for a in args]
    step = bounds.pop() if len(bounds) == 3 else None
    if "step" in options and not _none(options["step"]):
        step = frame.reader.scalar(options["step"])
    for each in bounds:
        _check_bound(frame, call, each)
    begin, end = bounds if len(bounds) == 2 else (Literal(bounds[0].dtype, 0), bounds[0])
    begin, end = _common(frame, begin, end, options)
    extent = end if as_int(begin) == 0 else extent_between(begin, end)
    step = None if step is None or as_int(step) == 1 else building.cast(begin.dtype, step)
    annotations = attribute_items(frame, options["annotations"]) if "annotations" in options else {}
    if "unroll" in options:
        annotations.update(_unroll(frame, options["unroll"]))
    thread = frame.reader.value(options["thread"]) if "thread" in options else None
    if (kind == "thread_binding") != isinstance(thread, str):
        frame.src.fail(call, "syn/loop-form", "T.thread_binding takes the tag of a thread")
    name, var = _loop_variable(frame, target, begin.dtype)
    inner = frame.in_loops({var.name: (begin, extent)})
    inner.scope.define(name, var)
    body = read_body(inner, node.body)
    notes = tuple(sorted(annotations.items()))
    return For(var, begin, extent, body, kind, thread, step, notes, span=frame.span(node))


def _loop_arguments(frame: Frame, call: ast.Call, kind: ForKind) -> tuple[list[ast.expr], dict[str, ast.expr]]:
    """The bounds, and the keywords by name."""
    args, options = list(call.args), {k.arg: k.value for k in call.keywords if k.arg is not None}
    unknown = options.keys() - {"start", "stop", "annotations", "step", "unroll", "dtype", "thread"}
    if unknown:
        frame.src.fail(call, "syn/unknown-keyword", f"a loop has no keyword {sorted(unknown)[0]!r}")
    if kind == "thread_binding" and "thread" not in options and len(args) > 1:
        options["thread"] = args.pop()
    if len(args) == 3 and kind == "thread_binding":
        options["thread"] = args.pop()
    args += [options[k] for k in ("start", "stop") if k in options]
    if "annotations" in options and _none(options["annotations"]):
        del options["annotations"]
    return args, options


def _none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _common(frame: Frame, begin: PrimExpr, end: PrimExpr, options: dict[str, ast.expr]) -> tuple[PrimExpr, PrimExpr]:
    """Both bounds in the dtype of the loop variable: the wider one, unsigned if either is."""
    if "dtype" in options and not _none(options["dtype"]):
        dtype = frame.reader.dtype_of(options["dtype"])
    else:
        unsigned = "uint" in (dtypes.kind(begin.dtype), dtypes.kind(end.dtype))
        dtype = f"{'uint' if unsigned else 'int'}{max(dtypes.bits(begin.dtype), dtypes.bits(end.dtype))}"
    return building.cast(dtype, begin), building.cast(dtype, end)


def _unroll(frame: Frame, node: ast.expr) -> dict[str, Any]:
    value = frame.reader.value(node)
    if isinstance(value, Literal):
        value = bool(value.bits) if value.dtype == "bool" else value.bits
    if value is False:
        return {"disable_unroll": True}
    if value is True or (isinstance(value, int) and value >= 1):
        return {"pragma_unroll": value}
    return {} if value is None else frame.src.fail(node, "syn/loop-form", "unroll is True, False or a positive number")


# --- with ------------------------------------------------------------------------------------------------------------


@rule("syn/with-form")
def read_with(frame: Frame, node: ast.With, items: list[ast.withitem]) -> Stmts:
    """``with T.sblock(…)``, ``T.init()``, ``T.attr(…)``, ``T.launch_thread(…)``; several items nest."""
    item, rest = items[0], items[1:]
    call = item.context_expr
    name = namespace_name(call.func, frame.reader) if isinstance(call, ast.Call) else None
    body = node.body

    def inside(inner: Frame, nodes: list[ast.stmt]) -> Stmts:
        return read_with(inner, node, rest) if rest else read_body(inner, nodes)

    if isinstance(call, ast.Call):
        if name in BLOCK_FORMS:
            return (read_block(frame, call, body, inside),)
        if name == "init":
            block = block_of(frame, call, "T.init")
            if block.init is not None:
                frame.src.fail(call, "syn/block-duplicate", f"T.init stands twice in the block {block.name!r}")
            block.init = inside(frame.child(), body)
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
        if name in FORMS and isinstance(item.optional_vars, ast.Name):
            inner = frame.child()
            before = assign_form(inner, call, item.optional_vars.id, str(name)) or ()
            return (*before, *inside(inner, body))
    return frame.src.fail(call, "syn/with-form", f"`with {shown(call)}` has no meaning at the loop level")


def _let_statement(frame: Frame, node: ast.stmt, call: ast.Call, target: ast.expr | None) -> Stmts:
    """``with T.LetStmt(value) as x:`` of the older spelling: a let for the body."""
    given = bound(frame.reader, call, "value", "type_annotation", "var")
    if "value" not in given:
        frame.src.fail(call, "syn/argument-count", "T.LetStmt takes a value")
    target = given.get("var", target)
    if not isinstance(target, ast.Name):
        frame.src.fail(call, "syn/assignment-target", "T.LetStmt needs a variable")
    value = frame.reader.argument(given["value"], frame.reader.value(given["value"]))
    return (bind_let(frame, node, target, target.id, value, None),)


def opener(frame: Frame, node: ast.stmt) -> list[Wrap] | None:
    """The scopes that a bare ``T.attr(…)`` or ``tx = T.launch_thread(…)`` opens to the end of its list."""
    match node:
        case ast.Expr(value=ast.Call() as call):
            target = None
        case ast.Assign(targets=[ast.Name() as target], value=ast.Call() as call):
            pass
        case _:
            return None
    name = namespace_name(call.func, frame.reader)
    if name not in SCOPES:
        return None
    with frame.src.deeper(node):
        return SCOPES[name](frame, call, target)


def _launch(frame: Frame, call: ast.Call, target: ast.expr | None) -> list[Wrap]:
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


def _attr(frame: Frame, call: ast.Call, target: ast.expr | None) -> list[Wrap]:
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


def _device_entry(frame: Frame, call: ast.Call, target: ast.expr | None) -> list[Wrap]:
    """``T.device_entry()``: what follows runs on the device."""
    span = frame.span(call)
    return [lambda inner: AttrStmt(None, "tirx.device_entry", Literal("bool", 1), inner, span=span)]


SCOPES: dict[str | None, Callable[[Frame, ast.Call, ast.expr | None], list[Wrap]]] = {
    "launch_thread": _launch,
    "attr": _attr,
    "device_entry": _device_entry,
}
"""Forms that put the statements after them (or the body of their ``with``) into a statement of their own."""
