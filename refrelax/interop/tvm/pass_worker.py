"""The process that has TVM: runs a pipeline and prints the module after every pass. Imports nothing of refrelax.

A request: ``{"text", "constants", "stages": pipeline, "target"}`` (without ``"stages"`` it is one of ``worker.py``, and
answered as there). Answers, a line each, as the passes end, so that a crash
loses nothing that went before: ``{"stage": pass, "text", "constants"}``; ``{"starts": pass}`` before each pass; at the
end ``{"end": null}`` or ``{"end": [pass, kind, class, message], "place": where}`` with kind ``"unread"`` (the text),
``"refused"`` (by the pass; by the reader, a binding whose text it took and whose type it does not deduce), ``"usage"``
(no such pipeline) or ``"fault"`` (the program between passes cannot be shown).

A pipeline is a name that ``relax.get_pipeline`` knows, ``cpu_generic`` (what TVM chooses for ``llvm``), ``target``
(what it chooses for the target), ``FILE.py:function`` (the function gives a pass or a list of passes), or passes by
name with commas between them (``pass_steps.py``).

With ``"below": true`` the pipeline (if there is one) runs unseen, and what is shown are the stages of ``tvm.compile``
after it: ``"part"`` is ``pass`` for those that see graph functions, ``tir`` for those that see loop programs alone,
which are shown together with the graph functions that call them, as long as these still fit.
"""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import Any

import live  # type: ignore[import-not-found]  # beside this file, which is run as a script
import pass_steps  # type: ignore[import-not-found]
import serve  # type: ignore[import-not-found]
import user_file  # type: ignore[import-not-found]
import worker  # type: ignore[import-not-found]

CONTAINERS = ("sequential", "_pipeline", "f_zero_pipeline")
"""The names of passes that only run others: TVM's ``Sequential``, and the pipelines that it names."""


OURS = "pass_steps.py:"
"""Where an exception comes from that is no word of TVM's: the script asked for something that a wheel has not."""


class UnknownPipeline(Exception):
    """The caller asked for what is not there."""


def find_passes(pipeline: str, target: Any) -> list[Any]:
    """The passes of a pipeline; one that TVM names is a single pass around the others."""
    from tvm import relax
    from tvm.relax.pipeline import PIPELINE_MAP

    if ":" in pipeline:
        made = user_file.call(pipeline)
        passes = list(made) if isinstance(made, list | tuple) else [made]
        for each in passes:
            if not callable(each):
                raise UnknownPipeline(f"{pipeline}: expected a pass or a list of passes; found {type(each).__name__}")
        return passes
    if pipeline in ("cpu_generic", "target"):
        import tvm

        chosen = tvm.target.Target("llvm") if pipeline == "cpu_generic" else target
        return [relax.get_default_pipeline(chosen)]
    if pipeline in PIPELINE_MAP:
        return [relax.get_pipeline(pipeline)]
    try:
        return [each for _, each in pass_steps.passes(pipeline)]
    except pass_steps.UnknownStep as error:
        if "," in pipeline or "(" in pipeline or "." in pipeline:
            raise UnknownPipeline(str(error)) from None
        known = ", ".join(sorted([*PIPELINE_MAP, "cpu_generic", "target"]))
        more = "FILE.py:function, or passes with commas between them"
        raise UnknownPipeline(f"TVM has no pipeline {pipeline!r}; known: {known}, or {more}") from None


def by_name(pipeline: str) -> list[str]:
    """The names of the steps, where a pipeline is a sequence of passes by name."""
    from tvm.relax.pipeline import PIPELINE_MAP

    if ":" in pipeline or pipeline in (*PIPELINE_MAP, "cpu_generic", "target"):
        return []
    names: list[str] = pass_steps.split(pipeline)
    return names


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


