"""Elements of two loop programs that run in step: buffers that correspond hold the same, so equal loads are equal.

Spec: ``spec/06c-pointwise.md``, ``va/lockstep``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from typing import Any

from refrelax.judge.loop_text import always, by_need, loaded, of_names, parts_of
from refrelax.judge.same_calls import ALLOWED
from refrelax.judge.sides_in_step import Apart, Made, Shift, Side, extents_of
from refrelax.rules import rule
from refrelax.semantics.dims import NO_FACTS
from refrelax.semantics.dims.simplify import simplify
from refrelax.semantics.loops.threads import is_shared
from refrelax.shape_solver.pointwise import Definedness, Descent, Logic, NotRead, TensorTerm, Term, Terms
from refrelax.shape_solver.pointwise.elements import ELEMENT_FITS, Loader, Reading
from refrelax.shape_solver.pointwise.lanes import lane
from refrelax.shape_solver.pointwise.logic import Given, compare, within
from refrelax.syntax import dtypes
from refrelax.syntax.dtypes import integer_range
from refrelax.syntax.loops import Buffer
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
    free_symbols,
    int_imm,
)

COMMUTES = frozenset({"Add", "Mul", "EQ", "NE"})
CALLS = ("call_", "tvm_call_")
"""How the names of intrinsics begin that call what is not here."""


@dataclass(slots=True)
class Elements:
    """What two programs share at one place of their runs."""

    terms: Terms
    logic: Logic
    one: Side = field(default_factory=Side)
    two: Side = field(default_factory=Side)
    scope: list[PrimExpr] = field(default_factory=list)
    depth: int = 0
    steps: int = 0
    """How many statements were seen to be the same."""
    threads: bool = False
    """Whether iterations without order are anywhere in the second program, or threads in the first."""
    unison: bool = False
    """Whether the compiler owes barriers, which stand where the text has statements: the texts are the same."""
    numbers: set[str] = field(default_factory=set)
    """Symbols that number the threads of a block."""
    calls: bool = False
    """Whether something was called that is not here."""
    evaluated: set[tuple[PrimExpr, str]] = field(default_factory=set)
    """Index expressions of the first program whose parts are all of one dtype, with it."""
    given: frozenset[str] = frozenset()
    """The first program's parameters that neither program stores to."""
    kinds: dict[str, str] = field(default_factory=dict)
    """The dtypes of the first program's buffers."""
    shifts: dict[str, Shift] = field(default_factory=dict)
    """Of buffers of the second program that are smaller than their counterparts."""
    _tensors: dict[str, TensorTerm] = field(default_factory=dict)

    def scalar(self, x: SymVar, y: SymVar, extent: bool = False) -> None:
        if x.name in self.one.by or y.name in self.two.by:
            if self.one.by.get(x.name) != self.two.by.get(y.name):
                raise Apart(f"{x.name} and {y.name} are not the same")
            return
        if dtypes.is_float(x.dtype):  # an element that is given
            given = self.terms.load(TensorTerm(x.name, (), x.dtype), ())
            self.one.by[x.name] = self.two.by[y.name] = self.terms.as_index(given)
            return
        shared = self.terms.fresh(x.name, "int64" if x.dtype in ("int32", "int64") else x.dtype)
        self.one.by[x.name] = self.two.by[y.name] = shared
        if x.dtype == "int32" or (x.dtype == "int64" and not extent):  # (of an extent, what the buffer's size says)
            low, high = integer_range(x.dtype)
            self.logic.assume(compare("GE", shared, int_imm(low)), compare("LE", shared, int_imm(high)))
        if extent:
            self.logic.assume(compare("GE", shared, int_imm(0)))

    def element(self, x: SymVar, y: SymVar) -> None:
        """A name for an element, of which nothing is known: poison, maybe."""
        known = self.terms.load(TensorTerm(x.name, (), x.dtype, computed=True), ())
        self.one.by[x.name] = self.two.by[y.name] = self.terms.as_index(known)

    def join(self, x: Buffer, y: Buffer) -> None:
        self.one.other[x.name], self.two.other[y.name] = y.name, x.name
        self.kinds[x.name] = x.dtype
        self.one.shapes[x.name] = tuple(self.reading(self.one, []).index(d) for d in x.shape)

    def pair(self, x: str, y: str) -> bool:
        """Whether two buffers correspond; memory that is allocated is joined when it is first used."""
        if x in self.one.other or y in self.two.other:
            return self.one.other.get(x) == y
        if y in self.shifts or any(each.of == x for each in self.shifts.values()):
            return False
        if x not in self.one.made or y not in self.two.made:
            return False
        one, two = self.one.made[x], self.two.made[y]
        a, outer, b, around = one.buffer, one.around, two.buffer, two.around
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
        if (a.data is not None and not self.raw(a.data, b.data)) or not self.in_time(one, two):
            return False
        self.join(a, b)
        return True

    def access(self, x: str, at: Sequence[PrimExpr], y: str, there: Sequence[PrimExpr]) -> bool:
        """Whether an element of the one program is one of the other."""
        if self.pair(x, y):  # (which element it is tells nothing of where barriers are owed)
            return len(at) == len(there) and all(self.same_index(p, q, True) for p, q in zip(at, there, strict=True))
        return (
            not self.unison
            and (y in self.shifts or self.begins_shift(x, at, y, there))
            and (self.same_after_shift(x, at, y, there))
        )

    @rule("va/lockstep")
    def begins_shift(self, x: str, at: Sequence[PrimExpr], y: str, there: Sequence[PrimExpr]) -> bool:
        """Take a buffer that the second program has made smaller for a part of the first one's, which begins where
        their first use says: by as many elements as are known, and stay, where both are made."""
        one, two = self.one.makes(x), self.two.makes(y)
        if one is None or two is None or any(each.of == x for each in self.shifts.values()):
            return False
        a, b = one.buffer, two.buffer
        there_too = (one.around, one.when) == (two.around, two.when) and not is_shared(a.scope)
        alike = (a.dtype, a.scope, a.scalar, len(a.shape)) == (b.dtype, b.scope, b.scalar, len(b.shape))
        if not there_too or not alike:
            return False
        computed = [d for d in b.shape if as_int(d) is None]
        if not all(self.no_less_than_zero(d, two.known) for d in computed):
            return False
        try:
            ours, theirs = ([self.index(side, i) for i in e] for side, e in ((self.one, at), (self.two, there)))
        except NotRead:
            return False
        by = tuple(simplify(Binary("Sub", p, q), NO_FACTS) for p, q in zip(ours, theirs, strict=True))
        used = {name for each in by for name in free_symbols(each)}
        if not used <= one.names or used & self.terms.opaque.keys():
            return False
        self.shifts[y] = Shift(x, tuple(self.index(self.two, d) for d in b.shape), by)
        self.kinds[x] = a.dtype
        self.one.shapes[x] = tuple(self.index(self.one, d) for d in a.shape)
        return True

    def same_after_shift(self, x: str, at: Sequence[PrimExpr], y: str, there: Sequence[PrimExpr]) -> bool:
        """Whether an element of a smaller buffer is that one of its counterpart, and is there."""
        shift = self.shifts[y]
        if shift.of != x or not all(map(of_names, (*at, *there))):
            return False
        asked: list[Definedness] = []
        given = tuple(self.scope)
        try:
            ours = [self.index(self.one, i) for i in at]
            theirs = [self.reading(self.two, asked).index(i) for i in there]
        except NotRead:
            return False
        moved = [Binary("Add", q, d) for q, d in zip(theirs, shift.by, strict=True)]
        equal = all(self.logic.equal(p, q, given) for p, q in zip(ours, moved, strict=True))
        inside = [each for q, d in zip(theirs, shift.shape, strict=True) for each in within(q, d)]
        return (
            equal
            and all(self.logic.holds(each, given, "in bounds") for each in inside)
            and (all(map(self.granted, asked)))
        )

    def in_time(self, one: Made, two: Made) -> bool:
        """Whether the extents of two buffers are the same where they are made, and the second one's are no more open
        there: a run may end at a step between, and memory may be another."""
        computed = [e for e in extents_of(two.buffer) if as_int(e) is None]
        if not computed or one.when == two.when:
            return True
        if not all(map(of_names, (*computed, *extents_of(one.buffer)))):
            return False
        return one.when < two.when or all(self.no_less_than_zero(e, two.known) for e in computed)

    def no_less_than_zero(self, extent: PrimExpr, known: Given) -> bool:
        """Whether an extent of the second program is defined and not negative."""
        asked: list[Definedness] = []
        found = replace(self.reading(self.two, asked), scope=known).index(extent)
        return all(map(self.granted, asked)) and self.logic.holds(compare("GE", found, int_imm(0)), known)

    def defined(self, side: Side, e: PrimExpr) -> PrimExpr:
        """An index expression that a program evaluates on its way. The second one's is defined, or one that the first
        has evaluated, in the same dtype."""
        asked: list[Definedness] = []
        found = self.reading(side, asked).index(e)
        kinds = {each.dtype for each in parts_of(e) if isinstance(each, PrimExpr)}
        if side is self.one:
            if len(kinds) == 1:
                self.evaluated.add((found, e.dtype))
        elif len(kinds) > 1 or (found, e.dtype) not in self.evaluated:
            for each in asked:
                if not self.granted(each):
                    raise Apart(f"{each.purpose}, in what the second program evaluates on its way")
        return found

    def made(self, side: Side, buffer: Buffer) -> None:
        if buffer.name in side.made or buffer.name in side.other:
            raise Apart(f"two buffers of the name {buffer.name}")
        names = frozenset(name for e in side.by.values() for name in free_symbols(e))
        side.made[buffer.name] = Made(buffer, self.depth, self.steps, tuple(self.scope), names)

    def raw(self, x: Any, y: Any) -> bool:
        """Whether two expressions are equal up to names and the arithmetic of the indices of loads: the second is
        evaluated where the first is, to the same value, and rests on the same."""
        if isinstance(x, Select) and isinstance(y, Intrinsic) and y.op == "if_then_else" and x.dtype == y.dtype:
            parts = (x.condition, x.true_value, x.false_value)  # the second evaluates less, if it may branch
            return self.raw(parts, y.args) and self.never_poison(y.args[0])
        if isinstance(x, SymVar) and isinstance(y, Literal):
            stands_for = as_int(self.one.by.get(x.name))
            return x.dtype == y.dtype and stands_for is not None and stands_for == as_int(y)
        if type(x) is not type(y):
            return False
        match x, y:
            case SymVar(), SymVar():
                known = self.one.by.get(x.name)
                return x.dtype == y.dtype and known is not None and known == self.two.by.get(y.name)
            case BufferLoad(), BufferLoad():
                same = x.dtype == y.dtype and self.raw(x.predicate, y.predicate)
                return same and self.access(x.buffer, x.indices, y.buffer, y.indices)
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
                return x == y and self.means_the_same(x)
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

    def means_the_same(self, reducer: CommReducer) -> bool:
        """Whether the text of a reducer is of names that stand for the same in both programs, and of no memory."""
        own = {each.name for each in (*reducer.lhs, *reducer.rhs)}
        found = parts_of((reducer.result, reducer.identity))
        names = [each for each in found if isinstance(each, SymVar) and each.name not in own]
        return not any(isinstance(each, BufferLoad) for each in found) and all(self.raw(e, e) for e in names)

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

    def same_index(self, x: PrimExpr, y: PrimExpr, element: bool = False) -> bool:
        """``element``: it stands among the indices of one."""
        if self.raw(x, y):
            return True
        if self.unison and not element:
            return False
        if dtypes.lanes(x.dtype) > 1:
            return self.by_lanes(x, y, lambda p, q: self.same_index(p, q, element))
        plain = self.reading(self.one, []).plain(x) and self.reading(self.two, []).plain(y)
        if not plain or not of_names(x) or not of_names(y) or (x.dtype == "bool") != (y.dtype == "bool"):
            return False
        asked: list[Definedness] = []
        try:
            a, b = self.index(self.one, x), self.reading(self.two, asked).index(y)
        except NotRead:
            return False
        given = tuple(self.scope)
        equal = self.logic.holds(Binary("EQ", a, b), given) if x.dtype == "bool" else self.logic.equal(a, b, given)
        return equal and all(map(self.granted, asked))

    def by_lanes(self, x: PrimExpr, y: PrimExpr, same: Callable[[PrimExpr, PrimExpr], bool]) -> bool:
        """Whether each lane of two vectors is the same."""
        k = self.terms.fresh("lane", "int32")
        try:
            p, q = lane(x, k), lane(y, k)
        except NotRead:
            return False
        if x.dtype != y.dtype or p.dtype != q.dtype or dtypes.lanes(p.dtype) != 1:
            return False
        self.one.by[k.name] = self.two.by[k.name] = SymVar(k.name, "int64")
        domain = within(self.one.by[k.name], int_imm(dtypes.lanes(x.dtype)))
        self.scope += domain
        found = same(p, q)
        del self.scope[len(self.scope) - len(domain) :]
        return found

    def index(self, side: Side, e: PrimExpr) -> PrimExpr:
        """An index expression over the symbols that both programs share."""
        return self.reading(side, []).index(e)

    def value(self, x: PrimExpr, y: PrimExpr) -> bool:
        """Whether two elements are the same, and the second is defined where it is evaluated."""
        if self.raw(x, y):
            return True
        if x.dtype != y.dtype or self.unison:
            return False
        if self.threads and self.races(x, y):
            return False
        if dtypes.lanes(x.dtype) > 1:
            return self.by_lanes(x, y, self.value)
        ours: list[Definedness] = []
        theirs: list[Definedness] = []
        new = [name for name in loaded(y) if name not in self.two.other]
        for name in loaded(x):  # (any pair will do: nothing is stored in either yet)
            if name not in self.one.other:
                next((each for each in new if self.pair(name, each)), None)
        try:
            a, b = self.reading(self.one, ours).term(by_need(x)), self.reading(self.two, theirs).term(y)
        except NotRead:
            return False
        asked = [*theirs, *(each for each in ours if each.purpose == ELEMENT_FITS)]
        scope = self.logic.interned(tuple(self.scope))
        return Descent(self.terms, self.logic).equal(a, b, scope) and all(map(self.granted, asked))

    def condition(self, x: PrimExpr, y: PrimExpr) -> bool:
        """Whether two conditions are the same, and the second is defined: their sums fit, as those of elements that
        are stored need not, or there is no run."""
        if x.dtype == y.dtype == "bool" and self.same_index(x, y):
            return True
        return self.value(x, y) and (self.raw(x, y) or self.decides(x, y))

    def decides(self, x: PrimExpr, y: PrimExpr) -> bool:
        """Whether the second condition, spelled otherwise, can be evaluated as an index is where the first one can:
        every sum of integers in it fits, and what is read is no poison."""
        ours: list[Definedness] = []
        theirs: list[Definedness] = []
        try:
            self.reading(self.one, ours).index(x)
            self.reading(self.two, theirs).index(y)
        except NotRead:
            return False
        scope = tuple(self.scope)
        sure = [each for each in ours if each.given == scope]
        known = (*scope, *(each.statement for each in sure if each.term is None))
        read = [each.term for each in sure if each.term is not None]
        descent, given = Descent(self.terms, self.logic), self.logic.interned(scope)

        def holds(each: Definedness) -> bool:
            if each.term is None:
                return self.logic.holds(each.statement, (*known, *each.given), each.purpose)
            same = any(one is each.term or descent.equal(one, each.term, given) for one in read)
            return same or self.granted(each)

        return all(map(holds, theirs))

    def races(self, x: PrimExpr, y: PrimExpr) -> bool:
        """Whether the second program may load an element, that another iteration or thread may store, where the first
        does not."""
        ours = [each for each in always(x) if isinstance(each, BufferLoad)]
        theirs = [each for each in parts_of(y) if isinstance(each, BufferLoad)]
        shared = [each for each in theirs if self.two.other.get(each.buffer) not in self.given]
        return not all(any(self.raw(one, two) for one in ours) for two in shared)

    def granted(self, each: Definedness) -> bool:
        """Whether what an expression rests on is proved."""
        if each.term is not None:
            return Descent(self.terms, self.logic).poison.never(each.term, self.logic.interned(each.given))
        return self.logic.holds(each.statement, each.given, each.purpose)

    def reading(self, side: Side, asked: list[Definedness]) -> Reading:
        def require(purpose: str, statement: PrimExpr, given: Given) -> None:
            asked.append(Definedness(purpose, statement, given))

        def demand(term: Term, given: Given) -> None:
            asked.append(Definedness("no poison in an index", bool_imm(True), given, term))

        loader = self.loader(side, require)
        return Reading(self.terms, self.logic, side.by, tuple(self.scope), loader, None, require, demand)

    def loader(self, side: Side, require: Callable[[str, PrimExpr, Given], None]) -> Loader:
        """How a load is read: what a buffer holds now is unknown, and the same in both programs."""

        def load(e: BufferLoad, indices: tuple[PrimExpr, ...], scope: Given, hard: Given) -> Term:
            name = e.buffer if side is self.one else self.two.other.get(e.buffer, "")
            if side is self.two and (shift := self.shifts.get(e.buffer)) is not None:
                for bound in (each for i, d in zip(indices, shift.shape, strict=True) for each in within(i, d)):
                    require("load in bounds", bound, hard)
                name, indices = shift.of, tuple(Binary("Add", i, d) for i, d in zip(indices, shift.by, strict=True))
            if name not in self.kinds or e.predicate is not None:
                raise NotRead(f"a load of {e.buffer}, which has no counterpart yet")
            if name not in self._tensors:
                computed = name not in self.given
                self._tensors[name] = TensorTerm(name, self.one.shapes[name], self.kinds[name], computed=computed)
            return self.terms.load(self._tensors[name], indices)

        return load


def _silent(e: PrimExpr) -> bool:
    """Whether nobody sees when an expression is evaluated."""
    return all(each.op in ALLOWED for each in parts_of(e) if isinstance(each, Intrinsic))
