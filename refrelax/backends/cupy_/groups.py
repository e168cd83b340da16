"""Statements in a row that one kernel runs: they share their rows, and no row touches what another one writes.

A *row* is one iteration of the loops that the statements have in common; what is left of a statement's loops are its
*columns*. A group is right to run row by row if every buffer that it stores is used by it at one and the same index
alone, which tells the rows apart; and its threads need not wait for each other within a row if that index also tells
the columns apart. Both are seen from the text. What a buffer holds between the statements is then a variable (one
element a row), or an element of memory of the block's own (one a row and column).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from math import prod

from refrelax.backends.cupy_.expressions import Text
from refrelax.backends.cupy_.forms import contraction_of, is_row
from refrelax.backends.cupy_.nests import Combine, Reduction, as_loop, nest_of, reduction_of
from refrelax.backends.digits import determined
from refrelax.lower.nests import rebuilt
from refrelax.semantics.dims import NO_FACTS, equal, substitute
from refrelax.semantics.graph.link import nodes
from refrelax.syntax.loops import BufferStore, For, SBlock, Stmt
from refrelax.syntax.scalars import (
    Binary,
    BufferLoad,
    BufferRef,
    Intrinsic,
    PrimExpr,
    RangeArg,
    Select,
    SymVar,
    as_int,
    children,
    int_imm,
    walk,
)

Indices = tuple[PrimExpr, ...]


@dataclass(frozen=True, slots=True)
class Piece:
    """One statement: a store, or a fold, over loops that begin at 0. ``aliases``: the block's variables, and loops of
    one iteration, over the loops; ``columns``: of a fold, the loops that it folds over."""

    stmt: Stmt
    loops: tuple[For, ...]
    aliases: Mapping[str, PrimExpr]
    store: BufferStore
    fold: Reduction | None
    columns: tuple[For, ...] | None


@dataclass(frozen=True, slots=True)
class Phase:
    """A piece over the axes of its group. ``span``: the number of its column domain; -1 without columns."""

    piece: Piece
    aliases: Mapping[str, PrimExpr]
    span: int

    @property
    def store(self) -> BufferStore:
        return self.piece.store

    @property
    def fold(self) -> Reduction | None:
        return self.piece.fold

    @property
    def combine(self) -> Combine | None:
        return None if self.piece.fold is None else self.piece.fold.combine

    @property
    def target(self) -> Indices:
        return tuple(substitute(i, self.aliases) for i in self.store.indices)

    def expressions(self) -> tuple[PrimExpr, ...]:
        """What it evaluates for its value."""
        return (self.store.value,) if self.fold is None else (self.store.value, self.fold.init)

    def loads(self) -> Iterator[tuple[str, Indices]]:
        """What it reads, but the element that it folds into."""
        for expr in self.expressions():
            for node in walk(expr):
                if isinstance(node, BufferLoad) and not (self.fold is not None and node.buffer == self.store.buffer):
                    yield node.buffer, tuple(substitute(i, self.aliases) for i in node.indices)


@dataclass(slots=True)
class Group:
    """``rows``: the loops that all phases share; ``spans``: the column domains; ``indices``: the one index at which
    each stored buffer is used; ``read``: the indices at which each is read; ``scalars``: the stored buffers that have
    one element a row."""

    rows: tuple[For, ...]
    phases: list[Phase] = field(default_factory=list)
    spans: list[tuple[For, ...]] = field(default_factory=list)
    indices: dict[str, Indices] = field(default_factory=dict)
    read: dict[str, tuple[Indices, ...]] = field(default_factory=dict)
    names: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.names |= {loop.var.name for loop in self.rows}

    @property
    def scalars(self) -> set[str]:
        rows = {loop.var.name for loop in self.rows}
        columns = {loop.var.name for span in self.spans for loop in span}
        assert not rows & columns
        return {name for name, at in self.indices.items() if not _variables(at) & columns}

    @property
    def statements(self) -> list[Stmt]:
        return [phase.piece.stmt for phase in self.phases]

    def rows_left(self, fold: Reduction) -> bool:
        """Whether a phase but this fold has columns, or the rows are not the loops of the fold."""
        if any(phase.span >= 0 and phase.fold is not fold for phase in self.phases):
            return True
        return {loop.var.name for loop in self.rows} != {
            loop.var.name for loop in fold.nest.parallel if as_int(loop.extent) != 1
        }

    def copy(self) -> Group:
        return Group(
            self.rows, list(self.phases), list(self.spans), dict(self.indices), dict(self.read), set(self.names)
        )

    def reads(self, phase: Phase) -> None:
        """What a phase reads, added to what is read."""
        for name, at in phase.loads():
            self.read[name] = (*self.read.get(name, ()), at)

    # --- growing ------------------------------------------------------------------------------------------------------

    def add(self, piece: Piece) -> bool:
        """One more statement, if the group stays right with it."""
        own = None if piece.columns is None else tuple(loop for loop in piece.loops if loop not in piece.columns)
        candidates = [own] if own is not None else list(combinations(piece.loops, len(self.rows)))
        for rows in candidates:
            if len(rows) == len(self.rows) and all(_same(a, b) for a, b in zip(rows, self.rows, strict=True)):
                columns = tuple(loop for loop in piece.loops if loop not in rows)
                if self._admit(piece, rows, columns):
                    return True
        return piece.fold is None and any(self.add(each) for each in self._split(piece))

    def _split(self, piece: Piece) -> Iterator[Piece]:
        """The piece with one loop as two, the outer one of which may be a row: channels as groups of channels."""
        for loop in piece.loops:
            for row in self.rows:
                whole, part = as_int(loop.extent), as_int(row.extent)
                if whole is not None and part is not None and 1 < part < whole and whole % part == 0:
                    yield _halved(piece, loop, part, whole // part)

    def _admit(self, piece: Piece, rows: tuple[For, ...], columns: tuple[For, ...]) -> bool:
        spans = list(self.spans)
        names = self.names if any(_alike(each, columns) for each in spans) else set(self.names)
        span = -1 if not columns and piece.fold is None else self._span(columns, spans, names)
        axes = (*self.rows, *(spans[span] if span >= 0 else ()))
        renamed = {a.var.name: b.var for a, b in zip((*rows, *columns), axes, strict=True)}
        aliases = {k: substitute(v, renamed) for k, v in piece.aliases.items()} | renamed
        phase = Phase(piece, aliases, span)
        buffer, target = piece.store.buffer, phase.target
        if self.indices.get(buffer, target) != target or any(at != target for at in self.read.get(buffer, ())):
            return False
        if any((target if name == buffer else self.indices.get(name, at)) != at for name, at in phase.loads()):
            return False
        if not self._told_apart(phase, axes, piece.fold is not None):
            return False
        self.spans, self.names, self.indices[buffer] = spans, names, target
        self.reads(phase)
        self.phases.append(phase)
        return True

    def _span(self, columns: tuple[For, ...], spans: list[tuple[For, ...]], names: set[str]) -> int:
        """The number of a column domain, which may be new."""
        for k, each in enumerate(spans):
            if _alike(each, columns):
                return k
        made = []
        for loop in columns:
            name, k = loop.var.name, 0
            while name in names:
                name, k = f"{loop.var.name}{k}", k + 1
            names.add(name)
            made.append(For(SymVar(name, loop.var.dtype), loop.min, loop.extent, ()))
        spans.append(tuple(made))
        return len(spans) - 1

    def _told_apart(self, phase: Phase, axes: tuple[For, ...], folds: bool) -> bool:
        """Whether the index of a store tells rows, and of a store for each column the columns, apart."""
        domains = {loop.var.name: loop for loop in axes}
        found = frozenset[str]().union(*(determined(i, domains) for i in phase.target))
        rows = {loop.var.name for loop in self.rows}
        return rows <= found and (rows == found if folds else set(domains) <= found)


def _same(a: For, b: For) -> bool:
    return a.var.dtype == b.var.dtype and equal(a.extent, b.extent, NO_FACTS) is True


def _alike(some: tuple[For, ...], others: tuple[For, ...]) -> bool:
    return len(some) == len(others) and all(map(_same, some, others))


def _variables(at: Indices) -> set[str]:
    return {n.name for each in at for n in walk(each) if isinstance(n, SymVar)}


def _halved(piece: Piece, loop: For, outer: int, inner: int) -> Piece:
    """``loop`` as ``outer`` times ``inner`` iterations; quotients and remainders of it by ``inner`` are their
    variables."""
    name, dtype = loop.var.name, loop.var.dtype
    high, low = SymVar(f"{name}_high", dtype), SymVar(f"{name}_low", dtype)
    step = int_imm(inner, dtype)
    digits = {"FloorDiv": high, "Div": high, "FloorMod": low, "Mod": low}
    own = {k for k, v in piece.aliases.items() if isinstance(v, SymVar) and v.name == name} | {name}

    def visit(e: PrimExpr) -> PrimExpr:
        match e:
            case Binary(op=op, a=SymVar(name=n), b=b) if op in digits and n in own and as_int(b) == inner:
                return digits[op]
            case _:
                parts = children(e)
                return rebuilt(e, tuple(map(visit, parts))) if parts else e

    store = replace(piece.store, value=visit(piece.store.value), indices=tuple(map(visit, piece.store.indices)))
    whole = Binary("Add", Binary("Mul", high, step), low)
    aliases = {k: substitute(v, {name: whole}) for k, v in piece.aliases.items()}
    loops: list[For] = []
    for each in piece.loops:
        pair = (For(high, loop.min, int_imm(outer, dtype), ()), For(low, loop.min, step, ()))
        loops += pair if each is loop else (each,)
    return Piece(piece.stmt, tuple(loops), {**aliases, name: whole}, store, None, None)


def piece_of(stmt: Stmt, text: Text) -> Piece | None:
    """A statement as a piece; ``None`` for any other."""
    nest = nest_of(stmt)
    if len(nest.leaf) != 1 or not isinstance(block := nest.leaf[0], SBlock):
        return None
    if block.allocs or block.matches or (block.predicate is not None and as_int(block.predicate) != 1):
        return None
    reduction = reduction_of(nest)
    if reduction is None and block.init is not None:
        return None
    if len(block.body) != 1 or not isinstance(store := block.body[0], BufferStore) or store.predicate is not None:
        return None
    aliases: dict[str, PrimExpr] = {}
    loops, columns = list[For](), list[For]()
    for loop in nest.loops:
        low, extent = text.resolve(loop.min), text.resolve(loop.extent)
        if not text.is_index(low) or not text.is_index(extent) or as_int(low) != 0:
            return None
        if as_int(extent) == 1:
            aliases[loop.var.name] = low
            continue
        made = For(loop.var, low, extent, ())
        loops.append(made)
        if loop not in nest.parallel:
            columns.append(made)
    names = {loop.var.name for loop in nest.loops}
    if any(n.name in names for loop in loops for n in walk(loop.extent) if isinstance(n, SymVar)):
        return None
    if not all(text.is_index(axis.binding) for axis in block.iters) or not _plain(store, reduction):
        return None
    aliases |= {a.var.name: substitute(text.resolve(a.binding), aliases) for a in block.iters}
    return Piece(stmt, tuple(loops), aliases, store, reduction, None if reduction is None else tuple(columns))


def _plain(store: BufferStore, reduction: Reduction | None) -> bool:
    """No reference to memory but loads and this store."""
    exprs = (store.value, *store.indices, *(() if reduction is None else (reduction.init,)))
    for node in (n for e in exprs for n in walk(e)):
        if isinstance(node, BufferRef | RangeArg) or (isinstance(node, BufferLoad) and node.predicate is not None):
            return False
    return not any(isinstance(n, BufferLoad) for i in store.indices for n in walk(i))


# --- what is read for sure -------------------------------------------------------------------------------------------


def certain(expr: PrimExpr) -> Iterator[BufferLoad]:
    """The loads that an expression makes whatever its conditions say."""
    match expr:
        case Select():
            yield from certain(expr.condition)
        case Intrinsic(op="if_then_else", args=(condition, *_)):
            yield from certain(condition)
        case BufferLoad():
            yield expr
        case _:
            for child in children(expr):
                yield from certain(child)


def mentions(stmts: Sequence[Stmt]) -> Counter[str]:
    """How often statements mention each buffer."""
    found = (n.buffer for n in nodes(tuple(stmts)) if isinstance(n, BufferLoad | BufferRef | BufferStore))
    return Counter(found)


def used_outside(whole: Counter[str], statements: Sequence[Stmt]) -> set[str]:
    """The buffers of some statements that others use, too; ``whole``: what all statements mention."""
    return {name for name, count in mentions(statements).items() if whole[name] > count}


# --- choosing --------------------------------------------------------------------------------------------------------

FEW_COLUMNS = 1024
"""Columns, at most, that one thread stores for its row."""


def pieces_of(stmts: Sequence[Stmt], text: Text, start: int = 0) -> list[Piece]:
    """The statements from one on that are pieces."""
    found: list[Piece] = []
    for k in range(start, len(stmts)):
        piece = piece_of(as_loop(stmts[k]), text)
        if piece is None:
            break
        found.append(piece)
    return found


def group_from(pieces: list[Piece]) -> Group | None:
    """The pieces from the first on that one kernel should run; ``None`` where the first has a form of its own."""
    first = next((k for k, p in enumerate(pieces) if p.fold is not None), None)
    if first is not None:
        found = _around_fold(pieces, first)
        if found is not None:
            return found
    points = Group(pieces[0].loops) if pieces else Group(())
    for piece in pieces:
        if piece.fold is not None or len(piece.loops) != len(points.rows) or not points.add(piece):
            break
    return points if points.phases else None


def _around_fold(pieces: list[Piece], first: int) -> Group | None:
    """A fold, what comes before it and what follows."""
    head = pieces[first]
    assert head.fold is not None and head.columns is not None
    rows = tuple(loop for loop in head.loops if loop not in head.columns)
    contracts, alone = contraction_of(head.fold) is not None, not is_row(head.fold)
    group = Group(rows)
    for k, piece in enumerate(pieces):
        if piece.fold is not None:
            if k != first and (contracts or contraction_of(piece.fold) is not None or alone == is_row(piece.fold)):
                break
        elif len(piece.loops) > len(rows) and not _worth(piece, rows, contracts, alone):
            break
        if not group.add(piece):
            break
    if len(group.phases) <= first:
        return None
    return group if len(group.phases) > 1 or not (contracts or alone) else None


def _worth(piece: Piece, rows: tuple[For, ...], contracts: bool, alone: bool) -> bool:
    """Whether the rows of a fold are threads enough for a store at every column."""
    if contracts or not rows:
        return False
    sizes = [as_int(loop.extent) for loop in piece.loops if not any(_same(loop, row) for row in rows)]
    return not alone or (None not in sizes and prod(s for s in sizes if s is not None) <= FEW_COLUMNS)
