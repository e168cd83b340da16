"""Programs that tell mutants of the second implementation from it, as small as they are found: cases for the suite.

    python tools/mutate_second.py --draw 300 --seed 5 --survivors alive.json
    python tools/find_separating.py alive.json --seed 1 --tries 2000 --cases found.toml [--differences differ.jsonl]

Programs come from the generator (``rr.testing.modules``) and from the suite: trees of cases that run a place of a
survivor, with an edit or two (``tools/tree_edits.py``), or with other arguments. The definition says what each program
is; where the second implementation does not agree, no mutant is asked: that is a fault of one of the two or of the
text, and goes to ``--differences``. Of what separates, a cover is taken, each program is made smaller as long as it
kills what it was taken for, and is written as a case.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mutate_second
import tree_edits

import refrelax as rr
from refrelax.conformance import data, load
from refrelax.conformance.cases import Case, _from_row
from refrelax.conformance.library import LIBRARY
from refrelax.conformance.run import run_case
from refrelax.conformance.suite.judge import judge
from refrelax.conformance.suite.protocol import request
from refrelax.conformance.suite.records import Record, record_of
from refrelax.errors import Rejection, Returned, UsageError
from refrelax.syntax.json_ import from_json, to_json
from refrelax.testing.limits import limited

SECONDS = 3
"""The longest that the definition may take for a program."""

MOST = 10
"""Other answers of a mutant that are looked at."""

NEAREST = 6
"""Cases near a survivor that are edited: the smallest that run its place."""

Row = dict[str, Any]
Mutant = dict[str, Any]


@dataclass(frozen=True)
class Program:
    """A program with what the definition says of it: as the row of a case and as the record that is exported."""

    row: Row
    record: Record

    @property
    def asked(self) -> str:
        return json.dumps(request(0, self.record, "tree"))


# --- what a program is ----------------------------------------------------------------------------------------------


def program(tree: Any, args: list[Any] | None) -> Program | None:
    """What the definition says of a tree, run with ``args`` unless they are ``None``; ``None`` if it says nothing."""
    row: Row = {"name": "found", "rule": "ty/operator", "verdict": "accepts", "json": json.dumps(tree)}
    row |= {} if args is None else {"entry": "main", "args": args}
    row["expect"] = "accepts" if args is None else "Returned"
    try:
        for _ in range(2):
            with limited(SECONDS):
                found = run_case(_from_row(row, "found", {})).found
            kind, *rules = found.split()
            row["expect"] = " ".join([kind, *rules[:1]]) if kind not in ("accepts", "Returned") else kind
            if kind in ("IllFormed", "IllTyped"):
                row = {key: value for key, value in row.items() if key not in ("entry", "args")}
            elif kind not in ("accepts", "Returned", "Trapped"):
                return None
        case = _from_row(row, "found", {})
        with limited(SECONDS):
            record = json.loads(json.dumps(record_of(case)))
    except (Exception, RecursionError):  # a tree that is no module, or takes too long: nothing is said
        return None
    return Program(row, record) if isinstance(record.get("tree"), dict) else None


def ran(programs: list[Program], mutants: list[Mutant], most: int = MOST) -> tuple[list[Any], list[Any]]:
    """The second implementation's answers, and what each mutant answers to what runs its place."""
    with tempfile.TemporaryDirectory() as folder:
        given, told = Path(folder) / "input.json", Path(folder) / "output.jsonl"
        asked = {"root": str(mutate_second.SECOND), "requests": [p.asked for p in programs], "mutants": mutants}
        given.write_text(json.dumps({**asked, "most": most}), encoding="utf-8")
        subprocess.run(["node", mutate_second.RUNNER, given, told], check=True)
        own, *answers = map(json.loads, told.read_text(encoding="utf-8").splitlines())
    return [json.loads(each) for each in own], answers


def agreed(programs: list[Program], differ: Callable[[Row, Any, str], None]) -> list[Program]:
    """The programs that the second implementation answers as the definition does."""
    own, _ = ran(programs, [])
    kept = []
    for each, answer in zip(programs, own, strict=True):
        word, why = ("crash", answer["why"]) if answer["end"] == "crash" else judge(each.record, answer)
        if word == "passed":
            kept.append(each)
        elif word in ("failed", "refused", "crash"):
            differ(each.row, answer, why)
    return kept


def kills(programs: list[Program], mutants: list[Mutant]) -> list[set[int]]:
    """Of each program, which mutants it tells from the implementation."""
    found: list[set[int]] = [set() for _ in programs]
    if not programs:
        return found
    _, answers = ran(programs, mutants)
    for each in answers:
        wrong = [k for k, answer in each["answers"] if _is_wrong(programs[k].record, json.loads(answer))]
        for k in (*wrong, *([each["late"]] if "late" in each else ())):
            found[k].add(each["number"])
    return found


def _is_wrong(record: Record, answer: Any) -> bool:
    return answer["end"] == "crash" or judge(record, answer)[0] not in ("passed", "undecided", "excluded")


