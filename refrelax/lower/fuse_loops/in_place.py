"""Epilogues in place: what a last pointwise nest makes of an intermediate is stored over the intermediate.

``B`` is computed (by a reduction, say), then ``out[i] = f(B[i'], …)`` with ``i'`` the axes of ``i`` in some order,
those of extent 1 left out. Then ``B`` may live in ``out`` itself: every element of ``B`` has one place in ``out``, it
is complete when the epilogue begins, the epilogue reads it where it stores, and nobody reads it afterwards. If ``f``
is the element itself the epilogue goes away.

Spec: ``spec/11-fusion.md``, ``lo/fuse-in-place``.
"""

from __future__ import annotations

from dataclasses import replace

from refrelax.lower.claims import Ledger, both, eq
from refrelax.lower.fuse_loops.program import Program
from refrelax.lower.nests import Nest, covers, map_loads
from refrelax.rules import rule
from refrelax.syntax.scalars import BufferLoad, PrimExpr, SymVar, as_int, int_imm

Placing = tuple[int | None, ...]
"""For each axis of the output, the axis of the intermediate that lies there; ``None``: the one point of the axis."""


@rule("lo/fuse-in-place")
def epilogue_in_place(p: Program, ledger: Ledger, where: str) -> bool:
    """Let one intermediate live in the output; whether one could."""
    last = p.nests[-1]
    if last.buffer != p.output or len(p.writers(p.output)) != 1 or last.reduces or not covers(last):
        return False
    for name in p.intermediates:
        placing = _placing(p, last, name)
        if placing is not None and _same_extents(p, name, placing, ledger, where):
            _move(p, last, name, placing)
            return True
    return False


def _placing(p: Program, last: Nest, name: str) -> Placing | None:
    """Where the elements of an intermediate lie in the output, if the last nest reads each of them at the place where
    it stores."""
    loads = {load.indices for load in last.loads() if load.buffer == name}
    if len(loads) != 1 or p.buffers[name].dtype != p.buffers[p.output].dtype:
        return None
    (at,) = loads
    read = [i.name if isinstance(i, SymVar) else None for i in at]
    if None in read or len(set(read)) != len(read):
        return None
    points = {axis.var.name for axis in last.axes if as_int(axis.extent) == 1}
    stored = [i.name for i in last.indices if isinstance(i, SymVar)]
    if not set(stored) - points <= set(read) <= set(stored):
        return None
    return tuple(read.index(i) if i in read else None for i in stored)


def _same_extents(p: Program, name: str, placing: Placing, ledger: Ledger, where: str) -> bool:
    """Whether the intermediate has the output's extents, axis by axis."""
    out, own = p.buffers[p.output].shape, p.buffers[name].shape
    pairs = [(own[k], dim) for k, dim in zip(placing, out, strict=True) if k is not None]
    different = [(a, b) for a, b in pairs if a != b]
    if not different:
        return True
    claim = both(*(eq(a, b) for a, b in different))
    return ledger.holds(claim, "lo/fuse-in-place", f"{where}: {name}", p.domain(p.nests[-1]).assumptions(), "int64")


def _move(p: Program, last: Nest, name: str, placing: Placing) -> None:
    """Rename the intermediate to the output and move its indices."""

    def moved(indices: tuple[PrimExpr, ...]) -> tuple[PrimExpr, ...]:
        return tuple(int_imm(0) if k is None else indices[k] for k in placing)

    for nest in list(p.nests):
        change: dict[BufferLoad, PrimExpr] = {
            load: replace(load, buffer=p.output, indices=nest.indices if nest is last else moved(load.indices))
            for load in nest.loads()
            if load.buffer == name
        }
        value = map_loads(nest.value, change)
        init = None if nest.init is None else map_loads(nest.init, change)
        if nest is last and value == BufferLoad(p.output, nest.indices, p.buffers[p.output].dtype):
            p.substitute(nest, None)
        elif nest.buffer == name:
            new = replace(nest, buffer=p.output, indices=moved(nest.indices), value=value, init=init)
            p.substitute(nest, new)
        elif change:
            p.substitute(nest, replace(nest, value=value, init=init))
    del p.buffers[name]
