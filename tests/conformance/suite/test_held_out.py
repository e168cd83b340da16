"""The implementation in C (``conformance/held-out``): nothing that it answers is wrong; its mutants."""

from __future__ import annotations

import json
import random
import shutil
from pathlib import Path
from types import ModuleType

import pytest

from refrelax.conformance.suite.judge import judge
from tests.scripts import script
from tests.suite_records import records

ROOT = Path(__file__).resolve().parents[3]
SOURCE = ROOT / "conformance" / "held-out" / "impl.c"

pytestmark = [
    pytest.mark.skipif(shutil.which("cc") is None or not SOURCE.is_file(), reason="needs cc, and conformance/held-out"),
    pytest.mark.thorough,
]


def tool() -> ModuleType:
    return script("mutate_held_out")


def test_nothing_that_it_answers_is_wrong(tmp_path: Path) -> None:
    program = tool().compiled(SOURCE.read_text("utf-8"), tmp_path, "own")
    asked = [each for each in records() if each["profile"] in tool().PROFILES]
    lines = [json.dumps(tool().request(k, each, "tree")).encode() + b"\n" for k, each in enumerate(asked)]
    answers = tool().answered(program, lines)
    assert len(answers) == len(lines)
    said = {r["name"]: judge(r, json.loads(a)) for r, a in zip(asked, answers, strict=True)}
    assert {name: why for name, (word, why) in said.items() if word in ("failed", "refused")} == {}
    assert sum(word == "passed" for word, _ in said.values()) > 450


def test_a_mutant_changes_one_token_and_is_killed_by_a_case_that_sees_it(tmp_path: Path) -> None:
    source = SOURCE.read_text("utf-8")
    listed = tool().mutants(source)
    assert len(listed) > 1000 and all(m.text != source[m.start : m.end] for m in listed)
    assert not any("unsupported(" in m.line for m in listed)
    few = [r for r in records() if r["name"].startswith("single-features/")]
    asked = tool().ask(tool().compiled(source, tmp_path, "own"), few)
    drawn = random.Random(1).sample([m for m in listed if 'same(op, "Sub")' in m.line or "popcount" in m.line], 4)
    words = [tool().killer(source[: m.start] + m.text + source[m.end :], asked, tmp_path, "mutant") for m in drawn]
    assert all(word is not None for word in words)
    wrong = source.replace("return integer(a.i & b.i, d);", "return integer(a.i | b.i, d);").replace("fabs(a.f)", "a.f")
    broken = wrong.replace('if (same(op, "Max")) return less ? b : a;', 'if (same(op, "Max")) return less ? a : b;')
    assert tool().killer(broken, asked, tmp_path, "broken") and tool().killer(source, asked, tmp_path, "same") == ""
    assert tool().killer(source.replace("int main", "int main_"), asked, tmp_path, "none") is None
