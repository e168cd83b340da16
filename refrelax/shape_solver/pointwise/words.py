"""Integer and truth elements as machine words: what congruence does not see, the solver decides.

An element is written over *leaves*, the elements that no integer operation made: two leaves are one symbol where the
descent says that they are equal. ``(a + b) * c`` and ``a * c + b * c``, ``not (x < y)`` and ``y <= x`` are then claims
about words of their width, whose arithmetic wraps. Poison has no value: what the second element is computed from is
never poison, or makes the first one poison as well.

Spec: ``spec/06c-pointwise.md``, ``sh/words``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from refrelax.rules import rule
from refrelax.shape_solver.pointwise.logic import Given
from refrelax.shape_solver.pointwise.pieces import pieces
from refrelax.shape_solver.pointwise.regroup import Regroup
from refrelax.shape_solver.pointwise.terms import Apply, Choose, Fold, Int, Term, mentions
from refrelax.syntax import dtypes
from refrelax.syntax.scalars import (
    Binary,
    BinaryOp,
    Cast,
    Intrinsic,
    Not,
    PrimExpr,
    Select,
    SymVar,
    as_int,
    free_symbols,
    int_imm,
)

if TYPE_CHECKING:
    from refrelax.shape_solver.pointwise.descent import Descent

WORDS = frozenset({"bool", *(f"{sign}int{width}" for sign in ("", "u") for width in (8, 16, 32, 64))})

ARITHMETIC: dict[str, BinaryOp] = {"Add": "Add", "Sub": "Sub", "Mul": "Mul", "Max": "Max", "Min": "Min"}
DIVISIONS: dict[str, BinaryOp] = {"FloorDiv": "FloorDiv", "FloorMod": "FloorMod"}
ORDERS: dict[str, BinaryOp] = {"EQ": "EQ", "NE": "NE", "LT": "LT", "LE": "LE"}
CONNECTIVES: dict[str, BinaryOp] = {"And": "And", "Or": "Or"}
OF_TRUTHS: dict[str, BinaryOp] = {"T.bitwise_and": "And", "T.bitwise_or": "Or", "T.bitwise_xor": "NE"}
OF_BITS = frozenset({"T.bitwise_and", "T.bitwise_or", "T.bitwise_xor"})
SHIFTS = frozenset({"T.shift_left", "T.shift_right"})

MOST_LEAVES = 10
MOST_PLACES = 4
MOST_DEPTH = 40
MOST_PRODUCTS = 16


class TooMuch(Exception):
    """More leaves or steps than are looked at."""


@dataclass(slots=True)
class Leaf:
    """``strict``: where it is poison, so is the element that is written over it."""

    term: Term
    symbol: SymVar
    strict: bool


@dataclass(slots=True)
class Words:
    """One comparison of two elements."""

    descent: Descent
    given: Given
    ours: list[Leaf] = field(default_factory=list)
    theirs: list[Leaf] = field(default_factory=list)
    second: bool = False
    """Whether the element that is written is the second program's."""
    places: tuple[PrimExpr, ...] = ()
    """Where reductions are parted besides: where one of the other side ends."""
    sums: bool = False
    """Whether there is a reduction in one of the elements."""
    whole: bool = False
    """Whether the first program's element is a leaf: then the second's is none, or there is nothing to see."""

    @rule("sh/words")
    def same(self, a: Term, b: Term) -> bool:
        """Whether the words are equal whatever the leaves are, and ``b`` is poison only where ``a`` is."""
        if self._same(a, b):
            return True
        places = [e for leaf in (*self.ours, *self.theirs) for e in _extents(leaf.term)]
        places = [e for e in dict.fromkeys(places) if as_int(e) is None]
        if not 1 < len(places) <= MOST_PLACES or not self.sums:
            return False
        return Words(self.descent, self.given, places=tuple(places))._same(a, b)

    def _same(self, a: Term, b: Term) -> bool:
        try:
            x = self.word(a, a.dtype, True)
            self.second = True
            self.whole = isinstance(x, SymVar)
            y = self.word(b, a.dtype, True)
        except TooMuch:
            return False
        if not all(self.safe(each) for each in self.theirs):
            return False
        bounds: list[PrimExpr] = []
        for symbol in dict.fromkeys(each.symbol for each in (*self.ours, *self.theirs)):
            if symbol.dtype != "bool":
                low, high = dtypes.integer_range(symbol.dtype)
                bounds += [Binary("GE", symbol, int_imm(low, symbol.dtype))]
                bounds += [Binary("LE", symbol, int_imm(high, symbol.dtype))]
        return self.descent.logic.words_hold(Binary("EQ", x, y), tuple(bounds))

    def safe(self, leaf: Leaf) -> bool:
        """Whether a leaf of the second element is no poison that the first does not have."""
        known = any(each.symbol == leaf.symbol and each.strict for each in self.ours)
        return known or self.descent.poison.never(leaf.term, self.given)

    # --- elements over leaves

    def word(self, t: Term, dtype: str, strict: bool, depth: int = 0) -> PrimExpr:
        """An element of ``dtype`` as an expression over leaves. ``strict``: where it is poison, all is."""
        self.descent.logic.spend()
        if depth > MOST_DEPTH:
            raise TooMuch
        t = self.descent.exposed(t, self.given, self.second)
        match t:
            case Int(value) if (known := as_int(value)) is not None:
                return int_imm(known, dtype)
            case Choose(condition, yes, no):
                c = self.word(condition, "bool", strict, depth + 1)
                return Select(c, self.word(yes, dtype, False, depth + 1), self.word(no, dtype, False, depth + 1))
            case Apply() if t.dtype == dtype in WORDS:
                found = self.applied(t, dtype, strict, depth + 1)
                if found is not None:
                    return found
            case Fold("Add" | "Mul" | "Max" | "Min") if t.dtype == dtype and dtype in WORDS - {"bool"}:
                found = self.reduction(t, dtype, strict, depth + 1)
                if found is not None:
                    return found
            case _:
                pass
        if self.whole and depth == 0:
            raise TooMuch
        return self.leaf(t, dtype, strict)

    def applied(self, t: Apply, dtype: str, strict: bool, depth: int) -> PrimExpr | None:
        """An operation on words, if it is one."""

        def of(position: int, own: str, always: bool = True) -> PrimExpr:
            return self.word(t.args[position], own, strict and always, depth)

        match t.op:
            case op if op in ARITHMETIC and dtype != "bool":
                return Binary(ARITHMETIC[op], of(0, dtype), of(1, dtype))
            case op if op in DIVISIONS and dtype != "bool" and (_literal(t.args[1]) or 0) > 0:
                return Binary(DIVISIONS[op], of(0, dtype), of(1, dtype))
            case op if op in CONNECTIVES:
                return Binary(CONNECTIVES[op], of(0, "bool"), of(1, "bool", False))
            case op if op in ORDERS and (own := _common(t)) is not None and (own != "bool" or op in ("EQ", "NE")):
                return Binary(ORDERS[op], of(0, own), of(1, own))
            case op if op in OF_TRUTHS and dtype == "bool":
                return Binary(OF_TRUTHS[op], of(0, dtype), of(1, dtype))
            case "Not" | "T.bitwise_not" if dtype == "bool":
                return Not(of(0, dtype))
            case "T.bitwise_not":
                return Intrinsic("bitwise_not", (of(0, dtype),), dtype)
            case op if op in OF_BITS:
                return Intrinsic(op.removeprefix("T."), (of(0, dtype), of(1, dtype)), dtype)
            case op if op in SHIFTS and 0 <= (_literal(t.args[1]) or -1) < dtypes.bits(dtype):
                return Intrinsic(op.removeprefix("T."), (of(0, dtype), of(1, dtype)), dtype)
            case "Cast" if t.args[0].dtype in WORDS:
                return _converted(of(0, t.args[0].dtype), t.args[0].dtype, dtype)
            case _:
                return None

    # --- reductions

    def reduction(self, t: Fold, dtype: str, strict: bool, depth: int) -> PrimExpr | None:
        """A sum, product or extreme in pieces; a sum of products by ``sum``."""
        self.sums = True
        parts = pieces(self.descent, t, self.given, self.second, self.places)
        if len(parts) == 1:
            return self.sum(t, dtype, strict, depth) if t.op == "Add" else self.extreme(t, dtype, strict, depth)
        neutral = self.descent.terms.integer(int_imm(_neutral(t.op, dtype), dtype))
        total = self.word(t.start, dtype, strict, depth)
        for each in parts:
            part = self.descent.terms.fold(t.op, neutral, each.axes, each.guard, each.body, True)
            assert isinstance(part, Fold)
            shown = Regroup(self.descent, self.given).collapsed(part, self.second)
            total = Binary(ARITHMETIC[t.op], total, self.word(shown, dtype, strict, depth))
        return total

    def extreme(self, t: Fold, dtype: str, strict: bool, depth: int) -> PrimExpr | None:
        """An extreme of extremes, or a product of products, as several, from a start that is one more item."""
        neutral, known = _neutral(t.op, dtype), self.given
        for v, extent in t.axes:
            known = (*known, *self.descent.logic.domain(v, extent))
        items = self.items(t.op, t.body, known, depth)
        alone = _literal(self.descent.exposed(t.start, self.given, self.second)) == neutral
        if alone and len(items) == 1:
            return None
        start = self.descent.terms.integer(int_imm(neutral, dtype))
        total = None if alone else self.word(t.start, dtype, strict, depth)
        for each in items:
            rest = self.leaf(self.descent.terms.fold(t.op, start, t.axes, t.guard, each, True), dtype, strict)
            total = rest if total is None else Binary(ARITHMETIC[t.op], total, rest)
        return total

    def items(self, op: str, t: Term, known: Given, depth: int) -> list[Term]:
        """What an item of an extreme or a product is the extreme or product of."""
        self.descent.logic.spend()
        if depth > MOST_DEPTH:
            raise TooMuch
        shown = self.descent.exposed(t, known, self.second)
        if isinstance(shown, Apply) and shown.op == op and all(x.dtype == shown.dtype for x in shown.args):
            return [each for part in shown.args for each in self.items(op, part, known, depth + 1)]
        return [t]

    def sum(self, t: Fold, dtype: str, strict: bool, depth: int) -> PrimExpr | None:
        """A sum of sums of products as sums of products: what does not depend on the axes stands in front of each."""
        known = self.given
        for v, extent in t.axes:
            known = (*known, *self.descent.logic.domain(v, extent))
        axes = frozenset(v.name for v, _ in t.axes)
        products = [each for each in self.products(t.body, known, depth) if not self.nothing(*each, known)]
        whole = [all(mentions(self.descent.terms, f, axes) for f in factors) for _, factors in products]
        if len(products) == 1 and products[0][0] == 1 and all(whole) and _literal(t.start) == 0:
            if len(self.apart(t, products[0][1])) == 1:
                return None
        total = self.word(t.start, dtype, strict, depth)
        for count, factors in products:
            inside = [f for f in factors if mentions(self.descent.terms, f, axes)]
            term: PrimExpr = int_imm(count, dtype)
            parts = self.apart(t, inside)
            for own, items in parts:
                item = self.descent.terms.integer(int_imm(1, dtype)) if not items else items[0]
                for each in items[1:]:
                    item = self.descent.terms.apply("Mul", dtype, (item, each))
                start = self.descent.terms.integer(int_imm(0, dtype))
                partial = self.descent.terms.fold("Add", start, own, t.guard, item, True)
                term = Binary("Mul", term, self.leaf(partial, dtype, strict and len(parts) == 1))
            for each in factors:
                if each not in inside:
                    term = Binary("Mul", term, self.word(each, dtype, False, depth))
            total = Binary("Add", total, term)
        return total

    def nothing(self, count: int, factors: tuple[Term, ...], known: Given) -> bool:
        """Whether a product is 0 and, in the second element, no poison."""
        return count == 0 and not (self.second and any(not self.descent.poison.never(f, known) for f in factors))

    def apart(self, t: Fold, factors: Sequence[Term]) -> list[tuple[tuple[tuple[SymVar, PrimExpr], ...], list[Term]]]:
        """The axes of a sum of one product, and its factors, in groups that have no axis in common: the sum is the
        product of their sums. (Where one of them is of nothing, what is poison in another is not asked for.)"""
        terms, names = self.descent.terms, [v.name for v, _ in t.axes]
        whole = [(t.axes, list(factors))]
        if t.guard is not None or any(free_symbols(extent) & set(names) for _, extent in t.axes):
            return whole
        groups: list[tuple[set[str], list[Term]]] = []
        for each in factors:
            own = {name for name in names if mentions(terms, each, frozenset({name}))}
            joined = [g for g in groups if g[0] & own]
            groups = [g for g in groups if not g[0] & own]
            groups.append((own.union(*(g[0] for g in joined)), [f for g in joined for f in g[1]] + [each]))
        if len(groups) < 2 or sum(len(own) for own, _ in groups) < len(names):
            return whole
        return [(tuple(axis for axis in t.axes if axis[0].name in own), items) for own, items in groups]

    def products(self, t: Term, known: Given, depth: int) -> list[tuple[int, tuple[Term, ...]]]:
        """An item of a sum as a sum of products, each with its factor."""
        self.descent.logic.spend()
        if depth > MOST_DEPTH:
            raise TooMuch
        t = self.descent.exposed(t, known, self.second)
        match t:
            case Int() if (k := _literal(t)) is not None:
                return [(k, ())]
            case Apply("Add" | "Sub" as op, dtype, (x, y)) if x.dtype == y.dtype == dtype or _literal(x) is not None:
                sign = 1 if op == "Add" else -1
                second = self.products(y, known, depth + 1)
                return [*self.products(x, known, depth + 1), *((sign * k, factors) for k, factors in second)]
            case Apply("Mul", _, (x, y)):
                left, right = self.products(x, known, depth + 1), self.products(y, known, depth + 1)
                if len(left) * len(right) > MOST_PRODUCTS:
                    raise TooMuch
                return [(j * k, (*f, *g)) for j, f in left for k, g in right]
            case _:
                return [(1, (t,))]

    def leaf(self, t: Term, dtype: str, strict: bool) -> PrimExpr:
        """The symbol of an element: that of one before which is equal."""
        own = self.theirs if self.second else self.ours
        for each in own:
            if each.term is t and each.symbol.dtype == dtype:
                each.strict |= strict
                return each.symbol
        if len(own) >= MOST_LEAVES:
            raise TooMuch
        symbol = self.known(t, dtype) if self.second else self.as_before(t, dtype)
        if symbol is None:
            symbol = self.descent.terms.fresh("x", dtype)
        own.append(Leaf(t, symbol, strict))
        return symbol

    def as_before(self, t: Term, dtype: str) -> SymVar | None:
        """The symbol of a reduction of the first element that is ``t`` wherever one of the two is determined."""
        for each in self.ours:
            if isinstance(t, Fold) and isinstance(each.term, Fold) and each.symbol.dtype == dtype:
                pairs = ((each.term, t), (t, each.term))
                if all(self.descent.one_value(x, y, self.given) for x, y in pairs):
                    return each.symbol
        return None

    def known(self, t: Term, dtype: str) -> SymVar | None:
        for each in sorted(self.ours, key=lambda leaf: (leaf.term is not t, not leaf.strict)):
            if each.symbol.dtype == dtype and self.descent.equal(each.term, t, self.given):
                if self.stands_for_one(each, t):
                    return each.symbol
        return None

    def stands_for_one(self, own: Leaf, t: Term) -> bool:
        """Whether a leaf of the first element has one value for all of the second that are taken for it: what it leaves
        to any order, or open where it is not looked at, may be several."""
        others = [each.term for each in self.theirs if each.symbol == own.symbol]
        if not others:
            return True
        descent, given = self.descent, self.given
        if own.strict or descent.poison.never(own.term, given):
            if all(descent.one_value(own.term, each, given) for each in (*others, t)):
                return True
        return all(descent.poison.never(each, given) and descent.one_value(each, t, given) for each in others)


