"""The example models through the NumPy backend: judged binding by binding, and bit for bit on dyadic inputs."""

from __future__ import annotations

import pytest

import refrelax as rr
from refrelax import examples
from refrelax.testing import random_arguments


def checked(name: str, stage: str = "imported") -> rr.CheckedModule:
    found = examples.load(name).stage(stage)
    return rr.check(rr.bind_constants(rr.parse(found.text, str(found.path)), found.constants))


@pytest.mark.thorough
@pytest.mark.parametrize("name", examples.names())
def test_fast_mode_agrees(name: str) -> None:
    module = checked(name)
    verdict = rr.diff(module, "main", random_arguments(module.module, dims={"n": 3}), impl="numpy")
    assert isinstance(verdict, rr.Agreement)
    assert verdict.undecided <= 0.05 * len(verdict.bindings)


@pytest.mark.parametrize("name", examples.names())
def test_bits_mode_has_the_bits(name: str) -> None:
    module = checked(name)
    args = random_arguments(module.module, dims={"n": 2}, policy="dyadic", seed=1)
    wanted, found = rr.run(module, "main", *args), rr.compile(module, mode="bits").run("main", *args)
    assert isinstance(wanted, rr.Returned)
    assert isinstance(found, rr.Returned)
    pairs = zip(_tensors(wanted.value), _tensors(found.value), strict=True)
    assert all(a.patterns() == b.patterns() for a, b in pairs)


def _tensors(value: object) -> list[rr.Tensor]:
    if isinstance(value, tuple):
        return [each for item in value for each in _tensors(item)]
    assert isinstance(value, rr.Tensor)
    return [value]
