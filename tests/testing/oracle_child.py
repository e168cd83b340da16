"""PyTorch and TVM, asked from outside: one JSON object a line in, one out. Runs in the interpreter that has them."""

import base64
import json
import sys

import numpy as np


def array(one):
    return np.frombuffer(base64.b64decode(one["data"]), one["dtype"]).reshape(one["shape"]).copy()


def told(value):
    if hasattr(value, "detach"):
        value = value.detach().numpy()
    elif hasattr(value, "numpy"):
        value = value.numpy()
    elif not isinstance(value, np.ndarray):
        return [leaf for each in value for leaf in told(each)]
    value = np.ascontiguousarray(value).reshape(value.shape)
    return [{"dtype": str(value.dtype), "shape": list(value.shape), "data": base64.b64encode(value.tobytes()).decode()}]


def by_torch(job):
    import torch

    names = {"torch": torch, "F": torch.nn.functional}  # globals: the expression may have functions in it
    for name, one in job["args"].items():
        tensor = torch.from_numpy(array(one))
        names[name] = tensor.double() if tensor.is_floating_point() else tensor
    return eval(job["expression"], names)


def by_tvm(job):
    import tvm
    from tvm import relax
    from tvm.script import ir as I
    from tvm.script import relax as R
    from tvm.script import tirx as T

    module = tvm.script.from_source(job["text"], {"I": I, "R": R, "T": T})
    machine = relax.VirtualMachine(tvm.compile(module, target="llvm"), tvm.cpu())
    return machine["main"](*[tvm.runtime.tensor(array(one)) for one in job["args"].values()])


for line in sys.stdin:
    job = json.loads(line)
    try:
        answer = {"value": told({"torch": by_torch, "tvm": by_tvm}[job["library"]](job))}
    except Exception as problem:
        answer = {"error": f"{type(problem).__name__}: {str(problem).strip().splitlines()[-1][:300]}"}
    print(json.dumps(answer), flush=True)
