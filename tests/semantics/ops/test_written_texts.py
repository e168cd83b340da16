"""Texts of operators written down as data: the words that they were, read again, and run as data."""

from __future__ import annotations

import json

import pytest

from refrelax.semantics.numbers.poison import Poison
from refrelax.semantics.ops.meaning.as_json import program_from_json, program_to_json
from refrelax.semantics.ops.meaning.evaluate import evaluate
from refrelax.semantics.ops.meaning.numbers import Dense, given
from tests.digests import written_down

from .written_texts import FROZEN, TEXTS, line, programs

LARGE = ("image.resize2d", "image.resize3d", "image.grid_sample", "vision.roi_align")
"""Of which an element is large."""


@pytest.mark.by_day(4)
@pytest.mark.parametrize("op", [pytest.param(op, marks=pytest.mark.thorough if op in LARGE else ()) for op in TEXTS])
def test_what_is_written_down(op: str) -> None:
    """``tools/make_decisions.py`` writes it down; a line that changes is a text that changed: look at it."""
    assert line(op) == f"{op}: {written_down(FROZEN)[op]}"


@pytest.mark.by_day(4)
@pytest.mark.parametrize("op", [each for each in TEXTS if each not in LARGE])
def test_data_is_read_again_and_runs(op: str) -> None:
    for met, program, symbols in programs(op):
        tree = json.loads(json.dumps(program_to_json(program)))
        again = program_from_json(tree)
        assert program_to_json(again) == tree
        arrays = [x for x in (given(met.e, each) for each in met.values) if isinstance(x, Dense)]
        found = evaluate(again, met.e.numerics, symbols, [(x.dims, x.listed()) for x in arrays])
        outputs = met.gave if isinstance(met.gave, tuple) else (met.gave,)
        assert [dims for dims, _ in found] == [x.shape for x in outputs]
        for (_, row), x in zip(found, outputs, strict=True):
            assert list(map(told, row)) == list(map(told, x.payloads()))


def told(payload: object) -> str:
    return payload.rule if isinstance(payload, Poison) else repr(payload)
