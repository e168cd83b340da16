"""Somebody else's implementation in a process of its own, for commands that ask it one call after the other.

What it does to its process (an end, a signal, a hang, a word on standard output) happens to that process alone; a crash
or a hang is confirmed in a fresh one.
"""

from __future__ import annotations

from collections.abc import Sequence
from multiprocessing.connection import Connection
from typing import Any

from refrelax.backends.executable import Observed
from refrelax.conformance.process import START, ImplementationProcess, calls, make
from refrelax.errors import InternalError, Outcome, Rejection
from refrelax.interop.foreign import Foreign
from refrelax.interop.names import find, is_tvm, shared_passes
from refrelax.interop.tvm import TvmImplementation
from refrelax.judge.implementation import ImplementationFailed
from refrelax.syntax.module import Module

SECONDS = 60.0
"""The longest that a call may take."""

FUZZ_SECONDS = 25.0
"""The same, where a hang and its confirmation must fit into what ``fuzz`` gives a program."""


def find_alone(name: str, pipeline: str | None = None, target: str | None = None) -> Any:
    """``find``, but what is not ours is made and asked in a process of its own.

    Raises:
        UsageError: nothing by that name, or what is there makes no implementation.
        ImportError: it needs an extra.
    """
    chosen = pipeline is not None or target is not None
    return Alone(name) if ":" in name and not chosen and not is_tvm(name) else find(name, pipeline, target)


def find_to_fuzz(name: str, pipeline: str | None = None, target: str | None = None) -> Any:
    """``find_alone`` with ``FUZZ_SECONDS``; of TVM what shares its process with ``shared_passes``."""
    chosen = pipeline is not None or target is not None
    if is_tvm(name):
        return TvmImplementation(pipeline, target or "llvm", process=shared_passes(name, target).process)
    return Alone(name, FUZZ_SECONDS) if ":" in name and not chosen else find(name, pipeline, target)


class Alone(ImplementationProcess):
    """``module:factory`` in another process; ``check`` and ``observe`` are there if the implementation has them."""

    def __init__(self, name: str, seconds: float = SECONDS) -> None:
        super().__init__(name, _serve, seconds, START)
        self.name, methods = self._start()
        if "check" in methods:
            self.check = self._check
        if "observe" in methods:
            self.observe = self._observe

    def run(self, module: Module, entry: str, args: Sequence[Any]) -> Outcome:
        """See ``Foreign.run``; a process that ends is a crash, and no answer in time a hang."""
        outcome: Outcome = self._call("run", module, entry, list(args))
        return outcome

    def _observe(self, module: Module, entry: str, args: Sequence[Any]) -> Observed:
        observed: Observed = self._call("observe", module, entry, list(args))
        return observed

    def _check(self, module: Module) -> None:
        self._call("check", module)

    def _call(self, *call: Any) -> Any:
        try:
            kind, said = self._ask(call)
        except ImplementationFailed:  # its process is gone: once more, in a fresh one
            kind, said = self._ask(call)
        if kind == "raised":
            raise said
        return said


def _serve(pipe: Connection, name: str) -> None:
    """Make the implementation, then answer."""
    made: Foreign | None = make(pipe, name)
    if made is None:
        return
    methods = tuple(each for each in ("check", "observe") if hasattr(made, each))
    pipe.send(("made", (made.name, methods)))
    for method, *args in calls(pipe):
        _answer(pipe, made, method, args)


def _answer(pipe: Connection, made: Foreign, method: str, args: list[Any]) -> None:
    given: tuple[str, Any]
    try:
        given = ("gave", getattr(made, method)(*args))
    except (Rejection, ImplementationFailed, InternalError) as error:
        given = ("raised", error)
    try:
        pipe.send(given)
    except Exception as error:  # whatever pickling raises; nothing was written
        why = f"what {method} gave cannot pass from its process: {type(error).__name__}: {error}"
        pipe.send(("raised", ImplementationFailed("fault", why)))
