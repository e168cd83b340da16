"""Questions of their own: do two regions meet, is an index map one to one, what are the bounds of an expression.

Each is a claim for ``prove``, put together in one place, so that users of the library do not each do it again.

Spec: ``spec/06b-solver.md``, after ``sh/prove``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from refrelax.semantics.dims import substitute
from refrelax.semantics.dims.atoms import Atoms
from refrelax.semantics.dims.normal import normal
from refrelax.semantics.dims.ranges import interval
from refrelax.shape_solver.allowance import MAX_EVALUATED, Allowance
from refrelax.shape_solver.bits import opened
from refrelax.shape_solver.cases import domain, every
from refrelax.shape_solver.claim import FLOATS, LIMITS, Answer, Effort, Proved, Query, Refuted, Unknown, conjunction
from refrelax.shape_solver.core import integer
from refrelax.shape_solver.differences import span
from refrelax.shape_solver.door import Arithmetic, TooDeep
from refrelax.shape_solver.evaluate import TooLarge, Undefined, compiled
from refrelax.shape_solver.float_atoms import has_floats
from refrelax.shape_solver.given import Assumption, Dim, Region, claims_of, dim_of, names_of, region_of
from refrelax.shape_solver.prover import TOO_DEEP, Prover, prove
from refrelax.shape_solver.refute import Judge, Sampler
from refrelax.syntax.scalars import Binary, BinaryOp, PrimExpr, SymVar, free_symbols, walk

FIRST = (0, -1, -(1 << 7), -(1 << 15), -(1 << 31), -(1 << 63))
"""Where a bound is first looked for: lower bounds; upper ones are their negatives."""

ASKED = 5_000
"""What each question about a bound costs, whatever it is."""

MAX_OPEN = 4
"""Questions that stay open at one end."""


def disjoint(
    first: Region,
    second: Region,
    assume: Iterable[Assumption] = (),
    effort: Effort = "normal",
    arithmetic: Arithmetic = "exact",
) -> Answer:
    """Whether two regions of one memory have no place in common, for all integers that satisfy ``assume``.

    A region is a place (an integer expression) or ``(start, length)``: the places from ``start`` to below
    ``start + length``, none if ``length <= 0``. ``start + length`` is no step of the program: it is exact.
    Raises as ``prove``.
    """
    (a, m), (b, n) = region_of(first), region_of(second)
    if arithmetic == "wrap":
        return _disjoint_wrapped((a, m, b, n), assume, effort)
    return prove(_apart(a, m, b, n), assume, effort, arithmetic=arithmetic)


def _disjoint_wrapped(parts: tuple[PrimExpr, ...], assume: Iterable[Assumption], effort: Effort) -> Answer:
    """The parts wrap; the places between them are counted exactly."""
    given = claims_of(assume)
    if any(map(has_floats, (*parts, *given))):
        return Unknown("regions of wrapping arithmetic with floats in it", "floats", scope=FLOATS)
    prover = Prover(given, effort, arithmetic="wrap")
    large = next(filter(None, map(prover.large, parts)), None)
    try:
        inside = [] if large else list(map(prover.door.dim, parts))
    except TooDeep:
        large = TOO_DEEP
    if large:
        return Unknown(large, "size")
    return prover.outside(prover.inside(_apart(*inside)))


def _apart(a: PrimExpr, m: PrimExpr, b: PrimExpr, n: PrimExpr) -> PrimExpr:
    """That the ``m`` places from ``a`` and the ``n`` places from ``b`` have none in common."""
    apart: list[PrimExpr] = [Binary("LE", Binary("Add", a, m), b), Binary("LE", Binary("Add", b, n), a)]
    apart += [Binary("LE", length, integer(0)) for length in (m, n)]
    if m == n == integer(1):
        return Binary("NE", a, b)
    claim = apart[0]
    for each in apart[1:]:
        claim = Binary("Or", claim, each)
    return claim


def injective(
    index: Dim | Sequence[Dim],
    variables: Iterable[str],
    assume: Iterable[Assumption] = (),
    effort: Effort = "normal",
    arithmetic: Arithmetic = "exact",
) -> Answer:
    """Whether an index map takes different values of ``variables`` to different places, other symbols being the same.

    ``index``: one place, or one for each axis. ``assume`` holds of each of the two points. A counterexample names the
    values of the second point ``i_2`` for the variable ``i`` (with more underscores if that is a symbol). Raises as
    ``prove``; ``UsageError`` if there are no variables, or a text instead of a list.
    """
    axes = list(map(dim_of, index if isinstance(index, list | tuple) else (index,)))
    given = claims_of(assume)
    kinds = {node.name: node for e in (*axes, *given) for node in walk(e) if isinstance(node, SymVar)}
    names = names_of(variables, kinds)
    by: dict[str, PrimExpr] = {}
    for name in names:
        fresh = f"{name}_2"
        while fresh in kinds or fresh in names:
            fresh += "_"
        by[name] = SymVar(fresh, kinds[name].dtype if name in kinds else "int64")
    other = [substitute(e, by) for e in given if free_symbols(e) & by.keys()]
    same = [Binary("EQ", e, substitute(e, by)) for e in axes]
    equal: list[PrimExpr] = [Binary("EQ", kinds.get(name, SymVar(name)), by[name]) for name in names]
    return prove(conjunction(equal), [*given, *other, *same], effort, arithmetic=arithmetic)


def bounds(
    e: Dim, assume: Iterable[Assumption] = (), effort: Effort = "normal", arithmetic: Arithmetic = "exact"
) -> tuple[int | None, int | None]:
    """The greatest number that ``e`` is proved to be at least, and the least that it is proved to be at most, wherever
    ``assume`` holds and ``e`` has a value; ``None`` where no number is proved.

    Bounds are proved, not always attained; they are where the bounds of symbols leave few points. Where there is no
    value (assumptions contradict each other, or ``e`` is defined nowhere) and that is seen, they are ``(1, 0)``. At
    each end the search stops at the fourth question that stays open, or the eighth that is dear. Raises as ``prove``.
    """
    prover = Prover(assume, effort, arithmetic=arithmetic)
    whole = dim_of(e)
    if prover.large(whole) is not None:
        return None, None
    try:
        inside = prover.door.dim(whole)
    except TooDeep:
        return None, None
    if prover.context.absurd:
        return 1, 0
    exact = _enumerated(inside, prover)
    if exact is not None:
        return exact
    known = opened(inside, prover.context)
    low: int | None = None
    high: int | None = None
    for context in (prover.context, prover.context.measuring()):
        atoms = Atoms(context.facts)
        least, greatest = interval(normal(context.image(known), atoms), atoms)
        low = least if low is None else low if least is None else max(low, least)
        high = greatest if high is None else high if greatest is None else min(high, greatest)
    least, greatest = span(inside, prover.given)
    low = least if low is None else low if least is None else max(low, least)
    high = greatest if high is None else high if greatest is None else min(high, greatest)
    low, high = _tightened(inside, prover, low, "GE"), _tightened(inside, prover, high, "LE")
    return (1, 0) if low is not None and high is not None and low > high else (low, high)


def _enumerated(e: PrimExpr, prover: Prover) -> tuple[int, int] | None:
    """The least and the greatest value, if bounds leave few points."""
    judge = Judge.of(Query(Binary("EQ", e, e), prover.given))
    sampler = Sampler.of(judge, prover.context)
    size = domain(sampler)
    if size is None or size > min(LIMITS[prover.effort].domain, MAX_EVALUATED // 4 // judge.nodes):
        return None
    run, low, high = compiled(e), 1, 0
    try:
        for env in every(sampler):
            if judge.admits(env):
                try:
                    found = run(env)
                except Undefined:
                    continue
                low, high = (found, found) if low > high else (min(low, found), max(high, found))
    except TooLarge:
        return None
    return low, high


def _tightened(e: PrimExpr, prover: Prover, start: int | None, op: BinaryOp) -> int | None:
    """The best bound between ``start`` and a value that ``e`` is seen to have."""
    end = _End(e, prover, op, Allowance(LIMITS[prover.effort].work * 2 // 5))
    if start is None:
        start = next((end.sign * bound for bound in FIRST if end.left > 0 and end.holds(end.sign * bound)), None)
    return None if start is None else end.between(start)


@dataclass(slots=True)
class _End:
    """The search for one bound. All its questions share one allowance."""

    e: PrimExpr
    prover: Prover
    op: BinaryOp
    allowance: Allowance
    left: int = MAX_OPEN
    seen: int | None = None
    """The value nearest to the bound that ``e`` was seen to have."""
    limit: int | None = None
    """The bound nearest to a proved one that was not proved."""

    @property
    def sign(self) -> int:
        """Where better bounds lie."""
        return 1 if self.op == "GE" else -1

    def holds(self, bound: int) -> bool:
        self.allowance.spend(ASKED)
        answer = self.prover.inside(Binary(self.op, self.e, integer(bound)), self.allowance)
        match answer:
            case Proved():
                return True
            case Refuted(model):
                self.seen = compiled(self.e)(model)
                self.limit = self.seen + self.sign
            case Unknown():
                self.limit = bound
                self.left -= 1
        return False

    def between(self, best: int) -> int:
        """The best bound that is found from the proved one ``best`` on."""
        step, guess = 1, True
        while self.left > 0 and self.allowance.left > 0 and best + self.sign != self.limit:
            if self.limit is None:
                bound, step = best + self.sign * step, 2 * step
            elif guess and self.seen is not None and self.limit == self.seen + self.sign:
                bound = self.seen  # counterexamples often lie where the bound is attained
            else:
                bound = (best + self.limit) // 2
            guess = not guess
            if self.holds(bound):
                best = bound
        return best
