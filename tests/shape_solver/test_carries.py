"""Sums and bit operators on integers of any size, read bit after bit: in the prover, in logs, in both checkers."""

from __future__ import annotations

import json
from random import Random

import pytest

from refrelax.shape_solver import Proved, Refuted, carries, parse_claim, prove
from refrelax.shape_solver.certify import confirm, verified_checker
from refrelax.shape_solver.checker.carries import refuted
from refrelax.shape_solver.checker.document import examine, load
from refrelax.shape_solver.checker.poly import Poly
from refrelax.shape_solver.checker.reading import Formula, Reading, eq, ge
from refrelax.shape_solver.checker.terms import Question, Rejected
from refrelax.shape_solver.defined import conditions
from refrelax.shape_solver.door import Door
from refrelax.shape_solver.streams import Machine
from refrelax.syntax.scalars import Not
from tests.shape_solver import native
from tests.shape_solver.forgeries import BOTH, PX, X, Y, carried

TRUE: list[tuple[str, list[str]]] = [
    ("(p & q) != p - q", ["p > 0", "q > 0"]),
    ("p == q", ["p ^ q == 0"]),
    ("q != (int32(q) ^ r)", ["2 <= r", "r <= 502"]),
    ("((p - (p & 258)) ^ (~ q)) >= ((p & (~ 258)) ^ (~ q))", []),
    ("p & (p - 1) < p", ["p > 0"]),
    ("(p & ~q) + (p & q) == p", []),
    ("int8(p * 3) == int8(int8(p) * 3)", []),
    ("(p >> 5) ^ (q >> 5) == (p ^ q) >> 5", []),
    ("p | q == p + q", ["p & q == 0"]),
    ("(p + q) & 1 == (p ^ q) & 1", []),
    ("(p | 7) // 8 == p // 8", []),
    ("min(p, q) & r | max(p, q) & r == (p | q) & r", []),
]
FALSE: list[tuple[str, list[str]]] = [
    ("(p | q) >= max(p, q)", []),
    ("int8(p) + int8(q) == int8(p + q)", []),
    ("524287 != int32(p | q) + q", ["r % 4 == 0", "p - r < 6", "q + r <= 27"]),
    ("implies((~q) == 1073741831, p > q)", ["q <= 10", "p <= 40"]),
    ("p & q != 2**80 + 1", []),
]
ASKED: list[tuple[str, list[str]]] = [
    ("p * q * q != 2147483647", ["2 <= q"]),
    ("(p + q) * (p - q) != 2147483647", ["p + q > 1", "p - q > 1"]),
    ("1618 != ~(q * p)", ["2 <= p and p <= 502"]),
    ("not 238 == (q << uint8(q)) << uint8(p)", ["0 <= p and p <= 30"]),
    ("truncdiv(p, 16) * p >= select(p >= 0, p // 16, -(-p // 16)) * p", []),
    ("max(p, 3) * q & r == select(q >= 0, max(p * q, 3 * q), min(p * q, 3 * q)) & r", []),
    ("q != 255 >> q", []),
    ("(255 + -2) >> m != 4", ["m >= 1"]),
]


@pytest.mark.by_day(7)
@pytest.mark.parametrize(("claim", "assume"), TRUE)
def test_true_claims_about_bits_have_short_logs(claim: str, assume: list[str]) -> None:
    answer = prove(claim, assume)
    assert isinstance(answer, Proved), answer
    document = json.loads(json.dumps(answer.certificate.document()))
    assert document["evidence"]["kind"] == "log" and confirm(document, who="checker").by == "checker"
    assert len(json.dumps(document["evidence"])) < 40_000


@pytest.mark.parametrize(("claim", "assume"), FALSE)
def test_false_ones_are_refuted_however_far_away(claim: str, assume: list[str]) -> None:
    assert isinstance(prove(claim, assume), Refuted)


@pytest.mark.thorough
@pytest.mark.parametrize(("claim", "assume"), ASKED)
def test_claims_that_other_questions_decide(claim: str, assume: list[str]) -> None:
    """Of divisors, of what two terms differ in, of counts; each was open."""
    assert isinstance(prove(claim, assume), Proved)


def decided(random: Random) -> str:
    """What is found of one drawn question, held against brute force."""
    pen = native.Pen(random, ["p", "q", "r"][: random.choice((1, 2, 2, 3))])
    given = [pen.fact() for _ in range(random.randint(0, 2))]
    if random.random() < 0.6:
        claim = pen.truth(random.choice((1, 2, 3, 4)))
    else:
        claim = native.infix(random.choice(native.RELATIONS), *native.same(pen, pen.integer(1), pen.integer(0)))
    door = Door()
    asked, assumed = door.claim(parse_claim(claim)), [door.claim(parse_claim(each)) for each in given]
    parts = [part for each in assumed for part in (*conditions(each), each)] + [*conditions(asked), Not(asked)]
    found = carries.decided(parts, 60_000).outcome
    if found == "none":
        assert native.counterexample(random, claim, given, 200) is None, (claim, given)
    if isinstance(found, dict):
        machine, called = Machine(), door.names()
        for part in parts:
            machine.truth(part)
        point = {**dict.fromkeys(pen.over, 0), **{called.get(name, name): value for name, value in found.items()}}
        assert machine.guessed or native.among(claim, given, [point]) is not None, (claim, given, point)
    return found if isinstance(found, str) else "integers"


