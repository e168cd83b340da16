"""Two loop programs in step: every statement of the second does what the first one's does, on memory that is the same.

Most passes leave most of a program as it is. Where both run the same statements, equal up to names and indices,
an induction over the run needs no account of what a loop computes: buffers that correspond hold the same before each
pair of statements, so what is loaded is the same, so what is stored is. Loops that element terms cannot say (scans,
``while``, ``break``, branches on data, calls for an effect) go along. What the second program's run rests on, the first
one's rests on where the text is the same; elsewhere it is proved.

Spec: ``spec/06c-pointwise.md``, ``va/lockstep``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from math import prod
from typing import Any

from refrelax.judge.same_calls import ALLOWED
from refrelax.rules import rule
from refrelax.semantics.loops.threads import as_thread_loop
from refrelax.semantics.loops.visit import statements_of
from refrelax.shape_solver.context import conjuncts, negation
from refrelax.shape_solver.pointwise import Definedness, Descent, Logic, NotRead, TensorTerm, Term, Terms
from refrelax.shape_solver.pointwise.elements import ELEMENT_FITS, Reading
from refrelax.shape_solver.pointwise.logic import Given, all_of, compare
from refrelax.shape_solver.pointwise.views import is_plain
from refrelax.syntax.dtypes import integer_range
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
    BufferLoad,
    BufferRef,
    CommReducer,
    Intrinsic,
    Let,
    Literal,
    PrimExpr,
    Select,
    SymVar,
    as_int,
    bool_imm,
    int_imm,
)

COMMUTES = frozenset({"Add", "Mul", "EQ", "NE"})
MOST_UNROLLED = 64
ORDERED = frozenset({"serial", "unroll"})
UNORDERED = frozenset({"parallel", "vectorized"})
CALLS = ("call_", "tvm_call_")
"""How the names of intrinsics begin that call what is not here."""


class _Apart(Exception):
    """The programs are not in step here; the reason is its text."""


@dataclass(slots=True)
class Side:
    """One program. ``by``: what its scalars stand for, over symbols that both programs share; ``made``: its buffers
    that are allocated or declared, with how many loops and branches are around; ``other``: the other program's name of
    each that has a counterpart."""

    by: dict[str, PrimExpr] = field(default_factory=dict)
    made: dict[str, tuple[Buffer, int]] = field(default_factory=dict)
    other: dict[str, str] = field(default_factory=dict)
    shapes: dict[str, tuple[PrimExpr, ...]] = field(default_factory=dict)


@dataclass(slots=True)
class Lockstep:
    """One comparison of two loop programs."""

    terms: Terms
    logic: Logic
    one: Side = field(default_factory=Side)
    two: Side = field(default_factory=Side)
    scope: list[PrimExpr] = field(default_factory=list)
    depth: int = 0
    threads: bool = False
    """Whether iterations without order are anywhere in the second program, or threads in the first."""
    calls: bool = False
    """Whether something was called that is not here."""
    evaluated: set[tuple[PrimExpr, str]] = field(default_factory=set)
    """Index expressions of the first program whose parts are all of one dtype, with it."""
    given: frozenset[str] = frozenset()
    """The first program's parameters that neither program stores to."""
    dtypes: dict[str, str] = field(default_factory=dict)
    _tensors: dict[str, TensorTerm] = field(default_factory=dict)

    @rule("va/lockstep")
    def proof(self, a: PrimFunc, b: PrimFunc) -> None:
        """See that ``b`` does what ``a`` does. Raises ``NotRead``."""
        try:
            self.enter(a, b)
            self.walk(list(a.body), list(b.body))
        except _Apart as reason:
            raise NotRead(f"not in step: {reason}") from None
        self.finished()

    def finished(self) -> None:
        """See that the second program made nothing else that could fail."""
        for name, (buffer, _) in self.two.made.items():
            if name not in self.two.other and (buffer.data is not None or any(as_int(d) is None for d in buffer.shape)):
                raise NotRead(f"not in step: {name} of the second program has no counterpart")

    def enter(self, a: PrimFunc, b: PrimFunc) -> None:
        """Parameters, and the symbols that they define."""
        if len(a.params) != len(b.params) or a.ret != b.ret:
            raise _Apart("other parameters")
        kinds = {s.kind for f in (a, b) for s in statements_of(f.body) if isinstance(s, For)}
        launched = any(isinstance(s, LaunchThread) for f in (a, b) for s in statements_of(f.body))
        self.threads = bool(kinds & {*UNORDERED, "thread_binding"}) or launched
        if self.threads and a.s_tir != b.s_tir:
            raise _Apart("shared memory that the compiler synchronises in one of them")
        for p, q in zip(a.params, b.params, strict=True):
            if isinstance(p, ScalarParam) and isinstance(q, ScalarParam) and p.var.dtype == q.var.dtype:
                self.scalar(p.var, q.var)
        for p, q in zip(a.params, b.params, strict=True):
            if isinstance(p, BufferParam) and isinstance(q, BufferParam):
                self.parameter(p.buffer, q.buffer)
            elif not (isinstance(p, ScalarParam) and isinstance(q, ScalarParam) and p.var.dtype == q.var.dtype):
                raise _Apart("other parameters")
        for side, func in ((self.one, a), (self.two, b)):
            for buffer in func.root_allocs:
                side.made[buffer.name] = (buffer, 0)
        named = {p.buffer.name for p in a.params if isinstance(p, BufferParam)}
        theirs = {self.two.other.get(name, name) for name in _touched(b)}
        self.given = frozenset(_with_views(a, named - _touched(a) - theirs))

    def scalar(self, x: SymVar, y: SymVar, extent: bool = False) -> None:
        if x.name in self.one.by or y.name in self.two.by:
            if self.one.by.get(x.name) != self.two.by.get(y.name):
                raise _Apart(f"{x.name} and {y.name} are not the same")
            return
        shared = self.terms.fresh(x.name, "int64" if x.dtype in ("int32", "int64") else x.dtype)
        self.one.by[x.name] = self.two.by[y.name] = shared
        if x.dtype in ("int32", "int64"):
            low, high = integer_range(x.dtype)
            self.logic.assume(compare("GE", shared, int_imm(low)), compare("LE", shared, int_imm(high)))
        if extent:
            self.logic.assume(compare("GE", shared, int_imm(0)))

    def element(self, x: SymVar, y: SymVar) -> None:
        """A name for an element, of which nothing is known: poison, maybe."""
        known = self.terms.load(TensorTerm(x.name, (), x.dtype, computed=True), ())
        self.one.by[x.name] = self.two.by[y.name] = self.terms.as_index(known)

    def parameter(self, x: Buffer, y: Buffer) -> None:
        if (x.dtype, x.scope, len(x.shape), len(x.strides)) != (y.dtype, y.scope, len(y.shape), len(y.strides)):
            raise _Apart(f"the parameters {x.name} and {y.name} are of other types")
        if (x.elem_offset is None) != (y.elem_offset is None) or x.data is not None or y.data is not None:
            raise _Apart(f"the parameters {x.name} and {y.name} lie otherwise")
        offsets = [] if x.elem_offset is None or y.elem_offset is None else [(x.elem_offset, y.elem_offset)]
        pairs = [*zip(x.shape, y.shape, strict=True), *zip(x.strides, y.strides, strict=True), *offsets]
        for k, (p, q) in enumerate(pairs):
            if isinstance(p, SymVar) and isinstance(q, SymVar) and p.dtype == q.dtype:
                self.scalar(p, q, extent=k < len(x.shape))
        for p, q in pairs:
            if not self.raw(p, q):
                raise _Apart(f"the parameters {x.name} and {y.name} have other extents")
        self.join(x, y)

    def join(self, x: Buffer, y: Buffer) -> None:
        self.one.other[x.name], self.two.other[y.name] = y.name, x.name
        self.dtypes[x.name] = x.dtype
        self.one.shapes[x.name] = tuple(self.reading(self.one, []).index(d) for d in x.shape)

    # --- statements

    def walk(self, ours: list[Stmt], theirs: list[Stmt]) -> None:
        """Two lists of statements, to their ends."""
        while True:
            a, b = self.next(self.one, ours), self.next(self.two, theirs)
            if a is None and b is None:
                return
            if a is not None and b is not None and self.matches(a, b):
                ours.pop(0)
                theirs.pop(0)
                continue
            if (more := self.opened(a, self.one)) is not None:
                ours[:1] = more
            elif (more := self.opened(b, self.two)) is not None:
                theirs[:1] = more
            else:
                raise _Apart(f"{_named(a)} of the first program, {_named(b)} of the second")

    def next(self, side: Side, stmts: list[Stmt]) -> Stmt | None:
        """The next statement that does something; names on the way are taken in."""
        while stmts:
            match stmts[0]:
                case AttrStmt(node=node, body=body) if not isinstance(node, CommReducer):
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
                case For() as loop if _once(loop):
                    side.by[loop.var.name] = self.defined(side, loop.min)
                    stmts[:1] = loop.body
                case Bind(var, value) if self.reading(side, []).plain(value) and _of_names(value):
                    side.by[var.name] = self.defined(side, value)
                    stmts.pop(0)
                case _:
                    return stmts[0]
        return None

    def defined(self, side: Side, e: PrimExpr) -> PrimExpr:
        """An index expression that a program evaluates on its way. The second one's is defined, or one that the first
        has evaluated, in the same dtype."""
        asked: list[Definedness] = []
        found = self.reading(side, asked).index(e)
        kinds = {each.dtype for each in _expressions(e) if isinstance(each, PrimExpr)}
        if side is self.one:
            if len(kinds) == 1:
                self.evaluated.add((found, e.dtype))
        elif len(kinds) > 1 or (found, e.dtype) not in self.evaluated:
            for each in asked:
                if not self.logic.holds(each.statement, each.given, each.purpose):
                    raise _Apart(f"{each.purpose}, in what the second program evaluates on its way")
        return found

    def made(self, side: Side, buffer: Buffer) -> None:
        if buffer.name in side.made or buffer.name in side.other:
            raise _Apart(f"two buffers of the name {buffer.name}")
        side.made[buffer.name] = (buffer, self.depth)

    def opened(self, stmt: Stmt | None, side: Side) -> list[Stmt] | None:
        """A statement as those that it stands for, where there is no counterpart to it."""
        match stmt:
            case SBlock() as block if not block.matches:
                return self.of_block(block, side)
            case For(kind=kind) as loop if kind in ORDERED and _whole(loop) and not _leaves(loop.body):
                extent = as_int(loop.extent)
                if extent is None or extent > MOST_UNROLLED or _makes(loop.body):
                    return None
                return [each for k in range(extent) for each in _at(loop, k)]
            case IfThenElse(condition, yes, no) if self.reading(side, []).plain(condition):
                found = self.defined(side, condition)
                if self.logic.holds(found, self.scope, "a branch that is always taken"):
                    return list(yes)
                if self.logic.holds(negation(found), self.scope, "a branch that is never taken"):
                    return list(no)
                return None
            case _:
                return None

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
        binds += [AllocBuffer(each) for each in block.allocs]
        condition = block.predicate
        body: list[Stmt] = []
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
                if not self.value(a.condition, b.condition):
                    return False
                self.inside([], a.body, b.body)
                return True
            case IfThenElse(), IfThenElse():
                return self.branches(a, b)
            case SBlock(), SBlock():
                return self.blocks(a, b)
            case BufferStore(), BufferStore():
                if (a.predicate is None) != (b.predicate is None) or not self.pair(a.buffer, b.buffer):
                    return False
                if a.predicate is not None and b.predicate is not None and not self.value(a.predicate, b.predicate):
                    return False
                return self.indices(a.indices, b.indices) and self.value(a.value, b.value)
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
                return (a.kind, a.message) == (b.kind, b.message) and self.value(a.condition, b.condition)
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
        step = (None if a.step is None else as_int(a.step), None if b.step is None else as_int(b.step))
        if not (same or ordered) or step[0] != step[1] or (a.step is not None and step[0] is None):
            return False
        if not self.indices((a.min, a.extent), (b.min, b.extent)):
            return False
        low, extent = self.index(self.one, a.min), self.index(self.one, a.extent)
        if as_int(b.min) != 0 and not (self.raw(a.min, b.min) and self.raw(a.extent, b.extent)):
            self.defined(self.two, Binary("Add", b.min, b.extent))
        v = self.terms.fresh(a.var.name)
        self.one.by[a.var.name] = self.two.by[b.var.name] = v
        domain = [compare("GE", v, low), compare("LT", v, Binary("Add", low, extent))]
        self.inside(domain, a.body, b.body)
        return True

    def branches(self, a: IfThenElse, b: IfThenElse) -> bool:
        if not self.value(a.condition, b.condition):
            return False
        plain = self.reading(self.one, []).plain(a.condition) and _of_names(a.condition)
        condition = self.index(self.one, a.condition) if plain else bool_imm(True)
        self.inside(conjuncts(condition) if plain else [], a.then_body, b.then_body)
        self.inside(conjuncts(negation(condition)) if plain else [], a.else_body, b.else_body)
        return True

    def blocks(self, a: SBlock, b: SBlock) -> bool:
        """Blocks over the same axes."""
        if a.matches or b.matches or [e.kind for e in a.iters] != [e.kind for e in b.iters]:
            return False
        if (a.init is None) != (b.init is None) or (a.predicate is None) != (b.predicate is None):
            return False
        for p, q in zip(a.iters, b.iters, strict=True):
            if not self.indices((p.min, p.binding), (q.min, q.binding)):
                return False
        for p, q in zip(a.iters, b.iters, strict=True):
            self.one.by[p.var.name] = self.two.by[q.var.name] = self.index(self.one, p.binding)
        if a.predicate is not None and b.predicate is not None and not self.value(a.predicate, b.predicate):
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
        self.scope += known
        self.depth += 1
        self.walk(list(ours), list(theirs))
        self.depth -= 1
        self.evaluated = before
        del self.scope[len(self.scope) - len(known) :]

    # --- buffers

    def pair(self, x: str, y: str) -> bool:
        """Whether two buffers correspond; memory that is allocated is joined when it is first used."""
        if x in self.one.other or y in self.two.other:
            return self.one.other.get(x) == y
        if x not in self.one.made or y not in self.two.made:
            return False
        (a, outer), (b, around) = self.one.made[x], self.two.made[y]
        if (a.dtype, a.scope, a.scalar, len(a.strides)) != (b.dtype, b.scope, b.scalar, len(b.strides)):
            return False
        begins = [() if e is None or as_int(e) == 0 else (e,) for e in (a.elem_offset, b.elem_offset)]
        if (a.data is None) != (b.data is None) or len(begins[0]) != len(begins[1]):
            return False
        # memory that is made anew in each iteration holds nothing, which what was left there may be
        later = around > outer or (around < outer and (self.threads or any(as_int(d) is None for d in b.shape)))
        if later or (a.data is not None and around != outer):
            return False
        ours, theirs = (*a.shape, *a.strides, *begins[0]), (*b.shape, *b.strides, *begins[1])
        if len(a.shape) != len(b.shape) or not self.indices(ours, theirs):
            return False
        if a.data is not None and not self.raw(a.data, b.data):
            return False
        self.join(a, b)
        return True

    # --- expressions

    def raw(self, x: Any, y: Any) -> bool:
        """Whether two expressions are equal up to names and the arithmetic of the indices of loads: the second is
        evaluated where the first is, to the same value, and rests on the same."""
        if isinstance(x, Select) and isinstance(y, Intrinsic) and y.op == "if_then_else" and x.dtype == y.dtype:
            parts = (x.condition, x.true_value, x.false_value)  # the second evaluates less, if it may branch
            return self.raw(parts, y.args) and self.never_poison(y.args[0])
        if type(x) is not type(y):
            return False
        match x, y:
            case SymVar(), SymVar():
                known = self.one.by.get(x.name)
                return x.dtype == y.dtype and known is not None and known == self.two.by.get(y.name)
            case BufferLoad(), BufferLoad():
                same = x.dtype == y.dtype and self.pair(x.buffer, y.buffer) and self.raw(x.predicate, y.predicate)
                return same and self.indices(x.indices, y.indices)
            case BufferRef(), BufferRef():
                return x.part == y.part and self.pair(x.buffer, y.buffer) and self.raw(x.args, y.args)
            case Binary(op, p, q), Binary(other, r, s) if op == other and x.dtype == y.dtype:
                straight = self.raw(p, r) and self.raw(q, s)
                return straight or (op in COMMUTES and _silent(x) and self.raw(p, s) and self.raw(q, r))
            case Binary(), Binary():
                return False
            case Let(), Let():
                if not self.raw(x.value, y.value) or x.var.dtype != y.var.dtype:
                    return False
                self.element(x.var, y.var)
                return self.raw(x.body, y.body)
            case CommReducer(), CommReducer():
                return x == y
            case Intrinsic(), Intrinsic():
                self.calls = self.calls or x.op.startswith(CALLS)
                return (x.op, x.dtype, x.attrs) == (y.op, y.dtype, y.attrs) and self.raw(x.args, y.args)
            case tuple(), tuple():
                return len(x) == len(y) and all(map(self.raw, x, y))
            case _ if is_dataclass(x):
                names = [f.name for f in fields(x) if f.compare]
                if isinstance(getattr(x, "buffer", None), str):
                    return False
                return all(self.raw(getattr(x, name), getattr(y, name)) for name in names)
            case _:
                return bool(x == y)

    def never_poison(self, e: Any) -> bool:
        """Whether an element of the second program is never poison."""
        asked: list[Definedness] = []
        try:
            term = self.reading(self.two, asked).term(e)
        except NotRead:
            return False
        return Descent(self.terms, self.logic).poison.never(term, self.logic.interned(tuple(self.scope)))

    def indices(self, xs: Sequence[PrimExpr], ys: Sequence[PrimExpr]) -> bool:
        """Whether index expressions are equal, and the second ones defined."""
        return len(xs) == len(ys) and all(map(self.same_index, xs, ys))

    def same_index(self, x: PrimExpr, y: PrimExpr) -> bool:
        if self.raw(x, y):
            return True
        plain = self.reading(self.one, []).plain(x) and self.reading(self.two, []).plain(y)
        if not plain or not _of_names(x) or not _of_names(y) or (x.dtype == "bool") != (y.dtype == "bool"):
            return False
        asked: list[Definedness] = []
        try:
            a, b = self.index(self.one, x), self.reading(self.two, asked).index(y)
        except NotRead:
            return False
        given = tuple(self.scope)
        equal = self.logic.holds(Binary("EQ", a, b), given) if x.dtype == "bool" else self.logic.equal(a, b, given)
        return equal and all(self.logic.holds(each.statement, each.given, each.purpose) for each in asked)

    def index(self, side: Side, e: PrimExpr) -> PrimExpr:
        """An index expression over the symbols that both programs share."""
        return self.reading(side, []).index(e)

    def value(self, x: PrimExpr, y: PrimExpr) -> bool:
        """Whether two elements are the same, and the second is defined where it is evaluated."""
        if self.raw(x, y):
            return True
        if x.dtype != y.dtype:
            return False
        if x.dtype == "bool" and self.same_index(x, y):
            return True
        ours: list[Definedness] = []
        theirs: list[Definedness] = []
        new = [name for name in _loaded(y) if name not in self.two.other]
        for name in _loaded(x):  # (any pair will do: nothing is stored in either yet)
            if name not in self.one.other:
                next((each for each in new if self.pair(name, each)), None)
        try:
            a, b = self.reading(self.one, ours).term(_by_need(x)), self.reading(self.two, theirs).term(y)
        except NotRead:
            return False
        descent = Descent(self.terms, self.logic)
        asked = [*theirs, *(each for each in ours if each.purpose == ELEMENT_FITS)]
        return descent.equal(a, b, self.logic.interned(tuple(self.scope))) and all(
            self.logic.holds(each.statement, each.given, each.purpose)
            if each.term is None
            else descent.poison.never(each.term, each.given)
            for each in asked
        )

    def reading(self, side: Side, asked: list[Definedness]) -> Reading:
        def require(purpose: str, statement: PrimExpr, given: Given) -> None:
            asked.append(Definedness(purpose, statement, given))

        def demand(term: Term, given: Given) -> None:
            asked.append(Definedness("no poison in an index", bool_imm(True), given, term))

        return Reading(self.terms, self.logic, side.by, tuple(self.scope), self.loader(side), None, require, demand)

    def loader(self, side: Side) -> Callable[[BufferLoad, tuple[PrimExpr, ...], Given], Term]:
        """How a load is read: what a buffer holds now is unknown, and the same in both programs."""

        def load(e: BufferLoad, indices: tuple[PrimExpr, ...], scope: Given) -> Term:
            name = e.buffer if side is self.one else self.two.other.get(e.buffer, "")
            if name not in self.one.other or e.predicate is not None:
                raise NotRead(f"a load of {e.buffer}, which has no counterpart yet")
            if name not in self._tensors:
                computed = name not in self.given
                self._tensors[name] = TensorTerm(name, self.one.shapes[name], self.dtypes[name], computed=computed)
            return self.terms.load(self._tensors[name], indices)

        return load


