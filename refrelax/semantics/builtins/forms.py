"""Operators of lowered modules whose value rule needs the names in scope, or calls a function.

Spec: ``spec/08-effects-and-storage.md``, ``spec/ops/memory.md``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from refrelax.errors import unspecified
from refrelax.rules import rule
from refrelax.semantics.arena import Region
from refrelax.semantics.graph.machine import Machine, Scope, arguments, invoke, promised
from refrelax.semantics.values import Prim, Shape, TensorValue
from refrelax.syntax.graph import Call, ExternFunc, GlobalVar, StringValue, Var


@rule("ev/kill")
def kill(run: Machine, call: Call, scope: Scope) -> Any:
    """End the life of a *name*: memory lives on while another name, or a tensor in a storage, uses it. A shape is kept
    for the types that speak of it."""
    value = run.eval_expr(call.args[0], scope)
    if isinstance(call.args[0], Var):
        scope.dead.add(call.args[0].name)
        if not isinstance(value, Shape):
            scope.values.pop(call.args[0].name, None)
    return ()


@rule("ev/call-tir-dyn")
def call_tir_dyn(run: Machine, call: Call, scope: Scope) -> Any:
    """``R.vm.call_tir_dyn(f, (args…, shape))``: call ``f`` with the arguments and the extents of the shape."""
    invoke(run, call.args[0], unpacked(arguments(run, call.args[1], scope)), scope, call.span)
    return ()


def unpacked(args: list[Any]) -> list[Any]:
    """Arguments whose last one is a shape: its extents in place of it."""
    if args and isinstance(args[-1], Shape):
        return [*args[:-1], *(Prim("int64", each) for each in args[-1].dims)]
    return args


@rule("ev/call-builtin-with-ctx")
def call_builtin_with_ctx(run: Machine, call: Call, scope: Scope) -> Any:
    """A library function that also sees the machine; the context is no argument here. A call that promises nothing is
    void."""
    args = arguments(run, call.args[1], scope)
    match call.args[0]:
        case ExternFunc(name=name) | StringValue(value=name) | GlobalVar(name=name):
            result = run.call_library(name, args, call.span, call)
            return promised(result, call, scope) if call.ty_args else ()
        case _:
            raise unspecified("ev/call-non-function", "call_builtin_with_ctx names no library function", call.span)


@rule("ev/reshape-of-planned")
def reshape(run: Machine, call: Call, scope: Scope) -> Any:
    """A reshape of a tensor in a storage is a view of the same bytes; of any other tensor it is a new value."""
    value = run.apply_operator("relax.reshape", call, scope)
    source = run.eval_expr(call.args[0], scope)
    if isinstance(source, TensorValue) and isinstance(source.storage, Region) and source.compact:
        return TensorValue(source.dtype, value.shape, source.storage, source.numerics, source.offset)
    return value


FORMS: dict[str, Callable[[Machine, Call, Scope], Any]] = {
    "relax.memory.kill_storage": kill,
    "relax.memory.kill_tensor": kill,
    "relax.vm.kill_object": kill,
    "relax.vm.call_tir_dyn": call_tir_dyn,
    "relax.call_builtin_with_ctx": call_builtin_with_ctx,
    "relax.reshape": reshape,
}
"""Operators evaluated here instead of through ``OPERATORS``."""

KILLS = frozenset(name for name, form in FORMS.items() if form is kill)
"""Those that end the life of a name (``ev/kill``)."""
