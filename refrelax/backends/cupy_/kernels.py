"""One nest as one kernel: elementwise, a fold per thread, a row per block, or a tiled contraction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal as _Lit

from refrelax.backends.cupy_ import statements
from refrelax.backends.cupy_.expressions import Text, Used
from refrelax.backends.cupy_.forms import OPERATORS, Contraction, contraction_of, is_row, neutral, wide
from refrelax.backends.cupy_.names import c_name, c_type, is_float
from refrelax.backends.cupy_.nests import Nest, Reduction, accesses, nest_of, reduction_of
from refrelax.backends.cupy_.statements import Lines
from refrelax.backends.intervals import UncheckedIndex
from refrelax.syntax.loops import BufferStore, For, Stmt
from refrelax.syntax.scalars import PrimExpr, as_int

THREADS = 256
"""Threads of a block."""

TILE = 16
"""Rows and columns of the tile that a block of ``THREADS`` threads computes of a contraction."""

Form = _Lit["elementwise", "fold", "row reduction", "tiled contraction", "sequential"]


@dataclass(frozen=True, slots=True)
class Parameter:
    """A kernel's parameter: a ``buffer`` (``name`` is the program's), a ``number`` (a symbol or scalar parameter),
    ``total`` (how many threads have work) or ``status`` (where reports go)."""

    kind: _Lit["buffer", "number", "total", "status"]
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
                return f"{scalar_type(self.dtype)} {c_name(self.name)}{'_wide' if self.narrow else ''}"
            case "total":
                return "i64 total"
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

    ``grid``: extents whose product is the number of threads (``unit`` 1, elementwise and fold), of blocks (``unit``
    0, a row each); for a contraction the batch extents and then the rows and columns, in tiles of ``TILE``.
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


@dataclass(slots=True)
class Maker:
    """Makes the kernels of one function."""

    function: str
    text: Text
    fast: bool
    count: int = 0

    def kernel(self, stmts: Sequence[Stmt], guards: tuple[PrimExpr, ...]) -> Kernel:
        """The kernel of one statement (or of several, which one thread then runs)."""
        text = self.text.scope()
        text.used, text.bounds.obligations = Used(), []
        found = accesses(tuple(stmts))
        text.stored = frozenset(name for name, _ in found.stores) - found.private
        for guard in guards:
            text.bounds.learn(guard)
        nest = nest_of(stmts[0]) if len(stmts) == 1 else Nest((), tuple(stmts), ())
        reduction = reduction_of(nest)
        if reduction is not None and not _closed(reduction, text):
            reduction = None
        name = f"{c_name(self.function)}_{self.count}"
        self.count += 1
        return _Writer(name, text, self.fast, guards).write(nest, reduction)


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
                return self.tiled(contraction)
            if is_row(reduction):
                return self.rows(reduction)
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
        out.line("i64 flat = (i64)blockIdx.x * blockDim.x + threadIdx.x;")
        out.line("if (flat >= total) return;")
        return self.unflatten(out, self.text, loops, "flat")

    def unflatten(self, out: Lines, text: Text, loops: Sequence[For], flat: str) -> Text:
        """``flat`` as the row-major position in the domain of ``loops``."""
        inner = text.scope()
        for k, loop in reversed(list(enumerate(loops))):
            low, extent = text.index(loop.min), text.index(loop.extent)
            value = flat if k == 0 else "0" if as_int(loop.extent) == 1 else f"{flat} % {extent}"
            out.line(f"const i64 {c_name(loop.var.name)} = {value if low == '0' else f'{low} + {value}'};")
            if k > 0 and as_int(loop.extent) != 1:
                out.line(f"{flat} /= {extent};")
            statements.enter(inner, loop)
        return inner

    # --- folds --------------------------------------------------------------------------------------------------------

    def fold(self, reduction: Reduction) -> Kernel:
        """One thread an output element, folding in order into a register."""
        out = Lines()
        text = self.threads(out, reduction.nest.parallel)
        store = reduction.store
        inside = text.scope()
        inside.aliases.update({k: text.resolve(v) for k, v in reduction.aliases.items()})
        nothing = self.nonempty(out, inside, reduction.nest.sequential)
        out.line(f"{c_type(store.value.dtype)} acc = {inside.element(reduction.init)};")
        loops = inside
        for loop in reduction.nest.sequential:
            loops = statements.open_loop(out, loops, loop)
        loops.registers[store.buffer] = "acc"
        out.line(f"acc = {loops.element(store.value)};")
        for _ in reduction.nest.sequential:
            out.close()
        self.write_result(out, inside, store, "acc")
        if nothing:
            out.close()
        return self.done(out, "fold", tuple(loop.extent for loop in reduction.nest.parallel))

    def nonempty(self, out: Lines, text: Text, loops: Sequence[For]) -> bool:
        """An empty reduction writes nothing."""
        tests = [f"{text.index(loop.extent)} > 0" for loop in loops if (as_int(loop.extent) or 0) <= 0]
        if tests:
            out.open(f"if ({' && '.join(tests)})")
        return bool(tests)

    def write_result(self, out: Lines, text: Text, store: BufferStore, value: str) -> None:
        """The total into its element."""
        buffer = text.buffers[store.buffer]
        text.used.buffers[store.buffer] = buffer
        text.used.written.add(store.buffer)
        target, tests = statements.place(text, buffer, store)
        line = f"{c_name(store.buffer)}[{target}] = {value};"
        if tests:
            status = text.status()
            out.line(f"if ({' && '.join(tests)}) {line} else report({status}, STORE_OUT_OF_BOUNDS);")
        else:
            out.line(line)

    def rows(self, reduction: Reduction) -> Kernel:
        """One block a row: every thread folds a share, then the threads are combined."""
        out = Lines()
        store, combine, item = reduction.store, reduction.combine, reduction.item
        assert combine is not None and item is not None
        out.line("i64 flat = blockIdx.x;")
        text = self.unflatten(out, self.text, reduction.nest.parallel, "flat")
        inside = text.scope()
        inside.aliases.update({k: text.resolve(v) for k, v in reduction.aliases.items()})
        kind = wide(store.value.dtype)
        out.line(f"const i64 count = {self.size(inside, reduction.nest.sequential)};")
        out.line("if (count <= 0) return;")
        out.line(f"const {kind} nothing = {neutral(combine, kind)};")
        out.line(f"{kind} acc = nothing;")
        out.open("for (i64 step = threadIdx.x; step < count; step += blockDim.x)")
        out.line("i64 rest = step;")
        loops = self.unflatten(out, inside, reduction.nest.sequential, "rest")
        out.line(f"acc = {OPERATORS[combine]}::of(acc, widen({loops.element(item)}));")
        out.close()
        out.line(f"acc = block_total<{OPERATORS[combine]}>(acc, nothing);")
        out.open("if (threadIdx.x == 0)")
        total = f"{OPERATORS[combine]}::of(widen({inside.element(reduction.init)}), acc)"
        self.write_result(out, inside, store, f"cast<{c_type(store.value.dtype)}>({total})")
        out.close()
        extents = tuple(loop.extent for loop in reduction.nest.parallel)
        return self.done(out, "row reduction", extents, barriers=True)

    def size(self, text: Text, loops: Sequence[For]) -> str:
        return " * ".join(text.index(loop.extent) for loop in loops) or "1"

    # --- contractions -------------------------------------------------------------------------------------------------

    def tiled(self, c: Contraction) -> Kernel:
        """``TILE`` by ``TILE`` elements of ``Σ left · right`` a block, through tiles in shared memory."""
        out, text = Lines(), self.text
        kind, edge = wide(c.reduction.store.value.dtype), TILE + 1
        for name, loops in (("rows", c.rows), ("columns", c.columns), ("depth", c.depth)):
            out.line(f"const i64 {name} = {self.size(text, loops)};")
        out.line("if (depth <= 0) return;")
        out.line(f"SHARED({kind}, left, {TILE * edge});")
        out.line(f"SHARED({kind}, right, {TILE * edge});")
        out.line("i64 flat = blockIdx.x;")
        out.line(f"const i64 across = (columns + {TILE - 1}) / {TILE}, down = (rows + {TILE - 1}) / {TILE};")
        out.line(f"const i64 column = flat % across * {TILE} + threadIdx.x % {TILE};")
        out.line("flat /= across;")
        out.line(f"const i64 row = flat % down * {TILE} + threadIdx.x / {TILE};")
        out.line("flat /= down;")
        batch = self.unflatten(out, text, c.batch, "flat") if c.batch else text.scope()
        out.line(f"const i32 lane = threadIdx.x % {TILE}, line = threadIdx.x / {TILE};")
        out.line(f"{kind} acc = 0;")
        out.open(f"for (i64 start = 0; start < depth; start += {TILE})")
        self.tile(out, batch, c, "left", (*c.rows, *c.depth), c.left)
        self.tile(out, batch, c, "right", (*c.columns, *c.depth), c.right)
        out.line("SYNC();")
        out.line(f"for (i32 inner = 0; inner < {TILE}; ++inner)")
        out.line(f"  acc += left[line * {edge} + inner] * right[inner * {edge} + lane];")
        out.line("SYNC();")
        out.close()
        out.open("if (row < rows && column < columns)")
        self.finish(out, batch, c)
        out.close()
        extents = [tuple(loop.extent for loop in loops) for loops in (c.batch, c.rows, c.columns)]
        kernel = self.done(out, "tiled contraction", extents[0], barriers=True)
        return replace(kernel, rows=extents[1], columns=extents[2])

    def tile(self, out: Lines, text: Text, c: Contraction, side: str, loops: Sequence[For], factor: PrimExpr) -> None:
        """Every thread loads one element of a factor's tile; what lies outside the domain is zero."""
        kind = wide(c.reduction.store.value.dtype)
        is_left = side == "left"
        line, limit = ("row", "rows") if is_left else ("column", "columns")
        out.open("")
        out.line(f"const i64 step = start + {'lane' if is_left else 'line'};")
        out.line(f"{kind} item = 0;")
        out.open(f"if ({line} < {limit} && step < depth)")
        out.line(f"i64 place = {line}, rest = step;")
        inner = self.unflatten(out, text, c.rows if is_left else c.columns, "place")
        inner = self.unflatten(out, inner, c.depth, "rest")
        inner.aliases.update({k: inner.resolve(v) for k, v in c.reduction.aliases.items()})
        out.line(f"item = widen({inner.element(factor)});")
        out.close()
        out.line(f"{side}[line * {TILE + 1} + lane] = item;")
        out.close()

    def finish(self, out: Lines, text: Text, c: Contraction) -> None:
        out.line("i64 place = row, rest = column;")
        inner = self.unflatten(out, text, c.rows, "place")
        inner = self.unflatten(out, inner, c.columns, "rest")
        inner.aliases.update({k: inner.resolve(v) for k, v in c.reduction.aliases.items()})
        store = c.reduction.store
        self.write_result(out, inner, store, f"cast<{c_type(store.value.dtype)}>(acc)")

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
        if form in ("elementwise", "fold"):
            parameters.append(Parameter("total", "total", "int64"))
        if used.reports:
            parameters.append(Parameter("status", "status", "uint32"))
        return Kernel(
            self.name,
            form,
            tuple(parameters),
            tuple(out.lines),
            extents,
            (),
            (),
            threads,
            barriers,
            self.guards,
            tuple(self.text.bounds.obligations),
        )
