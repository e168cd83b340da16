"""TVM as an implementation: the judge gives it a module, it gives an outcome, and nothing it does can end our
process."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from refrelax.backends.executable import Observed
from refrelax.errors import Outcome, Returned, Trapped, UsageError
from refrelax.interop.tvm.batch import Program, run_many
from refrelax.interop.tvm.frames import Frames
from refrelax.interop.tvm.instrument import instrument
from refrelax.interop.tvm.process import TvmProcess
from refrelax.interop.tvm.spelling import text_for
from refrelax.judge.implementation import ImplementationFailed
from refrelax.running.arrays import Tensor, to_constant
from refrelax.running.run import inward, outward, parameter_types
from refrelax.semantics.numbers import reading
from refrelax.semantics.values import DType, Opaque, Prim, Shape
from refrelax.syntax.loops import PrimFunc
from refrelax.syntax.module import ConstantArray, Module

RUNTIME_ERROR = "tvm-runtime-error"
"""The rule of a trap that TVM reports: it names no rules, and any two traps agree."""

_LACKING = re.compile(
    r"The current thread is not a DiscoWorker thread"  # a collective in a single process
    r"|[Cc]annot find (?:global |packed |Packed|ffi::)?[Ff]unc"
    r"|runtime is not linked into this build|Cannot find ROCm path"  # a device that this wheel was not built for
    r"|CopyDataFromTo only support contiguous"  # a library function of the suite on memory with strides
)
"""What TVM says where it has no such thing."""

_CONSTANT = re.compile(r'metadata\["[\w.]+"\]\[(\d+)\]')

GPU = re.compile(
    r"T\.(launch_thread|thread_binding|ptx|mma|tvm_(warp|mma|fill|load_matrix|store_matrix|storage_sync|thread_allreduce))"
)
"""What only a GPU can run, as we print it."""


class TvmImplementation:
    """TVM, compiling with its default pipeline (or ``pipeline``, a name or ``FILE.py:function``, before it) for
    ``target``, in a subprocess.

    ``run``, ``check`` and ``observe`` raise ``ImplementationFailed``: ``unread`` for a module that TVM's reader
    refuses, ``refused`` for one that it does not build, ``unsupported`` for threads of a GPU on a CPU, for library
    functions that it lacks and collectives without a session of workers, ``crash``, ``hang``, ``absent``. An error
    while the program runs is ``Trapped``: TVM's runtime checks end so.
    """

    name = "tvm"
    known = Path(__file__).with_name("deviations.toml")
    """The cases of the suite that TVM 0.27 is known not to pass."""

    def __init__(
        self,
        pipeline: str | None = None,
        target: str = "llvm",
        timeout: float = 60.0,
        python: str | None = None,
        process: TvmProcess | None = None,
    ) -> None:
        self.pipeline, self.target = pipeline, target
        self.process = process or TvmProcess(python, timeout)

    def run(self, module: Module, entry: str, args: Sequence[Any]) -> Outcome:
        """Run one function."""
        request = self.call(module, entry, args)
        return self.process.confirmed(lambda: self.outcome(self._ask(module, request, _pass_over)))

    def observe(self, module: Module, entry: str, args: Sequence[Any]) -> Observed:
        """Run one function as it is, for the outcome, and once more in a module that shows its bindings, for the
        frames.

        The second module is another program to compile: nothing that is shown is fused away. Where TVM fails on it
        there are fewer frames, and ``unobserved`` says why.
        """
        outcome = self.run(module, entry, args)
        shown = instrument(module, entry)
        if not shown.sites:
            return Observed(outcome, (), shown.unobserved)
        frames = Frames(shown)
        try:
            self._ask(shown.module, self.call(shown.module, entry, args), frames.take)
        except ImplementationFailed as failed:
            frames.ended(f"the module that shows its bindings: {failed}")
        return Observed(outcome, tuple(frames.frames), frames.unobserved())

    def check(self, module: Module) -> None:
        """Read the module, TVM's checks of well-formedness included.

        Raises:
            ImplementationFailed: ``unread`` if TVM refuses it.
        """
        self.process.confirmed(lambda: self._ask(module, {}, _pass_over))

    def call(self, module: Module, entry: str, args: Sequence[Any]) -> dict[str, Any]:
        """The request for a call."""
        types = parameter_types(module, entry)
        if isinstance(module.functions[entry], PrimFunc) and None in types:
            raise ImplementationFailed("unsupported", "an argument behind a bare handle")
        ieee = reading("ieee")
        values = [inward(a, types[k] if k < len(types) else None, ieee) for k, a in enumerate(args)]
        given = [encode(outward(v) if not isinstance(v, Prim) else v.value) for v in values]
        return {"entry": entry, "args": given, "target": self.target, "pipeline": self.pipeline}

    def shown(self, module: Module) -> dict[str, Any]:
        """The part of a request that has the module. The process runs."""
        text = text_for(self.process.version, module)
        if any(int(number) not in module.constants for number in _CONSTANT.findall(text)):
            raise ImplementationFailed("unsupported", "a constant that is not bound")
        return {"text": text, "constants": {str(k): triple(v) for k, v in module.constants.items()}}

    def run_many(self, programs: Sequence[Program]) -> list[list[Outcome | ImplementationFailed]]:
        """See ``batch.run_many``."""
        return run_many(self, programs)

    def versions(self) -> dict[str, str]:
        """What runs."""
        self.process.start()
        return {"tvm": self.process.version, "target": self.target}

    def script(self, module: Module, args: Sequence[Any], title: str, expected: str, steps: Sequence[str] = ()) -> str:
        """A call of ``main``, or the way through ``steps``, as a script without refrelax: see ``script.py``."""
        from refrelax.interop.tvm.script import script

        version = self.versions()["tvm"]
        return script(module, args, version, self.target, self.pipeline, title, expected, steps)

    def _ask(
        self, module: Module, request: dict[str, Any], seen: Callable[[int, list[Any] | None], None]
    ) -> dict[str, Any]:
        """The worker's answer about a module; a refusal is raised. ``seen`` is told what the module shows."""
        self.process.start()
        shown = self.shown(module)
        text = shown["text"]
        for row in self.process.stream({**shown, **request}):
            match row:
                case {"seen": int(site), "values": values}:
                    seen(site, None if values is None else [decode(each) for each in values])
                case {"end": dict(answer)}:
                    break
        else:
            raise ImplementationFailed("fault", "the script that has TVM gave an answer without an end")
        match answer:
            case {"refused": ["options", _, message]}:
                raise UsageError(last_line(message))
        return self.told(answer, text)

    def outcome(self, answer: dict[str, Any]) -> Outcome:
        """An answer that ``told`` let pass."""
        return _outcome(answer)

    def told(self, answer: dict[str, Any], text: str) -> dict[str, Any]:
        """An answer that is an outcome; a refusal is raised. ``text``: the module's."""
        match answer:
            case {"refused": [stage, kind, message], **rest}:
                cpu_text = text if self.target.startswith("llvm") else ""
                raise _refusal(stage, kind, message, cpu_text, str(rest.get("place", "")))
            case {"raised": [kind, message]} if _LACKING.search(message):
                raise ImplementationFailed("unsupported", f"{kind}: {last_line(message)}", message)
        return answer

    def close(self) -> None:
        """End the subprocess."""
        self.process.close()


