"""What ``validate`` says of pairs of programs, and why it says nothing of the others, grouped by cause.

    python tools/pass_pairs.py PAIRS.jsonl [--timeout 10] [--correspond] [--out ANSWERS.jsonl]

A line of PAIRS is an object: ``name`` (of the pass), ``before`` and ``after`` (TVMScript, or names of files that hold
it), and ``entry`` (else ``main``, if it is there and differs, else the first function that does); ``consts_before`` and
``consts_after``: archives of their constants (``k0``, ``k1``, …), if they have some. Times are processor
time. An answer is *for all shapes* if it is ``PROVED`` or ``REFUTED``; a pair is *refused* if it is none of these,
``PROVED-AT``, ``TESTED``, ``UNDECIDED`` or ``OPEN``: no verdict, no program, a crash.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import time
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

import numpy as np  # noqa: E402

import refrelax as rr  # noqa: E402

ALL_SHAPES = ("PROVED", "REFUTED")
ANSWERED = (*ALL_SHAPES, "PROVED-AT", "TESTED", "UNDECIDED", "OPEN")
MOST_SHOWN = 6


class Nothing(Exception):
    """There is nothing to compare."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pairs", type=Path)
    parser.add_argument("--timeout", type=float, default=10.0)
    parser.add_argument("--correspond", action="store_true")
    parser.add_argument("--out", type=Path)
    asked = parser.parse_args()
    time.perf_counter = time.process_time  # (what validate measures its time by)
    rows = []
    for line in asked.pairs.read_text(encoding="utf-8").splitlines():
        rows.append(answer(json.loads(line), asked.timeout, asked.correspond))
        if asked.out:
            with asked.out.open("a", encoding="utf-8") as out:
                out.write(json.dumps(rows[-1]) + "\n")
    print(table(rows))
    return 0


def answer(pair: dict[str, Any], timeout: float, correspond: bool) -> dict[str, Any]:
    """The pair's name and entry with the word of the answer, and why there is no proof."""
    start = time.process_time()
    row = {"name": pair.get("name", "?")}
    try:
        before, after = (constants(rr.parse(text(pair[s])), pair.get(f"consts_{s}")) for s in ("before", "after"))
        row["entry"] = pair.get("entry") or changed(before, after)
        found = rr.validate(before, after, row["entry"], timeout=timeout, correspond=correspond)
        row |= {"answer": found.word, "why": getattr(found, "unproved", "") or str(found)}
    except Nothing as problem:
        row |= {"answer": "NO-VERDICT", "why": str(problem)}
    except rr.Rejection as problem:
        row |= {"answer": type(problem).__name__, "why": str(problem)}
    except Exception as problem:  # a crash is counted
        row |= {"answer": "ERROR", "why": f"{type(problem).__name__}: {problem}"}
    return row | {"seconds": round(time.process_time() - start, 2)}


def constants(module: rr.Module, archive: str | None) -> rr.Module:
    """The module with its constants, where an archive of them is there."""
    if archive is None or not Path(archive).exists():
        return module
    with np.load(archive) as arrays:
        return rr.bind_constants(module, {int(name[1:]): arrays[name] for name in arrays.files})


def text(given: str) -> str:
    return given if "\n" in given else Path(given).read_text(encoding="utf-8")


def changed(before: rr.Module, after: rr.Module) -> str:
    """The function that a pass changed."""
    both = [name for name in before.functions if name in after.functions]
    if not both:
        raise Nothing("the programs have no function in common")
    new = [name for name in both if before.functions[name] != after.functions[name]] or both or ["main"]
    return "main" if "main" in new else new[0]


def table(rows: list[dict[str, Any]]) -> str:
    """Counts of answers, and the causes of those that are no proof, the most frequent first."""
    words = Counter(row["answer"] for row in rows)
    known = sum(words[each] for each in ALL_SHAPES)
    refused = len(rows) - sum(words[each] for each in ANSWERED)
    causes: dict[tuple[str, str], list[str]] = defaultdict(list)
    for row in rows:
        if row["answer"] not in ALL_SHAPES:
            causes[row["answer"], cause(row["why"])].append(row["name"])
    lines = [f"{n:5} {word}" for word, n in words.most_common()]
    lines.append(f"{len(rows)} pairs: {known} with a verdict for all shapes, {refused} refused")
    for (word, why), names in sorted(causes.items(), key=lambda each: -len(each[1])):
        lines.append(f"{len(names):5} {word}: {why}  ({', '.join(dict.fromkeys(names[:MOST_SHOWN]))})")
    return "\n".join(lines)


def cause(why: str) -> str:
    """The first line of a reason without places and names of the program."""
    first = re.sub(r"\S*<string>:\d+:\d+:? ?", "", why.split("\n")[0])
    return re.sub(r"\b\w*[0-9]\w*\b", "#", first)[:120]


if __name__ == "__main__":
    raise SystemExit(main())
