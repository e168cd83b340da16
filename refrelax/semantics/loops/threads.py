"""What concerns the threads of a block, read off the text: where they wait, which loop is one of them, what they share.

``concurrent_loops.py`` builds their loops. Spec: ``spec/07-evaluation.md``, *Threads*.
"""

from __future__ import annotations

from collections.abc import Iterable

from refrelax.semantics.loops.frame import Builder
from refrelax.semantics.loops.visit import accessed, expressions, statements_of
from refrelax.syntax.loops import Evaluate, For, LaunchThread, Stmt
from refrelax.syntax.scalars import Intrinsic, int_imm, walk

BARRIER = "tvm_storage_sync"
SHUFFLES = frozenset({"tvm_warp_shuffle", "tvm_warp_shuffle_up", "tvm_warp_shuffle_down", "tvm_warp_shuffle_xor"})
EXCHANGES = SHUFFLES | {"tvm_warp_activemask"}
"""Exchanges that have a value."""

MATRICES = frozenset({"ptx_legacy.ldmatrix", "ptx_legacy.mma"})
"""What all lanes of a warp do together, each with its part."""

WAITING = EXCHANGES | MATRICES | {BARRIER, "tvm_thread_allreduce"}


def is_concurrent(loop: For) -> bool:
    """Whether the iterations of a loop run in no order."""
    return loop.kind in ("parallel", "thread_binding")


def as_thread_loop(stmt: LaunchThread) -> For:
    """``T.launch_thread`` as the thread-bound loop that it is."""
    zero = int_imm(0, stmt.var.dtype)
    return For(stmt.var, zero, stmt.extent, stmt.body, kind="thread_binding", thread=stmt.thread, span=stmt.span)


def waits(stmt: Stmt) -> bool:
    """Whether a thread may have to wait for others in ``stmt``."""
    return any(
        isinstance(node, Intrinsic) and node.op in WAITING
        for each in statements_of([stmt])
        for expr in expressions(each)
        for node in walk(expr)
    )


def binds_threads(stmt: Stmt) -> bool:
    """Whether a loop in ``stmt`` is bound to threads of a block."""
    return any(
        isinstance(each, For | LaunchThread) and each.thread is not None and not each.thread.startswith("blockIdx")
        for each in statements_of([stmt])
    )


def has_barrier(stmts: Iterable[Stmt]) -> bool:
    """Whether a storage synchronisation is written anywhere in ``stmts``."""
    return any(
        isinstance(each, Evaluate) and isinstance(each.value, Intrinsic) and each.value.op == BARRIER
        for each in statements_of(stmts)
    )


def is_block_index(loop: For) -> bool:
    return loop.thread is not None and loop.thread.startswith("blockIdx")


def name_thread(build: Builder, loop: For) -> None:
    """Note which thread tag a loop variable stands for."""
    if loop.thread is not None:
        build.threads[loop.var.name] = loop.thread
    if not is_block_index(loop):
        build.varying |= {loop.var.name}


def handed_over(build: Builder, body: tuple[Stmt, ...]) -> set[str]:
    """The shared buffers that are both read and written in ``body``."""
    read, written = accessed(body)
    scopes = {name: bound.scope for name, bound in build.buffers.items()}
    for stmt in statements_of(body):
        for buffer in getattr(stmt, "allocs", ()) or ():
            scopes[buffer.name] = buffer.scope
        own = getattr(stmt, "buffer", None)
        if own is not None and not isinstance(own, str):
            scopes[own.name] = own.scope
    return {name for name in read & written if is_shared(scopes.get(name, "global"))}


def is_shared(scope: str) -> bool:
    """Whether memory of this scope belongs to a block of threads."""
    return scope.startswith("shared")
