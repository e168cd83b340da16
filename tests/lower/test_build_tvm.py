"""TVM 0.27's machine runs what build gives; TVM's own last passes, held to the definition beside ours."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import refrelax as rr
from refrelax.examples import load
from refrelax.interop.tvm import TvmImplementation, find_python
from refrelax.interop.tvm.passes import TvmPasses
from refrelax.lower import lower
from refrelax.testing.arguments import random_arguments
from tests.lower.built_modules import printed
from tests.lower.test_fusion_mutants import bits

pytestmark = [pytest.mark.tvm, pytest.mark.skipif(find_python() is None, reason="no interpreter with TVM")]

LAST = """
import tvm
from tvm.relax import transform as t

@tvm.transform.module_pass(opt_level=0, name="RewriteCUDAGraph")
def graphs(mod, ctx):
    with tvm.target.Target("cuda"), tvm.transform.PassContext(config={"relax.backend.use_cuda_graph": True}):
        return t.RewriteCUDAGraph()(mod)

def build():
    return tvm.transform.Sequential([
        t.LegalizeOps(), t.RewriteDataflowReshape(), t.ToNonDataflow(), t.RemovePurityChecking(), t.CallTIRRewrite(),
        t.StaticPlanBlockMemory(), graphs, t.LowerAllocTensor(), t.KillAfterLastUse(), t.LowerRuntimeBuiltin(),
        t.ComputePrimValue(), t.VMShapeLower(),
    ])
"""

BRANCH = """
n, m = T.int64(), T.int64()