# --- where programs come from ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Base:
    """A case of the suite: its tree, and the arguments of its run."""

    case: Case
    program: Program

    @property
    def args(self) -> list[Any] | None:
        return list(self.case.args) if self.case.expect.kind in ("Returned", "Trapped") else None


def bases() -> list[Base]:
    """The cases that can be edited: a module, one way to run it, nothing beside it."""
    found = []
    for case in load():
        plain = case.question is None and case.second is None and case.manner.numerics == "ieee" and not case.constants
        if plain and case.entry in (None, "main") and len(case.module) < 4000 and case.manner.lower is None:
            record = _record(case)
            if record is not None and isinstance(record.get("tree"), dict):
                found.append(Base(case, Program({}, record)))
    return found


def _record(case: Case) -> Record | None:
    try:
        found: Record = json.loads(json.dumps(record_of(case)))
    except (Rejection, AssertionError):
        return None
    return found


def edits(near: list[Base], weights: list[float], pool: tree_edits.Pool, rnd: random.Random) -> Iterator[Any]:
    """Endless trees and arguments near those of cases."""
    while True:
        (base,) = rnd.choices(near, weights)
        tree, args = base.program.record["tree"], base.args
        if args and rnd.random() < 0.4:
            yield tree, tree_edits.edited_arguments(args, rnd)
            continue
        for _ in range(rnd.choice((1, 1, 1, 2))):
            tree = tree_edits.edited(tree, pool, rnd) or tree
        yield tree, args


def generated(count: int, seed: int) -> list[Any]:
    """Trees of the generator's modules, with arguments that fit."""
    from hypothesis import HealthCheck, Phase, given, settings
    from hypothesis import seed as seeded

    found: list[Any] = []

    @seeded(seed)
    @settings(
        max_examples=count, database=None, deadline=None, phases=[Phase.generate], suppress_health_check=[*HealthCheck]
    )
    @given(rr.testing.modules())
    def collect(module: Any) -> None:
        try:
            args = [data.of_value(a) for a in rr.testing.random_arguments(module, seed=len(found))]
        except (Rejection, UsageError):
            return
        found.append((json.loads(to_json(module)), args))

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        collect()
    return found


def weights_of(near: list[Base], mutants: list[Mutant]) -> list[float]:
    """How often each case is edited: more often, the more survivors have their place run by it and few smaller ones."""
    _, told = ran([b.program for b in near], mutants, most=0)
    found = [0.0] * len(near)
    for each in told:
        by = sorted(each["asked"] or (), key=lambda k: len(near[k].program.asked))[:NEAREST]
        for rank, k in enumerate(by):
            found[k] += 1 / (1 + rank)
    return [min(each, NEAREST) for each in found]


# --- fewer and smaller ----------------------------------------------------------------------------------------------


def cover(killed: list[set[int]], size: Callable[[int], int]) -> list[tuple[int, set[int]]]:
    """Few of the programs that kill all that any does, and what each is taken for."""
    left: set[int] = set().union(*killed) if killed else set()
    chosen = []
    while left:
        k = max(range(len(killed)), key=lambda k: (len(killed[k] & left), -size(k)))
        chosen.append((k, killed[k] & left))
        left -= killed[k]
    return chosen


def smallest(given: Program, mutants: list[Mutant], until: float, batch: int = 8) -> Program:
    """A program with parts left out that still kills all the mutants, as far as it is found in time."""
    best, tried = given, set[str]()
    while time.monotonic() < until:
        found, pending = None, []
        for tree in tree_edits.smaller(best.record["tree"]):
            text = json.dumps(tree)
            if text not in tried and len(text) < len(json.dumps(best.record["tree"])):
                tried.add(text)
                pending.append(program(tree, _arguments(best.row.get("args"), tree)))
            if len(pending) == batch:
                found, pending = _first(pending, mutants), []
            if found is not None or time.monotonic() > until:
                break
        found = found or _first(pending, mutants)
        if found is None:
            break
        best = found
    return best


def _arguments(args: list[Any] | None, tree: Any) -> list[Any] | None:
    """The arguments for a program that may have lost its last parameters."""
    main = tree["functions"].get("main") if isinstance(tree.get("functions"), dict) else None
    return args if args is None or main is None else args[: len(main.get("params", args))]


def _first(pending: Iterable[Program | None], mutants: list[Mutant]) -> Program | None:
    there = agreed([p for p in pending if p is not None], lambda *_: None)
    return next((p for p, k in zip(there, kills(there, mutants), strict=True) if len(k) == len(mutants)), None)


# --- as a case ------------------------------------------------------------------------------------------------------


def toml(value: Any) -> str:
    """A value of a case in TOML."""
    match value:
        case bool():
            return str(value).lower()
        case float():
            plain = value == value and abs(value) != float("inf")
            return repr(value) if plain else json.dumps(str(value))
        case dict():
            return "{ " + ", ".join(f"{key} = {toml(part)}" for key, part in value.items()) + " }"
        case list() | tuple():
            return f"[{', '.join(map(toml, value))}]"
        case _:
            return json.dumps(value)


