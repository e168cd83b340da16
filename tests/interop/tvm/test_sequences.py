"""Sequences of passes: legal, the same for a seed, and every step is one that the worker knows by form."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refrelax.interop.tvm import pass_steps, sequences
from refrelax.interop.tvm.sequences import BLOCKS, ENDING, legal, sequence, varied


@given(st.integers(0, 2**60), st.integers(0, 5))
def test_what_is_made_is_legal_and_follows_from_the_seed(seed: int, times: int) -> None:
    turn, again = random.Random(seed), random.Random(seed)
    steps = sequence(turn)
    assert steps == sequence(again) and legal(steps)
    for _ in range(times):
        steps = varied(turn, steps)
        assert steps and legal(steps)
        assert pass_steps.split(",".join(steps)) == list(steps)


@pytest.mark.parametrize(("steps", "takes"), [
    (("FoldConstant", "LegalizeOps", "FoldConstant", "sch.fuse(0,0,0,0,0)"), True),
    (("LegalizeOps", *BLOCKS[:3]), True), (("LegalizeOps", *BLOCKS[1:3]), False),
    (("LegalizeOps", BLOCKS[0], "FoldConstant"), False), (("LegalizeOps", BLOCKS[0], BLOCKS[2]), False),
    (("LegalizeOps", *ENDING, *BLOCKS), True), (("LegalizeOps", ENDING[3]), False), ((ENDING[1],), False),
    (("LegalizeOps", ENDING[1], ENDING[2]), True), (("LegalizeOps", ENDING[2], ENDING[1]), False),
    (("LegalizeOps", ENDING[1], "FoldConstant"), False), (("LegalizeOps", "FuseTIR"), False),
    (("LegalizeOps", *sequences.FUSE), True), (("LegalizeOps", "NoSuchPass"), False),
])  # fmt: skip
def test_what_is_legal(steps: tuple[str, ...], takes: bool) -> None:
    assert legal(steps) is takes
