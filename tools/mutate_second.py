"""How much the exported suite alone tells apart: mutants of the second implementation, and which the suite kills.

    python tools/mutate_second.py --draw 300 --seed 1 [--report conformance/second/mutants.md] [--jobs 2]

A mutant changes one place of ``conformance/second`` (``tools/second_mutants.js`` lists all such places). It is *killed*
if some case that the implementation itself passes (or of which a part is too wide to tell) is failed, refused or not
answered, judged by the exported data. What survives
is listed; ``conformance/second/equivalent.toml`` names survivors that no program can tell apart, each with a reason.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time
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
LIMIT = 60.0
"""Seconds for all cases of one mutant; one that takes longer is killed, for it hangs."""

Mutant = dict[str, Any]


@dataclass(frozen=True)
class Asked:
    """The cases that the implementation passes, as it is asked them, and its own answers."""

    records: list[Record]
    lines: list[bytes]
    answers: list[bytes]


def mutants() -> list[Mutant]:
    """Every mutant, in the order of files and places; ``main.js`` and ``ends.js`` only say what was found."""
    files = sorted(p for p in SECOND.rglob("*.js") if p.name not in ("main.js", "ends.js"))
    lister = ROOT / "tools" / "second_mutants.js"
    found = subprocess.run(["node", "--expose-internals", lister, *files], capture_output=True, check=True, text=True)
    listed: list[Mutant] = json.loads(found.stdout)
    for each in listed:
        source = Path(each["file"]).read_text(encoding="utf-8")
        begin = source.rfind("\n", 0, each["start"]) + 1
        each["column"] = each["start"] - begin
        each["in"] = source[begin : source.find("\n", begin)].strip()
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
    """What the implementation itself passes, as far as it can be told."""
    sent = [(r, request(k, r, "tree")) for k, r in enumerate(records)]
    there = [(r, json.dumps(q).encode() + b"\n") for r, q in sent if q is not None]
    answers = answered(SECOND / "main.js", (line for _, line in there), 600)
    assert len(answers) == len(there), f"{len(answers)} answers to {len(there)} requests"
    words = [judge(r, json.loads(a))[0] for (r, _), a in zip(there, answers, strict=True)]
    kept = [(r, q, a) for (r, q), a, word in zip(there, answers, words, strict=True) if word in ("passed", "undecided")]
    return Asked([r for r, _, _ in kept], [q for _, q, _ in kept], [a for _, _, a in kept])


def killer(mutant: Mutant, asked: Asked) -> str | None:
    """The case that kills a mutant, or how it died; ``None`` if it survives."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "second"
        shutil.copytree(SECOND, copy, ignore=shutil.ignore_patterns("*.md", "*.toml"))
        path = copy / mutant["file"]
        # Places count UTF-16 units, of which all characters of these files are one.
        source = path.read_text(encoding="utf-8")
        path.write_text(source[: mutant["start"]] + mutant["text"] + source[mutant["end"] :], encoding="utf-8")
        found = answered(copy / "main.js", asked.lines, LIMIT)
    for record, own, theirs in zip(asked.records, asked.answers, found, strict=False):
        if own != theirs:
            try:
                word = judge(record, json.loads(theirs))[0]
            except ValueError:
                return f"{record['name']} (no answer)"
            if word not in ("passed", "undecided"):
                return str(record["name"])
    return None if len(found) == len(asked.lines) else f"{asked.records[len(found)]['name']} (no answer)"


def key(mutant: Mutant) -> str:
    """A mutant's name: the line that it changes, from which column on, and what is there now."""
    return f"{mutant['file']}: {mutant['in']} @{mutant['column']}: {mutant['text'][:60]}"


def equivalents() -> dict[str, str]:
    """Reasons by the key of the mutant."""
    path = SECOND / "equivalent.toml"
    if not path.exists():
        return {}
    return {each["mutant"]: each["why"] for each in tomllib.loads(path.read_text(encoding="utf-8"))["equivalent"]}


