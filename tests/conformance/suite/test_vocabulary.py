"""The names and attributes that an exported suite lists are those that trees have, and those that the text names."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from refrelax.conformance.suite.vocabulary import intrinsics, operators
from tests.suite_records import records

SPEC = Path(__file__).resolve().parents[3] / "spec"


def nodes(tree: Any) -> list[dict[str, Any]]:
    """Every object of a tree."""
    parts = tree.values() if isinstance(tree, dict) else tree if isinstance(tree, list) else ()
    return [*([tree] if isinstance(tree, dict) else []), *(each for part in parts for each in nodes(part))]


def test_the_text_names_every_operator() -> None:
    pages = "".join(p.read_text("utf-8") for p in (SPEC / "ops").glob("*.md"))
    sections = set(re.findall(r"^## (relax\.\S+)$", pages, re.MULTILINE))
    chapter = (SPEC / "03d-abstract-syntax.md").read_text("utf-8").split("### Operators and their attributes")[1]
    forms = set(re.findall(r"`(relax\.[\w.]+)`", chapter.split("A page in")[0]))
    assert not forms & sections
    assert forms | sections == set(operators())


@pytest.mark.thorough
def test_every_call_of_a_case_is_as_they_say() -> None:
    known, counted = operators(), intrinsics()
    seen = set()
    for record in records():
        for node in nodes(record.get("tree")) if record["expect"].split()[0] != "Malformed" else ():
            if node.get("node") == "Intrinsic" and record["verdict"] == "accepts":
                least, most = (counted.get(node["op"], {}).get(each) for each in ("least", "most"))
                assert len(node["args"]) >= (least or 0) and (most is None or len(node["args"]) <= most), record["name"]
            if node.get("node") != "Call" or node["op"]["node"] != "Op":
                continue
            found = known[node["op"]["name"]]
            seen.add(node["op"]["name"])
            if node["op"]["name"] != "relax.call_pure_packed":
                assert [key for key, _ in node["attrs"]] == [each["name"] for each in found["attributes"]], record[
                    "name"
                ]
            for (_, value), each in zip(node["attrs"], found["attributes"], strict=False):
                assert value is not None or each["none"], (record["name"], each)
                assert "count" not in each or value is None or len(value["items"]) == each["count"], record["name"]
            if found["arguments"] is not None:
                assert found["least"] <= len(node["args"]) <= len(found["arguments"]), record["name"]
    assert len(seen) > 200


def test_they_are_json() -> None:
    for each in (operators(), intrinsics()):
        assert json.loads(json.dumps(each)) == each
