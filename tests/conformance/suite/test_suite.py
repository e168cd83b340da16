"""The suite as data: complete without the definition, judged without running, asked line by line."""

from __future__ import annotations

import json
import shlex
import shutil
import sys
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from refrelax.cli import main
from refrelax.conformance.suite import schemas, serve, store, values
from refrelax.conformance.suite.command import ask_all
from refrelax.conformance.suite.judge import judge
from refrelax.conformance.suite.pairs import score
from refrelax.conformance.suite.protocol import request
from refrelax.conformance.suite.scores import board, junit
from tests.suite_records import records

jsonschema = pytest.importorskip("jsonschema")


@cache
def own_answers(first: int | None = None) -> dict[str, Any]:
    """The definition's answers to nothing but what an implementation is sent, for all records or the ``first``."""
    asked = ((each, request(k, each, "both")) for k, each in enumerate(records(first), 1))
    return {each["name"]: json.loads(json.dumps(serve.answer(sent))) for each, sent in asked if sent is not None}


@pytest.mark.thorough
def test_the_definition_passes_by_what_it_exported() -> None:
    words = Counter(each.word for each in score(records(), own_answers()))
    assert not words["failed"] and not words["refused"] and not words["unsupported"]
    assert words["passed"] > 900 and words["undecided"] == 0


@pytest.mark.thorough
def test_no_case_asks_what_another_asks_and_all_are_sound_by_their_schemas(tmp_path: Path) -> None:
    few = [each for each in records() if each["rule"].startswith(("ev/", "sh/", "syn/json", "vm/"))]
    store.write(tmp_path, few)
    published = {p.stem: json.loads(p.read_text("utf-8")) for p in (tmp_path / "schema").iterdir()}
    valid = {name: jsonschema.Draft202012Validator(schema) for name, schema in published.items()}
    valid["manifest"].validate(json.loads((tmp_path / "manifest.json").read_text("utf-8")))
    assert [each["name"] for each in store.read(tmp_path)] == [each["name"] for each in few]
    for each in few:
        valid["case"].validate(each)
        answer = own_answers().get(each["name"])
        if answer is not None:
            valid["answer"].validate(answer)
    assert len({each["hash"] for each in records()}) == len(records())
    told = ("name", "also", "rule", "verdict", "hash")
    asked = Counter(json.dumps([v for k, v in sorted(each.items()) if k not in told]) for each in records())
    assert max(asked.values()) == 1  # two of them differed in how an argument was written


LISTENER = """
import json, sys
with open(sys.argv[1], "a") as kept:
    for line in sys.stdin:
        kept.write(line)
        kept.flush()
        asked = json.loads(line)
        hello = {"protocol": 1, "takes": sys.argv[2], "version": "one more key"}
        said = hello if asked["ask"] == "hello" else {"end": "unsupported"}
        print(json.dumps({"id": asked["id"], **said}), flush=True)
"""


@pytest.mark.thorough
@pytest.mark.parametrize("takes", ["tree", "text", "both"])
def test_every_line_that_the_runner_sends_is_one_of_the_published_requests(takes: str, tmp_path: Path) -> None:
    listener, kept = tmp_path / "listener.py", tmp_path / "lines"
    listener.write_text(LISTENER, encoding="utf-8")
    answers = list(ask_all(shlex.join([sys.executable, str(listener), str(kept), takes]), records(60), 20.0))
    valid = {name: jsonschema.Draft202012Validator(each) for name, each in schemas.all_of_them().items()}
    lines = [json.loads(line) for line in kept.read_text("utf-8").splitlines()]
    assert lines[0]["ask"] == "hello" and len(lines) == 1 + sum("why" not in each for each in answers) > 30
    for line in lines:
        valid["request"].validate(line)
    for line in lines[1:9]:
        without = {k: v for k, v in line.items() if k not in ("tree", "text")}
        assert not any(map(valid["request"].is_valid, (without, {**line, "entry": 5}, {**line, "more": 1})))
    valid["hello"].validate({"id": 0, "protocol": 1, "takes": takes, "version": "one more key"})
    assert not valid["hello"].is_valid({"id": 0, "protocol": 2})


@pytest.mark.thorough
@pytest.mark.parametrize("takes", ["tree", "text", "both"])
def test_all_requests_are_sound_by_their_schema(takes: str) -> None:
    valid = jsonschema.Draft202012Validator(schemas.request())
    for number, each in enumerate(records(), 1):
        if (asked := request(number, each, takes)) is not None:
            valid.validate(asked)


@pytest.mark.thorough
@pytest.mark.parametrize("answer", [
    {"end": "accepted"}, {"end": "rejected"}, {"end": "trapped"}, {"end": "returned", "value": None, "arguments": []},
    {"end": "unknown"}, {"end": "proved"}, {"end": "unsupported"}, {}, {"end": "crash"},
])  # fmt: skip
def test_who_always_says_the_same_passes_next_to_nothing(answer: dict[str, Any]) -> None:
    said = score(records(), {each["name"]: answer for each in records()})
    assert Counter(each.word for each in said)["passed"] < 0.02 * len(records())


