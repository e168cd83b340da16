"""A parameter that the second program takes in another layout: as the first program lays it out before it uses it.

Spec: ``spec/06c-pointwise.md``, ``va/laid-out``.
"""

from __future__ import annotations

from dataclasses import replace

from refrelax.judge.loop_text import parts_of, put, touched
from refrelax.lower.names import Taken
from refrelax.rules import rule
from refrelax.semantics.loops.visit import accessed
from refrelax.syntax.loops import AllocBuffer, Bind, Buffer, BufferParam, For, IterVar, PrimFunc, Stmt
from refrelax.syntax.scalars import SymVar, as_int


@rule("va/laid-out")
def laid_out(a: PrimFunc, b: PrimFunc) -> tuple[PrimFunc, list[str]] | None:
    """The second entry as one that takes what the first one does, and lays out what it takes otherwise by that
    statement of the first program which stores memory of this name, shape and dtype from this parameter alone; ``None``
    where there is none, nothing is taken otherwise, or the second entry may store in what it takes: the next call is
    given that again."""
    if len(a.params) != len(b.params):
        return None
    params, body, allocs, words = list(b.params), list(b.body), list(b.root_allocs), []
    names, changed = {each.name for each in parts_of(b) if isinstance(each, Buffer | SymVar)}, touched(b)
    for k, (p, q) in enumerate(zip(a.params, b.params, strict=True)):
        if not isinstance(p, BufferParam) or not isinstance(q, BufferParam) or _alike(p.buffer, q.buffer):
            continue
        found = _layout(a, p.buffer, q.buffer)
        if found is None or p.buffer.name in names or q.buffer.name in changed:
            return None
        params[k], allocs = p, [*allocs, q.buffer]
        body.insert(0, _with_names_of_its_own(found, names))
        words.append(f"{q.buffer.name} is what the first program makes of {p.buffer.name}")
    if not words:
        return None
    return replace(b, params=tuple(params), body=tuple(body), root_allocs=tuple(allocs)), words


def _alike(x: Buffer, y: Buffer) -> bool:
    """Whether two buffers are of one dtype and of literal extents that are the same, or of others."""
    ours, theirs = [[as_int(d) for d in each.shape] for each in (x, y)]
    return x.dtype != y.dtype or None in (*ours, *theirs) or ours == theirs


def _layout(func: PrimFunc, given: Buffer, wanted: Buffer) -> Stmt | None:
    """The only statement of a program that stores in memory like ``wanted``, from ``given`` alone."""
    made = [*func.root_allocs, *(s.buffer for s in func.body if isinstance(s, AllocBuffer) and s.init is None)]
    if not any(each.name == wanted.name and each.dtype == wanted.dtype and _alike(each, wanted) for each in made):
        return None
    stores = [s for s in func.body if wanted.name in accessed([s])[1]]
    if len(stores) != 1 or accessed(stores) != ({given.name}, {wanted.name}):
        return None
    before = func.body[: func.body.index(stores[0])]
    own = {each.var.name for each in parts_of(stores[0]) if isinstance(each, For | IterVar | Bind)}
    closed = all(each.name in own for each in parts_of(stores[0]) if isinstance(each, SymVar))
    return stores[0] if closed and given.name not in accessed(before)[1] else None


def _with_names_of_its_own(stmt: Stmt, taken: set[str]) -> Stmt:
    """A statement whose variables have names that are taken by nothing else."""
    names = Taken(taken)
    bound = [each.var for each in parts_of(stmt) if isinstance(each, For | IterVar | Bind)]
    new: Stmt = put(stmt, {v.name: SymVar(names.fresh(v.name), v.dtype) for v in bound})
    return new


__all__ = ["laid_out"]
