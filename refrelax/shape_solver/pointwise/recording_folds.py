"""Writing down that two reductions have the same items.

Spec: ``spec/06c-pointwise.md``, ``sh/descent-steps``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations, islice, permutations
from typing import Any

from refrelax.rules import rule
from refrelax.shape_solver.descents.formats import RELAXED
from refrelax.shape_solver.pointwise.logic import all_of, compare, within
from refrelax.shape_solver.pointwise.recording_sides import Sides
from refrelax.shape_solver.pointwise.recording_tables import Axes, Moved, NoRecord, Row, Scope, said
from refrelax.shape_solver.pointwise.regroup import MOST_REVERSED, digits, is_identity, is_minus_zero
from refrelax.shape_solver.pointwise.terms import (
    Fold,
    Int,
    Number,
    Term,
)
from refrelax.syntax.scalars import Binary, PrimExpr, free_symbols, int_imm

MOST_ORDERS = 24
Prove = Callable[[Term, Term, Scope], int]


@dataclass(slots=True)
class Folds(Sides):
    """A record under way, and how two reductions are compared.

    ``prove`` writes down what is said of starts and items."""

    def folds(self, a: Fold, b: Fold, at: Scope, prove: Prove) -> int:
        """Two reductions: in one of the ways that pair their items."""
        if a.op != b.op or a.dtype != b.dtype:
            raise NoRecord(f"{said(a)} beside {said(b)}")
        start = self.started(a, b, at, prove)
        why = ""
        for ours, theirs, flat in self.ways(a, b):
            try:
                return (
                    self.flat(a, b, ours, theirs, start, at, prove)
                    if flat
                    else self.paired(a, b, theirs, start, at, prove)
                )
            except NoRecord as problem:
                why = why or str(problem)
        for chosen in backwards(a, b):
            try:
                return self.paired(a, b, b.axes, start, at, prove, chosen)
            except NoRecord:
                continue
        for second, t in ((True, b), (False, a)):
            if (found := self.merged(t, at, second)) is not None:
                return self.rewrite(a, b, at, second, found, prove)
        raise NoRecord(why or f"{said(a)} by no way")

    def started(self, a: Fold, b: Fold, at: Scope, prove: Prove) -> int | str:
        """The step about the starts, or the relaxation under which they are the same."""
        match a.start, b.start:
            case Number(dtype, x), Number(other, y) if dtype == other and x != y:
                for (name, op), starts in RELAXED.items():
                    if op == a.op and name in self.descent.allowed and {x, y} <= starts(op, dtype):
                        return name
        return prove(a.start, b.start, at)

    @rule("sh/descent-rewrites")
    def rewrite(self, a: Term, b: Term, at: Scope, second: bool, moved: Moved, prove: Prove) -> int:
        """What one side is by a rule, and then the rest."""
        how, claims, new = moved
        premise = prove(a, new, at) if second else prove(new, b, at)
        side = "second" if second else "first"
        return self.step("rewrite", a, b, at, side=side, by=how, claims=claims, premises=[premise])

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

    def paired(
        self, a: Fold, b: Fold, theirs: Axes, start: int | str, at: Scope, prove: Prove, turned: tuple[int, ...] = ()
    ) -> int:
        """Axis by axis, with the same new variables; ``turned``: axes of the second one that are taken backwards."""
        terms = self.descent.terms
        by_a: dict[str, PrimExpr] = {}
        by_b: dict[str, PrimExpr] = {}
        claims: list[Row] = []
        names: list[str] = []
        below = at
        for k, ((v, extent), (w, other)) in enumerate(zip(a.axes, theirs, strict=True)):
            extent, other = terms.index(extent, by_a), terms.index(other, by_b)
            claims += self.equal(extent, other, below)
            new = terms.fresh("k", v.dtype)
            by_a[v.name] = by_b[w.name] = new
            if k in turned:
                by_b[w.name] = Binary("Sub", Binary("Sub", other, int_imm(1, other.dtype)), new)
            names.append(new.name)
            below = self.inside(below, *within(new, extent))
        item = prove(self.item(a, by_a, None), self.item(b, by_b, None), below)
        order = None if theirs == b.axes else [b.axes.index(each) for each in theirs]
        parts = {"variables": names, "order": order, "claims": claims, **with_starts(start, item)}
        return self.step("fold", a, b, at, **parts, backwards=list(turned))

    def flat(self, a: Fold, b: Fold, ours: Axes, theirs: Axes, start: int | str, at: Scope, prove: Prove) -> int:
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
        item = prove(self.item(a, by_a, inside[0]), self.item(b, by_b, inside[1]), below)
        orders = {
            f"order of {which}": [fold.axes.index(each) for each in axes]
            for which, fold, axes in (("first", a, ours), ("second", b, theirs))
            if axes != fold.axes
        }
        parts = {"variables": [k.name], "claims": [*claims, *found], **with_starts(start, item), **orders}
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


def with_starts(start: int | str, item: int) -> dict[str, Any]:
    """The premises about two reductions: of the starts, unless a relaxation takes them for the same, and the items."""
    return {"relaxed": start, "premises": [item]} if isinstance(start, str) else {"premises": [start, item]}


def backwards(a: Fold, b: Fold) -> Iterator[tuple[int, ...]]:
    """Axes of the second reduction that may be taken backwards, by number."""
    if len(a.axes) == len(b.axes) <= MOST_REVERSED and independent(b.axes):
        for count in range(1, len(b.axes) + 1):
            yield from combinations(range(len(b.axes)), count)


def independent(axes: Axes) -> bool:
    names = {v.name for v, _ in axes}
    return not any(free_symbols(extent) & names for _, extent in axes)
