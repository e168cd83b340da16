"""A NaN in a format that has none, and a float outside of an integer dtype, are poison where they are converted, and no
literal; they were read as 0 and wrapped."""

from __future__ import annotations

import pytest

import refrelax as rr

LOOPS = """
@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((1,), "{dtype}")):
        A[0] = {value}
"""
GRAPH = """
@I.ir_module
class Module:
    @R.function
    def main(a: R.Tensor((1,), "float4_e2m1fn")):
        gv = {call}
        return gv
"""


def rule_of(dtype: str) -> str:
    return "num/no-nan" if dtype.startswith("float") else "num/cast-range"


@pytest.mark.parametrize("dtype", ["float4_e2m1fn", "float6_e2m3fn", "float6_e3m2fn"])
def test_a_nan_is_no_literal_of_a_format_without(dtype: str) -> None:
    with pytest.raises(rr.Malformed, match="syn/scalar-range"):
        rr.parse(LOOPS.format(dtype=dtype, value=f'T.{dtype}("nan")'))
    with pytest.raises(rr.Malformed, match="syn/constant"):
        rr.parse(GRAPH.format(call=f'R.add(a, R.const([1, "nan"], "{dtype}"))'))


@pytest.mark.parametrize(
    ("dtype", "value"),
    [
        ("float4_e2m1fn", 'T.float32("nan")'),
        ("int8", "T.float32(300)"),
        ("int8", "T.float32(-129)"),
        ("uint8", "T.float32(-1)"),
        ("int32", 'T.float32("inf")'),
    ],
)
def test_its_conversion_is_poison(dtype: str, value: str) -> None:
    ended = rr.run(rr.check(rr.parse(LOOPS.format(dtype=dtype, value=value))), "main", rr.Tensor.of([1], dtype))
    assert isinstance(ended, rr.Returned) and [rule for _, rule in ended.poison] == [rule_of(dtype)], ended


@pytest.mark.parametrize(
    ("dtype", "value", "found"),
    [
        ("float8_e4m3fn", 'T.float32("inf")', "nan"),
        ("int8", "T.float32(127.9)", "127"),
        ("uint8", "T.float32(-0.5)", "0"),
        ("float4_e2m1fn", 'T.float32("inf")', "6.0"),
        ("int8", "300", "44"),
        ("bool", 'T.float32("nan")', "1"),
    ],
)
def test_other_literals_are_converted(dtype: str, value: str, found: str) -> None:
    ended = rr.run(rr.check(rr.parse(LOOPS.format(dtype=dtype, value=value))), "main", rr.Tensor.of([1], dtype))
    assert isinstance(ended, rr.Returned) and str(ended.arguments[0].tolist()[0]) in (found, "True"), ended
