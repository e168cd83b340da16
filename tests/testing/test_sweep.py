"""No accepted program ends in a fault: every operator, dtype and corner value, every reading, the NumPy backend."""

from __future__ import annotations

import random
from itertools import islice

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from refrelax.semantics.ops import OPERATORS
from refrelax.testing.corners import ELEMENT_DTYPES, corners, fill, plain
from refrelax.testing.sketches import SKETCHES
from refrelax.testing.sweep import Tally, examine, programs

UNCALLED = {"vm.call_tir_dyn", "dist.redistribute"}
"""What takes a loop-level function, or a distributed tensor."""


def test_every_operator_has_a_sketch() -> None:
    assert {name.removeprefix("relax.") for name in OPERATORS} == set(SKETCHES) | UNCALLED


@pytest.mark.parametrize("dtype", ELEMENT_DTYPES)
def test_corners_are_patterns_of_the_dtype(dtype: str) -> None:
    from refrelax.syntax import dtypes

    assert len(set(corners(dtype))) == len(corners(dtype)) > 1
    assert all(0 <= p < 1 << dtypes.bits(dtype) for p in (*corners(dtype), *plain(dtype)))
    assert set(fill(corners(dtype), 3 * len(corners(dtype)), 1)) == set(corners(dtype))


@pytest.mark.thorough
@settings(max_examples=40, deadline=None)
@given(st.sampled_from(sorted(SKETCHES)), st.integers(0, 10_000), st.sampled_from(("all", "rank", "nothing")))
def test_a_sample_of_programs_has_no_fault(op: str, seed: int, known: str) -> None:
    turn = random.Random(seed)
    only = tuple(turn.sample(ELEMENT_DTYPES, 2))
    found = list(programs(op, seed, per_dtype=1, only=only))
    program = turn.choice(found)
    faults = list(examine(program if known == "all" else program.loosened(known)))
    assert not faults, str(faults[0])


@pytest.mark.parametrize("op", sorted(SKETCHES))
def test_some_call_of_every_operator_is_accepted(op: str) -> None:
    """What check refuses everywhere proves nothing."""
    tally = Tally()
    for program in islice(programs(op, only=("float32", "int8", "int32", "int64", "bool")), 400):
        list(examine(program, tally, backends=False, deep=False))
        if tally.accepted:
            return
    raise AssertionError(f"no call of {op} is accepted")


@pytest.mark.nightly
@pytest.mark.parametrize("op", sorted(SKETCHES))
def test_every_operator_at_every_dtype(op: str) -> None:
    for program in programs(op, per_dtype=12):
        for variant in (program, program.loosened("rank"), program.loosened("nothing")):
            faults = list(examine(variant))
            assert not faults, str(faults[0])
