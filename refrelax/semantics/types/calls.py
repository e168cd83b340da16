"""The call forms: operators whose first argument is what they call (``call_tir`` and its kin, packed calls,
closures).

Their result is what the text says (``out_ty`` / ``ty_args``), held against the callee's signature where there is one.

Spec: ``spec/05-types.md``, Call forms.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from refrelax.errors import Diagnostic, IllTyped
from refrelax.rules import rule
from refrelax.semantics.types.context import CallDeduction, TypingContext
from refrelax.semantics.types.lattice import Check, check, depends_on_unbound, describe, dims_equal
from refrelax.semantics.types.packing import parts
from refrelax.semantics.types.unify import by_ty_args, deduce_call
from refrelax.syntax.graph import AttrList, Call, GlobalVar, Op, StringValue
from refrelax.syntax.loops import PrimFunc
from refrelax.syntax.scalars import as_int
from refrelax.syntax.types import VOID, AnyType, DTensorType, FuncType, TensorType, TupleType, Type

Args = tuple[Type, ...]


def _name(call: Call) -> str:
    return call.op.name.replace("relax.", "R.", 1)


LIBRARY_CALL = Op("relax.call_dps_packed")


@rule("ty/call-form-out-ty")
def out_types(d: CallDeduction, call: Call) -> Type:
    """The declared result of a destination-passing call: one or more tensors with known extents; of a library function
    in tuples of tuples, too."""
    if len(call.ty_args) != 1:
        d.fail("ty/call-form-out-ty", f"{_name(call)} needs one out_ty=, found {len(call.ty_args) or 'none'}")
    (declared,) = call.ty_args
    fields = declared.fields if isinstance(declared, TupleType) else (declared,)
    for each in parts(declared) if call.op == LIBRARY_CALL else fields:
        tensor = each.tensor if isinstance(each, DTensorType) else each
        if not isinstance(tensor, TensorType) or not isinstance(tensor.shape, tuple):
            d.fail(
                "ty/call-form-out-ty",
                f"out_ty of {_name(call)}: expected tensors with known extents, found {describe(each)}",
            )
    return declared


@rule("ty/call-tir", "ty/call-tir-callee", "ty/call-tir-args", "ty/call-tir-out-ty")
def call_tir(frame: TypingContext, call: Call, args: Args) -> Type:
    """The result is ``out_ty``, provided that the callee's parameters take the arguments, and its remaining
    parameters the outputs.

    Raises:
        IllTyped: under one of the rules above, or ``ty/call-argument``, ``ty/call-arity``.
    """
    d = CallDeduction(frame, call.span)
    declared = out_types(d, call)
    callee = call.args[0]
    if not isinstance(callee, GlobalVar) or not isinstance(frame.module.functions.get(callee.name), PrimFunc):
        d.fail("ty/call-tir-callee", f"the callee of {_name(call)} must be a loop-level function of the module")
    signature = frame.signatures[callee.name]
    given = args[1]
    if not isinstance(given, TupleType):
        d.fail("ty/call-tir-args", f"the arguments of {_name(call)} must be a tuple, found {describe(given)}")
    params = signature.params or ()
    if len(given.fields) > len(params):
        message = f"cls.{callee.name} takes {len(params)} arguments with its outputs, found {len(given.fields)} inputs"
        d.fail("ty/call-arity", message)
    if any(isinstance(each, DTensorType) for each in given.fields):
        return declared
    inferred = _outputs(frame, call, callee.name, params, given.fields)
    if check(inferred, declared, frame.facts) is not Check.PASS:
        f = frame.module.functions[callee.name]
        message = f"out_ty of {_name(call)}: cls.{callee.name} writes {describe(inferred)}, found {describe(declared)}"
        place = ((f"definition of {callee.name}", getattr(f, "span", None)),)
        raise IllTyped([Diagnostic("ty/call-tir-out-ty", message, call.span, place)])
    return declared


@rule("ty/call-tir-local-view")
def call_tir_local_view(frame: TypingContext, call: Call, args: Args) -> Type:
    """The result is ``out_ty``, one or more distributed tensors; the callee sees parts, so nothing else is compared."""
    d = CallDeduction(frame, call.span)
    declared = out_types(d, call)
    outputs = declared.fields if isinstance(declared, TupleType) else (declared,)
    if not outputs or any(not isinstance(t, DTensorType) for t in outputs):
        d.fail("ty/call-tir-local-view", f"out_ty of {_name(call)}: expected one or more distributed tensors")
    callee = call.args[0]
    if not isinstance(callee, GlobalVar) or not isinstance(frame.module.functions.get(callee.name), PrimFunc):
        d.fail("ty/call-tir-callee", f"the callee of {_name(call)} must be a loop-level function of the module")
    return declared


def _outputs(frame: TypingContext, call: Call, name: str, params: Args, given: Args) -> Type:
    """What the callee's signature implies for its outputs: the parameters after the inputs, and the inputs that
    are updated in place, over the caller's symbols."""
    outputs = list(params[len(given) :])
    for k, index in enumerate(inplace_indices(call)):
        if 0 <= index < len(params):
            outputs.insert(k, params[index])
    ret = outputs[0] if len(outputs) == 1 else TupleType(tuple(outputs))
    f = frame.module.functions[name]
    place = ((f"definition of {name}", getattr(f, "span", None)),)
    dummy = FuncType(params[: len(given)], ret)
    return deduce_call(dummy, given, frame.facts, what=f"cls.{name}", span=call.span, places=place).type


