"""Memory of scope ``local`` around loops over threads, for backends that run threads one after the other, or at once.

Each thread has such memory for itself (``ev/thread-private-memory``). It needs nothing where no two threads come to
the same element, or where each of them does all that it does with it in one go; elsewhere each thread is given a copy:
an axis for each tag. What is stored where a tag is not bound is stored to the copies of all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from math import prod

from refrelax.backends.digits import determined
from refrelax.backends.errors import Unsupported
from refrelax.semantics.dims import NO_FACTS, equal, substitute
from refrelax.semantics.loops.blocks import folded_over
from refrelax.semantics.loops.threads import as_thread_loop, is_thread
from refrelax.semantics.loops.visit import expressions, rebuild, statements_of, touched
from refrelax.semantics.own_cells import is_private
from refrelax.syntax.loops import (
    AllocBuffer,
    AssertStmt,
    AttrStmt,
    Bind,
    Buffer,
    BufferStore,
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
from refrelax.syntax.scalars import Binary, BufferLoad, PrimExpr, SymVar, as_int, free_symbols, int_imm, walk

MOST = 1024
"""Elements, at most, of memory that threads are given copies of."""

Indices = tuple[PrimExpr, ...]


@dataclass(frozen=True, slots=True)
class Thread:
    """A loop over threads. ``loop``: which one."""

    loop: int
    tag: str
    var: SymVar
    min: PrimExpr
    extent: PrimExpr

    @property
    def place(self) -> PrimExpr:
        """The place of a thread."""
        return self.var if as_int(self.min) == 0 else Binary("Sub", self.var, self.min)


@dataclass(frozen=True, slots=True)
class Around:
    """What lies between an allocation and a statement inside: loops over threads, the outer one first; other loops;
    what names stand for; whether another loop lies around one over threads; the tags whose threads reduce into the
    memory."""

    threads: tuple[Thread, ...] = ()
    loops: Mapping[str, For] = field(default_factory=dict)
    names: Mapping[str, PrimExpr] = field(default_factory=dict)
    repeated: bool = False
    again: bool = False
    """A loop over threads lies inside another loop."""
    folded: frozenset[str] = frozenset()

    def tags(self) -> dict[str, Thread]:
        """The threads that have memory of their own, by tag: the innermost of each."""
        return {e.tag: e for e in self.threads if e.tag not in self.folded}

    def inside(self, stmt: Stmt, name: str) -> Around:
        """What lies around the statements inside of a statement."""
        thread = thread_of(stmt)
        if thread is not None:
            folds = name in folded_over((stmt,), thread.var.name)
            folded = self.folded | {thread.tag} if folds else self.folded - {thread.tag}
            return replace(self, threads=(*self.threads, thread), again=self.again or self.repeated, folded=folded)
        match stmt:
            case For():
                return replace(self, loops={**self.loops, stmt.var.name: stmt}, repeated=True)
            case While():
                return replace(self, repeated=True)
            case SBlock():
                axes = {a.var.name: substitute(a.binding, self.names) for a in stmt.iters}
                return replace(self, names={**self.names, **axes})
            case _:
                return self


def thread_of(stmt: Stmt) -> Thread | None:
    """The threads that a statement is a loop over; virtual threads are turns of one."""
    loop = as_thread_loop(stmt) if isinstance(stmt, LaunchThread) else stmt
    if not isinstance(loop, For) or loop.thread is None or not is_thread(loop.thread):
        return None
    if loop.step is not None:
        raise Unsupported("a loop over threads with a step")
    return Thread(id(stmt), loop.thread, loop.var, loop.min, loop.extent)


@dataclass(frozen=True, slots=True)
class Access:
    """A place where memory is read or stored to."""

    around: Around
    indices: Indices
    stores: bool

    def key(self) -> tuple[Indices, tuple[PrimExpr, ...]] | None:
        """Its indices with tags for the variables of threads and numbers for those of other loops; the extents of
        those; ``None`` where it hangs on something else."""
        threads = {e.var.name: SymVar(e.tag, e.var.dtype) for e in self.around.tags().values()}
        names: dict[str, PrimExpr] = dict(threads)
        extents: list[PrimExpr] = []
        indices = tuple(substitute(each, self.around.names) for each in self.indices)
        for node in (n for each in indices for n in walk(each)):
            if isinstance(node, BufferLoad):
                return None
            if isinstance(node, SymVar) and node.name not in names:
                loop = self.around.loops.get(node.name)
                if loop is None or as_int(loop.min) != 0 or loop.step is not None:
                    return None
                names[node.name] = SymVar(f"loop {len(extents)}", node.dtype)
                extents.append(loop.extent)
        return tuple(substitute(each, names) for each in indices), tuple(extents)


def with_own_memory(func: PrimFunc) -> PrimFunc:
    """The function, in which what threads have for themselves is told apart.

    Raises:
        Unsupported: it is not seen how, or there would be too much memory.
    """
    every = list(statements_of(func.body))
    if not any(isinstance(each, LaunchThread) or (isinstance(each, For) and each.thread) for each in every):
        return func
    taken = {n.name for each in every for e in expressions(each) for n in walk(e) if isinstance(n, SymVar)}
    body, allocs = func.body, []
    for buffer in func.root_allocs:
        made, body = _owned(buffer, body, taken)
        allocs.append(made)
    return replace(func, root_allocs=tuple(allocs), body=_statements(body, taken))


def _statements(stmts: tuple[Stmt, ...], taken: set[str]) -> tuple[Stmt, ...]:
    """A list of statements with what is allocated in it told apart."""
    found: list[Stmt] = []
    for k, stmt in enumerate(stmts):
        match stmt:
            case AllocBuffer(buffer=buffer):
                zero, rest = int_imm(0, "int32"), stmts[k + 1 :]
                if stmt.init is not None:
                    rest = (BufferStore(buffer.name, stmt.init, (zero,) * len(buffer.shape)), *rest)
                made, rest = _owned(buffer, rest, taken)
                if made is not buffer:
                    return (*found, replace(stmt, buffer=made, init=None), *_statements(rest, taken))
                found.append(stmt)
            case SBlock():
                block, allocs = stmt, []
                for buffer in stmt.allocs:
                    made, (changed,) = _owned(buffer, (block,), taken)  # (its init uses them, too)
                    assert isinstance(changed, SBlock)
                    block = changed
                    allocs.append(made)
                found.append(replace(block, allocs=tuple(allocs), body=_statements(block.body, taken)))
            case For() | While() | AttrStmt() | LaunchThread():
                found.append(replace(stmt, body=_statements(stmt.body, taken)))
            case IfThenElse():
                parts = (_statements(each, taken) for each in (stmt.then_body, stmt.else_body))
                found.append(replace(stmt, then_body=next(parts), else_body=next(parts)))
            case _:
                found.append(stmt)
    return tuple(found)


def _owned(buffer: Buffer, stmts: tuple[Stmt, ...], taken: set[str]) -> tuple[Buffer, tuple[Stmt, ...]]:
    """A buffer that some statements use, and them, with a copy for each thread where that is needed."""
    if not is_private(buffer.scope) or buffer.name not in touched(stmts):
        return buffer, stmts
    if not any(_stores_inside(each, buffer.name) for each in stmts):
        return buffer, stmts
    if _passed_on(buffer.name, stmts):
        raise Unsupported("memory that each thread has for itself and that goes by another name")
    found = list(_accesses(buffer.name, stmts, Around()))
    tags = _tags(found)
    if not tags or _in_one_go(found) or _apart(found, set(tags)):
        return buffer, stmts
    sizes = [as_int(each) for each in buffer.shape]
    if buffer.data is not None or buffer.strides or buffer.elem_offset is not None:
        raise Unsupported("memory that each thread has for itself, and its layout")
    if prod(MOST + 1 if each is None else each for each in sizes) > MOST:
        raise Unsupported("memory that each thread has for itself, where threads may come to the same element")
    inner = {name for each in found for name in (*each.around.loops, *each.around.names)}
    inner |= {thread.var.name for each in found for thread in each.around.threads}
    if any(free_symbols(each.extent) & inner for each in tags.values()):
        raise Unsupported("memory that each thread has for itself, of threads whose number depends on a loop")
    shape = (*(each.extent for each in tags.values()), *buffer.shape)
    made = replace(buffer, shape=shape, scope="global", scalar=False, axis_separators=(), layout=None)
    copies = _Copies(buffer.name, tags, taken)
    return made, tuple(copies.statement(each, Around()) for each in stmts)


def _stores_inside(stmt: Stmt, name: str) -> bool:
    """Whether a loop over threads inside stores to a buffer, or hands it on."""
    return any(thread_of(each) is not None and name in touched((each,)) for each in statements_of((stmt,)))


def _passed_on(name: str, stmts: tuple[Stmt, ...]) -> bool:
    """Whether a buffer is used otherwise than by loads and stores of elements."""
    for stmt in statements_of(stmts):
        for node in (n for e in expressions(stmt) for n in walk(e)):
            if getattr(node, "buffer", None) == name and not isinstance(node, BufferLoad):
                return True
            if isinstance(node, SymVar) and node.name == name:
                return True
        if isinstance(stmt, SBlock) and any(each.source.buffer == name for each in stmt.matches):
            return True
        declared = getattr(stmt, "buffer", None)
        if isinstance(declared, Buffer) and declared.data is not None and name in _named(declared.data):
            return True
    return False


def _named(expr: PrimExpr) -> set[str]:
    return {getattr(n, "buffer", getattr(n, "name", "")) for n in walk(expr)}


def _accesses(name: str, stmts: Iterable[Stmt], around: Around) -> Iterator[Access]:
    """Where a buffer is read and stored to."""
    for stmt in stmts:
        for node in (n for e in expressions(stmt) for n in walk(e)):
            if isinstance(node, BufferLoad) and node.buffer == name:
                yield Access(around, node.indices, False)
        if isinstance(stmt, BufferStore) and stmt.buffer == name:
            yield Access(around, stmt.indices, True)
        if isinstance(stmt, Bind):
            around = replace(around, names={**around.names, stmt.var.name: substitute(stmt.value, around.names)})
        inner = around.inside(stmt, name)
        match stmt:
            case IfThenElse():
                yield from _accesses(name, stmt.then_body, inner)
                yield from _accesses(name, stmt.else_body, inner)
            case SBlock():
                yield from _accesses(name, (*(stmt.init or ()), *stmt.body), inner)
            case For() | While() | AttrStmt() | LaunchThread():
                yield from _accesses(name, stmt.body, inner)
            case _:
                pass


def _tags(found: list[Access]) -> dict[str, Thread]:
    """The tags of loops whose threads store; of each the loop of most threads."""
    wanted = {tag for each in found if each.stores for tag in each.around.tags()}
    tags: dict[str, Thread] = {}
    for thread in (e for each in found for e in each.around.tags().values() if e.tag in wanted):
        before = tags.setdefault(thread.tag, thread)
        if equal(before.extent, thread.extent, NO_FACTS) is not True:
            a, b = as_int(before.extent), as_int(thread.extent)
            if a is None or b is None:
                raise Unsupported(f"loops over {thread.tag} of different extents around memory of its threads")
            tags[thread.tag] = before if a >= b else thread
    return {tag: each for tag, each in sorted(tags.items()) if as_int(each.extent) != 1}


def _in_one_go(found: list[Access]) -> bool:
    """Whether each thread does all that is done with the memory before the next one begins."""
    first = found[0].around
    return not first.again and all(each.around.threads == first.threads and not each.around.again for each in found)


def _apart(found: list[Access], tags: set[str]) -> bool:
    """Whether all threads come to elements of their own: at one and the same indices, which tell them apart."""
    inside = [each for each in found if each.around.tags()]
    keys = [each.key() for each in inside]
    if keys[0] is None or any(key != keys[0] for key in keys):
        return False
    indices, extents = keys[0]
    for each in inside:
        own = each.around.tags()
        if any(as_int(thread.min) != 0 for thread in own.values()):
            return False
        domains = {tag: For(SymVar(tag), e.min, e.extent, ()) for tag, e in own.items()}
        for k, extent in enumerate(extents):
            domains[f"loop {k}"] = For(SymVar(f"loop {k}"), int_imm(0), extent, ())
        told = frozenset[str]().union(*(determined(index, domains) for index in indices))
        if not tags <= told:
            return False
    return True


@dataclass(slots=True)
class _Copies:
    """Gives a buffer an axis for each tag."""

    name: str
    tags: dict[str, Thread]
    taken: set[str]

    def statement(self, stmt: Stmt, around: Around) -> Stmt:
        """A statement with every use of the buffer at the copy of its thread."""
        inner = around.inside(stmt, self.name)
        own = around.tags()
        missing = [each for tag, each in self.tags.items() if tag not in own]
        if isinstance(stmt, BufferStore) and stmt.buffer == self.name:
            loops = [SymVar(self._fresh(each.var.name), each.var.dtype) for each in missing]
            places = {e.tag: loop for e, loop in zip(missing, loops, strict=True)}
            change = self._change(own, places)
            copies: tuple[PrimExpr, ...] = tuple(own[t].place if t in own else places[t] for t in self.tags)
            indices = (*copies, *(rebuild(each, change) for each in stmt.indices))
            made: Stmt = replace(
                stmt, value=rebuild(stmt.value, change), indices=indices,
                predicate=None if stmt.predicate is None else rebuild(stmt.predicate, change),
            )  # fmt: skip
            for each, loop in zip(reversed(missing), reversed(loops), strict=True):
                made = For(loop, int_imm(0, loop.dtype), each.extent, (made,))
            return made
        change = self._change(own, {})

        def visit(expr: PrimExpr) -> PrimExpr:
            return rebuild(expr, change)

        def inside(stmts: tuple[Stmt, ...]) -> tuple[Stmt, ...]:
            return tuple(self.statement(each, inner) for each in stmts)

        match stmt:
            case For():
                return replace(stmt, min=visit(stmt.min), extent=visit(stmt.extent), body=inside(stmt.body))
            case LaunchThread():
                return replace(stmt, extent=visit(stmt.extent), body=inside(stmt.body))
            case While():
                return replace(stmt, condition=visit(stmt.condition), body=inside(stmt.body))
            case AttrStmt():
                return replace(stmt, body=inside(stmt.body))
            case IfThenElse():
                then, other = inside(stmt.then_body), inside(stmt.else_body)
                return replace(stmt, condition=visit(stmt.condition), then_body=then, else_body=other)
            case SBlock():
                return replace(
                    stmt, iters=tuple(replace(a, binding=visit(a.binding)) for a in stmt.iters),
                    predicate=None if stmt.predicate is None else visit(stmt.predicate), reads=None, writes=None,
                    init=None if stmt.init is None else inside(stmt.init), body=inside(stmt.body),
                )  # fmt: skip
            case BufferStore():
                return replace(
                    stmt, value=visit(stmt.value), indices=tuple(map(visit, stmt.indices)),
                    predicate=None if stmt.predicate is None else visit(stmt.predicate),
                )  # fmt: skip
            case Bind() | Evaluate() | Return():
                return replace(stmt, value=visit(stmt.value))
            case AssertStmt():
                return replace(stmt, condition=visit(stmt.condition))
            case AllocBuffer():
                return stmt if stmt.init is None else replace(stmt, init=visit(stmt.init))
            case _:
                return stmt

    def _change(self, own: Mapping[str, Thread], places: Mapping[str, PrimExpr]) -> Callable[[PrimExpr], PrimExpr]:
        """Loads of the buffer at the copy of this thread, or of the first one where there is none."""
        zero = int_imm(0, "int32")

        def change(node: PrimExpr) -> PrimExpr:
            if not isinstance(node, BufferLoad) or node.buffer != self.name:
                return node
            at = tuple(own[tag].place if tag in own else places.get(tag, zero) for tag in self.tags)
            return replace(node, indices=(*at, *node.indices))

        return change

    def _fresh(self, name: str) -> str:
        k = 0
        while (made := f"{name}_{k}") in self.taken:
            k += 1
        self.taken.add(made)
        return made
