"""Fresh questions of four authors' generators on one tree: what is wrong, unknown or slow, and what logs cost.

``python benchmarks/solver_heldout.py ROWS.jsonl --seed NAME --first 0 --last 50000 --logs 10``: a line a question;
``python benchmarks/solver_heldout.py --table ROWS.jsonl...`` prints what they come to, and each question that is wrong,
unknown, past a bar, or without a log. Shards (``--first``, ``--last``) may run one after another or side by side: a
question depends on its seed and number alone, and a run that was cut goes on where its file ends. Each answer is held
against the generator's own evaluator.
"""

from __future__ import annotations

import argparse
import gc
import json
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from refrelax.shape_solver import Proved, Refuted, prove
from refrelax.shape_solver.certify import confirm, verified_checker
from tests.shape_solver import grown, heldout, native, outside

TRIES = 250
"""Points at which a proved claim is looked at, beside a grid."""


@dataclass(frozen=True)
class Asked:
    """A question as texts, and its generator's own means: whether a point refutes it, and a search for one."""

    claim: str
    assume: list[str]
    refutes: Callable[[dict[str, int]], bool]
    search: Callable[[Random, int], Any]


def of_trees(random: Random) -> Asked:
    claim, given = outside.question(random)
    names = outside.symbols(claim, *given)
    return Asked(outside.text(claim), list(map(outside.text, given)),
                 lambda model: outside.refutes(claim, given, {**dict.fromkeys(names, 0), **model}),
                 lambda r, tries: outside.counterexample(claim, given, r, tries))  # fmt: skip


def of_programs(random: Random) -> Asked:
    claim, given = heldout.question(random)
    names = heldout.names(claim, *given)
    return Asked(heldout.said(claim), list(map(heldout.said, given)),
                 lambda model: heldout.against(claim, given, [{**dict.fromkeys(names, 0), **model}]) is not None,
                 lambda r, tries: heldout.counterexample(r, claim, given, tries))  # fmt: skip


def of_texts(random: Random) -> Asked:
    claim, given = native.question(random)
    names = native.names(claim, *given)
    return Asked(claim, list(given),
                 lambda model: native.among(claim, given, [{**dict.fromkeys(names, 0), **model}]) is not None,
                 lambda r, tries: native.counterexample(r, claim, given, tries))  # fmt: skip


def of_parts(random: Random) -> Asked:
    claim, given = grown.question(random)

    def refutes(model: dict[str, int]) -> bool:
        return grown.against(claim, given, [tuple(model.get(name, 0) for name in grown.NAMES)]) is not None

    return Asked(claim.text, [each.text for each in given], refutes,
                 lambda r, tries: grown.counterexample(r, claim, given, tries))  # fmt: skip


GENERATORS = (("outside", of_trees), ("heldout", of_programs), ("outside", of_trees), ("native", of_texts),
              ("grown", of_parts))  # fmt: skip
"""In turn: two of five are of the grammar that the bar names, the others draw from its operators in their own ways."""


def row(seed: str, number: int, logs: int) -> dict[str, Any]:
    """What one question comes to; its text only where somebody has to look at it."""
    name, make = GENERATORS[number % len(GENERATORS)]
    random = Random(f"{seed}/{name}/{number}")
    asked = make(random)
    start = time.process_time()
    answer = prove(asked.claim, asked.assume)
    found: dict[str, Any] = {"by": name, "number": number, "ms": round(1e3 * (time.process_time() - start), 3)}
    if isinstance(answer, Refuted):
        found |= {"said": "refuted", "wrong": not asked.refutes(dict(answer.model))}
    elif isinstance(answer, Proved):
        found |= {"said": "proved", "stage": answer.stages[-1].name, "wrong": asked.search(random, TRIES) is not None}
        if logs and number // len(GENERATORS) % logs == 0:
            found |= certificate(answer)
    else:
        point = asked.search(random, 12 * TRIES)
        found |= {"said": "unknown", "wrong": False, "scope": str(answer.scope), "stage": answer.stage,
                  "reason": answer.reason, "false at": point}  # fmt: skip
    if found["wrong"] or found["said"] == "unknown" or found["ms"] > 1000 or dear(found) or found.get("log") == "none":
        found |= {"claim": asked.claim, "assume": asked.assume}
    return found


