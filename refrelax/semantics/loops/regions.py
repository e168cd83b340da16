"""Accesses against the ``T.reads`` and ``T.writes`` of their block, on request.

The regions are annotations: schedules and buffer compaction rely on them, a run does not. ``check_regions=True`` holds
every access to them.

Spec: ``spec/07-evaluation.md``, *Blocks*.
"""

from __future__ import annotations

from collections.abc import Sequence

from refrelax.errors import Span, unspecified
from refrelax.rules import rule
from refrelax.semantics.loops.frame import Access, Bound, Box, Builder, Declared, Frame, Index, Run, spelled
from refrelax.semantics.loops.indices import build_index
from refrelax.syntax.loops import BufferRegion, SBlock


def declare(build: Builder, block: SBlock, outside: frozenset[str]) -> Declared | None:
    """The declarations of a block whose axes are in scope in ``build``; ``None`` if the text has none.

    A block may read where it may write: TVM does not list the partial result of a reduction among the reads, not even
    when its ``T.init`` has become a block of its own.
    """
    if block.reads is None and block.writes is None:
        return None
    writes = None if block.writes is None else _boxes(build, block.writes)
    reads = None if block.reads is None else _boxes(build, block.reads)
    if reads is not None and writes is not None:
        for name, boxes in writes.items():
            reads.setdefault(name, []).extend(boxes)
    return Declared(block.name, reads, writes, outside)


def _boxes(build: Builder, regions: Sequence[BufferRegion]) -> dict[str, list[Box]]:
    found: dict[str, list[Box]] = {}
    for region in regions:
        box = [(build_index(build, low).run, build_index(build, extent).run) for low, extent in region.ranges]
        found.setdefault(region.buffer, []).append(box)
    return found


@rule("ld/undeclared-access")
def check_of(build: Builder, bound: Bound, indices: Sequence[Index], does: Access, span: Span | None) -> Run | None:
    """What checks an access of the block that is being built, if that block declares anything about it."""
    declared = build.declared[-1]
    boxes = declared.reads if does == "read" else declared.writes
    if boxes is None or bound.name not in declared.outside:
        return None
    allowed, at, block = boxes.get(bound.name, []), [each.run for each in indices], declared.block

    def check(frame: Frame) -> None:
        index = [each(frame) for each in at]
        for box in allowed:
            if all(low(frame) <= i < low(frame) + size(frame) for i, (low, size) in zip(index, box, strict=True)):
                return
        line = "T.reads" if does == "read" else "T.writes"
        message = f"block {block} {does}s {bound.name}[{spelled(indices, frame)}], which its {line} do not cover"
        raise unspecified("ld/undeclared-access", message, span)

    return check
