"""The programs of ``cupy_/near.py``, and those a little off them, through the NumPy backend in both modes: loops that
become one array operation, and those that must not."""

from __future__ import annotations

import pytest

pytest.importorskip("numpy")

import refrelax as rr
from refrelax.backends.errors import Unsupported
from refrelax.judge import diff
from refrelax.judge.campaign import look
from refrelax.syntax.types import definable
from refrelax.testing.arguments import parameters, random_arguments
from tests.backends.cupy_.near import family, programs_near

EXTENTS: tuple[dict[str, int], ...] = (
    {"n": 5, "m": 3, "s": 5, "t": 7, "l": 2}, {"n": 2, "m": 1, "s": 1, "t": 3, "l": 1}, {"n": 0, "s": 0},
)  # fmt: skip


@pytest.mark.thorough
@pytest.mark.parametrize(("name", "entry"), [*programs_near()], ids=lambda each: each)
def test_near(name: str, entry: str) -> None:
    for k, (label, checked) in enumerate(family(name, entry)):
        having = {s.name for _, type_ in parameters(checked.module, entry) for s in definable(type_)}
        for extents in EXTENTS if having else EXTENTS[:1]:
            given = {name: extents.get(name, 4) for name in having}
            args = random_arguments(checked.module, entry, k, given, "dyadic" if k % 2 else "normal")
            for mode in ("fast", "bits"):
                try:
                    verdict = diff(checked, entry, args, mode=mode, budget=look.BUDGET)
                except Unsupported:
                    continue
                assert not isinstance(verdict, rr.Divergence), (label, mode, verdict)
