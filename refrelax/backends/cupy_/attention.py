"""Two contractions with rows between them, in one kernel: attention.

A block has ``TILE`` rows (queries), a row ``TILE`` threads. The first contraction gives a row's columns (its scores)
tile by tile; what is done with them in between is a row program; the second contraction folds over the columns. The
scores are kept in the block's memory, or, where they do not fit, in the device's, where only this block uses them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from refrelax.backends.cupy_ import statements
from refrelax.backends.cupy_.expressions import Text
from refrelax.backends.cupy_.forms import TILE, Contraction, contraction_of, wide
from refrelax.backends.cupy_.groups import Group, Phase, Piece
from refrelax.backends.cupy_.names import c_type, letters
from refrelax.backends.cupy_.nests import Reduction, is_zero
from refrelax.backends.cupy_.programs import Key, Program
from refrelax.backends.cupy_.statements import Lines
from refrelax.running.arrays import numpy_dtype
from refrelax.syntax.loops import For, Stmt
from refrelax.syntax.scalars import BufferLoad, PrimExpr, SymVar, as_int, walk

WIDEST = 256
"""Features, at most, of a row: a block holds a tile of them."""

STATIC = 48 * 1024
"""Bytes of shared memory, at most, that a kernel has without asking for them."""


@dataclass(slots=True)
class Attention:
    """``scores``: the first contraction; ``group``: it, as a store for every column, and what follows; ``tail``: the
    second contraction (``fold``) with what comes before and after, over rows and features."""

    scores: Contraction
    group: Group
    tail: Group
    fold: Phase
    features: tuple[For, ...]

    @property
    def statements(self) -> list[Stmt]:
        return [*self.group.statements, *self.tail.statements]

    @property
    def depth(self) -> int:
        return _product(self.scores.depth) or 0

    @property
    def width(self) -> int:
        return _product(self.features) or 0


def _product(loops: Sequence[For]) -> int | None:
    found = 1
    for loop in loops:
        size = as_int(loop.extent)
        if size is None:
            return None
        found *= size
    return found


def attention_from(pieces: list[Piece]) -> Attention | None:
    """The pieces from the first on as attention; ``None`` where they are not."""
    first = pieces[0] if pieces else None
    if first is None or first.fold is None or (scores := contraction_of(first.fold)) is None:
        return None
    across = {loop.var.name for loop in scores.columns}
    rows = tuple(e for e in first.loops if e not in (first.columns or ()) and e.var.name not in across)
    if not 0 < (_product(scores.depth) or 0) <= WIDEST or not across or not rows:
        return None
    group = Group(rows)
    loops = tuple(e for e in first.loops if e not in (first.columns or ()))
    start = replace(first.store, value=first.fold.init)
    if not group.add(Piece(first.stmt, loops, first.aliases, start, None, None)):
        return None
    group.reads(Phase(first, group.phases[0].aliases, -1))
    for k, piece in enumerate(pieces[1:], 1):
        longer = group.copy()
        if not longer.add(piece) or len(longer.spans) > 1:
            return _second(scores, group, pieces, k)
        group = longer
    return None


def _second(scores: Contraction, group: Group, pieces: list[Piece], start: int) -> Attention | None:
    """The second contraction, which begins at a piece: its start, its fold, and what follows."""
    at = next((k for k in range(start, len(pieces)) if pieces[k].fold is not None), None)
    if at is None:
        return None
    fold = pieces[at]
    reduction = fold.fold
    assert reduction is not None and fold.columns is not None
    if reduction.combine != "Add" or not is_zero(reduction.init):
        return None
    outer = tuple(loop for loop in fold.loops if loop not in fold.columns)
    features = tuple(outer[len(group.rows) :])
    if not features or not 0 < (_product(features) or 0) <= WIDEST:
        return None
    names = {loop.var.name for loop in group.rows}
    if any(loop.var.name in names | group.names for loop in features):
        return None
    tail = Group((*group.rows, *features), spans=[group.spans[0]], names=set(group.names))
    found: Phase | None = None
    for k in range(start, len(pieces)):
        if (k != at and pieces[k].fold is not None) or not tail.add(pieces[k]):
            break
        phase = tail.phases[-1]
        if k == at:
            if phase.span != 0:
                return None
            found = phase
        elif phase.span >= 0:
            return None
    if found is None or not _apart(group, tail):
        return None
    return Attention(scores, group, tail, found, features)


def _apart(group: Group, tail: Group) -> bool:
    """Each row of the tail reads of the group what its own row stored, and stores nothing of the group's."""
    if any(group.indices.get(name, at) != at for name, each in tail.read.items() for at in each):
        return False
    return not (group.read.keys() | group.indices.keys()) & tail.indices.keys()


