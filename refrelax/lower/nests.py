"""Loop nests in the one form that fusion understands.

A *nest* is a perfect loop nest around one store: ``buffer[indices] = value`` at every point of a grid of axes, in
lexicographic order, with an optional ``T.init`` where it reduces. ``read_nest`` recognises one, ``write_nest`` spells
it out. Everything else (a triangular loop, a predicate, two stores, a ``while``) is not a nest, and is left alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from refrelax.semantics.dims import NO_FACTS, equal, substitute
from refrelax.semantics.types.purity import has_effect
from refrelax.syntax import dtypes
from refrelax.syntax.loops import BufferStore, For, IterKind, IterVar, SBlock, Stmt
from refrelax.syntax.scalars import (
    Binary,
    BufferLoad,
    BufferRef,
    Cast,
    Intrinsic,
    Let,
    Not,
    PrimExpr,
    Ramp,
    RangeArg,
    Select,
    SymVar,
    as_int,
    children,
    int_imm,
    walk,
)


@dataclass(frozen=True, slots=True)
class Axis:
    """One loop of a nest: ``var`` runs over ``[0, extent)``."""

    var: SymVar
    extent: PrimExpr
    kind: IterKind = "spatial"


@dataclass(frozen=True, slots=True)
class Nest:
    """``for axes: buffer[indices] = value``; ``init``: the value stored where all reduce axes are 0.

    ``block``: the name of its block.
    """

    axes: tuple[Axis, ...]
    buffer: str
    indices: tuple[PrimExpr, ...]
    value: PrimExpr
    init: PrimExpr | None = None
    block: str = "block"

    @property
    def reduces(self) -> bool:
        return any(axis.kind == "reduce" for axis in self.axes)

    @property
    def spatial(self) -> tuple[Axis, ...]:
        return tuple(axis for axis in self.axes if axis.kind == "spatial")

    def expressions(self) -> tuple[PrimExpr, ...]:
        """The stored value and, for a reduction, the initial one."""
        return (self.value,) if self.init is None else (self.value, self.init)

    def loads(self) -> Iterator[BufferLoad]:
        """Every load, in no promised order; those inside the index of another load too."""
        for e in self.expressions():
            for node in walk(e):
                if isinstance(node, BufferLoad):
                    yield node

    def inputs(self) -> tuple[BufferLoad, ...]:
        """Every load but those of the element being reduced."""
        own = [load for load in self.loads() if load.buffer != self.buffer or load.indices != self.indices]
        return tuple(own) if self.reduces else tuple(self.loads())

    def reads(self, buffer: str) -> bool:
        return any(load.buffer == buffer for load in self.loads())


def rewritten(nest: Nest, by: Mapping[str, PrimExpr], buffers: Mapping[str, str], axes: tuple[Axis, ...]) -> Nest:
    """``nest`` over other axes, with variables and buffers renamed."""
    return replace(
        nest,
        axes=axes,
        buffer=buffers.get(nest.buffer, nest.buffer),
        indices=tuple(rename_buffers(substitute(i, by), buffers) for i in nest.indices),
        value=rename_buffers(substitute(nest.value, by), buffers),
        init=None if nest.init is None else rename_buffers(substitute(nest.init, by), buffers),
    )


def map_loads(e: PrimExpr, change: Mapping[BufferLoad, PrimExpr]) -> PrimExpr:
    """``e`` with whole loads replaced; a replaced load's own indices are not looked at."""
    if isinstance(e, BufferLoad) and e in change:
        return change[e]
    return rebuilt(e, tuple(map_loads(part, change) for part in parts(e)))


def rename_buffers(e: PrimExpr, names: Mapping[str, str]) -> PrimExpr:
    """``e`` with its buffers renamed."""
    new = rebuilt(e, tuple(rename_buffers(part, names) for part in parts(e)))
    return replace(new, buffer=names.get(new.buffer, new.buffer)) if isinstance(new, BufferLoad) else new


def parts(e: PrimExpr) -> tuple[PrimExpr, ...]:
    """The sub-expressions of what may stand in a nest's value."""
    return children(e)


def rebuilt(e: PrimExpr, new: tuple[PrimExpr, ...]) -> PrimExpr:
    """``e`` with other sub-expressions, in the order of ``parts``."""
    if new == parts(e):
        return e
    match e:
        case Binary():
            return Binary(e.op, new[0], new[1], span=e.span)
        case Not():
            return replace(e, a=new[0])
        case Cast():
            return replace(e, value=new[0])
        case Select():
            return Select(new[0], new[1], new[2], span=e.span)
        case Intrinsic():
            return replace(e, args=new)
        case BufferLoad():
            return replace(e, indices=new)
        case _:
            raise ValueError(f"{type(e).__name__} does not stand in a nest")


# --- recognising -----------------------------------------------------------------------------------------------------


