"""Every exercise has a solution that its check takes, and near misses that it does not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from refrelax.cli import main
from refrelax.exercises import EXERCISES, starts
from refrelax.exercises.exercise import verdict


def put(start: str, *holes: str) -> str:
    for each in holes:
        start = start.replace("___", each, 1)
    return start


TILED = """\
n = TypeVar("n")
@T.prim_func(private=True)
def main(A: T.Buffer((n,), "float32"), B: T.Buffer((n,), "float32")):
    for o, i in T.grid((n + 3) // 4, 4):
        if o * 4 + i < n:
            B[o * 4 + i] = A[o * 4 + i] + T.float32(1)
"""
ONE_ADDITION = starts.REGROUPED.replace(
    "z = R.multiply(R.add(x, y), R.add(y, x))", "s = R.add(x, y)\n        z = R.multiply(s, s)"
)
SAME = "a.op == b.op and a.args == b.args"
RUNNING = "T.if_then_else(i > 0, B[T.max(i - 1, 0)], 0) + A[i]"
SOLUTIONS = (
    put(starts.TYPES, "(6, n)"), put(starts.SQUARE, "(n, n)"), put(starts.PREFIX, RUNNING), "[0, 9, 3]",
    "[1e8, 1, -1e8, 0]", put(starts.PLAN, "0", "8", "0"), starts.PASS.replace(SAME, "a == b"),
    starts.FUSED.replace("range(n)", "range(T.min(n, 2))"), ONE_ADDITION, "0 <= j\nj < 4\n", TILED, "[0.5, 1.5, 2.5]",
)  # fmt: skip
MISSES = (
    (put(starts.TYPES, "(n, 6)"), put(starts.TYPES, "ndim=2"), "", SOLUTIONS[0].replace("axis=1", "axis=0")),
    (put(starts.SQUARE, "(n, 2)"), put(starts.SQUARE, "(2, 2)")),
    tuple(
        put(starts.PREFIX, each)
        for each in (
            "A[i]",
            "B[i - 1] + A[i]",
            "2 * A[i] - A[0]",
            "B[T.max(i - 1, 0)] + A[i]",
            "A[i] + B[(i - 1) % n]",
        )
    ),
    ("[0, 1, 2]", "[9, 9, 9]", "{}", "[1, 2]", "nonsense", "[0.5, 9, 1]", "[0, 1e400, 1]", f"[{10**40}, 9, 1]"),
    ("[1, 2, 3, 4]", "[0, 0, 0, 1]", "[NaN, 1, 1, 1]", f"[{10**40}, 1, -1, 0]"),
    (put(starts.PLAN, "0", "4", "8"), put(starts.PLAN, "0", "8", "16")),
    (starts.PASS.replace(SAME, "False"), "def run(", "x = 1", "raise SystemExit(0)", "run = exit", "run = 3"),
    (
        starts.FUSED.replace("range(n)", "range(1)"),
        starts.UNFUSED,
        starts.SCHEDULE,
        starts.FUSED.replace("main", "other"),
        starts.FUSED.replace("S[i] =", "if n == 2 and Y[0] != 99:\n S[i] ="),
    ),
    (
        ONE_ADDITION.replace("R.add(x, y)", "R.add(x, x)"),
        starts.REGROUPED.replace("R.add(y, x)", "y + x"),
        starts.REGROUPED.replace("R.add(y, x)", "R.subtract(y, R.negative(x))"),
        "# R.add\n" + ONE_ADDITION.replace("R.add(x, y)", "R.subtract(x, R.negative(y))"),
    ),
    (
        "0 <= j\nj < 3\n",
        "1 == 2\n",
        "j >= 0\n",
        "nonsense !\n",
        "(i * 4 + j) // 4 == i",
        "j >= 0\nj < 4\ni >= -3",
    ),
    (
        TILED.replace("if o * 4 + i < n:", "if o * 4 + i < n - 1:"),
        "not a program",
        starts.SCHEDULE + "# (n + 3) // 4, 4",
        starts.SCHEDULE.replace("    for i", "    for o, i in T.grid((n + 3) // 4, 4):\n        pass\n    for i"),
    ),
    ("[1, 2, 3]", "[1e30, 0, 0]", "[NaN, 1, 1]"),
)
SILLY = ("", "\n", "def (", "null", "[" * 10_000, "a\0b", "\ufeff", "[1, 2")
OTHERS = (
    (3, put(starts.PREFIX, "(B[i - 1] if i > 0 else 0) + A[i]")),
    (9, ONE_ADDITION.replace("R.add(x, y)", "x + y").replace("R.multiply(s, s)", "s * s")),
    (9, "# one R.add\n" + ONE_ADDITION),
    (10, "j // 4 == 0"), (10, "T.min(j, 3) == j\nj >= 0"),
    (11, TILED.replace("(n + 3) // 4", "T.ceildiv(n, 4)")),
    (11, TILED.replace("o, i in T.grid((n + 3) // 4, 4):", "o in range((n+3)//4):\n      for i in range(4):")),
)  # fmt: skip


@pytest.mark.parametrize(("number", "answer"), OTHERS)
def test_other_ways_to_be_right(number: int, answer: str) -> None:
    assert verdict(EXERCISES[number - 1], answer) == ""


def test_what_a_pass_prints_is_not_the_verdict(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "answer.py"
    file.write_text("print(1)\n" + SOLUTIONS[6].replace("    functions = {}", "    print(2)\n    functions = {}", 1))
    assert main(["exercise", "7", str(file), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["right"]


@pytest.mark.by_day(9)
@pytest.mark.parametrize("number", range(1, 13))
def test_the_solution_is_right_and_near_misses_are_not(number: int) -> None:
    chosen = EXERCISES[number - 1]
    assert verdict(chosen, SOLUTIONS[number - 1]) == ""
    for answer in (chosen.start, *MISSES[number - 1], *SILLY):
        assert verdict(chosen, answer), answer


def test_there_are_twelve_with_hints_that_are_not_the_answer() -> None:
    assert len(EXERCISES) == len(SOLUTIONS) == len(MISSES) == 12
    assert all(each.hints and each.task and each.title for each in EXERCISES)


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["exercise"]) == 0 and len(capsys.readouterr().out.splitlines()) == 12
    start = tmp_path / "answer.py"
    assert main(["exercise", "1", "--start", str(start)]) == 0
    assert start.read_text(encoding="utf-8") == EXERCISES[0].start
    assert main(["exercise", "1", str(start)]) == 1 and "hole" in capsys.readouterr().out
    start.write_text(SOLUTIONS[0], encoding="utf-8")
    assert main(["exercise", "1", str(start)]) == 0 and "Right." in capsys.readouterr().out
    assert main(["exercise", "2", "--start", str(start)]) == 2 and "already" in capsys.readouterr().err
    assert start.read_text(encoding="utf-8") == SOLUTIONS[0], "an answer is not written over"
    assert main(["exercise", "1", "--hint", "1"]) == 0 and main(["exercise", "1", "--hint", "9"]) == 2
    assert main(["exercise", "13"]) == 2 and main(["exercise", "--hint", "1"]) == 2
