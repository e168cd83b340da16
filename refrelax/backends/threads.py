"""What tells both backends that threads of a block depend on each other: such programs they do not compile."""

from __future__ import annotations

from collections.abc import Mapping

from refrelax.semantics.graph.link import nodes
from refrelax.syntax.loops import (
    AttrStmt,
    Buffer,
    BufferStore,
    Evaluate,
    For,
    IfThenElse,
    LaunchThread,
    SBlock,
    Stmt,
    While,
)
from refrelax.syntax.scalars import Intrinsic


def synchronises(stmts: tuple[Stmt, ...]) -> bool:
    """Whether threads meet inside: a barrier, or an exchange between them."""
    for stmt in stmts:
        match stmt:
            case Evaluate(value=Intrinsic(op=op)):
                if op.startswith("tvm_") or "sync" in op:
                    return True
            case For() | While() | AttrStmt() | LaunchThread() | SBlock():
                if synchronises(stmt.body):
                    return True
            case IfThenElse():
                if synchronises((*stmt.then_body, *stmt.else_body)):
                    return True
            case _:
                pass
    return False


def shares(stmts: tuple[Stmt, ...], buffers: Mapping[str, Buffer]) -> bool:
    """Whether a thread may read what another one stores inside: memory of scope ``shared`` is allocated or written.
    Threads that run one after the other would see each other's stores too late. ``buffers``: those allocated
    outside."""
    for node in nodes(stmts):
        if isinstance(node, Buffer) and node.scope.startswith("shared"):
            return True
        if isinstance(node, BufferStore):
            buffer = buffers.get(node.buffer)
            if buffer is not None and buffer.scope.startswith("shared"):
                return True
    return False


def bound_to_threads(stmts: tuple[Stmt, ...]) -> bool:
    """Whether a loop inside runs on the threads of a block."""
    return any(
        (isinstance(node, For) and (node.thread or "").startswith("threadIdx"))
        or (isinstance(node, LaunchThread) and node.thread.startswith("threadIdx"))
        for node in nodes(stmts)
    )