@pytest.mark.thorough
def test_what_is_decided_is_so() -> None:
    found = [decided(Random(f"carries/{number}")) for number in range(80)]
    assert found.count("none") > 10 and found.count("integers") > 30


@pytest.mark.nightly
def test_what_is_decided_is_so_at_length() -> None:
    found = [decided(Random(f"carries at night/{number}")) for number in range(30_000)]
    assert found.count("none") > 5_000


# --- the checkers


def drawn(random: Random) -> tuple[Reading, list[object], list[Formula]]:
    """Streams and facts about three symbols."""
    sorts = ["int", "int", "int"]
    reading = Reading(Question(sorts, [], ["true"], None, False))
    rows: list[object] = []
    polys: list[Poly] = []
    for number in range(random.randint(1, 3)):
        reading.make_symbol(number)
        polys.append(Poly.atom(number))
        rows.append(["leaf", polys[-1].written()])
    for _ in range(random.randint(1, 6)):
        i, j = (random.randrange(len(polys)) for _ in range(2))
        if random.random() < 0.5:
            scale = random.choice((1, 1, 2))
            (atom,) = reading.make("and", (polys[i], polys[j])).mentions()
            if scale == 2:
                rows += [["sum", [[2, i]], 0], ["sum", [[2, j]], 0], ["and", atom, 2, len(rows), len(rows) + 1]]
                polys += [2 * polys[i], 2 * polys[j], 2 * Poly.atom(atom)]
            else:
                rows.append(["and", atom, 1, i, j])
                polys.append(Poly.atom(atom))
        elif random.random() < 0.3:
            d = random.choice((2, 4, 8))
            (atom,) = reading.make("fd", (polys[i], Poly.of(d))).mentions()
            rows += [["sum", [], -d], ["floor", atom, 1, i, len(rows)]]
            polys += [Poly.of(-d), d * Poly.atom(atom)]
        else:
            factors = [[random.choice((1, -1, 2, -3)), n] for n in dict.fromkeys((i, j))]
            constant = random.randint(-5, 5)
            rows.append(["sum", factors, constant])
            polys.append(sum((c * polys[n] for c, n in factors), Poly.of(constant)))
    facts: list[Formula] = [
        random.choice((ge, eq))(p) for p in random.sample(polys, min(len(polys), random.randint(1, 4)))
    ]
    if len(facts) > 2:
        facts = [("or", *facts[:2]), *facts[2:]]
    return reading, rows, facts


def value(reading: Reading, p: Poly, at: list[int]) -> int:
    """Of a polynomial where the symbols are ``at``."""
    total = 0
    for mono, c in p.terms.items():
        for number in mono:
            atom = reading.atoms[number]
            args = [value(reading, arg, at) for arg in atom.args]
            run = {"sym": lambda x: x, "and": lambda x, y: x & y, "fd": lambda x, y: x // y}[atom.kind]
            c *= run(*([at[atom.symbol]] if atom.kind == "sym" else args))
        total += c
    return total


def holds(reading: Reading, fact: Formula, at: list[int]) -> bool:
    match fact:
        case ("or", *parts):
            return any(holds(reading, each, at) for each in parts)
        case (kind, p):
            return value(reading, p, at) >= 0 if kind == "ge" else value(reading, p, at) == 0
    raise AssertionError(fact)


def refused(random: Random) -> bool:
    reading, rows, facts = drawn(random)
    try:
        refuted(reading, rows, facts)
    except Rejected:
        return True
    for x in range(-9, 10):
        for y in range(-9, 10):
            for z in (-8, -1, 0, 3, 6):
                assert not all(holds(reading, fact, [x, y, z]) for fact in facts), (rows, facts, x, y, z)
    return False


def test_facts_that_hold_somewhere_are_not_refuted() -> None:
    found = [refused(Random(f"facts/{number}")) for number in range(80)]
    assert 10 < found.count(False) < 70


@pytest.mark.nightly
def test_facts_that_hold_somewhere_are_not_refuted_at_length() -> None:
    found = [refused(Random(f"facts at night/{number}")) for number in range(20_000)]
    assert found.count(False) > 2_000


def test_what_the_forgeries_start_from_is_accepted() -> None:
    claim = ["implies", ["ge", X, ["const", 0]], ["le", ["and", X, Y], X]]
    text = carried([*BOTH, ["sum", [[1, 2], [-1, 0]], -1]], [0, 1], claim=claim)
    assert examine(load(text)).by == "checker"
    assert PX == [[1, [0]]]


@pytest.mark.nightly
@pytest.mark.skipif(verified_checker() is None, reason="make verified builds it")
def test_both_checkers_accept_the_logs_of_bits() -> None:
    for claim, assume in TRUE:
        answer = prove(claim, assume)
        assert isinstance(answer, Proved)
        assert confirm(answer.certificate.document(), who="verified").by == "verified", claim
