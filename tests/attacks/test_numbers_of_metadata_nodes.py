"""The text of the metadata (``syn/metadata-text``): its numbers name nodes that are there, and a string is one."""

from __future__ import annotations

import json

import pytest

import refrelax as rr

NODES = [
    {"data": "ir.StringImm"},
    {"data": 0},
    {"data": "hello"},
    {"data": {"value": 2}},
    {"data": [3]},
    {"data": [0, 4]},
]


def text(root: object, changed: dict[int, object]) -> str:
    nodes = [{"data": changed[k]} if k in changed else node for k, node in enumerate(NODES)]
    graph = json.dumps({"nodes": nodes, "root_index": root})
    return (
        f"metadata = tvm.ir.load_json({json.dumps(graph)})\n"
        "@T.prim_func(private=True)\n"
        'def main(A: T.Buffer((3,), "float32")):\n'
        '    assert 1 > 0, ("RuntimeError", [metadata["ir.StringImm"][0]])\n'
        "    A[0] = T.float32(1)\n"
    )


def test_the_string_stands_where_it_is_used() -> None:
    assert '"hello"' in rr.print_module(rr.parse(text(5, {})))


@pytest.mark.parametrize(
    ("root", "changed"),
    [
        pytest.param(-1, {}, id="root counted from the end"),
        pytest.param(True, {}, id="root that is a truth"),
        pytest.param(5, {5: [0, -2]}, id="items counted from the end"),
        pytest.param(5, {4: [-3]}, id="string counted from the end"),
        pytest.param(5, {3: {"value": -4}}, id="text counted from the end"),
        pytest.param(5, {3: {"value": 3}}, id="text that is an object"),
        pytest.param(5, {3: {"value": 1}}, id="text that is a number"),
        pytest.param(5, {0: "other.Kind", 4: [9]}, id="item of another kind that is no node"),
        pytest.param(5, {5: [0, 4, 9, 9]}, id="another kind that is no node"),
        pytest.param(5, {0: 7}, id="kind that is no string"),
        pytest.param(5, {4: "3"}, id="items that are a string"),
        pytest.param(5, {5: {"0": 4}}, id="root that is an object"),
    ],
)
def test_what_is_no_such_graph_is_refused(root: object, changed: dict[int, object]) -> None:
    with pytest.raises(rr.Malformed) as caught:
        rr.parse(text(root, changed))
    assert [d.rule for d in caught.value.diagnostics] == ["syn/metadata-text"]
