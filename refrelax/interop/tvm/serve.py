"""How every script that has TVM serves: each program in a process of its own. Imports nothing of refrelax.

The first line out is ``{"tvm": version, "alone": true}``, or ``{"absent": why}`` and the end. Then for each line in (a
request) lines out; the last of them has the key ``"end"``, ``"died"`` (the process of this program ended by a signal or
by itself) or ``"fault"`` (this script went wrong).

The process that was started imports TVM and never runs a program: it forks one that does, so that the memory which one
program breaks is no other's. No program outlives the request's ``"limit"``, seconds from one line out to the next.

Answers go to a copy of standard output; whatever TVM prints goes to standard error.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import traceback
import warnings
from collections.abc import Callable
from contextlib import suppress
from typing import Any

Say = Callable[[dict[str, Any]], None]

ANSWERED = 42
"""How a process ends that has said all: ``exit(0)`` in the middle of a program is a death."""


def serve(
    answer: Callable[[dict[str, Any], Say], None], warm: Callable[[], None], torch: bool = False, alone: bool = True
) -> None:
    """Answer until the input ends. ``warm`` does once, before any program, what every answer would do first.

    ``torch``: let TVM find PyTorch, if it is there; it takes three times as long to load as TVM itself. ``alone``: each
    request in a process of its own, where the system can fork one.
    """
    alone = alone and hasattr(os, "fork")
    warnings.simplefilter("ignore")
    replies = os.dup(1)
    os.dup2(2, 1)

    def say(row: dict[str, Any]) -> None:
        _write(replies, json.dumps(row).encode() + b"\n")

    if not torch:
        sys.modules["torch"] = None  # type: ignore[assignment]
    try:
        import tvm

        version = str(tvm.__version__)
        warm()
    except BaseException as error:  # some versions of tvm-ffi end with SystemExit
        say({"absent": f"{type(error).__name__}: {error}"})
        return
    if not torch:
        del sys.modules["torch"]  # a pipeline of somebody's own may want it
    say({"tvm": version, "alone": alone})
    for line in sys.stdin:
        _forget_errors()
        (_alone if alone else _answer)(answer, json.loads(line), say)


def _write(file: int, data: bytes) -> None:
    while data:
        data = data[os.write(file, data) :]


def _forget_errors() -> None:
    """What was said on standard error belongs to one program."""
    with suppress(OSError):
        os.ftruncate(2, 0)
        os.lseek(2, 0, os.SEEK_SET)


def _alone(answer: Callable[[dict[str, Any], Say], None], request: dict[str, Any], say: Say) -> None:
    child = os.fork()
    if child == 0:
        _answer(answer, request, _timed(say, int(request.get("limit", 0))))
        sys.stderr.flush()
        os._exit(ANSWERED)
    _, status = os.waitpid(child, 0)
    if os.waitstatus_to_exitcode(status) != ANSWERED:
        say({"died": os.waitstatus_to_exitcode(status)})


def _timed(say: Say, limit: int) -> Say:
    """``say`` for a process that ends ``limit`` seconds after its last line."""
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(limit)

    def timed(row: dict[str, Any]) -> None:
        signal.alarm(limit)
        say(row)

    return timed


def _answer(answer: Callable[[dict[str, Any], Say], None], request: dict[str, Any], say: Say) -> None:
    try:
        answer(request, say)
    except BaseException:
        say({"fault": traceback.format_exc()[-4000:]})