def measure(drawn: list[Mutant], asked: Asked, jobs: int) -> dict[int, str | None]:
    """What killed each mutant."""
    done, lock, began = Counter[str](), threading.Lock(), time.monotonic()

    def one(mutant: Mutant) -> str | None:
        found = killer(mutant, asked)
        with lock:
            done["killed" if found else "survived"] += 1
            print(
                f"\r{done.total()} of {len(drawn)}, {done['survived']} survive, {time.monotonic() - began:.0f} s",
                end="",
                file=sys.stderr,
            )
        return found

    with ThreadPoolExecutor(jobs) as pool:
        found = dict(enumerate(pool.map(one, drawn)))
    print(file=sys.stderr)
    return found


def report(drawn: list[Mutant], found: Mapping[int, str | None], asked: Asked, total: int, seed: int) -> str:
    """The report, in Markdown."""
    known = equivalents()
    survived = [drawn[k] for k, by in found.items() if by is None]
    same = [m for m in survived if key(m) in known]
    alive = [m for m in survived if key(m) not in known]
    judged = len(drawn) - len(same)
    kinds, killed = Counter(m["kind"] for m in drawn), Counter(m["kind"] for k, m in enumerate(drawn) if found[k])
    killed_all = sum(by is not None for by in found.values())
    share = 100 * (judged - len(alive)) / judged
    lines = [
        "# Mutants of the second implementation",
        "",
        f"Made by `python tools/mutate_second.py --draw {len(drawn)} --seed {seed}`.",
        "",
        f"{len(drawn)} of {total} one-place mutants were drawn. {len(asked.records)} exported cases, which the",
        f"implementation passes, kill {killed_all} of them; {len(same)} are the same program; {len(alive)} survive:",
        f"{share:.1f} % of {judged} are killed.",
        "",
        "| mutation | drawn | killed |",
        "|---|---|---|",
    ]
    for kind, count in sorted(kinds.items()):
        lines.append("| {} | {} | {} |".format(kind.replace("|", "\\|"), count, killed[kind]))
    if alive:
        lines += ["", "## What survives", ""]
        lines += [f"* `{m['file']}:{m['line']}` {m['kind']}: `{m['was']}`" for m in alive]
    if same:
        lines += ["", "## The same program", ""]
        lines += [f"* `{m['file']}:{m['line']}` {m['kind']}: {known[key(m)]}" for m in same]
    lines.append("")
    return "\n".join(lines)


def main() -> int:
    """0 if at least ``--least`` percent of the mutants that are not equivalent are killed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draw", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--least", type=float, default=98.0, help="percent that must be killed")
    parser.add_argument("--suite", type=Path, help="an exported suite, in place of this edition's own")
    parser.add_argument("--report", type=Path)
    parser.add_argument("--survivors", type=Path, help="write the survivors there, as JSON")
    options = parser.parse_args()
    records = list(store.read(options.suite) if options.suite else exported((*load(), *load_named_examples())))
    asked = ask([json.loads(json.dumps(r)) for r in records])
    listed = mutants()
    drawn = random.Random(options.seed).sample(listed, min(options.draw, len(listed)))
    found = measure(drawn, asked, options.jobs)
    text = report(drawn, found, asked, len(listed), options.seed)
    if options.report:
        options.report.write_text(text, encoding="utf-8")
    if options.survivors:
        alive = [{**m, "key": key(m)} for k, m in enumerate(drawn) if found[k] is None]
        options.survivors.write_text(json.dumps(alive, indent=1), encoding="utf-8")
    print(text)
    known = equivalents()
    alive_count = sum(by is None and key(drawn[k]) not in known for k, by in found.items())
    same_count = sum(by is None and key(drawn[k]) in known for k, by in found.items())
    return 0 if alive_count <= (1 - options.least / 100) * (len(drawn) - same_count) else 1


if __name__ == "__main__":
    sys.exit(main())
