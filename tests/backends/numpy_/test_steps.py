"""How many steps each operator takes is what was written down: ``steps.txt``, by ``tools/make_decisions.py``
(``steps.py`` says of what). A line that changes is a way that is taken elsewhere: look at it."""

from __future__ import annotations

from functools import cache

import pytest

pytest.importorskip("numpy")

from tests.backends.numpy_.steps import FROZEN, NAMES, line


@cache
def frozen() -> dict[str, str]:
    return dict(each.split(": ", 1) for each in FROZEN.read_text(encoding="utf-8").splitlines())


@pytest.mark.parametrize("name", NAMES)
def test_steps(name: str) -> None:
    label, found = line(name).split(": ", 1)
    assert found == frozen()[label]
