"""Buffers inside a function: allocation, views of existing memory, sub-region matches.

Spec: ``spec/07-evaluation.md``, *Buffers*; ``spec/08-effects-and-storage.md``.
"""

from __future__ import annotations

from math import prod

from refrelax.errors import InternalError, unspecified
from refrelax.rules import rule
from refrelax.semantics.loops.frame import Bound, Builder, Frame, Index, Run, fixed
from refrelax.semantics.loops.indices import build_index
from refrelax.semantics.loops.memory import row_major_indices
from refrelax.semantics.numbers.poison import NEVER_WRITTEN
from refrelax.semantics.storage import Storage, fresh
from refrelax.semantics.values import Tensor
from refrelax.syntax.loops import Buffer, MatchBufferRegion
from refrelax.syntax.scalars import BufferRef, Intrinsic, PrimExpr, SymVar


def nothing(_frame: Frame) -> None:
    """A statement that only declares."""


@rule("ev/alloc-buffer")
def build_alloc(build: Builder, buffer: Buffer) -> Run:
    """Fresh memory each time the statement runs; every element starts as poison ``st/never-written``."""
    shape = tuple(build_index(build, each) for each in buffer.shape)
    count = _most_elements(buffer, shape)
    build.context.meter.make(count)
    storage = fresh(buffer.dtype, count, buffer.scope, buffer.name)
    bound = view(build, buffer, storage, shape)
    bound.elements = count
    build.buffers[buffer.name] = bound
    build.handles[buffer.name] = bound
    cells, blank = bound.cells, [NEVER_WRITTEN] * count

    def allocate(_frame: Frame) -> None:
        cells[:] = blank

    return allocate


def _most_elements(buffer: Buffer, shape: tuple[Index, ...]) -> int:
    """Elements to reserve: the largest extent that each dim can have."""
    extents = []
    for index in shape:
        if index.hi is None:
            raise InternalError(f"the extent of {buffer.name} has no known bound where it is allocated")
        extents.append(max(index.hi, 0))
    return prod(extents)


def view(build: Builder, buffer: Buffer, storage: Storage, shape: tuple[Index, ...]) -> Bound:
    """``buffer`` as a view of ``storage``: its strides (row-major unless given) and its element offset."""
    strides = tuple(build_index(build, s) for s in buffer.strides) if buffer.strides else row_major_indices(shape)
    origin = fixed(0) if buffer.elem_offset is None else build_index(build, buffer.elem_offset)
    return Bound(buffer.name, buffer.dtype, storage, storage.plane(buffer.dtype), shape, strides, origin, buffer.scope)


@rule("ev/decl-buffer")
def build_decl(build: Builder, buffer: Buffer) -> Run:
    """``T.decl_buffer(…, data=…)``: a view of memory that exists; without ``data`` an allocation."""
    if buffer.data is None:
        return build_alloc(build, buffer)
    base = resolve(build, buffer.data)
    bound = view(build, buffer, base.storage, tuple(build_index(build, each) for each in buffer.shape))
    if base.dtype != buffer.dtype:
        build.aliasing = True
    build.buffers[buffer.name] = bound
    build.handles[buffer.name] = bound
    return nothing


def resolve(build: Builder, handle: PrimExpr) -> Bound:
    """The memory that a handle expression names: ``B.data``, a handle variable, ``T.address_of(B[0])``."""
    match handle:
        case BufferRef():
            return build.buffers[handle.buffer]
        case SymVar() if handle.name in build.handles:
            found = build.handles[handle.name]
            if isinstance(found, Bound):
                return found
            if isinstance(found, Tensor):
                from refrelax.semantics.loops.evaluate import bind_tensor

                return bind_tensor(handle.name, found)
        case Intrinsic(op="address_of" | "tvm_access_ptr" | "reinterpret") if handle.args:
            for arg in handle.args:
                if isinstance(arg, BufferRef | SymVar | Intrinsic):
                    return resolve(build, arg)
                buffer = getattr(arg, "buffer", None)
                if isinstance(buffer, str):
                    return build.buffers[buffer]
        case _:
            pass
    raise unspecified("ld/unknown-handle", "this handle names no memory of the function")


def bind_handle(build: Builder, name: str, value: PrimExpr) -> Run:
    """``h: T.let[T.handle] = B.data``: another name for memory."""
    build.handles[name] = resolve(build, value)
    return nothing


@rule("ev/match-buffer-region")
def build_match(build: Builder, match: MatchBufferRegion) -> None:
    """``M = T.match_buffer(A[vi, 0:16], (16,), …)``: the region of ``A`` under a shape of its own.

    Axes of extent 1 in front are dropped; the strides of ``M`` are those of the source's last axes. Symbols in the
    strides and the offset of ``M`` are defined here.
    """
    base = build.buffers[match.source.buffer]
    starts = [build_index(build, low) for low, _ in match.source.ranges]
    shape = tuple(build_index(build, each) for each in match.buffer.shape)
    strides = base.strides[len(base.strides) - len(shape) :]
    pairs = [(s.run, t.run) for s, t in zip(starts, base.strides, strict=True)]
    start = base.origin.run
    origin = Index(lambda frame: start(frame) + sum(f(frame) * g(frame) for f, g in pairs))
    for wanted, actual in [*zip(match.buffer.strides, strides, strict=False), (match.buffer.elem_offset, origin)]:
        if isinstance(wanted, SymVar) and wanted.name not in build.variables:
            build.variables[wanted.name] = actual
    build.buffers[match.buffer.name] = Bound(
        match.buffer.name, match.buffer.dtype, base.storage, base.cells, shape, tuple(strides), origin, base.scope
    )
