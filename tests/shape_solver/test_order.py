"""``sh/overflow-first``: where a step leaves the range before another one has no value, the claim fails."""

from __future__ import annotations

import itertools
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from refrelax.semantics.dims.atoms import Atoms
from refrelax.shape_solver import Proved, Refuted, parse_claim, prove, replay, z3_
from refrelax.shape_solver.certificate import smt2
from refrelax.shape_solver.checker.document import examine
from refrelax.shape_solver.checker.points import NoValue, Overflow, few, refutes, truth
from refrelax.shape_solver.checker.reading import Reading
from refrelax.shape_solver.checker.terms import Question
from refrelax.shape_solver.claim import Query
from refrelax.shape_solver.context import Context
from refrelax.shape_solver.defined import obligation
from refrelax.shape_solver.digits import digits
from refrelax.shape_solver.door import Door
from refrelax.shape_solver.encode import Normal
from refrelax.shape_solver.encode import question as encoded
from refrelax.shape_solver.evaluate import OutOfRange, TooLarge, Undefined, compiled
from refrelax.shape_solver.normal import proves
from refrelax.shape_solver.prooflog.translate import question
from refrelax.shape_solver.refute import Judge
from refrelax.syntax.scalars import Binary, Let, SymVar, int_imm
from tests.draws import draws
from tests.shape_solver.test_checker import holds

INT8 = (-128, 127)
NAMES = ("n", "m")
POINTS = [dict(zip(NAMES, point)) for point in itertools.product((-128, -100, -2, -1, 0, 1, 2, 64, 100, 127), repeat=2)]


@pytest.mark.parametrize(
    ("claim", "assume", "division", "model"),
    [
        ("(n + 100) // m >= -128", ["n == 100", "m == 0"], "assume", {"n": 100, "m": 0}),
        ("(n + 100) // m >= -128", ["n == 1", "m == 0"], "assume", None),
        ("1 // m + (n + 100) >= -128", ["n == 100", "m == 0"], "assume", None),
        ("(n + 100) + 1 // m >= -128", ["n == 100", "m == 0"], "assume", {"n": 100, "m": 0}),
        ("1 // m + (n + 100) >= -128", ["n == 100", "m == 0"], "require", {"n": 100, "m": 0}),
        ("m == 0 or 1 // m + n * 0 < 2", ["n >= 0"], "require", None),
        ("(n + 1) * m // m % m < 128", ["n >= 127", "m == 0"], "assume", {"n": 127, "m": 0}),
        ("T.Select(1 // m > 0, n + 100, n) > 0", ["n == 100", "m == 0"], "assume", None),
        ("T.Select(n + 100 > 0, 1 // m, n) > 0", ["n == 100", "m == 0"], "assume", {"n": 100, "m": 0}),
    ],
)  # fmt: skip
def test_the_first_step_that_fails_decides(claim: str, assume: list[str], division: str, model: object) -> None:
    answer = prove(claim, assume, fits="int8", division=division)  # type: ignore[arg-type]
    if model is None:
        assert isinstance(answer, Proved)
    else:
        assert isinstance(answer, Refuted) and answer.model == model


def test_a_shift_that_is_too_large_to_compute_refutes_nothing() -> None:
    assert isinstance(prove("(1 << n) >= 1", ["n >= 0"], division="require"), Proved)
    assert isinstance(prove("(1 << n) >= 1", ["n >= 8", "n <= 127"], fits="int8"), Refuted)
    assert isinstance(prove("(n*0 << n) == 0", ["n >= 5000"], division="require"), Proved)


def term(random: Random, depth: int) -> str:
    if depth == 0 or random.random() < 0.15:
        return random.choice((*NAMES, *NAMES, str(random.choice((-3, 0, 1, 2, 7, 100)))))
    a, b = term(random, depth - 1), term(random, depth - 1)
    return random.choice((
        f"({a} + {b})", f"({a} - {b})", f"({a} * {b})", f"({a} // {b})", f"({a} % {b})", f"truncdiv({a}, {b})",
        f"({a} // m)", f"({a} % n)", f"truncmod({a}, {b})", f"min({a}, {b})", f"abs({a})", f"({a} << ({b} % 4))",
        f"select({claim(random, depth - 1)}, {a}, {b})", f"T.Select({claim(random, depth - 1)}, {a}, {b})",
        f"({a} >> {b})",
    ))  # fmt: skip


