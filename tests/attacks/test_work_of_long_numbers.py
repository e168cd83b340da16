"""What a checker counts is what checking costs: long numbers cost more than short ones."""

from __future__ import annotations

from itertools import combinations_with_replacement
from typing import Any

import pytest

from refrelax.shape_solver.checker import check as checking
from refrelax.shape_solver.checker import points, reading
from refrelax.shape_solver.checker.document import examine
from refrelax.shape_solver.checker.terms import Fuel

LESS = "expected a certificate that takes less work to check"


def question(claim: Any, assumptions: list[Any], symbols: int = 1) -> dict[str, Any]:
    return {
        "symbols": ["int"] * symbols, "assumptions": assumptions, "claim": claim, "fits": None, "division": "assume",
    }  # fmt: skip


@pytest.mark.parametrize("bits", [2, 8191])
def test_points_pay_for_their_values(bits: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the work that is allowed, 500 000 points took a quarter of an hour."""
    monkeypatch.setattr(points, "MAX_WORK", 100_000)
    value: Any = ["sym", 0]
    for _ in range(6):
        value = ["mul", value, ["const", (1 << bits) - 1]]
    bounds = [["ge", ["sym", 0], ["const", 0]], ["le", ["sym", 0], ["const", 3_000]]]
    asked = question(["ne", value, ["const", 5]], bounds)
    document = {"format": "refrelax-certificate", "version": 2, "question": asked, "evidence": {"kind": "points"}}
    assert examine(document).rejected == ("" if bits == 2 else LESS)


@pytest.mark.parametrize("bits", [20, 8191])
def test_products_pay_for_their_coefficients(bits: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "MAX_WORK", 20_000)
    asked = question(["lt", ["sym", 0], ["sym", 0]], [], 5)
    monos = list(combinations_with_replacement(range(5), 2))
    square = [[(1 << bits) - 1 - place, list(mono)] for place, mono in enumerate(monos)]
    step = {"rule": "combine", "terms": [[1, [square]]] * 8, "gives": ["ge", [[1, []]]]}
    reason = checking.check(asked, {"atoms": [["sym", k] for k in range(5)], "steps": [step]}).reason
    assert (reason == LESS) == (bits == 8191) and reason.startswith("expected a")


def test_short_numbers_cost_what_they_did() -> None:
    from refrelax.shape_solver.checker.poly import Poly

    fuel = Fuel(6)
    Poly({(0,): 3, (): 1 << 400}).times(Poly({(0,): 2, (1,): -1, (): 5}), fuel)
    assert fuel.left == 0
