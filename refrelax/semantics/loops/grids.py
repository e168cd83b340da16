"""Shared memory of the blocks of a grid.

A grid is a nest of loops over block indices. Shared memory that is allocated between two of them is one for each block
all the same: the allocation stands in the inner loop, in which alone it is used.

Spec: ``spec/07-evaluation.md``, *Buffers*.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from refrelax.rules import rule
from refrelax.semantics.loops.threads import as_thread_loop, is_block_index, is_shared
from refrelax.semantics.loops.visit import accessed, statements_of
from refrelax.syntax.loops import AllocBuffer, DeclBuffer, For, LaunchThread, SBlock, Stmt
from refrelax.syntax.scalars import BufferRef, free_symbols


@rule("ev/alloc-buffer")
def of_each_block(loop: For) -> For:
    """A loop over block indices, with its shared memory in the loop over others inside it."""
    grids = [s for s in loop.body if isinstance(s, For | LaunchThread) and is_block_index(_as_loop(s))]
    if len(grids) != 1:
        return loop
    inner, moved = grids[0], list[Stmt]()
    rest = [s for s in loop.body if s is not inner]
    for stmt in reversed(loop.body[: loop.body.index(inner)]):
        if isinstance(stmt, AllocBuffer | DeclBuffer) and _is_of_blocks(stmt, loop.body):
            others = [s for s in rest if s is not stmt]
            sizes = set[str]().union(*map(free_symbols, stmt.buffer.shape))
            if not _mentioned(stmt.buffer.name, others) and inner.var.name not in sizes:
                moved.insert(0, stmt)
                rest = others
    if not moved:
        return loop
    found = replace(inner, body=(*moved, *inner.body))
    return replace(loop, body=tuple(found if s is inner else s for s in loop.body if not any(s is m for m in moved)))


def _as_loop(stmt: For | LaunchThread) -> For:
    return stmt if isinstance(stmt, For) else as_thread_loop(stmt)


def _is_of_blocks(stmt: AllocBuffer | DeclBuffer, body: Iterable[Stmt]) -> bool:
    """Whether a statement makes shared memory, or names some that is made beside it."""
    if isinstance(stmt, AllocBuffer) and stmt.init is not None:
        return False
    if isinstance(stmt.buffer.data, BufferRef):
        made = {s.buffer.name for s in body if isinstance(s, AllocBuffer) and is_shared(s.buffer.scope)}
        return stmt.buffer.data.buffer in made
    return stmt.buffer.data is None and is_shared(stmt.buffer.scope)


def _mentioned(name: str, stmts: Iterable[Stmt]) -> bool:
    """Whether statements use a buffer in any way."""
    for stmt in statements_of(stmts):
        if any(name in names for names in accessed((stmt,))):
            return True
        if isinstance(stmt, AllocBuffer | DeclBuffer) and isinstance(stmt.buffer.data, BufferRef):
            if stmt.buffer.data.buffer == name:
                return True
        if isinstance(stmt, SBlock):
            regions = (*(stmt.reads or ()), *(stmt.writes or ()), *(m.source for m in stmt.matches))
            if any(each.buffer == name for each in regions):
                return True
    return False
