"""``sh/equal``, bounds, substitution and simplification against exhaustive evaluation on small domains."""

from __future__ import annotations

import itertools
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refrelax.errors import Ended
from refrelax.semantics.dims import NO_FACTS, Facts, bounds, equal, shape_facts, simplify, substitute, value
from refrelax.semantics.dims.required import required
from refrelax.syntax.scalars import Binary, Cast, Intrinsic, Let, Not, PrimExpr, Select, SymVar, int_imm, walk

NAMES = ("n", "m", "k")
n, m, k = (SymVar(name) for name in NAMES)
ARITHMETIC = ("Add", "Sub", "Mul", "FloorDiv", "FloorMod", "Div", "Mod", "Min", "Max")
COMPARE = ("EQ", "NE", "LT", "LE", "GT", "GE")

leaves = st.one_of(st.sampled_from((n, m, k)), st.integers(-4, 9).map(int_imm))


def _compound(inner: st.SearchStrategy[PrimExpr]) -> st.SearchStrategy[PrimExpr]:
    condition = st.builds(Binary, st.sampled_from(COMPARE), inner, inner)
    return st.one_of(
        st.builds(Binary, st.sampled_from(ARITHMETIC), inner, inner),
        st.builds(Binary, st.sampled_from(ARITHMETIC), inner, st.sampled_from((2, 3, 4, 8, -2)).map(int_imm)),
        st.builds(Select, condition, inner, inner),
        st.builds(lambda c, a, b: Intrinsic("if_then_else", (c, a, b), "int64"), condition, inner, inner),
        st.builds(lambda a, b: Intrinsic("shift_left", (a, b), "int64"), inner, st.integers(0, 3).map(int_imm)),
        st.builds(lambda a, b: Intrinsic("shift_right", (a, b), "int64"), inner, leaves),
        st.builds(lambda a: Intrinsic("bitwise_and", (a, int_imm(7)), "int64"), inner),
        st.builds(lambda a, b: Let(SymVar("n"), a, b), inner, inner),
    )


expressions = st.recursive(leaves, _compound, max_leaves=7)
domains = st.sampled_from([(0, 3), (1, 4), (-2, 2)])


def evaluated(e: PrimExpr, env: dict[str, int]) -> int | None:
    try:
        return value(e, env)
    except Ended:
        return None


def facts_of(domain: tuple[int, int], closed: bool) -> Facts:
    facts = NO_FACTS
    for name in NAMES:
        facts = facts.with_bounds(name, domain[0], domain[1] if closed else None)
    return facts


def points(domain: tuple[int, int]) -> list[dict[str, int]]:
    return [dict(zip(NAMES, point)) for point in itertools.product(range(domain[0], domain[1] + 1), repeat=3)]


@given(expressions, expressions, domains, st.booleans())
def test_equal_is_sound_and_symmetric(a: PrimExpr, b: PrimExpr, domain: tuple[int, int], closed: bool) -> None:
    facts = facts_of(domain, closed)
    answer = equal(a, b, facts)
    assert equal(b, a, facts) is answer
    for env in points(domain):
        x, y = evaluated(a, env), evaluated(b, env)
        if x is not None and y is not None and answer is not None:
            assert (x == y) is answer, env


def rewritten(e: PrimExpr) -> PrimExpr:
    """The same value, spelled differently at every level."""
    match e:
        case Binary(("Add" | "Mul" | "Min") as op, a, b):
            return Binary(op, rewritten(b), rewritten(a))
        case Binary("Sub", a, b):
            return Binary("Add", Binary("Mul", rewritten(b), int_imm(-1)), rewritten(a))
        case Binary("FloorMod", a, b):
            x, y = rewritten(a), rewritten(b)
            return Binary("Sub", x, Binary("Mul", Binary("FloorDiv", x, y), y))
        case Binary("Max", a, b):
            x, y = rewritten(a), rewritten(b)
            if any(isinstance(each, Binary) and each.op in ("Min", "Max") for each in (*walk(a), *walk(b))):
                return Binary("Max", y, x)  # (what is opened in a minimum is a member of a maximum)
            return Binary("Sub", Binary("Add", x, y), Binary("Min", y, x))
        case Binary(op, a, b):
            return Binary(op, rewritten(a), rewritten(b))
        case _:
            return e


@given(expressions, domains)
def test_equal_recognises_what_it_promises(e: PrimExpr, domain: tuple[int, int]) -> None:
    assert equal(e, rewritten(e), facts_of(domain, False)) is True


@given(expressions, expressions, st.sampled_from(("Add", "Sub", "Mul", "FloorDiv", "Min", "Max")))
def test_equal_is_a_congruence(e: PrimExpr, other: PrimExpr, op: str) -> None:
    facts = facts_of((0, 3), False)
    left, right = Binary(op, e, other), Binary(op, rewritten(e), other)  # type: ignore[arg-type]
    assert equal(left, right, facts) is True


@given(expressions, domains, st.booleans())
def test_bounds_hold(e: PrimExpr, domain: tuple[int, int], closed: bool) -> None:
    low, high = bounds(e, facts_of(domain, closed))
    for env in points(domain):
        x = evaluated(e, env)
        if x is not None:
            assert (low is None or low <= x) and (high is None or x <= high), env


