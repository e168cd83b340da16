"""The dtype of a scalar that a run gives: records tell it, and an answer of another one is wrong, in both judges."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

import refrelax as rr
from refrelax.conformance import load
from refrelax.conformance.cases import Case, _from_row
from refrelax.conformance.suite import store
from refrelax.conformance.suite.judge import judge
from refrelax.conformance.suite.protocol import answer_of
from refrelax.conformance.suite.records import record_of
from refrelax.conformance.suite.serve import answer

ROOT = Path(__file__).resolve().parents[3]
JUDGE = ROOT / "conformance" / "second" / "runner" / "judge.js"


def prim(dtype: str, value: int) -> dict[str, str]:
    return {"dtype": dtype, "value": hex(value)}


def tensor(dtype: str, *bits: str) -> dict[str, Any]:
    return {"dtype": dtype, "shape": [len(bits)], "bits": list(bits)}


ONE_AND_A_HALF = prim("float64", 0x3FF8000000000000)
NARROW = prim("float32", 0x3FC00000)

RESULTS: list[tuple[Any, Any, str]] = [
    (7, 7, "passed"),
    (7, prim("int64", 7), "passed"),
    (7, prim("int32", 7), "failed"),
    (7, prim("uint64", 7), "failed"),
    (prim("int32", 7), prim("int32", 7), "passed"),
    (prim("int32", 7), prim("int32", 8), "failed"),
    (prim("int32", 7), prim("int64", 7), "failed"),
    (prim("int32", 7), prim("uint32", 7), "failed"),
    (prim("int32", 7), 7, "failed"),
    (True, True, "passed"),
    (True, prim("bool", 1), "passed"),
    (True, 1, "failed"),
    (True, prim("int8", 1), "failed"),
    (1, True, "failed"),
    (1, prim("bool", 1), "failed"),
    (ONE_AND_A_HALF, 1.5, "passed"),
    (ONE_AND_A_HALF, ONE_AND_A_HALF, "passed"),
    (ONE_AND_A_HALF, NARROW, "failed"),
    (prim("float64", 0x4000000000000000), 2, "passed"),
    (NARROW, NARROW, "passed"),
    (NARROW, 1.5, "failed"),
    (NARROW, ONE_AND_A_HALF, "failed"),
    (prim("int32", 7), prim("nothing", 7), "failed"),
    (prim("int32", 7), {"dtype": [], "value": "0x7"}, "failed"),
    (prim("int32", 7), {**prim("int32", 7), "shape": []}, "failed"),
    (7, {"whole": "7"}, "failed"),
    (7, {"whole": "x"}, "failed"),
    (7, {"whole": None}, "failed"),
    (2**62 + 1, 2**62 + 1, "passed"),
    (2**62 + 1, 2**62, "failed"),
    (tensor("float32", "0x0", "0x3f800000"), {"dtype": "float32", "shape": [2], "data": [False, True]}, "passed"),
    (tensor("float8_e8m0fnu", "0x7f", "0x80"), {"dtype": "float8_e8m0fnu", "shape": [2], "data": [1, 1.5]}, "passed"),
    (tensor("float8_e8m0fnu", "0x7f"), {"dtype": "float8_e8m0fnu", "shape": [1], "data": [2]}, "failed"),
    (tensor("int32", "0x7"), {**prim("int32", 7), "shape": []}, "failed"),
    (7, 7.0, "passed"),
    (7, 7.5, "failed"),
    (0, -0.0, "passed"),
    (7, 7e18, "failed"),
    (prim("float64", 0x4000000000000000), 2.0, "passed"),
    (True, 1.0, "failed"),
    (tensor("float32", "0x3f800000"), {"dtype": "float32", "shape": [1.0], "bits": ["0x3f800000"]}, "passed"),
    (tensor("int32", "0x7"), {"dtype": "int32", "shape": [1], "data": [7.0]}, "passed"),
    (tensor("int32", "0x7"), {"dtype": "int32", "shape": [1], "data": [7.5]}, "failed"),
    ({"shape": [2, 3]}, {"shape": [2.0, 3]}, "passed"),
    ({"shape": [2, 3]}, {"shape": [2.5, 3]}, "failed"),
    (prim("int32", 7), {"value": "0x7"}, "failed"),
    ({"opaque": "Closure"}, {"opaque": "a function", "dtype": "int32"}, "passed"),
    ({"opaque": "Closure"}, {"opaque": "a function", "value": "0x7"}, "passed"),
    ({"opaque": "Closure"}, {"opaque": 1}, "failed"),
]
"""A result, an answer, and what is said of it."""

ARGUMENTS = [
    (prim("int32", 7), 7, "passed"),
    (prim("int32", 7), prim("int32", 7), "passed"),
    (prim("int32", 7), prim("int64", 7), "failed"),
    (True, 1, "passed"),
    (1, True, "failed"),
    (NARROW, 1.5, "passed"),
]
"""A bare number is of the parameter's dtype, which the run was given."""

