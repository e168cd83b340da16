"""Many elements are read run by run, and cost little more memory than they are."""

from __future__ import annotations

import tracemalloc
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import refrelax as rr
from refrelax.semantics.ops.meaning import numbers
from tests.draws import draws

RUNS = st.tuples(st.integers(1, 4), st.integers(-5, 5)) | st.tuples(
    st.lists(st.integers(0, 9), min_size=1, max_size=4).map(tuple)
)


@settings(max_examples=draws(100), deadline=None)
@given(st.lists(RUNS, min_size=1, max_size=3))
def test_run_by_run_reads_what_the_offsets_say(parts: list[tuple[Any, ...]]) -> None:
    offsets = numbers.offsets.__wrapped__(tuple(parts))
    cells, base = list(range(100)), 50
    before, numbers.MANY = numbers.MANY, 0
    try:
        assert numbers.read(cells, base, len(offsets), tuple(parts)) == [base + k for k in offsets]
    finally:
        numbers.MANY = before


CALLS = ("add(x, x)", "exp(x)", "permute_dims(x)", "sum(x, axis=[1])", "cumsum(x, axis=0)", "sort(x)")


@pytest.mark.by_day(3)
@pytest.mark.parametrize("call", CALLS)
def test_bytes_an_element(call: str) -> None:
    """A number is an object of 24 bytes and a place of 8, for the argument and for the result."""
    text = f'@R.function\ndef main(x: R.Tensor(("m", "n"), "float32")):\n    y = R.{call}\n    return y\n'
    checked, wide = rr.check(rr.parse(text)), rr.Tensor.of_bytes("float32", (50, 301), bytes(range(1, 101)) * 602)
    rr.run(checked, "main", wide)
    tracemalloc.start()
    try:
        outcome = rr.run(checked, "main", wide)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert isinstance(outcome, rr.Returned) and peak <= 80 * 50 * 301
