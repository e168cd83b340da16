"""Terms that are equal but for places where equal terms stand: congruence, and the points that say where."""

from __future__ import annotations

import pytest

from refrelax.shape_solver import Proved, Prover, Refuted, prove
from refrelax.shape_solver.certify import confirm
from refrelax.shape_solver.checker.reading import Reading
from refrelax.shape_solver.checker.terms import Question
from refrelax.shape_solver.evaluate import compiled
from refrelax.shape_solver.prooflog.elaborate import ATTEMPTS, MATCHED, prooflog
from refrelax.shape_solver.prooflog.ledger import Ledger, Meter
from refrelax.shape_solver.prooflog.recorded import unequal
from refrelax.shape_solver.prooflog.samples import Samples
from refrelax.shape_solver.prooflog.translate import question

ALONE = slice(ATTEMPTS.index(MATCHED), ATTEMPTS.index(MATCHED) + 1)


@pytest.mark.parametrize(
    ("claim", "assume"),
    [
        ("(max(q, p + 730) * 16 ^ q) == (max(q * 16, (p + 730) * 16) ^ q)", ["q == p * 3", "0 <= q", "q <= 1023"]),
        ("(min(a, b) + 4 & c) == (min(a + 4, b + 4) & c)", []),
        ("(min(a, b) + 4 & c) >= (min(a + 4, b + 4) & c)", []),
        ("(min(a, b) + 4 & c) <= (min(a + 4, b + 4) & c) + 1", []),
        ("(max(x, y) * 6 ^ z) != (max(x * 6, y * 6) ^ z) + 1", []),
        ("((a * 6 // 3 | b) ^ c) == ((2 * a | b) ^ c)", []),
        ("(a & 4 * (b // 8)) * q == (a & 4 * (b // 4 // 2)) * q", []),
    ],
)
def test_equal_places_are_written_down(claim: str, assume: list[str]) -> None:
    """This attempt alone is enough, and the checker accepts what it writes."""
    answer = prove(claim, assume)
    assert isinstance(answer, Proved)
    log = prooflog(answer.certificate.query, "normal", ALONE, "normal form")
    assert log is not None
    document = {**answer.certificate.document("quick"), "evidence": {"kind": "log", **log}}
    assert confirm(document, who="checker").by == "checker"


TERMS = ("a // 3 + b % 5", "truncdiv(a, 7) - truncmod(b, -4)", "min(a, b) * max(a, 3)", "a & b", "(a | 12) ^ b",
         "int8(a)", "select(a < b, a, b * 2)", "(1 << (a & 7)) * b", "a >> (b & 3)",
         "abs(a - b)", "a // (b * b + 1)")  # fmt: skip


@pytest.mark.parametrize("term", TERMS)
def test_samples_have_the_values_of_terms(term: str) -> None:
    """A wrong value would only lose logs, and nobody would see it."""
    query = Prover().posed(f"z == {term}").query
    reading = Reading(Question.read(question(query)))
    ledger = Ledger(reading, list(query.symbols().items()), Meter(0))
    for facts in reading.facts():
        for fact in facts:
            ledger.add(fact)
    samples, exact = Samples.of(ledger, len(ledger.facts) - 1), compiled(query.claim.b)
    p = unequal(ledger.facts[-1])
    assert p is not None and len(samples.points) > 2
    symbols = {atom.symbol: number for number, atom in enumerate(reading.atoms) if atom.kind == "sym"}
    names = list(query.symbols())
    for point in samples.points:
        env = {name: point[symbols[place]] for place, name in enumerate(names)}
        value = samples.value(p, point)
        assert value is not None and abs(value) == abs(env[names[0]] - exact(env))


def test_samples_hold_where_the_assumptions_do() -> None:
    query = Prover(["q == p * 3", "p >= 0"]).posed("q + p == p * 4").query
    reading = Reading(Question.read(question(query)))
    given, wanted = reading.facts()
    ledger = Ledger(reading, list(query.symbols().items()), Meter(0))
    for fact in (*given, *wanted):
        ledger.add(fact)
    samples = Samples.of(ledger, len(given))
    assert samples.points
    assert all(samples.holds(fact, point) for fact in given for point in samples.points)
    assert samples.holds(wanted[0], samples.points[0]) is False


@pytest.mark.by_day(1)
@pytest.mark.parametrize(
    ("claim", "assume"),
    [
        ("((p | q) + p << 3) >> (p & 3) != 7", []),
        ("(x * 8) >> (p & 3) != 7", ["x % 4 == 2"]),
        ("(x << 1) >> (p & 1) != 7", ["x % 2 == 0"]),
        ("x >> (p & 1) << (p & 1) <= x", []),
        ("(r ^ r) <= (2097151 << (r & 7)) and max(p, min(16, q)) == q", ["q % 6 == 0", "q == p or q == 26"]),
    ],
)
def test_parts_and_exponents_have_ways_of_their_own(claim: str, assume: list[str]) -> None:
    """They had no log: no one way shows all parts, and no way reads what a count that is no number moves."""
    answer = prove(claim, assume)
    assert isinstance(answer, Proved)
    document = answer.certificate.document()
    assert document["evidence"]["kind"] == "log" and confirm(document, who="checker").by == "checker"


@pytest.mark.parametrize(
    ("claim", "assume"),
    [
        ("(x << 1) >> (p & 1) != 7", []),
        ("(x * 8) >> (p & 3) != 7", ["x % 4 == 3"]),
        ("(min(a, b) + 4 & c) == (min(a + 4, b + 3) & c)", []),
        ("(x >> (p & 1)) + (p & 1) != 7 and x == x", []),
    ],
)
def test_what_is_false_near_by_is_not_proved(claim: str, assume: list[str]) -> None:
    assert isinstance(prove(claim, assume), Refuted)
