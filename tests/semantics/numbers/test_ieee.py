"""``ieee`` against independent implementations: NumPy and ml_dtypes bit for bit, mpmath at high precision, wrapping by
ctypes.
"""

from __future__ import annotations

import ctypes
import math
import random
from fractions import Fraction
from typing import Any

import ml_dtypes
import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from number_payloads import ALL_FLOATS, FLOATS, IEEE, same, values

from refrelax.errors import Ended, InternalError
from refrelax.semantics.numbers.elementary import step
from refrelax.semantics.numbers.functions import FUNCTIONS, PRECISE
from refrelax.semantics.numbers.interface import MATH
from refrelax.semantics.numbers.poison import Poison
from refrelax.semantics.numbers.rounding import rounder
from refrelax.semantics.numbers.special import AT_ENDS
from refrelax.semantics.numbers.truth import FALSE, TRUE
from refrelax.syntax import bits

NUMPY = {"float16": np.float16, "float32": np.float32, "float64": np.float64}
ML = {name: getattr(ml_dtypes, name) for name in ALL_FLOATS if hasattr(ml_dtypes, name)}
FOREIGN: dict[str, Any] = {**NUMPY, **ML}


def array(dtype: str, patterns: list[int]) -> Any:
    width = np.uint8 if bits.FORMATS[dtype].width <= 8 else np.dtype(f"u{bits.FORMATS[dtype].width // 8}")
    return np.array(patterns, width).view(FOREIGN[dtype])


