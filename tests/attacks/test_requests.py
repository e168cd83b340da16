"""Requests to the definition, and calls of the sorting functions, that lack something or have too much."""

from __future__ import annotations

import json
from io import StringIO

import pytest

import refrelax as rr
from refrelax.conformance.suite.serve import serve

TEXT = '@R.function\ndef main(x: R.Tensor((2,), "float32")):\n    return x\n'


def answers(*lines: str) -> list[dict[str, object]]:
    out = StringIO()
    serve(StringIO("\n".join(lines) + "\n"), out)
    return [json.loads(each) for each in out.getvalue().splitlines()]


def test_a_request_as_the_table_has_it() -> None:
    """``check`` has no constants in chapter 01, and no answer came but a fault of refrelax."""
    found = answers(json.dumps({"id": 7, "ask": "check", "case": "x", "text": TEXT}))
    assert found[0]["id"] == 7 and found[0]["end"] == "accepted"
    assert answers('{"id": 0, "ask": "prove", "claim": "n * n >= n"}')[0]["end"] == "proved"


@pytest.mark.parametrize(
    "line",
    ["no JSON", "[1]", "{}", '{"ask": "run", "case": "x"}', '{"ask": "check", "case": "x"}', '{"ask": "prove"}']
    + ['{"ask": "check", "case": "x", "text": 1}', '{"ask": "prove", "claim": "n > 0", "division": "perhaps"}'],
)
def test_what_is_no_request(line: str) -> None:
    """It is answered, and so is the next one."""
    first, second = answers(line, '{"id": 1, "ask": "hello", "protocol": 1}')
    assert first["end"] == "unsupported" and second["name"] == "refrelax"


SORT = """@R.function(pure=False)
def main(x: R.Tensor((2, 3), "float32")):
    o = R.builtin.alloc_tensor(R.shape([2, 1]), "float32", 0, "global")
    _ = R.call_packed("tvm.contrib.sort.topk", x, o, {}, ty_args=(R.Tuple,))
    return o
"""


@pytest.mark.parametrize(
    "given",
    ['1, 1, R.str("values")', '1, 1, R.str("values"), True, 1', '1, R.str("values"), True']
    + ['1, 1, R.str("all"), True', 'R.str("values"), 1, 1, True'],
)
def test_topk_takes_what_it_takes(given: str) -> None:
    """One number less or more was a fault, and any word meant the values."""
    outcome = rr.run(rr.check(rr.parse(SORT.format(given))), "main", [[3.0, 1.0, 2.0], [5.0, 4.0, 6.0]])
    assert isinstance(outcome, rr.Unspecified) and outcome.rule == "vm/argument"


def test_topk() -> None:
    outcome = rr.run(
        rr.check(rr.parse(SORT.format('1, 1, R.str("values"), True'))), "main", [[3.0, 1.0, 2.0], [5.0, 4.0, 6.0]]
    )
    assert isinstance(outcome, rr.Returned) and outcome.value.tolist() == [[1.0], [4.0]]


@pytest.mark.parametrize(
    ("name", "given"),
    [("vm.builtin.call_py_func", "(x, x)"), ("vm.builtin.call_py_func", '(R.str("f"), x)')]
    + [
        ("relax.run.shape_to_tensor", "R.shape([2, 3]), 2"),
        ("relax.run.shape_to_tensor", 'R.shape([2]), R.dtype("int8")'),
    ]
    + [("relax.run.nonzero", "x, x")],
)
def test_functions_of_the_machine(name: str, given: str) -> None:
    """A pair without a name, and more arguments than the operator has, were faults."""
    text = (
        '@R.function(pure=False)\ndef main(x: R.Tensor((2, 3), "float32")):\n'
        '    y = R.call_packed("{}", {}, ty_args=(R.Any,))\n    return y\n'
    )
    outcome = rr.run(rr.check(rr.parse(text.format(name, given))), "main", [[3.0, 1.0, 2.0], [5.0, 4.0, 6.0]])
    assert isinstance(outcome, rr.Unspecified) and outcome.rule == "vm/argument"
