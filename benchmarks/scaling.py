"""How costs grow as programs grow: exponents of processor time against bindings, functions, symbols and rank.

    python benchmarks/scaling.py [--only parse,compile] [--along bindings,symbols] [--most 3000] [--json OUT]

Each stage (parse, check, interpret, lower, validate, compile and run on NumPy, the last two of what was lowered, and
writing the kernels of a GPU for it) is timed on programs of one kind in growing sizes; the exponent is the slope of the
line through (log size, log time), over the sizes that take long enough to be measured, and the steepest step between
two of these. An exponent of 1 says that twice the program costs twice the time.
"""

from __future__ import annotations

import argparse
import gc
import json
import math
import statistics
import time
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

import refrelax as rr
from refrelax.backends.cupy_.compile import CudaExecutable
from refrelax.backends.cupy_.counting import CountingDevice

LEAST = 2e-3
"""Seconds below which a measurement says nothing about growth: the fixed cost of a stage is most of it."""

LEAST_RUN = 1e-4
"""The same for runs of what was compiled, whose fixed cost is a call."""

LONG_ENOUGH = 0.1
"""Seconds for which a stage that is repeated is."""

BOUND = 1.2
"""The greatest exponent that is all right."""


# --- programs --------------------------------------------------------------------------------------------------------


def bindings(size: int) -> str:
    """A chain of ``size`` calls of five operators on one tensor."""
    calls = ["R.add({0}, x)", "R.multiply({0}, x)", "R.exp({0})", "R.nn.relu({0})", "R.negative({0})"]
    lines = [f"            v{k} = {calls[k % 5].format(f'v{k - 1}' if k else 'x')}" for k in range(size)]
    return _main('x: R.Tensor((n, 4), "float32")', lines, f"v{size - 1}", ["n"])


def functions(size: int) -> str:
    """``size`` functions of three calls each, and one that calls them one after the other."""
    head = 'n = TypeVar("n")\n@I.ir_module\nclass Module:\n'
    body = ""
    for k in range(size):
        body += f"""    @R.function(private=True)
    def f{k}(x: R.Tensor((n, 4), "float32")) -> R.Tensor((n, 4), "float32"):
        with R.dataflow():
            a = R.add(x, x)
            b = R.exp(a)
            c = R.multiply(b, R.const({float(k)}, "float32"))
            R.output(c)
        return c

"""
    calls = "".join(f"        v{k} = cls.f{k}({f'v{k - 1}' if k else 'x'})\n" for k in range(size))
    main = '    @R.function\n    def main(x: R.Tensor((n, 4), "float32")):\n        cls = Module\n'
    return f"{head}{body}{main}{calls}        return v{size - 1}\n"


def symbols(size: int) -> str:
    """``size`` parameters, each of an extent of its own, and a call on each."""
    names = [f"n{k}" for k in range(size)]
    params = ", ".join(f'x{k}: R.Tensor((n{k}, 4), "float32")' for k in range(size))
    lines = [f"            v{k} = R.exp(x{k})" for k in range(size)]
    return _main(params, lines, f"v{size - 1}", names)


def rank(size: int) -> str:
    """Tensors of rank ``size``, elementwise and with their axes in another order."""
    dims = "n, " + "1, " * (size - 2) + "3"
    axes = [*range(1, size), 0]
    lines = [
        "            a = R.add(x, y)",
        "            b = R.nn.relu(a)",
        f"            c = R.permute_dims(b, axes={axes})",
        "            d = R.sum(c, axis=[-1])",
    ]
    return _main(f'x: R.Tensor(({dims}), "float32"), y: R.Tensor(({dims}), "float32")', lines, "d", ["n"])


def operands(size: int) -> str:
    """The sum of ``size`` parameters of one shape."""
    params = ", ".join(f'x{k}: R.Tensor((n, 4), "float32")' for k in range(size))
    lines = [f"            v{k} = R.add({f'v{k - 1}' if k else 'x0'}, x{k})" for k in range(size)]
    return _main(params, lines, f"v{size - 1}", ["n"])


