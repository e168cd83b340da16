"""Contracts: graph-level functions that say what a library function computes.

A module may carry, for a library function that it calls by name, a function with the attribute ``Contract``. The
definition runs it in the library function's place; what is registered under the name is an implementation's own.

Spec: ``spec/07-evaluation.md``, ``ev/contract``.
"""

from __future__ import annotations

from typing import Any

from refrelax.errors import Ended, Span, Trapped, unspecified
from refrelax.rules import rule
from refrelax.semantics.graph.machine import Machine
from refrelax.semantics.types.packing import members
from refrelax.semantics.values import TensorValue
from refrelax.syntax.graph import Function


@rule("ev/contract")
def call_contract(run: Machine, name: str, contract: str, args: list[Any], span: Span | None) -> Any:
    """What the contract gives for the arguments; with more arguments than it has parameters, the others are where the
    results go."""
    function = run.module.functions[contract]
    assert isinstance(function, Function)
    count = len(function.params)
    try:
        result = run.call_global(contract, args[:count], span)
    except Ended as end:
        if isinstance(end.outcome, Trapped):
            message = f"the contract of {name!r} does not cover this call: {end.outcome.message}"
            raise unspecified("ev/contract", message, span) from None
        raise
    outs = args[count:]
    if not outs:
        return result
    found = members(result)
    if len(found) != len(outs):
        message = f"the contract of {name!r} gives {len(found)} results, found room for {len(outs)}"
        raise unspecified("ev/contract", message, span)
    for out, each in zip(outs, found, strict=True):
        _check_room(name, out, each, span)
    results = [each.payloads() for each in found]  # all of them first: a result may be memory of another's place
    for out, payloads in zip(outs, results, strict=True):
        out.assign(payloads)
    return ()


def _check_room(name: str, out: Any, found: Any, span: Span | None) -> None:
    fits = isinstance(out, TensorValue) and isinstance(found, TensorValue)
    if not fits or (out.dtype, out.shape) != (found.dtype, found.shape):
        message = f"the contract of {name!r} gives {_shown(found)}, found room for {_shown(out)}"
        raise unspecified("ev/contract", message, span)


def _shown(value: Any) -> str:
    return f"{value.dtype}{list(value.shape)}" if isinstance(value, TensorValue) else f"a {type(value).__name__}"
