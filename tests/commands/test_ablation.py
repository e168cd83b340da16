"""The paper's models: TVM's recorded runs are permitted, every pass is proved or named, all backends agree."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from refrelax import api, examples, judge
from refrelax.commands.ablation import JUDGED, PIPELINE, RELAXED, ablation, theirs
from refrelax.commands.demo_paper import pick
from refrelax.errors import Returned, UsageError
from refrelax.examples import Example, RecordedRun
from refrelax.lower import lower
from refrelax.lower.counts import dispatched, launches
from refrelax.semantics.numbers.verdicts import Outside, Undecided
from refrelax.semantics.types.checked import CheckedModule
from refrelax.syntax.module import ConstantArray


def checked_of(example: Example) -> CheckedModule:
    stage = example.stage("imported")
    return api.check(api.bind_constants(api.parse(stage.text, filename=stage.path.name), stage.constants))


def judged(checked: CheckedModule, run: RecordedRun) -> list[Any]:
    """TVM's outputs against what the imported model permits."""
    permitted = api.run(checked, run.function, *run.args, numerics="enclosure")
    assert isinstance(permitted, Returned), permitted
    return [field.judge(seen) for field, seen in zip(permitted.value, run.outputs, strict=True)]


def smallest(example: Example) -> RecordedRun:
    return min(example.runs, key=lambda run: sum(len(a.data) for a in run.args))


@pytest.mark.thorough
@pytest.mark.parametrize("name", examples.paper_names())
def test_tvm_is_permitted_at_the_smallest_sizes(name: str) -> None:
    example = examples.load(name)
    assert {tuple(run.dims) for run in example.runs} and len(example.runs) >= 4
    for function in example.functions:
        sizes = [run.dims for run in example.runs if run.function == function]
        assert len(sizes) >= 2 and any(1 in dims.values() for dims in sizes)
    run = smallest(example)
    verdicts = judged(checked_of(example), run)
    assert verdicts and not any(isinstance(v, Outside) for v in verdicts)


def test_an_entry_of_the_cache_that_is_a_little_wrong_is_outside() -> None:
    example = examples.load("paper/qwen")
    checked = checked_of(example)
    run = example.runs[-1]
    assert run.function == "decode" and not isinstance(judged(checked, run)[1], Outside | Undecided)
    wrong = bytearray(run.outputs[1].data)
    wrong[-2] ^= 0x10
    cache = ConstantArray(run.outputs[1].dtype, run.outputs[1].shape, bytes(wrong))
    planted = replace(run, outputs=(run.outputs[0], cache, *run.outputs[2:]))
    assert isinstance(judged(checked, planted)[1], Outside)


def test_models_by_name() -> None:
    assert pick([]) == list(examples.paper_names())
    assert pick(["llama", "paper/qwen"]) == ["paper/llama", "paper/qwen"]
    with pytest.raises(UsageError):
        pick(["mlp"])


@pytest.mark.thorough
def test_calls_of_library_functions_are_judged_and_their_contracts_are_not() -> None:
    """What a contract goes through is not what NumPy's function goes through: nothing of it is missing."""
    example = examples.load("paper/gemma")
    run = example.runs[-1]
    fused = lower(checked_of(example), passes=PIPELINE[: PIPELINE.index("fuse_loops") + 1]).module
    found = judge.diff(fused, run.function, list(run.args), impl="numpy")
    assert isinstance(found, judge.Agreement), str(found)
    assert dispatched(fused.module, run.function) >= 10 and found.inside == len(found.bindings) >= 40


# --- long ------------------------------------------------------------------------------------------------------------


@pytest.mark.nightly
@pytest.mark.parametrize("name", examples.paper_names())
def test_the_ablation(name: str) -> None:
    example = examples.load(name)
    found = ablation(example)
    assert found.agrees, [row.trouble for row in found.rows]
    assert found.claims["fuse_loops"][1] > 0 and all(proved == whole for proved, whole in found.claims.values())
    assert not found.open_claims
    undispatched = lower(checked_of(example), passes=("legalize", "dead_code")).module.module
    for row in found.rows:
        assert row.built[0] == row.built[1] == row.tvm_outputs[1]
        assert 0 < row.kernels[1] < row.kernels[0] <= row.tvm_kernels[0] == launches(undispatched, row.function)
        assert row.dispatched or row.function == "listen"
        assert row.bindings[0] == row.bindings[1] > 0 and row.tvm_outputs[0] == row.tvm_outputs[1] > 0
        assert tuple(row.evidence) == JUDGED and set(row.evidence.values()) == {"PROVED"} and not row.unproved


@pytest.mark.nightly
@pytest.mark.parametrize("pipeline", ["default", "paper"])
@pytest.mark.parametrize("name", examples.paper_names())
def test_every_pass_by_itself(name: str, pipeline: str) -> None:
    example = examples.load(name)
    before = checked_of(example)
    for step in lower(before, pipeline).steps:
        for function in example.functions:
            args = next(list(run.args) for run in example.runs if run.function == function)
            found = judge.validate(before, step.module, function, rounds=1, args=args)
            assert isinstance(found, judge.Equivalent), (step.name, function, str(found))
        before = step.module


@pytest.mark.nightly
@pytest.mark.parametrize("impl", ["numpy", "cuda-emulated"])
@pytest.mark.parametrize("name", examples.paper_names())
def test_backends_agree_binding_by_binding(name: str, impl: str) -> None:
    example = examples.load(name)
    checked = checked_of(example)
    for module in (checked, lower(checked, pipeline="kernels").module):
        if impl == "cuda-emulated" and module is checked:
            continue  # operators at graph level run on the host
        for run in example.runs:
            found = judge.diff(module, run.function, list(run.args), impl=impl)
            assert isinstance(found, judge.Agreement), str(found)
            assert found.inside == len(found.bindings) > 0


@pytest.mark.nightly
@pytest.mark.tvm
@pytest.mark.parametrize("name", examples.paper_names())
def test_tvms_own_passes(name: str) -> None:
    """None of TVM's passes is refuted on these models, under the relaxations named."""
    example = examples.load(name)
    steps = theirs(checked_of(example), example)
    assert RELAXED and {step.name for step in steps} >= {"LegalizeOps", "FuseOps", "FuseTIR"}
    assert not [str(step) for step in steps if "REFUTED" in step.verdict]