def sample(dtype: str, count: int, seed: int = 0) -> list[int]:
    """Bit patterns: all of a small format, else random ones, half of them of ordinary size."""
    width = bits.FORMATS[dtype].width
    if width <= 8:
        return list(range(1 << width))
    draw = random.Random(seed)
    usual = [bits.encode(dtype, draw.uniform(-4, 4) * 2.0 ** draw.randint(-9, 9)) for _ in range(count // 2)]
    return usual + [draw.getrandbits(width) for _ in range(count - len(usual))]


@pytest.mark.parametrize("dtype", sorted(FOREIGN))
def test_decoding_and_encoding_follow_numpy(dtype: str) -> None:
    f = IEEE.at(dtype)
    patterns = sample(dtype, 3000)
    with np.errstate(all="ignore"):
        theirs = array(dtype, patterns).astype(np.float64)
    for pattern, value in zip(patterns, theirs.tolist(), strict=True):
        mine = f.from_bits(pattern)
        assert same(mine, value), hex(pattern)
        if mine == mine:
            assert f.to_bits(mine) == pattern


@pytest.mark.parametrize("dtype", sorted(FOREIGN))
@pytest.mark.parametrize("name", ["add", "sub", "mul", "div"])
def test_arithmetic_follows_numpy_bit_for_bit(dtype: str, name: str) -> None:
    if dtype == "float8_e8m0fnu":
        pytest.skip("ml_dtypes rounds e8m0 results that are negative or zero by its own convention")
    f = IEEE.at(dtype)
    left, right = sample(dtype, 2000, 1), sample(dtype, 2000, 2)
    random.Random(3).shuffle(right)
    operation = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide}[name]
    with np.errstate(all="ignore"):
        theirs = operation(array(dtype, left), array(dtype, right)).astype(np.float64)
    for p, q, value in zip(left, right, theirs.tolist(), strict=True):
        mine = getattr(f, name)(f.from_bits(p), f.from_bits(q))
        if isinstance(mine, Poison):  # a NaN in a format that has none: ml_dtypes picks a number
            assert mine.rule == "num/no-nan"
            continue
        assert same(mine, value), (f.from_bits(p), f.from_bits(q), mine, value)


@pytest.mark.parametrize("dtype", sorted(FOREIGN))
def test_casts_from_doubles_follow_numpy(dtype: str) -> None:
    if dtype == "float8_e8m0fnu":
        pytest.skip("ml_dtypes rounds negative values and zero to e8m0 by its own convention")
    draw, f = random.Random(5), IEEE.at(dtype)
    items = [draw.uniform(-2, 2) * 2.0 ** draw.randint(-160, 140) for _ in range(3000)]
    items += [x * (1 + k * 2.0**-52) for x in (1.5, 1.0625, 1.00390625, 1.0009765625) for k in (-1, 0, 1)]
    items += [math.inf, -math.inf, 0.0, -0.0]
    with np.errstate(all="ignore"):
        if dtype in ML:  # ml_dtypes goes through float32, so only values that float32 holds are comparable
            items = [float(np.float32(x)) for x in items]
        theirs = np.array(items).astype(FOREIGN[dtype]).astype(np.float64)
    for x, value in zip(items, theirs.tolist(), strict=True):
        if math.isinf(x) and bits.FORMATS[dtype].specials == "none":
            continue
        assert same(f.cast(x, "float64"), value), (x, f.cast(x, "float64"), value)


@given(st.sampled_from(sorted(set(ALL_FLOATS) - {"float8_e8m0fnu"})), st.data())
def test_a_rational_goes_to_the_nearest_value_and_a_tie_to_the_even_pattern(dtype: str, draw: st.DataObject) -> None:
    """Between two neighbours of the format, and beyond its largest by up to half a unit."""
    top = bits.encode(dtype, bits.largest_finite(dtype))
    lower = draw.draw(st.one_of(st.integers(0, top), st.just(top)))
    below = Fraction(bits.decode(dtype, lower))
    above = (
        Fraction(bits.decode(dtype, lower + 1)) if lower < top else 2 * below - Fraction(bits.decode(dtype, top - 1))
    )
    share = draw.draw(st.one_of(st.just(Fraction(1, 2)), st.fractions(0, 1)))
    if lower == top and share >= Fraction(1, 2):
        return
    nearest = lower + (share > Fraction(1, 2) or (share == Fraction(1, 2) and lower & 1))
    assert bits.encode(dtype, below + share * (above - below)) == nearest


@given(st.sampled_from(ALL_FLOATS), st.floats(allow_nan=False))
def test_rounding_is_the_exact_one(dtype: str, x: float) -> None:
    assert same(rounder(dtype)(x), bits.decode(dtype, bits.encode(dtype, x)))


@given(st.data(), st.sampled_from(["float64", "float32", "bfloat16", "float16", "float8_e5m2"]))
def test_fma_rounds_once(data: st.DataObject, dtype: str) -> None:
    a, b, c = (data.draw(values(dtype)) for _ in range(3))
    mine = IEEE.at(dtype).fma(a, b, c)
    if all(map(math.isfinite, (a, b, c))):
        exact = Fraction(a) * Fraction(b) + Fraction(c)
        assert mine == bits.decode(dtype, bits.encode(dtype, exact)) or exact == 0 == mine


@given(st.integers(-(1 << 64), 1 << 64), st.sampled_from(ALL_FLOATS))
def test_integers_become_floats_with_one_rounding(n: int, dtype: str) -> None:
    wide = min(max(n, -(1 << 63)), (1 << 63) - 1)
    mine, theirs = IEEE.at(dtype).cast(wide, "int64"), bits.decode(dtype, bits.encode(dtype, Fraction(wide)))
    assert same(mine, theirs) or mine == theirs == 0


# --- elementary functions --------------------------------------------------------------------------------------------

HIGH: dict[str, Any] = {
    "exp2": lambda x: mpmath.power(2, x), "exp10": lambda x: mpmath.power(10, x),
    "log2": lambda x: mpmath.log(x, 2), "rsqrt": lambda x: 1 / mpmath.sqrt(x),
    "sigmoid": lambda x: 1 / (1 + mpmath.exp(-x)),
}  # fmt: skip


def high_precision(name: str, x: float) -> Fraction | None:
    """The value to some 600 bits by mpmath's own high-level functions, or ``None`` where it is not real."""
    if x == 0 and name == "rsqrt":
        return None
    with mpmath.workprec(2400 if 0 < abs(x) < 1e-200 else 700):
        value = HIGH.get(name, getattr(mpmath, name, None))(mpmath.mpf(x))
        if isinstance(value, mpmath.mpc) or not mpmath.isfinite(value):
            return None
        sign, mantissa, exponent, _ = value._mpf_
    exact = Fraction(mantissa) * Fraction(2) ** exponent if exponent > -3000 else Fraction(0)
    return -exact if sign else exact


ELEMENTARY = [n for n in MATH if n not in ("floor", "ceil", "round", "trunc", "abs", "sign", "square")]


@pytest.mark.parametrize("name", ELEMENTARY)
def test_elementary_functions_are_correctly_rounded(name: str) -> None:
    draw = random.Random(name)
    for dtype, count in (("float64", 12), ("float32", 40), ("bfloat16", 40), ("float16", 40), ("float8_e5m2", 40)):
        f = IEEE.at(dtype)
        for _ in range(count):
            x = f.lit(draw.uniform(-2, 2) * 2.0 ** draw.choice((-40, -6, -1, 0, 0, 1, 3, 5)))
            mine = f.math(name)(x)
            exact = high_precision(name, x) if math.isfinite(x) else None
            if exact is None or exact == 0:
                continue
            assert mine == bits.decode(dtype, bits.encode(dtype, exact)), (name, dtype, x)


@pytest.mark.nightly
@pytest.mark.parametrize("name", ELEMENTARY)
def test_elementary_functions_are_correctly_rounded_for_every_float16(name: str) -> None:
    f = IEEE.at("float16")
    for pattern in range(1 << 16):
        x = f.from_bits(pattern)
        exact = high_precision(name, x) if math.isfinite(x) else None
        if exact:
            assert f.math(name)(x) == bits.decode("float16", bits.encode("float16", exact)), (name, x)


def test_exact_ties_of_powers_go_to_even() -> None:
    f = IEEE.at("float64")
    assert f.math("exp10")(23.0) == float(10**23)  # 5**23 has 54 bits: a tie
    x = 2.0**26 + 1.0
    assert f.math2("pow")(x, 3.0) == float(Fraction(x) ** 3)
    assert IEEE.at("float8_e5m2").math("log2")(512.0) == 8.0  # 9 lies between 8 and 10
    g = IEEE.at("float32")
    assert g.math2("pow")(4097.0, 2.0) == float(np.float32(4097.0**2))


@given(values("float64"), values("float64"))
def test_pow_atan2_hypot_follow_the_c_library_within_an_ulp(x: float, y: float) -> None:
    f = IEEE.at("float64")
    for name, theirs in (("pow", math.pow), ("atan2", math.atan2), ("hypot", math.hypot)):
        mine = f.math2(name)(x, y)
        try:
            value = theirs(x, y)
        except (ValueError, OverflowError):
            assert math.isinf(mine) or math.isnan(mine)
            continue
        assert same(mine, value) or abs(mine - value) <= math.ulp(value), (name, x, y, mine, value)


@pytest.mark.parametrize("dtype", FLOATS)
def test_special_values(dtype: str) -> None:
    f = IEEE.at(dtype)
    assert set(AT_ENDS) == set(MATH)
    assert set(PRECISE) == {name for name, f in FUNCTIONS.items() if not f.exact}
    infinite = bits.FORMATS[dtype].specials == "ieee"
    for name, results in AT_ENDS.items():
        for x, expected in zip((-math.inf, -0.0, 0.0, math.inf), results, strict=True):
            if math.isfinite(x) or infinite:
                assert same(f.math(name)(x), f.cast(expected, "float64")), (name, x)
        if bits.FORMATS[dtype].specials != "none":
            result = f.math(name)(math.nan)
            assert result != result


SPECIAL2 = [
    ("pow", math.nan, 0.0, 1.0), ("pow", 1.0, math.nan, 1.0), ("pow", -0.0, -3.0, -math.inf),
    ("pow", 0.0, -2.0, math.inf),
    ("pow", -0.0, 3.0, -0.0), ("pow", -2.0, 0.5, math.nan), ("pow", -1.0, math.inf, 1.0),
    ("pow", 0.5, -math.inf, math.inf),
    ("pow", -math.inf, 3.0, -math.inf), ("pow", 2.0, 5000.0, math.inf), ("pow", -2.0, -5001.0, -0.0),
    ("pow", -1.0, 0.5, math.nan), ("pow", -1.0, 3.0, -1.0), ("hypot", math.inf, math.nan, math.inf),
    ("hypot", math.nan, 1.0, math.nan), ("atan2", 0.0, -0.0, math.pi), ("atan2", -0.0, -0.0, -math.pi),
    ("atan2", -0.0, 1.0, -0.0), ("atan2", math.inf, -math.inf, 3 * math.pi / 4), ("atan2", 1.0, 0.0, math.pi / 2),
    ("fmod", math.inf, 1.0, math.nan), ("fmod", 1.0, 0.0, math.nan), ("fmod", -5.5, 2.0, -1.5),
    ("fmod", 1.0, math.inf, 1.0),
    ("copysign", 3.0, -0.0, -3.0), ("nextafter", 0.0, -1.0, -5e-324),
]  # fmt: skip


@pytest.mark.parametrize(("name", "x", "y", "expected"), SPECIAL2)
def test_special_values_of_two_arguments(name: str, x: float, y: float, expected: float) -> None:
    assert same(IEEE.at("float64").math2(name)(x, y), expected)


@given(st.sampled_from([d for d in FLOATS if d != "float64"]), st.data())
def test_step_goes_to_the_neighbour(dtype: str, data: st.DataObject) -> None:
    x = data.draw(values(dtype))
    if isinstance(x, float) and math.isfinite(x) and x != 0:
        above = step(dtype, x, True)
        if isinstance(above, float) and math.isfinite(above) and above != x:
            assert above > x
            assert same(step(dtype, above, False), x) or above == 0
            assert rounder(dtype)((x + above) / 2) in (x, above)


def test_extremes_and_signs() -> None:
    f = IEEE.at("float32")
    assert same(f.maximum(-0.0, 0.0), 0.0)
    assert same(f.minimum(0.0, -0.0), -0.0)
    assert same(f.maximum(math.nan, 1.0), math.nan)
    assert same(f.reduce("maximum", [1.0, math.nan, 3.0]), math.nan)
    assert same(f.div(1.0, -0.0), -math.inf)
    assert same(f.div(0.0, 0.0), math.nan)
    assert same(f.floordiv(-7.0, 2.0), -4.0)
    assert same(f.floormod(-7.0, 2.0), 1.0)
    assert same(f.mod(-7.0, 2.0), -1.0)
    assert [f.math("round")(x) for x in (0.5, 1.5, 2.5, -0.5)] == [0.0, 2.0, 2.0, 0.0]
    assert f.not_equal(math.nan, math.nan) is TRUE
    assert f.equal(0.0, -0.0) is TRUE
    assert f.less(math.nan, 1.0) is FALSE


def test_reductions_follow_the_defined_order() -> None:
    f = IEEE.at("float16")
    assert f.reduce("add", [1.0] * 5000) == 2048.0  # stalls where float16 stops counting
    assert f.reduce("add", [1.0] * 5000, "float32") == 5000.0
    assert f.reduce("add", []) == 0.0
    assert f.reduce("mul", []) == 1.0
    assert f.reduce("minimum", []).rule == "num/empty-reduction"
    assert f.argreduce("maximum", [1.0, 3.0, 3.0]) == 1
    assert f.argreduce("maximum", [1.0, math.nan, 3.0]) == 1
    assert f.order([2.0, math.nan, 1.0, 2.0], True)[1] == [0, 3, 2, 1]
    assert f.argreduce("maximum", []).rule == "num/empty-reduction"


# --- integers --------------------------------------------------------------------------------------------------------

C_TYPES = {f"{u}int{w}": getattr(ctypes, f"c_{u}int{w}") for u in ("", "u") for w in (8, 16, 32, 64)}


@given(st.sampled_from(sorted(C_TYPES)), st.data())
def test_integers_wrap_as_machine_words(dtype: str, data: st.DataObject) -> None:
    c, f = C_TYPES[dtype], IEEE.at(dtype)
    a, b = (c(data.draw(st.one_of(st.integers(-200, 200), st.integers(-(1 << 64), 1 << 64)))).value for _ in range(2))
    assert f.add(a, b) == c(a + b).value
    assert f.sub(a, b) == c(a - b).value
    assert f.mul(a, b) == c(a * b).value
    assert f.neg(a) == c(-a).value
    assert f.bit_not(a) == c(~a).value
    assert f.bit_xor(a, b) == c(a ^ b).value
    assert f.cast(a, "int64") == c(a).value
    assert f.shift_left(a, 3) == c(a << 3).value
    assert f.shift_right(a, 3) == a >> 3
    assert f.from_bits(f.to_bits(a)) == a
    if b:
        assert f.floordiv(a, b) == c(a // b).value
        assert f.floormod(a, b) == a % b
        assert f.div(a, b) == c(int(Fraction(a, b))).value
        assert f.mod(a, b) == a - b * int(Fraction(a, b))


@given(st.integers(1, 64), st.booleans(), st.integers(-(1 << 70), 1 << 70))
def test_every_width_wraps_modulo_its_power_of_two(width: int, signed: bool, value: int) -> None:
    f = IEEE.at(f"{'' if signed else 'u'}int{width}")
    wrapped = f.lit(value)
    assert (wrapped - value) % (1 << width) == 0
    assert (-(1 << (width - 1)) if signed else 0) <= wrapped < (1 << (width - int(signed)))
    assert f.popcount(wrapped) == f.lit(bin(value % (1 << width)).count("1"))


def test_open_integer_operations() -> None:
    f = IEEE.at("int8")
    assert f.shift_left(1, 8).rule == "num/shift-range"
    assert f.shift_right(1, -1).rule == "num/shift-range"
    assert f.cast(127.9, "float32") == 127
    assert f.cast(128.0, "float32").rule == "num/cast-range"
    assert f.cast(math.nan, "float32").rule == "num/cast-range"
    assert f.math2("pow")(2, -1).rule == "num/negative-power"
    assert f.math2("pow")(3, 5) == -13
    assert f.clz(0).rule == "num/clz-of-zero"
    assert f.clz(1) == 7
    assert IEEE.at("bool").cast(math.nan, "float32") is TRUE
    for name in ("div", "mod", "floordiv", "floormod"):
        with pytest.raises(Ended) as ended:
            getattr(f, name)(1, 0)
        assert ended.value.outcome.rule == "num/int-division-by-zero"


def test_bools_are_connectives() -> None:
    f = IEEE.at("bool")
    assert f.add(TRUE, TRUE) is TRUE
    assert f.mul(TRUE, FALSE) is FALSE
    assert f.reduce("and", []) is TRUE
    assert f.reduce("or", []) is FALSE
    assert f.bit_xor(TRUE, TRUE) is FALSE
    assert f.less(FALSE, TRUE) is TRUE
    assert f.order([TRUE, FALSE, TRUE])[1] == [1, 0, 2]
    assert IEEE.at("int32").cast(TRUE, "bool") == 1


def test_truths_and_poison_are_opaque() -> None:
    for use in (bool, lambda t: t < t, lambda t: [1, 2][t]):
        with pytest.raises(InternalError):
            use(TRUE)
        with pytest.raises(InternalError):
            use(IEEE.at("int8").shift_left(1, 9))
    with pytest.raises(InternalError):
        TRUE == FALSE
    with pytest.raises(InternalError):
        IEEE.at("float32").add(TRUE, 1.0)


def test_reinterpret_keeps_bits() -> None:
    assert IEEE.at("int32").reinterpret(1.0, "float32") == 0x3F800000
    assert IEEE.at("float16").reinterpret(0x3C00, "uint16") == 1.0
    assert IEEE.at("uint32").reinterpret(math.nan, "float32") == 0x7FC00000
