"""A shorter expression, equal under assumptions, for index code and for printing; its equality is always proved.

Spec: ``spec/06-shapes.md``, ``sh/simplify-under-assumptions``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from refrelax.rules import rule
from refrelax.semantics.dims import equal
from refrelax.semantics.dims import simplify as simplify_plain
from refrelax.shape_solver.claim import Effort, Proved
from refrelax.shape_solver.core import rebuilt, replaced
from refrelax.shape_solver.defined import conditions
from refrelax.shape_solver.door import Arithmetic, Door, TooDeep, sort
from refrelax.shape_solver.given import Assumption, Dim, dim_of
from refrelax.shape_solver.parts import is_heavy, makes_steps, offered
from refrelax.shape_solver.prove import Prover
from refrelax.shape_solver.spellings import respelled, with_remainders
from refrelax.syntax.dtypes import integer_range
from refrelax.syntax.scalars import Binary, Cast, PrimExpr, SymVar, children, free_symbols, walk

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
    for candidate in _candidates(original, prover):
        if cost(candidate) < cost(best):
            if _as_defined(original, candidate, prover) and _proved(Binary("EQ", original, candidate), prover):
                best = candidate
    if cost(best)[0]:
        best = _Parts(prover.quick()).visit(best)
    if best is original:
        return given
    return prover.door.out(best) if arithmetic != "no-overflow" else _of_dtype(best, given, prover.door)


def _of_dtype(e: PrimExpr, given: PrimExpr, door: Door) -> PrimExpr:
    """``e`` outside, its symbols converted to the dtype of ``given``: the door takes ``int64(n)`` for ``n``, whose
    products are computed in another dtype. ``given`` where that dtype does not hold the values of a symbol."""
    low, high = integer_range(given.dtype)
    by: dict[str, PrimExpr] = {}
    for name in free_symbols(e):
        symbol = by[name] = door.outside[name]
        if sort(symbol.dtype) == "int" and symbol.dtype != given.dtype:
            least, greatest = integer_range(symbol.dtype)
            if least < low or high < greatest:
                return given
            by[name] = Cast(given.dtype, symbol)
    return replaced(e, by)


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
            if self.prover.arithmetic == "no-overflow" and makes_steps(e, candidate):
                continue
            if cost(candidate) < cost(e) and self.left > 0:
                self.left -= 1
                same = Binary("EQ", e, candidate)
                if _proved(same, self.prover) and _as_defined(e, candidate, self.prover):
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
