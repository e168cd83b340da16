"""Expressions of Relax functions as Python source."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import isfinite
from typing import Any, assert_never

from refrelax.backends.errors import Unsupported
from refrelax.backends.numpy_.by_definition import BY_DEFINITION, numbers_of
from refrelax.backends.numpy_.expressions import dtype_text
from refrelax.backends.numpy_.graph_checks import forgets, known_type
from refrelax.backends.numpy_.graph_writer import Writer, element_dtypes, in_storages, plain, records
from refrelax.backends.numpy_.guests import admit
from refrelax.backends.numpy_.machine import MACHINE, MEMORY
from refrelax.backends.numpy_.names import function, local
from refrelax.backends.numpy_.operators import OPERATORS
from refrelax.semantics.builtins.forms import KILLS
from refrelax.semantics.builtins.kernels import KERNELS
from refrelax.semantics.builtins.library import LIBRARY
from refrelax.semantics.ops import binary
from refrelax.syntax import dtypes
from refrelax.syntax.graph import (
    Call,
    Constant,
    ConstantRef,
    DataTypeValue,
    DistConstant,
    Expr,
    ExternFunc,
    Function,
    GlobalVar,
    If,
    Op,
    PrimValue,
    ShapeExpr,
    StringValue,
    Tuple,
    TupleGetItem,
    Var,
)
from refrelax.syntax.loops import PrimFunc
from refrelax.syntax.scalars import Literal, as_int, free_symbols
from refrelax.syntax.types import VOID, FuncType, PrimType, Type


def value(writer: Writer, expr: Expr) -> str:
    """An expression as Python source."""
    match expr:
        case Var():
            return local(expr.name)
        case Call():
            return _call(writer, expr)
        case Constant():
            return writer.constants.name(expr)
        case DistConstant(value=constant):
            return writer.constants.name(constant)
        case ConstantRef():
            return f"run.constant({expr.index})"
        case PrimValue():
            return writer.dim(expr.value)
        case ShapeExpr():
            return f"rt.shape({', '.join(writer.dim(d) for d in expr.values)})"
        case StringValue():
            return repr(expr.value)
        case DataTypeValue():
            return f"rt.Dtype({expr.dtype!r})"
        case Tuple():
            inner = ", ".join(value(writer, each) for each in expr.fields)
            return f"({inner}{',' if len(expr.fields) == 1 else ''})"
        case TupleGetItem():
            return f"{value(writer, expr.tuple)}[{expr.index}]"
        case GlobalVar(name=name) if isinstance(program := writer.module.functions[name], PrimFunc):
            given = f"rt.so_many({name!r}, args, {len(program.params)})"
            return f"(lambda _run, *args: rt.unit({function(name)}(*{given})))"
        case GlobalVar(name=name) if isinstance(named := writer.module.functions[name], ExternFunc):
            return value(writer, named)
        case GlobalVar():
            return function(expr.name)
        case ExternFunc():
            return f"run.extern({expr.name!r})"
        case If() | Function() | Op():
            raise Unsupported(f"a {type(expr).__name__} inside an expression")
        case _:
            assert_never(expr)


def _call(writer: Writer, call: Call) -> str:
    match call.op:
        case Op(name="relax.call_pure_packed"):
            given = ", ".join(value(writer, each) for each in call.args[1:])
            return _promised(call, f"run.library({_library(call.args[0])!r}, [{given}])")
        case Op(name=name) if name in EFFECTS:
            return f"run.{EFFECTS[name]}({', '.join(value(writer, each) for each in call.args)})"
        case Op(name="relax.null_value"):
            return "None"
        case Op(name="relax.call_builtin_with_ctx"):
            given = _builtin(writer, call)
            return given if call.ty_args and call.ty_args != (VOID,) else f"rt.nothing({given})"
        case Op(name="relax.builtin.alloc_tensor") if isinstance(kind := call.args[1], DataTypeValue):
            return f"rt.empty({value(writer, call.args[0])}.dims, {dtype_text(kind.dtype)})"
        case Op(name=name) if name in KILLS:
            return "()"
        case Op(name="relax.vm.call_tir_dyn") if isinstance(given_ := call.args[1], Tuple):
            return _machine("vm.builtin.call_tir_dyn", [value(writer, each) for each in (call.args[0], *given_.fields)])
        case Op(name=name) if name in MEMORY:
            library, order = MEMORY[name]
            _whole_bytes(name, call.args)
            there = [each for each in order if isinstance(each, str) or each < len(call.args)]
            return _machine(library, [e if isinstance(e, str) else value(writer, call.args[e]) for e in there])
        case Op(name=name) if name.startswith(INSPECT):
            return _fact(writer, name.removeprefix(INSPECT), call)
        case Op() if by_definition(writer, call):
            given = ", ".join([repr(writer.path), *(_argument(writer, each) for each in call.args)])
            return f"run.defined({writer.asked(numbers_of)[id(call)]}, {given})"
        case Op(name=name) if name in OPERATORS:
            return _operator(writer, name, call)
        case Op(name=name):
            raise Unsupported(f"the operator {name}")
        case GlobalVar(name=name) if isinstance(named := writer.module.functions[name], ExternFunc):
            return _call(writer, replace(call, op=named))
        case GlobalVar(name=name):
            args = [value(writer, each) for each in call.args]
            if isinstance(writer.module.functions[name], PrimFunc):
                if _launch(writer, name):
                    return f"vm.launch({', '.join(['run', value(writer, call.op), *args])})"
                return f"rt.unit({function(name)}({', '.join(args)}))"
            _given(writer, writer.module.functions[name], call.args)
            return f"{function(name)}({', '.join(['run', *args])})"
        case ExternFunc(name=name) if name in MACHINE:
            _whole_bytes(name, call.args)
            read = _argument if name == "vm.builtin.check_prim_value_info" else value
            text = _machine(name, [read(writer, each) for each in call.args])
            return f"bool({text})" if call.ty_args == (PrimType("bool"),) else text
        case ExternFunc(name=name):
            given = ", ".join(value(writer, each) for each in call.args)
            return _promised(call, f"run.library({known_outside(name)!r}, [{given}])")
        case Var(name=name):
            _given(writer, writer.type_of(name), call.args)
            return f"{local(name)}({', '.join(['run', *(value(writer, each) for each in call.args)])})"
        case _:
            assert_never(call.op)


def _given(writer: Writer, callee: object, args: Sequence[Expr]) -> None:
    """No argument of a Relax function loses its type at the call."""
    match callee:
        case Function(params=params):
            types: list[Type | None] = [each.type for each in params]
        case FuncType(params=tuple() as told):
            types = list(told)
        case _:
            types = [None] * len(args)
    for arg, told_type in zip(args, types, strict=False):
        forgets(known_type(writer, arg), told_type)


def _machine(name: str, args: list[str]) -> str:
    return f"vm.MACHINE[{name!r}]({', '.join(['run', *args])})"


def _whole_bytes(name: str, args: Sequence[Expr]) -> None:
    """No argument is a dtype whose elements share bytes."""
    for each in args:
        if isinstance(each, DataTypeValue) and dtypes.is_dtype(each.dtype) and dtypes.memory_bits(each.dtype) < 8:
            raise Unsupported(f"the {'operator' if name.startswith('relax.') else 'builtin'} {name} of {each.dtype}")


def _builtin(writer: Writer, call: Call) -> str:
    """A library function that sees the machine."""
    match call.args:
        case (ExternFunc(name=name), Tuple(fields=fields)) if name in MACHINE:
            _whole_bytes(name, fields)
            return _machine(name, [value(writer, each) for each in fields])
        case _:
            raise Unsupported("the operator relax.call_builtin_with_ctx")


INSPECT = "relax.inspect.tensor_"
"""What names of operators that give a fact of a tensor's memory begin with."""


