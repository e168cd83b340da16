"""What the axioms say of atoms, written down as soon as the signs that they ask for are known."""

from __future__ import annotations

from fractions import Fraction
from math import floor

from refrelax.shape_solver.checker.poly import Poly
from refrelax.shape_solver.checker.reading import Atom
from refrelax.shape_solver.checker.schemas import MAX_STEP
from refrelax.shape_solver.prooflog.bitwise import alone, apart, factored
from refrelax.shape_solver.prooflog.forms import Forms, settle
from refrelax.shape_solver.prooflog.ledger import Ledger
from refrelax.shape_solver.prooflog.point import Point, shown

MAX_WIDTH = 64
"""Bits of an operand of ``&`` whose size matters."""


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
                        settle(ledger, number, form)
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
        case _ if len(ledger.facts) > point.facts and number not in ledger.deferred:
            ledger.deferred.add(number)  # its operands may have signs by what was written down since: at the next point
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
