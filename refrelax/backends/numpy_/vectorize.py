"""Vectorisation: loops around one store become one array statement.

The spatial loops of a nest become the axes of a grid, its other loops stay sequential around one array statement. So a
reduction keeps its order, and its bits, at array speed. ``nests.py`` says which nests are vectorised.
"""

from __future__ import annotations

from dataclasses import replace

from refrelax.backends.numpy_.expressions import Text
from refrelax.backends.numpy_.fast_forms import LETTERS, contraction, reduction
from refrelax.backends.numpy_.names import local
from refrelax.backends.numpy_.nests import Nest, find_nest, first_instance, spatial_axes, stores_inside
from refrelax.backends.numpy_.writer import Writer
from refrelax.semantics.dims import substitute
from refrelax.syntax.loops import BufferStore, For, SBlock
from refrelax.syntax.scalars import PrimExpr, SymVar, as_int, bool_imm


def vectorize(writer: Writer, stmt: For | SBlock | BufferStore) -> bool:
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
    depth = writer.depth
    if not stores_inside(inner.text, nest, axes) and (runs := _filled(inner.text, nest, [])):
        inner.line(f"if {runs}:")  # no element is named where no instance runs
        inner.depth += 1
    lines = None
    if inner.fast and nest.guard is None and len(nest.loops) <= len(LETTERS):
        lines = contraction(inner.text, nest, axes) or reduction(inner.text, nest, axes)
    if lines is not None:
        _inside_if(inner, _filled(inner.text, nest, axes), lines)
    else:
        _write_nest(inner, nest, axes)
    inner.depth = depth
    return True


def _filled(text: Text, nest: Nest, axes: list[str]) -> str:
    """That the loops other than ``axes`` run at all; empty if that is certain."""
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
        return substitute(substitute(expr, nest.aliases), first_instance(nest, axes))

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
