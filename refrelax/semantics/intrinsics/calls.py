"""Calls that leave the function: other PrimFuncs of the module, and library functions by registration."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from refrelax.errors import Effect, Span, unspecified
from refrelax.rules import rule
from refrelax.semantics.builtins.access import converted
from refrelax.semantics.builtins.kernels import KERNELS, call_kernel, missing
from refrelax.semantics.intrinsics.foreign import C_CALLS, LLVM_CALLS, build_foreign, has_meaning, symbol_of
from refrelax.semantics.loops.elements import build_element
from refrelax.semantics.loops.frame import Bound, Builder, Context, Element, Frame
from refrelax.semantics.loops.indices import build_index
from refrelax.semantics.loops.pointers import pointee, resolve
from refrelax.semantics.values import Prim, TensorValue
from refrelax.syntax import bits, dtypes
from refrelax.syntax.scalars import BufferRef, Intrinsic, PrimExpr, StringImm

CALLS = frozenset({"call_packed", "call_cpacked", "tvm_call_packed", *C_CALLS, *LLVM_CALLS})
"""Calls of a library function; the first argument names it."""


def build_call(build: Builder, call: Intrinsic, needed: bool = True) -> Element:
    """A call of ``cls.name`` or of a library function; ``needed``: not only for its effect."""
    if call.op.startswith("cls."):
        return _module_call(build, call)
    return _library_call(build, call, needed)


def _argument(build: Builder, arg: PrimExpr) -> Callable[[Frame], Any]:
    """An argument as a value: buffers as tensors, strings as they are, scalars as exact numbers."""
    if isinstance(arg, Intrinsic) and arg.op == "tvm_stack_make_array":
        return _described(build, arg)
    if isinstance(arg, BufferRef | StringImm) or arg.dtype.startswith("handle"):
        found = pointee(build, arg)
        return (lambda frame: as_tensor(build, found, frame)) if isinstance(found, Bound) else lambda _frame: found
    if dtypes.lanes(arg.dtype) != 1 or dtypes.kind(arg.dtype) == "void":
        return _no_argument(arg)
    if dtypes.kind(arg.dtype) == "float":
        element, dtype = build_element(build, arg), arg.dtype
        f, numerics = build.context.numerics.at(dtype), build.context.numerics

        def number(frame: Frame) -> Prim:
            payload = element(frame)
            if not numerics.exact_bits or numerics.poison_rule(payload) is not None:
                raise unspecified("num/undetermined", "a library function needs this scalar as a number", arg.span)
            return Prim(dtype, bits.decode(dtype, f.to_bits(payload)))

        return number
    index, dtype = build_index(build, arg).run, arg.dtype
    return lambda frame: Prim(dtype, index(frame))


def _no_argument(arg: PrimExpr) -> Callable[[Frame], Any]:
    def stop(_frame: Frame) -> Any:
        message = f"what is passed to a function is a number, a pointer or a string, found {arg.dtype}"
        raise unspecified("ld/intrinsic-without-meaning", message, arg.span)

    return stop


@rule("ev/stack-array")
def _described(build: Builder, arg: Intrinsic) -> Callable[[Frame], TensorValue]:
    """``T.tvm_stack_make_array(data, shape, strides, ndim, dtype, offset)``: memory as a tensor that is described in
    place; strides 0 are row-major, and the dtype is that of the fifth argument."""
    data, shape, strides, _, element, offset = arg.args
    base = resolve(build, data)
    extents = [build_index(build, each).run for each in getattr(shape, "args", ())]
    steps = [build_index(build, each).run for each in getattr(strides, "args", ())]
    start, numerics = build_index(build, offset).run, build.context.numerics

    def tensor(frame: Frame) -> TensorValue:
        dims, by = tuple(each(frame) for each in extents), tuple(each(frame) for each in steps)
        pointer = base.origin.run(frame)
        return TensorValue(element.dtype, dims, base.storage, numerics, pointer + start(frame), by, pointer)

    return tensor


def as_tensor(build: Builder, bound: Bound, frame: Frame) -> TensorValue:
    """A buffer as the tensor that a callee sees: the same memory."""
    shape = tuple(each.run(frame) for each in bound.shape)
    strides = tuple(each.run(frame) for each in bound.strides)
    origin, pointer = bound.origin.run(frame), bound.pointer.run(frame)
    return TensorValue(bound.dtype, shape, bound.storage, build.context.numerics, origin, strides, pointer)


@rule("ev/call-prim-func")
def _module_call(build: Builder, call: Intrinsic) -> Element:
    args = [_argument(build, each) for each in call.args]
    name, invoke, span = call.op.removeprefix("cls."), build.context.call_function, call.span
    return lambda frame: invoke(name, [arg(frame) for arg in args], span)


@rule("ev/call-library")
def _library_call(build: Builder, call: Intrinsic, needed: bool) -> Element:
    name = symbol_of(call)
    here = build.context.externs.keys() | build.context.contracts.keys()
    if name not in here and has_meaning(call):
        return build_foreign(build, call)
    if name not in here and call.op in LLVM_CALLS:
        return _missing(name, call)
    args = [_argument(build, each) for each in call.args[1:]]
    context = build.context
    dropped = not needed or dtypes.kind(call.dtype) in ("void", "handle")

    def run(frame: Frame) -> Any:
        result = call_library(context, name, [arg(frame) for arg in args], call.span)
        return None if dropped else as_number(context, name, result, call)

    return run


@rule("ev/packed-result-type")
def as_number(context: Context, name: str, result: Any, call: Intrinsic) -> Any:
    """What a library function gave, where a number of the call's dtype is needed."""
    number = result.value if isinstance(result, Prim) else result
    if not isinstance(number, bool | int | float):
        message = f"{name} gives no number where a {call.dtype} is needed"
        raise unspecified("ev/packed-result-type", message, call.span)
    return converted(context.numerics, number, call.dtype)


def _missing(name: str, call: Intrinsic) -> Element:
    def stop(_frame: Frame) -> None:
        raise missing(name, call.span)

    return stop


def call_library(context: Context, name: str, args: list[Any], span: Span | None) -> Any:
    """Call a library function by its name; gives its result as a run-time value."""
    contract = context.contracts.get(name)
    if contract is not None:
        return contract(args, span)
    function = context.externs.get(name)
    if function is None and name in KERNELS:
        return call_kernel(context, name, args, span)
    if function is None:
        raise missing(name, span)
    context.effects.append(Effect("call", name))
    return function(*args)
