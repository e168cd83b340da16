"""From a question that the prover answered to a log that the checker accepts, or nothing.

The claim is taken apart; each part is shown absurd from the facts with the help of ``hints``, ``lemma`` and ``search``.
Deterministic: limits count work, never time.
"""

from __future__ import annotations

from typing import Any

from refrelax.shape_solver.checker.check import check
from refrelax.shape_solver.checker.poly import Poly
from refrelax.shape_solver.checker.reading import flattened, ge, questions
from refrelax.shape_solver.claim import Query
from refrelax.shape_solver.prooflog.hints import contexts, follow
from refrelax.shape_solver.prooflog.ledger import Ledger
from refrelax.shape_solver.prooflog.prune import pruned
from refrelax.shape_solver.prooflog.search import MAX_WORK, pursue, take
from refrelax.shape_solver.prooflog.translate import Untranslatable, question

ABSURD = Poly.of(-1)


def prooflog(query: Query) -> dict[str, Any] | None:
    """A log for ``query`` that the checker accepts; ``None`` if none was found."""
    try:
        asked = question(query)
        reading, given, wanted = questions(asked)
    except (Untranslatable, ValueError):
        return None
    ledger = Ledger(reading)
    for fact in (*given, *wanted):
        ledger.add(fact)
    ledger.starts = len(ledger.facts)
    count, named = len(ledger.facts), len(reading.atoms)
    take(ledger)
    goal = solved(ledger, list(range(len(given), count)))
    if goal is None:
        return None
    log = pruned(ledger, count, named, goal)
    return log if check(asked, log).accepted else None


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


def leaf(ledger: Ledger, goals: list[int]) -> int | None:
    """An absurdity from facts that are no disjunctions of the claim."""
    for context in contexts(ledger, goals):
        attempt = ledger.branch([])
        attempt.work = [0]
        follow(attempt, context)
        found = pursue(attempt, None, 3)
        if found is not None:
            return adopt(ledger, attempt, found)
    return None


def adopt(ledger: Ledger, attempt: Ledger, found: int) -> int:
    """Takes over the steps of an attempt that succeeded."""
    ledger.steps += attempt.steps
    ledger.facts, ledger.reduced, ledger.rules = attempt.facts, attempt.reduced, attempt.rules
    ledger.index = attempt.index
    return found