def dear(found: dict[str, Any]) -> bool:
    return bool(found.get("writing", 0) > 10 * found["ms"])


def certificate(answer: Proved) -> dict[str, Any]:
    """How it is written down, what that takes, and who accepts it."""
    start = time.process_time()
    document = json.loads(json.dumps(answer.certificate.document()))
    writing = 1e3 * (time.process_time() - start)
    accepted = confirm(document, who="checker").by is not None
    found = {"writing": round(writing, 3), "log": document["evidence"]["kind"] if accepted else "none",
             "bytes": len(json.dumps(document["evidence"], separators=(",", ":")))}  # fmt: skip
    if accepted and verified_checker() is not None:
        found["verified"] = confirm(document, who="verified").by == "verified"
    return found


def at(numbers: list[float], share: float) -> float:
    ordered = sorted(numbers) or [0.0]
    return ordered[int(share * (len(ordered) - 1))]


def table(rows: list[dict[str, Any]]) -> None:
    """A line for each generator and one for all, then what somebody has to look at."""
    for name in (*dict.fromkeys(name for name, _ in GENERATORS), "all"):
        of = [each for each in rows if name in ("all", each["by"])]
        if not of:
            continue
        said = Counter(each["said"] for each in of)
        times = [each["ms"] for each in of]
        logged = [each for each in of if "log" in each]
        kinds = Counter(each["log"] for each in logged)
        ratios = [each["writing"] / max(each["ms"], 1e-3) for each in logged if each["log"] == "log"]
        long = [each for each in logged if each["log"] == "log" and each["ms"] >= 1]
        shown = {
            "questions": len(of), "proved": said["proved"], "refuted": said["refuted"], "unknown": said["unknown"],
            "wrong": sum(each["wrong"] for each in of), "past 2 s": sum(each["ms"] > 2000 for each in of),
            "p50 ms": at(times, 0.5), "p99 ms": at(times, 0.99), "max ms": at(times, 1.0),
            "logs tried": len(logged), "log": kinds["log"], "points": kinds["points"], "no log": kinds["none"],
            "over 10x": sum(map(dear, logged)), "of 1 ms and more": f"{sum(map(dear, long))} of {len(long)}",
            "ratio p50": round(at(ratios, 0.5), 2), "p99": round(at(ratios, 0.99), 1), "max": round(at(ratios, 1.0), 1),
            "bytes p50": at([each["bytes"] for each in logged], 0.5),
            "verified": sum(each.get("verified", False) for each in logged),
        }  # fmt: skip
        print(name, *(f"{key} {value}" for key, value in shown.items()), sep="; ")
    for each in rows:
        if each["wrong"] or each["said"] == "unknown" or each["ms"] > 2000 or dear(each) or each.get("log") == "none":
            print(json.dumps(each))


def done(file: Path) -> int:
    """The number after the last question in ``file``."""
    rows = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
    return int(json.loads(rows[-1])["number"]) + 1 if rows else 0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--table", action="store_true")
    parser.add_argument("--seed", default="1")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--last", type=int, default=1000)
    parser.add_argument("--logs", type=int, default=0, metavar="N", help="a certificate of each Nth question's proof")
    options = parser.parse_args()
    if options.table:
        table([json.loads(line) for file in options.files for line in file.read_text(encoding="utf-8").splitlines()])
        return
    warm = prove("x % 4 + 4 * (x // 4) == x")  # what is loaded once belongs to no question
    assert isinstance(warm, Proved)
    warm.certificate.document()
    gc.collect()
    gc.freeze()
    first = max(options.first, done(options.files[0]))
    with options.files[0].open("a", encoding="utf-8") as out:
        for number in range(first, options.last):
            out.write(json.dumps(row(options.seed, number, options.logs), separators=(",", ":")) + "\n")
            out.flush()


if __name__ == "__main__":
    main()
