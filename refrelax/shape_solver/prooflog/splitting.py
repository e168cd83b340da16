"""Ways to branch: what a point violates, residues, signs, and forms over the integers."""

from __future__ import annotations

from collections.abc import Iterator
from math import floor, gcd
from typing import Any

from refrelax.shape_solver.checker.poly import Mono, Poly
from refrelax.shape_solver.checker.reading import Formula, flattened, ge
from refrelax.shape_solver.prooflog.learning import plain
from refrelax.shape_solver.prooflog.ledger import Ledger
from refrelax.shape_solver.prooflog.point import Point, linear, shown, sight, span
from refrelax.shape_solver.prooflog.search import TRUTHS, alternatives
from refrelax.shape_solver.prooflog.simplex import solution

Split = tuple[dict[str, Any], list[list[Formula]], bool]
"""How the log names it, the branches' first facts, and whether it is one of an integer form."""

MAX_TRIED = 6
"""Splits of integer forms of which the best is looked for."""

MAX_RESIDUES = 16
"""Residues that a factor is split into."""


def splits(ledger: Ledger, point: Point) -> Iterator[Split]:
    """What the point violates."""
    for number, fact in enumerate(ledger.facts):
        if fact[0] == "or" and -1 - number not in ledger.used and not point.holds(fact):
            ledger.used.add(-1 - number)
            yield {"or": number}, [flattened([part]) for part in fact[1:]], False
    seen = sight(ledger)
    for kinds in (TRUTHS, ("min",)):
        for number in seen:
            atom = ledger.reading.atoms[number]
            if atom.kind in kinds and number not in ledger.used and not point.right(number, atom):
                ledger.used.add(number)
                yield {"atom": number}, alternatives(ledger, number), False
    for number in seen:
        atom = ledger.reading.atoms[number]
        if atom.kind in ("fd", "td") and number not in ledger.axioms:
            a, b = atom.args
            for p in (a, b - 1, -b - 1) if atom.kind == "td" else (b - 1, -b - 1):
                if p.constant() is None and ge(p) not in ledger.index and ge(-p - 1) not in ledger.index:
                    yield {"sign": p.written()}, [[ge(p)], [ge(-p - 1)]], False


def undecided(ledger: Ledger, monos: list[Mono]) -> Iterator[Split]:
    """Choices and minima in products."""
    for number in dict.fromkeys(atom for mono in monos for atom in mono):
        atom = ledger.reading.atoms[number]
        if atom.kind in (*TRUTHS, "min") and number not in ledger.used:
            ledger.used.add(number)
            yield {"atom": number}, alternatives(ledger, number), False


def residues(ledger: Ledger, monos: list[Mono]) -> Iterator[Split]:
    """Residues of the factors of products in the dividend of a constant divisor: a symbol is written with its quotient
    and its remainder, whose values are then split."""
    inside = {atom for mono in monos for atom in mono}
    for number in sight(ledger):
        atom = ledger.reading.atoms[number]
        divisor = atom.args[1].constant() if atom.kind in ("fd", "td") else None
        if divisor is None:
            continue
        modulus = abs(divisor)
        while modulus > MAX_RESIDUES and modulus % 2 == 0:
            modulus //= 2
        p = ledger.reduce(atom.args[0])
        for mono in sorted(each for each in p.terms if len(each) > 1 and p.terms[each] % modulus):
            for factor in dict.fromkeys(mono) if 1 < modulus <= MAX_RESIDUES else ():
                if factor not in inside:
                    continue
                low, high = span(ledger, factor)
                if low is not None and high is not None and high - low < MAX_RESIDUES:
                    p = Poly.atom(factor) - (low + high + 1) // 2
                    yield {"sign": p.written()}, [[ge(p)], [ge(-p - 1)]], False
                    return
                quotient = ledger.reading.make("fd", (Poly.atom(factor), Poly.of(modulus)))
                (q,) = quotient.mentions()
                if q not in ledger.settled:
                    ledger.settled.add(q)
                    plain(ledger, q, ledger.reading.atoms[q])
                    return


