"""A shorter expression, equal under assumptions, for index code and for printing; its equality is always proved.

Spec: ``spec/06-shapes.md``, ``sh/simplify-under-assumptions``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from refrelax.rules import rule
from refrelax.semantics.dims import equal
from refrelax.semantics.dims import simplify as simplify_plain
from refrelax.shape_solver.claim import Effort, Proved
from refrelax.shape_solver.core import replaced
from refrelax.shape_solver.defined import conditions
from refrelax.shape_solver.door import Arithmetic, Door, TooDeep, sort
from refrelax.shape_solver.parse import parse_dim
from refrelax.shape_solver.prove import Prover
from refrelax.shape_solver.spellings import respelled, with_remainders
from refrelax.syntax.dtypes import integer_range
from refrelax.syntax.scalars import Binary, Cast, Literal, PrimExpr, SymVar, free_symbols, walk


@rule("sh/simplify-under-assumptions")
def simplify(
    e: str | PrimExpr,
    assume: Iterable[str | PrimExpr] = (),
    effort: Effort = "normal",
    arithmetic: Arithmetic = "exact",
) -> PrimExpr:
    """The shortest expression found that is proved equal to ``e`` wherever ``assume`` holds and ``e`` is defined.

    Fewer quotients and minima count more than fewer nodes. ``e`` itself comes back if nothing shorter is proved.
    """
    given = parse_dim(e) if isinstance(e, str) else e
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
    heavy = sum(1 for n in nodes if not isinstance(n, (Literal, SymVar)) and getattr(n, "op", "") not in LIGHT)
    return heavy, len(nodes)


LIGHT = ("Add", "Sub", "Mul")


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
