"""The rule ``bits`` of a log: what it gives holds for all integers, and what holds of all bits is given."""

from __future__ import annotations

import itertools
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from refrelax.shape_solver import Proved, injective, prove
from refrelax.shape_solver.checker.document import examine
from refrelax.shape_solver.checker.places import zero
from refrelax.shape_solver.checker.poly import Poly
from refrelax.shape_solver.checker.reading import Reading
from refrelax.shape_solver.checker.terms import Question, Rejected
from tests.draws import draws

X, Y = Poly.atom(0), Poly.atom(1)


def value(p: Poly, atoms: list[int]) -> int:
    total = 0
    for mono, c in p.terms.items():
        for atom in mono:
            c *= atoms[atom]
        total += c
    return total


def reading(random: Random) -> Reading:
    """Two symbols, and atoms of ``&`` over sums of what came before."""
    asked = {"symbols": ["int", "int"], "assumptions": [], "claim": ["true"], "fits": None, "division": "assume"}
    found = Reading(Question.read(asked))
    known = [found.make_symbol(0), found.make_symbol(1)]
    for _ in range(3):
        a, b = (operand(random, known) for _ in range(2))
        known.append(found.make("and", (a, b)))
    return found


def operand(random: Random, known: list[Poly]) -> Poly:
    a, b = random.choice(known), random.choice(known)
    return random.choice((a, -a - 1, a + b - known[-1], a + b - 2 * known[-1], a - known[-1], a + b, a - b, -a))


@pytest.mark.thorough
def test_what_is_given_holds() -> None:
    """Random steps, most of them wrong: what is accepted holds at all of many points."""
    random, accepted = Random(7), 0
    for _ in range(6_000):
        found = reading(random)
        ands = [number for number, atom in enumerate(found.atoms) if atom.kind == "and"]
        leaves = random.choice(([X, Y], [X], [X, Y, X + Y], [Y, X - 1]))
        order = [Poly.of(-1), *leaves, *map(Poly.atom, ands)]
        sums = [spelled(random, each, order) for n in ands for each in found.atoms[n].args]
        last = [[random.choice((-2, -1, 1, 1, 2)), random.randrange(len(order))] for _ in range(random.randint(1, 4))]
        try:
            p = zero(found, leaves, ands, [*sums, last])
        except Rejected:
            continue
        accepted += bool(p.terms)
        for x, y in itertools.product((-9, -4, -1, 0, 1, 2, 6, 13), repeat=2):
            values = [x, y]
            for atom in found.atoms[2:]:
                values.append(value(atom.args[0], values) & value(atom.args[1], values))
            assert value(p, values) == 0, (p, found.atoms, x, y)
    assert accepted > 10


def test_the_lowest_bits_are_a_remainder() -> None:
    """``and/power`` for plain integers; over all of them it is proved in ``verified/Bits.v``."""
    for a, k in itertools.product(range(-40, 41), range(7)):
        assert a & ((1 << k) - 1) == a - (1 << k) * (a // (1 << k))


def spelled(random: Random, p: Poly, order: list[Poly]) -> Any:
    """``p`` as a sum of what is known, perhaps spoilt."""
    rows = [[-c if not mono else c, order.index(Poly({mono: 1})) if mono else 0] for mono, c in p.terms.items()
            if not mono or Poly({mono: 1}) in order]  # fmt: skip
    if rows and random.random() < 0.1:
        random.choice(rows)[random.randrange(2)] += random.choice((-1, 1))
    return rows


def expressions(names: str) -> st.SearchStrategy[str]:
    def deeper(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
        both = st.tuples(inner, st.sampled_from("&|^"), inner)
        return st.one_of(inner.map(lambda a: f"(~{a})"), both.map(lambda t: f"({' '.join(t)})"))

    return st.recursive(st.sampled_from(names), deeper, max_leaves=5)


@settings(max_examples=draws(40))
@given(expressions("xy"), expressions("xyz"))
def test_identities_of_bits_have_a_log(first: str, second: str) -> None:
    """Two expressions that agree at every place, and one that does not agree is not proved."""
    claim = f"{first} == {second}"
    agree = all(eval(claim, {}, dict(zip("xyz", point))) for point in itertools.product((0, -1), repeat=3))
    answer = prove(claim)
    assert isinstance(answer, Proved) <= agree
    if isinstance(answer, Proved):
        document = answer.certificate.document()
        assert examine(document).by == "checker" and document["evidence"]["kind"] == "log", claim


@pytest.mark.thorough
@pytest.mark.parametrize("index", ["row*32 + (col ^ (row % 32))", "row*8 + (row % 8 ^ col)"])
def test_swizzled_rows_without_end_have_a_log(index: str) -> None:
    answer = injective(index, ["row", "col"], ["0 <= col < 8"])
    assert isinstance(answer, Proved)
    document = answer.certificate.document()
    assert examine(document).by == "checker" and document["evidence"]["kind"] == "log"


@pytest.mark.parametrize("claim", ["(a | b | c) & (d | e | f) & g == g & (a | b | c) & (d | e | f)"])
def test_more_leaves_than_there_is_room_for(claim: str) -> None:
    answer = prove(claim)
    assert isinstance(answer, Proved)
    assert answer.certificate.document()["evidence"]["kind"] in ("log", "smt2")
