"""What is one cause, and what are two."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refrelax.errors import UsageError
from refrelax.judge.campaign.causes import EMPTY, Cause, cause_of, template
from refrelax.judge.campaign.known import known_as, load
from refrelax.judge.verdicts import Divergence
from refrelax.syntax import dtypes
from refrelax.testing.corners import ELEMENT_DTYPES


def _values(*operators: str, dtype: str = "float") -> Cause:
    return Cause("values", "elements", operators, dtype)


def _refused(place: str, says: str) -> Cause:
    return Cause("refused", place, ("R.add",), "", True, says)


@pytest.mark.parametrize(
    ("known", "found", "again"),
    [
        (_values("R.abs"), _values("R.abs"), True),
        (_values("R.abs"), _values("R.abs", "R.add", dtype=""), True),
        (_values("R.abs"), _values("R.add"), False),
        (_values("R.abs"), _values("R.abs", dtype="int"), False),
        (_values(), _values(), True),
        (_values(), _values("R.abs"), False),
        (_values("R.abs"), Cause("crash", "elements", ("R.abs",), "float"), False),
        (Cause("refused", "pow", ("R.power",), "", True), Cause("refused", "pow", ("R.add",), "", True), True),
        (_refused("a.cc:Add", "no bool"), _refused("a.cc:Sub", "no bool"), True),
        (_refused("a.cc:Add", "no bool"), _refused("b.cc:Sub", "no bool"), False),
        (_refused("a.cc:Add", "no bool"), _refused("a.cc:Sub", "no int"), False),
    ],
)  # fmt: skip
def test_a_cause_is_the_same_again(known: Cause, found: Cause, again: bool) -> None:
    """One that no operator is blamed for does not stand for every later one; a place in the sources answers alone."""
    assert known.covers(found) is again


@given(st.sampled_from(ELEMENT_DTYPES), st.integers(-(2**40), 2**40), st.sampled_from(["lv", "gv", "x", "ax0"]))
def test_a_message_is_one_whatever_the_program(dtype: str, number: int, name: str) -> None:
    said = "InternalError: Check failed: ({name} < {number}) is false: expected {dtype}[{number}], found {name}"
    assert template(said.format(name=name, number=number, dtype=dtype)) == template(
        said.format(name="y", number=7, dtype="int8")
    )


def test_a_message_is_the_line_that_tells() -> None:
    shown = "Traceback (most recent call last):\n  File x\nInternalError: Check failed: ndim != 0 (0 vs. 0)\nx = 3\n"
    assert template(shown) == "InternalError: Check failed: ndim != # (# vs. #)"


@given(st.sampled_from(ELEMENT_DTYPES))
def test_wrong_elements_are_told_by_operator_and_class(dtype: str) -> None:
    said = "return[0] (result) is outside the permitted results altogether (1 of 6 elements): 2, permitted nan"
    cause = cause_of(Divergence("main/return", said), ("R.exp",), dtype)
    assert cause.operators == ("R.exp",) and cause.how == "elements"
    assert (cause.dtype in ("float", "narrow")) is dtypes.is_float(dtype)
    assert cause_of(Divergence("main/return", said), ("R.exp",), dtype, empty=True).id == f"values: {EMPTY}"


@pytest.mark.parametrize(
    ("found", "permitted", "how"),
    [("int64[3]", "uint8[3]", "dtype"), ("float32[1]", "float32[1, 1]", "shape"), ("0", "[1, 2]", "elements")],
)
def test_a_wrong_type_is_another_cause(found: str, permitted: str, how: str) -> None:
    said = f"return (result) is outside the permitted results altogether: {found}, permitted {permitted}"
    assert cause_of(Divergence("", said), ("R.mean",), "uint8").how == how


@pytest.mark.thorough
@given(st.builds(Cause, st.text(), st.text(), st.tuples(st.text()), st.text(), st.booleans()))
def test_a_cause_survives_its_row(cause: Cause) -> None:
    assert Cause.of_row(json.loads(json.dumps(cause.row()))) == cause


def test_known_causes(tmp_path: Path) -> None:
    path = tmp_path / "known.toml"
    path.write_text('[[known]]\nid = "power"\ncauses = ["refused: op.cc:*pow"]\n', "utf-8")
    assert known_as("refused: op.cc:tvm::prim::pow", load(path)) == "power"
    assert known_as("refused: op.cc:tvm::prim::exp", load(path)) is None


@given(st.text("ab*?[]: |+", min_size=1))
def test_an_earlier_campaign_is_a_list_of_known_causes(tmp_path_factory: pytest.TempPathFactory, cause: str) -> None:
    path = tmp_path_factory.mktemp("known") / "earlier.jsonl"
    path.write_text(json.dumps({"finding": "0001", "cause": cause}) + "\n" + json.dumps({"verdict": "FOUND"}), "utf-8")
    assert known_as(cause, load(path)) == "0001"
    assert known_as(f"{cause}x", load(path)) is None


@pytest.mark.parametrize("text", ["", "[[known]]\nid = 1\n", "{not json", "\x00"])
def test_what_is_no_list(tmp_path: Path, text: str) -> None:
    (tmp_path / "list").write_text(text, "utf-8")
    with pytest.raises(UsageError, match="no list of known causes"):
        load(tmp_path / "list")


def test_a_cause_that_says_no_dtype_is_known_by_that_of_any_class() -> None:
    known = {"values: elements | R.sign float": "006", "refused: op.cc:pow": "024"}
    assert known_as("values: elements | R.sign", known) == "006"
    assert known_as("values: elements | R.sign int", known) is None
    assert known_as("values: elements | R.abs", known) is None


def test_a_value_where_a_standard_has_none_is_told_by_the_rule() -> None:
    says = "array API `squeeze` has no value (open since lv, R.squeeze: axis 0 of (3,) [op.squeeze/extent-one]), the"
    cause = cause_of(Divergence("", f"{says} implementation returns 1", kind="end"), ["R.squeeze"], "float32")
    assert cause.id == "end: a value for none: op.squeeze/extent-one"
