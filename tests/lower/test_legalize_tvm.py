"""TVM reads, builds and runs legalized modules; what it computes is permitted."""

from __future__ import annotations

import pytest

import refrelax as rr
from refrelax.examples import load
from refrelax.interop.tvm import TvmImplementation, find_python
from refrelax.lower import lower

pytestmark = [pytest.mark.tvm, pytest.mark.skipif(find_python() is None, reason="no interpreter with TVM")]


@pytest.mark.parametrize("name", ["mlp", "cnn", "decoder"])
def test_tvm_runs_a_legalized_model(name: str) -> None:
    example = load(name)
    stage = example.stage("imported")
    checked = rr.check(rr.bind_constants(rr.parse(stage.text), stage.constants))
    lowered = lower(checked, "legalize").module
    for recorded in example.runs:
        found = TvmImplementation().run(lowered.module, "main", list(recorded.args))
        permitted = rr.run(checked, "main", *recorded.args, numerics="enclosure")
        assert isinstance(found, rr.Returned) and isinstance(permitted, rr.Returned)
        for box, value in zip(permitted.value, found.value, strict=True):
            assert isinstance(box.judge(value), rr.Inside)