def inplace_indices(call: Call) -> tuple[int, ...]:
    """The attribute ``inplace_indices``: for each output the input that becomes it, or -1; ``()`` if there is
    none."""
    for key, value in call.attrs:
        if key == "inplace_indices":
            items: Iterable[object] = value.items if isinstance(value, AttrList) else (value,)
            return tuple(-1 if found is None else found for found in map(_index, items))
    return ()


def _index(item: object) -> int | None:
    return item if isinstance(item, int) else as_int(item)


@rule("ty/inplace-indices")
def _check_indices(d: CallDeduction, call: Call, inputs: int) -> tuple[int, ...]:
    """In range (-1: a fresh output), no input twice, at least one input."""
    indices = inplace_indices(call)
    used = [each for each in indices if each != -1]
    if any(not -1 <= each < inputs for each in indices):
        d.fail("ty/inplace-indices", f"inplace_indices of {_name(call)}: expected -1 to {inputs - 1}, found {indices}")
    if len(set(used)) != len(used):
        d.fail("ty/inplace-indices", f"inplace_indices of {_name(call)} name an input twice: {indices}")
    if not used:
        message = f"{_name(call)} updates no input: expected an index other than -1, found {indices}"
        d.fail("ty/inplace-indices", message)
    return indices


@rule("ty/call-tir-inplace")
def call_tir_inplace(frame: TypingContext, call: Call, args: Args) -> Type:
    """As ``call_tir``; each output that reuses an input has its dtype and, provably, its extents."""
    d = CallDeduction(frame, call.span)
    given = args[1].fields if isinstance(args[1], TupleType) else ()
    indices = _check_indices(d, call, len(given))
    declared = call_tir(frame, call, args)
    outputs = declared.fields if isinstance(declared, TupleType) else (declared,)
    if len(indices) != len(outputs):
        d.fail("ty/inplace-indices", f"{_name(call)} has {len(outputs)} outputs and {len(indices)} inplace_indices")
    for index, output in zip(indices, outputs, strict=True):
        if index != -1 and not depends_on_unbound(given[index]):
            _same_memory(d, call, given[index], output)
    return declared


def _same_memory(d: CallDeduction, call: Call, given: Type, output: Type) -> None:
    same = (
        isinstance(given, TensorType)
        and isinstance(output, TensorType)
        and output.dtype is not None
        and given.dtype == output.dtype
        and dims_equal(given.shape, output.shape, d.frame.facts)
    )
    if not same:
        d.fail(
            "ty/call-tir-inplace",
            f"{_name(call)}: an output in place of an input must have its dtype and extents: "
            f"expected {describe(output)}, found {describe(given)}",
        )


@rule("ty/call-dps-packed")
def call_dps_packed(frame: TypingContext, call: Call, args: Args) -> Type:
    """The result is ``out_ty``, on trust."""
    return out_types(CallDeduction(frame, call.span), call)


