"""Loops: ``range``, ``T.grid``, ``T.parallel``, ``T.thread_binding`` and their kin.

Spec: ``spec/03b-loops-syntax.md`` ("Statements").
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from refrelax.rules import rule
from refrelax.syntax import dtypes
from refrelax.syntax.loops import BufferParam, For, ForKind, Stmt
from refrelax.syntax.read import building
from refrelax.syntax.read.arguments import keywords, namespace_name
from refrelax.syntax.read.blocks import attribute_items
from refrelax.syntax.read.constants import shown
from refrelax.syntax.read.context import Known
from refrelax.syntax.read.frames import StatementFrame
from refrelax.syntax.read.regions import extent_between
from refrelax.syntax.scalars import Literal, PrimExpr, SymVar, as_int, walk

ReadBody = Callable[[StatementFrame, list[ast.stmt]], tuple[Stmt, ...]]
"""Reads the statements of a body."""

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
def read_for(frame: StatementFrame, node: ast.For, read: ReadBody) -> For:
    """``for i in range(n)``, ``for i, j in T.grid(n, 4)``, ``for bx in T.thread_binding(4, thread="blockIdx.x")`` …"""
    call = node.iter
    if not isinstance(call, ast.Call):
        frame.src.fail(node, "syn/loop-form", "expected range, T.serial, T.grid, T.parallel, T.vectorized, T.unroll …")
    if isinstance(call.func, ast.Name) and call.func.id == "range":
        name: str | None = "range"
    else:
        name = namespace_name(call.func, frame.reader)
        name = None if name == "range" else name  # Python's alone
    targets = node.target.elts if isinstance(node.target, (ast.Tuple, ast.List)) else [node.target]
    if name == "grid":
        return _grid(frame, node, call, targets, read)
    if name not in _LOOPS or len(targets) != 1:
        frame.src.fail(call, "syn/loop-form", f"`{shown(call)}` is no loop over one variable")
    return _single_loop(frame, node, call, _LOOPS[name], targets[0], read)


def _loop_variable(frame: StatementFrame, target: ast.expr, dtype: str) -> tuple[str, SymVar]:
    if not isinstance(target, ast.Name):
        frame.src.fail(target, "syn/assignment-target", f"expected a loop variable, found `{shown(target)}`")
    declared = frame.scope.lookup(target.id)
    unbound = isinstance(declared, SymVar) and declared.name in frame.function.unbound and declared.dtype == dtype
    if unbound and isinstance(declared, SymVar) and not _of_signature(frame, declared.name):
        frame.function.unbound.discard(declared.name)  # an outer T.attr mentions the variable before its loop
        return target.id, SymVar(declared.name, dtype, span=frame.span(target))
    return target.id, SymVar(frame.function.names.fresh(target.id), dtype, span=frame.span(target))


def _of_signature(frame: StatementFrame, name: str) -> bool:
    """Whether a buffer parameter mentions a variable: a loop over its name then has a variable of its own."""
    for param in frame.function.params:
        if isinstance(param, BufferParam):
            buffer = param.buffer
            offset = () if buffer.elem_offset is None else (buffer.elem_offset,)
            parts = (each for part in (*buffer.shape, *buffer.strides, *offset) for each in walk(part))
            if any(isinstance(each, SymVar) and each.name == name for each in parts):
                return True
    return False


def _grid(frame: StatementFrame, node: ast.For, call: ast.Call, targets: list[ast.expr], read: ReadBody) -> For:
    keywords(frame.reader, call)
    given = [frame.reader.value(a) for a in call.args] if not _starred(call) else frame.reader.items(call.args)
    together = targets[0].id if len(targets) == 1 < len(given) and isinstance(targets[0], ast.Name) else None
    if together is not None:  # `for ax in T.grid(2, 3)`: one name for all the variables
        targets = [ast.copy_location(ast.Name(f"{together}_{k}", ast.Store()), targets[0]) for k in range(len(given))]
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
    for name, var in made if together is None else ():
        inner.scope.define(name, var)
    if together is not None:
        inner.scope.define(together, Known(tuple(var for _, var in made)))
    body = read(inner, node.body)
    for (_, var), (low, extent) in reversed(list(zip(made, bounds, strict=True))):
        body = (For(var, low, extent, body, span=frame.span(node)),)
    (loop,) = body
    assert isinstance(loop, For)
    return loop


def _starred(call: ast.Call) -> bool:
    return any(isinstance(a, ast.Starred) for a in call.args)


def _check_bound(frame: StatementFrame, node: ast.expr, bound: PrimExpr) -> None:
    if not dtypes.is_integer(bound.dtype) or dtypes.lanes(bound.dtype) != 1:
        frame.src.fail(node, "syn/loop-form", f"the bound of a loop is an integer, not {bound.dtype}")


def _single_loop(
    frame: StatementFrame, node: ast.For, call: ast.Call, kind: ForKind, target: ast.expr, read: ReadBody
) -> For:
    args, options = _loop_arguments(frame, call, kind)
    if not 1 <= len(args) <= (3 if kind == "serial" else 2):
        frame.src.fail(call, "syn/loop-form", f"`{shown(call)}`: a loop takes one or two bounds")
    bounds = [frame.reader.scalar(a) for a in args]
    step = bounds.pop() if len(bounds) == 3 else None
    if "step" in options and not _none(options["step"]):
        step = frame.reader.scalar(options["step"])
    for each in bounds if step is None else (*bounds, step):
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
    body = read(inner, node.body)
    notes = tuple(sorted(annotations.items()))
    return For(var, begin, extent, body, kind, thread, step, notes, span=frame.span(node))


def _loop_arguments(frame: StatementFrame, call: ast.Call, kind: ForKind) -> tuple[list[ast.expr], dict[str, ast.expr]]:
    """The bounds, and the keywords by name."""
    known = ("start", "stop", "annotations", "step", "unroll", "dtype", "thread")
    args, options = list(call.args), keywords(frame.reader, call, *known)
    most = ("start" not in options) + ("stop" not in options) + ("step" not in options or kind == "thread_binding")
    if len(args) > most or (args and "start" in options) or ("start" in options and "stop" not in options):
        frame.src.fail(call, "syn/argument-count", f"`{shown(call)}`: a bound of a loop is given once")
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


def _common(
    frame: StatementFrame, begin: PrimExpr, end: PrimExpr, options: dict[str, ast.expr]
) -> tuple[PrimExpr, PrimExpr]:
    """Both bounds in the dtype of the loop variable: the wider one, unsigned if either is."""
    if "dtype" in options and not _none(options["dtype"]):
        dtype = frame.reader.dtype_of(options["dtype"])
        if not dtypes.is_integer(dtype) or dtypes.lanes(dtype) != 1:
            frame.src.fail(options["dtype"], "syn/loop-form", f"the variable of a loop is an integer, not {dtype}")
    else:
        unsigned = "uint" in (dtypes.kind(begin.dtype), dtypes.kind(end.dtype))
        dtype = f"{'uint' if unsigned else 'int'}{max(dtypes.bits(begin.dtype), dtypes.bits(end.dtype))}"
    return building.cast(dtype, begin), building.cast(dtype, end)


def _unroll(frame: StatementFrame, node: ast.expr) -> dict[str, Any]:
    value = frame.reader.value(node)
    if isinstance(value, Literal):
        value = bool(value.bits) if value.dtype == "bool" else value.bits
    if value is False:
        return {"disable_unroll": True}
    if value is True or (isinstance(value, int) and value >= 1):
        return {"pragma_unroll": value}
    return {} if value is None else frame.src.fail(node, "syn/loop-form", "unroll is True, False or a positive number")
