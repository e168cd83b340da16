"""What a record is made of while it is written: tensors and terms by number, contexts, steps that were taken in.

Spec: ``spec/06c-pointwise.md``, ``sh/descent-record``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from refrelax.rules import rule
from refrelax.shape_solver.checker.terms import Rejected
from refrelax.shape_solver.descents.claims import Known
from refrelax.shape_solver.descents.claims import assumed as known_with
from refrelax.shape_solver.descents.steps import Steps
from refrelax.shape_solver.descents.terms import GROUPED, Table
from refrelax.shape_solver.pointwise.descent import Descent
from refrelax.shape_solver.pointwise.logic import Given
from refrelax.shape_solver.pointwise.terms import (
    Apply,
    Choose,
    Fact,
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
from refrelax.syntax.scalars import PrimExpr, SymVar

Axes = tuple[tuple[SymVar, PrimExpr], ...]
Row = list[Any]
How = list[Any]
Moved = tuple[How, list[Row], Term]
"""A rule for one side, the claims that it needs, and what it gives."""


class NoRecord(Exception):
    """No rule says a step; why."""


@dataclass(frozen=True, slots=True)
class Scope:
    """What is known at a step: as the solver is asked, and as the checker has it."""

    given: Given
    known: Known
    number: int


class _Spelling(Core):
    """Integers as a record spells them: symbols by name, opaque ones as the elements that they are."""

    def __init__(self, tables: Tables) -> None:
        super().__init__({})
        self.tables = tables

    def symbol(self, name: str) -> Any:
        terms = self.tables.descent.terms
        if name in terms.opaque:
            return ["elem", self.tables.term(terms.opaque[name])]
        return ["sym", name]


@dataclass(slots=True)
class Tables:
    """The tables of one record under way."""

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
    objects: dict[int, Term] = field(default_factory=dict)
    """The terms by their numbers."""
    _terms: dict[int, int] = field(default_factory=dict)
    _tensors: dict[int, int] = field(default_factory=dict)
    _scopes: dict[Given, Scope] = field(default_factory=dict)
    _grouped: set[int] = field(default_factory=set)
    """Reductions of the second program that were made of several."""
    _kept: list[Any] = field(default_factory=list)
    """What numbers of objects stand for: kept, so that no other object gets them."""

    # --- by the numbers of the record

    def row(self, each: Any) -> Any:
        """A tensor or term by the numbers of the record."""
        if isinstance(each, dict):
            facts = [[*self.numbered(parts), self.order[value]] for *parts, value in each.get("facts", ())]
            body = {"body": self.order[each["body"]]} if "body" in each else {}
            return {**self.numbered(each), **body, **({"facts": facts} if facts else {})}
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

    # --- terms

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
            self.objects.setdefault(number, t)
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
            if facts := self.descent.terms.facts.get(id(t)):
                row |= {"facts": [self.fact(each) for each in facts]}
            self._kept.append(t)
            self._tensors[id(t)] = len(self._tensors)
            self.table.take_tensor(row)
            self.rows.append(row)
        return self._tensors[id(t)]

    def fact(self, fact: Fact) -> Row:
        names = sorted(fact.over)
        spelled = [list(map(self.spell, each)) for each in (fact.given, fact.indices)]
        return [names, *spelled, self.term(fact.value)]

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


def said(t: Term) -> str:
    return f"{type(t).__name__} {t.op}" if isinstance(t, Apply | Fold) else type(t).__name__
