"""The checker of certificates: accepts what the prover writes, rejects what does not follow, shares no code with it."""

from __future__ import annotations

import ast
import copy
import itertools
import json
from collections.abc import Sequence
from math import prod
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import refrelax.shape_solver.checker
from refrelax.semantics.dims.exact import truncated
from refrelax.shape_solver import Proved, parse_claim, prove
from refrelax.shape_solver.certify import confirm
from refrelax.shape_solver.checker.check import check
from refrelax.shape_solver.checker.document import examine
from refrelax.shape_solver.checker.points import NoValue, few, refutes, truth
from refrelax.shape_solver.checker.poly import Poly
from refrelax.shape_solver.checker.reading import Formula, Reading
from refrelax.shape_solver.checker.script import script
from refrelax.shape_solver.checker.terms import MAX_SHIFT, Question
from refrelax.shape_solver.checker.words import explained, readable
from refrelax.shape_solver.claim import Query
from refrelax.shape_solver.evaluate import OutOfRange, Undefined, compiled
from refrelax.shape_solver.prooflog.elaborate import prooflog
from refrelax.shape_solver.prooflog.translate import question
from tests.draws import draws
from tests.shape_solver.test_soundness import claim as random_claim

CHECKER = Path(refrelax.shape_solver.checker.__file__).parent

PROVED: list[tuple[str, list[str], str | None]] = [
    ("n*m + m == m*(n + 1)", [], None),
    ("(x // 3) // 4 == x // 12", [], None),
    ("i*m + j < n*m", ["0 <= i < n", "0 <= j < m"], None),
    ("(v // (h*d) * h + v // d % h) * d + v % d == v", ["h >= 1", "d >= 1"], None),
    ("(x % 6 + y * 6) // 2 == x // 2 % 3 + y * 3", [], None),
    ("min(x, y) + max(x, y) == x + y", [], None),
    ("select(n > 0, n, 0) == max(n, 0)", [], None),
    ("x // x == 1", ["x != 0"], None),
    ("n // m * m <= n", ["m >= 1"], None),
    ("n == 4 * (n // 4)", ["n % 4 == 0"], None),
    ("a * (a + 1) % 2 == 0", [], None),
    ("(x << a) % 4 == 0", ["a >= 2"], None),
    ("(a + b) * (a + b) >= 4 * a * b", [], None),
    ("x & 7 == x % 8", [], None),
    ("int8(x) == x", ["0 <= x < 100"], None),
    ("i*8 + j >= 0", ["0 <= i < 9", "0 <= j < 8"], "int8"),
    ("truncmod(truncmod(x, 16), 4) == truncmod(x, 4)", ["x >= 0"], None),
    ("implies(b, n > 0) or not b", ["n >= 1"], None),
    ("n > 0", ["n < 0", "n > 0"], None),
]
FITS = {None: None, "int8": (-128, 127)}


def logged(claim: str, assume: list[str], fits: str | None) -> tuple[Any, Any]:
    query = Query(parse_claim(claim), tuple(map(parse_claim, assume)), FITS[fits])
    log = prooflog(query)
    assert log is not None, claim
    return question(query), log


@pytest.mark.parametrize(("claim", "assume", "fits"), PROVED)
def test_logs_are_written_and_accepted(claim: str, assume: list[str], fits: str | None) -> None:
    asked, log = logged(claim, assume, fits)
    answer = prove(claim, assume, fits=fits)
    assert isinstance(answer, Proved)
    document = json.loads(json.dumps(answer.certificate.document()))
    assert confirm(document).by in ("checker", "enumeration")
    assert check(asked, log).accepted
    assert explained({"question": asked, "evidence": {"kind": "log", **log}})[-1]


def test_a_log_is_the_same_every_time() -> None:
    assert logged(*PROVED[3]) == logged(*PROVED[3])


