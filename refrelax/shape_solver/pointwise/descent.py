"""Congruence descent: two element terms, compared head by head, with index leaves to the solver.

Equal terms are one object. Loads of computed tensors are compared as tensors first (a pair once, for all indices) and
expanded where that fails. A choice whose condition is decided by what is known is its arm; otherwise both cases are
descended. The comparison has a direction: where the first program leaves an element open, the second may give anything.

Spec: ``spec/06c-pointwise.md``, ``sh/descent``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import product
from math import prod

from refrelax.rules import rule
from refrelax.semantics.dims import substitute
from refrelax.shape_solver.context import conjuncts, negation
from refrelax.shape_solver.pointwise.assumptions import told
from refrelax.shape_solver.pointwise.constants import compiled, same_number
from refrelax.shape_solver.pointwise.elements import apply, doubled, of_truth, passed_over, signed
from refrelax.shape_solver.pointwise.logic import Given, Logic, assumed, compare
from refrelax.shape_solver.pointwise.pieces import conditions
from refrelax.shape_solver.pointwise.poison import Poison, in_bounds
from refrelax.shape_solver.pointwise.regroup import Regroup, is_identity
from refrelax.shape_solver.pointwise.show import unequal
from refrelax.shape_solver.pointwise.simplify import canonical, first_atom, simplified
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
    Terms,
)
from refrelax.shape_solver.pointwise.truths import Truths
from refrelax.shape_solver.pointwise.words import Words, looks_like_words
from refrelax.syntax import dtypes
from refrelax.syntax.scalars import Binary, Literal, PrimExpr, Select, SymVar, as_int, bool_imm, free_symbols, int_imm

COMMUTES = frozenset({"Add", "Mul", "Max", "Min", "And", "Or", "EQ", "NE"})
SETTLED = frozenset({"Add", "Sub", "Mul", "Div", "Max", "Min", "T.fabs"})
"""Operations whose operands are brought forward, so that integers, zeros and signs meet."""
OTHER_ORDER = "another order"
"""Beside the names of relaxations that a proof needed: that the first program leaves an order open."""
MOST_SHOWN = 12
MOST_POINTS = 1 << 16
"""How many elements of two constants are compared one by one."""


@dataclass(slots=True)
class Descent:
    """One comparison. ``allowed``: the named relaxations that are on; ``needs``: those that it needed, and whether it
    needed another order of what is free; ``missed``: those that would have helped; ``trail``: what failed, inside
    first."""

    terms: Terms
    logic: Logic
    allowed: frozenset[str] = frozenset()
    needs: set[str] = field(default_factory=set)
    missed: set[str] = field(default_factory=set)
    trail: list[tuple[Term, Term]] = field(default_factory=list)
    poison: Poison = field(init=False)
    truths: Truths = field(init=False)
    _memo: dict[tuple[int, int, int, bool], frozenset[str] | None] = field(default_factory=dict)
    """Per question: what its proof needed, or ``None`` where it failed."""
    _inside_words: bool = False
    """Whether operands are compared of elements that are compared as words if that fails."""
    _simpler: dict[tuple[PrimExpr, int], PrimExpr] = field(default_factory=dict)
    _tensors: dict[tuple[int, int, bool], frozenset[str] | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.poison = Poison(self.terms, self.logic)
        self.truths = Truths(self.terms, self.poison, self._exposed)

    def relax(self, name: str) -> bool:
        """Whether a relaxation is on; then it is noted."""
        if name not in self.allowed:
            self.missed.add(name)
            return False
        self.needs.add(name)
        return True

    def other_order(self) -> None:
        """Note that the second program has one of several values that the first one permits."""
        self.needs.add(OTHER_ORDER)

    @property
    def relaxations(self) -> set[str]:
        """The relaxations that it needed."""
        return self.needs - {OTHER_ORDER}

    # --- tensors

    @rule("sh/descent")
    def tensors(self, a: TensorTerm, b: TensorTerm) -> bool:
        """Whether two tensors have the same shape and, wherever ``a`` is determined, the same elements."""
        if a is b:
            return True
        key = (id(a), id(b), self._inside_words)
        if key not in self._tensors:
            self._tensors[key] = self._noted(lambda: self._same_tensors(a, b))
        return self._reported(self._tensors[key])

    def _noted(self, ask: Callable[[], bool]) -> frozenset[str] | None:
        """What one question needs on its own."""
        outer, self.needs = self.needs, set()
        found = frozenset(self.needs) if ask() else None
        self.needs = outer
        return found

    def _reported(self, found: frozenset[str] | None) -> bool:
        self.needs |= found or frozenset()
        return found is not None

    @rule("sh/descent")
    def one_value(self, a: Term, b: Term, given: Given) -> bool:
        """Whether ``b`` is what ``a`` is wherever that is determined, not only one of the values that are permitted."""
        return self._noted(lambda: self.equal(a, b, given)) == frozenset()

    def _same_tensors(self, a: TensorTerm, b: TensorTerm) -> bool:
        if a.dtype != b.dtype or len(a.shape) != len(b.shape) or (a.body is None and b.body is None and a.data is None):
            return False
        if not all(self.logic.equal(x, y, (), "shape") for x, y in zip(a.shape, b.shape, strict=True)):
            return False
        at = tuple(self.terms.fresh("i") for _ in a.shape)
        inside = tuple(c for i, d in zip(at, a.shape, strict=True) for c in self.logic.domain(i, d))
        return self.equal(self.terms.load(a, at), self.terms.load(b, at), inside, whole=False)

    # --- terms

    def equal(self, a: Term, b: Term, given: Given, whole: bool = True) -> bool:
        """Whether ``b`` is what ``a`` permits, under ``given``. ``whole``: compare loads as tensors first."""
        if a is b:
            return True
        given = self.logic.interned(given)
        key = (id(a), id(b), id(given), self._inside_words)
        if whole and key in self._memo:
            return self._reported(self._memo[key])
        self.logic.spend()
        found = self._noted(lambda: self._equal(a, b, given, whole))
        if found is None:
            self._note(a, b)
        if whole:
            self._memo[key] = found
        return self._reported(found)

    def _equal(self, a: Term, b: Term, given: Given, whole: bool) -> bool:
        if isinstance(a, Load) and isinstance(b, Load):
            if a.tensor is b.tensor and self._indices(a, b, given):
                return True
            if whole and not _view(a.tensor) and not _view(b.tensor):
                if self.tensors(a.tensor, b.tensor) and self._indices(a, b, given):
                    return True
        a, b = self._head(a, given, False), self._head(b, given, True)
        if a is b or isinstance(a, OpenTerm):
            return True
        if not looks_like_words(a, b):
            return self._by_heads(a, b, given)
        outer, self._inside_words = self._inside_words, True
        try:
            if self._by_heads(a, b, given):
                return True
        finally:
            self._inside_words = outer
        return not outer and (Words(self, given).same(a, b) or self._words_by_cases(a, b, given))

    def _words_by_cases(self, a: Term, b: Term, given: Given) -> bool:
        """Two words on both sides of the first condition on indices that decides what an operand is."""
        sides = ((a, False), (b, True))
        atom = next((c for side, checked in sides for c in conditions(self, side, given, checked)), None)
        return atom is not None and self._cases(atom, a, b, given)

    def _by_heads(self, a: Term, b: Term, given: Given) -> bool:
        for side in (a, b):
            if isinstance(side, Choose) and isinstance(side.condition, Int):
                return self._cases(side.condition.value, a, b, given)
        match a, b:
            case Load(), Load():
                return self._loads(a, b, given)
            case _ if (isinstance(a, Load) and _expands(a.tensor)) or (isinstance(b, Load) and _expands(b.tensor)):
                return self._expanded(a, b, given)
            case Int(x), Int(y):
                return x.dtype == y.dtype and self._integers(x, y, given)
            case Number(), Number():
                return a.dtype == b.dtype and same_number(a.dtype, a.bits, b.bits)
            case Choose(), Choose() if self.equal(a.condition, b.condition, given):
                both = (a.condition,) if self.one_value(a.condition, b.condition, given) else ()
                holds, fails = (self._supposed(given, truth, b.condition, *both) for truth in (True, False))
                return self._in_case(a.yes, b.yes, holds) and self._in_case(a.no, b.no, fails)
            case Choose(), _:  # where the condition is poison, so is the first program's element
                holds, fails = (self._supposed(given, truth, a.condition) for truth in (True, False))
                return self._in_case(a.yes, b, holds) and self._in_case(a.no, b, fails)
            case _, Choose() if self.poison.never(b.condition, given):
                holds, fails = (self._supposed(given, truth, b.condition) for truth in (True, False))
                return self._in_case(a, b.yes, holds) and self._in_case(a, b.no, fails)
            case Identity(op), _:
                return is_identity(op, b)
            case _, Identity(op):
                return is_identity(op, a)
            case Fold(), _ if isinstance(b, Fold) or _short(a):
                return Regroup(self, given).folds(a, b)
            case _, Fold() if _short(b):
                return Regroup(self, given).folds(a, b)
            case Apply(), Apply() if self._applications(a, b, given) or self._twice(a, b, given):
                return True
        one = passed_over(a)
        return one is not None and self.equal(one, b, given)

    def _head(self, t: Term, given: Given, checked: bool) -> Term:
        """The term with views expanded and decided choices taken; ``checked``: loads must be in bounds."""
        while True:
            match t:
                case Load(tensor) if id(tensor) in self.terms.facts and (number := self._told(t, given)) is not None:
                    new = number
                case Load(tensor) if tensor.data is not None and _constant(tensor):
                    if not all(self.logic.holds(c, given, "load in bounds") for c in in_bounds(t)):
                        return t
                    assert tensor.data is not None
                    new = self._scalar(tensor.dtype, tensor.data[0])
                case Load(tensor) if _view(tensor):
                    if not self._in_bounds(t, given, checked):
                        return t
                    new = self._simplified(self.terms.at(tensor, t.indices), given)
                case Choose(Int(c), Fold() as yes, no) if self._is_empty_else(c, yes, no, given, checked):
                    new = yes
                case Choose(Int(c), yes, no):
                    rest = self.logic.open_part(self._simple(c, given), given, "guard")
                    if not isinstance(rest, bool):
                        return self.terms.choose(self.terms.integer(rest), yes, no)
                    new = yes if rest else no
                case Int(Select(c, yes, no)):
                    rest = self.logic.open_part(self._simple(c, given), given, "guard")
                    if not isinstance(rest, bool):
                        return t
                    new = self.terms.integer(yes if rest else no)
                case Choose(Apply("Not", _, (inner,)), yes, no):
                    new = self.terms.choose(inner, no, yes)
                case Choose(condition, yes, no):
                    truth = self._exposed(condition, given, checked)
                    if (known := self.truths.decided(truth, given, checked)) is not None:
                        truth = self.terms.integer(bool_imm(known))
                    new = self.terms.choose(truth, yes, no)
                    if not isinstance(truth, Int) and not (isinstance(truth, Apply) and truth.op == "Not"):
                        return new
                case Apply(op, dtype) if dtype == "bool" or op in SETTLED:
                    new = self._settled(t, given, checked)
                case Apply("Cast", dtype, (Apply() | Load() as truth,)) if truth.dtype == "bool":
                    known = self.truths.decided(self._exposed(truth, given, checked), given, checked)
                    number = None if known is None else of_truth(self.terms, dtype, known)
                    new = t if number is None else number
                case Apply("Cast", _, (Load() as operand,)):
                    new = apply(self.terms, "Cast", t.dtype, (self._same_operation("Cast", operand, given, checked),))
                case Fold():
                    new = Regroup(self, given).collapsed(t, checked)
                case _:
                    return t
            if new is t:
                return t
            t = new

    def _is_empty_else(self, c: PrimExpr, fold: Fold, no: Term, given: Given, checked: bool) -> bool:
        """Whether a reduction is its start, ``no``, wherever the condition of its choice fails: it has no items."""
        start = self.exposed(fold.start, given, checked, numbers=True)
        if not isinstance(start, Int | Number) or self.exposed(no, given, checked, numbers=True) is not start:
            return False
        empty = [compare("LE", extent, int_imm(0, extent.dtype)) for _, extent in fold.axes]
        return all(
            any(
                self.logic.holds(each, assumed(given, canonical(negation(part))), "a reduction of nothing")
                for each in empty
            )
            for part in conjuncts(c)
        )

    def _told(self, t: Term, given: Given) -> Term | None:
        return told(t, given, self.terms, self.logic) if isinstance(t, Load) else None

    def _settled(self, t: Term, given: Given, checked: bool) -> Term:
        """A truth or product with its operands' heads brought forward, so that integers and zeros meet."""
        if not isinstance(t, Apply):
            return t
        args = tuple(self._exposed(a, given, checked) for a in t.args)
        if t.op in ("Max", "Min"):
            args = tuple(self._same_operation(t.op, a, given, checked) for a in args)
        if args == t.args:
            return t
        return apply(self.terms, t.op, t.dtype, args, t.attrs)

    def _same_operation(self, op: str, t: Term, given: Given, checked: bool) -> Term:
        """An operand of an extreme as the extreme that it is, of a conversion likewise."""
        body = t.tensor.body if isinstance(t, Load) else None
        if isinstance(t, Load) and isinstance(body, Apply) and body.op == op and self._in_bounds(t, given, checked):
            return self.terms.at(t.tensor, t.indices)
        return t

    def _exposed(self, t: Term, given: Given, checked: bool) -> Term:
        """``t`` if it is data, its value if it is an integer or a number once expanded."""
        new = self._head(t, given, checked)
        truth = t.dtype == "bool"
        body = new.tensor.body if isinstance(new, Load) else None
        opens = isinstance(body, Int | Number | Choose) or (truth and body is not None) or signed(body)
        if isinstance(new, Load) and opens:
            if self._in_bounds(new, given, checked):
                new = self._head(self.terms.at(new.tensor, new.indices), given, checked)
        return new if isinstance(new, Int | Number) or truth or signed(new) else t

    def exposed(self, t: Term, given: Given, checked: bool, numbers: bool = False) -> Term:
        """The term behind loads of computed tensors; ``numbers``: only as far as views go."""
        while True:
            t = self._head(t, given, checked) if not isinstance(t, Fold) else t
            if not isinstance(t, Load) or not _expands(t.tensor) or numbers or not self._in_bounds(t, given, checked):
                return t
            t = self.terms.at(t.tensor, t.indices)

    def _scalar(self, dtype: str, bits: int) -> Term:
        return self.terms.number(dtype, bits) if dtypes.is_float(dtype) else self.terms.integer(Literal(dtype, bits))

    # --- the cases

    def _supposed(self, given: Given, holds: bool, *conditions: Term) -> Given | None:
        """``given`` and that truths which are data hold, or do not; ``None`` where that cannot be."""
        for each in conditions:
            found = self.truths.supposed(given, self._exposed(each, given, False), holds)
            if found is None:
                return None
            given = found
        return given

    def _in_case(self, a: Term, b: Term, known: Given | None) -> bool:
        """Whether ``b`` is what ``a`` permits in one case, if there is such a case."""
        return known is None or self.equal(a, b, known)

    def _cases(self, condition: PrimExpr, a: Term, b: Term, given: Given) -> bool:
        atom = first_atom(condition)
        for case in (atom, canonical(negation(atom))):
            known = assumed(given, case)
            if len(known) == len(given):
                return False
            if not self.logic.absurd(known) and not self.equal(a, b, known):
                return False
        return True

    def _loads(self, a: Load, b: Load, given: Given) -> bool:
        if a.tensor is b.tensor and self._indices(a, b, given):
            return True
        if _expands(a.tensor) or _expands(b.tensor):
            return self._expanded(a, b, given)
        return a.tensor.data is not None and b.tensor.data is not None and self._constants(a, b, given)

    def _expanded(self, a: Term, b: Term, given: Given) -> bool:
        new = []
        for side, checked in ((a, False), (b, True)):
            if isinstance(side, Load) and _expands(side.tensor):
                if not self._in_bounds(side, given, checked):
                    inside = self._else_poison(a, side, given)
                    return inside is not None and self.equal(a, b, inside)
                side = self._simplified(self.terms.at(side.tensor, side.indices), given)
            new.append(side)
        return self.equal(new[0], new[1], given)

    def _else_poison(self, a: Term, b: Load, given: Given) -> Given | None:
        """``given`` and that a load of the second program is in bounds, if the first one's element is poison wherever
        it is not: where both are indexed by one element read from memory."""
        known = given
        for bound in in_bounds(b):
            if self.logic.holds(bound, known, "load in bounds"):
                continue
            if not self.terms.opaque.keys() & free_symbols(bound):
                return None
            outside = assumed(known, canonical(negation(bound)))
            if not self.poison.always(a, outside):
                return None
            known = assumed(known, canonical(bound))
        return known if len(known) > len(given) else None

    def _integers(self, x: PrimExpr, y: PrimExpr, given: Given) -> bool:
        matched = self._matched((x,), (y,), given)
        if matched is None:
            return False
        (y,) = matched
        if x.dtype != "bool":
            if self.logic.equal(x, y, given, "element"):
                return True
            p, q = (simplified(each, given, self.logic) for each in (x, y))
            return (p, q) != (x, y) and self.logic.equal(p, q, given, "element")
        return self.logic.holds(Binary("EQ", x, y), given, "condition")

    def _applications(self, a: Apply, b: Apply, given: Given) -> bool:
        if (a.op, a.dtype, a.attrs, len(a.args)) != (b.op, b.dtype, b.attrs, len(b.args)):
            return False
        if any(x.dtype != y.dtype for x, y in zip(a.args, b.args, strict=True)):
            return False
        if a.op in COMMUTES:
            (x, y), (u, v) = a.args, b.args
            if self._likely(x, v) and not self._likely(x, u):
                u, v = v, u
            if self.equal(x, u, given) and self.equal(y, v, given):
                return True
            return self.equal(x, v, given) and self.equal(y, u, given)
        return all(self.equal(x, y, given) for x, y in zip(a.args, b.args, strict=True))

    @rule("sh/neutral-operand")
    def _twice(self, a: Apply, b: Apply, given: Given) -> bool:
        """Whether one is a float plus itself and the other twice that float: one real number, rounded once."""
        match a, b:
            case Apply("Add", _, (x, y)), _ if (z := doubled(b)) is not None:
                return self.equal(x, z, given) and self.equal(y, z, given)
            case _, Apply("Add", _, (x, y)) if (z := doubled(a)) is not None:
                return self.one_value(z, x, given) and self.one_value(z, y, given)
            case _:
                return False

    def _likely(self, a: Term, b: Term) -> bool:
        """Whether two operands look alike: a guess that only saves time."""
        return type(a) is type(b) and (not isinstance(a, Load) or not isinstance(b, Load) or a.tensor is b.tensor)

    # --- indices

    def _indices(self, a: Load, b: Load, given: Given) -> bool:
        if a.indices == b.indices:
            return True
        mine, theirs = (tuple(self._of_indices(e, given) for e in side.indices) for side in (a, b))
        matched = self._matched(mine, theirs, given)
        if matched is None:
            return False
        return all(self._same_index(x, y, given) for x, y in zip(mine, matched, strict=True))

    def _same_index(self, x: PrimExpr, y: PrimExpr, given: Given) -> bool:
        return x == y or self.logic.equal(self._simple(x, given), self._simple(y, given), given)

    def _matched(self, a: tuple[PrimExpr, ...], b: tuple[PrimExpr, ...], given: Given) -> tuple[PrimExpr, ...] | None:
        """``b`` with its opaque symbols named as in ``a``, where their terms are equal."""
        ours = sorted({n for e in a for n in free_symbols(e)} & self.terms.opaque.keys())
        theirs = sorted({n for e in b for n in free_symbols(e)} & self.terms.opaque.keys())
        if not theirs or ours == theirs:
            return b
        by: dict[str, PrimExpr] = {}
        taken: dict[str, Term] = {}
        known = frozenset[str]().union(*map(self.logic.symbols, given))
        for name in theirs:
            term = self.terms.opaque[name]
            for n in ours:
                mine = self.terms.opaque[n]
                alone = n not in known and taken.get(n, term) is term
                if self.equal(mine, term, given) and (alone or self._all_one_value(mine, (taken.get(n), term), given)):
                    break
            else:
                return None
            taken.setdefault(n, term)
            by[name] = SymVar(n, term.dtype)
        return tuple(substitute(e, by) for e in b)

    def _all_one_value(self, a: Term, several: Sequence[Term | None], given: Given) -> bool:
        return all(each is None or self.one_value(a, each, given) for each in several)

    def _in_bounds(self, load: Load, given: Given, checked: bool) -> bool:
        return not checked or all(self.logic.holds(c, given, "load in bounds") for c in in_bounds(load))

    def _simplified(self, t: Term, given: Given) -> Term:
        """A load with shorter indices."""
        if not isinstance(t, Load):
            return t
        return self.terms.load(t.tensor, tuple(self._simple(i, given) for i in t.indices))

    def _simple(self, e: PrimExpr, given: Given) -> PrimExpr:
        given = self.logic.interned(given)
        key = (e, id(given))
        if key not in self._simpler:
            self._simpler[key] = simplified(self._of_indices(e, given), given, self.logic)
        return self._simpler[key]

    def _of_indices(self, e: PrimExpr, given: Given) -> PrimExpr:
        """An index expression with the value of each element in it that is an expression over indices once expanded:
        of ``arange``, a constant, a computed table."""
        by: dict[str, PrimExpr] = {}
        for name in sorted(free_symbols(e) & self.terms.opaque.keys()):
            found = self.exposed(self.terms.opaque[name], given, True)
            if isinstance(found, Int) and found.dtype != "bool":
                by[name] = found.value
        return substitute(e, by) if by else e

    # --- constants

    def _constants(self, a: Load, b: Load, given: Given) -> bool:
        """Two constant arrays, element by element over everything that their indices range over."""
        names = sorted({n for e in (*a.indices, *b.indices) for n in free_symbols(e)})
        ranges = [self.range_of(n, given) for n in names]
        if a.dtype != b.dtype or any(r is None for r in ranges):
            return False
        spaces = [r for r in ranges if r is not None]
        if prod(map(len, spaces)) > MOST_POINTS:
            return False
        x, y = compiled(a, names), compiled(b, names)
        try:
            pairs = ((x(point), y(point)) for point in product(*spaces))
            return all(u is None or (v is not None and same_number(a.dtype, u, v)) for u, v in pairs)
        except ArithmeticError:
            return False

    def range_of(self, name: str, given: Given) -> range | None:
        """The values of a variable between literals, by what is given."""
        low, high = None, None
        for c in given:
            match c:
                case Binary("GE", SymVar(n), bound) if n == name and as_int(bound) is not None:
                    low = max(low, as_int(bound) or 0) if low is not None else as_int(bound)
                case Binary("LT", SymVar(n), bound) if n == name and (top := as_int(bound)) is not None:
                    high = top if high is None else min(high, top)
        return None if low is None or high is None else range(low, high)

    # --- messages

    def failure(self) -> str:
        """Where the comparison failed, from the results inwards."""
        found = [unequal(self.terms, a, b) for a, b in reversed(self.trail[-MOST_SHOWN:])]
        if self.missed:
            found.append(f"relaxations that are off and might help: {', '.join(sorted(self.missed))}")
        return "\n".join(found)

    def _note(self, a: Term, b: Term) -> None:
        self.trail.append((a, b))


def _expands(tensor: TensorTerm) -> bool:
    return tensor.body is not None


def _view(tensor: TensorTerm) -> bool:
    """Whether an element of the tensor is an element of another, or a choice between such."""
    return isinstance(tensor.body, Load | Number | Int | OpenTerm) or (
        isinstance(tensor.body, Choose) and isinstance(tensor.body.condition, Int)
    )


def _constant(tensor: TensorTerm) -> bool:
    """Whether all elements are one number."""
    return tensor.data is not None and len(tensor.data) > 0 and len(set(tensor.data)) == 1


def _short(t: Term) -> bool:
    return isinstance(t, Fold) and all(as_int(extent) is not None for _, extent in t.axes)
