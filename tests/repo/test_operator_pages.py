"""The pages and the cases of the operators are what their one source gives: rules, samples, docstrings."""

from __future__ import annotations

import re
import runpy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from refrelax.conformance.pages.constraints import RULES
from refrelax.conformance.pages.corner_programs import CORNERS
from refrelax.conformance.pages.section import sections
from refrelax.conformance.pages.typing import devices
from refrelax.semantics.ops import OPERATORS
from refrelax.semantics.ops.sharding import AXES, OWN

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.thorough
def test_pages_and_cases_are_those_of_the_source() -> None:
    made = dict(runpy.run_path(str(ROOT / "tools" / "make_operator_pages.py"))["written"]())
    other = [place for place, text in made.items() if (ROOT / place).read_text(encoding="utf-8") != text]
    assert not other, "python tools/make_operator_pages.py writes these anew: its sources say otherwise"


def test_every_operator_has_an_example_and_a_pure_one_stands_in_a_dataflow_block() -> None:
    """Pure allocations stood in impure functions, and one operator had no example."""
    pages = [path.read_text(encoding="utf-8") for path in sorted((ROOT / "spec" / "ops").glob("*.md"))]
    shown = {each.operator: each.example for page in pages for each in sections(page)}
    assert {name for name in OPERATORS if f"{name.replace('relax.', 'R.', 1)}(" not in shown.get(name, "")} == set()
    outside = {name for name, example in shown.items() if "R.dataflow()" not in example}
    assert outside == {name for name, row in OPERATORS.items() if not row.pure}


def _numbers(value: Any) -> Iterator[Any]:
    match value:
        case dict():
            yield from _numbers(value.get("data", value.get("value", [])))
        case list():
            for each in value:
                yield from _numbers(each)
        case str() | bool():
            pass
        case _:
            yield value


ROUND = ("relax.floor", "relax.ceil", "relax.round", "relax.trunc")
"""Of whole numbers these give their argument, which tells nothing: they are given quarters."""


def test_examples_are_given_small_whole_numbers() -> None:
    """Twelve were given fractions: what a call gives of them is not checked in one's head."""
    for page in sorted((ROOT / "spec" / "ops").glob("*.md")):
        for each in sections(page.read_text(encoding="utf-8")):
            parts = 4 if each.operator in ROUND else 1
            odd = [n for n in _numbers(each.args) if n * parts != int(n * parts) or abs(n) > 100]
            assert not odd, f"{each.operator}: {odd}"


def test_every_operator_has_a_table_of_corner_cases() -> None:
    """Sixteen had none: those that take no tensor of which an example could change something."""
    pages = [path.read_text(encoding="utf-8") for path in sorted((ROOT / "spec" / "ops").glob("*.md"))]
    rows = {
        s.operator: s.text.partition("<!-- made: corners -->")[2].count("\n| ") - 1 for p in pages for s in sections(p)
    }
    assert {name for name in OPERATORS if rows.get(name, 0) < 1} == set()
    assert CORNERS.keys() <= OPERATORS.keys()


def test_the_operators_of_distributed_tensors_are_those_that_the_rule_names() -> None:
    spans = re.findall(r"`([^`]+)`", RULES["op.common/not-distributed"])
    named = {each for span in spans for each in span.split() if f"relax.{each}" in OPERATORS}
    own = {name.removeprefix("relax.") for name in OWN}
    assert named == AXES.keys() | {each for each in own if not each.startswith("dist.")}


@pytest.mark.parametrize(
    ("call", "said"),
    [
        ("R.add(a, b)", "that of `a` or of `b`; two different ones are refused."),
        ("R.matmul(a, b)", "that of `a` or of `b`; two different ones make none."),
        ("R.collapse_sum_like(a, b)", "that of `b`."),
        ("R.outer(a, b)", "none."),
    ],
)
def test_the_device_of_a_result_is_found_by_its_type_rule(call: str, said: str) -> None:
    dims = "(2,)" if "outer" in call else "(2, 2)"
    head = ", ".join(f'{name}: R.Tensor({dims}, dtype="float32")' for name in "ab")
    text = (
        f"@I.ir_module\nclass Module:\n    @R.function\n    def main({head}):\n        gv = {call}\n        return gv\n"
    )
    assert devices(text, call.partition("(")[0].replace("R.", "relax.")) == ["", f"Virtual device: {said}"]
