"""Exercises on judging: passes, counterexamples, floating point, proofs, implementations."""

from __future__ import annotations

import runpy
import tempfile
from pathlib import Path
from typing import Any

from refrelax import api
from refrelax.errors import Outcome, Rejection, Returned
from refrelax.exercises import starts
from refrelax.exercises.exercise import Exercise, Wrong, checked, numbers
from refrelax.judge.diff import diff
from refrelax.judge.evidence import Refuted
from refrelax.judge.validate import validate
from refrelax.lower.claims import Ledger
from refrelax.running.arrays import Tensor
from refrelax.shape_solver import Proved, prove
from refrelax.syntax.module import Module

SHARED = """
n = TypeVar("n")
@R.function
def main(x: R.Tensor((n, n), dtype="float32")):
    with R.dataflow():
        a = R.{first}
        b = R.{second}
        c = R.add(a, b)
        R.output(c)
    return c
"""


def _pass(text: str) -> str:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "answer.py"
        file.write_text(text, encoding="utf-8")
        try:
            run = runpy.run_path(str(file))["run"]
        except Exception as error:
            raise Wrong(f"the file cannot be run: {type(error).__name__}: {error}") from None
    for first, second in (("exp(x)", "exp(x)"), ("sum(x, axis=[0])", "sum(x, axis=[1])"), ("exp(x)", "tanh(x)")):
        before = checked(SHARED.format(first=first, second=second))
        try:
            after = api.check(run(before, Ledger()))
        except Rejection as rejection:
            return f"the pass gives a program that is not accepted: {rejection}"
        except Exception as error:
            return f"the pass fails: {type(error).__name__}: {error}"
        answer = validate(before, after)
        if answer.word != "PROVED":
            return f"R.{first} and R.{second}: {answer}"
        if first == second and api.print_module(after.module).count(f"R.{first}") != 1:
            return "the second of two equal calls is still computed"
    return ""


def _illegal(text: str) -> str:
    after = checked(text)
    before = checked(starts.UNFUSED)
    for given in ([2, -3], [5, 7]):
        ends = [api.run(each, "main", args=[given, [4, 1]]) for each in (before, after)]
        values = [end.value.tolist() if isinstance(end, Returned) else str(end) for end in ends]
        if values[0] != values[1]:
            return f"at n = 2 it should be right, and is not: {values[1]}, expected {values[0]}"
    answer = validate(before, after)
    if not isinstance(answer, Refuted) or answer.counterexample is None:
        return f"it should be refuted: {answer}"
    return "" if dict(answer.counterexample.dims) != {"n": 2} else f"it is wrong at n = 2 too: {answer}"


def _commuted(text: str) -> str:
    after = checked(text)
    if text.count("R.add") != 1:
        return "one addition should be left"
    answer = validate(checked(starts.REGROUPED), after)
    return "" if answer.word == "PROVED" else str(answer)


CLAIM = "(i * 4 + j) // 4 == i"


def _assumptions(text: str) -> str:
    given = [line.strip() for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    try:
        answer = prove(CLAIM, assume=given)
        for i, j in ((-3, 0), (0, 3), (7, 1), (100, 2)):
            for each in given:
                if not isinstance(prove(each.replace("i", f"({i})").replace("j", f"({j})")), Proved):
                    return f"{each} excludes i = {i}, j = {j}, where the claim holds"
    except Exception as error:
        raise Wrong(f"expected claims, a line each: {error}") from None
    return "" if isinstance(answer, Proved) and not answer.vacuous else str(answer)


def _tiled(text: str) -> str:
    found = checked(text)
    if "4" not in text or "(n + 3) // 4" not in text:
        return "expected an outer loop of (n + 3) // 4 iterations over an inner one of 4"
    answer = validate(api.parse(starts.SCHEDULE), found)
    return "" if answer.word == "PROVED" else str(answer)


class HalfAway:
    """An implementation with a fault of its own: it rounds halves away from zero."""

    def run(self, module: Module, entry: str, args: Any) -> Outcome:
        """As the definition, but for the fault."""
        end = api.run(api.check(module), entry, args=list(args))
        if not isinstance(end, Returned):
            return end
        values = Tensor.of(args[0], "float32").tolist()
        wrong = [float(int(abs(x) + 0.5)) * (1 if x >= 0 else -1) for x in values]
        return Returned(Tensor.of(wrong, "float32"), end.arguments)


def _fault(text: str) -> str:
    given = numbers(text, 3)
    if any(abs(each) > 1000 for each in given):
        return "numbers up to 1000, please"
    answer = diff(checked(starts.ROUND), "main", [given], HalfAway())
    return "" if answer.word == "DIVERGE" else f"on {given} it is right: {answer}"


JUDGING: tuple[Exercise, ...] = (
    Exercise(
        "A bug in a pass",
        "The start is a pass in Python that computes equal calls once. It takes calls for equal that are not. Mend it. "
        "(Your file is run.)",
        starts.PASS,
        ("R.sum(x, axis=[0]) and R.sum(x, axis=[1]) have the same arguments.", "Calls are data: a == b is a question."),
        _pass,
    ),
    Exercise(
        "An illegal fusion",
        "The start is a right fusion of x * y + x. Make it wrong, so that it is right at n = 2, and the judge refutes "
        "it at another n. Then read the counterexample with `refrelax validate`.",
        starts.FUSED,
        ("The number of iterations may depend on n in an odd way.", "T.min(n, 2) is 2 at n = 2."),
        _illegal,
    ),
    Exercise(
        "One addition less",
        "(x + y) * (y + x): write the program with one addition, so that it is proved equal.",
        starts.REGROUPED,
        ("Addition of floating point commutes.", "Bind the sum to a name, and multiply it by itself."),
        _commuted,
    ),
    Exercise(
        "What a claim needs",
        f"Write assumptions, a line each, under which `{CLAIM}` is proved. They may exclude no i, and no j for which "
        "the claim holds.",
        "# a claim a line, such as\nj >= 1\n",
        ("What is j if the quotient is not to change?", "Two bounds of j, one of them strict."),
        _assumptions,
    ),
    Exercise(
        "A schedule for all n",
        "Tile the loop: an outer loop of (n + 3) // 4 iterations, an inner one of 4, proved equal for all n.",
        starts.SCHEDULE,
        ("The last tile is partial.", "Guard the store by `if o * 4 + i < n:`."),
        _tiled,
    ),
    Exercise(
        "A fault found",
        "Somebody's implementation of R.round is wrong somewhere. The start is the program; write three numbers as "
        "JSON on which the implementation diverges from the definition.",
        starts.ROUND,
        ("R.round rounds halves to even.", "Which of 0.5, 1.5, 2.5 are rounded to the same either way?"),
        _fault,
    ),
)
"""Exercises 7 to 12."""
