"""Compiled modules against idiomatic NumPy: one thread, processor time, the documented call ``f["main"](x, …)``.

    python benchmarks/arrays.py [--only softmax,conv2d] [--lowered] [--seconds 1.0] [--json OUT]

Every workload is a module with symbolic extents (``array_workloads.py``) and the same in NumPy as somebody who knows
it writes it. Contenders take turns in one process, in an order that is drawn for each turn; medians. Each result is
compared in the same run: a workload whose results differ has no ratio. ``--lowered``: the same modules through
``rr.lower`` as well.
"""

from __future__ import annotations

import os

os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"

import argparse
import datetime
import json
import math
import platform
import random
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from array_workloads import WORKLOADS, Workload

import refrelax as rr

SEED = 0


def contenders(work: Workload, args: list[Any], lowered: bool) -> dict[str, Callable[[], Any] | str]:
    """What is timed, by name; a string says why something cannot be."""
    checked = rr.check(rr.parse(work.text))
    found: dict[str, Callable[[], Any] | str] = {"numpy": lambda: work.by_hand(*args)}
    for name in ("graph", "lowered") if lowered else ("graph",):
        try:
            compiled = rr.compile(checked if name == "graph" else rr.lower(checked).module)
        except Exception as error:
            found[name] = f"{type(error).__name__}: {error}"
            continue
        found[name] = lambda call=compiled["main"]: call(*args)
    return found


def differs(found: Any, wanted: Any, tolerance: float) -> str | None:
    """Why two results are not the same within ``tolerance`` of the greatest element."""
    if found.shape != wanted.shape:
        return f"shape {found.shape}, expected {wanted.shape}"
    a, b = found.astype(np.float64), wanted.astype(np.float64)
    worst = float(np.abs(a - b).max(initial=0)) / max(1.0, float(np.abs(b).max(initial=0)))
    return None if worst <= tolerance else f"apart by {worst:.2g}"


def measure(calls: dict[str, Callable[[], Any]], seconds: float) -> dict[str, float]:
    """Median processor time of each call, in milliseconds; each takes ``seconds`` in all or 5 turns."""
    times: dict[str, list[float]] = {name: [] for name in calls}
    spent = dict.fromkeys(calls, 0.0)
    order, draw = list(calls), random.Random(SEED)
    while any((spent[name] < seconds and len(times[name]) < 201) or len(times[name]) < 5 for name in calls):
        draw.shuffle(order)  # nobody always comes after the one that left the caches and the heap in disorder
        for name in order:
            if len(times[name]) >= 5 and spent[name] >= 2 * seconds:
                continue
            start = time.process_time_ns()
            calls[name]()
            times[name].append((time.process_time_ns() - start) / 1e6)
            spent[name] += times[name][-1] / 1e3
    return {name: statistics.median(each) for name, each in times.items()}


def one(name: str, lowered: bool, seconds: float) -> dict[str, Any]:
    """One row: milliseconds, ratios to NumPy, or why there is none."""
    work = WORKLOADS[name]
    args = work.make(np.random.default_rng(SEED))
    row: dict[str, Any] = {"workload": name}
    calls: dict[str, Callable[[], Any]] = {}
    wanted = work.by_hand(*args)
    for who, call in contenders(work, args, lowered).items():
        problem = call if isinstance(call, str) else None
        if not isinstance(call, str):
            try:
                problem = differs(np.asarray(call()), wanted, work.tolerance)
            except Exception as error:
                problem = f"{type(error).__name__}: {error}"
            if problem is None:
                calls[who] = call
        if problem:
            row[who] = problem
    for who, spent in measure(calls, seconds).items():
        row[who] = spent
        if who != "numpy":
            row[f"{who}/numpy"] = spent / row["numpy"]
    return row


def shown(row: dict[str, Any], lowered: bool) -> str:
    cells = [f"{row['workload']:18}", f"{row['numpy']:9.3f}"]
    for who in ("graph", "lowered") if lowered else ("graph",):
        ratio = row.get(f"{who}/numpy")
        cells.append(f"{row[who]:9.3f} {ratio:8.2f}x" if ratio else f"  {str(row.get(who))[:60]}")
    return " ".join(cells)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default=",".join(WORKLOADS))
    parser.add_argument("--lowered", action="store_true")
    parser.add_argument("--seconds", type=float, default=1.0, help="processor time of each contender")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    rows = []
    print(f"{'workload':18} {'numpy ms':>9} {'graph ms':>9} {'ratio':>9}" + "   lowered ms    ratio" * options.lowered)
    for name in options.only.split(","):
        rows.append(one(name, options.lowered, options.seconds))
        print(shown(rows[-1], options.lowered), flush=True)
    summary: dict[str, Any] = {}
    for who in ("graph", "lowered") if options.lowered else ("graph",):
        ratios = [row[f"{who}/numpy"] for row in rows if f"{who}/numpy" in row]
        if ratios:
            summary[who] = {"geomean": math.exp(statistics.fmean(map(math.log, ratios))), "worst": max(ratios)}
            summary[who] |= {"measured": len(ratios), "of": len(rows)}
            print(f"{who}: geometric mean {summary[who]['geomean']:.3f}x of NumPy, worst {max(ratios):.2f}x, "
                  f"{len(ratios)} of {len(rows)} workloads")  # fmt: skip
    if options.json:
        about = {
            "command": "python benchmarks/arrays.py " + " ".join(sys.argv[1:]),
            "machine": machine(),
            "date": datetime.date.today().isoformat(),
            "numpy": np.__version__,
            "python": platform.python_version(),
        }
        options.json.write_text(json.dumps({**about, "summary": summary, "rows": rows}, indent=1) + "\n")
    return 0


def machine() -> str:
    """The processor, in words."""
    told = Path("/proc/cpuinfo")
    lines = told.read_text().splitlines() if told.exists() else []
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return f"{len(models)} x {models[0]}" if models else platform.processor()


if __name__ == "__main__":
    raise SystemExit(main())
