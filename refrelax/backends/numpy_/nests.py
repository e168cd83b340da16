"""Nests: loops around one store, and which of the loops may run at once.

A nest can be vectorised if its innermost statement is one store to distinct elements (every store index is a different
loop variable, and the stored buffer is read nowhere else).

``T.init`` runs in the first instance of each element: where the nest is not empty, the predicate holds there, and every
reduce axis starts at its least value. A nest in which that cannot be told stays a loop.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from refrelax.backends.numpy_.expressions import Text
from refrelax.backends.threads import synchronises
from refrelax.semantics.dims import equal, substitute
from refrelax.syntax import dtypes
from refrelax.syntax.loops import BufferStore, For, IterVar, SBlock, Stmt
from refrelax.syntax.scalars import Binary, BufferLoad, PrimExpr, SymVar, as_int, walk


@dataclass(slots=True)
class Nest:
    """Loops around one store: ``loops`` outermost first; ``init`` the store of ``T.init``; ``guard`` the predicate;
    ``reduced`` the reduce axes of the block."""

    loops: list[For]
    aliases: dict[str, PrimExpr]
    store: BufferStore
    init: BufferStore | None
    guard: PrimExpr | None
    reduced: tuple[IterVar, ...] = ()


def find_nest(stmt: Stmt) -> Nest | None:
    """Perfectly nested loops around a single store, with or without a block around it."""
    loops: list[For] = []
    while isinstance(stmt, For):
        if stmt.step is not None or (stmt.kind == "thread_binding" and synchronises(stmt.body)) or len(stmt.body) != 1:
            return None
        loops.append(stmt)
        stmt = stmt.body[0]
    if isinstance(stmt, BufferStore):
        return Nest(loops, {}, stmt, None, None) if stmt.predicate is None else None
    if not isinstance(stmt, SBlock) or stmt.allocs or stmt.matches or len(stmt.body) != 1:
        return None
    (store,) = stmt.body
    init = None if stmt.init is None else stmt.init[0] if len(stmt.init) == 1 else False
    if not isinstance(store, BufferStore) or (init is not None and not isinstance(init, BufferStore)):
        return None
    if store.predicate is not None or (init and (init.predicate is not None or init.buffer != store.buffer)):
        return None  # (what is started is not what is folded into)
    aliases = {axis.var.name: axis.binding for axis in stmt.iters}
    guard = None if stmt.predicate is None or as_int(stmt.predicate) == 1 else stmt.predicate
    reduced = tuple(axis for axis in stmt.iters if axis.kind == "reduce")
    return Nest(loops, aliases, store, init, guard, reduced)


def spatial_axes(text: Text, nest: Nest) -> list[str] | None:
    """The loop variables that index the store, in index order; ``None`` if the nest cannot be vectorised."""
    store, names = nest.store, {loop.var.name for loop in nest.loops}
    if dtypes.lanes(store.value.dtype) != 1:
        return None
    axes: list[str] = []
    for index, dim in zip(store.indices, text.buffers[store.buffer].shape, strict=True):
        index = text.resolve(index)
        if isinstance(index, SymVar) and index.name in names:
            low, extent = text.extents[index.name]
            if index.name in axes or as_int(low) != 0 or equal(extent, dim, text.facts) is not True:
                return None
            axes.append(index.name)
        elif any(
            (isinstance(n, SymVar) and text.resolve(n) != n) or (isinstance(n, SymVar) and n.name in names)
            for n in walk(index)
        ):
            return None
    if not axes or not _independent(text, nest) or not _fixed_domains(nest, axes):
        return None
    if nest.init is not None and (nest.init.indices != store.indices or not _starts_first(text, nest, axes)):
        return None
    return axes if nest.guard is None or stores_inside(text, nest, axes) else None


def stores_inside(text: Text, nest: Nest, axes: list[str]) -> bool:
    """Whether the indices that are no axis are in range for sure, whatever runs."""
    found = zip(map(text.resolve, nest.store.indices), text.buffers[nest.store.buffer].shape, strict=True)
    return all((isinstance(i, SymVar) and i.name in axes) or text.inside(i, dim) for i, dim in found)


def first_instance(nest: Nest, axes: list[str]) -> dict[str, PrimExpr]:
    """The sequential loop variables in the first instance of each element."""
    return {loop.var.name: loop.min for loop in nest.loops if loop.var.name not in axes}


def _starts_first(text: Text, nest: Nest, axes: list[str]) -> bool:
    """Whether the first instance of each element is the only one in which every reduce axis has its least value."""
    first, moving = first_instance(nest, axes), set[str]()
    for axis in nest.reduced:
        binding = text.resolve(axis.binding)
        if equal(substitute(binding, first), text.resolve(axis.min), text.facts) is not True:
            return False
        moving |= _increasing(binding)
    return all(loop.var.name in moving or loop.var.name in axes or as_int(loop.extent) == 1 for loop in nest.loops)


def _increasing(e: PrimExpr) -> set[str]:
    """Variables of a sum of variables with positive factors: it is least only where each of them is."""
    match e:
        case SymVar(name=name):
            return {name}
        case Binary("Add", a, b):
            x, y = _increasing(a), _increasing(b)
            return x | y if (x or as_int(a) is not None) and (y or as_int(b) is not None) else set()
        case Binary("Mul", a, b):
            factor, inner = (as_int(a), b) if as_int(a) is not None else (as_int(b), a)
            return _increasing(inner) if factor is not None and factor > 0 else set()
        case _:
            return set()


def _fixed_domains(nest: Nest, axes: list[str]) -> bool:
    """No loop's extent depends on a spatial variable (a triangular nest is not a grid)."""
    for loop in nest.loops:
        for bound in (loop.min, loop.extent):
            if any((isinstance(n, SymVar) and n.name in axes) or isinstance(n, BufferLoad) for n in walk(bound)):
                return False
    return True


def _independent(text: Text, nest: Nest) -> bool:
    """The stored buffer is read at the stored element only."""
    wanted = tuple(text.resolve(i) for i in nest.store.indices)
    for expr in _expressions(nest):
        for node in walk(expr):
            if isinstance(node, BufferLoad) and node.buffer == nest.store.buffer:
                if tuple(text.resolve(i) for i in node.indices) != wanted:
                    return False
    return True


def _expressions(nest: Nest) -> Iterator[PrimExpr]:
    yield nest.store.value
    yield from nest.store.indices
    if nest.init is not None:
        yield nest.init.value
    if nest.guard is not None:
        yield nest.guard
