"""Implementations that are wrong where nobody looks: ``diff`` says so."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pytest

import refrelax as rr

HEAD = "@I.ir_module\nclass Module:\n    @R.function\n    def main({params}):\n"
PRIMS = (
    HEAD.format(params='x: R.Tensor((3,), "float32"), k: R.Prim("int64")')
    + "        y = R.add(x, x)\n        return {}\n"
)


@dataclass(frozen=True)
class Wrong:
    """The definition itself, but for what it gives."""

    change: Callable[[Any], Any]

    def run(self, module: rr.Module, entry: str, args: Sequence[Any]) -> Any:
        outcome = rr.run(rr.check(module), entry, *args)
        assert isinstance(outcome, rr.Returned)
        return replace(outcome, value=self.change(outcome.value))


@pytest.mark.parametrize("given", [8, None, -7, "7", rr.Prim("int64", 8), float("nan")], ids=repr)
@pytest.mark.parametrize("result", ["k", "(y, k)"])
def test_a_prim_value_that_is_wrong(result: str, given: Any) -> None:
    """It was not judged, and the answer was AGREE; where it is the only result, with nothing compared."""
    checked = rr.check(rr.parse(PRIMS.format(result)))
    wrong = Wrong(lambda value: (value[0], given) if isinstance(value, tuple) else given)
    verdict = rr.diff(checked, "main", [[1.0, 2.0, 3.0], 7], wrong)
    assert isinstance(verdict, rr.Divergence), verdict
    assert verdict.report.counts.outside == 1


@pytest.mark.parametrize("given", [7, rr.Prim("int64", 7)], ids=repr)
def test_a_prim_value_that_is_right(given: Any) -> None:
    verdict = rr.diff(rr.check(rr.parse(PRIMS.format("k"))), "main", [[1.0, 2.0, 3.0], 7], Wrong(lambda _: given))
    assert isinstance(verdict, rr.Agreement)
    assert (verdict.report.counts.inside, verdict.report.counts.not_judged) == (1, 0)
