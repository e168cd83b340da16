"""A field of a tuple that takes anything in the second program: what the first one refuses is asked of it, too.

Spec: ``va/refinement``, ``va/only-shape``.
"""

from __future__ import annotations

import pytest

import refrelax as rr

PROGRAM = """
n = TypeVar("n")
@I.ir_module
class Module:
    @R.function
    def main(t: R.Tuple(R.Tensor((3,), "float32"), {0})):
        y = R.add(t[0], t[0])
        return y
"""


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('R.Tensor((3,), "float32")', "R.Any"),
        ("R.Shape([2])", "R.Any"),
        ('R.Tensor((n, 2), "int8")', "R.Any"),
        ('R.Tuple(R.Tensor((5,), "int8"), R.Shape([4]))', 'R.Tuple(R.Tensor((5,), "int8"), R.Any)'),
        ('R.Tuple(R.Any, R.Tensor((5,), "int8"))', "R.Tuple(R.Any, R.Any)"),
    ],
)
def test_what_a_field_refuses(before: str, after: str) -> None:
    first, second = (rr.check(rr.parse(PROGRAM.format(each))) for each in (before, after))
    verdict = rr.validate(first, second)
    assert isinstance(verdict, rr.Refuted) and verdict.counterexample, verdict
    assert isinstance(verdict.counterexample.before, rr.Trapped)
    assert isinstance(verdict.counterexample.after, rr.Returned)


@pytest.mark.parametrize("field", ['R.Tensor((3,), "float32")', "R.Shape([2])", "R.Any"])
def test_the_same_field(field: str) -> None:
    module = rr.check(rr.parse(PROGRAM.format(field)))
    assert not isinstance(rr.validate(module, module), rr.Refuted)
