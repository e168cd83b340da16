"""``validate`` draws integers of every width: a loss between the small ones and the ends of the range is found."""

from __future__ import annotations

import pytest

import refrelax as rr
from refrelax.judge.evidence import Refuted
from tests.attacks.one_call import checked


@pytest.mark.parametrize("dtype", ["int32", "uint32", "int64", "uint64"])
@pytest.mark.parametrize("seed", range(4))
def test_a_detour_through_a_float_is_refuted(dtype: str, seed: int) -> None:
    """The detour stands first: it is open at the ends of the range, so that only numbers between them tell."""
    narrow = "float32" if dtype.endswith("32") else "float64"
    detour = checked(f'R.astype(R.astype(a, "{narrow}"), "{dtype}")', (3, dtype))
    plain = checked(f'R.add(a, R.const(0, "{dtype}"))', (3, dtype))
    assert isinstance(rr.validate(detour, plain, seed=seed), Refuted)


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "uint16"])
def test_a_detour_that_loses_nothing_is_not(dtype: str) -> None:
    detour = checked(f'R.astype(R.astype(a, "float32"), "{dtype}")', (3, dtype))
    plain = checked(f'R.add(a, R.const(0, "{dtype}"))', (3, dtype))
    assert isinstance(rr.validate(plain, detour), rr.Equivalent | rr.Tested)


@pytest.mark.parametrize("dtype", ["int1", "uint1", "int2", "int63"])
def test_an_integer_of_few_bits_is_drawn(dtype: str) -> None:
    """An ``int1`` has no magnitude: -1 and 0."""
    one, other = (checked(f"R.maximum({x}, {x})", (3, dtype)) for x in ("a", "R.bitwise_not(a)"))
    assert isinstance(rr.validate(one, one), rr.Equivalent | rr.Tested)
    assert isinstance(rr.validate(one, other), Refuted)
