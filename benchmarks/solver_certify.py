"""The logs of what was proved, what they cost and who accepts them: ``python benchmarks/solver.py --certify``.

A log costs what ``Certificate.document`` takes, in terms of the proof, both in processor time. ``points``: few enough
to be looked at one by one, which the checkers do. ``verified``: the program of ``verified/``, where it is built; it has
to say of every certificate what the checker in Python says. ``over 10``: logs that cost more than ten times their
proof; ``of long``: such logs, of proofs of at least a millisecond, and how many these are: below that both are mostly
what any question costs, which is to state it, read it, and check the log.
"""

from __future__ import annotations

import gc
import json
import time
from dataclasses import dataclass, field
from typing import Any

from refrelax.shape_solver import Proved, prove
from refrelax.shape_solver.certify import confirm, verified_checker

COLUMNS = ("logs", "proved", "logged", "points", "share", "ratio", "p95", "p99", "max", "over 10", "of long", "bytes",
           "p95", "max", "written s", "checked s", "verified")  # fmt: skip
WIDTHS = (18, 7, 7, 7, 9, 7, 7, 7, 7, 8, 11, 7, 7, 8, 10, 10, 9)
LONG = 1e-3
"""Seconds of a proof that is more than what any costs."""

HEADER = "".join(f"{name:>{width}}" for name, width in zip(COLUMNS, WIDTHS))


@dataclass
class Row:
    name: str
    ratios: list[float] = field(default_factory=list)
    long: list[float] = field(default_factory=list)
    """The ratios of proofs that took at least ``LONG``."""
    sizes: list[float] = field(default_factory=list)
    written: float = 0.0
    checked: float = 0.0
    proved: int = 0
    points: int = 0
    agreed: int = 0
    open: list[str] = field(default_factory=list)

    def add(self, query: dict[str, Any], answer: Proved, proving: float) -> None:
        """The certificate of ``answer``, which took ``proving`` seconds."""
        self.proved += 1
        start = time.process_time()
        document = json.loads(json.dumps(answer.certificate.document()))
        writing = time.process_time() - start
        self.written += writing
        kind = document["evidence"]["kind"]
        start = time.process_time()
        found = confirm(document, who="checker")
        self.checked += time.process_time() - start
        if found.by is None:
            stage = answer.stages[-1].name
            reason = found.rejected or "no log"
            self.open.append(f"{query['name']} ({stage}): {query['claim']}  if {query['assume']}: {reason}")
            return
        if verified_checker() is not None:
            self.agreed += confirm(document, who="verified").by == "verified"
        if kind == "log":
            self.ratios.append(writing / max(proving, 1e-6))
            if proving >= LONG:
                self.long.append(self.ratios[-1])
            self.sizes.append(len(json.dumps(document["evidence"], separators=(",", ":"))))
        else:
            self.points += 1

    def line(self) -> str:
        logged = len(self.ratios)
        over, most = (sum(1 for each in ratios if each > 10) for ratios in (self.ratios, self.long))
        share = 100 * (logged + self.points) / max(self.proved, 1)
        ratios = [f"{at(self.ratios, part):.1f}" for part in (0.5, 0.95, 0.99, 1.0)]
        sizes = [f"{at(self.sizes, part):.0f}" for part in (0.5, 0.95, 1.0)]
        agreed = "-" if verified_checker() is None else f"{self.agreed}"
        of_long = f"{most} of {len(self.long)}"
        cells = (self.name, self.proved, logged, self.points, f"{share:.2f} %", *ratios, over, of_long, *sizes,
                 f"{self.written:.1f}", f"{self.checked:.1f}", agreed)  # fmt: skip
        return "".join(f"{cell!s:>{width}}" for cell, width in zip(cells, WIDTHS))


def at(numbers: list[float], share: float) -> float:
    ordered = sorted(numbers) or [0.0]
    return ordered[int(share * (len(ordered) - 1))]


def certified(name: str, queries: list[dict[str, Any]], effort: Any) -> None:
    """Prints the row of one set, and what has no log."""
    warm = prove("x % 4 + 4 * (x // 4) == x", effort=effort)  # what is loaded once belongs to no question
    assert isinstance(warm, Proved)
    warm.certificate.document()
    gc.collect()
    gc.freeze()  # nor does looking through it for garbage
    row = Row(name)
    for query in queries:
        start = time.process_time()
        answer = prove(query["claim"], query["assume"], effort, query.get("fits"))
        proving = time.process_time() - start
        if isinstance(answer, Proved):
            row.add(query, answer, proving)
    print(HEADER, row.line(), *(f"  {line}" for line in row.open), sep="\n")
