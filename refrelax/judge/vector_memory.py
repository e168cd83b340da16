"""A parameter that is a buffer of vectors as one of their elements, which lie one behind the other.

Spec: ``spec/06c-pointwise.md``, ``va/other-bytes``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any

from refrelax.judge.loop_text import base_of
from refrelax.rules import rule
from refrelax.semantics.loops.visit import statements_of
from refrelax.shape_solver.pointwise.views import is_plain
from refrelax.syntax import dtypes
from refrelax.syntax.loops import Buffer, BufferParam, BufferStore, DeclBuffer, PrimFunc, SBlock
from refrelax.syntax.scalars import Binary, BufferLoad, BufferRef, Literal, PrimExpr, Ramp, as_int, int_imm


class _Otherwise(Exception):
    """The memory is used in another way."""


@rule("va/other-bytes")
def with_scalar_elements(func: PrimFunc, names: set[str]) -> PrimFunc | None:
    """An entry that is given buffers of the elements of its parameters ``names``, buffers of vectors; ``None`` where it
    does more with one than to load, store and rename it."""
    memory = {p.buffer.name: p.buffer for p in func.params if isinstance(p, BufferParam) and p.buffer.name in names}
    for stmt in statements_of(func.body):
        if isinstance(stmt, SBlock):
            return None
        if isinstance(stmt, DeclBuffer) and (base := base_of(stmt.buffer)) in memory:
            if stmt.buffer.dtype != memory[base or ""].dtype:
                return None
            memory[stmt.buffer.name] = stmt.buffer
    if not all(
        is_plain(each) and as_int(each.shape[-1] if each.shape else None) is not None for each in memory.values()
    ):
        return None
    try:
        params, body = _rewritten((func.params, func.body), memory)
    except _Otherwise:
        return None
    return replace(func, params=params, body=body)


def _rewritten(root: Any, memory: Mapping[str, Buffer]) -> Any:
    def inside(new: Any) -> Any:
        return replace(new, **{f.name: _rewritten(getattr(new, f.name), memory) for f in fields(new) if f.init})

    match root:
        case tuple():
            return tuple(_rewritten(each, memory) for each in root)
        case DeclBuffer(buffer) if buffer.name in memory:
            return replace(root, buffer=_of_elements(buffer))
        case Buffer() if root.name in memory:
            return _of_elements(root)
        case BufferLoad(name, indices, dtype) if name in memory:
            if root.predicate is not None or dtype != memory[name].dtype:
                raise _Otherwise
            return replace(root, indices=_of_lanes(_rewritten(indices, memory), dtype))
        case BufferStore(name, value, indices) if name in memory:
            if root.predicate is not None or value.dtype != memory[name].dtype:
                raise _Otherwise
            at = _of_lanes(_rewritten(indices, memory), value.dtype)
            return replace(root, value=_rewritten(value, memory), indices=at)
        case BufferRef(name) if name in memory:
            raise _Otherwise
        case _ if not is_dataclass(root) or isinstance(root, type | Literal):
            return root
        case _:
            return inside(root)


def _of_elements(buffer: Buffer) -> Buffer:
    count = (as_int(buffer.shape[-1]) or 0) * dtypes.lanes(buffer.dtype)
    shape = (*buffer.shape[:-1], int_imm(count, buffer.shape[-1].dtype))
    return replace(buffer, shape=shape, dtype=dtypes.element(buffer.dtype))


def _of_lanes(indices: tuple[PrimExpr, ...], dtype: str) -> tuple[PrimExpr, ...]:
    """The indices of all lanes of one vector."""
    if any(dtypes.lanes(i.dtype) != 1 for i in indices):
        raise _Otherwise
    last, lanes = indices[-1], dtypes.lanes(dtype)
    first = Binary("Mul", last, int_imm(lanes, last.dtype))
    return (*indices[:-1], Ramp(first, int_imm(1, last.dtype), lanes))


__all__ = ["with_scalar_elements"]
