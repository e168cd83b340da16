"""The process that has TVM: applies the passes of its build pipelines one at a time and prints every module between.

Run as a script with a Python that has TVM; imports nothing of refrelax. Standard input: one JSON object a line,
``{"text", "constants", "pipeline"}``. Standard output: ``{"stages": [[pass, text, constants], …]}``, with
``"refused": [pass, why]`` where a pass failed.
"""

from __future__ import annotations

import json
import os
import sys
import warnings
from pathlib import Path
from typing import Any


def passes(pipeline: str) -> list[Any]:
    """The passes of a pipeline, in TVM 0.27's order."""
    from tvm import relax
    from tvm.relax import transform as t

    dispatch = [relax.backend.DispatchSampling(), relax.backend.DispatchSortScan()]
    fuse = [t.LegalizeOps(), t.AnnotateTIROpPattern(), t.FoldConstant(), t.FuseOps(), t.FuseTIR()]
    lower = [t.RewriteDataflowReshape(), t.ToNonDataflow(), t.RemovePurityChecking(), t.CallTIRRewrite()]
    end = [t.LowerAllocTensor(), t.KillAfterLastUse(), t.LowerRuntimeBuiltin(), t.ComputePrimValue()]
    last = [t.VMShapeLower(), t.AttachGlobalSymbol()]
    plan = [t.StaticPlanBlockMemory()]
    if pipeline == "zero":
        return fuse
    if pipeline == "default_build":
        return [*dispatch, t.LegalizeOps(), *lower, *plan, t.RewriteCUDAGraph(), *end, *last]
    return [*dispatch, *fuse, *lower, *plan, *end, *last]


def stages(text: str, constants: dict[str, Any], pipeline: str) -> dict[str, Any]:
    """The module as read, then after each pass. The infinities that TVM prints are rewritten: it does not read them."""
    import numpy as np
    import tvm
    from tvm import relax
    from tvm.script.parser.core import entry

    names = entry._default_globals()
    names["infinity"] = float("inf")
    text = text.replace('R.const("-inf"', "R.const(-infinity").replace('R.const("inf"', "R.const(infinity")
    arrays = {int(k): relax.const(np.array(v, dtype=d).reshape(s)) for k, (d, s, v) in constants.items()}
    if arrays:
        names["metadata"] = {"ir.GenericConst": arrays, "relax.expr.Constant": arrays}
    carry = bridge()
    done: list[list[Any]] = []
    step = "read"
    try:
        module = tvm.script.from_source(text, extra_vars=names)
        done.append(printed(step, module, carry))
        with tvm.target.Target("llvm"):
            for each in passes(pipeline):
                step = each.info.name
                module = each(module)
                done.append(printed(step, module, carry))
    except BaseException as error:  # TVM's reader raises SystemExit
        return {"stages": done, "refused": [step, f"{type(error).__name__}: {str(error)[-1500:]}"]}
    return {"stages": done}


def bridge() -> Any:
    """The function of refrelax that reads the constants of a live module, loaded alone: no package is imported."""
    import importlib.util

    path = Path(__file__).parents[3] / "refrelax" / "interop" / "tvm" / "live.py"
    spec = importlib.util.spec_from_file_location("live", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.text_and_constants


def printed(name: str, module: Any, carry: Any) -> list[Any]:
    """One stage: the pass, the text, and the constants as ``{index: [dtype, shape, data]}``."""
    text, constants = carry(module)
    return [name, text, {k: [str(v.dtype), list(v.shape), v.flatten().tolist()] for k, v in constants.items()}]


def main() -> None:
    """Answer until the input ends."""
    warnings.simplefilter("ignore")
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    for line in sys.stdin:
        request = json.loads(line)
        answer = stages(request["text"], request.get("constants", {}), request["pipeline"])
        replies.write(json.dumps(answer) + "\n")
        replies.flush()


if __name__ == "__main__":
    main()
