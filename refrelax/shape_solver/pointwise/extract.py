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
from dataclasses import dataclass, field, replace

from refrelax.rules import rule
from refrelax.semantics.dims import substitute
from refrelax.semantics.loops.lockstep import is_private
from refrelax.semantics.loops.threads import as_thread_loop, is_shared
from refrelax.shape_solver.context import conjuncts, negation
from refrelax.shape_solver.pointwise.closing import LAST, UNORDERED, Closing
from refrelax.shape_solver.pointwise.elements import NotRead, Reading
from refrelax.shape_solver.pointwise.inverse import solve
from refrelax.shape_solver.pointwise.lanes import by_lanes
from refrelax.shape_solver.pointwise.lets import in_place
from refrelax.shape_solver.pointwise.logic import Given, Logic, all_of, compare, symbols_nonnegative, within
from refrelax.shape_solver.pointwise.phases import Phases, in_lockstep, is_compact
from refrelax.shape_solver.pointwise.state import Definedness, Level, Memory, Update, known, touched
from refrelax.shape_solver.pointwise.statements import of_blocks, steps, stored
from refrelax.shape_solver.pointwise.terms import (
    OPEN,
    Apply,
    Choose,
    Fold,
    Int,
    TensorTerm,
    Term,
    Terms,
    has_old,
    may_be_open,
)
from refrelax.shape_solver.pointwise.views import Views, is_plain
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
    BufferLoad,
    BufferRef,
    Literal,
    PrimExpr,
    SymVar,
    as_int,
    bool_imm,
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
    reader = _Reader(terms, logic, dict(scalars), implicit=func.s_tir)
    for param in func.params:
        if isinstance(param, BufferParam):
            reader.enter(param.buffer, given[param.buffer.name], reader.dims(param.buffer))
    for buffer in func.root_allocs:
        reader.allocate(buffer)
    reader.run(func.body)
    names = [p.buffer.name for p in func.params if isinstance(p, BufferParam)]
    return {name: reader.at_end(name, given[name]) for name in names}, reader.obligations


