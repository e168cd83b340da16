"""The process that has TVM: applies the passes of its build pipelines one at a time and prints every module between.

Run as a script with a Python that has TVM; imports nothing of refrelax. Standard input: one JSON object a line,
``{"text", "constants", "pipeline"}``. Standard output: ``{"stages": [[pass, text], …]}`` or ``{"refused": [pass, why]}``
with the stages so far.
"""

from __future__ import annotations

import json
import os
import sys
import warnings
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
    """The module as read, then after each pass."""
    import numpy as np
    import tvm
    from tvm import relax
    from tvm.script.parser.core import entry

    names = entry._default_globals()
    arrays = {int(k): relax.const(np.array(v, dtype=d)) for k, (d, v) in constants.items()}
    if arrays:
        names["metadata"] = {"ir.GenericConst": arrays, "relax.expr.Constant": arrays}
    done: list[list[str]] = []
    step = "read"
    try:
        module = tvm.script.from_source(text, extra_vars=names)
        done.append([step, module.script()])
        with tvm.target.Target("llvm"):
            for each in passes(pipeline):
                step = each.info.name
                module = each(module)
                done.append([step, module.script()])
    except BaseException as error:  # TVM's reader raises SystemExit
        return {"stages": done, "refused": [step, f"{type(error).__name__}: {str(error)[-1500:]}"]}
    return {"stages": done}


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
