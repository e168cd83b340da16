"""Two reductions: the same items, one for one.

In order: axis by axis; axis by axis in another order; over one flat index (split, fused and padded axes), in the same
and in other orders of the axes; and reductions of reductions as one. Where the first program's reduction does not
permit any order by definition, another grouping of floats is the relaxation ``reassociation``, and is reported.

Spec: ``spec/06c-pointwise.md``, ``sh/regroup``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations, permutations
from typing import TYPE_CHECKING

from refrelax.rules import rule
from refrelax.semantics.dims import substitute
from refrelax.semantics.numbers.bounds import EXTREME_IDENTITY, REASSOCIATION, ZERO_SIGN
from refrelax.shape_solver.pointwise.elements import apply
from refrelax.shape_solver.pointwise.logic import Given, all_of, compare
from refrelax.shape_solver.pointwise.terms import Apply, Choose, Fold, Identity, Int, Number, Term, mentions
from refrelax.syntax import bits, dtypes
from refrelax.syntax.scalars import Binary, Literal, Not, PrimExpr, SymVar, as_int, free_symbols, int_imm

if TYPE_CHECKING:
    from refrelax.shape_solver.pointwise.descent import Descent

MOST_ORDERS = 24
MOST_UNROLLED = 16
MOST_REVERSED = 2
Axes = tuple[tuple[SymVar, PrimExpr], ...]


@dataclass(slots=True)
class Regroup:
    """Comparisons of reductions at one point of a descent."""

    descent: Descent
    given: Given

    @rule("sh/regroup")
    def folds(self, a: Term, b: Term) -> bool:
        """Whether ``b`` gives a result that ``a`` permits; at least one of them is a reduction."""
        if not (isinstance(a, Fold) and isinstance(b, Fold)):
            return self._unrolled(a, b)
        if a.op != b.op or a.dtype != b.dtype:
            return False
        if not self._starts(a, b):
            return False
        if b.free and not a.free and not self._relaxed(a):
            return False
        if any(self._way(a, b, *way) for way in self._ways(a, b)):
            return True
        return self._merged(a, b) or self._reversed(a, b)

    def _reversed(self, a: Fold, b: Fold) -> bool:
        """Where any order is permitted: with some axes of the second one backwards."""
        if len(a.axes) != len(b.axes) or len(b.axes) > MOST_REVERSED:
            return False
        said = len(self.descent.trail)
        for count in range(1, len(b.axes) + 1):
            for chosen in combinations(b.axes, count):
                one = {v.name: int_imm(1, v.dtype) for v, _ in chosen}
                last = {v.name: Binary("Sub", extent, one[v.name]) for v, extent in chosen}
                by: dict[str, PrimExpr] = {v.name: Binary("Sub", last[v.name], v) for v, _ in chosen}
                if any(free_symbols(extent) & by.keys() for _, extent in b.axes):
                    continue
                guard = None if b.guard is None else self._at(b.guard, by)
                turned = replace(b, guard=guard, body=self.descent.terms.replaced(b.body, by))
                if self._way(a, turned, a.axes, b.axes, False, False):
                    return True
                del self.descent.trail[said:]  # (what does not fit backwards is no news)
        return False

    # --- starts

    def _starts(self, a: Fold, b: Fold) -> bool:
        if self.descent.equal(a.start, b.start, self.given):
            return True
        x = self.descent.exposed(a.start, self.given, False, numbers=True)
        y = self.descent.exposed(b.start, self.given, True, numbers=True)
        if not (isinstance(x, Number) and isinstance(y, Number) and x.dtype == y.dtype):
            return False
        if a.op in ("Max", "Min"):
            least = {_infinite(a.op, a.dtype), _last(a.op, a.dtype)}
            return {x.bits, y.bits} <= least and self.descent.relax(EXTREME_IDENTITY)
        zeros = a.op == "Add" and {x.bits, y.bits} <= _neutral("Add", x.dtype)
        return zeros and self.descent.relax(ZERO_SIGN)

    # --- pairing the items

    def _ways(self, a: Fold, b: Fold) -> Iterator[tuple[Axes, Axes, bool, bool]]:
        """Axes of both in some order; whether to flatten them; whether that keeps the order of the items."""
        same = len(a.axes) == len(b.axes)
        if same:
            yield a.axes, b.axes, False, True
        yield a.axes, b.axes, True, True
        if same and len(b.axes) > 1:
            for each in _orders(b.axes):
                yield a.axes, each, False, False
        if len(a.axes) > 1 and _independent(a.axes):
            for each in _orders(a.axes):
                yield each, b.axes, True, False
        if len(b.axes) > 1 and _independent(b.axes):
            for each in _orders(b.axes):
                yield a.axes, each, True, False

    def _way(self, a: Fold, b: Fold, ours: Axes, theirs: Axes, flat: bool, ordered: bool) -> bool:
        if not ordered and not (a.free or self._may_relax(a)):
            return False
        found = self._flat(a, b, ours, theirs) if flat else self._paired(a, b, ours, theirs)
        return found and (ordered or self._permitted(a, a.free))

    def _paired(self, a: Fold, b: Fold, ours: Axes, theirs: Axes) -> bool:
        """Axis by axis, with the same fresh variables."""
        by_a: dict[str, PrimExpr] = {}
        by_b: dict[str, PrimExpr] = {}
        known = self.given
        for (v, extent), (w, other) in zip(ours, theirs, strict=True):
            extent, other = self._at(extent, by_a), self._at(other, by_b)
            if v.dtype != w.dtype and as_int(extent) is None:
                return False
            if not self.descent.logic.equal(extent, other, known, "extent of a reduction"):
                return False
            new = self.descent.terms.fresh("k", v.dtype)
            by_a[v.name] = by_b[w.name] = new
            known = (*known, *self.descent.logic.domain(new, extent))
        return self._items(a, b, by_a, by_b, None, None, known)

    def _flat(self, a: Fold, b: Fold, ours: Axes, theirs: Axes) -> bool:
        """Over one index, the digits of which are the axes; where one has more items, these combine nothing."""
        if not (_independent(ours) and _independent(theirs)):
            return False
        logic, dtype = self.descent.logic, ours[0][0].dtype
        if any(v.dtype != dtype for v, _ in (*ours, *theirs)):
            return False
        for axes in (ours, theirs):  # the product of two negative extents would be items
            if len(axes) > 1 and not all(self._natural(extent) for _, extent in axes):
                return False
        k = self.descent.terms.fresh("k", dtype)
        (by_a, count_a), (by_b, count_b) = digits(k, ours), digits(k, theirs)
        within_a = within_b = None
        if logic.equal(count_a, count_b, self.given, "number of items"):
            count = count_a
        elif logic.holds(compare("LE", count_a, count_b), self.given, "number of items"):
            count, within_a = count_b, compare("LT", k, count_a)
        elif logic.holds(compare("LE", count_b, count_a), self.given, "number of items"):
            count, within_b = count_a, compare("LT", k, count_b)
        else:
            return False
        return self._items(a, b, by_a, by_b, within_a, within_b, (*self.given, *logic.domain(k, count)))

    def _natural(self, extent: PrimExpr) -> bool:
        zero = int_imm(0, extent.dtype)
        return self.descent.logic.holds(compare("GE", extent, zero), self.given, "extent of a reduction")

    def _items(
        self,
        a: Fold,
        b: Fold,
        by_a: dict[str, PrimExpr],
        by_b: dict[str, PrimExpr],
        within_a: PrimExpr | None,
        within_b: PrimExpr | None,
        known: Given,
    ) -> bool:
        return self.descent.equal(self._item(a, by_a, within_a), self._item(b, by_b, within_b), known)

    def _item(self, fold: Fold, by: dict[str, PrimExpr], only: PrimExpr | None) -> Term:
        """The item at a point; where the point does not count, nothing."""
        terms = self.descent.terms
        body = terms.replaced(fold.body, by)
        guards = ([] if only is None else [only]) + ([] if fold.guard is None else [self._at(fold.guard, by)])
        condition = all_of(guards)
        if condition is None:
            return body
        neutral = (
            isinstance(fold.start, Number | Int) and is_identity(fold.op, fold.start) and not is_minus_zero(fold.start)
        )
        return terms.choose(terms.integer(condition), body, terms.identity(fold.op if neutral else "", fold.dtype))

    def _at(self, e: PrimExpr, by: dict[str, PrimExpr]) -> PrimExpr:
        return self.descent.terms.index(e, by)

    # --- reductions of reductions

    def _merged(self, a: Fold, b: Fold) -> bool:
        """Sums of sums as one sum: the second may group what the first leaves to any order."""
        ours, theirs = self._flattened(a, False), self._flattened(b, True)
        if ours is a and theirs is b:
            return False
        if (ours is not a or not a.free) and not self._may_relax(a):
            return False
        if any(self._way(ours, theirs, *way) for way in self._ways(ours, theirs)):
            return self._permitted(a, ours is a and a.free)
        return False

    def _flattened(self, fold: Fold, checked: bool) -> Fold:
        """``checked``: loads must be in bounds, as they must be in the second program."""
        terms, known = self.descent.terms, self.given
        for v, extent in fold.axes:
            known = (*known, *self.descent.logic.domain(v, extent))
        body = self.descent.exposed(fold.body, known, checked)
        if not isinstance(body, Fold) or body.op != fold.op:
            return fold
        if isinstance(start := self.descent.exposed(body.start, known, checked), Number | Int):
            body = self._again(body, start, body.body)
        again = fold.op in ("Max", "Min") and body.start is fold.start and _definite(body.start)
        if not again and not is_identity(fold.op, body.start):
            return fold
        if fold.guard is not None or is_minus_zero(body.start) or not self._plain_start(fold):
            return fold
        inner = Regroup(self.descent, known)._flattened(body, checked)
        names = {v.name: terms.fresh("k", v.dtype) for v, _ in inner.axes}
        by: dict[str, PrimExpr] = {**names}
        axes = tuple((names[v.name], self._at(extent, by)) for v, extent in inner.axes)
        guard = None if inner.guard is None else self._at(inner.guard, by)
        new = terms.fold(
            fold.op,
            fold.start,
            (*fold.axes, *axes),
            guard,
            terms.replaced(inner.body, by),
            fold.free,
        )
        assert isinstance(new, Fold)
        return new

    def _plain_start(self, fold: Fold) -> bool:
        """Whether adding +0 (the start of an inner sum) to the start changes nothing: not if it may be -0."""
        if fold.op != "Add" or not dtypes.is_float(fold.dtype):
            return True
        return isinstance(fold.start, Number) and not is_minus_zero(fold.start)

    # --- short reductions

    def collapsed(self, fold: Fold, checked: bool) -> Term:
        """Without axes of one point; a reduction of one item from a start that changes nothing is that item; items that
        change nothing are left out."""
        terms = self.descent.terms
        known = self.given
        for v, extent in fold.axes:
            known = (*known, *self.descent.logic.domain(v, extent))
        if (started := self._started(fold, known, checked)) is not fold:
            return started
        if is_identity(fold.op, fold.start) and not is_minus_zero(fold.start):
            views = not any(isinstance(each, SymVar | Not) for each in self.given)  # (or data decide what it is)
            item = self.descent.exposed(fold.body, known, checked, numbers=views)
            if isinstance(item, Number | Int) and is_identity(fold.op, item):
                return fold.start
        if (same := self._all_one(fold, known, checked)) is not None:
            return apply(terms, fold.op, fold.dtype, (fold.start, same))
        single: dict[str, PrimExpr] = {v.name: int_imm(0, v.dtype) for v, extent in fold.axes if as_int(extent) == 1}
        if not single:
            return fold
        axes = tuple((v, self._at(e, single)) for v, e in fold.axes if v.name not in single)
        guard = None if fold.guard is None else self._at(fold.guard, single)
        body = terms.replaced(fold.body, single)
        if axes or guard is not None:
            return terms.fold(fold.op, fold.start, axes, guard, body, fold.free) if axes else fold
        start = self.descent.exposed(fold.start, self.given, checked, numbers=True)
        permits = checked and dtypes.is_float(fold.dtype)  # an infinity beside a NaN: not what the item is
        if fold.op != "Add" and isinstance(start, Number | Int) and is_identity(fold.op, start):
            if not (permits and fold.op in ("Max", "Min")):
                return body
        return terms.apply(fold.op, fold.dtype, (fold.start, body))

    def _all_one(self, fold: Fold, known: Given, checked: bool) -> Term | None:
        """The item of an extreme, of at least one, that is the same at every point."""
        if fold.op not in ("Max", "Min", "And", "Or"):
            return None
        item = self.descent.exposed(fold.body, known, checked, numbers=True)
        axes = frozenset(v.name for v, _ in fold.axes)
        return None if mentions(self.descent.terms, item, axes) or not self._nonempty(fold) else item

    @rule("sh/regroup")
    def _started(self, fold: Fold, known: Given, checked: bool) -> Fold:
        """A reduction with the start that its items bring along: a sum from -0 of items that are never -0 starts from
        +0, a maximum from minus infinity of maxima that start from ``c`` from ``c``, where there is an item; and in a
        sum from +0 the item ``+0 + x`` is ``x``."""
        start, body = fold.start, fold.body
        if fold.op == "Add" and isinstance(start, Number) and dtypes.is_float(fold.dtype):
            if not is_minus_zero(start):
                item = self._bare(body, known, checked) if _plus_zero(start) else body
                return fold if item is body else self._again(fold, start, item)
            if self._nonempty(fold) and _never_minus_zero(self.descent.exposed(body, known, checked)):
                return self._again(fold, self.descent.terms.number(fold.dtype, bits.encode(fold.dtype, 0.0)), body)
        if fold.op in ("Max", "Min") and isinstance(start, Number) and start.bits == _infinite(fold.op, fold.dtype):
            inner = self.descent.exposed(body, known, checked)
            if isinstance(inner, Fold) and inner.op == fold.op and _definite(inner.start) and inner.start is not start:
                return self._again(fold, inner.start, body) if self._nonempty(fold) else fold
        return fold

    def _bare(self, t: Term, known: Given, checked: bool) -> Term:
        """An item of a sum from +0 without a +0 that is added to it, in the arms of a choice as well."""
        shown = self.descent.exposed(t, known, checked)
        match shown:
            case Apply("Add", _, (x, y)):
                if _plus_zero(self.descent.exposed(x, known, checked)):
                    return y
                return x if _plus_zero(self.descent.exposed(y, known, checked)) else t
            case Choose(condition, yes, no):
                one, other = self._bare(yes, known, checked), self._bare(no, known, checked)
                same = one is yes and other is no
                return t if same else self.descent.terms.choose(condition, one, other)
            case _:
                return t

    def _again(self, fold: Fold, start: Term, body: Term) -> Fold:
        new = self.descent.terms.fold(fold.op, start, fold.axes, fold.guard, body, fold.free)
        assert isinstance(new, Fold)
        return new

    def _nonempty(self, fold: Fold) -> bool:
        """Whether there surely is an item."""
        holds = self.descent.logic.holds
        return fold.guard is None and all(
            holds(compare("GE", extent, int_imm(1, extent.dtype)), self.given, "extent of a reduction")
            for _, extent in fold.axes
        )

    def _unrolled(self, a: Term, b: Term) -> bool:
        fold = a if isinstance(a, Fold) else b
        assert isinstance(fold, Fold)
        count = 1
        for _, extent in fold.axes:
            count *= max(0, as_int(extent) or 0)  # (two negative extents are no items)
        if not 0 < count <= MOST_UNROLLED or fold.guard is not None:
            return False
        if fold is b and b.free and not self._relaxed_term(b):
            return False
        k = self.descent.terms.fresh("k", fold.axes[0][0].dtype)
        by, _ = digits(k, fold.axes)
        result, terms = fold.start, self.descent.terms
        for position in range(count):
            at = {name: substitute(e, {k.name: int_imm(position, k.dtype)}) for name, e in by.items()}
            result = terms.apply(fold.op, fold.dtype, (result, terms.replaced(fold.body, at)))
        return self.descent.equal(result, b, self.given) if fold is a else self.descent.equal(a, result, self.given)

    # --- relaxations

    def _may_relax(self, fold: Fold) -> bool:
        return fold.op in ("Add", "Mul") or not dtypes.is_float(fold.dtype)

    def _permitted(self, fold: Fold, free: bool) -> bool:
        """Whether another order or grouping is permitted; ``free``: without a relaxation."""
        if free and fold.op in ("Add", "Mul") and dtypes.is_float(fold.dtype):
            self.descent.other_order()
        return free or self._relaxed(fold)

    def _relaxed(self, fold: Fold) -> bool:
        """Another grouping is a relaxation, for sums and products of floats; for the rest it changes nothing."""
        return self._relaxed_term(fold)

    def _relaxed_term(self, fold: Fold) -> bool:
        if fold.op in ("Add", "Mul") and dtypes.is_float(fold.dtype):
            return self.descent.relax(REASSOCIATION)
        return True


def _orders(axes: Axes) -> Iterator[Axes]:
    for k, each in enumerate(permutations(axes)):
        if k >= MOST_ORDERS:
            return
        if k:
            yield each


def _independent(axes: Axes) -> bool:
    names = {v.name for v, _ in axes}
    return not any(free_symbols(extent) & names for _, extent in axes)


def digits(k: SymVar, axes: Axes) -> tuple[dict[str, PrimExpr], PrimExpr]:
    """Each axis as a digit of the flat index ``k``, and the number of points."""
    by: dict[str, PrimExpr] = {}
    below: PrimExpr | None = None
    for place, (v, extent) in reversed(list(enumerate(axes))):
        digit: PrimExpr = k if below is None else Binary("FloorDiv", k, below)
        by[v.name] = digit if place == 0 else Binary("FloorMod", digit, extent)
        below = extent if below is None else Binary("Mul", extent, below)
    assert below is not None
    return by, below


# --- neutral elements ------------------------------------------------------------------------------------------------


def is_identity(op: str, t: Term) -> bool:
    """Whether combining with ``t`` changes nothing (for a float sum: nothing that is not −0)."""
    match t:
        case Identity():
            return True
        case Number(dtype, pattern):
            return pattern in _neutral(op, dtype)
        case Int(Literal() as e) if op in ("Add", "Mul", "And", "Or"):
            return as_int(e) == {"Add": 0, "Mul": 1, "And": 1, "Or": 0}[op]
        case Int(Literal() as e) if dtypes.is_integer(e.dtype) and op in ("Max", "Min"):
            return as_int(e) == dtypes.integer_range(e.dtype)[op == "Min"]
        case _:
            return False


def _neutral(op: str, dtype: str) -> frozenset[int]:
    match op:
        case "Add":
            return frozenset({bits.encode(dtype, 0.0), bits.encode(dtype, -0.0)})
        case "Mul":
            return frozenset({bits.encode(dtype, 1.0)})
        case "Max" | "Min":
            end = _infinite(op, dtype)
            return frozenset({end} if bits.decode(dtype, end) in (float("inf"), float("-inf")) else ())
        case _:
            return frozenset()


def is_minus_zero(t: Term) -> bool:
    return isinstance(t, Number) and t.bits == bits.encode(t.dtype, -0.0) != bits.encode(t.dtype, 0.0)


def _plus_zero(t: Term) -> bool:
    return isinstance(t, Number) and t.bits == bits.encode(t.dtype, 0.0)


def _definite(t: Term) -> bool:
    """A number other than 0, the sign of which an extreme may lose."""
    return isinstance(t, Number) and not _plus_zero(t) and not is_minus_zero(t)


def _never_minus_zero(t: Term) -> bool:
    """Whether a float is surely not -0: a sum is -0 only where both operands are."""
    match t:
        case Number():
            return not is_minus_zero(t)
        case Apply("Add", _, (x, y)):
            return _never_minus_zero(x) or _never_minus_zero(y)
        case Apply("Cast", _, (x,)):
            return isinstance(x, Int)
        case Fold("Add", start):
            return _never_minus_zero(start)
        case _:
            return False


def _infinite(op: str, dtype: str) -> int:
    return bits.encode(dtype, float("-inf") if op == "Max" else float("inf"))


def _last(op: str, dtype: str) -> int:
    last = float(bits.largest_finite(dtype))
    return bits.encode(dtype, -last if op == "Max" else last)
