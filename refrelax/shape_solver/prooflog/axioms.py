"""The axioms of an atom, written down once its operands' signs are known."""

from __future__ import annotations

from collections.abc import Callable

from refrelax.shape_solver.checker.poly import Poly
from refrelax.shape_solver.checker.schemas import MAX_STEP
from refrelax.shape_solver.prooflog.ledger import Ledger
from refrelax.shape_solver.prooflog.witness import Witness, entails, known

LIKELY = (1, 3, 7, 15, 31, 63)
"""What an exponent that is some bits of something is at most."""

Sign = tuple[str, int | None]


def acquaint(ledger: Ledger, number: int) -> None:
    """Writes down what the schemata say of the atom ``number``, and of the atoms in its operands before it."""
    if number in ledger.axioms:
        return
    atom = ledger.reading.atoms[number]
    for arg in atom.args:
        for inner in sorted(arg.mentions()):
            acquaint(ledger, inner)
    if atom.kind in ("sym", "define", "ite") or WRITERS[atom.kind](ledger, number, *atom.args):
        ledger.axioms.add(number)
    if atom.kind in ("fd", "td", "and", "p2"):
        entails(ledger, Poly.atom(number))  # most products need it
    divisor = atom.args[1].constant() if atom.kind == "fd" else None
    if divisor is not None and divisor > 0:
        ended(ledger, number, divisor)


def ended(ledger: Ledger, number: int, divisor: int) -> None:
    """The bounds of a quotient by a number, where what is divided has some."""
    low, high = Witness(ledger).interval(ledger.reduce(ledger.reading.atoms[number].args[0]))
    if low is not None and low < 0:
        entails(ledger, Poly.atom(number) - low // divisor)
    if high is not None:
        entails(ledger, high // divisor - Poly.atom(number))


def _floor(ledger: Ledger, number: int, a: Poly, b: Poly) -> bool:
    for p, ending in ((b - 1, ""), (-b - 1, "-negative")):
        premise = known(ledger, p)
        if premise is not None:
            ledger.axiom(f"fd/low{ending}", [number], [*premise])
            ledger.axiom(f"fd/high{ending}", [number], [*premise])
            return True
    return False


def _truncated(ledger: Ledger, number: int, a: Poly, b: Poly) -> bool:
    for p, top in ((a, "p"), (-a, "n")):
        first = known(ledger, p)
        for q, bottom in ((b - 1, "p"), (-b - 1, "n")) if first is not None else ():
            second = known(ledger, q)
            if first is not None and second is not None:
                ledger.axiom(f"td/low-{top}{bottom}", [number], [*first, *second])
                ledger.axiom(f"td/high-{top}{bottom}", [number], [*first, *second])
                return True
    return False


def _minimum(ledger: Ledger, number: int, *args: Poly) -> bool:
    for member in range(len(args)):
        ledger.axiom("min/low", [number], [], member)
    return True


def _truth(ledger: Ledger, number: int, a: Poly) -> bool:
    kind = ledger.reading.atoms[number].kind
    ledger.axiom(f"truth/low-{kind}", [number], [])
    ledger.axiom(f"truth/high-{kind}", [number], [])
    return True


def _bits(ledger: Ledger, number: int, a: Poly, b: Poly) -> bool:
    for p, side in ((a, "left"), (b, "right")):
        premise = known(ledger, p)
        if premise is not None:
            ledger.axiom(f"and/low-{side}", [number], [*premise])
            ledger.axiom(f"and/high-{side}", [number], [*premise])
    for p, side in ((a, "right"), (b, "left")):
        premise = None if p.constant() is not None else known(ledger, -p - 1)
        if premise is not None:
            ledger.axiom(f"and/least-{side}", [number], [*premise])
    return True


def _power(ledger: Ledger, number: int, k: Poly) -> bool:
    """Growth, and how it relates to the powers already met."""
    premise = known(ledger, k)
    if premise is None:
        return False
    ledger.axiom("p2/positive", [number], [*premise])
    ledger.axiom("p2/growth", [number], [*premise])
    low, high = Witness(ledger).interval(ledger.reduce(k))
    if high is None:
        high = next((most for most in LIKELY if known(ledger, most - k) is not None), None)
    if high is not None and 0 <= high <= MAX_STEP and (end := known(ledger, high - k)) is not None:
        ledger.axiom("p2/below", [number], [*premise, *end], high)
    if low is not None and 0 < low <= MAX_STEP and (end := known(ledger, k - low)) is not None:
        ledger.axiom("p2/above", [number], [*end], low)
    powers = [n for n in sorted(ledger.axioms) if ledger.reading.atoms[n].kind == "p2"]
    for other in powers:
        j = ledger.reading.atoms[other].args[0]
        _compared(ledger, (number, k), (other, j))
        _compared(ledger, (other, j), (number, k))
    _products(ledger, [*powers, number])
    return True


def _compared(ledger: Ledger, greater: tuple[int, Poly], less: tuple[int, Poly]) -> None:
    (number, k), (other, j) = greater, less
    low = known(ledger, j)
    if low is None:
        return
    step = ledger.reduce(k - j).constant()
    if step is not None and 0 <= step <= MAX_STEP:
        between, end = known(ledger, k - j - step), known(ledger, j + step - k)
        if between and end:
            _replaced(ledger, ledger.axiom("p2/shift", [number, other], [*low, *between, *end], step), number)
            return
    if (more := known(ledger, k - j - 1)) is not None:
        ledger.axiom("p2/double", [number, other], [*low, *more])
    elif (more := known(ledger, k - j)) is not None:
        ledger.axiom("p2/order", [number, other], [*low, *more])


def _products(ledger: Ledger, powers: list[int]) -> None:
    exponents = {each: ledger.reading.atoms[each].args[0] for each in powers}
    for place, v in enumerate(powers):
        for w in powers[: place + 1]:
            for u in powers:
                difference = exponents[u] - exponents[v] - exponents[w]
                if ledger.reduce(difference).constant() != 0:
                    continue
                needs = (exponents[v], exponents[w], difference, -difference)
                premises = [known(ledger, each) for each in needs]
                if all(premises):
                    found = ledger.axiom("p2/product", [u, v, w], [each[0] for each in premises if each])
                    _replaced(ledger, found, u)


def _replaced(ledger: Ledger, equation: int, power: int) -> None:
    """Lets an equation replace a power, where nothing is searched for."""
    if power in (ledger.reduced[equation] or Poly({})).mentions():
        ledger.rule(equation, power)


WRITERS: dict[str, Callable[..., bool]] = {
    "fd": _floor, "td": _truncated, "min": _minimum, "ge": _truth, "eq": _truth, "and": _bits, "p2": _power,
}  # fmt: skip
