"""A limit of time around work that may hang."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

AGAIN = 1.0
"""Seconds between one ring and the next, until somebody hears it: a finalizer's exception is only printed."""


_limits: list[float] = []
"""The limits that are in force, the innermost last."""

_listening: list[bool] = []
"""Whether somebody is told when a limit is over: once for each ``listening``."""


def _ring(*_: Any) -> None:
    if _limits:
        raise TimeoutError(f"more than {_limits[-1]:g} s")


def _can_ring() -> bool:
    return hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()


@contextmanager
def listening() -> Iterator[None]:
    """Who is told of a limit stays who it is inside the ``with``: many short ``limited`` cost less there."""
    if not _can_ring():
        yield
        return
    before = signal.signal(signal.SIGALRM, _ring)
    _listening.append(True)
    try:
        yield
    finally:
        _listening.pop()
        signal.signal(signal.SIGALRM, before)


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Raises ``TimeoutError`` inside the ``with`` after so many seconds, where the platform and the thread allow it."""
    if not _can_ring():
        yield
    elif not _listening:
        with listening(), limited(seconds):
            yield
    else:
        _limits.append(seconds)
        signal.setitimer(signal.ITIMER_REAL, seconds, AGAIN)  # what is raised where nothing may be raised is lost
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            _limits.pop()
