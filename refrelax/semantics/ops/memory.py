"""Explicit memory: where tensors live, said by the program.

Chapter 08 says what storage is; here is the form of each operator.

Spec: ``spec/ops/memory.md``.
"""

# What ends the life of a name or calls a function (``kill_*``, ``call_tir_dyn``) has its value rule in
# ``semantics/builtins/forms.py``, which sees the names in scope.

from __future__ import annotations

from math import prod

from refrelax.errors import InternalError, trap, unspecified
from refrelax.rules import rule
from refrelax.semantics.arena import Arena, allocate
from refrelax.semantics.ops import dims as D
from refrelax.semantics.ops.common import (
    UNKNOWN,
    arity,
    dims_of,
    integer_scalar,
    known_dims,
    of_rank,
    rank,
    shape_argument,
    shaped_like,
    short,
    tensor,
    tensor_value,
    with_dims,
)
from refrelax.semantics.ops.definition import Deduction, Evaluation, OpDef
from refrelax.semantics.values import DType, Opaque, Prim, Shape, TensorValue, Value, empty, of_numbers
from refrelax.syntax import dtypes
from refrelax.syntax.graph import Call, DataTypeValue, Expr, PrimValue, StringValue, Var
from refrelax.syntax.scalars import Binary, PrimExpr, as_int, int_imm
from refrelax.syntax.types import VOID, AnyType, PrimType, ShapeType, TensorType, TupleType, Type

PAGE = "memory"


# --- what the arguments say ------------------------------------------------------------------------------------------


@rule("op.memory/dtype-literal")
def _dtype(d: Deduction, call: Call, position: int) -> str:
    found = call.args[position]
    if not isinstance(found, DataTypeValue):
        d.fail("op.memory/dtype-literal", f"{short(call)}: argument {position} must be a dtype literal, R.dtype(…)")
    return found.dtype


@rule("op.memory/offset-integer")
def _offset(d: Deduction, call: Call, found: Type, position: int) -> None:
    if not isinstance(found, AnyType | PrimType) or (
        isinstance(found, PrimType) and not dtypes.is_integer(found.dtype)
    ):
        d.fail("op.memory/offset-integer", f"{short(call)}: argument {position} must be an integer, found {found}")


@rule("op.memory/scope-text")
def _place(d: Deduction, call: Call, types: tuple[Type, ...], device: int, scope: int | None = None) -> None:
    """Where memory lies: the number of a device, and the name of a scope."""
    if device < len(types):
        integer_scalar(d, call, types[device], "the device")
    if scope is not None and scope < len(types) and not isinstance(call.args[scope], StringValue):
        d.fail("op.memory/scope-text", f"{short(call)}: the storage scope must be a string, found {types[scope]}")


def _number(e: Evaluation, value: Value) -> int:
    if not isinstance(value, Prim) or not dtypes.is_integer(value.dtype):
        raise unspecified("op.memory/offset-integer", "a byte offset that is no integer", e.span)
    return int(value.value)


def _extents(e: Evaluation, value: Value) -> tuple[int, ...]:
    if not isinstance(value, Shape):
        raise InternalError("a shape was expected")
    if any(each < 0 for each in value.dims):
        raise unspecified("ev/negative-extent", f"a tensor of shape {value.dims}", e.span)
    return value.dims


def _named(e: Evaluation, value: Value) -> str:
    if not isinstance(value, DType):
        raise unspecified("op.memory/dtype-literal", "a dtype that is none", e.span)
    return value.name


# --- allocation ------------------------------------------------------------------------------------------------------


def deduce_builtin_alloc(d: Deduction, call: Call, types: tuple[Type, ...]) -> Type:
    """A tensor of the given shape and dtype."""
    _place(d, call, types, 2, 3)
    return shaped_like(call, 0, shape_argument(d, call, types, 0), _dtype(d, call, 1))


def evaluate_builtin_alloc(e: Evaluation, call: Call, args: tuple[Value, ...]) -> TensorValue:
    """A fresh tensor, no element written."""
    shape = _extents(e, args[0])
    e.spend(prod(shape))
    dtype = _named(e, args[1])
    return empty(e.numerics, dtype, shape)


def deduce_alloc_storage(d: Deduction, call: Call, types: tuple[Type, ...]) -> Type:
    """Anything: a storage is no tensor."""
    shape_argument(d, call, types, 0)
    _place(d, call, types, 1, 2 if call.op.name == "relax.memory.alloc_storage" else 3)
    return AnyType()


def evaluate_memory_storage(e: Evaluation, call: Call, args: tuple[Value, ...]) -> Value:
    """So many bytes, named by no tensor yet; the dtype is a hint."""
    return _arena(e, prod(_extents(e, args[0])), args[2])


def evaluate_vm_storage(e: Evaluation, call: Call, args: tuple[Value, ...]) -> Value:
    """Room for so many elements of the dtype."""
    return _arena(e, prod(_extents(e, args[0])) * dtypes.itemsize(_named(e, args[2])), args[3])


