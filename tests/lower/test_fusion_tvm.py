"""TVM 0.27 reads, compiles and runs what fusion gives, to the bits of what it was before."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import refrelax as rr
from refrelax.examples import load
from refrelax.interop.tvm import TvmImplementation, find_python
from refrelax.lower import lower
from refrelax.testing.arguments import random_arguments, symbols_of
from tests.lower.fusion_modules import MODULES
from tests.lower.test_fusion_mutants import FUSION, bits, legal

pytestmark = [pytest.mark.tvm, pytest.mark.skipif(find_python() is None, reason="no interpreter with TVM")]

TRAPS = {"across-match-cast", "unequal", "across-update", "take-add"}
"""Modules that end with a failed check at these sizes, update an argument, or read outside of a buffer."""


@pytest.fixture(scope="module")
def tvm() -> Any:
    implementation = TvmImplementation(python=find_python())
    yield implementation
    implementation.close()


@pytest.mark.parametrize("name", [name for name in MODULES if name not in TRAPS])
def test_same_bits(name: str, tvm: Any) -> None:
    before = legal(name)
    after = lower(before, passes=FUSION).module
    dims = {k: v for k, v in {"n": 5, "m": 3}.items() if k in symbols_of(before.module, "main")}
    args = random_arguments(before.module, "main", 1, dims, "normal")
    outcomes = [tvm.run(checked.module, "main", args) for checked in (before, after)]
    assert all(isinstance(each, rr.Returned) for each in outcomes)
    assert bits(outcomes[0].value) == bits(outcomes[1].value)


@pytest.mark.parametrize("name", ["mlp", "cnn", "decoder"])
def test_examples(name: str, tvm: Any) -> None:
    stage = load(name).stage("imported")
    module = replace(rr.parse(stage.text), constants=stage.constants)
    before = lower(rr.check(module), passes=("legalize", "dead_code")).module
    after = lower(before, passes=FUSION).module
    args = random_arguments(module, "main", 1, {"n": 3}, "normal")
    outcomes = [tvm.run(checked.module, "main", args) for checked in (before, after)]
    assert all(isinstance(each, rr.Returned) for each in outcomes)
    assert bits(outcomes[0].value) == bits(outcomes[1].value)
