"""A shorter expression, equal under assumptions, for index code and for printing; its equality is always proved.

Spec: ``spec/06b-solver.md``, ``sh/simplify-under-assumptions``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from refrelax.rules import rule
from refrelax.semantics.dims import equal
from refrelax.semantics.dims import simplify as simplify_plain
from refrelax.shape_solver.claim import Effort, Proved, conjunction
from refrelax.shape_solver.core import integer, rebuilt
from refrelax.shape_solver.defined import conditions, in_range
from refrelax.shape_solver.door import Arithmetic, Door, TooDeep, sort
from refrelax.shape_solver.given import Assumption, Dim, dim_of
from refrelax.shape_solver.parts import is_heavy, offered
from refrelax.shape_solver.prover import Prover
from refrelax.shape_solver.spellings import respelled, with_remainders
from refrelax.syntax.dtypes import integer_range
from refrelax.syntax.scalars import (
    Binary,
    Cast,
    Intrinsic,
    Literal,
    Not,
    PrimExpr,
    Select,
    SymVar,
    children,
    free_symbols,
    int_imm,
    literal_int,
    walk,
)

MAX_ASKED = 64
"""Equalities of parts that are asked about."""


@rule("sh/simplify-under-assumptions")
def simplify(
    e: Dim,
    assume: Iterable[Assumption] = (),
    effort: Effort = "normal",
    arithmetic: Arithmetic = "exact",
) -> PrimExpr:
    """The shortest expression found that is proved equal to ``e`` wherever ``assume`` holds and ``e`` is defined.

    Fewer quotients and minima count more than fewer nodes. ``e`` itself comes back if nothing shorter is proved.
    Raises as ``prove``.
    """
    given = dim_of(e)
    prover = Prover(assume, effort, division="assume", arithmetic=arithmetic)
    if prover.large(given) is not None:
        return given
    try:
        best = original = prover.door.dim(given)
    except TooDeep:
        return given
    quick = prover.quick()
    room = _Room.of(given, quick)
    for candidate in _candidates(original, prover):
        if cost(candidate) < cost(best):
            same = Binary("EQ", original, candidate)
            if _as_defined(original, candidate, prover) and _proved(same, prover) and room.holds(original, candidate):
                best = candidate
    if cost(best)[0]:
        best = _Parts(quick, room).visit(best)
    if best is original:
        return given
    if arithmetic == "exact":
        return prover.door.out(best)
    found = _of_dtype(best, given, prover)
    kept = room.fits(original, best) if arithmetic == "no-overflow" else _reads_as(found, given, original, prover)
    return found if kept else given


class _NoRoom(Exception):
    """A dtype does not hold what should be computed in it."""


def _of_dtype(e: PrimExpr, given: PrimExpr, prover: Prover) -> PrimExpr:
    """``e`` outside, of the dtype of ``given``, which comes back where that dtype does not hold what ``e`` is made of.
    Inside, ``int64(n)`` may be ``n``, and all operations are of ideal integers."""
    try:
        return _Outside(given.dtype, prover.door).integer(e, given.dtype)
    except _NoRoom:
        return given


@dataclass(frozen=True, slots=True)
class _Outside:
    """Terms on their way out into a program, in which both operands of an operation have its dtype. ``dtype``: what is
    computed in, where nothing says another. That ``wrap`` reads them as they were meant is for others to prove."""

    dtype: str
    door: Door

    @property
    def wraps(self) -> bool:
        return self.door.arithmetic == "wrap"

    def integer(self, e: PrimExpr, dtype: str) -> PrimExpr:
        """An integer as a scalar of ``dtype``."""
        match e:
            case SymVar(name):
                return self.converted(self.door.outside[name], dtype)
            case Literal():
                number, (low, high) = literal_int(e), integer_range(dtype)
                if not low <= number <= high:
                    raise _NoRoom
                return int_imm(number, dtype)
            case Cast(narrow, a):
                return self.converted(self.cast(narrow, a), dtype)
            case Binary(op, a, b):
                return Binary(op, self.integer(a, dtype), self.integer(b, dtype))
            case Select(c, a, b):
                return Select(self.truth(c, dtype), self.integer(a, dtype), self.integer(b, dtype))
            case Intrinsic("if_then_else", (c, a, b)):
                arms = self.integer(a, dtype), self.integer(b, dtype)
                return replace(e, args=(self.truth(c, dtype), *arms), dtype=dtype)
            case Intrinsic():
                return replace(e, args=tuple(self.integer(part, dtype) for part in children(e)), dtype=dtype)
            case _:
                raise AssertionError(e)

    def cast(self, dtype: str, e: PrimExpr) -> PrimExpr:
        """``e`` converted to ``dtype``. Of wrapping operations that is the operation in this dtype."""
        match e:
            case SymVar(name):
                inner = self.door.outside[name]
            case Cast(narrow, a):
                inner = self.cast(narrow, a)
            case _:
                inner = self.integer(e, dtype if self.wraps else self.dtype)
                return inner if self.wraps else Cast(dtype, inner)
        return inner if inner.dtype == dtype else Cast(dtype, inner)

    def converted(self, e: PrimExpr, dtype: str) -> PrimExpr:
        """A scalar in another dtype, which holds all its values."""
        if e.dtype == dtype:
            return e
        (least, greatest), (low, high) = integer_range(e.dtype), integer_range(dtype)
        if least < low or high < greatest:
            raise _NoRoom
        return Cast(dtype, e)

    def truth(self, e: PrimExpr, dtype: str) -> PrimExpr:
        match e:
            case SymVar(name):
                return self.door.outside[name]
            case Literal():
                return e
            case Binary(op, a, b) if a.dtype != "bool":
                dtype = self.compared(a, b) or dtype
                return Binary(op, self.integer(a, dtype), self.integer(b, dtype))
            case _:
                return rebuilt(e, tuple(self.truth(part, dtype) for part in children(e)))

    def compared(self, *sides: PrimExpr) -> str | None:
        """The dtype in which a comparison is made, if one of its sides says that."""
        for e in sides:
            match e:
                case Cast(dtype) if self.wraps:
                    return dtype
                case SymVar(name) if self.wraps:
                    return self.door.outside[name].dtype
                case _:
                    pass
        return None


def _reads_as(found: PrimExpr, given: PrimExpr, original: PrimExpr, prover: Prover) -> bool:
    """Whether ``found`` is shorter than ``given`` and means the same where each of its own operations wraps."""
    if found.dtype != given.dtype or cost(found) >= cost(given):
        return False
    again = prover.door.dim(found)
    return _as_defined(original, again, prover) and _proved(Binary("EQ", original, again), prover)


@dataclass(frozen=True, slots=True)
class _Room:
    """The range that the steps of a program's scalar must stay in (``no-overflow``), and what is known of them."""

    prover: Prover
    ends: tuple[int, int] | None
    """``None``: no step is asked about."""
    even: bool
    """Whether that is the range of every step of the scalar as it is given, too."""

    @staticmethod
    def of(given: PrimExpr, prover: Prover) -> _Room:
        if prover.arithmetic != "no-overflow":
            return _Room(prover, None, False)
        low, high = integer_range(given.dtype)
        ranges = [integer_range(node.dtype) for node in walk(given) if sort(node.dtype) == "int"]
        return _Room(prover, (low, high), all(low <= least and most <= high for least, most in ranges))

    def holds(self, e: PrimExpr, candidate: PrimExpr) -> bool:
        """Whether each step of ``candidate`` is shown to stay in range where those of ``e`` do."""
        if self.ends is None:
            return True
        known = in_range(e, *self.ends) if self.even else []
        asked = [step for step in in_range(candidate, *self.ends) if step not in known]
        given = conjunction([*self.declared(candidate), *known])
        return all(_proved(Binary("Or", Not(given), step), self.prover) for step in asked)

    def fits(self, original: PrimExpr, e: PrimExpr) -> bool:
        """Whether all steps of ``e`` stay in range, those around parts that were replaced too: where a step was made in
        another dtype, which may hold more, nothing is known of it."""
        return self.even or self.holds(original, e)

    def declared(self, e: PrimExpr) -> Iterator[PrimExpr]:
        """That the symbols of ``e`` have values of their dtypes."""
        for name in sorted(free_symbols(e)):
            symbol = self.prover.door.outside[name]
            if sort(symbol.dtype) == "int":
                low, high = integer_range(symbol.dtype)
                yield Binary("GE", SymVar(name), integer(low))
                yield Binary("LE", SymVar(name), integer(high))