def fields(size: int) -> str:
    """A tuple of ``size`` fields, each of them taken, and the second tuple returned."""
    lines = [f"            a{k} = R.multiply(x, R.const({float(k)}, 'float32'))" for k in range(size)]
    lines.append(f"            t = ({', '.join(f'a{k}' for k in range(size))},)")
    lines += [f"            b{k} = t[{k}]" for k in range(size)]
    lines.append(f"            out = ({', '.join(f'b{size - 1 - k}' for k in range(size))},)")
    return _main('x: R.Tensor((n, 4), "float32")', lines, "out", ["n"])


def branches(size: int) -> str:
    """``size`` conditionals one after the other."""
    lines = []
    for k in range(size):
        before = f"v{k - 1}" if k else "x"
        lines += ["        if c:", f"            a{k} = R.add({before}, x)", f"            v{k} = a{k}"]
        lines += ["        else:", f"            b{k} = R.exp({before})", f"            v{k} = b{k}"]
    body = "\n".join(lines)
    params = 'c: R.Tensor((), "bool"), x: R.Tensor((n, 4), "float32")'
    head = 'n = TypeVar("n")\n@I.ir_module\nclass Module:\n    @R.function\n'
    return f"{head}    def main({params}):\n{body}\n        return v{size - 1}\n"


def statements(size: int) -> str:
    """A loop program of ``size`` nests, each over a buffer of its own."""
    lines = [f'        B{k} = T.alloc_buffer((n, 4), "float32")' for k in range(size - 1)]
    for k in range(size):
        before = f"B{k - 1}" if k else "X"
        made = "Y" if k == size - 1 else f"B{k}"
        lines += ["        for i, j in T.grid(n, 4):", f'            with T.sblock("b{k}"):']
        lines.append('                vi, vj = T.axis.remap("SS", [i, j])')
        lines.append(f"                {made}[vi, vj] = {before}[vi, vj] + T.float32({k})")
    body = "\n".join(lines)
    return f"""n = TypeVar("n")
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def f(x: T.handle, y: T.handle):
        n = T.int64()
        X = T.match_buffer(x, (n, 4), "float32")
        Y = T.match_buffer(y, (n, 4), "float32")
{body}

    @R.function
    def main(x: R.Tensor((n, 4), "float32")):
        cls = Module
        with R.dataflow():
            a = R.call_tir(cls.f, (x,), out_ty=R.Tensor((n, 4), "float32"))
            R.output(a)
        return a
"""


def _main(params: str, lines: list[str], out: str, names: list[str]) -> str:
    heads = "".join(f'{name} = TypeVar("{name}")\n' for name in names)
    body = "\n".join(lines)
    return (
        f"{heads}@I.ir_module\nclass Module:\n    @R.function\n    def main({params}):\n        with R.dataflow():\n"
        f"{body}\n            R.output({out})\n        return {out}\n"
    )


PROGRAMS: dict[str, tuple[Callable[[int], str], tuple[int, ...]]] = {
    "bindings": (bindings, (10, 30, 100, 300, 1000, 3000)),
    "functions": (functions, (10, 30, 100, 300, 1000, 3000)),
    "symbols": (symbols, (10, 30, 100, 300, 1000, 3000)),
    "rank": (rank, (2, 4, 8, 16, 32, 64)),
    "operands": (operands, (10, 30, 100, 300, 1000, 3000)),
    "fields": (fields, (10, 30, 100, 300, 1000, 3000)),
    "branches": (branches, (10, 30, 100, 300, 1000, 3000)),
    "statements": (statements, (10, 30, 100, 300, 1000, 3000)),
}
"""By what grows: the text of a program of a size, and the sizes."""


# --- stages ----------------------------------------------------------------------------------------------------------

STAGES = (
    "parse", "check", "interpret", "lower", "validate", "compile", "run", "compile lowered", "run lowered", "kernels",
)  # fmt: skip

LOWERED = {"validate", "compile lowered", "run lowered", "kernels"}
"""Stages that want the lowered module."""


