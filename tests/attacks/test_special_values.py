"""Special values are exact: no allowance of units in the last place applies."""

from __future__ import annotations

import pytest

import refrelax as rr

MODULE = """
@I.ir_module
class Module:
    @R.function
    def main({params}):
        gv = {call}
        return gv
"""


def checked(call: str, *params: tuple[int, str]) -> rr.CheckedModule:
    types = (f'{name}: R.Tensor(({size},), dtype="{dtype}")' for name, (size, dtype) in zip("ab", params, strict=False))
    return rr.check(rr.parse(MODULE.format(params=", ".join(types), call=call)))


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("name", ["exp", "cos", "cosh"])
def test_no_allowance_at_zero(name: str, dtype: str) -> None:
    """``num/special-values``: at zeros results are those of C23 annex F, exactly."""
    out = rr.run(checked(f"R.{name}(a)", (2, dtype)), args=[[0.0, -0.0]], numerics="enclosure")
    assert isinstance(out, rr.Returned)
    assert out.value.lo == out.value.hi == [1.0, 1.0]


def test_no_allowance_for_powers_of_and_by_zero() -> None:
    c = checked("R.power(a, b)", (4, "float32"), (4, "float32"))
    out = rr.run(c, args=[[2.5, -3.0, 0.0, 0.0], [0.0, -0.0, 3.0, 0.5]], numerics="enclosure")
    assert isinstance(out, rr.Returned)
    assert out.value.lo == out.value.hi == [1.0, 1.0, 0.0, 0.0]


def test_a_dimension_by_a_special_value_is_decided() -> None:
    text = """
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n",), "int8")):
        n = T.int64()
        y = R.zeros(R.shape([T.Cast("int64", T.exp(T.Cast("float32", n)))]), "int8")
        return y
"""
    out = rr.run(rr.check(rr.parse(text)), args=[rr.Tensor.of_bytes("int8", (0,), b"")])
    assert isinstance(out, rr.Returned), out
    assert out.value.shape == (1,)
