"""The stepper: a recording as one HTML page that needs nothing else.

The page (``stepper.html``) holds the recording as JSON, with the paragraphs of the rules that occur in it, and draws
source, values, loops, threads, symbols, rules and memory at every step.
"""

from __future__ import annotations

import base64
import gzip
import json
from pathlib import Path
from typing import Any

from refrelax.conformance.spec_text import paragraphs
from refrelax.views.sheet import encodable

PLACE = "/*DATA*/"
"""Where the page keeps the recording."""

PLAIN = 400_000
"""Characters of a recording that are kept as they are; a longer one is kept packed (gzip, base64)."""


def page(recording: dict[str, Any]) -> str:
    """The page of a recording (``Recording.json()``)."""
    return filled("stepper.html", recording | {"paragraphs": said(recording)})


def said(recording: dict[str, Any]) -> dict[str, str]:
    """The paragraph of the spec of every rule that occurs in a recording."""
    used = {rule for step in recording["steps"] for rule in step.get("rules", ())}
    used |= {each["rule"] for each in recording["poison"]} | {recording["outcome"].get("rule", "")}
    return {each.rule: each.text for each in paragraphs() if each.rule in used}


def filled(template: str, data: Any) -> str:
    """A page of this folder with its data; nothing in the data can end the element that holds it."""
    text = encodable(json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False))
    if len(text) > PLAIN:
        text = base64.b64encode(gzip.compress(text.encode(), mtime=0)).decode()
    before, after = (Path(__file__).parent / template).read_text(encoding="utf-8").split(PLACE)
    return before + text.replace("<", "\\u003c") + after
