"""Elements while a loop program is read: expressions as terms, loads, and what the stores of loops leave.

Leaving a loop closes its variable: either the conditions of its updates determine it, or the updates of all iterations
fall on the same elements and are a reduction. After the outermost loop the updates make a new tensor.

Spec: ``spec/06c-pointwise.md``, ``sh/read-program``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import reduce

from refrelax.rules import rule
from refrelax.semantics.dims import substitute
from refrelax.shape_solver.context import conjuncts, negation
from refrelax.shape_solver.pointwise.assumptions import disjuncts
from refrelax.shape_solver.pointwise.closing import LAST, UNORDERED, Closing
from refrelax.shape_solver.pointwise.elements import NotRead, Reading
from refrelax.shape_solver.pointwise.inverse import solve
from refrelax.shape_solver.pointwise.logic import Given, Logic, all_of, symbols_nonnegative, within
from refrelax.shape_solver.pointwise.one_object import one_object
from refrelax.shape_solver.pointwise.state import ASSUMED, Definedness, Level, Memory, Update, known
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
from refrelax.shape_solver.pointwise.views import Views
from refrelax.syntax.loops import (
    Buffer,
    BufferStore,
)
from refrelax.syntax.scalars import (
    Binary,
    BufferLoad,
    PrimExpr,
    SymVar,
    bool_imm,
    free_symbols,
)


@dataclass(slots=True)
class Memories:
    """The memory of one program, at one place of it."""

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
    known: frozenset[str] = frozenset()
    """The names of integers that are known when the function is called."""
    tags: dict[str, str] = field(default_factory=dict)
    """The thread tags of the loops around, by variable."""
    waiting: bool = False
    """Whether the reader stands in a phase of a launch."""
    buffers: dict[str, Buffer] = field(default_factory=dict)
    scopes: dict[str, str] = field(default_factory=dict)
    wide: dict[str, tuple[SymVar, ...]] = field(default_factory=dict)
    """The thread variables in front of the indices of a buffer of which each thread has its own."""
    over: list[str] = field(default_factory=list)
    """The variables of the loops around."""
    kept: set[str] = field(default_factory=set)
    """Memory in which a thread may find what an earlier launch left."""
    views: Views = field(init=False)

    def __post_init__(self) -> None:
        self.views = Views(self.terms, self.logic)

    def of(self, name: str, what: str) -> Memory:
        """The memory behind a name."""
        if name in self.views.taken:
            raise NotRead(f"{what} {name}, of which there is a view")
        if name not in self.memory:
            raise NotRead(f"{what} {name}, which is not allocated here")
        return self.memory[name]

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

    @rule("sh/assume")
    def assumes(self, promise: PrimExpr) -> None:
        """``T.assume``: one of its parts holds. Where those of indices do not, that of elements does."""
        reading = self.reading(None, ())
        parts = disjuncts(promise)
        plain = [self.condition(each) for each in parts if reading.plain(each)]
        data = [each for each in parts if not reading.plain(each)]
        over = frozenset(self.over)
        if not data:
            self.obligations.append(
                Definedness(ASSUMED, reduce(lambda a, b: Binary("Or", a, b), plain), tuple(self.scope), None, over)
            )
            return
        given = (*self.scope, *(c for each in plain for c in conjuncts(negation(each))))
        whole = reduce(lambda a, b: Binary("Or", a, b), data)
        term = self.reading(None, ()).term(whole)
        self.demand(term, tuple(self.scope))  # all parts are evaluated
        self.obligations.append(Definedness(ASSUMED, bool_imm(True), given, term, over))

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
            elif not memory.broken:
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
        vars_ = tuple(self.terms.fresh("o") for _ in memory.at)
        body = self.terms.replaced(value, {o.name: v for o, v in zip(memory.at, vars_, strict=True)})
        new = TensorTerm(memory.content.name, memory.shape, memory.dtype, vars_, body)
        return one_object(self.terms, self.logic, new)

    def before(self, memory: Memory) -> Term:
        known(memory)
        if memory.content.body is OPEN:
            return OPEN
        if memory.local:
            return self.terms.at(memory.content, memory.at)
        return self.terms.load(memory.content, memory.at)
