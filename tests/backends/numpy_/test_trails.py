"""Which way each call of a quick form goes is what was written down: ``trails.txt``, by ``tools/make_decisions.py``
(``trails.py`` says of what). A line that changes is a short cut that is taken elsewhere: look at it."""

from __future__ import annotations

import pytest

pytest.importorskip("numpy")

from tests.backends.numpy_.trails import FROZEN, NAMES, lines
from tests.digests import written_down


@pytest.mark.parametrize("name", NAMES)
def test_trails(name: str) -> None:
    for line in lines(name):
        label, found = line.split(": ", 1)
        assert found == written_down(FROZEN)[label], label
