"""The suite on an implementation in a process of its own: what hangs is ended after a deadline, what dies is a crash.

The next case after a hang or a crash gets a fresh process.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from refrelax.conformance.cases import Case
from refrelax.conformance.judged import Judge, Judged
from refrelax.conformance.patience import Patience
from refrelax.conformance.process import START, ImplementationProcess, calls, make
from refrelax.errors import InternalError
from refrelax.judge.implementation import ImplementationFailed

HANG = "hang"


class Worker(ImplementationProcess):
    """An implementation, by name, in a process. ``deadline``: seconds for one case.

    Raises:
        UsageError: no such implementation, or it is not made in time.
        ImportError: it needs an extra.
    """

    def __init__(self, name: str, deadline: float) -> None:
        super().__init__(name, _serve, deadline, max(START, deadline))
        self.known: Path | None = self._start()

    def judge(self, cases: Iterable[Case]) -> Iterator[Judged]:
        """Every case, one after the other, as far as ``Patience`` goes."""
        patience = Patience()
        for case in cases:
            if (why := patience.refusal(case.name)) is not None:
                yield Judged(case, "not judged", why)
                continue
            judged = self._judge(case)
            patience.heard(case.name, judged.why.startswith(HANG))
            yield judged

    def _confirmed(self, case: Case) -> tuple[Any, ...]:
        """An answer; a crash or a hang only if a fresh process has it too: an earlier case may have done the damage."""
        try:
            return self._ask(case)
        except ImplementationFailed:
            return self._ask(case)

    def _judge(self, case: Case) -> Judged:
        try:
            kind, *rest = self._confirmed(case)
        except ImplementationFailed as failed:
            return Judged(case, "failed", str(failed))
        if kind == "missing":
            raise ModuleNotFoundError(rest[0], name=rest[1])
        if kind == "fault":
            raise InternalError(rest[0])
        word, why = rest
        return Judged(case, word, why)


def _serve(pipe: Connection, name: str) -> None:
    """Make the implementation, then judge it."""
    implementation = make(pipe, name)
    if implementation is None:
        return
    pipe.send(("made", getattr(implementation, "known", None)))
    judge = Judge(implementation)
    for case in calls(pipe):
        pipe.send(_answer(judge, case))


def _answer(judge: Judge, case: Case) -> tuple[Any, ...]:
    try:
        judged = judge(case)
    except ImportError as error:
        return "missing", str(error), error.name
    except Exception as error:
        return "fault", f"{case.name}: {type(error).__name__}: {error}"
    return "judged", judged.word, judged.why
