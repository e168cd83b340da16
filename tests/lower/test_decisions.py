"""What every pass makes of many small programs, and of programs a little off them, is what was written down.

``decisions.txt`` is written by ``tools/make_decisions.py`` (``decisions.py`` says of what); a line that changes
is a decision that changed: look at it, and write it down again.
"""

from __future__ import annotations

from functools import cache

import pytest

from tests.lower.decisions import FROZEN, lines, texts

TEXTS = texts()


@cache
def frozen() -> dict[str, str]:
    return dict(each.split(": ", 1) for each in FROZEN.read_text(encoding="utf-8").splitlines())


@pytest.mark.thorough
@pytest.mark.parametrize("name", TEXTS)
def test_decisions(name: str) -> None:
    for line in lines(name, *TEXTS[name]):
        label, found = line.split(": ", 1)
        assert found == frozen()[label], label
