"""TVM's own memory planner, validated beside ours: proved for all shapes, or refused where its plan is ill-formed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import refrelax as rr
from refrelax.examples import load
from refrelax.interop.tvm import TvmPasses, find_python
from refrelax.lower.memory_report import successive_use
from refrelax.lower.pipeline import lower

from .memory_faults import PROGRAMS
from .test_paper_planning import SEPARATES

pytestmark = [pytest.mark.tvm, pytest.mark.skipif(find_python() is None, reason="no interpreter with TVM")]

PIPELINE = f"{Path(__file__).with_name('tvm_planning.py')}:planning"
PLANNED = ("StaticPlanBlockMemory", "KillAfterLastUse")


@pytest.fixture(scope="module")
def stages() -> Any:
    """The program after each pass, by the name of the pass."""
    tvm = TvmPasses()
    yield lambda module: {each.name: each for each in tvm.stages(module, PIPELINE)}
    tvm.process.close()


@pytest.mark.parametrize("name", [*(name for name in PROGRAMS if name != "branch"), *SEPARATES])
def test_tvms_plan_is_proved(name: str, stages: Any) -> None:
    found = stages(rr.parse((PROGRAMS | SEPARATES)[name]))
    before = rr.check(found["CallTIRRewrite"].module())
    for each in PLANNED:
        answer = rr.validate(before, rr.check(found[each].module()))
        assert isinstance(answer, rr.Equivalent), getattr(answer, "unproved", answer)


def test_a_storage_of_one_branch_in_the_other(stages: Any) -> None:
    """apache/tvm#20191: the storage is defined in the one branch and used in the other; the VM crashes on it."""
    found = stages(rr.parse(PROGRAMS["branch"]))
    with pytest.raises(rr.IllFormed) as refused:
        rr.check(found["StaticPlanBlockMemory"].module())
    assert {each.rule for each in refused.value.diagnostics} == {"wf/var-defined-before-use"}


@pytest.mark.parametrize("name", ["mlp", pytest.param("cnn", marks=pytest.mark.nightly), "decoder"])
def test_models(name: str, stages: Any) -> None:
    """Proved for all batches and lengths; in bytes, under a bound, ours is no larger than TVM's."""
    example = load(name)
    stage = example.stage("imported")
    text = stage.text.replace('{"tir_var_lower_bound": {"n": 1}}', '{"tir_var_upper_bound": {"n": 64}}')
    assert text != stage.text
    found = stages(replace(rr.parse(text), constants=stage.constants))
    before = rr.check(found["CallTIRRewrite"].module())
    theirs, ours = rr.check(found[PLANNED[0]].module()), lower(before, passes=("plan_memory",)).module
    for each in (theirs, ours):
        answer = rr.validate(before, each, example.entry)
        assert isinstance(answer, rr.Equivalent), getattr(answer, "unproved", answer)
    runs = [{"n": n} for n in (1, 16, 32, 64)]
    used = [successive_use(each.module, runs, example.entry)[-1] for each in (before, theirs, ours)]
    assert used[2].peak <= used[1].peak * 1.02
