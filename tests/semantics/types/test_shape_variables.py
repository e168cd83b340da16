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


PLACES = {
    "parameter": ('p: R.Tensor(v, "float32")', "return p"),
    "field": ('p: R.Tuple(R.Shape([2]), R.Tensor(v, "float32"))', "return p"),
    "parameter of a callable": ('p: R.Callable((R.Tensor(v, "float32"),), R.Any)', "return p"),
    "result of a callable": ('p: R.Callable((R.Any,), R.Tensor(v, "float32"))', "return p"),
    "annotation": ("p: R.Any", 'q: R.Tensor(v, "float32") = R.call_packed("f", p)\n        return q'),
    "match_cast": ("p: R.Any", 'q = R.match_cast(p, R.Tensor(v, "float32"))\n        return q'),
    "ty_args": ("p: R.Any", 'q = R.call_packed("f", p, ty_args=R.Tensor(v, "float32"))\n        return q'),
}


@pytest.mark.parametrize("place", PLACES)
def test_only_a_shape_is_the_shape_of_a_tensor(place: str) -> None:
    parameter, body = PLACES[place]
    text = (
        "@I.ir_module\nclass Module:\n    @R.function(pure=False)\n"
        f"    def main(v: TYPE, {parameter}):\n        {body}\n"
    )
    rr.check(rr.parse(text.replace("TYPE", "R.Shape(ndim=2)")))
    for other in ('R.Tensor((2,), "int64")', "R.Tuple(R.Shape([2]))", "R.Any", "R.Callable((R.Any,), R.Any)"):
        with pytest.raises(rr.IllTyped, match=r"v stands for the shape .* definition of v at .*ty/shape-variable"):
            rr.check(rr.parse(text.replace("TYPE", other)))


def test_the_shape_of_a_result_and_of_a_nested_parameter() -> None:
    text = (
        "@I.ir_module\nclass Module:\n    @R.function\n    def main(v: TYPE, x: R.Any):\n"
        "        @R.function\n"
        '        def inner(a: R.Tensor(v, "float32")) -> R.Tensor(v, "float32"):\n            return a\n'
        "        return x\n"
    )
    rr.check(rr.parse(text.replace("TYPE", "R.Shape(ndim=2)")))
    with pytest.raises(rr.IllTyped) as refused:
        rr.check(rr.parse(text.replace("TYPE", "R.Any")))
    assert [each.rule for each in refused.value.diagnostics] == ["ty/shape-variable"] * 2
