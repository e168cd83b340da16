"""A built entry stores what a shape holds, a negative number too; an annotated one leaves such a run open. So the
annotated program does not refine the built one, and the other way round it does."""

from __future__ import annotations

from typing import Any

import pytest

import refrelax as rr
from refrelax.lower.pipeline import lower
from refrelax.semantics.values import Shape

MODULE = """
n, m = T.int64(), T.int64()
@I.ir_module
class Module:
    @R.function
    def main({params}) -> R.Tensor((), "float32"):
        a = R.const(1.0, "float32")
        b = R.add(a, a)
        return b
"""
PARAMS: dict[str, tuple[Any, ...]] = {
    "s: R.Shape([m])": (Shape((-3,)),),
    "s: R.Shape([m]), t: R.Shape([2])": (Shape((-3,)), Shape((2,))),
    "p: R.Tuple(R.Shape([2, m]), R.Shape([2]))": ((Shape((2, -3)), Shape((2,))),),
    'k: R.Prim("int64"), s: R.Shape([k])': (-3, Shape((-3,))),
    "s: R.Shape([m, n]), t: R.Shape([n, m])": (Shape((1, -3)), Shape((-3, 1))),
}


@pytest.mark.parametrize("params", PARAMS)
def test_an_annotated_entry_does_not_refine_a_built_one(params: str) -> None:
    annotated = rr.check(rr.parse(MODULE.format(params=params)))
    built = lower(annotated, "build").module
    given = list(PARAMS[params])
    assert isinstance(rr.run(annotated, "main", *given), rr.Unspecified)
    assert isinstance(rr.run(built, "main", *given), rr.Returned)
    assert not isinstance(rr.validate(built, annotated, rounds=1), rr.Equivalent)
    assert isinstance(rr.validate(built, annotated, args=given, rounds=1), rr.Refuted)
    assert isinstance(rr.validate(annotated, built, rounds=1), rr.Equivalent)
    assert isinstance(rr.validate(annotated, annotated, rounds=1), rr.Equivalent)


def test_a_shape_of_which_the_rank_is_known_is_bound_to_nothing() -> None:
    ranked, bound = (
        rr.check(rr.parse(MODULE.format(params=f"s: {each}"))) for each in ("R.Shape(ndim=1)", "R.Shape([m])")
    )
    assert not isinstance(rr.validate(ranked, bound, rounds=1), rr.Equivalent)


def test_tensors_alone_are_proved_in_both_directions() -> None:
    annotated = rr.check(rr.parse(MODULE.format(params='x: R.Tensor((n, m), "float32"), y: R.Tensor((m,), "int64")')))
    built = lower(annotated, "build").module
    for first, second in ((annotated, built), (built, annotated)):
        assert isinstance(rr.validate(first, second, rounds=1), rr.Equivalent)
