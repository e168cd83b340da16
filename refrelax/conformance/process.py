"""An implementation, by name, in a process of its own that answers one call after the other.

What it prints there goes to standard error. After a hang or a crash its process is gone, and the next call gets a fresh
one.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from functools import cache
from multiprocessing import get_all_start_methods, get_context
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any

from refrelax.conformance.patience import IN_A_ROW
from refrelax.errors import UsageError
from refrelax.extras import advice
from refrelax.interop.names import find
from refrelax.judge.implementation import ImplementationFailed

START = 60.0
"""Seconds that an implementation may take to be made."""


class ImplementationProcess:
    """``made_by``, made by ``serve`` in another process. ``seconds``: the longest that an answer may take; ``start``:
    the longest that it may take to be made.
    """

    def __init__(self, made_by: str, serve: Callable[[Connection, str], None], seconds: float, start: float) -> None:
        self.made_by, self.seconds = made_by, seconds
        self._serve, self._patience = serve, start
        self._process: BaseProcess | None = None
        self._pipe: Connection | None = None
        self._silent = 0
        """Starts in a row that made nothing."""

    def _ask(self, call: Any) -> tuple[Any, ...]:
        """One answer: its kind, and what it says. The process stays only if it gave one.

        Raises:
            ImplementationFailed: a crash or a hang.
        """
        if self._pipe is None:
            self._start_again()
        assert self._pipe is not None
        try:
            self._pipe.send(call)
            if not self._pipe.poll(self.seconds):
                raise ImplementationFailed("hang", f"no answer within {self.seconds:g} s")
            answer: tuple[Any, ...] = self._pipe.recv()
            return answer
        except (EOFError, OSError):
            raise ImplementationFailed("crash", f"its process ended with {self._end()}") from None
        except BaseException:
            self.close()
            raise

    def _start_again(self) -> None:
        """A process in place of one that is gone. One that was made once and cannot be made again has crashed.

        Raises:
            ImplementationFailed: it cannot be made.
        """
        if self._silent == IN_A_ROW:
            raise ImplementationFailed("crash", f"not started again: {IN_A_ROW} starts in a row made nothing")
        try:
            self._silent += 1
            self._start()
        except (UsageError, ImportError) as error:
            raise ImplementationFailed("crash", f"it does not start again: {error}") from None
        self._silent = 0

    def _start(self) -> Any:
        """Start the process; gives what it says of the implementation that it made.

        Raises:
            UsageError: no such implementation, or it is not made in time.
            ImportError: it needs an extra.
        """
        context = _context()
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=self._serve, args=(theirs, self.made_by), daemon=True)
        self._process.start()
        theirs.close()
        late = UsageError(f"implementation {self.made_by!r} is not made within {self._patience:g} s")
        said: Any
        try:
            kind, said = self._pipe.recv() if self._pipe.poll(self._patience) else ("raised", late)
        except EOFError:
            raise UsageError(
                f"implementation {self.made_by!r}: making it ended its process with {self._end()}"
            ) from None
        if kind == "raised":
            self.close()
            raise said
        return said

    def _end(self) -> str:
        """How the process ended, in words."""
        process = self._process
        assert process is not None
        process.join(5)
        code = process.exitcode
        self.close()
        return ended_by(code)

    def close(self) -> None:
        """End the process."""
        process, pipe, self._process, self._pipe = self._process, self._pipe, None, None
        if process is not None:
            process.kill()
            process.join()
        if pipe is not None:
            pipe.close()


def ended_by(code: int | None) -> str:
    """How a process ended, in words; not every signal has a name."""
    if code is None or code >= 0:
        return f"exit code {code}"
    return signal.Signals(-code).name if -code in {*map(int, signal.Signals)} else f"signal {-code}"


@cache
def _context() -> Any:
    """How processes are started: split off one that has the package and nothing else, which takes a hundredth of
    starting Python anew; where that cannot be had (Windows), anew."""
    if "forkserver" not in get_all_start_methods():
        return get_context("spawn")
    context = get_context("forkserver")
    context.set_forkserver_preload(["refrelax.conformance.alone", "refrelax.conformance.workers"])
    return context


def make(pipe: Connection, name: str) -> Any:
    """In the process: the implementation; or ``None``, and the other end is told why."""
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    try:
        return find(name)
    except UsageError as error:
        pipe.send(("raised", error))
    except ImportError as error:
        said = f"the implementation {name} {advice(error) or error}"
        pipe.send(("raised", ModuleNotFoundError(said, name=error.name)))
    return None


def calls(pipe: Connection) -> Iterator[Any]:
    """In the process: what it is asked, until the other end is closed."""
    while True:
        try:
            call = pipe.recv()
        except EOFError:
            return
        yield call
