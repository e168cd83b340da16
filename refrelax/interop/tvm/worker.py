"""The process that has TVM: reads one request a line, answers one line. Run as a script, imports nothing of refrelax.

A request: ``{"text", "constants", "entry", "args", "target"}``; values are ``{"tensor": [dtype, shape, base64]}``,
``{"tuple": […]}``, ``{"shape": […]}``, or plain JSON. An answer: ``{"returned": value, "arguments": […]}``,
``{"raised": [class, message]}`` (the program ran and reported an error), or ``{"refused": [stage, class, message]}``,
the stage one of ``import``, ``read`` (TVM's checks of well-formedness included), ``build``, ``arguments``. A request
without ``entry`` ends after reading, with ``{"accepted": true}``.
Answers go to a copy of standard output; whatever TVM prints goes to standard error.
"""

from __future__ import annotations

import base64
import json
import os
import re
import sys
import warnings
from typing import Any

_SPECIAL = re.compile(r'R\.const\("(-?(?:inf|nan))"')
"""What TVM 0.27 prints for an infinite or NaN constant, and cannot read."""


def numpy_dtype(name: str) -> Any:
    """The NumPy dtype of a name, from ml_dtypes where NumPy has none."""
    import numpy as np

    try:
        return np.dtype(name)
    except TypeError:
        import ml_dtypes

        return np.dtype(getattr(ml_dtypes, name))


def to_array(triple: Any) -> Any:
    """``[dtype, shape, base64]`` as a NumPy array."""
    import numpy as np

    dtype, shape, data = triple
    return np.frombuffer(base64.b64decode(data), dtype=numpy_dtype(dtype)).reshape(shape).copy()


def decode(value: Any) -> Any:
    """A value of the protocol as TVM takes it."""
    import tvm

    if isinstance(value, dict) and "tensor" in value:
        return tvm.runtime.tensor(to_array(value["tensor"]))
    if isinstance(value, dict) and "tuple" in value:
        return tuple(decode(each) for each in value["tuple"])
    if isinstance(value, dict) and "shape" in value:
        return tvm.runtime.ShapeTuple(value["shape"])
    return value


def encode(value: Any) -> Any:
    """A value of TVM for the protocol."""
    import tvm

    if isinstance(value, tvm.runtime.Tensor):
        array = value.numpy()
        return {"tensor": [str(value.dtype), list(array.shape), base64.b64encode(array.tobytes()).decode()]}
    if isinstance(value, tvm.runtime.ShapeTuple):
        return {"shape": [int(each) for each in value]}
    if isinstance(value, bool | int | float | str) or value is None:
        return value
    if isinstance(value, list | tuple) or type(value).__name__ in ("Array", "List"):
        return {"tuple": [encode(each) for each in value]}
    return {"opaque": type(value).__name__}


def read_module(text: str, constants: dict[str, Any]) -> Any:
    """The module of a text, with the arrays behind its constant indices."""
    import tvm
    from tvm import relax
    from tvm.script.parser.core import entry

    names = entry._default_globals()
    arrays = {int(k): relax.const(to_array(v), v[0]) for k, v in constants.items()}  # without a dtype, int64 is cut
    if arrays:
        names["metadata"] = {"ir.GenericConst": arrays, "relax.expr.Constant": arrays}
    names["special"] = {each: float(each) for each in ("inf", "-inf", "nan", "-nan")}
    return tvm.script.from_source(_SPECIAL.sub(r'R.const(special["\1"]', text), extra_vars=names)


def build(mod: Any, request: dict[str, Any]) -> Any:
    """The callable for the request's entry."""
    import tvm
    from tvm import relax

    if request.get("pipeline"):
        mod = relax.get_pipeline(request["pipeline"])(mod)
    name = request["entry"]
    if isinstance(mod[name], tvm.tirx.PrimFunc):
        alone = tvm.IRModule({name: mod[name].with_attr("global_symbol", name)})
        return tvm.compile(alone, target=request["target"])[name]
    vm = relax.VirtualMachine(tvm.compile(mod, target=request["target"]), tvm.cpu())
    return vm[name]


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """The answer to one request."""
    stage = "import"
    try:
        import suite_library  # type: ignore[import-not-found]  # beside this file, which is run as a script
        import tvm  # noqa: F401

        stage = "read"
        mod = read_module(request["text"], request["constants"])
        if "entry" not in request:
            return {"accepted": True}
        stage = "build"
        suite_library.register()
        function = build(mod, request)
        stage = "arguments"
        args = [decode(each) for each in request["args"]]
    except BaseException as error:  # TVM's reader raises SystemExit
        return {"refused": [stage, type(error).__name__, str(error)[-2000:]]}
    try:
        value = function(*args)
    except BaseException as error:
        return {"raised": [type(error).__name__, str(error)[-2000:]]}
    return {"returned": encode(value), "arguments": [encode(each) for each in args]}


def main() -> None:
    """Answer until the input ends."""
    warnings.simplefilter("ignore")
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    for line in sys.stdin:
        replies.write(json.dumps(answer(json.loads(line))) + "\n")
        replies.flush()


if __name__ == "__main__":
    main()
