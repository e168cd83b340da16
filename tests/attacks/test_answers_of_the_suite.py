"""Answers that are no answers, and numbers that are no elements: said of the implementation, and never passed."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from refrelax.cli import main
from refrelax.conformance.suite.command import ask_all
from refrelax.conformance.suite.judge import judge
from refrelax.conformance.suite.records import Record


def _record(dtype: str, bits: str) -> Record:
    tensor = {"dtype": dtype, "shape": [1], "bits": [bits]}
    permitted = {"dtype": dtype, "shape": [1], "permitted": [bits]}
    return {
        "name": "a/b", "rule": "ev/call", "verdict": "accepts", "expect": "Returned", "profile": "graph", "ask": "run",
        "entry": "main", "args": [], "module": "", "tree": {}, "constants": [], "value": tensor, "arguments": [],
        "effects": [], "permitted": {"value": permitted, "arguments": [], "effects": []},
    }  # fmt: skip


def _said(record: Record, value: Any) -> str:
    return judge(record, {"end": "returned", "value": value, "arguments": [], "effects": []})[0]


@pytest.mark.parametrize("number", [5 + 2**32, 5 - 2**32, 5.5, 1e30, float("nan"), float("inf"), "nan", "5", [5.5]])
def test_a_number_that_is_no_element_of_an_integer_dtype_does_not_pass(number: Any) -> None:
    assert _said(_record("int32", "0x5"), {"dtype": "int32", "shape": [1], "data": [number]}) == "failed"


@pytest.mark.parametrize("number", [5, 5.0])
def test_a_number_that_is_one_passes(number: Any) -> None:
    assert _said(_record("int32", "0x5"), {"dtype": "int32", "shape": [1], "data": [number]}) == "passed"


def test_a_bool_is_0_or_1() -> None:
    record = _record("bool", "0x1")
    assert _said(record, {"dtype": "bool", "shape": [1], "data": [7]}) == "failed"
    assert _said(record, {"dtype": "bool", "shape": [1], "data": [True]}) == "passed"


@pytest.mark.parametrize("dtype", ["handle", "void", "float32x4", "float4_e2m1fn", "nonsense", ""])
@pytest.mark.parametrize("form", [{"bits": ["0x1"]}, {"data": [1]}, {"data": ["nan"]}, {"data": ["+-nan"]}])
def test_a_dtype_that_no_element_has_is_a_failed_answer(dtype: str, form: dict[str, Any]) -> None:
    record = _record("float32", "0x3f800000")
    assert _said(record, {"dtype": dtype, "shape": [1], **form}) == "failed"
    assert _said(record, {"dtype": dtype, "value": "0x1"}) == "failed"


@pytest.mark.parametrize("end", [[], {}, None, 5, ["returned"]])
def test_an_end_that_is_no_word_is_a_failed_answer(end: Any) -> None:
    assert judge(_record("int32", "0x5"), {"end": end})[0] == "failed"


DEEP = """
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    if asked["ask"] == "hello":
        print('{"id": 0, "protocol": 1, "takes": "text"}', flush=True)
    else:
        print('{"id": %d, "end": "returned", "value": %s%s}' % (asked["id"], "[" * DEPTH, "]" * DEPTH), flush=True)
"""


@pytest.mark.parametrize("depth", [2_000, 20_000, 100_000])
def test_an_answer_that_is_nested_too_deeply_is_the_implementations_fault(tmp_path: Any, depth: int) -> None:
    text = tmp_path / "deep.py"
    text.write_text(DEEP.replace("DEPTH", str(depth)), encoding="utf-8")
    (answer,) = ask_all(f"{sys.executable} {text}", [_record("int32", "0x5")], 20.0)
    assert answer["end"] == "crash", answer


@pytest.mark.parametrize("line", [
    "[" * 100_000, '{"case": "a", "end": ' + "[" * 2_000 + "]" * 2_000 + "}", '{"a":' * 50_000, "7", "9" * 5_000,
    r'{"case": "\ud800", "end": "accepted"}', "{",
])  # fmt: skip
def test_a_line_that_is_no_answer_is_told_with_its_place(
    line: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "answers.jsonl"
    path.write_text(json.dumps({"case": "evaluation/bind", "end": "hang"}) + "\n" + line + "\n", encoding="utf-8")
    assert main(["conformance", "judge", str(path), "--only", "evaluation/bind"]) == 2
    err = capsys.readouterr().err
    assert f"{path}:2: expected" in err and err.count("\n") == 1 and len(err) < 400


ONCE = """
import json, pathlib, sys
starts = pathlib.Path(sys.argv[1])
count = len(starts.read_text()) if starts.exists() else 0
starts.write_text("." * (count + 1))
if count in SILENT:
    sys.exit(3)
for line in sys.stdin:
    asked = json.loads(line)
    if asked["ask"] == "hello":
        print('{"id": 0, "protocol": 1, "takes": "text"}', flush=True)
    elif asked["case"].endswith("b"):
        print(json.dumps({"id": asked["id"], "end": "accepted"}), flush=True)
    else:
        sys.exit(4)
"""


@pytest.mark.thorough
@pytest.mark.parametrize(("silent", "ends"), [
    ((1,), "accepted crash crash accepted accepted crash accepted"),
    ((1, 2), "accepted crash crash crash accepted crash accepted"),
    (range(1, 99), "accepted crash crash crash crash crash crash"),
])  # fmt: skip
@pytest.mark.parametrize("jobs", [1, 2])
def test_a_start_without_a_hello_costs_a_case_and_not_the_run(
    silent: Any, ends: str, jobs: int, tmp_path: Path
) -> None:
    program, starts = tmp_path / "once.py", tmp_path / "starts"
    program.write_text(ONCE.replace("SILENT", str([*silent])), encoding="utf-8")
    records = [{**_record("int32", "0x5"), "name": f"{k}/{end}"} for k, end in enumerate("babbbab")]
    answers = list(ask_all(f"{sys.executable} {program} {starts}", records, 20.0, jobs))
    assert [each["case"] for each in answers] == [each["name"] for each in records]
    if jobs == 1:
        assert " ".join(each["end"] for each in answers) == ends
        assert len(starts.read_text("utf-8")) <= 5
    else:
        assert {each["end"] for each in answers} <= {"accepted", "crash"}
