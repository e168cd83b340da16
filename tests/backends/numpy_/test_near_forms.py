"""What programs near a form of the NumPy backend give: the definition's bits in mode ``bits``, something permitted in
mode ``fast``, directly and as loops, and their arguments as they were."""

from __future__ import annotations

import pytest

pytest.importorskip("numpy")

import numpy as np

import refrelax as rr
from refrelax.judge import diff
from refrelax.judge.backend import Backend
from refrelax.judge.campaign import look
from refrelax.lower.pipeline import lower
from tests.backends.numpy_.near_forms import NEAR, arguments, program
from tests.testing.comparing import same_bits

SHORT = [name for name in NEAR if not any(word in name for word in ("long", "4096", "4097"))]
"""Of those that the definition computes in no time."""


@pytest.mark.parametrize("name", SHORT)
def test_the_definitions_bits(name: str) -> None:
    checked, made = program(name), rr.compile(program(name), mode="bits")
    for turn in range(3):
        args = arguments(name, turn)
        wanted, found = rr.run(checked, "main", *args), made.run("main", *args)
        assert type(found) is type(wanted), (turn, wanted, found)
        if isinstance(wanted, rr.Returned):
            assert isinstance(found, rr.Returned) and same_bits(wanted.value, found.value), turn


@pytest.mark.parametrize("name", SHORT)
def test_what_is_permitted(name: str) -> None:
    checked = program(name)
    for turn in range(3):
        args = arguments(name, turn)
        verdict = diff(checked, "main", args, impl=Backend("numpy", "fast"), budget=look.BUDGET)
        assert not isinstance(verdict, rr.Divergence), (turn, verdict)


def close(found: object, wanted: object, name: str) -> None:
    if isinstance(wanted, tuple):
        assert isinstance(found, tuple)
        for a, b in zip(found, wanted, strict=True):
            close(a, b, name)
        return
    assert isinstance(found, np.ndarray) and isinstance(wanted, np.ndarray)
    assert (found.dtype, found.shape) == (wanted.dtype, wanted.shape), name
    near = {"float16": 1e-2, "bfloat16": 1e-1}.get(found.dtype.name, 1e-3 if "long" in name else 1e-5)
    a, b = found.astype(np.float64), wanted.astype(np.float64)
    assert np.allclose(a, b, rtol=near, atol=near, equal_nan=True), name


@pytest.mark.parametrize("name", NEAR)
def test_calls_leave_their_arguments(name: str) -> None:
    """Arrays that can be written, that lie in other orders and that cannot be written: the same, and they stay."""
    checked = program(name)
    bits, ways = rr.compile(checked, mode="bits")["main"], [rr.compile(checked)["main"]]
    if name in SHORT:
        ways.append(rr.compile(lower(checked, "kernels").module)["main"])
    for turn in range(2):
        args = arguments(name, turn)
        before = [each.copy() for each in args]
        locked = [each.copy() for each in args]
        for each in locked:
            each.flags.writeable = False
        turned = [np.asfortranarray(each) for each in args]
        backwards = [each[::-1].copy()[::-1] if each.ndim else each for each in args]
        wanted = bits(*args)
        for call in ways:
            for given in (args, locked, turned, backwards):
                close(call(*given), wanted, name)
        assert all(a.tobytes() == b.tobytes() for a, b in zip(args, before, strict=True))
