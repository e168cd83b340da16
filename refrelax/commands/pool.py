"""Processes for the tasks of a campaign; one that dies costs the work that it had, and that is done again."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from typing import Any

from refrelax.errors import InternalError

MOST_DEATHS = 5
"""How often a call may end with the processes before it is called a fault."""


class Pool:
    """``submit`` starts a call in one of so many processes and gives what waits for its result."""

    def __init__(self, jobs: int) -> None:
        self.jobs = jobs
        self.pool = self._new()

    def _new(self) -> ProcessPoolExecutor:
        return ProcessPoolExecutor(self.jobs, mp_context=get_context("spawn"))

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
