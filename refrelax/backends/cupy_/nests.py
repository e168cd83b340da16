"""What can run in parallel: loops whose iterations touch disjoint elements, and reductions inside them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import prod
from typing import Literal as _Lit

from refrelax.backends.digits import determined
from refrelax.semantics.dims import substitute
from refrelax.syntax import dtypes
from refrelax.syntax.loops import (
    AllocBuffer,
    AssertStmt,
    AttrStmt,
    Bind,
    Buffer,
    BufferStore,
    DeclBuffer,
    Evaluate,
    For,
    IfThenElse,
    LaunchThread,
    Return,
    SBlock,
    Stmt,
    While,
)
from refrelax.syntax.scalars import (
    Binary,
    BufferLoad,
    BufferRef,
    Cast,
    Intrinsic,
    Literal,
    Not,
    PrimExpr,
    RangeArg,
    Select,
    SymVar,
    as_int,
    children,
    int_imm,
    walk,
)

PRIVATE_LIMIT = 64
"""Elements that a buffer of the thread's own may have; a larger one lives in global memory."""

Aliases = Mapping[str, PrimExpr]
Combine = _Lit["Add", "Mul", "Max", "Min", "Greatest", "Least", "First"]
"""``C op item``; ``Greatest`` and ``Least``: as ``Max`` and ``Min``, but of zeros either may be taken; ``First``: the
first position at which something holds, or -1."""


@dataclass(frozen=True, slots=True)
class Nest:
    """Perfectly nested loops, outermost first, around ``leaf``; ``parallel``: those with independent iterations."""

    loops: tuple[For, ...]
    leaf: tuple[Stmt, ...]
    parallel: tuple[For, ...]

    @property
    def sequential(self) -> tuple[For, ...]:
        return tuple(loop for loop in self.loops if loop not in self.parallel)


@dataclass(frozen=True, slots=True)
class Reduction:
    """A nest whose leaf is one block that folds into one element: every sequential loop is a reduce axis.

    ``combine`` and ``item`` are ``None`` if the update is not ``C[…] = C[…] op item``.
    """

    nest: Nest
    block: SBlock
    aliases: dict[str, PrimExpr]
    store: BufferStore
    init: PrimExpr
    combine: Combine | None
    item: PrimExpr | None


def as_loop(stmt: Stmt) -> Stmt:
    """A thread launch without barriers as the loop that it is."""
    if isinstance(stmt, LaunchThread):
        return For(stmt.var, int_imm(0, stmt.var.dtype), stmt.extent, stmt.body, span=stmt.span)
    return stmt


def nest_of(stmt: Stmt) -> Nest:
    """The loops of a statement, and which of them are independent."""
    loops: list[For] = []
    leaf: tuple[Stmt, ...] = (stmt,)
    while len(leaf) == 1 and isinstance(loop := as_loop(leaf[0]), For) and loop.step is None:
        loops.append(loop)
        leaf = loop.body
    return Nest(tuple(loops), leaf, tuple(_independent(loops, leaf)))


# --- independence ----------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class Accesses:
    """Every access of a statement list to memory that outlives it, indices over loop variables."""

    stores: list[tuple[str, tuple[PrimExpr, ...]]]
    loads: list[tuple[str, tuple[PrimExpr, ...]]]
    private: set[str]
    opaque: bool = False


def accesses(body: tuple[Stmt, ...]) -> Accesses:
    found = Accesses([], [], set())
    _collect(body, {}, found)
    return found


def _collect(body: tuple[Stmt, ...], aliases: Aliases, into: Accesses) -> None:
    scope = dict(aliases)
    for stmt in body:
        _collect_one(as_loop(stmt), scope, into)


def _collect_one(stmt: Stmt, aliases: dict[str, PrimExpr], into: Accesses) -> None:
    for expr in expressions(stmt):
        _collect_loads(expr, aliases, into)
    match stmt:
        case For() | While() | AttrStmt() | LaunchThread():
            _collect(stmt.body, aliases, into)
        case SBlock():
            inner = {**aliases, **{a.var.name: substitute(a.binding, aliases) for a in stmt.iters}}
            into.private |= {b.name for b in stmt.allocs if small(b)}
            for expr in [] if stmt.predicate is None else [stmt.predicate]:
                _collect_loads(expr, inner, into)
            _collect(stmt.init or (), inner, into)
            _collect(stmt.body, inner, into)
        case IfThenElse():
            _collect(stmt.then_body, aliases, into)
            _collect(stmt.else_body, aliases, into)
        case BufferStore():
            into.stores.append((stmt.buffer, tuple(substitute(i, aliases) for i in stmt.indices)))
        case Bind():
            aliases[stmt.var.name] = substitute(stmt.value, aliases)
        case AllocBuffer():
            into.private |= {stmt.buffer.name} if small(stmt.buffer) else set()
        case DeclBuffer() | Return():
            into.opaque = True
        case _:
            pass