def _proved(claim: PrimExpr, prover: Prover) -> bool:
    return isinstance(prover.inside(claim), Proved)


def _as_defined(original: PrimExpr, candidate: PrimExpr, prover: Prover) -> bool:
    """Whether ``candidate`` has a value wherever ``original`` has one, as far as that is shown."""
    given = conditions(original)
    return all(condition in given or _proved(condition, prover) for condition in conditions(candidate))


def cost(e: PrimExpr) -> tuple[int, int]:
    """(operations that are not ``+ - *``, nodes)."""
    nodes = list(walk(e))
    return sum(1 for n in nodes if is_heavy(n)), len(nodes)


@dataclass(slots=True)
class _Parts:
    """Parts of one expression replaced by shorter ones, each proved equal wherever it has a value, so the whole is."""

    prover: Prover
    room: _Room
    left: int = MAX_ASKED
    known: dict[PrimExpr, PrimExpr] = field(default_factory=dict)

    def visit(self, e: PrimExpr) -> PrimExpr:
        if not children(e):
            return e
        if e not in self.known:
            self.known[e] = self.shorter(rebuilt(e, tuple(map(self.visit, children(e)))))
        return self.known[e]

    def shorter(self, e: PrimExpr) -> PrimExpr:
        if e.dtype == "bool":
            return e
        for candidate in offered(e):
            if cost(candidate) < cost(e) and self.left > 0:
                self.left -= 1
                same = Binary("EQ", e, candidate)
                shown = _proved(same, self.prover) and _as_defined(e, candidate, self.prover)
                if shown and self.room.holds(e, candidate):
                    return self.shorter(candidate)
        return e


def _candidates(e: PrimExpr, prover: Prover) -> Iterator[PrimExpr]:
    """Spellings worth proving: under the bounds alone, and with the assumptions put in and taken out again."""
    context = prover.context
    plain = simplify_plain(e, context.facts)
    yield plain
    for again in (respelled(plain), respelled(with_remainders(plain))):
        if again != plain:
            yield respelled(simplify_plain(again, context.facts))
    for each in (context, context.measuring()):
        if not each.absurd:
            inside = simplify_plain(each.image(e), each.facts)
            for name in sorted(free_symbols(e)):
                if equal(each.image(SymVar(name)), inside, each.facts):
                    yield SymVar(name)
            yield simplify_plain(each.restored(inside), prover.context.facts)
