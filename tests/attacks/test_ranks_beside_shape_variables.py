"""A rank beside a shape variable says more than the variable: its text says it too."""

from __future__ import annotations

import pytest

import refrelax as rr

TEXT = """
@I.ir_module
class Module:
    @R.function
    def main(s: R.Shape, x: R.Tensor("int32")):
        y = R.match_cast(x, %s)
        return y
"""


@pytest.mark.parametrize(
    "type_", ['R.Tensor(s, "int32", ndim=2)', "R.Tensor(s, ndim=0)", 'R.DTensor(s, "int32", "mesh[0]", "R", ndim=2)']
)
def test_printed_and_read(type_: str) -> None:
    module = rr.parse(TEXT % type_)
    assert rr.parse(rr.print_module(module)) == module
