"""Memory: storages of cells, and what is true of them while a program runs.

A ``Storage`` is a run of cells of one dtype. A tensor is a view of a storage; several tensors may view the same one
(in-place calls, reshapes inside dataflow, planned memory). Mutation happens here and nowhere else.

A storage that is viewed at a second dtype keeps one *plane* of cells per dtype: a write to one plane makes the cells of
the other planes that overlap it stale (``st/overlapped``), which is how the reuse of live memory is seen.

Spec: ``spec/08-effects-and-storage.md``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from refrelax.errors import unspecified
from refrelax.semantics.numbers.poison import NEVER_WRITTEN, poison
from refrelax.syntax import dtypes

Cells = list[Any]


@dataclass(eq=False, slots=True)
class Storage:
    """``nbytes`` bytes of memory, kept as cells.

    ``planes`` maps a dtype to its cells: cell ``k`` covers the bytes ``[k * itemsize, (k + 1) * itemsize)``.
    """

    nbytes: int
    planes: dict[str, Cells] = field(default_factory=dict)
    scope: str = "global"
    alive: bool = True
    name: str = ""

    def plane(self, dtype: str) -> Cells:
        """The cells of this storage at ``dtype``, made on first use.

        Raises:
            Ended: ``Unspecified("st/use-after-kill")`` if the storage was killed.
        """
        if not self.alive:
            raise unspecified(
                "st/use-after-kill", f"storage {self.name or 'without a name'} was killed before this use"
            )
        cells = self.planes.get(dtype)
        if cells is None:
            cells = self.planes[dtype] = [NEVER_WRITTEN] * (self.nbytes // dtypes.itemsize(dtype))
        return cells

    @property
    def mixed(self) -> bool:
        """Whether more than one dtype views this storage, so that writes must go through ``store``."""
        return len(self.planes) > 1

    def store(self, dtype: str, cell: int, payload: Any) -> None:
        """Write one cell and make what overlaps it at other dtypes stale."""
        self.plane(dtype)[cell] = payload
        if len(self.planes) > 1:
            self._overlap(dtype, cell)

    def _overlap(self, dtype: str, cell: int) -> None:
        size = dtypes.itemsize(dtype)
        first, last = cell * size, (cell + 1) * size
        stale = poison("st/overlapped")
        for other, cells in self.planes.items():
            if other != dtype:
                width = dtypes.itemsize(other)
                for k in range(first // width, min(len(cells), (last + width - 1) // width)):
                    cells[k] = stale

    def kill(self) -> None:
        """End the life of this storage: any later view or access is ``st/use-after-kill``."""
        self.alive = False


def fresh(dtype: str, count: int, scope: str = "global", name: str = "") -> Storage:
    """A storage for ``count`` elements of ``dtype``, no element written."""
    storage = Storage(count * dtypes.itemsize(dtype), scope=scope, name=name)
    storage.planes[dtype] = [NEVER_WRITTEN] * count
    return storage


def holding(dtype: str, cells: Cells, scope: str = "global") -> Storage:
    """A storage whose cells are ``cells`` (taken over, not copied)."""
    return Storage(len(cells) * dtypes.itemsize(dtype), {dtype: cells}, scope)
