"""The process that has TVM: reads a program, builds it, runs it. Run as a script, imports nothing of refrelax.

A request: ``{"text", "constants", "entry", "args", "target", "pipeline"}``; values are ``{"tensor": [dtype, shape,
base64]}``, ``{"tuple": […]}``, ``{"shape": […]}``, or plain JSON. The answer is one line, ``{"end": …}``, with
``{"returned": value, "arguments": […]}``, ``{"raised": [class, message]}`` (the program ran and reported an error), or
``{"refused": [stage, class, message]}``, the stage one of ``read`` (TVM's checks of well-formedness included),
``build``, ``arguments``, and ``"place"``, where in TVM's sources it was raised. A request without ``entry`` ends after
reading, with ``{"accepted": true}``. ``batch_worker.py`` has the requests for many programs.

Before it stand lines ``{"seen": k, "values": […]}``, one for each call of the library function ``refrelax.observe``
with ``k`` as its first argument, in order; ``"values"`` is ``null`` once more than ``MOST_BYTES`` were shown.
"""

from __future__ import annotations

import base64
import re
import traceback
from collections.abc import Callable
from typing import Any

Say = Callable[[dict[str, Any]], None]

OBSERVE = "refrelax.observe"
"""The library function that an instrumented module calls to show its values."""

MOST_BYTES = 1 << 29
"""How much of a run is shown."""

_SPECIAL = re.compile(r'R\.const\("(-?(?:inf|nan))"')
"""What TVM 0.27 prints for an infinite or NaN constant, and cannot read."""


def readable(text: str) -> str:
    """The text with the numbers of such constants taken from a table ``special``."""
    return _SPECIAL.sub(r'R.const(special["\1"]', text)


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
    if type(value).__name__ == "dtype":  # a kind of str
        return {"dtype": str(value)}
    if isinstance(value, bool | int | float | str) or value is None:
        return value
    if isinstance(value, list | tuple) or type(value).__name__ in ("Array", "List"):
        return {"tuple": [encode(each) for each in value]}
    return {"opaque": type(value).__name__}


def returned(value: Any, args: list[Any]) -> dict[str, Any]:
    """What a call gave. A tensor that no array can hold, for an extent of it is negative, is an end of the program."""
    try:
        given = encode(value)
    except ValueError as error:
        return {"raised": [type(error).__name__, str(error)]}
    return {"returned": given, "arguments": [encode(each) for each in args]}


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
    return tvm.script.from_source(readable(text), extra_vars=names)


def build(mod: Any, passes: list[Any], request: dict[str, Any]) -> Any:
    """The callable for the request's entry, compiled after some passes."""
    import tvm
    from tvm import relax

    target = tvm.target.Target(request["target"])
    with target:
        for each in passes:
            mod = each(mod)
    name = request["entry"]
    if isinstance(mod[name], tvm.tirx.PrimFunc):
        mod = tvm.IRModule({gv: each for gv, each in mod.functions_items() if isinstance(each, tvm.tirx.PrimFunc)})
        mod.update_func(mod.get_global_var(name), mod[name].with_attr("global_symbol", name))
        return tvm.compile(mod, target=request["target"])[name]
    vm = relax.VirtualMachine(tvm.compile(mod, target=request["target"]), tvm.cpu())
    return vm[name]


GENERIC = (
    "tvm_ffi.core", "tvm::ffi::", "ObjectMutator", "TVMFFICyError", "tvm/ir/transform.py", "block_builder.py",
    "interop/tvm/worker.py", "interop/tvm/pass_worker.py", "interop/tvm/batch_worker.py",
)  # fmt: skip
"""Frames that are on every way, those of the workers among them: some of TVM's errors bring no frame of their own."""


def place_of(error: BaseException) -> str:
    """Where in TVM's sources an exception comes from: ``broadcast.py:power``, ``op.cc:tvm::prim::pow``, innermost."""
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        name = frame.name.partition("(")[0].rsplit(" ", 1)[-1]
        if frame.lineno and not any(each in f"{frame.filename} {name}" for each in GENERIC):
            return f"{frame.filename.rsplit('/', 1)[-1]}:{name}"
    return ""


DEDUCES = "tvm::script::ir_builder::relax::Emit"
"""The frame under which TVM's reader adds a binding whose expression it has read, and asks for its type."""


def deducing(error: BaseException) -> bool:
    """Whether the reader had taken the text of a binding, and it is the deduction of its type that refuses."""
    return any(DEDUCES in frame.name for frame in traceback.extract_tb(error.__traceback__))


def asked_for(request: dict[str, Any]) -> list[Any]:
    """The passes that the request wants before TVM's own."""
    if not request.get("pipeline"):
        return []
    import pass_worker  # type: ignore[import-not-found]  # beside this file
    import tvm

    found: list[Any] = pass_worker.find_passes(request["pipeline"], tvm.target.Target(request["target"]))
    return found


def watch(say: Say) -> None:
    """Make ``refrelax.observe`` known to TVM: it copies what it is given, when it is given."""
    import tvm

    left = MOST_BYTES

    def observe(site: int, *values: Any) -> None:
        nonlocal left
        shown = None
        if left > 0:
            shown = [encode(each) for each in values]
            left -= sum(_size(each) for each in shown)
        say({"seen": int(site), "values": shown})

    tvm.register_global_func(OBSERVE, observe, override=True)


def _size(value: Any) -> int:
    match value:
        case {"tensor": [_, _, data]}:
            return len(data)
        case {"tuple": items}:
            return sum(map(_size, items))
    return 0


def answer(request: dict[str, Any], say: Say) -> None:
    """The answer to one request; one that has ``"programs"`` is for ``batch_worker.py``."""
    if "programs" in request:
        import batch_worker  # type: ignore[import-not-found]  # beside this file, which is run as a script

        batch_worker.answer(request, say)
        return
    say({"end": _answer(request, say)})


def _answer(request: dict[str, Any], say: Say) -> dict[str, Any]:
    import suite_library  # type: ignore[import-not-found]
    import tvm

    stage = "read"
    try:
        mod = read_module(request["text"], request["constants"])
        if "entry" not in request:
            return {"accepted": True}
        stage = "options"  # what the user named, not what TVM makes of the program
        tvm.target.Target(request["target"])
        passes = asked_for(request)
        stage = "build"
        suite_library.register()
        watch(say)
        function = build(mod, passes, request)
        stage = "arguments"
        args = [decode(each) for each in request["args"]]
    except BaseException as error:  # TVM's reader raises SystemExit
        return {"refused": [stage, type(error).__name__, str(error)], "place": place_of(error)}
    try:
        value = function(*args)
    except BaseException as error:
        return {"raised": [type(error).__name__, str(error)]}
    return returned(value, args)


TINY = """
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
        with R.dataflow():
            y = R.add(x, x)
            R.output(y)
        return y
"""


def warm() -> None:
    """Read a program: TVM loads much of itself with the first."""
    read_module(TINY, {})


if __name__ == "__main__":
    import serve  # type: ignore[import-not-found]  # beside this file, which is run as a script

    serve.serve(answer, warm)
