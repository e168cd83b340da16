"""Every backend leaves in memory what the definition leaves there, for loops of any shape.

Elements are small whole numbers, so that every order of a sum has the same bits.
"""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given

import refrelax as rr
from refrelax.backends.cupy_ import emulate
from refrelax.backends.errors import Unsupported
from refrelax.errors import IllFormed, Returned
from refrelax.syntax.loops import BufferParam, PrimFunc
from refrelax.syntax.scalars import as_int
from tests.backends.nests import nests


def arrays(checked: rr.CheckedModule) -> list[np.ndarray]:
    """Whole numbers for both parameters, the same for the same shapes."""
    function = checked.module.functions["main"]
    assert isinstance(function, PrimFunc)
    made, rng = [], random.Random(0)
    for param in function.params:
        assert isinstance(param, BufferParam)
        shape = [as_int(dim) or 0 for dim in param.buffer.shape]
        made.append(np.array([rng.randint(-4, 4) for _ in range(int(np.prod(shape)))], "float32").reshape(shape))
    return made


def leaves_the_same(text: str, backend: str, mode: str) -> None:
    """Both runs end alike and leave the same elements."""
    try:
        checked = rr.check(rr.parse(text))
    except IllFormed:
        return
    wanted = rr.run(checked, "main", *arrays(checked))
    if not isinstance(wanted, Returned) or wanted.poison:
        return
    try:
        found = rr.compile(checked, backend=backend, mode=mode).run("main", *arrays(checked))
    except Unsupported:
        return
    assert isinstance(found, Returned), found
    assert found.arguments[1].tolist() == wanted.arguments[1].tolist()


@given(nests())
def test_numpy_bits(text: str) -> None:
    leaves_the_same(text, "numpy", "bits")


@given(nests())
def test_numpy_fast(text: str) -> None:
    leaves_the_same(text, "numpy", "fast")


@pytest.mark.thorough
@pytest.mark.skipif(emulate.compiler() is None, reason="no g++ on this machine")
@pytest.mark.parametrize("mode", ["bits", "fast"])
def test_cuda_emulated(mode: str) -> None:
    """A few only: each is a run of the C++ compiler."""
    for seed in range(6):
        leaves_the_same(sample(seed), "cuda-emulated", mode)


def sample(seed: int) -> str:
    """One nest, the same for the same number."""
    from hypothesis import HealthCheck, Phase, settings
    from hypothesis import seed as seeded

    found: list[str] = []

    @seeded(seed)
    @settings(max_examples=4, database=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
    @given(nests())
    def collect(text: str) -> None:
        found.append(text)

    collect()
    return found[-1]
