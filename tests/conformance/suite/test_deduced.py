"""Types that an implementation deduces, held against ours: another spelling, less of ``sh/equal``, what is wrong."""

from __future__ import annotations

from typing import Any

import pytest

from refrelax import api
from refrelax.conformance import load
from refrelax.conformance.suite import deduced
from refrelax.conformance.suite.deduced import difference, required_of, types_of
from refrelax.conformance.suite.judge import judge
from refrelax.conformance.suite.records import record_of
from refrelax.shape_solver import Unknown

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
