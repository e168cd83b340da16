"""The list of differences names rules that exist."""

from __future__ import annotations

import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[3]


def test_every_listed_difference_has_a_rule_and_a_reason() -> None:
    rows = tomllib.loads((ROOT / "tools/stages/differences.toml").read_text(encoding="utf-8"))["difference"]
    spec = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "spec").glob("*.md"))
    for row in rows:
        assert f"**`{row['rule']}`**" in spec and row["why"] and row["kind"] and "what" in row
