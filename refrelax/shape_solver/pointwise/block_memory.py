"""Shared memory that is declared inside loops over the threads of a block that do not wait: one for the block.

It is fresh when the block starts, so it may as well be allocated before its threads: what of it one thread may see of
another one is then a matter of loops without order, as for any memory (``sh/threads``). Only where each thread comes to
the declaration once: in a serial loop it might have to be fresh for each iteration, in a branch there might be none.

Spec: ``spec/06c-pointwise.md``, ``sh/threads``; ``spec/07-evaluation.md``, ``ev/alloc-buffer``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from refrelax.rules import rule
from refrelax.semantics.loops.threads import as_thread_loop, is_block_index, is_shared
from refrelax.semantics.loops.visit import statements_of
from refrelax.syntax.loops import AllocBuffer, AttrStmt, Buffer, For, LaunchThread, SBlock, Stmt
from refrelax.syntax.scalars import as_int


@rule("sh/threads")
def of_the_block(loop: For) -> tuple[list[Buffer], For]:
    """The shared memory that every thread of a loop declares, of literal extents, and the loop without it."""
    names = [each.name for s in statements_of((loop,)) for each in _declared(s)]
    found: list[Buffer] = []
    body = _without(loop.body, found)
    if len(set(names)) != len(names):
        return [], loop
    return found, replace(loop, body=body)


def _declared(stmt: Stmt) -> Sequence[Buffer]:
    match stmt:
        case SBlock(allocs=allocs):
            return allocs
        case AllocBuffer(buffer):
            return (buffer,)
        case _:
            return ()


def _is_one(buffer: Buffer) -> bool:
    return is_shared(buffer.scope) and buffer.data is None and all(as_int(d) is not None for d in buffer.shape)


def _without(stmts: Sequence[Stmt], found: list[Buffer]) -> tuple[Stmt, ...]:
    """Statements that every thread comes to once, without the shared memory that they declare."""
    kept: list[Stmt] = []
    for stmt in stmts:
        match stmt:
            case AllocBuffer(buffer, init=None) if _is_one(buffer):
                found.append(buffer)
            case LaunchThread() if not is_block_index(as_thread_loop(stmt)):
                kept.append(replace(stmt, body=_without(stmt.body, found)))
            case For(kind="thread_binding") if not is_block_index(stmt):
                kept.append(replace(stmt, body=_without(stmt.body, found)))
            case AttrStmt():
                kept.append(replace(stmt, body=_without(stmt.body, found)))
            case SBlock(predicate=None):
                found += filter(_is_one, stmt.allocs)
                rest = tuple(each for each in stmt.allocs if not _is_one(each))
                kept.append(replace(stmt, allocs=rest, body=_without(stmt.body, found)))
            case _:
                kept.append(stmt)
    return tuple(kept)
