"""The page on proof logs says the checker's axioms, all of them."""

from __future__ import annotations

import inspect
import re
import runpy
from pathlib import Path

from refrelax.shape_solver.checker import carries, schemas
from refrelax.shape_solver.checker.check import Checker

TOOL = runpy.run_path(str(Path(__file__).resolve().parents[2] / "tools" / "make_certificate_rules.py"))


def test_the_table_is_made_of_the_axioms() -> None:
    text = TOOL["PAGE"].read_text("utf-8")
    assert TOOL["page"]() == text, "run tools/make_certificate_rules.py"
    known = {*schemas.BY_ID, *schemas.NUMBERED, *schemas.CHOICE_BY_ID, schemas.MASK, schemas.POWER, schemas.BIT}
    assert [name for name in sorted(known) if f"`{name}`" not in text] == []


def test_every_form_of_a_step_has_a_row() -> None:
    """A log with a step that the page does not know is none for whoever checks by the page (``carries`` was)."""
    text = TOOL["PAGE"].read_text("utf-8")
    rows = re.findall(r"^\| `([a-z]+)` \| `", text.partition("## Steps")[2].partition("**`bits`**")[0], re.M)
    assert rows == re.findall(r'"rule": "([a-z]+)"', inspect.getsource(Checker.step))
    assert all(f"**`{each}`**: " in text for each in ("bits", "carries", "cases"))
    streams = re.findall(r'^\| `\["([a-z]+)"', text.partition("**`carries`**")[2].partition("**`cases`**")[0], re.M)
    assert streams == re.findall(r'case \["([a-z]+)"', inspect.getsource(carries.Streams.take))
    states = ", ".join(map(str, carries.MAX_STATES))
    assert f"At most {states} states, for 0 to {len(carries.MAX_STATES) - 1} leaves" in text
    assert f"at most {carries.MAX_STREAMS}, are" in text and f"at most {carries.MAX_LENGTH} bits" in text
