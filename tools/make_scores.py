"""What implementations make of the suite, by chapter: ``docs/scores.md``, written from ``docs/scores.json``.

    .venv/bin/python tools/make_scores.py                             the page from the data
    .venv/bin/python tools/make_scores.py --run second [--suite DIR]  one implementation anew, then the page
    .venv/bin/python tools/make_scores.py --run tvm@/venvs/tvm-0.26/bin/python --options '--shard 1/3 --deadline 60'

``--rows FILE`` keeps what the run said case by case, and takes it from there if it is there; ``--suite`` is an exported
suite of this tree, whose hash is written down (it is exported anew without one). The data are counts: no answers.
"""

from __future__ import annotations

import argparse
import datetime
import json
import shlex
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT / "docs" / "scores.json"
PAGE = ROOT / "docs" / "scores.md"

Data = dict[str, Any]

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


def run(key: str, options: str, suite: Path | None, kept: Path | None) -> Data:
    """The suite on one implementation: what it is, and the counts."""
    title, impl = NAMES.get(key, (f"TVM {version_of(key)}", key))
    shown = f"refrelax conformance run --impl {shlex.quote(impl if key in NAMES else 'tvm@PYTHON')} {options}".strip()
    if kept is None or not kept.exists():
        line = [sys.executable, "-m", "refrelax", "conformance", "run", "--impl", impl, "--json", *shlex.split(options)]
        told = subprocess.run(line, cwd=ROOT, capture_output=True, text=True, check=False)
        if told.returncode not in (0, 1):
            raise SystemExit(told.stderr)
        lines = told.stdout.splitlines()
        if kept is not None:
            kept.write_text(told.stdout, encoding="utf-8")
    else:
        lines = kept.read_text(encoding="utf-8").splitlines()
    about = {"title": title, "command": shown, "version": version_of(key), "suite": hash_of(suite)}
    return {**about, "date": str(datetime.date.today()), **summed(map(json.loads, lines))}


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
    parser.add_argument("--options", default="", help="of `refrelax conformance run`")
    parser.add_argument("--suite", type=Path)
    parser.add_argument("--rows", type=Path)
    asked = parser.parse_args()
    data = json.loads(DATA.read_text(encoding="utf-8")) if DATA.exists() else {}
    if asked.run:
        found = run(asked.run, asked.options, asked.suite, asked.rows)
        data[asked.run if asked.run in NAMES else f"tvm-{found['version']}"] = found
        DATA.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
    PAGE.write_text(page(data), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
