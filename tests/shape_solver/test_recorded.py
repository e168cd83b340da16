"""Logs that are written down: the steps of the normal form, with nothing searched for, and witnesses of ``p >= 0``."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from refrelax.semantics.dims import NO_FACTS
from refrelax.semantics.dims.atoms import Atoms
from refrelax.semantics.dims.ranges import nonneg
from refrelax.shape_solver import Proved, prove
from refrelax.shape_solver.checker.check import Checker
from refrelax.shape_solver.checker.document import examine
from refrelax.shape_solver.checker.poly import Poly
from refrelax.shape_solver.checker.reading import Formula, Reading, ge
from refrelax.shape_solver.checker.terms import Question
from refrelax.shape_solver.prooflog.elaborate import ATTEMPTS, FIRST, PLAIN, prooflog
from refrelax.shape_solver.prooflog.ledger import Ledger, Meter
from refrelax.shape_solver.prooflog.witness import Witness
from tests.draws import draws

RECORDED: dict[str, list[tuple[str, list[str]]]] = {
    "products of bounds": [
        ("n * h * w <= N * H * W", ["0 <= n <= N", "0 <= h <= H", "0 <= w <= W"]),
        ("int32(n * m) == n * m", ["0 <= n <= 40000", "0 <= m <= 40000"]),
    ],
    "quotients by symbols": [
        ("truncmod(x * y + z, y) == truncmod(z, y)", ["x >= 0", "y >= 1", "z >= 0"]),
        ("truncdiv(x * z, y * z) == truncdiv(x, y)", ["y >= 1", "z >= 1"]),
        ("x * y % y == 0", ["y != 0"]),
        ("(i // k) * (j // k) * k * k <= i * j", ["i >= 0", "j >= 0", "k >= 1"]),
        ("ceildiv(n, T) * T <= ceildiv(n, T * S) * (T * S)", ["T >= 1", "S >= 1"]),
    ],
    "powers": [
        ("(x >> 5) >> a == x >> (a + 5)", ["a >= 0"]),
        ("(x << a) << b == x << (a + b)", ["a >= 0", "b >= 0"]),
        ("(x << a) % 8 == 0", ["a >= 3"]),
        ("n & ((1 << k) - 1) == n % (1 << k)", ["k >= 0"]),
        ("((n + al - 1) & -al) % al == 0", ["al == 1 << k"]),
        ("x & (x - 1) == 0", ["x == 1 << k"]),
        ("n & -(1 << k) == (n >> k) << k", ["k >= 0"]),
        ("((n << k) & ((1 << k) - 1)) == 0", ["k >= 0"]),
        ("(1 << m) % (1 << k) == 0", ["0 <= k <= m"]),
        ("n % (1 << a) % (1 << b) == n % (1 << b)", ["0 <= b <= a"]),
    ],
    "bits": [
        ("~(x & y) == (~x | ~y)", []),
        ("(x & y) ^ (x | y) == (x ^ y)", []),
        ("((x + 1) & y) | ((x + 1) & z) == ((y | z) & (x + 1))", []),
        ("(x ^ y) ^ (y ^ z) == (z ^ x)", []),
        ("((x & y) | (~x & z)) == ((x & (y ^ z)) ^ z)", []),
        ("(x | y) - (x & y) == (x ^ y)", []),
        ("implies((i ^ j) == (k ^ j), i == k)", []),
        ("implies((c ^ (r % 8)) == (d ^ (r % 8)), c == d)", ["0 <= c < 8", "0 <= d < 8"]),
    ],
    "squares": [
        ("(x - 2*y) * (x - 2*y) >= 0", []),
        ("(x*y - z) * (x*y - z) >= 0", []),
        ("(2*x + y - 3) * (2*x + y - 3) + (y + 1) * (y + 1) >= 0", []),
    ],
    "digits": [
        ("(v % m * n + v // m) % n == v // m", ["0 <= v < n * m", "m >= 1"]),
        ("(n + m) % d == 0", ["n % d == 0", "m % d == 0", "d >= 1"]),
        ("(((v // d % h) * s + v // (h * d)) * d + v % d) // d % s == v // (h * d)",
         ["0 <= v", "v < s * (h * d)", "h >= 1", "d >= 1"]),
    ],
}  # fmt: skip


@pytest.mark.by_day(1)
@pytest.mark.parametrize("kind", RECORDED)
def test_what_the_normal_form_proves_is_written_down(kind: str) -> None:
    """The one attempt that searches nothing is enough, and costs little."""
    alone = ATTEMPTS.index(PLAIN)
    for claim, assume in RECORDED[kind]:
        answer = prove(claim, assume)
        assert isinstance(answer, Proved), claim
        certificate = answer.certificate
        log = prooflog(certificate.query, "quick", slice(alone, alone + 1), certificate.stages[-1].name)
        assert log is not None, claim
        assert examine({**certificate.document("quick"), "evidence": {"kind": "log", **log}}).by == "checker", claim


BRANCHED: list[tuple[str, list[str]]] = [
    ("implies((s + i) % R == (s + j) % R, i == j)", ["0 <= i < R", "0 <= j < R"]),
    ("implies(w + i * W == u + j * W, w == u and i == j)", ["0 <= w < W", "0 <= u < W"]),
    ("ceildiv(n, T) * T - n == (-n) % T", ["T >= 1"]),
    ("select(b < 0, b + n, b) == b % n", ["-n <= b < n"]),
    ("n % d == 0", ["n % (d * e) == 0", "d >= 1", "e >= 1"]),
    ("ceildiv(n + 1, 7) == ceildiv(n, 7) + select(n % 7 == 0, 1, 0)", []),
    ("(m * (m + 1)) % 2 == 0", ["n % 8 == 7", "m >= 1", "n > 0"]),
]


@pytest.mark.thorough
def test_branching_splits_what_a_symbol_is_multiplied_by() -> None:
    """Each took a second, or had no log, when only signs of single atoms were split."""
    for claim, assume in BRANCHED:
        answer = prove(claim, assume)
        assert isinstance(answer, Proved), claim
        log = prooflog(answer.certificate.query, "quick", FIRST)
        assert log is not None, claim


# --- witnesses -------------------------------------------------------------------------------------------------------

NAMES = ("x", "y", "z")
BOUNDS = st.tuples(st.integers(-4, 3), st.none() | st.integers(0, 5))
TERMS = st.dictionaries(
    st.lists(st.integers(0, 2), max_size=3).map(lambda mono: tuple(sorted(mono))), st.integers(-6, 6), max_size=5
)


def scope(bounds: list[tuple[int, int | None]]) -> Ledger:
    """The facts ``low <= symbol <= low + width``."""
    symbols = [["sym", number] for number in range(len(bounds))]
    assumed = [["ge", x, ["const", low]] for x, (low, _) in zip(symbols, bounds)]
    assumed += [["le", x, ["const", low + width]] for x, (low, width) in zip(symbols, bounds) if width is not None]
    asked = {"symbols": ["int"] * len(bounds), "assumptions": assumed, "claim": ["false"], "fits": None,
             "division": "assume"}  # fmt: skip
    reading = Reading(Question.read(asked))
    ledger = Ledger(reading, [(name, "int64") for name in NAMES], Meter(100_000))
    for fact in reading.facts()[0]:
        ledger.add(fact)
    return ledger


def accepted(ledger: Ledger, given: list[Formula], wanted: Formula) -> None:
    Checker(ledger.reading, given).run(ledger.steps, wanted)


@settings(max_examples=draws(150), deadline=None)
@given(st.lists(BOUNDS, min_size=3, max_size=3), TERMS)
def test_a_witness_is_a_proof(bounds: list[tuple[int, int | None]], terms: dict[tuple[int, ...], int]) -> None:
    """What it says is so at every point and by the checker; where atoms have lower bounds, it says all that the normal
    form sees by measuring from them."""
    ledger, p = scope(bounds), Poly({mono: c for mono, c in terms.items() if c})
    given_facts = list(ledger.facts)
    found = Witness(ledger).of(p)
    ranges = [range(low, low + 4 if width is None else low + width + 1) for low, width in bounds]
    values = [value(p, point) for point in itertools.product(*ranges)]
    if found is not None:
        assert min(values) >= 0
        assert ledger.facts[found] == ge(p)
        accepted(ledger, given_facts, ge(p))
    facts = NO_FACTS
    for name, (low, _) in zip(NAMES, bounds):
        facts = facts.with_bounds(name, low, None)
    atoms = Atoms(facts)
    keys = [atoms.var(name, "int64") for name in NAMES]
    seen = nonneg({tuple(sorted(keys[atom] for atom in mono)): c for mono, c in p.terms.items()}, atoms)
    assert found is not None or not seen


def value(p: Poly, point: tuple[int, ...]) -> int:
    total = 0
    for mono, c in p.terms.items():
        for atom in mono:
            c *= point[atom]
        total += c
    return total
