"""The structural conditions on a loop-level function: what is in scope at each statement.

Variables, buffers and block axes are defined once and used in their scope; a block with axes reads the loops
around it only through the bindings of its axes. What each statement and expression demands of its own operands
stands in ``operands``.

Spec: ``spec/04-well-formedness.md``, Loop-level functions.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from refrelax.errors import Diagnostic, Span
from refrelax.rules import rule
from refrelax.semantics.types.purity import expressions
from refrelax.semantics.types.wellformed import operands
from refrelax.syntax import dtypes
from refrelax.syntax.loops import (
    AllocBuffer,
    AttrStmt,
    Bind,
    Break,
    Buffer,
    BufferParam,
    BufferRegion,
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
    Stmt,
    While,
)
from refrelax.syntax.module import Module
from refrelax.syntax.scalars import (
    BufferLoad,
    BufferRef,
    CommReducer,
    Intrinsic,
    Let,
    PrimExpr,
    RangeArg,
    SymVar,
    children,
)


def diagnose_prim_func(module: Module, name: str, f: PrimFunc) -> list[Diagnostic]:
    """Every condition that the loop-level function ``name`` breaks."""
    walk = _Scopes(module, name)
    walk.prim_func(f)
    return walk.found


class _Scopes:
    """One walk over one loop-level function."""

    def __init__(self, module: Module, name: str) -> None:
        self.module = module
        self.name = name
        self.found: list[Diagnostic] = []
        self.vars: set[str] = set()
        self.buffers: dict[str, Buffer] = {}
        self.places: dict[str, Span | None] = {}
        self.dtypes: dict[str, str] = {}
        self.ret: str | None = None
        self.hidden_loops: dict[str, str] = {}
        self.open_loops: list[str] = []
        self.loop_depth = 0

    def report(self, rule_id: str, message: str, span: Span | None, about: str | None = None) -> None:
        place = ((f"definition of {about}", self.places.get(about)),) if about is not None else ()
        self.found.append(Diagnostic(rule_id, message, span, place))

    @contextmanager
    def scope(self) -> Iterator[None]:
        """What is defined inside is invisible afterwards."""
        saved_vars, saved_buffers = set(self.vars), dict(self.buffers)
        yield
        self.vars, self.buffers = saved_vars, saved_buffers

    @contextmanager
    def shadowed(self, own: dict[str, str]) -> Iterator[None]:
        """Inside, the names are parameters of these dtypes, whatever else of the function has their names."""
        dtypes_, loops = self.dtypes, self.hidden_loops
        with self.scope():
            self.vars.update(own)
            self.dtypes = {**dtypes_, **own}
            self.hidden_loops = {name: block for name, block in loops.items() if name not in own}
            yield
        self.dtypes, self.hidden_loops = dtypes_, loops

    def prim_func(self, f: PrimFunc) -> None:
        self.ret = f.ret
        for param in f.params:
            if not isinstance(param, BufferParam):
                self.define(param.var, param.span or f.span)
        buffers = [each.buffer for each in f.params if isinstance(each, BufferParam)]
        for buffer in buffers:
            self.implicit(buffer)
            for dim in buffer.shape:
                self.found += operands.scalar(dim, buffer.span or f.span)
        for buffer in (*buffers, *f.root_allocs):
            self.declare(buffer, buffer.span or f.span)
        self.body(f.body)

    # --- definitions -------------------------------------------------------------------------------------------------

    @rule("wf/loop-var-once")
    def define(self, var: SymVar, span: Span | None) -> None:
        name = var.name
        self.dtypes.setdefault(name, var.dtype)
        if name in self.places:
            self.report("wf/loop-var-once", f"{name} is defined more than once", span, name)
        else:
            self.places[name] = span
        self.vars.add(name)

    def implicit(self, buffer: Buffer, extents: bool = True) -> None:
        """A bare variable among the extents, strides or offset of a parameter, or the strides or offset of a matched
        buffer, is defined there."""
        shape = buffer.shape if extents else ()
        bare = (*shape, *buffer.strides, *(() if buffer.elem_offset is None else (buffer.elem_offset,)))
        for each in bare:
            if isinstance(each, SymVar):
                self.vars.add(each.name)
                self.places.setdefault(each.name, buffer.span)
                self.dtypes.setdefault(each.name, each.dtype)

    @rule("wf/buffer-declared-once")
    def declare(self, buffer: Buffer, span: Span | None) -> None:
        if buffer.name in self.places:
            message = f"buffer {buffer.name} is declared more than once"
            self.report("wf/buffer-declared-once", message, span, buffer.name)
        else:
            self.places[buffer.name] = span
        for each in (*buffer.shape, *buffer.strides):
            self.expr(each, span)
        if buffer.elem_offset is not None:
            self.expr(buffer.elem_offset, span)
        if buffer.data is not None:
            self.expr(buffer.data, span)
        self.found += operands.buffer(buffer, span)
        self.buffers[buffer.name] = buffer

    # --- statements --------------------------------------------------------------------------------------------------

    def body(self, statements: tuple[Stmt, ...]) -> None:
        with self.scope():
            for each in statements:
                self.statement(each)

    @rule("wf/break-outside-loop")
    def statement(self, s: Stmt) -> None:
        if isinstance(s, SBlock):
            self.block(s)
            return
        for each in () if _is_pragma(s) else expressions(s):
            self.expr(each, s.span)
        self.found += operands.statement(s)
        match s:
            case For():
                self.loop(s)
            case While():
                self.loop_depth += 1
                self.body(s.body)
                self.loop_depth -= 1
            case IfThenElse():
                self.body(s.then_body)
                self.body(s.else_body)
            case BufferStore():
                self.access(s.buffer, s.indices, s.span)
                self.found += operands.store(s, self.buffers.get(s.buffer))
            case Bind():
                self.define(s.var, s.span)
            case Return():
                self.returned(s)
            case AllocBuffer() | DeclBuffer():
                self.declare(s.buffer, s.span)
            case LaunchThread():
                self.launch(s)
            case AttrStmt():
                self.body(s.body)
            case Break() | Continue() if not self.loop_depth:
                self.report("wf/break-outside-loop", f"{type(s).__name__.lower()} stands in no loop", s.span)
            case Evaluate(value=Intrinsic(op="break_loop" | "continue_loop" as op)) if not self.loop_depth:
                self.report("wf/break-outside-loop", f"{op} stands in no loop", s.span)
            case _:
                return

    def loop(self, s: For) -> None:
        with self.scope():
            self.define(s.var, s.span)
            self.open_loops.append(s.var.name)
            self.loop_depth += 1
            self.body(s.body)
            self.loop_depth -= 1
            self.open_loops.pop()

    def launch(self, s: LaunchThread) -> None:
        """The same thread may be launched again under the same variable."""
        with self.scope():
            self.vars.add(s.var.name)
            self.places.setdefault(s.var.name, s.span)
            self.dtypes[s.var.name] = s.var.dtype
            self.body(s.body)

    @rule("wf/return-dtype")
    def returned(self, s: Return) -> None:
        """What a function returns has the dtype that its head declares, if it declares one."""
        kinds = {dtypes.kind(each) for each in (self.ret or "void", s.value.dtype)}
        if s.value.dtype != self.ret and not kinds & {"handle", "void"}:
            message = f"{self.name} returns {self.ret}, found {s.value.dtype}"
            self.report("wf/return-dtype", message, s.value.span or s.span)

    @rule("wf/block-axis")
    def block(self, s: SBlock) -> None:
        for axis in s.iters:
            for each in (axis.min, axis.extent, axis.binding):
                self.expr(each, axis.span or s.span)
            self.found += operands.axis(axis, s)
        if s.predicate is not None:
            self.expr(s.predicate, s.span)
            self.found += operands.truth(s.predicate, "the predicate of a block", s.span)
        hidden = dict(self.hidden_loops)
        with self.scope():
            if s.iters:
                self.hidden_loops.update(dict.fromkeys(self.open_loops, s.name))
            for axis in s.iters:
                self.define(axis.var, axis.span or s.span)
            self.inside(s)
        self.hidden_loops = hidden

    def inside(self, s: SBlock) -> None:
        outer, self.open_loops = self.open_loops, [] if s.iters else self.open_loops
        for allocated in s.allocs:
            self.declare(allocated, allocated.span or s.span)
        for matched in s.matches:
            self.region(matched.source, s.span)
            self.implicit(matched.buffer, extents=False)
            self.declare(matched.buffer, matched.buffer.span or s.span)
        for region in (*(s.reads or ()), *(s.writes or ())):
            self.region(region, s.span)
        if s.init is not None:
            self.body(s.init)
        self.body(s.body)
        self.open_loops = outer

    # --- uses --------------------------------------------------------------------------------------------------------

    @rule("wf/buffer-declared", "wf/index-count")
    def access(self, name: str, indices: tuple[PrimExpr, ...], span: Span | None) -> None:
        """A load or store names a declared buffer, with one index an axis."""
        buffer = self.buffers.get(name)
        if buffer is None:
            about = name if name in self.places else None
            where = "is used outside of its scope" if about else "is used without a declaration"
            self.report("wf/buffer-declared", f"buffer {name} {where}", span, about)
        elif len(indices) != len(buffer.shape):
            message = f"buffer {name} has {len(buffer.shape)} axes, found {len(indices)} indices"
            self.report("wf/index-count", message, span, name)

    @rule("wf/region-rank")
    def region(self, region: BufferRegion, near: Span | None) -> None:
        span = region.span or near
        buffer = self.buffers.get(region.buffer)
        if buffer is None:
            self.access(region.buffer, (), span)
        elif len(region.ranges) != len(buffer.shape):
            message = f"a region of {region.buffer} needs {len(buffer.shape)} ranges, found {len(region.ranges)}"
            self.report("wf/region-rank", message, span, region.buffer)
        for low, extent in region.ranges:
            self.expr(low, span)
            self.expr(extent, span)

    @rule("wf/loop-var-defined", "wf/block-var-access", "wf/symbol-dtype")
    def variable(self, e: SymVar, span: Span | None) -> None:
        if e.name not in self.vars:
            about = e.name if e.name in self.places else None
            where = "is used outside of its scope" if about else "is not defined"
            self.report("wf/loop-var-defined", f"{e.name} {where}", span, about)
        elif e.name in self.hidden_loops:
            message = f"the loop variable {e.name} is used in block {self.hidden_loops[e.name]}, not through an axis"
            self.report("wf/block-var-access", message, span, e.name)
        defined = self.dtypes.get(e.name, e.dtype)
        if defined != e.dtype and "handle" not in (dtypes.kind(defined), dtypes.kind(e.dtype)):
            self.report("wf/symbol-dtype", f"{e.name} is defined as {defined}, found {e.dtype}", span, e.name)

    def expr(self, e: PrimExpr, near: Span | None) -> None:
        span = e.span or near
        match e:
            case SymVar():
                self.variable(e, span)
                return
            case Let():
                self.expr(e.value, span)
                with self.scope():
                    self.define(e.var, span)
                    self.expr(e.body, span)
                self.found += operands.expression(e, span)
                return
            case CommReducer():
                with self.shadowed({each.name: each.dtype for each in (*e.lhs, *e.rhs)}):
                    for each in (*e.result, *e.identity):
                        self.expr(each, span)
                return
            case BufferLoad():
                self.access(e.buffer, e.indices, span)
                self.found += operands.load(e, self.buffers.get(e.buffer), span)
            case BufferRef() if e.buffer not in self.buffers:
                self.access(e.buffer, (), span)
            case RangeArg() if e.buffer and e.buffer not in self.buffers:
                self.access(e.buffer, (), span)
            case Intrinsic():
                self.intrinsic(e, span)
            case _:
                pass
        self.found += operands.expression(e, span)
        for each in children(e):
            if not (isinstance(each, SymVar) and isinstance(e, Intrinsic) and e.op == "tvm_thread_allreduce"):
                self.expr(each, span)

    @rule("wf/global-defined", "wf/return-dtype")
    def intrinsic(self, e: Intrinsic, span: Span | None) -> None:
        name = e.op.removeprefix("cls.")
        if name == e.op:
            return
        callee = self.module.functions.get(name)
        if callee is None:
            self.report("wf/global-defined", f"the module has no function {name}", span)
        elif isinstance(callee, PrimFunc) and dtypes.kind(e.dtype) not in ("handle", "void") and e.dtype != callee.ret:
            self.report("wf/return-dtype", f"{name} returns {callee.ret}, called for {e.dtype}", span)


def _is_pragma(s: Stmt) -> bool:
    """A pragma names a loop variable from outside its loop: a mention, not a use."""
    return isinstance(s, AttrStmt) and s.key.startswith("pragma_")
