"""Memory: storages of cells, and what is true of them while a program runs.

A ``Storage`` is a run of cells of one dtype. A tensor is a view of a storage; several tensors may view the same one
(in-place calls, reshapes inside dataflow, planned memory). Mutation happens here and nowhere else.

A storage that is viewed at a second dtype keeps one *plane* of cells per dtype, all of them the same bytes: a write to
one plane rewrites the cells of the other planes that overlap it (``st/reinterpreted``).

Spec: ``spec/08-effects-and-storage.md``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from refrelax.errors import unspecified
from refrelax.rules import rule
from refrelax.semantics.numbers.interface import Numerics, Payload
from refrelax.semantics.numbers.poison import NEVER_WRITTEN, Poison
from refrelax.semantics.own_cells import Local, is_private
from refrelax.syntax import dtypes

Cells = list[Any]

Contents = tuple[int, bool, dict[str, tuple[type[Cells], Cells]]]
"""Of a storage: its bytes, whether it is alive, and its cells by dtype."""

BYTES = "uint8"
"""The plane that every storage with several has. Bytes have no pattern that their dtype does not keep (as NaNs do)."""


@dataclass(eq=False, slots=True)
class Storage:
    """``nbytes`` bytes of memory, kept as cells.

    ``planes`` maps a dtype to its cells: cell ``k`` covers the bits ``[k * width, (k + 1) * width)``, with a ``width``
    of ``dtypes.memory_bits``. ``numerics``: the reading of the cells, once there is more than one plane.
    """

    nbytes: int
    planes: dict[str, Cells] = field(default_factory=dict)
    scope: str = "global"
    alive: bool = True
    name: str = ""
    numerics: Numerics | None = None

    def plane(self, dtype: str, numerics: Numerics) -> Cells:
        """The cells of this storage at ``dtype``, made on first use.

        Raises:
            Ended: ``Unspecified("st/use-after-kill")`` if the storage was killed.
        """
        if not self.alive:
            self._must_live()
        return self.planes[dtype] if dtype in self.planes else self._another_plane(dtype, numerics)

    def _must_live(self) -> None:
        if not self.alive:
            message = f"storage {self.name or 'without a name'} was killed before this use"
            raise unspecified("st/use-after-kill", message)

    def _another_plane(self, dtype: str, numerics: Numerics) -> Cells:
        if not self.planes:
            return self.planes.setdefault(dtype, [NEVER_WRITTEN] * self._count(dtype))
        self.numerics = numerics
        source = BYTES if BYTES in self.planes else next(iter(self.planes))
        for each in (BYTES, dtype):
            if each not in self.planes:
                width, cells = dtypes.memory_bits(each), self.planes[source]
                made = [reinterpreted(numerics, cells, source, each, k * width) for k in range(self._count(each))]
                self.planes[each] = Local(made) if is_private(self.scope) else made
        return self.planes[dtype]

    def _count(self, dtype: str) -> int:
        if dtype == "void":
            raise unspecified("num/no-operation", "no element has dtype void")
        return 8 * self.nbytes // dtypes.memory_bits(dtype)

    @property
    def mixed(self) -> bool:
        """Whether more than one dtype views this storage, so that writes must go through ``store``."""
        return len(self.planes) > 1

    def store(self, dtype: str, cell: int, payload: Payload) -> None:
        """Write one cell, at every dtype that this storage is viewed at.

        Raises:
            Ended: ``Unspecified("st/use-after-kill")`` if the storage was killed.
        """
        self._must_live()
        self.planes[dtype][cell] = payload
        if len(self.planes) > 1:
            self._overwrite(dtype, cell)

    def _overwrite(self, dtype: str, cell: int) -> None:
        """Rewrite what overlaps a cell at other dtypes: from the cell where it holds all of it, else from the bytes."""
        size, written, octets = dtypes.memory_bits(dtype), self.planes[dtype], self.planes[BYTES]
        first, last = cell * size, (cell + 1) * size
        assert self.numerics is not None
        if dtype != BYTES:
            for k in range(first // 8, min(len(octets), -(-last // 8))):
                octets[k] = reinterpreted(self.numerics, written, dtype, BYTES, 8 * k)
        for other, cells in self.planes.items():
            if other not in (dtype, BYTES):
                width = dtypes.memory_bits(other)
                for k in range(first // width, min(len(cells), -(-last // width))):
                    inside = first <= k * width and (k + 1) * width <= last
                    source = (written, dtype) if inside else (octets, BYTES)
                    cells[k] = reinterpreted(self.numerics, *source, other, k * width)

    def contents(self) -> Contents:
        """What it holds, to be put back."""
        return self.nbytes, self.alive, {dtype: (type(cells), list(cells)) for dtype, cells in self.planes.items()}

    def hold(self, contents: Contents | None) -> None:
        """Hold what was taken before, or nothing that was written, in the same cells."""
        if contents is None:
            for cells in self.planes.values():
                cells[:] = [NEVER_WRITTEN] * len(cells)
            return
        self.nbytes, self.alive, planes = contents
        for dtype, cells in self.planes.items():
            if dtype in planes:
                kind, values = planes[dtype]
                list.__setitem__(cells, slice(None), values)
                if type(cells) is not kind:
                    cells.__class__ = kind  # (of a workspace that was freed)
            else:  # which it is viewed at only since
                source = BYTES if BYTES in planes else next(iter(planes))
                width = dtypes.memory_bits(dtype)
                assert self.numerics is not None
                cells[:] = [
                    reinterpreted(self.numerics, planes[source][1], source, dtype, k * width)
                    for k in range(self._count(dtype))
                ]

    def kill(self) -> None:
        """End the life of this storage: any later view or access is ``st/use-after-kill``."""
        self.alive = False


class Workspace(list[Any]):
    """Cells of memory that a loop program may free."""

    __slots__ = ()


class Freed(list[Any]):
    """Cells after that: any access is ``st/use-after-kill``."""

    __slots__ = ()

    def __getitem__(self, index: Any) -> Any:
        raise unspecified("st/use-after-kill", "a workspace is used after it was freed")

    def __setitem__(self, index: Any, value: Any) -> None:
        raise unspecified("st/use-after-kill", "a workspace is used after it was freed")


@rule("st/use-after-kill")
def free(storage: Storage) -> None:
    """End the life of a workspace, whose cells others hold already.

    Raises:
        Ended: ``Unspecified("st/use-after-kill")`` if it was freed before.
    """
    storage._must_live()
    storage.kill()
    for cells in storage.planes.values():
        if isinstance(cells, Workspace):
            cells.__class__ = Freed  # type: ignore[assignment]
        else:
            cells[:] = [Poison("st/use-after-kill")] * len(cells)


def fresh(dtype: str, count: int, scope: str = "global", name: str = "") -> Storage:
    """A storage for ``count`` elements of ``dtype``, no element written."""
    cells: Cells = [NEVER_WRITTEN] * count
    return Storage(bytes_of(dtype, count), {dtype: Local(cells) if is_private(scope) else cells}, scope, name=name)


def holding(dtype: str, cells: Cells, scope: str = "global") -> Storage:
    """A storage whose cells are ``cells`` (taken over, not copied)."""
    return Storage(bytes_of(dtype, len(cells)), {dtype: cells}, scope)


def bytes_of(dtype: str, count: int) -> int:
    """The bytes that ``count`` elements take in memory."""
    return (count * dtypes.memory_bits(dtype) + 7) // 8


@rule("st/reinterpreted")
def reinterpreted(numerics: Numerics, cells: Cells, source: str, target: str, start: int) -> Payload:
    """The element of ``target`` whose bits begin at bit ``start`` of ``cells`` of ``source``, little-endian.

    A vector is the tuple of its lanes. What any part of it lacks a meaning has none.
    """
    if dtypes.lanes(target) > 1:
        lane, width = dtypes.element(target), dtypes.memory_bits(dtypes.element(target))
        each = [reinterpreted(numerics, cells, source, lane, start + k * width) for k in range(dtypes.lanes(target))]
        return next((part for part in each if isinstance(part, Poison)), tuple(each))
    size, count = dtypes.memory_bits(source), dtypes.lanes(source)
    first, last = start // size, -(-(start + dtypes.memory_bits(target)) // size)
    parts: list[Payload] = []
    settle = numerics.at(dtypes.element(source)).settle
    for cell in cells[first:last]:
        if isinstance(cell, Poison):
            return cell
        parts.extend(cell if count > 1 else (settle(cell),))
    if len(parts) < count * (last - first):
        return NEVER_WRITTEN
    return numerics.at(target).assemble(parts, dtypes.element(source), start - first * size)
