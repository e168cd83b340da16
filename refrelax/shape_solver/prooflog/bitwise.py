"""The axioms of ``a & b``, written down where operands have the form that they ask for: no search."""

from __future__ import annotations

import itertools

from refrelax.shape_solver.checker.poly import Poly
from refrelax.shape_solver.checker.reading import eq
from refrelax.shape_solver.checker.schemas import BY_ID, MAX_STEP
from refrelax.shape_solver.prooflog.ledger import Ledger
from refrelax.shape_solver.prooflog.witness import known

Operands = tuple[Poly, Poly]

MAX_PAIRED = 12
"""Atoms of ``&`` that are compared in pairs."""

NO_PREMISES: list[int | None] = [None] * 4


def alone(ledger: Ledger, v: int, p: Poly, q: Poly) -> None:
    """What the operands of the atom ``v`` say by their form, with the other such atoms in their operands."""
    if p == q:
        ledger.axiom("and/same", [v], [None, None])
    elif p + q == Poly.of(-1):
        ledger.axiom("and/opposite", [v], [None, None])
    else:
        for (p1, q1), u in ((((p, q)), v), ((q, p), None)):
            found = beside(ledger, p1, q1)
            if found is None:
                continue
            name, w = found
            value = {"and/and": Poly.atom(w), "and/or": q1}.get(name, q1 - Poly.atom(w))
            if eq(Poly.atom(v) - value) not in ledger.index:
                operands(ledger, swapped(ledger, v, q1, p1) if u is None else u, q1, name, w)
            return


def operands(ledger: Ledger, u: int, q: Poly, name: str, w: int) -> None:
    """The axiom ``name`` about the atom ``u``, which is ``p & q``, and ``w``, ``a & q`` or ``q & a``: of the latter it
    is ``p`` that is made, and the axiom is about the former."""
    atom = ledger.reading.atoms[w]
    if atom.args[1] == q:
        ledger.axiom(name, [u, w], list(NO_PREMISES))
        return
    v = swapped(ledger, w, *atom.args)
    instance(ledger, name, u, v, Poly.atom(w), ledger.index[eq(Poly.atom(v) - Poly.atom(w))])


def instance(ledger: Ledger, name: str, v: int, w: int, found: Poly, equation: int) -> None:
    """An axiom about the atoms ``v`` and ``w``, of which the first is made of ``found``, which ``w`` is equal to."""
    parts = (arg for each in (v, w) for arg in ledger.reading.atoms[each].args)
    premises: list[int | None] = []
    for need in BY_ID[name].needs(Poly.atom(v), Poly.atom(w), *parts):
        rest = Poly.of(need)
        factor = rest.terms.get((w,), 0)
        assert not (rest - factor * (Poly.atom(w) - found)).terms, rest
        premises.append(ledger.combine(rest, [[1, ["not"]], [factor, [equation]]]) if factor else None)
    ledger.axiom(name, [v, w], premises)


def beside(ledger: Ledger, p: Poly, q: Poly) -> tuple[str, int] | None:
    """An axiom about ``p & q`` and another atom ``a & q`` or ``q & a`` in ``p``, or about ``~a & q``."""
    reading = ledger.reading
    for w in sorted(p.mentions()):
        atom = reading.atoms[w]
        if atom.kind != "and" or q not in atom.args:
            continue
        a = atom.args[0] if atom.args[1] == q else atom.args[1]
        value = Poly.atom(w)
        for name, form in (("and/and", value), ("and/or", a + q - value), ("and/xor", a + q - 2 * value)):
            if p == form:
                return name, w
    known = reading.numbers.get(("and", (-p - 1, q)), reading.numbers.get(("and", (q, -p - 1))))
    return None if known is None else ("and/not", known)


def masks(ledger: Ledger) -> None:
    """What ``^``, ``|`` and ``&`` by numbers say of each other: of ``p & c`` where ``p`` is ``a ^ c`` (``a | c``,
    ``a & c``), and of ``p & a``."""
    reading = ledger.reading
    known = list({(p, mask): (p, mask, found) for p, mask, found in reading.masks}.values())
    twofold = [(number, atom.args) for number, atom in enumerate(reading.atoms) if atom.kind == "and"]
    for a, mask, found in known:
        c = Poly.of(mask)
        for p, other, _ in known:
            name = related(p, a, c, found) if other == mask else None
            if name is not None:
                (v,) = reading.make("and", (p, c)).mentions()
                ledger.mask(v)
                masked(ledger, name, v, a, c, found)
        for number, (x, y) in twofold:
            for p, q in ((x, y), (y, x)):
                name = related(p, c, a, found) if q == a else None
                if name is not None:
                    masked(ledger, name, number if (x, y) == (p, q) else swapped(ledger, number, x, y), c, a, found)