def _silent(e: PrimExpr) -> bool:
    """Whether nobody sees when an expression is evaluated."""
    return all(each.op in ALLOWED for each in _expressions(e) if isinstance(each, Intrinsic))


def _loaded(e: PrimExpr) -> list[str]:
    return list(dict.fromkeys(each.buffer for each in _expressions(e) if isinstance(each, BufferLoad)))


def _by_need(e: Any) -> Any:
    """An expression of the first program with choices of which one arm is evaluated: it has the same value, and what
    the other arm rests on is taken for granted anyway."""
    match e:
        case Select(condition, yes, no):
            return Intrinsic("if_then_else", (_by_need(condition), _by_need(yes), _by_need(no)), e.dtype)
        case tuple():
            return tuple(map(_by_need, e))
        case _ if not is_dataclass(e) or isinstance(e, type | Literal):
            return e
        case _:
            return replace(e, **{f.name: _by_need(getattr(e, f.name)) for f in fields(e) if f.init})


def _named(stmt: Stmt | None) -> str:
    return "the end" if stmt is None else type(stmt).__name__


def _once(loop: For) -> bool:
    """Whether a loop is its body, with a number for its variable."""
    return as_int(loop.extent) == 1 and loop.kind != "thread_binding" and _whole(loop) and not _leaves(loop.body)


