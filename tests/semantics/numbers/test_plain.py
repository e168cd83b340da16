"""What is told of many elements at once is what a reading says of each."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from refrelax.running.arrays import Tensor
from refrelax.semantics.judging import count_tensor
from refrelax.semantics.numbers import reading
from refrelax.semantics.numbers.enclosure import judge
from refrelax.semantics.numbers.intervals import Interval
from refrelax.semantics.numbers.plain import plain, several_bits
from refrelax.semantics.numbers.poison import poison
from refrelax.semantics.numbers.verdicts import Inside, Outside, Undecided
from refrelax.semantics.values import from_bits, from_payloads
from refrelax.syntax import bits, dtypes
from refrelax.testing.corners import ELEMENT_DTYPES, corners

IEEE, SETS = reading("ieee"), reading("enclosure")
LOST = poison("st/never-written")


@pytest.mark.parametrize("dtype", ELEMENT_DTYPES)
def test_bits_of_all_are_those_of_each(dtype: str) -> None:
    patterns = list(corners(dtype))
    one, several = IEEE.at(dtype), from_bits(IEEE, dtype, (len(patterns),), patterns)
    each = [one.from_bits(p) for p in patterns]
    assert list(map(repr, several.payloads())) == list(map(repr, each))
    assert several.bits() == [one.to_bits(p) for p in each]


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float8_e4m3fn", "int8", "uint64", "bool"])
def test_what_is_no_number_is_asked_alone(dtype: str) -> None:
    f = IEEE.at(dtype)
    payloads = [f.one, LOST, f.zero, *([math.nan] if dtypes.is_float(dtype) else [])]
    assert not plain(payloads) and plain([f.one, f.zero])
    x = from_payloads(IEEE, dtype, (len(payloads),), payloads)
    quiet = [bits.nan_bits(dtype)] if dtypes.is_float(dtype) else []
    assert x.bits() == [f.to_bits(f.one), None, f.to_bits(f.zero), *quiet]
    _, alone = several_bits(dtype, payloads)
    assert alone == list(range(len(payloads))) or alone == [1, *([3] if quiet else [])]


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int8", "uint8", "int64", "uint64"])
def test_numbers_of_all_patterns_are_those_of_each(dtype: str) -> None:
    patterns = list(corners(dtype))
    assert repr(bits.decode_all(dtype, patterns)) == repr([bits.decode(dtype, p) for p in patterns])


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint16", "int64", "float16", "float32", "float64"])
def test_an_array_has_the_patterns_of_its_cells(dtype: str) -> None:
    cells = from_bits(IEEE, dtype, (len(corners(dtype)),), list(corners(dtype)))
    array = np.array(Tensor(cells))
    assert Tensor.over(array).patterns() == cells.bits()
    if dtypes.is_float(dtype):  # a NaN of other bits is the NaN of the language
        other = np.array([bits.nan_bits(dtype) + 1], f"uint{8 * array.dtype.itemsize}").view(array.dtype)  # type: ignore[operator]
        assert Tensor.over(other).patterns() == [bits.nan_bits(dtype)]


ELEMENT = st.one_of(
    st.sampled_from([0.0, -0.0, 1.0, -1.5, math.inf, -math.inf, math.nan, 2.0**-149, LOST]),
    st.tuples(st.floats(-4, 4, width=32), st.floats(0, 2, width=32), st.booleans()).map(
        lambda t: Interval(t[0], t[0] + t[1] + 2.0**-20, t[2], None)
    ),
)
SEEN = st.sampled_from([0.0, -0.0, 1.0, -1.5, 1.25, math.inf, -math.inf, math.nan, 2.0**-149])


@given(st.lists(st.tuples(ELEMENT, SEEN), min_size=1, max_size=6))
def test_a_tensor_is_judged_as_its_elements(rows: list[tuple[object, float]]) -> None:
    """By ``judge`` of each, whatever is decided for many at once."""
    wanted = from_payloads(SETS, "float32", (len(rows),), [each for each, _ in rows])
    patterns = [bits.encode("float32", number) for _, number in rows]
    found, counts = count_tensor(wanted, "float32", (len(rows),), patterns)
    ends = [
        abs(e) for x, _ in rows for e in ((x.lo, x.hi) if isinstance(x, Interval) else (x,)) if isinstance(e, float)
    ]
    scale = max(filter(math.isfinite, ends), default=None)
    judged = [judge(x, "float32", p, scale) for (x, _), p in zip(rows, patterns, strict=True) if x is not LOST]
    kinds = [type(each) for each in judged]
    assert (counts.inside, counts.outside, counts.undecided) == tuple(map(kinds.count, (Inside, Outside, Undecided)))
    assert counts.excluded == len(rows) - len(judged)
    if judged and set(kinds) == {Inside}:
        assert found == Inside(min(each.margin for each in judged if isinstance(each, Inside)))
