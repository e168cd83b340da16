"""Threads that wait for each other, as phases: between two points where all threads wait lies a loop over them.

``for t: first; barrier; second`` is ``for t: first`` and ``for t: second``, in this order, as long as every thread
comes to the barrier: loops and branches around it may not depend on the thread. What a thread keeps from one phase to
the next gets an axis for each thread variable; shared memory is one for the block. A reduction across threads is a
phase in which every thread brings its value, and one in which every thread combines what those of its row brought.

Whether the threads of a phase race is no matter of this module: its loops have no order, and are read as such. Where
one phase ends and another begins and no thread waits, they share no memory that one of them changes.

Spec: ``spec/06c-pointwise.md``, ``sh/phases``; ``spec/07-evaluation.md``, *Threads*.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from refrelax.rules import rule
from refrelax.semantics.loops.threads import (
    BARRIER,
    as_thread_loop,
    binds_threads,
    has_barrier,
    is_block_index,
    is_known,
    is_shared,
    waits,
)
from refrelax.semantics.loops.visit import accessed, statements_of
from refrelax.shape_solver.pointwise.elements import NotRead
from refrelax.shape_solver.pointwise.order import Accesses, Head, Order
from refrelax.shape_solver.pointwise.spread import is_compact
from refrelax.shape_solver.pointwise.statements import of_blocks
from refrelax.syntax import bits, dtypes
from refrelax.syntax.loops import (
    AllocBuffer,
    AttrStmt,
    Bind,
    Buffer,
    BufferStore,
    DeclBuffer,
    Evaluate,
    For,
    IfThenElse,
    IterVar,
    LaunchThread,
    SBlock,
    Stmt,
)
from refrelax.syntax.scalars import (
    Binary,
    BinaryOp,
    BufferLoad,
    BufferRef,
    CommReducer,
    Intrinsic,
    Literal,
    PrimExpr,
    StringImm,
    SymVar,
    as_int,
    free_symbols,
    int_imm,
    walk,
)

REDUCERS = {"Add": -0.0, "Mul": 1.0, "Max": float("-inf"), "Min": float("inf")}
"""What changes no float: from it a reduction across threads starts, which begins with what the first thread brings."""


@rule("sh/phases")
def in_lockstep(loop: For, implicit: bool, scopes: Mapping[str, str], around: Mapping[str, str]) -> bool:
    """Whether the threads of a loop wait for each other, or owe each other a synchronisation
    (``ev/implicit-synchronisation``). ``around``: the tags of the thread-bound loops around, by variable."""
    if is_block_index(loop):
        return False
    if any(map(waits, loop.body)):
        return True
    if not implicit or _rebinds(loop, set(around.values())) or _reduces_across(loop, set(around)):
        return False
    return bool(_handed_over(loop.body, {**scopes, **_scopes(loop.body)}))


def _rebinds(loop: For, tags: set[str]) -> bool:
    inside = {*tags, loop.thread or ""}
    own = [s.thread for s in statements_of(loop.body) if isinstance(s, For | LaunchThread) and s.thread is not None]
    return loop.thread in tags or any(tag in inside for tag in own)


def _reduces_across(loop: For, threads: set[str]) -> bool:
    inside = {*threads, loop.var.name}
    for stmt in statements_of(loop.body):
        if isinstance(stmt, For | LaunchThread) and stmt.thread is not None:
            inside.add(stmt.var.name)
        if isinstance(stmt, SBlock) and stmt.init is not None:
            if any(axis.kind == "reduce" and free_symbols(axis.binding) & inside for axis in stmt.iters):
                return True
    return False


def _scopes(stmts: Iterable[Stmt]) -> dict[str, str]:
    """The scopes of the buffers that are declared in statements."""
    found: dict[str, str] = {}
    for stmt in statements_of(stmts):
        for buffer in getattr(stmt, "allocs", ()) or ():
            found[buffer.name] = buffer.scope
        own = getattr(stmt, "buffer", None)
        if isinstance(own, Buffer):
            found[own.name] = own.scope
    return found


def _handed_over(stmts: Iterable[Stmt], scopes: Mapping[str, str]) -> set[str]:
    read, written = accessed(stmts)
    return {name for name in read & written if is_shared(scopes.get(name, "global"))}


Coords = tuple[For, ...]


@dataclass(slots=True)
class Phases(Order):
    """The phases of one launch.

    ``known``: the names of integers that are known when the function is called; ``outside``: the buffers declared
    around it that belong to one thread; ``wide``: the thread variables in front of the indices of a buffer; ``fresh``:
    gives a new name; ``front``: what is allocated once for a block.
    """

    implicit: bool
    known: frozenset[str]
    outside: Mapping[str, Buffer]
    fresh: Callable[[str], str]
    wide: dict[str, tuple[SymVar, ...]] = field(default_factory=dict)
    coords: dict[str, Coords] = field(default_factory=dict)
    private: dict[str, Buffer] = field(default_factory=dict)
    front: list[Stmt] = field(default_factory=list)
    varying: set[str] = field(default_factory=set)
    reducer: CommReducer | None = None
    apart: frozenset[str] = frozenset()
    """The tags over which no reduction goes, where nobody waits but for reductions."""
    inner: set[str] = field(default_factory=set)
    """Variables of loops that all threads run together."""

    @rule("sh/phases")
    def of(self, loop: For) -> list[Stmt]:
        """The statements that a launch is.

        Raises:
            NotRead: threads wait where not all of them are seen to come, or keep what is not followed.
        """
        self.launch = loop
        if any(isinstance(s, For | LaunchThread) and of_blocks(s.thread or "") for s in statements_of((loop,))):
            raise NotRead("blocks of a grid inside of threads")  # (memory of a thread is each block's there)
        barrier = has_barrier(loop.body)
        self.implicit = self.implicit and not barrier
        self.apart = _not_reduced((loop,))
        shared = any(map(is_shared, _scopes((loop,)).values()))
        if self.apart and (barrier or shared or (self.implicit and _handed_over((loop,), self.scopes))):
            raise NotRead("a reduction across some threads of a block in which all wait for each other")
        found = self.group(loop, (), ())
        kept = [AllocBuffer(self.widened(buffer, self.coords[name])) for name, buffer in self.private.items()]
        return [*kept, *self.front, *found]

    def group(self, loop: For, coords: Coords, lets: tuple[Bind, ...]) -> list[Stmt]:
        """A loop over threads, inside those of ``coords``."""
        if as_int(loop.min) != 0 or loop.step is not None:
            raise NotRead("threads that are not counted from 0")
        if not self.uniform(loop.extent):
            raise NotRead(f"the extent of {loop.thread} depends on a thread")
        if not is_known(loop.extent, self.known) and all(own.thread != loop.thread for own in coords):
            raise NotRead(f"the extent of {loop.thread} is not known when the function is called")
        if loop.thread in self.apart and not coords:  # nobody waits for a thread of another value of it
            return [replace(loop, body=tuple(self.body(loop.body, (), lets)))]
        self.varying.add(loop.var.name)
        for own in coords:
            if own.thread == loop.thread:  # the same thread
                if own.extent != loop.extent:
                    raise NotRead(f"{loop.thread} is bound at two extents")
                return self.body(loop.body, coords, (*lets, Bind(loop.var, own.var)))
        return self.body(loop.body, (*coords, replace(loop, body=())), lets)

    def body(self, stmts: Sequence[Stmt], coords: Coords, lets: tuple[Bind, ...]) -> list[Stmt]:
        """A list of statements that all threads come to."""
        found: list[Stmt] = []
        phase: list[Stmt] = []

        def end() -> None:
            if phase:
                found.append(self.phase(coords, lets, phase))
                phase.clear()

        for stmt in stmts:
            match stmt:
                case Bind():
                    end()
                    lets = (*lets, self.let(stmt, found))
                case AllocBuffer(init=None) | DeclBuffer():
                    end()
                    self.declare(stmt, coords, found)
                case _ if self.splits(stmt):
                    end()
                    found += self.split(stmt, coords, lets)
                case _:
                    phase.append(stmt)
                    if self.implicit and self.touches_shared(stmt):
                        end()
                        self.waited_for_shared()
        end()
        return found

    def phase(self, coords: Coords, lets: tuple[Bind, ...], stmts: Sequence[Stmt]) -> Stmt:
        """Statements that every thread runs by itself."""
        if any(is_shared(scope) for scope in _scopes(stmts).values()):
            raise NotRead("shared memory that is allocated where not all threads come")
        read, written = accessed(stmts)
        for name in sorted(read | written):
            self.own(name, coords)
        ours = [{self.roots.get(n, n) for n in each if n not in self.coords} for each in (read, written)]
        self.follow(Accesses(*ours))
        return nest(coords, (*lets, *stmts))

    def repeated(self, loop: For, coords: Coords, lets: tuple[Bind, ...]) -> list[Stmt]:
        """The body of a loop that all threads run: it begins again where it ends."""
        if as_int(loop.extent) == 1:
            return self.body(loop.body, coords, lets)
        self.heads.append(Head())
        found = self.body(loop.body, coords, lets)
        self.apart_from(self.since, self.heads.pop().seen)
        return found

    def own(self, name: str, coords: Coords) -> None:
        """Note who uses a buffer that belongs to one thread."""
        if name in self.outside and name not in self.coords:
            self.private[name] = self.outside[name]
            self.wide[name] = tuple(each.var for each in coords)
            self.coords[name] = coords
        known = self.coords.get(name)
        if known is not None and [c.thread for c in known] != [c.thread for c in coords]:
            raise NotRead(f"{name} belongs to one thread, and is used by different groups of threads")

    def let(self, stmt: Bind, found: list[Stmt]) -> Bind:
        """A name for an index: every phase may compute it anew."""
        if any(isinstance(each, BufferLoad | Intrinsic) for each in walk(stmt.value)):
            raise NotRead("an element that a thread names before it waits")
        if self.uniform(stmt.value):
            found.append(stmt)
        else:
            self.varying.add(stmt.var.name)
        return stmt

    def declare(self, stmt: AllocBuffer | DeclBuffer, coords: Coords, found: list[Stmt]) -> None:
        """Memory that is there in several phases: one for the block if it is shared, else one a thread."""
        buffer = stmt.buffer
        self.buffers[buffer.name] = buffer
        if not all(map(self.uniform, buffer.shape)):
            raise NotRead(f"the extents of {buffer.name} depend on a thread")
        base = buffer.data.buffer if isinstance(buffer.data, BufferRef) else None
        if base is not None:
            if base in self.outside and base not in self.wide:
                raise NotRead(f"a view of {base}, which belongs to one thread")
            if base not in self.coords:
                self.roots[buffer.name] = self.roots.get(base, base)
                found.append(stmt)
                return
            self.coords[buffer.name], self.wide[buffer.name] = self.coords[base], self.wide[base]
            found.append(DeclBuffer(self.widened(buffer, self.coords[base])))
        elif is_shared(buffer.scope):
            if any(free_symbols(d) & self.inner for d in buffer.shape):
                raise NotRead(f"the extents of {buffer.name} are not known when the block starts")
            self.front.append(stmt)
        else:
            self.coords[buffer.name], self.wide[buffer.name] = coords, tuple(each.var for each in coords)
            found.append(replace(stmt, buffer=self.widened(buffer, coords)))

    def widened(self, buffer: Buffer, coords: Coords) -> Buffer:
        if buffer.strides and not is_compact(buffer):
            raise NotRead(f"the buffer {buffer.name} is a view with strides or an offset")
        return replace(buffer, shape=(*(each.extent for each in coords), *buffer.shape), strides=(), scope="")

    # --- statements in which threads wait

    def splits(self, stmt: Stmt) -> bool:
        """Whether threads wait for each other in a statement, or there are more of them in it."""
        if waits(stmt) or binds_threads(stmt):
            return True
        if not self.implicit or not self.reached_by_all(stmt):
            return False
        return bool(_handed_over((stmt,), {**self.scopes, **_scopes((stmt,)), **self.declared}))

    @property
    def declared(self) -> dict[str, str]:
        return {s.buffer.name: s.buffer.scope for s in self.front if isinstance(s, AllocBuffer)}

    def reached_by_all(self, stmt: Stmt) -> bool:
        match stmt:
            case For():
                return self.uniform(stmt.min) and self.uniform(stmt.extent)
            case SBlock():
                own = {axis.var.name for axis in stmt.iters if not self.uniform(axis.binding)}
                guard = stmt.predicate
                return guard is None or (self.uniform(guard) and not free_symbols(guard) & own)
            case IfThenElse():
                return self.uniform(stmt.condition)
            case AttrStmt() | LaunchThread():
                return True
            case _:
                return False

    def touches_shared(self, stmt: Stmt) -> bool:
        read, written = accessed([stmt])
        scopes = {**self.scopes, **self.declared}
        return any(is_shared(scopes.get(name, "global")) for name in read | written)

    def uniform(self, e: PrimExpr) -> bool:
        """Whether all threads of a block agree on an expression."""
        return not any(
            isinstance(each, BufferLoad | Intrinsic) or (isinstance(each, SymVar) and each.name in self.varying)
            for each in walk(e)
        )

    def split(self, stmt: Stmt, coords: Coords, lets: tuple[Bind, ...]) -> list[Stmt]:
        match stmt:
            case LaunchThread():
                return self.split(as_thread_loop(stmt), coords, lets)
            case For(kind="thread_binding") if not is_block_index(stmt):
                return self.group(stmt, coords, lets)
            case For() if stmt.kind in ("serial", "unroll") and self.reached_by_all(stmt):
                self.inner.add(stmt.var.name)
                runs = (as_int(stmt.extent) or 0) > 0
                found = (
                    self.repeated(stmt, coords, lets) if runs else self.maybe(lambda: self.repeated(stmt, coords, lets))
                )
                return [replace(stmt, body=tuple(found))]
            case IfThenElse() if self.uniform(stmt.condition):
                before = self.since.copy()
                then = self.maybe(lambda: self.body(stmt.then_body, coords, lets))
                after, self.since = self.since, before
                other = self.maybe(lambda: self.body(stmt.else_body, coords, lets))
                self.since.add(after)
                return [replace(stmt, then_body=tuple(then), else_body=tuple(other))]
            case AttrStmt():
                outer = self.reducer
                if isinstance(stmt.node, CommReducer):
                    self.reducer = stmt.node
                found = self.body(stmt.body, coords, lets)
                self.reducer = outer
                return found
            case SBlock(init=None, matches=()) if self.reached_by_all(stmt):
                axes = tuple(Bind(each.var, each.binding) for each in stmt.iters)
                inner = (*axes, *map(AllocBuffer, stmt.allocs), *stmt.body)
                if stmt.predicate is None:
                    return self.body(inner, coords, lets)
                body = self.maybe(lambda: self.body(inner, coords, lets))
                return [*(each for each in axes if self.uniform(each.value)), IfThenElse(stmt.predicate, tuple(body))]
            case Evaluate(Intrinsic(op, args)) if op == BARRIER:
                scope = args[0].value if args and isinstance(args[0], StringImm) else ""
                if not is_shared(scope):
                    raise NotRead(f"a synchronisation of scope {scope!r}")
                self.waited()
                return []
            case Evaluate(Intrinsic("tvm_thread_allreduce") as call):
                return self.all_reduce(call, coords, lets)
            case For():
                raise NotRead("threads that wait in a loop whose extent depends on the thread")
            case _:
                raise NotRead(f"threads that wait in {type(stmt).__name__} that not all of them are seen to come to")

    # --- reductions across threads

    @rule("sh/phases")
    def all_reduce(self, call: Intrinsic, coords: Coords, lets: tuple[Bind, ...]) -> list[Stmt]:
        """``ev/thread-allreduce``: every thread brings its value, then every thread combines those of its row."""
        if len(call.args) < 5 or as_int(call.args[0]) != 1 or as_int(call.args[2]) != 1:
            raise NotRead("a reduction across threads of several values, or under a condition")
        value, target, rest = call.args[1], call.args[3], call.args[4:]
        names = {each.name for arg in rest for each in walk(arg) if isinstance(each, SymVar)}
        tags = [each.thread for each in coords if each.var.name in names | _bound_to(lets, names)]
        rows = [each for each in coords if each.thread in tags]
        if not rows or len(rows) != len(names) or any(as_int(c.extent) != 1 for c in coords if c not in rows):
            raise NotRead("a reduction across threads of which it is not seen which")
        op = self.operation()
        dtype = value.dtype
        name = self.fresh("brought")
        brought = Buffer(name, tuple(each.extent for each in coords), dtype)
        bring = BufferStore(brought.name, value, tuple(each.var for each in coords))
        into, place = self.place(target, coords)
        others = {each.var.name: SymVar(self.fresh(each.var.name), each.var.dtype) for each in rows}
        items = tuple(others.get(each.var.name, each.var) for each in coords)
        read = BufferLoad(brought.name, items, dtype)
        start = BufferStore(into, neutral(op, dtype), place)
        own = BufferLoad(into, place, dtype)
        step = BufferStore(into, Binary(op, own, read), place)
        zero = {each.var.name: int_imm(0, each.var.dtype) for each in rows}
        axes = tuple(
            IterVar(
                SymVar(f"{v.name}%axis", v.dtype), zero[n], next(c.extent for c in rows if c.var.name == n), "reduce", v
            )
            for n, v in others.items()
        )
        block: Stmt = SBlock("across", axes, (step,), init=(start,))
        for each in reversed(rows):
            v = others[each.var.name]
            block = For(v, zero[each.var.name], each.extent, (block,))
        first = self.phase(coords, lets, [bring])
        if not self.apart:  # else only what they bring is ordered
            self.waited()
        self.ordered(name)
        second = self.phase(coords, lets, [block])
        self.ordered(name)
        return [AllocBuffer(brought), first, second]

    def place(self, target: PrimExpr, coords: Coords) -> tuple[str, tuple[PrimExpr, ...]]:
        """The element of every thread in which it finds the result."""
        match target:
            case BufferLoad(buffer=name, indices=indices):
                pass
            case BufferRef(buffer=name):
                known = self.buffers.get(name, self.outside.get(name))
                indices = () if known is None else tuple(int_imm(0) for _ in known.shape)
                if known is None:
                    raise NotRead("the result of a reduction across threads has no place")
            case _:
                raise NotRead("the result of a reduction across threads has no place")
        self.own(name, coords)
        if name not in self.coords:
            raise NotRead(f"a reduction across threads into {name}, which does not belong to one thread")
        return name, indices

    def operation(self) -> BinaryOp:
        match self.reducer:
            case CommReducer(lhs=(a,), rhs=(b,), result=(Binary(op=op, a=x, b=y),)) if {x, y} == {a, b}:
                if op in ("Add", "Mul", "Max", "Min", "And", "Or"):
                    return op
        raise NotRead("a reduction across threads by another operation than + * max min and or")


def _not_reduced(stmts: Sequence[Stmt]) -> frozenset[str]:
    """The tags of the threads of a block that no reduction runs over, where there is one."""
    loops = {s.var.name: s for s in statements_of(stmts) if isinstance(s, For | LaunchThread) and s.thread is not None}
    names: set[str] = set()
    for stmt in statements_of(stmts):
        match stmt:
            case Evaluate(Intrinsic("tvm_thread_allreduce", args)):
                names |= {each.name for arg in args[4:] for each in walk(arg) if isinstance(each, SymVar)}
            case _:
                pass
    tags = {s.thread or "" for s in loops.values() if as_int(s.extent) != 1}
    return frozenset(tags - {loops[n].thread or "" for n in names & loops.keys()}) if names else frozenset()


def _bound_to(lets: Iterable[Bind], names: set[str]) -> set[str]:
    """The thread variables of which ``names`` are other names."""
    return {each.value.name for each in lets if each.var.name in names and isinstance(each.value, SymVar)}


def neutral(op: str, dtype: str) -> PrimExpr:
    """What changes nothing that it is combined with."""
    if op in ("And", "Or"):
        return Literal("bool", op == "And")
    if dtypes.is_float(dtype):
        return Literal(dtype, bits.encode(dtype, REDUCERS[op]))
    low, high = dtypes.integer_range(dtype)
    return int_imm({"Add": 0, "Mul": 1, "Max": low, "Min": high}[op], dtype)


def nest(coords: Coords, stmts: tuple[Stmt, ...]) -> Stmt:
    """A loop over all threads."""
    found = stmts
    for each in reversed(coords):
        found = (replace(each, body=found),)
    return found[0]
