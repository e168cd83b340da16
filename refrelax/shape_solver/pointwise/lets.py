"""Lets of elements, put where they are used: ``v = C[i] + x`` and ``C[i] = v`` say the same as ``C[i] = C[i] + x``.

Only where nothing that the value loads is stored to before the use, and only into stores and lets of the same list.

Spec: ``spec/06c-pointwise.md``, ``sh/read-program``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from refrelax.semantics.loops.visit import accessed, expressions, statements_of
from refrelax.shape_solver.pointwise.other_names import renamed
from refrelax.syntax.loops import Bind, BufferStore, DeclBuffer, Stmt
from refrelax.syntax.scalars import BufferLoad, Let, PrimExpr, free_symbols, walk


def in_place(stmts: Sequence[Stmt], names: Mapping[str, str]) -> Iterator[Stmt]:
    """The statements without the lets of elements that can be put where they are used. ``names``: of what memory a view
    that was declared is another name, which nobody uses afterwards."""
    rest = list(stmts)
    while rest:
        stmt = rest.pop(0)
        if isinstance(stmt, Bind) and _of_elements(stmt.value) and _serves(stmt, rest):
            rest = [_with(each, stmt) for each in rest]
            continue
        yield stmt
        if isinstance(stmt, DeclBuffer) and stmt.buffer.name in names:
            rest = list(renamed(tuple(rest), names))


def _of_elements(e: PrimExpr) -> bool:
    return any(isinstance(each, BufferLoad) for each in walk(e))


def _serves(let: Bind, rest: Sequence[Stmt]) -> bool:
    """Whether every use of a let may compute it anew."""
    loaded = {each.buffer for each in walk(let.value) if isinstance(each, BufferLoad)}
    known = free_symbols(let.value)
    changed = used = False
    for stmt in rest:
        if _uses(stmt, let.var.name):
            plain = isinstance(stmt, Bind) or (
                isinstance(stmt, BufferStore)
                and not any(let.var.name in free_symbols(i) for i in stmt.indices)
                and stmt.predicate is None
            )
            if changed or not plain:
                return False
            used = True
        if isinstance(stmt, Bind) and stmt.var.name in known:
            return False
        views = any(isinstance(s, DeclBuffer) and s.buffer.data is not None for s in statements_of([stmt]))
        changed = changed or views or bool(accessed([stmt])[1] & loaded)  # (by other names, maybe)
    return used


def _uses(stmt: Stmt, name: str) -> bool:
    return any(name in free_symbols(e) for each in statements_of([stmt]) for e in _all(each))


def _all(stmt: Stmt) -> tuple[PrimExpr, ...]:
    extents = [d for b in getattr(stmt, "allocs", ()) or () for d in b.shape]
    return (*expressions(stmt), *extents)


def _with(stmt: Stmt, let: Bind) -> Stmt:
    match stmt:
        case BufferStore() | Bind() if let.var.name in free_symbols(stmt.value):
            return replace(stmt, value=Let(let.var, let.value, stmt.value))
        case _:
            return stmt
