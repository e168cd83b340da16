"""From a question that the prover answered to a log that the checker accepts, or nothing.

The claim is taken apart; each part is shown absurd from the facts with the help of ``hints``, ``lemma`` and ``search``.
Deterministic: limits count work, never time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from refrelax.rules import rule
from refrelax.shape_solver.checker.check import check
from refrelax.shape_solver.checker.poly import Poly
from refrelax.shape_solver.checker.reading import MAX_WORK, Reading, flattened, ge
from refrelax.shape_solver.checker.terms import Fuel, Question, Rejected
from refrelax.shape_solver.claim import Effort, Query
from refrelax.shape_solver.context import Context
from refrelax.shape_solver.prooflog.axioms import acquaint
from refrelax.shape_solver.prooflog.bitwise import masks
from refrelax.shape_solver.prooflog.branching import Branching
from refrelax.shape_solver.prooflog.forms import Forms
from refrelax.shape_solver.prooflog.hints import contexts, follow
from refrelax.shape_solver.prooflog.ledger import Ledger, Meter
from refrelax.shape_solver.prooflog.lemma import equates
from refrelax.shape_solver.prooflog.prune import pruned
from refrelax.shape_solver.prooflog.recorded import MAX_SPLITS, recorded
from refrelax.shape_solver.prooflog.search import pursue, take
from refrelax.shape_solver.prooflog.translate import Untranslatable, question

ABSURD = Poly.of(-1)
ALL, FIRST, SOON, LATER = slice(0, None), slice(0, 3), slice(0, 2), slice(2, None)
MAX_CASES = 64

COSTS: dict[Effort, int] = {"quick": 1_000_000, "normal": 5_000_000, "thorough": 20_000_000}
"""What the search for a log may cost: ``normal`` is some seconds at worst."""


@rule("sh/certificate-log")
def prooflog(query: Query, effort: Effort = "normal", attempts: slice = ALL, stage: str = "") -> dict[str, Any] | None:
    """A log for ``query`` that the checker accepts; ``None`` if none was found within what ``effort`` may cost.
    ``attempts``: which ways are tried. ``stage``: what proved it, which says what is to be written down."""
    try:
        return _prooflog(query, effort, attempts, stage)
    except (Untranslatable, Rejected, RecursionError):  # nothing that a certificate can state, or not within its bounds
        return None


def _prooflog(query: Query, effort: Effort, attempts: slice, stage: str) -> dict[str, Any] | None:
    asked = question(query)
    reading = Reading(Question.read(asked))
    given, wanted = reading.facts()
    reading.fuel = Fuel(2500 * MAX_WORK)  # the writer's work is counted by its meter
    ledger = Ledger(reading, list(query.symbols().items()), Meter(0))
    for fact in (*given, *wanted):
        ledger.add(fact)
    ledger.starts = len(ledger.facts)
    count, named = len(ledger.facts), len(reading.atoms)
    goals = list(range(len(given), count))
    goal = None
    for attempt, share, details in ATTEMPTS[attempts]:
        meter = Meter(COSTS[effort] // share)
        goal = attempt(ledger, meter, goals, *details) if details else attempt(ledger, meter, goals, stage)
        if goal is not None:
            break
    if goal is None:
        return None
    log = pruned(ledger, count, named, goal)
    return log if check(asked, log).accepted else None


def branched(ledger: Ledger, meter: Meter, goals: list[int], nodes: int, products: int, changes: int) -> int | None:
    """The number of an absurdity, by ``Branching``."""
    below = ledger.branch([])
    below.meter, below.work = meter, [0]
    masks(below)
    found = Branching(nodes, products, Forms(goals[0] if goals else len(ledger.facts)), changes).absurd(below)
    return None if found is None else below.adopted(ledger, found)


def followed(ledger: Ledger, meter: Meter, goals: list[int], stage: str) -> int | None:
    """The number of an absurdity, by what the prover's context and normal form are (``recorded``)."""
    below = ledger.branch([])
    below.meter, below.work = meter, [0]
    below.starts = len(below.facts)
    take(below)
    below.starts, below.light = 0, True
    found = recorded(below, goals, stage, 0 if stage in ("normal form", "digits") else MAX_SPLITS)
    return None if found is None else below.adopted(ledger, found)


