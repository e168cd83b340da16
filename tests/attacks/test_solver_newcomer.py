"""Questions as somebody writes them who has read the how-to and nothing else."""

from __future__ import annotations

import pytest

from refrelax.cli import main
from refrelax.shape_solver import Prover, Refuted, bounds, disjoint, injective, prove, simplify


def test_a_text_is_no_list_of_variables() -> None:
    """``"row"`` was read as the variables ``r``, ``o``, ``w``, and a map that is one to one was refuted."""
    with pytest.raises(ValueError, match=r"expected a list of variables, .*found 'row'"):
        injective("row*8", "row")
    assert not isinstance(injective("row*8", ["row"]), Refuted)


@pytest.mark.parametrize("text", ["n > 0", "p", ""])
def test_a_text_is_no_list_of_assumptions(text: str) -> None:
    message = f"expected a list of assumptions, .*found {text!r}"
    questions = (
        lambda: prove("n == n", text),
        lambda: Prover(text),
        lambda: injective("n", ["n"], text),
        lambda: disjoint("n", "m", text),
        lambda: disjoint("n", "m", text, arithmetic="wrap"),
        lambda: bounds("n", text),
        lambda: simplify("n", text),
    )
    for question in questions:
        with pytest.raises(ValueError, match=message):
            question()


def test_a_claim_without_a_value_is_not_blamed_on_assumptions(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["prove", "n // (m - m) == 3"]) == 0
    assert (
        capsys.readouterr().out == "PROVED (vacuously: the assumptions hold nowhere, or the claim is defined nowhere)\n"
    )
