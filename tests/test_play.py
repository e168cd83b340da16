"""What the playground asks is answered with plain data, whatever a visitor types."""

from __future__ import annotations

import json
import runpy
from pathlib import Path
from typing import Any

import pytest

from refrelax.exercises import starts
from refrelax.play import ACTIONS, answer

ROOT = Path(__file__).parents[1]


def ask(action: str, program: str = starts.SCHEDULE, **more: Any) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(json.dumps(answer({"action": action, "program": program, **more})))
    return found


def test_a_program_is_checked_run_traced_and_lowered() -> None:
    assert ask("check", starts.UNFUSED)["text"].startswith("accepted")
    ran = ask("run", starts.UNFUSED, dims="n=3", seed="4")
    assert "Returned" in ran["text"] and "int32[3]" in ran["text"]
    assert "page" in ask("trace", starts.SCHEDULE, dims="n=2") and "fuse_loops" in ask("lower", starts.UNFUSED)["text"]


def test_two_programs_are_compared_and_claims_are_proved() -> None:
    wrong = ask("validate", starts.UNFUSED, second=starts.FUSED.replace("range(n)", "range(n - 1)"))
    assert wrong["text"].startswith("REFUTED") and "Where they differ" in wrong["page"]
    assert ask("validate", starts.UNFUSED, second=starts.FUSED)["text"].startswith("PROVED")
    assert ask("prove", claim="i*m + j < n*m", assume="0 <= i < n\n0 <= j < m")["text"].startswith("Proved")


def test_what_cannot_be_asked_is_said() -> None:
    """A program where a claim should stand, and an address that somebody wrote by hand."""
    assert ask("prove", claim=starts.UNFUSED)["text"].startswith("prove takes a claim in one line")
    assert ask("nonsense")["text"].startswith("what is asked is one of check, run")


def test_arguments_are_read_by_the_types_of_their_parameters() -> None:
    """Each example of the page and what the page proposes to write: lists were tuples, and ended in a trap."""
    assert "value: float32[] 6.0" in ask("run", starts.SUM.replace("4", "3"), args="[[1, 2, 3]]")["text"]
    made = runpy.run_path(str(ROOT / "tools" / "make_playground.py"))
    for each in made["examples"]():
        if each["title"] != "a claim":
            text = ask("run", each["first"], **{k: each[k] for k in each.keys() & {"args", "dims", "seed", "reading"}})[
                "text"
            ]
            assert "Returned" in text, (each["title"], text)


@pytest.mark.parametrize(
    "args", ["[", "3", "[]", "[[1, 2], 3]", '["x"]', "[{}]", '[{"dtype": "f"}]', "[[[1], 2]]", "[null]"]
)
def test_arguments_that_do_not_fit_are_said(args: str) -> None:
    assert ask("run", starts.SUM, args=args)["text"].startswith(("arguments: expected a list in JSON", "argument 0: "))


def test_mistakes_are_marked_where_they_are() -> None:
    found = ask("check", starts.UNFUSED.replace("R.add(p", "R.add(q"))
    assert found["marks"][0]["line"] == 6 and found["marks"][0]["program"] == "first"
    second = ask("validate", starts.UNFUSED, second="def f(")
    assert second["marks"][0]["program"] == "second"


@pytest.mark.parametrize("action", ACTIONS)
@pytest.mark.parametrize("program", ["", "def (", "x = 1", "\0", starts.POISON])
def test_nothing_that_is_typed_is_a_fault(action: str, program: str) -> None:
    assert isinstance(ask(action, program, second=program, claim=program, dims="n")["text"], str)
