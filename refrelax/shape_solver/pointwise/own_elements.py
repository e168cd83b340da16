"""Memory of which each element is used by one thread of a block alone: nobody waits before it is used again.

Two uses are of one element where their indices are equal; that the threads are then the same is a claim about any two
iterations of the loops around them.

Spec: ``spec/06c-pointwise.md``, ``sh/phases``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from refrelax.rules import rule
from refrelax.semantics.dims import substitute
from refrelax.semantics.loops.threads import as_thread_loop, is_block_index
from refrelax.semantics.loops.visit import expressions, statements_of
from refrelax.shape_solver.pointwise.elements import ideal
from refrelax.shape_solver.pointwise.fits import Sizes
from refrelax.shape_solver.pointwise.logic import Logic, Spent, compare
from refrelax.syntax.loops import (
    AttrStmt,
    Bind,
    BufferStore,
    DeclBuffer,
    For,
    IfThenElse,
    LaunchThread,
    SBlock,
    Stmt,
    While,
)
from refrelax.syntax.scalars import (
    Binary,
    BufferLoad,
    BufferRef,
    Cast,
    Literal,
    PrimExpr,
    RangeArg,
    SymVar,
    as_int,
    free_symbols,
    walk,
)

MOST_USES = 8
STEPS = 4000
OF_DATA = SymVar("?", "int64")
"""What stands for a name of which nothing is known."""


class _Unknown(Exception):
    """The memory is used in a way that is not followed."""


@dataclass(frozen=True, slots=True)
class Use:
    """One load or store: at which indices, by which thread, in which loops."""

    indices: tuple[PrimExpr, ...]
    threads: tuple[tuple[str, SymVar], ...]
    """Tags and variables."""
    loops: tuple[tuple[SymVar, PrimExpr, PrimExpr], ...]
    """Variable, first value, number of iterations."""


@rule("sh/phases")
def owned(launch: For, name: str) -> bool:
    """Whether each element of a buffer is used by one thread alone, of those of a block, in a launch."""
    logic = Logic(Sizes(lambda _: None), left=STEPS)
    try:
        uses = list(dict.fromkeys(_uses((launch,), name, Use((), (), ()), {})))
        if len(uses) > MOST_USES or any(_extents(each) != _extents(uses[0]) for each in uses):
            return False
        if uses and not _tags(launch) <= {tag for tag, _ in uses[0].threads}:
            return False  # a thread of another value of it may do the same
        return all(_same_thread(p, q, logic) for k, p in enumerate(uses) for q in uses[k:])
    except (_Unknown, Spent):
        return False


def _extents(use: Use) -> list[tuple[str, PrimExpr]]:
    """The threads of a block that make a use, by tag."""
    loops = {v.name: extent for v, _, extent in use.loops}
    return sorted(((tag, loops[v.name]) for tag, v in use.threads), key=lambda each: each[0])


def _tags(launch: For) -> set[str]:
    """The tags of the threads of a block, where there are several."""
    loops = [as_thread_loop(s) if isinstance(s, LaunchThread) else s for s in statements_of((launch,))]
    bound = [s for s in loops if isinstance(s, For) and s.thread is not None and not is_block_index(s)]
    return {s.thread or "" for s in bound if as_int(s.extent) != 1}


def _same_thread(p: Use, q: Use, logic: Logic) -> bool:
    """Whether two uses of one element, in any iterations, are of one thread."""
    apart = {v.name: SymVar(f"{v.name}'", "int64") for v, _, _ in q.loops}
    given: list[PrimExpr] = []
    for use, by in ((p, {}), (q, apart)):
        for v, low, extent in use.loops:
            x, first, count = (ideal(substitute(ideal(e), by)) for e in (v, low, extent))
            given += [compare("GE", x, first), compare("LT", x, Binary("Add", first, count))]
    for i, j in zip(p.indices, q.indices, strict=True):
        given.append(compare("EQ", i, ideal(substitute(j, apart))))
    theirs = dict(q.threads)
    pairs = ((ideal(v), ideal(substitute(ideal(theirs[tag]), apart))) for tag, v in p.threads)
    return all(logic.holds(compare("EQ", x, y), tuple(given), "one thread") for x, y in pairs)


def _uses(stmts: Sequence[Stmt], name: str, at: Use, by: Mapping[str, PrimExpr]) -> Iterator[Use]:
    for stmt in stmts:
        match stmt:
            case Bind(var, value):
                yield from _in_all(stmt, name, at, by)
                by = {**by, var.name: _index(value, by) if _of_names(value) else OF_DATA}
            case LaunchThread():
                yield from _uses((as_thread_loop(stmt),), name, at, by)
            case For():
                yield from _in_all(stmt, name, at, by)
                yield from _uses(stmt.body, name, _inside(stmt, at, by), by)
            case SBlock():
                if stmt.matches or any(name == each.name for each in stmt.allocs):
                    raise _Unknown
                yield from _in_all(stmt, name, at, by)
                inner = {**by, **{axis.var.name: _index(axis.binding, by) for axis in stmt.iters}}
                yield from _uses((*(stmt.init or ()), *stmt.body), name, at, inner)
            case DeclBuffer(buffer):
                if isinstance(buffer.data, BufferRef) and buffer.data.buffer == name:
                    raise _Unknown
            case BufferStore(buffer, _, indices):
                yield from _in_all(stmt, name, at, by)
                if buffer == name:
                    yield _use(indices, at, by)
            case IfThenElse():
                yield from _in_all(stmt, name, at, by)
                yield from _uses(stmt.then_body, name, at, by)
                yield from _uses(stmt.else_body, name, at, by)
            case AttrStmt():
                yield from _uses(stmt.body, name, at, by)
            case While():
                raise _Unknown
            case _:
                yield from _in_all(stmt, name, at, by)


def _inside(loop: For, at: Use, by: Mapping[str, PrimExpr]) -> Use:
    if loop.var.name in {v.name for v, _, _ in at.loops} or loop.step is not None:
        raise _Unknown
    low, extent = _index(loop.min, by), _index(loop.extent, by)
    new = replace(at, loops=(*at.loops, (loop.var, low, extent)))
    if loop.thread is None or is_block_index(loop):
        return new if loop.thread is None else at  # blocks wait for nobody
    if loop.thread in dict(at.threads) or as_int(loop.min) != 0:
        raise _Unknown
    return replace(new, threads=(*at.threads, (loop.thread, loop.var)))


def _in_all(stmt: Stmt, name: str, at: Use, by: Mapping[str, PrimExpr]) -> Iterator[Use]:
    """The loads in what a statement itself evaluates."""
    for node in (node for e in expressions(stmt) for node in walk(e)):
        match node:
            case BufferLoad(buffer, indices) if buffer == name:
                yield _use(indices, at, by)
            case BufferRef(buffer) | RangeArg(buffer) if buffer == name:
                raise _Unknown
            case _:
                pass


def _use(indices: Sequence[PrimExpr], at: Use, by: Mapping[str, PrimExpr]) -> Use:
    return replace(at, indices=tuple(_index(i, by) for i in indices))


def _index(e: PrimExpr, by: Mapping[str, PrimExpr]) -> PrimExpr:
    """An index over loop variables, exact."""
    found = ideal(substitute(e, dict(by)))
    if not _of_names(e) or OF_DATA.name in free_symbols(found):
        raise _Unknown
    return found


def _of_names(e: PrimExpr) -> bool:
    """Whether an expression is arithmetic of integers on names that stand for one value in each iteration."""
    parts = [each for each in walk(e) if not isinstance(each, SymVar | Literal | Binary | Cast)]
    return not parts and e.dtype in ("int32", "int64") and all(each.dtype != "bool" for each in walk(e))


__all__ = ["owned"]
