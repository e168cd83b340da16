"""Writing a proof down: the descent once more, from the results inwards, each step by a rule of ``descents``.

What the descent has found guides the search; nothing of it is believed. A step is written when the checker has taken
it in, so a record that is complete is one that ``descents.document.examine`` accepts. Where no rule says a step, there
is no record, and why is said.

Spec: ``spec/06c-pointwise.md``, ``sh/descent-record``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from refrelax.rules import rule
from refrelax.shape_solver.context import negation
from refrelax.shape_solver.descents.claims import Certificates, Known
from refrelax.shape_solver.descents.claims import assumed as known_with
from refrelax.shape_solver.descents.document import FORMAT, VERSION
from refrelax.shape_solver.descents.steps import COMMUTES, Steps
from refrelax.shape_solver.descents.terms import Table
from refrelax.shape_solver.pointwise.elements import passed_over
from refrelax.shape_solver.pointwise.logic import Given, compare, within
from refrelax.shape_solver.pointwise.recording_folds import Folds
from refrelax.shape_solver.pointwise.recording_tables import NoRecord, Row, Scope
from refrelax.shape_solver.pointwise.recording_truths import to_suppose
from refrelax.shape_solver.pointwise.recording_words import by_words
from refrelax.shape_solver.pointwise.show import unequal
from refrelax.shape_solver.pointwise.simplify import first_atom
from refrelax.shape_solver.pointwise.terms import (
    Apply,
    Choose,
    Fold,
    Identity,
    Int,
    Load,
    Number,
    OpenTerm,
    TensorTerm,
    Term,
)
from refrelax.shape_solver.pointwise.words import looks_like_words
from refrelax.syntax.scalars import Binary, Not, PrimExpr, SymVar, free_symbols, int_imm, walk

MOST_TRIES = 100_000
"""How many pairs of terms one record may look at."""


@dataclass(frozen=True, slots=True)
class Result:
    """What is to be written down: ``second`` may stand for ``first``, tensors, integers or, under ``given``, elements;
    without a first, an element that is never poison."""

    first: TensorTerm | PrimExpr | Term | None
    second: Any
    given: Given = ()


@dataclass(slots=True)
class Recorder(Folds):
    """One record under way, from its results inwards."""

    tries: int = 0
    _inside_words: bool = False
    """Whether operands are compared of elements that are compared as words if that fails."""
    _memo: dict[tuple[int, int, int, bool], int | str] = field(default_factory=dict)
    _pairs: dict[tuple[int, int, bool], tuple[list[str], int] | str] = field(default_factory=dict)

    @rule("sh/descent-record")
    def document(self, results: Sequence[Result]) -> dict[str, Any]:
        """The record of a proof that each second value may stand for the first, and no such element is poison.

        Raises:
            NoRecord: a step has no rule.
        """
        symbols = self._globals(results)
        self.table = Table(symbols)
        self.steps = Steps(self.table, Known(frozenset(), frozenset()), Certificates(self.table, self.documents, {}))
        spelled = [self.spell(each) for each in self.descent.logic.base]
        base = known_with(self.table, self.steps.base, [self.table.truth(each) for each in spelled])
        self.steps.base = base
        self.base = Scope((), base, self._context((), base, []))
        found = [self.result(each) for each in results]
        return {
            "format": FORMAT, "version": VERSION, "globals": symbols, "known": self.numbered(spelled),
            "table": [self.row(each) for each in self.rows], "certificates": self.documents,
            "contexts": self.numbered(self.contexts), "steps": [self.numbered_step(each) for each in self.written],
            "results": self.numbered(found), "relaxations": sorted(self.steps.relaxations),
        }  # fmt: skip

    def _globals(self, results: Sequence[Result]) -> dict[str, str]:
        """The symbols that tensors and what is known speak of, by sort."""
        found: dict[str, str] = {}
        terms = self.descent.terms
        parts = [part for each in results for part in (each.first, each.second)]
        exprs = [d for part in parts if isinstance(part, TensorTerm) for d in part.shape]
        exprs += [part for part in parts if isinstance(part, PrimExpr)]
        for e in (*self.descent.logic.base, *exprs):
            for node in walk(e):
                if isinstance(node, SymVar) and node.name not in terms.opaque:
                    found[node.name] = "bool" if node.dtype == "bool" else "int"
        return found

    def result(self, each: Result) -> dict[str, Any]:
        match each:
            case Result(TensorTerm() as a, TensorTerm() as b):
                claims = [row for x, y in zip(a.shape, b.shape, strict=True) for row in self.equal(x, y, self.base)]
                row = {"first": self.tensor(a), "second": self.tensor(b), "variables": [], "step": 0, "claims": claims}
                return (
                    row if a is b else {**row, **dict(zip(("variables", "step"), self.everywhere(a, b), strict=True))}
                )
            case Result(None, second, given):
                at = self.scope(given)
                return {"never poison": self.term(second), "under": at.number, "claims": self.never(second, at)}
            case Result(x, y) if isinstance(x, PrimExpr) and isinstance(y, PrimExpr):
                return {"integers": [self.spell(x), self.spell(y)], "claims": self.equal(x, y, self.base)}
            case Result(Int() | Number() as x, y, given):
                at = self.scope(given)
                step = self.prove(x, y, at)
                return {"elements": [self.term(x), self.term(y)], "under": at.number, "step": step, "claims": []}
        raise NoRecord(f"a result that records do not say ({type(each.first).__name__})")

    # --- steps

    def everywhere(self, a: TensorTerm, b: TensorTerm) -> tuple[list[str], int]:
        """The step that compares the elements of two tensors at new indices."""
        key = (id(a), id(b), self._inside_words)
        if key not in self._pairs:
            new = tuple(self.descent.terms.fresh("i") for _ in a.shape)
            at = self.scope(tuple(c for v, d in zip(new, a.shape, strict=True) for c in within(v, d)))
            terms = self.descent.terms
            try:
                found = self.prove(terms.load(a, new), terms.load(b, new), at, whole=False)
                self._pairs[key] = ([v.name for v in new], found)
            except NoRecord as problem:
                self._pairs[key] = str(problem)
        known = self._pairs[key]
        if isinstance(known, str):
            raise NoRecord(known)
        return known

    def prove(self, a: Term, b: Term, at: Scope, whole: bool = True) -> int:
        """The step by which ``b`` may stand for ``a``.

        Raises:
            NoRecord: there is none.
        """
        key = (id(a), id(b), at.number, self._inside_words)
        if key not in self._memo or not whole:
            self.tries += 1
            if self.tries > MOST_TRIES:
                raise NoRecord("more steps than are looked at")
            self._kept += [a, b]
            try:
                found: int | str = self._prove(a, b, at, whole)
            except NoRecord as problem:
                found = str(problem)
            if not whole:
                if isinstance(found, str):
                    raise NoRecord(found)
                return found
            self._memo[key] = found
        known = self._memo[key]
        if isinstance(known, str):
            raise NoRecord(known)
        return known

    def _prove(self, a: Term, b: Term, at: Scope, whole: bool) -> int:
        if a is b:
            return self.step("same", a, b, at)
        if isinstance(a, OpenTerm):
            return self.step("open", a, b, at)
        if isinstance(a, Load) and isinstance(b, Load):
            if (found := self.loads(a, b, at, whole)) is not None:
                return found
        for second, t in ((False, a), (True, b)):
            if (moved := self.head(t, at, second)) is not None:
                return self.rewrite(a, b, at, second, moved, self.prove)
        for t in (a, b):
            if isinstance(t, Choose) and isinstance(t.condition, Int):
                return self.cases(t.condition.value, a, b, at)
        for second, t in ((False, a), (True, b)):
            if isinstance(t, Load) and t.tensor.body is not None:
                return self.rewrite(a, b, at, second, self.unfolded(t, at, second), self.prove)
        return self.words_or_heads(a, b, at)

    def words_or_heads(self, a: Term, b: Term, at: Scope) -> int:
        """By the heads of two elements, else as words."""
        if self._inside_words or not looks_like_words(a, b):
            return self.heads(a, b, at)
        self._inside_words = True
        try:
            return self.heads(a, b, at)
        except NoRecord as problem:
            why = problem
        finally:
            self._inside_words = False
        try:
            return by_words(self, self.prove, a, b, at)
        except NoRecord as problem:
            said = str(problem)
        try:
            return self.supposed(a, b, at)
        except NoRecord:
            raise NoRecord(f"{why}; {said}") from None

    def loads(self, a: Load, b: Load, at: Scope, whole: bool) -> int | None:
        if len(a.indices) != len(b.indices):
            return None
        claims: list[Row] = []
        for x, y in zip(a.indices, b.indices, strict=True):
            found = [] if x == y else self.seen(compare("EQ", x, y), at)
            if found is None:
                return None
            claims += found
        if a.tensor is b.tensor:
            return self.step("load", a, b, at, claims=claims)
        if whole and (a.tensor.body is not None or b.tensor.body is not None):
            try:
                names, premise = self.everywhere(a.tensor, b.tensor)
            except NoRecord:
                return None
            return self.step("tensors", a, b, at, claims=claims, variables=names, premises=[premise])
        return None

    # --- cases and heads

    def cases(self, condition: PrimExpr, a: Term, b: Term, at: Scope) -> int:
        on = next((each for each in atoms(condition) if not self.decided(each, at)), first_atom(condition))
        premises = []
        for fact in (on, Not(on)):
            below = self.inside(at, fact)
            if below.number == at.number:
                raise NoRecord("a case that is known")
            premises.append(self.case(a, b, below))
        return self.step("cases", a, b, at, on=self.spell(on), premises=premises)

    def case(self, a: Term, b: Term, at: Scope) -> int:
        if self.descent.logic.absurd(at.given):
            last = at.given[-1]
            claims = self.seen(last.a if isinstance(last, Not) else negation(last), self.scope(at.given[:-1]))
            if claims is not None:
                return self.step("absurd", a, b, at, claims=claims)
        return self.prove(a, b, at)

    def heads(self, a: Term, b: Term, at: Scope) -> int:
        try:
            return self.same_heads(a, b, at)
        except NoRecord as problem:
            if not isinstance(a, Choose) and not isinstance(b, Choose):
                raise
            why = problem
        try:
            return self.supposed(a, b, at)
        except NoRecord:
            raise why from None

    def supposed(self, a: Term, b: Term, at: Scope) -> int:
        """Both cases of a truth that is data."""
        t, fact, claims = to_suppose(self, a, b, at)
        premises = [self.prove(a, b, self.inside(at, each)) for each in (fact, Not(fact))]
        return self.step("supposed", a, b, at, on=["elem", t], claims=claims, premises=premises)

    def same_heads(self, a: Term, b: Term, at: Scope) -> int:
        match a, b:
            case Int(x), Int(y) if x.dtype == y.dtype:
                same = Binary("EQ", x, y) if x.dtype == "bool" else compare("EQ", x, y)
                return self.step("integers", a, b, at, claims=self.needed(same, at))
            case Number(), Number():
                return self.step("same", a, b, at)
            case Load(), Load() if a.tensor.data is not None and b.tensor.data is not None:
                return self.constants(a, b, at)
            case Choose(c, yes, no), Choose(d, one, other) if self.descent.equal(c, d, at.given):
                premises = [self.prove(x, y, at) for x, y in ((c, d), (yes, one), (no, other))]
                return self.step("choice", a, b, at, premises=premises)
            case Choose(_, yes, no), _:
                return self.step("either", a, b, at, premises=[self.prove(x, b, at) for x in (yes, no)])
            case _, Choose(c, yes, no):
                claims = self.never(c, at)
                return self.step("chosen", a, b, at, claims=claims, premises=[self.prove(a, x, at) for x in (yes, no)])
            case (Identity(), _) | (_, Identity()):
                return self.step("nothing", a, b, at)
            case Fold(), Fold():
                return self.folds(a, b, at, self.prove)
            case Apply(), _ if (operand := passed_over(a)) is not None:
                return self.passed_over(a, b, operand, at)
            case Apply(), Apply():
                return self.operation(a, b, at)
        raise NoRecord(unequal(self.descent.terms, a, b))

    def constants(self, a: Load, b: Load, at: Scope) -> int:
        """Elements of two constant arrays, one by one."""
        ranges: list[Row] = []
        claims: list[Row] = []
        for name in sorted({n for e in (*a.indices, *b.indices) for n in free_symbols(e)}):
            found = self.descent.range_of(name, at.given)
            if found is None:
                raise NoRecord(unequal(self.descent.terms, a, b))
            v, low, high = SymVar(name), found.start, found.stop
            for claim in (compare("GE", v, int_imm(low)), compare("LT", v, int_imm(high))):
                claims += self.needed(claim, at)
            ranges.append([name, low, high])
        return self.step("constants", a, b, at, ranges=ranges, claims=claims)

    def passed_over(self, a: Apply, b: Term, one: Term, at: Scope) -> int:
        """An extreme with the infinity that it passes over: the same operation, or its other operand."""
        try:
            if isinstance(b, Apply):
                return self.operation(a, b, at)
        except NoRecord:
            pass
        k = int(a.args[1] is not one)
        return self.rewrite(a, b, at, False, (["passed-over", k], [], one), self.prove)

    def operation(self, a: Apply, b: Apply, at: Scope) -> int:
        if (a.op, a.dtype, a.attrs, len(a.args)) != (b.op, b.dtype, b.attrs, len(b.args)):
            raise NoRecord(f"{a.op} beside {b.op}")
        try:
            premises = [self.prove(x, y, at) for x, y in zip(a.args, b.args, strict=True)]
            return self.step("operation", a, b, at, premises=premises)
        except NoRecord as problem:
            if a.op not in COMMUTES:
                raise
            why = problem
        try:
            premises = [self.prove(x, y, at) for x, y in zip(a.args, b.args[::-1], strict=True)]
        except NoRecord:
            raise why from None
        return self.step("operation", a, b, at, premises=premises, turned=True)


def atoms(e: PrimExpr) -> list[PrimExpr]:
    """The comparisons of a condition."""
    return [*atoms(e.a), *atoms(e.b)] if isinstance(e, Binary) and e.op in ("And", "Or") else [e]