@dataclass(slots=True)
class _Reader:
    terms: Terms
    logic: Logic
    by: dict[str, PrimExpr]
    memory: dict[str, Memory] = field(default_factory=dict)
    scope: list[PrimExpr] = field(default_factory=list)
    """What holds where the reader stands: the domains of loop variables, and guards."""
    guards: list[PrimExpr] = field(default_factory=list)
    """The part of ``scope`` that decides whether a store happens."""
    reduces: bool = False
    turns: dict[str, frozenset[str]] = field(default_factory=dict)
    """Per buffer that the reduction blocks around start: the variables over which they reduce."""
    obligations: list[Definedness] = field(default_factory=list)
    stores: list[Memory] = field(default_factory=list)
    """What was stored to."""
    implicit: bool = False
    """Whether the compiler owes the synchronisation of shared memory."""
    tags: dict[str, str] = field(default_factory=dict)
    """The thread tags of the loops around, by variable."""
    waiting: bool = False
    """Whether the reader stands in a phase of a launch."""
    buffers: dict[str, Buffer] = field(default_factory=dict)
    scopes: dict[str, str] = field(default_factory=dict)
    wide: dict[str, tuple[SymVar, ...]] = field(default_factory=dict)
    """The thread variables in front of the indices of a buffer of which each thread has its own."""
    kept: set[str] = field(default_factory=set)
    """Memory in which a thread may find what an earlier launch left."""
    views: Views = field(init=False)

    def __post_init__(self) -> None:
        self.views = Views(self.terms, self.logic)

    # --- buffers

    def dims(self, buffer: Buffer) -> tuple[PrimExpr, ...]:
        return tuple(self.expression(d) for d in buffer.shape)

    def enter(self, buffer: Buffer, content: TensorTerm, shape: tuple[PrimExpr, ...], given: bool = True) -> None:
        strides = buffer.strides and not is_compact(buffer)
        if strides or buffer.elem_offset is not None or buffer.data is not None:
            raise NotRead(f"the buffer {buffer.name} is a view with strides or an offset")
        if buffer.name in self.memory:
            raise NotRead(f"two buffers of the name {buffer.name}")
        at = tuple(self.terms.fresh("o", d.dtype) for d in shape)
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
        vars_ = tuple(self.terms.fresh("o", d.dtype) for d in shape)
        if buffer.data is None and is_plain(buffer):
            buffer = replace(buffer, elem_offset=None)
        self.enter(buffer, TensorTerm(buffer.name, shape, buffer.dtype, vars_, OPEN), shape, given=False)

    def view(self, buffer: Buffer) -> None:
        """A buffer over the memory of another one, which is not used any more."""
        if self.scope:
            raise NotRead(f"the buffer {buffer.name} is a view that is declared in a loop or a branch")
        shape = self.dims(buffer)
        if (whole := self.views.same(buffer, shape, self.memory)) is not None:
            if buffer.name in self.memory:
                raise NotRead(f"two buffers of the name {buffer.name}")
            self.memory[buffer.name] = self.of(whole, "a view of")
            return
        if isinstance(buffer.data, BufferRef) and buffer.data.buffer in self.memory:
            known(self.memory[buffer.data.buffer])
        contents = {name: each.content for name, each in self.memory.items()}
        content = self.views.over(buffer, shape, contents)
        self.enter(replace(buffer, data=None, elem_offset=None), content, shape)

    def at_end(self, name: str, before: TensorTerm) -> TensorTerm:
        """What a parameter holds after the call: the same tensor, if nothing was stored."""
        if not any(each is self.memory[self.views.holder(name)] for each in self.stores):
            return before
        known(self.memory[self.views.holder(name)])
        contents = {each: memory.content for each, memory in self.memory.items()}
        return self.views.content(name, before.shape, before.dtype, contents)

    def of(self, name: str, what: str) -> Memory:
        """The memory behind a name."""
        if name in self.views.taken:
            raise NotRead(f"{what} {name}, of which there is a view")
        if name not in self.memory:
            raise NotRead(f"{what} {name}, which is not allocated here")
        return self.memory[name]

    # --- statements

    def run(self, stmts: Sequence[Stmt]) -> None:
        outer = dict(self.by)
        for stmt in in_place(stmts):
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

    # --- threads

    @rule("sh/threads")
    def threads(self, loop: For) -> None:
        """A loop over threads: in phases, where they wait for each other."""
        if not self.waiting and in_lockstep(loop, self.implicit, self.scopes, self.tags):
            self.launch(loop)
            return
        outer, self.tags = self.tags, {**self.tags, loop.var.name: loop.thread or ""}
        self.loop(loop)
        self.tags = outer

    def launch(self, loop: For) -> None:
        """The phases of a launch. Memory of its threads that is declared outside is that of each thread inside."""
        local = {name: self.buffers[name] for name, scope in self.scopes.items() if is_private(scope)}
        phases = Phases(self.implicit, self.scopes, local, lambda name: self.terms.fresh(name).name)
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
        self.run(loop.body)
        self.by = outer
        del self.scope[len(self.scope) - len(domain) :]
        for memory in written:
            level = memory.levels.pop()
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
            self.turns = {**turns, **dict.fromkeys(stored(block.init), frozenset(over))}
            self.guarded(all_of([condition, *first]) or condition, block.init)
        self.guarded(condition, block.body)
        self.by, self.reduces, self.turns = outer, reduces, turns

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
        value = self.reading(store, own).term(store.value)
        where = [compare("EQ", o, i) for o, i in zip(memory.at, indices, strict=True)]
        over = self.turns.get(store.buffer, frozenset())
        self.deliver(memory, [Update((*where, *self.guards), value, self.reduces, once=not has_old(value), over=over)])

    # --- expressions

    def reading(self, store: BufferStore | None, indices: tuple[PrimExpr, ...]) -> Reading:
        own = None if store is None else (store.buffer, indices)
        scope = tuple(self.scope)
        return Reading(self.terms, self.logic, self.by, scope, self.load, own, self.require, self.demand)

    def expression(self, e: PrimExpr) -> PrimExpr:
        return self.reading(None, ()).index(e)

    def bound(self, e: PrimExpr) -> PrimExpr:
        """What a let stands for: an index expression, or the element that is read now."""
        reading = self.reading(None, ())
        return reading.index(e) if reading.plain(e) else self.terms.as_index(reading.term(e))

    def condition(self, e: PrimExpr) -> PrimExpr:
        found = self.expression(e)
        if self.terms.opaque.keys() & free_symbols(found):
            raise NotRead("a branch or a loop that depends on data")
        return found

    def require(self, purpose: str, statement: PrimExpr, scope: Given) -> None:
        self.obligations.append(Definedness(purpose, statement, scope))

    def demand(self, term: Term, scope: Given) -> None:
        self.obligations.append(Definedness("no poison in an index", bool_imm(True), scope, term))

    def load(self, load: BufferLoad, indices: tuple[PrimExpr, ...], scope: Given, hard: Given) -> Term:
        memory = self.of(load.buffer, "a load of")
        known(memory)
        indices = (*self.before_indices(load.buffer), *indices)
        if memory.levels:
            if hard != scope and any(level.kind in UNORDERED for level in memory.levels):
                self.pending(load, memory, indices, hard)  # it races in an arm that is not taken as well
            return self.pending(load, memory, indices, scope)
        if load.buffer in self.kept:
            found = self.decided(self.terms.at(memory.content, indices), scope)
            if may_be_open(found):
                raise NotRead("a load of what an earlier launch may have left")
            return found
        if not memory.local:
            return self.terms.load(memory.content, indices)
        for i, d in zip(indices, memory.shape, strict=True):
            self.obligations += [Definedness("load in bounds", bound, scope) for bound in within(i, d)]
        return self.terms.at(memory.content, indices)

    def decided(self, t: Term, scope: Given) -> Term:
        """An element in which every choice that is decided here is its arm, as far as that takes what was never written
        away."""
        if not may_be_open(t):
            return t
        match t:
            case Choose(Int(condition), yes, no):
                if self.logic.holds(condition, scope, "written before it is read"):
                    return self.decided(yes, scope)
                if self.logic.holds(negation(condition), scope, "not written before it is read"):
                    return self.decided(no, scope)
                return t
            case Apply(op, dtype, args, attrs):
                return self.terms.apply(op, dtype, tuple(self.decided(a, scope) for a in args), attrs)
            case Fold(op, start, axes, guard, body, free):
                return self.terms.fold(op, self.decided(start, scope), axes, guard, body, free)
            case _:
                return t

    def before_indices(self, name: str) -> tuple[PrimExpr, ...]:
        """The thread, where each has a buffer of its own."""
        return tuple(self.expression(each) for each in self.wide.get(name, ()))

    def pending(self, load: BufferLoad, memory: Memory, indices: tuple[PrimExpr, ...], scope: Given) -> Term:
        """An element of a buffer that a loop around writes: what the iterations at hand wrote, else what was there."""
        by = {o.name: i for o, i in zip(memory.at, indices, strict=True)}
        above: list[tuple[PrimExpr | None, Term]] = []
        for level in reversed(memory.levels):
            for update in reversed(level.updates):
                if update.some:
                    raise NotRead(LAST)
                conditions = [substitute(c, by) for c in update.conditions]
                open_ = [c for c in conditions if not self.logic.holds(c, scope, "written before it is read")]
                if any(self.logic.holds(negation(c), scope, "not written before it is read") for c in open_):
                    continue
                above.append((all_of(open_), self.terms.replaced(update.value, by)))
                if not open_ and not has_old(update.value):
                    return self.layered(above, OPEN)
            level.reads.append((indices, scope))
        if memory.local or load.buffer in self.kept:
            raise NotRead("a load of what an earlier iteration may have written")
        return self.layered(above, self.terms.load(memory.content, indices))

    def layered(self, above: list[tuple[PrimExpr | None, Term]], before: Term) -> Term:
        """Updates, the latest first, on top of what was there before."""
        for condition, value in reversed(above):
            new = self.terms.replaced(value, {}, before) if has_old(value) else value
            before = new if condition is None else self.terms.choose(self.terms.integer(condition), new, before)
        return before

    def alone(self, memory: Memory, level: Level, v: SymVar) -> None:
        """Every element that was read before it was surely written is written by this iteration, if by any."""
        for indices, scope in level.reads:
            by = {o.name: i for o, i in zip(memory.at, indices, strict=True)}
            for update in level.updates:
                s = solve(update.conditions, v, lambda claim: self.logic.holds(claim, self.scope, "digits"))
                purpose = "no other iteration writes what is read"
                if s is None or not self.logic.equal(substitute(s, by), v, scope, purpose):
                    raise NotRead("a load of what another iteration may have written")

    # --- closing

    def deliver(self, memory: Memory, updates: list[Update]) -> None:
        """Hand updates to the enclosing loop, or make them the buffer's content."""
        if memory.levels:
            memory.levels[-1].updates += updates
            return
        for update in updates:
            if update.some:
                memory.broken = LAST
            else:
                memory.content = self.stored(memory, update)

    def loops(self) -> Given:
        """What holds of the loops around, whatever branches are taken: a store in a branch is not made elsewhere."""
        guards = set(map(id, self.guards))
        return tuple(c for c in self.scope if id(c) not in guards)

    def inside(self, memory: Memory) -> Given:
        return tuple(c for o, d in zip(memory.at, memory.shape, strict=True) for c in self.logic.domain(o, d))

    def closed(self, memory: Memory, level: Level, v: SymVar, extent: PrimExpr) -> list[Update]:
        """The updates of all iterations. Where they cannot be said of memory that is allocated here, nobody reads it;
        what iterations without order write must be seen to agree all the same."""
        at = self.inside(memory)
        inside, everywhere = (*at, *self.scope), (*at, *self.loops())
        try:
            closing = Closing(self.terms, self.logic, memory, inside, everywhere, v, extent, level.kind)
            return closing.updates(level.updates)
        except NotRead as reason:
            if memory.given or any(each in UNORDERED for each in (level.kind, *(o.kind for o in memory.levels))):
                raise
            memory.broken = str(reason)
            return []

    def stored(self, memory: Memory, update: Update) -> TensorTerm:
        inside = self.inside(memory)
        known = (*inside, *symbols_nonnegative(memory.shape), *self.loops())
        open_ = [c for c in update.conditions if not self.logic.holds(c, known, "every element is written")]
        before = self.before(memory)
        value = self.terms.replaced(update.value, {}, before) if has_old(update.value) else update.value
        rest = all_of(open_)
        if rest is not None:
            value = self.terms.choose(self.terms.integer(rest), value, before)
        vars_ = tuple(self.terms.fresh("o", o.dtype) for o in memory.at)
        body = self.terms.replaced(value, {o.name: v for o, v in zip(memory.at, vars_, strict=True)})
        return TensorTerm(memory.content.name, memory.shape, memory.dtype, vars_, body)

    def before(self, memory: Memory) -> Term:
        known(memory)
        if memory.content.body is OPEN:
            return OPEN
        if memory.local:
            return self.terms.at(memory.content, memory.at)
        return self.terms.load(memory.content, memory.at)