@rule("ty/call-py-func")
def call_py_func(frame: TypingContext, call: Call, args: Args) -> Type:
    """As ``call_dps_packed``; the callee is a string literal."""
    d = CallDeduction(frame, call.span)
    if not isinstance(call.args[0], StringValue):
        d.fail("ty/call-py-func", "R.call_py_func names its function by a string literal")
    return by_ty_args(call.ty_args)


@rule("ty/call-packed-callee")
def _opaque(d: CallDeduction, call: Call, args: Args) -> FuncType:
    callee = args[0] if args else AnyType()
    if not isinstance(callee, FuncType) or callee.params is not None:
        found = describe(callee)
        d.fail("ty/call-packed-callee", f"the callee of {_name(call)} must be a library function, found {found}")
    return callee


@rule("ty/call-pure-packed")
def call_pure_packed(frame: TypingContext, call: Call, args: Args) -> Type:
    """The result is what ``ty_args`` say, on trust."""
    callee = _opaque(CallDeduction(frame, call.span), call, args)
    return deduce_call(callee, args[1:], frame.facts, ty_args=call.ty_args).type


@rule("ty/call-inplace-packed")
def call_inplace_packed(frame: TypingContext, call: Call, args: Args) -> Type:
    """As ``call_pure_packed``; an output in place of an input is a supertype of it."""
    d = CallDeduction(frame, call.span)
    result = call_pure_packed(frame, call, args)
    indices = _check_indices(d, call, len(args) - 1)
    outputs = (result,) if len(indices) == 1 else result.fields if isinstance(result, TupleType) else ()
    if len(outputs) != len(indices):
        message = f"{_name(call)} has {len(indices)} inplace_indices, its result is {describe(result)}"
        d.fail("ty/inplace-indices", message)
    for index, output in zip(indices, outputs, strict=True):
        if index != -1 and check(output, args[index + 1], frame.facts) is not Check.PASS:
            expected, found = describe(output), describe(args[index + 1])
            d.fail("ty/call-inplace-packed", f"{_name(call)}: input {index}: expected {expected}, found {found}")
    return result


@rule("ty/call-builtin")
def call_builtin(frame: TypingContext, call: Call, args: Args) -> Type:
    """Void unless ``ty_args`` say something."""
    return by_ty_args(call.ty_args) if call.ty_args else VOID


@rule("ty/invoke-closure")
def invoke_closure(frame: TypingContext, call: Call, args: Args) -> Type:
    """The result is what ``ty_args`` say, on trust; ``R.Any`` if nothing."""
    return by_ty_args(call.ty_args)


def make_closure(frame: TypingContext, call: Call, args: Args) -> Type:
    """A closure is ``R.Any``: only ``invoke_closure`` knows what to do with it."""
    return AnyType()


OF_A_TUPLE: dict[str, Callable[[TypingContext, Call, Args], Type]] = {
    "relax.call_tir": call_tir,
    "relax.call_tir_with_grad": call_tir,
    "relax.dist.call_tir_local_view": call_tir_local_view,
    "relax.call_tir_inplace": call_tir_inplace,
    "relax.call_dps_packed": call_dps_packed,
    "relax.call_py_func": call_py_func,
    "relax.call_builtin_with_ctx": call_builtin,
    "relax.invoke_closure": invoke_closure,
    "relax.invoke_pure_closure": invoke_closure,
    "relax.make_closure": make_closure,
}
"""The type rules of the call forms that take a callee and one tuple, by operator: they find two arguments."""

ONE_BY_ONE: dict[str, Callable[[TypingContext, Call, Args], Type]] = {
    "relax.call_pure_packed": call_pure_packed,
    "relax.call_inplace_packed": call_inplace_packed,
}
"""Those of the call forms that take their arguments behind the callee, however many."""

CALL_FORMS = OF_A_TUPLE | ONE_BY_ONE
"""The type rule of every call form, by operator."""


@rule("ty/call-form-arguments")
def call_form(frame: TypingContext, call: Call, args: Args) -> Type:
    """The type of a call of a call form whose arguments have the types ``args``.

    Raises:
        IllTyped: it has another number of arguments than its form takes; under the rules of its form.
    """
    name = call.op.name
    if name in OF_A_TUPLE and len(call.args) != 2:
        message = f"{_name(call)} takes a callee and a tuple, found {len(call.args)} argument(s)"
        CallDeduction(frame, call.span).fail("ty/call-form-arguments", message)
    return CALL_FORMS[name](frame, call, args)
