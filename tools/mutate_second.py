"""How much the exported suite alone tells apart: mutants of the second implementation, and which the suite kills.

    python tools/mutate_second.py --draw 300 --seed 1 [--report conformance/second/mutants.md] [--jobs 2]

A mutant changes one place of ``conformance/second`` (``tools/second_mutants.js`` lists all such places). It is *killed*
if some case that the implementation itself passes is failed, refused or not answered, judged by the exported data, or
one that it does not support gets an answer that is wrong; it is asked the cases that run its place
(``tools/second_runner.js``). What survives is listed; ``conformance/second/equivalent.toml`` names survivors that no
program can tell apart, each with a reason. What tells the others apart, ``tools/find_separating.py`` looks for.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from refrelax.conformance import load, load_named_examples
from refrelax.conformance.suite import store
from refrelax.conformance.suite.judge import judge
from refrelax.conformance.suite.protocol import request
from refrelax.conformance.suite.records import Record, exported

ROOT = Path(__file__).resolve().parents[1]
SECOND = ROOT / "conformance" / "second"
RUNNER = ROOT / "tools" / "second_runner.js"

Mutant = dict[str, Any]


@dataclass(frozen=True)
class Asked:
    """The cases that the implementation passes or does not support, as it is asked them, and its own answers."""

    records: list[Record]
    lines: list[bytes]
    answers: list[bytes]

    def is_supported(self, number: int) -> bool:
        return json.loads(self.answers[number])["end"] != "unsupported"

    def is_fine(self, number: int, answer: str) -> bool:
        """Whether an answer of a mutant is as good as the implementation's own."""
        word = judge(self.records[number], json.loads(answer))[0]
        return word in ("passed", "excluded") or (word == "unsupported" and not self.is_supported(number))


def mutants() -> list[Mutant]:
    """Every mutant, in the order of files and places; ``main.js`` and ``ends.js`` only say what was found."""
    files = sorted(p for p in SECOND.rglob("*.js") if p.name not in ("main.js", "ends.js") and p.parent.name != "runner")
    lister = ROOT / "tools" / "second_mutants.js"
    found = subprocess.run(["node", "--expose-internals", lister, *files], capture_output=True, check=True, text=True)
    listed: list[Mutant] = json.loads(found.stdout)
    for each in listed:
        source = Path(each["file"]).read_text(encoding="utf-8")
        begin = source.rfind("\n", 0, each["start"]) + 1
        each["column"] = each["start"] - begin
        line = source[begin : source.find("\n", begin)]
        each["in"], each["indent"] = line.strip(), len(line) - len(line.lstrip())
        each["file"] = str(Path(each["file"]).relative_to(SECOND))
    return listed


def answered(main: Path, lines: Iterable[bytes], limit: float) -> list[bytes]:
    """What an implementation answers to all requests; fewer, if it dies or takes too long."""
    try:
        ended = subprocess.run(
            ["node", main],
            input=b"".join(lines),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=limit,
            check=False,
        )
        return ended.stdout.splitlines(keepends=True)
    except subprocess.TimeoutExpired as late:
        return (late.stdout or b"").splitlines(keepends=True)


def ask(records: list[Record]) -> Asked:
    """What the implementation itself passes or does not support: who is wrong there is seen by the data alone."""
    sent = [(r, request(k, r, "tree")) for k, r in enumerate(records)]
    there = [(r, json.dumps(q).encode() + b"\n") for r, q in sent if q is not None]
    answers = answered(SECOND / "main.js", (line for _, line in there), 600)
    assert len(answers) == len(there), f"{len(answers)} answers to {len(there)} requests"
    words = [judge(r, json.loads(a))[0] for (r, _), a in zip(there, answers, strict=True)]
    kept = [
        (r, q, a) for (r, q), a, word in zip(there, answers, words, strict=True) if word in ("passed", "unsupported")
    ]
    return Asked([r for r, _, _ in kept], [q for _, q, _ in kept], [a for _, _, a in kept])


NARROWER = (
    "condition always false", "right operand of || dropped", "left operand of || dropped", "|| becomes &&",
    "some becomes every", "<= becomes <", ">= becomes >",
)  # fmt: skip
"""Kinds of mutations after which a condition holds less often."""

