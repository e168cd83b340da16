"""The campaigns of ``tools/follow_tvm.py`` and ``tools/every_stage.py``: a few programs of each; nightly, all."""

from __future__ import annotations

import pytest

import refrelax as rr
from refrelax.interop.tvm import find_python
from tests.scripts import TOOLS, script

pytestmark = [pytest.mark.tvm, pytest.mark.skipif(find_python() is None, reason="no interpreter with TVM")]


def follow(pipeline: str, setting: str, count: int, seed: int, whole: float) -> None:
    """But for known faults no pass changes the meaning of a generated program; most others go through the pipeline."""
    campaign = script("follow_tvm")
    *_, tally = campaign.campaign(campaign.generate(count, seed, setting), pipeline)
    found = [each for each in tally.odd if isinstance(each[-1].answer, rr.WrongPass)]
    assert not found, [(rr.print_module(module), bisection.answer) for _, module, _, bisection in found]
    others = sum(times for end, times in tally.ends.items() if not end.startswith("known: "))
    assert tally.through >= whole * others and tally.through > 0, tally.ends


SMALL = [
    ("default_build", "symbolic", 12, 1),
    ("default_build", "bounded", 6, 2),
    ("default_build", "static", 6, 3),
    ("cpu_generic", "symbolic", 6, 4),
    ("zero", "symbolic", 6, 5),
]
LARGE = [
    ("default_build", "symbolic", 150, 10),
    ("default_build", "bounded", 60, 11),
    ("default_build", "static", 60, 12),
    (f"{TOOLS}/tvm_pipelines.py:lifted", "symbolic", 25, 13),
    (f"{TOOLS}/tvm_pipelines.py:tidied", "symbolic", 60, 14),
    ("cpu_generic", "symbolic", 60, 15),
    ("cpu_generic", "static", 40, 16),
    ("zero", "symbolic", 60, 17),
]


@pytest.mark.parametrize(("pipeline", "setting", "count", "seed"), SMALL)
def test_generated_programs(pipeline: str, setting: str, count: int, seed: int) -> None:
    follow(pipeline, setting, count, seed, 0.5)


@pytest.mark.nightly
@pytest.mark.parametrize(("pipeline", "setting", "count", "seed"), LARGE)
def test_many_generated_programs(pipeline: str, setting: str, count: int, seed: int) -> None:
    follow(pipeline, setting, count, seed, 0.75)


def every_stage(only: str) -> None:
    """Everything parses and survives our printer; what differs is listed; types agree on 99.5 % of the bindings."""
    campaign = script("every_stage")
    figures = campaign.run(only)
    rows = campaign.listed()
    assert [each for each in figures.differences if campaign.explain(each, rows) is None] == []
    assert figures.counts["parsed"] == figures.counts["texts"] > 0
    assert figures.counts["same type"] >= 0.995 * figures.counts["bindings"] > 0


@pytest.mark.parametrize("only", ["builder_chain", "text_symbolic_chain"])
def test_every_stage_of_a_program(only: str) -> None:
    every_stage(only)


@pytest.mark.nightly
@pytest.mark.parametrize("only", ["builder_", "nn_", "onnx_", "torch_", "text_"])
def test_every_stage_of_every_program(only: str) -> None:
    every_stage(only)
