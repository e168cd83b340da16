"""``syn/constant-too-large`` counts the bits of an integer, not what a power or a shift might come to."""

from __future__ import annotations

import pytest

import refrelax as rr

TEXT = """
c = {}

@R.function
def main(x: R.Tensor((4,), "float32")):
    return x
"""


@pytest.mark.parametrize(
    "constant",
    ["2 ** 4095", "3 ** 2584", "1 << 4095", "1 ** 2 ** 4000", "(-1) ** 100001", "0 ** 100001", "0 << 100001"],
)
def test_4096_bits_are_read(constant: str) -> None:
    rr.parse(TEXT.format(constant))


@pytest.mark.parametrize(
    "constant",
    ["2 ** 4096", "3 ** 2585", "1 << 4096", "2 ** 2 ** 40", "1 << 2 ** 40", "1 >> -1", "0 << -1", "2 ** -1"],
)
def test_more_and_what_is_no_integer_are_refused(constant: str) -> None:
    with pytest.raises(rr.Rejection) as refused:
        rr.parse(TEXT.format(constant))
    assert refused.value.diagnostics[0].rule == "syn/constant-too-large"
