"""A rational point at which the linear rows of a scope hold, and what the rows say."""

from __future__ import annotations

from typing import Any

from refrelax.shape_solver.checker.poly import Mono, Poly
from refrelax.shape_solver.checker.reading import Atom, Formula, ge
from refrelax.shape_solver.prooflog.ledger import Ledger
from refrelax.shape_solver.prooflog.lemma import scaled
from refrelax.shape_solver.prooflog.simplex import Number, Row, Values, solution


class Point:
    """Rational values of all monomials at which the linear rows hold."""

    def __init__(self, ledger: Ledger, values: Values) -> None:
        self.ledger = ledger
        self.values = values
        self.facts = len(ledger.facts)
        """How many facts it was made from: of later ones it knows nothing."""

    def value(self, p: Poly) -> Number:
        return sum(c * self.mono(mono) for mono, c in self.ledger.reduce(p).terms.items())

    def mono(self, mono: Mono) -> Number:
        if mono in self.values:
            return self.values[mono]
        result: Number = 1
        for atom in mono:
            result *= self.values.get((atom,), 0)
        return result

    def holds(self, f: Formula) -> bool:
        match f:
            case ("ge", p):
                return self.value(p) >= 0
            case ("eq", p):
                return self.value(p) == 0
            case ("and", *parts):
                return all(map(self.holds, parts))
            case (_, *parts):
                return any(map(self.holds, parts))
        raise AssertionError(f)

    def right(self, number: int, atom: Atom) -> bool:
        """Whether the atom has the value here that its operands give it."""
        value = self.value(Poly.atom(number))
        args = [self.value(each) for each in atom.args]
        match atom.kind:
            case "min":
                return value == min(args)
            case "ge":
                return value == (args[0] >= 0)
            case "eq":
                return value == (args[0] == 0)
            case "ite":
                assert atom.branches is not None
                if self.holds(atom.branches[0]):
                    return value == args[0]
                return value == args[1] and self.holds(atom.branches[1])
            case _:
                return True


def sight(ledger: Ledger) -> list[int]:
    """The atoms in the facts, and in operands of these."""
    found: dict[int, None] = {}
    pending = sorted({atom for p in ledger.reduced if p is not None for atom in p.mentions()})
    for number, fact in enumerate(ledger.facts):
        if fact[0] == "or" and -1 - number not in ledger.used:
            pending += sorted(mentioned(fact))
    pending += [each for _, atom, rest in ledger.rules for each in (atom, *sorted(rest.mentions()))]
    while pending:
        number = pending.pop(0)
        if number not in found:
            found[number] = None
            atom = ledger.reading.atoms[number]
            inside = {inner for arg in atom.args for inner in arg.mentions()}
            pending += sorted(inside.union(*map(mentioned, atom.branches or ())))
    return list(found)


def mentioned(f: Formula) -> set[int]:
    """The atoms in a formula."""
    if f[0] in ("ge", "eq"):
        return set(f[1].mentions())
    return {atom for part in f[1:] for atom in mentioned(part)}


def linear(ledger: Ledger) -> tuple[list[int], list[Row]]:
    """The facts as rows over monomials, and their numbers."""
    keys: list[int] = []
    rows: list[Row] = []
    seen: set[tuple[Poly, bool]] = set()
    for number, p in enumerate(ledger.reduced):
        if p is None or p.constant() is not None:
            continue
        exact = ledger.facts[number][0] == "eq"
        if (p, exact) in seen:
            continue
        seen.add((p, exact))
        keys.append(number)
        rows.append(({mono: c for mono, c in p.terms.items() if mono}, p.terms.get((), 0), exact))
    return keys, rows


def shown(ledger: Ledger, point: Point, p: Poly) -> tuple[int | None] | None:
    """The premise ``p >= 0`` for an axiom, if the linear rows give it (``None`` inside for a constant)."""
    value = p.constant()
    if value is not None:
        return (None,) if value >= 0 else None
    if ge(p) in ledger.index:
        return (ledger.index[ge(p)],)
    if point.value(p) <= -1:
        return None
    keys, rows = linear(ledger)
    short = -ledger.reduce(p) - 1
    rows.append(({mono: c for mono, c in short.terms.items() if mono}, short.terms.get((), 0), False))
    reasons, _ = solution(rows, ledger.meter)
    if reasons is None:
        return None
    numbers: list[Any] = [*keys, "not"]
    return (ledger.combine(p, [[c, [numbers[row]]] for row, c in scaled(reasons)]),)


def span(ledger: Ledger, atom: int) -> tuple[int | None, int | None]:
    """The values of an atom that the facts about it alone leave."""
    low: int | None = None
    high: int | None = None
    for number, p in enumerate(ledger.reduced):
        if p is None or ledger.facts[number][0] != "ge" or p.terms.keys() - {(atom,), ()}:
            continue
        c, fixed = p.terms.get((atom,), 0), p.terms.get((), 0)
        if c > 0:
            low = max(-(fixed // c), -(fixed // c) if low is None else low)
        elif c < 0:
            high = min(fixed // -c, fixed // -c if high is None else high)
    return low, high


def wrong(ledger: Ledger, point: Point) -> list[Mono]:
    """Monomials whose value at the point is not the product of the values of their atoms."""
    monos = {mono for p in ledger.reduced if p is not None for mono in p.terms if len(mono) > 1}
    found = []
    for mono in sorted(monos, key=lambda each: (len(each), each)):
        product: Number = 1
        for atom in mono:
            product *= point.mono((atom,))
        if product != point.mono(mono):
            found.append(mono)
    return found