def halves(ledger: Ledger, point: Point, most: int) -> Iterator[Split]:
    """The lower and the upper half of at most ``most`` values of a symbol that stands in a product, a quotient or a bit
    operator: of that with the fewest. An end that no fact about it alone says may follow from the linear rows."""
    atoms = ledger.reading.atoms
    seen = sight(ledger)
    hard = {atom for p in ledger.reduced if p is not None for mono in p.terms if len(mono) > 1 for atom in mono}
    hard.update(atom for each in seen for arg in atoms[each].args for atom in arg.mentions())
    found: list[tuple[int, int, int]] = []
    for number in seen:
        if atoms[number].kind == "sym" and number in hard:
            low, high = _span(ledger, point, number, most)
            if low is not None and high is not None and 0 < high - low < most:
                found.append((high - low, number, (low + high + 1) // 2))
    if found:
        _, number, middle = min(found)
        p = Poly.atom(number) - middle
        yield {"sign": p.written()}, [[ge(p)], [ge(-p - 1)]], False


def _span(ledger: Ledger, point: Point, number: int, most: int) -> tuple[int | None, int | None]:
    low, high = span(ledger, number)
    x, wide = Poly.atom(number), low is None or high is None or high - low >= most
    if wide and low is not None and (size := _end(ledger, point, x - low, most)) is not None:
        return low, low + size
    if wide and high is not None and (size := _end(ledger, point, high - x, most)) is not None:
        return high - size, high
    return low, high


def _end(ledger: Ledger, point: Point, p: Poly, most: int) -> int | None:
    """The least number of which the linear rows show that ``p``, which is not negative, is at most it; below
    ``most``."""
    low, high = max(0, floor(point.value(p))), most - 1
    if low > high or shown(ledger, point, high - p) is None:
        return None
    while low < high:
        middle = (low + high) // 2
        if shown(ledger, point, middle - p) is None:
            low = middle + 1
        else:
            high = middle
    return high


def factors(ledger: Ledger, point: Point, monos: list[Mono]) -> Iterator[Split]:
    """Signs of what an atom of a monomial is multiplied by, whose value at the point is not the product of theirs: of
    all that it is multiplied by in a row first."""
    known: dict[Poly, None] = {}
    inside = dict.fromkeys(atom for mono in monos for atom in mono)
    for p in ledger.reduced:
        for atom in inside if p is not None else ():
            assert p is not None
            form = {_without(mono, atom): c for mono, c in p.terms.items() if atom in mono}
            common = gcd(*form.values())
            atoms = [abs(c) for mono, c in form.items() if mono]
            plain = max(map(len, form), default=0) == 1 or () not in form
            if plain and set(atoms) == {common} and len(atoms) > 1 and -Poly(form) not in known:
                known[Poly({mono: c // common for mono, c in form.items()})] = None
    forms = [*known, *map(Poly.atom, inside)]
    for x, at in [*((x, 0) for x in forms), *((x, floor(point.value(x))) for x in reversed(forms))]:
        for p in (x - at - 1, at - x - 1):
            if ge(p) not in ledger.index and ge(-p - 1) not in ledger.index and shown(ledger, point, p) is None:
                if shown(ledger, point, -p - 1) is None:
                    yield {"sign": p.written()}, [[ge(p)], [ge(-p - 1)]], True


def _without(mono: Mono, atom: int) -> Mono:
    place = mono.index(atom)
    return mono[:place] + mono[place + 1 :]


def fractions(ledger: Ledger, point: Point) -> Iterator[Split]:
    """Forms over the integers whose value at the point is none: parts of rows with a common divisor, then symbols."""
    forms: dict[Poly, None] = {}
    for p in ledger.reduced:
        for d in sorted({abs(c) for c in p.terms.values() if abs(c) > 1} if p is not None else (), reverse=True):
            assert p is not None
            part = {mono: c // d for mono, c in p.terms.items() if mono and c % d == 0}
            if len(part) > 1:
                forms[Poly(part)] = None
    monos = {mono for p in ledger.reduced if p is not None for mono in p.terms if mono}
    for form in (*forms, *(Poly({mono: 1}) for mono in sorted(monos, key=lambda each: (len(each), each)))):
        value = point.value(form)
        if value.denominator != 1:
            p = form - floor(value) - 1
            yield {"sign": p.written()}, [[ge(p)], [ge(-p - 1)]], True


def best(ledger: Ledger, found: list[Split]) -> Split | None:
    """The first of these splits of which the linear rows close a branch; else the first."""
    _, rows = linear(ledger) if len(found) > 1 else ([], [])
    for split in found if rows else ():
        for start in split[1]:
            row = start[0][1]
            p = ledger.reduce(row)
            closing = ({mono: c for mono, c in p.terms.items() if mono}, p.terms.get((), 0), False)
            if solution([*rows, closing], ledger.meter)[0] is not None:
                return split
    return found[0] if found else None


def changed(ledger: Ledger) -> bool:
    """Lets a symbol stand for a part of a row whose factors have a common divisor, in place of a symbol in it: then
    what is left of the row is small, and values of the part can be split."""
    nonlinear = {atom for p in ledger.reduced if p is not None for mono in p.terms if len(mono) > 1 for atom in mono}
    parts: dict[Poly, None] = {}
    for p in [each for each in ledger.reduced if each is not None]:
        for d in sorted({abs(c) for c in p.terms.values() if abs(c) > 1}, reverse=True):
            part = {mono: c // d for mono, c in p.terms.items() if mono and c % d == 0}
            if len(part) > 1 and all(len(mono) == 1 for mono in part):
                parts[Poly(part)] = None
    for form in sorted(parts, key=lambda each: max(map(abs, each.terms.values())) == 1):
        units = [mono[0] for mono, c in form.terms.items() if abs(c) == 1 and mono[0] not in nonlinear | ledger.made]
        if units:
            x, equation = ledger.define(form)
            if ledger.rule(equation, max(units)):
                ledger.made |= set(x.mentions())
                return True
    return False