OF_ELEMENTS = ("numbers.js", "functions.js", "intrinsics.js", "scalars.js", "ops/")
"""Where ``null`` is an element without meaning."""


def same(mutant: Mutant, known: Mapping[str, str]) -> str | None:
    """Why no program tells a mutant that survives from the implementation; ``None`` if one may."""
    if _is_less_often(mutant, ") throw open("):
        return "decides only whether the run is open, where everything is permitted"
    if mutant["file"].startswith(OF_ELEMENTS):
        always = mutant["kind"] == "second arm always" and " ? null : " in mutant["was"]
        chosen = mutant["kind"] in NARROWER and " ? null : " in mutant["in"][mutant["column"] - mutant["indent"] :]
        if always or chosen or _is_less_often(mutant, ") return null;"):
            return "an element without meaning is computed from: any result is permitted"
    return known.get(key(mutant))


def _is_less_often(mutant: Mutant, then: str) -> bool:
    """Whether all that a mutation does is that the condition of ``if (…then`` holds less often."""
    test, found, _ = mutant["in"].partition(then)
    inside = mutant["column"] - mutant["indent"] < len(test)
    never = mutant["kind"] == NARROWER[0]
    return (
        bool(found)
        and inside
        and test.startswith("if (")
        and mutant["kind"] in NARROWER
        and (never or "!(" not in test)
    )


FEW = 3
"""Other answers of a mutant that are looked at first: most mutants are killed by one of them."""


def killers(drawn: list[Mutant], asked: Asked, jobs: int = 1, every: bool = False) -> list[list[str]]:
    """Of each mutant, the cases that kill it (``tools/second_runner.js``): ``every`` one, or a few."""
    shares = [range(start, len(drawn), jobs) for start in range(jobs)]
    with ThreadPoolExecutor(jobs) as pool:
        parts = pool.map(lambda share: _killers([drawn[k] for k in share], asked, None if every else FEW), shares)
    found = {k: names for share, part in zip(shares, parts, strict=True) for k, names in zip(share, part, strict=True)}
    return [found[k] for k in range(len(drawn))]


def _killers(drawn: list[Mutant], asked: Asked, most: int | None) -> list[list[str]]:
    """``most``: how many other answers of a mutant end its run; all are looked at if none of these kills it."""
    names = [str(each["name"]) for each in asked.records]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "input.json"
        given: dict[str, Any] = {"root": str(SECOND), "requests": [each.decode() for each in asked.lines]}
        given |= {"mutants": drawn} | ({} if most is None else {"most": most})
        path.write_text(json.dumps(given), encoding="utf-8")
        told = Path(folder) / "output.jsonl"
        subprocess.run(["node", RUNNER, path, told], check=True)
        _, *answers = map(json.loads, told.read_text(encoding="utf-8").splitlines())
    assert len(answers) == len(drawn)
    found, unsure = [], []
    for number, each in enumerate(answers):
        wrong = [k for k, answer in each["answers"] if not asked.is_fine(k, answer)]
        found.append([names[k] for k in (*wrong, *([each["late"]] if "late" in each else ()))])
        if most is not None and not found[-1] and len(each["answers"]) >= most:
            unsure.append(number)
    if unsure:
        for number, kills in zip(unsure, _killers([drawn[k] for k in unsure], asked, None), strict=True):
            found[number] = kills
    return found


def key(mutant: Mutant) -> str:
    """A mutant's name: the line that it changes, from which column on, and what is there now."""
    return f"{mutant['file']}: {mutant['in']} @{mutant['column']}: {mutant['text'][:60]}"


def equivalents(folder: Path = SECOND) -> dict[str, str]:
    """Reasons by the key of the mutant."""
    path = folder / "equivalent.toml"
    if not path.exists():
        return {}
    return {each["mutant"]: each["why"] for each in tomllib.loads(path.read_text(encoding="utf-8"))["equivalent"]}


def cover(kills: Iterable[list[str]], wanted: Iterable[str]) -> dict[str, int]:
    """Few of the ``wanted`` cases that kill every mutant that only such cases kill, and how many more each kills."""
    chosen = set(wanted)
    left = [set(names) for names in kills if names and set(names) <= chosen]
    found: dict[str, int] = {}
    while left:
        counts = Counter(name for names in left for name in names)
        name = min(counts, key=lambda each: (-counts[each], each))
        found[name] = counts[name]
        left = [names for names in left if name not in names]
    return found


