"""What the prover found, as lemmas: its context and its normal forms say which equations to derive.

A context writes symbols in terms of fresh ones; each fresh symbol is defined in the log by what it stands for, and each
image is derived as an equation that replaces the symbol. Then every quotient, minimum and condition is compared with
its normal form, and where that is another polynomial, the equation is derived. What fails is left out.
"""

from __future__ import annotations

from refrelax.semantics.dims.atoms import Atoms
from refrelax.semantics.dims.normal import normal
from refrelax.shape_solver.checker.poly import Poly
from refrelax.shape_solver.checker.reading import Atom, eq, ge
from refrelax.shape_solver.context import Context
from refrelax.shape_solver.prooflog.axioms import acquaint
from refrelax.shape_solver.prooflog.bitwise import equation as same
from refrelax.shape_solver.prooflog.forms import settle as quotient
from refrelax.shape_solver.prooflog.ledger import Ledger
from refrelax.shape_solver.prooflog.search import pursue
from refrelax.shape_solver.prooflog.translate import Names, Untranslatable
from refrelax.shape_solver.prooflog.witness import entails, equates

WORKED = 8
"""Operations of a normal form that cost as much as a row that is looked at."""

COMPOUND = ("fd", "td", "min", "ite", "ge", "eq", "p2", "and")


def follow(ledger: Ledger, context: Context) -> Names:
    """Derives what ``context`` and its normal forms suggest; what its symbols are then called."""
    names = Names(ledger)
    for name, origin in context.origins:
        value = names.term(origin)
        for inner in sorted(value.mentions()):
            if not twin(ledger, inner):
                acquaint(ledger, inner)
        x, equation = ledger.define(value)
        names.fresh[name] = x
        _replace_by(ledger, equation, value, names.newest(origin))
        bounded(ledger, context, name, x)
    for name, image in context.images:
        try:
            x = names.symbol(name)
            found = equates_reduced(ledger, x - names.term(image))
        except Untranslatable:
            continue
        if found is not None:
            ledger.rule(found, next(iter(x.mentions())))
    for name in context.facts.known:
        try:
            bounded(ledger, context, name, names.symbol(name))
        except Untranslatable:
            continue
    compared(ledger, context, names)
    return names


def twin(ledger: Ledger, number: int) -> bool:
    """Lets an atom made before replace ``number``, a quotient, a minimum or ``a & b``, if the equations make their
    operands the same."""
    atoms = ledger.reading.atoms
    if atoms[number].kind not in ("fd", "td", "and", "min"):
        return False
    for other in range(number):
        if atoms[other].kind == atoms[number].kind and len(atoms[other].args) == len(atoms[number].args):
            pairs = list(zip(atoms[number].args, atoms[other].args))
            if not any(ledger.reduce(x - y).terms for x, y in pairs):
                premises = [None if x == y else same(ledger, x - y) for x, y in pairs]
                return ledger.rule(ledger.congruence(number, other, premises), number)
    return False


def equates_reduced(ledger: Ledger, p: Poly) -> int | None:
    """The equation ``p == 0``, unless it says nothing any more."""
    short = ledger.reduce(p)
    return None if not short.terms else equates(ledger, short)


def _replace_by(ledger: Ledger, equation: int, value: Poly, newest: int | None) -> None:
    """Lets the definition of a symbol replace what it was made for: the symbol ``newest``, or a quotient."""
    kinds = ledger.reading.atoms
    (x,) = (atom for atom in ledger.facts[equation][1].mentions() if atom not in value.mentions())
    quotients = [atom for atom in value.mentions() if kinds[atom].kind == "fd"]
    for atom in [*([] if newest is None else [newest]), *quotients, x]:
        if abs(value.terms.get((atom,), 0)) == 1 or atom == x:
            if ledger.rule(equation, atom):
                return


def bounded(ledger: Ledger, context: Context, name: str, x: Poly) -> None:
    low, high = context.facts.of(name)
    if low is not None:
        if low > 0:
            entails(ledger, x)
        entails(ledger, x - low)
    if high is not None:
        entails(ledger, high - x)


def compared(ledger: Ledger, context: Context, names: Names) -> None:
    """Each atom in sight and its normal form."""
    for number in sorted({atom for p in ledger.reduced if p is not None for atom in p.mentions()}):
        settle(ledger, context, names, number)


def settle(ledger: Ledger, context: Context, names: Names, number: int) -> None:
    """Replaces the atom by its normal form, if that is something else and can be derived."""
    atom = ledger.reading.atoms[number]
    if number in ledger.settled or atom.kind not in COMPOUND or ledger.meter.empty:
        return
    ledger.settled.add(number)
    for arg in atom.args:
        for inner in sorted(arg.mentions()):
            settle(ledger, context, names, inner)
    if any(number == each for _, each, _ in ledger.rules):
        return
    if atom.kind in ("and", "min") and twin(ledger, number):
        return
    acquaint(ledger, number)
    if atom.kind == "fd" and carried(ledger, number):
        return
    _formed(ledger, context, names, number)
    if number not in ledger.places and atom.kind in ("fd", "td"):
        structured(ledger, number)