@dataclass(slots=True)
class Writing:
    """Writes the kernel of an attention."""

    found: Attention
    text: Text
    outside: set[str]

    def program(self) -> Program | None:
        """The rows between the contractions."""
        made = Program(self.found.group, self.text, self.outside, alone=False, later=self.later())
        return made if made.usable and self.static() <= STATIC else None

    def static(self) -> int:
        """Bytes of shared memory for tiles."""
        found, value = self.found, self.value()
        item = numpy_dtype(found.scores.reduction.store.value.dtype).itemsize
        tiles = 2 * TILE * (found.depth + 1) * max(4, item)
        return int(tiles + (0 if value is None else TILE * found.width * numpy_dtype(value.dtype).itemsize))

    def later(self) -> tuple[Key, ...]:
        """What of the group the tail reads for every column."""
        return tuple(dict.fromkeys(key for key in self.found.fold.loads() if key[0] in self.found.group.indices))

    def write(self, out: Lines, program: Program) -> None:
        found, text = self.found, self.text
        scores = found.scores
        kind = wide(scores.reduction.store.value.dtype)
        rows_of = [loop for loop in scores.rows if as_int(loop.extent) != 1]
        out.line(f"const i32 rows = {TILE}, lanes = {TILE}, local = threadIdx.x / {TILE}, lane = threadIdx.x % {TILE};")
        out.line(
            f"const idx queries = {statements.size(text, rows_of)}, columns = {statements.size(text, scores.columns)};"
        )
        out.line(f"const idx down = (queries + {TILE - 1}) / {TILE};")
        out.line(f"idx flat = blockIdx.x, row = flat % down * {TILE} + local;")
        out.line("flat /= down;")
        out.line("const bool active = row < queries;")
        out.line("if (!active) row = 0;")
        batch = [loop for loop in scores.batch if as_int(loop.extent) != 1]
        inner = statements.unflatten(out, text, batch, "flat") if batch else text.scope()
        base = inner.scope()
        inner = statements.unflatten(out, inner, rows_of, "row")
        program.begin(out, inner, "active")
        self.first(out, base, inner, program, kind)
        for k, phase in enumerate(found.group.phases):
            if k > 0:
                program.phase(out, inner, k, phase)
        program.settle(out, inner, "active && lane == 0")
        self.second(out, inner, program)

    # --- the first contraction ----------------------------------------------------------------------------------------

    def first(self, out: Lines, base: Text, inner: Text, program: Program, kind: str) -> None:
        """The columns of a row, each by the thread that uses it."""
        scores, depth = self.found.scores, self.found.depth
        out.line(f"SHARED({kind}, left, {TILE * (depth + 1)});")
        out.line(f"SHARED({kind}, right, {TILE * (depth + 1)});")
        self.stage(out, inner, "left", "active", (), scores.left, kind)
        out.open(f"for (idx start = 0; start < columns; start += {TILE})")
        self.stage(out, base, "right", "start + local < columns", scores.columns, scores.right, kind)
        out.line("SYNC();")
        out.open("if (active && start + lane < columns)")
        out.line(f"{kind} acc = 0;")
        out.line(f"for (i32 step = 0; step < {depth}; ++step)")
        out.line(f"  acc += left[local * {depth + 1} + step] * right[lane * {depth + 1} + step];")
        phase = self.found.group.phases[0]
        out.line("idx rest = start + lane;")
        column = statements.unflatten(out, inner, self.found.group.spans[0], "rest")
        column.aliases.update(phase.aliases)
        out.line("const idx slot = local * counta + start + lane;")
        column.used.phase = 0
        program.keep(out, column, 0, phase, f"cast<{c_type(scores.reduction.store.value.dtype)}>(acc)")
        out.close()
        out.line("SYNC();")
        out.close()

    def stage(
        self, out: Lines, text: Text, name: str, test: str, columns: Sequence[For], factor: PrimExpr, kind: str
    ) -> None:
        """A tile of a factor into shared memory: its features for every row, or for every one of ``columns``."""
        scores, width = self.found.scores, self.found.depth
        out.open(f"for (i32 step = lane; step < {width}; step += {TILE})")
        out.line(f"{kind} item = 0;")
        out.open(f"if ({test})")
        inner = text
        if columns:
            out.line("idx other = start + local;")
            inner = statements.unflatten(out, inner, columns, "other")
        out.line("idx rest = step;")
        inner = statements.unflatten(out, inner, scores.depth, "rest")
        for loop in scores.reduction.nest.loops:
            if as_int(loop.extent) == 1 and loop.var.name not in inner.local:
                inner.aliases[loop.var.name] = loop.min
        inner.aliases.update({k: inner.resolve(v) for k, v in scores.reduction.aliases.items()})
        inner.used.phase = -1 if columns else -2
        inner.used.repeats = tuple(loop.extent for loop in scores.rows) if columns else ()
        out.line(f"item = widen({inner.element(factor)});")
        inner.used.repeats = ()
        out.close()
        out.line(f"{name}[local * {width + 1} + step] = item;")
        out.close()

    # --- the second contraction ---------------------------------------------------------------------------------------

    def second(self, out: Lines, text: Text, program: Program) -> None:
        found = self.found
        fold, width = found.fold, found.width
        reduction = fold.fold
        assert reduction is not None and reduction.item is not None
        kind = wide(fold.store.value.dtype)
        count = -(-width // TILE)
        value = self.value()
        out.line(f"{kind} sums[{count}];")
        out.line(f"for (i32 part = 0; part < {count}; ++part) sums[part] = 0;")
        if value is not None:
            out.line(f"SHARED({c_type(value.dtype)}, values, {TILE * width});")
        else:
            out.line("SYNC();")
        out.open(f"for (idx start = 0; start < columns; start += {TILE})")
        if value is not None:
            self.stage_values(out, text, value)
            out.line("SYNC();")
        out.open(f"for (i32 turn = 0; turn < {TILE} && active && start + turn < columns; ++turn)")
        out.line("idx rest = start + turn;")
        out.line("const idx slot = local * counta + start + turn;")
        column = statements.unflatten(out, text, found.tail.spans[0], "rest")
        column.aliases.update(fold.aliases)
        column.used.phase = len(found.group.phases)
        for each in program.kept:
            if each.key in self.later():
                program.read(out, column, len(found.group.phases), each)
        out.open(f"for (i32 part = 0; part < {count}; ++part)")
        out.line(f"idx feature = lane + part * {TILE};")
        out.line(f"if (feature >= {width}) break;")
        if value is not None:
            key = value.buffer, value.indices
            column.kept[key] = "factor"
            out.line(f"const {c_type(value.dtype)} factor = values[turn * {width} + feature];")
        final = statements.unflatten(out, column, found.features, "feature")
        final.aliases.update(fold.aliases)
        out.line(f"sums[part] = sums[part] + widen({final.element(reduction.item)});")
        out.close()
        out.close()
        out.line("SYNC();")
        out.close()
        self.last(out, text, reduction, count)

    def last(self, out: Lines, text: Text, reduction: Reduction, count: int) -> None:
        """The elements of the result."""
        found = self.found
        out.line("const idx depth = columns;")
        out.open(f"for (i32 part = 0; part < {count}; ++part)")
        out.line(f"idx feature = lane + part * {TILE};")
        out.line(f"if (feature >= {found.width} || !active) break;")
        inner = statements.unflatten(out, text, found.features, "feature")
        tail = Program(found.tail, self.text, self.outside, alone=True)
        taken = len(found.group.scalars)
        tail.held = {name: f"held{letters(taken + k)}" for k, name in enumerate(tail.held)}
        tail.around(out, inner, reduction, f"cast<{c_type(reduction.store.value.dtype)}>(sums[part])")
        out.close()

    def value(self) -> BufferLoad | None:
        """The factor that is the same for all rows of the block."""
        rows = {loop.var.name for loop in self.found.scores.rows}
        known = set(self.later())
        columns = {loop.var.name for loop in self.found.tail.spans[0]}
        for name, at in self.found.fold.loads():
            names = {n.name for each in at for n in walk(each) if isinstance(n, SymVar)}
            if (name, at) not in known and columns & names and not names & rows and all(map(self.text.is_index, at)):
                return BufferLoad(name, at, self.text.buffers[name].dtype)
        return None

    def stage_values(self, out: Lines, text: Text, value: BufferLoad) -> None:
        """A tile of that factor into shared memory."""
        width = self.found.width
        out.open(f"for (i32 each = threadIdx.x; each < {TILE * width}; each += {TILE * TILE})")
        out.line(f"idx other = start + each / {width}, feature = each % {width};")
        out.line(f"{c_type(value.dtype)} item = cast<{c_type(value.dtype)}>(0);")
        out.open("if (other < columns)")
        inner = statements.unflatten(out, text, self.found.tail.spans[0], "other")
        inner = statements.unflatten(out, inner, self.found.features, "feature")
        inner.used.phase = -3
        inner.used.repeats = tuple(loop.extent for loop in self.found.scores.rows)
        out.line(f"item = {inner.load(value)};")
        inner.used.repeats = ()
        out.close()
        out.line("values[each] = item;")
        out.close()
