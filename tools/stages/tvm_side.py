"""The process that has TVM for ``tools/every_stage.py``: makes programs, runs pipelines, prints every stage.

One JSON object a line, answered as ``serve.py`` says with ``{"end": …}``. ``{"list": true}`` gives ``{"programs":
[…]}``. ``{"program": name, "pipeline": …}`` or ``{"text", "constants", "pipeline"}`` gives ``{"stages": [{"pass",
"texts": {option: text}, "constants"}, …], "refused": …}`` and keeps the modules. ``{"compare": k, "text"}`` then says
how TVM reads a text of ours for stage k: ``{"equal": parts}`` (up to those parts, see ``lost_in_text``),
``{"different": where}`` or ``{"refused": why}``.
Imports nothing of refrelax but the files beside the bridge.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "refrelax" / "interop" / "tvm")]

import live  # noqa: E402
import lost_in_text  # noqa: E402
import pass_worker  # noqa: E402
import serve  # noqa: E402
import worker  # noqa: E402

OPTIONS: dict[str, dict[str, Any]] = {
    "plain": {},
    "metadata": {"show_meta": True},
    "no sugar": {"syntax_sugar": False},
    "no types": {"show_all_ty": False},
    "verbose": {"verbose_expr": True},
    "alias": {"module_alias": "self_"},
    "indented by 2": {"indent_spaces": 2},
    "prefix": {"ir_prefix": "Tree"},
    "named": {"name": "Model"},
}
"""The ways of TVM 0.27 to print a module that lose nothing (``int_dtype`` and ``float_dtype`` do)."""

COSMETIC = ("alias", "indented by 2", "prefix", "named")
"""Ways that differ in names and blanks only: tried where stages differ most, after these passes."""

COMPLETE = ("read", "LegalizeOps", "FuseTIR", "AttachGlobalSymbol")


def programs() -> dict[str, Any]:
    """Every program that can be made here, by name."""
    found: dict[str, Any] = {}
    for room in ("torch_programs", "nn_programs", "builder_programs", "onnx_programs"):
        try:
            found.update(__import__(room).PROGRAMS)
        except ImportError as error:
            print(f"{room}: {error}", file=sys.stderr)
    return found


class Session:
    """The modules of the last request."""

    def __init__(self) -> None:
        self.programs = programs()
        self.modules: list[Any] = []

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        """The answer to one request."""
        if "list" in request:
            return {"programs": sorted(self.programs), "options": list(OPTIONS)}
        if "compare" in request:
            return self.compare(request)
        return self.stages(request)

    def stages(self, request: dict[str, Any]) -> dict[str, Any]:
        """Make the module and run the pipeline."""
        import tvm

        self.modules, rows = [], []
        self.constants: dict[str, Any] = {}
        step = "make"

        def keep(name: str, mod: Any) -> None:
            text, constants = live.text_and_constants(mod)
            texts = {"plain": text}
            for option, given in OPTIONS.items():
                if option not in texts and (option not in COSMETIC or name in COMPLETE):
                    texts[option] = mod.script(**given)
            arrays = {str(k): pass_worker.triple(v) for k, v in constants.items()}
            self.modules.append((mod, arrays))
            rows.append({"pass": name, "texts": texts, "constants": arrays})

        def starts(name: str) -> None:
            nonlocal step
            step = name

        try:
            if "program" in request:
                mod = self.programs[request["program"]]()
            else:
                mod = worker.read_module(request["text"], request["constants"])
            keep("read", mod)
            target = tvm.target.Target("llvm")
            (chosen,) = pass_worker.find_passes(request["pipeline"], target)
            with target, tvm.transform.PassContext(instruments=[pass_worker.watcher(starts, keep, True)]):
                chosen(mod)
        except BaseException as error:
            return {"stages": rows, "refused": [step, last_line(error)]}
        return {"stages": rows}

    def compare(self, request: dict[str, Any]) -> dict[str, Any]:
        """How TVM reads a text, against the module that it printed."""
        mod, arrays = self.modules[request["compare"]]
        try:
            read = worker.read_module(request["text"], arrays)
        except BaseException as error:
            return {"refused": last_line(error)}
        parts = lost_in_text.equal_up_to(read, mod, mod.script())
        if parts is None:
            return {"different": lost_in_text.equal(read, mod)}
        return {"equal": parts}


def last_line(error: BaseException) -> str:
    """The line of a message that says most."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith("error:")]
    return f"{type(error).__name__}: {(errors or lines[-1:] or [''])[0]}"[:400]


def main() -> None:
    """Answer until the input ends, in one process: it keeps the modules."""
    session = Session()
    serve.serve(lambda request, say: say({"end": session.answer(request)}), worker.warm, torch=True, alone=False)


if __name__ == "__main__":
    main()
