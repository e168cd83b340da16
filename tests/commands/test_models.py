"""The demo: its rows agree, and a fault planted in a model makes one disagree."""

from __future__ import annotations

from dataclasses import replace

import pytest

from refrelax import examples
from refrelax.commands.models import judge_stage, pick
from refrelax.errors import UsageError
from refrelax.syntax.module import ConstantArray


def test_the_mlp_agrees_in_both_stages() -> None:
    for example, stage in pick(["mlp"]):
        row = judge_stage(example, stage)
        assert row.agrees, row.trouble
        assert row.bindings.total >= 8 and row.tvm.inside == len(example.runs) and row.dyadic_equal


def test_recorded_outputs_that_are_a_little_wrong_are_outside() -> None:
    ((example, stage),) = pick(["mlp/zero"])
    recorded = example.runs[0]
    (output,) = recorded.outputs
    wrong = bytearray(output.data)
    wrong[2] ^= 0x10  # a high bit of one mantissa
    planted = replace(recorded, outputs=(ConstantArray(output.dtype, output.shape, bytes(wrong)),))
    row = judge_stage(replace(example, runs=(planted,)), stage)
    assert not row.agrees and row.tvm.outside == 1 and "TVM's output" in row.trouble[0]


def test_every_example_has_what_it_says() -> None:
    for name in examples.names():
        example = examples.load(name)
        for stage in example.stages:
            used = {int(part.split("]")[0]) for part in stage.text.split('metadata["ir.GenericConst"][')[1:]}
            assert used == set(stage.constants)
        assert len(example.runs) == 2 and len({tuple(r.dims.values()) for r in example.runs}) == 2


def test_unknown_models() -> None:
    for name in ("nope", "mlp/nope"):
        with pytest.raises(UsageError):
            pick([name])
