"""Loop-level statements as text."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import assert_never

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
    DeclBuffer,
    Evaluate,
    For,
    IfThenElse,
    IterVar,
    LaunchThread,
    Return,
    SBlock,
    Stmt,
    While,
)
from refrelax.syntax.read.device_intrinsics import SCOPE_IDS
from refrelax.syntax.scalars import Intrinsic, PrimExpr, SymVar, as_int, free_symbols
from refrelax.syntax.write.buffers import allocation, declaration, scalar_view
from refrelax.syntax.write.expressions import attributes
from refrelax.syntax.write.lines import Lines
from refrelax.syntax.write.scalars import Style, add, declared, dtype_name, expression, indices, quoted, region

_KINDS = {
    "serial": "T.serial", "parallel": "T.parallel", "vectorized": "T.vectorized", "unroll": "T.unroll",
    "thread_binding": "T.thread_binding",
}  # fmt: skip


@dataclass(slots=True)
class StatementWriter:
    """Writes the statements of one function.

    ``threads``: thread variables declared by ``T.env_thread``; ``matched``: variables that a ``T.match_buffer`` inside
    a block defines, not yet declared; ``loops``: (min, extent) of the loops around, by variable.
    """

    out: Lines
    style: Style
    threads: frozenset[str]
    matched: set[str]
    loops: dict[str, tuple[PrimExpr, PrimExpr]] = field(default_factory=dict)

    def body(self, statements: tuple[Stmt, ...]) -> None:
        """A list of statements; a scope that is the whole list is written flat, without an indented block."""
        while len(statements) == 1 and isinstance(statements[0], (LaunchThread, AttrStmt)):
            head, name, statements = self.scope(statements[0])
            self.out.put(f"{name} = {head}" if name else head)
        for each in merged_ids(statements):
            if isinstance(each, tuple):
                names = ", ".join(bound.var.name for bound in each)
                _, text = self.bind(each[0]).split(" = ", 1)
                self.out.put(f"{names} = {text}")
            else:
                self.statement(each)

    def text(self, node: PrimExpr) -> str:
        return expression(node, self.style)

    def statement(self, node: Stmt) -> None:
        match node:
            case For():
                self.loop(node)
            case SBlock():
                self.sblock(node)
            case LaunchThread() | AttrStmt():
                head, name, inner = self.scope(node)
                with self.out.block(f"with {head} as {name}:" if name else f"with {head}:"):
                    self.body(inner)
            case While():
                with self.out.block(f"while {self.text(node.condition)}:"):
                    self.body(node.body)
            case IfThenElse():
                self.conditional(node)
            case BufferStore():
                self.store(node)
            case AllocBuffer():
                self.allocate(node)
            case _:
                self.out.put(self.simple(node))

    def simple(self, node: Bind | DeclBuffer | AssertStmt | Evaluate | Return | Break | Continue) -> str:
        match node:
            case Bind():
                return self.bind(node)
            case DeclBuffer() if node.buffer.scalar:
                return f"{node.buffer.name} = {scalar_view(node.buffer, self.style)}"
            case DeclBuffer():
                return f"{node.buffer.name} = {declaration(node.buffer, 'T.decl_buffer', self.style)}"
            case AssertStmt():
                message = ", ".join(quoted(each) for each in node.message)
                return f"assert {self.text(node.condition)}, ({quoted(node.kind)}, [{message}])"
            case Evaluate():
                text = self.text(node.value)
                return text if isinstance(node.value, Intrinsic) else f"T.evaluate({text})"
            case Return():
                return f"return {self.text(node.value)}"
            case Break():
                return "break"
            case Continue():
                return "continue"
            case _:
                assert_never(node)

    def bind(self, node: Bind) -> str:
        name, value = node.var.name, node.value
        if isinstance(value, Intrinsic) and value.op in SCOPE_IDS:
            parts = [f"[{', '.join(self.text(each) for each in value.args)}]"] if value.args else []
            parts += [f"dtype={quoted(value.dtype)}"] if value.dtype != "int32" else []
            return f"{name} = T.{value.op}({', '.join(parts)})"
        # of a bare pointer's type only the value knows all
        bare = node.var.dtype == node.value.dtype == "handle"
        of = "" if bare or not _spelled(node) else f"[{dtype_name(node.var.dtype)}]"
        return f"{name}: T.let{of} = {self.text(value)}"

    # --- scopes ------------------------------------------------------------------------------------------------------

    def scope(self, node: LaunchThread | AttrStmt) -> tuple[str, str | None, tuple[Stmt, ...]]:
        """The call that opens the scope, the name it binds, and what is inside."""
        if isinstance(node, LaunchThread):
            shared = node.var.name in self.threads
            thread = node.var.name if shared else quoted(node.thread)
            head = f"T.launch_thread({thread}, {self.text(node.extent)})"
            return head, None if shared else node.var.name, node.body
        if node.node is not None:
            head = f"T.attr({self.text(node.node)}, {quoted(node.key)}, {self.text(node.value)})"
            return head, None, node.body
        pairs = [f"{quoted(node.key)}: {self.text(node.value)}"]
        inner, keys = node.body, {node.key}
        while len(inner) == 1 and isinstance(inner[0], AttrStmt) and inner[0].node is None and inner[0].key not in keys:
            keys.add(inner[0].key)
            pairs.append(f"{quoted(inner[0].key)}: {self.text(inner[0].value)}")
            inner = inner[0].body
        return f"T.attr({{{', '.join(pairs)}}})", None, inner

    def conditional(self, node: IfThenElse) -> None:
        with self.out.block(f"if {self.text(node.condition)}:"):
            self.body(node.then_body)
        if node.else_body:
            with self.out.block("else:"):
                self.body(node.else_body)

    # --- loops -------------------------------------------------------------------------------------------------------

    def loop(self, node: For) -> None:
        grid = self.grid(node)
        for each in grid:
            self.loops[each.var.name] = (each.min, each.extent)
        names = ", ".join(each.var.name for each in grid)
        if len(grid) > 1:
            head = f"T.grid({', '.join(self.text(each.extent) for each in grid)})"
        else:
            head = self.range(node)
        with self.out.block(f"for {names} in {head}:"):
            self.body(grid[-1].body)

    @staticmethod
    def grid(node: For) -> list[For]:
        """``node`` and the plain serial loops directly inside it that ``T.grid`` can take together."""
        found: list[For] = []
        names: set[str] = set()
        current = node
        while _plain(current) and not (free_symbols(current.extent) & names):
            found.append(current)
            names.add(current.var.name)
            match current.body:
                case (For() as inner,):
                    current = inner
                case _:
                    break
        return found or [node]

    def range(self, node: For) -> str:
        """``range(…)``, ``T.parallel(…)``, … for one loop."""
        parts = []
        if as_int(node.min) != 0 or node.step is not None:
            parts.append(self.text(node.min))
        parts.append(self.text(add(node.min, node.extent)))
        plain = node.kind == "serial" and not node.annotations
        if plain and node.step is not None:
            parts.append(self.text(node.step))
        if node.thread is not None:
            parts.append(f"thread={quoted(node.thread)}")
        if node.annotations:
            parts.append(f"annotations={attributes(node.annotations)}")
        if not plain and node.step is not None:
            parts.append(f"step={self.text(node.step)}")
        return f"{'range' if plain else _KINDS[node.kind]}({', '.join(parts)})"

    # --- blocks ------------------------------------------------------------------------------------------------------

    def sblock(self, node: SBlock) -> None:
        with self.out.block(f"with T.sblock({quoted(node.name)}):"):
            self.axes(node.iters)
            if node.predicate is not None:
                self.out.put(f"T.where({self.text(node.predicate)})")
            for word, regions in (("reads", node.reads), ("writes", node.writes)):
                if regions is not None:
                    parts = [region(each.buffer, each.ranges, self.style) for each in regions]
                    self.out.put(f"T.{word}({', '.join(parts)})")
            if node.attrs:
                self.out.put(f"T.sblock_attr({attributes(node.attrs)})")
            for buffer in node.allocs:
                self.out.put(f"{buffer.name} = {declaration(buffer, 'T.sblock_alloc_buffer', self.style)}")
            for match in node.matches:
                self.declare(match.buffer)
                source = region(match.source.buffer, match.source.ranges, self.style)
                text = declaration(match.buffer, "T.match_buffer", self.style, before=[source])
                self.out.put(f"{match.buffer.name} = {text}")
            if node.init is not None:
                with self.out.block("with T.init():"):
                    self.body(node.init)
            self.body(node.body)

    def declare(self, buffer: Buffer) -> None:
        """The variables that a ``T.match_buffer`` in a block binds, since nothing else defines them."""
        for each in (*buffer.shape, *buffer.strides, buffer.elem_offset):
            if isinstance(each, SymVar) and each.name in self.matched:
                self.matched.discard(each.name)
                self.out.put(f"{each.name} = {declared(each.dtype)}")

    def axes(self, iters: tuple[IterVar, ...]) -> None:
        """The axes of a block; a run of two or more that just follow a loop is one ``T.axis.remap``."""
        run: list[IterVar] = []
        for each in (*iters, None):
            if each is not None and self.follows(each):
                run.append(each)
                continue
            if len(run) > 1:
                names = ", ".join(axis.var.name for axis in run)
                kinds = "".join("S" if axis.kind == "spatial" else "R" for axis in run)
                loops = ", ".join(self.text(axis.binding) for axis in run)
                self.out.put(f'{names} = T.axis.remap("{kinds}", [{loops}])')
            elif run:
                self.axis(run[0])
            run = []
            if each is not None:
                self.axis(each)

    def follows(self, axis: IterVar) -> bool:
        """Whether a spatial or reduction axis takes exactly the values of the loop variable it is bound to."""
        if axis.kind not in ("spatial", "reduce") or not isinstance(axis.binding, SymVar):
            return False
        return self.loops.get(axis.binding.name) == (axis.min, axis.extent)

    def axis(self, axis: IterVar) -> None:
        low, high = self.text(axis.min), self.text(add(axis.min, axis.extent))
        domain = high if as_int(axis.min) == 0 else f"({low}, {high})"
        width = max(32, dtypes.bits(axis.min.dtype), dtypes.bits(axis.extent.dtype))
        dtype = "" if axis.var.dtype == f"int{width}" else f', dtype="{axis.var.dtype}"'
        self.out.put(f"{axis.var.name} = T.axis.{axis.kind}({domain}, {self.text(axis.binding)}{dtype})")

    # --- memory ------------------------------------------------------------------------------------------------------

    def store(self, node: BufferStore) -> None:
        name, value = node.buffer, self.text(node.value)
        cell = name in self.style.cells
        if node.predicate is not None:
            places = ", ".join(self.text(each) for each in node.indices)
            base = f"{name}.source" if cell else name
            self.out.put(f"{base}.vstore([{places}], {value}, predicate={self.text(node.predicate)})")
        elif cell and all(as_int(each) == 0 for each in node.indices):
            self.out.put(f"{name} = {value}")
        else:
            self.out.put(f"{name}[{indices(node.indices, self.style)}] = {value}")

    def allocate(self, node: AllocBuffer) -> None:
        buffer = node.buffer
        if buffer.scalar and buffer.scope != "local" and node.init is None:
            self.out.put(f"{buffer.name} = T.alloc_scalar({quoted(buffer.dtype)}, {quoted(buffer.scope)})")
            return
        if buffer.scalar:
            value = "" if node.init is None else f" = {self.text(node.init)}"
            self.out.put(f"{buffer.name}: T.{buffer.dtype}{value}")
            return
        annotations = attributes(node.annotations) if node.annotations else ""
        self.out.put(f"{buffer.name} = {allocation(buffer, self.style, annotations)}")


def _spelled(node: Bind) -> bool:
    """Whether TVM has a name ``T.<dtype>`` for the variable, or its value has another dtype."""
    return dtypes.lanes(node.var.dtype) in (1, 2, 4, 8, 16, 32, 64) or node.value.dtype != node.var.dtype


def merged_ids(statements: tuple[Stmt, ...]) -> list[Stmt | tuple[Bind, ...]]:
    """The statements, with the variables of one ``x, y = T.cta_id([2, 3])`` together."""
    found: list[Stmt | tuple[Bind, ...]] = []
    for each in statements:
        axis = _axis(each)
        last = found[-1] if found else None
        if axis == 0 and isinstance(each, Bind):
            found.append((each,))
        elif isinstance(each, Bind) and isinstance(last, tuple) and axis == len(last):
            found[-1] = (*last, each)
        else:
            found.append(each)
    return found


def _axis(node: Stmt) -> object:
    """Which of several variables ``node`` binds."""
    value = node.value if isinstance(node, Bind) else None
    return dict(value.attrs).get("axis") if isinstance(value, Intrinsic) and value.op in SCOPE_IDS else None


def _plain(node: For) -> bool:
    return node.kind == "serial" and as_int(node.min) == 0 and not node.annotations and node.step is None