@pytest.mark.parametrize(
    ("claim", "assume"),
    [("n // 2 * 2 == n", []), ("n*m >= n", ["n >= 0"]), ("n // m * m == n", ["m >= 1"]), ("x % 3 >= 1", []),
     ("min(x, y) == x", []), ("(1 << a) >= 2", ["a >= 0"]), ("truncdiv(x, 2) == x // 2", []), ("x & y <= x", [])],
)  # fmt: skip
def test_no_log_for_what_is_false(claim: str, assume: list[str]) -> None:
    assert prooflog(Query(parse_claim(claim), tuple(map(parse_claim, assume)))) is None


def test_the_checker_imports_nothing_of_the_prover() -> None:
    allowed = ("refrelax.shape_solver.checker.",)
    files = sorted(CHECKER.glob("*.py"))
    assert len(files) >= 6
    for path in files:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [node.module] if isinstance(node, ast.ImportFrom) else []
            names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            for name in names:
                assert name is not None and (not name.startswith("refrelax") or name.startswith(allowed)), (path, name)
                assert name.split(".")[0] not in ("z3", "cvc5", "numpy"), (path, name)


# --- what does not follow --------------------------------------------------------------------------------------------


def combine(gives: Any, terms: Any) -> dict[str, Any]:
    return {"rule": "combine", "gives": gives, "terms": terms}


SYMBOL = ["sym", 0]


def document(asked: Any, **evidence: Any) -> dict[str, Any]:
    return {"format": "refrelax-certificate", "version": 2, "question": asked, "evidence": evidence}


FALSE = ["ge", [[-1, []]]]


@pytest.mark.parametrize(
    ("steps", "reason"),
    [
        ([], "a proof of"),
        ([combine(FALSE, [])], "negative constant"),
        ([combine(FALSE, [[-1, [0]]])], "a positive factor"),
        ([combine(FALSE, [[1, [7]]])], "the number of an earlier fact"),
        ([combine(["eq", [[1, []]]], [[1, [0]]])], "a conclusion p >= 0"),
        ([combine(["ge", [[1, [5]]]], [[1, [0]]])], "numbers of atoms"),
        ([combine(["ge", [[1, [0]]]], [[1, ["not", 0]]])], "negative constant"),
        ([{"rule": "fd/low", "atoms": [0], "premises": [None], "gives": FALSE}], "atoms of kind fd"),
        ([{"rule": "fd/lower", "atoms": [0], "premises": [], "gives": FALSE}], "a rule"),
        ([{"rule": "equal", "premises": [0, 0], "gives": FALSE}], "its opposite"),
        ([{"rule": "cases", "on": {"sign": [[1, [0]]]}, "branches": [[]], "gives": FALSE}], "2 branches"),
        ([{"rule": "cases", "on": {"sign": [[1, [0]]]}, "branches": [[], []], "gives": FALSE}], "a proof of"),
        ([{"rule": "trust me", "gives": FALSE}], "a step"),
        ({"rule": "trust me"}, "a list of steps"),
    ],
)  # fmt: skip
def test_steps_that_do_not_follow(steps: Any, reason: str) -> None:
    asked = {"symbols": ["int"], "assumptions": [], "claim": ["ge", SYMBOL, ["const", 1]], "fits": None,
             "division": "assume"}  # fmt: skip
    verdict = check(asked, {"atoms": [SYMBOL], "steps": steps})
    assert not verdict.accepted and reason in verdict.reason


@pytest.mark.parametrize(
    "found",
    [None, [], {}, {"format": "refrelax-certificate", "version": 1}, {"format": "refrelax-certificate", "version": 2},
     document(None, kind="log"), document({"claim": SYMBOL}, kind="points")],
)  # fmt: skip
def test_documents_that_are_none(found: Any) -> None:
    assert "expected" in examine(found).rejected


def test_a_script_must_be_that_of_the_question() -> None:
    asked = question(Query(parse_claim("x // 2 * 2 <= x")))
    other = question(Query(parse_claim("x >= 0")))
    written = script(Question.read(asked))
    assert examine(document(asked, kind="smt2", script=written)).script
    assert "not that of the question" in examine(document(other, kind="smt2", script=written)).rejected


