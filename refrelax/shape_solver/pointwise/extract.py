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
from refrelax.shape_solver.context import conjuncts, negation
from refrelax.shape_solver.pointwise.digits import together
from refrelax.shape_solver.pointwise.elements import NotRead, Reading
from refrelax.shape_solver.pointwise.folds import gathered
from refrelax.shape_solver.pointwise.inverse import divided, solve
from refrelax.shape_solver.pointwise.logic import Given, Logic, all_of, compare, symbols_nonnegative, within
from refrelax.shape_solver.pointwise.state import Definedness, Level, Memory, Update
from refrelax.shape_solver.pointwise.terms import OLD, OPEN, TensorTerm, Term, Terms, has_old
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
    PrimFunc,
    SBlock,
    Stmt,
)
from refrelax.syntax.scalars import (
    Binary,
    BufferLoad,
    Literal,
    PrimExpr,
    SymVar,
    as_int,
    bool_imm,
    free_symbols,
    int_imm,
)

__all__ = ["Definedness", "NotRead", "read"]

UNORDERED = frozenset({"parallel", "vectorized"})
"""Loops whose iterations have no order, or are taken together by a machine: each element is written by one of them."""


@rule("sh/read-program")
def read(
    func: PrimFunc, given: Mapping[str, TensorTerm], scalars: Mapping[str, PrimExpr], terms: Terms, logic: Logic
) -> tuple[dict[str, TensorTerm], list[Definedness]]:
    """The contents of the function's buffers after a call, and what the call's meaning rests on.

    ``given``: the contents before, by buffer name; ``scalars``: scalar parameters and the symbols of buffer shapes.

    Raises:
        NotRead: the program uses what element terms cannot say.
    """
    reader = _Reader(terms, logic, dict(scalars))
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
    obligations: list[Definedness] = field(default_factory=list)
    stores: list[Memory] = field(default_factory=list)
    """What was stored to."""
    views: Views = field(init=False)

    def __post_init__(self) -> None:
        self.views = Views(self.terms, self.logic)

    # --- buffers

    def dims(self, buffer: Buffer) -> tuple[PrimExpr, ...]:
        return tuple(self.expression(d) for d in buffer.shape)

    def enter(self, buffer: Buffer, content: TensorTerm, shape: tuple[PrimExpr, ...]) -> None:
        if buffer.strides or buffer.elem_offset is not None or buffer.data is not None:
            raise NotRead(f"the buffer {buffer.name} is a view with strides or an offset")
        if buffer.name in self.memory:
            raise NotRead(f"two buffers of the name {buffer.name}")
        at = tuple(self.terms.fresh("o", d.dtype) for d in shape)
        self.memory[buffer.name] = Memory(shape, buffer.dtype, content, at, bool(self.scope))

    def allocate(self, buffer: Buffer) -> None:
        shape = self.dims(buffer)
        for d in shape:
            self.require("an extent that is not negative", compare("GE", d, int_imm(0, d.dtype)), tuple(self.scope))
        if not self.scope:
            self.logic.sizes.exists(shape, buffer.dtype)
        vars_ = tuple(self.terms.fresh("o", d.dtype) for d in shape)
        if buffer.data is None and is_plain(buffer):
            buffer = replace(buffer, elem_offset=None)
        self.enter(buffer, TensorTerm(buffer.name, shape, buffer.dtype, vars_, OPEN), shape)

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
        contents = {name: each.content for name, each in self.memory.items()}
        content = self.views.over(buffer, shape, contents)
        self.enter(replace(buffer, data=None, elem_offset=None), content, shape)

    def at_end(self, name: str, before: TensorTerm) -> TensorTerm:
        """What a parameter holds after the call: the same tensor, if nothing was stored."""
        if not any(each is self.memory[self.views.holder(name)] for each in self.stores):
            return before
        contents = {each: memory.content for each, memory in self.memory.items()}
        return self.views.content(name, before.shape, contents)

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
        for stmt in stmts:
            self.statement(stmt)
        self.by = outer

    def statement(self, stmt: Stmt) -> None:
        match stmt:
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

    def loop(self, loop: For) -> None:
        if loop.kind == "thread_binding":
            raise NotRead("a thread-bound loop")
        low, extent = self.condition(loop.min), self.condition(loop.extent)
        if loop.step is not None and as_int(loop.step) != 1:
            raise NotRead("a loop with a step")
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
            memory.levels.append(Level())
        domain = self.logic.domain(v, extent)
        self.scope += domain
        outer = self.by
        self.by = {**outer, loop.var.name: v if as_int(low) == 0 else Binary("Add", low, v)}
        self.run(loop.body)
        self.by = outer
        del self.scope[len(self.scope) - len(domain) :]
        for memory in written:
            level = memory.levels.pop()
            self.alone(memory, level, v)
            updates = self.closed(memory, level.updates, v, extent, loop.kind)
            self.deliver(memory, updates)

    def block(self, block: SBlock) -> None:
        if block.matches:
            raise NotRead("a block with a matched region")
        outer, reduces = dict(self.by), self.reduces
        first: list[PrimExpr] = []
        for each in block.iters:
            if each.kind not in ("spatial", "reduce"):
                raise NotRead(f"a block axis of kind {each.kind}")
            bound, low = self.expression(each.binding), self.expression(each.min)
            self.by[each.var.name] = bound
            if each.kind == "reduce":
                first.append(compare("EQ", bound, low))
        for buffer in block.allocs:
            self.allocate(buffer)
        condition = self.condition(block.predicate) if block.predicate is not None else int_imm(1, "bool")
        self.reduces = block.init is not None and bool(first)
        if block.init is not None:
            self.guarded(all_of([condition, *first]) or condition, block.init)
        self.guarded(condition, block.body)
        self.by, self.reduces = outer, reduces

    def store(self, store: BufferStore) -> None:
        memory = self.of(store.buffer, "a store to")
        self.stores.append(memory)
        if store.predicate is not None:
            raise NotRead("a predicated store")
        indices = tuple(self.expression(i) for i in store.indices)
        if any(self.terms.opaque.keys() & free_symbols(i) for i in indices):
            raise NotRead("a store at an index read from memory")
        for i, d in zip(indices, memory.shape, strict=True):
            for bound in within(i, d):
                self.obligations.append(Definedness("store in bounds", bound, tuple(self.scope)))
        value = self.reading(store, indices).term(store.value)
        where = [compare("EQ", o, i) for o, i in zip(memory.at, indices, strict=True)]
        self.deliver(memory, [Update((*where, *self.guards), value, self.reduces)])

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

    def load(self, load: BufferLoad, indices: tuple[PrimExpr, ...], scope: Given) -> Term:
        memory = self.of(load.buffer, "a load of")
        if memory.levels:
            return self.pending(memory, indices, scope)
        if not memory.local:
            return self.terms.load(memory.content, indices)
        for i, d in zip(indices, memory.shape, strict=True):
            self.obligations += [Definedness("load in bounds", bound, scope) for bound in within(i, d)]
        return self.terms.at(memory.content, indices)

    def pending(self, memory: Memory, indices: tuple[PrimExpr, ...], scope: Given) -> Term:
        """An element of a buffer that a loop around writes: what the iterations at hand wrote, else what was there."""
        by = {o.name: i for o, i in zip(memory.at, indices, strict=True)}
        above: list[tuple[PrimExpr | None, Term]] = []
        for level in reversed(memory.levels):
            for update in reversed(level.updates):
                conditions = [substitute(c, by) for c in update.conditions]
                open_ = [c for c in conditions if not self.logic.holds(c, scope, "written before it is read")]
                if any(self.logic.holds(negation(c), scope, "not written before it is read") for c in open_):
                    continue
                above.append((all_of(open_), self.terms.replaced(update.value, by)))
                if not open_ and not has_old(update.value):
                    return self.layered(above, OPEN)
            level.reads.append((indices, scope))
        if memory.local:
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
                s = solve(update.conditions, v)
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
            memory.content = self.stored(memory, update)

    def stored(self, memory: Memory, update: Update) -> TensorTerm:
        inside = self.inside(memory)
        known = (*inside, *symbols_nonnegative(memory.shape), *self.scope)
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
        if memory.content.body is OPEN:
            return OPEN
        if memory.local:
            return self.terms.at(memory.content, memory.at)
        return self.terms.load(memory.content, memory.at)

    def closed(self, memory: Memory, updates: list[Update], v: SymVar, extent: PrimExpr, kind: str) -> list[Update]:
        """The updates of all iterations, in terms of what the loops around leave free."""
        updates = [replace(u, conditions=self.divided(memory, u.conditions, v)) for u in updates]
        solutions = [solve(u.conditions, v) for u in updates]
        if all(s is not None for s in solutions):
            found = [self.at_solution(memory, u, v, s, extent) for u, s in zip(updates, solutions, strict=True) if s]
            for k, (later, s) in enumerate(zip(found, solutions, strict=True)):
                for earlier, t in zip(found[:k], solutions, strict=False):
                    assert s is not None and t is not None
                    known = (*self.domain(memory), *later.conditions, *earlier.conditions)
                    if not self.logic.equal(s, t, known, "stores of different iterations do not meet"):
                        raise NotRead("iterations write the same element in an order that matters")
            return found
        if not updates:
            return []
        one = updates[0]
        for each in updates[1:]:
            one = self.composed(one, each)
        return [self.gather(memory, one, v, extent, kind)]

    def divided(self, memory: Memory, conditions: Given, v: SymVar) -> Given:
        """The conditions, digits apart where they are solved for ``v`` no other way."""
        if solve(conditions, v) is not None:
            return conditions

        def holds(claim: PrimExpr) -> bool:
            return self.logic.holds(claim, self.domain(memory), "digits of a stored index")

        new = together(conditions, v, holds)
        return new if solve(new, v) is not None else divided(new, v, holds)

    def domain(self, memory: Memory) -> Given:
        return (*self.inside(memory), *self.scope)

    def inside(self, memory: Memory) -> Given:
        return tuple(c for o, d in zip(memory.at, memory.shape, strict=True) for c in self.logic.domain(o, d))

    def at_solution(self, memory: Memory, u: Update, v: SymVar, s: PrimExpr, extent: PrimExpr) -> Update:
        by = {v.name: s}
        known = self.domain(memory)
        conditions = [*(substitute(c, by) for c in u.conditions), *within(s, extent)]
        kept = [c for c in dict.fromkeys(conditions) if not self.logic.holds(c, known, "every element is written")]
        return Update(tuple(kept), self.terms.replaced(u.value, by), u.free)

    def composed(self, first: Update, second: Update) -> Update:
        """Both updates of one iteration, as one."""
        terms, c1, c2 = self.terms, set(first.conditions), set(second.conditions)
        if c2 <= c1:
            extra = all_of(c for c in first.conditions if c not in c2)
            before = first.value if extra is None else terms.choose(terms.integer(extra), first.value, OLD)
            value = terms.replaced(second.value, {}, before) if has_old(second.value) else second.value
            return Update(second.conditions, value, second.free)
        if c1 <= c2:
            extra = all_of(c for c in second.conditions if c not in c1)
            assert extra is not None
            then = terms.replaced(second.value, {}, first.value) if has_old(second.value) else second.value
            return Update(first.conditions, terms.choose(terms.integer(extra), then, first.value), second.free)
        raise NotRead("stores under conditions of which neither implies the other")

    def gather(self, memory: Memory, u: Update, v: SymVar, extent: PrimExpr, kind: str) -> Update:
        """All iterations fall on the same elements."""
        if kind in UNORDERED:
            raise NotRead(f"iterations of a {kind} loop that write the same element")
        terms = self.terms
        own = tuple(c for c in u.conditions if v.name in free_symbols(c))
        rest = tuple(c for c in u.conditions if v.name not in free_symbols(c))
        runs = compare("LT", int_imm(0, extent.dtype), extent)
        known = (*self.domain(memory), *rest)
        if has_old(u.value):
            value, starts = gathered(terms, self.logic, u.value, v, extent, own, known, u.free)
            return Update((*rest, runs) if starts else rest, value, u.free)
        if own:
            raise NotRead("a store in some iterations only")
        last = {v.name: Binary("Sub", extent, int_imm(1, extent.dtype))}
        return Update((*rest, runs), terms.replaced(u.value, last), u.free)


def stored(stmts: Sequence[Stmt]) -> set[str]:
    """The names of the buffers that the statements write."""
    found: set[str] = set()
    pending: list[object] = list(stmts)
    while pending:
        match pending.pop():
            case BufferStore() as store:
                found.add(store.buffer)
            case For(body=body) | AttrStmt(body=body):
                pending.extend(body)
            case SBlock() as block:
                pending += [*block.body, *(block.init or ())]
            case IfThenElse() as branch:
                pending += [*branch.then_body, *branch.else_body]
            case _:
                pass
    return found
