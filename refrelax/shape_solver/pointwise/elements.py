"""Expressions of the loop level as terms.

Integers that depend on indices and shapes alone stay expressions (the solver's language); everything else becomes an
``Apply`` by its head, a ``Choose`` or a ``Load``. Comparisons are turned so that ``<`` and ``<=`` are the only orders.

Spec: ``spec/06c-pointwise.md``, ``sh/element-term``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from math import frexp, isfinite, isnan

from refrelax.rules import rule
from refrelax.semantics.numbers.interface import MATH, MATH2
from refrelax.shape_solver.context import conjuncts, negation
from refrelax.shape_solver.pointwise.logic import Given, Logic, compare, within
from refrelax.shape_solver.pointwise.terms import OLD, Apply, Int, Number, Term, Terms, has_old
from refrelax.syntax import bits, dtypes
from refrelax.syntax.scalars import (
    Binary,
    BufferLoad,
    Cast,
    Intrinsic,
    Let,
    Literal,
    Not,
    PrimExpr,
    Select,
    SymVar,
    as_int,
    int_imm,
    walk,
)

PURE = frozenset({
    *MATH, *MATH2, "nearbyint", "fabs", "fma", "isnan", "isinf", "isfinite", "popcount", "clz", "bitwise_and",
    "bitwise_or", "bitwise_xor", "bitwise_not", "shift_left", "shift_right", "reinterpret", "isnullptr",
})  # fmt: skip
"""Intrinsics that are functions of their arguments."""

OF_INDICES = frozenset({"if_then_else", "likely", "shift_left", "shift_right", "bitwise_and", "bitwise_or"})
"""Intrinsics of index arithmetic."""

TOTAL = frozenset({*MATH, "atan2", "pow", "nearbyint", "fabs", "fma", "isnan", "isinf", "isfinite"})
"""Intrinsics that are never poison on floats that are none."""

BITWISE = frozenset({"T.bitwise_and", "T.bitwise_or", "T.bitwise_xor", "T.bitwise_not", "T.reinterpret"})
"""Intrinsics that are never poison on bits that are none."""

TRUTHS = frozenset({"EQ", "NE", "LT", "LE", "GT", "GE", "And", "Or"})
TURNED = {"GT": "LT", "GE": "LE"}
DIVISIONS = frozenset({"FloorDiv", "FloorMod", "Div", "Mod"})
FITS = "index arithmetic fits its dtype"
ELEMENT_FITS = "an element's arithmetic on indices fits its dtype"
RING = frozenset({"Add", "Sub", "Mul"})


class NotRead(Exception):
    """A program, or a part of one, that element terms cannot say."""


Loader = Callable[[BufferLoad, tuple[PrimExpr, ...], Given, Given], Term]
"""Of a load, its indices, what holds where its value matters and where it is evaluated: its element."""


@dataclass(frozen=True, slots=True)
class Reading:
    """How expressions are read at one place of a program.

    ``scope``: what holds where the value matters; ``hard``: what holds where it is evaluated (less, inside the arms of
    a ``T.Select``). ``own``: the buffer and indices of the store whose value is read. ``require``: told what the
    program's meaning rests on; ``demand``: told of an element that must not be poison.
    """

    terms: Terms
    logic: Logic
    by: Mapping[str, PrimExpr]
    scope: Given
    load: Loader
    own: tuple[str, tuple[PrimExpr, ...]] | None
    require: Callable[[str, PrimExpr, Given], None]
    demand: Callable[[Term, Given], None]
    hard: Given | None = None
    lets: Mapping[str, Term] | None = None

    # --- indices

    def index(self, e: PrimExpr, purpose: str = FITS) -> PrimExpr:
        """An expression over indices, exact; elements inside become opaque symbols. ``purpose``: why sums must fit.

        What evaluating it rests on becomes an obligation: divisors that are not 0, every step in the range of its
        dtype, elements that are no poison.
        """
        return self._index(e, purpose, self.scope if self.hard is None else self.hard)

    def _index(self, e: PrimExpr, purpose: str, given: Given) -> PrimExpr:
        def part(x: PrimExpr, more: Given = ()) -> PrimExpr:
            return self._index(x, purpose, (*given, *more))

        match e:
            case Literal() if whole(e.dtype):
                return ideal(e)
            case SymVar():
                return self._symbol(e, given)
            case Binary(op, a, b) if integral(a.dtype):
                new = Binary(op, part(a), part(b))
                self._arithmetic(e, new, purpose, given)
                return new
            case Not(a):
                return Not(part(a))
            case Cast(target, value) if integral(target) and integral(value.dtype):
                inner = part(value)
                exact = widens(value.dtype, target) and inner.dtype in ("int64", target)
                exact = exact or self._narrow(inner, target, given)
                return inner if exact else replace(e, value=inner)
            case Select(c, yes, no) if integral(e.dtype):
                return Select(part(c), part(yes), part(no))
            case Intrinsic("if_then_else", (c, yes, no)) if integral(e.dtype):
                condition = part(c)
                holds, fails = tuple(conjuncts(condition)), tuple(conjuncts(negation(condition)))
                return replace(e, args=(condition, part(yes, holds), part(no, fails)))
            case Intrinsic("likely", (inner,)):
                return part(inner)
            case Intrinsic(op, (a, b)) if op in OF_INDICES and integral(e.dtype):
                return self._bits(e, part(a), part(b), purpose, given)
            case _:
                return self._opaque(e, given)

    def _narrow(self, e: PrimExpr, target: str, given: Given) -> bool:
        """Whether a cast to a narrower index dtype changes nothing."""
        if e.dtype != "int64" or target not in ("int32", "int64"):
            return False
        match e:
            case Binary("FloorMod", _, m) if 0 < (as_int(m) or 0) <= dtypes.integer_range(target)[1]:
                return True
            case _:
                return self.logic.fits(e, target, given)

    def _symbol(self, e: SymVar, given: Given) -> PrimExpr:
        if self.lets and e.name in self.lets:
            return self._opaque(e, given)
        known = self.by.get(e.name)
        if known is None or not integral(e.dtype):
            raise NotRead(f"the symbol {e.name}, of which nothing is known")
        if isinstance(known, SymVar) and known.name in self.terms.opaque:
            self.demand(self.terms.opaque[known.name], given)
        return known if known.dtype == "bool" else ideal(known)

    def _opaque(self, e: PrimExpr, given: Given) -> PrimExpr:
        """An element used as an integer: it must not be poison, nor what the store under way replaces."""
        if self.hard is not None and self.hard != self.scope:
            raise NotRead("an index read from memory under T.Select")
        if not integral(e.dtype):
            raise NotRead(f"{type(e).__name__} of dtype {e.dtype} in an index")
        term = self.term(e)
        if has_old(term):
            raise NotRead("an index that depends on the element being stored")
        if not isinstance(term, Int):
            self.demand(term, given)
        return self.terms.as_index(term)

    def _arithmetic(self, e: Binary, new: PrimExpr, purpose: str, given: Given) -> None:
        """What a step of index arithmetic rests on."""
        assert isinstance(new, Binary)
        divisor = as_int(new.b)
        if e.op in DIVISIONS and not divisor:
            self.require("divisor is not 0", compare("NE", new.b, int_imm(0, new.b.dtype)), given)
        if e.op in DIVISIONS and self.logic.natural(new.b, given):
            return  # the result lies between the operands, which fit
        if e.op in RING or (e.op in DIVISIONS and (divisor is None or divisor < 0)):
            self._fits(new, e.dtype, purpose, given)

    def _fits(self, new: PrimExpr, dtype: str, purpose: str, given: Given) -> None:
        if self.logic.fits(new, dtype, given):
            return
        low, high = dtypes.integer_range(dtype)
        self.require(purpose, compare("GE", new, int_imm(low)), given)
        self.require(purpose, compare("LE", new, int_imm(high)), given)

    def _bits(self, e: Intrinsic, a: PrimExpr, b: PrimExpr, purpose: str, given: Given) -> PrimExpr:
        new = replace(e, args=(a, b))
        if e.op in ("shift_left", "shift_right"):
            for bound in within(b, int_imm(dtypes.bits(e.dtype))):
                self.require("a shift by less than the width", bound, given)
        if e.op == "shift_left":
            self._fits(new, e.dtype, purpose, given)
        return new

    # --- elements

    @rule("sh/element-term")
    def term(self, e: PrimExpr) -> Term:
        """The value of an element."""
        if dtypes.lanes(e.dtype) != 1:
            raise NotRead("a vector")
        if isinstance(e, Literal):
            return self.terms.number(e.dtype, e.bits) if dtypes.is_float(e.dtype) else self.terms.integer(e)
        if isinstance(e, SymVar) and (found := self._let(e)) is not None:
            return found
        if of_indices(e) and self.plain(e):
            if e.dtype == "bool" or not isinstance(e, Binary) or self._exact(e):
                return self.terms.integer(self.index(e, ELEMENT_FITS))
        return self._element(e)

    def _exact(self, e: PrimExpr) -> bool:
        """Whether arithmetic of an element is seen not to wrap; where it may, it is arithmetic on elements."""
        asked: list[tuple[str, PrimExpr, Given]] = []
        replace(self, require=lambda *each: asked.append(each)).index(e, ELEMENT_FITS)
        return all(self.logic.holds(claim, given, why) for why, claim, given in asked if why == ELEMENT_FITS)

    def plain(self, e: PrimExpr) -> bool:
        """Whether an expression is index arithmetic: integers and truths of index variables, no element."""
        match e:
            case Literal():
                return integral(e.dtype)
            case SymVar():
                return self._let(e) is None
            case Binary(_, a, b):
                return self.plain(a) and self.plain(b)
            case Not(a):
                return self.plain(a)
            case Cast(dtype, value):
                return integral(dtype) and integral(value.dtype) and self.plain(value)
            case Select(c, a, b):
                return self.plain(c) and self.plain(a) and self.plain(b)
            case Intrinsic(op, args) if op in OF_INDICES:
                return all(map(self.plain, args))
            case _:
                return False

    def _let(self, e: SymVar) -> Term | None:
        """The element that a name stands for, if it stands for one."""
        if self.lets and e.name in self.lets:
            return self.lets[e.name]
        known = self.by.get(e.name)
        return self.terms.opaque.get(known.name) if isinstance(known, SymVar) else None

    def _element(self, e: PrimExpr) -> Term:
        terms = self.terms
        match e:
            case BufferLoad(predicate=None):
                indices = tuple(self.index(i) for i in e.indices)
                if self.own == (e.buffer, indices):
                    return OLD
                return self.load(e, indices, self.scope, self.scope if self.hard is None else self.hard)
            case Binary(op, a, b):
                if op in DIVISIONS and not dtypes.is_float(a.dtype) and not as_int(b):
                    raise NotRead("an integer division by data")
                return apply(terms, op, e.dtype, (self.term(a), self.term(b)))
            case Not(a):
                return apply(terms, "Not", "bool", (self.term(a),))
            case Cast(dtype, value):
                return apply(terms, "Cast", dtype, (self.term(value),))
            case Select(condition, yes, no):
                return self._choice(condition, yes, no, self.scope if self.hard is None else self.hard)
            case Intrinsic("if_then_else", (condition, yes, no)):
                return self._choice(condition, yes, no, None)
            case Intrinsic("likely", (inner,)):
                return self.term(inner)
            case Intrinsic(op, args, dtype, attrs) if op in PURE:
                attrs = (*attrs, *widths(tuple(a.dtype for a in args)))
                return apply(terms, f"T.{op}", dtype, tuple(self.term(a) for a in args), attrs)
            case Let() if self.plain(e.value):
                return replace(self, by={**self.by, e.var.name: self.index(e.value)}).term(e.body)
            case Let():
                lets = {**(self.lets or {}), e.var.name: self.term(e.value)}
                return replace(self, lets=lets).term(e.body)
            case _:
                raise NotRead(f"{getattr(e, 'op', type(e).__name__)} is not read")

    def _choice(self, condition: PrimExpr, yes: PrimExpr, no: PrimExpr, hard: Given | None) -> Term:
        """``hard``: what holds where both arms are evaluated; ``None``: only the chosen one is."""
        c = self.terms.integer(self.index(condition)) if self.plain(condition) else self.term(condition)
        if not isinstance(c, Int):
            if hard is None and not has_old(c):  # a branch: poison there ends the run
                self.demand(c, self.scope if self.hard is None else self.hard)
            elif hard is None:
                raise NotRead("a branch on the element being stored")
            return self.terms.choose(c, self.term(yes), self.term(no))
        holds, fails = (*self.scope, *conjuncts(c.value)), (*self.scope, *conjuncts(negation(c.value)))
        below = self.hard is not None and hard is None
        arms = [
            replace(self, scope=scope, hard=self.hard if below else hard).term(arm)
            for scope, arm in ((holds, yes), (fails, no))
        ]
        return self.terms.choose(c, *arms)


def widths(kinds: tuple[str, ...]) -> tuple[tuple[str, object], ...]:
    """The dtypes of what a function is of, where one is of integers: index expressions forget their width."""
    return (("of", kinds),) if any(map(integral, kinds)) else ()


def reinterpreted(terms: Terms, x: Term, source: str, dtype: str) -> Term:
    """The bits of an element of dtype ``source`` at another one of the same width."""
    return apply(terms, "T.reinterpret", dtype, (x,), widths((source,)))


def ideal(e: PrimExpr) -> PrimExpr:
    """An index expression in one dtype, without the casts that lose nothing: index arithmetic is exact."""
    match e:
        case SymVar(name, "int32"):
            return SymVar(name, "int64")
        case Literal("int32"):
            return int_imm(as_int(e) or 0)
        case Cast(target, inner) if widens(inner.dtype, target) and inner.dtype != "bool":
            return ideal(inner)
        case Binary(op, a, b):
            x, y = ideal(a), ideal(b)
            return e if x is a and y is b else Binary(op, x, y)
        case Not(a):
            return replace(e, a=ideal(a))
        case Cast():
            return replace(e, value=ideal(e.value))
        case Select():
            return Select(ideal(e.condition), ideal(e.true_value), ideal(e.false_value))
        case Intrinsic():
            return replace(e, args=tuple(ideal(a) for a in e.args))
        case _:
            return e


def of_indices(e: PrimExpr) -> bool:
    """Whether ``e`` is integer arithmetic on indices and shapes, which is read as exact; that it does not wrap is an
    obligation."""
    for each in walk(e):
        if isinstance(each, BufferLoad | Let) or not whole(each.dtype):
            return False
        if not isinstance(each, Literal | SymVar | Binary | Not | Cast | Select):
            return False
        if isinstance(each, Cast) and not widens(each.value.dtype, each.dtype):
            return False
    return True


def integral(dtype: str) -> bool:
    """One integer or truth."""
    return dtypes.kind(dtype) in ("int", "uint", "bool") and dtypes.lanes(dtype) == 1


def whole(dtype: str) -> bool:
    """An index dtype, or a truth."""
    return dtype in ("int32", "int64", "bool")


def widens(source: str, target: str) -> bool:
    return whole(source) and whole(target) and target != "bool" and dtypes.bits(source) <= dtypes.bits(target)


@rule("sh/term-head")
def apply(
    terms: Terms, op: str, dtype: str, args: tuple[Term, ...], attrs: tuple[tuple[str, object], ...] = ()
) -> Term:
    """An operation, with its spelling settled: orders turned, truths unwrapped, exact integer heads joined."""
    if op in TURNED:
        op, args = TURNED[op], (args[1], args[0])
    truth = _truth(op, args)
    if truth is not None:
        return truth
    if op == "Cast" and args[0].dtype == dtype:
        return args[0]
    if op == "Cast" and (kept := _there_and_back(dtype, args[0])) is not None:
        return kept
    if op == "Cast" and dtypes.is_float(dtype) and isinstance(args[0], Int):
        known = as_int(args[0].value)
        if known is not None:
            return terms.number(dtype, bits.encode(dtype, known))
    if (kept := _unchanged(op, dtype, args)) is not None:
        return kept
    if (factor := _reciprocal(op, dtype, args)) is not None:
        return apply(terms, "Mul", dtype, (args[0], terms.number(dtype, bits.encode(dtype, factor))), attrs)
    if dtypes.is_float(dtype) and (signed := _signed(terms, op, dtype, args)) is not None:
        return signed
    if all(isinstance(a, Int) for a in args):
        joined = _joined(op, dtype, tuple(a.value for a in args if isinstance(a, Int)))
        if joined is not None:
            return terms.integer(joined)
    return terms.apply(op, dtype, args, attrs)


def of_truth(terms: Terms, dtype: str, known: bool) -> Term | None:
    """A truth as a number of ``dtype``, if that has both."""
    if dtypes.is_float(dtype):
        found = terms.number(dtype, bits.encode(dtype, float(known)))
        return found if _is(found, float(known)) and _has_zero(dtype) else None
    return terms.integer(int_imm(int(known), dtype)) if dtypes.bits(dtype) > 1 and dtype != "bool" else None


def _truth(op: str, args: tuple[Term, ...]) -> Term | None:
    """The truth ``b`` behind ``0 < int(b)`` and ``int(b) != 0``."""
    pairs = {"LT": [(0, 1)], "NE": [(0, 1), (1, 0)]}.get(op, [])
    for zero, other in pairs:
        z, cast = args[zero], args[other]
        if isinstance(z, Int) and as_int(z.value) == 0 and isinstance(cast, Apply) and cast.op == "Cast":
            if cast.args[0].dtype == "bool" and dtypes.bits(cast.dtype) > 1:  # (true is -1 in int1)
                return cast.args[0]
    return None


@rule("sh/neutral-operand")
def _there_and_back(dtype: str, t: Term) -> Term | None:
    """What is converted to a format that has every value of ``dtype``, and back."""
    if isinstance(t, Apply) and t.op == "Cast" and t.args[0].dtype == dtype and dtypes.is_float(t.dtype):
        return t.args[0] if bits.has_values_of(t.dtype, dtype) else None
    return None


@rule("sh/neutral-operand")
def _unchanged(op: str, dtype: str, args: tuple[Term, ...]) -> Term | None:
    """The operand that a float operation gives back unchanged, bit for bit."""
    if len(args) != 2 or not dtypes.is_float(dtype) or not _has_zero(dtype):
        return None
    x, y = args
    match op:
        case "Mul":
            if _is(x, 0.0) and _is(y, 0.0):
                return x
            return x if _is(y, 1.0) else y if _is(x, 1.0) else None
        case "Div":
            return x if _is(y, 1.0) else None
        case "Sub":
            return x if _is(y, 0.0) else None
        case "Max" | "Min":
            for one, other in ((x, y), (y, x)):
                if one is other or (isinstance(one, Apply) and one.op == op and other in one.args):
                    return one
                if _is_end(other, op) and _never_nan(one):
                    return one
        case "Add":
            for zero, other in ((x, y), (y, x)):
                if _is(zero, -0.0) or (_is(zero, 0.0) and _never_minus_zero(other)):
                    return other
    return None


@rule("sh/neutral-operand")
def _signed(terms: Terms, op: str, dtype: str, args: tuple[Term, ...]) -> Term | None:
    """Signs that meet: ``-(-x)`` is ``x``, ``x + (-y)`` is ``x - y``, ``x - (-y)`` is ``x + y``, ``|-x|`` and ``||x||``
    are ``|x|``, ``(-x) * y`` is ``-(x * y)``."""
    if bits.nan_bits(dtype) is None or not _has_zero(dtype):
        return None
    match op, args:
        case "Mul", (x, y) if _is(y, -1.0):
            return _negated(x)
        case "Mul", (y, x) if _is(y, -1.0):
            return _negated(x)
        case "Add", (x, y) if (z := _negated(y)) is not None:
            return apply(terms, "Sub", dtype, (x, z))
        case "Add", (y, x) if (z := _negated(y)) is not None:
            return apply(terms, "Sub", dtype, (x, z))
        case "Sub", (x, y) if (z := _negated(y)) is not None:
            return apply(terms, "Add", dtype, (x, z))
        case "T.fabs", (x,) if (z := _negated(x)) is not None:
            return apply(terms, op, dtype, (z,))
        case "T.fabs", (Apply("T.fabs") as x,):
            return x
        case _ if any(map(has_old, args)):
            return None  # (what is folded keeps its form)
        case (("Mul" | "Div"), (x, y)) if (z := _negated(x)) is not None:
            return _negative(terms, apply(terms, op, dtype, (z, y)))
        case (("Mul" | "Div"), (x, y)) if (z := _negated(y)) is not None:
            return _negative(terms, apply(terms, op, dtype, (x, z)))
        case _:
            return None


def doubled(t: Term) -> Term | None:
    """The float of which ``t`` is twice, by a product with 2."""
    if isinstance(t, Apply) and t.op == "Mul" and dtypes.is_float(t.dtype):
        for one, other in (t.args, t.args[::-1]):
            if _is(other, 2.0) and bits.decode(t.dtype, bits.encode(t.dtype, 2.0)) == 2:
                return one
    return None


def _negative(terms: Terms, t: Term) -> Term:
    return apply(terms, "Mul", t.dtype, (t, terms.number(t.dtype, bits.encode(t.dtype, -1.0))))


def signed(t: Term | None) -> bool:
    """Whether an element is a negative or a magnitude, which other signs take away."""
    return isinstance(t, Apply) and dtypes.is_float(t.dtype) and (t.op == "T.fabs" or _negated(t) is not None)


def _negated(t: Term) -> Term | None:
    """What ``t`` is the negative of, by a product with -1."""
    match t:
        case Apply("Mul", _, (x, y)):
            return x if _is(y, -1.0) else y if _is(x, -1.0) else None
        case _:
            return None


def _has_zero(dtype: str) -> bool:
    return float(bits.decode(dtype, bits.encode(dtype, 0.0))) == 0.0


def _is(t: Term, value: float) -> bool:
    return isinstance(t, Number) and t.bits == bits.encode(t.dtype, value)


def _is_end(t: Term, op: str) -> bool:
    """Whether a literal is the infinity that an extreme passes over. (Not every format has one.)"""
    return isinstance(t, Number) and float(bits.decode(t.dtype, t.bits)) == float("-inf" if op == "Max" else "inf")


def _never_nan(t: Term) -> bool:
    """An integer as a float (of a format with infinities), and every other literal."""
    if isinstance(t, Apply):
        return t.op == "Cast" and not dtypes.is_float(t.args[0].dtype)
    return isinstance(t, Number) and not isnan(float(bits.decode(t.dtype, t.bits)))


@rule("sh/neutral-operand")
def passed_over(t: Term) -> Term | None:
    """The other operand of an extreme with the infinity that it passes over: one of what that permits, which with a NaN
    is that infinity, too. So much may the first program's be."""
    if isinstance(t, Apply) and t.op in ("Max", "Min") and dtypes.is_float(t.dtype):
        for one, other in (t.args, t.args[::-1]):
            if _is_end(other, t.op):
                return one
    return None