def claim(random: Random, depth: int) -> str:
    compared = (
        f"({term(random, depth)} {random.choice(('<', '<=', '==', '!=', '>='))} {term(random, max(depth - 1, 0))})"
    )
    if depth == 0 or random.random() < 0.6:
        return compared
    other = claim(random, depth - 1)
    return random.choice((f"({compared} and {other})", f"({compared} or {other})", f"implies({other}, {compared})"))


def likely(random: Random) -> str:
    """Claims that are true more often than not."""
    t, u = term(random, 1), term(random, 1)
    return random.choice((
        f"({t}) // ({u}) == ({t}) // ({u})", f"({t}) % ({u}) + ({t}) // ({u}) * ({u}) == {t}", f"({t}) // m <= 127",
        f"min({t}, {u}) <= {t}", f"m == 0 or ({t}) % m != m", f"({t}) - n // m * 0 == {t}", f"n % m + ({t}) >= -500",
    ))  # fmt: skip


GIVEN = ("n >= 0", "m >= 0", "n <= 9", "m <= 9", "n < m", "m != 0", "m == 0", "n >= 100", "n % 2 == 0")


def compare(random: Random, effort: str) -> None:
    """One random question: the judge, the checker's evaluator, the obligation and the facts of a log agree at every
    point, and ``Proved`` meets no point that refutes."""
    text = claim(random, random.randint(1, 2)) if random.random() < 0.5 else likely(random)
    assume = random.sample(GIVEN, random.randint(0, 2))
    division = random.choice(("assume", "require"))
    query = Query(parse_claim(text), tuple(map(parse_claim, assume)), INT8, division)  # type: ignore[arg-type]
    judge, asked = Judge.of(query), Question.read(question(query))
    reading = Reading(asked)
    known, wanted = reading.facts()
    total = compiled(obligation(query.claim, INT8, query.division))
    answer = prove(text, assume, effort, "int8", division)  # type: ignore[arg-type]
    for env in POINTS:
        refuted, point = judge.refuted(env), [env[name] for name in query.symbols()]
        assert refutes(asked, point) == refuted, (text, assume, division, env)
        values: dict[int, int] = {}
        facts = all(holds(reading, fact, point, values) for fact in (*known, *wanted))
        assert facts == refuted, (text, assume, division, env)
        assert not (judge.admits(env) and bool(total(env)) == refuted), (text, assume, division, env)
        assert not (refuted and isinstance(answer, Proved)), (text, assume, division, env, answer.stages)
    if isinstance(answer, Refuted):
        assert judge.refuted({"n": 0, "m": 0, **answer.model})


@pytest.mark.thorough
@settings(max_examples=draws(60), deadline=None)
@given(st.integers(0, 10**9))
def test_prover_judge_checker_and_facts_agree(seed: int) -> None:
    compare(Random(seed), "quick")


@pytest.mark.nightly
@settings(max_examples=20_000, deadline=None)
@given(st.integers(0, 10**9))
def test_they_agree_at_length(seed: int) -> None:
    compare(Random(seed), "quick" if seed % 4 else "normal")


@settings(max_examples=draws(150), deadline=None)
@given(st.integers(0, 10**9))
def test_the_two_evaluators_agree_on_why_there_is_no_value(seed: int) -> None:
    e = parse_claim(claim(Random(seed), 2))
    run, query = compiled(e, INT8), Query(e, (), INT8)
    asked = question(query)["claim"]
    for env in POINTS:
        try:
            expected = str(int(run(env)))
        except (Undefined, OutOfRange, TooLarge) as error:
            expected = f"overflow {isinstance(error, OutOfRange)}"
        try:
            found = str(int(truth(asked, [env[name] for name in query.symbols()], INT8)))
        except NoValue as error:
            found = f"overflow {isinstance(error, Overflow)}"
        assert found == expected, (seed, env)


