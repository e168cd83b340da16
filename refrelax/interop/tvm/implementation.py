"""TVM as an implementation: the judge gives it a module, it gives an outcome, and nothing it does can end our
process."""

from __future__ import annotations

import base64
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from refrelax import api
from refrelax.arrays import Tensor, to_constant
from refrelax.conformance.implementation import ImplementationFailed
from refrelax.errors import Outcome, Returned, Trapped
from refrelax.interop.tvm.process import TvmProcess
from refrelax.runs import inward, outward, parameter_types
from refrelax.semantics.numbers import reading
from refrelax.semantics.values import Opaque, Prim, Shape
from refrelax.syntax.loops import PrimFunc
from refrelax.syntax.module import ConstantArray, Module

RUNTIME_ERROR = "tvm-runtime-error"
"""The rule of a trap that TVM reports: it names no rules, and any two traps agree."""

_WORKERS = "The current thread is not a DiscoWorker thread"
"""What TVM says of a collective in a single process."""

_CONSTANT = re.compile(r'metadata\["[\w.]+"\]\[(\d+)\]')

_GPU = re.compile(
    r"T\.(launch_thread|thread_binding|ptx|mma|tvm_(warp|mma|fill|load_matrix|store_matrix|storage_sync|thread_allreduce))"
)
"""What only a GPU can run, as we print it."""


class TvmImplementation:
    """TVM 0.27, compiling with its default pipeline (or ``pipeline`` before it) for ``target``, in a subprocess.

    ``run`` raises ``ImplementationFailed``: ``"error"`` for a module that TVM refuses to read or build,
    ``"unsupported"`` for threads of a GPU on a CPU and collectives without a session of workers, ``"crash"``,
    ``"hang"``. An error while the program runs is ``Trapped``: TVM's runtime checks end so.
    """

    name = "tvm"
    known = Path(__file__).with_name("deviations.toml")
    """The cases of the suite that TVM 0.27 is known not to pass."""

    def __init__(
        self, pipeline: str | None = None, target: str = "llvm", timeout: float = 60.0, python: str | None = None
    ) -> None:
        self.pipeline, self.target = pipeline, target
        self.process = TvmProcess(python, timeout)

    def run(self, module: Module, entry: str, args: Sequence[Any]) -> Outcome:
        """Run one function."""
        types = parameter_types(module, entry)
        if isinstance(module.functions[entry], PrimFunc) and None in types:
            raise ImplementationFailed("unsupported", "an argument behind a bare handle")
        ieee = reading("ieee")
        values = [inward(a, types[k] if k < len(types) else None, ieee) for k, a in enumerate(args)]
        given = [encode(outward(v) if not isinstance(v, Prim) else v.value) for v in values]
        request = {"entry": entry, "args": given, "target": self.target, "pipeline": self.pipeline}
        answer = self._ask(module, request)
        match answer:
            case {"raised": [_, message]} if _WORKERS in message:
                raise ImplementationFailed("unsupported", "a collective, outside of a session of workers")
            case {"raised": [kind, message]}:
                return Trapped(RUNTIME_ERROR, f"{kind}: {_last_line(message)}")
        return Returned(decode(answer["returned"]), tuple(decode(each) for each in answer["arguments"]))

    def check(self, module: Module) -> None:
        """Read the module, TVM's checks of well-formedness included.

        Raises:
            ImplementationFailed: ``"error"`` if TVM refuses it.
        """
        self._ask(module, {})

    def _ask(self, module: Module, request: dict[str, Any]) -> dict[str, Any]:
        """The worker's answer about a module; a refusal is raised."""
        text = api.print_module(module)
        if any(int(number) not in module.constants for number in _CONSTANT.findall(text)):
            raise ImplementationFailed("unsupported", "a constant that is not bound")
        constants = {str(k): triple(v) for k, v in module.constants.items()}
        answer = self.process.ask({"text": text, "constants": constants, **request})
        match answer:
            case {"refused": ["build", kind, message]} if self.target.startswith("llvm") and _GPU.search(text):
                raise ImplementationFailed("unsupported", f"threads of a GPU: {kind}: {_last_line(message)}")
            case {"refused": [stage, kind, message]}:
                raise ImplementationFailed("error", f"{stage}: {kind}: {_last_line(message)}")
        return answer

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
            raise ImplementationFailed("unsupported", f"a {type(value).__name__} cannot be given to TVM")


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
