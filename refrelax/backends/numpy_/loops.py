"""PrimFuncs as Python source: loops over independent elements become array statements (``vectorize``), the rest stays
loops."""

from __future__ import annotations

from refrelax.backends.errors import Unsupported
from refrelax.backends.numpy_.expressions import Text, dtype_text, scalar_text
from refrelax.backends.numpy_.names import function, local
from refrelax.backends.numpy_.vectorize import vectorize
from refrelax.backends.numpy_.writer import Writer
from refrelax.backends.own_memory import with_own_memory
from refrelax.backends.threads import shares, synchronises
from refrelax.semantics.dims import Facts
from refrelax.semantics.loops.visit import stored_to
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
    BufferRef,
    Intrinsic,
    PrimExpr,
    SymVar,
    as_int,
    int_imm,
)


def prim_func_source(
    name: str, func: PrimFunc, fast: bool, attempt: tuple[str, bool] | None = None, shared: bool = False
) -> list[str]:
    """The source of one PrimFunc. ``attempt``: the condition under which all is done without its loops, and whether it
    comes after the checks; ``shared``: arguments may share memory, and are then stored in one element after the
    other."""
    func = with_own_memory(func)
    buffers = {p.buffer.name: p.buffer for p in func.params if isinstance(p, BufferParam)}
    writer = Writer(Text(buffers, Facts(), fast=fast), fast)
    params = [_param_name(p) for p in func.params]
    writer.lines.append(f"def {function(name)}({', '.join(params)}):")
    stored = stored_to(func)
    others = [local(each) for each in buffers if each not in stored]
    if shared and (written := [local(each) for each in buffers if each in stored]) and len(buffers) > 1:
        writer.line(f"if rt.share_memory([{', '.join(written)}], [{', '.join(others)}]):")
        in_order = writer.scope()
        in_order.in_order, in_order.depth = True, writer.depth + 1
        _whole(in_order, name, func, None)
        in_order.line("return")
    _whole(writer, name, func, attempt)
    return writer.lines


def _whole(writer: Writer, name: str, func: PrimFunc, attempt: tuple[str, bool] | None) -> None:
    """What a PrimFunc does: its checks, its memory, its body."""
    if attempt is not None and not attempt[1]:
        _done_if(writer, attempt[0])
    _bind_params(writer, name, func)
    if attempt is not None and attempt[1]:
        _done_if(writer, attempt[0])
    for buffer in func.root_allocs:
        _allocate(writer, buffer)
    before = len(writer.lines)
    _body(writer, func.body)
    if len(writer.lines) == before:
        writer.line("pass")


def _done_if(writer: Writer, condition: str) -> None:
    writer.line(condition)
    writer.line("    return")


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
                name = local(param.var.name)
                writer.line(f"{name} = {scalar_text(param.var.dtype, name)}")
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
            if writer.in_order or not vectorize(writer, stmt):
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
            writer.line(f"return rt.returned({writer.text.element(stmt.value)})")
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
    if dtypes.lanes(stmt.value.dtype) != 1:  # (as many as the indices have: ``syn/store-lanes``)
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
