"""A given element is one of its dtype: a NaN of a format without one, and an integer beyond it, are refused."""

from __future__ import annotations

import json

import pytest

import refrelax as rr
from refrelax.conformance import data
from refrelax.conformance.suite import values
from refrelax.syntax import bits

WITHOUT = [dtype for dtype in bits.FORMATS if bits.nan_bits(dtype) is None]
PROGRAM = """
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((1,), "{dtype}")):
        return x
"""


@pytest.mark.parametrize(
    ("dtype", "value"), [*((dtype, float("nan")) for dtype in WITHOUT), ("int8", 300), ("uint8", -1)]
)
def test_an_element_that_the_dtype_does_not_have(dtype: str, value: float) -> None:
    said = "num/no-nan" if value != value else "expected an integer"
    with pytest.raises(rr.UsageError, match=said):
        rr.Tensor.of([value], dtype)
    with pytest.raises(rr.UsageError, match=said):
        rr.run(rr.check(rr.parse(PROGRAM.format(dtype=dtype))), "main", [value])
    spec = json.loads(json.dumps({"dtype": dtype, "shape": [1], "data": ["nan" if value != value else value]}))
    with pytest.raises(ValueError, match=said):
        data.to_value(spec)
    with pytest.raises(rr.UsageError, match="expected an element"):
        values.from_json(spec)


@pytest.mark.parametrize("dtype", ["float16", "float8_e8m0fnu", "float8_e4m3fnuz"])
def test_a_nan_of_a_format_with_one(dtype: str) -> None:
    assert rr.Tensor.of([float("nan")], dtype).patterns() == [bits.nan_bits(dtype)]
