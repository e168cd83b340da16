"""The process that has TVM: calls ``FILE.py:FUNCTION`` and prints the module that it gives. Imports nothing of
refrelax.

A request: ``{"make": "FILE.py:FUNCTION"}``. The answer is one line, ``{"end": …}``, with ``{"text", "constants"}`` or
``{"wrong": message}``.
"""

from __future__ import annotations

from typing import Any

import live  # type: ignore[import-not-found]  # beside this file, which is run as a script
import pass_worker  # type: ignore[import-not-found]
import serve  # type: ignore[import-not-found]
import user_file  # type: ignore[import-not-found]
import worker  # type: ignore[import-not-found]


class NoModule(Exception):
    """What the function gave is no module; the message says what was expected."""


def module_of(made: Any) -> Any:
    """An ``IRModule`` of what the function gave: a module, a function of one, or ``(module, parameters)``.

    Raises:
        NoModule: anything else.
    """
    import tvm

    parameters = None
    if isinstance(made, tuple) and len(made) == 2:
        made, parameters = made
    if isinstance(made, tvm.relax.Function | tvm.tirx.PrimFunc):
        made = tvm.IRModule({"main": made})
    if not isinstance(made, tvm.IRModule):
        kind = type(made).__name__
        raise NoModule(f"expected a tvm.IRModule, or a pair of one and its parameters; found {kind}")
    return bound(made, parameters) if parameters else made


def bound(mod: Any, parameters: Any) -> Any:
    """The module with its parameters as constants.

    ``{name: array}`` is for ``main``, by the names of its parameters; ``{function: [arrays]}``, as
    ``relax.frontend.detach_params`` gives them, for the last parameters of each function.
    """
    from tvm import relax

    if not isinstance(parameters, dict):
        raise NoModule(f"expected parameters by name, found {type(parameters).__name__}")
    if not all(isinstance(each, list | tuple) for each in parameters.values()):
        parameters = {"main": parameters}
    for name, given in parameters.items():
        if name not in [each.name_hint for each in mod.get_global_vars()]:
            raise NoModule(f"there are parameters for a function {name!r}, which the module lacks")
        if not isinstance(given, dict):
            params = mod[name].params
            if len(given) > len(params):
                raise NoModule(f"{len(given)} parameters for {name}, which takes {len(params)}")
            given = dict(zip(params[len(params) - len(given) :], given, strict=True))
        try:
            mod = relax.transform.BindParams(name, {k: array_of(v) for k, v in given.items()})(mod)
        except Exception as error:  # whatever TVM says of a name, a shape or a dtype
            raise NoModule(f"its parameters do not fit {name}: {_said(error)}") from None
    return mod


def _said(error: Exception) -> str:
    """The last line of an error that says something."""
    lines = [each.strip() for each in str(error).splitlines() if each.strip() and not each.startswith("#")]
    return lines[-1] if lines else type(error).__name__


def array_of(value: Any) -> Any:
    """A parameter as ``BindParams`` takes it."""
    import numpy as np
    import tvm

    if isinstance(value, tvm.runtime.Tensor):
        return value
    if hasattr(value, "detach"):  # PyTorch
        value = value.detach().cpu().numpy()
    return tvm.runtime.tensor(np.asarray(value))


def answer(request: dict[str, Any], say: serve.Say) -> None:
    """The answer to one request."""
    try:
        mod = module_of(user_file.call(request["make"]))
        text, constants = live.text_and_constants(mod)
    except (user_file.UserFault, NoModule, live.BridgeError) as wrong:
        before = "" if isinstance(wrong, user_file.UserFault) else f"{request['make']}: "
        say({"end": {"wrong": before + str(wrong)}})
        return
    say({"end": {"text": text, "constants": {str(k): pass_worker.triple(v) for k, v in constants.items()}}})


if __name__ == "__main__":
    serve.serve(answer, worker.warm, torch=True)
