"""What every operator says at a few dtypes, extents and corner values is what was written down."""

from __future__ import annotations

import pytest

from refrelax.running.run import make_headroom
from tests.digests import written_down

from .swept import ASKED, FROZEN, line


@pytest.mark.by_day(4)
@pytest.mark.parametrize("op", ASKED)
def test_what_is_said(op: str) -> None:
    """``tools/make_decisions.py`` writes it down; a line that changes is a type, a message, an element, a set or a
    charge that changed: look at it."""
    make_headroom()
    assert line(op) == f"{op}: {written_down(FROZEN)[op]}"
