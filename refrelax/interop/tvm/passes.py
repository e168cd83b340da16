"""TVM's pipelines, pass by pass, in a subprocess."""

from __future__ import annotations

import base64
import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from refrelax.errors import UsageError
from refrelax.interop.tvm import sequences
from refrelax.interop.tvm.implementation import GPU, TvmImplementation, last_line, triple
from refrelax.interop.tvm.process import TvmProcess
from refrelax.interop.tvm.spelling import text_for
from refrelax.judge.implementation import FINDINGS, ImplementationFailed
from refrelax.judge.stages import Part, Stage, StagesEnded
from refrelax.syntax.module import ConstantArray, Module

WHOLE = ("default", "default_build", "cpu_generic", "target")
"""Pipelines that ``tvm.compile`` runs itself, or does the work of."""

_WORKER = Path(__file__).with_name("pass_worker.py")


class TvmPasses:
    """TVM 0.27 as a ``Compiler``: a program as TVM reads it, then after each pass of a pipeline.

    A pipeline is a name that TVM knows (``zero``, ``default_build``, …), ``cpu_generic``, ``target``, passes by name
    with commas between them (``pass_steps.py``), or ``FILE.py:function`` for passes of one's own; the file is run in
    the subprocess. ``timeout``: seconds a pass.
    """

    def __init__(self, target: str = "llvm", timeout: float = 120.0, python: str | None = None) -> None:
        self.target = target
        self.process = TvmProcess(python, timeout, _WORKER)

    def stages(self, module: Module, pipeline: str) -> Iterator[Stage]:
        """See ``judge.stages.Compiler``. A pass that fails is run once more in a fresh process, with the passes before
        it; if it then goes on, so does this, and ``process.doubted`` has the failure."""
        return self._confirmed(module, {"stages": pipeline, "target": self.target})

    def below(self, module: Module, pipeline: str) -> Iterator[Stage]:
        """The stages of what ``implementation(pipeline)`` builds, down to machine code; confirmed like ``stages``."""
        before = None if pipeline in WHOLE else pipeline
        return self._confirmed(module, {"below": True, "pipeline": before, "target": self.target})

    def _confirmed(self, module: Module, request: dict[str, Any]) -> Iterator[Stage]:
        given = 0
        try:
            yield from self._stages(module, request, 0)
            return
        except ImplementationFailed as failed:
            given = failed.given if isinstance(failed, _PassFailed) else 0
            if failed.kind not in FINDINGS:
                raise _ended(failed) from None
            first = str(failed)
        if not self.process.alone:
            self.process.close()
        try:
            yield from self._stages(module, request, given)
        except ImplementationFailed as failed:
            raise _ended(failed) from None
        self.process.doubted.append(first)

    def _stages(self, module: Module, wanted: dict[str, Any], skip: int) -> Iterator[Stage]:
        """The stages but the first ``skip``.

        Raises:
            ImplementationFailed: a ``_PassFailed`` if a pass, or the reader, did it.
            UsageError: no such pipeline.
        """
        self.process.start()
        request = {
            "text": text_for(self.process.version, module),
            "constants": {str(k): triple(v) for k, v in module.constants.items()},
            **wanted,
        }
        step, given, place = "read", 0, ""
        part: Part = "pass"
        try:
            for row in self.process.stream(request):
                part = row.get("part", part)
                match row:
                    case {"starts": name}:
                        step = name
                    case {"stage": name, "text": text, "constants": constants}:
                        given += 1
                        if given > skip:
                            yield Stage(name, text, {int(k): array(v) for k, v in constants.items()}, part)
                    case {"end": [_, "usage", _, message]}:
                        raise UsageError(last_line(message))
                    case {"end": [name, kind, error, message]}:
                        step, place = name, str(row.get("place", ""))
                        raise ImplementationFailed(kind, f"{error}: {last_line(message)}".lstrip(": "), message)
        except ImplementationFailed as failed:
            raise _PassFailed(failed, step, given, part, place) from None

    def implementation(self, pipeline: str) -> TvmImplementation:
        """What TVM builds: after ``pipeline`` for one that is not itself the way to code, then as ``tvm.compile`` does.
        It shares the subprocess."""
        return TvmImplementation(None if pipeline in WHOLE else pipeline, self.target, process=self.process)

    def runs(self, stage: Stage) -> bool:
        """Whether the target can run what a stage is: a CPU has no threads of a GPU."""
        return not self.target.startswith("llvm") or GPU.search(stage.text) is None

    def sequence(self, turn: random.Random) -> tuple[str, ...]:
        """Passes and schedules in an order in which TVM takes them: see ``sequences.py``."""
        return sequences.sequence(turn)

    def legal(self, steps: Sequence[str]) -> bool:
        """Whether TVM promises to take the steps in this order."""
        return sequences.legal(steps)

    def varied(self, turn: random.Random, steps: Sequence[str]) -> tuple[str, ...]:
        """Others that are near."""
        return sequences.varied(turn, steps)

    def close(self) -> None:
        """End the subprocess."""
        self.process.close()


class _PassFailed(ImplementationFailed):
    """``name``: the pass that ran; ``given``: how many stages had come; ``part``: of the way."""

    def __init__(self, failed: ImplementationFailed, name: str, given: int, part: Part, place: str) -> None:
        super().__init__(failed.kind, failed.message, failed.detail, place)
        self.name, self.given, self.part = name, given, part


def _ended(failed: ImplementationFailed) -> StagesEnded:
    """The same, for the judge; nameless where no pass was at fault."""
    part: Part = failed.part if isinstance(failed, _PassFailed) else "pass"
    name = failed.name if isinstance(failed, _PassFailed) and failed.kind != "fault" else ""
    return StagesEnded(name, failed.kind, failed.message, failed.detail, part, failed.place)


def array(value: list[Any]) -> ConstantArray:
    """An array of the worker's."""
    dtype, shape, data = value
    return ConstantArray(dtype, tuple(shape), base64.b64decode(data))
