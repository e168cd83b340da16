"""The conformance cases of chapters 04 and 05: accepted, or rejected under the rule that they name."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from refrelax.api import bind_constants
from refrelax.conformance.data import to_value
from refrelax.errors import IllFormed, IllTyped, Rejection
from refrelax.semantics.types import check
from refrelax.syntax.read import parse

CASES = Path(__file__).parents[3] / "refrelax" / "conformance" / "cases"


def load(area: str) -> list[Any]:
    data = tomllib.loads((CASES / f"{area}.toml").read_text())
    return [pytest.param(each, id=each["name"]) for each in data["case"]]


@pytest.mark.parametrize("case", [*load("wellformed"), *load("types")])
def test_verdict(case: dict[str, Any]) -> None:
    module = parse(case["module"], case["name"])
    if "constants" in case:
        module = bind_constants(module, dict(enumerate(map(to_value, case["constants"]))))
    if case["verdict"] == "accepts":
        check(module)
        return
    with pytest.raises(IllFormed if case["rule"].startswith("wf/") else IllTyped) as raised:
        check(module)
    assert isinstance(raised.value, Rejection)
    rule = case["expect"].split()[-1] if "expect" in case else case["rule"]
    assert {each.rule for each in raised.value.diagnostics} == {rule}
    assert all(each.span is not None for each in raised.value.diagnostics)