def _arena(e: Evaluation, nbytes: int, scope: Value) -> Value:
    return Opaque(Arena(nbytes, scope if isinstance(scope, str) else "global"))


def deduce_alloc_tensor(d: Deduction, call: Call, types: tuple[Type, ...]) -> Type:
    """A tensor of the given shape and dtype."""
    arity(d, call, 4, 5)
    _offset(d, call, types[1], 1)
    _place(d, call, types, 4)
    return shaped_like(call, 2, shape_argument(d, call, types, 2), _dtype(d, call, 3))


def deduce_vm_alloc_tensor(d: Deduction, call: Call, types: tuple[Type, ...]) -> Type:
    """A tensor of the given shape and dtype; of a shape that is a variable only the rank is kept."""
    found = deduce_alloc_tensor(d, call, types)
    if isinstance(found, TensorType) and isinstance(found.shape, str):
        return of_rank(found.ndim, found.dtype)
    return found


@rule("op.memory.alloc_tensor/storage")
def evaluate_alloc_tensor(e: Evaluation, call: Call, args: tuple[Value, ...]) -> TensorValue:
    """A tensor over the storage from byte ``offset``; no element is written, whatever the bytes held before."""
    arena = args[0].value if isinstance(args[0], Opaque) else None
    if not isinstance(arena, Arena):
        raise unspecified("op.memory.alloc_tensor/storage", f"{short(call)}: the first argument is no storage", e.span)
    shape = _extents(e, args[2])
    e.spend(prod(shape))
    return allocate(arena, _number(e, args[1]), shape, _named(e, args[3]), e.numerics, e.span)


# --- the end of a life; calls ----------------------------------------------------------------------------------------


def deduce_void(d: Deduction, call: Call, types: tuple[Type, ...]) -> Type:
    """Void."""
    return VOID


def evaluate_elsewhere(e: Evaluation, call: Call, args: tuple[Value, ...]) -> Value:
    """The evaluator's: it needs the names in scope."""
    raise InternalError(f"{short(call)} is evaluated in semantics/builtins/forms.py")


# --- views -----------------------------------------------------------------------------------------------------------


@rule("op.memory.view/arguments")
def _view_arguments(d: Deduction, call: Call, types: tuple[Type, ...]) -> None:
    """A shape, a dtype and a byte offset, each of which may be left out (void or null)."""
    for position, (found, kind) in enumerate(zip(types[1:], (ShapeType, AnyType, PrimType), strict=False), start=1):
        if not isinstance(found, kind | AnyType) and found != VOID:
            message = f"{short(call)}: argument {position} must be a {kind.__name__} or nothing, found {found}"
            d.fail("op.memory.view/arguments", message)
    if len(types) > 3 and not isinstance(types[3], TupleType):
        _offset(d, call, types[3], 3)
    viewed = _viewed_as(d, call, types)
    if isinstance(viewed, DataTypeValue) and viewed.dtype == "void":
        d.fail("op.memory.view/arguments", f"{short(call)}: expected a dtype that has elements, or nothing; found void")


def _viewed_as(d: Deduction, call: Call, types: tuple[Type, ...]) -> Expr | None:
    """The dtype of a view: a dtype, a variable whose dtype the run tells, or nothing."""
    given = call.args[2] if len(call.args) > 2 and not isinstance(types[2], TupleType) else None
    if isinstance(given, Var):
        known = d.value_of(given.name)
        return given if known is None else known if isinstance(known, DataTypeValue) else None
    return given if isinstance(given, DataTypeValue) else None


def _view_shape(d: Deduction, call: Call, types: tuple[Type, ...], x: TensorType) -> TensorType:
    found = types[1] if len(types) > 1 else VOID
    if isinstance(found, ShapeType):
        return shaped_like(call, 1, found, x.dtype, x.vdevice)
    dims = known_dims(x)
    return with_dims(dims, x.dtype, x.vdevice) if dims is not None else TensorType(x.shape, x.dtype, x.ndim, x.vdevice)


def _whole_bytes(dtype: str) -> int | None:
    """What an element takes; ``None`` for numbers that lie packed, whose extents are compared at run time."""
    width = dtypes.memory_bits(dtype)
    return None if width % 8 else width // 8


def _bytes(d: Deduction, x: TensorType, itemsize: int | None) -> PrimExpr | None:
    dims = dims_of(d, x)
    if dims is None or itemsize is None:
        return None
    return d.simplify(D.product((*dims, int_imm(itemsize, "int64"))))


def _sizes(d: Deduction, x: TensorType, result: TensorType) -> tuple[PrimExpr | None, PrimExpr | None]:
    """Bytes of a tensor and of a view on it; elements, where both have one dtype that is not known."""
    have, need = (None if each.dtype is None else _whole_bytes(each.dtype) for each in (x, result))
    if have is None and need is None:
        have = need = 1
    return _bytes(d, x, have), _bytes(d, result, need)


