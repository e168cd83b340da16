"""The ``T.*`` expressions with a reader of their own: casts, vectors, lets, reducers, index maps, pointers.

Spec: ``spec/03b-loops-syntax.md`` ("Calls").
"""

from __future__ import annotations

import ast
import json
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from refrelax.rules import rule
from refrelax.syntax import dtypes
from refrelax.syntax.alike import equal_in_scope, outline
from refrelax.syntax.loops import Buffer
from refrelax.syntax.read import building
from refrelax.syntax.read.arguments import bound, exactly, need, pointer_dtype
from refrelax.syntax.read.constants import shown
from refrelax.syntax.read.regions import MOST_LANES, View, extent_between, load_of_view, scalable_lanes
from refrelax.syntax.read.scalar_values import DTypeName
from refrelax.syntax.scalars import (
    Broadcast,
    BufferLoad,
    Cast,
    CommReducer,
    Intrinsic,
    Let,
    Literal,
    Not,
    PrimExpr,
    Ramp,
    RangeArg,
    Shuffle,
    StringImm,
    SymVar,
    as_int,
)

if TYPE_CHECKING:
    from refrelax.syntax.read.scalars import ScalarReader


def _cast(reader: ScalarReader, node: ast.Call) -> PrimExpr:
    """``T.cast(value, dtype)``: literals fold."""
    found = bound(reader, node, "value", "dtype", "span")
    value, dtype = need(reader, node, found, "value"), need(reader, node, found, "dtype")
    return building.cast(reader.dtype_of(dtype), reader.scalar(value), reader.src.span(node))


def _raw_cast(reader: ScalarReader, node: ast.Call) -> PrimExpr:
    """``T.Cast(dtype, value)``: this node, folded or not."""
    found = bound(reader, node, "dtype", "value", "span")
    value, dtype = need(reader, node, found, "value"), need(reader, node, found, "dtype")
    return Cast(reader.dtype_of(dtype), reader.scalar(value), span=reader.src.span(node))


def _select(reader: ScalarReader, node: ast.Call) -> PrimExpr:
    condition, a, b = (reader.scalar(x) for x in exactly(reader, node, 3))
    return building.select(condition, a, b, reader.src.span(node))


def _raw_not(reader: ScalarReader, node: ast.Call) -> PrimExpr:
    operand = reader.scalar(exactly(reader, node, 1)[0])
    if dtypes.kind(operand.dtype) != "bool":
        reader.src.fail(node, "syn/operand-types", f"T.Not takes a bool, not {operand.dtype}")
    return Not(operand, span=reader.src.span(node))


# --- vectors ---------------------------------------------------------------------------------------------------------


@rule("syn/lane-count")
def _lanes(reader: ScalarReader, node: ast.expr) -> int:
    given = reader.scalar(node)
    count = scalable_lanes(given) or as_int(given)
    if count is None or not 1 <= abs(count) <= MOST_LANES or as_int(given) == -abs(count):
        reader.src.fail(node, "syn/lane-count", f"expected a constant number of lanes, found `{shown(node)}`")
    return count


def _ramp(reader: ScalarReader, node: ast.Call) -> PrimExpr:
    base, stride, lanes = exactly(reader, node, 3)
    start = reader.scalar(base)
    step = building.cast(start.dtype, reader.scalar(stride))
    if dtypes.lanes(start.dtype) != 1 or not dtypes.is_integer(start.dtype):
        reader.src.fail(node, "syn/operand-types", f"T.Ramp takes a scalar integer base, not {start.dtype}")
    return Ramp(start, step, _lanes(reader, lanes), span=reader.src.span(node))


def _broadcast(reader: ScalarReader, node: ast.Call) -> PrimExpr:
    value, lanes = exactly(reader, node, 2)
    of = reader.scalar(value)
    if dtypes.lanes(of.dtype) != 1:
        reader.src.fail(node, "syn/operand-types", f"T.Broadcast takes a scalar, not {of.dtype}")
    return Broadcast(of, _lanes(reader, lanes), span=reader.src.span(node))


def _shuffle(reader: ScalarReader, node: ast.Call) -> PrimExpr:
    vectors, indices = exactly(reader, node, 2)
    return Shuffle(_expressions(reader, vectors), _expressions(reader, indices), span=reader.src.span(node))


def _expressions(reader: ScalarReader, node: ast.expr) -> tuple[PrimExpr, ...]:
    value = reader.value(node)
    if not isinstance(value, (list, tuple)) or not value:
        reader.src.fail(node, "syn/not-a-scalar", f"expected a list of expressions, found `{shown(node)}`")
    return tuple(reader.expression(node, v) for v in value)


# --- binders ---------------------------------------------------------------------------------------------------------


@rule("syn/let-form")
def _let(reader: ScalarReader, node: ast.Call) -> PrimExpr:
    """``T.Let(body, where={v: value})``."""
    found = bound(reader, node, "expr", "where", "span")
    where = need(reader, node, found, "where")
    match where:
        case ast.Dict(keys=[ast.Name(id=name) as key], values=[value_node]):
            value = reader.scalar(value_node)
        case _:
            reader.src.fail(where, "syn/let-form", "T.Let takes `where={variable: value}` with one variable")
    names = reader.names
    before = len(names.made), len(names.lets)
    var = let_variable(reader, key, name, value.dtype)
    inner = reader.inside(reader.scope.child())
    inner.scope.define(name, var)
    let = Let(var, value, inner.scalar(need(reader, node, found, "expr")), span=reader.src.span(node))
    # The reader itself puts an expression at several places (a bound of a loop, the operand of ``T.abs``): then the
    # printed text has equal lets, which must come back as one.
    form = name, outline(let)
    for *each, known in names.lets:
        if tuple(each) == form and equal_in_scope(known, let):
            names.release_since(*before)
            return replace(known, span=let.span)
    names.lets.append((*form, let))
    return let