def expressions(stmt: Stmt) -> Iterator[PrimExpr]:
    """The expressions that a statement itself evaluates (not those of the statements inside it)."""
    match stmt:
        case For():
            yield from (e for e in (stmt.min, stmt.extent, stmt.step) if e is not None)
        case While() | IfThenElse() | AssertStmt():
            yield stmt.condition
        case SBlock():
            yield from (a.binding for a in stmt.iters)
        case BufferStore():
            yield from (stmt.value, *stmt.indices)
        case Bind() | Evaluate() | Return():
            yield stmt.value
        case AllocBuffer():
            yield from () if stmt.init is None else (stmt.init,)
        case _:
            pass


def _collect_loads(expr: PrimExpr, aliases: Aliases, into: Accesses) -> None:
    for node in walk(expr):
        if isinstance(node, BufferLoad):
            into.loads.append((node.buffer, tuple(substitute(i, aliases) for i in node.indices)))
        elif isinstance(node, BufferRef | RangeArg):
            into.opaque = True


def small(buffer: Buffer) -> bool:
    """Whether a buffer can be a thread's own."""
    extents = [as_int(e) for e in buffer.shape]
    return all(e is not None for e in extents) and prod(e for e in extents if e is not None) <= PRIVATE_LIMIT


def _independent(loops: list[For], leaf: tuple[Stmt, ...]) -> Iterator[For]:
    """A loop is independent if its variable can be read back from the index at one and the same place of every access
    to every stored buffer: two iterations then never touch the same element of one. Its bounds are symbols only."""
    found = accesses(leaf)
    if found.opaque or any(_jumps(stmt) for stmt in leaf):
        return
    stored = {name for name, _ in found.stores} - found.private
    touched: dict[str, list[tuple[PrimExpr, ...]]] = {name: [] for name in stored}
    for name, indices in (*found.stores, *found.loads):
        if name in stored:
            touched[name].append(indices)
    domains = {loop.var.name: loop for loop in loops}
    for loop in loops:
        bounds = [n for e in (loop.min, loop.extent) for n in walk(e)]
        if any(isinstance(n, BufferLoad) or (isinstance(n, SymVar) and n.name in domains) for n in bounds):
            continue
        if all(_told_apart(loop.var.name, each, domains) for each in touched.values()) and stored:
            yield loop


def _told_apart(name: str, touched: list[tuple[PrimExpr, ...]], domains: Mapping[str, For]) -> bool:
    """Whether some place of every access holds one and the same index, from which the variable can be read back."""
    first = touched[0]
    return any(
        name in determined(first[place], domains)
        and all(len(indices) == len(first) and indices[place] == first[place] for indices in touched)
        for place in range(len(first))
    )


def _jumps(stmt: Stmt) -> bool:
    """Whether a leaf statement leaves the loops around it."""
    from refrelax.syntax.loops import Break, Continue

    match stmt:
        case Break() | Continue():
            return True
        case IfThenElse():
            return any(map(_jumps, (*stmt.then_body, *stmt.else_body)))
        case SBlock() | AttrStmt():
            return any(map(_jumps, stmt.body))
        case _:
            return False


# --- reductions ------------------------------------------------------------------------------------------------------


def reduction_of(nest: Nest) -> Reduction | None:
    """The nest as a reduction, or ``None``."""
    if len(nest.leaf) != 1 or not nest.sequential:
        return None
    block = nest.leaf[0]
    if not isinstance(block, SBlock) or block.allocs or block.matches or block.init is None:
        return None
    if block.predicate is not None and as_int(block.predicate) != 1:
        return None
    if len(block.body) != 1 or len(block.init) != 1:
        return None
    store, init = block.body[0], block.init[0]
    if not isinstance(store, BufferStore) or not isinstance(init, BufferStore) or store.indices != init.indices:
        return None
    if store.buffer != init.buffer or store.predicate is not None or init.predicate is not None:
        return None
    return _folding(nest, block, store, init.value)


