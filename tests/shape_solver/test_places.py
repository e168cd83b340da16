"""The solver without Z3, in threads and in processes."""

from __future__ import annotations

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from refrelax.shape_solver import Answer, Proved, Refuted, prove

QUESTIONS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("n*m + m == m*(n + 1)", ()),
    ("(v // d % h * s + v // (h * d)) * d + v % d < s * (h * d)", ("0 <= v", "v < s*(h*d)", "h >= 1", "d >= 1")),
    ("max(x, y) // z == max(x // z, y // z)", ("z >= 1",)),
    ("x // y == truncdiv(x, y)", ("y >= 1",)),
    ("(n + 15) // 16 * 16 >= n", ()),
    ("n // 4 * 4 == n", ()),
    ("x*x*x + y*y*y != z*z*z + 4", ("x >= 1", "y >= 1", "z >= 1")),
)


def told(answer: Answer) -> list[object]:
    return [type(answer).__name__, getattr(answer, "model", None), [[s.name, s.outcome] for s in answer.stages]]


def ask(question: tuple[str, tuple[str, ...]]) -> list[object]:
    return told(prove(question[0], question[1]))


@pytest.mark.thorough
def test_threads_give_the_same_answers() -> None:
    wanted = [ask(question) for question in QUESTIONS[:6]]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(ask, QUESTIONS[:6] * 4))
    assert found == wanted * 4


SCRIPT = """
import json, sys
{first}
from refrelax.shape_solver import prove
questions = json.load(sys.stdin)
answers = [prove(claim, assume) for claim, assume in questions]
told = [[type(a).__name__, getattr(a, "model", None), [[s.name, s.outcome] for s in a.stages]] for a in answers]
print(json.dumps(told))
print([getattr(a, "reason", "") for a in answers][-1], "z3" in sys.modules and sys.modules["z3"] is not None)
"""


def elsewhere(first: str) -> tuple[list[list[object]], str]:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT.format(first=first)],
        input=json.dumps(QUESTIONS), capture_output=True, text=True, check=True,
    )  # fmt: skip
    answers, last = done.stdout.splitlines()
    return json.loads(answers), last


@pytest.mark.thorough
def test_another_process_gives_the_same_answers() -> None:
    answers, _ = elsewhere("sys.setrecursionlimit(1001)")
    assert answers[:6] == [ask(question) for question in QUESTIONS[:6]]


@pytest.fixture(scope="module")
def without() -> tuple[list[list[object]], str]:
    return elsewhere("sys.modules['z3'] = None")


@pytest.mark.thorough
def test_without_z3(without: tuple[list[list[object]], str]) -> None:
    answers, last = without
    assert [each[0] for each in answers] == ["Proved", "Proved", "Proved", "Refuted", "Proved", "Refuted", "Unknown"]
    assert last == "needs z3 False"


@pytest.mark.thorough
def test_without_z3_answers_agree(without: tuple[list[list[object]], str]) -> None:
    for question, (name, model, _) in zip(QUESTIONS, without[0]):
        with_z3 = prove(*question)
        if name == "Proved":
            assert isinstance(with_z3, Proved)
        if name == "Refuted":
            assert isinstance(with_z3, Refuted) and with_z3.model == model
