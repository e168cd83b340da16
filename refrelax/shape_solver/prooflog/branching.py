"""An absurdity by branching: linear arithmetic over the integers, led by rational points.

At each node the facts are solved as linear rows over monomials. Where they have no solution, their sum is a step.
Where they have one, it says what to split next: a disjunction or an atom (minimum, choice, truth value) that it
violates, the sign that a quotient's axioms wait for, or a form over the integers whose value at it is none. A branch
that does without what it started from stands for the whole split. Nothing is searched twice: what is looked for is
decided by the point.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import floor, gcd
from typing import Any

from refrelax.shape_solver.checker.poly import Mono, Poly
from refrelax.shape_solver.checker.reading import Atom, Formula, eq, flattened, ge
from refrelax.shape_solver.prooflog.bitwise import alike, alone, apart, factored, unlike
from refrelax.shape_solver.checker.schemas import MAX_STEP
from refrelax.shape_solver.prooflog.forms import Forms, settle
from refrelax.shape_solver.prooflog.ledger import Ledger
from refrelax.shape_solver.prooflog.lemma import entails, scaled
from refrelax.shape_solver.prooflog.prune import outside
from refrelax.shape_solver.prooflog.search import alternatives
from refrelax.shape_solver.prooflog.simplex import Row, Values, solution

ABSURD = ge(Poly.of(-1))
MAX_WIDTH = 64
"""Bits of an operand of ``&`` whose size matters."""

MAX_TRIED = 6
"""Splits of integer forms of which the best is looked for."""

MAX_CUTS = 12
"""Splits of integer forms above one another."""

TRUTHS = ("ite", "ge", "eq")

Split = tuple[dict[str, Any], list[list[Formula]], bool]
"""How the log names it, the branches' first facts, and whether it is one of an integer form."""


@dataclass(slots=True)
class Branching:
    """One search; ``nodes`` more may be looked at."""

    nodes: int
    products: int
    forms: Forms
    changes: int
    """How many symbols may still be made for forms over the integers."""
    """How often products of facts may be looked for."""

    def absurd(self, ledger: Ledger, cuts: int = MAX_CUTS) -> int | None:
        """The number of an absurdity that follows from the facts of ``ledger``."""
        while True:
            if self.nodes <= 0 or ledger.meter.empty:
                return None
            self.nodes -= 1
            found = self.simplified(ledger)
            if found is not None:
                return found
            keys, rows = linear(ledger)
            reasons, values = solution(rows, ledger.meter)
            if reasons is not None:
                return ledger.combine(Poly.of(-1), [[c, [keys[row]]] for row, c in scaled(reasons)])
            if values is None:
                return None
            point = Point(ledger, values)
            if self.more(ledger, point):
                continue
            split = next(splits(ledger, point), None)
            monos = wrong(ledger, point) if split is None else []
            if monos:
                split = next(residues(ledger, monos), None) or next(undecided(ledger, monos), None)
                if split is None and multiplied(ledger, point, monos):
                    continue
                if split is None and self.products > 0:
                    self.products -= 1
                    signed(ledger, point, *(Poly({mono: 1}) for mono in monos))
                    product = entails(ledger, None)
                    if product is not None:
                        return product
                split = split or next(factors(ledger, point, monos), None)
            if split is None:
                split = next(undecided(ledger, [tuple(unlike(ledger, sight(ledger)))]), None)
            if split is None:
                split = best(ledger, list(itertools.islice(fractions(ledger, point), MAX_TRIED)))
                if split is not None and self.changes > 0 and changed(ledger):
                    self.changes -= 1
                    continue
            if split is None or (split[2] and cuts <= 0):
                return None
            return self.split(ledger, split, cuts - split[2])

    def split(self, ledger: Ledger, split: Split, cuts: int) -> int | None:
        on, starts, _ = split
        branches = []
        for start in starts:
            below = ledger.branch(start)
            found = self.absurd(below, cuts)
            if found is None:
                return None
            below.goal = found
            if not outside(below, len(ledger.facts)):
                return adopted(ledger, below)
            branches.append(below)
        return ledger.cases(on, branches, ABSURD)

    # --- before a node is solved

    def simplified(self, ledger: Ledger) -> int | None:
        """Equations replace atoms, bounds become tight, and atoms say what is known of them; an absurdity, if that
        ends in one."""
        done = 0
        sides: dict[Poly, int] = {}
        while done < len(ledger.facts):
            if not done:
                sides = {}
            before, count = len(ledger.rules), len(ledger.facts)
            for number in range(done, count):
                p = ledger.reduced[number]
                if p is None:
                    continue
                value = p.constant()
                exact = ledger.facts[number][0] == "eq"
                if value is not None:
                    if value < 0 or (exact and value):
                        return ledger.combine(Poly.of(-1), [[1 if value < 0 else -1, [number]]])
                    continue
                if not exact:
                    number = tightened(ledger, number, p)
                    p = ledger.reduced[number]
                    assert p is not None
                    opposite = sides.get(-p)
                    sides[p] = number
                    if opposite is None:
                        continue
                    number = joined(ledger, number, opposite)
                    p = ledger.reduced[number]
                    assert p is not None
                found = solved(ledger, number, p)
                if found is not None:
                    return found
            done = count
            self.learn(ledger)
            if len(ledger.rules) != before:
                done = 0
        return None

    def learn(self, ledger: Ledger) -> None:
        """The axioms that need no search, of all atoms in sight."""
        for number in sight(ledger):
            if number not in ledger.settled:
                ledger.settled.add(number)
                plain(ledger, number, ledger.reading.atoms[number])

    def more(self, ledger: Ledger, point: Point) -> bool:
        """Whether an axiom was written down whose premise is known by now."""
        before = len(ledger.facts)
        seen = sight(ledger)
        for number in seen:
            if number not in ledger.axioms:
                conditional(ledger, point, number, self.forms)
        return alike(ledger, seen) or len(ledger.facts) > before


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
            pending += sorted({inner for arg in ledger.reading.atoms[number].args for inner in arg.mentions()})
    return list(found)


