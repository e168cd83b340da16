"""The door: what is no well-typed question is refused, names mean nothing, conversions wrap, floats are opaque."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from refrelax.errors import Malformed
from refrelax.shape_solver import Proved, Prover, Refuted, Unknown, prove
from refrelax.shape_solver.core import integer
from refrelax.shape_solver.door import Door
from refrelax.shape_solver.evaluate import compiled
from refrelax.syntax.dtypes import integer_range
from refrelax.syntax.scalars import (
    Binary,
    BinaryOp,
    BufferLoad,
    Cast,
    Intrinsic,
    Let,
    Literal,
    Not,
    PrimExpr,
    Select,
    SymVar,
    bool_imm,
    float64_bits,
    int_imm,
)
from tests.draws import draws

N, M, TRUTH = SymVar("n"), SymVar("m"), SymVar("n", "bool")
DTYPES = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")


# --- sorts


@pytest.mark.parametrize(
    "claim",
    ["implies(x, x <= 1)", "(x or not x) and x <= 1", "x and x + 1 > x", "select(x, x, 1) == 1", "x == (x > 1)",
     "(x > 1) == 1", "not x or x >= 0", "(x < 1) + 1 == 1", "min(x < 1, 1) == 1"],
)  # fmt: skip
def test_one_name_is_one_thing(claim: str) -> None:
    with pytest.raises(Malformed):
        prove(claim)


def test_one_name_is_one_thing_in_all_of_the_question() -> None:
    with pytest.raises(Malformed):
        prove("x <= 1", ["x"])
    with pytest.raises(Malformed):
        Prover(["x", "x >= 0"])
    prover = Prover(["x >= 0"])
    with pytest.raises(Malformed):
        prover.prove("not x")


@pytest.mark.parametrize(
    "claim",
    [
        int_imm(5), N, Binary("Add", N, N), Not(N), Not(int_imm(0)), Binary("And", N, bool_imm(True)),
        Binary("Or", bool_imm(False), int_imm(1)), Binary("EQ", N, bool_imm(True)), Binary("LT", TRUTH, TRUTH),
        Binary("EQ", Binary("Add", TRUTH, int_imm(1)), int_imm(2)), Binary("LE", TRUTH, int_imm(1)),
        Binary("EQ", Intrinsic("abs", (TRUTH,), "int64"), int_imm(1)),
        Binary("EQ", Select(N, N, N), N), Intrinsic("if_then_else", (TRUTH, N, bool_imm(True)), "bool"),
        Binary("LT", SymVar("n", "int32x4"), SymVar("n", "int32x4")), Literal("float32", 0), SymVar("n", "handle"),
    ],
)  # fmt: skip
def test_what_has_no_sort_is_refused(claim: PrimExpr) -> None:
    with pytest.raises(ValueError, match="expected"):
        prove(claim)
    with pytest.raises(ValueError, match="expected"):
        prove("m == m", [claim])


@pytest.mark.parametrize("options", [{"fits": "float32"}, {"fits": "bool"}, {"fits": "int32x4"}, {"fits": "word"},
                                     {"division": "maybe"}, {"effort": "some"}, {"arithmetic": "modular"}])  # fmt: skip
def test_options_are_checked(options: dict[str, str]) -> None:
    with pytest.raises(ValueError, match="expected"):
        prove("n == n", **options)  # type: ignore[arg-type]


# --- names


NAMES = st.sampled_from(
    ["y", "n'0", "!0", "!1", "s000", "s001'0", "s001'1", "#0", "a b", "x\n(assert false) ;", "|", ""]
)


@pytest.mark.thorough
@given(NAMES)
@settings(max_examples=30, deadline=None)
def test_names_capture_nothing(name: str) -> None:
    x, i = SymVar(name), SymVar("i")
    quarter = Binary("EQ", x, Binary("FloorDiv", N, int_imm(4)))
    assert isinstance(prove(quarter, [Binary("EQ", Binary("FloorMod", N, int_imm(4)), int_imm(0))]), Refuted)
    assert isinstance(prove(Binary("GE", x, int_imm(0)), [Binary("LT", i, N)]), Refuted)
    other = Binary("Or", Binary("NE", Binary("FloorDiv", N, M), int_imm(557)), Binary("NE", x, int_imm(777)))
    answer = prove(other, [Binary("GE", M, int_imm(2))])
    assert isinstance(answer, Refuted) and answer.model[name] == 777
    proof = prove(Binary("EQ", Binary("Mul", x, int_imm(2)), Binary("Add", x, x)))
    assert isinstance(proof, Proved)
    script = proof.certificate.smt2()
    assert script.count("\n") == len([line for line in script.splitlines() if line.startswith("(")])
    declared = [line.split("|")[1] for line in script.splitlines() if line.startswith("(declare")]
    assert len(declared) == len(set(declared))


# --- arithmetic


def terms(dtypes: tuple[str, ...]) -> st.SearchStrategy[PrimExpr]:
    leaves = st.one_of(st.sampled_from([N, M]), st.integers(-300, 300).map(int_imm))

    def more(inner: st.SearchStrategy[PrimExpr]) -> st.SearchStrategy[PrimExpr]:
        ops: st.SearchStrategy[BinaryOp] = st.sampled_from(["Add", "Sub", "Mul", "Min", "Max"])
        return st.one_of(
            st.builds(Binary, ops, inner, inner), st.builds(Cast, st.sampled_from(dtypes), inner),
            st.builds(lambda a: Intrinsic("bitwise_not", (a,), "int64"), inner),
        )  # fmt: skip

    return st.recursive(leaves, more, max_leaves=10)


def exact(e: PrimExpr, env: dict[str, int], wraps: bool) -> int:
    """Written from the spec alone. ``wraps``: each operation wraps at its dtype."""

    def at(dtype: str, number: int) -> int:
        low, high = integer_range(dtype)
        while number < low:
            number += (low - number + high - low) // (high - low + 1) * (high - low + 1)
        return (number - low) % (high - low + 1) + low

    match e:
        case SymVar(name):
            return env[name]
        case Literal():
            return e.bits - (1 << 64 if e.bits >> 63 else 0)
        case Cast(dtype, a):
            return at(dtype, exact(a, env, wraps))
        case Intrinsic(_, (a,)):
            found = -exact(a, env, wraps) - 1
        case Binary(op, a, b):
            x, y = exact(a, env, wraps), exact(b, env, wraps)
            found = {"Add": x + y, "Sub": x - y, "Mul": x * y, "Min": min(x, y), "Max": max(x, y)}[op]
        case _:
            raise AssertionError(e)
    return at(e.dtype, found) if wraps else found


POINTS = [{"n": n, "m": m} for n in (-(2**63), -129, -1, 0, 1, 127, 255, 2**31 - 1, 2**64) for m in (-7, 0, 2**31)]


@given(terms(DTYPES), st.booleans())
@settings(max_examples=draws(150), deadline=None)
def test_conversions_wrap_and_nothing_else_does(e: PrimExpr, wraps: bool) -> None:
    door = Door("wrap" if wraps else "exact")
    run = compiled(door.dim(e))
    for env in POINTS:
        inside = {symbol.name: env[name] for (name, _), symbol in door.numbers.items()}
        assert run(inside) == exact(e, env, wraps)


@pytest.mark.thorough
@given(terms(("int8", "uint8", "int16")), terms(("int8", "uint8")), st.sampled_from(["EQ", "LE", "NE"]))
@settings(max_examples=draws(60), deadline=None)
def test_claims_about_conversions_are_answered_rightly(a: PrimExpr, b: PrimExpr, op: BinaryOp) -> None:
    answer = prove(Binary(op, a, b), [Binary("LE", int_imm(-9), N), Binary("LE", N, int_imm(260))], "quick")
    holds = {"EQ": int.__eq__, "LE": int.__le__, "NE": int.__ne__}[op]
    env = {"n": 0, "m": 0}
    if isinstance(answer, Refuted):
        env.update(answer.model)
        assert -9 <= env["n"] <= 260 and not holds(exact(a, env, False), exact(b, env, False))
    if isinstance(answer, Proved):
        for n in range(-9, 261, 7):
            for m in (-1000, -129, -128, -1, 0, 1, 127, 128, 255, 256, 70000):
                assert holds(exact(a, {"n": n, "m": m}, False), exact(b, {"n": n, "m": m}, False))


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_conversion_wraps_in_both_readings(dtype: str) -> None:
    low, high = integer_range(dtype)
    assert isinstance(prove(f"{low} <= {dtype}(n) <= {high}"), Proved)
    assert isinstance(prove(f"{dtype}(n) == n"), Refuted)
    assert isinstance(prove(f"{dtype}(n) == n", [f"{low} <= n <= {high}"]), Proved)
    assert isinstance(prove(f"{dtype}({dtype}(n) + {dtype}(m)) == {dtype}(n + m)"), Proved)
    assert isinstance(prove(f"{dtype}({dtype}(n) * {dtype}(m)) == {dtype}(n * m)"), Proved)
    assert isinstance(prove(f"{dtype}({dtype}(n) + 1) > {dtype}(n)"), Refuted)
    known = SymVar("k", dtype)
    widened = Binary("EQ", Cast("int64", Binary("Mul", known, known)), Binary("Mul", known, known))
    program = prove(widened, arithmetic="no-overflow")
    assert isinstance(program, Proved if dtype != "uint64" else Refuted)


def test_a_dtype_that_operands_do_not_share_promises_nothing() -> None:
    narrow, wide = SymVar("i", "int32"), SymVar("n", "int64")
    for a, b in ((narrow, wide), (wide, narrow)):
        claim = Binary("EQ", Cast("int32", Binary("Add", a, b)), Binary("Add", narrow, wide))
        assert isinstance(prove(claim, arithmetic="no-overflow"), Refuted)
    small = Binary("Add", int_imm(1), narrow)
    assert isinstance(prove(Binary("EQ", Cast("int32", small), small), arithmetic="no-overflow"), Proved)


@given(st.integers(-(1 << 9000), 1 << 9000))
@settings(max_examples=20, deadline=None)
def test_integers_of_any_size(number: int) -> None:
    assert compiled(integer(number))({}) == number


# --- opaque


HALF = Literal("float64", float64_bits(0.5))
LOAD = BufferLoad("A", (N,), "int64")
CALL = Intrinsic("call_extern", (N,), "int64")
FLOATS = (
    Cast("int64", HALF), Cast("int64", Binary("Add", Cast("float64", N), HALF)), LOAD, CALL,
)  # fmt: skip


@pytest.mark.parametrize("e", FLOATS)
@pytest.mark.parametrize("arithmetic", ["exact", "no-overflow"])
def test_what_is_no_integer_arithmetic_is_opaque(e: PrimExpr, arithmetic: str) -> None:
    def asked(claim: PrimExpr, *assume: PrimExpr) -> object:
        return prove(claim, assume, arithmetic=arithmetic)  # type: ignore[arg-type]

    assert isinstance(asked(Binary("EQ", Binary("Add", e, N), Binary("Add", N, e))), Proved)
    assert isinstance(asked(Binary("LE", e, int_imm(9)), Binary("LT", e, int_imm(9))), Proved)
    answer = asked(Binary("NE", e, integer(float64_bits(0.5))))
    if e in (LOAD, CALL):  # known nowhere; what is computed from floats is known at points
        assert isinstance(answer, Unknown) and answer.stage == "opaque"
    assert not isinstance(answer, Refuted)
    independent = asked(Binary("And", Binary("EQ", e, e), Binary("NE", M, int_imm(3))))
    assert isinstance(independent, Refuted) and independent.model["m"] == 3


def test_comparisons_of_floats_are_computed() -> None:
    less = Binary("LT", HALF, Literal("float64", float64_bits(2.0)))
    assert isinstance(prove(Binary("Or", less, Not(less))), Proved)
    assert isinstance(prove(less), Proved) and prove(Not(less)) == Refuted({})  # 0.5 < 2.0, not by their bits


def test_an_opaque_part_means_what_the_let_around_it_says() -> None:
    x = SymVar("x")
    first, second = (Let(x, int_imm(k), BufferLoad("A", (x,), "int64")) for k in (1, 2))
    assert isinstance(prove(Binary("EQ", first, second)), Unknown)
    assert isinstance(prove(Binary("EQ", first, first)), Proved)


def test_definedness_of_an_opaque_part_is_not_promised() -> None:
    load = BufferLoad("A", (Binary("FloorDiv", N, M),), "int64")
    assert isinstance(prove(Binary("EQ", load, load)), Proved)
    assert isinstance(prove(Binary("EQ", load, load), division="require"), Unknown)
