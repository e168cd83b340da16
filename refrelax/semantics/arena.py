"""Explicit storage: arenas of bytes, and the regions of them that tensors are given.

A region has cells of its own, so that a fresh tensor holds nothing whatever the bytes held before. Regions of one arena
that share bytes are kept in step: a write through one makes the shared elements of every other stale. The writes are
found by comparing cells with what they were when the arena was last looked at, so that straight code pays nothing.

Spec: ``spec/08-effects-and-storage.md``, *Planned memory*.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from dataclasses import dataclass, field
from math import prod
from typing import Any

from refrelax.errors import Span, unspecified
from refrelax.rules import rule
from refrelax.semantics.numbers.interface import Numerics
from refrelax.semantics.numbers.poison import NEVER_WRITTEN, Poison, noted
from refrelax.semantics.storage import Cells, Storage
from refrelax.semantics.values import Opaque, TensorValue, of_numbers
from refrelax.syntax import dtypes

Bytes = tuple[int, int]
"""First byte and the byte after the last, counted in the arena."""


@dataclass(eq=False, slots=True)
class Arena:
    """What ``alloc_storage`` gives: ``nbytes`` bytes, and the regions that were allocated in them."""

    nbytes: int
    scope: str = "global"
    name: str = ""
    regions: list[weakref.ReferenceType[Region]] = field(default_factory=list)

    def __repr__(self) -> str:
        return f"<storage {self.name}: {self.nbytes} bytes, {self.scope}>"

    def alive(self) -> Iterator[Region]:
        """The regions that some tensor still uses."""
        self.regions = [each for each in self.regions if each() is not None]
        for each in self.regions:
            region = each()
            if region is not None:
                yield region

    @rule("st/reused")
    def keep_in_step(self) -> None:
        """Find the cells that were written since last time; what shares bytes with them elsewhere is stale."""
        regions = [each for each in self.alive() if each.shared]
        written = [(each, each.written()) for each in regions]
        for region, spans in written:
            for other in regions:
                if other is not region and spans:
                    other.overwritten(spans, region)
        for each in regions:
            each.remember()


@dataclass(eq=False, slots=True, weakref_slot=True)
class Region(Storage):
    """The bytes of an arena that one tensor was given, from byte ``begin``. ``shared``: an older or newer region has
    some of them too."""

    arena: Arena = field(default_factory=lambda: Arena(0))
    begin: int = 0
    shared: bool = False
    seen: dict[str, Cells] = field(default_factory=dict)

    def plane(self, dtype: str, numerics: Numerics) -> Cells:
        """The cells at ``dtype``, in step with every region that shares bytes."""
        if self.shared:
            self.arena.keep_in_step()
        cells = Storage.plane(self, dtype, numerics)
        if self.shared and dtype not in self.seen:
            self.seen[dtype] = list(cells)  # the same bytes at one more dtype: nothing was written
        return cells

    def __del__(self) -> None:
        """What was written through a region since last time counts after its last tensor is gone, too."""
        if self.shared and (spans := self.written()):
            for other in self.arena.alive():
                if other.shared:
                    other.overwritten(spans, self)
                    other.remember()

    @property
    def extent(self) -> Bytes:
        return self.begin, self.begin + self.nbytes

    def written(self) -> list[Bytes]:
        """The bytes whose cells changed since ``remember``, as few runs."""
        found: list[Bytes] = []
        for dtype, cells in self.planes.items():
            size = dtypes.itemsize(dtype)
            before = self.seen.get(dtype) or [NEVER_WRITTEN] * len(cells)
            for k, (now, then) in enumerate(zip(cells, before, strict=True)):
                if now is not then:
                    first = self.begin + k * size
                    if found and found[-1][1] == first:
                        found[-1] = (found[-1][0], first + size)
                    else:
                        found.append((first, first + size))
        return found

    def overwritten(self, spans: list[Bytes], by: Region) -> None:
        """The elements that meet ``spans`` mean nothing any more."""
        stale = reused(self.name or "a tensor", by.name or "another tensor")
        for dtype, cells in self.planes.items():
            size = dtypes.itemsize(dtype)
            for first, last in spans:
                low, high = (first - self.begin) // size, -((self.begin - last) // size)
                for k in range(max(low, 0), min(high, len(cells))):
                    if cells[k] is not NEVER_WRITTEN:
                        cells[k] = stale

    def remember(self) -> None:
        """Note the cells as they are now."""
        self.seen = {dtype: list(cells) for dtype, cells in self.planes.items()}


def reused(older: str, newer: str) -> Poison:
    """What a read of ``older`` gives after its bytes were written through ``newer``."""
    return noted("st/reused", f"the memory of {older} was written through {newer}, which was given the same bytes")


def meet(a: Bytes, b: Bytes) -> bool:
    """Whether two runs of bytes have a byte in common."""
    return max(a[0], b[0]) < min(a[1], b[1])


@rule("st/outside-storage", "st/fresh-tensor")
def allocate(
    arena: Arena, offset: int, shape: tuple[int, ...], dtype: str, numerics: Numerics, span: Span | None
) -> TensorValue:
    """A tensor over the bytes of ``arena`` from byte ``offset``; no element is written, whatever the bytes held."""
    of_numbers(numerics, dtype)
    count = prod(shape)
    nbytes = count * dtypes.itemsize(dtype)
    if offset < 0 or offset + nbytes > arena.nbytes:
        message = f"bytes {offset} to {offset + nbytes} of storage {arena.name}, which has {arena.nbytes}"
        raise unspecified("st/outside-storage", message, span)
    region = Region(nbytes, {dtype: [NEVER_WRITTEN] * count}, arena.scope, arena=arena, begin=offset)
    for other in list(arena.alive()):
        if meet(other.extent, region.extent):
            for each in (other, region):
                if not each.shared:
                    each.shared = True
                    each.remember()
    arena.regions.append(weakref.ref(region))
    return TensorValue(dtype, shape, region, numerics)


def name_memory(name: str, value: Any) -> None:
    """Give memory that was just allocated the name of the variable that holds it, for messages."""
    if isinstance(value, TensorValue):
        if isinstance(value.storage, Region) and not value.storage.name:
            value.storage.name = name
    elif isinstance(value, Opaque) and isinstance(value.value, Arena) and not value.value.name:
        value.value.name = name


@rule("st/live-overlap")
def keep_apart(callee: str, args: list[Any], span: Span | None) -> None:
    """No call is given two allocations that share bytes: which one it sees would depend on its order of reads and
    writes."""
    regions = {id(each.storage): each.storage for each in args if isinstance(each, TensorValue)}
    shared = [each for each in regions.values() if isinstance(each, Region) and each.shared]
    for k, a in enumerate(shared):
        for b in shared[:k]:
            if a.arena is b.arena and meet(a.extent, b.extent):
                message = f"{callee} is given {b.name} and {a.name}, which share bytes of storage {a.arena.name}"
                raise unspecified("st/live-overlap", message, span)
