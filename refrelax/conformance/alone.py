"""Somebody else's implementation in a process of its own, for commands that ask it one call after the other.

What it does to its process (an end, a signal, a hang, a word on standard output) happens to that process alone; a crash
or a hang is confirmed in a fresh one.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Sequence
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any

from refrelax.backends.executable import Observed
from refrelax.conformance.implementation import ImplementationFailed
from refrelax.conformance.implementations import Foreign, find
from refrelax.errors import InternalError, Outcome, Rejection, UsageError
from refrelax.extras import advice
from refrelax.syntax.module import Module

SECONDS = 60.0
"""The longest that a call may take."""

FUZZ_SECONDS = 25.0
"""The same, where a hang and its confirmation must fit into what ``fuzz`` gives a program."""

START = 60.0
"""Seconds that an implementation may take to be made."""


def find_alone(name: str, pipeline: str | None = None, target: str | None = None) -> Any:
    """``find``, but what is not ours is made and asked in a process of its own.

    Raises:
        UsageError: nothing by that name, or what is there makes no implementation.
        ImportError: it needs an extra.
    """
    chosen = pipeline is not None or target is not None
    return Alone(name) if ":" in name and not chosen else find(name, pipeline, target)


def find_to_fuzz(name: str, pipeline: str | None = None, target: str | None = None) -> Any:
    """``find_alone`` with ``FUZZ_SECONDS``."""
    chosen = pipeline is not None or target is not None
    return Alone(name, FUZZ_SECONDS) if ":" in name and not chosen else find(name, pipeline, target)


class Alone:
    """``module:factory`` in another process; ``check`` and ``observe`` are there if the implementation has them."""

    def __init__(self, name: str, seconds: float = SECONDS) -> None:
        self.made_by, self.seconds = name, seconds
        self._process: BaseProcess | None = None
        self._pipe: Connection | None = None
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
            return self._ask(call)
        except ImplementationFailed as failed:
            if failed.kind not in ("crash", "hang") or self._pipe is not None:
                raise
        return self._ask(call)  # its process is gone: once more, in a fresh one

    def _ask(self, call: tuple[Any, ...]) -> Any:
        """One answer. The process stays only if it gave one."""
        if self._pipe is None:
            self._start()
        assert self._pipe is not None
        try:
            self._pipe.send(call)
            if not self._pipe.poll(self.seconds):
                raise ImplementationFailed("hang", f"no answer within {self.seconds:g} s")
            kind, said = self._pipe.recv()
        except (EOFError, OSError):
            raise ImplementationFailed("crash", f"its process ended with {self._end()}") from None
        except BaseException:
            self.close()
            raise
        if kind == "raised":
            raise said
        return said

    def _start(self) -> tuple[str, tuple[str, ...]]:
        context = get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs, self.made_by), daemon=True)
        self._process.start()
        theirs.close()
        late = UsageError(f"implementation {self.made_by!r} is not made within {START:g} s")
        said: Any
        try:
            kind, said = self._pipe.recv() if self._pipe.poll(START) else ("raised", late)
        except EOFError:
            raise UsageError(
                f"implementation {self.made_by!r}: making it ended its process with {self._end()}"
            ) from None
        if kind == "raised":
            self.close()
            raise said
        name, methods = said
        return name, methods

    def _end(self) -> str:
        """How the process ended, in words."""
        process = self._process
        assert process is not None
        process.join(5)
        code = process.exitcode
        self.close()
        return signal.Signals(-code).name if code is not None and code < 0 else f"exit code {code}"

    def close(self) -> None:
        """End the process."""
        process, pipe, self._process, self._pipe = self._process, self._pipe, None, None
        if process is not None:
            process.kill()
            process.join()
        if pipe is not None:
            pipe.close()


def _serve(pipe: Connection, name: str) -> None:
    """Make the implementation, then answer until the other end is closed. What it prints goes to standard error."""
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    try:
        made: Foreign = find(name)
    except UsageError as error:
        return pipe.send(("raised", error))
    except ImportError as error:
        said = f"the implementation {name} {advice(error) or error}"
        return pipe.send(("raised", ModuleNotFoundError(said, name=error.name)))
    methods = tuple(each for each in ("check", "observe") if hasattr(made, each))
    pipe.send(("made", (made.name, methods)))
    while True:
        try:
            method, *args = pipe.recv()
        except EOFError:
            return None
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
