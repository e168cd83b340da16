"""A shorter expression, equal under assumptions, for index code and for printing; its equality is always proved.

Spec: ``spec/06-shapes.md``, ``sh/simplify-under-assumptions``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from refrelax.rules import rule
from refrelax.semantics.dims import equal
from refrelax.semantics.dims import simplify as simplify_plain
from refrelax.shape_solver.claim import Effort, Proved
from refrelax.shape_solver.defined import conditions
from refrelax.shape_solver.door import Arithmetic, TooDeep
from refrelax.shape_solver.parse import parse_dim
from refrelax.shape_solver.prove import Prover
from refrelax.shape_solver.spellings import respelled, with_remainders
from refrelax.syntax.scalars import Binary, Literal, PrimExpr, SymVar, free_symbols, walk


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
    return given if best is original else prover.door.out(best)


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
