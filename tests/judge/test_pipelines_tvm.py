"""TVM's pipelines, pass by pass and function by function, for all shapes."""

from __future__ import annotations

import pytest

import refrelax as rr
from refrelax.examples import load
from refrelax.interop.tvm import find_python

pytestmark = [pytest.mark.tvm, pytest.mark.skipif(find_python() is None, reason="no interpreter with TVM")]


@pytest.mark.parametrize("pipeline", ["zero", "default_build", "cpu_generic"])
@pytest.mark.parametrize("name", ["mlp", pytest.param("cnn", marks=pytest.mark.nightly)])
def test_every_pass_on_a_model_is_proved(name: str, pipeline: str) -> None:
    stage = load(name).stage("imported")
    module = rr.bind_constants(rr.parse(stage.text), stage.constants)
    found = rr.validate_pipeline(module, pipeline, relax=["extreme-identity"])
    assert found.word == "PROVED", str(found)
    assert len(found.passes) > 5 and {f.name for each in found.passes for f in each.functions} == {"main"}


def test_a_pass_of_a_default_schedule_whose_tiles_are_wider_than_a_row() -> None:
    stage = load("mlp").stage("imported")
    module = rr.bind_constants(rr.parse(stage.text), stage.constants)
    passes = "LegalizeOps,AnnotateTIROpPattern,FuseOps,FuseTIR,dlight.gpu.Matmul"
    found = rr.validate_pipeline(module, passes, target="cuda", relax=["extreme-identity"])
    assert found.word == "PROVED", str(found)


def test_bisect_prove_names_the_pass_that_is_not_proved() -> None:
    text = """
n = TypeVar("n")
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((n, 4), "float32")) -> R.Tensor((n,), "float32"):
        y = R.max(x, axis=[1])
        return y
"""
    found = rr.bisect(rr.parse(text), "main", None, pipeline="zero", prove=True)
    assert isinstance(found, rr.WrongPass | rr.NoVerdict) and "LegalizeOps" in str(found)
