"""Types that an implementation deduces, held against ours: another spelling, less of ``sh/equal``, what is wrong."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from refrelax import api
from refrelax.conformance import load
from refrelax.conformance.suite import deduced
from refrelax.conformance.suite.deduced import difference, required_of, types_of
from refrelax.conformance.suite.judge import judge
from refrelax.conformance.suite.records import record_of
from refrelax.shape_solver import Unknown
from refrelax.syntax.json_ import schema

N = {"node": "SymVar", "name": "n", "dtype": "int64"}


def literal(value: int) -> dict[str, Any]:
    return {"node": "Literal", "dtype": "int64", "bits": hex(value % 2**64)}


def binary(op: str, a: Any, b: Any) -> dict[str, Any]:
    return {"node": "Binary", "op": op, "a": a, "b": b}


def tensor(*dims: Any) -> dict[str, Any]:
    return {"node": "TensorType", "shape": list(dims), "dtype": "int32", "ndim": len(dims), "vdevice": None}


UP = binary("FloorDiv", binary("Add", N, literal(1)), literal(2))
"""ceil(n / 2), as we spell it."""
OURS = {"main": {"x": tensor(N), "y": tensor(UP)}}


def held(theirs: Any) -> str:
    found = difference(OURS, {"main": {"x": tensor(N), "y": theirs}})
    return "passed" if found is None else found[0]


@pytest.mark.parametrize(
    "dim",
    [
        binary("FloorDiv", binary("Add", literal(1), N), literal(2)),
        binary("Max", literal(0), binary("Sub", literal(0), binary("FloorDiv", N, literal(-2)))),
    ],
)
def test_a_dimension_may_be_spelled_so_that_only_a_proof_sees_it(dim: Any) -> None:
    assert held(tensor(dim)) == "passed"


@pytest.mark.parametrize(
    "theirs",
    [
        tensor(binary("FloorDiv", N, literal(2))),
        tensor(UP, UP),
        {**tensor(UP), "dtype": "int64"},
        {**tensor(UP), "shape": None},
        {"node": "TupleType", "fields": [tensor(UP)]},
        {"node": "AnyType"},
        3,
    ],
)
def test_another_dimension_form_dtype_or_less_of_it_is_wrong(theirs: Any) -> None:
    assert held(theirs) == "failed"


def test_what_nobody_can_tell_is_undecided(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deduced, "prove", lambda *args, **options: Unknown("nobody can tell", ""))
    assert held(tensor(binary("FloorDiv", N, literal(2)))) == "undecided"
    assert held(tensor(UP, UP)) == "failed"


def record(name: str) -> dict[str, Any]:
    return record_of(next(case for case in load() if case.name == name))


def test_less_of_equality_is_no_fault() -> None:
    beyond = record("separating-types/equal-dims")
    assert beyond["required"] == {"end": "rejected"}
    assert judge(beyond, {"end": "rejected"})[0] == "excluded"
    assert judge(beyond, {"end": "accepted"})[0] == "passed"
    clever = record("dims/never-negative-atom")
    assert clever["required"] == {"end": "accepted"}
    assert judge(clever, {"end": "accepted"})[0] == "excluded"
    assert judge(clever, {"end": "rejected"})[0] == "passed"


def test_types_lie_between_what_is_required_and_ours() -> None:
    coarser = record("separating-types/truths-in-dims")
    types, least = coarser["types"], coarser["required"]["types"]
    between = {"main": {**types["main"], "f": least["main"]["f"]}}
    below = {"main": {**types["main"], "f": {"node": "AnyType"}}}
    above = {"main": {**types["main"], "f": {**types["main"]["f"], "dtype": "int8"}}}
    said = [judge(coarser, {"end": "accepted", "types": each})[0] for each in (types, between, below, above)]
    assert said == ["passed", "passed", "failed", "failed"]


def test_where_nothing_rests_on_it_nothing_is_said() -> None:
    text = """
@R.function
def main(x: R.Tensor(("n",), "int32"), y: R.Tensor(("n",), "int32")):
    return R.add(x, y)
"""
    module = api.parse(text)
    assert required_of(module, types_of(api.check(module))) == {}


# --- derivation functions --------------------------------------------------------------------------------------------


def function(params: Any, derive: str | None, ret: Any = None) -> dict[str, Any]:
    ret = ret or {"node": "AnyType"}
    return {"node": "FuncType", "params": params, "ret": ret, "purity": True, "derive_func": derive}


def within(inner: Any) -> list[dict[str, Any]]:
    """Types that hold another one."""
    return [
        inner,
        function([inner], None),
        function([tensor(N)], "a", inner),
        function([function([inner], None)], "b"),
        function(None, None, inner),
        {"node": "TupleType", "fields": [tensor(N), inner]},
    ]


ANY: dict[str, Any] = {"node": "AnyType"}
OTHER_DERIVATIONS = [
    (function(None, "a"), function(None, None)),
    (function(None, "a"), function(None, "b")),
    (function(None, None), function(None, "a")),
    (function([ANY], "a"), function([ANY], None)),
    (function([ANY], "a"), function([ANY], "b")),
    (function([ANY], None), function([ANY], "a")),
]
HELD = [
    (ours, theirs, word)
    for wanted, found in OTHER_DERIVATIONS
    for ours, right, wrong in zip(within(wanted), within(wanted), within(found), strict=True)
    for theirs, word in ((right, "passed"), (wrong, "failed"))
]


def test_a_derivation_function_is_part_of_a_type_wherever_it_stands() -> None:
    """Subtyping looks at none beside parameters, and two types that permit each other passed for one."""
    found = [difference({"main": {"f": ours}}, {"main": {"f": theirs}}) for ours, theirs, _ in HELD]
    assert [h for h, each in zip(HELD, found, strict=True) if ("passed" if each is None else each[0]) != h[2]] == []


def test_what_less_of_equality_leaves_may_lose_it_only_with_the_type() -> None:
    ours = {"main": {"f": function([ANY], "a"), "g": tensor(UP)}}
    coarse = {"main": {"f": function(None, None)}}
    for theirs, word in ((function(None, None), None), (function([ANY], "a"), None), (function([ANY], "b"), "failed")):
        found = difference(ours, {"main": {**ours["main"], "f": theirs}}, coarse)
        assert (None if found is None else found[0]) == word


NODE_TYPES = Path(__file__).resolve().parents[3] / "conformance" / "second" / "runner" / "types.js"


@pytest.mark.skipif(shutil.which("node") is None or not NODE_TYPES.is_file(), reason="needs node")
def test_the_judge_for_node_holds_derivation_functions_as_well() -> None:
    program = (
        f"const {{ difference }} = require({json.dumps(str(NODE_TYPES))});"
        "const [defs, held] = JSON.parse(require('node:fs').readFileSync(0));"
        "const told = (f, other) => difference({ main: { f } }, { main: { f: other } }, {}, defs);"
        "const word = ([ours, theirs]) => (told(ours, theirs) ?? ['passed'])[0];"
        "console.log(JSON.stringify(held.map(word)));"
    )
    asked = json.dumps([schema()["$defs"], [each[:2] for each in HELD]])
    told = subprocess.run(["node", "-e", program], input=asked, capture_output=True, text=True, check=True).stdout
    assert [h for h, word in zip(HELD, json.loads(told), strict=True) if word != h[2]] == []
