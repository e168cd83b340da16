"""Floats in a dimension: computed as floats, atoms to ``sh/equal`` and the solver, the same in every backend."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import refrelax as rr
from refrelax.errors import Ended
from refrelax.semantics.dims import bounds, equal, shape_facts, simplify, value
from refrelax.shape_solver import Proved, Refuted, prove
from refrelax.syntax.scalars import Binary, Cast, Intrinsic, Let, Literal, PrimExpr, SymVar, int_imm, literal_int
from refrelax.syntax.write.scalars import expression
from refrelax.testing.scalar_strategies import float_literal, index_terms, truth_terms

NAMES = ("n", "m")
n, m = (SymVar(name) for name in NAMES)
FACTS = shape_facts(NAMES)
POINTS = [{"n": a, "m": b} for a in (0, 1, 3) for b in (0, 2)]


def f32(number: float) -> PrimExpr:
    return float_literal("float32", number)


def evaluated(e: PrimExpr, env: dict[str, int]) -> int | None:
    try:
        return value(e, env)
    except Ended:
        return None


# --- values ----------------------------------------------------------------------------------------------------------

TWICE = Cast("int64", Binary("Mul", f32(2.0), Cast("float32", n)))


@pytest.mark.parametrize(
    ("e", "expected"),
    [
        (TWICE, 6),
        (Cast("int64", Binary("Mul", f32(1.401298464324817e-45), Cast("float32", n))), 0),
        (Cast("int64", Intrinsic("ceil", (Binary("Mul", Cast("float32", n), f32(1.5)),), "float32")), 5),
        (Cast("int64", Cast("float32", Binary("Add", n, int_imm(1 << 24)))), (1 << 24) + 4),  # ties to even
        (Cast("int64", Cast("bfloat16", Binary("Add", n, int_imm(254)))), 256),
        (Cast("int64", Binary("LT", f32(-0.5), Cast("float32", n))), 1),
        (Cast("int64", Intrinsic("reinterpret", (f32(1.0),), "int32")), 0x3F800000),
        (Let(SymVar("x", "float32"), Cast("float32", n), Cast("int64", SymVar("x", "float32"))), 3),
        (Intrinsic("popcount", (n,), "int64"), 2),
    ],
)  # fmt: skip
def test_the_value_is_that_of_the_floats(e: PrimExpr, expected: int) -> None:
    assert value(e, {"n": 3}) == expected


def exp(factor: float) -> PrimExpr:
    """``exp(factor * n)``, whose last places are open."""
    return Intrinsic("exp", (Binary("Mul", f32(factor), Cast("float32", n)),), "float32")


@pytest.mark.parametrize(
    ("e", "rule"),
    [
        (Cast("int64", Binary("Mul", f32(1e30), Cast("float32", n))), "num/cast-range"),
        (Cast("int8", Cast("float32", Binary("Mul", n, int_imm(100)))), "num/cast-range"),
        (Cast("int64", Binary("Div", Cast("float32", n), f32(0.0))), "num/cast-range"),
        (Cast("int64", exp(30.0)), "num/cast-range"),
        (Cast("int64", exp(8.0)), "num/undetermined"),
    ],
)  # fmt: skip
def test_a_dimension_takes_what_is_determined(e: PrimExpr, rule: str) -> None:
    with pytest.raises(Ended) as end:
        value(e, {"n": 3})
    assert getattr(end.value.outcome, "rule", "") == rule


# --- judgements ------------------------------------------------------------------------------------------------------


@given(index_terms(NAMES), index_terms(NAMES))
def test_judgements_are_sound(a: PrimExpr, b: PrimExpr) -> None:
    answer, short, (low, high) = equal(a, b, FACTS), simplify(a, FACTS), bounds(a, FACTS)
    assert equal(a, a, FACTS) is True
    for env in POINTS:
        x, y = evaluated(a, env), evaluated(b, env)
        if x is not None:
            assert evaluated(short, env) == x
            assert (low is None or low <= x) and (high is None or x <= high)
            assert y is None or answer is None or (x == y) is answer


@given(index_terms(NAMES, 2), index_terms(NAMES, 2))
def test_answers_of_the_solver_are_sound(a: PrimExpr, b: PrimExpr) -> None:
    claim = Binary("EQ", a, b)
    answer = prove(claim, ["n >= 0", "m >= 0"], effort="quick")
    if isinstance(answer, Refuted):
        assert evaluated(claim, {"n": 0, "m": 0, **answer.model}) in (0, None)
    for env in POINTS:
        assert not isinstance(answer, Proved) or evaluated(claim, env) in (1, None)


def test_atoms_are_equal_by_their_bits() -> None:
    zero, minus = (Cast("int64", Intrinsic("copysign", (Cast("float32", n), f32(x)), "float32")) for x in (0.0, -0.0))
    assert equal(zero, minus, FACTS) is None
    assert equal(Cast("int64", Cast("float32", n)), Cast("int64", Cast("float64", n)), FACTS) is None
    assert equal(Cast("int64", f32(2.0)), int_imm(2), FACTS) is True
    assert equal(Cast("int64", f32(2.0)), int_imm(0x40000000), FACTS) is False
    clz = [Intrinsic("clz", (Cast(dtype, SymVar("i", "int32")),), "int32") for dtype in ("int64", "int32")]
    assert equal(*clz, FACTS) is None


def test_the_solver_computes_what_it_cannot_open() -> None:
    twice = Binary("EQ", TWICE, Binary("Mul", n, int_imm(2)))
    assert isinstance(prove(Binary("EQ", TWICE, TWICE)), Proved)
    assert prove(twice, ["n >= 0", "n < 1000"], effort="quick").__class__ is not Refuted
    assert isinstance(prove(twice, ["n >= 0"]), Refuted)  # past 2 ** 24 floats have gaps
    assert isinstance(prove(Binary("EQ", TWICE, Binary("Mul", n, int_imm(0x40000000))), ["n >= 0"]), Refuted)
    assert not isinstance(prove(Binary("EQ", TWICE, TWICE), division="require"), Proved)
    assert isinstance(prove(Binary("LT", Cast("int64", Cast("uint8", Cast("float32", n))), int_imm(256))), Proved)


# --- programs --------------------------------------------------------------------------------------------------------


def module(e: PrimExpr) -> str:
    return f"""
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", "m"), "float32")):
        n = T.int64()
        m = T.int64()
        v = R.shape([{expression(e)}])
        return v
"""


@given(index_terms(NAMES, 3, ("float32", "float64")), st.sampled_from(POINTS))
def test_numpy_has_the_shapes_of_the_interpreter(e: PrimExpr, env: dict[str, int]) -> None:
    try:
        checked = rr.check(rr.parse(module(e)))
    except rr.Malformed:
        return  # a constant that the reader refuses to fold
    x = np.zeros((env["n"], env["m"]), np.float32)
    wanted = rr.run(checked, "main", x)
    assert isinstance(wanted, rr.Returned | rr.Unspecified)
    if isinstance(wanted, rr.Returned):
        assert rr.compile(checked).run("main", x).value == wanted.value


@given(truth_terms(NAMES))
def test_truths_have_one_value(e: PrimExpr) -> None:
    for env in POINTS:
        assert evaluated(e, env) in (0, 1, None)


def test_a_literal_of_floats_is_no_integer() -> None:
    with pytest.raises(rr.InternalError):
        literal_int(Literal("float32", 0x40000000))
