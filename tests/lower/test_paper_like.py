"""Programs that nobody here has written for the passes: each is proved from the text to the built module, and runs."""

from __future__ import annotations

import pytest

import refrelax as rr
from refrelax.lower import lower
from refrelax.testing.arguments import random_arguments, symbols_of

from .paper_like import PROGRAMS


@pytest.mark.thorough
@pytest.mark.parametrize("name", PROGRAMS)
def test_it_is_proved_and_runs(name: str) -> None:
    first = rr.check(rr.parse(PROGRAMS[name]))
    built = lower(first, "paper")
    assert "stays" not in built.steps[-1].evidence
    for entry in (each for each, f in first.module.relax_functions().items() if not f.private):
        found = rr.validate(first, built.module, entry)
        assert isinstance(found, rr.Equivalent), (entry, str(found))
        dims = {each: k for k, each in enumerate(symbols_of(first.module, entry), 2)}
        args = random_arguments(first.module, entry, 0, dims)
        wanted, given = rr.run(first, entry, *args), rr.run(built.module, entry, *args)
        assert isinstance(wanted, rr.Returned) and isinstance(given, rr.Returned)