def case_text(given: Program, name: str) -> str:
    """The program as a case of the suite: as text where the text reads as the same tree."""
    row, kind = given.row, given.row["expect"].split()[0]
    accepts = kind in ("accepts", "Returned")
    rule = ("ev/function-call" if kind == "Returned" else "ty/operator") if accepts else row["expect"].split()[-1]
    module = from_json(row["json"])
    lines = ["[[case]]", f'name = "{name}"', f'rule = "{rule}"', f'verdict = "{"accepts" if accepts else "rejects"}"']
    text = _text(module)
    compact = json.dumps(json.loads(row["json"]), separators=(",", ":"))
    lines.append(f"module = '''\n{text}\n'''" if text is not None else f"json = '''{compact}'''")
    if "entry" in row:
        lines += ['entry = "main"', f"args = {toml(row['args'])}"]
    lines.append(f'expect = "{row["expect"]}"')
    if kind == "Returned":
        value = _value(module, row["args"])
        lines += [] if value is None else [f"value = {toml(value)}"]
    return "\n".join(lines) + "\n"


def _text(module: Any) -> str | None:
    try:
        text = "\n".join(line for line in rr.print_module(module).split("\n") if not line.startswith("# from")).strip()
        return text if to_json(rr.parse(text)) == to_json(module) else None
    except (Rejection, ValueError):
        return None


def _value(module: Any, args: list[Any]) -> Any:
    ended = rr.run(rr.check(module), "main", *map(data.to_value, args), externs=LIBRARY)
    assert isinstance(ended, Returned)
    value = data.of_value(ended.value)
    return None if "opaque" in json.dumps(value) or "null" in json.dumps(value) else value


def main() -> int:
    """0: something was found."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("survivors", type=Path, help="mutants, as `mutate_second.py --survivors` writes them")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--tries", type=int, default=1000, help="programs near cases of the suite")
    parser.add_argument("--generated", type=int, default=100, help="programs of the generator")
    parser.add_argument("--seconds", type=float, default=600.0, help="the longest that programs are made")
    parser.add_argument("--shrink", type=float, default=20.0, metavar="SECONDS", help="the longest for one program")
    parser.add_argument("--least", type=int, default=1, help="mutants that a program must be needed for")
    parser.add_argument("--differences", type=Path, help="write there what the second implementation says otherwise")
    parser.add_argument("--cases", type=Path, default=Path("found.toml"))
    options = parser.parse_args()
    rnd, alive = random.Random(options.seed), json.loads(options.survivors.read_text(encoding="utf-8"))
    pool, near = tree_edits.Pool(), bases()
    for base in near:
        pool.add(base.program.record["tree"])
    weights = weights_of(near, alive)
    print(f"{len(alive)} mutants, {sum(w > 0 for w in weights)} of {len(near)} cases run their places", flush=True)
    programs = tried(generated(options.generated, options.seed), options.generated, options.seconds / 4)
    if any(weights):
        programs += tried(edits(near, weights, pool, rnd), options.tries, options.seconds)
    differing: list[str] = []
    there = agreed(programs, lambda row, answer, why: differing.append(json.dumps([row, answer, why])))
    if options.differences:
        options.differences.write_text("".join(f"{line}\n" for line in differing), encoding="utf-8")
    print(f"{len(programs)} programs, {len(there)} of them agreed on, {len(differing)} answered otherwise", flush=True)
    chosen = cover(kills(there, alive), lambda k: len(there[k].asked))
    print(f"{sum(len(m) for _, m in chosen)} mutants killed by {len(chosen)} programs", flush=True)
    texts, counts = [], dict[str, int]()
    for k, by in chosen:
        if len(by) >= options.least:
            small = smallest(there[k], [alive[n] for n in sorted(by)], time.monotonic() + options.shrink)
            area = re.sub(
                r"[^a-z0-9]+", "-", small.row["expect"].lower().replace("illtyped ", "").replace("illformed ", "")
            )
            counts[area] = counts.get(area, 0) + 1
            about = "".join(f"# {mutate_second.key(alive[n])}\n" for n in sorted(by))
            texts.append(about + case_text(small, f"separating-found/{area}-{options.seed}-{counts[area]}"))
            options.cases.write_text("\n".join(texts), encoding="utf-8")
    return 0 if texts else 1


def tried(given: Iterable[Any], count: int, seconds: float) -> list[Program]:
    """What the definition says of so many of the given trees, or as many as there is time for; each once."""
    found, seen, until = [], set[str](), time.monotonic() + seconds
    for tree, args in given:
        text = json.dumps([tree, args])
        if text not in seen:
            seen.add(text)
            made = program(tree, args)
            found += [] if made is None else [made]
        if len(found) >= count or time.monotonic() > until:
            break
    return found


if __name__ == "__main__":
    sys.exit(main())
