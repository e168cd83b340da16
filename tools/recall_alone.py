"""Programs of ``tests/judge/campaign/known/`` as TVM alone has them: ``PYTHON-WITH-TVM tools/recall_alone.py FILE…``.

One line of JSON each: ``{"name", "end", "stage", "what"}``, where the end is ``value``, ``refused``, ``illformed``,
``dispatch`` or ``crash``, the stage a pass, ``read``, ``compile`` or ``run``. Nothing of refrelax is imported: this
says whether a misbehaviour is there at all, before refrelax is asked to find it. Each program has a process of its
own.
"""

from __future__ import annotations

import importlib.util
import json
import os
import re
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
HEADER = re.compile(r"^# ([\w-]+): (.*)$", re.MULTILINE)


def say(**row: Any) -> None:
    print(json.dumps(row), flush=True)


def argument(text: str) -> Any:
    import ml_dtypes
    import numpy as np
    import tvm

    dtype, _, data = text.partition(" ")
    if dtype == "shape":
        return tvm.runtime.ShapeTuple(json.loads(data))
    if dtype == "prim":
        return json.loads(data.split(" ")[1])
    return tvm.runtime.tensor(np.array(json.loads(data), getattr(ml_dtypes, dtype, dtype)))


def passes(pipeline: str) -> list[Any]:
    """What runs before ``tvm.compile``, which does ``default_build`` itself."""
    import tvm
    from tvm import relax

    if pipeline == "cpu_generic":
        return [relax.get_default_pipeline(tvm.target.Target("llvm"))]
    if ":" in pipeline:
        path, name = pipeline.split(":")
        spec = importlib.util.spec_from_file_location("pipeline", ROOT / path)
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return list(getattr(module, name)())
    return [getattr(relax.transform, name)() for name in pipeline.split(",") if name not in ("", "default_build")]


def flat(value: Any) -> list[list[Any]]:
    """The tensors of a result, each ``[dtype, shape, elements]``."""
    if hasattr(value, "numpy"):
        array = value.numpy()
        return [[str(array.dtype), list(array.shape), array.astype("float64").reshape(-1).tolist()]]
    if isinstance(value, int | float) or not hasattr(value, "__iter__"):
        return [[type(value).__name__, [], [float(value) if isinstance(value, int | float) else str(value)]]]
    return [each for field in value for each in flat(field)]


def well_formed(module: Any) -> bool:
    """As TVM checks it: by the answer in some versions, by an error in others."""
    from tvm import relax

    try:
        return relax.analysis.well_formed(module) is not False
    except Exception:
        return False


def one(text: str) -> None:
    import tvm
    from tvm import relax

    told = HEADER.findall(text)
    pipeline = next((value for key, value in told if key == "pipeline"), "")
    stage = "read"
    try:
        module = tvm.script.from_source(text)
        if not well_formed(module):
            return say(end="illformed", stage=stage, what="the program itself")
        for each in passes(pipeline):
            stage = str(getattr(getattr(each, "info", None), "name", each))
            with tvm.target.Target("llvm"):
                module = each(module)
        composites = re.findall(r'"Composite": "([^"]+)"', module.script())
        if composites:
            return say(end="dispatch", stage=stage, what=composites)
        if pipeline and not well_formed(module):
            return say(end="illformed", stage=stage, what=pipeline)
        stage = "compile"
        made = tvm.compile(module, target="llvm")
        machine = relax.VirtualMachine(made, tvm.cpu())
        stage = "run"
        args = [argument(value) for key, value in told if key == "arg"]
        say(end="value", stage=stage, what=flat(machine["main"](*args)))
    except BaseException as error:
        lines = str(error).strip().splitlines() or [""]
        say(end="refused", stage=stage, what=f"{type(error).__name__}: {lines[-1][:300]}")


def main() -> None:
    import tvm
    from tvm import relax  # noqa: F401 (loaded once, for every fork)

    for name in sys.argv[1:]:
        reads, writes = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(reads)
            os.dup2(writes, 1)
            one(Path(name).read_text("utf-8"))
            sys.stdout.flush()
            os._exit(0)
        os.close(writes)
        with os.fdopen(reads) as out:
            lines = out.read().splitlines()
        signal = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        row = json.loads(lines[-1]) if lines else {"end": "crash", "stage": "", "what": f"signal {-signal}"}
        print(json.dumps({"name": Path(name).stem, "tvm": tvm.__version__, **row}), flush=True)


if __name__ == "__main__":
    main()
