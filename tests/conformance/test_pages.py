"""A page that says otherwise than its operator's definition is found, whatever was edited; as it stands none does."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

import pytest

from refrelax.conformance import pages, spec_text, tie
from refrelax.conformance.cases import _from_example
from refrelax.conformance.pages.section import sections
from refrelax.conformance.run import run_case
from refrelax.conformance.spec_text import Example

OPS = spec_text.spec_directory() / "ops"


@cache
def ends() -> dict[str, str]:
    read = tie.read()
    return pages.ends_of((*read.cases, *read.examples), read.code)


def found(page: str, text: str) -> list[str]:
    return [f"{each.operator}: {each.message}" for each in pages.stale_page(page, text, ends())]


def edited(page: str, operator: str, block: str, edit: Callable[[str], str]) -> str:
    """A page on which one block of one operator was edited."""
    text = (OPS / page).read_text("utf-8")
    shape = rf"(## {re.escape(operator)}\n(?:(?!\n## ).)*?<!-- made: {block} -->\n)(.*?)(<!-- /made -->)"
    changed = re.sub(shape, lambda m: m[1] + edit(m[2]) + m[3], text, count=1, flags=re.DOTALL)
    assert changed != text, (operator, block)
    return changed


EDITS: list[tuple[str, str, str, str, str]] = [
    ("binary.md", "relax.add", "formula", " + ", " - "),
    ("binary.md", "relax.add", "formula", "x2[i, j]", "x2[i, j], except on Tuesdays"),
    ("binary.md", "relax.add", "corners", "| `float32` inf, -inf | NaN |", "| `float32` inf, -inf | 0 |"),
    ("binary.md", "relax.add", "operands", "`x2`", "`y`"),
    ("binary.md", "relax.add", "facts", "correctly-rounded", "anything"),
    ("binary.md", "relax.maximum", "facts", "Of NaN and a number either.", "Of NaN the number."),
    ("binary.md", "relax.add", "facts", "pure", "impure"),
    ("binary.md", "relax.add", "type", "Broadcast dims", "No dims"),
    ("reduce.md", "relax.sum", "meaning", "0 of nothing", "1 of nothing"),
    ("reduce.md", "relax.sum", "formula", "for p < N", "for p < N - 1"),
    ("activation.md", "relax.nn.softmax", "formula", "t1[i, j, k] / t2[i, 0, k]", "t1[i, j, k] * t2[i, 0, k]"),
    ("gather.md", "relax.take", "corners", "poison", "0"),
    ("gather.md", "relax.take", "type", "ndim=2", "ndim=3"),
    ("gather.md", "relax.take", "operands", "'fast'", "'clip'"),
    ("scan.md", "relax.sort", "formula", "sort(sort(x)) = sort(x)", "sort(sort(x)) = x"),
    ("effects.md", "relax.print", "facts", "impure", "pure"),
]


@pytest.mark.thorough
@pytest.mark.parametrize(("page", "operator", "block", "old", "new"), EDITS, ids=lambda v: str(v)[:24])
def test_an_edited_block_is_found(page: str, operator: str, block: str, old: str, new: str) -> None:
    def edit(text: str) -> str:
        assert old in text, text
        return text.replace(old, new, 1)

    text = edited(page, operator, block, edit)
    only = "\n".join(re.findall(rf"^## {re.escape(operator)}\n.*?(?=^## |\Z)", text, re.MULTILINE | re.DOTALL))
    assert any(each.startswith(f"{operator}: block {block}") for each in found(page, only))


def test_a_block_that_is_gone_or_made_up_is_found() -> None:
    text = (OPS / "gather.md").read_text("utf-8")
    without = re.sub(r"<!-- made: facts -->.*?<!-- /made -->\n", "", text, count=1, flags=re.DOTALL)
    assert any("block facts" in each for each in found("gather.md", without))
    assert any("block law" in each for each in found("gather.md", text + "\n<!-- made: law -->\nx\n<!-- /made -->\n"))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("*Ends: IllTyped.*", "*Ends: Unspecified.*"),
        (" *Ends: IllTyped.*", ""),
        ("1. **`", "2. **`"),
        ("## relax.take", "## relax.takes"),
    ],
)
def test_constraints_and_names(old: str, new: str) -> None:
    text = (OPS / "gather.md").read_text("utf-8")
    assert old in text and not found("gather.md", text)
    assert found("gather.md", text.replace(old, new, 1))


@pytest.mark.parametrize("number", range(3))
def test_an_edited_example_ends_otherwise(number: int) -> None:
    """The value, an argument, the program."""
    take = next(each for each in sections((OPS / "gather.md").read_text("utf-8")) if each.operator == "relax.take")
    edits = [("# value: ", '# value: {"dtype": "float32", "shape": [1], "data": [7]}\n# was: '), ("[1, 3]", "[2, 3]"),
             ("axis=0", "axis=1")]  # fmt: skip
    old, new = edits[number]
    assert old in take.example and run_case(_from_example(Example(take.example, "x", 1))).passed
    assert not run_case(_from_example(Example(take.example.replace(old, new, 1), "x", 1))).passed


@pytest.mark.parametrize(
    ("old", "new"), [("@R.function\n", "@R.function(pure=False)\n"), ("with R.dataflow():", "if True:")]
)
def test_an_example_of_a_pure_operator_is_a_pure_function_with_a_dataflow_block(old: str, new: str) -> None:
    text = (OPS / "gather.md").read_text("utf-8")
    assert any("no pure function" in each for each in found("gather.md", text.replace(old, new, 1)))


def test_every_constraint_of_a_page_is_numbered() -> None:
    for path in sorted(OPS.glob("*.md")):
        if path.name != "memory.md":
            assert not re.findall(r"^\*\*`op\.", path.read_text("utf-8"), re.MULTILINE), path.name