PAYLOADS = [
    (7, prim("int32", 7), "passed"),
    (7, prim("bool", 1), "failed"),
    (1, prim("bool", 1), "failed"),
    (ONE_AND_A_HALF, NARROW, "passed"),
    (ONE_AND_A_HALF, prim("int64", 1), "failed"),
    (7, 7, "passed"),
    (7, prim("nothing", 7), "failed"),
    (7, prim("int65", 7), "failed"),
    (7, prim("handle", 7), "failed"),
]
"""What is printed counts by its number (``va/refinement``)."""


def _nothing_else(own: Any) -> Any:
    """What is permitted where nothing but our own answer is."""
    match own:
        case {"bits": _}:
            return None
        case dict():
            return {key: _nothing_else(each) for key, each in own.items()}
        case list():
            return list(map(_nothing_else, own))
        case _:
            return own


def record(part: str, wanted: Any) -> dict[str, Any]:
    held: dict[str, Any] = {"value": None, "arguments": [], "effects": []}
    own = {**held, part: [wanted] if part == "arguments" else wanted}
    if part == "effects":
        own = {**held, part: [{"kind": "print", "name": "relax.print", "payload": [wanted]}]}
    permitted = {**_nothing_else(own), "effects": [_nothing_else(each["payload"]) for each in own["effects"]]}
    return {"ask": "run", "expect": "Returned", **own, "permitted": permitted}


def answered(part: str, found: Any) -> dict[str, Any]:
    own = record(part, found)
    return {"end": "returned", **{key: own[key] for key in ("value", "arguments", "effects")}}


HELD = [
    *(("value", *each) for each in RESULTS),
    *(("value", [wanted], [found], word) for wanted, found, word in RESULTS),
    *(("arguments", *each) for each in ARGUMENTS),
    *(("effects", *each) for each in PAYLOADS),
]


@pytest.mark.parametrize(("part", "wanted", "found", "word"), HELD)
def test_the_judge_holds_the_dtype(part: str, wanted: Any, found: Any, word: str) -> None:
    answer = answer_of(json.dumps(answered(part, found)))
    assert judge(record(part, wanted), answer)[0] == word


@pytest.mark.skipif(shutil.which("node") is None or not JUDGE.is_file(), reason="needs node, and conformance/second")
def test_the_judge_for_node_holds_it_as_well() -> None:
    program = (
        f"const {{ judge }} = require({json.dumps(str(JUDGE))});"
        f"const {{ parse }} = require({json.dumps(str(JUDGE.with_name('json.js')))});"
        "const held = parse(require('node:fs').readFileSync(0, 'utf8'));"
        "console.log(JSON.stringify(held.map(([record, answer]) => judge(record, answer, {})[0])));"
    )
    asked = json.dumps([(record(part, wanted), answered(part, found)) for part, wanted, found, _ in HELD])
    told = subprocess.run(["node", "-e", program], input=asked, capture_output=True, text=True, check=True).stdout
    words = json.loads(told)
    assert [h for h, word in zip(HELD, words, strict=True) if word != h[3]] == []


def test_a_bare_number_of_another_dtype_is_told_how_it_is_written() -> None:
    _, why = judge(record("value", prim("int32", 7)), answered("value", 7))
    told = "value: expected a prim value of int32, found 7, which alone is one of int64: tell it as"
    assert why == told + ' {"dtype": …, "value": …}'


