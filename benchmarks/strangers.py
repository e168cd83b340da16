"""Compiled modules against hand-written NumPy on what strangers would try, as they stand and lowered by each pipeline.

    python benchmarks/strangers.py [--only gelu,one_hot] [--forms graph,default,kernels,build] [--seconds 0.3]
                                   [--json OUT]

One thread, processor time, medians; what is timed and how is that of ``arrays.py``: all contenders of a workload take
turns in one process, in a drawn order (a turn of calls below a millisecond is as many as fill one), and each result is
compared with NumPy's in the same run. ``graph`` is the
module itself, the other forms are what the pipeline of that name makes of it. The exit code is 1 if a result differs,
or a form does not compile.
"""

from __future__ import annotations

import os

os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"

import argparse
import json
import math
import statistics
import timeit
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from arrays import SEED, differs, machine, measure
from layer_workloads import LAYERS
from number_workloads import NUMBERS
from stranger_workloads import WORKLOADS as OPERATORS

import refrelax as rr

WORKLOADS = OPERATORS | LAYERS | NUMBERS

FORMS = ("graph", "default", "kernels", "build")


def one(name: str, forms: list[str], seconds: float) -> dict[str, Any]:
    """Milliseconds of NumPy and of each form, or why there is none."""
    work = WORKLOADS[name]
    args = work.make(np.random.default_rng(SEED))
    checked = rr.check(rr.parse(work.text))
    wanted = np.asarray(work.by_hand(*args))
    calls: dict[str, Callable[[], Any]] = {"numpy": lambda: work.by_hand(*args)}
    row: dict[str, Any] = {"workload": name}
    for form in forms:
        try:
            compiled = rr.compile(checked if form == "graph" else rr.lower(checked, pipeline=form).module)
            entry = compiled["main"]
            problem = differs(np.asarray(entry(*args)), wanted, work.tolerance)
        except Exception as error:
            problem = f"{type(error).__name__}: {error}"
        if problem is None:
            calls[form] = lambda entry=entry: entry(*args)  # type: ignore[misc]
        else:
            row[form] = problem
    quickest = min(_once(each) for each in calls.values())
    count = max(1, int(TURN / quickest))
    times = measure({who: partial(_repeated, each, count) for who, each in calls.items()}, seconds)
    return row | {who: spent / count for who, spent in times.items()}


TURN = 1e-3
"""Seconds of a turn: shorter calls are made again and again, as a program does that calls something small."""


def _once(call: Callable[[], Any]) -> float:
    """Seconds of a call: the least of some."""
    return min(timeit.repeat(call, number=1, repeat=5))


def _repeated(call: Callable[[], Any], count: int) -> None:
    for _ in range(count):
        call()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default=",".join(WORKLOADS))
    parser.add_argument("--forms", default=",".join(FORMS))
    parser.add_argument("--seconds", type=float, default=0.3, help="processor time of each contender")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    forms, rows, failed = options.forms.split(","), [], 0
    print(f"{'workload':20} {'numpy ms':>9} " + " ".join(f"{form:>8}" for form in forms))
    for name in options.only.split(","):
        row = one(name, forms, options.seconds)
        cells = []
        for form in forms:
            if isinstance(row[form], float):
                row[f"{form}/numpy"] = row[form] / row["numpy"]
                cells.append(f"{row[f'{form}/numpy']:7.2f}x")
            else:
                failed += 1
                cells.append(row[form][:70])
        rows.append(row)
        print(f"{name:20} {row['numpy']:9.4f} " + " ".join(cells), flush=True)
    summary = {}
    for form in forms:
        ratios = sorted((row[f"{form}/numpy"], row["workload"]) for row in rows if f"{form}/numpy" in row)
        if ratios:
            mean = math.exp(statistics.fmean(math.log(ratio) for ratio, _ in ratios))
            summary[form] = {"geomean": mean, "worst": ratios[-1], "measured": len(ratios), "of": len(rows)}
            above = ", ".join(f"{name} {ratio:.2f}" for ratio, name in reversed(ratios) if ratio > 1.1) or "none"
            print(f"{form}: geometric mean {mean:.3f}x of NumPy, {len(ratios)} of {len(rows)}; above 1.1: {above}")
    if options.json:
        told = {"machine": machine(), "numpy": np.__version__, "summary": summary, "rows": rows}
        options.json.write_text(json.dumps(told, indent=1) + "\n")
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
