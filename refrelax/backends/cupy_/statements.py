"""Statements inside one thread of a kernel, in the order of the program."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import prod

from refrelax.backends.cupy_.expressions import Text
from refrelax.backends.cupy_.names import c_name, c_type, is_float
from refrelax.backends.cupy_.nests import as_loop, small
from refrelax.backends.errors import Unsupported
from refrelax.syntax import dtypes
from refrelax.syntax.loops import (
    AllocBuffer,
    AssertStmt,
    AttrStmt,
    Bind,
    Break,
    Buffer,
    BufferStore,
    Continue,
    Evaluate,
    For,
    IfThenElse,
    SBlock,
    Stmt,
    While,
)
from refrelax.syntax.scalars import Binary, Intrinsic, Not, PrimExpr, SymVar, as_int, int_imm


@dataclass(slots=True)
class Lines:
    """Source under construction."""

    lines: list[str] = field(default_factory=list)
    depth: int = 1

    def line(self, text: str) -> None:
        self.lines.append("  " * self.depth + text)

    def open(self, text: str) -> None:
        self.line(f"{text} {{" if text else "{")
        self.depth += 1

    def close(self, text: str = "}") -> None:
        self.depth -= 1
        self.line(text)


def body(out: Lines, text: Text, statements: tuple[Stmt, ...]) -> None:
    """A statement list with names of its own."""
    inner = text.scope()
    for stmt in statements:
        statement(out, inner, as_loop(stmt))


def statement(out: Lines, text: Text, stmt: Stmt) -> None:
    match stmt:
        case For():
            loop(out, text, stmt)
        case SBlock():
            _block(out, text, stmt)
        case BufferStore():
            store(out, text, stmt)
        case IfThenElse():
            _if(out, text, stmt)
        case While():
            out.open(f"while ({text.condition(stmt.condition)})")
            body(out, text, stmt.body)
            out.close()
        case Bind():
            bind(out, text, stmt)
        case AllocBuffer():
            _allocate(out, text, stmt)
        case AttrStmt():
            body(out, text, stmt.body)
        case AssertStmt():
            out.line(f"if (!({text.condition(stmt.condition)})) {{ report({text.status()}, ASSERT_FAILED); return; }}")
        case Break():
            out.line("break;")
        case Continue():
            out.line("continue;")
        case Evaluate(value=Intrinsic(op=op)) if op not in ("tvm_storage_sync", "assume"):
            raise Unsupported(f"the intrinsic T.{op} in a CUDA kernel")
        case Evaluate():
            pass
        case _:
            raise Unsupported(f"the statement {type(stmt).__name__} in a CUDA kernel")


def loop(out: Lines, text: Text, stmt: For) -> None:
    """One sequential loop."""
    inner = open_loop(out, text, stmt)
    body(out, inner, stmt.body)
    out.close()


def open_loop(out: Lines, text: Text, stmt: For) -> Text:
    """The head of a loop; gives the scope of its body. Bounds that the body may change are computed before it."""
    low, extent = text.index(stmt.min), text.index(stmt.extent)
    name, end = c_name(stmt.var.name), extent if low == "0" else f"{low} + {extent}"
    step = "++" + name
    if stmt.step is not None:
        text.index(Binary("Add", stmt.extent, stmt.step))  # what the variable may reach
        step = f"{name} += {text.index(stmt.step)}"
    if text.is_index(stmt.min) and text.is_index(stmt.extent):
        out.open(f"for (idx {name} = {low}; {name} < {end}; {step})")
    else:
        out.open(f"for (i64 {name} = {low}, loopend = {name} + {extent}; {name} < loopend; {step})")
    inner = text.scope()
    enter(inner, stmt)
    return inner


def enter(text: Text, loop_: For) -> None:
    """A loop variable comes into scope with its domain."""
    text.local.add(loop_.var.name)
    text.bounds.domains[loop_.var.name] = (text.resolve(loop_.min), text.resolve(loop_.extent))


def open_block(out: Lines, text: Text, block: SBlock) -> None:
    """The axes of a block: other names of loop variables and expressions, or variables that read memory."""
    for axis in block.iters:
        if text.is_index(axis.binding):
            text.aliases[axis.var.name] = text.resolve(axis.binding)
        else:
            out.line(f"const i64 {c_name(axis.var.name)} = {text.index(axis.binding)};")
            text.local.add(axis.var.name)


def _block(out: Lines, text: Text, block: SBlock) -> None:
    if block.matches:
        raise Unsupported("a buffer match of a region in a CUDA kernel")
    inner = text.scope()
    out.open("")
    open_block(out, inner, block)
    for buffer in block.allocs:
        if small(buffer):
            private(out, inner, buffer)
    guarded = block.predicate is not None and as_int(block.predicate) != 1
    if guarded and block.predicate is not None:
        out.open(f"if ({inner.condition(block.predicate)})")
        inner.bounds.learn(inner.resolve(block.predicate))
    if block.init is not None:
        _init(out, inner, block)
    body(out, inner, block.body)
    if guarded:
        out.close()
    out.close()


def _init(out: Lines, text: Text, block: SBlock) -> None:
    starts = [Binary("EQ", a.var, a.min) for a in block.iters if a.kind == "reduce"]
    if not starts:
        return body(out, text, block.init or ())
    out.open(f"if ({' && '.join(text.index(s) for s in starts)})")
    body(out, text, block.init or ())
    return out.close()


def store(out: Lines, text: Text, stmt: BufferStore) -> None:
    """``B[…] = value;``, skipped and reported when it is out of bounds, unless it is proved to be inside."""
    if stmt.predicate is not None or dtypes.lanes(stmt.value.dtype) != 1:
        raise Unsupported("a vector store in a CUDA kernel")
    if stmt.buffer in text.registers:
        out.line(f"{text.registers[stmt.buffer]} = {text.element(stmt.value)};")
        return
    buffer = text.buffers[stmt.buffer]
    if stmt.buffer not in text.private:
        text.used.buffers[stmt.buffer] = buffer
        text.used.written.add(stmt.buffer)
        text.touch(buffer, stmt.indices, written=True)
    target, tests = place(text, buffer, stmt.indices)
    value = text.element(stmt.value)
    if not tests:
        out.line(f"{c_name(stmt.buffer)}[{target}] = {value};")
        return
    out.open(f"if ({' && '.join(tests)})")
    out.line(f"{c_name(stmt.buffer)}[{target}] = {value};")
    out.close("} else {")
    out.depth += 1
    out.line(f"report({text.status()}, STORE_OUT_OF_BOUNDS);")
    out.close()


def write(out: Lines, text: Text, buffer: Buffer, indices: tuple[PrimExpr, ...], value: str) -> None:
    """A value that is computed already into its element."""
    text.used.buffers[buffer.name] = buffer
    text.used.written.add(buffer.name)
    text.touch(buffer, indices, written=True)
    target, tests = place(text, buffer, indices)
    line = f"{c_name(buffer.name)}[{target}] = {value};"
    if tests:
        out.line(f"if ({' && '.join(tests)}) {line} else report({text.status()}, STORE_OUT_OF_BOUNDS);")
    else:
        out.line(line)


def unflatten(out: Lines, text: Text, loops: Sequence[For], flat: str) -> Text:
    """``flat`` as the row-major position in the domain of ``loops``."""
    inner = text.scope()
    for k, loop_ in reversed(list(enumerate(loops))):
        low, extent = text.index(loop_.min), text.index(loop_.extent)
        value = flat if k == 0 else "0" if as_int(loop_.extent) == 1 else f"{flat} % {extent}"
        out.line(f"const idx {c_name(loop_.var.name)} = {value if low == '0' else f'{low} + {value}'};")
        if k > 0 and as_int(loop_.extent) != 1:
            out.line(f"{flat} /= {extent};")
        enter(inner, loop_)
    return inner


def size(text: Text, loops: Sequence[For]) -> str:
    """The number of iterations of loops."""
    whole = int_imm(1)
    for loop_ in loops:
        whole = Binary("Mul", whole, loop_.extent) if as_int(whole) != 1 else loop_.extent  # type: ignore[assignment]
    return text.index(whole)


def maybe_empty(loop_: For) -> bool:
    """Whether a loop may have no iteration."""
    return (as_int(loop_.extent) or 0) <= 0


def place(text: Text, buffer: Buffer, indices: tuple[PrimExpr, ...]) -> tuple[str, list[str]]:
    """The offset of a store, and the conditions under which it is in bounds (none if proved)."""
    if buffer.scalar or not buffer.shape:
        return "0", []
    parts, tests = [], []
    for index, dim in zip(indices, buffer.shape, strict=True):
        parts.append(text.index(index))
        resolved = text.resolve(index)
        if not text.is_index(index) or not text.bounds.inside(resolved, text.resolve(dim), buffer.name):
            tests.append(f"inside({parts[-1]}, {text.index(dim)})")
    return text.row_major(buffer, parts), tests


def _if(out: Lines, text: Text, stmt: IfThenElse) -> None:
    out.open(f"if ({text.condition(stmt.condition)})")
    with text.bounds.knowing(text.resolve(stmt.condition)):
        body(out, text, stmt.then_body)
    if stmt.else_body:
        out.close("} else {")
        out.depth += 1
        with text.bounds.knowing(Not(text.resolve(stmt.condition))):
            body(out, text, stmt.else_body)
    out.close()


def bind(out: Lines, text: Text, stmt: Bind) -> None:
    """A let: another name of an index expression, or a variable."""
    name = stmt.var.name
    if text.is_index(stmt.value) and not is_float(stmt.var.dtype):
        text.aliases[name] = text.resolve(stmt.value)
        return
    if stmt.var.dtype.startswith("handle"):
        raise Unsupported("a pointer variable in a CUDA kernel")
    out.line(f"const {c_type(stmt.var.dtype)} {c_name(name)} = {text.element(stmt.value)};")
    text.local.add(name)
    text.elements.add(name)


def private(out: Lines, text: Text, buffer: Buffer) -> None:
    """A buffer of the thread's own."""
    if buffer.data is not None or buffer.strides:
        raise Unsupported("a view of other memory in a CUDA kernel")
    count = prod(e for e in map(as_int, buffer.shape) if e is not None)
    out.line(f"{c_type(buffer.dtype)} {c_name(buffer.name)}[{max(count, 1)}];")
    text.buffers[buffer.name] = buffer
    text.private.add(buffer.name)


def _allocate(out: Lines, text: Text, stmt: AllocBuffer) -> None:
    if small(stmt.buffer):
        private(out, text, stmt.buffer)
    if stmt.init is not None:
        store(out, text, BufferStore(stmt.buffer.name, stmt.init, (SymVar("0"),)[:0]))
