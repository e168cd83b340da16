"""What a foreign implementation answers, before both judges: the one here, and the one for node. Each of these answers
was judged wrongly by one of them or by both, or ended one with a traceback."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from refrelax.cli import main
from refrelax.conformance.suite.judge import judge
from refrelax.conformance.suite.protocol import answer_of
from refrelax.conformance.suite.records import Record
from refrelax.conformance.suite.store import FORMAT
from refrelax.errors import UsageError
from refrelax.syntax.json_ import schema

RUNNER = Path(__file__).resolve().parents[2] / "conformance" / "second" / "runner" / "main.js"
NODE = shutil.which("node") is not None and RUNNER.is_file()


def here(record: Record, line: str) -> str:
    """What the judge here says of an answer; a line that is none is a crash of whoever wrote it."""
    try:
        return judge(record, answer_of(line))[0]
    except UsageError:
        return "failed"


def for_node(record: Record, line: str, folder: Path) -> str:
    """What the judge for node says of it."""
    (folder / "schema").mkdir()
    (folder / "schema" / "module.json").write_text(json.dumps(schema()), encoding="utf-8")
    (folder / "manifest.json").write_text(json.dumps({"format": FORMAT, "cases": ["a-case"]}), encoding="utf-8")
    (folder / "a-case.json").write_text(json.dumps({**record, "name": "a-case"}), encoding="utf-8")
    (folder / "answers").write_text(line + "\n", encoding="utf-8")
    asked = ["node", RUNNER, folder, "--judge", folder / "answers", "--json"]
    done = subprocess.run(asked, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stderr
    return str(json.loads(done.stdout)["verdict"])


def both(record: Record, folder: Path, rest: str) -> set[str]:
    line = '{"id": 1, "case": "a-case", ' + rest + "}"
    return {here(record, line), *([for_node(record, line, folder)] if NODE else [])}


def returned(value: Any, arguments: Any = (), printed: Any = ()) -> Record:
    """A case whose run returns a value; no element of it is a set."""
    effects = [{"kind": "print", "name": "relax.print", "payload": ["{}", each]} for each in printed]

    def exactly(x: Any) -> Any:
        return None if isinstance(x, dict) and "bits" in x else x

    permitted = {
        "value": exactly(value), "arguments": [*map(exactly, arguments)], "effects": [e["payload"] for e in effects],
    }  # fmt: skip
    return {
        "name": "a-case", "rule": "ev/call", "verdict": "accepts", "expect": "Returned", "profile": "graph",
        "ask": "run", "entry": "main", "args": [], "module": "", "tree": {}, "constants": [], "value": value,
        "arguments": [*arguments], "effects": effects, "permitted": permitted,
    }  # fmt: skip


def tensor(dtype: str, shape: list[int], *bits: str) -> dict[str, Any]:
    return {"dtype": dtype, "shape": shape, "bits": [*bits]}


# --- types -----------------------------------------------------------------------------------------------------------

N = {"node": "SymVar", "name": "n", "dtype": "int64"}
TWO = {"node": "Literal", "dtype": "int64", "bits": "0x2"}


def shape_of(dim: Any) -> Any:
    return {"node": "ShapeType", "values": [dim], "ndim": 1}


def typed(dim: Any) -> Record:
    """A case whose binding ``s`` has a shape of one dimension for its type."""
    pair = {"expect": "accepts", "ask": "check", "types": {"main": {"s": shape_of(dim)}}}
    return {**returned(None), **pair, "rule": "op.a"}


@pytest.mark.parametrize(("ours", "theirs"), [
    (N, {**N, "dtype": "float32x4"}), (N, {**N, "dtype": "float32"}), (N, {**N, "dtype": "void"}),
    (N, {**N, "dtype": "handle"}), (N, {**N, "dtype": "int32"}),
    (N, {"node": "Intrinsic", "op": "nothing", "args": [N], "dtype": "int64"}),
    ({"node": "Intrinsic", "op": "pow", "args": [N, TWO], "dtype": "int64"},
     {"node": "Intrinsic", "op": "pow", "args": [N, TWO, TWO], "dtype": "int64"}),
    (N, {"node": "Cast", "dtype": "int64", "value": {"node": "Binary", "op": "And", "a": N, "b": N}}),
])  # fmt: skip
def test_a_type_whose_dimension_is_none_is_wrong(ours: Any, theirs: Any, tmp_path: Path) -> None:
    types = {"main": {"s": shape_of(theirs)}}
    assert both(typed(ours), tmp_path, f'"end": "accepted", "types": {json.dumps(types)}') == {"failed"}


# --- values ----------------------------------------------------------------------------------------------------------

BIG = 2**53 + 1
FIVE = returned(tensor("int32", [1], "0x5"))
ONES = returned(tensor("float32", [1] * 40, "0x0"))
UP = 2**60 + 2**36 + 1  # a float64 is halfway between two of float32, and this above it


@pytest.mark.parametrize(("record", "value"), [
    (returned(BIG), f"{BIG}.0"), (returned(BIG), "9.007199254740993e15"), (returned(BIG), f"{BIG}0e-1"),
    (returned(tensor("int64", [1], hex(BIG))), f'{{"dtype": "int64", "shape": [1], "data": [{BIG}.0]}}'),
    (returned({"shape": [2**60 + 1]}), f'{{"shape": [{2**60 + 1}]}}'),
    (returned({"shape": [2**60] * 4}), json.dumps({"shape": [2**60] * 4})),
    (returned(tensor("float32", [1], "0x5d800001")), f'{{"dtype": "float32", "shape": [1], "data": [{UP}]}}'),
    (returned(tensor("float32", [1], "0x5d800001")), f'{{"dtype": "float32", "shape": [1], "data": [{UP}.0]}}'),
    (returned(tensor("float8_e8m0fnu", [1], "0x0")), '{"dtype": "float8_e8m0fnu", "shape": [1], "data": [-0.0]}'),
    (returned({"dtype": "float64", "value": "0x43e0000000000000"}), "9223372036854776000"),  # node writes 2 ** 63 so
    (returned({"dtype": "float64", "value": "0x44b52d02c7e14af6"}), "1e+23"),
    (returned(tensor("float32", [0, 3])), '{"dtype": "float32", "shape": [-0.0, 3], "data": []}'),
    (FIVE, '{"dtype": "int32", "shape": [1], "bits": "0x5", "data": [5]}'),
])  # fmt: skip
def test_a_right_value_passes(record: Record, value: str, tmp_path: Path) -> None:
    assert both(record, tmp_path, f'"end": "returned", "value": {value}') == {"passed"}


@pytest.mark.parametrize(("record", "value"), [
    (returned(BIG - 1), f"{BIG}.0"), (returned(BIG), f"{BIG - 1}.0"),
    (ONES, json.dumps(tensor("float32", [1] * 39, "0x0"))), (ONES, json.dumps(tensor("float32", [1] * 41, "0x0"))),
    (returned(tensor("float32", [*[1] * 30, 0, 3])), json.dumps(tensor("float32", [*[1] * 30, 3, 0]))),
    (returned({"shape": [2**60] * 4}), json.dumps({"shape": [*[2**60] * 3, 1]})),
    (returned(tensor("float8_e8m0fnu", [1], "0xff")), '{"dtype": "float8_e8m0fnu", "shape": [1], "data": [-0.0]}'),
    (returned({"dtype": "float64", "value": "0x43e0000000000000"}), str(2**63 + 2**12)),
    *((FIVE, json.dumps({**tensor("int32", [1], "0x5"), "dtype": d})) for d in (["int32"], {"toString": 1})),
    (FIVE, '{"dtype": {"toString": 1}, "value": "0x5"}'),
])  # fmt: skip
def test_a_wrong_value_fails(record: Record, value: str, tmp_path: Path) -> None:
    assert both(record, tmp_path, f'"end": "returned", "value": {value}') == {"failed"}


NARROW = returned(None, [{"dtype": "float32", "value": "0x3dcccccd"}])
PRINTED = returned(None, (), [3])


@pytest.mark.parametrize(("number", "word"), [
    ("0.1", "passed"), ("0.10000000149011612", "passed"), ("0.1000001", "failed"), ("true", "failed"),
])  # fmt: skip
def test_a_bare_final_argument_is_of_the_dtype_of_the_parameter(number: str, word: str, tmp_path: Path) -> None:
    assert both(NARROW, tmp_path, f'"end": "returned", "value": null, "arguments": [{number}]') == {word}


@pytest.mark.parametrize("rest", [
    '"arguments": null', '"effects": null', '"arguments": [], "effects": {}',
])  # fmt: skip
def test_null_is_not_what_is_left_out(rest: str, tmp_path: Path) -> None:
    value = json.dumps(tensor("int32", [1], "0x5"))
    assert both(FIVE, tmp_path, f'"end": "returned", "value": {value}, {rest}') == {"failed"}


@pytest.mark.parametrize("effect", [
    {"kind": ["print"], "name": ["relax.print"], "payload": ["{}", 3]},
    {"kind": {"toString": 1}, "name": "relax.print", "payload": ["{}", 3]},
    {"kind": "print", "name": "relax.print", "payload": ["{}", {"dtype": ["int64"], "value": "0x3"}]},
    {"kind": "print", "name": "relax.print", "payload": None},
])  # fmt: skip
def test_an_effect_that_is_none_fails(effect: Any, tmp_path: Path) -> None:
    assert both(PRINTED, tmp_path, f'"end": "returned", "value": null, "effects": [{json.dumps(effect)}]') == {"failed"}


@pytest.mark.parametrize(("end", "word"), [
    ("unsupported", "unsupported"), ("rejected", "refused"), ("trapped", "failed"), ("crash", "failed"),
])  # fmt: skip
def test_a_reason_may_be_anything(end: str, word: str, tmp_path: Path) -> None:
    assert both(FIVE, tmp_path, f'"end": "{end}", "why": {{"toString": 1}}') == {word}


# --- lines -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("depth", "right"), [(900, True), (999, True), (1000, False), (100_000, False)])
def test_an_answer_may_be_nested_a_thousand_deep(depth: int, right: bool, tmp_path: Path) -> None:
    line = '{"id": 1, "case": "a-case", "end": "unsupported", "why": "[[", "x": ' + "[" * depth + "]" * depth + "}"
    if right:
        assert here(FIVE, line) == "unsupported"
    else:
        with pytest.raises(UsageError, match="at most 1000 deep"):
            answer_of(line)
    if NODE and right:
        assert for_node(FIVE, line, tmp_path) == "unsupported"


@pytest.mark.parametrize("line", [
    b'\xef\xbb\xbf{"id": 1}', b'{"id": 1, "why": "\xff"}', '{"id": 1}'.encode("utf-16-be"),
    b'{"id": 1, "why": "\\ud800"}', b"null", b"7",
])  # fmt: skip
def test_what_is_no_object_in_utf_8_is_no_answer(line: bytes, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="a JSON object on one line"):
        answer_of(line)
    if NODE:
        file = tmp_path / "answers"
        file.write_bytes(line + b"\n")
        program = f"require({json.dumps(str(RUNNER.with_name('lines.js')))}).read(Buffer.from({[*line]}))"
        done = subprocess.run(["node", "-e", program], capture_output=True, text=True, check=False)
        assert done.returncode == 1 and "expected a JSON object on one line" in done.stderr


def test_an_integer_of_any_length_is_read() -> None:
    assert here(FIVE, '{"id": 1, "end": "unsupported", "n": ' + "9" * 5000 + "}") == "unsupported"


def test_a_file_of_answers_has_the_lines_that_json_has(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "answers"
    answer = {"case": "evaluation/bind", "end": "unsupported", "why": "a\u2028b\u0085c\fd"}
    file.write_text(json.dumps(answer, ensure_ascii=False) + "\n", encoding="utf-8")
    assert main(["conformance", "judge", str(file), "--only", "evaluation/bind"]) in (0, 3)
    assert "1 unsupported" in capsys.readouterr().out


# --- commands --------------------------------------------------------------------------------------------------------

SPEAKER = """
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    answer = json.dumps({"id": asked["id"], "end": "accepted", "case": "x"})
    print(sys.argv[1] if asked["ask"] == "hello" else answer, flush=True)
