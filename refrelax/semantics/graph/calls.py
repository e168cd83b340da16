"""The call forms: operators whose meaning is to call something else.

Spec: ``spec/07-evaluation.md``, *Calls across levels*.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from refrelax.errors import unspecified
from refrelax.rules import rule
from refrelax.semantics.builtins.forms import FORMS
from refrelax.semantics.graph.local_view import call_tir_local_view
from refrelax.semantics.graph.machine import (
    Machine,
    Scope,
    allocate,
    arguments,
    closure_over,
    invoke,
    of_outputs,
    output_types,
    promised,
)
from refrelax.semantics.values import Closure, PackedFunc
from refrelax.syntax.graph import AttrList, Call

CallForm = Callable[[Machine, Call, Scope], Any]


@rule("ev/call-tir")
def call_tir(run: Machine, call: Call, scope: Scope) -> Any:
    """Allocate the outputs, call ``f(*args, *outputs)``, give the outputs."""
    args = arguments(run, call.args[1], scope)
    types = output_types(call)
    outputs = [allocate(run, each, scope, call.span) for each in types]
    invoke(run, call.args[0], [*args, *outputs], scope, call.span)
    return of_outputs(call, outputs)


@rule("ev/call-tir-inplace")
def call_tir_inplace(run: Machine, call: Call, scope: Scope) -> Any:
    """As ``call_tir``, but output ``k`` with ``inplace_indices[k] = i >= 0`` *is* argument ``i``: the same memory."""
    args = arguments(run, call.args[1], scope)
    types = output_types(call)
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
    return of_outputs(call, outputs)


@rule("ev/call-dps-packed")
def call_dps_packed(run: Machine, call: Call, scope: Scope) -> Any:
    """As ``call_tir`` with a library function."""
    args = arguments(run, call.args[1], scope)
    types = output_types(call)
    outputs = [allocate(run, each, scope, call.span) for each in types]
    invoke(run, call.args[0], [*args, *outputs], scope, call.span)
    return of_outputs(call, outputs)


@rule("ev/call-packed", "ev/packed-result-type")
def call_packed(run: Machine, call: Call, scope: Scope) -> Any:
    """Call a library function for its result, which must have the promised type."""
    args = [run.eval_expr(each, scope) for each in call.args[1:]]
    result = invoke(run, call.args[0], args, scope, call.span, replace(call, args=call.args[1:]))
    return promised(result, call, scope)


@rule("ev/call-inplace-packed")
def call_inplace_packed(run: Machine, call: Call, scope: Scope) -> Any:
    """A library function that may overwrite the arguments named by ``inplace_indices``; the result is as promised."""
    return call_packed(run, call, scope)


@rule("ev/make-closure")
def make_closure(run: Machine, call: Call, scope: Scope) -> Any:
    """``R.make_closure(f, (captured…))``: ``f`` with its *last* arguments fixed."""
    captured = arguments(run, call.args[1], scope)
    return closure_over(run.eval_expr(call.args[0], scope), captured, call.span)


@rule("ev/invoke-closure")
def invoke_closure(run: Machine, call: Call, scope: Scope) -> Any:
    """``R.invoke_closure(c, (args…), ty_args=…)`` and its pure twin."""
    function = run.eval_expr(call.args[0], scope)
    args = arguments(run, call.args[1], scope)
    if not isinstance(function, Closure | PackedFunc):
        raise unspecified("ev/call-non-function", "invoke_closure of something that is no function", call.span)
    return promised(run.call_value(function, args, call.span), call, scope)


@rule("ev/call-py-func")
def call_py_func(run: Machine, call: Call, scope: Scope) -> Any:
    """``R.call_py_func("name", (args…), out_ty=…)``: a registered Python function, for its result."""
    return promised(invoke(run, call.args[0], arguments(run, call.args[1], scope), scope, call.span), call, scope)


CALL_FORMS: dict[str, CallForm] = {
    "relax.call_tir": call_tir,
    "relax.call_tir_with_grad": call_tir,
    "relax.dist.call_tir_local_view": call_tir_local_view,
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
