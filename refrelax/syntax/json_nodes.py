"""What a node must be besides the types of its fields: all that the reader of text ensures by how it builds nodes.

Spec: ``spec/03c-printing-and-json.md``, ``syn/json-node``.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterator
from dataclasses import fields
from math import prod
from typing import Any

from refrelax.syntax import dtypes
from refrelax.syntax.graph import (
    AttrList,
    Attrs,
    Call,
    Constant,
    ConstantRef,
    DataTypeValue,
    DistConstant,
    ExternFunc,
    Function,
    IndexMap,
    Op,
    PrimValue,
    StringValue,
    VarBinding,
)
from refrelax.syntax.loops import Buffer, BufferParam, MatchBufferRegion, PrimFunc, SBlock, symbols_of
from refrelax.syntax.module import ConstantArray, Module
from refrelax.syntax.read.device_intrinsics import SCOPE_IDS
from refrelax.syntax.read.intrinsics import BUILT, INTRINSICS
from refrelax.syntax.scalars import (
    BufferRef,
    CommReducer,
    Intrinsic,
    Literal,
    RangeArg,
    Shuffle,
    StringImm,
    as_int,
    int_imm,
)
from refrelax.syntax.signatures import FORMATS, OPERATOR_NAMES, Slot, has_signature, signature
from refrelax.syntax.types import ShapeType, TensorType

NAMED = frozenset({"Var", "Param", "GlobalVar", "SymVar", "Buffer", "VarBinding", "MatchCast"})
"""Nodes whose ``name`` is an identifier; that of an ``Op`` or an ``ExternFunc`` has dots."""

_NUMBER = (int, Literal, PrimValue)
_INTEGERS = range(-(1 << 63), 1 << 63)
_KINDS: dict[str, tuple[type, ...]] = {
    "int": (int,), "bool": (bool,), "str": (str, StringValue), "float": (Literal,), "dtype": (str, DataTypeValue),
    "vdevice": (str,), "imm": _NUMBER, "index_map": (IndexMap,), "expr": (Literal,),
}  # fmt: skip
"""What an attribute of each kind is; a kind that ends in ``s`` or in a number is a list of numbers."""

FILLED = frozenset({("relax.arange", "dtype"), ("relax.arange", "end"), ("relax.eye", "m")})
"""What a text may leave out, and the reader then finds from the other arguments."""

EITHER_WAY = frozenset({"any", "expr"})


_TABLES = ("attrs", "annotations", "global_infos", "items")
"""Fields of pairs of a key and a value."""

FORM_ATTRS: dict[str, tuple[str, ...]] = {
    "relax.call_tir_inplace": ("inplace_indices",), "relax.call_inplace_packed": ("inplace_indices",),
    "relax.call_tir_with_grad": ("te_grad_name", "te_grad_kwargs"),
}  # fmt: skip
"""The attributes of the operators without a signature; library functions, and their pure calls, take any."""

_WITHOUT_TABLE = SCOPE_IDS | {
    "target", "iter_var", "break_loop", "continue_loop", "ret",
    "abs", "expm1", "isfinite", "isinf", "max", "min", "sign", "square", "truncmod",
}  # fmt: skip
"""Intrinsics that the reader of text makes from forms of their own, has statements for, or rewrites."""

_PARTS = frozenset({"", "data"})
"""What of a buffer a ``BufferRef`` is: the buffer, or its pointer."""

_ARRAYS = frozenset({"ir.GenericConst", "ffi.Tensor"})


def fault(node: Any) -> str | None:
    """Why no text gives ``node``, its parts being what they should be; ``None`` if one may."""
    return next(_faults(type(node).__name__, node), None)


def _faults(kind: str, node: Any) -> Iterator[str]:
    if kind in NAMED and not _is_name(node.name):
        yield f"the name of a {kind} is no identifier"
    if isinstance(node, Shuffle) and not (node.vectors and node.indices):
        yield "a Shuffle has a vector and an index, at least"
        return
    dtype = getattr(node, "dtype", None)
    if isinstance(dtype, str) and not dtypes.is_dtype(dtype):
        yield f"the dtype of a {kind} is none"
        return
    yield from _fields(kind, node)
    match node:
        case Literal() | Constant():
            yield from _numbers(kind, node)
        case ConstantArray():
            yield from _bytes(node)
        case DistConstant():
            tensor = node.type.tensor
            dims = tuple(map(as_int, tensor.shape)) if isinstance(tensor.shape, tuple) else None
            if (dims, tensor.dtype) != (node.value.shape, node.value.dtype):
                yield "the type of a DistConstant has the shape and the dtype of its constant"
        case ConstantRef() if node.index < 0 or node.kind not in _ARRAYS:
            yield f"a ConstantRef is of {' or '.join(sorted(_ARRAYS))}, and its index 0 or more"
        case TensorType() | ShapeType():
            yield from _dims(kind, node)
        case Module():
            yield from (
                f"the name {name[:60]!r} of a function is no identifier"
                for name in node.functions
                if not _is_name(name)
            )
        case Op() if node.name not in OPERATOR_NAMES:
            yield f"no operator is called {node.name[:60]!r}"
        case Call():
            yield from _called(node)
        case VarBinding(value=Function(private=False)):
            yield "a local function is private"
        case Intrinsic():
            yield from _intrinsic(node)
        case StringImm() | BufferRef() | CommReducer() | RangeArg():
            yield from _argument(kind, node)
        case _:
            yield from _memory(node)


def _is_name(name: str) -> bool:
    return name.isidentifier() and not keyword.iskeyword(name)


def _fields(kind: str, node: Any) -> Iterator[str]:
    """Integers but bit patterns fit into int64, and no key is given twice."""
    for each in fields(node):
        value = getattr(node, each.name)
        if each.name not in ("bits", "data", "span"):
            numbers = value if isinstance(value, tuple) else (value,)
            wrong = next((v for v in numbers if isinstance(v, int) and v not in _INTEGERS), None)
            if wrong is not None:
                yield f"the field {each.name!r} of a {kind} holds an integer of int64"
        if each.name in _TABLES and isinstance(value, tuple) and value and isinstance(value[0], tuple):
            yield from _table(kind, each.name, value)


def _table(kind: str, name: str, pairs: Attrs) -> Iterator[str]:
    keys = [key for key, _ in pairs]
    twice = next((key for place, key in enumerate(keys) if key in keys[:place]), None)
    if twice is not None:
        yield f"the field {name!r} of a {kind} gives the key {twice[:60]!r} twice"
    if any(isinstance(value, int) and value not in _INTEGERS for _, value in pairs):
        yield f"the field {name!r} of a {kind} holds integers of int64"


def _dims(kind: str, node: TensorType | ShapeType) -> Iterator[str]:
    extents = node.shape if isinstance(node, TensorType) else node.values
    if node.ndim < -1 or (isinstance(extents, tuple) and node.ndim != len(extents)):
        yield f"the ndim of a {kind} is the number of its dims, or -1 where that is unknown, found {node.ndim}"
    if isinstance(node, TensorType):
        if node.dtype == "void":
            yield "the dtype of a TensorType is null where it is unknown, found 'void'"
        if isinstance(extents, str) and not _is_name(extents):
            yield "the shape variable of a TensorType is no identifier"
        if node.vdevice is not None and not _DEVICE.fullmatch(node.vdevice):
            yield f'the vdevice of a TensorType is a device such as "llvm:0:global", found {node.vdevice[:60]!r}'


_DEVICE = re.compile("[^:]+:(?:0|[1-9][0-9]*|-1):[^:]+", re.DOTALL)


def _intrinsic(node: Intrinsic) -> Iterator[str]:
    """An intrinsic that there is, or a function of the module."""
    name = node.op.removeprefix("cls.")
    if name != node.op and not _is_name(name):
        yield f"no function is called {name[:60]!r}"
    elif name == node.op and name not in INTRINSICS and name not in BUILT and name not in _WITHOUT_TABLE:
        yield f"no intrinsic is called {name[:60]!r}"
    known = {"axis"} if name in SCOPE_IDS else INTRINSICS[name].keywords if name in INTRINSICS else ()
    if wrong := next((key for key, _ in node.attrs if key not in known), None):
        yield f"T.{name} has no attribute {wrong[:60]!r}"


def _argument(kind: str, node: StringImm | BufferRef | CommReducer | RangeArg) -> Iterator[str]:
    """What stands among the arguments of an intrinsic alone."""
    if node.dtype != "handle":
        yield f"the dtype of a {kind} is handle, found {node.dtype}"
    if isinstance(node, BufferRef) and node.part not in _PARTS:
        yield f"the part of a BufferRef is '' or 'data', found {node.part[:60]!r}"
    if isinstance(node, BufferRef) and node.args:
        yield "a BufferRef has no args"
    if isinstance(node, CommReducer) and len({len(node.lhs), len(node.rhs), len(node.result), len(node.identity)}) > 1:
        yield "a CommReducer has as many results and identities as variables on either side"


def _memory(node: Any) -> Iterator[str]:
    """Buffers and what holds them."""
    match node:
        case Buffer():
            if node.align < 1 or node.offset_factor < 1:
                yield "the align and the offset_factor of a Buffer are 1 or more"
            if node.offset_factor > 1 and node.elem_offset is None:
                yield "a Buffer with an offset_factor has an elem_offset"
            if any((as_int(each) or 0) < 0 for each in node.shape):
                yield "an extent of a Buffer is not negative"
            if node.scalar and node.shape != (int_imm(1, "int32"),):
                yield "a Buffer that is a scalar has one element"
        case BufferParam() if node.buffer.scalar:
            yield "the buffer of a parameter is no scalar"
        case MatchBufferRegion() if node.buffer.scalar:
            yield "the buffer of a MatchBufferRegion is no scalar"
        case SBlock() if any(each.scalar for each in node.allocs):
            yield "a buffer of an SBlock is no scalar"
        case PrimFunc():
            if node.ret is not None and not dtypes.is_dtype(node.ret):
                yield f"the ret of a PrimFunc is a dtype, found {node.ret[:60]!r}"
            if any(each.scalar for each in node.root_allocs):
                yield "a buffer that a PrimFunc allocates is no scalar"
            if node.symbols != symbols_of(node.params):
                found = ", ".join(each.name for each in symbols_of(node.params)) or "none"
                yield f"the symbols of a PrimFunc are those that its buffers define, in order: {found}"


def _numbers(kind: str, node: Any) -> Iterator[str]:
    """A bit pattern fits into its dtype, and a constant has as many elements as its shape says."""
    patterns = [node.bits] if kind == "Literal" else node.data
    if dtypes.kind(node.dtype) not in ("bool", "int", "uint", "float") or dtypes.lanes(node.dtype) != 1:
        yield f"a {kind} is a number, and {node.dtype} has none"
        return
    if any(each < 0 or each >> dtypes.bits(node.dtype) for each in patterns):
        yield f"a bit pattern of a {kind} is too wide for {node.dtype}"
    if kind == "Constant":
        count = 1
        for extent in node.shape:
            count *= extent
        if count != len(patterns) or any(extent < 0 for extent in node.shape):
            yield f"a Constant has as many elements as its shape says, found {len(patterns)}"


def _bytes(node: ConstantArray) -> Iterator[str]:
    """An array has the bytes of as many numbers as its shape says."""
    if dtypes.kind(node.dtype) not in ("bool", "int", "uint", "float") or dtypes.lanes(node.dtype) != 1:
        yield f"a ConstantArray holds numbers, and {node.dtype} has none"
        return
    expected = prod(node.shape) * dtypes.itemsize(node.dtype)
    if len(node.data) != expected or any(extent < 0 for extent in node.shape):
        yield f"a ConstantArray of its shape and dtype has {expected} bytes, found {len(node.data)}"


def _called(call: Call) -> Iterator[str]:
    """What is called has the attributes that it takes, and a format that is a string."""
    if isinstance(call.op, Op) and (place := FORMATS.get(call.op.name)) is not None:
        if not isinstance((*call.args, None)[min(place, len(call.args))], StringValue):
            yield f"argument {place} of {call.op.name} is its format, a string"
    match call.op:
        case Op(name) if has_signature(name):
            yield from _operator(call, name)
        case Op(name) if name != "relax.call_pure_packed":
            wanted = FORM_ATTRS.get(name, ())
            if tuple(key for key, _ in call.attrs) != wanted:
                yield f"the attributes of {name} are {', '.join(wanted) or 'none'}"
        case Op() | ExternFunc():
            if wrong := next((key for key, _ in call.attrs if not _is_name(key) or key in _TYPES), None):
                yield f"the attribute {wrong[:60]!r} of a library function has no name that a call can give"
        case _ if call.attrs:
            yield "a call of a function of the program has no attributes"


_TYPES = frozenset({"ty_args", "sinfo_args", "func", "attrs_type_key"})
"""Keywords of the call of a library function itself."""


def _operator(call: Call, name: str) -> Iterator[str]:
    """An operator with a signature has its arguments and its attributes, all of them, in the order of the IR."""
    sig = signature(name)
    least = sum(not slot.optional or (name, slot.name) in FILLED for slot in sig.args)
    if not least <= len(call.args) <= len(sig.args):
        yield f"a call of {name} has {len(call.args)} arguments, expected {least} to {len(sig.args)}"
    if [key for key, _ in call.attrs] != [slot.name for slot in sig.attrs]:
        yield f"the attributes of {name} are {', '.join(slot.name for slot in sig.attrs) or 'none'}, in this order"
    else:
        yield from _attributes(name, call.attrs, sig.attrs)


def _attributes(name: str, attrs: Attrs, slots: tuple[Slot, ...]) -> Iterator[str]:
    for (key, value), slot in zip(attrs, slots, strict=True):
        if value is None and (name, key) not in FILLED and (slot.optional or slot.kind in EITHER_WAY):
            continue
        if not _is_of(slot.kind, value):
            yield f"the attribute {key} of {name} is no {slot.kind}"


def _is_of(kind: str, value: Any) -> bool:
    if kind == "any":
        return True
    if kind == "sections" and isinstance(value, int):
        return not isinstance(value, bool)
    if kind not in _KINDS:
        sort = {"imms": "imm", "floats": "float"}.get(kind, "int")
        listed = isinstance(value, AttrList) and all(_is_of(sort, each) for each in value.items)
        axes = int(kind[-1]) * (2 if kind.startswith("pad") else 1) if kind[-1].isdigit() else None
        return listed and (axes is None or len(value.items) == axes)
    if kind == "dtype":
        named = value.dtype if isinstance(value, DataTypeValue) else value
        return isinstance(named, str) and named != "void" and dtypes.is_dtype(named)
    if kind == "float" and getattr(value, "dtype", None) != "float64":
        return False
    return isinstance(value, _KINDS[kind]) and (kind == "bool" or not isinstance(value, bool))