def staged(text: str, along: str, size: int, wanted: list[str]) -> dict[str, float]:
    """Seconds of each stage on one program."""
    found: dict[str, float] = {}

    def timed(name: str, call: Callable[[], Any], repeat: int = 3) -> Any:
        times, result = [], None
        gc.collect()
        gc.freeze()  # what others hold is not gone through again and again while this stage allocates
        for _ in range(repeat):
            start = time.process_time()
            result = call()
            times.append(time.process_time() - start)
            if sum(times) > 2:
                break
        while (
            repeat > 1 and sum(times) < LONG_ENOUGH
        ):  # (the least of many: a short call among other work is often slow)
            start = time.process_time()
            result = call()
            times.append(time.process_time() - start)
        gc.unfreeze()
        if name in wanted:
            found[name] = min(times)
        return result

    wants = set(wanted)
    module = timed("parse", lambda: rr.parse(text))
    if wants == {"parse"}:
        return found
    checked = timed("check", lambda: rr.check(module))
    if "interpret" in wants:
        timed("interpret", lambda: rr.run(checked, "main", *_arguments(checked)))
    if wants & {"lower", *LOWERED}:
        lowered = timed("lower", lambda: rr.lower(checked).module, 1)
        if "validate" in wants:
            timed("validate", lambda: rr.validate(checked, lowered), 1)
        if "kernels" in wants:
            timed("kernels", lambda: CudaExecutable(lowered, "fast", CountingDevice()).source, 1)
    for kind in ("", " lowered"):
        if wants & {f"compile{kind}", f"run{kind}"}:
            given = lowered if kind else checked
            compiled = timed(f"compile{kind}", partial(rr.compile, given))
            if f"run{kind}" in wants:
                run = partial(compiled.run, "main", *_arguments(checked))
                run()
                timed(f"run{kind}", run)
    return found


def _arguments(checked: Any) -> list[Any]:
    params = checked.module.functions["main"].params
    shapes = [[3 if not hasattr(d, "bits") else d.bits for d in p.type.shape] for p in params]
    return [np.ones(shape, p.type.dtype) for shape, p in zip(shapes, params, strict=True)]


def exponents(points: list[tuple[int, float]], least: float) -> tuple[float, float] | None:
    """The slope of the fitted line, and of the steepest step, over what is long enough to be measured."""
    logs = [(math.log(size), math.log(seconds)) for size, seconds in points if seconds >= least]
    if len(logs) < 2:
        return None
    slope = statistics.linear_regression(*zip(*logs, strict=True)).slope
    return slope, max((b[1] - a[1]) / (b[0] - a[0]) for a, b in pairwise(logs))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default=",".join(STAGES), help="stages")
    parser.add_argument("--along", default=",".join(PROGRAMS), help="what grows")
    parser.add_argument("--most", type=int, default=3000, help="the greatest size")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    wanted = options.only.split(",")
    rows: list[dict[str, Any]] = []
    print(f"{'along':10} {'stage':15} {'exponent':>8} {'steepest':>8}   seconds by size")
    for along in options.along.split(","):
        make, sizes = PROGRAMS[along]
        times: dict[str, list[tuple[int, float]]] = {name: [] for name in wanted}
        staged(make(sizes[0]), along, sizes[0], wanted)  # what the first program pays: modules, tables
        for size in (s for s in sizes if s <= options.most):
            for stage, seconds in staged(make(size), along, size, wanted).items():
                times[stage].append((size, seconds))
        for stage, points in times.items():
            fit = exponents(points, LEAST_RUN if stage.startswith("run") else LEAST)
            slope, steepest = fit or (None, None)
            row = {"along": along, "stage": stage, "points": points, "exponent": slope, "steepest": steepest}
            rows.append(row)
            told = f"{fit[0]:8.2f} {fit[1]:8.2f}" if fit else f"{'-':>8} {'-':>8}"
            shown = " ".join(f"{size}:{seconds:.3g}" for size, seconds in points)
            print(f"{along:10} {stage:15} {told}   {shown}", flush=True)
    worst = [row for row in rows if row["exponent"] is not None and row["exponent"] > BOUND]
    print(f"{len(worst)} above {BOUND}: " + ", ".join(f"{r['stage']} along {r['along']}" for r in worst))
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1) + "\n")
    return 1 if worst else 0


if __name__ == "__main__":
    raise SystemExit(main())
