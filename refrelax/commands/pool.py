"""Processes for the tasks of a campaign; one that dies costs the work that it had, and that is done again."""

from __future__ import annotations

import os
import sys
import threading
import time
import warnings
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from multiprocessing import get_context
from queue import SimpleQueue
from typing import Any

from refrelax.errors import InternalError

MOST_DEATHS = 5
"""How often a call may end with the processes before it is called a fault."""


def _end_with(parent: int) -> None:
    """End this process, and with it what it started, soon after its parent is gone."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1.0)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _may_fork() -> bool:
    """Whether a fork is a whole process: what other threads held would be held there for good."""
    return sys.platform == "linux" and threading.active_count() == 1


class Pool:
    """``submit`` starts a call in one of so many processes and gives what waits for its result. Calls begin in their
    order, but for those of ``first``, which begin before all others that wait.

    One thread decides what begins; whoever submits, and whatever ends, only tells it.
    """

    def __init__(self, jobs: int, first: Callable[..., Any] | None = None) -> None:
        self.jobs, self.first = jobs, first
        self.pool = self._forked() if _may_fork() else self._new()
        self._told: SimpleQueue[_Call | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._decide, daemon=True)
        self._thread.start()

    def _forked(self) -> ProcessPoolExecutor:
        """Processes with all that was imported and made here: each would take seconds for it."""
        pool = ProcessPoolExecutor(self.jobs, get_context("fork"), _end_with, (os.getpid(),))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # of threads: NumPy's, which take care of themselves
            pool.submit(os.getpid).result()  # all are forked before the first call, and before any thread of ours
        return pool

    def _new(self) -> ProcessPoolExecutor:
        return ProcessPoolExecutor(self.jobs, get_context("spawn"), _end_with, (os.getpid(),))

    def submit(self, work: Callable[..., Any], *args: Any) -> Callable[[], Any]:
        """Start ``work(*args)`` as soon as a process is free."""
        call = _Call(work, args)
        self._told.put(call)
        return call.result.result

    def _decide(self) -> None:
        waiting: deque[_Call] = deque()
        under_way = 0
        while (call := self._told.get()) is not None:
            under_way -= call.ended is not None
            if call.ended is None or self._to_be_done_again(call):
                (waiting.appendleft if call.work is self.first or call.deaths else waiting.append)(call)
            while waiting and under_way < self.jobs:
                self._begin(waiting.popleft())
                under_way += 1

    def _begin(self, call: _Call) -> None:
        try:
            future = self.pool.submit(call.work, *call.args)
        except BrokenProcessPool:
            self._renew(self.pool)
            future = self.pool.submit(call.work, *call.args)
        call.pool = self.pool

        def ended(done: Future[Any]) -> None:
            call.ended = done
            self._told.put(call)

        future.add_done_callback(ended)

    def _to_be_done_again(self, call: _Call) -> bool:
        """Whether a call ended with its process, and may be tried again; else it has its result."""
        ended, call.ended = call.ended, None
        assert ended is not None
        error = None if ended.cancelled() else ended.exception()
        if ended.cancelled():
            call.result.cancel()
        elif isinstance(error, BrokenProcessPool):
            self._renew(call.pool)
            call.deaths += 1
            if call.deaths < MOST_DEATHS:
                return True
            call.result.set_exception(InternalError(f"a process died {MOST_DEATHS} times over {call.args[1:]!r}"))
        elif error is not None:
            call.result.set_exception(error)
        else:
            call.result.set_result(ended.result())
        return False

    def _renew(self, broken: ProcessPoolExecutor | None) -> None:
        """Other processes for those that died, unless there are some already."""
        if self.pool is broken:
            broken.shutdown(wait=False, cancel_futures=True)
            self.pool = self._new()

    def close(self) -> None:
        """End the processes: whoever wants a result has waited for it, and the next call may take minutes."""
        self._told.put(None)
        self._thread.join()
        for each in list((self.pool._processes or {}).values()):
            each.terminate()
        self.pool.shutdown(wait=True, cancel_futures=True)


@dataclass(slots=True, eq=False)
class _Call:
    """A call that is to begin, or that has ``ended`` in one way or another."""

    work: Callable[..., Any]
    args: tuple[Any, ...]
    result: Future[Any] = field(default_factory=Future)
    deaths: int = 0
    pool: ProcessPoolExecutor | None = None
    ended: Future[Any] | None = None
