"""Exercises on judging: passes, counterexamples, floating point, proofs, implementations."""

from __future__ import annotations

import runpy
import sys
import tempfile
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

from refrelax import api
from refrelax.errors import Outcome, Rejection, Returned
from refrelax.exercises import starts
from refrelax.exercises.exercise import Exercise, Wrong, checked, numbers, told
from refrelax.judge.diff import diff
from refrelax.judge.evidence import Refuted
from refrelax.judge.validate import validate
from refrelax.judge.verdicts import NoVerdict
from refrelax.lower.claims import Ledger
from refrelax.lower.counts import calls
from refrelax.running.arrays import Tensor
from refrelax.semantics.loops.visit import statements_of
from refrelax.shape_solver import Proved, parse_claim, parse_dim, prove
from refrelax.syntax.loops import For, PrimFunc, While
from refrelax.syntax.module import Module
from refrelax.syntax.scalars import Binary, free_symbols

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
            with redirect_stdout(sys.stderr):  # what a script reads is the verdict alone
                run = runpy.run_path(str(file)).get("run")
        except (Exception, SystemExit) as error:
            raise Wrong(f"the file cannot be run: {type(error).__name__}: {error}") from None
    if not callable(run):
        raise Wrong("the file should define run(checked, ledger), the pass")
    for first, second in (("exp(x)", "exp(x)"), ("sum(x, axis=[0])", "sum(x, axis=[1])"), ("exp(x)", "tanh(x)")):
        before = checked(SHARED.format(first=first, second=second))
        try:
            with redirect_stdout(sys.stderr):
                after = api.check(run(before, Ledger()))
        except Rejection as rejection:
            return f"the pass gives a program that is not accepted: {rejection}"
        except (Exception, SystemExit) as error:
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
        permitted, found = map(told, ends)
        if permitted != found:
            return f"at n = 2 it should be right, and is not: {found}, expected {permitted}"
    if isinstance(there := validate(before, after, assume=["n == 2"]), Refuted | NoVerdict):
        return f"at n = 2 it should be right, and is not: {there}"
    answer = validate(before, after)
    if not isinstance(answer, Refuted) or answer.counterexample is None:
        return f"it should be refuted: {answer}"
    return ""


def _commuted(text: str) -> str:
    after = checked(text)
    found = [op.removeprefix("relax.") for op in calls(after.module, "main")]
    if found.count("add") != 1:
        return f"one addition should be left, and there are {found.count('add')}"
    if other := sorted({f"R.{op}" for op in found} - {"R.add", "R.multiply", "R.square"}):
        return f"with one addition and a multiplication alone: without {', '.join(other)}"
    answer = validate(checked(starts.REGROUPED), after)
    return "" if answer.word == "PROVED" else str(answer)


CLAIM = "(i * 4 + j) // 4 == i"
HOLDS = ("j >= 0", "j <= 3")
"""Where it holds, for every i."""


def _assumptions(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    try:
        given = [parse_claim(line) for line in lines]
    except Rejection as error:
        raise Wrong(f"expected claims, a line each: {error}") from None
    for line, each in zip(lines, given):
        if other := sorted(free_symbols(each) - {"j"}):
            return f"{line} speaks of {', '.join(other)}: an assumption about j alone is enough"
        if not isinstance(kept := prove(each, assume=HOLDS), Proved):
            return f"{line} excludes a j for which the claim holds: {kept}"
    answer = prove(CLAIM, assume=given)
    return "" if isinstance(answer, Proved) and not answer.vacuous else str(answer)


def _trips(loop: For | While) -> str:
    """How often a loop runs, in the words of the exercise."""
    if isinstance(loop, While) or loop.step is not None:
        return ""
    same = (
        each for each in ("(n + 3) // 4", "4") if isinstance(prove(Binary("EQ", loop.extent, parse_dim(each))), Proved)
    )
    return next(same, "")


def _tiled(text: str) -> str:
    found = checked(text)
    main = found.module.functions.get("main")
    loops = [s for s in statements_of(main.body if isinstance(main, PrimFunc) else ()) if isinstance(s, For | While)]
    if [_trips(each) for each in loops] != ["(n + 3) // 4", "4"] or loops[1] not in statements_of(loops[0].body):
        return "expected an outer loop of (n + 3) // 4 iterations over an inner one of 4, and no other loop"
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
        f"Write assumptions about j, a line each, under which `{CLAIM}` is proved for every i. They may exclude no j "
        "for which the claim holds.",
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
