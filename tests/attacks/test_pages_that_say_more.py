"""An operator's section is its blocks and its example: what stands beside them, twice or in their place is found."""

from __future__ import annotations

import pytest

from refrelax.conformance import pages, spec_text, tie

OPS = spec_text.spec_directory() / "ops"
FORMULA = "<!-- made: formula -->\n\n```text\nout[i, j] = x1[i, j] - x2[i, j]\n```\n\n<!-- /made -->\n\n"
VALUE = '# value: {"dtype": "float32", "shape": [2, 3], "data": [2.0, 0.0, -4.0, -1.0, 6.0, -1.0]}\n'
EXAMPLE = "Example:\n\n```tvmscript\n"
TWICE = "The shifts take integers. *Ends: Trapped.* *Ends: IllTyped.*"
NONSENSE = "```tvmscript\n@I.ir_module\nclass Module:\n    nonsense(\n```\n\n## relax.subtract\n"

EDITS = {
    "a block twice, the first one wrong": ("<!-- made: formula -->\n", FORMULA + "<!-- made: formula -->\n"),
    "a sentence": (EXAMPLE, f"Permitted results: anything.\n\n{EXAMPLE}"),
    "a table": (EXAMPLE, f"| given | the reference |\n|---|---|\n| 1, 1 | 7 |\n\n{EXAMPLE}"),
    "a formula without marks": (EXAMPLE, f"```text\nout[i] = 7\n```\n\n{EXAMPLE}"),
    "a block of no name": (EXAMPLE, f"<!-- made: two words -->\nx\n<!-- /made -->\n\n{EXAMPLE}"),
    "a heading in a section": (EXAMPLE, f"### Notes\n\nNaN traps.\n\n{EXAMPLE}"),
    "a section that is nearly one": ("## relax.subtract\n", "## relax.frobnicate \n\nIt does.\n\n## relax.subtract\n"),
    "a second example, that nobody runs": ("## relax.subtract\n", NONSENSE),
    "an example without a value": (VALUE, ""),
    "an example without an end": ("# expect: Returned\n", ""),
    "a constraint without an id": ("Said elsewhere", "8. Every dim is even.\n\nSaid elsewhere"),
    "a constraint that is no number": ("Said elsewhere", "- `op.power/negative-exponent` traps.\n\nSaid elsewhere"),
    "another constraint": ("The shifts take integers.", "The shifts take floats."),
    "another title": ("# Operators: Elementwise", "# Operators: Reducing"),
    "other first words": ("over the broadcast operands", "over the first operand"),
    "a link that is gone": ("[`op.common/broadcast`](common.md), ", ""),
    "no links": ("Said elsewhere, and counts here: ", "Said elsewhere: "),
    "a constraint of two ends": ("The shifts take integers. *Ends: IllTyped.*", TWICE),
}


@pytest.mark.by_day(1)
@pytest.mark.parametrize("name", EDITS)
def test_what_a_page_says_beside_is_found(name: str) -> None:
    old, new = EDITS[name]
    text = (OPS / "binary.md").read_text("utf-8").partition("## relax.multiply\n")[0]
    assert old in text
    assert [*pages.stale_page("binary.md", text, ENDS)] == []
    assert [*pages.stale_page("binary.md", text.replace(old, new, 1), ENDS)]


ENDS = {
    **dict.fromkeys(("bits-dtype", "equal-dtypes", "operand", "shift-dtype"), "IllTyped"),
    **dict.fromkeys(("float-only", "meeting-dtype"), "Unspecified"),
}
ENDS = {f"op.binary/{rule}": end for rule, end in ENDS.items()} | {"op.power/negative-exponent": "poison"}


@pytest.mark.thorough
def test_what_all_share_is_asked_too() -> None:
    rules = tie.read()
    ends = pages.ends_of((*rules.cases, *rules.examples), rules.code)
    text = (OPS / "common.md").read_text("utf-8")
    assert [*pages.stale_page("common.md", text, ends)] == []
    (found,) = pages.stale_page("common.md", text.replace("No axis is named twice.", "An axis is named twice."), ends)
    assert "found '10. **`op.common/axes-distinct`** — An axis" in found.message
    assert text.splitlines()[found.line - 1].startswith("10. **")
