#!/usr/bin/env python
"""Would anybody notice a mistake in our own code? ``tools/mutate_rooms.py --draw 300 --seed 1 --report FILE``.

Breaks the evaluator, the passes and the backends in one place at a time: every comparison, operation, connective,
number, truth and condition of every function is a mutant (``conformance/mutants.py`` makes the edits), the same number
drawn of each room. Who may notice (``mutation_killers.py``) is first asked of the honest code, with probes before the
drawn statements; then each mutant is put in force in a copy of the process, and those that go through its statement are
asked, the cheapest first: the cases of the suite and the examples of the text, programs of a campaign on which our
implementations are held against the definition, and, with ``--tests``, the tests of some folders.

A mutant is *killed* by a case that fails, an implementation that diverges, a test. *recorded* is one that is told by
nothing but that some answer is another one than the honest code's: no authority says which is right.
"""

from __future__ import annotations

import argparse
import ast
import importlib
import json
import pkgutil
import random
import resource
import time
import tomllib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import mutation_killers as K

from refrelax.conformance import mutants as M
from refrelax.conformance.citations import package
from refrelax.extras import advice
from refrelax.running.run import make_headroom

ROOMS = {
    "evaluator": ("semantics/graph", "semantics/loops", "semantics/numbers", "semantics/ops"),
    "passes": ("lower",),
    "numpy": ("backends/numpy_",),
    "cuda": ("backends/cupy_",),
}
STAGES = ("cases", "programs", "tests")

NOT_HERE = ("backends/cupy_/device.py", "backends/cupy_/nvrtc.py")
"""What only a machine with a device runs."""

MEMORY = 6 << 30
"""Bytes that a mutant may have beside what the process has."""

WORDS = ("killed", "equivalent", "recorded", "alive", "not reached", "gone")
"""What becomes of a mutant; of one that is gone the line was simplified away."""

JUDGED = Path(__file__).parent / "mutants_judged.toml"
"""Survivors that somebody looked at: the same function, and why."""


def every(room: str) -> Iterator[M.Mutant]:
    """All mutants of a room, in the order of files and lines."""
    base = package()
    for folder in ROOMS[room]:
        for path in sorted((base / folder).rglob("*.py")):
            inside = path.relative_to(base).as_posix()
            if inside in NOT_HERE:
                continue
            for root in ast.parse(path.read_text(encoding="utf-8")).body:
                for function, node in M.live(str(path), root):
                    for line, what, apply in (*M.literals(node), *conditions(node)):
                        yield M.Mutant((room,), f"{base.name}/{inside}", line, what, apply, root, function)


def conditions(node: ast.FunctionDef) -> Iterator[M.Edit]:
    """The tests of branches that are no comparison and no connective, negated."""
    for each in ast.walk(node):
        match each:
            case ast.If(test=test, body=[first, *_]) if M.internal(first):
                continue
            case ast.If(test=test) | ast.IfExp(test=test) | ast.While(test=test):
                if isinstance(test, ast.Name | ast.Attribute | ast.Call | ast.Subscript):
                    yield test.lineno, "the condition is negated", M.edit_of(each, "test", ast.UnaryOp(ast.Not(), test))
            case ast.comprehension(ifs=[test, *others]):
                if isinstance(test, ast.Name | ast.Attribute | ast.Call | ast.Subscript):
                    negated = [ast.UnaryOp(ast.Not(), test), *others]
                    yield test.lineno, "the condition is negated", M.edit_of(each, "ifs", negated)


def load() -> None:
    """Import all that is to be broken, before its functions are listed."""
    for room in ("lower", "backends"):
        home = importlib.import_module(f"refrelax.{room}")
        for each in pkgutil.walk_packages(home.__path__, f"{home.__name__}."):
            try:
                importlib.import_module(each.name)
            except ImportError as error:
                if advice(error) is None:
                    raise


