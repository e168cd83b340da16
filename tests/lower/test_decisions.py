"""What every pass makes of many small programs, and of programs a little off them, is what was written down.

``decisions.txt`` is written by ``tools/make_decisions.py`` (``decisions.py`` says of what); a line that changes
is a decision that changed: look at it, and write it down again. By day a sixth is asked, of those that are quick.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.digests import written_down
from tests.lower.decisions import FROZEN, lines, texts

TEXTS = texts()

SLOW = frozenset({
    "fusion matmul-bias-relu", "fusion heads", "fusion conv-bias-relu", "dispatch bias of one element",
    "dispatch an inner result is used", "dispatch an inner result is an argument", "dispatch softmax",
    "dispatch no diamond", "dispatch flat", "dispatch flat otherwise", "dispatch an update between", "built SHAPES",
})  # fmt: skip
"""Those that take a fifth of a second or more; so do all of ``paper``."""


def asked() -> Iterator[Any]:
    for name in TEXTS:
        is_slow = name in SLOW or name.startswith("paper ")
        yield pytest.param(name, marks=pytest.mark.thorough) if is_slow else name


@pytest.mark.by_day(6)
@pytest.mark.parametrize("name", list(asked()))
def test_decisions(name: str) -> None:
    for line in lines(name, *TEXTS[name]):
        label, found = line.split(": ", 1)
        assert found == written_down(FROZEN)[label], label
