"""What is launched for programs with a form of their own, and for those a little off: forms, blocks, threads and bytes.

``launches.txt`` is written by ``tools/make_decisions.py`` (``near.py`` says of what); a line that changes
is a decision that changed: look at it, and write it down again.
"""

from __future__ import annotations

import pytest

pytest.importorskip("numpy")

from tests.backends.cupy_.near import FROZEN, lines, programs_near
from tests.digests import written_down


@pytest.mark.by_day(6)
@pytest.mark.parametrize(("name", "entry"), [*programs_near()], ids=lambda each: each)
def test_launches(name: str, entry: str) -> None:
    for line in lines(name, entry):
        label, found = line.split(": ", 1)
        assert found == written_down(FROZEN)[label], label