def answer(request: dict[str, Any], say: serve.Say) -> None:
    """Every stage, as it comes about."""
    if request.get("below"):
        below(request, say)
        return
    if "stages" not in request:
        worker.answer(request, say)
        return
    step, kind = "read", "unread"

    def starts(name: str) -> None:
        nonlocal step, kind
        step, kind = name, "refused"
        say({"starts": name})

    def ends(name: str, mod: Any) -> None:
        nonlocal step, kind
        step, kind = name, "fault"  # an exception on its way through TVM may lose its class
        say(shown(name, mod))
        step, kind = "the pipeline", "refused"

    import tvm

    try:
        mod = worker.read_module(request["text"], request["constants"])
        step, kind = "", "usage"
        target = tvm.target.Target(request["target"])
        step, kind = "read", "unread"
        chosen = find_passes(request["stages"], target)
        ends("read", mod)
        wrapped, names = ":" not in request["stages"], by_name(request["stages"])
        for k, each in enumerate(chosen):
            if names:
                starts(names[k])
                with target:
                    mod = each(mod)
                ends(names[k], mod)
                continue
            with target, tvm.transform.PassContext(instruments=[watcher(starts, ends, wrapped)]):
                mod = each(mod)
    except (UnknownPipeline, user_file.UserFault) as error:
        say({"end": ["", "usage", "", str(error)]})
    except BaseException as error:  # TVM's reader raises SystemExit
        place = worker.place_of(error)
        if place.startswith(OURS):
            kind = "fault"
        elif kind == "unread" and worker.deducing(error):
            kind = "refused"
        say({"end": [step, kind, type(error).__name__, str(error)], "place": place})
    else:
        say({"end": None})


# --- below the pipeline ----------------------------------------------------------------------------------------------

LAST_SHOWN = "tirx.MakePackedAPI"
"""From this pass on, loop programs take other arguments than the graph functions give."""

CODEGEN = "codegen"


class _Below:
    """What is told of the stages of ``tvm.compile``."""

    def __init__(self, say: serve.Say, mod: Any) -> None:
        from tvm import relax

        self.say, self.last = say, mod
        self.step, self.part, self.kind = "VMCodeGen", "pass", "refused"
        self.shows, self.relax_function = True, relax.Function

    def starts(self, name: str) -> None:
        self.step, self.kind = name, "refused"
        self.part = "tir" if name.startswith(("tirx.", "s_tir.")) else self.part
        self.say({"starts": name, "part": self.part})

    def ends(self, name: str, mod: Any) -> None:
        """A pass is done. Loop programs alone are what is left after the graph functions became instructions."""
        import tvm

        graph = {g: f for g, f in self.last.functions.items() if isinstance(f, self.relax_function)}
        if any(isinstance(f, self.relax_function) for f in mod.functions.values()):
            self.last = mod
        elif graph or not self.last.functions:
            self.part = "tir"
            mod = tvm.IRModule({**graph, **dict(mod.functions.items())}, global_infos=self.last.global_infos)
        else:
            self.part = "tir"
        self.shows = self.shows and name != LAST_SHOWN
        row: dict[str, Any] = {"stage": name, "text": "", "constants": {}}
        if self.shows:
            try:
                row = shown(name, mod)
            except BaseException:  # what cannot be shown is not seen
                self.shows = self.part == "pass"
        self.say({**row, "part": self.part})
        self.step, self.part = (CODEGEN, "codegen") if self.part == "tir" else ("VMCodeGen", self.part)
        self.kind = "refused"
        self.say({"starts": self.step, "part": self.part})


def below(request: dict[str, Any], say: serve.Say) -> None:
    """Every stage of what ``tvm.compile`` does."""
    import tvm
    from tvm import relax

    try:
        mod = worker.read_module(request["text"], request["constants"])
        target = tvm.target.Target(request["target"])
        for each in worker.asked_for(request):
            with target:
                mod = each(mod)
    except BaseException as error:
        say({"end": ["", "unread", type(error).__name__, str(error)]})
        return
    way = _Below(say, mod)
    try:
        way.starts(way.step)
        with tvm.transform.PassContext(instruments=[watcher(way.starts, way.ends, False)]):
            made = tvm.compile(mod, target=request["target"])
        if any(isinstance(each, way.relax_function) for each in mod.functions.values()):
            relax.VirtualMachine(made, tvm.cpu())
    except BaseException as error:
        end = [way.step, way.kind, type(error).__name__, str(error)]
        say({"end": end, "part": way.part, "place": worker.place_of(error)})
    else:
        say({"end": None})


if __name__ == "__main__":
    serve.serve(answer, worker.warm)
