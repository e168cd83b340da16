#!/usr/bin/env python
"""What would a campaign on ourselves notice? ``tools/mutate_rooms.py --draw 300 --seed 1 --report survivors.md``.

Breaks the evaluator, the passes and the NumPy backend in one place at a time: every comparison, operation, connective,
number and truth of every function is a mutant (``conformance/mutants.py`` makes the edits), drawn from all of them, the
same number of each room. A mutant is killed by a program of a campaign that goes through its line: the backend diverges
from the definition, what the passes made of the program is outside what it permits, or somebody fails. Nothing is
compared with what the unbroken code gave. A mutant that no program goes through counts as alive, and is told apart.
"""

from __future__ import annotations

import argparse
import ast
import importlib
import pkgutil
import random
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

from refrelax.conformance import mutants as M
from refrelax.conformance.alone import find_to_fuzz
from refrelax.conformance.citations import package
from refrelax.judge.backend import Backend
from refrelax.judge.campaign import look
from refrelax.judge.fuzz import Plan, generated
from refrelax.judge.verdicts import Divergence, NoVerdict
from refrelax.lower.pipeline import lower
from refrelax.running.run import make_headroom, run
from refrelax.semantics.types.check import check
from refrelax.syntax.module import Module
from refrelax.testing.cells import cells
from refrelax.testing.limits import limited

ROOMS = {
    "evaluator": ("semantics/graph", "semantics/loops", "semantics/numbers", "semantics/ops"),
    "passes": ("lower",),
    "backend": ("backends/numpy_",),
}
SECONDS = 20
"""The longest that a program may take under a mutant: one that hangs is seen."""


@dataclass(frozen=True, slots=True)
class Question:
    """A program of a campaign with its arguments."""

    name: str
    module: Module
    args: tuple[Any, ...]


def ask(question: Question) -> str:
    """What is wrong with a program: nothing (empty), or in a word who diverges or fails."""
    try:
        with limited(SECONDS):
            checked = check(question.module)
            verdict = look.verdict_of(checked, question.args, Backend("numpy"), False)
            if isinstance(verdict, Divergence) or (isinstance(verdict, NoVerdict) and verdict.reason == "fault"):
                return "backend"
            if isinstance(verdict, NoVerdict) and verdict.reason == "open":
                return ""
            made = lower(checked).module
            after = look.Told(run(made, "main", *look.copies(question.args), budget=look.BUDGET))
            verdict = look.verdict_of(checked, question.args, after, False)
            if isinstance(verdict, Divergence) or (isinstance(verdict, NoVerdict) and verdict.reason == "fault"):
                return "passes"
    except (Exception, RecursionError) as error:
        return type(error).__name__
    return ""


def questions(seed: int, calls: int, rounds: int) -> list[Question]:
    """Programs of a campaign: single calls, and composed ones."""
    found = []
    for cell in islice(cells(seed), calls):
        checked = look.checked_of(cell.program)
        if checked is not None:
            for k, each in enumerate(cell.inputs[:2]):
                found.append(Question(f"{cell.key} #{k}", checked.module, tuple(cell.arguments(each))))
    plan = Plan(find_to_fuzz, "numpy", seed)
    for number in range(rounds):
        for k, (module, args) in enumerate(generated(plan, "rounds", number, 40)):
            found.append(Question(f"rounds/{number}#{k}", module, tuple(args)))
    return found


def every(room: str) -> Iterator[M.Mutant]:
    """All mutants of a room, in the order of files and lines."""
    base = package()
    for folder in ROOMS[room]:
        for path in sorted((base / folder).rglob("*.py")):
            name = f"{base.name}/{path.relative_to(base).as_posix()}"
            for root in ast.parse(path.read_text(encoding="utf-8")).body:
                for function, node in M._live(str(path), root):
                    for line, what, apply in M._literals(node):
                        yield M.Mutant((room,), name, line, what, apply, root, function)


def load() -> None:
    """Import all that is to be broken, before its functions are listed."""
    for room in ("lower", "backends.numpy_"):
        home = importlib.import_module(f"refrelax.{room}")
        for each in pkgutil.walk_packages(home.__path__, f"{home.__name__}."):
            importlib.import_module(each.name)


def forget() -> None:
    """What backends remember between calls (``in_force`` clears what the definition does)."""
    for name, module in list(sys.modules.items()):
        if name.startswith("refrelax.backends"):
            for value in list(vars(module).values()):
                if hasattr(value, "cache_clear"):
                    value.cache_clear()