def _folding(nest: Nest, block: SBlock, store: BufferStore, init: PrimExpr) -> Reduction | None:
    """Axes must be loops themselves, reduce axes the sequential ones, over the same domains."""
    aliases = {a.var.name: a.binding for a in block.iters}
    sequential = {loop.var.name: loop for loop in nest.sequential}
    reduced = set()
    for axis in block.iters:
        if axis.kind != "reduce":
            continue
        loop = sequential.get(axis.binding.name) if isinstance(axis.binding, SymVar) else None
        if loop is None or as_int(loop.min) is None or as_int(loop.min) != as_int(axis.min):
            return None
        reduced.add(loop.var.name)
    if reduced != set(sequential) or len(reduced) != sum(a.kind == "reduce" for a in block.iters):
        return None
    names = set(sequential)
    if any(isinstance(n, SymVar) and n.name in names for i in store.indices for n in walk(substitute(i, aliases))):
        return None
    for node in walk(init):
        if isinstance(node, BufferLoad) and node.buffer == store.buffer:
            return None
    for node in walk(store.value):
        if isinstance(node, BufferLoad) and node.buffer == store.buffer and node.indices != store.indices:
            return None
    combine, item = _update(store)
    if combine is None:
        combine, item = _chosen(store, init, nest, aliases)
    return Reduction(nest, block, aliases, store, init, combine, item)


def _update(store: BufferStore) -> tuple[Combine | None, PrimExpr | None]:
    """``C[…] = C[…] op item`` with ``C`` nowhere in ``item``."""
    match store.value:
        case Binary(op=("Add" | "Mul" | "Max" | "Min") as op, a=a, b=b):
            for own, item in ((a, b), (b, a)):
                if isinstance(own, BufferLoad) and own.buffer == store.buffer and not _mentions(item, store.buffer):
                    return op, item
            return None, None
        case _:
            return None, None


def _chosen(store: BufferStore, init: PrimExpr, nest: Nest, aliases: Aliases) -> tuple[Combine | None, PrimExpr | None]:
    """The folds of ``argmax``: the greatest element, or the first position where a condition holds."""
    match store.value:
        case Select(condition=Binary(op="And", a=holds, b=Binary(op="LT", a=BufferLoad() as own, b=zero)),
                    true_value=position, false_value=BufferLoad() as other):  # fmt: skip
            unset = as_int(init) == -1 and is_zero(zero) and own == other and own.buffer == store.buffer
            if unset and not _mentions(holds, store.buffer) and _is_position(position, nest, aliases):
                return "First", Select(holds, position, int_imm(-1, position.dtype))
        case Select(condition=condition, true_value=item, false_value=BufferLoad() as own) if (
            own.buffer == store.buffer and not _mentions(item, own.buffer)
        ):
            for op, combine in _EXTREMES:
                beyond = Binary(op, item, own)
                if condition == beyond and not dtypes.is_float(item.dtype):
                    return combine, item
                unlike = Binary("And", _isnan(item), Not(_isnan(own)))
                if condition == Binary("Or", beyond, unlike):
                    return combine, item
        case _:
            pass
    return None, None


_EXTREMES: tuple[tuple[_Lit["GT", "LT"], Combine], ...] = (("GT", "Greatest"), ("LT", "Least"))


def _isnan(e: PrimExpr) -> PrimExpr:
    return Intrinsic("isnan", (e,), "bool")


def _is_position(e: PrimExpr, nest: Nest, aliases: Aliases) -> bool:
    """Whether an expression is the variable of the one sequential loop, which counts from 0."""
    while isinstance(e, Cast) and dtypes.holds(e.dtype, "int32"):
        e = e.value
    if len(nest.sequential) != 1 or as_int(nest.sequential[0].min) != 0:
        return False
    return isinstance(e, SymVar) and substitute(e, aliases) == nest.sequential[0].var


def told_only_by_equality(buffer: str, expr: PrimExpr) -> bool:
    """Whether an expression reads a buffer only to compare for equality, or to see whether it is NaN: the sign of a
    zero makes no difference then."""
    match expr:
        case BufferLoad() if expr.buffer == buffer:
            return False
        case Binary(op="EQ" | "NE", a=a, b=b):
            return all(_is_load(e, buffer) or told_only_by_equality(buffer, e) for e in (a, b))
        case Intrinsic(op="isnan", args=(a,)) if _is_load(a, buffer):
            return True
        case _:
            return all(told_only_by_equality(buffer, e) for e in children(expr))


def _is_load(e: PrimExpr, buffer: str) -> bool:
    return isinstance(e, BufferLoad) and e.buffer == buffer and not any(_mentions(i, buffer) for i in e.indices)


def _mentions(expr: PrimExpr, buffer: str) -> bool:
    return any(isinstance(n, BufferLoad) and n.buffer == buffer for n in walk(expr))


def variables(expr: PrimExpr, aliases: Aliases) -> frozenset[str]:
    """Names of the loop variables and symbols that an expression depends on."""
    return frozenset(n.name for n in walk(substitute(expr, aliases)) if isinstance(n, SymVar))


def is_zero(expr: PrimExpr) -> bool:
    return isinstance(expr, Literal) and expr.bits == 0 and dtypes.kind(expr.dtype) != "bool"
