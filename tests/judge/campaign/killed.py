"""Work that kills its worker."""

from __future__ import annotations

import os
import signal
from pathlib import Path


def dies_once(mark: str, value: int) -> int:
    """Ends its process with a signal, the first time."""
    if not Path(mark).exists():
        Path(mark).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return value
