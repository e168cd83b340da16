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


MAKERS = (
    'R.memory.alloc_tensor(R.memory.alloc_storage(R.shape([64]), 0, "global", "int8"), 0, R.shape([2]), R.dtype("{}"))',
    'R.vm.alloc_tensor(R.vm.alloc_storage(R.shape([64]), 0, R.dtype("int8")), 0, R.shape([0]), R.dtype("{}"))',
    'R.memory.view(x, R.shape([1]), R.dtype("{}"), 0)',
    'R.builtin.alloc_tensor(R.shape([2]), R.dtype("{}"), 0)',
    'R.call_packed("runtime.TVMTensorCreateView", x, R.shape([1]), R.dtype("{}"), 0, ty_args=R.Any)',
)


@pytest.mark.parametrize("dtype", ["float32x4", "float32x1", "handle", "void"])
@pytest.mark.parametrize("maker", MAKERS)
@pytest.mark.parametrize("numerics", ["ieee", "enclosure"])
def test_a_tensor_has_numbers(maker: str, dtype: str, numerics: str) -> None:
    text = f"""
@R.function(pure=False)
def main(x: R.Tensor((4,), "float32")):
    y = {maker.format(dtype)}
    return y
"""
    try:
        out = rr.run(rr.check(rr.parse(text)), "main", [1.0, 2.0, 3.0, 4.0], numerics=numerics)
    except rr.IllTyped as refused:
        assert (dtype, refused.diagnostics[0].rule) == ("void", "op.memory.view/arguments")
    else:
        assert isinstance(out, rr.Unspecified) and out.rule == "num/no-operation"
