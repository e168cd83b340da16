"""Many programs with many calls each, asked of TVM at once: see ``batch_worker.py``."""

from __future__ import annotations

import math
import signal
from collections.abc import Iterator, Sequence
from itertools import count
from typing import Any, Protocol

from refrelax.errors import Outcome
from refrelax.interop.tvm.process import TvmProcess
from refrelax.judge.implementation import ImplementationFailed
from refrelax.syntax.module import Module

Program = tuple[Module, str, Sequence[Sequence[Any]]]
"""A module, an entry, and the arguments of each call."""

Answers = list[Outcome | ImplementationFailed]


class Asked(Protocol):
    """What is needed of ``TvmImplementation``."""

    process: TvmProcess
    target: str
    pipeline: str | None

    def shown(self, module: Module) -> dict[str, Any]: ...
    def call(self, module: Module, entry: str, args: Sequence[Any]) -> dict[str, Any]: ...
    def told(self, answer: dict[str, Any], text: str) -> dict[str, Any]: ...
    def outcome(self, answer: dict[str, Any]) -> Outcome: ...


def run_many(implementation: Asked, programs: Sequence[Program]) -> list[Answers]:
    """An outcome, or how TVM failed, for each call of each program.

    The programs share a build where they can. A program that ends the process that reads, builds or runs it, or gives
    no answer in time, has failed, and the others are asked for once more without it; if it is the build that they
    share, each is built by itself. Nothing is confirmed: who believes a failure asks again with ``run``.

    Raises:
        ImplementationFailed: ``absent``.
    """
    implementation.process.start()
    answers = _Answers(programs)
    requests = dict(_requests(implementation, programs, answers))
    apart = False
    while requests:
        try:
            answers.take(implementation, list(requests), list(requests.values()), apart)
            break
        except ImplementationFailed as failed:
            if answers.at is None and not apart and len(requests) > 1:
                apart = True
            else:
                for k in requests if answers.at is None else (answers.at,):
                    answers.fill(k, failed)
        requests = {k: request for k, request in requests.items() if answers.missing(k)}
    return answers.found()


def _requests(
    implementation: Asked, programs: Sequence[Program], answers: _Answers
) -> Iterator[tuple[int, dict[str, Any]]]:
    """The programs that can be asked for."""
    for k, (module, entry, calls) in enumerate(programs):
        try:
            shown = implementation.shown(module)
            given = [implementation.call(module, entry, args)["args"] for args in calls]
        except ImplementationFailed as failed:
            answers.fill(k, failed)
            continue
        yield k, {**shown, "entry": entry, "calls": given}


_NUMBERS = count()
"""A number for each request."""


class _Answers:
    """What is known of each call."""

    def __init__(self, programs: Sequence[Program]) -> None:
        self.rows: list[list[Outcome | ImplementationFailed | None]] = [[None] * len(calls) for _, _, calls in programs]
        self.at: int | None = None
        """The program that is read, built or run, if it is one."""

    def missing(self, k: int) -> bool:
        """Whether a call of the program is without an answer."""
        return any(each is None for each in self.rows[k])

    def fill(self, k: int, failed: ImplementationFailed) -> None:
        """The same for every call of the program that has no answer."""
        self.rows[k] = [failed if each is None else each for each in self.rows[k]]

    def found(self) -> list[Answers]:
        lost = ImplementationFailed("fault", "the script that has TVM left out a call")
        return [[each if each is not None else lost for each in row] for row in self.rows]

    def take(self, implementation: Asked, numbers: list[int], requests: list[dict[str, Any]], apart: bool) -> None:
        """Ask, and note what comes. ``apart``: each program has a build of its own.

        Raises:
            ImplementationFailed: the process that builds died, or hung.
        """
        self.at, number = None, next(_NUMBERS)
        common = {"target": implementation.target, "pipeline": implementation.pipeline, "request": number}
        asked = {"programs": requests, "apart": apart, "seconds": math.ceil(implementation.process.timeout)}
        for row in implementation.process.stream({**asked, **common}):
            if row.get("request") != number:
                continue
            if "at" in row:
                self.at = None if row["at"] is None else numbers[row["at"]]
                continue
            if "done" in row:
                continue
            k = numbers[row["program"]]
            text = requests[row["program"]]["text"]
            if "refused" in row:
                self.fill(k, _failure(implementation, row, text))
            else:
                self.rows[k][row["call"]] = _one(implementation, row["answer"], text)


def _failure(implementation: Asked, answer: dict[str, Any], text: str) -> ImplementationFailed:
    try:
        implementation.told(answer, text)
    except ImplementationFailed as failed:
        return failed
    raise AssertionError("a refusal is raised")


def _one(implementation: Asked, answer: dict[str, Any], text: str) -> Outcome | ImplementationFailed:
    match answer:
        case {"died": int(code)} if code == -signal.SIGALRM:
            return ImplementationFailed("hang", "a call gave no answer in time")
        case {"died": int(code)}:
            return ImplementationFailed("crash", signal.Signals(-code).name if code < 0 else f"exit {code}")
    try:
        return implementation.outcome(implementation.told(answer, text))
    except ImplementationFailed as failed:
        return failed
