"""What a node must be besides the types of its fields: all that the reader of text ensures by how it builds nodes.

Spec: ``spec/03c-printing-and-json.md``, ``syn/json-node``.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import Any

from refrelax.syntax import dtypes
from refrelax.syntax.graph import (
    AttrList,
    Attrs,
    Call,
    DataTypeValue,
    DistConstant,
    IndexMap,
    Op,
    PrimValue,
    StringValue,
)
from refrelax.syntax.module import ConstantArray
from refrelax.syntax.scalars import Literal, as_int
from refrelax.syntax.signatures import FORMATS, OPERATOR_NAMES, Slot, has_signature, signature
from refrelax.syntax.types import ShapeType, TensorType

NAMED = frozenset({"Var", "Param", "GlobalVar", "SymVar", "Buffer", "VarBinding", "MatchCast"})
"""Nodes whose ``name`` is an identifier; that of an ``Op`` or an ``ExternFunc`` has dots."""

_NUMBER = (int, Literal, PrimValue)
_KINDS: dict[str, tuple[type, ...]] = {
    "int": (int,), "bool": (bool,), "str": (str, StringValue), "float": (Literal,), "dtype": (str, DataTypeValue),
    "vdevice": (str,), "imm": _NUMBER, "index_map": (IndexMap,), "expr": (Literal,),
}  # fmt: skip
"""What an attribute of each kind is; a kind that ends in ``s`` or in a number is a list of numbers."""

_FILLED = frozenset({("relax.arange", "dtype"), ("relax.arange", "end"), ("relax.eye", "m")})
"""What a text may leave out, and the reader then finds from the other arguments."""

_EITHER_WAY = frozenset({"any", "expr"})


def fault(node: Any) -> str | None:
    """Why no text gives ``node``, its parts being what they should be; ``None`` if one may."""
    return next(_faults(type(node).__name__, node), None)


def _faults(kind: str, node: Any) -> Iterator[str]:
    if kind in NAMED and not node.name.isidentifier():
        yield f"the name of a {kind} is no identifier"
    dtype = getattr(node, "dtype", None)
    if isinstance(dtype, str) and not dtypes.is_dtype(dtype):
        yield f"the dtype of a {kind} is none"
    if kind in ("Literal", "Constant"):
        yield from _numbers(kind, node)
    if isinstance(node, ConstantArray):
        yield from _bytes(node)
    if isinstance(node, DistConstant):
        tensor = node.type.tensor
        dims = tuple(map(as_int, tensor.shape)) if isinstance(tensor.shape, tuple) else None
        if (dims, tensor.dtype) != (node.value.shape, node.value.dtype):
            yield "the type of a DistConstant has the shape and the dtype of its constant"
    if isinstance(node, TensorType | ShapeType):
        extents = node.shape if isinstance(node, TensorType) else node.values
        if node.ndim < -1 or (isinstance(extents, tuple) and node.ndim != len(extents)):
            yield f"the ndim of a {kind} is the number of its dims, or -1 where that is unknown, found {node.ndim}"
    if kind == "Module":
        yield from (
            f"the name {name[:60]!r} of a function is no identifier"
            for name in node.functions
            if not name.isidentifier()
        )
    if kind == "Op" and node.name not in OPERATOR_NAMES:
        yield f"no operator is called {node.name[:60]!r}"
    if isinstance(node, Call) and isinstance(node.op, Op):
        yield from _operator(node, node.op.name)


def _numbers(kind: str, node: Any) -> Iterator[str]:
    """A bit pattern fits into its dtype, and a constant has as many elements as its shape says."""
    patterns = [node.bits] if kind == "Literal" else node.data
    if not dtypes.is_dtype(node.dtype):
        return  # (said already)
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
    if not dtypes.is_dtype(node.dtype):
        return  # (said already)
    if dtypes.kind(node.dtype) not in ("bool", "int", "uint", "float") or dtypes.lanes(node.dtype) != 1:
        yield f"a ConstantArray holds numbers, and {node.dtype} has none"
        return
    expected = prod(node.shape) * dtypes.itemsize(node.dtype)
    if len(node.data) != expected or any(extent < 0 for extent in node.shape):
        yield f"a ConstantArray of its shape and dtype has {expected} bytes, found {len(node.data)}"


def _operator(call: Call, name: str) -> Iterator[str]:
    """An operator with a signature has its arguments and its attributes, all of them, in the order of the IR."""
    place = FORMATS.get(name)
    if place is not None and not isinstance((*call.args, None)[min(place, len(call.args))], StringValue):
        yield f"argument {place} of {name} is its format, a string"
    if not has_signature(name):
        return
    sig = signature(name)
    least = sum(not slot.optional or (name, slot.name) in _FILLED for slot in sig.args)
    if not least <= len(call.args) <= len(sig.args):
        yield f"a call of {name} has {len(call.args)} arguments, expected {least} to {len(sig.args)}"
    if [key for key, _ in call.attrs] != [slot.name for slot in sig.attrs]:
        yield f"the attributes of {name} are {', '.join(slot.name for slot in sig.attrs) or 'none'}, in this order"
    else:
        yield from _attributes(name, call.attrs, sig.attrs)


def _attributes(name: str, attrs: Attrs, slots: tuple[Slot, ...]) -> Iterator[str]:
    for (key, value), slot in zip(attrs, slots, strict=True):
        if value is None and (name, key) not in _FILLED and (slot.optional or slot.kind in _EITHER_WAY):
            continue
        if not _is_of(slot.kind, value):
            yield f"the attribute {key} of {name} is no {slot.kind}"


def _is_of(kind: str, value: Any) -> bool:
    if kind == "any":
        return True
    if kind == "sections" and isinstance(value, int):
        return not isinstance(value, bool)
    if kind not in _KINDS:
        wanted: tuple[type, ...] = _NUMBER if kind in ("imms", "floats") else (int,)
        listed = isinstance(value, AttrList) and all(isinstance(each, wanted) for each in value.items)
        axes = int(kind[-1]) * (2 if kind.startswith("pad") else 1) if kind[-1].isdigit() else None
        return listed and (axes is None or len(value.items) == axes)
    if kind == "dtype":
        named = value.dtype if isinstance(value, DataTypeValue) else value
        return isinstance(named, str) and named != "void" and dtypes.is_dtype(named)
    return isinstance(value, _KINDS[kind]) and (kind == "bool" or not isinstance(value, bool))
