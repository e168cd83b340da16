"""Assumptions where operators become loops, and extents that satisfy them."""

from __future__ import annotations

import pytest

import refrelax as rr

SLICE = """
n = TypeVar("n")
h = TypeVar("h")
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((n,), "float32"), s: R.Shape((h,))):
        r = {}
        return r
"""
WHOLE = SLICE.format("R.negative(R.negative(x))")
PAST = SLICE.format("R.strided_slice(x, axes=[0], begin=[0], end=[n + h])")


def word(first: str, second: str, *assume: str) -> str:
    found = rr.validate(rr.parse(first), rr.parse(second), assume=assume)
    return found.word


def test_an_end_that_may_overflow_is_no_end() -> None:
    assert word(WHOLE, PAST) != "PROVED"
    assert word(WHOLE, PAST, "0 <= h") != "PROVED"


@pytest.mark.parametrize("bound", ["n + h <= 100", "h <= 5", "100 >= h + n"])
def test_an_end_that_is_assumed_to_fit(bound: str) -> None:
    """(Of ``h <= 5`` it is so because the bytes of ``x`` fit int64.)"""
    assert word(WHOLE, PAST, "0 <= h", bound) == "PROVED"


def test_an_assumption_is_in_the_names_of_the_second_program_too() -> None:
    other = PAST.replace('h = TypeVar("h")', 'n_ = TypeVar("n_")').replace("R.Shape((h,))", "R.Shape((n_,))")
    assert word(WHOLE, other.replace("n + h", "n + n_"), "0 <= h", "n + h <= 100") == "PROVED"


CHAIN = """
{symbols}
@I.ir_module
class Module:
    @R.function
    def main({params}):
        r = {body}
        return r
"""


def test_extents_that_nobody_draws_are_asked_of_the_solver() -> None:
    """Eight symbols in two chains of orders: of ten thousand draws about one satisfies them."""
    names = [f"{letter}{k}" for k in (0, 1) for letter in "abcd"]
    symbols = "\n".join(f'{name} = TypeVar("{name}")' for name in names)
    params = ", ".join(f'x{name}: R.Tensor(({name},), "float32")' for name in names)
    claims = [f"{p}{k} + 1 == {q}{k}" for k in (0, 1) for p, q in ("ab", "bc", "cd")]
    first = CHAIN.format(symbols=symbols, params=params, body="R.add(xa0, xa0)")
    second = CHAIN.format(symbols=symbols, params=params, body="R.add(xa0, R.negative(R.negative(xa0)))")
    wrong = CHAIN.format(symbols=symbols, params=params, body="R.add(xa0, R.abs(xa0))")
    assert word(first, second, *claims) == "PROVED"
    assert word(first, wrong, *claims) == "REFUTED"
