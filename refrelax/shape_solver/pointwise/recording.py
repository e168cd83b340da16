"""Writing a proof down: the descent once more, from the results inwards, each step by a rule of ``descents``.

What the descent has found guides the search; nothing of it is believed. A step is written when the checker has taken
it in, so a record that is complete is one that ``descents.document.examine`` accepts. Where no rule says a step, there
is no record, and why is said.

Spec: ``spec/06c-pointwise.md``, ``sh/descent-record``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice, permutations
from typing import Any

from refrelax.rules import rule
from refrelax.shape_solver.certificate import Certificate, NoCertificate
from refrelax.shape_solver.checker.terms import Rejected
from refrelax.shape_solver.claim import Proved, Query
from refrelax.shape_solver.context import negation
from refrelax.shape_solver.descents.claims import Certificates, Known, Shown
from refrelax.shape_solver.descents.claims import assumed as known_with
from refrelax.shape_solver.descents.document import FORMAT, VERSION
from refrelax.shape_solver.descents.formats import total
from refrelax.shape_solver.descents.laws import LAWS
from refrelax.shape_solver.descents.steps import COMMUTES, Steps
from refrelax.shape_solver.descents.terms import GROUPED, Table
from refrelax.shape_solver.pointwise.descent import Descent
from refrelax.shape_solver.pointwise.elements import apply
from refrelax.shape_solver.pointwise.logic import Given, all_of, by_number, compare, within
from refrelax.shape_solver.pointwise.poison import in_bounds
from refrelax.shape_solver.pointwise.regroup import digits, is_identity, is_minus_zero
from refrelax.shape_solver.pointwise.show import unequal
from refrelax.shape_solver.pointwise.simplify import divides, first_atom, simplified
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
from refrelax.shape_solver.prooflog.translate import Core, Untranslatable
from refrelax.shape_solver.prover import Prover
from refrelax.syntax.scalars import Binary, Not, PrimExpr, SymVar, as_int, free_symbols, int_imm, walk
from refrelax.syntax.write.scalars import expression

Axes = tuple[tuple[SymVar, PrimExpr], ...]
Row = list[Any]
How = list[Any]
Moved = tuple[How, list[Row], Term]
"""A rule for one side, the claims that it needs, and what it gives."""
MOST_ORDERS = 24
MOST_TRIES = 4_000
"""How many pairs of terms one record may look at."""


class NoRecord(Exception):
    """No rule says a step; why."""


@dataclass(frozen=True, slots=True)
class Result:
    """What is to be written down: ``second`` may stand for ``first``, tensors, integers or, under ``given``, elements;
    without a first, an element that is never poison."""

    first: TensorTerm | PrimExpr | Term | None
    second: Any
    given: Given = ()


@dataclass(frozen=True, slots=True)
class Scope:
    """What is known at a step: as the solver is asked, and as the checker has it."""

    given: Given
    known: Known
    number: int


class _Spelling(Core):
    """Integers as a record spells them: symbols by name, opaque ones as the elements that they are."""

    def __init__(self, recorder: Recorder) -> None:
        super().__init__({})
        self.recorder = recorder

    def symbol(self, name: str) -> Any:
        terms = self.recorder.descent.terms
        if name in terms.opaque:
            return ["elem", self.recorder.term(terms.opaque[name])]
        return ["sym", name]


@dataclass(slots=True)
class Recorder:
    """One record under way."""

    descent: Descent
    table: Table = field(init=False)
    steps: Steps = field(init=False)
    rows: list[Any] = field(default_factory=list)
    """Tensors, and the numbers of terms as the checker has them while this is written: rules make terms in between."""
    order: dict[int, int] = field(default_factory=dict)
    """Of these numbers, those of the record."""
    written: list[Any] = field(default_factory=list)
    contexts: list[list[Any]] = field(default_factory=list)
    documents: list[Any] = field(default_factory=list)
    base: Scope = field(init=False)
    tries: int = 0
    _terms: dict[int, int] = field(default_factory=dict)
    _tensors: dict[int, int] = field(default_factory=dict)
    _scopes: dict[Given, Scope] = field(default_factory=dict)
    _claims: dict[Any, int | None] = field(default_factory=dict)
    _memo: dict[tuple[int, int, int], int | str] = field(default_factory=dict)
    _pairs: dict[tuple[int, int], tuple[list[str], int] | str] = field(default_factory=dict)
    _grouped: set[int] = field(default_factory=set)
    """Reductions of the second program that were made of several."""
    _kept: list[Any] = field(default_factory=list)
    """What numbers of objects stand for: kept, so that no other object gets them."""

    # --- the whole

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

    def row(self, each: Any) -> Any:
        """A tensor or term by the numbers of the record."""
        if isinstance(each, dict):
            return {**self.numbered(each), **({"body": self.order[each["body"]]} if "body" in each else {})}
        match self.table.nodes[each]:
            case ("apply", op, dtype, attrs, args):
                return ["apply", op, dtype, attrs, [self.order[a] for a in args]]
            case ("choose", *parts):
                return ["choose", *(self.order[part] for part in parts)]
            case ("fold", op, start, axes, guard, body, free):
                return [
                    "fold",
                    op,
                    self.order[start],
                    self.numbered(axes),
                    self.numbered(guard),
                    self.order[body],
                    free,
                ]
            case node:
                return self.numbered(node)

    def numbered(self, e: Any) -> Any:
        """What is spelled, by the numbers of the record."""
        match e:
            case ["elem", int()]:
                return ["elem", self.order[e[1]]]
            case list() | tuple():
                return [self.numbered(part) for part in e]
            case dict():
                return {key: self.numbered(part) for key, part in e.items()}
            case _:
                return e

    def numbered_step(self, row: dict[str, Any]) -> Any:
        return {**self.numbered(row), **{side: self.order[row[side]] for side in ("first", "second")}}

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

    def never(self, t: Term, at: Scope) -> list[Row]:
        """The claims by which an element is never poison."""
        match t:
            case Int() | Number():
                return []
            case Apply(op, dtype, args) if total(op, dtype, [a.dtype for a in args]):
                return [row for a in args for row in self.never(a, at)]
            case Load(tensor, indices):
                found = self.bounds(t, at, True)
                return (
                    found if tensor.body is None else [*found, *self.never(self.descent.terms.at(tensor, indices), at)]
                )
            case Choose(Int(c), yes, no):
                return [*self.never(yes, self.inside(at, c)), *self.never(no, self.inside(at, Not(c)))]
            case Choose(c, yes, no):
                return [row for each in (c, yes, no) for row in self.never(each, at)]
            case Fold():
                below = self.items(t, at)
                return [*self.never(t.start, at), *self.never(t.body, below)]
        raise NoRecord(f"{said(t)} that is never poison")

    def items(self, t: Fold, at: Scope) -> Scope:
        """What is known of the items of a reduction."""
        for v, extent in t.axes:
            at = self.inside(at, *within(v, extent))
        return at if t.guard is None else self.inside(at, t.guard)

    # --- tables

    def spell(self, e: PrimExpr) -> Any:
        try:
            spelling = _Spelling(self)
            return spelling.truth(e) if e.dtype == "bool" else spelling.integer(e)
        except Untranslatable as problem:
            raise NoRecord(f"an index that certificates cannot say ({problem})") from None

    def term(self, t: Term) -> int:
        """The number of a term in the table."""
        if id(t) not in self._terms:
            number = self.table.number(self.table.node(self._spelled(t)))
            self._kept.append(t)
            self._terms[id(t)] = number
            if number not in self.order:
                self.order[number] = len(self.order)
                self.rows.append(number)
        return self._terms[id(t)]

    def _spelled(self, t: Term) -> Row:
        match t:
            case Int(value):
                return ["int", t.dtype, self.spell(value)]
            case Number(dtype, bits):
                return ["number", dtype, bits]
            case Apply(op, dtype, args, attrs):
                return ["apply", op, dtype, repr(attrs) if attrs else "", [self.term(a) for a in args]]
            case Load(tensor, indices):
                return ["load", self.tensor(tensor), [self.spell(i) for i in indices]]
            case Choose(condition, yes, no):
                return ["choose", self.term(condition), self.term(yes), self.term(no)]
            case Fold():
                axes = [[v.name, self.spell(extent)] for v, extent in t.axes]
                guard = None if t.guard is None else self.spell(t.guard)
                free = GROUPED if id(t) in self._grouped else t.free
                return ["fold", t.op, self.term(t.start), axes, guard, self.term(t.body), free]
            case OpenTerm():
                return ["open"]
            case Identity(op, dtype):
                return ["nothing", op, dtype]
        raise NoRecord(f"a term that records do not say ({type(t).__name__})")

    def tensor(self, t: TensorTerm) -> int:
        """The number of a tensor in the table."""
        if id(t) not in self._tensors:
            row: dict[str, Any] = {"dtype": t.dtype, "shape": [self.spell(d) for d in t.shape]}
            if t.body is not None:
                row |= {"body": self.term(t.body), "variables": [v.name for v in t.vars]}
            elif t.data is not None:
                row |= {"data": list(t.data)}
            elif t.computed:
                row |= {"poison": True}
            self._kept.append(t)
            self._tensors[id(t)] = len(self._tensors)
            self.table.take_tensor(row)
            self.rows.append(row)
        return self._tensors[id(t)]

    def scope(self, given: Given) -> Scope:
        """What is known, as a context of the record."""
        if given not in self._scopes:
            spelled = [self.spell(each) for each in given]
            known = known_with(self.table, self.steps.base, [self.table.truth(each) for each in spelled])
            self._scopes[given] = Scope(given, known, self._context(given, known, spelled))
        return self._scopes[given]

    def _context(self, given: Given, known: Known, spelled: list[Any]) -> int:
        self.steps.contexts.append(known)
        self.contexts.append(spelled)
        return len(self.contexts) - 1

    def inside(self, at: Scope, *facts: PrimExpr) -> Scope:
        return self.scope((*at.given, *(each for each in facts if each not in at.given)))

    # --- claims

    def equal(self, a: PrimExpr, b: PrimExpr, at: Scope) -> list[Row]:
        """Claims by which two integers are equal."""
        return [] if a == b else self.needed(compare("EQ", a, b), at)

    def needed(self, e: PrimExpr, at: Scope) -> list[Row]:
        """Claims by which ``e`` holds.

        Raises:
            NoRecord: it is not shown, or there is no log of it.
        """
        found = self.seen(e, at)
        if found is None:
            raise NoRecord(f"a claim that is not shown: {expression(e)} under {', '.join(map(expression, at.given))}")
        return found

    def seen(self, e: PrimExpr, at: Scope) -> list[Row] | None:
        """Claims by which ``e`` holds, if it is seen to."""
        match e:
            case Binary("And", a, b):
                one, other = self.seen(a, at), self.seen(b, at)
                return None if one is None or other is None else [*one, *other]
            case Binary("Or", a, b):
                one = self.seen(a, at)
                return self.seen(b, at) if one is None else one
            case Not(a) if not isinstance(turned := negation(a), Not):
                return self.seen(turned, at)
        key = self.table.truth_key(self.table.truth(self.spell(e)))
        if Shown(self.table, []).holds(key, at.known):
            return []
        if not self.descent.logic.holds(e, at.given, "a step of the record"):
            return None
        return [self.certified(e, at)]

    def certified(self, e: PrimExpr, at: Scope) -> Row:
        logic = self.descent.logic
        given = logic.relevant(e, [*logic.base, *at.given])
        numbered, names = by_number((e, *given))
        if numbered not in self._claims:
            self._claims[numbered] = self._certificate(numbered)
        number = self._claims[numbered]
        if number is None:
            raise NoRecord(f"a claim without a log: {expression(e)}")
        query = Query(numbered[0], numbered[1:], None, "require")
        kinds = query.symbols()
        return [number, [self.spell(SymVar(names.get(name, name), kinds[name])) for name in kinds]]

    def _certificate(self, numbered: tuple[PrimExpr, ...]) -> int | None:
        claim, *given = numbered
        for effort in ("quick", "normal"):
            answer = Prover(tuple(given), effort, division="require", arithmetic="no-overflow").prove(claim)
            if not isinstance(answer, Proved):
                continue
            try:
                made = Certificate(Query(claim, tuple(given), None, "require"), answer.certificate.stages)
                document = made.document(effort)
            except NoCertificate:
                return None
            if document["evidence"]["kind"] == "smt2":
                continue
            self.documents.append({"question": document["question"], "evidence": document["evidence"]})
            return len(self.documents) - 1
        return None

    def bounds(self, t: Load, at: Scope, second: bool) -> list[Row]:
        return [row for each in in_bounds(t) for row in self.needed(each, at)] if second else []

    # --- steps

    @rule("sh/descent-steps")
    def step(self, name: str, a: Term, b: Term, at: Scope, **parts: Any) -> int:
        """A step that the checker has taken in."""
        row = {"rule": name, "first": self.term(a), "second": self.term(b), "under": at.number, **parts}
        row = {key: value for key, value in row.items() if value not in ([], None) or key == "under"}
        try:
            self.steps.check(dict(row))
        except Rejected as problem:
            raise NoRecord(f"{name}: {problem}") from None
        self.written.append(row)
        return len(self.written) - 1

    def everywhere(self, a: TensorTerm, b: TensorTerm) -> tuple[list[str], int]:
        """The step that compares the elements of two tensors at new indices."""
        key = (id(a), id(b))
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
        key = (id(a), id(b), at.number)
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
                return self.rewrite(a, b, at, second, moved)
        for t in (a, b):
            if isinstance(t, Choose) and isinstance(t.condition, Int):
                return self.cases(t.condition.value, a, b, at)
        for second, t in ((False, a), (True, b)):
            if isinstance(t, Load) and t.tensor.body is not None:
                return self.rewrite(a, b, at, second, self.unfolded(t, at, second))
        return self.heads(a, b, at)

    @rule("sh/descent-rewrites")
    def rewrite(self, a: Term, b: Term, at: Scope, second: bool, moved: Moved) -> int:
        """What one side is by a rule, and then the rest."""
        how, claims, new = moved
        premise = self.prove(a, new, at) if second else self.prove(new, b, at)
        side = "second" if second else "first"
        return self.step("rewrite", a, b, at, side=side, by=how, claims=claims, premises=[premise])

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

    # --- one side

    def head(self, t: Term, at: Scope, second: bool) -> Moved | None:
        """A term brought forward: views unfolded, decided choices taken, laws applied."""
        terms = self.descent.terms
        match t:
            case Load(tensor) if tensor.data is not None and len(set(tensor.data)) == 1:
                return ["constant"], self.bounds(t, at, second), terms.number(tensor.dtype, tensor.data[0])
            case Load(tensor) if is_view(tensor):
                return self.unfolded(t, at, second)
            case Load(tensor, indices) if any(map(divides, indices)):
                short = tuple(simplified(i, at.given, self.descent.logic) for i in indices)
                if short != indices:
                    claims = [row for x, y in zip(indices, short, strict=True) for row in self.equal(x, y, at)]
                    return ["indices", [self.spell(i) for i in short]], claims, terms.load(tensor, short)
            case Choose(Int(c), yes, no):
                for holds, condition, arm in ((True, c, yes), (False, Not(c), no)):
                    decided = self.seen(condition, at)
                    if decided is not None:
                        return ["arm", holds], decided, arm
            case Choose(Apply("Not", _, (inner,)), yes, no):
                return ["turn"], [], terms.choose(inner, no, yes)
            case Choose(c, yes, no):
                if (found := self.exposed(c, at, second)) is not None:
                    return ["condition", found[0]], found[1], terms.choose(found[2], yes, no)
            case Apply(op, dtype, args, attrs):
                if (new := apply(terms, op, dtype, args, attrs)) is not t:
                    return ["law", self.law(t, new)], [], new
                for k, each in enumerate(args):
                    if (found := self.exposed(each, at, second)) is not None:
                        new_args = (*args[:k], found[2], *args[k + 1 :])
                        return ["operand", k, found[0]], found[1], terms.apply(op, dtype, new_args, attrs)
            case Fold():
                return self.fold_head(t, at, second)
        return None

    def exposed(self, t: Term, at: Scope, second: bool) -> Moved | None:
        """A part of an operation brought forward, where it is an integer, a number or a truth behind a load."""
        body = t.tensor.body if isinstance(t, Load) else None
        if isinstance(t, Load) and (isinstance(body, Int | Number) or (body is not None and t.dtype == "bool")):
            try:
                return self.unfolded(t, at, second)
            except NoRecord:
                return None
        if isinstance(t, Load) and body is None and not (t.tensor.data is not None and len(set(t.tensor.data)) == 1):
            return None
        if isinstance(t, Load) and not is_view(t.tensor) and body is not None:
            return None
        try:
            return self.head(t, at, second)
        except NoRecord:
            return None

    def single(self, t: Fold) -> Term:
        """A reduction without its axes of one point."""
        terms = self.descent.terms
        gone: dict[str, PrimExpr] = {v.name: int_imm(0, v.dtype) for v, extent in t.axes if as_int(extent) == 1}
        axes = tuple((v, terms.index(e, gone)) for v, e in t.axes if v.name not in gone)
        body = terms.replaced(t.body, gone)
        if not axes:
            return terms.apply(t.op, t.dtype, (t.start, body))
        guard = None if t.guard is None else terms.index(t.guard, gone)
        return terms.fold(t.op, t.start, axes, guard, body, t.free)

    def fold_head(self, t: Fold, at: Scope, second: bool) -> Moved | None:
        if (idle := self.idle(t, at, second)) is not None:
            return idle
        for k, (_, extent) in enumerate(t.axes):
            one = all(as_int(each) == 1 for _, each in t.axes)
            if as_int(extent) == 1 and not (one and t.guard is not None):
                return ["single"], [], self.single(t)
            if free_symbols(extent) & {v.name for v, _ in t.axes}:
                continue
            claims = self.seen(compare("LE", extent, int_imm(0, extent.dtype)), at)
            if claims is not None:
                return ["empty", k], claims, t.start
        return None

    @rule("sh/descent-laws")
    def law(self, t: Term, new: Term) -> str:
        """The name of the law by which a term is another."""
        wanted = self.table.key(self.term(new))
        for name, law in LAWS.items():
            found = law(self.table, self.table.nodes[self.term(t)])
            if found is not None and self.table.key(found) == wanted:
                return name
        raise NoRecord(f"a law of {said(t)}")

    def unfolded(self, t: Load, at: Scope, second: bool) -> Moved:
        return ["unfold"], self.bounds(t, at, second), self.descent.terms.at(t.tensor, t.indices)

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

    def decided(self, e: PrimExpr, at: Scope) -> bool:
        return self.seen(e, at) is not None or self.seen(Not(e), at) is not None

    def case(self, a: Term, b: Term, at: Scope) -> int:
        if self.descent.logic.absurd(at.given):
            last = at.given[-1]
            claims = self.seen(last.a if isinstance(last, Not) else negation(last), self.scope(at.given[:-1]))
            if claims is not None:
                return self.step("absurd", a, b, at, claims=claims)
        return self.prove(a, b, at)

    def heads(self, a: Term, b: Term, at: Scope) -> int:
        match a, b:
            case Int(x), Int(y) if x.dtype == y.dtype:
                same = Binary("EQ", x, y) if x.dtype == "bool" else compare("EQ", x, y)
                return self.step("integers", a, b, at, claims=self.needed(same, at))
            case Number(), Number():
                return self.step("same", a, b, at)
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
                return self.folds(a, b, at)
            case Apply(), Apply():
                return self.operation(a, b, at)
        raise NoRecord(unequal(self.descent.terms, a, b))

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

    # --- reductions

    def folds(self, a: Fold, b: Fold, at: Scope) -> int:
        """Two reductions: in one of the ways that pair their items."""
        if a.op != b.op or a.dtype != b.dtype:
            raise NoRecord(f"{said(a)} beside {said(b)}")
        start = self.prove(a.start, b.start, at)
        why = ""
        for ours, theirs, flat in self.ways(a, b):
            try:
                return self.flat(a, b, ours, theirs, start, at) if flat else self.paired(a, b, theirs, start, at)
            except NoRecord as problem:
                why = why or str(problem)
        for second, t in ((True, b), (False, a)):
            if (found := self.merged(t, at, second)) is not None:
                return self.rewrite(a, b, at, second, found)
        raise NoRecord(why or f"{said(a)} by no way")

    def ways(self, a: Fold, b: Fold) -> Iterator[tuple[Axes, Axes, bool]]:
        same = len(a.axes) == len(b.axes)
        if same:
            yield a.axes, b.axes, False
        yield a.axes, b.axes, True
        for each in islice(permutations(b.axes), 1, MOST_ORDERS):
            if same:
                yield a.axes, each, False
            yield a.axes, each, True
        for each in islice(permutations(a.axes), 1, MOST_ORDERS):
            yield each, b.axes, True

    def paired(self, a: Fold, b: Fold, theirs: Axes, start: int, at: Scope) -> int:
        """Axis by axis, with the same new variables."""
        terms = self.descent.terms
        by_a: dict[str, PrimExpr] = {}
        by_b: dict[str, PrimExpr] = {}
        claims: list[Row] = []
        names: list[str] = []
        below = at
        for (v, extent), (w, other) in zip(a.axes, theirs, strict=True):
            extent, other = terms.index(extent, by_a), terms.index(other, by_b)
            claims += self.equal(extent, other, below)
            new = terms.fresh("k", v.dtype)
            by_a[v.name] = by_b[w.name] = new
            names.append(new.name)
            below = self.inside(below, *within(new, extent))
        premises = [start, self.prove(self.item(a, by_a, None), self.item(b, by_b, None), below)]
        order = None if theirs == b.axes else [b.axes.index(each) for each in theirs]
        return self.step("fold", a, b, at, variables=names, order=order, claims=claims, premises=premises)

    def flat(self, a: Fold, b: Fold, ours: Axes, theirs: Axes, start: int, at: Scope) -> int:
        """Over one index, the digits of which are the axes."""
        dtype = ours[0][0].dtype
        if any(v.dtype != dtype for v, _ in (*ours, *theirs)) or not (independent(ours) and independent(theirs)):
            raise NoRecord("axes that are no digits of one index")
        claims = [
            row
            for axes in (ours, theirs)
            for _, extent in (axes if len(axes) > 1 else ())
            for row in self.needed(compare("GE", extent, int_imm(0, dtype)), at)
        ]
        k = self.descent.terms.fresh("k", dtype)
        (by_a, count_a), (by_b, count_b) = digits(k, ours), digits(k, theirs)
        shorter, count = "", count_a
        inside: list[PrimExpr | None] = [None, None]
        found = self.seen(compare("EQ", count_a, count_b), at)
        if found is None and (found := self.seen(compare("LE", count_a, count_b), at)) is not None:
            shorter, count, inside[0] = "first", count_b, compare("LT", k, count_a)
        if found is None and (found := self.seen(compare("LE", count_b, count_a), at)) is not None:
            shorter, inside[1] = "second", compare("LT", k, count_b)
        if found is None:
            raise NoRecord("numbers of items that are not comparable")
        below = self.inside(at, *within(k, count))
        premises = [start, self.prove(self.item(a, by_a, inside[0]), self.item(b, by_b, inside[1]), below)]
        orders = {
            f"order of {which}": [fold.axes.index(each) for each in axes]
            for which, fold, axes in (("first", a, ours), ("second", b, theirs))
            if axes != fold.axes
        }
        parts = {"variables": [k.name], "claims": [*claims, *found], "premises": premises, **orders}
        return self.step("flat", a, b, at, **parts, **({"shorter": shorter} if shorter else {}))

    def item(self, fold: Fold, by: dict[str, PrimExpr], only: PrimExpr | None) -> Term:
        terms = self.descent.terms
        body = terms.replaced(fold.body, by)
        guards = [*([] if only is None else [only]), *([] if fold.guard is None else [terms.index(fold.guard, by)])]
        condition = all_of(guards)
        if condition is None:
            return body
        start = fold.start
        neutral = isinstance(start, Number | Int) and is_identity(fold.op, start) and not is_minus_zero(start)
        return terms.choose(terms.integer(condition), body, terms.identity(fold.op if neutral else "", fold.dtype))

    def idle(self, t: Fold, at: Scope, second: bool) -> Moved | None:
        """A reduction from what changes nothing, of what changes nothing, as its start."""
        if not isinstance(t.start, Number | Int) or not is_identity(t.op, t.start) or is_minus_zero(t.start):
            return None
        found = self.brought(t, at, second, deep=False)
        if found is None or not isinstance(found[2], Number | Int) or not is_identity(t.op, found[2]):
            return None
        return ["idle", found[0]], found[1], t.start

    def brought(self, t: Fold, at: Scope, second: bool, deep: bool) -> tuple[list[How], list[Row], Term] | None:
        """The item of a reduction brought forward; ``deep``: behind loads of what is computed."""
        if {v.name for v, _ in t.axes} & at.known.names:
            return None
        below, body, claims = self.items(t, at), t.body, list[Row]()
        hows: list[How] = []
        try:
            while not isinstance(body, Fold):
                moved = self.head(body, below, second)
                if moved is None and deep and isinstance(body, Load) and body.tensor.body is not None:
                    moved = self.unfolded(body, below, second)
                if moved is None:
                    break
                hows.append(moved[0])
                claims += moved[1]
                body = moved[2]
        except NoRecord:
            return None
        return hows, claims, body

    def merged(self, t: Fold, at: Scope, second: bool) -> Moved | None:
        """A reduction of reductions as one."""
        if t.guard is not None or {v.name for v, _ in t.axes} & at.known.names:
            return None
        found = self.brought(t, at, second, deep=True)
        if found is None:
            return None
        hows, claims, body = found
        if not isinstance(body, Fold) or body.op != t.op:
            return None
        new = Fold(t.op, t.start, (*t.axes, *body.axes), body.guard, body.body, t.free)
        self._kept.append(new)
        if second:
            self._grouped.add(id(new))
        return ["merge", hows], claims, new


def is_view(tensor: TensorTerm) -> bool:
    """Whether an element of the tensor is an element of another, or a choice between such."""
    body = tensor.body
    return isinstance(body, Load | Number | Int | OpenTerm) or (
        isinstance(body, Choose) and isinstance(body.condition, Int)
    )


def atoms(e: PrimExpr) -> list[PrimExpr]:
    """The comparisons of a condition."""
    return [*atoms(e.a), *atoms(e.b)] if isinstance(e, Binary) and e.op in ("And", "Or") else [e]


def independent(axes: Axes) -> bool:
    names = {v.name for v, _ in axes}
    return not any(free_symbols(extent) & names for _, extent in axes)


def said(t: Term) -> str:
    return f"{type(t).__name__} {t.op}" if isinstance(t, Apply | Fold) else type(t).__name__
