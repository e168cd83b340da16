"""Running a loop-level function: binding its parameters, building it, running it once.

Spec: ``spec/07-evaluation.md``, *PrimFuncs*.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from refrelax.errors import Ended, Exhausted, Span, trap, unspecified
from refrelax.rules import rule
from refrelax.semantics.dims import Symbols
from refrelax.semantics.dims import value as dim_value
from refrelax.semantics.loops.buffers import build_alloc
from refrelax.semantics.loops.frame import Builder, Context, Frame, fixed, new_builder
from refrelax.semantics.loops.judgements import JUDGEMENTS
from refrelax.semantics.loops.leaving import ReturnValue, ThreadEnds
from refrelax.semantics.loops.pointers import bind_tensor
from refrelax.semantics.loops.statements import build_body
from refrelax.semantics.loops.visit import reinterprets
from refrelax.semantics.values import Prim, TensorValue
from refrelax.syntax import dtypes
from refrelax.syntax.loops import Buffer, BufferParam, PrimFunc, ScalarParam
from refrelax.syntax.scalars import PrimExpr, SymVar


@rule("ev/prim-func")
def run_prim_func(context: Context, name: str, function: PrimFunc, args: list[Any], span: Span | None = None) -> Any:
    """Run ``function`` on ``args`` (tensors for buffers and handles, ``Prim`` for scalars); gives its return payload
    or ``None``.

    Raises:
        Ended: ``Trapped`` when an argument contradicts a parameter; whatever ends the body.
    """
    if len(args) != len(function.params):
        raise trap("ev/arity", f"{name} takes {len(function.params)} arguments, {len(args)} were given", span)
    context.meter.enter()
    told = getattr(context.listener, "on_call", None)
    if told is not None:
        told(name, args)
    build = new_builder(context, JUDGEMENTS)
    build.function, build.implicit, build.path = function, function.s_tir, name
    symbols = _bind_scalars(build, name, function, args, span)
    _bind_symbols(build, name, function, args, symbols, span)
    for param, arg in zip(function.params, args, strict=True):
        if isinstance(param, BufferParam):
            _bind_buffer(build, name, param.buffer, arg, symbols, span)
    build.aliasing = reinterprets(function)
    allocate = [build_alloc(build, each) for each in function.root_allocs]
    body = build_body(build, function.body)
    frame: Frame = [None] * build.slots[0]
    for slot, payload in _scalar_slots(build, function, args):
        frame[slot] = payload
    try:
        for each in allocate:
            each(frame)
        body(frame)
    except ReturnValue as result:
        return result.value
    except ThreadEnds:
        return _nothing(name, function, span)
    except Ended as end:
        raise located(end) from None
    finally:
        context.meter.leave()
        left = getattr(context.listener, "on_return", None)
        if left is not None:
            left(name)
    return _nothing(name, function, span)


@rule("ev/prim-func-result")
def _nothing(name: str, function: PrimFunc, span: Span | None) -> None:
    """The result of a body that came to its end: nothing, which only a function that declares no number gives."""
    if function.ret is not None and dtypes.kind(function.ret) not in ("void", "handle"):
        raise unspecified("ev/prim-func-result", f"{name} ends without the {function.ret} that it declares", span)


def located(end: Ended) -> Ended:
    """The end of a run, with the loop variables in scope in its message."""
    if not end.loops or isinstance(end.outcome, Exhausted):
        return end
    where = ", ".join(f"{name} = {value}" for name, value in reversed(end.loops))
    return Ended(replace(end.outcome, message=f"{end.outcome.message} (where {where})"))


def _bind_scalars(build: Builder, name: str, function: PrimFunc, args: list[Any], span: Span | None) -> Symbols:
    """Integer scalar parameters become constants, the others elements; handles name memory."""
    symbols: Symbols = {}
    for param, arg in zip(function.params, args, strict=True):
        if not isinstance(param, ScalarParam):
            continue
        var = param.var
        if var.dtype.startswith("handle"):
            build.handles[var.name] = arg
        elif isinstance(arg, Prim) and arg.dtype == var.dtype:
            if dtypes.kind(var.dtype) == "float":
                build.element_variable(var.name)
                symbols[var.name] = arg.value
            else:
                symbols[var.name] = int(arg.value)
                build.variables[var.name] = fixed(int(arg.value))
        else:
            raise trap(
                "ev/param-type", f"{name}: parameter {var.name} is a {var.dtype}, {describe(arg)} was given", span
            )
    return symbols


def _scalar_slots(build: Builder, function: PrimFunc, args: list[Any]) -> list[tuple[int, Any]]:
    """Frame slots of the float scalar parameters, with their payloads."""
    result = []
    for param, arg in zip(function.params, args, strict=True):
        if isinstance(param, ScalarParam) and param.var.name in build.elements:
            payload = build.context.numerics.at(param.var.dtype).lit(arg.value)
            result.append((build.elements[param.var.name], payload))
    return result


@rule("ev/buffer-param-symbols")
def _bind_symbols(
    build: Builder, name: str, function: PrimFunc, args: list[Any], symbols: Symbols, span: Span | None
) -> None:
    """A dimension (or stride, or offset) that is a plain symbol is defined by its first occurrence, in any
    parameter."""
    for param, arg in zip(function.params, args, strict=True):
        if not isinstance(param, BufferParam):
            continue
        _expect_tensor(name, param.buffer, arg, span)
        pairs: list[tuple[PrimExpr | None, int]] = [
            *zip(param.buffer.shape, arg.shape, strict=True),
            *zip(param.buffer.strides, arg.strides, strict=False),
            (param.buffer.elem_offset, arg.offset - arg.pointer),
        ]
        for dim, extent in pairs:
            if isinstance(dim, SymVar) and dim.name not in symbols:
                symbols[dim.name] = extent
                build.variables[dim.name] = fixed(extent)


@rule("ev/buffer-param-rank", "ev/buffer-param-dtype")
def _expect_tensor(name: str, buffer: Buffer, arg: Any, span: Span | None) -> None:
    if not isinstance(arg, TensorValue):
        raise trap("ev/param-type", f"{name}: parameter {buffer.name} is a buffer, {describe(arg)} was given", span)
    if arg.dtype != buffer.dtype:
        raise trap(
            "ev/buffer-param-dtype", f"{name}: {buffer.name} has dtype {buffer.dtype}, the argument {arg.dtype}", span
        )
    if len(arg.shape) != len(buffer.shape):
        message = f"{name}: {buffer.name} has {len(buffer.shape)} dimensions, the argument {len(arg.shape)}"
        raise trap("ev/buffer-param-rank", message, span)


@rule("ev/buffer-param-shape")
def _bind_buffer(
    build: Builder, name: str, buffer: Buffer, tensor: TensorValue, symbols: Symbols, span: Span | None
) -> None:
    """Every extent of the argument equals the parameter's once all symbols are known."""
    for axis, (dim, extent) in enumerate(zip(buffer.shape, tensor.shape, strict=True)):
        wanted = dim_value(dim, symbols)
        if wanted != extent:
            message = f"{name}: axis {axis} of {buffer.name} has extent {wanted}, the argument {extent}"
            raise trap("ev/buffer-param-shape", message, span)
    bound = bind_tensor(buffer.name, tensor, buffer.scope)
    bound.pointer = fixed(tensor.pointer if buffer.elem_offset is not None else tensor.offset)
    build.buffers[buffer.name] = build.handles[buffer.name] = bound


def describe(value: Any) -> str:
    """A value in an error message: its kind, dtype and shape."""
    match value:
        case TensorValue():
            return f"a {value.dtype} tensor of shape {value.shape}"
        case Prim():
            return f"the {value.dtype} {value.value}"
        case tuple():
            return f"a tuple of {len(value)}"
        case None:
            return "null"
        case _:
            return f"a {type(value).__name__}"
