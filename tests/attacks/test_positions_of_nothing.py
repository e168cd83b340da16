"""The position of the greatest of no elements means nothing to the operator; its loops give -1, and so does a backend
that computes the loops by the operator."""

from __future__ import annotations

import numpy as np
import pytest

import refrelax as rr
from refrelax.lower.pipeline import lower
from tests.testing.comparing import same_bits

TEXT = """n = TypeVar("n")
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((3, n), "float32")):
        with R.dataflow():
            out = R.{name}(x, axis=1, keepdims=True)
            R.output(out)
        return out
"""


@pytest.mark.parametrize("mode", ["bits", "fast"])
@pytest.mark.parametrize("pipeline", ["kernels", "default"])
@pytest.mark.parametrize("name", ["argmax", "argmin"])
def test_what_loops_give_is_given(name: str, pipeline: str, mode: str) -> None:
    lowered = lower(rr.check(rr.parse(TEXT.format(name=name))), pipeline=pipeline).module
    for x in (np.zeros((3, 0), np.float32), np.float32([[1, 3, 2]] * 3)):
        wanted, found = rr.run(lowered, "main", x), rr.compile(lowered, mode=mode).run("main", x)
        assert isinstance(wanted, rr.Returned) and isinstance(found, rr.Returned)
        assert same_bits(wanted.value, found.value)
