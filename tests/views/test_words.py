"""Values and ends of runs in words."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest

import refrelax as rr
from refrelax.exercises import starts
from refrelax.play import answer
from refrelax.semantics.numbers import reading
from refrelax.semantics.numbers.intervals import Interval
from refrelax.semantics.numbers.intsets import Ints, TruthSet
from refrelax.semantics.values import from_payloads
from refrelax.views.shown import element
from refrelax.views.words import brief, ended


@pytest.mark.parametrize(
    ("data", "shape", "text"),
    [
        ([[1.0, 0.1], [2.5, -3.0]], (2, 2), "float32[2, 2] [[1.0, 0.100000001], [2.5, -3.0]]"),
        ([], (0,), "float32[0] []"),
        (7.0, (), "float32[] 7.0"),
        ([float("nan"), float("inf")], (2,), "float32[2] [nan, inf]"),
    ],
)
def test_a_tensor_is_written_in_the_brackets_of_its_axes(data: object, shape: tuple[int, ...], text: str) -> None:
    assert brief(rr.Tensor.of(data, "float32")) == text


def test_no_two_floats_of_float32_are_written_alike_and_all_of_float64_are_whole() -> None:
    near = [1.0 + k * 2.0**-23 for k in range(64)]
    assert len({brief(rr.Tensor.of(each, "float32")) for each in near}) == len(near)
    assert brief(rr.Tensor.of(-1e8, "float32")) == "float32[] -100000000.0"
    assert brief(rr.Tensor.of(0.1 + 0.2, "float64")) == "float64[] 0.30000000000000004"


def test_what_is_long_says_how_much_is_not_shown() -> None:
    assert brief(rr.Tensor.of(list(range(40)), "int32"), 3) == "int32[40] [0, 1, 2, …] and 37 more"
    assert brief((rr.Tensor.of(1, "int8"),)) == "(int8[] 1,)"


def test_an_end_says_what_means_nothing_without_a_constructor() -> None:
    end = rr.run(rr.check(rr.parse(starts.POISON)), "main", args=[rr.Tensor.of([0, 9, 2], "int64")])
    lines = ended(end)
    assert lines[0].startswith("value: ") and "Returned(" not in "".join(lines)
    assert isinstance(end, rr.Returned) and lines[1:] == ["no meaning: value[1] [op.take/out-of-range]"]


def test_a_counterexample_reads_without_constructors() -> None:
    wrong = starts.FUSED.replace("(n)", "(n - 1)")
    page = answer({"action": "validate", "program": starts.UNFUSED, "second": wrong})["page"]
    assert "no meaning: value[1] [st/never-written]" in page and "value: int32[2] [" in page
    assert "Returned(" not in page and "effects=" not in page


@pytest.mark.parametrize("reading", ["enclosure", "exact", "sampled", "symbolic"])
def test_every_reading_has_words(reading: str) -> None:
    text = answer({"action": "run", "program": starts.SUM, "args": "[[1e8, 1, -1e8, 1]]", "reading": reading})["text"]
    assert "Trapped" not in text and "Returned" in text and "{" not in text
    if reading == "enclosure":
        assert "between " in text


def test_what_a_loop_program_stored_is_told() -> None:
    """It returns nothing: what it did is in its arguments."""
    text = answer({"action": "run", "program": starts.SCHEDULE, "dims": "n=2"})["text"]
    assert "value: nothing" in text and "argument 1 afterwards: float32[2] [" in text
    assert "argument 0 afterwards" not in text


@pytest.mark.parametrize(
    ("payload", "dtype", "shown", "said"),
    [
        (Interval(1.0, 2.0, True, "num/x"), "float32", [1.0, 2.0, "nan", {"poison": "num/x"}],
         "between 1.0 and 2.0 or NaN or poison(num/x)"),
        (Interval(1.0, 2.0, False, "num/x"), "float32", [1.0, 2.0, {"poison": "num/x"}],
         "between 1.0 and 2.0 or poison(num/x)"),
        (Interval(math.inf, -math.inf, True, "num/x"), "float32", ["nan", {"poison": "num/x"}], "NaN or poison(num/x)"),
        (Interval(math.inf, -math.inf, True), "float32", "nan", "nan"),
        (Interval(math.inf, -math.inf, False, "num/x"), "float32", {"poison": "num/x"}, "poison(num/x)"),
        (Ints(1, 3, None, "num/x"), "int32", [1, 3, {"poison": "num/x"}], "between 1 and 3 or poison(num/x)"),
        (TruthSet(True, False, "num/x"), "bool", [True, True, {"poison": "num/x"}], "True or poison(num/x)"),
        (TruthSet(True, True), "bool", [False, True], "between False and True"),
        (TruthSet(False, True), "bool", False, "False"),
    ],
)  # fmt: skip
def test_a_set_says_all_that_is_in_it(payload: Any, dtype: str, shown: Any, said: str) -> None:
    """Sets that may be poison were shown as numbers, and one that may be true as poison."""
    found = element(payload, dtype, reading("enclosure"))
    assert found == shown and json.loads(json.dumps(found)) == shown
    assert brief(from_payloads(reading("enclosure"), dtype, (), [payload])) == f"{dtype}[] {said}"
