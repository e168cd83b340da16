"""Which statements a call runs is what was written down: ``ways.txt``, by ``tools/make_decisions.py`` (``ways.py`` says
of what). A line that changes is a short cut that is taken elsewhere: look at it."""

from __future__ import annotations

from functools import cache

import pytest

pytest.importorskip("numpy")

from tests.backends.numpy_.ways import FROZEN, PROGRAMS, text


@cache
def frozen() -> dict[str, str]:
    return dict(each.rsplit(": ", 1) for each in FROZEN.read_text(encoding="utf-8").splitlines())


@pytest.mark.by_day(4)
@pytest.mark.parametrize(("kind", "name", "mode"), PROGRAMS)
def test_ways(kind: str, name: str, mode: str) -> None:
    label, found = text(kind, name, mode).rsplit(": ", 1)
    assert found == frozen()[label], label