def related(p: Poly, a: Poly, c: Poly, found: Poly) -> str | None:
    """The axiom about ``p & c`` (or ``p & a``), where ``a & c`` is ``found``."""
    forms = (("and/and", found), ("and/or", a + c - found), ("and/xor", a + c - 2 * found), ("and/not", -a - 1))
    return next((name for name, form in forms if p == form), None)


def masked(ledger: Ledger, name: str, v: int, a: Poly, b: Poly, found: Poly) -> None:
    """An axiom about the atom ``v`` and ``a & b``, one a number, which is read as ``found``."""
    (w,) = ledger.reading.make("and", (a, b)).mentions()
    instance(ledger, name, v, w, found, ledger.mask(w))


def swapped(ledger: Ledger, number: int, a: Poly, b: Poly) -> int:
    """The atom with the operands of ``number``, ``a`` and ``b``, the other way round; equal to it."""
    (other,) = ledger.reading.make("and", (b, a)).mentions()
    ledger.axiom("and/commute", [other, number], list(NO_PREMISES))
    return other


def apart(
    ledger: Ledger, v: int, width: int, factor: Poly, multiple: Poly, low: Poly, premises: list[int | None]
) -> None:
    """That ``v``, the atom ``multiple & low``, is 0: ``multiple`` is ``factor`` times ``2**width``, and ``premises``
    are those of ``low >= 0`` and ``2**width - 1 - low >= 0``."""
    atom = ledger.reading.atoms[v]
    u = v if atom.args == (multiple, low) else swapped(ledger, v, *atom.args)
    (w,) = ledger.reading.make("and", (factor, low)).mentions()
    ledger.axiom("and/apart", [u, w], [None, None, *premises], width)


def powers(ledger: Ledger) -> None:
    """What ``a & (w - 1)`` is, where ``w`` is a power of two or is equal to one, also for atoms ``a & -w``."""
    atoms = list(enumerate(ledger.reading.atoms))
    exponents = [(w, known(ledger, atom.args[0])) for w, atom in atoms if atom.kind == "p2"]
    for v, (a, b) in [(v, atom.args) for v, atom in atoms if atom.kind == "and"]:
        for (p, q), (w, premise) in itertools.product(((a, b), (b, a)), exponents):
            mask = next((m for m in (Poly.atom(w) - 1, -Poly.atom(w)) if not ledger.reduce(q - m).terms), None)
            if mask is not None and premise is not None and p.constant() is None:
                by_power(ledger, v, p, q, w, mask, *premise)
                break
            if premise is not None and q == Poly.atom(w) and p.constant() is None:
                one = v if atoms[v][1].args == (p, q) else swapped(ledger, v, q, p)
                (u,) = ledger.reading.make("fd", (p, q)).mentions()
                _replaced(ledger, ledger.bit(one, w, u, *premise), one)
                break


def cancelled(ledger: Ledger) -> bool:
    """Where ``a ^ c`` is equal to ``b ^ c``, so are ``a ^ c & c`` and ``b ^ c & c``; whether that was news."""
    twofold = [(v, atom.args) for v, atom in enumerate(ledger.reading.atoms) if atom.kind == "and"]
    before = len(ledger.facts)
    for (v, first), (w, second) in itertools.combinations(twofold[:MAX_PAIRED], 2):
        p, q = (a + b - 2 * Poly.atom(n) for n, (a, b) in ((v, first), (w, second)))
        if p == q or ledger.reduce(p - q).terms:
            continue
        for c, d in itertools.product(first, second):
            if not ledger.reduce(c - d).terms:
                (x,), (y,) = (ledger.reading.make("and", pair).mentions() for pair in ((p, c), (q, d)))
                if ledger.reduce(Poly.atom(x) - Poly.atom(y)).terms:
                    premises = [equation(ledger, p - q), None if c == d else equation(ledger, c - d)]
                    _replaced(ledger, ledger.congruence(x, y, premises), x)
    return len(ledger.facts) > before


def multiples(ledger: Ledger) -> None:
    """That a power of two by which something is divided divides a greater one."""
    atoms = list(enumerate(ledger.reading.atoms))
    exponents = {w: atom.args[0] for w, atom in atoms if atom.kind == "p2"}
    divisors = {each for _, atom in atoms if atom.kind == "fd" for each in atom.args[1].mentions()} & set(exponents)
    for w, k in [pair for pair in itertools.product(exponents, sorted(divisors)) if pair[0] != pair[1]]:
        more = exponents[w] - exponents[k]
        if more.constant() is None and (premise := known(ledger, exponents[k])) and (rest := known(ledger, more)):
            (factor,) = ledger.reading.make("p2", (more,)).mentions()
            _replaced(ledger, ledger.axiom("p2/product", [w, factor, k], [*rest, *premise, None, None]), w)