def report(drawn: list[Mutant], found: list[list[str]], asked: Asked, total: int, seed: int) -> str:
    """The report, in Markdown."""
    known = equivalents()
    survived = [drawn[k] for k, by in enumerate(found) if not by]
    alike = [m for m in survived if same(m, known)]
    alive = [m for m in survived if not same(m, known)]
    judged = len(drawn) - len(alike)
    kinds, killed = Counter(m["kind"] for m in drawn), Counter(m["kind"] for k, m in enumerate(drawn) if found[k])
    killed_all = sum(map(bool, found))
    passes = sum(map(asked.is_supported, range(len(asked.records))))
    share = 100 * (judged - len(alive)) / judged
    lines = [
        "# Mutants of the second implementation",
        "",
        f"Made by `python tools/mutate_second.py --draw {len(drawn)} --seed {seed}`.",
        "",
        f"{len(drawn)} of {total} one-place mutants were drawn. Of {len(asked.records)} exported cases the",
        f"implementation passes {passes}, and does not support the others; they kill {killed_all} mutants;",
        f"{len(alike)} are the same program; {len(alive)} survive: {share:.1f} % of {judged} are killed.",
        "",
        "| mutation | drawn | killed |",
        "|---|---|---|",
    ]
    for kind, count in sorted(kinds.items()):
        lines.append("| {} | {} | {} |".format(kind.replace("|", "\\|"), count, killed[kind]))
    if alive:
        lines += ["", "## What survives", ""]
        lines += [f"* `{m['file']}:{m['line']}` {m['kind']}: `{m['was']}`" for m in alive]
    if alike:
        lines += ["", "## The same program", ""]
        lines += [f"* `{m['file']}:{m['line']}` {m['kind']}: {same(m, known)}" for m in alike]
    lines.append("")
    return "\n".join(lines)


def options_of(text: str | None, draw: int, least: float) -> argparse.ArgumentParser:
    """What campaigns of mutants that the suite has to kill are asked."""
    parser = argparse.ArgumentParser(description=text, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draw", type=int, default=draw)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--least", type=float, default=least, help="percent that must be killed")
    parser.add_argument("--suite", type=Path, help="an exported suite, in place of this edition's own")
    parser.add_argument("--report", type=Path)
    return parser


def records_of(suite: Path | None) -> list[Record]:
    """The records of an exported suite, or of this edition's own, as JSON gives them."""
    records: list[Any] = list(store.read(suite) if suite else exported((*load(), *load_named_examples())))
    return [json.loads(json.dumps(each)) for each in records]


def main() -> int:
    """0 if at least ``--least`` percent of the mutants that are not equivalent are killed."""
    parser = options_of(__doc__, draw=200, least=98.0)
    parser.add_argument("--cover", metavar="AREA", help="say which cases named so are needed, and for what")
    parser.add_argument("--survivors", type=Path, help="write the survivors there, as JSON")
    options = parser.parse_args()
    asked = ask(records_of(options.suite))
    listed = mutants()
    drawn = random.Random(options.seed).sample(listed, min(options.draw, len(listed)))
    found = killers(drawn, asked, options.jobs, every=bool(options.cover))
    text = report(drawn, found, asked, len(listed), options.seed)
    if options.report:
        options.report.write_text(text, encoding="utf-8")
    if options.survivors:
        alive = [{**m, "key": key(m)} for k, m in enumerate(drawn) if not found[k] and not same(m, equivalents())]
        options.survivors.write_text(json.dumps(alive, indent=1), encoding="utf-8")
    print(text)
    if options.cover:
        needed = cover(found, (r["name"] for r in asked.records if r["name"].startswith(options.cover)))
        print("\n".join(f"{name} {count}" for name, count in needed.items()))
    known = equivalents()
    survived = [drawn[k] for k, by in enumerate(found) if not by]
    same_count = sum(same(each, known) is not None for each in survived)
    alive_count = len(survived) - same_count
    return 0 if alive_count <= (1 - options.least / 100) * (len(drawn) - same_count) else 1


if __name__ == "__main__":
    sys.exit(main())
