"""The strict profile: narrower than the enclosure, never beside it."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import refrelax as rr
from refrelax.semantics.numbers import reading
from refrelax.semantics.numbers.enclosure import contains
from refrelax.semantics.numbers.strict import FIXED, WITHOUT_VALUE, sign_kept
from refrelax.syntax import bits
from refrelax.testing.corners import corners

NAN = math.nan
FLOATS = ("float32", "float16", "bfloat16", "float64", "float8_e4m3")


def run(call: str, *args: Any, **kwargs: Any) -> Any:
    head = ", ".join(f'{n}: R.Tensor({a.shape}, "{a.dtype}")' for n, a in zip("xyz", args, strict=False))
    text = (
        f"@I.ir_module\nclass Module:\n    @R.function\n    def main({head}):\n        gv = {call}\n        return gv\n"
    )
    out = rr.run(rr.check(rr.parse(text)), "main", *args, numerics="enclosure", **kwargs)
    assert isinstance(out, rr.Returned), out
    return out.value


def f(*data: float) -> rr.Tensor:
    return rr.Tensor.of(list(data), "float32")


@pytest.mark.parametrize(
    ("call", "args", "right", "open_"),
    [
        ("R.maximum(x, y)", (f(NAN, 1), f(1, NAN)), f(NAN, NAN), f(1, NAN)),
        ("R.minimum(x, y)", (f(NAN, 1), f(1, NAN)), f(NAN, NAN), f(NAN, 1)),
        ("R.nn.relu(x)", (f(NAN, -1),), f(NAN, 0), f(0, 0)),
        ("R.clip(x, 0, 1)", (f(NAN, 2),), f(NAN, 1), f(1, 1)),
        ("R.max(x)", (f(1, NAN, 3),), rr.Tensor.of(NAN, "float32"), rr.Tensor.of(3.0, "float32")),
        ("R.min(x)", (f(1, NAN, 3),), rr.Tensor.of(NAN, "float32"), rr.Tensor.of(1.0, "float32")),
        ("R.argmax(x, axis=0)", (f(1, NAN, 3, NAN),), rr.Tensor.of(1, "int64"), rr.Tensor.of(2, "int64")),
        ("R.negative(x)", (f(0, 1),), f(-0.0, -1), f(0, -1)),
        ("R.multiply(x, y)", (f(-0.0, 1), f(2, 1)), f(-0.0, 1), f(0, 1)),
        ("R.tanh(x)", (f(-0.0),), f(-0.0), f(0)),
    ],
)
def test_what_is_fixed(call: str, args: tuple[Any, ...], right: Any, open_: Any) -> None:
    assert run(call, *args).contains(right) and run(call, *args).contains(open_)
    narrow = run(call, *args, strict=True)
    assert narrow.contains(right) and not narrow.contains(open_)
    assert isinstance(narrow.judge(open_), rr.Outside)


@pytest.mark.parametrize("call", ["R.take(x, y, axis=0)", "R.gather_elements(x, y)"])
def test_negative_indices_wrap(call: str) -> None:
    x, i = f(1, 2, 3), rr.Tensor.of([-1, -4, 0], "int64")
    assert set(run(call, x, i).poison()) == {(0,), (1,)}
    assert set(run(call, x, i, strict=True).poison()) == {(1,)}
    assert run(call, x, i, strict=True).lo[0] == 3.0


def test_sums_leave_the_sign_of_zero_open() -> None:
    found = run("R.sum(x)", f(1, -1), strict=True)
    assert found.contains(rr.Tensor.of(0.0, "float32")) and found.contains(rr.Tensor.of(-0.0, "float32"))


def test_strict_needs_a_set_to_narrow() -> None:
    c = rr.check(
        rr.parse("@I.ir_module\nclass Module:\n    @R.function\n    def main(x: R.Tensor((1,))):\n        return x\n")
    )
    with pytest.raises(rr.UsageError):
        rr.run(c, "main", f(1), strict=True)


class Ends:
    """An implementation that ends like this, whatever it is given."""

    def __init__(self, end: Any) -> None:
        self.end = end

    def run(self, _module: Any, _entry: str, _args: Any) -> Any:
        return self.end


NO_VALUE = {
    "op.squeeze/extent-one": (
        'x: R.Tensor(("n",), "float32")', "R.squeeze(x, axis=[0])", (f(1, 2),),
    ),
    "op.reshape/element-count-run": (
        'x: R.Tensor(("m",), "float32"), s: R.Shape(["a"])', "R.reshape(x, R.shape([a]))", (f(1, 2, 3), rr.Shape((4,))),
    ),
}  # fmt: skip


@pytest.mark.parametrize("rule", WITHOUT_VALUE)
def test_a_value_where_a_standard_has_none_is_outside(rule: str) -> None:
    """Relax leaves the run open; an error, or a run that says that it is open, is nobody's fault."""
    params, call, args = NO_VALUE[rule]
    head = f'a = TypeVar("a")\n@I.ir_module\nclass Module:\n    @R.function\n    def main({params}):\n'
    checked = rr.check(rr.parse(f"{head}        gv = {call}\n        return gv\n"))
    value, error = rr.Returned(f(1, 2)), rr.Unspecified(rule, "told so")
    assert isinstance(rr.diff(checked, "main", args, impl=Ends(value)), rr.NoVerdict)
    assert isinstance(rr.diff(checked, "main", args, impl=Ends(error), strict=True), rr.NoVerdict)
    found = rr.diff(checked, "main", args, impl=Ends(value), strict=True)
    assert isinstance(found, rr.Divergence) and found.kind == "end" and rule in found.message, found


def test_the_spec_has_the_table() -> None:
    text = (Path(__file__).parents[3] / "spec" / "02-values.md").read_text(encoding="utf-8")
    assert all("| " + " | ".join(row) + " |" in text for row in FIXED)


@given(
    st.data(), st.sampled_from(FLOATS), st.sampled_from(("add", "sub", "mul", "div", "maximum", "minimum", "floormod"))
)
def test_strict_lies_inside_and_holds_ieee(data: st.DataObject, dtype: str, name: str) -> None:
    values = [bits.decode(dtype, p) for p in corners(dtype)]
    a, b = data.draw(st.sampled_from(values)), data.draw(st.sampled_from(values))
    exact = getattr(reading("ieee").at(dtype), name)(a, b)
    narrow = getattr(reading("strict").at(dtype), name)(a, b)
    assert contains(narrow, dtype, float(exact)) and sign_kept(narrow, float(exact))
    assert contains(getattr(reading("enclosure").at(dtype), name)(a, b), dtype, float(exact))
