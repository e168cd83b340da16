"""What a packed call hands over: the types of its arguments, and what stands in the records behind its handle.

Spec: ``spec/06c-pointwise.md``, ``va/packed``; ``spec/07-evaluation.md``, ``ev/struct-get``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal as OneOf

from refrelax.semantics.graph.link import nodes
from refrelax.semantics.intrinsics import records
from refrelax.semantics.loops.visit import statements_of
from refrelax.syntax import dtypes
from refrelax.syntax.loops import Bind, Buffer, BufferParam, DeclBuffer, PrimFunc, ScalarParam
from refrelax.syntax.scalars import Cast, Intrinsic, PrimExpr, Select, SymVar, as_int
from refrelax.syntax.types import PrimType, TensorType, tensor_of

PARAMETERS = ("self_handle", "args", "num_args", "result")
"""What a packed entry takes."""

INTEGERS = ("int32", "int64")
FLOATS = ("float16", "bfloat16", "float32", "float64")

Given = tuple[tuple[str, TensorType | PrimType], ...]
"""What the caller packs: names and types, tensors of known extents and numbers."""


class Unlike(Exception):
    """An entry does something else with its arguments than packed entries do here; the reason is its text."""


@dataclass(frozen=True, slots=True)
class Part:
    """A handle: the array of all arguments, or a part of the argument ``k``."""

    what: OneOf["all", "descriptor", "data", "shape", "strides"]
    k: int = 0

    def field(self, number: int, wanted: int) -> Part | None:
        """The handle in a field of an element, if there is one."""
        match self.what, wanted:
            case "all", records.VALUE:
                return Part("descriptor", number)
            case "descriptor", records.DATA:
                return Part("data", self.k)
            case "descriptor", records.SHAPE:
                return Part("shape", self.k)
            case "descriptor", records.STRIDES:
                return Part("strides", self.k)
            case _:
                return None


def is_packed(func: object) -> bool:
    """Whether a function has the packed calling convention."""
    if not isinstance(func, PrimFunc) or func.ret != "int32":
        return False
    return tuple(p.var.name if isinstance(p, ScalarParam) else "" for p in func.params) == PARAMETERS


def taken(func: PrimFunc) -> Given | None:
    """What a loop program takes; ``None`` where something has no place in a packed call."""
    found: list[tuple[str, TensorType | PrimType]] = []
    for p in func.params:
        match p:
            case ScalarParam(SymVar(name, dtype)) if dtype in (*INTEGERS, *FLOATS):
                found.append((name, PrimType(dtype)))
            case BufferParam(Buffer(strides=(), elem_offset=None, data=None) as buffer):
                found.append((buffer.name, tensor_of(buffer.shape, buffer.dtype)))
            case _:
                return None
    return tuple(found)


def declared(func: PrimFunc) -> Given | None:
    """The arguments of a packed entry as it declares their memory. Nothing rests on this: its checks are computed for
    arguments of these types."""
    handles = {"args": Part("all")}
    found: dict[int, tuple[str, TensorType | PrimType]] = {}
    for stmt in statements_of(func.body):
        match stmt:
            case Bind(var, value) if var.dtype.startswith("handle"):
                if (part := _read_last(value, handles)) is not None:
                    handles[var.name] = part
            case Bind(var, Cast(_, value) | value) if var.dtype in INTEGERS:
                if (part := _read_last(value, handles)) is not None and part.what == "descriptor":
                    found.setdefault(part.k, (var.name, PrimType(var.dtype)))
            case Bind(var, Select(_, Cast(_, value), _)) if var.dtype in FLOATS:
                if (part := _read_last(value, handles)) is not None and part.what == "descriptor":
                    found.setdefault(part.k, (var.name, PrimType(var.dtype)))
            case DeclBuffer(buffer) if buffer.data is not None:
                if (part := _read_last(buffer.data, handles)) is not None and part.what == "data":
                    found.setdefault(part.k, (buffer.name, tensor_of(buffer.shape, buffer.dtype)))
            case _:
                pass
    return tuple(found[k] for k in range(len(found))) if sorted(found) == list(range(len(found))) else None


def _read_last(e: PrimExpr, handles: Mapping[str, Part]) -> Part | None:
    """The part that an expression reads last of what it reads."""
    match e:
        case SymVar(name):
            return handles.get(name)
        case Intrinsic("reinterpret", (inner,)) | Intrinsic("if_then_else", (_, _, inner)):
            return _read_last(inner, handles)
        case Intrinsic("tvm_struct_get", (base, k, wanted)):
            of, number, which = _read_last(base, handles), as_int(k), as_int(wanted)
            return None if of is None or number is None or which is None else of.field(number, which)
        case _:
            return None


def dims_of(type_: TensorType | PrimType) -> tuple[PrimExpr, ...]:
    return type_.shape if isinstance(type_, TensorType) and isinstance(type_.shape, tuple) else ()


def field_of_tensor(type_: TensorType, wanted: int) -> int:
    dtype = type_.dtype or ""
    code = records.code_of(dtype)
    known = {
        records.NDIM: len(dims_of(type_)),
        records.BITS: dtypes.memory_bits(dtypes.element(dtype)),
        records.LANES: dtypes.lanes(dtype),
        records.BYTE_OFFSET: 0,
        records.DEVICE_ID: 0,
        records.DEVICE_TYPE: 1,
    }
    found = code if wanted == records.CODE else known.get(wanted)
    if found is None:
        raise Unlike(f"field {wanted} of a tensor")
    return found


def symbols_of(given: Given) -> dict[str, SymVar]:
    """What has a name among the arguments: integers by their own names, and the symbols of extents."""
    found = {name: SymVar(name, type_.dtype) for name, type_ in given if isinstance(type_, PrimType)}
    for _, type_ in given:
        for d in dims_of(type_):
            found |= {each.name: each for each in nodes(d) if isinstance(each, SymVar) and each.name not in found}
    return found


__all__ = [
    "PARAMETERS",
    "Given",
    "Part",
    "Unlike",
    "declared",
    "dims_of",
    "field_of_tensor",
    "is_packed",
    "symbols_of",
    "taken",
]
