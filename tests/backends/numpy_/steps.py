"""How many steps the NumPy backend takes for each operator: functions of the backend that are entered in calls at all
of its dtypes and attributes (``rr.testing``'s cells), in both modes. A guard that protects only speed gives the same
values when it is gone, by other steps.

It is written down by ``tools/make_decisions.py``, and held by ``test_steps.py``.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from random import Random

import refrelax as rr
from refrelax.backends.errors import Unsupported
from refrelax.judge.campaign import look
from refrelax.testing.cells import WHOLE, of_operator
from refrelax.testing.sweep import SKETCHES
from tests.backends.numpy_.trails import trail
from tests.digests import digest

FROZEN = Path(__file__).parent / "steps.txt"

NAMES = sorted(SKETCHES)

MOST = 12
"""Programs of an operator that are looked at."""


def line(name: str) -> str:
    drawn = of_operator(name, 0, WHOLE)
    found, calls = list[str](), 0
    for cell in Random(name).sample(drawn, min(MOST, len(drawn))):
        checked = look.checked_of(cell.program)
        if checked is None:
            continue
        for mode in ("fast", "bits"):
            try:
                made = rr.compile(checked, mode=mode)
            except Unsupported:
                found.append("Unsupported")
                continue
            for given in cell.inputs[:2]:
                work = partial(made.run, "main", *cell.arguments(given))
                trail(work)  # what is remembered is so from here on
                steps = trail(work)
                calls += len(steps)
                found.append(" ".join(steps))
    return f"{name}: {calls} steps, {digest(' / '.join(found))}"


def whole() -> str:
    """The text of ``FROZEN``."""
    return "".join(f"{line(name)}\n" for name in NAMES)
