"""Positions of buffer elements: bounds checks, loads and stores as closures.

A load out of bounds gives poison (``ld/load-out-of-bounds``); a store out of bounds ends the run
(``ld/store-out-of-bounds``). A check is left out only where the known bounds of the indices show that it cannot fail.

Spec: ``spec/07-evaluation.md``, *Buffers*.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from refrelax.errors import Ended, Span, unspecified
from refrelax.rules import rule
from refrelax.semantics.loops.frame import Access, Bound, Builder, Element, Frame, Index, Run, fixed, spelled
from refrelax.semantics.loops.races import Label
from refrelax.semantics.loops.regions import check_of
from refrelax.semantics.numbers.interface import Payload
from refrelax.semantics.numbers.poison import out_of_range
from refrelax.semantics.own_cells import is_owned, is_private
from refrelax.syntax import dtypes

OUTSIDE = -1
"""What a checked position gives for an index out of bounds."""

Position = Callable[[Frame], int]


def position(bound: Bound, indices: Sequence[Index]) -> tuple[Position, bool]:
    """The cell number of ``bound[indices]`` as a closure, and whether it may be ``OUTSIDE``."""
    doubtful = any(not _in_range(i, extent) for i, extent in zip(indices, bound.shape, strict=True))
    flat, beyond = _in_memory(bound, flat_position(bound, indices))
    if not doubtful:
        return flat, beyond
    tests = [(i.run, extent.run) for i, extent in zip(indices, bound.shape, strict=True)]
    if len(tests) == 1:
        index, extent = tests[0]
        return (lambda frame: flat(frame) if 0 <= index(frame) < extent(frame) else OUTSIDE), True

    def checked(frame: Frame) -> int:
        for index, extent in tests:
            if not 0 <= index(frame) < extent(frame):
                return OUTSIDE
        return flat(frame)

    return checked, True


def _in_memory(bound: Bound, flat: Position) -> tuple[Position, bool]:
    """``flat``, and whether it may be ``OUTSIDE``: a view may reach beyond the memory that it views."""
    if not bound.borrowed or _within(bound):
        return flat, False
    cells = bound.cells

    def tested(frame: Frame) -> int:
        k = flat(frame)
        return k if 0 <= k < len(cells) else OUTSIDE

    return tested, True


def _within(bound: Bound) -> bool:
    """Whether all elements of a view are known to lie in its memory."""
    first = last = bound.origin.constant
    for extent, stride in zip(bound.shape, bound.strides, strict=True):
        if first is None or last is None or extent.hi is None or stride.constant is None:
            return False
        reach = max(extent.hi - 1, 0) * stride.constant
        first, last = first + min(reach, 0), last + max(reach, 0)
    return first is not None and last is not None and first >= 0 and last < len(bound.cells)


def _in_range(index: Index, extent: Index) -> bool:
    return (
        index.lo is not None
        and index.hi is not None
        and extent.lo is not None
        and index.lo >= 0
        and index.hi < extent.lo
    )


def flat_position(bound: Bound, indices: Sequence[Index]) -> Position:
    """``origin + Σ index·stride``, with constant strides folded in."""
    strides, origin = bound.strides, bound.origin
    if origin.constant is None or any(s.constant is None for s in strides):
        pairs = [(i.run, s.run) for i, s in zip(indices, strides, strict=True)]
        start = origin.run
        return lambda frame: start(frame) + sum(i(frame) * s(frame) for i, s in pairs)
    base = origin.constant
    terms: list[tuple[Index, int]] = []
    for index, stride in zip(indices, strides, strict=True):
        assert stride.constant is not None
        if index.constant is not None:
            base += index.constant * stride.constant
        else:
            terms.append((index, stride.constant))
    return _affine(terms, base)


def _affine(terms: list[tuple[Index, int]], base: int) -> Position:
    """``base + Σ index·stride`` for one to three terms written out, since this runs for every element."""
    if not terms:
        return lambda _frame: base
    slots = [i.slot for i, _ in terms]
    if len(terms) == 1:
        (a, s), k = terms[0], slots[0]
        if k is not None:
            slot: int = k
            return (lambda frame: frame[slot]) if s == 1 and base == 0 else (lambda frame: frame[slot] * s + base)
        f = a.run
        return f if s == 1 and base == 0 else (lambda frame: f(frame) * s + base)
    if len(terms) == 2:
        (a, s), (b, t) = terms
        k, m = slots
        if k is not None and m is not None:
            return lambda frame: frame[k] * s + frame[m] * t + base
        f, g = a.run, b.run
        return lambda frame: f(frame) * s + g(frame) * t + base
    if len(terms) == 3:
        (a, s), (b, t), (c, u) = terms
        f, g, h = a.run, b.run, c.run
        return lambda frame: f(frame) * s + g(frame) * t + h(frame) * u + base
    pairs = [(i.run, s) for i, s in terms]
    return lambda frame: base + sum(f(frame) * s for f, s in pairs)


def kept(build: Builder, indices: Sequence[Index]) -> tuple[list[Index], Run | None]:
    """Indices, or extents, whose values are kept, and what keeps them: bounds, position and messages ask for an index
    each, and what it calls is called once; what it reads is read once."""
    kept: list[Index] = []
    evaluated: list[tuple[int, Run]] = []
    for index in indices:
        if not index.ends or index.slot is not None:
            kept.append(index)
            continue
        slot = build.new_slot()
        evaluated.append((slot, index.run))
        kept.append(replace(index, run=_slot(slot), slot=slot, ends=False))

    def keep(frame: Frame) -> None:
        for slot, run in evaluated:
            frame[slot] = run(frame)

    return kept, keep if evaluated else None


def settled(build: Builder, bound: Bound) -> tuple[Bound, Run | None]:
    """A view as it lies where it is declared, and what keeps its place and extents: it does not move when what they
    were read from is written."""
    places, keep = kept(build, [bound.pointer, bound.origin, *bound.shape, *bound.strides])
    if keep is None:
        return bound, None
    (pointer, origin), extents = places[:2], tuple(places[2:])
    rank = len(bound.shape)
    return replace(bound, pointer=pointer, origin=origin, shape=extents[:rank], strides=extents[rank:]), keep


def _slot(slot: int) -> Run:
    return lambda frame: frame[slot]


def _after(first: Run, then: Run) -> Run:
    def run(frame: Frame) -> Any:
        first(frame)
        return then(frame)

    return run


def build_load(build: Builder, bound: Bound, indices: Sequence[Index], span: Span | None = None) -> Element:
    """``bound[indices]`` as an element; a cell never written holds poison ``st/never-written``."""
    indices, keep = kept(build, indices)
    load, tell = _load(build, bound, indices), telling(build, "read", bound, indices, span)
    if keep is not None:
        load = _after(keep, load)
    if tell is None:
        return load

    def told(frame: Frame) -> object:
        payload = load(frame)
        tell(frame, payload)
        return payload

    return told


Tell = Callable[[Frame, Payload], None]


def telling(build: Builder, does: Access, bound: Bound, indices: Sequence[Index], span: Span | None) -> Tell | None:
    """What tells the listener of an access, with its cell, or ``None`` for one outside; nothing if none listens.
    ``indices`` are kept: they are asked for again."""
    told = getattr(build.context.listener, "on_access", None)
    if told is None:
        return None
    (where, _), count = position(bound, indices), bound.cells.__len__

    def tell(frame: Frame, payload: Payload) -> None:
        k = where(frame)
        cell = k if 0 <= k < count() else None
        told(build.path, does, bound, [each.run(frame) for each in indices], payload, span, cell)

    return tell


@rule("ld/load-out-of-bounds", "st/never-written")
def _load(build: Builder, bound: Bound, indices: Sequence[Index]) -> Element:
    where, doubtful = position(bound, indices)
    cells, numerics = bound.cells, build.context.numerics
    if build.declared:
        where = held_to_region(build, bound, indices, where, "read", None)
    if is_watched(build, bound):
        where = _watched_read(build, bound, indices, where)
    if numerics.collects and dtypes.lanes(bound.dtype) == 1:
        return _settling_load(build, bound, where, _outside(bound, indices))
    if not doubtful:
        return lambda frame: cells[where(frame)]

    outside = _outside(bound, indices)

    def load(frame: Frame) -> object:
        k = where(frame)
        return cells[k] if k != OUTSIDE else outside(frame)

    return load


def _outside(bound: Bound, indices: Sequence[Index]) -> Element:
    """What a load out of bounds gives."""

    def load(frame: Frame) -> object:
        at, dims = ([each.run(frame) for each in ints] for ints in (indices, bound.shape))
        return out_of_range("ld/load-out-of-bounds", at, dims)

    return load


def _settling_load(build: Builder, bound: Bound, where: Position, outside: Element) -> Element:
    """A load under a reading whose cells may hold partial results: they are settled, once, by the first read."""
    cells, settle = bound.cells, build.context.numerics.at(bound.dtype).settle

    def load(frame: Frame) -> object:
        k = where(frame)
        if k == OUTSIDE:
            return outside(frame)
        value = settle(cells[k])
        cells[k] = value
        return value

    return load


def build_store(build: Builder, bound: Bound, indices: Sequence[Index], value: Element, span: Span | None) -> Run:
    """``bound[indices] = value``: the value first, then the place."""
    indices, keep = kept(build, indices)
    tell = telling(build, "write", bound, indices, span)
    if tell is None and keep is None:
        return _store(build, bound, indices, value, span)

    def told(frame: Frame) -> Payload:
        payload = value(frame)
        if keep is not None:
            keep(frame)
        if tell is not None:
            tell(frame, payload)
        return payload

    return _store(build, bound, indices, told, span)


@rule("ld/store-out-of-bounds")
def _store(build: Builder, bound: Bound, indices: Sequence[Index], value: Element, span: Span | None) -> Run:
    where, doubtful = position(bound, indices)
    cells = bound.cells
    if build.declared:
        where = held_to_region(build, bound, indices, where, "write", span)
    if is_watched(build, bound):
        return _watched_store(build, bound, where, value, indices, span)
    if build.aliasing or bound.storage.mixed:
        return _careful_store(bound, where, value, indices, span)
    if not doubtful:

        def store(frame: Frame) -> None:
            cells[where(frame)] = value(frame)

        return store

    def checked(frame: Frame) -> None:
        payload = value(frame)
        k = where(frame)
        if k == OUTSIDE:
            raise out_of_bounds(bound, indices, frame, span)
        cells[k] = payload

    return checked


def putting(build: Builder, bound: Bound) -> Callable[[int, Payload], None]:
    """What writes one cell: at every dtype, where its memory is viewed at several."""
    storage, dtype = bound.storage, bound.dtype
    if build.aliasing or storage.mixed:
        return lambda k, payload: storage.store(dtype, k, payload)
    cells = bound.cells

    def put(k: int, payload: Payload) -> None:
        cells[k] = payload  # (asked of the cells now: what a thread changes in its own is noted)

    return put


def build_partial(build: Builder, bound: Bound, indices: Sequence[Index], span: Span | None) -> Element:
    """The partial result in a cell, as its own reduction finds it: unsettled."""
    where, _ = position(bound, indices)
    if build.declared:
        where = held_to_region(build, bound, indices, where, "read", None)
    if is_watched(build, bound):
        where = _watched_read(build, bound, indices, where)
    cells = bound.cells

    def load(frame: Frame) -> Payload:
        k = where(frame)
        if k == OUTSIDE:
            raise out_of_bounds(bound, indices, frame, span)
        return cells[k]

    return load


def _careful_store(bound: Bound, where: Position, value: Element, indices: Sequence[Index], span: Span | None) -> Run:
    storage, dtype = bound.storage, bound.dtype

    def store(frame: Frame) -> None:
        payload = value(frame)
        k = where(frame)
        if k == OUTSIDE:
            raise out_of_bounds(bound, indices, frame, span)
        storage.store(dtype, k, payload)

    return store


# --- accesses that other strands can see -----------------------------------------------------------------------------


def is_watched(build: Builder, bound: Bound) -> bool:
    """Whether another strand can reach this memory, and nothing but order keeps the two apart."""
    if build.depth <= bound.depth or bound.name in build.unwatched:
        return False
    if is_private(bound.scope):
        return not is_owned(bound.storage.planes.values())
    return bound.scope.partition(".")[0] in ("global", "shared")


def watch(build: Builder, bound: Bound, note: Callable[..., Label | None]) -> Callable[..., bool]:
    """``note`` (of ``Races``: an access to a cell of a record) for a buffer's cells: whether one races. What is noted
    is the cell, or its bits' bytes where the memory is viewed at several dtypes."""
    races, storage = build.context.races, bound.storage
    if not (build.aliasing or storage.mixed):
        cells = races.record(storage, bound.dtype)
        return lambda k, *values: note(cells, k, *values) is not None
    octets, width = races.record(storage, "bytes"), dtypes.memory_bits(bound.dtype)

    def several(k: int, *values: Payload) -> bool:
        covered = range(k * width // 8, max(((k + 1) * width + 7) // 8, 1))
        return any(note(octets, unit, *values) is not None for unit in covered)

    return several


@rule("ev/data-race")
def _watched_read(build: Builder, bound: Bound, indices: Sequence[Index], where: Position) -> Position:
    races = build.context.races
    raced = watch(build, bound, races.read)

    def watched(frame: Frame) -> int:
        k = where(frame)
        if k != OUTSIDE and raced(k):
            races.report(race_of(build, bound, indices, frame, "reads", "writes", None))
        return k

    return watched


def _watched_store(
    build: Builder, bound: Bound, where: Position, value: Element, indices: Sequence[Index], span: Span | None
) -> Run:
    races, storage, dtype, cells = build.context.races, bound.storage, bound.dtype, bound.cells
    raced = watch(build, bound, races.write)

    def store(frame: Frame) -> None:
        payload = value(frame)
        k = where(frame)
        if k == OUTSIDE:
            raise out_of_bounds(bound, indices, frame, span)
        if raced(k, cells[k], payload):
            races.report(race_of(build, bound, indices, frame, "writes", "reads, or writes with another value,", span))
        storage.store(dtype, k, payload)

    return store


def race_of(
    build: Builder, bound: Bound, indices: Sequence[Index], frame: Frame, does: str, other: str, span: Span | None
) -> Ended:
    """The end of a run by a data race, with the loop variables around it."""
    message = f"this iteration {does} {bound.name}[{spelled(indices, frame)}], which another one {other} in no order"
    race = unspecified("ev/data-race", message, span)
    race.loops = [(name, frame[slot]) for name, slot in reversed(build.loops)]
    return race


def held_to_region(
    build: Builder, bound: Bound, indices: Sequence[Index], where: Position, does: Access, span: Span | None
) -> Position:
    """``where``, after a check that the enclosing block declares the access."""
    check = check_of(build, bound, indices, does, span)
    if check is None:
        return where
    test = check

    def checked(frame: Frame) -> int:
        test(frame)
        return where(frame)

    return checked


def out_of_bounds(bound: Bound, indices: Sequence[Index], frame: Frame, span: Span | None) -> Exception:
    """The end of a run that stores outside a buffer, naming the index and the buffer's shape."""
    at, shape = spelled(indices, frame), spelled(bound.shape, frame)
    return unspecified("ld/store-out-of-bounds", f"store to {bound.name}[{at}], whose shape is ({shape})", span)


def row_major_indices(shape: Sequence[Index]) -> tuple[Index, ...]:
    """Compact row-major strides of a shape that may depend on loop variables."""
    strides: list[Index] = [fixed(1)] * len(shape)
    for axis in range(len(shape) - 2, -1, -1):
        a, b = strides[axis + 1], shape[axis + 1]
        if a.constant is not None and b.constant is not None:
            strides[axis] = fixed(a.constant * b.constant)
        else:
            strides[axis] = _product(a, b)
    return tuple(strides)


def _product(a: Index, b: Index) -> Index:
    f, g = a.run, b.run
    return Index(lambda frame: f(frame) * g(frame))