@contextmanager
def in_force(mutant: M.Mutant) -> Iterator[bool]:
    """``conformance.mutants.in_force``, for backends too."""
    forget()
    with M.in_force(mutant) as possible:
        yield possible
    forget()


def reached(chosen: Sequence[M.Mutant], asked: Sequence[Question]) -> dict[tuple[str, int], list[int]]:
    """Which questions go through which lines of the functions of mutants."""
    codes, pending = set[int](), [each.function.__code__ for each in chosen]
    while pending:
        code = pending.pop()
        codes.add(id(code))
        pending += [each for each in code.co_consts if isinstance(each, CodeType)]
    found: dict[tuple[str, int], list[int]] = defaultdict(list)
    seen: set[tuple[str, int]] = set()
    number = 0

    def line(frame: FrameType, event: str, _argument: Any) -> Any:
        place = frame.f_code.co_filename, frame.f_lineno
        if event == "line" and place not in seen:
            seen.add(place)
            found[place].append(number)
        return line

    sys.settrace(lambda frame, _event, _argument: line if id(frame.f_code) in codes else None)
    try:
        for each in asked:
            seen.clear()
            ask(each)
            number += 1
    finally:
        sys.settrace(None)
    return found


def judge(mutant: M.Mutant, through: Sequence[Question]) -> str:
    """Who notices a mutant, or nobody (empty)."""
    with in_force(mutant) as possible:
        if not possible:
            return "cannot be compiled"
        return next((f"{word}, by {each.name}" for each in through if (word := ask(each))), "")


def main(say: Callable[..., None] = print) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draw", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--calls", type=int, default=432, help="programs of single calls")
    parser.add_argument("--rounds", type=int, default=3, help="rounds of forty composed programs")
    parser.add_argument("--most", type=int, default=60, help="programs asked for one mutant")
    parser.add_argument("--report", type=Path)
    options = parser.parse_args()
    make_headroom()
    load()
    turn, chosen = random.Random(options.seed), []
    for room in ROOMS:
        all_of_them = list(every(room))
        chosen += turn.sample(all_of_them, min(len(all_of_them), options.draw // len(ROOMS)))
        say(f"{room}: {len(all_of_them)} mutants", flush=True)
    asked = [each for each in questions(options.seed, options.calls, options.rounds) if not ask(each)]
    say(f"{len(asked)} programs on which nobody diverges", flush=True)
    lines = reached(chosen, asked)
    alive, count = [], Counter[tuple[str, str]]()
    turn.shuffle(chosen)  # what was drawn so far is a draw, too
    for k, mutant in enumerate(chosen, start=1):
        numbers = lines.get((mutant.function.__code__.co_filename, mutant.line), [])
        through = [asked[n] for n in turn.sample(numbers, min(len(numbers), options.most))]
        killer = judge(mutant, through)
        word = "killed" if killer else "alive" if through else "not reached"
        count[mutant.rules[0], word] += 1
        if not killer:
            alive.append((mutant, word, len(through)))
        say(f"{k}/{len(chosen)} {word}: {mutant.place}: {mutant.what}  {killer[:80]}", flush=True)
        if options.report is not None:
            options.report.write_text(report(options, k, count, alive), encoding="utf-8")


def report(
    options: argparse.Namespace, tried: int, count: Counter[tuple[str, str]], alive: Sequence[tuple[M.Mutant, str, int]]
) -> str:
    """The figures, and every survivor with its line."""
    rows = [
        f"Of a draw of {options.draw} (`--seed {options.seed}`) {tried} were tried, on programs of the campaign of "
        f"that seed ({options.calls} calls, {options.rounds} rounds), {options.most} at most for each.",
        "",
        "| room | killed | alive | not reached |",
        "|---|---|---|---|",
    ]
    words = ("killed", "alive", "not reached")
    rows += [f"| {room} | {' | '.join(str(count[room, word]) for word in words)} |" for room in ROOMS]
    rows += ["", "| survivor | edit | line | programs |", "|---|---|---|---|"]
    for mutant, word, through in sorted(alive, key=lambda each: (each[0].file, each[0].line)):
        text = (package().parent / mutant.file).read_text("utf-8").split("\n")[mutant.line - 1].strip()
        shown = text.replace("|", "\\|")[:90]
        rows.append(f"| `{mutant.place}` | {mutant.what} | `{shown}` | {through or word} |")
    return "\n".join(rows) + "\n"


if __name__ == "__main__":
    main()
