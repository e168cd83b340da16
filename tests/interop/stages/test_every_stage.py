"""Every module between the passes of TVM's pipelines is read, printed, checked, and runs as the first one does."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import refrelax as rr
from refrelax import examples
from refrelax.interop.tvm import TvmPasses, find_python
from refrelax.judge import Stage
from refrelax.semantics.values import TensorValue

from .programs import PROGRAMS, Program

pytestmark = [pytest.mark.tvm, pytest.mark.skipif(find_python() is None, reason="no interpreter with TVM")]
PIPELINES = ("zero", "default_build", "cpu_generic")
LENGTHS = {"zero": 6, "default_build": 16, "cpu_generic": 19}

ILL_FORMED = {"branch", "branch_after_values"}
"""Programs that ``StaticPlanBlockMemory`` breaks: ``spec/deviations.md``, *A storage used where it is not defined*."""


@pytest.fixture(scope="module")
def tvm() -> Iterator[TvmPasses]:
    passes = TvmPasses()
    yield passes
    passes.close()


def double(x: rr.Tensor, out: rr.Tensor) -> None:
    f = x.core.numerics.at(x.core.dtype)
    out.core.assign([f.add(each, each) for each in x.core.payloads()])


EXTERNS: dict[str, Callable[..., Any]] = {"my.double": double, "my.same": lambda x: x}


def shown(value: Any) -> Any:
    """A value as data, poison as ``None``."""
    if isinstance(value, tuple):
        return tuple(map(shown, value))
    core = value.core if isinstance(value, rr.Tensor) else value
    return (core.dtype, core.shape, tuple(core.bits())) if isinstance(core, TensorValue) else value


def observed(out: rr.Outcome) -> Any:
    """What two runs are compared by."""
    if isinstance(out, rr.Returned):
        effects = [(each.kind, each.name, shown(each.payload)) for each in out.effects]
        return shown(out.value), shown(out.arguments), effects, out.poison
    return type(out).__name__, getattr(out, "rule", None)


def read(stage: Stage) -> rr.Module:
    """A printed stage, which must also survive our own printer."""
    module = stage.module()
    assert rr.parse(rr.print_module(module)) == module
    return module


@pytest.mark.parametrize("pipeline", PIPELINES)
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.name)
def test_small_programs(tvm: TvmPasses, program: Program, pipeline: str) -> None:
    found = list(tvm.stages(rr.parse(program.text), pipeline))
    assert len(found) == LENGTHS[pipeline]
    first = None
    planned = False
    for stage in found:
        planned = planned or stage.name == "StaticPlanBlockMemory"
        module = read(stage)
        if planned and program.name in ILL_FORMED:
            with pytest.raises(rr.IllFormed) as refused:
                rr.check(module)
            assert {each.rule for each in refused.value.diagnostics} == {"wf/var-defined-before-use"}
            continue
        now = observed(rr.run(rr.check(module), "main", *program.args, externs=EXTERNS))
        first = now if first is None else first
        assert now == first, f"after {stage.name}"


@pytest.mark.parametrize("pipeline", PIPELINES)
@pytest.mark.parametrize("name", examples.names())
def test_models(tvm: TvmPasses, name: str, pipeline: str) -> None:
    """Values may differ by rounding (a legalised operator adds in another order): all lie in the enclosure."""
    model = examples.load(name)
    imported = model.stage("imported")
    args = [np.frombuffer(each.data, each.dtype).reshape(each.shape) for each in model.runs[0].args]
    found = list(tvm.stages(replace(rr.parse(imported.text), constants=imported.constants), pipeline))
    assert len(found) == LENGTHS[pipeline]
    bound: Any = None
    for stage in found:
        checked = rr.check(read(stage))
        if bound is None:
            bound = rr.run(checked, "main", *args, numerics="enclosure")
            assert isinstance(bound, rr.Returned)
        out = rr.run(checked, "main", *args)
        assert isinstance(out, rr.Returned) and not out.poison, f"after {stage.name}: {out}"
        for enclosure, value in zip(bound.value, out.value, strict=True):
            assert not isinstance(enclosure.judge(value.numpy()), rr.Outside), f"after {stage.name}"