def searched(ledger: Ledger, meter: Meter, goals: list[int], stage: str) -> int | None:
    """The number of an absurdity, by what the prover's contexts and normal forms suggest."""
    below = ledger.branch([])
    below.meter, below.work = meter, [0]
    below.starts = len(below.facts)
    take(below)
    below.starts = 0
    found = solved(below, goals)
    return None if found is None else below.adopted(ledger, found)


ATTEMPTS: tuple[tuple[Callable[..., int | None], int, tuple[int, ...]], ...] = (
    (branched, 2_000, (40, 0, 0)), (followed, 200, ()), (branched, 50, (120, 0, 40)), (searched, 50, ()),
    (branched, 16, (400, 6, 40)), (searched, 5, ()),
)  # fmt: skip
"""In order, each with its share of what the effort allows."""


def solved(ledger: Ledger, goals: list[int]) -> int | None:
    """The number of an absurdity; ``goals`` are the facts that say that the claim is false."""
    for goal in goals:
        fact = ledger.facts[goal]
        if fact[0] == "or" and -1 - goal not in ledger.used:
            branches = []
            for part in fact[1:]:
                below = ledger.branch(flattened([part]))
                below.used.add(-1 - goal)
                fresh = list(range(len(ledger.facts), len(below.facts)))
                found = solved(below, [*(each for each in goals if each != goal), *fresh])
                if found is None:
                    return None
                below.goal = found
                branches.append(below)
            return ledger.cases({"or": goal}, branches, ge(ABSURD))
    return leaf(ledger, goals)


def leaf(ledger: Ledger, goals: list[int], residues: bool = True) -> int | None:
    """An absurdity from facts that are no disjunctions of the claim."""
    for factoring, context in twice(contexts(ledger, goals)):
        if ledger.meter.empty:
            return None
        attempt = ledger.branch([])
        attempt.factoring = factoring
        attempt.work = [0]
        follow(attempt, context)
        found = pursue(attempt, None, 3)
        if found is not None:
            return attempt.adopted(ledger, found)
    return by_residues(ledger, goals) if residues else None


def twice(found: Iterator[Context]) -> Iterator[tuple[bool, Context]]:
    """Each context as it comes, then all once more: whether common factors are taken out, and the context."""
    known = []
    for context in found:
        known.append(context)
        yield False, context
    yield from ((True, context) for context in known)


def by_residues(ledger: Ledger, goals: list[int]) -> int | None:
    """An absurdity for each residue of the symbols that stand in a product under a constant divisor."""
    ledger.work[0] = 0
    splits = divided_products(ledger)
    total = 1
    for _, divisor in splits:
        total *= divisor
    if not splits or total > MAX_CASES:
        return None
    return residue(ledger, goals, splits, 0)


def divided_products(ledger: Ledger) -> list[tuple[int, int]]:
    found: dict[int, int] = {}
    for atom in ledger.reading.atoms:
        divisor = atom.args[1].constant() if atom.kind in ("fd", "td") else None
        for mono in atom.args[0].terms if divisor is not None else ():
            for inner in mono if len(mono) > 1 else ():
                if divisor is not None and ledger.reading.atoms[inner].kind == "sym":
                    found[inner] = max(found.get(inner, 1), divisor)
    return list(found.items())


def residue(ledger: Ledger, goals: list[int], splits: list[tuple[int, int]], at: int) -> int | None:
    """Branches on whether the first symbol's residue is ``at`` or more."""
    if not splits:
        return leaf(ledger, goals, residues=False)
    (symbol, divisor), *rest = splits
    x = Poly.atom(symbol)
    q = ledger.reading.make("fd", (x, Poly.of(divisor)))
    acquaint(ledger, next(iter(q.mentions())))
    r = x - divisor * q
    if at == divisor - 1:
        return fixed(ledger, goals, rest, r - at)
    branches = []
    for start, found in (([ge(r - at - 1)], residue), ([ge(at - r)], None)):
        below = ledger.branch(start)
        goal = residue(below, goals, splits, at + 1) if found else fixed(below, goals, rest, r - at)
        if goal is None:
            return None
        below.goal = goal
        branches.append(below)
    return ledger.cases({"sign": (r - at - 1).written()}, branches, ge(ABSURD))


def fixed(ledger: Ledger, goals: list[int], rest: list[tuple[int, int]], p: Poly) -> int | None:
    """The case ``p == 0``, by its two inequalities."""
    equation = equates(ledger, p)
    return None if equation is None else residue(ledger, goals, rest, 0)