@rule("sh/neutral-operand")
def _reciprocal(op: str, dtype: str, args: tuple[Term, ...]) -> float | None:
    """The reciprocal of a divisor, where both are powers of two: the quotient is then the same real number as the
    product, and is rounded once."""
    if op != "Div" or not dtypes.is_float(dtype) or not isinstance(args[1], Number):
        return None
    divisor = float(bits.decode(dtype, args[1].bits))
    if divisor == 0 or not isfinite(divisor) or abs(frexp(divisor)[0]) != 0.5:
        return None
    found = 1 / divisor
    exact = isfinite(found) and float(bits.decode(dtype, bits.encode(dtype, found))) == found
    return found if exact else None


def _never_minus_zero(t: Term) -> bool:
    """An integer as a float, and every other literal."""
    if isinstance(t, Apply):
        return t.op == "Cast" and isinstance(t.args[0], Int)
    return isinstance(t, Number) and not _is(t, -0.0)


def _joined(op: str, dtype: str, args: tuple[PrimExpr, ...]) -> PrimExpr | None:
    """An integer operation that neither wraps nor rounds, on index expressions."""
    if not all(whole(a.dtype) for a in args):
        return None
    match op, args:
        case (("EQ" | "NE" | "LT" | "LE" | "And" | "Or" | "Min" | "Max"), (a, b)) if a.dtype == b.dtype:
            return Binary(op, a, b)
        case "Not", (a,):
            return negation(a)
        case "Cast", (a,) if widens(a.dtype, dtype):
            return Cast(dtype, a)
        case _:
            return None


def is_total(t: Apply) -> bool:
    """Whether an operation is never poison on elements that are none: shifts by what is no literal, divisions of
    integers and casts of floats to integers may be, and in a format without NaN whatever gives one."""
    if dtypes.is_float(t.dtype) and bits.nan_bits(t.dtype) is None:
        return t.op in RING | {"Min", "Max"}
    floats = all(dtypes.is_float(a.dtype) for a in t.args)
    if t.op == "Cast":
        return not floats or dtypes.is_float(t.dtype) or t.dtype == "bool"
    if t.op in DIVISIONS:
        return floats and t.op == "Div"
    if t.op.startswith("T."):
        if t.op in ("T.shift_left", "T.shift_right"):
            count = t.args[1]
            return (
                isinstance(count, Int) and 0 <= (as_int(count.value) or 0) < dtypes.bits(t.dtype) and is_number(count)
            )
        return t.op in BITWISE or (floats and t.op.removeprefix("T.") in TOTAL)
    return t.op in TRUTHS | RING | {"Min", "Max", "Not"}


def is_number(t: Term) -> bool:
    return isinstance(t, Number) or (isinstance(t, Int) and isinstance(t.value, Literal))
