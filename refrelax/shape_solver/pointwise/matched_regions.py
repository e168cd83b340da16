"""Matched regions of blocks, ``M = T.match_buffer(A[i, 0:16], (16,))``, written as what they are a part of.

An element of ``M`` is the element of ``A`` as much further on, if the region lies in ``A``: else it would be that of
another row. So the region is claimed to, for every instance of the block, and each index of ``M`` to be inside of it,
where it is used. Both are statements of the program that is read (``IN_RANGE``); a claim that is not seen to hold is no
proof.

Spec: ``spec/06c-pointwise.md``, ``sh/read-program``; ``spec/07-evaluation.md``, ``ev/match-buffer-region``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from refrelax.rules import rule
from refrelax.semantics.loops.visit import expressions, statements_of, with_parts
from refrelax.shape_solver.pointwise.logic import is_in
from refrelax.shape_solver.pointwise.views import is_plain
from refrelax.syntax import dtypes
from refrelax.syntax.loops import (
    AllocBuffer,
    AttrStmt,
    Bind,
    Buffer,
    BufferParam,
    BufferRegion,
    BufferStore,
    DeclBuffer,
    Evaluate,
    For,
    IfThenElse,
    LaunchThread,
    MatchBufferRegion,
    PrimFunc,
    SBlock,
    Stmt,
)
from refrelax.syntax.scalars import (
    Binary,
    BufferLoad,
    BufferRef,
    Intrinsic,
    Let,
    Literal,
    PrimExpr,
    RangeArg,
    SymVar,
    as_int,
    free_symbols,
    int_imm,
    walk,
)

IN_RANGE = "0 <= index < extent"
"""A claim ``(index, extent)`` of a program that is read; of one operand, that it has a value."""


class _Unread(Exception):
    """A region that is not one of these."""


@dataclass(frozen=True, slots=True)
class _Region:
    """What ``name`` is a part of, from which element on, and its extents."""

    name: str
    source: str
    starts: tuple[PrimExpr, ...]
    shape: tuple[PrimExpr, ...]

    def at(self, indices: Sequence[PrimExpr]) -> tuple[PrimExpr, ...]:
        front = len(self.starts) - len(indices)
        moved = (_plus(low, i) for low, i in zip(self.starts[front:], indices, strict=True))
        return (*self.starts[:front], *moved)


def without_regions(func: PrimFunc) -> PrimFunc:
    """A program in which matched regions are written as parts of their buffers, where that says the same."""
    stmts = list(statements_of(func.body))
    if not any(s.matches for s in stmts if isinstance(s, SBlock)):
        return func
    made = [p.buffer for p in func.params if isinstance(p, BufferParam)]
    made += [*func.root_allocs, *(b for s in stmts if isinstance(s, SBlock) for b in s.allocs)]
    made += [s.buffer for s in stmts if isinstance(s, AllocBuffer | DeclBuffer)]
    counts = Counter(each.name for each in made)
    known = {b.name: b for b in made if counts[b.name] == 1 and b.data is None and is_plain(b)}
    known = {name: b for name, b in known.items() if b.scope in ("", "global")}  # (of others synchronisation is owed)
    return replace(func, body=tuple(_in(each, known) for each in func.body))


def _in(stmt: Stmt, known: Mapping[str, Buffer]) -> Stmt:
    match stmt:
        case SBlock(matches=matches) if matches:
            try:
                found = _written(stmt, known)
            except _Unread:
                return stmt
            return replace(found, body=tuple(_in(each, known) for each in found.body))
        case For() | AttrStmt() | LaunchThread() | SBlock():
            return replace(stmt, body=tuple(_in(each, known) for each in stmt.body))
        case IfThenElse():
            then, other = (tuple(_in(each, known) for each in side) for side in (stmt.then_body, stmt.else_body))
            return replace(stmt, then_body=then, else_body=other)
        case _:
            return stmt


@rule("sh/read-program")
def _written(block: SBlock, known: Mapping[str, Buffer]) -> SBlock:
    """A block without its matched regions."""
    inside = list(statements_of(block.body))
    if block.init is not None or any(s.init is not None for s in inside if isinstance(s, SBlock)):
        raise _Unread  # (what a reduction is, is told by its text)
    body, claims = block.body, list[Stmt]()
    for match in block.matches:
        region = _region(match, known, [*inside, block])
        claims += [Evaluate(Intrinsic(IN_RANGE, (e,), "bool")) for e in (*region.starts, *region.shape)]
        if (moved := _list(body, region)) != body:  # (what nobody uses may lie anywhere)
            claims += _claims(region, known[region.source].shape)
        body = moved
    return replace(block, matches=(), body=(*claims, *body))


def _region(match: MatchBufferRegion, known: Mapping[str, Buffer], stmts: Sequence[Stmt]) -> _Region:
    buffer, source = match.buffer, known.get(match.source.buffer)
    starts = tuple(low for low, _ in match.source.ranges)
    if source is None or buffer.dtype != source.dtype or buffer.scope not in ("", "global"):
        raise _Unread
    if len(starts) != len(source.shape) or len(buffer.shape) > len(starts):
        raise _Unread
    if any(not isinstance(each, SymVar | Literal | Binary) for e in (*starts, *buffer.shape) for each in walk(e)):
        raise _Unread  # (a place that is computed from memory stays where it was)
    placed = {n for e in (*buffer.strides, buffer.elem_offset) if e is not None for n in free_symbols(e)}
    named = {n for e in (*starts, *buffer.shape) for n in free_symbols(e)}
    for stmt in stmts[:-1]:
        if _binds(stmt) & (named | placed) or buffer.name in _declared(stmt):
            raise _Unread
        for e in _all_expressions(stmt):
            if free_symbols(e) & placed or any(_by_handle(each, buffer.name) for each in walk(e)):
                raise _Unread
    own = stmts[-1]
    assert isinstance(own, SBlock)
    if (
        any(buffer.name == each.name for each in own.allocs)
        or sum(m.buffer.name == buffer.name for m in own.matches) > 1
    ):
        raise _Unread
    return _Region(buffer.name, source.name, starts, buffer.shape)


def _claims(region: _Region, shape: Sequence[PrimExpr]) -> Iterator[Stmt]:
    """The region lies in its buffer."""
    front = len(shape) - len(region.shape)
    for k, (low, whole) in enumerate(zip(region.starts, shape, strict=True)):
        if k >= front:  # low + extent <= whole
            extent = region.shape[k - front]
            whole = _plus(Binary("Sub", _like(whole, low), _like(extent, low)), int_imm(1, low.dtype))
        yield _claim(low, whole)


def _claim(index: PrimExpr, extent: PrimExpr) -> Stmt:
    return Evaluate(Intrinsic(IN_RANGE, (index, _like(extent, index)), "bool"))


def _moved(stmt: Stmt, region: _Region) -> Stmt:
    """A statement with the elements of a region as those of its buffer."""
    match stmt:
        case For() | LaunchThread() | AttrStmt():
            _unused(stmt, region)
            return replace(stmt, body=_list(stmt.body, region))
        case SBlock():
            _unused(stmt, region)
            matches = tuple(replace(each, source=_source(each.source, region)) for each in stmt.matches)
            return replace(stmt, matches=matches, body=_list(stmt.body, region))
        case IfThenElse():
            _unused(stmt, region)
            return replace(stmt, then_body=_list(stmt.then_body, region), else_body=_list(stmt.else_body, region))
        case BufferStore() | Evaluate() | Bind():
            found = _replaced(stmt, region)
            assert isinstance(found, BufferStore | Evaluate | Bind)
            return found
        case AllocBuffer(init=None) | DeclBuffer():
            return stmt
        case _:
            raise _Unread


def _list(stmts: Sequence[Stmt], region: _Region) -> tuple[Stmt, ...]:
    """Statements, each behind what is claimed of the indices in it."""
    return tuple(s for each in stmts for s in (*_used(each, region), _moved(each, region)))


def _used(stmt: Stmt, region: _Region) -> Iterator[Stmt]:
    if not isinstance(stmt, BufferStore | Evaluate | Bind):
        return
    places = [stmt.indices] if isinstance(stmt, BufferStore) and stmt.buffer == region.name else []
    for node in (node for e in expressions(stmt) for node in walk(e)):
        if isinstance(node, BufferLoad) and node.buffer == region.name:
            places.append(node.indices)
    if places and any(isinstance(node, Let) for e in expressions(stmt) for node in walk(e)):
        raise _Unread
    for indices in places:
        if len(indices) != len(region.shape) or any(dtypes.lanes(i.dtype) != 1 for i in indices):
            raise _Unread
        for i, d in zip(indices, region.shape, strict=True):
            yield _claim(i, d)


def _unused(stmt: Stmt, region: _Region) -> None:
    """See that a statement itself does not look at a region."""
    if any(isinstance(n, BufferLoad) and n.buffer == region.name for e in _all_expressions(stmt) for n in walk(e)):
        raise _Unread


def _source(source: BufferRegion, region: _Region) -> BufferRegion:
    """A region of a region."""
    if source.buffer != region.name:
        return source
    lows = region.at(tuple(low for low, _ in source.ranges))
    front = len(lows) - len(source.ranges)
    extents = (*(int_imm(1, low.dtype) for low in lows[:front]), *(d for _, d in source.ranges))
    return replace(source, buffer=region.source, ranges=tuple(zip(lows, extents, strict=True)))


def _replaced(root: Any, region: _Region) -> Any:
    new = with_parts(root, lambda part: _replaced(part, region))
    if isinstance(new, BufferLoad | BufferStore) and new.buffer == region.name:
        return replace(new, buffer=region.source, indices=region.at(new.indices))
    return new


def _all_expressions(stmt: Stmt) -> tuple[PrimExpr, ...]:
    """The expressions of a statement, those included that say where its buffers are."""
    buffers = [*(getattr(stmt, "allocs", ()) or ())]
    if isinstance(stmt, AllocBuffer | DeclBuffer):
        buffers.append(stmt.buffer)
    where = [e for b in buffers for e in (*b.shape, *b.strides, b.elem_offset, b.data) if e is not None]
    for match in stmt.matches if isinstance(stmt, SBlock) else ():
        where += [*match.buffer.shape, *(e for pair in match.source.ranges for e in pair)]
    return (*expressions(stmt), *where)


def _by_handle(node: PrimExpr, name: str) -> bool:
    return isinstance(node, BufferRef | RangeArg) and node.buffer == name


def _declared(stmt: Stmt) -> set[str]:
    match stmt:
        case SBlock(allocs=allocs, matches=matches):
            return {b.name for b in allocs} | {m.buffer.name for m in matches}
        case AllocBuffer(buffer) | DeclBuffer(buffer):
            return {buffer.name}
        case _:
            return set()


def _binds(stmt: Stmt) -> set[str]:
    """The names that a statement gives a meaning."""
    match stmt:
        case For(var=var) | LaunchThread(var=var) | Bind(var=var):
            return {var.name}
        case SBlock(iters=axes, matches=matches):
            given = [e for m in matches for e in (*m.buffer.strides, m.buffer.elem_offset) if isinstance(e, SymVar)]
            return {axis.var.name for axis in axes} | {e.name for e in given}
        case _:
            return set()


def _plus(a: PrimExpr, b: PrimExpr) -> PrimExpr:
    if as_int(a) == 0:
        return _like(b, a)
    return Binary("Add", a, _like(b, a))


def _like(e: PrimExpr, other: PrimExpr) -> PrimExpr:
    """An integer at the dtype of another one."""
    if e.dtype == other.dtype:
        return e
    if (known := as_int(e)) is None or not is_in(known, other.dtype):
        raise _Unread
    return int_imm(known, other.dtype)


__all__ = ["IN_RANGE", "without_regions"]