@I.ir_module
class Module:
    @T.prim_func(private=True, s_tir=True)
    def fill(A: T.handle):
        p = T.int64()
        B = T.match_buffer(A, (p,), "float32")
        for i in range(p):
            with T.sblock("b"):
                vi = T.axis.spatial(p, i)
                B[vi] = T.float32(1)

    @R.function
    def main(x: R.Tensor((n,), "float32"), s: R.Shape([m]), c: R.Tensor((), "bool")) -> R.Tensor("float32", ndim=1):
        cls = Module
        if c:
            a = R.call_tir(cls.fill, (), out_ty=R.Tensor((n // m,), "float32"))
            y: R.Tensor("float32", ndim=1) = a
        else:
            b = R.add(x, x)
            y: R.Tensor("float32", ndim=1) = b
        return y
"""
"""The extent of one branch has no value where the other is taken."""

TWO = """
@I.ir_module
class Module:
    @R.function(private=True)
    def g(x: R.Tensor((3,), "float32")) -> R.Tensor((3,), "float32"):
        a = R.multiply(x, R.const(2.0, "float32"))
        b = R.exp(a)
        c = R.negative(b)
        d = R.add(c, R.const(7.0, "float32"))
        return d

    @R.function
    def main(x: R.Tensor((3,), "float32")) -> R.Tensor((3,), "float32"):
        cls = Module
        a = R.add(x, R.const(1.0, "float32"))
        b = R.exp(a)
        c = R.negative(b)
        y = cls.g(x)
        d = R.add(c, y)
        e = R.add(d, b)
        return e
"""
"""A function with kept memory that calls another one while it has tensors there."""


UNUSED = """
n, m = T.int64(), T.int64()

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((n,), "float32"), y: R.Tensor((m,), "float32")) -> R.Tensor("float32", ndim=1):
        a = R.add(x, x)
        b = R.match_cast(a, R.Tensor((m,), "float32"))
        c = R.multiply(x, x)
        return c
"""
"""A cast that fails where ``n`` is not ``m``, and whose result nobody reads."""


@pytest.fixture(scope="module")
def tvm() -> Iterator[Any]:
    implementation = TvmImplementation(python=find_python())
    yield implementation
    implementation.close()


@pytest.fixture(scope="module")
def passes() -> Iterator[TvmPasses]:
    found = TvmPasses(python=find_python())
    yield found
    found.process.close()


@pytest.fixture(scope="module")
def last(tmp_path_factory: pytest.TempPathFactory) -> str:
    file: Path = tmp_path_factory.mktemp("pipeline") / "last.py"
    file.write_text(LAST, encoding="utf-8")
    return f"{file}:build"


def example(name: str, n: int | None = None) -> rr.Module:
    """An example, at one size if it is given."""
    stage = load(name).stage("imported")
    text = stage.text
    if n is not None:
        text = text.replace('n = TypeVar("n")\n', "").replace("(n,", f"({n},").replace(", n,", f", {n},")
    return replace(rr.parse(text), constants=stage.constants)


def stages(passes: TvmPasses, module: rr.Module, pipeline: str) -> dict[str, rr.Module]:
    return {stage.name: stage.module() for stage in passes.stages(module, pipeline)}


@pytest.mark.parametrize("name", ["mlp", "cnn", "decoder"])
def test_the_machine_runs_built_examples(name: str, tvm: Any) -> None:
    before = lower(rr.check(example(name)), passes=("legalize", "dead_code")).module
    built = lower(before, "build").module
    args = random_arguments(before.module, "main", 1, {"n": 3}, "normal")
    outcomes = [tvm.run(checked.module, "main", args) for checked in (before, built)]
    assert all(isinstance(each, rr.Returned) for each in outcomes), outcomes
    assert bits(outcomes[0].value) == bits(outcomes[1].value)


def test_the_machine_runs_every_call_that_is_built(tvm: Any) -> None:
    built = rr.check(rr.parse(printed("SHAPES")))
    for c in (True, False):
        x, y, z = (np.ones(shape, "float32") for shape in ((2,), (2, 2), (5,)))
        args = [x, y, rr.Shape((3,)), np.array(c), z, np.arange(4, dtype="float32")]
        ours, theirs = rr.run(built, "main", *args), tvm.run(built.module, "main", args)
        assert isinstance(ours, rr.Returned) and isinstance(theirs, rr.Returned), (ours, theirs)
        assert bits(ours.value[0]) == bits(theirs.value[0]) and tuple(theirs.value[1]) == tuple(ours.value[1])


def test_tvms_capture_is_as_ours_on_one_function(passes: TvmPasses, last: str) -> None:
    module = example("mlp", 2)
    after = stages(passes, module, last)
    for name in ("RewriteCUDAGraph", "VMShapeLower"):
        verdict = rr.validate(module, after[name], rounds=2)
        assert isinstance(verdict, rr.Equivalent) or not isinstance(verdict, rr.Refuted | rr.NoVerdict), verdict
    assert any("cuda_graph_capture" in name for name in after["RewriteCUDAGraph"].functions)
    ours = lower(rr.check(module), passes=("legalize", "dead_code", "to_destinations", "plan_memory", "capture")).module
    theirs = [name for name in after["RewriteCUDAGraph"].functions if "cuda_graph_capture" in name]
    assert len([name for name in ours.module.functions if "cuda_graph_capture" in name]) == len(theirs)


def test_constants_of_a_captured_module_are_its_own(passes: TvmPasses, last: str) -> None:
    module = example("mlp")
    after = stages(passes, module, last)  # text and arrays are told apart by order: `main` is printed last
    assert not isinstance(rr.validate(module, after["RewriteCUDAGraph"], rounds=1), rr.Refuted | rr.NoVerdict)


def test_tvm_keeps_one_memory_for_two_functions(passes: TvmPasses, last: str) -> None:
    module = rr.parse(TWO)
    after = stages(passes, module, last)
    assert not isinstance(rr.validate(module, after["StaticPlanBlockMemory"], rounds=2), rr.Refuted)
    verdict = rr.validate(module, after["RewriteCUDAGraph"], rounds=2)
    assert isinstance(verdict, rr.Refuted) and "st/reused" in str(verdict)
    ours = lower(rr.check(module), "build").module
    assert not isinstance(rr.validate(module, ours, rounds=2), rr.Refuted | rr.NoVerdict)


def test_tvm_computes_extents_of_branches_that_are_not_taken(passes: TvmPasses, tvm: Any) -> None:
    module = rr.parse(BRANCH)
    built = lower(rr.check(module), "build").module
    after = stages(passes, module, "default_build")
    given = [np.arange(3, dtype="float32"), rr.Shape((0,)), np.array(False)]
    verdict = rr.validate(module, after["VMShapeLower"], args=given, rounds=1)
    assert isinstance(verdict, rr.Refuted) and "num/int-division-by-zero" in str(verdict)
    found = tvm.run(built.module, "main", given)
    assert isinstance(found, rr.Returned) and found.value.numpy().tolist() == [0, 2, 4]


def test_tvm_drops_a_cast_whose_name_is_not_used(passes: TvmPasses) -> None:
    module = rr.parse(UNUSED)
    after = stages(passes, module, "default_build")
    given = [np.ones(2, "float32"), np.ones(3, "float32")]
    verdict = rr.validate(module, after["KillAfterLastUse"], args=given, rounds=1)
    assert isinstance(verdict, rr.Refuted) and "ev/match-cast-mismatch" in str(verdict)
    built = lower(rr.check(module), "build").module
    assert not isinstance(rr.validate(module, built, args=given, rounds=1), rr.Refuted | rr.NoVerdict)
