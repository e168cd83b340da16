"""Implementations that are wrong where nobody looks: ``diff`` says so."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pytest

import refrelax as rr
from refrelax.backends.executable import Observed
from refrelax.interop.foreign import Foreign
from refrelax.judge.implementation import ImplementationFailed

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


@pytest.mark.parametrize("observed", [Observed(None, ()), Observed(rr.Trapped("", "", None), (1,))])  # type: ignore[arg-type]
def test_what_an_implementation_shows_is_no_frame(observed: Observed) -> None:
    """It was "a fault of refrelax"."""
    made = Wrong(lambda value: value)
    object.__setattr__(made, "observe", lambda *_: observed)
    with pytest.raises(ImplementationFailed, match="crash"):
        Foreign(made).observe(rr.parse(PRIMS.format("k")), "main", [])


def test_a_tensor_of_no_cells() -> None:
    """It was "a fault of refrelax"."""
    made = Foreign(Wrong(lambda _: (rr.Tensor([1.0]), 7)))  # type: ignore[arg-type]
    with pytest.raises(ImplementationFailed, match=r"Tensor\.of"):
        made.run(rr.parse(PRIMS.format("(y, k)")), "main", [[1.0, 2.0, 3.0], 7])
