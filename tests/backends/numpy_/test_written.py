"""What the NumPy backend writes for many programs, and for those a little off them, is what was written down.

``written.txt`` is written by ``tools/make_decisions.py`` (``written.py`` says of what); a line that changes
is a decision that changed: look at it, and write it down again.
"""

from __future__ import annotations

import pytest

pytest.importorskip("numpy")

from tests.backends.numpy_.written import FROZEN, lines, programs
from tests.digests import written_down


@pytest.mark.by_day(6)
@pytest.mark.parametrize(("name", "entry"), [*programs()], ids=lambda each: each)
def test_written(name: str, entry: str) -> None:
    for line in lines(name, entry):
        label, found = line.split(": ", 1)
        assert found == written_down(FROZEN)[label], label
