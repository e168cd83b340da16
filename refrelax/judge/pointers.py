"""Handles that an entry is given as the buffers that it declares over them.

A handle says nothing of the memory behind it. Where an entry declares one buffer over it as it begins, and does nothing
else with the handle, it is given that buffer.

Spec: ``spec/06c-pointwise.md``, ``va/pointers``, ``va/other-bytes``.
"""

from __future__ import annotations

from dataclasses import replace

from refrelax.judge.vector_memory import with_scalar_elements
from refrelax.rules import rule
from refrelax.semantics.graph.link import nodes
from refrelax.syntax import dtypes
from refrelax.syntax.loops import Buffer, BufferParam, DeclBuffer, PrimFunc, ScalarParam
from refrelax.syntax.scalars import BufferRef, SymVar, as_int


def has_pointers(func: PrimFunc) -> bool:
    """Whether an entry is given handles."""
    return any(isinstance(p, ScalarParam) and p.var.dtype.startswith("handle") for p in func.params)


@rule("va/pointers")
def with_buffers(func: PrimFunc) -> PrimFunc | None:
    """An entry that is given the buffers of literal extents that it declares over its handles, as it begins; ``None``
    where it does something else with one."""
    handles = {p.var.name for p in func.params if isinstance(p, ScalarParam) and p.var.dtype.startswith("handle")}
    found: dict[str, Buffer] = {}
    body = func.body
    while body and isinstance(first := body[0], DeclBuffer):
        name = _declared_over(first.buffer, handles)
        if name is None or name in found:
            break
        found[name], body = replace(first.buffer, data=None, elem_offset=None), body[1:]
    used = {node.name for stmt in body for node in nodes(stmt) if isinstance(node, SymVar)}
    if found.keys() != handles or used & handles:
        return None
    params = tuple(
        BufferParam(found[p.var.name]) if isinstance(p, ScalarParam) and p.var.name in found else p for p in func.params
    )
    return replace(func, params=params, body=body)


def _declared_over(buffer: Buffer, handles: set[str]) -> str | None:
    """The handle whose memory a buffer is from its begin on."""
    begins = buffer.elem_offset is None or as_int(buffer.elem_offset) == 0
    plain = not buffer.strides and begins and all(as_int(d) is not None for d in buffer.shape)
    data = buffer.data
    return data.name if plain and isinstance(data, SymVar) and data.name in handles else None


@rule("va/other-bytes")
def at_dtypes_of(ours: PrimFunc, theirs: PrimFunc) -> PrimFunc | None:
    """The second entry given buffers of the first one's dtypes, whose bytes it sees as its own, or as vectors of them;
    ``None`` where the elements are of another width."""
    if len(ours.params) != len(theirs.params):
        return None
    if vectors := {q.name for p, q in _buffers(ours, theirs) if dtypes.lanes(q.dtype) > 1 and p.dtype != q.dtype}:
        found = with_scalar_elements(theirs, vectors)
        if found is None:
            return None
        theirs = found
    params, views = list(theirs.params), []
    taken = {node.name for node in nodes(theirs) if isinstance(node, Buffer | SymVar)}
    for k, (p, q) in enumerate(zip(ours.params, theirs.params, strict=True)):
        if not isinstance(p, BufferParam) or not isinstance(q, BufferParam) or p.buffer.dtype == q.buffer.dtype:
            continue
        name = f"{q.buffer.name}_as_given"
        if not dtypes.same_bytes(p.buffer.dtype, q.buffer.dtype) or name in taken or q.buffer.strides:
            return None
        params[k] = BufferParam(replace(q.buffer, name=name, dtype=p.buffer.dtype))
        views.append(DeclBuffer(replace(q.buffer, data=BufferRef(name, "data"))))
    return replace(theirs, params=tuple(params), body=(*views, *theirs.body))


def _buffers(ours: PrimFunc, theirs: PrimFunc) -> list[tuple[Buffer, Buffer]]:
    pairs = zip(ours.params, theirs.params, strict=True)
    return [(p.buffer, q.buffer) for p, q in pairs if isinstance(p, BufferParam) and isinstance(q, BufferParam)]


__all__ = ["at_dtypes_of", "has_pointers", "with_buffers"]
