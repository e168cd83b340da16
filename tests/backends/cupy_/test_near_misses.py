"""Programs a little off those that get a form of their own (``near.py``), emulated.

What a form asks of a program (an addition, from zero, over the whole row, read at these places) fails one thing at a
time when a number, an operation, an extent or an operand is another one: then it must be another form, or none, and the
values are those of the definition all the same.
"""

from __future__ import annotations

import pytest

pytest.importorskip("numpy")


import refrelax as rr
from refrelax.backends.cupy_ import emulate
from refrelax.backends.errors import Unsupported
from refrelax.judge import diff
from refrelax.judge.backend import Backend
from refrelax.judge.campaign import look
from refrelax.syntax.types import definable
from refrelax.testing.arguments import parameters, random_arguments
from tests.backends.cupy_.near import family, programs_near

pytestmark = [
    pytest.mark.thorough, pytest.mark.skipif(emulate.compiler() is None, reason="no g++ on this machine"),
]  # fmt: skip

EXTENTS: tuple[dict[str, int], ...] = (
    {"n": 5, "m": 3, "s": 5, "t": 7, "l": 2}, {"n": 2, "m": 1, "s": 1, "t": 3, "l": 1}, {"n": 0, "s": 0},
)  # fmt: skip


@pytest.mark.parametrize(("name", "entry"), [*programs_near()], ids=lambda each: each)
def test_near(name: str, entry: str) -> None:
    for k, (label, checked) in enumerate(family(name, entry)):
        having = {s.name for _, type_ in parameters(checked.module, entry) for s in definable(type_)}
        extents = EXTENTS[k % 3]
        given = {name: extents.get(name, 4) for name in having}
        args = random_arguments(checked.module, entry, k, given, "dyadic" if k % 2 else "normal")
        try:
            verdict = diff(checked, entry, args, impl=Backend("cuda-emulated"), budget=look.BUDGET)
        except Unsupported:
            continue
        assert not isinstance(verdict, rr.Divergence), (label, verdict)