def _fact(writer: Writer, what: str, call: Call) -> str:
    """A fact of a tensor. Outside of storages all tensors are compact and begin where their memory does."""
    if what.endswith("_offset") and writer.asked(in_storages):
        raise Unsupported(f"the operator {INSPECT}{what} where tensors lie in storages")
    return f"rt.fact({what!r}, {', '.join(value(writer, each) for each in call.args)})"


def _launch(writer: Writer, name: str) -> bool:
    """Whether a loop program without a result runs on the device: in a module that records runs, it is written
    down."""
    program = writer.module.functions[name]
    host = isinstance(program, PrimFunc) and (dict(program.attrs).get("tirx.is_host_func") or program.ret is not None)
    return not host and writer.asked(records)


EFFECTS = {"relax.print": "shown", "relax.assert_op": "asserted"}
"""Operators that are seen from outside, by the method of the run that does them."""


def _promised(call: Call, text: str) -> str:
    """The result of a library function, which is dropped where void is promised (``ev/packed-result-type``)."""
    return f"rt.nothing({text})" if call.ty_args == (VOID,) else text


def _library(callee: Expr) -> str:
    match callee:
        case ExternFunc(name=name) | StringValue(value=name):
            return known_outside(name)
        case _:
            raise Unsupported("a library call of a computed function")