Name = tuple[str, str, str, str, str, int]
"""Room, file, function, line and edit of a mutant, and which of those that are alike in all that: what is left of it
when the lines around it change."""


def draw(seed: int, number: int, rooms: Sequence[str]) -> tuple[dict[Name, M.Mutant], dict[str, int]]:
    """So many mutants by name, the same number of each room, and how many each has."""
    turn, chosen, all_of = random.Random(seed), dict[Name, M.Mutant](), {}
    for room in rooms:
        found = list(named(room).items())
        all_of[room] = len(found)
        chosen |= dict(turn.sample(found, min(len(found), number // len(rooms))))
    return chosen, all_of


def named(room: str) -> dict[Name, M.Mutant]:
    """All mutants of a room."""
    found: dict[Name, M.Mutant] = {}
    alike: Counter[tuple[str, ...]] = Counter()
    for each in every(room):
        key = room, each.file, each.function.__qualname__, text_of(each), each.what
        found[*key, alike[key]] = each
        alike[key] += 1
    return found


@cache
def lines_of(file: str) -> list[str]:
    """What stood in a file when the mutants were made: it may be edited while they are asked about."""
    return (package().parent / file).read_text("utf-8").split("\n")


def text_of(mutant: M.Mutant) -> str:
    """The line that a mutant breaks."""
    return lines_of(mutant.file)[mutant.line - 1].strip()


def judge(mutant: M.Mutant, killers: Sequence[K.Killer], seconds: float) -> str:
    """Who notices a mutant: ``killed: …``, ``recorded: …``, ``alive: …``. To be called in a copy of the process."""
    bound = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 + MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (max(bound, 2 * MEMORY),) * 2)
    K.forget()
    with M.in_force(mutant) as possible:
        return shown(killers, seconds) if possible else "killed: cannot be compiled"


def shown(killers: Sequence[K.Killer], seconds: float) -> str:
    """What those who may notice say of a mutant that is in force, until one is sure."""
    start, recorded, count = time.process_time(), "", 0
    for each in killers:
        if time.process_time() - start > seconds:
            break
        count += 1
        said = K.asked(each)
        if said == "RECORDED":
            recorded = recorded or f"recorded: {each.kind} {each.name}"
        elif said:
            return f"killed: {each.kind} {each.name}: {said}"
    return recorded or f"alive: {count} of {len(killers)} asked"


def trustworthy(mutant: M.Mutant, killers: Sequence[K.Killer], seconds: float, trusted: dict[int, bool]) -> str:
    """What those who may notice say in a copy of the process. The first time that one of them kills it is asked in such
    a copy of the honest code, too; who does not say yes there is not asked about mutants."""
    while True:
        asked = [each for each in killers if trusted.get(id(each), True)]
        said = K.in_a_child(lambda m=mutant, r=asked: judge(m, r, seconds), 12 * seconds)  # type: ignore[misc]
        who = next((each for each in asked if said.startswith(f"killed: {each.kind} {each.name}:")), None)
        if who is None or id(who) in trusted:
            return said
        trusted[id(who)] = K.in_a_child(lambda r=who: K.asked_alone(r), 12 * seconds) == "fine"  # type: ignore[misc]


class Report:
    """What became of each mutant so far."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.said: dict[int, str] = {}
        self.judged: dict[tuple[str, str, str], str] = {}
        if JUDGED.exists():
            for row in tomllib.loads(JUDGED.read_text(encoding="utf-8")).get("equivalent", ()):
                self.judged[row["file"], row["line"], row["edit"]] = row["why"]
        if options.state is not None and options.state.exists():
            self.resume()
        else:
            self.names, self.of = list[Name](), list[int]()
            self.chosen = dict[int, M.Mutant]()
            for seed, number in zip(options.seed, options.draw, strict=True):
                found, self.all_of = draw(seed, number, options.rooms)
                self.chosen |= dict(enumerate(found.values(), start=len(self.names)))
                self.names += found
                self.of += [seed] * len(found)

    def resume(self) -> None:
        """Go on where ``--state`` ended. The mutants are those that were drawn then, by their names, in the code as it
        is now; some may be gone."""
        o = self.options
        kept = json.loads(o.state.read_text(encoding="utf-8"))
        if kept["draw"] != [o.draw, o.seed, o.rooms]:
            raise SystemExit(f"{o.state} is of another draw")
        self.all_of, self.of, self.names = kept["all_of"], kept["of"], [tuple(each) for each in kept["names"]]
        self.said = {int(number): said for number, said in kept["said"].items()}
        there = {name: each for room in o.rooms for name, each in named(room).items()}
        self.chosen = {k: there[name] for k, name in enumerate(self.names) if name in there}

    def keep(self) -> None:
        """Write down what is known."""
        o = self.options
        if o.state is not None:
            kept = {"draw": [o.draw, o.seed, o.rooms], "all_of": self.all_of, "of": self.of, "names": self.names}
            kept["said"] = self.said
            o.state.write_text(json.dumps(kept, indent=0), encoding="utf-8")
        if o.report is not None:
            for seed in o.seed:
                o.report.with_stem(f"{o.report.stem}_{seed}").write_text(self.text(seed), encoding="utf-8")

    def left(self) -> set[int]:
        """The numbers of those that nobody is sure about so far."""
        found = {k for k in self.chosen if not self.said.get(k, "").startswith("killed")}
        return {k for k in found if any(each in self.names[k][1] for each in self.options.only)}

    def word(self, number: int) -> str:
        """``killed``, ``equivalent``, ``recorded``, ``alive``, ``not reached`` or ``gone``."""
        word = self.said.get(number, "not reached").partition(":")[0]
        if word == "killed":
            return word
        return "gone" if number not in self.chosen else "equivalent" if self.key(number) in self.judged else word

    def key(self, number: int) -> tuple[str, str, str]:
        """By what a mutant is found among the judged."""
        _, file, _, line, what, _ = self.names[number]
        return file, line, what

    def text(self, seed: int) -> str:
        """What became of the mutants of one draw."""
        o, mine = self.options, [k for k, of in enumerate(self.of) if of == seed]
        count = Counter((self.names[k][0], self.word(k)) for k in mine)
        by = Counter(self.said[k].split()[1] for k in mine if self.word(k) == "killed")
        rows = [
            f"`tools/mutate_rooms.py --draw {len(mine)} --seed {seed} --calls {o.calls} --rounds {o.rounds}"
            f" --emulated {o.emulated} --longest {o.longest:g} --seconds {o.seconds:g}"
            f"{' --quick' if o.quick else ''}{' --tests ' + ' '.join(o.tests) if o.tests else ''}`",
            "",
            "| room | mutants | drawn | " + " | ".join(WORDS) + " | killed of those that can be |",
            "|---|---|---|" + "---|" * len(WORDS) + "---|",
        ]
        for room, whole in (*self.all_of.items(), ("all", sum(self.all_of.values()))):
            here = [sum(n for (r, w), n in count.items() if w == word and room in (r, "all")) for word in WORDS]
            can = sum(here) - sum(n for n, word in zip(here, WORDS) if word in ("equivalent", "gone"))
            rows.append(f"| {room} | {whole} | {sum(here)} | {' | '.join(map(str, here))} | {here[0]} of {can}"
                        f" ({100 * here[0] / max(can, 1):.1f} %) |")  # fmt: skip
        rows += ["", "Killed by: " + ", ".join(f"{who} {n}" for who, n in by.most_common()), ""]
        rows += ["| survivor | edit | line | what |", "|---|---|---|---|"]
        for k in sorted(mine, key=lambda k: self.names[k][1:3]):
            word = self.word(k)
            if word not in ("killed", "gone"):
                _, _, function, line, what, _ = self.names[k]
                shown = line.replace("|", "\\|")[:110]
                why = (
                    self.judged.get(self.key(k), "")
                    if word == "equivalent"
                    else self.said.get(k, "").partition(": ")[2]
                )
                told = f"{word}: {why.replace('|', ' ')[:200]}" if why else word
                rows.append(f"| `{self.chosen[k].place}` {function} | {what} | `{shown}` | {told} |")
        return "\n".join(rows) + "\n"


def stage(report: Report, wanted: set[int], killers: Sequence[K.Killer], say: Callable[..., None]) -> None:
    """Let some who may notice have a look at some mutants."""
    o = report.options
    with K.probes(report.chosen, wanted) as hit:
        kept = K.follow(killers, hit, o.longest)
    cost = sum(each.seconds for each in killers)
    say(f"{len(killers)} asked in {cost:.0f} s, {len(kept)} of them go through a mutant", flush=True)
    through: dict[int, list[K.Killer]] = defaultdict(list)
    for each in kept:
        for number in each.through:
            through[number].append(each)
    trusted: dict[int, bool] = {}
    turn = random.Random(o.seed[0])  # what was judged so far is a draw, too; first those of which nothing is known
    order = sorted(sorted(wanted), key=lambda number: (number in report.said, turn.random()))
    with M.settled():
        for k, number in enumerate(order, start=1):
            mutant, mine = report.chosen[number], through[number]
            if not mine:
                continue
            start = time.monotonic()
            said = trustworthy(mutant, sorted(mine, key=lambda each: each.cost(mutant.file)), o.seconds, trusted)
            if said.startswith("killed") or not report.said.get(number, "").startswith("recorded"):
                report.said[number] = said
            spent = time.monotonic() - start
            say(f"{k}/{len(wanted)} {spent:.1f} s {mutant.place}: {mutant.what}  {said[:110]!r}", flush=True)
            report.keep()


def main(say: Callable[..., Any] = print) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draw", type=int, nargs="+", default=[300], help="mutants of each draw")
    parser.add_argument("--seed", type=int, nargs="+", default=[1], help="one draw of each: one of them can be unread")
    parser.add_argument("--rooms", nargs="+", default=list(ROOMS), choices=list(ROOMS))
    parser.add_argument("--calls", type=int, default=432, help="programs of single calls")
    parser.add_argument("--rounds", type=int, default=3, help="rounds of forty composed programs")
    parser.add_argument("--emulated", type=int, default=20, help="one program of so many on emulated CUDA, too")
    parser.add_argument("--tests", nargs="*", default=[], help="folders of tests for those that are left")
    parser.add_argument("--quick", action="store_true", help="no thorough tests")
    parser.add_argument("--longest", type=float, default=1.0, help="seconds of a case, program or test")
    parser.add_argument("--seconds", type=float, default=20.0, help="of a processor, for one mutant")
    parser.add_argument("--only", nargs="+", default=[""], help="mutants of files whose paths have one of these parts")
    parser.add_argument("--stages", nargs="+", default=list(STAGES), choices=STAGES)
    parser.add_argument("--state", type=Path, help="JSON: stop, go on with those that are left")
    parser.add_argument("--report", type=Path)
    options = parser.parse_args()
    make_headroom()
    load()
    report = Report(options)
    report.keep()
    say(", ".join(f"{room}: {count} mutants" for room, count in report.all_of.items()), flush=True)
    if "cases" in options.stages:
        stage(report, report.left(), list(K.of_cases()), say)
    if "programs" in options.stages:
        made = K.of_programs(options.seed[0], options.calls, options.rounds, options.emulated)
        stage(report, report.left(), list(made), say)
    if "tests" in options.stages and options.tests:
        K.with_tests(options.tests, options.quick, lambda found: stage(report, report.left(), found, say))
    report.keep()
    for seed in options.seed:
        say("\n".join(report.text(seed).split("\n")[:12]))


if __name__ == "__main__":
    main()
