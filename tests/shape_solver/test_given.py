"""What callers pass: anything of a wrong kind is refused in words, never with an error of Python's own."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import refrelax as rr
from refrelax.errors import Ended, Malformed, UsageError
from refrelax.semantics.dims import value
from refrelax.shape_solver import Proved, Prover, parse_claim, parse_dim
from refrelax.syntax.dtypes import integer_range
from refrelax.syntax.scalars import Cast, Intrinsic, SymVar
from tests.draws import draws

WRONG = [None, True, 2.5, b"n > 0", ["n > 0"], {"n": 1}, object(), len, float("nan"), ("n > 0", "n > 1", "n > 2"), {3}]
NO_LIST = [None, 5, "n > 0", b"n > 0", {"n > 0": 1}, parse_claim("n > 0"), True, 2.5]
NO_OPTION = [None, 5, "hard", [], "", {}, b"quick"]

CALLS: dict[str, Callable[[Any], object]] = {
    "prove": rr.prove,
    "prove, kept": lambda x: Prover(["n > 0"]).prove(x),
    "answer": lambda x: Prover(["n > 0"]).answer(x),
    "posed": lambda x: Prover().posed(x),
    "assume": lambda x: rr.prove("n > 0", [x]),
    "disjoint": lambda x: rr.disjoint(x, "n"),
    "disjoint, length": lambda x: rr.disjoint("n", (0, x)),
    "disjoint, assume": lambda x: rr.disjoint("n", "m", ["n > 0", x]),
    "injective": lambda x: rr.injective([x], ["i"]),
    "injective, assume": lambda x: rr.injective("i", ["i"], [x]),
    "bounds": rr.bounds,
    "bounds, assume": lambda x: rr.bounds("n", [x]),
    "simplify": rr.simplify,
    "simplify, assume": lambda x: rr.simplify("n", [x]),
    "parse_claim": parse_claim,
    "parse_dim": parse_dim,
}
LISTS: dict[str, Callable[[Any], object]] = {
    "prove": lambda x: rr.prove("n > 0", x),
    "disjoint": lambda x: rr.disjoint("n", "m", x),
    "injective": lambda x: rr.injective("i", ["i"], x),
    "injective, variables": lambda x: rr.injective("i", x),
    "bounds": lambda x: rr.bounds("n", x),
    "simplify": lambda x: rr.simplify("n", x),
}
OPTIONS: dict[str, Callable[[Any], object]] = {
    "effort": lambda x: rr.prove("n > 0", effort=x),
    "division": lambda x: rr.prove("n > 0", division=x),
    "arithmetic": lambda x: rr.prove("n > 0", arithmetic=x),
    "disjoint": lambda x: rr.disjoint("n", "m", effort=x),
    "injective": lambda x: rr.injective("i", ["i"], arithmetic=x),
    "bounds": lambda x: rr.bounds("n", effort=x),
    "simplify": lambda x: rr.simplify("n", arithmetic=x),
}


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("wrong", WRONG, ids=lambda each: type(each).__name__)
def test_no_term(call: str, wrong: object) -> None:
    with pytest.raises(UsageError, match=r"expected .* found"):
        CALLS[call](wrong)


@pytest.mark.parametrize("call", LISTS)
@pytest.mark.parametrize("wrong", NO_LIST, ids=lambda each: type(each).__name__)
def test_no_list(call: str, wrong: object) -> None:
    with pytest.raises(UsageError, match=r"expected a list of .* found"):
        LISTS[call](wrong)


@pytest.mark.parametrize("call", OPTIONS)
@pytest.mark.parametrize("wrong", NO_OPTION, ids=lambda each: type(each).__name__)
def test_no_option(call: str, wrong: object) -> None:
    with pytest.raises(UsageError, match=r"expected one of .* found"):
        OPTIONS[call](wrong)


def test_other_arguments() -> None:
    for dtype in (5, "float32", "bool", "int8x4", ["int8"], "no", object()):
        with pytest.raises(UsageError, match="expected an integer dtype for fits, found"):
            rr.prove("n > 0", fits=dtype)  # type: ignore[arg-type]
    for timeout in ("3", -1, math.nan, [], True):
        with pytest.raises(UsageError, match="expected a number of seconds"):
            rr.prove("n > 0", timeout=timeout)  # type: ignore[arg-type]
    for names in ([5], [None], ["i + 1"], [parse_dim("i")], [b"i"]):
        with pytest.raises(UsageError, match="expected"):
            rr.injective("i", names)  # type: ignore[arg-type]
    for region in ((), ("n",), ("n", "m", "k"), ["n", "m"]):
        with pytest.raises(UsageError, match="expected a region"):
            rr.disjoint(region, "n")  # type: ignore[arg-type]


def test_what_is_taken() -> None:
    assert isinstance(rr.prove("n > 0", (each for each in ["n > 1"])), Proved)
    assert isinstance(rr.prove("n > 0", {"n > 1", "n > 2"}), Proved)
    assert rr.bounds(5) == (5, 5) and rr.simplify(5) == parse_dim("5")
    assert isinstance(rr.injective(("i", "j"), {"i", "j"}), Proved)


def test_a_text_is_nested_120_levels_deep() -> None:
    assert isinstance(rr.prove("(" * 100 + "n" + " + m)" * 100 + " == n + 100*m"), Proved)
    assert isinstance(rr.prove("-" * 118 + "n == n"), Proved)
    with pytest.raises(Malformed, match="nesting of at most 120 levels"):
        rr.prove("-" * 121 + "n == n")


def test_ceildiv_by_a_negative_number() -> None:
    assert isinstance(rr.prove("ceildiv(7, -2) == -2"), Proved)
    assert isinstance(rr.prove("ceildiv(a, b) == (a + b - 1) // b"), Proved)


@given(st.sampled_from(("int1", "int2", "int3", "int8", "uint1", "uint2", "uint8", "int64")), st.integers())
@settings(max_examples=draws(80), deadline=None)
def test_popcount_of_a_dimension_leaves_no_dtype(dtype: str, number: int) -> None:
    """Ones are counted exactly; a count that the dtype does not hold ends the run."""
    low, high = integer_range(dtype)
    e = Intrinsic("popcount", (Cast(dtype, SymVar("n")),), dtype)
    number = number % (1 << 63)
    wrapped = (number - low) % (high - low + 1) + low
    expected = bin(wrapped % (high - low + 1)).count("1")
    if expected <= high:
        assert value(e, {"n": number}) == expected
    else:
        with pytest.raises(Ended, match="sh/overflow"):
            value(e, {"n": number})
