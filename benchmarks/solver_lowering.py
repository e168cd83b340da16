"""The claims that lowering the example models asks of the prover, timed where they are asked.

``python benchmarks/solver.py --lowering [--pipeline default] [--json OUT]``
"""

from __future__ import annotations

import statistics
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import refrelax as rr
from refrelax import examples
from refrelax.shape_solver import Answer, Prover, Unknown
from refrelax.syntax.scalars import PrimExpr
from refrelax.syntax.write.scalars import expression


@dataclass(frozen=True)
class Asked:
    """One claim, how long its answer took, and whether the prover had it already."""

    statement: PrimExpr | str
    assumptions: tuple[PrimExpr, ...]
    fits: str | None
    answer: Answer
    seconds: float
    hit: bool


@contextmanager
def listening() -> Iterator[list[Asked]]:
    """Every claim that any prover is asked inside the block."""
    asked: list[Asked] = []
    plain = Prover.prove

    def prove(self: Prover, claim: str | PrimExpr) -> Answer:
        before, start = self.hits, time.process_time()
        answer = plain(self, claim)
        seconds = time.process_time() - start
        asked.append(Asked(claim, self._assumptions, self.fits, answer, seconds, self.hits > before))
        return answer

    Prover.prove = prove  # type: ignore[method-assign]
    try:
        yield asked
    finally:
        Prover.prove = plain  # type: ignore[method-assign]


def lowering(pipeline: str) -> list[dict[str, Any]]:
    """Lowers every stage of every example, prints a table, and gives the distinct claims as questions."""
    columns = ("model", "claims", "decided %", "cache hits %", "median ms", "p95 ms", "max ms", "total s")
    print("".join(f"{name:>{width}}" for name, width in zip(columns, WIDTHS)))
    everything: list[Asked] = []
    for name in examples.names():
        example = examples.load(name)
        for stage in example.stages:
            with listening() as asked:
                checked = rr.check(rr.bind_constants(rr.parse(stage.text, filename=stage.path.name), stage.constants))
                rr.lower(checked, pipeline=pipeline)
            print(line(f"{name} {stage.name}", asked))
            everything += asked
    print(line("all", everything))
    stages = Counter(each.answer.stages[-1].name for each in everything if not each.hit)
    print("decided by:", ", ".join(f"{name} {count}" for name, count in stages.most_common()))
    for each in everything:
        if isinstance(each.answer, Unknown):
            print("UNKNOWN", text(each.statement), "if", [text(a) for a in each.assumptions], each.fits or "")
    return questions(everything)


WIDTHS = (20, 10, 12, 14, 11, 9, 9, 9)


def line(name: str, asked: list[Asked]) -> str:
    if not asked:
        return f"{name:>20}{0:>10}"
    times = sorted(each.seconds for each in asked)
    decided = sum(not isinstance(each.answer, Unknown) for each in asked) / len(asked)
    hits = sum(each.hit for each in asked) / len(asked)
    p95 = times[int(0.95 * (len(times) - 1))]
    cells = (f"{100 * decided:.1f}", f"{100 * hits:.1f}", f"{1e3 * statistics.median(times):.2f}", f"{1e3 * p95:.1f}",
             f"{1e3 * times[-1]:.0f}", f"{sum(times):.2f}")  # fmt: skip
    return f"{name:>20}{len(asked):>10}" + "".join(f"{cell:>{width}}" for cell, width in zip(cells, WIDTHS[2:]))


def text(e: PrimExpr | str) -> str:
    return e if isinstance(e, str) else expression(e)


def questions(asked: list[Asked]) -> list[dict[str, Any]]:
    """The distinct claims, decided ones only, in the form of ``solver_queries``."""
    found: dict[tuple[object, ...], dict[str, Any]] = {}
    for each in asked:
        if not isinstance(each.answer, Unknown):
            key = (each.statement, each.assumptions, each.fits)
            found.setdefault(key, {"name": f"lowering/{len(found)}", "claim": text(each.statement),
                                   "assume": [text(a) for a in each.assumptions], "fits": each.fits,
                                   "truth": type(each.answer).__name__ == "Proved"})  # fmt: skip
    return list(found.values())
