"""TVM as an implementation: the judge gives it a module, it gives an outcome, and nothing it does can end our
process."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from typing import Any

from refrelax import api
from refrelax.arrays import Tensor, to_constant
from refrelax.conformance.implementation import ImplementationFailed
from refrelax.errors import Outcome, Returned, Trapped
from refrelax.interop.tvm.process import TvmProcess
from refrelax.runs import inward, outward, parameter_types
from refrelax.semantics.numbers import reading
from refrelax.semantics.values import Opaque, Prim, Shape
from refrelax.syntax.module import ConstantArray, Module

RUNTIME_ERROR = "tvm-runtime-error"
"""The rule of a trap that TVM reports: it names no rules, and any two traps agree."""


class TvmImplementation:
    """TVM 0.27, compiling with its default pipeline (or ``pipeline`` before it) for ``target``, in a subprocess.

    ``run`` raises ``ImplementationFailed`` on a crash, a hang, or a module that TVM refuses to read or build. An error
    while the program runs is ``Trapped``: TVM's runtime checks end so.
    """

    name = "tvm"

    def __init__(
        self, pipeline: str | None = None, target: str = "llvm", timeout: float = 60.0, python: str | None = None
    ) -> None:
        self.pipeline, self.target = pipeline, target
        self.process = TvmProcess(python, timeout)

    def run(self, module: Module, entry: str, args: Sequence[Any]) -> Outcome:
        """Run one function."""
        types = parameter_types(module, entry)
        ieee = reading("ieee")
        values = [inward(a, types[k] if k < len(types) else None, ieee) for k, a in enumerate(args)]
        answer = self.process.ask(
            {
                "text": api.print_module(module),
                "constants": {str(k): triple(v) for k, v in module.constants.items()},
                "entry": entry,
                "args": [encode(outward(v) if not isinstance(v, Prim) else v.value) for v in values],
                "target": self.target,
                "pipeline": self.pipeline,
            }
        )
        match answer:
            case {"refused": [stage, kind, message]}:
                raise ImplementationFailed("error", f"{stage}: {kind}: {_last_line(message)}")
            case {"raised": [kind, message]}:
                return Trapped(RUNTIME_ERROR, f"{kind}: {_last_line(message)}")
        return Returned(decode(answer["returned"]), tuple(decode(each) for each in answer["arguments"]))

    def close(self) -> None:
        """End the subprocess."""
        self.process.close()


def _last_line(message: str) -> str:
    """The line of a message that says most: TVM's ``error: …`` if there is one, else the last."""
    lines = [line.strip() for line in message.splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith("error:")]
    return (errors or lines[-1:] or [""])[0][:400]


def triple(array: ConstantArray) -> list[Any]:
    """An array for the worker."""
    return [array.dtype, list(array.shape), base64.b64encode(array.data).decode()]


def encode(value: Any) -> Any:
    """A surface value for the worker."""
    match value:
        case Tensor():
            return {"tensor": triple(to_constant(value))}
        case Shape(dims):
            return {"shape": list(dims)}
        case tuple():
            return {"tuple": [encode(each) for each in value]}
        case None | bool() | int() | float() | str():
            return value
        case _:
            raise ImplementationFailed("error", f"a {type(value).__name__} cannot be given to TVM")


def decode(value: Any) -> Any:
    """The worker's answer as a surface value."""
    match value:
        case {"tensor": [dtype, shape, data]}:
            return Tensor.of(ConstantArray(dtype, tuple(shape), base64.b64decode(data)))
        case {"tuple": items}:
            return tuple(decode(each) for each in items)
        case {"shape": dims}:
            return Shape(tuple(dims))
        case {"opaque": kind}:
            return Opaque(kind)
        case _:
            return value