def known_outside(name: str) -> str:
    """The name of a library function that the caller supplies; the virtual machine's own have no translation."""
    if name in LIBRARY or name in KERNELS or name.startswith(("vm.", "relax.run.", "runtime.")):
        raise Unsupported(f"the builtin {name}")
    return name


OF_SCALARS = frozenset(row.name for row in binary.OPERATORS)
"""Operators that take scalars alone, and then give one."""


THE_SAME = frozenset(
    f"relax.{name}"
    for name in (
        "builtin.stop_lift_params",
        "grad.no_grad",
        "grad.start_checkpoint",
        "grad.end_checkpoint",
        "dist.annotate_sharding",
    )
)
"""Operators whose result is always what they are given, the same memory."""


def by_definition(writer: Writer, expr: Expr) -> bool:
    """Whether a value is the definition's own, which says nothing when it is compared with the definition."""
    if not isinstance(expr, Call) or not isinstance(expr.op, Op):
        return False
    name, dtypes_ = expr.op.name, [d for each in expr.args for d in dtypes_of(writer, each)]
    if name in BY_DEFINITION or name not in OPERATORS:
        return name in BY_DEFINITION
    if any(free_symbols(each.value) for each in expr.args if isinstance(each, PrimValue)):
        return False  # (the definition would ask for the values of symbols: there is no translation)
    try:
        admit(name, dtypes_, {k: plain(v) for k, v in expr.attrs})
    except Unsupported:
        return True
    return False


def _operator(writer: Writer, name: str, call: Call) -> str:
    """``ops["add"](x, y)``; attributes by keyword, prim values with their dtype."""
    admit(name, [d for each in call.args for d in dtypes_of(writer, each)], {k: plain(v) for k, v in call.attrs})
    args = [_argument(writer, each) for each in call.args]
    if name in THE_SAME:
        return args[0]
    attrs = [f"{key}={_spelled(plain(v))}" for key, v in call.attrs]
    if name == "relax.reshape" and isinstance(call.args[1], ShapeExpr):
        kept = [k for k, dim in enumerate(call.args[1].values) if as_int(dim) == 0]
        attrs += [f"kept={kept!r}"] if kept else []
    if name == "relax.arange" and _counts_in_float32(call):
        attrs.append("rounded=True")
    text = f"{writer.table}[{name.removeprefix('relax.')!r}]({', '.join([*args, *attrs])})"
    if name == "relax.reshape" and writer.asked(in_storages):
        return f"vm.reshaped({args[0]}, {text})"
    # a call of scalars alone gives a scalar, which is no tensor (NumPy's row gives an array of shape (1,))
    return f"rt.scalar({text})" if name in OF_SCALARS and all(_is_prim(writer, each) for each in call.args) else text


def _counts_in_float32(call: Call) -> bool:
    """Whether the count of an ``R.arange`` is computed in float32: there is a float, and not all are written."""
    ends = [each.value for each in call.args if isinstance(each, PrimValue)]
    written = all(isinstance(each, Literal) for each in ends)
    return not written and not all(dtypes.kind(each.dtype) == "int" for each in ends)


def _spelled(value: Any) -> str:
    """An attribute as Python spells it; NaN and the infinities are no names."""
    if isinstance(value, float) and not isfinite(value):
        return f"float({str(value)!r})"
    if isinstance(value, list) and any(isinstance(each, float) for each in value):
        return f"[{', '.join(map(_spelled, value))}]"
    return repr(value)


def dtypes_of(writer: Writer, expr: Expr) -> list[str]:
    """The dtypes of an argument, as far as they are known."""
    match expr:
        case Tuple(fields=fields):
            return [d for each in fields for d in dtypes_of(writer, each)]
        case Constant(dtype=dtype):
            return [dtype]
        case Var(name=name):
            return list(filter(None, element_dtypes(writer.type_of(name))))
        case _:
            return []


def _is_prim(writer: Writer, expr: Expr) -> bool:
    match expr:
        case PrimValue():
            return True
        case Var(name=name):
            return isinstance(writer.type_of(name), PrimType)
        case _:
            return False


def _argument(writer: Writer, expr: Expr) -> str:
    text = value(writer, expr)
    match expr:
        case PrimValue(value=inner):
            made = f"rt.prim({inner.dtype!r}, {text})"
            return writer.constants.prim(made) if isinstance(inner, Literal) else made
        case Var(name=name):
            type_ = writer.type_of(name)
            return f"rt.prim({type_.dtype!r}, {text})" if isinstance(type_, PrimType) else text
        case Tuple(fields=fields):
            inner_text = ", ".join(_argument(writer, each) for each in fields)
            return f"({inner_text}{',' if len(fields) == 1 else ''})"
        case _:
            return text
