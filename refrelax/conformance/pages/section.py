"""The section of an operator on its page, and the blocks that are made for it."""

# ruff: noqa: E501
from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from refrelax.conformance.pages import sentences
from refrelax.conformance.pages.corners import corners
from refrelax.conformance.pages.formula import formula
from refrelax.conformance.pages.sample import program, sample
from refrelax.conformance.pages.typing import must_be_tensors, types
from refrelax.semantics.ops import OPERATORS
from refrelax.semantics.ops.definition import OpDef
from refrelax.semantics.ops.meaning.procedures import PROCEDURES, WITHOUT_ELEMENTS
from refrelax.syntax.signatures import has_signature, signature

LINES, LETTERS = 72, 2500
"""The longest formula that a page shows; the sentences of the section say a longer one."""

BLOCKS = ("meaning", "operands", "type", "facts", "formula", "corners")
"""The blocks of a section, in their order."""

_SECTION = re.compile(r"^## (relax\.\S+)\n(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
_EXAMPLE = re.compile(r"```tvmscript\n(.*?)```", re.DOTALL)
_ARGS = re.compile(r"^# args: (.*)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Section:
    """An operator's section: its text, where it begins, and its example."""

    operator: str
    text: str
    line: int
    example: str = ""

    @property
    def args(self) -> list[Any]:
        found = _ARGS.search(self.example)
        return list(json.loads(found.group(1))) if found else []


def section(operator: str, text: str, line: int = 1) -> Section:
    """The section that ``text`` is."""
    found = _EXAMPLE.search(text)
    return Section(operator, text, line, found.group(1) if found else "")


def sections(page: str) -> Iterator[Section]:
    """The sections of a page's text."""
    for found in _SECTION.finditer(page):
        yield section(found.group(1), found.group(2), page.count("\n", 0, found.start()) + 1)


def marked(name: str, lines: list[str]) -> list[str]:
    """A block between its marks; blank lines around what is inside, so that it reads as Markdown."""
    return [f"<!-- made: {name} -->", "", *trimmed(lines), "", "<!-- /made -->", ""] if lines else []


def trimmed(lines: list[str]) -> list[str]:
    """Lines without the empty ones before and behind."""
    return "\n".join(lines).strip("\n").split("\n")


def blocks(s: Section) -> dict[str, list[str]]:
    """The blocks of a section by name, in their order; one without lines does not stand on the page."""
    row = OPERATORS[s.operator]
    found = sample(s.example, s.operator) if s.example else None
    written = program(found) if found is not None else None
    return {
        "meaning": sentences.meaning(row),
        "operands": operands(s.operator, must_be_tensors(found, s.example, s.operator) if found else frozenset()),
        "type": [sentences.output(row), "", *(types(found, s.example, s.operator) if found is not None else [])],
        "facts": facts(row),
        "formula": _formula(row, formula(written) if written is not None else []),
        "corners": corners(found, written, s.example, s.args, s.operator) if found is not None else [],
    }


def _formula(row: OpDef, lines: list[str]) -> list[str]:
    if lines and len(lines) <= LINES and sum(map(len, lines)) <= LETTERS:
        return ["Formula, for the types and attributes of the example:", "", "```text", *lines, "```"]
    if lines:
        return ["Formula: too long to show for the example; as said above."]
    if row.name in PROCEDURES:
        found = PROCEDURES[row.name]
        laws = f" Laws: {'; '.join(found.laws)}." if found.laws else ""
        return [f"Formula: none, {found.reason}.{laws}"]
    return [f"Formula: none, {WITHOUT_ELEMENTS[row.name]}."] if row.name in WITHOUT_ELEMENTS else []


SORTS = {
    "expr": "expression", "prim": "scalar", "shape": "shape", "tuple": "tuple", "dtype": "dtype", "str": "string",
    "int": "integer", "bool": "truth", "float": "number", "vdevice": "virtual device", "any": "anything",
    "index_map": "index map", "imm": "integer or float32", "sections": "integer or integers", "ints": "integers",
    "floats": "numbers", "imms": "integers or float32s",
}  # fmt: skip
"""What arguments and attributes are, by their kinds in ``syntax/signatures.py``; a digit counts."""


def sort(kind: str) -> str:
    """A kind in words."""
    plain = kind.rstrip("123")
    count = kind[len(plain) :]
    if plain == "pad":
        return f"1, {count} or {2 * int(count)} integers".replace("1, 1", "1")
    if count == "1":
        return f"1 {SORTS[plain].removesuffix('s')}"
    return f"{SORTS[plain]} of {count}" if plain == "shape" and count else f"{count} {SORTS[plain]}".strip()


LEFT_OUT = {
    ("relax.arange", "end"): "`start`, and that is 0",
    ("relax.arange", "dtype"): "`'int64'` if all arguments are integers, else `'float32'`",
    ("relax.eye", "m"): "as `n`",
    ("relax.nn.attention_var_len", "seqstart_k"): "as `seqstart_q`",
    ("relax.nn.attention_var_len", "max_seqlen_k"): "as `max_seqlen_q`",
}
"""What counts where an argument is left out, if that depends on others (``syntax/read/operators.py``)."""


FORMS = {
    "relax.print": "Arguments: a string, the format (`format=` in a text, empty where left out), then the values: any expressions, any number of them.",
    "relax.assert_op": "Arguments: the condition, a string, the format (`format=` in a text, empty where left out), then the values: any expressions, any number of them.",
}  # fmt: skip
"""What the forms among the operators take (``syntax/read/call_forms.py``)."""


def operands(name: str, tensors: frozenset[int] = frozenset()) -> list[str]:
    """The arguments and attributes as a table; ``tensors``: places of arguments that have to be such."""
    if not has_signature(name):
        return [FORMS[name]]
    known = signature(name)
    if not known.args and not known.attrs:
        return ["It takes nothing."]
    rows = []
    for place, slot in enumerate((*known.args, *known.attrs)):
        default = slot.default
        if slot.optional and not slot.attribute:
            missing = "nothing"
        elif isinstance(default, str) and default.startswith("@"):
            missing = f"as `{default[1:]}`"
        else:
            missing = "" if slot.required else "none" if default is None else f"`{default!r}`"
        missing = LEFT_OUT.get((name, slot.name), missing)
        what = "tensor" if place in tensors and slot.kind == "expr" else sort(slot.kind)
        what += " or none" if slot.optional and slot.attribute else ""
        rows.append(f"| `{slot.name}` | {'attribute' if slot.attribute else 'argument'} | {what} | {missing} |")
    table = ["| name | is an | sort | where left out |", "|---|---|---|---|", *rows]
    if known.surface != (*known.args, *known.attrs):
        order = " ".join(slot.name for slot in known.surface)
        table += ["", f"By position in a text: `{order}`."]
    return table


MEMORY = {"fresh": "fresh memory", "view": "memory of an argument", "either": "fresh memory, or that of an argument"}


def facts(row: OpDef) -> list[str]:
    """What is permitted of a call's elements, and what it does beside its value."""
    stores = ", and stores into tensors that it is given" if row.overwrites else ""
    told = f"A call is {'pure' if row.pure else 'impure'}{stores}; its result is {MEMORY[row.memory]}."
    permitted = f"Permitted results: {row.accuracy.sentence} {sentences.note(row)}".rstrip()
    return [permitted, "", told + sentences.deviation(row)]
