"""What is read off the text of loop programs: what they store to, and how often a loop runs.

Spec: ``spec/06c-pointwise.md``, ``sh/read-program``, ``sh/loop-steps``.
"""

from __future__ import annotations

from collections.abc import Sequence

from refrelax.rules import rule
from refrelax.syntax.loops import AttrStmt, BufferStore, For, IfThenElse, LaunchThread, SBlock, Stmt
from refrelax.syntax.scalars import Binary, PrimExpr, as_int, int_imm


@rule("sh/loop-steps")
def steps(extent: PrimExpr, step: int) -> PrimExpr:
    """How often a loop runs that goes on by ``step``: what is left at the end counts as well."""
    known = as_int(extent)
    if known is not None:
        return int_imm(max(0, -(-known // step)), extent.dtype)
    return Binary("FloorDiv", Binary("Add", extent, int_imm(step - 1, extent.dtype)), int_imm(step, extent.dtype))


def of_blocks(tag: str) -> bool:
    """Whether a thread tag counts the blocks of a grid."""
    return tag.startswith("blockIdx")


def stored(stmts: Sequence[Stmt]) -> set[str]:
    """The names of the buffers that the statements write."""
    found: set[str] = set()
    pending: list[object] = list(stmts)
    while pending:
        match pending.pop():
            case BufferStore() as store:
                found.add(store.buffer)
            case For(body=body) | AttrStmt(body=body) | LaunchThread(body=body):
                pending.extend(body)
            case SBlock() as block:
                pending += [*block.body, *(block.init or ())]
            case IfThenElse() as branch:
                pending += [*branch.then_body, *branch.else_body]
            case _:
                pass
    return found
