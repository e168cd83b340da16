"""Numbers of more decimal digits than Python prints (4300): asked, answered and said like any other."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from refrelax.cli import main
from refrelax.errors import Malformed
from refrelax.semantics.dims.poly import serial
from refrelax.shape_solver import Proved, Refuted, parse_claim, prove
from refrelax.spelled import decimal, of_decimal, spelled
from tests.draws import draws

LARGE = 1 << 14_400
TEXT = hex(LARGE)

QUESTIONS: list[tuple[str, list[str], type]] = [
    ("n < (1<<4000)*(1<<4000)*(1<<4000)*(1<<4000)", [], Refuted),
    (f"n < {TEXT}", [], Refuted),
    (f"n + {TEXT} > n", [], Proved),
    (f"n // {TEXT} * {TEXT} <= n", [], Proved),
    (f"n % {TEXT} < m", [], Refuted),
    (f"n & {TEXT} >= 0", [], Proved),
    ("x*y > x", [f"x > {TEXT}", "y > 1"], Proved),
    (f"n << 5 < {TEXT}", [f"0 <= n < {TEXT}"], Refuted),
]  # fmt: skip


@pytest.mark.by_day(1)
@pytest.mark.parametrize(("claim", "assume", "expected"), QUESTIONS)
def test_large_numbers_are_numbers(claim: str, assume: list[str], expected: type) -> None:
    answer = prove(claim, assume)
    assert type(answer) is expected
    assert repr(answer) and str(answer) and answer._repr_html_()
    assert all(stage.outcome for stage in answer.stages)


@pytest.mark.thorough
def test_a_large_counterexample_is_said_so_that_it_is_read_again(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["prove", f"n < {TEXT}"]) == 1
    name, _, value = capsys.readouterr().out.removeprefix("REFUTED ").strip().partition("=")
    assert name == "n" and parse_claim(f"n == {value}") and int(value, 16) >= LARGE
    assert main(["prove", f"n < {TEXT}", "--json", "--explain"]) == 1
    row = json.loads(capsys.readouterr().out)
    assert int(row["model"]["n"], 16) >= LARGE
    assert main(["prove", f"n + {TEXT} > n", "--explain"]) == 0


def test_z3_takes_and_gives_large_numbers() -> None:
    pytest.importorskip("z3")
    answer = prove("n*n*n + m*m < k", [f"n > {TEXT}", f"k > {TEXT}", "m > n"], effort="thorough")
    assert not isinstance(answer, Proved)


def test_a_long_decimal_says_what_is_wrong() -> None:
    assert parse_claim(f"n < {'9' * 4300}")
    with pytest.raises(
        Malformed, match=r"<claim>:1:5: expected .* at most 4300 decimal digits .*hex.* found one of 4301"
    ):
        parse_claim(f"n < {'9' * 4301}")


@given(st.integers(0, 20_000), st.integers(-(1 << 70), 1 << 70))
@settings(max_examples=draws(40))
def test_decimals_of_any_size(shift: int, number: int) -> None:
    whole = (number << shift) + number
    assert of_decimal(decimal(whole)) == whole
    assert int(spelled(whole), 0) == whole


def test_no_two_polynomials_have_one_spelling() -> None:
    numbers = [1, -1, LARGE, -LARGE, LARGE + 1, 1 << 2_047, 1 << 2_048, 1 << 2_049]
    polys = [{("a",): first, (): second} for first in numbers for second in numbers]
    assert len(set(map(serial, polys))) == len(polys)


@pytest.mark.thorough
def test_the_spelling_is_decimal_under_the_least_limit_of_python() -> None:
    code = "from refrelax.shape_solver import prove; print(prove(f'n < 0x1{\"0\" * 600}'))"
    done = subprocess.run([sys.executable, "-X", "int_max_str_digits=640", "-c", code], capture_output=True, text=True)
    assert done.returncode == 0 and "0x" in done.stdout, done.stderr
