"""The table of operators: as its tool writes it, no cell without a word, and what it says of backends is so."""

from __future__ import annotations

import runpy
from collections.abc import Iterator
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

import refrelax as rr
from refrelax.backends.cupy_.plan import plan
from refrelax.backends.errors import Unsupported
from refrelax.syntax.loops import PrimFunc
from refrelax.testing.sketches import SKETCHES
from refrelax.testing.sweep import programs
from tests.semantics.ops.catalogue import SAMPLES

ROOT = Path(__file__).resolve().parents[2]
TOOL = runpy.run_path(str(ROOT / "tools" / "make_operator_status.py"))


@cache
def rows() -> dict[str, dict[str, str]]:
    return {name: dict(zip(TOOL["COLUMNS"], cells, strict=True)) for name, cells in TOOL["rows"]().items()}


def test_the_page_is_what_the_tool_writes() -> None:
    assert TOOL["PAGE"].read_text(encoding="utf-8") == TOOL["page"](), "python tools/make_operator_status.py"


def test_every_cell_has_a_word_of_the_legend() -> None:
    words = {**TOOL["WORDS"], **TOOL["WHY"]}
    for name, cells in rows().items():
        assert all(cell in words or cell.isdigit() for column, cell in cells.items() if column != "oracle"), name
        assert cells["oracle"] and int(cells["cases"]), name


def accepted(op: str) -> Iterator[rr.CheckedModule]:
    """Some calls of an operator that are accepted."""
    texts = [sample.text for sample in SAMPLES if sample.op == op]
    texts += [p.text for p in islice(programs(op, only=("float32", "int32", "int64", "bool", "int8")), 40)]
    for text in texts:
        try:
            yield rr.check(rr.parse(text))
        except rr.Rejection:
            continue


def has_a_kernel(checked: rr.CheckedModule) -> bool:
    """Whether legalizing leaves a loop program that is a kernel."""
    loops: Any = rr.lower(checked, passes=["legalize"]).module.module.functions
    found = [(name, f) for name, f in loops.items() if isinstance(f, PrimFunc)]
    try:
        return [plan(name, f, "fast") for name, f in found] != []
    except Unsupported:
        return False


def has_a_form(checked: rr.CheckedModule) -> bool:
    try:
        rr.compile(checked, "numpy")
    except Unsupported:
        return False
    return True


@pytest.mark.by_day(4)
@pytest.mark.parametrize("op", sorted(SKETCHES))
def test_what_is_said_of_backends_is_so(op: str) -> None:
    cells = rows()[f"relax.{op}"]
    assert any(map(has_a_kernel, accepted(op))) == (cells["cuda"] == "kernel")
    assert any(map(has_a_form, accepted(op))) == (cells["numpy"] in ("own", "definition"))
