"""Calls that may be of a library function: by its name, by that of a function of the module that is one, or as a value.

Spec: ``spec/10-lowering.md``, ``lo/overwrites``.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from typing import Any

from refrelax.semantics.graph.link import nodes, reached_nodes
from refrelax.semantics.ops.forms import CALL_FORMS
from refrelax.syntax.graph import Call, ExternFunc, Function, GlobalVar, Op, StringValue, Var, VarBinding
from refrelax.syntax.loops import PrimFunc

NONE: frozenset[str] = frozenset()


def functions_named(root: Any) -> dict[str, Any]:
    """What the names below ``root`` are that are bound to a function."""
    return functions_among(nodes(root))


def functions_among(walked: Iterable[Any]) -> dict[str, Any]:
    """``functions_named`` of nodes that were walked already."""
    found = [each for each in walked if each.__class__ is VarBinding]
    return {each.name: each.value for each in found if isinstance(each.value, Function | GlobalVar | ExternFunc)}


def callee_of(call: Call, functions: Mapping[str, Any], named: Mapping[str, Any]) -> Any:
    """What a call calls, as far as that is seen: a function of the module or of ``named``, an ``ExternFunc``, an
    operator; ``None`` where it is a value of which nothing is known."""
    callee: Any = call.op
    if isinstance(callee, Op) and callee.name in CALL_FORMS and not CALL_FORMS[callee.name].pure:
        callee = call.args[0] if call.args else None
    if isinstance(callee, Var):
        callee = named.get(callee.name)
    if isinstance(callee, GlobalVar):
        callee = functions.get(callee.name)
    return ExternFunc(callee.value) if isinstance(callee, StringValue) else callee


def of_library(
    call: Call, functions: Mapping[str, Any], named: Mapping[str, Any], known: Container[str] = NONE
) -> bool:
    """Whether a call may be of a library function that is not ``known``. (One that is given to a call form that is pure
    stores nowhere but in its outputs.)"""
    callee = callee_of(call, functions, named)
    if isinstance(callee, ExternFunc):
        return callee.name not in known
    return not isinstance(callee, Function | PrimFunc | Op)


def may_call_library(
    call: Call, functions: Mapping[str, Any], named: Mapping[str, Any], known: Container[str] = NONE
) -> bool:
    """Whether a call may be of such a library function, or of a function that is not pure and may make one. (In a pure
    one such calls are ``call_dps_packed`` spelled out.)"""
    match callee_of(call, functions, named):
        case Function(pure=pure):
            inside = isinstance(call.op, GlobalVar) and not reaches_library(call.op.name, functions, known)
            return not (pure or inside)
        case _:
            return of_library(call, functions, named, known)


def reaches_library(name: str, functions: Mapping[str, Any], known: Container[str] = NONE) -> bool:
    """Whether such a call stands in a function of the module, or in one that it reaches."""
    named = {each: functions_named(function) for each, function in functions.items()}
    reached = reached_nodes(functions, (name,))
    return any(isinstance(each, Call) and of_library(each, functions, named[at], known) for at, each in reached)


__all__ = ["callee_of", "functions_named", "may_call_library", "of_library"]
