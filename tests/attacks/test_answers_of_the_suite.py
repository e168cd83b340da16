"""Answers that are no answers, and numbers that are no elements: said of the implementation, and never passed."""

from __future__ import annotations

import io
import json
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from refrelax.cli import main
from refrelax.conformance import load
from refrelax.conformance.plugin import Panel
from refrelax.conformance.suite import serve, store
from refrelax.conformance.suite.command import ask_all
from refrelax.conformance.suite.judge import judge
from refrelax.conformance.suite.pairs import score
from refrelax.conformance.suite.records import Record, exported
from refrelax.errors import UsageError


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


# --- answers that say less, or more, than was asked -----------------------------------------------------------------


@pytest.mark.parametrize("bits", ["0x3f80_0000", "0x3f800000 ", "0x3f80000\u0660", "0x", "0x-1", "0X3f800000", 5])
def test_a_bit_pattern_is_hexadecimal_digits(bits: Any) -> None:
    assert _said(_record("float32", "0x3f800000"), {"dtype": "float32", "shape": [1], "bits": [bits]}) == "failed"


@pytest.mark.parametrize("shape", [[10**4000, 10**4000], [10**4000] * 3 + [0], [2**40] * 900, [True]])
def test_a_shape_of_any_size_is_told_in_words(shape: list[int]) -> None:
    assert _said(_record("float32", "0x3f800000"), {"dtype": "float32", "shape": shape, "bits": []}) == "failed"


def test_an_answer_nested_as_deep_as_may_be_is_judged() -> None:
    deep: list[Any] = []
    for _ in range(990):
        deep = [deep]
    assert _said(_record("float32", "0x3f800000"), deep) == "failed"


def _scalar(value: Any) -> Record:
    return {
        **_record("float32", "0x0"), "value": value, "permitted": {"value": value, "arguments": [], "effects": []}
    }  # fmt: skip


@pytest.mark.parametrize(("wanted", "found"), [
    ({"dtype": "float64", "value": "0x3ff0000000000000"}, {"dtype": "int32", "value": "0x1"}),
    ({"dtype": "float64", "value": "0x3ff0000000000000"}, {"dtype": "float64", "shape": [], "data": [1]}),
    (5, {"dtype": "int8", "shape": [], "bits": ["0x5"]}),
    ({"opaque": "Closure"}, None),
    ({"opaque": "Closure"}, 5),
    ([7, {"opaque": "Closure"}], [7, {"dtype": "float32", "shape": [], "bits": ["0x5"]}]),
])  # fmt: skip
def test_a_value_of_another_kind_does_not_pass(wanted: Any, found: Any) -> None:
    assert _said(_scalar(wanted), found) == "failed"
    assert _said(_scalar(wanted), wanted) == "passed"


