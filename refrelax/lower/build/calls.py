"""The call of the machine for each call of the graph level.

Spec: ``spec/14-build.md``, *Calls*.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from refrelax.lower.build.code import ANY, Code, Unbuildable, number, packed, with_context
from refrelax.rules import rule
from refrelax.semantics.builtins.forms import KILLS
from refrelax.syntax.graph import (
    Call,
    DataTypeValue,
    Expr,
    ExternFunc,
    Function,
    GlobalVar,
    Op,
    ShapeExpr,
    StringValue,
    Tuple,
    Var,
    VarBinding,
)
from refrelax.syntax.loops import PrimFunc
from refrelax.syntax.module import Module
from refrelax.syntax.types import VOID, PrimType, ShapeType, TensorType, TupleType, Type

BYTES = DataTypeValue("uint8")
LAUNCH = "vm.builtin.call_tir_dyn"
KILL = Op("relax.vm.kill_object")
"""Ends the life of a name. The machine has no function for it: it clears the register."""

Form = Callable[[Code, Call, list[Expr]], Expr]


def erased(types: Sequence[Type]) -> tuple[Type, ...]:
    """What a call still says of its result: that there is none."""
    result = types[0] if len(types) == 1 else TupleType(tuple(types)) if types else ANY
    return (VOID if result == VOID else ANY,)


@rule("lo/machine-call")
def translated(code: Code, module: Module, call: Call, wish: str) -> Expr:
    """A call of the machine that does what ``call`` does. What it needs is written before it."""
    match call.op:
        case GlobalVar(name=name):
            return _of_module(code, module, name, [code.atom(each) for each in call.args])
        case ExternFunc(name=name):
            return Call(call.op, tuple(code.atom(each) for each in call.args), (), _kept(name, call))
        case Var():
            return with_context("vm.builtin.invoke_closure", (call.op, *map(code.atom, call.args)))
        case Op(name="relax.call_builtin_with_ctx"):
            args = call.args[1].fields if isinstance(call.args[1], Tuple) else None
            if not isinstance(call.args[0], ExternFunc) or args is None:
                raise Unbuildable("a library function that is not named")
            kept = _kept(call.args[0].name, call)[0] if call.ty_args else VOID
            return with_context(call.args[0].name, [*map(code.atom, args)], kept)
        case Op(name=name):
            return _of_operator(code, name, call, wish)


def _kept(name: str, call: Call) -> tuple[Type, ...]:
    """The result that a library call still promises: scalars that the library makes have their dtype from it."""
    if name == "vm.builtin.make_prim_value" and call.ty_args and isinstance(call.ty_args[0], PrimType):
        return call.ty_args
    return erased(call.ty_args)


def _of_module(code: Code, module: Module, name: str, args: list[Expr]) -> Expr:
    match module.functions[name]:
        case PrimFunc(ret=None):
            return packed(LAUNCH, (GlobalVar(name), *args, ShapeExpr(())), VOID)
        case Function():
            return Call(GlobalVar(name), tuple(args))
        case ExternFunc(name=symbol):
            return packed(symbol, args)
        case _:
            raise Unbuildable(f"{name} gives a scalar")


def _of_operator(code: Code, name: str, call: Call, wish: str) -> Expr:
    if name in KILLS:
        return Call(KILL, call.args)
    form = FORMS.get(name)
    if form is None:
        raise Unbuildable(f"{name} has no call of the machine")
    if name == "relax.builtin.alloc_tensor":
        return form(code, call, list(call.args))
    return form(code, call, [_argument(code, each) for each in call.args])


def _argument(code: Code, each: Expr) -> Expr:
    """An argument; a tuple of them stays one, for forms that take it apart."""
    return Tuple(tuple(code.atom(f) for f in each.fields)) if isinstance(each, Tuple) else code.atom(each)


# --- forms -----------------------------------------------------------------------------------------------------------


def _alloc_storage(code: Code, call: Call, args: list[Expr]) -> Expr:
    """``R.memory.alloc_storage(bytes, device, scope, hint)``."""
    return with_context("vm.builtin.alloc_storage", (args[0], args[1], BYTES, args[2]))


def _vm_alloc_storage(code: Code, call: Call, args: list[Expr]) -> Expr:
    return with_context("vm.builtin.alloc_storage", args)


def _alloc_tensor(code: Code, call: Call, args: list[Expr]) -> Expr:
    return packed("vm.builtin.alloc_tensor", args[:4])


def _tensor_of_its_own(code: Code, call: Call, args: list[Expr]) -> Expr:
    """``R.builtin.alloc_tensor(shape, dtype, device, scope)``: a storage of its own, of so many elements."""
    shape, dtype, device, scope = (code.atom(each) for each in args)
    room = code.emit(with_context("vm.builtin.alloc_storage", (shape, device, dtype, scope)), "storage")
    return packed("vm.builtin.alloc_tensor", (room, number(0), shape, dtype))


def _named(name: str, void: bool = False) -> Form:
    """The library function ``name`` of the same arguments."""
    return lambda code, call, args: packed(name, args, VOID if void else ANY)


def _view(code: Code, call: Call, args: list[Expr]) -> Expr:
    """``R.memory.view(x, shape, dtype, offset)``. The machine's takes all four: what is left out is that of ``x``."""
    given: list[Expr] = [*args, *([Tuple(())] * (4 - len(args)))]
    x, shape, dtype, offset = given
    if not all(_is_told(code, each) for each in call.args[1:]):
        raise Unbuildable("what may be null, and stands for nothing then")
    if shape == Tuple(()):
        shape = code.emit(packed("vm.builtin.shape_of", (x,)))
    if dtype == Tuple(()):
        source = code.types.get(x.name) if isinstance(x, Var) else None
        if not isinstance(source, TensorType) or source.dtype is None:
            raise Unbuildable("a view of a dtype that is not known")
        dtype = DataTypeValue(source.dtype)
    return packed("runtime.TVMTensorCreateView", (x, shape, dtype, number(0) if offset == Tuple(()) else offset))