def _whole(loop: For) -> bool:
    return loop.step is None or as_int(loop.step) == 1


def _of_names(e: PrimExpr) -> bool:
    """Whether an expression is made of names and numbers alone."""
    return not any(isinstance(each, BufferLoad) for each in _expressions(e))


def _expressions(root: Any) -> list[Any]:
    """All parts of an expression or a statement."""
    found: list[Any] = []
    pending = [root]
    while pending:
        e = pending.pop()
        if isinstance(e, tuple):
            pending.extend(e)
        elif is_dataclass(e):
            found.append(e)
            pending.extend(getattr(e, f.name) for f in fields(e) if f.name not in ("span", "dtype"))
    return found


def _parts(stmts: Sequence[Stmt]) -> list[Any]:
    return _expressions(tuple(stmts))


def _touched(func: PrimFunc) -> set[str]:
    """The buffers that a program stores to, under their own name or that of a view, or hands on."""
    parts = _parts(func.body)
    views = {e.buffer.name: e.buffer for e in parts if isinstance(e, DeclBuffer)}
    bases = {name: _base(view) for name, view in views.items()}
    declared = {id(view.data) for view in views.values()}
    found = {e.buffer for e in parts if isinstance(e, BufferStore)}
    found |= {e.buffer for e in parts if isinstance(e, BufferRef) and id(e) not in declared}
    while more := {base for name in found if (base := bases.get(name)) is not None} - found:
        found |= more
    return found


