"""Work that kills its worker."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path


def dies_once(mark: str, value: int) -> int:
    """Ends its process with a signal, the first time."""
    if not Path(mark).exists():
        Path(mark).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return value


def notes(place: str, name: str) -> str:
    """Write down that it began."""
    with Path(place).open("a") as file:
        file.write(name)
    return name


def urgent(place: str, name: str) -> str:
    """The same, of the calls that go first."""
    return notes(place, name)


def begins(place: str) -> None:
    """Say that it began, and go on until somebody allows it to end."""
    Path(place, "began").touch()
    while not Path(place, "end").exists():
        time.sleep(0.01)
