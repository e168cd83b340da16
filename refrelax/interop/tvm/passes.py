"""TVM's pipelines, pass by pass, in a subprocess."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from refrelax import api
from refrelax.conformance.implementation import ImplementationFailed
from refrelax.errors import UsageError
from refrelax.interop.tvm.implementation import triple
from refrelax.interop.tvm.process import TvmProcess
from refrelax.judge.stages import Stage, StagesEnded
from refrelax.syntax.module import ConstantArray, Module

_WORKER = Path(__file__).with_name("pass_worker.py")


class TvmPasses:
    """TVM 0.27 as a ``Compiler``: a program as TVM reads it, then after each pass of a pipeline.

    A pipeline is a name that TVM knows (``zero``, ``default_build``, …), ``cpu_generic``, ``target``, or
    ``FILE.py:function`` for passes of one's own; the file is run in the subprocess. ``timeout``: seconds a pass.
    """

    def __init__(self, target: str = "llvm", timeout: float = 120.0, python: str | None = None) -> None:
        self.target = target
        self.process = TvmProcess(python, timeout, _WORKER)

    def stages(self, module: Module, pipeline: str) -> Iterator[Stage]:
        """See ``judge.stages.Compiler``."""
        request = {
            "text": api.print_module(module),
            "constants": {str(k): triple(v) for k, v in module.constants.items()},
            "pipeline": pipeline,
            "target": self.target,
        }
        step = "read"
        try:
            for row in self.process.stream(request):
                match row:
                    case {"starts": name}:
                        step = name
                    case {"stage": name, "text": text, "constants": constants}:
                        yield Stage(name, text, {int(k): _array(v) for k, v in constants.items()})
                    case {"end": [_, "usage", message]}:
                        raise UsageError(message)
                    case {"end": [name, kind, message]}:
                        raise StagesEnded(name, kind, message)
        except ImplementationFailed as failed:
            name = "" if failed.kind == "absent" else step
            raise StagesEnded(name, failed.kind, str(failed).removeprefix(f"{failed.kind}: ")) from None

    def close(self) -> None:
        """End the subprocess."""
        self.process.close()


def _array(value: list[Any]) -> ConstantArray:
    dtype, shape, data = value
    return ConstantArray(dtype, tuple(shape), base64.b64decode(data))