def zero(value: Any) -> Any:
    """A value of the same form in which every number is 0."""
    match value:
        case list():
            return [zero(each) for each in value]
        case {"bits": bits}:
            return {"dtype": value["dtype"], "shape": value["shape"], "bits": ["0x0"] * len(bits)}
        case {"dtype": dtype, "value": _}:
            return {"dtype": dtype, "value": "0x0"}
        case {"shape": shape}:
            return {"shape": [0] * len(shape)}
        case bool():
            return False
        case int() | float():
            return 0
    return value


@pytest.mark.thorough
@pytest.mark.parametrize("nothing", [
    lambda each: zero(each.get("value")), lambda each: (each["args"] or [None])[0], lambda each: None,
], ids=["zeros", "the first argument", "no value"])  # fmt: skip
def test_who_does_nothing_passes_less_than_two_percent(nothing: Any) -> None:
    """Who knows the form of the value and hands all arguments back as they came shows which cases ask nothing."""
    answers = {
        each["name"]: {"end": "returned", "value": nothing(each), "arguments": each["args"], "effects": []}
        for each in records()
        if each["ask"] == "run"
    }
    passed = [each.record["name"] for each in score(records(), answers) if each.word == "passed"]
    assert len(passed) < 0.02 * len(records()), passed


@pytest.mark.thorough
def test_one_wrong_bit_fails() -> None:
    """Every returned tensor whose elements are exact, with the last bit of its first element turned."""
    wrong, turned = [], {}
    for each in records():
        answer = own_answers().get(each["name"], {})
        permitted = values.whole((each.get("permitted") or {}).get("value"), each.get("value"))
        first = permitted.get("permitted", [])[:1] if isinstance(permitted, dict) else []
        if first and isinstance(first[0], str) and each["value"]["data"][0] not in (0, "nan"):
            bits = answer["value"]["bits"]
            value = {**answer["value"], "bits": [hex(int(bits[0], 16) ^ 1), *bits[1:]]}
            turned[each["name"]] = {**answer, "value": value}
            wrong.append(each)
    assert len(wrong) > 200
    assert {each.word for each in score(wrong, turned)} == {"failed"}


@pytest.mark.thorough
def test_types_are_held_to() -> None:
    typed = [each for each in records() if each["ask"] == "check" and each["expect"] == "accepts"]
    answers = {}
    for each in typed:
        types = json.loads(json.dumps(own_answers()[each["name"]]["types"]))
        for bindings in types.values():
            for name in bindings:
                bindings[name] = {"node": "PrimType", "dtype": "int7"}
        answers[each["name"]] = {"end": "accepted", "types": types}
    said = {each.record["name"]: each.word for each in score(typed, answers)}
    held = [each["name"] for each in typed if any(each["types"].values())]
    assert len(held) > 80 and {name for name in held if said[name] != "failed"} == set()


@pytest.mark.thorough
def test_scores() -> None:
    rows = list(score(records(60)[:40], own_answers(60)))
    assert any("passed 100.0 %" in line for line in board(rows))
    xml = junit(rows)
    assert xml.count("<testcase") == 40 and 'failures="0"' in xml


# --- commands ---

SERVER = """
import json, os, sys, time
from refrelax.conformance.suite import serve
for line in sys.stdin:
    asked = json.loads(line)
    if asked.get("case") == "evaluation/tuple-item":
        {does}
    print(json.dumps({{"id": asked["id"], **serve.answer(asked)}}), flush=True)
"""


def command(tmp_path: Path, does: str = "pass") -> str:
    path = tmp_path / "server.py"
    path.write_text(SERVER.format(does=does), encoding="utf-8")
    return shlex.join([sys.executable, str(path)])


@pytest.mark.thorough
def test_a_command_is_asked_and_its_answers_are_judged_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    answers, xml = tmp_path / "answers.jsonl", tmp_path / "junit.xml"
    chosen = ["--only", "evaluation/b"]
    line = ["conformance", "run", "--impl", command(tmp_path), "--answers", str(answers), "--junit", str(xml), *chosen]
    assert main(line) == 0
    told = capsys.readouterr().out
    assert " passed, 0 failed" in told and "07-evaluation" in told and "<testcase" in xml.read_text("utf-8")
    assert main(["conformance", "judge", str(answers), *chosen]) == 0
    assert capsys.readouterr().out == told
    assert main(["conformance", "export", str(tmp_path / "suite"), *chosen]) == 0
    capsys.readouterr()
    assert main(["conformance", "judge", str(answers), "--suite", str(tmp_path / "suite")]) == 0
    assert capsys.readouterr().out == told


