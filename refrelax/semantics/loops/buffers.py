"""Buffers inside a function: allocation, views of existing memory, sub-region matches.

Spec: ``spec/07-evaluation.md``, *Buffers*; ``spec/08-effects-and-storage.md``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import prod
from typing import Any

from refrelax.errors import unspecified
from refrelax.rules import rule
from refrelax.semantics.loops.frame import Bound, Builder, Frame, Index, Run, fixed
from refrelax.semantics.loops.indices import build_index
from refrelax.semantics.loops.memory import kept, row_major_indices, settled
from refrelax.semantics.loops.pointers import pointer_at, resolve, total
from refrelax.semantics.numbers.poison import NEVER_WRITTEN
from refrelax.semantics.storage import Storage, bytes_of, fresh
from refrelax.syntax import dtypes
from refrelax.syntax.loops import Buffer, MatchBufferRegion
from refrelax.syntax.scalars import SymVar


def nothing(_frame: Frame) -> None:
    """A statement that only declares."""


@rule("ev/alloc-buffer")
def build_alloc(build: Builder, buffer: Buffer) -> Run:
    """Fresh memory each time the statement runs; every element starts as poison ``st/never-written``.

    In lockstep, memory of scope ``shared`` is one per block of threads, and fresh when the block starts.
    """
    launch = build.launch
    shared = launch is not None and buffer.scope.startswith("shared")
    if launch is not None and shared and buffer.name in launch.shared:
        build.buffers[buffer.name] = build.handles[buffer.name] = launch.shared[buffer.name]
        return nothing
    extents, keep = kept(build, [build_index(build, each) for each in buffer.shape])
    shape = tuple(extents)
    count = None if keep is not None else _most_elements(build, buffer, shape)
    build.context.meter.make(count or 0)  # before there is a list of that length
    storage = fresh(buffer.dtype, count or 0, buffer.scope, buffer.name)
    if build.tags and launch is not None and (count is None or not shared):
        launch.levels[len(build.tags) - 1].storages.append(storage)
    bound = view(build, buffer, storage, shape)
    told = getattr(build.context.listener, "on_allocation", None)
    if count is None:
        return _watched_allocation(build, bound, _sized_at_run_time(build, buffer, bound, keep), told)
    bound.elements = count
    bound.depth = launch.depth if launch is not None and shared else build.depth
    build.buffers[buffer.name] = bound
    build.handles[buffer.name] = bound
    reset = _resetting(build, bound)
    if launch is not None and shared:
        launch.shared[buffer.name] = bound
        launch.resets.append(reset)
        return nothing
    return _watched_allocation(build, bound, lambda _frame: reset(), told)


def _resetting(build: Builder, bound: Bound) -> Callable[[], None]:
    storage, dtype, races = bound.storage, bound.dtype, build.context.races
    blank = [NEVER_WRITTEN] * bound.elements

    def reset() -> None:
        for name, plane in storage.planes.items():
            plane[:] = blank if name == dtype else [NEVER_WRITTEN] * len(plane)
            if races.records:
                races.forget(storage, name)

    if len(storage.planes) == 1 and build.depth == 0:
        cells = bound.cells

        def quick() -> None:
            cells[:] = blank
            if races.records or len(storage.planes) > 1:
                reset()

        return quick
    return reset


def _watched_allocation(build: Builder, bound: Bound, allocate: Run, told: Any) -> Run:
    """An allocation that the listener is told of; extents that are kept were kept by ``allocate``."""
    if told is None:
        return allocate
    path, shape = build.path, bound.shape

    def both(frame: Frame) -> None:
        allocate(frame)
        extents = tuple(each.run(frame) for each in shape)
        told(path, bound.name, bound.dtype, extents, bound.scope, bound.storage)

    return both


def _most_elements(build: Builder, buffer: Buffer, shape: tuple[Index, ...]) -> int | None:
    """Elements to reserve: up to the last that the extents reach; ``None`` where they are not constants."""
    most = [index.constant for index in shape]
    if any(extent == 0 for extent in most) and all(extent is not None and extent >= 0 for extent in most):
        return 0
    if any(extent is not None and extent < 0 for extent in most):
        return None
    if not buffer.strides and buffer.elem_offset is None:
        return None if None in most else prod(extent for extent in most if extent is not None)
    steps = [build_index(build, each).constant for each in buffer.strides] if buffer.strides else None
    offset = 0 if buffer.elem_offset is None else build_index(build, buffer.elem_offset).constant
    if steps is None:
        steps = [each.constant for each in row_major_indices(shape)]
    last = offset
    for extent, step in zip(most, steps, strict=True):
        if extent is None or step is None or last is None:
            return None
        last += (extent - 1) * step
    return None if last is None else last + 1


@rule("ld/allocation-extent")
def _sized_at_run_time(build: Builder, buffer: Buffer, bound: Bound, keep: Run | None) -> Run:
    """An allocation whose extents are known only when it is reached; ``keep`` keeps what they are then."""
    build.buffers[buffer.name] = build.handles[buffer.name] = bound
    bound.depth = build.depth
    storage, races = bound.storage, build.context.races
    make, shape, strides, origin = build.context.meter.make, bound.shape, bound.strides, bound.origin.run

    def allocate(frame: Frame) -> None:
        if keep is not None:
            keep(frame)
        extents = [each.run(frame) for each in shape]
        if any(extent < 0 for extent in extents):
            message = f"{buffer.name} is allocated with extents ({', '.join(map(str, extents))})"
            raise unspecified("ld/allocation-extent", message, buffer.span)
        count = 0
        if all(extents):
            count = 1 + origin(frame) + sum((n - 1) * step.run(frame) for n, step in zip(extents, strides, strict=True))
        make(count)
        storage.nbytes = bytes_of(buffer.dtype, count)
        for dtype, cells in storage.planes.items():
            cells[:] = [NEVER_WRITTEN] * (8 * storage.nbytes // dtypes.memory_bits(dtype))
            races.forget(storage, dtype)

    return allocate


def view(build: Builder, buffer: Buffer, storage: Storage, shape: tuple[Index, ...]) -> Bound:
    """``buffer`` as a view of ``storage``: its strides (row-major unless given) and its element offset."""
    strides = tuple(build_index(build, s) for s in buffer.strides) if buffer.strides else row_major_indices(shape)
    origin = fixed(0) if buffer.elem_offset is None else build_index(build, buffer.elem_offset)
    cells = storage.plane(buffer.dtype, build.context.numerics)
    bound = Bound(buffer.name, buffer.dtype, storage, cells, shape, strides, origin, buffer.scope, depth=build.depth)
    bound.borrowed = bool(buffer.strides)  # negative ones lead out of the memory
    return bound


@rule("ev/decl-buffer")
def build_decl(build: Builder, buffer: Buffer) -> Run:
    """``T.decl_buffer(…, data=…)``: a view of memory that exists; without ``data`` an allocation."""
    if buffer.data is None:
        return build_alloc(build, buffer)
    base = resolve(build, buffer.data)
    bound = view(build, buffer, base.storage, tuple(build_index(build, each) for each in buffer.shape))
    bound.depth, bound.scope = base.depth, base.scope
    bound.pointer = pointer_at(base, buffer.dtype, buffer.name, buffer.span)
    bound.origin, bound.borrowed = total(bound.pointer, bound.origin), True
    if base.dtype != buffer.dtype:
        build.aliasing = True
    bound, keep = settled(build, bound)
    build.buffers[buffer.name] = bound
    build.handles[buffer.name] = bound
    return keep or nothing


@rule("ev/match-buffer-region")
def build_match(build: Builder, match: MatchBufferRegion) -> Run | None:
    """``M = T.match_buffer(A[vi, 0:16], (16,), …)``: the region of ``A`` under a shape of its own.

    Axes of extent 1 in front are dropped; the strides of ``M`` are those of the source's last axes. Symbols in the
    strides and the offset of ``M`` are defined here. Gives what keeps the place of ``M``, if that costs something.
    """
    base, offset = build.buffers[match.source.buffer], match.buffer.elem_offset
    starts = [build_index(build, low) for low, _ in match.source.ranges]
    shape = [build_index(build, each) for each in match.buffer.shape]
    strides = base.strides[len(base.strides) - len(shape) :]
    pairs = [(s.run, t.run) for s, t in zip(starts, base.strides, strict=True)]
    start, data = base.origin.run, base.pointer.run
    ends = base.origin.ends or any(each.ends for each in (*starts, *base.strides))
    region = Index(lambda frame: start(frame) + sum(f(frame) * g(frame) for f, g in pairs), ends=ends)
    (origin, *shape), keep = kept(build, [region, *shape])
    relative = Index(lambda frame: origin.run(frame) - data(frame))
    for wanted, actual in [*zip(match.buffer.strides, strides, strict=False), (offset, relative)]:
        if isinstance(wanted, SymVar) and wanted.name not in build.variables:
            build.variables[wanted.name] = actual
    build.buffers[match.buffer.name] = replace(
        base,
        name=match.buffer.name,
        shape=tuple(shape),
        strides=tuple(strides),
        origin=origin,
        pointer=origin if offset is None else base.pointer,
        borrowed=True,
    )
    return keep
