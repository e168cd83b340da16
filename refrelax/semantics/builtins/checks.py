"""The checks that lowering puts at function entry, at ``match_cast`` and before a return, as library functions.

Every one ends with the text of an error context, which says where the check comes from; a failure traps under the rule
of that place.

Spec: ``spec/08-effects-and-storage.md``, *The virtual machine's library*.
"""

from __future__ import annotations

from typing import Any

from refrelax.errors import Ended, Span, trap, unspecified
from refrelax.rules import rule
from refrelax.semantics.graph.machine import Machine
from refrelax.semantics.loops.evaluate import describe
from refrelax.semantics.values import Closure, DType, PackedFunc, Prim, Shape, TensorValue
from refrelax.syntax import dtypes
from refrelax.syntax.graph import Call


def text_of(args: list[Any]) -> str:
    """The error context of a check: its last argument, if that is a string."""
    return args[-1] if args and isinstance(args[-1], str) else ""


@rule("vm/failed-check")
def failed(context: str, aspect: str, message: str, span: Span | None) -> Ended:
    """A check that failed, under the rule of the place that the context names."""
    if "loc=param" in context:
        rule_id = f"ev/param-{aspect}"
    elif "loc=return" in context:
        rule_id = "ev/return-mismatch"
    else:
        rule_id = "ev/match-cast-mismatch"
    return trap(rule_id, f"{context.strip()} {message}".strip(), span)


def number(value: Any, span: Span | None) -> int:
    """An argument that must be an integer."""
    if not isinstance(value, Prim) or dtypes.kind(value.dtype) == "float":
        raise unspecified("vm/argument", f"an integer was expected, found {describe(value)}", span)
    return int(value.value)


@rule("vm/check-tensor-info")
def check_tensor_info(run: Machine, args: list[Any], call: Call) -> Any:
    """``(x, ndim, dtype?, context)``: a tensor of that rank (-1: any) and dtype."""
    x, ndim, context = args[0], number(args[1], call.span), text_of(args)
    dtype = args[2].name if len(args) > 2 and isinstance(args[2], DType) else None
    if not isinstance(x, TensorValue):
        raise failed(context, "type", f"expected a tensor, found {describe(x)}", call.span)
    if dtype not in (None, "void", x.dtype):
        raise failed(context, "dtype", f"expected dtype {dtype}, found {x.dtype}", call.span)
    if ndim not in (-1, x.ndim):
        raise failed(context, "rank", f"expected {ndim} dimensions, found {x.ndim}", call.span)
    return ()


@rule("vm/check-shape-info")
def check_shape_info(run: Machine, args: list[Any], call: Call) -> Any:
    """``(s, ndim, context)``: a shape of that rank (-1: any)."""
    s, ndim = args[0], number(args[1], call.span)
    if not isinstance(s, Shape):
        raise failed(text_of(args), "type", f"expected a shape, found {describe(s)}", call.span)
    if ndim not in (-1, len(s)):
        message = f"expected a shape of {ndim} dimensions, found {len(s)}"
        raise failed(text_of(args), "rank", message, call.span)
    return ()


@rule("vm/check-prim-value-info")
def check_prim_value_info(run: Machine, args: list[Any], call: Call) -> Any:
    """``(k, dtype, context)``: a scalar of that dtype."""
    k, dtype = args[0], args[1].name if isinstance(args[1], DType) else None
    if not isinstance(k, Prim):
        raise failed(text_of(args), "type", f"expected a {dtype}, found {describe(k)}", call.span)
    if dtype not in (None, "void", k.dtype):
        raise failed(text_of(args), "dtype", f"expected a {dtype}, found a {k.dtype}", call.span)
    return ()


@rule("vm/check-tuple-info")
def check_tuple_info(run: Machine, args: list[Any], call: Call) -> Any:
    """``(t, size, context)``: a tuple of that many."""
    size = number(args[1], call.span)
    if not isinstance(args[0], tuple) or len(args[0]) != size:
        raise failed(text_of(args), "type", f"expected a tuple of {size}, found {describe(args[0])}", call.span)
    return ()


@rule("vm/check-func-info")
def check_func_info(run: Machine, args: list[Any], call: Call) -> Any:
    """``(f, context)``: a function."""
    if not isinstance(args[0], Closure | PackedFunc):
        raise failed(text_of(args), "type", f"expected a function, found {describe(args[0])}", call.span)
    return ()
