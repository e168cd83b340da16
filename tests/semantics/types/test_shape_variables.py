"""A tensor whose shape is a variable has that shape's rank."""

from __future__ import annotations

import pytest

import refrelax as rr
from refrelax.syntax.write.types import type_text

HEAD = 's: R.Shape(ndim=3), t: R.Shape(ndim=3), x: R.Tensor(s, "float32"), y: R.Tensor(t, "float32")'


@pytest.mark.parametrize(
    ("expr", "expected"),
    [
        ("R.add(x, y)", 'R.Tensor(dtype="float32", ndim=3)'),
        ("R.add(x, x)", 'R.Tensor(s, dtype="float32", ndim=3)'),
        ("R.sum(x, axis=[0])", 'R.Tensor(dtype="float32", ndim=2)'),
        ("R.permute_dims(x)", 'R.Tensor(dtype="float32", ndim=3)'),
    ],
)
def test_rank(expr: str, expected: str) -> None:
    text = (
        f"@I.ir_module\nclass Module:\n    @R.function\n    def main({HEAD}):\n        gv = {expr}\n        return gv\n"
    )
    assert type_text(rr.check(rr.parse(text)).types["main"]["gv"]) == expected


def test_axis_beyond_the_rank_is_rejected() -> None:
    text = f"@I.ir_module\nclass Module:\n    @R.function\n    def main({HEAD}):\n        return R.sum(x, axis=[3])\n"
    with pytest.raises(rr.IllTyped, match=r"op\.common/axis-range"):
        rr.check(rr.parse(text))


def test_rank_of_a_field() -> None:
    text = (
        "@I.ir_module\nclass Module:\n    @R.function\n"
        '    def main(s: R.Shape(ndim=3), u: R.Tuple(R.Tensor(s, "float32"), R.Tuple(R.Tensor(s)))):\n'
        "        gv = u[1]\n        return gv\n"
    )
    assert type_text(rr.check(rr.parse(text)).types["main"]["gv"]) == "R.Tuple(R.Tensor(s, ndim=3))"
