"""Write the tables of ``spec/03d-abstract-syntax.md`` and the reasons in ``spec/07b-intrinsics.md``.

Run it after a change: ``python tools/make_abstract_syntax.py``; ``refrelax rules check`` compares.
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from refrelax.conformance.chapters import nodes  # noqa: E402

if __name__ == "__main__":
    (ROOT / "spec" / nodes.PAGE).write_text(nodes.page(), "utf-8")
    (ROOT / "spec" / nodes.INTRINSICS).write_text(nodes.intrinsics(), "utf-8")
    print(f"{sum(1 for room in nodes.ROOMS for _ in nodes.nodes(room))} nodes")
