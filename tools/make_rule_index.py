"""Write ``spec/rules.md``, the index of rules. ``refrelax rules check`` compares the page with it.

Run it after a rule came, went or moved: ``python tools/make_rule_index.py``.
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from refrelax.conformance import tie  # noqa: E402

PAGE = ROOT / "spec" / "rules.md"

if __name__ == "__main__":
    PAGE.write_text(tie.index(tie.read()), "utf-8")
    print(f"{len(tie.read().defined)} rules")
