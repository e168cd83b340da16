"""What non-maximum suppression decides by rounded steps it may decide by the exact overlap as well: where the two fall
on different sides of a threshold, the run is open."""

from __future__ import annotations

from typing import Any

import pytest

import refrelax as rr
from refrelax.running.arrays import tensors
from refrelax.semantics.numbers.enclosure import contains
from refrelax.semantics.numbers.ideal import ideal, rounded_once
from refrelax.testing.exactness import faults

ALL_CLASS = """
@I.ir_module
class Module:
    @R.function(pure=False)
    def main(b: R.Tensor((1, 2, 4), "{0}"), s: R.Tensor((1, 1, 2), "{0}"), o: R.Tensor("{0}", ndim=0),
             t: R.Tensor("{0}", ndim=0)):
        y = R.vision.all_class_non_max_suppression(b, s, R.const(2, "int64"), o, t, output_format="tensorflow")
        return y
"""
ROWS = """
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((1, 2, 6), "{0}"), n: R.Tensor((1,), "int32"), i: R.Tensor((1, 2), "int32")):
        y = R.vision.non_max_suppression(x, n, i, iou_threshold={1}, force_suppress=True, soft_nms_sigma={2})
        return y
"""
SATURATED = [[12.0, -0.5, 5.0, 8.0], [-4.0, -1.75, 7.0, 10.0]]
"""Their areas and their union are beyond 28, the greatest number of ``float6_e3m2fn``; they overlap by a tenth."""


def all_class(dtype: str, boxes: list[list[float]], threshold: float) -> tuple[Any, list[Any]]:
    numbers = ([boxes], [[[1.25, 0.1875]]], threshold, 0.125)
    return rr.check(rr.parse(ALL_CLASS.format(dtype))), [rr.Tensor.of(x, dtype) for x in numbers]


def rows(dtype: str, boxes: list[list[float]], threshold: float, sigma: float) -> tuple[Any, list[Any]]:
    checked = rr.check(rr.parse(ROWS.format(dtype, threshold, sigma)))
    x = [[[0.0, 2.0 - k, *corners] for k, corners in enumerate(boxes)]]
    return checked, [rr.Tensor.of(x, dtype), rr.Tensor.of([2], "int32"), rr.Tensor.of([[0, 1]], "int32")]


QUESTIONS = {
    "areas beyond a format without infinity": all_class("float6_e3m2fn", SATURATED, 1.0),
    "areas beyond a format without infinity, by rows": rows("float6_e3m2fn", SATURATED, 1.0, 0.0),
    "areas beyond a format with infinity": all_class("float16", [[0, 0, 300, 300], [0, 0, 300, 200]], 0.5),
    "an overlap that steps round away": all_class("float16", [[0, 0, 3, 1], [0, 0, 1, 1.0009765625]], 0.33325195),
}


@pytest.mark.parametrize("name", QUESTIONS)
def test_both_sides_of_a_threshold_are_permitted(name: str) -> None:
    checked, args = QUESTIONS[name]
    steps = rr.run(checked, "main", *args)
    exact = rr.run(checked, "main", *args, numerics=ideal(160))
    wide = rr.run(checked, "main", *args, numerics="enclosure")
    assert isinstance(steps, rr.Returned) and isinstance(exact, rr.Returned)
    first, second = (
        [
            [None if getattr(p, "rule", None) else int(p.lo if hasattr(p, "lo") else p) for p in t.core.payloads()]
            for t in tensors(out.value)
            if "int" in t.dtype
        ]
        for out in (steps, exact)
    )
    if first != second:
        assert isinstance(wide, rr.Unspecified) and wide.rule == "num/undetermined"
    else:
        pytest.fail("the question does not tell the two apart")


@pytest.mark.parametrize("dtype", ["float16", "float32", "float6_e3m2fn", "bfloat16"])
def test_scores_that_an_overlap_lowers_hold_the_exact_ones(dtype: str) -> None:
    checked, args = rows(dtype, [[0, 0, 3, 5], [1, 1, 6, 4]], 0.75, 0.25)
    assert not list(faults(checked, args))
    wide = rr.run(checked, "main", *args, numerics="enclosure")
    exact = rr.run(checked, "main", *args, numerics=ideal(160))
    assert isinstance(wide, rr.Returned) and isinstance(exact, rr.Returned)
    held, best = (out.value[0].core.payloads()[7] for out in (wide, exact))  # type: ignore[index]
    once = rounded_once(dtype, best)
    assert once is not None and contains(held, dtype, once)


def test_a_threshold_that_is_met_exactly_is_decided() -> None:
    """The exact overlap is as it is, not one unit to either side: half of a box is half of it."""
    for dtype in ("float16", "float32", "float64"):
        checked, args = all_class(dtype, [[0, 0, 4, 4], [0, 0, 4, 2]], 0.5)
        out = rr.run(checked, "main", *args, numerics="enclosure")
        assert isinstance(out, rr.Returned)
        assert list(out.value[2].core.payloads()) == [1]  # type: ignore[index]
