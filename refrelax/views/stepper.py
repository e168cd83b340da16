"""The stepper: a recording as one HTML page that needs nothing else.

The page (``stepper.html``) holds the recording as JSON and draws source, values, loops, symbols, rules and memory at
every step.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

PLACE = "/*DATA*/"
"""Where the page keeps the recording."""


def page(recording: dict[str, Any]) -> str:
    """The page of a recording (``Recording.json()``)."""
    data = json.dumps(recording, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    template = (Path(__file__).parent / "stepper.html").read_text(encoding="utf-8")
    before, after = template.split(PLACE)
    return before + data.replace("<", "\\u003c") + after