def let_variable(reader: ScalarReader, node: ast.expr, name: str, dtype: str) -> SymVar:
    """The variable that a let binds: the one declared for it, or a new one if that is bound already."""
    entry = reader.scope.lookup(name)
    if isinstance(entry, SymVar):
        if entry.name in reader.unbound:
            reader.unbound.discard(entry.name)
            return SymVar(entry.name, entry.dtype, span=reader.src.span(node))
        dtype = entry.dtype
    return SymVar(reader.names.fresh(name), dtype, span=reader.src.span(node))


@rule("syn/lambda-form")
def _comm_reducer(reader: ScalarReader, node: ast.Call) -> CommReducer:
    """``T.comm_reducer(lambda x, y: x + y, [identity])``."""
    function, identity = exactly(reader, node, 2)
    start = _expressions(reader, identity)
    if not isinstance(function, ast.Lambda) or len(_plain_parameters(function)) != 2 * len(start):
        reader.src.fail(node, "syn/lambda-form", f"expected a lambda of {2 * len(start)} parameters")
    inner = reader.inside(reader.scope.child())
    variables = []
    for param, of in zip(function.args.args, start + start, strict=True):
        variables.append(SymVar(reader.names.fresh(param.arg), of.dtype, span=reader.src.span(param)))
        inner.scope.define(param.arg, variables[-1])
    body = function.body.elts if isinstance(function.body, (ast.Tuple, ast.List)) else [function.body]
    result = tuple(inner.scalar(b) for b in body)
    half = len(start)
    if len(result) != half:
        reader.src.fail(function, "syn/lambda-form", f"expected {half} results, found {len(result)}")
    return CommReducer(tuple(variables[:half]), tuple(variables[half:]), result, start, span=reader.src.span(node))


def _plain_parameters(function: ast.Lambda) -> list[ast.arg]:
    """The parameters of a lambda; none if some are not plain."""
    spec = function.args
    plain = not (spec.posonlyargs or spec.kwonlyargs or spec.vararg or spec.kwarg or spec.defaults)
    return spec.args if plain else []


# --- pointers and the rest -------------------------------------------------------------------------------------------


def _address_of(reader: ScalarReader, node: ast.Call) -> PrimExpr:
    (target,) = exactly(reader, node, 1)
    value = reader.value(target)
    if isinstance(value, Buffer):
        value = load_of_view(View(value, tuple(Literal("int32", 0) for _ in value.shape)))
    if not isinstance(value, (BufferLoad, SymVar)):
        reader.src.fail(target, "syn/operand-types", "T.address_of takes an element of a buffer or a variable")
    return Intrinsic("address_of", (value,), "handle", span=reader.src.span(node))


def _range(reader: ScalarReader, node: ast.Call) -> RangeArg:
    begin, end = (reader.scalar(x) for x in exactly(reader, node, 2))
    if begin.dtype != end.dtype:
        begin, end = building.match_operands(begin, end)
    return RangeArg("", ((begin, extent_between(begin, end)),), span=reader.src.span(node))


@rule("syn/target")
def _target(reader: ScalarReader, node: ast.Call) -> Intrinsic:
    """``T.target({…})`` or ``T.target("…")``, as an intrinsic of its configuration in JSON."""
    found = bound(reader, node, "target_config", "host", "span")
    parts = []
    for name in ("target_config", "host"):
        if name not in found:
            continue
        each = found[name]
        value = reader.value(each)
        if name == "host" and value is None:
            continue
        if isinstance(value, dict):
            try:
                value = json.dumps(value, sort_keys=True)
            except (TypeError, ValueError):
                reader.src.fail(each, "syn/target", f"expected constants in a target, found `{shown(each)}`")
        parts.append(reader.argument(each, value))
    return Intrinsic("target", tuple(parts), "handle", span=reader.src.span(node))


def _iter_var(reader: ScalarReader, node: ast.Call) -> Intrinsic:
    """``T.iter_var(v, T.Range(0, 4), "ThreadIndex", "threadIdx.x")``."""
    args = []
    for each in exactly(reader, node, 4):
        value = reader.value(each)
        args.append(StringImm("") if value is None else reader.argument(each, value))
    return Intrinsic("iter_var", tuple(args), "handle", span=reader.src.span(node))


def _meta(reader: ScalarReader, node: ast.Call) -> Any:
    return reader.value(exactly(reader, node, 1)[0])


def _handle(reader: ScalarReader, node: ast.Call) -> DTypeName:
    """``T.handle("float32", "global").ty`` where a dtype is meant."""
    return DTypeName(pointer_dtype(reader, node))


SPECIAL: dict[str, Callable[[ScalarReader, ast.Call], Any]] = {
    "cast": _cast,
    "Cast": _raw_cast,
    "Select": _select,
    "Not": _raw_not,
    "Ramp": _ramp,
    "ramp": _ramp,
    "Broadcast": _broadcast,
    "broadcast": _broadcast,
    "Shuffle": _shuffle,
    "Let": _let,
    "address_of": _address_of,
    "comm_reducer": _comm_reducer,
    "Range": _range,
    "target": _target,
    "iter_var": _iter_var,
    "meta_var": _meta,
    "handle": _handle,
}
"""``T.*`` forms by name."""
