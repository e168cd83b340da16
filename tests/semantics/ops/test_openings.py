"""What a run of a text leaves open was foretold: an opening of that rule fails at these extents."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import refrelax as rr
from refrelax.errors import Ended, Returned, Unspecified
from refrelax.judge.openings import openings as of_entry
from refrelax.semantics.dims import value
from refrelax.semantics.ops import OPERATORS
from refrelax.semantics.ops.meaning.openings import PREMISE, Opening
from refrelax.syntax.scalars import SymVar, walk
from refrelax.testing.sweep import programs
from tests.draws import draws

TEXTS = sorted(name.removeprefix("relax.") for name, op in OPERATORS.items() if op.text is not None)
OF_ELEMENTS = ("num/cast-range", "num/shift-range", "num/int-division-by-zero", "num/clz-of-zero", "num/undetermined")
"""What operations on elements leave open: no openings of a text."""


def fails(opening: Opening, symbols: dict[str, int]) -> bool:
    """Whether an opening is met at some index."""
    mentioned = {v.name for e in (opening.statement, *opening.given) for v in walk(e) if isinstance(v, SymVar)}
    free = sorted(mentioned - symbols.keys())
    domains = [range(-5, 6) if "?" in name else range(7) for name in free]

    def holds(e: Any, at: dict[str, int]) -> bool:
        try:
            return bool(value(e, at))
        except Ended:
            return False

    for found in product(*domains):
        at = {**symbols, **dict(zip(free, found, strict=True))}
        if all(holds(each, at) for each in opening.given) and not holds(opening.statement, at):
            return True
    return False


def foretold(op: str, seed: int, n: int) -> int:
    """How many rules that an operator is open by were foretold."""
    found = list(programs(op, seed, per_dtype=1, only=("float32", "int32")))
    program = found[seed % len(found)]
    try:
        checked = rr.check(rr.parse(program.text))
    except rr.Rejection:
        return 0
    arguments = program.arguments(n, seed, "plain")
    outcome = rr.run(checked, "main", *arguments)
    match outcome:
        case Unspecified(rule=rule):
            met = {rule}
        case Returned(poison=poison):
            met = {rule for _, rule in poison}
        case _:
            return 0
    at = [found for _, found in of_entry(checked, "main", reads=True)]
    symbols = {"n": n, "m": 2}
    if None in at or any(each.rule == PREMISE and fails(each, symbols) for found in at for each in found or ()):
        return 0
    rules = met - set(OF_ELEMENTS)
    for rule in rules:
        known = (each for found in at for each in found or () if each.rule == rule)
        assert any(fails(each, symbols) for each in known), (rule, program.text)
    return len(rules)


@settings(max_examples=draws(120))
@example("grad.take_backward", 0, 0)  # an index that is none leaves the run open, though its value has no element
@given(st.sampled_from(TEXTS), st.integers(0, 200), st.sampled_from((3, 2, 1, 0)))
def test_what_is_open_was_foretold(op: str, seed: int, n: int) -> None:
    foretold(op, seed, n)


@pytest.mark.nightly
@pytest.mark.parametrize("op", TEXTS)
def test_what_is_open_was_foretold_of_each_operator(op: str) -> None:
    for seed in range(60):
        foretold(op, seed, seed % 4)


@pytest.mark.parametrize("op", ["max", "argmin", "mean"])
def test_a_reduction_over_nothing_is_foretold(op: str) -> None:
    assert sum(foretold(op, seed, 0) for seed in range(30)) > 0
