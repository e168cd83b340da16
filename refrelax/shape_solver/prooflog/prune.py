"""A finished log without the steps that nothing uses."""

from __future__ import annotations

from typing import Any

from refrelax.shape_solver.prooflog.ledger import Ledger, Step

OF_ATOMS = ("and", "floor")
"""Streams that name an atom."""


def pruned(ledger: Ledger, given: int, named: int, goal: int) -> dict[str, Any]:
    """The log of ``ledger`` without facts and atoms that are not used.

    Its first ``given`` facts and ``named`` atoms are those of the question; ``goal`` is the fact to be proved.
    """
    kept, _ = _marked(ledger.steps, given, goal)
    steps = _renumbered(kept, {number: number for number in range(given)}, given)
    used = {atom for step in steps for atom in _atoms(step)}
    for atom in range(len(ledger.reading.atoms) - 1, named - 1, -1):
        if atom in used:
            used |= {inner for arg in ledger.reading.atoms[atom].args for inner in arg.mentions()}
    names = {atom: atom for atom in range(named)}
    names.update({atom: named + place for place, atom in enumerate(sorted(each for each in used if each >= named))})
    return {
        "atoms": [_row(ledger.reading.atoms[atom].row(), names) for atom in names],
        "steps": [_renamed(step, names) for step in steps],
    }


def _row(row: list[Any], names: dict[int, int]) -> list[Any]:
    kind, *args = row
    if kind == "sym":
        return row
    first = args[:1] if kind == "ite" else []
    return [kind, *first, *(_poly(arg, names) for arg in args[len(first) :])]


def _poly(rows: list[Any], names: dict[int, int]) -> list[Any]:
    return [[c, sorted(names[atom] for atom in mono)] for c, mono in rows]


def _spelled(part: Any, names: dict[int, int]) -> Any:
    return _poly(part, names) if isinstance(part, list) else part


def _stream(row: list[Any], names: dict[int, int]) -> list[Any]:
    match row:
        case ["leaf", rows]:
            return ["leaf", _poly(rows, names)]
        case [("and" | "floor") as kind, atom, *rest]:
            return [kind, names[atom], *rest]
        case _:
            return row


def _polys(step: Step) -> list[list[Any]]:
    """The polynomials that a step spells out."""
    found = [step["gives"][1], *(factor for factor, _ in step.get("terms", ()) if isinstance(factor, list))]
    found += [each for _, many in step.get("terms", ()) for each in many if isinstance(each, list)]
    found += step.get("leaves", ())
    found += [row[1] for row in step.get("streams", ()) if row[0] == "leaf"]
    return [*found, step["on"]["sign"]] if "sign" in step.get("on", {}) else found


def _atoms(step: Step) -> set[int]:
    found = {atom for rows in _polys(step) for _, mono in rows for atom in mono} | set(step.get("atoms", ()))
    if "atom" in step.get("on", {}):
        found.add(step["on"]["atom"])
    found |= {row[1] for row in step.get("streams", ()) if row[0] in OF_ATOMS}
    return found.union(*(_atoms(inner) for branch in step.get("branches", ()) for inner in branch))


def _renamed(step: Step, names: dict[int, int]) -> Step:
    new = dict(step)
    new["gives"] = [step["gives"][0], _poly(step["gives"][1], names)]
    if "atoms" in step:
        new["atoms"] = [names[atom] for atom in step["atoms"]]
    if "terms" in step:
        new["terms"] = [[_spelled(f, names), [_spelled(each, names) for each in many]] for f, many in step["terms"]]
    if "leaves" in step:
        new["leaves"] = [_poly(each, names) for each in step["leaves"]]
    if "streams" in step:
        new["streams"] = [_stream(row, names) for row in step["streams"]]
    if "sign" in step.get("on", {}):
        new["on"] = {"sign": _poly(step["on"]["sign"], names)}
    if "atom" in step.get("on", {}):
        new["on"] = {"atom": names[step["on"]["atom"]]}
    if "branches" in step:
        new["branches"] = [[_renamed(each, names) for each in branch] for branch in step["branches"]]
    return new


def _references(step: Step) -> set[int]:
    found = {number for number in step.get("premises", ()) if number is not None}
    for _, numbers in step.get("terms", ()):
        found.update(number for number in numbers if isinstance(number, int))
    if "or" in step.get("on", {}):
        found.add(step["on"]["or"])
    return found


Marked = list[tuple[Step, int, list[Any]]]
"""A step, the number of its fact, and its branches, marked."""


def _marked(steps: list[Step], before: int, goal: int) -> tuple[Marked, set[int]]:
    """The steps that are needed, and the facts before them that these use."""
    numbered = [(step, before + place) for place, step in enumerate(steps)]
    needed = {goal}
    kept: Marked = []
    for step, fact in reversed(numbered):
        if fact not in needed:
            continue
        needed |= _references(step)
        branches = []
        for start, end, inner in zip(step.get("starts", ()), step.get("goals", ()), step.get("branches", ())):
            marked, outside = _marked(inner, fact + start, end)
            branches.append((start, marked, fact))
            needed |= {each for each in outside if each < fact}
        kept.append((step, fact, branches))
    return kept[::-1], {each for each in needed if each < before}


def outside(below: Ledger, before: int, inside: bool = False) -> set[int]:
    """Which of the facts that the branch ``below`` started from its goal uses (with ``inside``, those that it made);
    the scope above has ``before`` facts."""
    first = len(below.facts) - len(below.steps)
    kept, used = _marked(below.steps, first, below.goal)
    return {fact for _, fact, _ in kept} if inside else {each for each in used if each >= before}


def _renumbered(kept: Marked, names: dict[int, int], count: int) -> list[Step]:
    result: list[Step] = []
    for step, fact, branches in kept:
        new = {key: value for key, value in step.items() if key not in ("starts", "goals")}
        if "premises" in new:
            new["premises"] = [None if each is None else names[each] for each in new["premises"]]
        if "terms" in new:
            new["terms"] = [
                [f, [names[each] if isinstance(each, int) else each for each in many]] for f, many in new["terms"]
            ]
        if "or" in new.get("on", {}):
            new["on"] = {"or": names[new["on"]["or"]]}
        if branches:
            new["branches"] = [
                _renumbered(marked, {**names, **{at + k: count + k for k in range(start)}}, count + start)
                for start, marked, at in branches
            ]
        names[fact] = count
        count += 1
        result.append(new)
    return result
