"""A fold of extremes may begin with what changes no number, which a NaN that gives way leaves behind."""

from __future__ import annotations

import math

import pytest

import refrelax as rr
from refrelax.semantics.numbers import reading

NAN, INF = math.nan, math.inf


def module(body: str, dtype: str = "float32") -> rr.CheckedModule:
    return rr.check(
        rr.parse(
            f'@R.function\ndef main(x: R.Tensor((3, "n"), "{dtype}")):\n    with R.dataflow():\n'
            f"        y = R.{body}\n        R.output(y)\n    return y\n"
        )
    )


@pytest.mark.parametrize(("name", "start"), [("max", -INF), ("min", INF)])
def test_the_operator_permits_what_its_loops_permit(name: str, start: float) -> None:
    checked = module(f"{name}(x, axis=[1])")
    lowered = rr.lower(checked, passes=["legalize"]).module
    items = [[NAN, NAN], [1.0, NAN], [1.0, 2.0]]
    for each in (checked, lowered):
        permitted = rr.run(each, "main", items, numerics="enclosure").value
        best = 2.0 if name == "max" else 1.0
        assert permitted.contains(rr.Tensor.of([NAN, NAN, best], "float32"))
        assert permitted.contains(rr.Tensor.of([start, start, best], "float32"))
        assert not permitted.contains(rr.Tensor.of([NAN, NAN, start], "float32"))
    assert rr.run(checked, "main", items).value.numpy()[:2].tolist() != [start, start]


@pytest.mark.parametrize(("dtype", "last"), [("float8_e4m3fn", 448.0), ("float4_e2m1fn", 6.0)])
def test_formats_without_infinities_begin_with_their_last_number(dtype: str, last: float) -> None:
    f = reading("enclosure").at(dtype)
    assert (f.neutral("maximum"), f.neutral("minimum")) == (-last, last)


def test_an_axis_of_one() -> None:
    text = '@R.function\ndef main(x: R.Tensor((3, 1), "float32")):\n    y = R.{}\n    return y\n'
    copy, extreme = (rr.check(rr.parse(text.format(each))) for each in ("squeeze(x, axis=[1])", "max(x, axis=[1])"))
    assert isinstance(rr.validate(extreme, copy), rr.Equivalent)
    assert not isinstance(rr.validate(copy, extreme), rr.Equivalent | rr.ProvedAt)
    whole = [text.replace("float32", "int32").format(each) for each in ("squeeze(x, axis=[1])", "max(x, axis=[1])")]
    assert isinstance(rr.validate(*map(rr.parse, whole)), rr.Equivalent)
