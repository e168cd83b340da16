"""The process that has TVM: runs a pipeline and prints the module after every pass. Imports nothing of refrelax.

A request: ``{"text", "constants", "pipeline", "target"}``. Answers, a line each, as the passes end, so that a crash
loses nothing that went before: ``{"stage": pass, "text", "constants"}``; ``{"starts": pass}`` before each pass; at the
end ``{"end": null}`` or ``{"end": [pass, kind, message]}`` with kind ``"error"``, ``"usage"`` or
``"absent"``.

A pipeline is a name that ``relax.get_pipeline`` knows, ``cpu_generic`` (what TVM chooses for ``llvm``), ``target``
(what it chooses for the target), or ``FILE.py:function``: the function gives a pass or a list of passes.
"""

from __future__ import annotations

import base64
import json
import os
import runpy
import sys
import warnings
from collections.abc import Callable
from typing import Any

import live  # type: ignore[import-not-found]  # beside this file, which is run as a script
import worker  # type: ignore[import-not-found]

Say = Callable[[dict[str, Any]], None]

CONTAINERS = ("sequential", "_pipeline", "f_zero_pipeline")
"""The names of passes that only run others: TVM's ``Sequential``, and the pipelines that it names."""


class UnknownPipeline(Exception):
    """The caller asked for what is not there."""


def find_passes(pipeline: str, target: Any) -> list[Any]:
    """The passes of a pipeline; one that TVM names is a single pass around the others."""
    from tvm import relax
    from tvm.relax.pipeline import PIPELINE_MAP

    path, colon, function = pipeline.rpartition(":")
    if colon:
        return _from_file(path, function)
    if pipeline in ("cpu_generic", "target"):
        import tvm

        chosen = tvm.target.Target("llvm") if pipeline == "cpu_generic" else target
        return [relax.get_default_pipeline(chosen)]
    if pipeline not in PIPELINE_MAP:
        known = ", ".join(sorted([*PIPELINE_MAP, "cpu_generic", "target"]))
        raise UnknownPipeline(f"TVM has no pipeline {pipeline!r}; known: {known}, or FILE.py:function")
    return [relax.get_pipeline(pipeline)]


def _from_file(path: str, function: str) -> list[Any]:
    try:
        made = runpy.run_path(path)[function]()
    except (OSError, KeyError) as error:
        raise UnknownPipeline(f"{path}:{function}: {type(error).__name__}: {error}") from None
    return list(made) if isinstance(made, list | tuple) else [made]


def watcher(starts: Callable[[str], None], ends: Callable[[str, Any], None], wrapped: bool) -> Any:
    """An instrument that tells of every pass that is a step, one inside no other but containers: ``starts(name)``,
    then ``ends(name, module)``.

    ``wrapped``: the outermost pass is a container whatever its name.
    """
    from tvm.ir.instrument import pass_instrument

    @pass_instrument
    class Watcher:
        def __init__(self) -> None:
            self.open: list[str] = []

        def is_step(self, name: str) -> bool:
            around = self.open[1:] if wrapped else self.open
            inside = all(each in CONTAINERS for each in around)
            return inside and name not in CONTAINERS and not (wrapped and not self.open)

        def run_before_pass(self, _mod: Any, info: Any) -> None:
            if self.is_step(info.name):
                starts(info.name)
            self.open.append(info.name)

        def run_after_pass(self, mod: Any, info: Any) -> None:
            self.open.pop()
            if self.is_step(info.name):
                ends(info.name, mod)

    return Watcher()


def shown(name: str, mod: Any) -> dict[str, Any]:
    """One stage."""
    text, constants = live.text_and_constants(mod)
    return {"stage": name, "text": text, "constants": {str(k): triple(v) for k, v in constants.items()}}


def triple(array: Any) -> list[Any]:
    """A NumPy array as ``[dtype, shape, base64]``."""
    return [str(array.dtype), list(array.shape), base64.b64encode(array.tobytes()).decode()]


def last_line(error: BaseException) -> str:
    """The line of a message that says most."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith("error:")]
    return f"{type(error).__name__}: {(errors or lines[-1:] or [''])[0]}"[:400]


def answer(request: dict[str, Any], say: Say) -> None:
    """Every stage, as it comes about."""
    step = "read"

    def starts(name: str) -> None:
        nonlocal step
        step = name
        say({"starts": name})

    try:
        import tvm
    except ImportError as error:
        say({"end": ["", "absent", f"no TVM: {last_line(error)}; install refrelax[tvm] or set REFRELAX_TVM_PYTHON"]})
        return
    try:
        mod = worker.read_module(request["text"], request["constants"])
        target = tvm.target.Target(request["target"])
        chosen = find_passes(request["pipeline"], target)
        say(shown("read", mod))
        wrapped = ":" not in request["pipeline"]
        for each in chosen:
            watch = watcher(starts, lambda name, mod: say(shown(name, mod)), wrapped)
            with target, tvm.transform.PassContext(instruments=[watch]):
                mod = each(mod)
    except UnknownPipeline as error:
        say({"end": ["", "usage", str(error)]})
    except BaseException as error:  # TVM's reader raises SystemExit
        say({"end": [step, "error", last_line(error)]})
    else:
        say({"end": None})


def main() -> None:
    """Answer until the input ends."""
    warnings.simplefilter("ignore")
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)

    def say(row: dict[str, Any]) -> None:
        replies.write(json.dumps(row) + "\n")
        replies.flush()

    for line in sys.stdin:
        answer(json.loads(line), say)


if __name__ == "__main__":
    main()
