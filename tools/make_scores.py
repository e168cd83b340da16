"""What implementations make of the suite, by chapter: ``docs/scores.md``, written from ``docs/scores.json``.

    .venv/bin/python tools/make_scores.py                             the page from the data
    .venv/bin/python tools/make_scores.py --run second [--suite DIR]  one implementation anew, then the page
    .venv/bin/python tools/make_scores.py --run tvm@/venvs/tvm-0.26/bin/python --deadline 60 --state FILE

``--state FILE`` is for who is asked in Python: each row is written there as soon as it is known, and a case that stands
there as it is now is not asked again, so a run may be cut and goes on. ``--suite`` is an exported suite of this tree,
whose hash is written down (it is exported anew without one). The data are counts: no answers.
"""

from __future__ import annotations

import argparse
import datetime
import hashlib
import json
import os
import shlex
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from refrelax.commands.conformance import is_command
from refrelax.conformance import Case, judge_cases, load
from refrelax.conformance.judged import Judged
from refrelax.conformance.known import known_as, load_known
from refrelax.conformance.suite.scores import chapters
from refrelax.conformance.workers import Worker
from refrelax.interop.names import is_tvm, python_of
from refrelax.interop.tvm import TvmImplementation

ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT / "docs" / "scores.json"
PAGE = ROOT / "docs" / "scores.md"

Data = dict[str, Any]

DEADLINE = 60.0
"""Seconds for one case, as ``refrelax conformance run`` has it."""

WORDS = ("passed", "failed", "refused", "undecided", "excluded", "unsupported", "not judged")
"""What is said of a case (chapter 01), in the order of the columns."""

NAMES = {
    "second": ("The second implementation", "node conformance/second/main.js"),
    "numpy": ("The NumPy backend", "numpy"),
    "cuda-emulated": ("The CUDA backend, emulated", "cuda-emulated"),
}
"""Title and ``--impl`` of those that are no TVM."""

KINDS = (
    ("it accepts", "takes a module that the text refuses"),
    ("the module is accepted", "takes a module that the text refuses"),
    ("crash", "crashes"),
    ("hung", "hangs"),
    ("hang", "hangs"),
    ("the implementation returns", "returns where the text traps"),
    ("the implementation traps", "traps where the text returns"),
    ("outside the permitted", "gives another value, shape or dtype"),
    ("read: ", "does not read the text"),
    ("build: ", "does not build the program"),
)  # fmt: skip
"""What a reason has in it, and which kind of fault that is."""


def kind_of(why: str) -> str:
    """The kind of a fault, by its reason."""
    return next((kind for sign, kind in KINDS if sign in why), "something else")


def summed(rows: Iterable[Data]) -> Data:
    """The counts of a run, from the rows of ``refrelax conformance run --json``."""
    chapters: dict[str, Counter[str]] = defaultdict(Counter)
    known, kinds, unlisted = Counter[str](), Counter[str](), 0
    for row in rows:
        chapters[row["chapter"] or "other"][row["verdict"]] += 1
        if row["verdict"] not in ("failed", "refused"):
            continue
        kinds[kind_of(row["why"])] += 1
        if row["known"]:
            known[row["known"]] += 1
        else:
            unlisted += 1
    return {
        "chapters": {name: dict(sorted(found.items())) for name, found in sorted(chapters.items())},
        "kinds": dict(kinds.most_common()), "known": dict(sorted(known.items())), "unlisted": unlisted,
    }  # fmt: skip


# --- running --------------------------------------------------------------------------------------------------------


def run(key: str, deadline: float, suite: Path | None, state: Path | None) -> Data:
    """The suite on one implementation: what it is, and the counts."""
    title, impl = NAMES.get(key, (f"TVM {version_of(key)}", key))
    shown = f"refrelax conformance run --impl {shlex.quote(impl if key in NAMES else 'tvm@PYTHON')}"
    shown += f" --deadline {deadline:g}" if deadline != DEADLINE else ""
    about = {"title": title, "command": shown, "version": version_of(key), "suite": hash_of(suite)}
    rows = of_command(impl, deadline) if is_command(impl) else in_python(impl, deadline, state)
    return {**about, "date": str(datetime.date.today()), **summed(rows)}