@pytest.mark.thorough
@pytest.mark.parametrize(("does", "why"), [
    ("time.sleep(60)", "hang: no answer within 1 s"),
    ("os._exit(3)", "crash: its process ended with exit code 3"),
    ("print('hello', flush=True); continue", "crash: expected a JSON object on one line"),
    ("print('{{\"id\": 77}}', flush=True); continue", "crash: expected an answer to the request"),
])  # fmt: skip
def test_one_bad_answer_costs_one_case(does: str, why: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    line = ["conformance", "run", "--impl", command(tmp_path, does.replace("{{", "{").replace("}}", "}"))]
    assert main([*line, "--only", "evaluation/t", "--deadline", "1s"]) == 1
    told = capsys.readouterr().out
    assert f"FAILED evaluation/tuple-item (ev/tuple-get-item): {why}" in told and "1 failed" in told


@pytest.mark.thorough
@pytest.mark.skipif(shutil.which("perl") is None, reason="the first implementation of the guide is in Perl")
def test_the_guide_ends_without_a_failure(capsys: pytest.CaptureFixture[str]) -> None:
    """What ``docs/howto-conformance.md`` builds is wrong nowhere, however the suite grows."""
    path = Path(__file__).parents[3] / "conformance" / "first-hour" / "impl.pl"
    assert main(["conformance", "run", "--impl", f"perl {shlex.quote(str(path))}", "--profile", "graph"]) == 0
    told = capsys.readouterr().out
    assert " passed, 0 failed" in told and not told.startswith("0 passed")


@pytest.mark.thorough
def test_two_processes_give_what_one_gives(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    line = ["conformance", "run", "--impl", command(tmp_path), "--only", "evaluation/t", "--json"]
    assert main(line) == 0
    alone = [json.loads(each)["case"] for each in capsys.readouterr().out.splitlines()]
    assert main([*line, "--jobs", "2"]) == 0
    assert [json.loads(each)["case"] for each in capsys.readouterr().out.splitlines()] == alone


@pytest.mark.thorough
@pytest.mark.parametrize(("words", "message"), [
    (["run", "--impl", "numpy", "--jobs", "2"], "--jobs is for an implementation that is a command"),
    (["run", "--impl", "numpy", "--rule", "ev/nothing"], "there are"),
    (["judge", "missing.jsonl"], "missing.jsonl"),
])  # fmt: skip
def test_bad_use(
    words: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["conformance", *words]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(("words", "message"), [
    (["run", "--impl", "no/such/program"], "cannot be started"),
    (["run", "--impl", f"{sys.executable} -c pass"], "no answer to hello"),
    (["export", "out", "--profile", "none"], "no case is chosen by --profile none"),
    (["export", "out", "--shard", "3/2"], "expected K/N"),
])  # fmt: skip
def test_what_cannot_be_asked_is_refused_before_there_is_a_suite(
    words: list[str], message: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def made(*_: Any, **__: Any) -> Any:
        raise AssertionError("a suite was made")

    for name in ("_recorded", "_cases"):
        monkeypatch.setattr(f"refrelax.commands.conformance.{name}", made)
    assert main(["conformance", *words]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.thorough
@pytest.mark.parametrize("choice", [
    ["--rule", "ev/if"], ["--rule", "num/"], ["--chapter", "09"], ["--operator", "add", "--only", "evaluation/"],
    ["--profile", "gpu", "--only", "threads/a"], ["--shard", "2/2", "--only", "evaluation/b"],
])  # fmt: skip
def test_choosing(choice: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["conformance", "export", str(tmp_path), *choice]) == 0
    count = int(capsys.readouterr().out.split()[0])
    assert 0 < count < 400  # (of four thousand)
    for each in store.read(tmp_path):
        assert choice[0] != "--operator" or "relax.add" in each["operators"]
        assert choice[0] != "--profile" or each["profile"] == "gpu"


def test_a_set_that_is_too_wide_to_tell_asks_nothing_of_those_inside() -> None:
    wide = {"dtype": "float32", "shape": [2], "permitted": [{"low": "0xff800000", "high": "0x3f800000"}] * 2}
    narrow = {**wide, "permitted": ["0x3f800000", wide["permitted"][0]]}
    asked = {"ask": "run", "expect": "Returned", "arguments": [], "effects": []}

    def said(permitted: Any, *numbers: float) -> str:
        value = {"dtype": "float32", "shape": [2], "data": [1.0, 1.0]}
        record = {**asked, "value": value, "permitted": {"value": permitted, "arguments": [], "effects": []}}
        given = {"end": "returned", "value": {**value, "data": list(numbers)}, "arguments": []}
        return judge(record, given)[0]

    assert said(wide, 1, 0) == "excluded" and said(wide, 1, 2) == "failed"
    assert said(narrow, 1, 0) == "passed" and said(narrow, 1, 2) == said(narrow, 0, 0) == "failed"
