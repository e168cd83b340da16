"""What concerns the threads of a block, read off the text: where they wait, which loop is one of them, what they share.

``concurrent_loops.py`` builds their loops. Spec: ``spec/07-evaluation.md``, *Threads*.
"""

from __future__ import annotations

from collections.abc import Iterable, Set

from refrelax.semantics.dims import substitute
from refrelax.semantics.loops.frame import Bound, Builder
from refrelax.semantics.loops.visit import accessed, expressions, statements_of
from refrelax.syntax.loops import Bind, Evaluate, For, LaunchThread, PrimFunc, SBlock, ScalarParam, Stmt
from refrelax.syntax.scalars import BufferLoad, Intrinsic, PrimExpr, free_symbols, int_imm, walk

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


def reached(build: Builder, name: str) -> Bound | None:
    """The memory that a buffer or a pointer in scope names."""
    found = build.buffers.get(name, build.handles.get(name))
    return found if isinstance(found, Bound) else None


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


def known_names(func: PrimFunc) -> dict[str, PrimExpr]:
    """The names of integers that are known when a loop program is called, whatever its loops do: its scalars, the
    symbols of its buffers, and what is let to an expression of such, over the scalars and symbols. (A name of several
    meanings is none.)
    """
    scalars = [p.var for p in func.params if isinstance(p, ScalarParam)]
    known: dict[str, PrimExpr] = {each.name: each for each in (*scalars, *func.symbols)}
    unknown: set[str] = set()
    for stmt in statements_of(func.body):
        match stmt:
            case For(var=var) | LaunchThread(var=var):
                unknown.add(var.name)
            case SBlock(iters=axes):
                unknown |= {axis.var.name for axis in axes}
            case Bind(var=var, value=value) if is_known(value, known.keys() - unknown):
                value = substitute(value, known)
                unknown |= {var.name} if known.setdefault(var.name, value) != value else set()
            case Bind(var=var):
                unknown.add(var.name)
            case _:
                pass
    return {name: value for name, value in known.items() if name not in unknown}


def is_known(e: PrimExpr, names: Set[str]) -> bool:
    """Whether an expression is made of literals and these names alone."""
    return free_symbols(e) <= names and not any(isinstance(each, BufferLoad) for each in walk(e))


def knows_extents(func: PrimFunc) -> bool:
    """Whether the start and the extent of every loop over threads of a block are known when the function is called."""
    names = known_names(func).keys()
    every = (as_thread_loop(s) if isinstance(s, LaunchThread) else s for s in statements_of(func.body))
    loops = [s for s in every if isinstance(s, For) and s.thread is not None and not is_block_index(s)]
    return all(is_known(e, names) for loop in loops for e in (loop.min, loop.extent))


def is_thread(tag: str) -> bool:
    """Whether what is bound to this tag has memory of its own: virtual threads are turns of one thread."""
    return not tag.startswith("vthread")


def is_shared(scope: str) -> bool:
    """Whether memory of this scope belongs to a block of threads."""
    return scope.startswith("shared")