@rule("op.memory.view/bounds")
def deduce_view(d: Deduction, call: Call, types: tuple[Type, ...]) -> Type:
    """The same memory at another shape, dtype and byte offset; it must not reach beyond the argument."""
    x = tensor(d, call, types, 0)
    _view_arguments(d, call, types)
    result = _view_shape(d, call, types, x)
    match _viewed_as(d, call, types):
        case DataTypeValue(dtype=dtype):
            result = TensorType(result.shape, dtype, rank(result), x.vdevice)
        case Var():
            result = TensorType(result.shape, None, rank(result), x.vdevice)
    have, need = _sizes(d, x, result)
    start = call.args[3].value if len(call.args) > 3 and isinstance(call.args[3], PrimValue) else int_imm(0, "int64")
    if have is not None and need is not None and (x.dtype is not None or as_int(start) == 0):
        end = d.simplify(Binary("Add", need, start))
        beyond = as_int(d.simplify(Binary("Sub", end, have)))
        if beyond is not None and beyond > 0:
            unit = "elements" if x.dtype is None else "bytes"
            message = f"{short(call)}: the view ends {beyond} {unit} behind {x}"
            d.fail("op.memory.view/bounds", message)
    return result if rank(result) != UNKNOWN else of_rank(UNKNOWN, result.dtype, x.vdevice)


def evaluate_view(e: Evaluation, call: Call, args: tuple[Value, ...]) -> TensorValue:
    """The elements of the argument's memory from byte ``relative_byte_offset`` on, at the given shape and dtype."""
    x = tensor_value(args[0])
    rest = [*args[1:], None, None, None]
    for value, kind in zip(rest, (Shape, DType, Prim), strict=False):
        if value == DType("void") or (not isinstance(value, kind) and value not in (None, ())):
            message = f"{short(call)} takes a shape, a dtype and a byte offset, or nothing in their place"
            raise unspecified("op.memory.view/arguments", message, e.span)
    shape = rest[0].dims if isinstance(rest[0], Shape) else x.shape
    dtype = rest[1].name if isinstance(rest[1], DType) else x.dtype
    offset = _number(e, rest[2]) if isinstance(rest[2], Prim) else 0
    return view(e, x, shape, dtype, offset)


@rule("op.memory.view/bounds-run", "op.memory.view/alignment", "op.memory.view/reinterpreted")
def view(e: Evaluation, x: TensorValue, shape: tuple[int, ...], dtype: str, offset: int) -> TensorValue:
    """The same memory; at another dtype the same bytes of it."""
    if any(extent < 0 for extent in shape):
        raise unspecified("ev/negative-extent", f"a view of shape {shape}", e.span)
    of_numbers(e.numerics, dtype)
    end = 8 * offset + prod(shape) * dtypes.memory_bits(dtype)
    if offset < 0 or end > x.size * dtypes.memory_bits(x.dtype):
        message = f"a view of bits {8 * offset} to {end} of {x.size * dtypes.memory_bits(x.dtype)}"
        raise trap("op.memory.view/bounds-run", message, e.span)
    if not x.compact:
        x = e.tensor(x.dtype, x.shape, x.payloads())
    width = dtypes.memory_bits(dtype)
    first, inside = divmod(x.offset * dtypes.memory_bits(x.dtype) + 8 * offset, width)
    if inside:
        raise unspecified("op.memory.view/alignment", f"byte {offset} is inside an element of {dtype}", e.span)
    x.storage.plane(dtype, x.numerics)
    return TensorValue(dtype, shape, x.storage, x.numerics, first)


def deduce_same(d: Deduction, call: Call, types: tuple[Type, ...]) -> Type:
    """The argument's type."""
    return tensor(d, call, types, 0)


def evaluate_same(e: Evaluation, call: Call, args: tuple[Value, ...]) -> Value:
    """The argument."""
    return args[0]


OPERATORS: tuple[OpDef, ...] = (
    OpDef("relax.builtin.alloc_tensor", deduce_builtin_alloc, evaluate_builtin_alloc, PAGE),
    OpDef("relax.memory.alloc_storage", deduce_alloc_storage, evaluate_memory_storage, PAGE),
    OpDef("relax.memory.alloc_tensor", deduce_alloc_tensor, evaluate_alloc_tensor, PAGE, memory="view"),
    OpDef("relax.memory.kill_storage", deduce_void, evaluate_elsewhere, PAGE, pure=False),
    OpDef("relax.memory.kill_tensor", deduce_void, evaluate_elsewhere, PAGE, pure=False),
    OpDef("relax.memory.view", deduce_view, evaluate_view, PAGE, memory="view"),
    OpDef("relax.memory.ensure_zero_offset", deduce_same, evaluate_same, PAGE, memory="either"),
    OpDef("relax.vm.alloc_storage", deduce_alloc_storage, evaluate_vm_storage, PAGE),
    OpDef("relax.vm.alloc_tensor", deduce_vm_alloc_tensor, evaluate_alloc_tensor, PAGE, memory="view"),
    OpDef("relax.vm.kill_object", deduce_void, evaluate_elsewhere, PAGE, pure=False),
    OpDef("relax.vm.call_tir_dyn", deduce_void, evaluate_elsewhere, PAGE, pure=False, overwrites=True),
)