def looks_like_words(a: Term, b: Term) -> bool:
    """Whether two elements may be equal as words and not by their heads."""
    if a.dtype != b.dtype or a.dtype not in WORDS:
        return False
    return any(
        isinstance(t, Apply)
        or (isinstance(t, Choose) and not isinstance(t.condition, Int))
        or (isinstance(t, Fold) and t.op in ("Add", "Mul", "Max", "Min") and a.dtype != "bool")
        for t in (a, b)
    )


def _extents(t: Term) -> list[PrimExpr]:
    return [extent for _, extent in t.axes] if isinstance(t, Fold) else []


def _neutral(op: str, dtype: str) -> int:
    return int(op == "Mul") if op in ("Add", "Mul") else dtypes.integer_range(dtype)[op == "Min"]


def _literal(t: Term) -> int | None:
    return as_int(t.value) if isinstance(t, Int) else None


def _common(t: Apply) -> str | None:
    """The dtype of the two operands of a comparison, if they are words. (An index has forgotten its width.)"""
    found = {a.dtype for a in t.args if not isinstance(a, Int)} or {a.dtype for a in t.args}
    return next(iter(found)) if len(found) == 1 and found <= WORDS else None


def _converted(x: PrimExpr, source: str, target: str) -> PrimExpr:
    if target == "bool":
        return x if source == "bool" else Binary("NE", x, int_imm(0, source))
    if source == "bool":
        return Select(x, int_imm(1, target), int_imm(0, target))
    return Cast(target, x)