def _with_views(func: PrimFunc, names: set[str]) -> set[str]:
    """Buffers with the views of the whole of them, from their beginning, at their dtype and number of elements."""
    buffers = {p.buffer.name: p.buffer for p in func.params if isinstance(p, BufferParam)}
    found = set(names)
    for each in _parts(func.body):
        if isinstance(each, DeclBuffer) and (base := _base(each.buffer)) in names:
            a, b = each.buffer, buffers[base or ""]
            sizes = [[as_int(d) for d in x.shape] for x in (a, b)]
            plain = a.dtype == b.dtype and not a.strides and not b.strides and is_plain(a) and is_plain(b)
            if plain and None not in (*sizes[0], *sizes[1]) and prod(sizes[0]) == prod(sizes[1]):  # type: ignore[arg-type]
                found.add(a.name)
    return found


def _base(view: Buffer) -> str | None:
    return view.data.buffer if isinstance(view.data, BufferRef) and view.data.part == "data" else None


def _leaves(stmts: Sequence[Stmt]) -> bool:
    """Whether a body may leave its loop."""
    return any(isinstance(each, Break | Continue) for each in _parts(stmts))


def _makes(stmts: Sequence[Stmt]) -> bool:
    """Whether a body makes names: each of its iterations would make them again."""
    made = (AllocBuffer, DeclBuffer, SBlock, Bind, For)
    return any(isinstance(each, made) for each in _parts(stmts))


def _at(loop: For, k: int) -> tuple[Stmt, ...]:
    """One iteration of a loop."""
    found: tuple[Stmt, ...] = _put(loop.body, {loop.var.name: _sum(loop.min, k)})
    return found


def _put(root: Any, by: Mapping[str, PrimExpr]) -> Any:
    match root:
        case SymVar(name=name):
            return by.get(name, root)
        case tuple():
            return tuple(_put(each, by) for each in root)
        case _ if not is_dataclass(root) or isinstance(root, type | Literal):
            return root
        case _:
            return replace(root, **{f.name: _put(getattr(root, f.name), by) for f in fields(root) if f.init})


def _sum(low: PrimExpr, k: int) -> PrimExpr:
    known = as_int(low)
    return int_imm(known + k, low.dtype) if known is not None else Binary("Add", low, int_imm(k, low.dtype))


__all__ = ["Lockstep"]