def of_command(impl: str, deadline: float) -> list[Data]:
    """The rows of a command."""
    line = [sys.executable, "-m", "refrelax", "conformance", "run", "--impl", impl, "--json"]
    told = subprocess.run([*line, "--deadline", str(deadline)], cwd=ROOT, capture_output=True, text=True, check=False)
    if told.returncode not in (0, 1):
        raise SystemExit(told.stderr)
    return [json.loads(each) for each in told.stdout.splitlines()]


def in_python(impl: str, deadline: float, state: Path | None, cases: Iterable[Case] | None = None) -> list[Data]:
    """The rows of who is asked in Python, in the order of the suite; those in ``state`` are not asked again."""
    listed = [case for case in (load() if cases is None else cases) if case.portable]
    kept: dict[str, Data] = {}
    if state is not None and state.exists():
        lines = state.read_text(encoding="utf-8").splitlines(keepends=True)
        kept = {row["hash"]: row for row in map(json.loads, (each for each in lines if each.endswith("\n")))}
        state.write_text("".join(json.dumps(row) + "\n" for row in kept.values()), encoding="utf-8")
    implementation = made(impl, deadline)
    missing = [case for case in listed if said_by(case) not in kept]
    with (state or Path(os.devnull)).open("a", encoding="utf-8") as out:
        for each in implementation.judge(missing):
            chapter = chapters().get(each.case.rule or "", "")
            row = {"case": each.case.name, "chapter": chapter, "verdict": each.word, "why": each.why}
            kept[said_by(each.case)] = {"hash": said_by(each.case), **row}
            out.write(json.dumps(kept[said_by(each.case)]) + "\n")
            out.flush()
    implementation.close()
    known = load_known(implementation.known) if implementation.known else {}
    rows = [kept[said_by(case)] for case in listed]
    return [{**row, "known": known_as(row["case"], row["verdict"], known)} for row in rows]


class Tvm(TvmImplementation):
    """TVM, asked as ``refrelax conformance run`` asks it."""

    def judge(self, cases: Iterable[Case]) -> Iterator[Judged]:
        """Every case, many at once."""
        return judge_cases(cases, self)


def made(impl: str, deadline: float) -> Tvm | Worker:
    """An implementation that is asked in Python."""
    return Tvm(timeout=deadline, python=python_of(impl)) if is_tvm(impl) else Worker(impl, deadline)


def said_by(case: Case) -> str:
    """A hash of all that a case says, wherever it stands."""
    return hashlib.sha256(repr(replace(case, file="", line=0)).encode()).hexdigest()[:16]


def version_of(key: str) -> str:
    """Of what the implementation is made."""
    if key == "second":
        return "node " + _said(["node", "--version"])
    python = key.partition("@")[2] or sys.executable
    package = "tvm" if key.startswith("tvm") else "numpy"
    number = _said([python, "-W", "ignore", "-c", f"import {package}; print({package}.__version__)"])
    return number if package == "tvm" else f"NumPy {number}"


def _said(line: list[str]) -> str:
    return subprocess.run(line, capture_output=True, text=True, check=True).stdout.split()[-1]


def hash_of(suite: Path | None) -> str:
    """The hash of the suite of this tree."""
    if suite is not None:
        return str(json.loads((suite / "manifest.json").read_text(encoding="utf-8"))["hash"])
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, "-m", "refrelax", "conformance", "export", folder], cwd=ROOT, check=True)
        return hash_of(Path(folder))


# --- the page -------------------------------------------------------------------------------------------------------


