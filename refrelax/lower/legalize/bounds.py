"""What a loop program rests on: every index of every load and store lies in its buffer.

An index that is a loop variable over the whole axis, or a constant below a constant, needs no claim. An index that
reads memory (``take``) is data, unless what is read is clamped: then the element counts as any integer.

Spec: ``spec/10-lowering.md``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from refrelax.lower.claims import within
from refrelax.rules import rule
from refrelax.syntax.loops import Buffer, BufferParam, BufferStore, For, IfThenElse, PrimFunc, SBlock, Stmt
from refrelax.syntax.scalars import (
    Binary,
    BufferLoad,
    Cast,
    Intrinsic,
    Not,
    PrimExpr,
    Select,
    SymVar,
    as_int,
    children,
    conjuncts,
    free_symbols,
    int_imm,
    walk,
)

Range = tuple[PrimExpr, PrimExpr]


@dataclass(frozen=True, slots=True)
class Obligation:
    """A statement and what holds where it is needed.

    ``near``: of ``given``, without conditions that a later one of the same form is likely to imply: the last that held
    and the last that did not.
    """

    statement: PrimExpr
    given: tuple[PrimExpr, ...]
    near: tuple[PrimExpr, ...] = ()


@dataclass(slots=True)
class _Scope:
    """Variables with their ranges, and the conditions on the way."""

    buffers: Mapping[str, Buffer]
    ranges: dict[str, tuple[SymVar, PrimExpr, PrimExpr]] = field(default_factory=dict)
    path: tuple[PrimExpr, ...] = ()

    def with_variable(self, var: SymVar, low: PrimExpr, extent: PrimExpr) -> _Scope:
        return _Scope(self.buffers, {**self.ranges, var.name: (var, low, extent)}, self.path)

    def where(self, condition: PrimExpr) -> _Scope:
        return _Scope(self.buffers, self.ranges, (*self.path, *conjuncts(condition)))


@rule("lo/in-bounds")
def obligations(func: PrimFunc) -> list[Obligation]:
    """What must hold for every load and store of the function to lie in bounds; each once."""
    buffers = {p.buffer.name: p.buffer for p in func.params if isinstance(p, BufferParam)}
    buffers |= {b.name: b for b in func.root_allocs}
    found: dict[tuple[PrimExpr, tuple[PrimExpr, ...]], Obligation] = {}
    for stmt in func.body:
        for each in _of_statement(_Scope(buffers), stmt):
            found.setdefault((each.statement, each.given), each)
    return list(found.values())


def _of_statement(scope: _Scope, stmt: Stmt) -> Iterator[Obligation]:
    match stmt:
        case For():
            inner = scope.with_variable(stmt.var, stmt.min, stmt.extent)
            for each in stmt.body:
                yield from _of_statement(inner, each)
        case SBlock():
            inner = scope
            for axis in stmt.iters:
                inner = inner.with_variable(axis.var, axis.min, axis.extent)
            for each in (*(stmt.init or ()), *stmt.body):
                yield from _of_statement(inner, each)
        case IfThenElse():
            for branch, condition in ((stmt.then_body, stmt.condition), (stmt.else_body, Not(stmt.condition))):
                for each in branch:
                    yield from _of_statement(scope.where(condition), each)
        case BufferStore():
            yield from _of_access(scope, stmt.buffer, stmt.indices)
            yield from _of_value(scope, stmt.value)
        case _:
            raise NotImplementedError(type(stmt).__name__)


def _of_value(scope: _Scope, expr: PrimExpr) -> Iterator[Obligation]:
    match expr:
        case Intrinsic(op="if_then_else", args=(condition, yes, no)):
            yield from _of_value(scope, condition)
            yield from _of_value(scope.where(condition), yes)
            yield from _of_value(scope.where(Not(condition)), no)
        case Select():
            for part in (expr.condition, expr.true_value, expr.false_value):
                yield from _of_value(scope, part)
        case BufferLoad():
            yield from _of_access(scope, expr.buffer, expr.indices)
            for index in expr.indices:
                yield from _of_value(scope, index)
        case _:
            for child in children(expr):
                yield from _of_value(scope, child)


def _of_access(scope: _Scope, buffer: str, indices: tuple[PrimExpr, ...]) -> Iterator[Obligation]:
    for index, dim in zip(indices, scope.buffers[buffer].shape, strict=True):
        if _plainly_inside(scope, index, dim):
            continue
        numbered = _numbered(index)
        if numbered is not None:
            statement = within(numbered, int_imm(0), dim)
            ranges, conditions = _relevant(scope, statement)
            last = {isinstance(each, Not): each for each in conditions}
            near = (*ranges, *(each for each in conditions if each is last[isinstance(each, Not)]))
            yield Obligation(statement, (*ranges, *conditions), near)


def _plainly_inside(scope: _Scope, index: PrimExpr, dim: PrimExpr) -> bool:
    if isinstance(index, SymVar) and index.name in scope.ranges:
        _, low, extent = scope.ranges[index.name]
        if as_int(low) != 0:
            return False
        a, b = as_int(extent), as_int(dim)
        return extent == dim or (a is not None and b is not None and a <= b)
    k, n = as_int(index), as_int(dim)
    return k is not None and n is not None and 0 <= k < n


def _numbered(index: PrimExpr) -> PrimExpr | None:
    """An index with each element that it reads replaced by a symbol; ``None`` if the element itself is the index."""
    loads = [node for node in walk(index) if isinstance(node, BufferLoad)]
    if not loads:
        return index
    if not _clamped(index):
        return None
    names = {load: SymVar(f"element{k}", load.dtype) for k, load in enumerate(dict.fromkeys(loads))}
    return _replaced(index, names)


def _clamped(index: PrimExpr) -> bool:
    """Whether the index is ``… min …`` or ``… mod …`` of what was read: in range whatever that is."""
    return isinstance(index, Binary) and index.op in ("Min", "Max", "FloorMod")


def _replaced(e: PrimExpr, names: Mapping[BufferLoad, SymVar]) -> PrimExpr:
    match e:
        case BufferLoad():
            return names[e]
        case Binary(op, a, b):
            return Binary(op, _replaced(a, names), _replaced(b, names))
        case Cast(dtype, value):
            return Cast(dtype, _replaced(value, names))
        case _:
            return e


def _relevant(scope: _Scope, statement: PrimExpr) -> tuple[list[PrimExpr], list[PrimExpr]]:
    """Ranges of the variables that matter, and the conditions on the way that mention one of them."""
    names = set(free_symbols(statement))
    conditions: list[PrimExpr] = []
    for condition in scope.path:
        if any(isinstance(n, BufferLoad) for n in walk(condition)) or not (free_symbols(condition) & names):
            continue
        names |= free_symbols(condition)
        conditions.append(condition)
    ranges = [
        within(v, low, Binary("Add", low, n) if as_int(low) != 0 else n)
        for v, low, n in scope.ranges.values()
        if v.name in names
    ]
    return ranges, conditions
