"""What a run of the whole told of a binding is what the binding gives alone; of other inputs it tells nothing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import refrelax as rr
from refrelax.backends.executable import Frame, Observed
from refrelax.judge.diff import diff
from refrelax.judge.known_bindings import UNKNOWN, KnownBindings
from refrelax.testing.cells import cells

ADDED = """
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((3,), "float32"), y: R.Tensor((3,), "float32")) -> R.Tensor((3,), "float32"):
        with R.dataflow():
            z: R.Tensor((3,), "float32") = R.add(x, y)
            R.output(z)
        return z
"""


class Shows:
    """An implementation that shows one binding, on inputs of its own choice."""

    def __init__(self, x: Any, y: Any, z: Any, result: Any) -> None:
        self.frame = Frame("main", "z", {"x": x, "y": y}, z, done=True)
        self.result = result

    def run(self, *_: Any) -> rr.Outcome:
        return rr.Returned(self.result, (), ())

    def observe(self, *_: Any) -> Observed:
        return Observed(self.run(), (self.frame,))


def floats(*values: float) -> Any:
    return np.array(values, dtype="float32")


GIVEN = floats(1, -0.0, np.nan), floats(2, 0.0, 4)


@pytest.mark.parametrize(
    ("x", "y", "z", "word"),
    [
        (*GIVEN, floats(3, 0.0, np.nan), "AGREE"),
        (*GIVEN, floats(4, 0.0, np.nan), "DIVERGE"),
        (floats(2, -0.0, np.nan), GIVEN[1], floats(3, 0.0, np.nan), "DIVERGE"),  # of other inputs: 4 is wanted
        (floats(1, -0.0, 4), GIVEN[1], floats(3, 0.0, np.nan), "DIVERGE"),
    ],
)
def test_a_binding_is_judged_on_the_inputs_that_are_shown(x: Any, y: Any, z: Any, word: str) -> None:
    checked = rr.check(rr.parse(ADDED))
    assert diff(checked, "main", list(GIVEN), impl=Shows(x, y, z, floats(3, 0.0, np.nan))).word == word


@pytest.mark.thorough
def test_with_and_without_what_is_known_a_verdict_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[bool] = []
    value = KnownBindings.value

    def counted(*args: Any) -> Any:
        found = value(*args)
        told.append(found is not UNKNOWN)
        return found

    for cell in list(cells(11))[:4000:50]:
        try:
            checked = rr.check(rr.parse(cell.program.text))
        except rr.Rejection:
            continue
        for args in map(cell.arguments, cell.inputs):
            monkeypatch.setattr(KnownBindings, "value", counted)
            kept = diff(checked, "main", args)
            monkeypatch.setattr(KnownBindings, "value", lambda *_: UNKNOWN)
            assert str(diff(checked, "main", args)) == str(kept), cell.program.text
    assert sum(told) > 50


STORES = """
@I.ir_module
class Module:
    @R.function(pure=False)
    def main(x: R.Tensor((3,), "float32")) -> R.Tensor((3,), "float32"):
        y: R.Tensor((3,), "float32") = R.add(x, x)
        R.call_packed("stores", x)
        return y
"""


def test_of_a_program_that_stores_nothing_is_known() -> None:
    checked = rr.check(rr.parse(STORES))
    known = KnownBindings(checked, "main")
    rr.run(checked, "main", floats(1, 2, 3), externs={"stores": lambda _x: ()}, listener=known.under("ieee"))
    assert not known.tells