def mentioned(f: Formula) -> set[int]:
    """The atoms in a formula."""
    if f[0] in ("ge", "eq"):
        return set(f[1].mentions())
    return {atom for part in f[1:] for atom in mentioned(part)}


def linear(ledger: Ledger) -> tuple[list[int], list[Row]]:
    """The facts as rows over monomials, and their numbers."""
    keys, rows, seen = [], [], set()
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


# --- equations and bounds


def solved(ledger: Ledger, number: int, p: Poly) -> int | None:
    """Lets the equation replace an atom; with no factor 1, after division with new symbols. An absurdity, if its
    factors have a common divisor that its constant has not."""
    while True:
        common = gcd(*(c for mono, c in p.terms.items() if mono))
        if common > 1:
            quotient = Poly({mono: c // common for mono, c in p.terms.items()})
            first = ledger.combine(quotient, [[common, ["not"]], [1, [number]]]) if p.terms.get((), 0) % common == 0 else None
            if first is None:
                up = Poly({mono: c // common for mono, c in p.terms.items() if mono}) - (-p.terms[()] // common + 1)
                low = ledger.combine(up, [[common, ["not"]], [1, [number]]])
                return ledger.combine(Poly.of(-1), [[common, [low]], [-1, [number]]])
            number = ledger.equal(first, ledger.combine(-quotient, [[common, ["not"]], [-1, [number]]]))
            p = quotient
        units = [mono[0] for mono, c in p.terms.items() if len(mono) == 1 and abs(c) == 1]
        kinds = ledger.reading.atoms
        for atom in sorted(units, key=lambda each: (kinds[each].kind in ("sym", "define"), -each)):
            if ledger.rule(number, atom):
                return None
        if units or any(len(mono) > 1 for mono in p.terms):
            return None
        least = min((abs(c), mono[0]) for mono, c in p.terms.items() if mono)
        x, a = least[1], p.terms[(least[1],)]
        rest = {mono: rounded(c, a) for mono, c in p.terms.items() if mono}
        _, equation = ledger.define(Poly({mono: c for mono, c in rest.items() if c}))
        if not ledger.rule(equation, x):
            return None
        after = ledger.reduced[number]
        assert after is not None
        p = after


def rounded(c: int, a: int) -> int:
    """The quotient nearest to ``c / a``."""
    return floor(Fraction(c, a) + Fraction(1, 2))


def tightened(ledger: Ledger, number: int, p: Poly) -> int:
    """A bound divided by the common divisor of its factors, and rounded."""
    common = gcd(*(c for mono, c in p.terms.items() if mono))
    if common == 1:
        return number
    quotient = {mono: c // common for mono, c in p.terms.items() if c // common}
    return ledger.combine(Poly(quotient), [[common, ["not"]], [1, [number]]])


def joined(ledger: Ledger, number: int, opposite: int) -> int:
    """The equation that two opposite bounds give."""
    p = ledger.reduced[number]
    assert p is not None
    first = ledger.combine(p, [[1, ["not"]], [1, [number]]])
    return ledger.equal(first, ledger.combine(-p, [[1, ["not"]], [1, [opposite]]]))


# --- what is known of atoms


def plain(ledger: Ledger, number: int, atom: Atom) -> None:
    """Axioms without premises that are no constants."""
    match atom.kind:
        case "define":
            ledger.axiom("define", [number], [])
        case "min":
            for member in range(len(atom.args)):
                ledger.axiom("min/low", [number], [], member)
        case "fd":
            divisor = atom.args[1].constant()
            if divisor:
                ending = "" if divisor > 0 else "-negative"
                ledger.axiom(f"fd/low{ending}", [number], [None])
                ledger.axiom(f"fd/high{ending}", [number], [None])
                ledger.axioms.add(number)
                remainder(ledger, number, divisor)
        case "and":
            alone(ledger, number, *atom.args)
        case "ge" | "eq":
            ledger.axiom(f"truth/low-{atom.kind}", [number], [])
            ledger.axiom(f"truth/high-{atom.kind}", [number], [])


def remainder(ledger: Ledger, number: int, divisor: int) -> None:
    """Lets a symbol for the remainder of a quotient replace one of the dividend."""
    value = ledger.reading.atoms[number].args[0] - divisor * Poly.atom(number)
    p = ledger.reduce(value)
    inside = {atom for mono in p.terms if len(mono) > 1 for atom in mono}
    kinds = ledger.reading.atoms
    units = [mono[0] for mono, c in p.terms.items() if len(mono) == 1 and abs(c) == 1 and mono[0] not in inside]
    if abs(divisor) > 1 and units and len(p.terms) > 1:
        _, equation = ledger.define(value)
        ledger.rule(equation, min(units, key=lambda atom: (kinds[atom].kind != "sym", atom)))


def conditional(ledger: Ledger, point: Point, number: int, forms: Forms) -> None:
    """The axioms of a quotient or of bits, once the signs of its operands are known."""
    atom = ledger.reading.atoms[number]
    acquainted(ledger, point, sorted({inner for arg in atom.args for inner in arg.mentions()}), forms)
    if atom.kind not in ("fd", "td", "and"):
        ledger.axioms.add(number)
        return
    a, b = atom.args
    match atom.kind:
        case "fd":
            for p, ending in ((b - 1, ""), (-b - 1, "-negative")):
                if (premise := shown(ledger, point, p) or (None if ending else positive(ledger, point, b))) is not None:
                    ledger.axiom(f"fd/low{ending}", [number], [*premise])
                    ledger.axiom(f"fd/high{ending}", [number], [*premise])
                    ledger.axioms.add(number)
                    form = None if ending else forms.of(ledger, number)
                    if form is not None:
                        acquainted(ledger, point, sorted(form.mentions()), forms)
                        signed(ledger, point, a - b * form, b)
                        settle(ledger, number, form, *premise)
                    return
        case "td":
            for p, top in ((a, "p"), (-a, "n")):
                first = shown(ledger, point, p)
                for q, bottom in ((b - 1, "p"), (-b - 1, "n")) if first is not None else ():
                    second = shown(ledger, point, q)
                    if first is not None and second is not None:
                        ledger.axiom(f"td/low-{top}{bottom}", [number], [*first, *second])
                        ledger.axiom(f"td/high-{top}{bottom}", [number], [*first, *second])
                        if (divisor := b.constant()) is not None:
                            remainder(ledger, number, divisor)
                        ledger.axioms.add(number)
                        return
        case _:
            ledger.axioms.add(number)
            together(ledger, point, number)


def acquainted(ledger: Ledger, point: Point, numbers: list[int], forms: Forms) -> None:
    """The axioms of these atoms, as far as they are known."""
    for number in numbers:
        if number not in ledger.settled:
            ledger.settled.add(number)
            plain(ledger, number, ledger.reading.atoms[number])
        if number not in ledger.axioms:
            conditional(ledger, point, number, forms)


def together(ledger: Ledger, point: Point, number: int) -> None:
    """What the signs and sizes of its operands say of ``a & b``."""
    a, b = ledger.reading.atoms[number].args
    signs = [shown(ledger, point, p) for p in (a, b)]
    for premise, side in zip(signs, ("left", "right")):
        if premise is not None:
            ledger.axiom(f"and/low-{side}", [number], [*premise])
            ledger.axiom(f"and/high-{side}", [number], [*premise])
    ends = [width(ledger, point, p) if sign is not None else None for p, sign in zip((a, b), signs)]
    for (low, sign, end), other in (((b, signs[1], ends[1]), a), ((a, signs[0], ends[0]), b)):
        found = factored(other)
        if found is None or sign is None or end is None or end > found[0]:
            continue
        top = shown(ledger, point, (1 << found[0]) - 1 - low)
        if top is not None:
            apart(ledger, number, *found, other, low, [*sign, *top])
            return
    if signs[0] is not None and signs[1] is not None and ends[0] is not None and ends[1] is not None:
        size = max(ends[0], ends[1])
        tops = [shown(ledger, point, (1 << size) - 1 - p) for p in (a, b)] if size <= MAX_STEP else [None, None]
        if tops[0] is not None and tops[1] is not None:
            ledger.axiom("and/below", [number], [*signs[0], *tops[0], *signs[1], *tops[1]], size)


def width(ledger: Ledger, point: Point, p: Poly) -> int | None:
    """How many bits a value of ``p`` that is not negative has, by the linear rows; ``None`` for more than 64."""
    value = p.constant()
    if value is not None:
        return value.bit_length()
    low, high = floor(max(Fraction(0), point.value(p))).bit_length(), MAX_WIDTH
    if shown(ledger, point, (1 << high) - 1 - p) is None:
        return None
    while low < high:
        middle = (low + high) // 2
        if shown(ledger, point, (1 << middle) - 1 - p) is None:
            low = middle + 1
        else:
            high = middle
    return high


def positive(ledger: Ledger, point: Point, b: Poly) -> tuple[int | None] | None:
    """The premise ``b >= 1`` for a product of what is at least 1."""
    if len(b.terms) != 1:
        return None
    ((mono, c),) = b.terms.items()
    if c < 1 or len(mono) < 2:
        return None
    factors = [shown(ledger, point, Poly.atom(atom) - 1) for atom in mono]
    if any(each is None for each in factors):
        return None
    numbers = [each[0] for each in factors if each is not None]
    product, known = Poly.atom(mono[0]), numbers[0]
    for atom, number in zip(mono[1:], numbers[1:]):
        product = product * Poly.atom(atom)
        known = ledger.combine(product - 1, [[1, ["not"]], [1, [known, number]], [1, [known]], [1, [number]]])
    return (known if c == 1 else ledger.combine(b - 1, [[1, ["not"]], [c, [known]]]),)


def signed(ledger: Ledger, point: Point, *polys: Poly) -> None:
    """Writes down which atoms in products are never negative."""
    for atom in sorted({atom for p in polys for mono in ledger.reduce(p).terms if len(mono) > 1 for atom in mono}):
        shown(ledger, point, Poly.atom(atom))


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


# --- splits


class Point:
    """Rational values of all monomials at which the linear rows hold."""

    def __init__(self, ledger: Ledger, values: Values) -> None:
        self.ledger = ledger
        self.values = values

    def value(self, p: Poly) -> Fraction:
        return sum((c * self.mono(mono) for mono, c in self.ledger.reduce(p).terms.items()), Fraction(0))

    def mono(self, mono: Mono) -> Fraction:
        if mono in self.values:
            return self.values[mono]
        result = Fraction(1)
        for atom in mono:
            result *= self.values.get((atom,), Fraction(0))
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


def best(ledger: Ledger, found: list[Split]) -> Split | None:
    """The first of these splits of which the linear rows close a branch; else the first."""
    keys, rows = linear(ledger) if len(found) > 1 else ([], [])
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
    for part in sorted(parts, key=lambda each: max(map(abs, each.terms.values())) == 1):
        units = [mono[0] for mono, c in part.terms.items() if abs(c) == 1 and mono[0] not in nonlinear | ledger.made]
        if units:
            x, equation = ledger.define(part)
            if ledger.rule(equation, max(units)):
                ledger.made |= set(x.mentions())
                return True
    return False


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


MAX_PRODUCTS = 8
"""Products that are written down at once."""


def wrong(ledger: Ledger, point: Point) -> list[Mono]:
    """Monomials whose value at the point is not the product of the values of their atoms."""
    monos = {mono for p in ledger.reduced if p is not None for mono in p.terms if len(mono) > 1}
    found = []
    for mono in sorted(monos, key=lambda each: (len(each), each)):
        product = Fraction(1)
        for atom in mono:
            product *= point.mono((atom,))
        if product != point.mono(mono):
            found.append(mono)
    return found


def undecided(ledger: Ledger, monos: list[Mono]) -> Iterator[Split]:
    """Choices and minima in products."""
    for number in dict.fromkeys(atom for mono in monos for atom in mono):
        atom = ledger.reading.atoms[number]
        if atom.kind in (*TRUTHS, "min") and number not in ledger.used:
            ledger.used.add(number)
            yield {"atom": number}, alternatives(ledger, number), False


MAX_RESIDUES = 16
"""Residues that a factor is split into."""


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
                    yield from residues(ledger, monos)
                    return


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


def multiplied(ledger: Ledger, point: Point, monos: list[Mono]) -> bool:
    """Writes down products of facts, and squares, that the point violates; whether there were any."""
    known = {mono for p in ledger.reduced if p is not None for mono in p.terms}
    pairs = {pair for mono in monos for pair in zip(mono, mono[1:])}
    inside = {atom for mono in monos for atom in mono}
    degree = max(2, *(len(mono) for mono in known))
    facts = [
        (number, p, ledger.facts[number][0] == "eq", set(p.mentions()) & inside)
        for number, p in enumerate(ledger.reduced)
        if p is not None and p.constant() is None and inside & set(p.mentions())
    ]
    found: list[tuple[int, int, Poly, list[Any]]] = []
    for place, (i, p, exact, met) in enumerate(facts):
        for j, q, other, also in facts[: place + 1]:
            if not any((x in met and y in also) or (y in met and x in also) for x, y in pairs):
                continue
            if max(map(len, p.terms)) + max(map(len, q.terms)) > max(degree, 2) or len(p.terms) * len(q.terms) > 64:
                continue
            product = p * q
            ledger.meter.spent += 4 * len(product.terms)
            value = point.value(product)
            sign = 1 if value < 0 else -1
            if value < 0 or (value and (exact or other)):
                found.append((len(product.terms.keys() - known), len(product.terms), product * sign, [sign, [i, j]]))
    ends = {atom: [n for n, p, exact, _ in facts if not exact and p.terms.keys() <= {(atom,), ()}] for atom in inside}
    for mono in monos:
        for numbers in itertools.islice(itertools.product(*(ends[atom] for atom in mono)), 32) if len(mono) > 2 else ():
            product = Poly.of(1)
            for number in numbers:
                p = ledger.reduced[number]
                assert p is not None
                product = product * p
            if point.value(product) < 0:
                found.append((len(product.terms.keys() - known), len(product.terms), product, [1, [*numbers]]))
    for root in roots(point, monos):
        square = root * root
        if point.value(square) < 0:
            found.append((len(square.terms.keys() - known), len(square.terms), square, [1, [root.written()]]))
    found.sort(key=lambda each: each[:2])
    before = len(ledger.facts)
    for _, _, product, term in found[:MAX_PRODUCTS]:
        ledger.combine(product, [[1, ["not"]], term])
    return len(ledger.facts) > before


def roots(point: Point, monos: list[Mono]) -> Iterator[Poly]:
    """What may have a square that the point takes for negative."""
    twice = {mono[0] for mono in monos if len(mono) == 2 and mono[0] == mono[1]}
    for x in sorted(twice):
        yield Poly.atom(x) - floor(point.mono((x,)) + Fraction(1, 2))
    for x, y in [mono for mono in monos if len(mono) == 2]:
        if x != y:
            yield Poly.atom(x) - Poly.atom(y)
            yield Poly.atom(x) + Poly.atom(y)


def factors(ledger: Ledger, point: Point, monos: list[Mono]) -> Iterator[Split]:
    """Signs of the atoms of a monomial whose value at the point is not the product of theirs."""
    for mono in monos:
        for atom in dict.fromkeys(mono):
            x = Poly.atom(atom)
            for p in (x - 1, -x - 1):
                if ge(p) not in ledger.index and ge(-p - 1) not in ledger.index and shown(ledger, point, p) is None:
                    if shown(ledger, point, -p - 1) is None:
                        yield {"sign": p.written()}, [[ge(p)], [ge(-p - 1)]], True


def adopted(ledger: Ledger, below: Ledger) -> int:
    """Takes over the steps of a branch that did without what it started from."""
    trivial = ge(Poly.of(0))
    step = {"rule": "combine", "terms": [[1, ["not"]]], "gives": ["ge", []]}
    needed = outside(below, len(ledger.facts), True)
    for number in range(len(ledger.facts), len(below.facts)):
        place = number - (len(below.facts) - len(below.steps))
        kept = place >= 0 and number in needed
        ledger.facts.append(below.facts[number] if kept else trivial)
        ledger.reduced.append(None)
        ledger.steps.append(below.steps[place] if kept else step)
    return below.goal
