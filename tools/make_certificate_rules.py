"""Write the table of axioms in ``spec/06d-proof-logs.md`` from the checker's schemata.

Run it after a change of ``refrelax/shape_solver/checker/schemas.py``: ``python tools/make_certificate_rules.py``;
``refrelax rules check`` compares.
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from refrelax.conformance.chapters import axioms  # noqa: E402

if __name__ == "__main__":
    (ROOT / "spec" / axioms.PAGE).write_text(axioms.page(), encoding="utf-8")
