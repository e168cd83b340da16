"""The example models as CUDA kernels: emulated on the CPU, and compiled for a GPU by NVRTC where it is installed."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

pytest.importorskip("numpy")

import numpy as np

import refrelax as rr
from refrelax import examples
from refrelax.backends.cupy_ import emulate, nvrtc
from refrelax.backends.cupy_.compile import CudaExecutable
from refrelax.backends.cupy_.emulate import EmulatedDevice
from refrelax.backends.cupy_.plan import cuda_source, plans
from refrelax.judge import diff
from refrelax.judge.verdicts import Agreement
from refrelax.lower.pipeline import lower
from refrelax.semantics.types.checked import CheckedModule

needs_gxx = pytest.mark.skipif(emulate.compiler() is None, reason="no g++ on this machine")


def nvrtc_missing() -> str:
    try:
        nvrtc.library()
    except nvrtc.NotInstalled as missing:
        return str(missing)
    return ""


needs_nvrtc = pytest.mark.skipif(bool(nvrtc_missing()), reason=nvrtc_missing() or "NVRTC is here")

MODELS = ("mlp", "cnn", "decoder")


@cache
def zero(name: str) -> CheckedModule:
    stage = examples.load(name).stage("zero")
    return rr.check(rr.bind_constants(rr.parse(stage.text), stage.constants))


@cache
def executable(name: str, mode: str) -> CudaExecutable:
    return CudaExecutable(zero(name), mode, EmulatedDevice())


def patterns(tensor: Any) -> list[int]:
    array = tensor.numpy()
    return list(np.ascontiguousarray(array).view(f"uint{8 * array.itemsize}").ravel())


@pytest.mark.thorough
@needs_gxx
@pytest.mark.parametrize("name", MODELS)
def test_bits_are_the_interpreters(name: str) -> None:
    example = examples.load(name)
    for run in example.runs:
        found = executable(name, "bits").run(example.entry, *run.args)
        wanted = rr.run(zero(name), example.entry, *run.args)
        assert isinstance(found, rr.Returned) and isinstance(wanted, rr.Returned)
        assert [patterns(f) for f in found.value] == [patterns(w) for w in wanted.value]


@pytest.mark.thorough
@needs_gxx
@pytest.mark.parametrize("name", ["mlp"])
def test_fast_is_inside_the_enclosure(name: str) -> None:
    example = examples.load(name)
    for run in example.runs:
        verdict = diff(zero(name), example.entry, run.args, impl="cuda-emulated", mode="fast")
        assert isinstance(verdict, Agreement), verdict
        assert verdict.inside > 0


@cache
def lowered(name: str) -> CheckedModule:
    """Legalised and fused by refrelax itself."""
    stage = examples.load(name).stage("imported")
    checked = rr.check(rr.bind_constants(rr.parse(stage.text), stage.constants))
    return lower(checked, pipeline="kernels").module


@pytest.mark.thorough
@needs_gxx
@pytest.mark.parametrize("name", MODELS)
def test_our_own_lowering(name: str) -> None:
    """Bits of the interpreter on the lowered module, and every bounds check proved away."""
    example = examples.load(name)
    compiled = CudaExecutable(lowered(name), "bits", EmulatedDevice())
    run = example.runs[-1]
    found, wanted = compiled.run(example.entry, *run.args), rr.run(lowered(name), example.entry, *run.args)
    assert isinstance(found, rr.Returned) and isinstance(wanted, rr.Returned)
    assert [patterns(f) for f in found.value] == [patterns(w) for w in wanted.value]
    assert all(claim.proved for claim in compiled.claims)


@needs_gxx
def test_operators_left_at_graph_level_run_on_the_host() -> None:
    example = examples.load("mlp")
    stage = example.stage("imported")
    checked = rr.check(rr.bind_constants(rr.parse(stage.text), stage.constants))
    compiled = CudaExecutable(checked, "bits", EmulatedDevice())
    assert not compiled.plans
    run = example.runs[0]
    found, wanted = compiled.run(example.entry, *run.args), rr.run(checked, example.entry, *run.args)
    assert isinstance(found, rr.Returned) and isinstance(wanted, rr.Returned)
    assert [patterns(f) for f in found.value] == [patterns(w) for w in wanted.value]


@pytest.mark.thorough
@needs_nvrtc
@pytest.mark.parametrize("mode", ["bits", "fast"])
@pytest.mark.parametrize("name", MODELS)
def test_every_kernel_compiles_for_sm_90(name: str, mode: str) -> None:
    for checked in (zero(name), *([lowered(name)] if mode == "fast" else [])):
        cubin = nvrtc.compile_source(cuda_source(checked, mode), mode, "sm_90")
        for plan in plans(checked.module, mode).values():
            for kernel in plan.kernels:
                assert kernel.name.encode() in cubin


@pytest.mark.thorough
@pytest.mark.parametrize("name", MODELS)
def test_every_access_is_proved_in_bounds(name: str) -> None:
    """So no check is left in the kernels of the examples."""
    made = plans(zero(name).module, "fast")
    assert all(claim.proved for plan in made.values() for claim in plan.claims)
    kernels = "".join(k.source() for plan in made.values() for k in plan.kernels)
    assert "at(" not in kernels and "inside(" not in kernels


@pytest.mark.thorough
@pytest.mark.parametrize("name", MODELS)
def test_source_is_deterministic(name: str) -> None:
    assert cuda_source(zero(name), "fast") == cuda_source(rr.check(zero(name).module), "fast")
