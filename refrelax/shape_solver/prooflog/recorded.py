"""The proof that the normal form found, written down step by step: nothing is searched for.

The context that the prover was in says what each symbol stands for (``hints.follow``); each atom of the claim is what
its normal form says (``hints.settle``); what is then left of the claim is never negative by a ``Witness``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from refrelax.shape_solver.checker.poly import Poly
from refrelax.shape_solver.checker.reading import Formula, flattened, ge
from refrelax.shape_solver.context import Context
from refrelax.shape_solver.digits import digits
from refrelax.shape_solver.prooflog.hints import follow, settle
from refrelax.shape_solver.prooflog.ledger import Ledger
from refrelax.shape_solver.prooflog.lemma import absurd
from refrelax.shape_solver.prooflog.point import mentioned
from refrelax.shape_solver.prooflog.search import TRUTHS, alternatives, take
from refrelax.shape_solver.prooflog.translate import Names
from refrelax.shape_solver.prooflog.witness import Witness
from refrelax.syntax.scalars import Binary, Not, int_imm

ABSURD = ge(Poly.of(-1))

WITHOUT = ("residues", "")
"""Stages that may have proved more by knowing less."""

MAX_SPLITS = 3
"""Choices and signs that are split, one below the other."""


def recorded(ledger: Ledger, goals: list[int], stage: str, depth: int) -> int | None:
    """The number of an absurdity; ``goals`` are the facts that say that the claim is false, ``stage`` is what proved
    it."""
    for goal in goals[:-1]:
        if disjoined(ledger, goal) and unequal(ledger.facts[goal]) is None:
            return branched(ledger, goal, goals, lambda below, facts: recorded(below, facts, stage, depth))
    for context in reached(ledger, goals[-1:], stage):
        attempt = ledger.branch([])
        names = follow(attempt, context)
        for goal in goals[-1:]:
            for atom in sorted({*mentioned(ledger.facts[goal]), *left(attempt, ledger.facts[goal])}):
                settle(attempt, context, names, atom)
        found = closed(attempt, goals[-1:])
        if found is not None:
            return attempt.adopted(ledger, found)
    return None if depth == 0 or ledger.meter.empty else split(ledger, goals, stage, depth)


def split(ledger: Ledger, goals: list[int], stage: str, depth: int) -> int | None:
    """The same for the cases of a choice or a sign in the claim."""
    seen = sorted({atom for goal in goals for atom in mentioned(ledger.facts[goal])})
    seen += sorted({inner for atom in seen for arg in ledger.reading.atoms[atom].args for inner in arg.mentions()})
    for number in dict.fromkeys(seen):
        cases = undecided(ledger, number)
        if cases is None:
            continue
        on, starts = cases
        branches = []
        for start in starts:
            below = ledger.branch(start)
            below.used.add(number)
            take(below)
            found = recorded(below, goals, stage, depth - 1)
            if found is None:
                return None
            below.goal = found
            branches.append(below)
        return ledger.cases(on, branches, ABSURD)
    for goal in goals[:-1]:
        if disjoined(ledger, goal):
            return branched(ledger, goal, goals, lambda below, facts: recorded(below, facts, stage, depth - 1))
    return None


def left(ledger: Ledger, f: Formula) -> set[int]:
    """The atoms in a formula that the equations leave."""
    if f[0] in ("ge", "eq"):
        return set(ledger.reduce(f[1]).mentions())
    return {atom for part in f[1:] for atom in left(ledger, part)}


def undecided(ledger: Ledger, number: int) -> tuple[dict[str, Any], list[list[Formula]]] | None:
    """How to split a choice, or the sign of what is rounded towards zero, if that is not known."""
    atom = ledger.reading.atoms[number]
    if number in ledger.used:
        return None
    if atom.kind in (*TRUTHS, "min"):
        return {"atom": number}, alternatives(ledger, number)
    if atom.kind == "td" and Witness(ledger).of(atom.args[0]) is None and Witness(ledger).of(-atom.args[0]) is None:
        return {"sign": atom.args[0].written()}, [[ge(atom.args[0])], [ge(-atom.args[0] - 1)]]
    return None


def disjoined(ledger: Ledger, number: int) -> bool:
    """Whether the fact is a disjunction that is not used and of which no part is known."""
    kind, *parts = ledger.facts[number]
    if kind == "or" and any(part in ledger.index for part in parts):
        ledger.used.add(-1 - number)
    return kind == "or" and -1 - number not in ledger.used


def branched(
    ledger: Ledger, goal: int, goals: list[int], inner: Callable[[Ledger, list[int]], int | None]
) -> int | None:
    """An absurdity by the parts of the disjunction ``goal``, each with the other facts of ``goals`` beside it."""
    branches = []
    for part in ledger.facts[goal][1:]:
        below = ledger.branch(flattened([part]))
        below.used.add(-1 - goal)
        fresh = range(len(ledger.facts), len(below.facts))
        found = inner(below, [*fresh, *(each for each in goals if each != goal)])
        if found is None:
            return None
        below.goal = found
        branches.append(below)
    return ledger.cases({"or": goal}, branches, ABSURD)


def reached(ledger: Ledger, last: list[int], stage: str) -> Iterator[Context]:
    """The contexts in which ``stage`` may have proved that the facts ``last`` are false."""
    names = Names(ledger)
    given = []
    for number, fact in enumerate(ledger.facts):
        if number not in last and -1 - number not in ledger.used and number not in ledger.beside:
            p = unequal(fact)
            given.append(names.formula(fact) if p is None else Binary("NE", names.spell(p), int_imm(0)))
    context = Context().assuming(*given)
    if stage != "digits":
        yield context
        measured = context.measuring()
        if measured is not context:
            yield measured
    if stage != "normal form":
        for goal in last:
            yield digits(Not(names.formula(ledger.facts[goal])), context)
    if stage in WITHOUT:
        yield Context()


def unequal(fact: Formula) -> Poly | None:
    """``p`` where the fact says that it is not 0."""
    match fact:
        case ("or", ("ge", p), ("ge", q)) if p + q == Poly.of(-2):
            found: Poly = p + 1
            return found
        case _:
            return None


def closed(ledger: Ledger, goals: list[int]) -> int | None:
    """An absurdity from facts each of which is false."""
    for goal in goals:
        if disjoined(ledger, goal):
            return branched(ledger, goal, goals, closed)
    for goal in [each for each in goals if ledger.facts[each][0] != "or"]:
        found = refuted(ledger, goal)
        if found is not None:
            return found
    return absurd(ledger)


def refuted(ledger: Ledger, number: int) -> int | None:
    """An absurdity from the fact ``number`` and a witness of its opposite."""
    kind, p = ledger.facts[number]
    for sign in (1, -1) if kind == "eq" else (1,):
        opposite = Witness(ledger).of(-p * sign - 1)
        if opposite is not None:
            return ledger.combine(Poly.of(-1), [[sign, [number]], [1, [opposite]]])
    return None
