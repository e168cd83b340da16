"""Parameters of which ``--random`` can make no argument: told in one line, in bounded time."""

from __future__ import annotations

import pytest

import refrelax as rr
from refrelax.testing.arguments import random_arguments

TEXT = """
@I.ir_module
class Module:
    @R.function
    def main(x: %s):
        return x
"""


@pytest.mark.parametrize(
    "type_",
    [
        'R.Tensor((2,), dtype="handle")',
        'R.Tensor(dtype="float32", ndim=9223372036854775807)',
        'R.Tensor((2,), dtype="float32x4")',
        "R.Shape(ndim=9223372036854775807)",
        "R.Tuple(R.Shape(ndim=1000000000000))",
    ],
)
def test_refused(type_: str) -> None:
    module = rr.parse(TEXT % type_)
    rr.check(module)
    with pytest.raises(rr.UsageError, match="made up"):
        random_arguments(module)
