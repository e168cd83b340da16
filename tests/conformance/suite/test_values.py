"""Values and permitted sets go through JSON and back unchanged."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import refrelax as rr
from refrelax.conformance.suite import values
from refrelax.errors import UsageError
from refrelax.judge.bindings import compare
from refrelax.semantics.numbers.enclosure import enclosure
from refrelax.semantics.numbers.intervals import Interval
from refrelax.semantics.numbers.intsets import between, some, truths
from refrelax.semantics.numbers.poison import poison
from refrelax.semantics.numbers.verdicts import Outside
from refrelax.semantics.values import from_payloads
from refrelax.syntax import dtypes

DTYPES = ("float32", "float16", "bfloat16", "float64", "float8_e4m3fn", "int8", "int32", "uint8", "int64", "bool")


@st.composite
def tensors(draw: st.DrawFn) -> rr.Tensor:
    dtype = draw(st.sampled_from(DTYPES))
    count = draw(st.integers(0, 3))
    width = 1 if dtype == "bool" else dtypes.bits(dtype)
    patterns = draw(st.lists(st.integers(0, (1 << width) - 1), min_size=count, max_size=count))
    return values.from_json({"dtype": dtype, "shape": [count], "bits": [hex(each) for each in patterns]})  # type: ignore[no-any-return]


@given(tensors())
def test_bits_and_numbers_come_back(x: rr.Tensor) -> None:
    spec = json.loads(json.dumps(values.to_json(x)))
    assert values.from_json(spec).patterns() == x.patterns()
    by_number = values.from_json({key: spec[key] for key in ("dtype", "shape", "data")})
    assert not isinstance(compare(values.permitted_from_json(_exactly(spec)), by_number).verdict, Outside)


def _exactly(spec: dict[str, Any]) -> dict[str, Any]:
    return {"dtype": spec["dtype"], "shape": spec["shape"], "permitted": spec["bits"]}


@pytest.mark.parametrize(("dtype", "payload", "inside", "outside"), [
    ("float32", Interval(1.0, 1.5), [1.0, 1.25, 1.5], [0.5, 2.0, math.nan]),
    ("float32", Interval(1.0, 1.5, nan=True), [1.25, math.nan], [2.0]),
    ("float16", math.nan, [math.nan], [0.0]),
    ("float32", 0.0, [0.0, -0.0], [1e-30]),
    ("float32", Interval(-math.inf, math.inf), [math.inf, 0.0], [math.nan]),
    ("int32", some([1, 5, 9]), [1, 9], [2, 0]),
    ("int32", between(-100, 100), [-100, 0, 100], [101]),
    ("bool", truths(True, True), [True, False], []),
    ("bool", truths(True, True, "ld/out-of-bounds"), [True, False], []),
    ("int8", poison("ld/out-of-bounds"), [3, -3], []),
])  # fmt: skip
def test_permitted_sets_come_back(dtype: str, payload: Any, inside: list[Any], outside: list[Any]) -> None:
    core = from_payloads(enclosure(), dtype, (1,), [payload])
    spec = json.loads(json.dumps(values.permitted_to_json(rr.Tensor(core))))
    back = values.permitted_from_json(spec)
    for number in inside:
        assert not isinstance(compare(back, rr.Tensor.of([number], dtype)).verdict, Outside), number
    for number in outside:
        assert isinstance(compare(back, rr.Tensor.of([number], dtype)).verdict, Outside), number


def test_what_permits_one_tensor_alone_is_told_once() -> None:
    one = {"dtype": "int8", "shape": [2], "bits": ["0x1", "0x2"], "data": [1, 2]}
    exact = {"dtype": "int8", "shape": [2], "permitted": ["0x1", "0x2"]}
    wide = {"dtype": "int8", "shape": [2], "permitted": ["0x1", {"values": ["0x2", "0x3"]}]}
    own: list[Any] = [one, [one, None], {"shape": [2]}, 1, None]
    told: list[Any] = [exact, [wide, None], {"shape": [2]}, 1, None]
    short = values.brief(told, own)
    assert short == [None, [wide, None], {"shape": [2]}, 1, None]
    assert values.whole(short, own) == told
    assert values.by_bits([one, [one, 1]]) == [bare := {k: one[k] for k in ("dtype", "shape", "bits")}, [bare, 1]]


@pytest.mark.parametrize("spec", [
    {"dtype": "float33", "shape": [1], "bits": ["0x0"]},
    {"dtype": "int8", "shape": [1], "bits": ["0x100"]},
    {"dtype": "int8", "shape": [2], "bits": ["0x1"]},
    {"dtype": "int8", "shape": [-1], "bits": []},
    {"dtype": "int8", "shape": [1], "bits": [1]},
    {"dtype": "int8", "shape": [1], "data": ["one"]},
    {"dtype": "int8", "shape": ["n"], "bits": []},
    {"what": 1},
])  # fmt: skip
def test_what_is_no_value_is_refused(spec: Any) -> None:
    with pytest.raises(UsageError, match="expected"):
        values.from_json(spec)


def test_a_bare_number_comes_back_bare() -> None:
    """As a final argument: of which dtype it is, the parameter says."""
    assert values.from_json(0.5) == 0.5 and values.from_json([2, 1.5]) == (2, 1.5)
