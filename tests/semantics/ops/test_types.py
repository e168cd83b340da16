"""Deduced types, symbolic and unknown dims included, against texts that were compared with TVM 0.27."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import refrelax as rr
from refrelax.semantics.ops import FAMILIES, OPERATORS
from refrelax.syntax.signatures import CALL_FORMS, OPERATOR_NAMES
from refrelax.syntax.write.types import type_text

from .catalogue import SAMPLES, Sample, data, identify
from .typing_samples import ROWS, deduced

EXPECTED = (Path(__file__).parent / "expected_types.txt").read_text().splitlines()


@pytest.mark.parametrize("row", range(len(ROWS)), ids=lambda k: f"{k}-{ROWS[k][1].split('(')[0]}")
def test_deduced_type(row: int) -> None:
    assert deduced(ROWS[row]) == EXPECTED[row]


@pytest.mark.parametrize("sample", SAMPLES[::5], ids=identify)
def test_value_has_deduced_type(sample: Sample) -> None:
    """Dims and dtype of the value are those of the type, where the type knows them."""
    checked = rr.check(rr.parse(sample.text))
    out = rr.run(checked, "main", *data(sample))
    assert isinstance(out, rr.Returned)
    value, text = out.value, type_text(checked.types["main"]["gv"])
    if isinstance(value, rr.Tensor) and text.startswith("R.Tensor(("):
        dims = ", ".join(map(str, value.shape)) + ("," if len(value.shape) == 1 else "")
        assert text == f'R.Tensor(({dims}), dtype="{value.dtype}")'


def test_operator_names_are_registered_names() -> None:
    assert set(OPERATORS) <= set(OPERATOR_NAMES)
    assert sum(len(family.OPERATORS) for family in FAMILIES) == len(OPERATORS)


def test_impure_operators() -> None:
    memory = {"memory.kill_storage", "memory.kill_tensor", "vm.kill_object", "vm.call_tir_dyn"}
    impure = {"print", "assert_op", *memory}
    assert {name for name, row in OPERATORS.items() if not row.pure} == {f"relax.{name}" for name in impure}
    assert {"print", "assert_op"} <= set(CALL_FORMS)


# --- what the rank alone decides ---

RANK_ALONE = {"op.common/axis-range", "op.common/axes-distinct"}


def rules_against(tree: Any) -> set[str]:
    try:
        rr.check(rr.from_json(json.dumps(tree)))
    except rr.Rejection as refused:
        return {each.rule for each in refused.diagnostics}
    return set()


def nodes_of(tree: Any) -> Iterator[dict[str, Any]]:
    parts = tree.values() if isinstance(tree, dict) else tree if isinstance(tree, list) else ()
    if isinstance(tree, dict):
        yield tree
    for each in parts:
        yield from nodes_of(each)


def wrong_axes(value: Any) -> list[Any]:
    if isinstance(value, dict) and value.get("node") == "AttrList":
        return [{**value, "items": [7]}, {**value, "items": [0, 0]}]
    return [7, -7] if isinstance(value, int) and not isinstance(value, bool) else []


@pytest.mark.thorough
def test_axes_are_held_against_a_rank_without_dims() -> None:
    """Every axis that is refused where all extents are known is refused where only the rank is."""
    asked = 0
    for sample in SAMPLES:
        tree = json.loads(rr.to_json(rr.parse(sample.text)))
        for node in nodes_of(tree):
            node.update({key: None for key in ("ret", "annotation") if key in node})
        for name, wrong in [(k, w) for n in nodes_of(tree) if n.get("node") == "Call"
                            for k, v in n["attrs"] if "ax" in k for w in wrong_axes(v)]:  # fmt: skip
            there = json.loads(json.dumps(tree))
            for node in nodes_of(there):
                if node.get("node") == "Call":
                    node["attrs"] = [[k, wrong if k == name else v] for k, v in node["attrs"]]
            expected = rules_against(there) & RANK_ALONE
            for node in nodes_of([p["type"] for p in nodes_of(there) if p.get("node") == "Param"]):
                node.update({"shape": None} if node.get("node") == "TensorType" else {})
            asked += bool(expected)
            assert expected <= rules_against(there), (sample.op, name, wrong)
    assert asked > 20