@given(expressions, domains)
def test_simplify_keeps_the_value_and_settles(e: PrimExpr, domain: tuple[int, int]) -> None:
    facts = facts_of(domain, False)
    short = simplify(e, facts)
    assert simplify(short, facts) == short
    for env in points(domain):
        x = evaluated(e, env)
        if x is not None:
            assert evaluated(short, env) == x, env


@given(expressions, expressions, expressions)
def test_substitution_agrees_with_evaluation(e: PrimExpr, a: PrimExpr, b: PrimExpr) -> None:
    result = substitute(e, {"n": a, "m": b})
    for env in points((0, 2)):
        x, y = evaluated(a, env), evaluated(b, env)
        if x is not None and y is not None:
            assert evaluated(result, env) == evaluated(e, {**env, "n": x, "m": y})


def test_let_is_renamed_when_a_replacement_mentions_it() -> None:
    e = Let(SymVar("x"), n, Binary("Add", SymVar("x"), m))
    assert value(substitute(e, {"m": SymVar("x")}), {"n": 3, "x": 50}) == 53


def test_more_facts_only_close_questions() -> None:
    a, b = Binary("Max", Binary("Sub", n, int_imm(1)), int_imm(0)), Binary("Sub", n, int_imm(1))
    assert equal(a, b, shape_facts(["n"])) is None
    assert equal(a, b, NO_FACTS.with_bounds("n", 1)) is True
    assert equal(n, int_imm(7), NO_FACTS.with_bounds("n", 8)) is False


def test_facts_are_immutable_and_never_weaken() -> None:
    facts = NO_FACTS.with_bounds("n", 3, 9)
    assert facts.with_bounds("n", 1, 20) is facts
    assert facts.with_shape_symbols(["n"]) is facts
    assert facts.with_bounds("n", 5).of("n") == (5, 9) and facts.of("n") == (3, 9)
    assert facts.without(["n"]).of("n") == (None, None)


@pytest.mark.parametrize(
    ("e", "env", "rule"),
    [
        (Binary("Add", n, int_imm(1)), {"n": 2**63 - 1}, "sh/overflow"),
        (Binary("Sub", Binary("Mul", n, n), Binary("Mul", n, n)), {"n": 2**32}, "sh/overflow"),
        (SymVar("n", "int32"), {"n": 2**31}, "sh/overflow"),
        (Binary("FloorDiv", n, m), {"n": 1, "m": 0}, "num/int-division-by-zero"),
        (Binary("FloorDiv", int_imm(-(2**63)), m), {"m": -1}, "sh/overflow"),
        (Intrinsic("shift_left", (n, m), "int64"), {"n": 1, "m": 64}, "num/shift-range"),
        (Intrinsic("shift_left", (n, m), "int64"), {"n": 1, "m": -1}, "num/shift-range"),
    ],
)
def test_values_that_leave_the_run_open(e: PrimExpr, env: dict[str, int], rule: str) -> None:
    with pytest.raises(Ended) as caught:
        value(e, env)
    assert caught.value.outcome.rule == rule  # type: ignore[union-attr]


def test_only_what_is_needed_is_evaluated() -> None:
    lazy = Intrinsic("if_then_else", (Binary("EQ", m, int_imm(0)), int_imm(0), Binary("FloorDiv", n, m)), "int64")
    assert value(lazy, {"n": 5, "m": 0}) == 0
    eager = Select(Binary("EQ", m, int_imm(0)), int_imm(0), Binary("FloorDiv", n, m))
    with pytest.raises(Ended):
        value(eager, {"n": 5, "m": 0})


@given(expressions, expressions, domains)
def test_what_is_required_is_shown(a: PrimExpr, b: PrimExpr, domain: tuple[int, int]) -> None:
    """The reference shows what every implementation must, and no answer of the required part is wrong."""
    found = required(a, b)
    assert required(b, a) == found
    if found is not None:
        assert equal(a, b, facts_of(domain, True)) is found
        for env in points(domain):
            x, y = evaluated(a, env), evaluated(b, env)
            assert x is None or y is None or (x == y) is found, (env, x, y)


@given(expressions, expressions, expressions)
def test_the_rules_of_the_required_part(a: PrimExpr, b: PrimExpr, c: PrimExpr) -> None:
    """Ring, congruence, quotients: instances of each, whatever the operands are."""

    def times(x: PrimExpr, y: PrimExpr) -> PrimExpr:
        return Binary("Mul", x, y)

    left, right = times(Binary("Add", a, b), c), Binary("Add", times(c, a), times(b, c))
    assert required(left, right) is True
    assert required(Binary("FloorMod", left, k), Binary("FloorMod", right, k)) is True
    assert required(Binary("Min", left, a), Binary("Min", a, right)) is True
    assert required(Binary("FloorDiv", times(left, k), k), right) is True
    assert required(Binary("Add", left, int_imm(1)), right) is False


@pytest.mark.parametrize("op", ["And", "Or"])
def test_a_connective_of_integers_takes_them_for_truths(op: Literal["And", "Or"]) -> None:
    """No module that is accepted has one; an answer about it is right all the same."""
    for a, b in itertools.product((0, 1, 2), repeat=2):
        e = Binary(op, int_imm(a), int_imm(b))
        assert equal(Cast("int64", e), int_imm(value(e, {})), NO_FACTS) is True
        assert equal(Cast("int64", Not(int_imm(a))), int_imm(int(a == 0)), NO_FACTS) is True
