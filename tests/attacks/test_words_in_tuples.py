"""What a tuple of the machine holds may be a text, a dtype or a function: no number, and no reason to fail."""

from __future__ import annotations

import pytest

import refrelax as rr

MODULE = """
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((3,), "float32")) -> R.Any:
        R.func_attr({{"relax.force_pure": True}})
        v = R.call_packed("vm.builtin.make_tuple", {value}, x, ty_args=(R.Any,))
        {name} = v
        return {name}
"""


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ('R.str("a")', 'R.str("a")'),
        ('R.str("a")', 'R.str("b")'),
        ('R.dtype("int64")', "R.prim_value(7)"),
        ("R.prim_value(7)", 'R.dtype("int64")'),
        ('R.dtype("int64")', 'R.dtype("int32")'),
    ],
)
def test_they_are_compared_by_runs(one: str, two: str) -> None:
    first = rr.check(rr.parse(MODULE.format(value=one, name="v_1")))
    second = rr.check(
        rr.parse(MODULE.format(value=two, name="w").replace("        w = v\n        return w", "        return v"))
    )
    found = rr.validate(first, second)
    assert not isinstance(found, rr.Refuted) if one == two else not isinstance(found, rr.Equivalent)
