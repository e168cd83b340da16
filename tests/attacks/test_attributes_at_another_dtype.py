"""Attributes that are no number of the dtype: an infinity as a threshold of integers was a fault."""

from __future__ import annotations

import pytest

import refrelax as rr

CALLS = {
    "attention": (('x: R.Tensor((1, 1, 1, 1), "{d}")',), "R.nn.attention(x, x, x, scale={v})", (1, 1, 1, 1)),
    "counts": (('x: R.Tensor((1, 1, 2), "{d}")',), "R.vision.get_valid_counts(x, {v}, 0, 1)", (1, 1, 2)),
}


@pytest.mark.parametrize("value", ["1e400", "-1e400", "300.0", "0.5"])
@pytest.mark.parametrize("dtype", ["int8", "uint8", "bool"])
@pytest.mark.parametrize("name", sorted(CALLS))
def test_a_number_that_no_integer_is_ends_in_a_rule(name: str, dtype: str, value: str) -> None:
    params, call, shape = CALLS[name]
    text = (
        f"@R.function\ndef main({', '.join(params).format(d=dtype)}):\n    y = {call.format(v=value)}\n    return y\n"
    )
    given = rr.Tensor.of_bytes(dtype, shape, bytes(shape[-1]))
    found = rr.run(rr.check(rr.parse(text)), "main", given)
    assert isinstance(found, (rr.Returned, rr.Unspecified))


@pytest.mark.parametrize("value", ["1e400", "300.0", "0.5"])
def test_overlaps_of_integers_end_in_a_rule(value: str) -> None:
    text = f"""
@R.function
def main(x: R.Tensor((1, 2, 6), "int8"), c: R.Tensor((1,), "int32"), i: R.Tensor((1, 2), "int32")):
    y = R.vision.non_max_suppression(x, c, i, iou_threshold={value})
    return y
"""
    rows = [[[0, 1, 0, 0, 1, 1], [0, 1, 0, 0, 1, 1]]]
    args = rr.Tensor.of(rows, "int8"), rr.Tensor.of([2], "int32"), rr.Tensor.of([[0, 1]], "int32")
    found = rr.run(rr.check(rr.parse(text)), "main", *args)
    kept = found.value[1].tolist() if isinstance(found, rr.Returned) else getattr(found, "rule", "")
    assert kept == ([[1]] if value == "0.5" else "num/cast-range")