@pytest.mark.parametrize("line", ['{"case": "evaluation/bind", "end": "returned", "value": NaN}', '{"x": -Infinity}'])
def test_a_number_that_json_does_not_have_is_told(
    line: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "answers.jsonl"
    path.write_text(line, encoding="utf-8")
    assert main(["conformance", "judge", str(path), "--only", "evaluation/bind"]) == 2
    assert f"{path}:1: expected a JSON object" in capsys.readouterr().err


@pytest.mark.by_day(4)
@pytest.mark.parametrize("seconds", ['"abc"', "{}", "true", "1e400", "-1", "1" + "0" * 400])
def test_a_time_that_is_none_is_no_fault(seconds: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "answers.jsonl"
    path.write_text(f'{{"case": "evaluation/bind", "end": "hang", "seconds": {seconds}}}', encoding="utf-8")
    assert main(["conformance", "judge", str(path), "--only", "evaluation/bind"]) == 1
    assert "1 failed" in capsys.readouterr().out


TOLD = """
import json, os, sys, time
for line in sys.stdin:
    asked = json.loads(line)
    i = asked["id"]
    if asked["ask"] == "hello":
        print('{"id": 0, "protocol": 1, "takes": "both"}', flush=True)
        continue
    fine = json.dumps({"id": i, "end": "accepted"})
    HOW
"""


@pytest.mark.by_day(1)
@pytest.mark.parametrize(("how", "ends", "why"), [
    (r'sys.stdout.write(fine + "\n" + fine + "\n"); sys.stdout.flush()', "crash crash crash", "one line"),
    (r'print(fine + "\n" + json.dumps({"id": i + 1, "end": "accepted"}), flush=True)', "crash crash crash", "one line"),
    ('print(fine, flush=True); time.sleep(.1); print(fine, flush=True)', "accepted accepted accepted", ""),
    ('print(json.dumps({"id": float(i), "end": "accepted"}), flush=True)', "accepted accepted accepted", ""),
    ('print(json.dumps({"id": i, "end": "accepted", "x": float("nan")}), flush=True)', "crash crash crash", "JSON"),
    ('os.kill(os.getpid(), 35)', "crash crash crash", "signal 35"),
    ('print(json.dumps({"id": i, "end": "accepted", "why": "x" * 10**7}), flush=True)', "accepted " * 3, ""),
    ('sys.stdout.buffer.write(fine.encode()[:-1] + bytes([255, 10])); sys.stdout.flush()', "crash crash crash", "JSON"),
    ('os.close(0); print(fine, flush=True); os._exit(0)', "accepted accepted accepted", ""),
    ('os.close(1); time.sleep(20)', "crash crash crash", "closed"),
])  # fmt: skip
def test_a_line_too_many_and_an_end_without_a_name(how: str, ends: str, why: str, tmp_path: Path) -> None:
    program = tmp_path / "told.py"
    program.write_text(TOLD.replace("HOW", how), encoding="utf-8")
    records = [{**_record("int32", "0x5"), "name": f"a/{k}"} for k in range(3)]
    if "closed" in why:
        records = records[:1]
        ends = "crash"
    answers = []
    for each in ask_all(f"{sys.executable} {program}", records, 20.0):
        answers.append(each)
        if "sleep(.1)" in how:
            time.sleep(0.3)  # a second line that comes late is not taken for the next answer
    assert " ".join(each["end"] for each in answers) == ends.strip(), answers
    assert all(why in each.get("why", "") for each in answers), answers


LEFT = """
import json, os, subprocess, sys
for line in sys.stdin:
    if json.loads(line)["ask"] == "hello":
        print('{"id": 0, "protocol": 1, "takes": "both"}', flush=True)
    else:
        subprocess.Popen([sys.executable, "-c", "import time; time.sleep(40)"], start_new_session=SESSION)
        os._exit(3)
"""


@pytest.mark.thorough
@pytest.mark.parametrize("session", ["False", "True"])
def test_who_dies_and_leaves_a_child_with_the_output_has_crashed(session: str, tmp_path: Path) -> None:
    """It was told as a hang, after the whole deadline."""
    program = tmp_path / "left.py"
    program.write_text(LEFT.replace("SESSION", session), encoding="utf-8")
    (answer,) = ask_all(f"{sys.executable} {program}", [_record("int32", "0x5")], 30.0)
    assert answer["end"] == "crash" and answer["why"] == "its process ended with exit code 3"


def test_a_command_that_no_shell_reads_is_told() -> None:
    with pytest.raises(UsageError, match="--impl: expected a command as a shell reads it"):
        list(ask_all("perl 'x", [_record("int32", "0x5")], 20.0))


@pytest.mark.parametrize("asked", [
    {"ask": "run", "case": "a", "entry": [], "args": [], "text": ""},
    {"ask": "run", "case": "a", "entry": "main", "args": 5, "text": ""},
    {"ask": "check", "case": "a", "constants": None, "text": ""},
    {"ask": "prove", "claim": 5}, {"ask": "prove", "claim": "n >= 0", "assume": 5},
    {"ask": "prove", "claim": "n >= 0", "assume": [5]}, {"ask": "prove", "claim": "n >= 0", "fits": 5},
    {"ask": "run", "case": "a", "entry": "main", "args": [{"dtype": "int8", "shape": [10**4000] * 2, "bits": []}],
     "text": "@R.function\ndef main(x: R.Any):\n    return x\n"},
])  # fmt: skip
def test_a_request_of_another_form_is_unsupported(asked: dict[str, Any]) -> None:
    assert serve.answer({"id": 1, **asked})["end"] == "unsupported"


def test_a_request_that_is_nested_too_deeply_is_unsupported() -> None:
    answers = io.StringIO()
    serve.serve(io.StringIO("[" * 100_000 + "\n"), answers)
    assert json.loads(answers.getvalue())["end"] == "unsupported"


@pytest.mark.thorough
def test_a_suite_that_was_edited_is_told(tmp_path: Path) -> None:
    records = list(exported(case for case in load() if case.name.startswith("evaluation/if-")))
    assert store.write(tmp_path, records) and len(list(store.read(tmp_path))) == len(records)
    path = tmp_path / f"{records[0]['name']}.json"
    text = path.read_text("utf-8")
    for edited in (text.replace('"expect":"', '"expect":"Trapped '), "{", "5", "[]"):
        path.write_text(edited, encoding="utf-8")
        with pytest.raises(UsageError, match=path.name):
            list(store.read(tmp_path))
    path.unlink()
    with pytest.raises(UsageError, match=path.name):
        list(store.read(tmp_path))
    manifest = tmp_path / "manifest.json"
    for edited in ("[]", '{"format": 2}', '{"format": 2, "cases": [5]}', "{"):
        manifest.write_text(edited, encoding="utf-8")
        with pytest.raises(UsageError, match="manifest"):
            list(store.read(tmp_path))


def test_a_trap_counts_in_pytest_as_it_does_in_the_table(tmp_path: Path) -> None:
    """Whoever traps always passes no trap, whichever way the suite is run."""
    program = tmp_path / "traps.py"
    program.write_text(TOLD.replace("HOW", 'print(json.dumps({"id": i, "end": "trapped"}), flush=True)'), "utf-8")
    returns = {**_record("int32", "0x5"), "name": "a/returns"}
    traps = {**_record("int32", "0x5"), "name": "a/traps", "expect": "Trapped ev/call"}
    answers = {each["case"]: each for each in ask_all(f"{sys.executable} {program}", [returns, traps], 20.0)}
    table = {each.record["name"]: (each.word, each.why) for each in score([returns, traps], answers)}
    panel = Panel(f"{sys.executable} {program}", [returns, traps], 20.0)
    try:
        assert {each["name"]: panel.say(each) for each in (returns, traps)} == table
    finally:
        panel.close()
    assert table["a/traps"][0] == "not judged"
