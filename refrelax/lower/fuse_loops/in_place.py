"""Epilogues in place: what a last pointwise nest makes of an intermediate is stored over the intermediate.

``B`` is computed (by a reduction, say), then ``out[i] = f(B[i'], …)`` with ``i'`` the axes of ``i`` in some order,
those of extent 1 left out. Then ``B`` may live in ``out`` itself: every element of ``B`` has one place in ``out``, it
is complete when the epilogue begins, the epilogue reads it where it stores, and nobody reads it afterwards. The
epilogue stores every element of ``out``: what it left alone would be the caller's. If ``f`` is the element itself the
epilogue goes away.

Spec: ``spec/11-fusion.md``, ``lo/fuse-in-place``.
"""

from __future__ import annotations

from dataclasses import replace

from refrelax.lower.claims import Ledger, both, eq
from refrelax.lower.fuse_loops.inline import whole
from refrelax.lower.fuse_loops.program import Program
from refrelax.lower.nests import Nest, covers, map_loads, rewritten
from refrelax.rules import rule
from refrelax.syntax.scalars import BufferLoad, PrimExpr, SymVar, as_int, int_imm, walk

Placing = tuple[int | None, ...]
"""For each axis of the output, the axis of the intermediate that lies there; ``None``: the one point of the axis."""


@rule("lo/fuse-in-place")
def epilogue_in_place(p: Program, ledger: Ledger, where: str) -> bool:
    """Let one intermediate live in the output; whether one could."""
    last = p.nests[-1]
    if any(nest.reads(p.output) for nest in p.nests):
        return False
    if last.buffer != p.output or len(p.writers(p.output)) != 1 or last.reduces or not covers(last):
        return False
    for name in p.intermediates:
        placing = _placing(p, last, name)
        if placing is None or not _points(p, name, placing) or not whole(p, last, ledger, where):
            continue
        if _same_extents(p, name, placing, ledger, where):
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
    shape = p.buffers[name].shape
    if any(not isinstance(i, SymVar) and not (as_int(i) == 0 and as_int(d) == 1) for i, d in zip(at, shape)):
        return None
    read = [i.name if isinstance(i, SymVar) else "" for i in at]
    named = [i for i in read if i]
    if len(set(named)) != len(named):
        return None
    points = {axis.var.name for axis in last.axes if as_int(axis.extent) == 1}
    stored = [i.name for i in last.indices if isinstance(i, SymVar)]
    if not set(stored) - points <= set(named) <= set(stored):
        return None
    return tuple(read.index(i) if i in read else None for i in stored)


def _points(p: Program, name: str, placing: Placing) -> bool:
    """Whether the axes of the intermediate that the output lacks are indexed at their one point everywhere."""
    for nest in p.nests:
        points = {axis.var.name for axis in nest.axes if as_int(axis.extent) == 1}
        at = [nest.indices] if nest.buffer == name else []
        for indices in (*at, *(load.indices for load in nest.loads() if load.buffer == name)):
            for k, i in enumerate(indices):
                if k not in placing and as_int(i) != 0 and not (isinstance(i, SymVar) and i.name in points):
                    return False
    return True


def _same_extents(p: Program, name: str, placing: Placing, ledger: Ledger, where: str) -> bool:
    """Whether the intermediate has the output's extents, axis by axis."""
    out, own = p.buffers[p.output].shape, p.buffers[name].shape
    pairs = [(own[k], dim) for k, dim in zip(placing, out, strict=True) if k is not None]
    different = [(a, b) for a, b in pairs if a != b]
    if not different:
        return True
    claim = both(*(eq(a, b) for a, b in different))
    given = p.domain(p.nests[-1]).about(claim).assumptions()
    return ledger.holds(claim, "lo/fuse-in-place", f"{where}: {name}", given, "int64")


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
            p.substitute(nest, _without_points(new))
        elif change:
            p.substitute(nest, replace(nest, value=value, init=init))
    del p.buffers[name]


def _without_points(nest: Nest) -> Nest:
    """The nest without the spatial axes over one point that its store no longer mentions."""
    kept = {n.name for i in nest.indices for n in walk(i) if isinstance(n, SymVar)}
    gone = {a.var.name for a in nest.spatial if as_int(a.extent) == 1 and a.var.name not in kept}
    by: dict[str, PrimExpr] = {a.var.name: int_imm(0, a.var.dtype) for a in nest.axes if a.var.name in gone}
    return rewritten(nest, by, {}, tuple(a for a in nest.axes if a.var.name not in gone))
