"""The page on proof logs says the checker's axioms, all of them."""

from __future__ import annotations

import runpy
from pathlib import Path

from refrelax.shape_solver.checker import schemas

TOOL = runpy.run_path(str(Path(__file__).resolve().parents[2] / "tools" / "make_certificate_rules.py"))


def test_the_table_is_made_of_the_axioms() -> None:
    text = TOOL["PAGE"].read_text("utf-8")
    assert TOOL["page"]() == text, "run tools/make_certificate_rules.py"
    known = {*schemas.BY_ID, *schemas.NUMBERED, *schemas.CHOICE_BY_ID, schemas.MASK, schemas.POWER, schemas.BIT}
    assert [name for name in sorted(known) if f"`{name}`" not in text] == []
