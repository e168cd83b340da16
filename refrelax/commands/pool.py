"""Processes for the tasks of a campaign; one that dies costs the work that it had, and that is done again."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
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


class Pool:
    """``submit`` starts a call in one of so many processes and gives what waits for its result."""

    def __init__(self, jobs: int) -> None:
        self.jobs = jobs
        self.pool = self._new()

    def _new(self) -> ProcessPoolExecutor:
        return ProcessPoolExecutor(self.jobs, get_context("spawn"), _end_with, (os.getpid(),))

    def submit(self, work: Callable[..., Any], *args: Any) -> Callable[[], Any]:
        """Start ``work(*args)``."""
        pool, future = self._start(work, args)

        def result() -> Any:
            nonlocal pool, future
            for _ in range(MOST_DEATHS):
                try:
                    return future.result()
                except BrokenProcessPool:
                    self._renew(pool)
                    pool, future = self._start(work, args)
            raise InternalError(f"a process died {MOST_DEATHS} times over {args[1:]!r}")

        return result

    def _start(self, work: Callable[..., Any], args: tuple[Any, ...]) -> tuple[ProcessPoolExecutor, Future[Any]]:
        try:
            return self.pool, self.pool.submit(work, *args)
        except BrokenProcessPool:
            self._renew(self.pool)
            return self.pool, self.pool.submit(work, *args)

    def _renew(self, broken: ProcessPoolExecutor) -> None:
        """Other processes for those that died, unless there are some already."""
        if self.pool is broken:
            broken.shutdown(wait=False, cancel_futures=True)
            self.pool = self._new()

    def close(self) -> None:
        self.pool.shutdown(wait=True, cancel_futures=True)
