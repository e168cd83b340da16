"""PrimFuncs as Python source: loops over independent elements become array statements, the rest stays loops.

A nest whose innermost statement is one store to distinct elements (every store index is a different loop variable, and
the stored buffer is read nowhere else) is *spread*: its spatial loops become the axes of a grid, its other loops stay
sequential around one array statement. So a reduction keeps its order, and its bits, at array speed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from refrelax.backends.errors import Unsupported
from refrelax.backends.numpy_.expressions import Text, dtype_text
from refrelax.backends.numpy_.fast_forms import contraction, reduction
from refrelax.backends.numpy_.names import function, local
from refrelax.backends.threads import shares, synchronises
from refrelax.semantics.dims import Facts, equal
from refrelax.syntax import dtypes
from refrelax.syntax.loops import (
    AllocBuffer,
    AssertStmt,
    AttrStmt,
    Bind,
    Break,
    Buffer,
    BufferParam,
    BufferStore,
    Continue,
    DeclBuffer,
    Evaluate,
    For,
    IfThenElse,
    LaunchThread,
    PrimFunc,
    Return,
    SBlock,
    ScalarParam,
    Stmt,
    While,
)
from refrelax.syntax.scalars import (
    Binary,
    BufferLoad,
    BufferRef,
    Intrinsic,
    PrimExpr,
    SymVar,
    as_int,
    bool_imm,
    int_imm,
    walk,
)


@dataclass(slots=True)
class Writer:
    """Source under construction: lines, indentation, and what is in scope."""

    text: Text
    fast: bool
    lines: list[str] = field(default_factory=list)
    depth: int = 1

    def line(self, text: str) -> None:
        self.lines.append("    " * self.depth + text)

    def scope(self) -> Writer:
        """The same lines, with loop variables and aliases of its own."""
        inner = replace(
            self.text,
            extents=dict(self.text.extents),
            aliases=dict(self.text.aliases),
            elements=set(self.text.elements),
            buffers=dict(self.text.buffers),
        )
        return replace(self, text=inner)


def prim_func_source(name: str, func: PrimFunc, fast: bool) -> list[str]:
    """The source of one PrimFunc."""
    buffers = {p.buffer.name: p.buffer for p in func.params if isinstance(p, BufferParam)}
    writer = Writer(Text(buffers, Facts(), fast=fast), fast)
    params = [_param_name(p) for p in func.params]
    writer.lines.append(f"def {function(name)}({', '.join(params)}):")
    _bind_params(writer, name, func)
    for buffer in func.root_allocs:
        _allocate(writer, buffer)
    before = len(writer.lines)
    _body(writer, func.body)
    if len(writer.lines) == before:
        writer.line("pass")
    return writer.lines


def _param_name(param: ScalarParam | BufferParam) -> str:
    return local(param.var.name if isinstance(param, ScalarParam) else param.buffer.name)


def _bind_params(writer: Writer, name: str, func: PrimFunc) -> None:
    """Checks of dtype and rank, then the symbols, then the other extents."""
    known: set[str] = set()
    for param in func.params:
        if isinstance(param, ScalarParam):
            if param.var.dtype.startswith("handle"):
                raise Unsupported("a handle parameter without a buffer")
            if dtypes.kind(param.var.dtype) == "float":
                writer.text.elements.add(param.var.name)
                writer.line(f"{local(param.var.name)} = {dtype_text(param.var.dtype)}({local(param.var.name)})")
            known.add(param.var.name)
    pending: list[tuple[str, int, PrimExpr]] = []
    for param in func.params:
        if isinstance(param, BufferParam):
            buffer = param.buffer
            if buffer.strides or (buffer.elem_offset is not None and as_int(buffer.elem_offset) != 0):
                _strided(writer, buffer, known)
            at = local(buffer.name)
            writer.line(f"rt.check_buffer({name!r}, {buffer.name!r}, {at}, {buffer.dtype!r}, {len(buffer.shape)})")
            for axis, dim in enumerate(buffer.shape):
                if isinstance(dim, SymVar) and dim.name not in known:
                    known.add(dim.name)
                    writer.line(f"{local(dim.name)} = {at}.shape[{axis}]")
                else:
                    pending.append((buffer.name, axis, dim))
    for at, axis, dim in pending:
        wanted = writer.text.index(dim)
        writer.line(f"rt.check_extent({name!r}, {at!r}, {axis}, {local(at)}.shape[{axis}], {wanted})")


def _strided(writer: Writer, buffer: Buffer, known: set[str]) -> None:
    """Strides and offset that are plain symbols take the compact values that arrays here have."""
    for axis, stride in enumerate(buffer.strides):
        if isinstance(stride, SymVar) and stride.name not in known:
            known.add(stride.name)
            writer.line(f"{local(stride.name)} = rt.stride({local(buffer.name)}, {axis})")
    offset = buffer.elem_offset
    if isinstance(offset, SymVar) and offset.name not in known:
        known.add(offset.name)
        writer.line(f"{local(offset.name)} = 0")


# --- statements ------------------------------------------------------------------------------------------------------


def _body(writer: Writer, body: tuple[Stmt, ...]) -> None:
    inner = writer.scope()
    for stmt in body:
        _statement(inner, stmt)


def _statement(writer: Writer, stmt: Stmt) -> None:
    match stmt:
        case For() | SBlock() | BufferStore():
            if not spread(writer, stmt):
                _sequential(writer, stmt)
        case IfThenElse():
            _if(writer, stmt)
        case While():
            writer.line(f"while {writer.text.condition(stmt.condition)}:")
            _indented(writer, stmt.body)
        case Bind():
            _bind(writer, stmt)
        case AllocBuffer():
            _allocate(writer, stmt.buffer)
            if stmt.init is not None:
                writer.line(f"{local(stmt.buffer.name)}[0] = {writer.text.element(stmt.init)}")
        case AttrStmt():
            _body(writer, stmt.body)
        case LaunchThread():
            zero = int_imm(0, stmt.var.dtype)
            loop = For(stmt.var, zero, stmt.extent, stmt.body, "thread_binding", stmt.thread, span=stmt.span)
            _statement(writer, loop)
        case AssertStmt():
            message = f"{stmt.kind}: {''.join(stmt.message)}"
            writer.line(f"rt.check_assert({writer.text.condition(stmt.condition)}, {message!r})")
        case Break():
            writer.line("break")
        case Continue():
            writer.line("continue")
        case Return():
            writer.line(f"return {writer.text.element(stmt.value)}")
        case Evaluate():
            _evaluate(writer, stmt)
        case DeclBuffer():
            raise Unsupported("T.decl_buffer")


def _indented(writer: Writer, body: tuple[Stmt, ...]) -> None:
    inner = writer.scope()
    inner.depth += 1
    before = len(inner.lines)
    for stmt in body:
        _statement(inner, stmt)
    if len(inner.lines) == before:
        inner.line("pass")


def _sequential(writer: Writer, stmt: For | SBlock | BufferStore) -> None:
    match stmt:
        case For():
            _loop(writer, stmt)
        case SBlock():
            _block(writer, stmt)
        case BufferStore():
            _store(writer, stmt)


def _loop(writer: Writer, loop: For) -> None:
    if loop.kind == "thread_binding" and synchronises(loop.body):
        raise Unsupported("a barrier between threads")
    if (loop.thread or "").startswith("threadIdx") and shares(loop.body, writer.text.buffers):
        raise Unsupported("memory shared between threads")
    low, extent = writer.text.index(loop.min), writer.text.index(loop.extent)
    step = "" if loop.step is None else f", {writer.text.index(loop.step)}"
    bounds = extent if low == "0" and not step else f"{low}, {low} + {extent}{step}"
    writer.line(f"for {local(loop.var.name)} in range({bounds}):")
    inner = writer.scope()
    inner.text.extents[loop.var.name] = (loop.min, loop.extent)
    _indented(inner, loop.body)


def _block(writer: Writer, block: SBlock) -> None:
    if block.matches:
        raise Unsupported("a buffer match of a region")
    inner = writer.scope()
    for axis in block.iters:
        _alias(inner, axis.var.name, axis.binding)
    for buffer in block.allocs:
        _allocate(inner, buffer)
    if block.predicate is not None and as_int(block.predicate) != 1:
        inner.line(f"if {inner.text.condition(block.predicate)}:")
        inner.depth += 1
    if block.init is not None:
        starts = [Binary("EQ", axis.var, axis.min) for axis in block.iters if axis.kind == "reduce"]
        if starts:
            inner.line(f"if {' and '.join(inner.text.index(s) for s in starts)}:")
            _indented(inner, block.init)
        else:
            _body(inner, block.init)
    before = len(inner.lines)
    _body(inner, block.body)
    if len(inner.lines) == before:
        inner.line("pass")


def _alias(writer: Writer, name: str, binding: PrimExpr) -> None:
    """A block variable: another name of a loop variable, or a number of its own."""
    target = writer.text.resolve(binding)
    if isinstance(target, SymVar):
        writer.text.aliases[name] = target
    else:
        writer.line(f"{local(name)} = {writer.text.index(binding)}")


def _store(writer: Writer, stmt: BufferStore) -> None:
    text = writer.text
    if any(dtypes.lanes(i.dtype) != 1 for i in stmt.indices) or dtypes.lanes(stmt.value.dtype) != 1:
        raise Unsupported("a vector store")
    if stmt.predicate is not None:
        raise Unsupported("a predicated store")
    buffer = text.buffers[stmt.buffer]
    if buffer.scalar:
        writer.line(f"{local(stmt.buffer)}[0] = {text.element(stmt.value)}")
        return
    at = ", ".join(text.index(i) for i in stmt.indices) or "()"
    writer.line(f"rt.inside({stmt.buffer!r}, {local(stmt.buffer)}.shape, {at})" if stmt.indices else "pass")
    writer.line(f"{local(stmt.buffer)}[{at}] = {text.element(stmt.value)}")


def _if(writer: Writer, stmt: IfThenElse) -> None:
    writer.line(f"if {writer.text.condition(stmt.condition)}:")
    _indented(writer, stmt.then_body)
    if stmt.else_body:
        writer.line("else:")
        _indented(writer, stmt.else_body)


def _bind(writer: Writer, stmt: Bind) -> None:
    if writer.text.is_index(stmt.value) and dtypes.kind(stmt.var.dtype) != "float":
        writer.line(f"{local(stmt.var.name)} = {writer.text.index(stmt.value)}")
    else:
        value = writer.text.element(stmt.value)
        writer.text.elements.add(stmt.var.name)
        writer.line(f"{local(stmt.var.name)} = {value}")


def _allocate(writer: Writer, buffer: Buffer) -> None:
    shape = ", ".join(writer.text.index(e) for e in buffer.shape)
    writer.text.buffers = {**writer.text.buffers, buffer.name: buffer}
    writer.line(
        f"{local(buffer.name)} = np.empty(({shape}{',' if len(buffer.shape) == 1 else ''}), {dtype_text(buffer.dtype)})"
    )


def _evaluate(writer: Writer, stmt: Evaluate) -> None:
    match stmt.value:
        case Intrinsic(op=op, args=args) if op.startswith("cls."):
            given = ", ".join(_argument(writer, a) for a in args)
            writer.line(f"{function(op.removeprefix('cls.'))}({given})")
        case Intrinsic(op="tvm_storage_sync" | "assume"):
            pass
        case Intrinsic(op=op):
            raise Unsupported(f"the intrinsic T.{op}")
        case _:
            pass


def _argument(writer: Writer, arg: PrimExpr) -> str:
    if isinstance(arg, BufferRef) and arg.part in ("", "data"):
        return local(arg.buffer)
    return writer.text.index(arg) if writer.text.is_index(arg) else writer.text.element(arg)


# --- spreading a nest over a grid ------------------------------------------------------------------------------------


@dataclass(slots=True)
class Nest:
    """Loops around one store: ``loops`` outermost first; ``init`` the store of ``T.init``; ``guard`` the predicate."""

    loops: list[For]
    aliases: dict[str, PrimExpr]
    store: BufferStore
    init: BufferStore | None
    guard: PrimExpr | None


def spread(writer: Writer, stmt: For | SBlock | BufferStore) -> bool:
    """Write a nest as array statements over its spatial loops; ``False`` (and nothing written) if it is not such a
    nest."""
    if not isinstance(stmt, For):
        return False
    nest = find_nest(stmt)
    if nest is None:
        return False
    inner = writer.scope()
    inner.text.aliases.update(nest.aliases)
    for loop in nest.loops:
        inner.text.extents[loop.var.name] = (loop.min, loop.extent)
    axes = spatial_axes(inner.text, nest)
    if axes is None:
        return False
    if inner.fast and nest.guard is None:
        lines = contraction(inner.text, nest, axes) or reduction(inner.text, nest, axes)
        if lines is not None:
            for line in lines:
                inner.line(line)
            return True
    _write_nest(inner, nest, axes)
    return True


def find_nest(stmt: Stmt) -> Nest | None:
    """Perfectly nested loops around a single store, with or without a block around it."""
    loops: list[For] = []
    while isinstance(stmt, For):
        if stmt.step is not None or (stmt.kind == "thread_binding" and synchronises(stmt.body)) or len(stmt.body) != 1:
            return None
        loops.append(stmt)
        stmt = stmt.body[0]
    if isinstance(stmt, BufferStore):
        return Nest(loops, {}, stmt, None, None) if stmt.predicate is None else None
    if not isinstance(stmt, SBlock) or stmt.allocs or stmt.matches or len(stmt.body) != 1:
        return None
    (store,) = stmt.body
    init = None if stmt.init is None else stmt.init[0] if len(stmt.init) == 1 else False
    if not isinstance(store, BufferStore) or (init is not None and not isinstance(init, BufferStore)):
        return None
    aliases = {axis.var.name: axis.binding for axis in stmt.iters}
    guard = None if stmt.predicate is None or as_int(stmt.predicate) == 1 else stmt.predicate
    return Nest(loops, aliases, store, init, guard)


def spatial_axes(text: Text, nest: Nest) -> list[str] | None:
    """The loop variables that index the store, in index order; ``None`` if the nest cannot be spread."""
    store, names = nest.store, {loop.var.name for loop in nest.loops}
    if dtypes.lanes(store.value.dtype) != 1 or text.buffers[store.buffer].scalar:
        return None
    axes: list[str] = []
    for index, dim in zip(store.indices, text.buffers[store.buffer].shape, strict=True):
        index = text.resolve(index)
        if isinstance(index, SymVar) and index.name in names:
            low, extent = text.extents[index.name]
            if index.name in axes or as_int(low) != 0 or equal(extent, dim, text.facts) is not True:
                return None
            axes.append(index.name)
        elif any(
            (isinstance(n, SymVar) and text.resolve(n) != n) or (isinstance(n, SymVar) and n.name in names)
            for n in walk(index)
        ):
            return None
    if not axes or not _independent(text, nest) or not _fixed_domains(nest, axes):
        return None
    if nest.init is not None and nest.init.indices != store.indices:
        return None
    return axes


def _fixed_domains(nest: Nest, axes: list[str]) -> bool:
    """No loop's extent depends on a spatial variable (a triangular nest is not a grid)."""
    for loop in nest.loops:
        for bound in (loop.min, loop.extent):
            if any((isinstance(n, SymVar) and n.name in axes) or isinstance(n, BufferLoad) for n in walk(bound)):
                return False
    return True


