"""Special values are exact: no allowance of units in the last place applies."""

from __future__ import annotations

import pytest

import refrelax as rr
from refrelax.semantics.numbers import reading
from refrelax.semantics.numbers.interface import MATH, MATH2
from tests.attacks.one_call import checked


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


@pytest.mark.parametrize("numerics", ["enclosure", "strict", "sampled"])
@pytest.mark.parametrize("dtype", ["float6_e2m3fn", "float6_e3m2fn", "float4_e2m1fn", "float8_e8m0fnu"])
def test_a_format_without_nan_has_poison_where_others_have_one(dtype: str, numerics: str) -> None:
    """Every function at every corner: an element, never a fault (``fmod(2, 0)`` is no number of ``float6_e2m3fn``)."""
    f = reading(numerics).at(dtype)
    values = [f.lit(v) for v in (0.5, 1.0, 2.0, 0.0, -1.0)]
    for name in MATH:
        for a in values:
            f.math(name)(a)
    for name in MATH2:
        second = reading(numerics).at("int32") if name == "ldexp" else f
        for a in values:
            for b in (0, 1, 2):
                f.math2(name)(a, second.lit(b))
    assert reading(numerics).poison_rule(f.math2("fmod")(f.lit(2.0), f.lit(0.0))) is not None or "e8m0" in dtype
