"""Processor seconds that mean the same on every machine: those of one on which a fixed loop takes ``LOOP`` seconds.

Bounds on time in tests are of such seconds. A machine that is slower at the moment (shared ones are, up to five times)
counts fewer of them than it spends; a faster one counts what it spends, so that no bound is stricter than it reads.
"""

from __future__ import annotations

import time
from statistics import median

LOOP = 0.004
"""What ``_loop`` takes where the bounds were written."""


def _loop() -> float:
    """Processor seconds of 100 000 steps of the interpreter."""
    start, total = time.process_time(), 0
    for k in range(100_000):
        total += k
    return time.process_time() - start


def seconds_since(start: float) -> float:
    """Since ``time.process_time()`` was ``start``."""
    spent = time.process_time() - start
    return spent / max(1.0, median(_loop() for _ in range(5)) / LOOP)
