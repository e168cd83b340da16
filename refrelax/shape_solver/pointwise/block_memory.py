"""Shared memory that is declared inside loops over the threads of a block that do not wait: one for the block.

It is fresh when the block starts, so it may as well be allocated before its threads: what of it one thread may see of
another one is then a matter of loops without order, as for any memory (``sh/threads``). Only where each thread comes to
the declaration once: in a serial loop it might have to be fresh for each iteration, in a branch there might be none.

Memory of scope ``local`` around loops over threads is each thread's own. What a thread would find there before it wrote
it (a neighbour's, if threads run one after the other) is not read.

Spec: ``spec/06c-pointwise.md``, ``sh/threads``; ``spec/07-evaluation.md``, ``ev/alloc-buffer``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TypeGuard

from refrelax.rules import rule
from refrelax.semantics.loops.threads import as_thread_loop, is_block_index, is_shared
from refrelax.semantics.loops.visit import statements_of
from refrelax.syntax.loops import AllocBuffer, AttrStmt, Buffer, For, LaunchThread, SBlock, Stmt
from refrelax.syntax.scalars import as_int


@dataclass(slots=True)
class OfThreads:
    """The memory that threads of one block declare. ``shared``: what is one for the block; ``own``: names of what each
    thread has for itself, and does not read before it wrote it."""

    shared: list[Buffer] = field(default_factory=list)
    own: set[str] = field(default_factory=set)

    @rule("sh/threads")
    def of(self, loop: For) -> For:
        """A loop over threads without the shared memory, of literal extents, that each of them declares."""
        names = [each.name for s in statements_of((loop,)) for each in _declared(s)]
        return loop if len(set(names)) != len(names) else replace(loop, body=self._without(loop.body))

    def _without(self, stmts: Sequence[Stmt]) -> tuple[Stmt, ...]:
        """Statements that every thread comes to once."""
        kept: list[Stmt] = []
        for stmt in stmts:
            match stmt:
                case AllocBuffer(buffer, init=None) if _is_one(buffer) and is_shared(buffer.scope):
                    self.shared.append(buffer)
                case _ if _is_thread_loop(stmt):
                    kept.append(replace(stmt, body=self._without(stmt.body)))
                case AttrStmt():
                    kept.append(replace(stmt, body=self._without(stmt.body)))
                case SBlock(predicate=None):
                    self.shared += [each for each in stmt.allocs if _is_one(each) and is_shared(each.scope)]
                    kept.append(self._block(stmt))
                case _:
                    kept.append(stmt)
        return tuple(kept)

    def _block(self, block: SBlock) -> SBlock:
        """A block without shared memory. What it declares for loops over threads alone stands in these: each thread has
        its own."""
        allocs = [each for each in block.allocs if not (_is_one(each) and is_shared(each.scope))]
        body = self._without(block.body)
        own = [each for each in allocs if _is_one(each) and each.scope == "local"]
        if not own or block.init is not None or len(body) != 1 or not _is_thread_loop(body[0]):
            return replace(block, allocs=tuple(allocs), body=body)
        self.own |= {each.name for each in own}
        rest = tuple(each for each in allocs if each not in own)
        return replace(block, allocs=rest, body=(_with(body[0], tuple(map(AllocBuffer, own))),))


def _with(stmt: Stmt, allocs: tuple[Stmt, ...]) -> Stmt:
    """Allocations in the innermost of loops over threads that stand in each other alone."""
    assert isinstance(stmt, For | LaunchThread)
    inner = stmt.body[0] if len(stmt.body) == 1 and _is_thread_loop(stmt.body[0]) else None
    return replace(stmt, body=(*allocs, *stmt.body) if inner is None else (_with(inner, allocs),))


def _is_thread_loop(stmt: Stmt) -> TypeGuard[For | LaunchThread]:
    """Whether a statement is a loop over threads of a block."""
    match stmt:
        case LaunchThread():
            return not is_block_index(as_thread_loop(stmt))
        case For(kind="thread_binding"):
            return not is_block_index(stmt)
        case _:
            return False


def _declared(stmt: Stmt) -> Sequence[Buffer]:
    match stmt:
        case SBlock(allocs=allocs):
            return allocs
        case AllocBuffer(buffer):
            return (buffer,)
        case _:
            return ()


def _is_one(buffer: Buffer) -> bool:
    """Whether a buffer is memory of its own, of literal extents."""
    return buffer.data is None and all(as_int(d) is not None for d in buffer.shape)
