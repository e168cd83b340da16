"""Case splits around witnesses: a goal from a scope's facts.

What may be split: disjunctions, conditions, truth values, minima, and signs that an axiom waits for.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from refrelax.shape_solver.checker.poly import Poly
from refrelax.shape_solver.checker.reading import Formula, eq, flattened, ge
from refrelax.shape_solver.checker.schemas import CHOICE_BY_ID, Zero
from refrelax.shape_solver.prooflog.axioms import acquaint
from refrelax.shape_solver.prooflog.ledger import Ledger
from refrelax.shape_solver.prooflog.witness import entails

TRUTHS = ("ite", "ge", "eq")


def pursue(ledger: Ledger, goal: Poly, depth: int) -> int | None:
    """The number of the fact ``goal >= 0``, by splitting at most ``depth`` times."""
    for atom in sorted(ledger.reduce(goal).mentions()):
        acquaint(ledger, atom)
    found = entails(ledger, goal)
    if found is not None or depth == 0 or ledger.meter.empty:
        return found
    for on, mark, alternatives in choices(ledger, goal):
        branches = []
        for start in alternatives:
            below = ledger.branch(start)
            below.used.add(mark)
            take(below)
            found = pursue(below, goal, depth - 1)
            if found is None:
                return None
            below.goal = found
            branches.append(below)
        return ledger.cases(on, branches, ge(goal))  # the first sensible split; another would only cost time
    return None


def take(ledger: Ledger) -> None:
    """Equations of a branch that give an atom replace it."""
    for number in range(len(ledger.facts) - ledger.starts, len(ledger.facts)):
        fact, p = ledger.facts[number], ledger.reduced[number]
        if fact[0] == "eq" and p is not None:
            kinds = {atom: ledger.reading.atoms[atom].kind for atom in p.mentions()}
            order = sorted(kinds, key=lambda atom: (kinds[atom] in ("sym", "define"), -atom))
            any(ledger.rule(number, atom) for atom in order)


def choices(ledger: Ledger, goal: Poly) -> Iterator[tuple[dict[str, Any], int, list[list[Formula]]]]:
    """Ways to branch, the most promising first: how the log names it, a mark, the branches' first facts."""
    for number, fact in enumerate(ledger.facts):
        if fact[0] == "or" and -1 - number not in ledger.used:
            yield {"or": number}, -1 - number, [flattened([part]) for part in fact[1:]]
    replaced = {atom for _, atom, _ in ledger.rules}
    for kinds in (TRUTHS, ("min",), ("td", "fd")):
        for number in relevant(ledger, goal):
            atom = ledger.reading.atoms[number]
            if atom.kind not in kinds or number in ledger.used or number in replaced:
                continue
            if atom.kind in ("td", "fd"):
                if number not in ledger.axioms:
                    yield from signs(ledger, number)
            else:
                yield {"atom": number}, number, alternatives(ledger, number)


def signs(ledger: Ledger, number: int) -> Iterator[tuple[dict[str, Any], int, list[list[Formula]]]]:
    """The sign of an operand, which the axioms of a quotient wait for."""
    a, b = ledger.reading.atoms[number].args
    for p in (b - 1, b, -b, -a if ledger.reading.atoms[number].kind == "td" else b):
        if p.constant() is None and entails(ledger, p) is None and entails(ledger, -p - 1) is None:
            yield {"sign": p.written()}, 1_000_000 + hash(p) % 1_000_003, [[ge(p)], [ge(-p - 1)]]
            return


def relevant(ledger: Ledger, goal: Poly) -> list[int]:
    """Atoms in the goal first, then in the facts, then in operands."""
    found: dict[int, None] = {}
    for p in (ledger.reduce(goal), *reversed([p for p in ledger.reduced if p is not None])):
        found.update(dict.fromkeys(sorted(p.mentions())))
    for atom in list(found):
        for arg in ledger.reading.atoms[atom].args:
            found.update(dict.fromkeys(sorted(arg.mentions())))
    return list(found)


def alternatives(ledger: Ledger, number: int) -> list[list[Formula]]:
    atom, v = ledger.reading.atoms[number], Poly.atom(number)
    if atom.branches is not None:
        return [[*flattened([part]), eq(v - arg)] for part, arg in zip(atom.branches, atom.args)]
    schema = next(each for each in CHOICE_BY_ID.values() if each.kind == atom.kind)
    return [
        [eq(fact.p) if isinstance(fact, Zero) else ge(Poly.of(fact)) for fact in branch]
        for branch in schema.branches(v, *atom.args)
    ]
