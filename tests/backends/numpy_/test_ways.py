"""Which statements a call runs is what was written down: ``ways.txt``, by ``tools/make_decisions.py`` (``ways.py`` says
of what). A line that changes is a short cut that is taken elsewhere: look at it."""

from __future__ import annotations

import pytest

pytest.importorskip("numpy")

from tests.backends.numpy_.ways import FROZEN, PROGRAMS, text
from tests.digests import written_down


@pytest.mark.by_day(4)
@pytest.mark.parametrize(("kind", "name", "mode"), PROGRAMS)
def test_ways(kind: str, name: str, mode: str) -> None:
    label, found = text(kind, name, mode).split(": ", 1)
    assert found == written_down(FROZEN)[label], label
