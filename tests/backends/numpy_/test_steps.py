"""How many steps each operator takes is what was written down: ``steps.txt``, by ``tools/make_decisions.py``
(``steps.py`` says of what). A line that changes is a way that is taken elsewhere: look at it."""

from __future__ import annotations

import pytest

pytest.importorskip("numpy")

from tests.backends.numpy_.steps import FROZEN, NAMES, line
from tests.digests import written_down


@pytest.mark.parametrize("name", NAMES)
def test_steps(name: str) -> None:
    label, found = line(name).split(": ", 1)
    assert found == written_down(FROZEN)[label]
