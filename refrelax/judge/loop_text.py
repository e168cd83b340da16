"""What is read off the text of a loop program: its parts, what it touches, its iterations written out.

Spec: ``spec/06c-pointwise.md``, ``va/lockstep``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from math import prod
from typing import Any

from refrelax.semantics.loops.visit import with_parts
from refrelax.shape_solver.pointwise.views import is_plain
from refrelax.syntax.loops import (
    AllocBuffer,
    Bind,
    Break,
    Buffer,
    BufferParam,
    BufferStore,
    Continue,
    DeclBuffer,
    For,
    PrimFunc,
    SBlock,
    Stmt,
)
from refrelax.syntax.scalars import (
    Binary,
    BufferLoad,
    BufferRef,
    Cast,
    Intrinsic,
    Literal,
    PrimExpr,
    Select,
    SymVar,
    as_int,
    int_imm,
)


def loaded(e: PrimExpr) -> list[str]:
    return list(dict.fromkeys(each.buffer for each in parts_of(e) if isinstance(each, BufferLoad)))


def by_need(e: Any) -> Any:
    """An expression of the first program with choices of which one arm is evaluated: it has the same value, and what
    the other arm rests on is taken for granted anyway."""
    match e:
        case Select(condition, yes, no):
            return Intrinsic("if_then_else", (by_need(condition), by_need(yes), by_need(no)), e.dtype)
        case tuple():
            return tuple(map(by_need, e))
        case _ if not is_dataclass(e) or isinstance(e, type | Literal):
            return e
        case _:
            return replace(e, **{f.name: by_need(getattr(e, f.name)) for f in fields(e) if f.init})


def runs_once(loop: For) -> bool:
    """Whether a loop is its body, with a number for its variable."""
    return as_int(loop.extent) == 1 and loop.kind != "thread_binding" and by_ones(loop) and not may_leave(loop.body)


def by_ones(loop: For) -> bool:
    return loop.step is None or as_int(loop.step) == 1


def of_names(e: PrimExpr) -> bool:
    """Whether an expression is made of names and numbers alone."""
    return not any(isinstance(each, BufferLoad) for each in parts_of(e))


def parts_of(root: Any) -> list[Any]:
    """All parts of an expression or a statement."""
    found: list[Any] = []
    pending = [root]
    while pending:
        e = pending.pop()
        if isinstance(e, tuple):
            pending.extend(e)
        elif is_dataclass(e):
            found.append(e)
            pending.extend(getattr(e, f.name) for f in fields(e) if f.name not in ("span", "dtype"))
    return found


def always(e: Any) -> list[Any]:
    """The parts of an expression that are evaluated whenever it is."""
    match e:
        case Intrinsic("if_then_else", (condition, *_)):
            return [e, *always(condition)]
        case Binary("And" | "Or", a, _):
            return [e, *always(a)]
        case tuple():
            return [found for each in e for found in always(each)]
        case _ if is_dataclass(e):
            return [e, *always(tuple(getattr(e, f.name) for f in fields(e) if f.name not in ("span", "dtype")))]
        case _:
            return []


def parts(stmts: Sequence[Stmt]) -> list[Any]:
    return parts_of(tuple(stmts))


def touched(func: PrimFunc) -> set[str]:
    """The buffers that a program stores to, under their own name or that of a view, or hands on."""
    every = parts(func.body)
    views = {e.buffer.name: e.buffer for e in every if isinstance(e, DeclBuffer)}
    bases = {name: base_of(view) for name, view in views.items()}
    declared = {id(view.data) for view in views.values()}
    found = {e.buffer for e in every if isinstance(e, BufferStore)}
    found |= {e.buffer for e in every if isinstance(e, BufferRef) and id(e) not in declared}
    while more := {base for name in found if (base := bases.get(name)) is not None} - found:
        found |= more
    return found


def with_views(func: PrimFunc, names: set[str]) -> set[str]:
    """Buffers with the views of the whole of them, from their beginning, at their dtype and number of elements."""
    buffers = {p.buffer.name: p.buffer for p in func.params if isinstance(p, BufferParam)}
    found = set(names)
    for each in parts(func.body):
        if isinstance(each, DeclBuffer) and (base := base_of(each.buffer)) in names:
            a, b = each.buffer, buffers[base or ""]
            sizes = [[as_int(d) for d in x.shape] for x in (a, b)]
            plain = a.dtype == b.dtype and not a.strides and not b.strides and is_plain(a) and is_plain(b)
            if plain and None not in (*sizes[0], *sizes[1]) and prod(sizes[0]) == prod(sizes[1]):  # type: ignore[arg-type]
                found.add(a.name)
    return found


def base_of(view: Buffer) -> str | None:
    return view.data.buffer if isinstance(view.data, BufferRef) and view.data.part == "data" else None


def may_leave(stmts: Sequence[Stmt]) -> bool:
    """Whether a body may leave its loop."""
    return any(isinstance(each, Break | Continue) for each in parts(stmts))


def makes_names(stmts: Sequence[Stmt]) -> bool:
    """Whether a body makes names: each of its iterations would make them again."""
    made = (AllocBuffer, DeclBuffer, SBlock, Bind, For)
    return any(isinstance(each, made) for each in parts(stmts))


def iteration(loop: For, k: int) -> tuple[Stmt, ...]:
    """One iteration of a loop."""
    found: tuple[Stmt, ...] = put(loop.body, {loop.var.name: plus(loop.min, k)})
    return found


def put(root: Any, by: Mapping[str, PrimExpr]) -> Any:
    match root:
        case SymVar(name=name):
            return by.get(name, root)
        case _:
            return with_parts(root, lambda part: put(part, by))


def plus(low: PrimExpr, k: int) -> PrimExpr:
    known = as_int(low)
    return int_imm(known + k, low.dtype) if known is not None else Binary("Add", low, int_imm(k, low.dtype))


def wide(e: PrimExpr) -> PrimExpr:
    """An integer as one of int64."""
    number = as_int(e)
    return int_imm(number) if number is not None else e if e.dtype == "int64" else Cast("int64", e)
