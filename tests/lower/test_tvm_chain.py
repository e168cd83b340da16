"""TVM's passes in the order of the paper, one after the other on models, each held to the module before it, and ours
beside them: pattern dispatch, workspaces, fusion, plans, recorded runs, a virtual machine."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

import refrelax as rr
from refrelax.commands.ablation import RELAXED
from refrelax.examples import load
from refrelax.interop.tvm import find_python
from refrelax.interop.tvm.passes import TvmPasses
from refrelax.lower import lower
from refrelax.lower.counts import dispatched
from tests.lower.test_build_tvm import example

pytestmark = [
    pytest.mark.nightly,
    pytest.mark.tvm,
    pytest.mark.skipif(find_python() is None, reason="no interpreter with TVM"),
]

PASSES = Path(__file__).with_name("tvm_chain_passes.py")


@pytest.fixture(scope="module")
def tvm() -> Iterator[TvmPasses]:
    passes = TvmPasses(python=find_python())
    yield passes
    passes.process.close()


def sized(name: str, n: int) -> rr.Module:
    """An example at one size."""
    text = load(name).stage("imported").text.replace('n = TypeVar("n")\n', "")
    return replace(rr.parse(re.sub(r"\bn\b(?!\")", str(n), text)), constants=load(name).stage("imported").constants)


def chain(tvm: TvmPasses, module: rr.Module, pipeline: str) -> dict[str, rr.Module]:
    """What each pass made that changed something, each validated against what it was given."""
    found: dict[str, rr.Module] = {}
    before, text = module, ""
    for stage in tvm.stages(module, f"{PASSES}:{pipeline}"):
        if stage.text != text:
            text, after = stage.text, stage.module()
            verdict = rr.validate(before, after, rounds=1, relax=RELAXED)
            whole = isinstance(verdict, rr.ProvedAt) and verdict.shapes == ({},)  # (there are no others)
            assert isinstance(verdict, rr.Equivalent) or whole, (stage.name, verdict)
            found[stage.name] = before = after
    return found


@pytest.mark.parametrize("n", [None, 2])
@pytest.mark.parametrize("name", ["mlp", "decoder"])
def test_dispatch_and_recorded_runs(name: str, n: int | None, tvm: TvmPasses) -> None:
    module = example(name) if n is None else sized(name, n)
    theirs = chain(tvm, module, "dispatched")
    assert theirs.keys() >= {"FuseOpsByPattern", "LegalizeOps", "StaticPlanBlockMemory", "VMShapeLower"}
    composites = [f for f in theirs["FuseOpsByPattern"].relax_functions().values() if "Composite" in dict(f.attrs)]
    ours = lower(rr.check(module), "paper")
    assert composites and dispatched(ours.steps[0].module.module, "main")
    assert not isinstance(rr.validate(module, ours.module, rounds=1), rr.Refuted | rr.NoVerdict | rr.Tested)
    if n is not None:
        kept = [f for f in theirs["RewriteCUDAGraph"].functions if "cuda_graph_capture" in f]
        captured = lower(rr.check(module), "build").module.module.functions  # (a call of a library is not captured)
        assert kept and any("cuda_graph_capture" in f for f in captured)


@pytest.mark.parametrize("name", ["mlp", "decoder"])
def test_workspaces(name: str, tvm: TvmPasses) -> None:
    theirs = chain(tvm, example(name), "workspaces")
    assert theirs.keys() >= {"FuseOpsByPattern", "AllocateWorkspace", "StaticPlanBlockMemory", "LowerRuntimeBuiltin"}
