"""Programs a little off those that get a form of their own (``near.py``), emulated.

What a form asks of a program (an addition, from zero, over the whole row, read at these places) fails one thing at a
time when a number, an operation, an extent or an operand is another one: then it must be another form, or none, and the
values are those of the definition all the same.
"""

from __future__ import annotations

import re

import pytest

pytest.importorskip("numpy")


import refrelax as rr
from refrelax.backends.cupy_ import emulate
from refrelax.backends.errors import Unsupported
from refrelax.judge import diff
from refrelax.judge.backend import Backend
from refrelax.judge.campaign import look
from refrelax.syntax.module import BaseFunc, Module
from refrelax.syntax.types import definable
from refrelax.testing.arguments import parameters, random_arguments
from tests.backends.cupy_ import loop_forms, test_statement_forms
from tests.backends.cupy_.near import family, programs_near

pytestmark = [
    pytest.mark.thorough, pytest.mark.skipif(emulate.compiler() is None, reason="no g++ on this machine"),
]  # fmt: skip

EXTENTS: tuple[dict[str, int], ...] = (
    {"n": 5, "m": 3, "s": 5, "t": 7, "l": 2}, {"n": 2, "m": 1, "s": 1, "t": 3, "l": 1}, {"n": 0, "s": 0},
)  # fmt: skip


PROGRAMS = [each for each in programs_near() if not each[0].startswith(("form ", "group ", "statements "))]


@pytest.mark.parametrize(("name", "entry"), PROGRAMS, ids=lambda each: each)
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


def together(part: int) -> rr.CheckedModule:
    """Some of the loop programs that differ in one thing, as one module: compiled once."""
    found = {f"form {name}": loop_forms.program(name) for name in loop_forms.FORMS}
    found |= {f"statements {name}": test_statement_forms.program(name) for name in test_statement_forms.BODIES}
    functions: dict[str, BaseFunc] = {}
    for k, (name, checked) in enumerate(found.items()):
        if k % PARTS == part and name not in UNSUPPORTED:
            functions[re.sub(r"\W+", "_", name)] = checked.module.functions["main"]
    return rr.check(Module(functions))


PARTS = 8

UNSUPPORTED = {f"statements {name}" for name, (_, form) in test_statement_forms.BODIES.items() if form == "Unsupported"}


@pytest.mark.parametrize("mode", ["fast", "bits"])
@pytest.mark.parametrize("part", range(PARTS))
def test_programs_that_differ_in_one_thing(part: int, mode: str) -> None:
    checked = together(part)
    backend = Backend("cuda-emulated", mode).compiled(checked)
    for k, name in enumerate(checked.module.functions):
        having = {s.name for _, type_ in parameters(checked.module, name) for s in definable(type_)}
        for extents in ({"n": 5, "m": 40, "l": 7, "p": 6}, {"n": 3, "m": 3, "l": 2, "p": 1}, {"n": 0, "m": 3}):
            given = {each: extents.get(each, 4) for each in having}
            args = random_arguments(checked.module, name, k, given, "dyadic")
            verdict = diff(checked, name, args, impl=backend, budget=look.BUDGET)
            assert not isinstance(verdict, rr.Divergence), (name, verdict)
