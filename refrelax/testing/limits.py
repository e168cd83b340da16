"""A limit of time around work that may hang."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

AGAIN = 1.0
"""Seconds between one ring and the next, until somebody hears it: a finalizer's exception is only printed."""


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Raises ``TimeoutError`` inside the ``with`` after so many seconds, where the platform and the thread allow it."""
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def ring(*_: Any) -> None:
        raise TimeoutError(f"more than {seconds:g} s")

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds, AGAIN)  # what is raised where nothing may be raised is lost
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