HEAD = """# Scores

What implementations make of the conformance suite ([chapter 01](spec/01-conformance.md), *What is said of a case*),
each as it was run on the day that stands beside it. Your own is a command away:
[Conformance in an hour](howto-conformance.md).

*Supported* is what was neither unsupported nor not judged; shares are of what *passed*, *failed* or was *refused*.
A command is asked all that was exported. Who is asked in Python is asked the cases that have a text, and neither
claims nor trees nor the examples of operator pages; the backends have no checker of their own, so nothing is judged of
them that is only checked. `--shard K/N` is every N-th case. Written by `tools/make_scores.py` from
[counts](scores.json).
"""

COLUMNS = "| | version | asked | supported | passed | failed | refused | share |"


def page(data: dict[str, Data]) -> str:
    """The page."""
    lines = [
        HEAD,
        "| | version | asked | supported | passed | failed | refused | share |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for each in data.values():
        whole = total(each)
        lines.append(
            f"| [{each['title']}](#{anchor(each['title'])}) | {each['version']} | {whole.total()} | {supported(whole)} "
            f"| {whole['passed']} | {whole['failed']} | {whole['refused']} | {share(whole)} |"
        )
    for each in data.values():
        lines += ["", *section(each)]
    return "\n".join(lines) + "\n"


def section(each: Data) -> list[str]:
    """One implementation."""
    whole = total(each)
    used = [word for word in WORDS if whole[word]]
    lines = [
        f"## {each['title']}", "",
        f"`{each['command']}`, {each['version']}, {each['date']}, suite `{each['suite'][:16]}`.", "",
        f"| chapter | asked | supported | {' | '.join(used)} | share |", "|---" * (len(used) + 4) + "|",
    ]  # fmt: skip
    for name, counts in [*each["chapters"].items(), ("all", whole)]:
        found = Counter(counts)
        cells = " | ".join(str(found[word]) for word in used)
        lines.append(f"| {name} | {found.total()} | {supported(found)} | {cells} | {share(found)} |")
    faults = whole["failed"] + whole["refused"]
    if faults:
        kinds = ", ".join(f"{kind} ({count})" for kind, count in each["kinds"].items())
        lines += ["", f"What it does where it failed or refused: {kinds}."]
        listed = ", ".join(f"`{name}` ({count})" for name, count in each["known"].items())
        says = f"Known by a row of [the deviations](spec/deviations.md#conformance-cases): {listed}. " if listed else ""
        lines += ["", f"{says}No row lists {each['unlisted']} of {faults}."]
    return lines


def total(each: Data) -> Counter[str]:
    """All chapters together."""
    return sum(map(Counter, each["chapters"].values()), Counter[str]())


def supported(counts: Counter[str]) -> int:
    """What was judged, or at least could have been."""
    return counts.total() - counts["unsupported"] - counts["not judged"]


def share(counts: Counter[str]) -> str:
    """The share that passed of what was judged."""
    judged = counts["passed"] + counts["failed"] + counts["refused"]
    return f"{100 * counts['passed'] / judged:.1f} %" if judged else "–"


def anchor(title: str) -> str:
    """The place of a heading, as the site and GitHub name it."""
    kept = "".join(c for c in title.lower() if c.isalnum() or c in " -_")
    return kept.replace(" ", "-")


def main() -> int:
    """Writes the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--run", metavar="KEY", help=f"{', '.join(NAMES)} or tvm@PYTHON")
    parser.add_argument("--deadline", type=float, default=DEADLINE, help="seconds for one case")
    parser.add_argument("--suite", type=Path)
    parser.add_argument("--state", type=Path)
    asked = parser.parse_args()
    data = json.loads(DATA.read_text(encoding="utf-8")) if DATA.exists() else {}
    if asked.run:
        found = run(asked.run, asked.deadline, asked.suite, asked.state)
        data[asked.run if asked.run in NAMES else f"tvm-{found['version']}"] = found
        DATA.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
    PAGE.write_text(page(data), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