def named(name: str) -> Case:
    return next(each for each in load() if each.name == name)


def test_a_record_tells_the_dtype_of_a_scalar_and_the_definition_answers_so() -> None:
    told = record_of(named("evaluation/scalars-come-and-go"))
    dtypes = {each["dtype"] for each in told["value"] if isinstance(each, dict)}
    assert len(dtypes) > 3 and not dtypes & {"int64", "bool"}
    asked = {key: told[key] for key in ("ask", "tree", "constants", "entry", "args")}
    found = answer({**asked, "case": told["name"]})
    assert found["value"] == told["value"] and judge(told, found) == ("passed", "")


def test_a_run_shows_scalars_with_their_dtype_where_that_is_asked_for() -> None:
    text = (
        "@I.ir_module\nclass Module:\n    @R.function\n"
        "    def main(a: R.Prim('int32'), b: R.Shape(ndim=1)):\n        return (a, b)\n"
    )
    checked = rr.check(rr.parse(text))
    plain, typed = rr.run(checked, "main", 7, (2,)), rr.run(checked, "main", 7, (2,), typed=True)
    assert isinstance(plain, rr.Returned) and plain.value[0] == 7 and plain.arguments[0] == 7
    assert isinstance(typed, rr.Returned) and typed.value[0] == typed.arguments[0] == rr.Prim("int32", 7)
    assert plain.value[1] == typed.value[1]


@pytest.mark.parametrize(("dtype", "body", "value"), [("int32", "n + 1", 8), ("bool", "n < 8", True)])
def test_a_loop_level_entry_gives_a_scalar_of_the_dtype_that_it_declares(dtype: str, body: str, value: int) -> None:
    checked = rr.check(rr.parse(f"@T.prim_func(private=True)\ndef main(n: T.int32) -> T.{dtype}:\n    return {body}\n"))
    typed, plain = (rr.run(checked, "main", 7, typed=each) for each in (True, False))
    assert isinstance(typed, rr.Returned) and typed.value == rr.Prim(dtype, value)
    assert isinstance(plain, rr.Returned) and plain.value == value and not isinstance(plain.value, rr.Prim)


FLOATS = [("float64", 0x3FF8000000000000), ("float32", 0x3FC00000), ("float16", 0x3E00), ("bfloat16", 0x3FC0)]


def returning(dtype: str, body: str) -> Case:
    text = f"@T.prim_func(private=True)\ndef main(x: T.float32) -> T.{dtype}:\n    T.ret({body})\n"
    row = {"name": "returning", "rule": "ev/prim-func-result", "verdict": "accepts", "module": text}
    return _from_row({**row, "entry": "main", "args": [1.5], "expect": "Returned"}, "returning", {})


@pytest.mark.parametrize(("dtype", "bits"), FLOATS)
def test_a_float_of_a_loop_level_entry_has_the_dtype_that_it_declares(dtype: str, bits: int) -> None:
    told = record_of(returning(dtype, f'T.Cast("{dtype}", x)'))
    assert told["value"] == told["permitted"]["value"] == prim(dtype, bits)
    for other, pattern in FLOATS:
        answered_so = {"end": "returned", "value": prim(other, pattern), "effects": [], "arguments": told["arguments"]}
        assert judge(told, answered_so)[0] == ("passed" if other == dtype else "failed")


def test_nothing_is_said_of_a_float_of_which_several_are_permitted() -> None:
    """The exponential of 1.5 may be one of a few numbers, which a record says of elements of tensors alone."""
    told = record_of(returning("float32", "T.exp(x)"))
    assert told["value"]["dtype"] == "float32" and told["permitted"] is None
    found = {"end": "returned", "value": told["value"], "effects": [], "arguments": told["arguments"]}
    assert judge(told, found)[0] == "excluded"


def test_a_suite_of_the_old_form_is_refused(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text('{"format": 4, "cases": []}', "utf-8")
    with pytest.raises(rr.UsageError, match="expected a suite of format 5, found 4"):
        list(store.read(tmp_path))
