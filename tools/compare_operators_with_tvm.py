"""Compare deduced types and values of the operator catalogue with TVM.

Usage: ``python tools/compare_operators_with_tvm.py [--values] [--only TEXT] [--limit N] [--seed N]``. TVM runs in a subprocess, in the
interpreter that ``REFRELAX_TVM_PYTHON`` names; a crash there is one row of the report. The rows that differ and are meant
to differ are explained in ``spec/deviations.md``.
"""

# ruff: noqa: E501
from __future__ import annotations

import argparse
import base64
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent

CHILD = r"""
import base64, json, sys, os
import numpy as np
import tvm
from tvm import relax
from tvm.script import ir as I, relax as R, tirx as T

def decode(one):
    return np.frombuffer(base64.b64decode(one["data"]), one["dtype"]).reshape(one["shape"])

def leaves(v):
    if hasattr(v, "numpy"):
        a = v.numpy()
        return [dict(dtype=str(a.dtype), shape=list(a.shape), data=base64.b64encode(a.tobytes()).decode())]
    if isinstance(v, (list, tuple)) or type(v).__name__ in ("Array",):
        return [x for e in v for x in leaves(e)]
    return [dict(dtype="text", shape=[], data=str(v))]

for line in sys.stdin:
    job = json.loads(line)
    out = {"id": job["id"]}
    try:
        mod = tvm.script.from_source(job["text"], {"I": I, "R": R, "T": T})
        body = mod["main"].body
        out["type"] = body.blocks[0].bindings[0].var.ty.script() if body.blocks else str(body.ty)
        if job.get("values"):
            ex = tvm.compile(mod, target="llvm")
            vm = relax.VirtualMachine(ex, tvm.cpu())
            out["value"] = leaves(vm["main"](*[tvm.runtime.tensor(decode(a)) for a in job["args"]]))
    except Exception as problem:
        out["error"] = type(problem).__name__ + ": " + str(problem).strip().splitlines()[-1][:200]
    print(json.dumps(out), flush=True)
"""


def converse(python: str, jobs: list[dict[str, Any]]) -> dict[int, dict[str, Any]]:
    """The answers by job id; a job that kills the child is answered with ``{"error": "crash"}``."""
    answers: dict[int, dict[str, Any]] = {}
    while jobs:
        text = "\n".join(json.dumps(job) for job in jobs)
        child = subprocess.run([python, "-c", CHILD], input=text, capture_output=True, text=True, check=False)
        for line in child.stdout.splitlines():
            if line.startswith("{"):
                answer = json.loads(line)
                answers[answer["id"]] = answer
        rest = [job for job in jobs if job["id"] not in answers]
        if "No module named 'tvm'" in child.stderr:
            raise SystemExit(f"{python} has no TVM: set REFRELAX_TVM_PYTHON")
        if rest:
            answers[rest[0]["id"]] = {"error": f"crash ({child.returncode}) {child.stderr[-200:]}"}
            rest = rest[1:]
        jobs = rest
    return answers


def normal(text: str) -> str:
    """The last line of a printed type, as it stands inside a module: there, dims need no ``T.int64``."""
    last = text.strip().splitlines()[-1].strip() if text.strip() else ""
    return re.sub(r"T\.int64\((-?[0-9]+)\)", r"\1", last).replace("T.Tuple", "R.Tuple")


def encoded(a: Any) -> dict[str, Any]:
    return {"dtype": a.dtype.name, "shape": list(a.shape), "data": base64.b64encode(a.tobytes()).decode()}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--values", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--start", type=int, default=0)
    parser.add_argument("--limit", type=int, default=10**9)
    parser.add_argument("--seed", type=int, default=0, help="of the arguments")
    parser.add_argument("--symbolic", action="store_true", help="types of calls with symbolic and unknown dims")
    options = parser.parse_args()
    python = os.environ.get("REFRELAX_TVM_PYTHON", sys.executable)
    sys.path.insert(0, str(ROOT))
    import numpy as np

    import refrelax as rr
    from refrelax.syntax.write.types import type_text
    from tests.semantics.ops.catalogue import SAMPLES, data
    from tests.semantics.ops.typing_samples import compare_typing

    if options.symbolic:
        return compare_typing(lambda jobs: converse(python, jobs), normal)
    chosen = [s for s in SAMPLES if options.only in s.op][options.start : options.start + options.limit]
    jobs = [
        {"id": k, "text": s.text, "values": options.values, "args": [encoded(a) for a in data(s, options.seed)]}
        for k, s in enumerate(chosen)
    ]
    answers = converse(python, jobs)
    different = 0
    for k, sample in enumerate(chosen):
        answer, problems = answers[k], []
        checked = rr.check(rr.parse(sample.text))
        ours = type_text(checked.types["main"]["gv"])
        theirs_text = normal(answer.get("type", ""))
        if theirs_text and theirs_text != ours:
            problems.append(f"type: {ours} / {theirs_text}")
        if "error" in answer:
            problems.append(answer["error"])
        if "value" in answer:
            out = rr.run(checked, "main", *data(sample, options.seed), numerics="enclosure")
            value = getattr(out, "value", None)
            for one, other in zip(value if isinstance(value, tuple) else (value,), answer["value"], strict=False):
                if other["dtype"] != "text" and hasattr(one, "contains"):
                    theirs = np.frombuffer(base64.b64decode(other["data"]), other["dtype"]).reshape(other["shape"])
                    if not (theirs.shape == tuple(one.shape) and one.contains(theirs)):
                        problems.append(f"value: {theirs.ravel()[:4]} of {theirs.shape} is not permitted")
        if problems:
            different += 1
            print(f"{sample.op}: {sample.expr} {sample.params}\n    " + "\n    ".join(problems))
    print(f"{len(chosen)} calls, {different} differ")
    return 0 if not different else 1


if __name__ == "__main__":
    raise SystemExit(main())