def test_points_are_all_looked_at() -> None:
    asked = question(Query(parse_claim("n * n != 49"), (parse_claim("0 <= n <= 9"),)))
    found = {**document(asked, kind="points"), "names": ["n"]}
    assert examine(found).rejected == "the claim fails at n=7"
    wide = (parse_claim("0 <= n"), parse_claim(f"n <= {1 << 90}"))
    assert not few(Question.read(question(Query(parse_claim("n * n != 49"), wide))))
    assert few(Question.read(asked)) and readable(Question.read(asked), ["n"]).startswith("(n * n) != 49")


# --- corrupted certificates: rejected, or still true -----------------------------------------------------------------

CORPUS = [logged(*each) for each in PROVED]


def paths(part: Any, here: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place in a JSON value."""
    if isinstance(part, dict):
        return [here, *(path for key in part for path in paths(part[key], (*here, key)))]
    if isinstance(part, list):
        return [here, *(path for place, each in enumerate(part) for path in paths(each, (*here, place)))]
    return [here]


SWAPS = {
    "ge": "eq", "eq": "ge", "lt": "le", "le": "lt", "gt": "ge", "floordiv": "truncdiv", "add": "sub", "sub": "add",
    "fd/low": "fd/high", "fd/high": "fd/low", "min": "max", "and": "or", "or": "and", "fd": "td", "int": "bool",
    "iff": "implies", "int8": "uint8", "assume": "require", "mul": "add", "not": "abs",
}  # fmt: skip


def corrupted(document: Any, path: tuple[Any, ...], how: int, amount: int) -> Any:
    """``document`` with one change at ``path``."""
    document = copy.deepcopy(document)
    *front, last = path
    parent = document
    for key in front:
        parent = parent[key]
    part = parent[last]
    if isinstance(part, int):
        parent[last] = part + amount if how % 3 else -part
    elif isinstance(part, list) and part:
        place = amount % len(part)
        if how % 3 == 0:
            del part[place]
        elif how % 3 == 1:
            part.append(copy.deepcopy(part[place]))
        else:
            part[0], part[place] = part[place], part[0]
    elif isinstance(part, str):
        parent[last] = SWAPS.get(part, "not")
    elif part is None:
        parent[last] = amount
    return document


def true_on_a_grid(given: Any) -> bool:
    asked = Question.read(given)
    width = range(-9, 14) if len(asked.symbols) < 3 else range(-3, 6)
    domains = [range(2) if sort == "bool" else width for sort in asked.symbols]
    for point in itertools.islice(itertools.product(*domains), 20_000):
        if asked.fits is not None and not all(asked.fits[0] <= each <= asked.fits[1] for each in point):
            continue
        if refutes(asked, point):
            return False
    return True


def survives(number: int, where: int, how: int, amount: int) -> None:
    asked, log = CORPUS[number % len(CORPUS)]
    document = {"question": asked, "log": log}
    places = [path for path in paths(document) if len(path) > 1]
    changed = corrupted(document, places[where % len(places)], how, amount)
    if check(changed["question"], changed["log"]).accepted:
        assert true_on_a_grid(changed["question"]), changed["question"]


@settings(max_examples=draws(200), deadline=None, suppress_health_check=list(HealthCheck))
@given(st.integers(0, 999), st.integers(0, 10**9), st.integers(0, 8), st.integers(-2, 3))
def test_a_corrupted_certificate_is_rejected_or_still_true(number: int, where: int, how: int, amount: int) -> None:
    survives(number, where, how, amount)


@pytest.mark.nightly
@settings(max_examples=100_000, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.integers(0, 999), st.integers(0, 10**9), st.integers(0, 8), st.integers(-2, 3))
def test_many_corrupted_certificates(number: int, where: int, how: int, amount: int) -> None:
    survives(number, where, how, amount)


def test_another_claim_with_the_same_log_is_rejected() -> None:
    """Most changes of the claim break the log; those that do not must be true."""
    rejected = 0
    for asked, log in CORPUS:
        for path in paths(asked["claim"]):
            for amount in (1, -1, 2) if path else ():
                changed = corrupted({"claim": asked["claim"]}, ("claim", *path), 1, amount)
                if not check({**asked, **changed}, log).accepted:
                    rejected += 1
                else:
                    assert true_on_a_grid({**asked, **changed})
    assert rejected > 300


# --- the checker's own reading ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    ["x // y + x % y", "truncdiv(x, y) - truncmod(x, y)", "(x << (y & 3)) >> 1", "x & y | 3 ^ y", "abs(x) - min(x, y)",
     "select(x < y, x // y, y)", "int8(x * 50)", "uint8(x) + ceildiv(y, 2)", "Select(x < y, x, 7 % y)"],
)  # fmt: skip
def test_the_evaluator_agrees_with_the_provers(text: str) -> None:
    claim = parse_claim(f"({text}) == z")
    asked = question(Query(claim))
    run = compiled(claim)
    for x, y in itertools.product(range(-9, 10), repeat=2):
        for z in (-3, 0, 2, 5):
            env = {"x": x, "y": y, "z": z}
            try:
                expected: int | None = run(env)
            except (Undefined, OutOfRange):
                expected = None
            try:
                found: int | None = truth(asked["claim"], [env[name] for name in Query(claim).symbols()])
            except NoValue:
                found = None
            assert found == expected, env


def atom_value(reading: Reading, number: int, env: Sequence[int], known: dict[int, int]) -> int:
    """The value of an atom at a point; what has none is 0 (a claim that needs it is undefined there)."""
    if number not in known:
        atom = reading.atoms[number]
        args = [poly_value(reading, each, env, known) for each in atom.args]
        match atom.kind, args:
            case "sym", _:
                known[number] = env[atom.symbol]
            case "fd", [a, b]:
                known[number] = a // b if b else 0
            case "td", [a, b]:
                known[number] = truncated(a, b) if b else 0
            case "min", _:
                known[number] = min(args)
            case "and", [a, b]:
                known[number] = a & b
            case "p2", [k]:
                known[number] = 1 << k if 0 <= k <= MAX_SHIFT else 0
            case "ite", [a, b]:
                assert atom.branches is not None
                yes, no = (holds(reading, each, env, known) for each in atom.branches)
                assert yes != no
                known[number] = a if yes else b
    return known[number]


def poly_value(reading: Reading, p: Poly, env: Sequence[int], known: dict[int, int]) -> int:
    return sum(c * prod(atom_value(reading, atom, env, known) for atom in mono) for mono, c in p.terms.items())


def holds(reading: Reading, f: Formula, env: Sequence[int], known: dict[int, int]) -> bool:
    match f:
        case ("ge", p):
            return poly_value(reading, p, env, known) >= 0
        case ("eq", p):
            return poly_value(reading, p, env, known) == 0
        case (op, *parts):
            return (all if op == "and" else any)(holds(reading, each, env, known) for each in parts)
    raise AssertionError(f)


def read_and_evaluated(seed: int, count: int) -> int:
    """Random questions: the facts of the reading hold at a point exactly if the point refutes the question."""
    random, refuted = Random(seed), 0
    for _ in range(count):
        parts = [parse_claim(random_claim(random, random.randint(1, 4))) for _ in range(2)]
        fits = random.choice((None, None, (-16, 15)))
        division = random.choice(("assume", "require"))
        query = Query(parts[0], tuple(parts[1:]), fits, division)  # type: ignore[arg-type]
        asked = Question.read(question(query))
        reading = Reading(asked)
        given_facts, wanted = reading.facts()
        for _ in range(40):
            env = [random.randint(-9, 9) for _ in asked.symbols]
            known: dict[int, int] = {}
            found = all(holds(reading, fact, env, known) for fact in (*given_facts, *wanted))
            expected = refutes(asked, env)
            refuted += expected
            assert found == expected, (asked, env)
    return refuted


@pytest.mark.thorough
def test_the_facts_of_a_question_say_what_refutes_it() -> None:
    assert read_and_evaluated(3, 150) > 300


@pytest.mark.nightly
def test_the_facts_of_many_questions_say_what_refutes_them() -> None:
    assert read_and_evaluated(4, 20_000) > 30_000
