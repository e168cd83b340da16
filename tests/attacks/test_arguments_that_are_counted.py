"""A function whose row in chapter 08 says *exactly* takes no more: ``relax.run.unique`` took seven and more."""

from __future__ import annotations

import pytest

import refrelax as rr

PROGRAM = """@I.ir_module
class Module:
    @R.function(pure=False)
    def main(x: R.Tensor((3,), "float32")) -> R.Any:
        u = R.call_packed("relax.run.unique", x, {flags}, ty_args=R.Any)
        return u
"""


@pytest.mark.parametrize(("count", "open_"), [(3, True), (4, False), (5, False), (6, True)])
def test_unique_takes_a_tensor_four_flags_and_an_axis(count: int, open_: bool) -> None:
    text = PROGRAM.format(flags=", ".join(["R.prim_value(0)"] * count))
    out = rr.run(rr.check(rr.parse(text)), "main", rr.Tensor.of([2.0, 1.0, 2.0], "float32"))
    assert isinstance(out, rr.Unspecified if open_ else rr.Returned)
    assert not open_ or out.rule == "vm/argument"
