"""The call forms: operators whose meaning is to call something else.

Spec: ``spec/07-evaluation.md``, *Calls across levels*.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from refrelax.errors import InternalError, Span, trap, unspecified
from refrelax.rules import rule
from refrelax.semantics.builtins.forms import FORMS
from refrelax.semantics.dims import value as dim_value
from refrelax.semantics.graph.evaluate import Interpreter, Scope
from refrelax.semantics.graph.matching import Mismatch, match
from refrelax.semantics.values import Closure, PackedFunc, Shape, Tensor, empty
from refrelax.syntax.graph import AttrList, Call, Expr, ExternFunc, GlobalVar, StringValue, Tuple
from refrelax.syntax.types import DTensorType, TensorType, TupleType, Type

CallForm = Callable[[Interpreter, Call, Scope], Any]


def output_types(call: Call) -> tuple[list[TensorType], bool]:
    """The types of the outputs of a destination-passing call, and whether the result is a tuple of them."""
    (annotation,) = call.ty_args
    several = isinstance(annotation, TupleType)
    fields = annotation.fields if isinstance(annotation, TupleType) else (annotation,)
    fields = tuple(each.tensor if isinstance(each, DTensorType) else each for each in fields)
    outputs = [each for each in fields if isinstance(each, TensorType)]
    if len(outputs) != len(fields):
        raise InternalError("an output of a destination-passing call that is no tensor")
    return outputs, several


@rule("ev/call-tir-allocates")
def allocate(run: Interpreter, type_: TensorType, scope: Scope, span: Span | None) -> Tensor:
    """A fresh output, no element written."""
    if type_.shape is None or type_.dtype is None:
        raise InternalError("an output without a shape or a dtype")
    if isinstance(type_.shape, str):
        shape = scope.values[type_.shape].dims
    else:
        shape = tuple(dim_value(each, scope.symbols) for each in type_.shape)
    if any(extent < 0 for extent in shape):
        raise unspecified("ev/negative-extent", f"an output of shape {shape}", span)
    count = 1
    for extent in shape:
        count *= extent
    run.meter.make(count)
    return empty(run.numerics, type_.dtype, shape)


def arguments(run: Interpreter, expr: Expr, scope: Scope) -> list[Any]:
    """The inline argument tuple of a call form, evaluated."""
    if isinstance(expr, Tuple):
        return [run.eval_expr(each, scope) for each in expr.fields]
    value = run.eval_expr(expr, scope)
    return list(value) if isinstance(value, tuple) else [value]


def invoke(
    run: Interpreter, callee: Expr, args: list[Any], scope: Scope, span: Span | None, call: Call | None = None
) -> Any:
    """Call what the first argument of a call form names. ``call``: the same call without that argument."""
    match callee:
        case GlobalVar(name=name):
            return run.call_global(name, args, span)
        case ExternFunc(name=name) | StringValue(value=name):
            return run.call_library(name, args, span, call)
        case _:
            return run.call_value(run.eval_expr(callee, scope), args, span)


@rule("ev/call-tir")
def call_tir(run: Interpreter, call: Call, scope: Scope) -> Any:
    """Allocate the outputs, call ``f(*args, *outputs)``, give the outputs."""
    args = arguments(run, call.args[1], scope)
    types, several = output_types(call)
    outputs = [allocate(run, each, scope, call.span) for each in types]
    trailing = [_shape_vars(run.eval_expr(each, scope)) for each in call.args[2:]]
    invoke(run, call.args[0], [*args, *outputs, *(p for ps in trailing for p in ps)], scope, call.span)
    return tuple(outputs) if several else outputs[0]


def _shape_vars(value: Any) -> list[Any]:
    from refrelax.semantics.values import Prim

    return [Prim("int64", each) for each in value.dims] if isinstance(value, Shape) else [value]


@rule("ev/call-tir-inplace")
def call_tir_inplace(run: Interpreter, call: Call, scope: Scope) -> Any:
    """As ``call_tir``, but output ``k`` with ``inplace_indices[k] = i >= 0`` *is* argument ``i``: the same memory."""
    args = arguments(run, call.args[1], scope)
    types, several = output_types(call)
    indices = call.attr("inplace_indices")
    places = list(indices.items) if isinstance(indices, AttrList) else [indices]
    outputs = []
    fresh = []
    for place, type_ in zip(places, types, strict=True):
        if isinstance(place, int) and place >= 0:
            outputs.append(args[place])
        else:
            fresh.append(allocate(run, type_, scope, call.span))
            outputs.append(fresh[-1])
    invoke(run, call.args[0], [*args, *fresh], scope, call.span)
    return tuple(outputs) if several else outputs[0]


@rule("ev/call-dps-packed")
def call_dps_packed(run: Interpreter, call: Call, scope: Scope) -> Any:
    """As ``call_tir`` with a library function."""
    args = arguments(run, call.args[1], scope)
    types, several = output_types(call)
    outputs = [allocate(run, each, scope, call.span) for each in types]
    invoke(run, call.args[0], [*args, *outputs], scope, call.span)
    return tuple(outputs) if several else outputs[0]


@rule("ev/call-packed", "ev/packed-result-type")
def call_packed(run: Interpreter, call: Call, scope: Scope) -> Any:
    """Call a library function for its result, which must have the promised type."""
    args = [run.eval_expr(each, scope) for each in call.args[1:]]
    result = invoke(run, call.args[0], args, scope, call.span, replace(call, args=call.args[1:]))
    return promised(result, call, scope)


def promised(result: Any, call: Call, scope: Scope) -> Any:
    """``result``, if it has the type that the call promises; a contradiction leaves the run open."""
    if not call.ty_args:
        return result
    wanted: Type = call.ty_args[0] if len(call.ty_args) == 1 else TupleType(call.ty_args)
    if isinstance(wanted, TupleType) and not wanted.fields and result is None:
        return ()
    try:
        match(result, wanted, dict(scope.symbols), scope.values, "the result of a library function")
    except Mismatch as mismatch:
        raise unspecified("ev/packed-result-type", mismatch.message, call.span) from None
    return result


@rule("ev/call-inplace-packed")
def call_inplace_packed(run: Interpreter, call: Call, scope: Scope) -> Any:
    """A library function that may overwrite the arguments named by ``inplace_indices``; the result is as promised."""
    return call_packed(run, call, scope)


@rule("ev/make-closure")
def make_closure(run: Interpreter, call: Call, scope: Scope) -> Any:
    """``R.make_closure(f, (captured…))``: ``f`` with its *last* arguments fixed."""
    captured = arguments(run, call.args[1], scope)
    return closure_over(run.eval_expr(call.args[0], scope), captured, call.span)


def closure_over(function: Any, captured: list[Any], span: Span | None) -> Closure:
    """A function of the module whose last parameters are bound to ``captured``."""
    if not isinstance(function, Closure) or len(captured) > len(function.function.params):
        raise unspecified("ev/call-non-function", "make_closure of something that takes no such arguments", span)
    params = function.function.params
    first = len(params) - len(captured)
    symbols, values = dict(function.symbols), dict(function.values)
    try:
        for param, value in zip(params[first:], captured, strict=True):
            values[param.name] = value
            if param.type is not None:
                match(value, param.type, symbols, values, f"captured {param.name}")
    except Mismatch as mismatch:
        raise trap(f"ev/param-{mismatch.aspect}", mismatch.message, span) from None
    return Closure(replace(function.function, params=params[:first]), values, symbols, function.name)


@rule("ev/invoke-closure")
def invoke_closure(run: Interpreter, call: Call, scope: Scope) -> Any:
    """``R.invoke_closure(c, (args…), ty_args=…)`` and its pure twin."""
    function = run.eval_expr(call.args[0], scope)
    args = arguments(run, call.args[1], scope)
    if not isinstance(function, Closure | PackedFunc):
        raise unspecified("ev/call-non-function", "invoke_closure of something that is no function", call.span)
    return promised(run.call_value(function, args, call.span), call, scope)


@rule("ev/call-py-func")
def call_py_func(run: Interpreter, call: Call, scope: Scope) -> Any:
    """``R.call_py_func("name", (args…), out_ty=…)``: a registered Python function, for its result."""
    return promised(invoke(run, call.args[0], arguments(run, call.args[1], scope), scope, call.span), call, scope)


@rule("ev/call-tir-local-view")
def call_local_view(run: Interpreter, call: Call, scope: Scope) -> Any:
    """``R.dist.call_tir_local_view``: see ``graph/local_view.py``."""
    from refrelax.semantics.graph.local_view import call_tir_local_view

    return call_tir_local_view(run, call, scope)


CALL_FORMS: dict[str, CallForm] = {
    "relax.call_tir": call_tir,
    "relax.call_tir_with_grad": call_tir,
    "relax.dist.call_tir_local_view": call_local_view,
    "relax.call_tir_inplace": call_tir_inplace,
    "relax.call_dps_packed": call_dps_packed,
    "relax.call_pure_packed": call_packed,
    "relax.call_inplace_packed": call_inplace_packed,
    "relax.call_py_func": call_py_func,
    "relax.make_closure": make_closure,
    "relax.invoke_closure": invoke_closure,
    "relax.invoke_pure_closure": invoke_closure,
    **FORMS,
}
"""Operators evaluated here instead of through ``OPERATORS``."""