def read_nest(stmt: Stmt) -> Nest | None:
    """The nest that ``stmt`` is, if it is one."""
    loops: list[For] = []
    while isinstance(stmt, For):
        if not _plain(stmt) or len(stmt.body) != 1:
            return None
        loops.append(stmt)
        stmt = stmt.body[0]
    match stmt:
        case SBlock():
            nest = _of_block(loops, stmt)
        case BufferStore():
            axes = tuple(Axis(loop.var, loop.extent) for loop in loops)
            nest = Nest(axes, stmt.buffer, stmt.indices, stmt.value) if stmt.predicate is None else None
        case _:
            nest = None
    return nest if nest is not None and _closed(nest) else None


def _plain(loop: For) -> bool:
    return (
        loop.kind in ("serial", "parallel")
        and as_int(loop.min) == 0
        and loop.step is None
        and loop.extent.dtype == loop.var.dtype
    )


def _of_block(loops: list[For], block: SBlock) -> Nest | None:
    if block.allocs or block.matches or (block.predicate is not None and as_int(block.predicate) != 1):
        return None
    axes = _axes(loops, block.iters)
    match block.body, block.init:
        case ((BufferStore(predicate=None) as store,), None):
            init = None
        case ((BufferStore(predicate=None) as store,), (BufferStore(predicate=None) as first,)) if (
            first.buffer == store.buffer and first.indices == store.indices
        ):
            init = first.value
        case _:
            return None
    return None if axes is None else Nest(axes, store.buffer, store.indices, store.value, init, block.name)


def _axes(loops: list[For], iters: tuple[IterVar, ...]) -> tuple[Axis, ...] | None:
    """The block's axes in the order of the loops. Each loop is bound by one axis; an axis over one point may be
    bound to 0 instead."""
    by_loop: dict[str, IterVar] = {}
    points: list[Axis] = []
    for each in iters:
        if as_int(each.min) != 0 or each.kind not in ("spatial", "reduce") or each.binding.dtype != each.var.dtype:
            return None
        if isinstance(each.binding, SymVar) and each.binding.name not in by_loop:
            by_loop[each.binding.name] = each
        elif as_int(each.binding) == 0 and as_int(each.extent) == 1:
            points.append(Axis(each.var, each.extent, each.kind))
        else:
            return None
    if set(by_loop) != {loop.var.name for loop in loops}:
        return None
    found = tuple(Axis(by_loop[loop.var.name].var, loop.extent, by_loop[loop.var.name].kind) for loop in loops)
    same = all(equal(loop.extent, by_loop[loop.var.name].extent, NO_FACTS) is True for loop in loops)
    return (*points, *found) if same else None


def _closed(nest: Nest) -> bool:
    """A grid (no extent mentions an axis or memory), scalars only, no effects, and a reduction of the usual form."""
    axes = {axis.var.name for axis in nest.axes}
    for axis in nest.axes:
        if any((isinstance(n, SymVar) and n.name in axes) or isinstance(n, BufferLoad) for n in walk(axis.extent)):
            return False
    for e in (*nest.expressions(), *nest.indices):
        if has_effect(e) or not all(map(_scalar, walk(e))):
            return False
    own = [load for load in nest.loads() if load.buffer == nest.buffer]
    if nest.reduces:
        return nest.init is not None and all(load.indices == nest.indices for load in own)
    return nest.init is None and not own


def _scalar(e: PrimExpr) -> bool:
    if isinstance(e, Let | Ramp | BufferRef | RangeArg) or (isinstance(e, BufferLoad) and e.predicate is not None):
        return False
    return dtypes.lanes(e.dtype) == 1


def covers(nest: Nest) -> bool:
    """Whether the store's indices are the spatial axes, each once, in any order: one store an element."""
    names = [i.name for i in nest.indices if isinstance(i, SymVar)]
    return len(names) == len(nest.indices) and sorted(names) == sorted(a.var.name for a in nest.spatial)


# --- writing ---------------------------------------------------------------------------------------------------------


def write_nest(nest: Nest, loop_names: tuple[str, ...]) -> Stmt:
    """The loops and the block of a nest; ``loop_names`` are fresh names, one an axis."""
    loops = [SymVar(name, axis.var.dtype) for name, axis in zip(loop_names, nest.axes, strict=True)]
    iters = tuple(
        IterVar(axis.var, int_imm(0, axis.var.dtype), axis.extent, axis.kind, loop)
        for axis, loop in zip(nest.axes, loops, strict=True)
    )
    init = None if nest.init is None else (BufferStore(nest.buffer, nest.init, nest.indices),)
    stmt: Stmt = SBlock(nest.block, iters, (BufferStore(nest.buffer, nest.value, nest.indices),), init=init)
    for axis, loop in zip(reversed(nest.axes), reversed(loops), strict=True):
        stmt = For(loop, int_imm(0, loop.dtype), axis.extent, (stmt,))
    return stmt
