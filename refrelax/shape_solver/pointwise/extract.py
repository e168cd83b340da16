"""Reading a loop program as element terms.

The body is run once, symbolically, with loop variables free. A store is an *update*: the conditions under which it
writes the element ``o`` of its buffer, and the value, which may mention what was there before (``Old``). Leaving a loop
closes its variable: either the conditions determine it from ``o`` (``inverse.solve``), or the updates of all iterations
fall on the same elements and are a reduction (``folds.gathered``). After the outermost loop the updates make a new
tensor.

Whatever this cannot say exactly raises ``NotRead``: no proof, never a wrong one.

Spec: ``spec/06c-pointwise.md``, ``sh/read-program``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from refrelax.rules import rule
from refrelax.semantics.loops.blocks import folds
from refrelax.semantics.loops.grids import of_each_block
from refrelax.semantics.loops.threads import as_thread_loop, is_block_index, is_shared, is_thread, known_names
from refrelax.semantics.own_cells import is_private
from refrelax.shape_solver.context import conjuncts, negation
from refrelax.shape_solver.pointwise import scans
from refrelax.shape_solver.pointwise.block_memory import OfThreads
from refrelax.shape_solver.pointwise.closing import UNORDERED
from refrelax.shape_solver.pointwise.elements import NotRead
from refrelax.shape_solver.pointwise.lanes import by_lanes
from refrelax.shape_solver.pointwise.lets import in_place
from refrelax.shape_solver.pointwise.logic import Logic, all_of, compare, within
from refrelax.shape_solver.pointwise.matched_regions import IN_RANGE, without_regions
from refrelax.shape_solver.pointwise.memories import Memories
from refrelax.shape_solver.pointwise.other_names import with_one_name
from refrelax.shape_solver.pointwise.phases import Phases, in_lockstep
from refrelax.shape_solver.pointwise.spread import is_apart, is_compact
from refrelax.shape_solver.pointwise.state import Definedness, Level, Memory, Update, known, touched
from refrelax.shape_solver.pointwise.statements import of_blocks, steps, stored
from refrelax.shape_solver.pointwise.terms import (
    OPEN,
    TensorTerm,
    Terms,
    has_old,
)
from refrelax.shape_solver.pointwise.views import is_plain
from refrelax.syntax.loops import (
    AllocBuffer,
    AttrStmt,
    Bind,
    Buffer,
    BufferParam,
    BufferStore,
    DeclBuffer,
    Evaluate,
    For,
    IfThenElse,
    LaunchThread,
    PrimFunc,
    SBlock,
    Stmt,
)
from refrelax.syntax.scalars import (
    Binary,
    BufferRef,
    Intrinsic,
    Literal,
    PrimExpr,
    SymVar,
    as_int,
    free_symbols,
    int_imm,
)

__all__ = ["Definedness", "NotRead", "read"]


@rule("sh/read-program")
def read(
    func: PrimFunc, given: Mapping[str, TensorTerm], scalars: Mapping[str, PrimExpr], terms: Terms, logic: Logic
) -> tuple[dict[str, TensorTerm], list[Definedness]]:
    """The contents of the function's buffers after a call, and what the call's meaning rests on.

    ``given``: the contents before, by buffer name; ``scalars``: scalar parameters and the symbols of buffer shapes.

    Raises:
        NotRead: the program uses what element terms cannot say.
    """
    if func.ret is not None:  # (a return is not read)
        raise NotRead(f"a function that comes to its end without the {func.ret} that it declares")
    func = without_regions(with_one_name(func))
    reader = _Reader(terms, logic, dict(scalars), implicit=func.s_tir, known=frozenset(known_names(func)))
    for param in func.params:
        if isinstance(param, BufferParam):
            reader.enter(param.buffer, given[param.buffer.name], reader.dims(param.buffer))
    for buffer in func.root_allocs:
        reader.allocate(buffer)
    reader.run(func.body)
    names = [p.buffer.name for p in func.params if isinstance(p, BufferParam)]
    return {name: reader.at_end(name, given[name]) for name in names}, reader.obligations


@dataclass(slots=True)
class _Reader(Memories):
    # --- buffers

    def dims(self, buffer: Buffer) -> tuple[PrimExpr, ...]:
        return tuple(self.expression(d) for d in buffer.shape)

    def enter(self, buffer: Buffer, content: TensorTerm, shape: tuple[PrimExpr, ...], given: bool = True) -> None:
        strides = buffer.strides and not (
            is_compact(buffer) or (not given and buffer.data is None and is_apart(buffer))
        )
        if strides or buffer.elem_offset is not None or buffer.data is not None:
            raise NotRead(f"the buffer {buffer.name} is a view with strides or an offset")
        if buffer.name in self.memory:
            raise NotRead(f"two buffers of the name {buffer.name}")
        at = tuple(self.terms.fresh("o") for _ in shape)
        self.buffers[buffer.name], self.scopes[buffer.name] = buffer, buffer.scope
        self.memory[buffer.name] = Memory(shape, buffer.dtype, content, at, bool(self.scope), given=given)

    def allocate(self, buffer: Buffer) -> None:
        if is_shared(buffer.scope) and not self.waiting and not all(map(of_blocks, self.tags.values())):
            raise NotRead(f"shared memory ({buffer.name}) that each thread allocates")
        shape = self.dims(buffer)
        for d in shape:
            self.require("an extent that is not negative", compare("GE", d, int_imm(0, d.dtype)), tuple(self.scope))
        if not self.scope:
            self.logic.sizes.exists(shape, buffer.dtype)
        vars_ = tuple(self.terms.fresh("o") for _ in shape)
        if buffer.data is None and is_plain(buffer):
            buffer = replace(buffer, elem_offset=None)
        self.enter(buffer, TensorTerm(buffer.name, shape, buffer.dtype, vars_, OPEN), shape, given=False)

    def view(self, buffer: Buffer) -> None:
        """A buffer over the memory of another one, which is not used any more."""
        if self.scope:
            raise NotRead(f"the buffer {buffer.name} is a view that is declared in a loop or a branch")
        shape = self.dims(buffer)
        base = self.buffers.get(buffer.data.buffer) if isinstance(buffer.data, BufferRef) else None
        if base is not None and base.strides and not is_compact(base):  # its elements are not where a view has them
            raise NotRead(f"the buffer {buffer.name} is a view of memory with gaps")
        if (whole := self.views.same(buffer, shape, self.memory)) is not None:
            if buffer.name in self.memory:
                raise NotRead(f"two buffers of the name {buffer.name}")
            self.memory[buffer.name] = self.of(whole, "a view of")
            self.views.names[buffer.name] = whole
            return
        if isinstance(buffer.data, BufferRef) and buffer.data.buffer in self.memory:
            known(self.memory[buffer.data.buffer])
            if (self.scopes[buffer.data.buffer] or "global") != (buffer.scope or "global"):
                raise NotRead(f"the buffer {buffer.name} is a view of memory of another scope")
        contents = {name: each.content for name, each in self.memory.items()}
        content = self.views.over(buffer, shape, contents)
        given = not isinstance(buffer.data, BufferRef) or self.memory[buffer.data.buffer].given
        self.enter(replace(buffer, data=None, elem_offset=None), content, shape, given)

    def at_end(self, name: str, before: TensorTerm) -> TensorTerm:
        """What a parameter holds after the call: the same tensor, if nothing was stored, and another one if something
        was, by whatever name, if it be what was there."""
        if not any(each is self.memory[self.views.holder(name)] for each in self.stores):
            return before
        known(self.memory[self.views.holder(name)])
        contents = {each: memory.content for each, memory in self.memory.items()}
        found = self.views.content(name, before.shape, before.dtype, contents)
        return replace(found) if found is before else found

    # --- statements

    def run(self, stmts: Sequence[Stmt]) -> None:
        outer = dict(self.by)
        for stmt in in_place(stmts, self.views.names):
            self.statement(stmt)
        self.by = outer

    def statement(self, stmt: Stmt) -> None:
        match stmt:
            case For(kind="thread_binding"):
                self.threads(stmt)
            case LaunchThread():
                self.threads(as_thread_loop(stmt))
            case For():
                self.loop(stmt)
            case SBlock():
                self.block(stmt)
            case BufferStore():
                self.store(stmt)
            case IfThenElse():
                condition = self.condition(stmt.condition)
                self.guarded(condition, stmt.then_body)
                self.guarded(negation(condition), stmt.else_body)
            case Bind():
                self.by[stmt.var.name] = self.bound(stmt.value)
            case AllocBuffer(init=None):
                self.allocate(stmt.buffer)
            case DeclBuffer() if stmt.buffer.data is None:
                self.allocate(stmt.buffer)
            case DeclBuffer():
                self.view(stmt.buffer)
            case AttrStmt():
                self.run(stmt.body)
            case Evaluate(value=Literal()):
                pass
            case Evaluate(Intrinsic(op, (index,))) if op == IN_RANGE:
                self.condition(index)
            case Evaluate(Intrinsic(op, (index, extent))) if op == IN_RANGE:
                self.in_range(index, extent)
            case Evaluate(Intrinsic("assume", (promise,))):
                self.assumes(promise)
            case _:
                raise NotRead(f"{type(stmt).__name__} is not read")

    def guarded(self, condition: PrimExpr, body: Sequence[Stmt]) -> None:
        if not body or as_int(condition) == 0:
            return
        parts = [] if as_int(condition) == 1 else conjuncts(condition)
        self.scope += parts
        self.guards += parts
        self.run(body)
        del self.scope[len(self.scope) - len(parts) :]
        del self.guards[len(self.guards) - len(parts) :]

    def in_range(self, index: PrimExpr, extent: PrimExpr) -> None:
        """A claim of a matched region: here, and nothing that the program computes."""
        reading = replace(self.reading(None, ()), require=lambda *_: None)
        if not all(map(reading.plain, (index, extent))):
            raise NotRead("a matched region that depends on data")
        bounds = within(reading.index(index), reading.index(extent))
        if not all(self.logic.holds(each, tuple(self.scope), "a matched region") for each in bounds):
            raise NotRead("an element of a matched region that may lie outside of it or its buffer")

    # --- threads

    @rule("sh/threads")
    def threads(self, loop: For) -> None:
        """A loop over threads. What belongs to one of them is read in that loop, and not after it: not in another loop
        of the launch around both, and not by a thread that stood for others (a tag that is bound again)."""
        own = [] if self.waiting or not is_thread(loop.thread or "") else self.private(loop)
        if any(each.kind not in UNORDERED for memory in own for each in memory.levels):
            raise NotRead("a thread's memory in a loop whose turns are launches")
        self.loop_of_threads(loop)
        for memory in own:
            memory.broken = "a thread's memory after its launch"

    def private(self, loop: For) -> list[Memory]:
        """The memory around a loop over threads that belongs to one of them, and that they store to."""
        own = {id(self.memory[n]) for n, scope in self.scopes.items() if is_private(scope) and n in self.memory}
        changed = [self.memory[name] for name in sorted(stored(loop.body)) if name in self.memory]
        return [each for each in changed if id(each) in own and not each.given]

    def loop_of_threads(self, loop: For) -> None:
        """A loop over threads: in phases, where they wait for each other."""
        if not self.waiting and in_lockstep(loop, self.implicit, self.scopes, self.tags):
            self.launch(loop)
            return
        if not self.waiting and not is_block_index(loop) and all(map(of_blocks, self.tags.values())):
            declared = OfThreads()
            loop = declared.of(loop)
            self.kept |= declared.own
            for buffer in declared.shared:
                self.allocate(buffer)
        outer, self.tags = self.tags, {**self.tags, loop.var.name: loop.thread or ""}
        self.loop(loop)
        self.tags = outer

    def launch(self, loop: For) -> None:
        """The phases of a launch. Memory of its threads that is declared outside is that of each thread inside."""
        local = {name: self.buffers[name] for name, scope in self.scopes.items() if is_private(scope)}
        phases = Phases(self.implicit, self.known, local, lambda name: self.terms.fresh(name).name, scopes=self.scopes)
        stmts = phases.of(loop)
        outside = {name: self.memory.pop(name) for name in phases.private}
        if any(map(touched, outside.values())):
            raise NotRead("a thread's memory that is used outside of the launch")
        self.wide |= phases.wide
        self.kept |= outside.keys()
        self.waiting = True
        self.run(stmts)
        self.waiting = False
        self.memory |= {
            name: replace(each, broken="a thread's memory after its launch") for name, each in outside.items()
        }

    def loop(self, loop: For) -> None:
        if is_block_index(loop):
            loop = of_each_block(loop)
        low, end = self.condition(loop.min), self.condition(loop.extent)
        step = 1 if loop.step is None else as_int(loop.step)
        if step is None or step < 1:
            raise NotRead("a loop whose step is no positive constant")
        if loop.var.dtype != loop.min.dtype or loop.var.dtype != loop.extent.dtype:
            raise NotRead("a loop whose variable has another dtype than its bounds")
        extent = end if step == 1 else steps(end, step)
        if as_int(low) != 0:
            self.condition(Binary("Add", loop.min, loop.extent))  # the end of the domain fits as well
        if as_int(extent) == 1:
            outer, self.by = self.by, {**self.by, loop.var.name: low}
            self.run(loop.body)
            self.by = outer
            return
        v = self.terms.fresh(loop.var.name)
        names = [name for name in sorted(stored(loop.body)) if name in self.memory]
        written = list({id(self.memory[name]): self.memory[name] for name in names}.values())
        for memory in written:
            memory.levels.append(Level("blocks" if of_blocks(loop.thread or "") else loop.kind))
        domain = self.logic.domain(v, extent)
        value: PrimExpr = v if step == 1 else Binary("Mul", v, int_imm(step, v.dtype))
        if step != 1:
            domain = (*domain, compare("LT", value, end))
        self.scope += domain
        outer = self.by
        self.by = {**outer, loop.var.name: value if as_int(low) == 0 else Binary("Add", low, value)}
        self.over.append(v.name)
        self.run(loop.body)
        self.over.pop()
        self.by = outer
        del self.scope[len(self.scope) - len(domain) :]
        for memory in written:
            level = memory.levels.pop()
            if level.scan:
                if len(level.updates) != 1 or level.reads:
                    raise NotRead("a scan beside another store or load")
                level.updates = [scans.gathered(self.terms, self.logic, level.updates[0], v, (*self.scope, *domain))]
            self.alone(memory, level, v)
            self.deliver(memory, self.closed(memory, level, v, extent))

    def block(self, block: SBlock) -> None:
        if block.matches:
            raise NotRead("a block with a matched region")
        outer, reduces, turns = dict(self.by), self.reduces, self.turns
        first: list[PrimExpr] = []
        over: set[str] = set()
        for each in block.iters:
            if each.kind not in ("spatial", "reduce"):
                raise NotRead(f"a block axis of kind {each.kind}")
            bound, low = self.expression(each.binding), self.expression(each.min)
            self.by[each.var.name] = bound
            if each.kind == "reduce":
                first.append(compare("EQ", bound, low))
                over |= free_symbols(bound)
        for buffer in block.allocs:
            self.allocate(buffer)
        condition = self.condition(block.predicate) if block.predicate is not None else int_imm(1, "bool")
        self.reduces = block.init is not None and bool(first)
        if block.init is not None:
            self.turns = {**turns, **dict.fromkeys(folds(block), frozenset(over))}
            self.guarded(all_of([condition, *first]) or condition, block.init)
        self.guarded(condition, block.body)
        self.by, self.reduces, self.turns = outer, reduces, turns

    def goes_on(self, store: BufferStore, memory: Memory, own: tuple[PrimExpr, ...]) -> tuple[PrimExpr, ...] | None:
        """The indices of the element that the iteration before wrote, if the store is a scan that reads it."""
        if not memory.levels or memory.local or self.guards or store.buffer in self.wide or store.buffer in self.kept:
            return None
        level, v = memory.levels[-1], SymVar(self.over[-1], "int64")
        if level.kind not in ("serial", "unrolled") or level.updates or level.reads:
            return None
        reading = replace(self.reading(None, ()), require=lambda *_: None)
        loads = scans.own_loads(store)
        if not loads or not all(reading.plain(i) for each in loads for i in each.indices):
            return None
        loaded = [tuple(reading.index(i) for i in each.indices) for each in loads]
        if not scans.goes_on(self.logic, store, v, own, loaded):
            return None
        level.scan = True
        return loaded[0]

    def store(self, store: BufferStore) -> None:
        if (loop := by_lanes(store, self.terms.fresh("lane").name)) is not None:
            self.loop(loop)
            return
        memory = self.of(store.buffer, "a store to")
        self.stores.append(memory)
        if store.predicate is not None:
            raise NotRead("a predicated store")
        own = tuple(self.expression(i) for i in store.indices)
        indices = (*self.before_indices(store.buffer), *own)
        if any(self.terms.opaque.keys() & free_symbols(i) for i in indices):
            raise NotRead("a store at an index read from memory")
        for i, d in zip(indices, memory.shape, strict=True):
            for bound in within(i, d):
                self.obligations.append(Definedness("store in bounds", bound, tuple(self.scope)))
        goes_on = self.goes_on(store, memory, own)
        value = self.reading(store, own if goes_on is None else goes_on).term(store.value)
        where = [compare("EQ", o, i) for o, i in zip(memory.at, indices, strict=True)]
        over = self.turns.get(store.buffer, frozenset())
        self.deliver(memory, [Update((*where, *self.guards), value, self.reduces, once=not has_old(value), over=over)])
