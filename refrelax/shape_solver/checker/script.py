"""A question as an SMT-LIB 2 script: the checker's reading, and every axiom of ``schemas`` about the atoms in it.

``unsat`` means that the claim holds. Quantifier-free nonlinear integers.

Spec: ``spec/06b-solver.md``, ``sh/certificate``.
"""

from __future__ import annotations

import itertools
from typing import Any

from refrelax.shape_solver.checker.poly import Poly
from refrelax.shape_solver.checker.reading import Atom, Formula, Reading
from refrelax.shape_solver.checker.schemas import AXIOMS, CHOICE_BY_ID, PAIRS, TRIPLES, Axiom, Zero, minimum_low
from refrelax.shape_solver.checker.terms import Question, expect, integer

POWERS = range(9)
"""Exponents whose powers are spelled out."""


MAX_POWERS = 12


def script(question: Question) -> str:
    """The script of ``question``. Raises ``Rejected`` where it would be too long."""
    reading = Reading(question)
    given, wanted = reading.facts()
    known = [line for number in range(len(reading.atoms)) for line in _known(reading.atoms, number)]
    powers = [number for number, atom in enumerate(reading.atoms) if atom.kind == "p2"]
    expect(len(powers) <= MAX_POWERS, f"at most {MAX_POWERS} powers of two", len(powers))
    for axioms, count in ((PAIRS, 2), (TRIPLES, 3)):
        for numbers in itertools.product(powers, repeat=count):
            known += [_axiom(axiom, reading.atoms, numbers) for axiom in axioms if axiom.kind == "p2"]
    lines = ["(set-logic ALL)"]
    for number, atom in enumerate(reading.atoms):
        note = f" ; sym {atom.symbol}" if atom.kind == "sym" else f" ; {atom.kind}"
        lines.append(f"(declare-const a{number} Int){note}")
    lines += [f"(assert {_text(fact)})" for fact in (*given, *wanted)]
    return "\n".join([*lines, *(f"(assert {line})" for line in known), "(check-sat)", ""])


def _known(atoms: list[Atom], number: int) -> list[str]:
    """What the schemata say of one atom."""
    atom, v = atoms[number], Poly.atom(number)
    if atom.kind == "ite":
        assert atom.branches is not None
        ends = [("and", branch, ("eq", v - arg)) for branch, arg in zip(atom.branches, atom.args)]
        return [_text(("or", *ends))]
    axioms = [axiom for axiom in AXIOMS if axiom.kind == atom.kind]
    if atom.kind == "min":
        axioms += [minimum_low(member) for member in range(len(atom.args))]
    found = [_axiom(axiom, atoms, (number,)) for axiom in axioms]
    for choice in CHOICE_BY_ID.values():
        if choice.kind == atom.kind:
            branches = [("and", *map(_fact, branch)) for branch in choice.branches(v, *atom.args)]
            found.append(_text(("or", *branches)))
    if atom.kind == "p2":
        found += [f"(=> (= {_poly(atom.args[0])} {k}) (= a{number} {1 << k}))" for k in POWERS]
    return found


def _axiom(axiom: Axiom, atoms: list[Atom], numbers: tuple[int, ...]) -> str:
    operands = [*map(Poly.atom, numbers), *(arg for number in numbers for arg in atoms[number].args)]
    needs = [_text(("ge", Poly.of(need))) for need in axiom.needs(*operands)]
    gives = _text(_fact(axiom.gives(*operands)))
    return f"(=> (and true {' '.join(needs)}) {gives})" if needs else gives


def _fact(found: Any) -> Formula:
    return ("eq", Poly.of(found.p)) if isinstance(found, Zero) else ("ge", Poly.of(found))


def _text(f: Formula) -> str:
    match f:
        case ("ge", p):
            return f"(>= {_poly(p)} 0)"
        case ("eq", p):
            return f"(= {_poly(p)} 0)"
        case (op, *parts):
            return f"({op} {'true' if op == 'and' else 'false'} {' '.join(map(_text, parts))})"
    raise AssertionError(f)


def _poly(p: Poly) -> str:
    terms = []
    for mono, c in sorted(p.terms.items()):
        integer(c)
        factors = [str(c) if c >= 0 else f"(- {-c})", *(f"a{atom}" for atom in mono)]
        terms.append(f"(* {' '.join(factors)})" if mono else factors[0])
    return f"(+ {' '.join(terms)})" if len(terms) > 1 else "".join(terms) or "0"