@pytest.mark.skipif(not replay.AVAILABLE, reason="cvc5 is not installed")
@pytest.mark.parametrize(("m", "said"), [(0, "sat"), (1, "sat")])
def test_the_script_says_the_same(m: int, said: str) -> None:
    claim, given_ = parse_claim("(n + 100) // m <= 127"), (parse_claim("n == 100"), parse_claim(f"m == {m}"))
    assert replay.replay(smt2(Query(claim, given_, INT8)), 500) == said
    assert replay.replay(smt2(Query(claim, given_)), 500) == ("unsat" if m == 0 else "sat")


def test_let_is_evaluated_first_and_hides() -> None:
    n, m, x = SymVar("n", "int64"), SymVar("m", "int64"), SymVar("x", "int64")
    unused = Let(x, Binary("FloorDiv", int_imm(1), n), int_imm(5))
    hiding = Let(
        n, Binary("Add", n, int_imm(1)), Let(x, Binary("Mul", n, m), Binary("Sub", x, Binary("FloorMod", m, n)))
    )
    wanted = {
        unused: lambda n, m: (1 // n, 5)[1] <= m,
        hiding: lambda n, m: (n + 1) * m - m % (n + 1) <= m,
    }
    for e, exact in wanted.items():
        door = Door()
        run = compiled(door.claim(Binary("LE", e, m)))
        names = {name: number for number, name in door.names().items()}
        for env in POINTS:
            try:
                expected: object = exact(env["n"], env["m"])
            except ZeroDivisionError:
                expected = Undefined
            try:
                found: object = bool(run({names[name]: env[name] for name in ("n", "m") if name in names}))
            except Undefined:
                found = Undefined
            assert found == expected, env
    assert isinstance(prove(Binary("EQ", unused, int_imm(5)), division="require"), Refuted)
    assert isinstance(prove(Binary("EQ", unused, int_imm(5))), Proved)
    outer = Let(x, int_imm(0), Binary("FloorMod", m, Binary("Add", x, int_imm(2))))
    mixed = Binary("And", Binary("LE", outer, int_imm(1)), Binary("NE", x, int_imm(0)))
    assert isinstance(prove(mixed), Refuted)


def test_all_points_means_that_all_were_computed() -> None:
    for claim_ in ("(1 << n) <= 5", "(1 << n) % 7 == 9"):
        assert not isinstance(prove(claim_, ["n >= 5000", "n <= 5001"], "quick"), Proved)
    asked = question(Query(parse_claim("(1 << n) <= 5"), (parse_claim("5000 <= n <= 5001"),)))
    document = {"format": "refrelax-certificate", "version": 2, "question": asked, "evidence": {"kind": "points"}}
    assert not few(Question.read(asked)) and "shifts" in examine(document).rejected


@pytest.mark.parametrize(
    ("claim", "assume"),
    [
        ("select(m - m <= m, m >> -3, m // n) != 100 % n", ["m <= 9", "n < m"]),
        ("(x >> k) * 0 == 0", ["x >= 0"]),
        ("(1 << k) + (1 << (k + 1)) > 0 or j == 7", ["k >= -1"]),
        ("(x >> k) // 2 * (1 << k + 1) <= x", ["x >= 0", "k >= -1", "k <= 20"]),
    ],
)
def test_a_shift_that_may_be_undefined_is_never_proved_defined(claim: str, assume: list[str]) -> None:
    for fits in (None, "int8"):
        for effort in ("quick", "normal"):
            answer = prove(claim, assume, effort, fits, "require")  # type: ignore[arg-type]
            assert isinstance(answer, Refuted), (claim, answer)
    query = Query(parse_claim(claim), tuple(map(parse_claim, assume)), None, "require")
    assert z3_.replay(smt2(query), 200_000) != "unsat"
    context = Context().assuming(*query.assumptions)
    stated = obligation(query.claim, None, "require")
    assert not proves(stated, digits(stated, context))
    assert z3_.solve(encoded(stated, context, Normal(Atoms(context.facts))), 200_000) != "unsat"
