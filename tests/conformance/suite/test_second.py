"""The second implementation (``conformance/second``): nothing that it answers is wrong, and its mutants die."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
import sys
from collections import Counter
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from refrelax.conformance.suite.pairs import Scored, score
from refrelax.conformance.suite.protocol import request
from refrelax.conformance.suite.scores import board, lacks
from tests.scripts import script
from tests.suite_records import records

ROOT = Path(__file__).resolve().parents[3]
SECOND = ROOT / "conformance" / "second"

pytestmark = pytest.mark.skipif(
    shutil.which("node") is None or not SECOND.is_dir(), reason="needs node, and conformance/second"
)


@cache
def scored() -> tuple[Scored, ...]:
    """What is said of its answers to all cases (a part drawn by position hid one for a week)."""
    sent = [(r, request(k, r, "tree")) for k, r in enumerate(records())]
    asked = [(r, q) for r, q in sent if q is not None and r["profile"] in ("static", "graph", "loops")]
    lines = "".join(json.dumps(q) + "\n" for _, q in asked)
    found = subprocess.run(["node", SECOND / "main.js"], input=lines, capture_output=True, text=True, check=True)
    answers = [json.loads(line) for line in found.stdout.splitlines()]
    assert [a["id"] for a in answers] == [q["id"] for _, q in asked]
    return tuple(score(records(), {r["name"]: a for (r, _), a in zip(asked, answers, strict=True)}))


@pytest.mark.thorough
def test_nothing_that_it_answers_is_wrong() -> None:
    rows = scored()
    assert [(r.record["name"], r.why) for r in rows if r.word in ("failed", "refused")] == []
    words = Counter(r.word for r in rows)
    assert words["passed"] > 2000


@pytest.mark.thorough
def test_the_board_says_what_is_asked_for_most() -> None:
    rows: list[Any] = [r for r in scored() if r.word in ("unsupported", "passed")]
    assert any(line.startswith("07-evaluation") for line in board(rows))
    (line,) = lacks(rows, 3)
    assert line.startswith("asked for most: ") and line.endswith(", …")
    assert lacks([r for r in rows if r.word == "passed"]) == []
    silent = [r for r in rows if r.word == "unsupported"][:5]
    assert [each.split() for each in board(silent)][-1][:3] == ["in", "all", "others"]


def tool() -> ModuleType:
    return script("mutate_second")


@pytest.mark.thorough
def test_a_mutant_changes_one_place() -> None:
    listed = tool().mutants()
    assert len(listed) > 5000 and len({tool().key(m) for m in listed}) > 4000
    for each in random.Random(3).sample(listed, 50):
        source = (SECOND / each["file"]).read_text(encoding="utf-8")
        assert source[each["start"] : each["end"]].startswith(each["was"])
        assert each["text"] != source[each["start"] : each["end"]]


@pytest.mark.thorough
def test_a_mutant_is_killed_by_the_cases_that_see_it() -> None:
    """In a process for all of them, as by a process of its own; a mutant that hangs is killed by what it was asked."""
    name = "ops/reduce.js"
    drawn = [m for m in tool().mutants() if m["file"] == name and "arms" not in m["kind"]][:12]
    asked = tool().ask([r for r in records() if "relax.sum" in r.get("operators", ())])
    found = tool().killers(drawn, asked, 2)
    assert any(found) and all(name in {r["name"] for r in asked.records} for names in found for name in names)


def test_a_cover_is_small_and_complete() -> None:
    kills = [["a/1", "a/2"], ["a/2", "b/1"], ["a/3"], ["a/2"], ["a/2"], [], ["a/1", "a/3"]]
    assert tool().cover(kills, ["a/1", "a/2", "a/3"]) == {"a/2": 3, "a/3": 2}


@pytest.mark.nightly
def test_the_exported_data_kill_mutants() -> None:
    found = subprocess.run(
        [sys.executable, ROOT / "tools" / "mutate_second.py", "--draw", "40", "--seed", "7", "--least", "70"],
        check=False,
    )
    assert found.returncode == 0


@pytest.mark.thorough
def test_mutants_of_the_dtype_of_a_scalar_and_of_derivation_functions_die() -> None:
    """Both judges were blind to them."""
    names = (
        *("separating-corners/functions-", "separating-corners/a-derivation-"),
        *("evaluation/scalars", "kinds/float-prim", "separating-runs/kinds-of-values-returned"),
        "trees/ret-as-an-intrinsic",
    )
    asked = tool().ask([r for r in records() if r["name"].startswith(names)])
    places = [("values.js", 'return dtype === "int64"'), ("types/lattice.js", "derive_func !== null")]
    drawn = [m for m in tool().mutants() if any(m["file"] == f and text in m["in"] for f, text in places)]
    assert len(drawn) > 15 and {m["file"] for m in drawn} == {file for file, _ in places}
    known = tool().equivalents()
    found = zip(drawn, tool().killers(drawn, asked), strict=True)
    assert [tool().key(m) for m, by in found if not by and not tool().same(m, known)] == []
