"""One nest as one kernel: elementwise, a fold per thread, a row per block, or a tiled contraction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal as _Lit

from refrelax.backends.cupy_ import statements
from refrelax.backends.cupy_.attention import Attention, Writing
from refrelax.backends.cupy_.expressions import Text, Used
from refrelax.backends.cupy_.forms import TILE, Contraction, contraction_of, is_row, wide
from refrelax.backends.cupy_.groups import Group
from refrelax.backends.cupy_.names import c_name, c_type, is_float
from refrelax.backends.cupy_.nests import Nest, Reduction, accesses, nest_of, reduction_of
from refrelax.backends.cupy_.ordered import Ordered
from refrelax.backends.cupy_.ordered import Writing as Rows
from refrelax.backends.cupy_.products import Product, product_of
from refrelax.backends.cupy_.programs import Program
from refrelax.backends.cupy_.statements import Lines
from refrelax.backends.cupy_.traffic import Touch
from refrelax.backends.intervals import UncheckedIndex
from refrelax.syntax.loops import For, Stmt
from refrelax.syntax.scalars import PrimExpr

THREADS = 256
"""Threads of a block."""

Form = _Lit[
    "elementwise", "fold", "row program", "tiled contraction", "attention", "scan", "scan in turn", "sort", "sequential"
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Parameter:
    """A kernel's parameter: a ``buffer`` (``name`` is the program's), a ``number`` (a symbol or scalar parameter),
    ``total`` (how many threads or rows have work), ``lanes`` (threads of a row), ``fits`` (how many columns of a row
    are kept in the block's memory) or ``status`` (where reports go)."""

    kind: _Lit["buffer", "number", "total", "lanes", "fits", "status"]
    name: str
    dtype: str
    written: bool = False

    @property
    def narrow(self) -> bool:
        """A scalar of a 16-bit float: it is handed over as binary32."""
        return self.kind == "number" and scalar_type(self.dtype) != c_type(self.dtype) and is_float(self.dtype)

    def text(self) -> str:
        match self.kind:
            case "buffer":
                return f"ptr<{'' if self.written else 'const '}{c_type(self.dtype)}> {c_name(self.name)}"
            case "number":
                kind = scalar_type(self.dtype) if is_float(self.dtype) else "idx"
                return f"{kind} {c_name(self.name)}{'_wide' if self.narrow else ''}"
            case "total":
                return "idx total"
            case "lanes" | "fits":
                return f"i32 {self.kind}"
            case "status":
                return "u32* status"


def scalar_type(dtype: str) -> str:
    """How a scalar of a dtype is handed to a kernel."""
    if not is_float(dtype):
        return "i64"
    return "f64" if dtype == "float64" else "f32"


@dataclass(frozen=True, slots=True)
class Kernel:
    """One ``__global__`` function and how it is launched.

    ``batch``: extents whose product is the number of threads that have work, of a row program the number of rows, of a
    contraction beside its ``rows`` and ``columns`` (in tiles of ``TILE``) that of matrices. Of a row program ``spans``
    are the extents of its columns; ``kept`` says what a row keeps: a dtype and the number of a span; ``alone``: a
    thread has a row to itself; ``static``: bytes of shared memory beside that; ``width``:
    elements that a thread takes at once, of the loops ``columns`` or the spans. ``product``: what a contraction over
    ``depth`` is to a library.
    """

    name: str
    form: Form
    parameters: tuple[Parameter, ...]
    lines: tuple[str, ...]
    batch: tuple[PrimExpr, ...]
    rows: tuple[PrimExpr, ...] = ()
    columns: tuple[PrimExpr, ...] = ()
    threads: int = THREADS
    barriers: bool = False
    guards: tuple[PrimExpr, ...] = ()
    obligations: tuple[UncheckedIndex, ...] = ()
    touches: tuple[Touch, ...] = ()
    indices: tuple[UncheckedIndex, ...] = ()
    spans: tuple[tuple[PrimExpr, ...], ...] = ()
    kept: tuple[tuple[str, int], ...] = ()
    alone: bool = False
    static: int = 0
    width: int = 1
    depth: tuple[PrimExpr, ...] = ()
    product: Product | None = None

    def source(self) -> str:
        head = ", ".join(p.text() for p in self.parameters)
        narrowed = [
            f"  const {c_type(p.dtype)} {c_name(p.name)} = cast<{c_type(p.dtype)}>({c_name(p.name)}_wide);"
            for p in self.parameters
            if p.narrow
        ]
        return "\n".join(
            [f"// {self.form}", f'extern "C" __global__ void {self.name}({head}) {{', *narrowed, *self.lines, "}"]
        )


def _product_at(group: Group, text: Text) -> int | None:
    """The first statement of the group that is a product which a library has."""
    for k, phase in enumerate(group.phases):
        contraction = None if phase.fold is None else contraction_of(phase.fold)
        if contraction is not None and product_of(contraction, text) is not None:
            return k
    return None


@dataclass(slots=True)
class Maker:
    """Makes the kernels of one function. ``library``: the device has one for products of matrices, which are then
    kernels of their own: what follows with their elements is another."""

    function: str
    text: Text
    fast: bool
    library: bool = False
    count: int = 0

    def kernel(self, stmts: Sequence[Stmt], guards: tuple[PrimExpr, ...]) -> Kernel:
        """The kernel of one statement (or of several, which one thread then runs)."""
        text = self._text(stmts, guards)
        nest = nest_of(stmts[0]) if len(stmts) == 1 else Nest((), tuple(stmts), ())
        reduction = reduction_of(nest)
        if reduction is not None and not _closed(reduction, text):
            reduction = None
        return _Writer(self._name(), text, self.fast, guards).write(nest, reduction)

    def ends(self, group: Group) -> int:
        """How many statements of a group are one kernel at most: what is a library's ends with its product."""
        at = _product_at(group, self._text(group.statements, ())) if self.library else None
        return len(group.phases) if at is None else at + 1

    def group(self, group: Group, outside: set[str], guards: tuple[PrimExpr, ...]) -> Kernel | None:
        """The kernel of several statements that share their rows; ``None`` where there is no form for them."""
        text = self._text(group.statements, guards)
        fold = group.phases[-1].fold
        if self.library and _product_at(group, text) is not None:
            if fold is None or not Program(group, text, outside, alone=True).gives_only(fold):
                return None
        kernel = _Writer(f"{c_name(self.function)}_{self.count}", text, self.fast, guards).group(group, outside)
        self.count += kernel is not None
        return kernel

    def attention(self, found: Attention, outside: set[str], guards: tuple[PrimExpr, ...]) -> Kernel | None:
        """The kernel of two contractions with rows between them."""
        text = self._text(found.statements, guards)
        kernel = _Writer(f"{c_name(self.function)}_{self.count}", text, self.fast, guards).attention(found, outside)
        self.count += kernel is not None
        return kernel

    def ordered(self, found: Ordered, stmts: Sequence[Stmt]) -> Kernel:
        """The kernel of a scan or a sort."""
        text, out = self._text(stmts, ()), Lines()
        text.stored = frozenset(buffer.name for buffer in (found.out, *found.temporaries))
        Rows(found, text).write(out)
        batch = (*found.outer, *found.inner)
        kernel = _Writer(self._name(), text, self.fast, ()).done(out, found.form, batch, barriers=True)
        if found.form != "sort":
            return kernel
        kept = (("int32", 0), ("int32", 0), (found.source.dtype, 0))
        return replace(kernel, spans=((found.count,),), kept=kept)

    def _text(self, stmts: Sequence[Stmt], guards: tuple[PrimExpr, ...]) -> Text:
        text = self.text.scope()
        text.used, text.bounds.obligations = Used(), []
        found = accesses(tuple(stmts))
        text.stored = frozenset(name for name, _ in found.stores) - found.private
        for guard in guards:
            text.bounds.learn(guard)
        return text

    def _name(self) -> str:
        self.count += 1
        return f"{c_name(self.function)}_{self.count - 1}"


def _closed(reduction: Reduction, text: Text) -> bool:
    """The bindings of a reduction block are index expressions."""
    return all(text.is_index(axis.binding) for axis in reduction.block.iters)


@dataclass(slots=True)
class _Writer:
    name: str
    text: Text
    fast: bool
    guards: tuple[PrimExpr, ...]

    def write(self, nest: Nest, reduction: Reduction | None) -> Kernel:
        if reduction is None:
            return self.elementwise(nest) if nest.parallel else self.sequential(nest)
        if self.fast:
            contraction = contraction_of(reduction)
            if contraction is not None:
                return self.tiled(contraction, None)
        return self.fold(reduction)

    # --- one thread an element ----------------------------------------------------------------------------------------

    def elementwise(self, nest: Nest) -> Kernel:
        out = Lines()
        text = self.threads(out, nest.parallel)
        depth = out.depth
        for loop in nest.sequential:
            text = statements.open_loop(out, text, loop)
        statements.body(out, text, nest.leaf)
        while out.depth > depth:
            out.close()
        form: Form = "fold" if nest.sequential else "elementwise"
        return self.done(out, form, tuple(loop.extent for loop in nest.parallel))

    def sequential(self, nest: Nest) -> Kernel:
        out, text = Lines(), self.text
        for loop in nest.loops:
            text = statements.open_loop(out, text, loop)
        statements.body(out, text, nest.leaf)
        while out.depth > 1:
            out.close()
        return self.done(out, "sequential", (), threads=1)

    def threads(self, out: Lines, loops: tuple[For, ...]) -> Text:
        """The loop variables of this thread."""
        out.line("idx flat = (idx)blockIdx.x * blockDim.x + threadIdx.x;")
        out.line("if (flat >= total) return;")
        return statements.unflatten(out, self.text, loops, "flat")

    # --- folds --------------------------------------------------------------------------------------------------------

    def fold(self, reduction: Reduction) -> Kernel:
        """One thread an output element, folding in order into a register."""
        out = Lines()
        text = self.threads(out, reduction.nest.parallel)
        store = reduction.store
        inside = text.scope()
        inside.aliases.update({k: text.resolve(v) for k, v in reduction.aliases.items()})
        tests = [f"{inside.index(e.extent)} > 0" for e in reduction.nest.sequential if statements.maybe_empty(e)]
        if tests:  # an empty reduction writes nothing
            out.open(f"if ({' && '.join(tests)})")
        out.line(f"{c_type(store.value.dtype)} acc = {inside.element(reduction.init)};")
        loops = inside
        for loop in reduction.nest.sequential:
            loops = statements.open_loop(out, loops, loop)
        loops.registers[store.buffer] = "acc"
        out.line(f"acc = {loops.element(store.value)};")
        for _ in reduction.nest.sequential:
            out.close()
        statements.write(out, inside, inside.buffers[store.buffer], store.indices, "acc")
        if tests:
            out.close()
        return self.done(out, "fold", tuple(loop.extent for loop in reduction.nest.parallel))

    # --- groups -------------------------------------------------------------------------------------------------------

    def group(self, group: Group, outside: set[str]) -> Kernel | None:
        """A row program; a contraction and what is done with its elements; or elementwise statements."""
        folds = [p.fold for p in group.phases if p.fold is not None]
        contraction = contraction_of(folds[0]) if len(folds) == 1 else None
        if contraction is not None and not group.rows_left(contraction.reduction):
            return self.tiled(contraction, Program(group, self.text, outside, alone=True))
        alone = not any(p.span >= 0 for p in group.phases) or not all(map(is_row, folds))
        program = Program(group, self.text, outside, alone)
        if not program.usable:
            return None
        if not alone:
            program.width = program.widest()
        if group.spans:
            program.stays = "step < fits"
            return self.program(program)
        return self.points(program) if len(group.phases) > 1 or program.points() is not None else None

    def points(self, program: Program) -> Kernel:
        """Statements of one element a thread, or of some that lie side by side."""
        out, rows, chunk = Lines(), program.group.rows, program.points()
        if chunk is None:
            program.write(out, self.threads(out, rows))
            return self.done(out, "elementwise", tuple(loop.extent for loop in rows))
        outer, size = rows[: len(rows) - len(chunk.loops)], chunk.width
        out.line("idx flat = (idx)blockIdx.x * blockDim.x + threadIdx.x;")
        out.line("if (flat >= total) return;")
        out.line(f"const idx columns = {statements.size(self.text, chunk.loops)};")
        text = self.text
        if outer:
            out.line(f"const idx chunks = (columns + {size - 1}) / {size}, step = flat % chunks * {size};")
            out.line("flat /= chunks;")
            text = statements.unflatten(out, text, outer, "flat")
        else:
            out.line(f"const idx step = flat * {size};")
        program.chunk = chunk
        chunk.before(out, text)
        program.write(out, chunk.element(out, text))
        chunk.after(out, text)
        kernel = self.done(out, "elementwise", tuple(loop.extent for loop in outer))
        return replace(kernel, columns=tuple(loop.extent for loop in chunk.loops), width=size)

    def program(self, program: Program) -> Kernel:
        """A row program."""
        out, group = Lines(), program.group
        out.line("const i32 rows = blockDim.x / lanes, local = threadIdx.x / lanes, lane = threadIdx.x % lanes;")
        out.line("idx flat = (idx)blockIdx.x * rows + local;")
        out.line("if (flat >= total) return;")
        program.write(out, statements.unflatten(out, self.text, group.rows, "flat"))
        kernel = self.done(out, "row program", tuple(e.extent for e in group.rows), barriers=not program.alone)
        return replace(kernel, alone=program.alone, spans=program.spans, kept=program.needs, width=program.width)

    def attention(self, found: Attention, outside: set[str]) -> Kernel | None:
        writing, out = Writing(found, self.text, outside), Lines()
        program = writing.program()
        if program is None:
            return None
        writing.write(out, program)
        batch, rows = (tuple(loop.extent for loop in e) for e in (found.scores.batch, found.scores.rows))
        kernel = self.done(out, "attention", batch, barriers=True)
        return replace(kernel, rows=rows, static=writing.static(), spans=program.spans, kept=program.needs)

    # --- contractions -------------------------------------------------------------------------------------------------

    def tiled(self, c: Contraction, program: Program | None) -> Kernel:
        """``TILE`` by ``TILE`` elements of ``Σ left · right`` a block, through tiles in shared memory. ``program``:
        what is done with an element before and after."""
        out, text = Lines(), self.text
        kind, edge = wide(c.reduction.store.value.dtype), TILE + 1
        for name, loops in (("rows", c.rows), ("columns", c.columns), ("depth", c.depth)):
            out.line(f"const idx {name} = {statements.size(text, loops)};")
        if program is None:
            out.line("if (depth <= 0) return;")
        out.line(f"SHARED({kind}, left, {TILE * edge});")
        out.line(f"SHARED({kind}, right, {TILE * edge});")
        out.line("idx flat = blockIdx.x;")
        out.line(f"const idx across = (columns + {TILE - 1}) / {TILE}, down = (rows + {TILE - 1}) / {TILE};")
        out.line(f"const idx column = flat % across * {TILE} + threadIdx.x % {TILE};")
        out.line("flat /= across;")
        out.line(f"const idx row = flat % down * {TILE} + threadIdx.x / {TILE};")
        out.line("flat /= down;")
        batch = statements.unflatten(out, text, c.batch, "flat") if c.batch else text.scope()
        out.line(f"const i32 lane = threadIdx.x % {TILE}, line = threadIdx.x / {TILE};")
        out.line(f"{kind} acc = 0;")
        out.open(f"for (idx start = 0; start < depth; start += {TILE})")
        self.tile(out, batch, c, "left", (*c.rows, *c.depth), c.left)
        self.tile(out, batch, c, "right", (*c.columns, *c.depth), c.right)
        out.line("SYNC();")
        out.line(f"for (i32 inner = 0; inner < {TILE}; ++inner)")
        out.line(f"  acc += left[line * {edge} + inner] * right[inner * {edge} + lane];")
        out.line("SYNC();")
        out.close()
        out.open("if (row < rows && column < columns)")
        self.finish(out, batch, c, program)
        out.close()
        extents = [tuple(loop.extent for loop in loops) for loops in (c.batch, c.rows, c.columns, c.depth)]
        kernel = self.done(out, "tiled contraction", extents[0], barriers=True)
        only = program is None or program.gives_only(c.reduction)
        product = product_of(c, text) if only else None
        return replace(kernel, rows=extents[1], columns=extents[2], depth=extents[3], product=product)

    def tile(self, out: Lines, text: Text, c: Contraction, side: str, loops: Sequence[For], factor: PrimExpr) -> None:
        """Every thread loads one element of a factor's tile; what lies outside the domain is zero."""
        kind = wide(c.reduction.store.value.dtype)
        is_left = side == "left"
        line, limit = ("row", "rows") if is_left else ("column", "columns")
        out.open("")
        out.line(f"const idx step = start + {'lane' if is_left else 'line'};")
        out.line(f"{kind} item = 0;")
        out.open(f"if ({line} < {limit} && step < depth)")
        out.line(f"idx place = {line}, rest = step;")
        inner = statements.unflatten(out, text, c.rows if is_left else c.columns, "place")
        inner = statements.unflatten(out, inner, c.depth, "rest")
        inner.aliases.update({k: inner.resolve(v) for k, v in c.reduction.aliases.items()})
        others = c.columns if is_left else c.rows
        self.text.used.repeats, self.text.used.phase = tuple(loop.extent for loop in others), 1 if is_left else 2
        out.line(f"item = widen({inner.element(factor)});")
        self.text.used.repeats, self.text.used.phase = (), 0
        out.close()
        out.line(f"{side}[line * {TILE + 1} + lane] = item;")
        out.close()

    def finish(self, out: Lines, text: Text, c: Contraction, program: Program | None) -> None:
        out.line("idx place = row, rest = column;")
        inner = statements.unflatten(out, text, c.rows, "place")
        inner = statements.unflatten(out, inner, c.columns, "rest")
        store = c.reduction.store
        value = f"cast<{c_type(store.value.dtype)}>(acc)"
        if program is not None:
            program.around(out, inner, c.reduction, value)
            return
        inner.aliases.update({k: inner.resolve(v) for k, v in c.reduction.aliases.items()})
        statements.write(out, inner, inner.buffers[store.buffer], store.indices, value)

    # --- the whole ----------------------------------------------------------------------------------------------------

    def done(
        self, out: Lines, form: Form, extents: tuple[PrimExpr, ...], threads: int = THREADS, barriers: bool = False
    ) -> Kernel:
        used = self.text.used
        parameters = [
            Parameter("buffer", name, b.dtype, name in used.written)
            for name, b in sorted(used.buffers.items(), key=lambda pair: pair[0] in used.written)
        ]
        parameters += [Parameter("number", name, dtype) for name, dtype in used.symbols.items()]
        if form in ("elementwise", "fold", "row program"):
            parameters.append(Parameter("total", "total", "int64"))
        if form == "row program":
            parameters.append(Parameter("lanes", "lanes", "int32"))
        if form in ("row program", "attention", "sort"):
            parameters.append(Parameter("fits", "fits", "int32"))
        if used.reports:
            parameters.append(Parameter("status", "status", "uint32"))
        return Kernel(
            self.name,
            form,
            tuple(parameters),
            tuple(out.lines),
            extents,
            threads=threads,
            barriers=barriers,
            guards=self.guards,
            obligations=tuple(self.text.bounds.obligations),
            touches=tuple(used.touches.values()),
            indices=tuple(UncheckedIndex(*each) for each in used.indices),
        )
