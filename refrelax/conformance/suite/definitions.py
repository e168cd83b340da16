"""What every operator means, as data: ``definitions.json`` of an exported suite.

The definition of an operator is written down for the call of its page's example, each extent above 1 a symbol; the
same steps give the page's formula, the proof terms and the loops (``semantics/ops/meaning``).

Spec: ``spec/01-conformance.md``, *Definitions as data*.
"""

from __future__ import annotations

import json
from typing import Any

from refrelax.conformance.pages.sample import program, sample
from refrelax.conformance.pages.section import Section, sections
from refrelax.conformance.spec_text import spec_directory
from refrelax.semantics.ops import OPERATORS
from refrelax.semantics.ops.meaning.as_json import program_to_json
from refrelax.semantics.ops.meaning.procedures import PROCEDURES, WITHOUT_ELEMENTS

LETTERS = 1 << 16
"""The longest definition that is exported."""


def definitions() -> dict[str, Any]:
    """Every operator by name: its page, purity and permitted word, the example and the definition for it."""
    found = {}
    for path in sorted((spec_directory() / "ops").glob("*.md")):
        for each in sections(path.read_text(encoding="utf-8")):
            found[each.operator] = {"page": f"ops/{path.name}", **_row(each)}
    return dict(sorted(found.items()))


def _row(s: Section) -> dict[str, Any]:
    operator = OPERATORS[s.operator]
    facts = {"pure": operator.pure, "permitted": operator.accuracy.word, "example": s.example}
    taken = sample(s.example, s.operator) if s.example else None
    written = program(taken) if taken is not None else None
    if written is None:
        return {**facts, "none": _why(s.operator)}
    tree = program_to_json(written)
    long = len(json.dumps(tree, separators=(",", ":"))) > LETTERS
    return {**facts, **({"none": "longer than is exported: its page says it"} if long else {"definition": tree})}


def _why(name: str) -> str:
    """Why an operator has no definition as data."""
    if name in PROCEDURES:
        return f"a procedure: {PROCEDURES[name].reason}"
    return WITHOUT_ELEMENTS.get(name, "its page says it in words")
