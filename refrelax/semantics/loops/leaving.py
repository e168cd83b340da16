"""Control flow that leaves a loop, a thread or a function: exceptions of the interpreter's own."""

from __future__ import annotations

from typing import Any


class BreakLoop(Exception):
    """Control flow: leaves the innermost loop."""


class ContinueLoop(Exception):
    """Control flow: goes on with the innermost loop."""


class ThreadEnds(Exception):
    """Control flow: ends the thread that runs (``T.thread_return()``)."""


class ReturnValue(Exception):
    """Control flow: leaves the function; ``value`` is a payload or ``None``."""

    def __init__(self, value: Any) -> None:
        self.value = value