def _is_told(code: Code, each: Expr) -> bool:
    """Whether it is seen if an argument is left out: a name may be of null."""
    if not isinstance(each, Var):
        return True
    written = (b.value for b in code.bindings if isinstance(b, VarBinding) and b.name == each.name)
    known = isinstance(code.types.get(each.name), ShapeType | PrimType)
    return known or any(isinstance(value, DataTypeValue) for value in written)


def _null(code: Code, call: Call, args: list[Expr]) -> Expr:
    return packed("vm.builtin.null_value", ())


def _library(code: Code, call: Call, args: list[Expr]) -> Expr:
    """``R.call_pure_packed`` and its kin: the function is the first argument."""
    match args[0]:
        case ExternFunc(name=name) | StringValue(value=name):
            return Call(ExternFunc(name), tuple(args[1:]), (), _kept(name, call))
        case callee:
            return with_context("vm.builtin.invoke_closure", (callee, *args[1:]), erased(call.ty_args)[0])


def _invoke(code: Code, call: Call, args: list[Expr]) -> Expr:
    """``R.invoke_closure(c, (args…))``."""
    if not isinstance(args[1], Tuple):
        raise Unbuildable("arguments that are not written out")
    return with_context("vm.builtin.invoke_closure", (args[0], *args[1].fields), erased(call.ty_args)[0])


def _call_tir_dyn(code: Code, call: Call, args: list[Expr]) -> Expr:
    """``R.vm.call_tir_dyn(f, (args…, shape))``."""
    if not isinstance(args[1], Tuple):
        raise Unbuildable("arguments that are not written out")
    return packed(LAUNCH, (args[0], *args[1].fields), VOID)


FORMS: dict[str, Form] = {
    "relax.memory.alloc_storage": _alloc_storage,
    "relax.memory.alloc_tensor": _alloc_tensor,
    "relax.memory.view": _view,
    "relax.memory.ensure_zero_offset": _named("vm.builtin.ensure_zero_offset"),
    "relax.builtin.alloc_tensor": _tensor_of_its_own,
    "relax.vm.alloc_storage": _vm_alloc_storage,
    "relax.vm.alloc_tensor": _alloc_tensor,
    "relax.vm.call_tir_dyn": _call_tir_dyn,
    "relax.call_pure_packed": _library,
    "relax.call_inplace_packed": _library,
    "relax.invoke_closure": _invoke,
    "relax.invoke_pure_closure": _invoke,
    "relax.null_value": _null,
    "relax.shape_of": _named("vm.builtin.shape_of"),
    "relax.tensor_to_shape": _named("vm.builtin.tensor_to_shape"),
    "relax.shape_to_tensor": _named("relax.run.shape_to_tensor"),
    "relax.assert_op": _named("relax.run.assert_op", void=True),
    "relax.nonzero": _named("relax.run.nonzero"),
    "relax.unique": _named("relax.run.unique"),
    "relax.print": _named("relax.run.print", void=True),
}
"""Operators that the machine has a call for, besides those that end a life."""