def by_power(ledger: Ledger, v: int, p: Poly, q: Poly, w: int, mask: Poly, premise: int | None) -> None:
    """That ``p & (w - 1)`` is a remainder, and that ``v``, which is ``p & q``, is ``p & mask``."""
    make = ledger.reading.make
    (lowest,), (u,) = (each.mentions() for each in (make("and", (p, Poly.atom(w) - 1)), make("fd", (p, Poly.atom(w)))))
    _replaced(ledger, ledger.power(lowest, w, u, premise), lowest)
    (other,) = make("and", (p, mask)).mentions()
    if q != mask:
        (first,) = make("and", (p, q)).mentions()
        _replaced(ledger, ledger.congruence(first, other, [None, equation(ledger, q - mask)]), first)


def _replaced(ledger: Ledger, found: int, atom: int) -> None:
    """Lets the equation ``found`` replace ``atom``, where that is not replaced."""
    if atom in (ledger.reduced[found] or Poly({})).mentions():
        ledger.rule(found, atom)


def factored(p: Poly) -> tuple[int, Poly] | None:
    """The greatest power of two that divides ``p``, by its exponent, and the quotient."""
    bits = 0
    for c in p.terms.values():
        bits |= c
    width = min((bits & -bits).bit_length() - 1, MAX_STEP)
    return (width, Poly({mono: c >> width for mono, c in p.terms.items()})) if bits and width > 0 else None


# --- equal operands, once the facts say so


def alike(ledger: Ledger, seen: list[int]) -> bool:
    """Atoms of ``&`` and of powers whose operands the equations make equal; whether that was news."""
    before = len(ledger.facts)
    atoms = [(number, ledger.reading.atoms[number]) for number in seen]
    twofold = any(atom.kind == "and" for _, atom in atoms)
    several = [(number, atom) for number, atom in atoms if atom.kind in (("and", "p2", "fd") if twofold else ("p2",))]
    for place, (v, atom) in enumerate(several):
        if atom.kind == "and" and numbered(ledger, v, *atom.args):
            continue
        if atom.kind == "and" and atom.args[0] != atom.args[1] and not ledger.reduce(atom.args[0] - atom.args[1]).terms:
            if ledger.reduce(Poly.atom(v) - atom.args[0]).terms:
                p = atom.args[0] - atom.args[1]
                ledger.axiom("and/same", [v], [same(ledger, p), same(ledger, -p)])
        for w, other in several[:place]:
            if other.kind == atom.kind and ledger.reduce(Poly.atom(v) - Poly.atom(w)).terms:
                pairs = list(zip(other.args, atom.args))
                if not any(ledger.reduce(x - y).terms for x, y in pairs):
                    ledger.congruence(w, v, [None if x == y else equation(ledger, x - y) for x, y in pairs])
    return len(ledger.facts) > before


def numbered(ledger: Ledger, v: int, a: Poly, b: Poly) -> bool:
    """That the atom ``v``, which is ``a & b``, is a number, where the equations make numbers of both operands."""
    parts = [(p, found) for p in (a, b) if (found := ledger.reduce(p)).constant() is not None]
    if len(parts) < 2:
        return False
    if ledger.reduce(Poly.atom(v)).constant() is None:
        (w,) = ledger.reading.make("and", (parts[0][1], parts[1][1])).mentions()
        ledger.mask(w)
        if w != v:
            ledger.congruence(v, w, [None if p == found else equation(ledger, p - found) for p, found in parts])
    return True


def same(ledger: Ledger, p: Poly) -> int:
    """The fact ``p >= 0`` for what the equations make 0."""
    return ledger.combine(p, [[1, ["not"]]])


def equation(ledger: Ledger, p: Poly) -> int:
    return ledger.equal(same(ledger, p), same(ledger, -p))


def unlike(ledger: Ledger, seen: list[int]) -> list[int]:
    """Atoms in what two atoms of ``&`` or powers differ by, or two operands."""
    several = [ledger.reading.atoms[number] for number in seen if ledger.reading.atoms[number].kind in ("and", "p2")]
    found: dict[int, None] = {}
    for place, atom in enumerate(several):
        pairs = [pair for other in several[:place] if other.kind == atom.kind for pair in zip(other.args, atom.args)]
        for x, y in [*pairs, *([atom.args] if atom.kind == "and" else [])]:
            found.update(dict.fromkeys(sorted(ledger.reduce(x - y).mentions())))
    return list(found)
