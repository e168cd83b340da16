"""The suite on an implementation in a process of its own: what hangs is ended after a deadline, what dies is a crash.

The process answers one case after the other; after a hang or a crash the next case gets a fresh one. What the
implementation prints goes to standard error.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterable, Iterator
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from refrelax.conformance.cases import Case
from refrelax.conformance.implementations import find
from refrelax.conformance.judged import Judge, Judged
from refrelax.errors import InternalError, UsageError
from refrelax.extras import advice

START = 60.0
"""Seconds that an implementation may take to be made."""

IN_A_ROW = 3
"""Hangs in a row after which the rest of an area is not asked."""

HANG = "hang"


class Worker:
    """An implementation, by name, in a process. ``deadline``: seconds for one case.

    Raises:
        UsageError: no such implementation, or it is not made in time.
        ImportError: it needs an extra.
    """

    def __init__(self, name: str, deadline: float) -> None:
        self.name, self.deadline = name, deadline
        self.known: Path | None = None
        self._process: BaseProcess | None = None
        self._pipe: Connection | None = None
        self._start()

    def judge(self, cases: Iterable[Case]) -> Iterator[Judged]:
        """Every case, one after the other; none more of an area of which ``IN_A_ROW`` hung in a row."""
        hung: dict[str, int] = {}
        for case in cases:
            area = case.name.partition("/")[0]
            if hung.get(area, 0) == IN_A_ROW:
                yield Judged(case, "not judged", f"not asked: {IN_A_ROW} cases of {area} in a row hung")
                continue
            judged = self._judge(case)
            hung[area] = hung.get(area, 0) + 1 if judged.why.startswith(HANG) else 0
            yield judged

    def _judge(self, case: Case) -> Judged:
        if self._pipe is None:
            self._start()
        assert self._pipe is not None
        try:
            self._pipe.send(case)
            if not self._pipe.poll(self.deadline):
                self.close()
                return Judged(case, "failed", f"{HANG}: no answer within {self.deadline:g} s")
            kind, *rest = self._pipe.recv()
        except (EOFError, OSError):
            return Judged(case, "failed", f"crash: its process ended with {self._end()}")
        if kind == "missing":
            raise ModuleNotFoundError(rest[0], name=rest[1])
        if kind == "fault":
            raise InternalError(rest[0])
        word, why = rest
        return Judged(case, word, why)

    def _start(self) -> None:
        context = get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs, self.name), daemon=True)
        self._process.start()
        theirs.close()
        try:
            if not self._pipe.poll(max(START, self.deadline)):
                self.close()
                raise UsageError(f"implementation {self.name!r} is not made within {START:g} s")
            kind, said = self._pipe.recv()
        except EOFError:
            raise UsageError(f"implementation {self.name!r}: making it ended its process with {self._end()}") from None
        if kind != "made":
            self.close()
            raise ModuleNotFoundError(said[0], name=said[1]) if kind == "missing" else UsageError(said)
        self.known = said

    def _end(self) -> str:
        """How the process ended, in words; the next case starts another."""
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
    """Make the implementation, then answer until the other end is closed."""
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    try:
        implementation = find(name)
    except UsageError as error:
        return pipe.send(("wrong", str(error)))
    except ImportError as error:
        return pipe.send(("missing", (f"the implementation {name} {advice(error) or error}", error.name)))
    pipe.send(("made", getattr(implementation, "known", None)))
    judge = Judge(implementation)
    while True:
        try:
            case = pipe.recv()
        except EOFError:
            return None
        pipe.send(_answer(judge, case))


def _answer(judge: Judge, case: Case) -> tuple[Any, ...]:
    try:
        judged = judge(case)
    except ImportError as error:
        return "missing", str(error), error.name
    except Exception as error:
        return "fault", f"{case.name}: {type(error).__name__}: {error}"
    return "judged", judged.word, judged.why
