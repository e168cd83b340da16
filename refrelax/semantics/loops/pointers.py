"""What handles point to, as it is known when a function is built: memory, values of the caller, nothing.

A *pointee* is a ``Bound`` (memory from an element on), a ``TensorValue`` (its descriptor), a tuple (packed arguments),
an ``Extents`` (the shape of a descriptor), a ``Record`` or an ``Entry`` of one (``intrinsics/records.py``), a string,
or ``None`` for null.

Spec: ``spec/07-evaluation.md``, *Buffers*.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from refrelax.errors import Ended, Span, unspecified
from refrelax.rules import rule
from refrelax.semantics.loops.frame import Bound, Builder, Frame, Index, Run, fixed
from refrelax.semantics.loops.indices import build_index
from refrelax.semantics.loops.memory import flat_position, settled
from refrelax.semantics.storage import BYTES
from refrelax.semantics.values import TensorValue
from refrelax.syntax import dtypes
from refrelax.syntax.scalars import BufferLoad, BufferRef, Intrinsic, PrimExpr, StringImm, SymVar


def resolve(build: Builder, handle: PrimExpr) -> Bound:
    """The memory that a handle expression names: ``B.data``, a handle variable, ``T.address_of(B[0])``."""
    found = pointee(build, handle)
    if isinstance(found, Bound):
        return found
    if isinstance(found, TensorValue):
        return bind_tensor(handle.name if isinstance(handle, SymVar) else "", found)
    raise unknown(handle)


@rule("ld/unknown-handle")
def pointee(build: Builder, handle: PrimExpr) -> Any:
    """What a handle expression points to.

    Raises:
        Ended: ``Unspecified("ld/unknown-handle")`` if that is not known.
    """
    match handle:
        case BufferRef():
            return build.buffers[handle.buffer]
        case SymVar() if handle.name in build.handles:
            found = build.handles[handle.name]
            if isinstance(found, Ended):
                raise Ended(found.outcome)
            return found
        case StringImm():
            return handle.value
        case Intrinsic(op="address_of", args=(BufferLoad() as load,)):
            return _element_on(build, load)
        case Intrinsic(op="tvm_access_ptr", args=(unit, data, offset, extent, _)):
            base = in_units_of(build, resolve(build, data), unit.dtype, handle.span)
            return _shifted(base, build_index(build, offset), build_index(build, extent))
        case Intrinsic(op="handle_add_byte_offset" | "ptr_byte_offset", args=(data, offset, *unit)):
            base, octets = resolve(build, data), build_index(build, offset)
            dtype = _named(unit) or _unit(base, octets)
            at = pointer_at(base, dtype, base.name, handle.span, octets)
            return _rest(in_units_of(build, base, dtype, handle.span), at)
        case Intrinsic(op="reinterpret", args=(data,)):
            if data.dtype.startswith("handle"):
                return pointee(build, data)
            if build_index(build, data).constant == 0:
                return None
        case Intrinsic(op="if_then_else", args=(condition, yes, no)):
            chosen = build_index(build, condition).constant
            if chosen is not None:
                return pointee(build, yes if chosen else no)
        case Intrinsic(op="tvm_static_handle"):
            return None
        case Intrinsic():
            return build.record(handle)
        case _:
            pass
    raise unknown(handle)


def unknown(handle: PrimExpr) -> Ended:
    """The end of a run that needs memory which nobody can name."""
    return unspecified("ld/unknown-handle", "this handle names no memory of the function", handle.span)


def bind_tensor(name: str, tensor: TensorValue, scope: str = "global") -> Bound:
    """A tensor's memory under a buffer's name. A caller may have passed a view that reaches beyond it."""
    return Bound(
        name,
        tensor.dtype,
        tensor.storage,
        tensor.storage.plane(tensor.dtype, tensor.numerics),
        tuple(fixed(e) for e in tensor.shape),
        tuple(fixed(s) for s in tensor.strides),
        fixed(tensor.offset),
        scope,
        fixed(tensor.offset),
        borrowed=True,  # a caller may say that more lies behind a pointer than does
    )


def bind_handle(build: Builder, name: str, value: PrimExpr) -> Run:
    """``h: T.let[T.handle] = B.data``: another name for memory. What is not known ends the run where it is used."""
    keep: Run | None = None
    try:
        found = pointee(build, value)
        if isinstance(found, Bound):
            found, keep = settled(build, found)
        build.handles[name] = found
    except Ended as end:
        build.handles[name] = end
    return keep or (lambda _frame: None)


# --- arithmetic on pointers ------------------------------------------------------------------------------------------


def total(a: Index, b: Index) -> Index:
    """The sum of two places, a constant where both are."""
    if a.constant is not None and b.constant is not None:
        return fixed(a.constant + b.constant)
    f, g = a.run, b.run
    return b if a.constant == 0 else Index(lambda frame: f(frame) + g(frame), ends=a.ends or b.ends)


@rule("ev/data-pointer")
def pointer_at(base: Bound, dtype: str, name: str, span: Span | None, octets: Index | None = None) -> Index:
    """The data pointer of ``base``, and ``octets`` bytes beyond it, counted in elements of ``dtype``."""
    size, width, run, by = (
        dtypes.memory_bits(base.dtype),
        dtypes.memory_bits(dtype),
        base.pointer.run,
        octets or fixed(0),
    )
    beyond = by.run

    def pointer(frame: Frame) -> int:
        at = run(frame) * size + beyond(frame) * 8
        if at % width:
            raise unspecified("ev/data-pointer", f"{name} at byte {at / 8:g} begins inside an element of {dtype}", span)
        return int(at // width)

    if base.pointer.constant is None or by.constant is None:
        return Index(pointer, ends=base.pointer.ends or by.ends)
    known = base.pointer.constant * size + by.constant * 8
    return Index(pointer) if known % width else fixed(known // width)


def in_units_of(build: Builder, base: Bound, dtype: str, span: Span | None) -> Bound:
    """The memory at the data pointer of ``base`` as elements of ``dtype``."""
    if dtype in ("handle", "void", base.dtype):
        return replace(base, origin=base.pointer)
    build.aliasing = True
    cells, at = base.storage.plane(dtype, build.context.numerics), pointer_at(base, dtype, base.name, span)
    return replace(base, dtype=dtype, cells=cells, origin=at, pointer=at)


def _named(unit: list[PrimExpr]) -> str | None:
    """The dtype that ``T.ptr_byte_offset`` is given."""
    name = unit[0].value if unit and isinstance(unit[0], StringImm) else unit[0].dtype if unit else ""
    return name if dtypes.is_dtype(name) and dtypes.kind(name) not in ("handle", "void") else None


def _unit(base: Bound, octets: Index) -> str:
    """What a handle some bytes further counts in: elements of its memory, or bytes if it may be inside of one."""
    known = octets.constant
    return base.dtype if known is not None and 8 * known % dtypes.memory_bits(base.dtype) == 0 else BYTES


@rule("ev/pointer-into-buffer")
def _shifted(base: Bound, offset: Index, extent: Index) -> Bound:
    """Memory from an element on, as one dimension of elements."""
    origin = total(base.origin, offset)
    return replace(base, shape=(extent,), strides=(fixed(1),), origin=origin, pointer=origin, borrowed=True)


def _element_on(build: Builder, load: BufferLoad) -> Bound:
    """``T.address_of(B[i])``: the memory from that element to the end of the storage."""
    base = build.buffers[load.buffer]
    indices = [build_index(build, each) for each in load.indices]
    return _rest(base, Index(flat_position(base, indices), ends=any(each.ends for each in (base.origin, *indices))))


def rest_of(base: Bound) -> Bound:
    """The memory from the first element of ``base`` to the end of the storage, as one dimension."""
    return _rest(base, base.origin)


def _rest(base: Bound, at: Index) -> Bound:
    cells, start = base.cells, at.run
    rest = Index(lambda frame: max(len(cells) - start(frame), 0), ends=at.ends)
    return replace(base, shape=(rest,), strides=(fixed(1),), origin=at, pointer=at, borrowed=True)
