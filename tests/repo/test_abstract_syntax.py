"""The chapters of nodes and of intrinsics say what the classes and the tables of the definition say."""

from __future__ import annotations

import json
import re
from pathlib import Path

import refrelax as rr
from refrelax.conformance.chapters.nodes import ROOMS, nodes
from refrelax.semantics.intrinsics import ATOMICS, CALLS, FIXED_POINT, FRAGMENTS, HOST, PURE
from refrelax.semantics.numbers.bounds import PERMITTED_ULPS
from refrelax.semantics.numbers.scalar_operators import UNARY

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "spec" / "07b-intrinsics.md"
SPELLED = {"fabs": "abs", "nearbyint": "round"}
"""Second names of a function of chapter 02."""


def rows(page: str) -> dict[str, list[str]]:
    """The rows of the tables of a page whose first cell is one name."""
    text = (ROOT / "spec" / page).read_text("utf-8")
    return {m[1]: [c.strip() for c in m[2].split("|")] for m in re.finditer(r"^\| `([^`]+)` \|(.*)\|$", text, re.M)}


def test_the_page_names_every_node_and_field_of_the_schema() -> None:
    schema = json.loads((ROOT / "refrelax" / "syntax" / "schema.json").read_text("utf-8"))["$defs"]
    told = {node.name: node for room in ROOMS for node in nodes(room)}
    assert told.keys() == schema.keys() - {"Span"}
    for name, node in told.items():
        described = schema[name]
        fields = {"node_" if field == "node" else field: sort for field, sort in node.fields}
        assert fields.keys() == described["properties"].keys() - {"node", "span"}, name
        assert {field for field in fields if " = " not in fields[field]} == {*described["required"]} - {"node"}, name


def test_every_intrinsic_has_a_line() -> None:
    """A name that the evaluator has a table for stands on the page, with the accuracy of chapter 02."""
    told = rows("07b-intrinsics.md")
    assert (PURE | FIXED_POINT | set(CALLS) | set(HOST) | set(ATOMICS) | set(FRAGMENTS)) - {
        "tvm_call_packed"
    } <= told.keys()
    for name in told.keys() & UNARY.keys() | {"pow", "atan2", "hypot", "fma"}:
        units = PERMITTED_ULPS.get(SPELLED.get(name, name))
        if units is not None:
            assert told[name][-2] == f"{units:g}", name


LOOP = """@I.ir_module
class Module:
    @T.prim_func(private=True)
    def main(A: T.Buffer((4,), "float32"), O: T.Buffer((4,), "float32")):
        for i in range(4):
            O[i] = T.fabs(A[i])
"""


def test_the_page_says_which_functions_a_text_cannot_spell() -> None:
    def spelled(name: str) -> bool:
        try:
            rr.parse(LOOP.replace("T.fabs", f"T.{name}").replace("O[i]", "A[i]"))
        except rr.Malformed:
            return False
        return True

    said = re.search(r"In a text it stands after `T.`; (.*?), and `pow` of", PAGE.read_text("utf-8"), re.DOTALL)
    assert said is not None
    assert {name for name in UNARY if name in rows(PAGE.name) and not spelled(name)} == {
        *re.findall(r"`(\w+)`", said.group(1))
    }


def test_the_sign_of_a_zero_is_what_the_page_says() -> None:
    module = rr.from_json(rr.to_json(rr.parse(LOOP)).replace('"fabs"', '"sign"'))
    ended = rr.run(rr.check(module), "main", rr.Tensor.of([-0.0, 0.0, -3.0, 4.0]), rr.Tensor.of([0.0] * 4))
    assert isinstance(ended, rr.Returned)
    assert list(map(str, ended.arguments[1].tolist())) == ["0.0", "0.0", "-1.0", "1.0"]
    assert "of a zero of either sign +0" in rows(PAGE.name)["sign"][0]
