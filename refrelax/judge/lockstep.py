"""Two loop programs in step: every statement of the second does what the first one's does, on memory that is the same.

Most passes leave most of a program as it is. Where both run the same statements, equal up to names and indices,
an induction over the run needs no account of what a loop computes: buffers that correspond hold the same before each
pair of statements, so what is loaded is the same, so what is stored is. Loops that element terms cannot say (scans,
``while``, ``break``, branches on data, calls for an effect) go along. What the second program's run rests on, the first
one's rests on where the text is the same; elsewhere it is proved.

Spec: ``spec/06c-pointwise.md``, ``va/lockstep``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from refrelax.judge.elements_in_step import Elements
from refrelax.judge.loop_text import (
    by_ones,
    iteration,
    makes_names,
    may_leave,
    of_names,
    parts_of,
    runs_once,
    touched,
    with_views,
)
from refrelax.judge.sides_in_step import Apart, Side, extents_of
from refrelax.rules import rule
from refrelax.semantics.loops.blocks import as_reduction, turns
from refrelax.semantics.loops.threads import as_thread_loop, is_block_index, is_shared, knows_extents, waits
from refrelax.semantics.loops.visit import accessed, statements_of
from refrelax.shape_solver.context import conjuncts, negation
from refrelax.shape_solver.pointwise import NotRead
from refrelax.shape_solver.pointwise.logic import all_of, compare
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
    CommReducer,
    Intrinsic,
    Literal,
    PrimExpr,
    SymVar,
    as_int,
    bool_imm,
    free_symbols,
    int_imm,
)

MOST_UNROLLED = 64
ORDERED = frozenset({"serial", "unroll"})
UNORDERED = frozenset({"parallel", "vectorized"})


@dataclass(slots=True)
class Lockstep(Elements):
    """One comparison of two loop programs."""

    @rule("va/lockstep")
    def proof(self, a: PrimFunc, b: PrimFunc) -> None:
        """See that ``b`` does what ``a`` does. Raises ``NotRead``."""
        try:
            self.enter(a, b)
            self.walk(list(a.body), list(b.body))
        except Apart as reason:
            raise NotRead(f"not in step: {reason}") from None
        self.finished()

    def finished(self) -> None:
        """See that the second program made nothing else that could fail."""
        for name, made in self.two.made.items():
            buffer = made.buffer
            known = name in self.two.other or name in self.shifts
            computed = any(as_int(e) is None for e in extents_of(buffer))
            if not known and (buffer.data is not None or computed):
                raise NotRead(f"not in step: {name} of the second program has no counterpart")

    def enter(self, a: PrimFunc, b: PrimFunc) -> None:
        """Parameters, and the symbols that they define."""
        if len(a.params) != len(b.params) or a.ret != b.ret:
            raise Apart("other parameters")
        kinds = {s.kind for f in (a, b) for s in statements_of(f.body) if isinstance(s, For)}
        launched = any(isinstance(s, LaunchThread) for f in (a, b) for s in statements_of(f.body))
        self.threads = bool(kinds & {*UNORDERED, "thread_binding"}) or launched
        if self.threads and a.s_tir != b.s_tir:
            raise Apart("shared memory that the compiler synchronises in one of them")
        shared = any(isinstance(each, Buffer) and is_shared(each.scope) for each in parts_of((a, b)))
        self.unison = self.threads and b.s_tir and shared
        if (self.unison or any(map(waits, b.body))) and not knows_extents(b):
            raise Apart("as many threads as are not known when the second program is called")
        for p, q in zip(a.params, b.params, strict=True):
            if isinstance(p, ScalarParam) and isinstance(q, ScalarParam) and p.var.dtype == q.var.dtype:
                self.scalar(p.var, q.var)
        for p, q in zip(a.params, b.params, strict=True):
            if isinstance(p, BufferParam) and isinstance(q, BufferParam):
                self.parameter(p.buffer, q.buffer)
            elif not (isinstance(p, ScalarParam) and isinstance(q, ScalarParam) and p.var.dtype == q.var.dtype):
                raise Apart("other parameters")
        for side, func in ((self.one, a), (self.two, b)):
            for buffer in func.root_allocs:
                self.made(side, buffer)
        named = {p.buffer.name for p in a.params if isinstance(p, BufferParam)}
        theirs = {self.two.other.get(name, name) for name in touched(b)}
        self.given = frozenset(with_views(a, named - touched(a) - theirs))

    def parameter(self, x: Buffer, y: Buffer) -> None:
        if (x.dtype, x.scope, len(x.shape), len(x.strides)) != (y.dtype, y.scope, len(y.shape), len(y.strides)):
            raise Apart(f"the parameters {x.name} and {y.name} are of other types")
        if (x.elem_offset is None) != (y.elem_offset is None) or x.data is not None or y.data is not None:
            raise Apart(f"the parameters {x.name} and {y.name} lie otherwise")
        offsets = [] if x.elem_offset is None or y.elem_offset is None else [(x.elem_offset, y.elem_offset)]
        pairs = [*zip(x.shape, y.shape, strict=True), *zip(x.strides, y.strides, strict=True), *offsets]
        for k, (p, q) in enumerate(pairs):
            if isinstance(p, SymVar) and isinstance(q, SymVar) and p.dtype == q.dtype:
                self.scalar(p, q, extent=k < len(x.shape))
        for p, q in pairs:
            if not self.raw(p, q):
                raise Apart(f"the parameters {x.name} and {y.name} have other extents")
        self.join(x, y)
        self.one.scopes[x.name], self.two.scopes[y.name] = x.scope, y.scope
        self.logic.sizes.exists(self.one.shapes[x.name], x.dtype)

    def walk(self, ours: list[Stmt], theirs: list[Stmt]) -> None:
        """Two lists of statements, to their ends."""
        while True:
            a, b = self.next(self.one, ours), self.next(self.two, theirs)
            if a is None and b is None:
                return
            if a is not None and b is not None and self.matches(a, b):
                self.learn(a)
                ours.pop(0)
                theirs.pop(0)
                self.steps += 1
                continue
            if (more := self.opened(a, self.one)) is not None:
                self.learn(a)
                ours[:1] = more
            elif (more := self.opened(b, self.two)) is not None:
                theirs[:1] = more
            else:
                raise Apart(f"{_named(a)} of the first program, {_named(b)} of the second")

    @rule("sh/assume")
    def learn(self, stmt: Stmt | None) -> None:
        """What the first program promises is known as far as its list of statements goes."""
        match stmt:
            case Evaluate(Intrinsic("assume", (e,))) if self.reading(self.one, []).plain(e) and of_names(e):
                self.scope += conjuncts(self.index(self.one, e))
            case _:
                pass

    def promised(self, e: PrimExpr, side: Side) -> bool:
        """Whether a promise may be left out: any of the first program's, of the second's those that are seen to
        hold."""
        if side is self.one:
            return True
        if not self.reading(side, []).plain(e) or not of_names(e):
            return False
        return self.logic.holds(self.defined(side, e), self.scope, "what T.assume promises")

    def next(self, side: Side, stmts: list[Stmt]) -> Stmt | None:
        """The next statement that does something; names on the way are taken in."""
        while stmts:
            match stmts[0]:
                case AttrStmt(node=node, body=body) if not isinstance(node, CommReducer) and not self.unison:
                    stmts[:1] = body
                case Evaluate(value=Literal()):
                    stmts.pop(0)
                case AllocBuffer(buffer, init):
                    self.made(side, buffer)
                    zero = (int_imm(0),)
                    stmts[:1] = () if init is None else (BufferStore(buffer.name, init, zero),)
                case DeclBuffer(buffer):
                    self.made(side, buffer)
                    stmts.pop(0)
                case LaunchThread() as launch:
                    stmts[:1] = (as_thread_loop(launch),)
                case For() as loop if runs_once(loop) and of_names(loop.min) and not self.unison:
                    side.by[loop.var.name] = self.defined(side, loop.min)
                    stmts[:1] = loop.body
                case Bind(var, SymVar(name, dtype)) if (
                    name in side.by and dtype == var.dtype and dtypes.is_float(dtype)
                ):
                    side.by[var.name] = side.by[name]
                    stmts.pop(0)
                case Bind(var, value) if self.reading(side, []).plain(value) and of_names(value):
                    side.by[var.name] = self.defined(side, value)
                    stmts.pop(0)
                case _:
                    return stmts[0]
        return None

    def opened(self, stmt: Stmt | None, side: Side) -> list[Stmt] | None:
        """A statement as those that it stands for, where there is no counterpart to it."""
        match stmt:
            case _ if self.unison:
                return self.divided(stmt, side)
            case SBlock() as block if not block.matches:
                return self.of_block(block, side)
            case Evaluate(Intrinsic("assume", (promise,))) if self.promised(promise, side):
                return []
            case For(kind=kind) as loop if kind in ORDERED and by_ones(loop) and _unrollable(loop):
                extent = as_int(loop.extent)
                if extent is None or extent > MOST_UNROLLED or makes_names(loop.body):
                    return None
                self.defined(side, loop.min)  # it is evaluated, if no iteration names it or there is none
                if extent > 0 and as_int(loop.min) != 0:  # the last value fits the variable, whoever names it
                    self.defined(side, Binary("Add", loop.min, int_imm(extent - 1, loop.min.dtype)))
                return [each for k in range(extent) for each in iteration(loop, k)]
            case IfThenElse(condition, yes, no) if self.reading(side, []).plain(condition):
                found = self.defined(side, condition)
                if self.logic.holds(found, self.scope, "a branch that is always taken"):
                    return list(yes)
                if self.logic.holds(negation(found), self.scope, "a branch that is never taken"):
                    return list(no)
                return None
            case _:
                return None

    @rule("va/lockstep")
    def divided(self, stmt: Stmt | None, side: Side) -> list[Stmt] | None:
        """A statement as those in it, where the compiler owes barriers: as many, between the same statements."""
        match stmt:
            case SBlock() as block if not block.matches:
                found = self.of_block(block, side)
            case For() as loop if runs_once(loop) and as_int(loop.min) is not None:
                side.by[loop.var.name] = int_imm(as_int(loop.min) or 0)
                found = list(loop.body)
            case AttrStmt(node=node, body=body) if not isinstance(node, CommReducer):
                found = list(body)
            case _:
                return None
        return found if found is not None and self.as_many_barriers(stmt, found, side) else None

    def as_many_barriers(self, whole: Stmt, parts: Sequence[Stmt], side: Side) -> bool:
        """Whether barriers are owed within a statement anyway, or one behind its last part alone, or none."""
        buffers = [each for each in parts_of(whole) if isinstance(each, Buffer)]
        made = {name: each.buffer.scope for name, each in side.made.items()}
        scopes = side.scopes | made | {b.name: b.scope for b in buffers}
        shared = {name for name, scope in scopes.items() if is_shared(scope)}
        read, written = accessed((whole,))
        if read & written & shared or not (read | written) & shared:
            return True
        busy = [each for each in parts if any(accessed((each,)))]
        return not any(set().union(*accessed((each,))) & shared for each in busy[:-1])

    def of_block(self, block: SBlock, side: Side) -> list[Stmt] | None:
        """A block as plain statements. A reduction of the second program may take any order, and its threads take
        turns: it is none of the first one's loops."""
        reduces = block.init is not None
        if any(each.kind not in ("spatial", "reduce") for each in block.iters):
            return None
        if reduces and (side is self.two or self.threads):
            return None
        first = [compare("EQ", e.binding, e.min) for e in block.iters if e.kind == "reduce"]
        binds: list[Stmt] = [Bind(e.var, e.binding) for e in block.iters]
        condition = block.predicate
        body: list[Stmt] = [AllocBuffer(each) for each in block.allocs]  # made where the predicate holds
        if block.init is not None:
            start = all_of(first)
            body += [IfThenElse(start, block.init)] if start is not None else block.init
        body += block.body
        return [*binds, *body] if condition is None else [*binds, IfThenElse(condition, tuple(body))]

    def matches(self, a: Stmt, b: Stmt) -> bool:
        """Whether two statements do the same; if it is seen in the middle that they do not, the programs are apart."""
        match a, b:
            case For(), For():
                return self.loops(a, b)
            case While(), While():
                if not self.condition(a.condition, b.condition):
                    return False
                self.inside([], a.body, b.body)
                return True
            case IfThenElse(), IfThenElse():
                return self.branches(a, b)
            case SBlock(), SBlock():
                return self.blocks(a, b)
            case BufferStore(), BufferStore():
                if (a.predicate is None) != (b.predicate is None):
                    return False
                if not self.access(a.buffer, a.indices, b.buffer, b.indices):
                    return False
                if a.predicate is not None and b.predicate is not None and not self.condition(a.predicate, b.predicate):
                    return False
                return self.value(a.value, b.value)
            case Bind(), Bind():
                if a.var.dtype != b.var.dtype or not self.value(a.value, b.value):
                    return False
                self.element(a.var, b.var)
                return True
            case AttrStmt(), AttrStmt():
                if a.key != b.key or not self.raw(a.node, b.node):
                    return False
                self.walk(list(a.body), list(b.body))
                return True
            case AssertStmt(), AssertStmt():
                return (a.kind, a.message) == (b.kind, b.message) and self.condition(a.condition, b.condition)
            case Evaluate(), Evaluate():
                return self.raw(a.value, b.value)
            case Return(), Return():
                return self.value(a.value, b.value)
            case (Break(), Break()) | (Continue(), Continue()):
                return True
            case _:
                return False

    def loops(self, a: For, b: For) -> bool:
        """Loops over the same domain; iterations without an order may get one."""
        same = a.kind == b.kind and a.thread == b.thread
        ordered = b.kind in ORDERED and a.kind in ORDERED | UNORDERED
        step = [1 if each.step is None else as_int(each.step) for each in (a, b)]
        if not (same or ordered) or None in step or step[0] != step[1]:
            return False
        if len({e.dtype for loop in (a, b) for e in (loop.var, loop.min, loop.extent)}) > 1:
            return False  # the last value may fit one of them alone
        if not self.indices((a.min, a.extent), (b.min, b.extent)):
            return False
        low, extent = self.index(self.one, a.min), self.index(self.one, a.extent)
        if as_int(b.min) != 0 and not (self.raw(a.min, b.min) and self.raw(a.extent, b.extent)):
            self.defined(self.two, Binary("Add", b.min, b.extent))
        v = self.terms.fresh(a.var.name)
        self.one.by[a.var.name] = self.two.by[b.var.name] = v
        if b.kind == "thread_binding":
            self.one.threads.add(a.var.name)
            self.two.threads.add(b.var.name)
            if not is_block_index(a):
                self.numbers.add(v.name)
        domain = [compare("GE", v, low), compare("LT", v, Binary("Add", low, extent))]
        known = (of_names(a.min), of_names(a.min) and of_names(a.extent))  # memory may be another in the body
        self.inside([each for each, stays in zip(domain, known, strict=True) if stays], a.body, b.body)
        return True

    def branches(self, a: IfThenElse, b: IfThenElse) -> bool:
        told_apart = self.unison and self.divides_alike(a.condition, b.condition)
        if not (told_apart and self.same_index(a.condition, b.condition, True)):
            if not self.condition(a.condition, b.condition):
                return False
        plain = self.reading(self.one, []).plain(a.condition) and of_names(a.condition)
        condition = self.index(self.one, a.condition) if plain else bool_imm(True)
        self.inside(conjuncts(condition) if plain else [], a.then_body, b.then_body)
        self.inside(conjuncts(negation(condition)) if plain else [], a.else_body, b.else_body)
        return True

    def divides_alike(self, x: PrimExpr, y: PrimExpr) -> bool:
        """Whether threads may disagree on both of two conditions on names, or on none: barriers are owed in a branch
        only if they agree."""
        if not all(self.reading(side, []).plain(e) and of_names(e) for side, e in ((self.one, x), (self.two, y))):
            return False
        ours, theirs = (free_symbols(self.index(side, e)) for side, e in ((self.one, x), (self.two, y)))
        if (ours | theirs) & self.terms.opaque.keys():
            return False
        return bool(ours & self.numbers) == bool(theirs & self.numbers)

    def blocks(self, a: SBlock, b: SBlock) -> bool:
        """Blocks over the same axes."""
        if a.matches or b.matches or [e.kind for e in a.iters] != [e.kind for e in b.iters]:
            return False
        if (a.init is None) != (b.init is None) or (a.predicate is None) != (b.predicate is None):
            return False
        for p, q in zip(a.iters, b.iters, strict=True):
            if not self.indices((p.min, p.binding), (q.min, q.binding)):
                return False
        if as_reduction(b) is not None and as_reduction(a) is None:
            return False  # which may take any order
        if turns(a, self.one.threads) != turns(b, self.two.threads):
            return False  # threads may store in what they reduce to together, and there alone
        for p, q in zip(a.iters, b.iters, strict=True):
            if of_names(p.binding):
                self.one.by[p.var.name] = self.two.by[q.var.name] = self.index(self.one, p.binding)
            else:
                self.element(p.var, q.var)
        if a.predicate is not None and b.predicate is not None and not self.condition(a.predicate, b.predicate):
            return False
        for side, block in ((self.one, a), (self.two, b)):
            for buffer in block.allocs:
                self.made(side, buffer)
        if a.init is not None and b.init is not None:
            self.inside([], a.init, b.init)
        self.inside([], a.body, b.body)
        return True

    def inside(self, known: Sequence[PrimExpr], ours: Sequence[Stmt], theirs: Sequence[Stmt]) -> None:
        before = set(self.evaluated)  # what is evaluated in here is not, where a run does not come here
        outside = len(self.scope)
        self.scope += known
        self.depth += 1
        self.walk(list(ours), list(theirs))
        self.depth -= 1
        self.evaluated = before
        del self.scope[outside:]


def _unrollable(loop: For) -> bool:
    """Whether a body may stand several times, for values of the variable that are said where the loop begins."""
    return of_names(loop.min) and not may_leave(loop.body)


def _named(stmt: Stmt | None) -> str:
    return "the end" if stmt is None else type(stmt).__name__


__all__ = ["Lockstep"]
