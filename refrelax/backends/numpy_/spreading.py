"""Spreading a nest over a grid: loops around one store become one array statement.

A nest whose innermost statement is one store to distinct elements (every store index is a different loop variable, and
the stored buffer is read nowhere else) is *spread*: its spatial loops become the axes of a grid, its other loops stay
sequential around one array statement. So a reduction keeps its order, and its bits, at array speed.

``T.init`` runs in the first instance of each element: where the nest is not empty, the predicate holds there, and every
reduce axis starts at its least value. A nest in which that cannot be told stays a loop.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from refrelax.backends.numpy_.expressions import Text
from refrelax.backends.numpy_.fast_forms import contraction, reduction
from refrelax.backends.numpy_.names import local
from refrelax.backends.threads import synchronises
from refrelax.semantics.dims import equal, substitute
from refrelax.syntax import dtypes
from refrelax.syntax.loops import BufferStore, For, IterVar, SBlock, Stmt
from refrelax.syntax.scalars import Binary, BufferLoad, PrimExpr, SymVar, as_int, bool_imm, walk

if TYPE_CHECKING:
    from refrelax.backends.numpy_.loops import Writer


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


def spread(writer: Writer, stmt: For | SBlock | BufferStore) -> bool:
    """Write a nest as array statements over its spatial loops; ``False`` (and nothing written) if it is not such a
    nest."""
    if not isinstance(stmt, For):
        return False
    nest = find_nest(stmt)
    if nest is None:
        return False
    inner = writer.scope()
    inner.text.aliases.update(nest.aliases)
    for loop in nest.loops:
        inner.text.extents[loop.var.name] = (loop.min, loop.extent)
    axes = spatial_axes(inner.text, nest)
    if axes is None:
        return False
    if inner.fast and nest.guard is None:
        lines = contraction(inner.text, nest, axes) or reduction(inner.text, nest, axes)
        if lines is not None:
            _inside_if(inner, _filled(inner.text, nest, axes), lines)
            return True
    _write_nest(inner, nest, axes)
    return True


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
    aliases = {axis.var.name: axis.binding for axis in stmt.iters}
    guard = None if stmt.predicate is None or as_int(stmt.predicate) == 1 else stmt.predicate
    reduced = tuple(axis for axis in stmt.iters if axis.kind == "reduce")
    return Nest(loops, aliases, store, init, guard, reduced)


def spatial_axes(text: Text, nest: Nest) -> list[str] | None:
    """The loop variables that index the store, in index order; ``None`` if the nest cannot be spread."""
    store, names = nest.store, {loop.var.name for loop in nest.loops}
    if dtypes.lanes(store.value.dtype) != 1 or text.buffers[store.buffer].scalar:
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
    return axes


def _first(nest: Nest, axes: list[str]) -> dict[str, PrimExpr]:
    """The sequential loop variables in the first instance of each element."""
    return {loop.var.name: loop.min for loop in nest.loops if loop.var.name not in axes}


def _starts_first(text: Text, nest: Nest, axes: list[str]) -> bool:
    """Whether the first instance of each element is the only one in which every reduce axis has its least value."""
    first, moving = _first(nest, axes), set[str]()
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


def _filled(text: Text, nest: Nest, axes: list[str]) -> str:
    """That the sequential loops run at all; empty if that is certain."""
    extents = [loop.extent for loop in nest.loops if loop.var.name not in axes]
    return " and ".join(f"{text.index(each)} > 0" for each in extents if (as_int(each) or 0) <= 0)


def _inside_if(writer: Writer, condition: str, lines: list[str]) -> None:
    depth = writer.depth
    if condition:
        writer.line(f"if {condition}:")
        writer.depth += 1
    for line in lines:
        writer.line(line)
    writer.depth = depth


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


def _write_nest(writer: Writer, nest: Nest, axes: list[str]) -> None:
    """Grid definitions, the init, the sequential loops, the array statement."""
    text = replace(writer.text, axes=tuple(axes), grids=set())
    target = _target(text, nest.store)
    sequential = [loop for loop in nest.loops if loop.var.name not in axes]
    init = None if nest.init is None else _initial(text, target, nest, axes)
    update = _guarded(text, target, nest.guard, text.element(nest.store.value))
    for line in text.grid_definitions():
        writer.line(line)
    if init is not None:
        _inside_if(writer, _filled(writer.text, nest, axes), [f"{target} = {init}"])
    depth = writer.depth
    for loop in sequential:
        low, extent = writer.text.index(loop.min), writer.text.index(loop.extent)
        writer.line(f"for {local(loop.var.name)} in range({extent if low == '0' else f'{low}, {low} + {extent}'}):")
        writer.depth += 1
    writer.line(f"{target} = {update}")
    writer.depth = depth


def _initial(text: Text, target: str, nest: Nest, axes: list[str]) -> str:
    """What ``T.init`` stores, under the predicate of the first instance."""
    assert nest.init is not None

    def at_first(expr: PrimExpr) -> PrimExpr:
        return substitute(substitute(expr, nest.aliases), _first(nest, axes))

    guard = None if nest.guard is None else at_first(nest.guard)
    return _guarded(text, target, guard, text.element(at_first(nest.init.value)))


def _target(text: Text, store: BufferStore) -> str:
    """The stored slice; its dimensions are the grid's axes in order."""
    parts = []
    for index in store.indices:
        resolved = text.resolve(index)
        on_axis = isinstance(resolved, SymVar) and resolved.name in text.axes
        parts.append(":" if on_axis else text.index(index))
    return f"{local(store.buffer)}[{', '.join(parts)}]"


def _guarded(text: Text, target: str, guard: PrimExpr | None, value: str) -> str:
    """The value, or where ``guard`` is false what was there before."""
    if guard is None or guard == bool_imm(True):
        return value
    return f"np.where({text.condition(guard)}, {value}, {target})"
