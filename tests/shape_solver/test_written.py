"""How logs are written: what is tried, in which order, and that what is found is said as a checker reads it."""

from __future__ import annotations

import json

import pytest

from refrelax.shape_solver import Proved, prove
from refrelax.shape_solver.certify import confirm
from refrelax.shape_solver.checker.poly import Poly
from refrelax.shape_solver.checker.reading import Reading, eq
from refrelax.shape_solver.checker.terms import Question
from refrelax.shape_solver.prooflog.elaborate import ATTEMPTS, FEW, prooflog
from refrelax.shape_solver.prooflog.ledger import Ledger, Meter
from refrelax.shape_solver.prooflog.prune import pruned

LEMMAS: list[tuple[str, list[str]]] = [
    ("(max((p + 2 * q) // 3, q // 3) ^ r) == ((max(p + 2 * q, q) // 3) ^ r)", []),
    ("max(q // 8, p // 8) & r == max(q, p) // 8 & r", []),
    ("(q == r >> 6) or ((879 & uint32(r)) | (879 & ~uint32(r))) == 879", ["p == r * 16"]),
]


@pytest.mark.parametrize(("claim", "assume"), LEMMAS)
def test_operands_that_arithmetic_makes_equal(claim: str, assume: list[str]) -> None:
    """Under a bit operator; each had no log."""
    answer = prove(claim, assume)
    assert isinstance(answer, Proved)
    document = json.loads(json.dumps(answer.certificate.document()))
    assert document["evidence"]["kind"] == "log" and confirm(document, who="checker").by == "checker"


SWAPPED = (
    "(((int8(q) | (8 ^ q)) & int8(q)) <= int8(q))",
    "((p | q) & q) == q",
    "((q | p) & q) == q",
    "(q & (q | p)) == q",
)


@pytest.mark.parametrize("claim", SWAPPED)
def test_axioms_of_bits_whichever_way_round_operands_stand(claim: str) -> None:
    """By branching alone: a log that the checker refused was written, and no other way was tried."""
    answer = prove(claim)
    assert isinstance(answer, Proved)
    alone = next(place for place, (_, _, details) in enumerate(ATTEMPTS) if details == FEW)
    assert prooflog(answer.certificate.query, "normal", slice(alone, alone + 1), "normal form") is not None


def test_streams_keep_their_atoms_when_others_go() -> None:
    """Atoms that nothing uses are left out of a log, and the others have other numbers then, in streams as well."""
    reading = Reading(Question(["int", "int"], [], ["true"], None, False))
    x, y = (reading.make_symbol(number) for number in (0, 1))
    ledger = Ledger(reading, [("x", "int64"), ("y", "int64")], Meter(1_000))
    reading.make("define", (x + y,))
    (both,), (half,) = (reading.make(*each).mentions() for each in (("and", (x, y)), ("fd", (x, Poly.of(2)))))
    leaves = [["leaf", x.written()], ["leaf", y.written()]]
    streams = [*leaves, ["and", both, 1, 0, 1], ["sum", [], -2], ["floor", half, 1, 0, 3]]
    absurd = eq(Poly.of(1))
    step = {"rule": "carries", "streams": streams, "premises": [], "gives": ["eq", Poly.of(1).written()]}
    goal = ledger.add(absurd, step)
    log = pruned(ledger, 0, 2, goal)
    assert [row[0] for row in log["atoms"]] == ["sym", "sym", "and", "fd"]
    assert [row[:2] for row in log["steps"][0]["streams"][2:]] == [["and", 2], ["sum", []], ["floor", 3]]