def _formed(ledger: Ledger, context: Context, names: Names, number: int) -> None:
    """Replaces the atom by the normal form that ``context`` gives."""
    atom, atoms = ledger.reading.atoms[number], Atoms(context.facts)
    try:
        found = names.normal(normal(context.image(names.atom(number)), atoms), atoms)
    except Untranslatable:
        return
    finally:
        ledger.meter.spent += atoms.work // WORKED
    short = ledger.reduce(found)
    if number in short.mentions():
        if atom.kind == "fd" and ge(atom.args[1] - atom.args[0] - 1) in ledger.index:
            quotient(ledger, number, Poly.of(0))
        return
    for inner in sorted(short.mentions()):
        acquaint(ledger, inner)
    if atom.kind in ("fd", "td"):
        quotient(ledger, number, found)
        return
    equation = derived(ledger, Poly.atom(number) - short)
    if equation is not None:
        ledger.rule(equation, number)


def carried(ledger: Ledger, number: int) -> bool:
    """Lets ``s + t // b`` replace the quotient of ``b * s + t`` by ``b``, an atom, where the equations make it that."""
    a, b = ledger.reading.atoms[number].args
    ((mono, c),) = b.terms.items() if len(b.terms) == 1 else (((), 0),)
    short = ledger.reduce(a)
    if c != 1 or len(mono) != 1 or short == a:
        return False
    whole = Poly({each[: each.index(mono[0])] + each[each.index(mono[0]) + 1 :]: k
                  for each, k in short.terms.items() if mono[0] in each})  # fmt: skip
    if not whole.terms:
        return False
    rest = ledger.reading.make("fd", (short - whole * b, b)) if (short - whole * b).terms else Poly.of(0)
    for inner in sorted(rest.mentions()):
        acquaint(ledger, inner)
    return quotient(ledger, number, whole + rest)


def structured(ledger: Ledger, number: int) -> None:
    """What a quotient by a number is whatever its parts are: without multiples of the number, of a quotient, of a
    minimum."""
    atom, make = ledger.reading.atoms[number], ledger.reading.make
    a, divisor = ledger.reduce(atom.args[0]), atom.args[1].constant() or 0
    if divisor < 2 or a.constant() is not None:
        return
    inner = _alone(ledger, a)
    if atom.kind == "td":
        below = inner.args[1].constant() if inner is not None and inner.kind == "td" else None
        if inner is not None and below is not None and below > 0:
            form = make("td", (inner.args[0], Poly.of(below * divisor)))
            acquaint(ledger, *form.mentions())
            quotient(ledger, number, form)
        return
    whole = Poly({mono: c // divisor for mono, c in a.terms.items() if c // divisor})
    if whole.terms:
        rest = make("fd", (a - divisor * whole, Poly.of(divisor)))
        acquaint(ledger, *rest.mentions())
        quotient(ledger, number, whole + rest)
        return
    sign = 1 if inner is not None else -1
    least = inner if inner is not None else _alone(ledger, -a)
    if least is not None and least.kind == "min":
        parts = [make("fd", (sign * each, Poly.of(divisor))) for each in least.args]
        for part in parts:
            acquaint(ledger, *part.mentions())
        form = sign * make("min", tuple(sign * part for part in parts))
        for each in sorted({*form.mentions(), *least_of(ledger, a)}):
            acquaint(ledger, each)
        equation = derived(ledger, Poly.atom(number) - form)
        if equation is not None:
            ledger.rule(equation, number)


def least_of(ledger: Ledger, a: Poly) -> list[int]:
    return [each for each in a.mentions() if ledger.reading.atoms[each].kind == "min"]


def _alone(ledger: Ledger, a: Poly) -> Atom | None:
    """The atom that ``a`` is, if it is one."""
    seen = list(a.mentions())
    return ledger.reading.atoms[seen[0]] if len(seen) == 1 and a == Poly.atom(seen[0]) else None


def derived(ledger: Ledger, p: Poly) -> int | None:
    """The equation ``p == 0``, by splitting if need be."""
    if not ledger.reduce(p).terms:
        return None
    for equation in (eq(p), eq(-p)):
        if equation in ledger.index:
            return ledger.index[equation]
    first = pursue(ledger, p, 2)
    if first is None:
        return None
    second = pursue(ledger, -p, 2)
    return None if second is None else ledger.equal(first, second)