def _independent(text: Text, nest: Nest) -> bool:
    """The stored buffer is read at the stored element only."""
    wanted = tuple(text.resolve(i) for i in nest.store.indices)
    for expr in _expressions(nest):
        for node in walk(expr):
            if isinstance(node, BufferLoad) and node.buffer == nest.store.buffer:
                if tuple(text.resolve(i) for i in node.indices) != wanted:
                    return False
    return True


def _expressions(nest: Nest) -> Iterator[PrimExpr]:
    yield nest.store.value
    yield from nest.store.indices
    if nest.init is not None:
        yield nest.init.value
    if nest.guard is not None:
        yield nest.guard


def _write_nest(writer: Writer, nest: Nest, axes: list[str]) -> None:
    """Grid definitions, the init, the sequential loops, the array statement."""
    text = replace(writer.text, axes=tuple(axes), grids=set())
    target = _target(text, nest.store)
    sequential = [loop for loop in nest.loops if loop.var.name not in axes]
    init = None if nest.init is None else _guarded(text, target, nest, text.element(nest.init.value), first=True)
    update = _guarded(text, target, nest, text.element(nest.store.value))
    for line in text.grid_definitions():
        writer.line(line)
    if init is not None:
        writer.line(f"{target} = {init}")
    depth = writer.depth
    for loop in sequential:
        low, extent = writer.text.index(loop.min), writer.text.index(loop.extent)
        writer.line(f"for {local(loop.var.name)} in range({extent if low == '0' else f'{low}, {low} + {extent}'}):")
        writer.depth += 1
    writer.line(f"{target} = {update}")
    writer.depth = depth


def _target(text: Text, store: BufferStore) -> str:
    """The stored slice; its dimensions are the grid's axes in order."""
    parts = []
    for index in store.indices:
        resolved = text.resolve(index)
        on_axis = isinstance(resolved, SymVar) and resolved.name in text.axes
        parts.append(":" if on_axis else text.index(index))
    return f"{local(store.buffer)}[{', '.join(parts)}]"


def _guarded(text: Text, target: str, nest: Nest, value: str, first: bool = False) -> str:
    """The value, or where the predicate is false what was there before. The init of a guarded reduction is unguarded:
    it only defines more elements."""
    if nest.guard is None or first or nest.guard == bool_imm(True):
        return value
    return f"np.where({text.condition(nest.guard)}, {value}, {target})"