"""


def by_node(folder: Path, hello: str, *words: str | Path) -> subprocess.CompletedProcess[str]:
    """The runner for node on one case and a command that says ``hello``."""
    for_node(FIVE, '{"case": "a-case", "end": "hang"}', folder)
    (folder / "speaker.py").write_text(SPEAKER, encoding="utf-8")
    command = f"{sys.executable} {folder / 'speaker.py'} '{hello}'"
    asked = ["node", RUNNER, folder, "--impl", command, *words]
    return subprocess.run(asked, capture_output=True, text=True, check=False, timeout=30)


@pytest.mark.skipif(not NODE, reason="needs node, and conformance/second")
@pytest.mark.parametrize("more", ['"profiles": 5', '"profiles": null', '"takes": "x"'])
def test_a_hello_that_is_none_ends_the_runner_for_node(more: str, tmp_path: Path) -> None:
    done = by_node(tmp_path, '{"id": 0, "protocol": 1, ' + more + "}")
    assert done.returncode == 3 and "no answer to hello" in done.stderr


@pytest.mark.skipif(not NODE, reason="needs node, and conformance/second")
def test_a_deadline_is_a_time(tmp_path: Path) -> None:
    assert by_node(tmp_path, '{"id": 0, "protocol": 1}', "--deadline", "soon").returncode == 2


@pytest.mark.skipif(not NODE, reason="needs node, and conformance/second")
def test_answers_are_kept_under_the_names_of_their_cases(tmp_path: Path) -> None:
    by_node(tmp_path, '{"id": 0, "protocol": 1}', "--answers", tmp_path / "kept")
    assert json.loads((tmp_path / "kept").read_text(encoding="utf-8"))["case"] == "a-case"
