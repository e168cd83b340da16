"""What chapter 03d says of JSON: the schema takes what ``from_json`` takes, and what is written has that form."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest

import refrelax as rr
from refrelax.conformance.chapters.written import FIELDS, given, sorts
from refrelax.syntax.json_ import NODES, schema

VALIDATOR = jsonschema.Draft202012Validator(schema())


@pytest.mark.parametrize("row", sorts(), ids=lambda row: row[0])
def test_the_schema_takes_a_sort_as_the_reader_does(row: list[str]) -> None:
    """A schema has no test of base64; a number that is whole is an integer to it."""
    for good, tree, text in given(row):
        node = FIELDS[row[0]][0]["node"]
        described = VALIDATOR.evolve(schema={"$defs": schema()["$defs"], "$ref": f"#/$defs/{node}"})
        assert described.is_valid(tree) is good or (not good and (row[0] == "`bytes`" or text == "7.0")), text


PROGRAM = """
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def zig(A: T.Buffer((2,), "float32"), h: T.handle):
        with T.attr(T.int32(0), "key", 1):
            A[0] = T.float32(1)

    @R.function
    def main(x: R.Tensor((2,), "float32")):
        y = R.add(x, metadata["ir.GenericConst"][10])
        z = R.add(y, metadata["ir.GenericConst"][9])
        return z
"""


def test_what_is_written_is_as_the_page_says() -> None:
    module = rr.bind_constants(rr.parse(PROGRAM), {k: rr.Tensor.of([1.0, 2.0]) for k in (10, 9)})
    text = rr.to_json(module)
    tree = json.loads(text)
    assert "\n" not in text and list(tree["functions"]) == ["main", "zig"] and list(tree["constants"]) == ["9", "10"]
    found = list(_nodes(tree))
    assert {each["node"] for each in found} >= {"AttrStmt", "Literal", "ConstantArray"}
    for each in found:
        kind = NODES[each["node"]]
        fields = [name for name in kind.__dataclass_fields__ if name not in ("span", "source")]
        wanted = ["node_" if name == "node" else name for name in fields if kind.__dataclass_fields__[name].init]
        assert list(each) == ["node", *wanted]
    assert tree["constants"]["9"]["data"] == "AACAPwAAAEA=" and '"bits":"0x3f800000"' in text
    assert '"span"' not in text and '"span":{"file":' in rr.to_json(module, spans=True)
    assert json.loads(rr.to_json(rr.parse(PROGRAM)))["functions"]["zig"]["params"][1]["var"]["dtype"] == "handle"


def _nodes(tree: Any) -> Any:
    if isinstance(tree, dict):
        if "node" in tree:
            yield tree
        for each in tree.values():
            yield from _nodes(each)
    elif isinstance(tree, list):
        for each in tree:
            yield from _nodes(each)
