"""What the NumPy backend writes for many programs, and for those a little off them, is what was written down.

``written.txt`` was written by ``written.py``; a line that changes is a decision that changed.
"""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path

import pytest

pytest.importorskip("numpy")

sys.path[:0] = [str(Path(__file__).parent)]

from written import FROZEN, lines, programs


@cache
def frozen() -> dict[str, str]:
    return dict(each.split(": ", 1) for each in FROZEN.read_text(encoding="utf-8").splitlines())


@pytest.mark.thorough
@pytest.mark.parametrize(("name", "entry"), [*programs()], ids=lambda each: each)
def test_written(name: str, entry: str) -> None:
    for line in lines(name, entry):
        label, found = line.split(": ", 1)
        assert found == frozen()[label], label