def _pass_over(_site: int, _values: list[Any] | None) -> None:
    """Nothing is shown by a module as it is."""


def _refusal(stage: str, kind: str, message: str, text: str, place: str = "") -> ImplementationFailed:
    """What a refusal says. ``kind``: TVM's exception; ``text``: the module's, where a CPU was to run it; ``place``: of
    TVM's sources."""
    said = f"{stage}: {kind}: {last_line(message)}"
    if stage == "arguments":
        return ImplementationFailed("fault", said, message)
    if stage == "read":
        return ImplementationFailed("unread", said, message)
    if GPU.search(text):
        return ImplementationFailed("unsupported", f"threads of a GPU: {said}", message)
    return ImplementationFailed("unsupported" if _LACKING.search(message) else "refused", said, message, place)


def _outcome(answer: dict[str, Any]) -> Outcome:
    match answer:
        case {"raised": [kind, message]}:
            return Trapped(RUNTIME_ERROR, f"{kind}: {last_line(message)}")
    return Returned(decode(answer["returned"]), tuple(decode(each) for each in answer["arguments"]))


def last_line(message: str) -> str:
    """The line of a message that says most: TVM's ``error: …`` if there is one, else the first that says what failed
    (with the next, where it ends in a colon), else the last. What TVM prints of the program stands after it."""
    lines = [line.strip() for line in message.splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith("error:")]
    if any(line.startswith("Command line:") for line in lines):  # of a C compiler: file:line:column: error: …
        errors += [said for line in lines if (said := line[max(line.find(" error: ") + 1, 0) :]).startswith("error: ")]
    if errors or not lines:
        return "".join(errors[:1])[:400]
    if "Offending call:" in lines:
        return f"{lines[0]} Offending call: {lines[-1]}"[:400]
    failed = next((k for k, line in enumerate(lines) if line.startswith("Check failed")), len(lines) - 1)
    return " ".join(lines[failed : failed + 1 + lines[failed].endswith(":")])[:400]


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
        case int() if not -(2**63) <= value < 2**63:
            raise ImplementationFailed("unsupported", "an integer past int64 cannot be given to TVM")
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
        case {"dtype": str(name)}:
            return DType(name)
        case {"opaque": kind}:
            return Opaque(kind)
        case _:
            return value
