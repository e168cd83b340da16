"""An implementation that is more accurate than the definition is never wrong: the exact result, rounded once, is
permitted by every elementwise operator and activation, at every float dtype."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import refrelax as rr
from refrelax.running.arrays import pack
from refrelax.syntax import bits
from refrelax.testing.corners import corners

CONTEXT = mpmath.mp.clone()
CONTEXT.prec = 400
M: Any = CONTEXT
SCALE, ALPHA = M.mpf("1.0507009873554804934193349852946"), M.mpf("1.6732632423543772848170429916717")
FLOATS = ("float32", "float64", "float16", "bfloat16", "float8_e5m2", "float8_e4m3")


def _gelu_tanh(x: Any) -> Any:
    return x * (1 + M.tanh(M.sqrt(2 / M.pi) * (x + M.mpf(44715) / 10**6 * x**3))) / 2


def _exactly(x: Fraction) -> Any:
    return M.mpf(x.numerator) / x.denominator


UNARY: dict[str, Any] = {
    "R.nn.silu(x)": lambda x: x / (1 + M.exp(-x)),
    "R.nn.gelu(x)": lambda x: x * M.erfc(-x / M.sqrt(2)) / 2,
    "R.nn.gelu_tanh(x)": _gelu_tanh,
    "R.nn.selu(x)": lambda x: SCALE * (x if x > 0 else ALPHA * M.expm1(x)),
    "R.nn.softplus(x)": lambda x: x if x > 20 else M.log1p(M.exp(x)),
    "R.nn.softplus(x, 0.3, 5.0)": lambda x: x if x * M.mpf(0.3) > 5 else M.log1p(M.exp(M.mpf(0.3) * x)) / M.mpf(0.3),
    "R.nn.leakyrelu(x, 0.01)": lambda x: x if x > 0 else x * M.mpf(0.01),
    "R.nn.relu(x)": lambda x: max(x, M.mpf(0)),
    "R.sigmoid(x)": lambda x: 1 / (1 + M.exp(-x)), "R.tanh(x)": M.tanh, "R.exp(x)": M.exp, "R.erf(x)": M.erf,
    "R.sin(x)": M.sin, "R.cos(x)": M.cos, "R.tan(x)": M.tan, "R.atan(x)": M.atan, "R.asinh(x)": M.asinh,
    "R.sinh(x)": M.sinh, "R.cosh(x)": M.cosh, "R.square(x)": lambda x: x * x,
}  # fmt: skip
BINARY: dict[str, Any] = {
    "R.log_add_exp(x, y)": lambda a, b: max(a, b) + M.log1p(M.exp(-abs(a - b))),
    "R.floor_divide(x, y)": lambda a, b: M.floor(a / b),
    "R.floor_mod(x, y)": lambda a, b: _exactly(Fraction(float(a)) % Fraction(float(b))),
    "R.divide(x, y)": lambda a, b: a / b, "R.multiply(x, y)": lambda a, b: a * b, "R.atan2(x, y)": M.atan2,
}  # fmt: skip


def wide(call: str, dtype: str, *columns: list[float]) -> Any:
    head = ", ".join(f'{n}: R.Tensor(({len(columns[0])},), "{dtype}")' for n, _ in zip("xy", columns, strict=False))
    text = (
        f"@I.ir_module\nclass Module:\n    @R.function\n    def main({head}):\n        gv = {call}\n        return gv\n"
    )
    args = [rr.Tensor.of_bytes(dtype, (len(c),), pack(dtype, [bits.encode(dtype, x) for x in c])) for c in columns]
    out = rr.run(rr.check(rr.parse(text)), "main", *args, numerics="enclosure")
    assert isinstance(out, rr.Returned), out
    return out.value


def once(dtype: str, value: Any) -> float:
    """A number of mpmath in ``dtype``, rounded once."""
    sign, mantissa, exponent, _ = value._mpf_
    if not mantissa:
        return 0.0
    if exponent + mantissa.bit_length() < -3000:
        return bits.decode(dtype, bits.encode(dtype, Fraction((-1) ** sign, 1 << 3000)))
    if exponent > 5000:
        return bits.decode(dtype, bits.encode(dtype, math.copysign(math.inf, 0.5 - sign)))
    exact = Fraction(int(mantissa)) * Fraction(2) ** exponent * (-1) ** sign
    return bits.decode(dtype, bits.encode(dtype, exact))


def outside(call: str, dtype: str, function: Any, *columns: list[float]) -> list[Any]:
    permitted = wide(call, dtype, *columns)
    best = [once(dtype, function(*map(M.mpf, each))) for each in zip(*columns, strict=True)]
    ends = zip(permitted.lo, best, permitted.hi, permitted.core.payloads(), strict=True)
    return [(c, low, x, high) for c, (low, x, high, held) in zip(zip(*columns, strict=True), ends, strict=True)
            if x == x and not getattr(held, "rule", None) and not (low is not None and low <= x <= high)]  # fmt: skip


def finite(dtype: str, limit: float = 700.0) -> list[float]:
    return [v for p in corners(dtype) if abs(v := bits.decode(dtype, p)) < limit]


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("call", UNARY)
def test_at_corners(call: str, dtype: str) -> None:
    assert not outside(call, dtype, UNARY[call], finite(dtype))


def numbers(dtype: str) -> st.SearchStrategy[float]:
    return st.floats(-30, 30).map(lambda x: bits.decode(dtype, bits.encode(dtype, x)))


@settings(max_examples=25, deadline=None)
@given(st.data(), st.sampled_from(sorted(UNARY)), st.sampled_from(FLOATS))
def test_of_one_argument(data: st.DataObject, call: str, dtype: str) -> None:
    columns = data.draw(st.lists(numbers(dtype), min_size=20, max_size=20))
    assert not outside(call, dtype, UNARY[call], columns)


@settings(max_examples=15, deadline=None)
@given(st.data(), st.sampled_from(sorted(BINARY)), st.sampled_from(FLOATS))
def test_of_two_arguments(data: st.DataObject, call: str, dtype: str) -> None:
    first = data.draw(st.lists(numbers(dtype), min_size=10, max_size=10))
    second = data.draw(st.lists(numbers(dtype).filter(bool), min_size=10, max_size=10))
    assert not outside(call, dtype, BINARY[call], first, second)


@settings(max_examples=15, deadline=None)
@given(st.data(), st.booleans(), st.sampled_from(FLOATS[:4]))
def test_of_lines(data: st.DataObject, log: bool, dtype: str) -> None:
    """``softmax`` and ``log_softmax``."""
    line = data.draw(st.lists(numbers(dtype), min_size=2, max_size=6))
    permitted = wide(f"R.nn.{'log_' if log else ''}softmax(x)", dtype, line)
    top = max(map(M.mpf, line))
    total = sum(M.exp(M.mpf(x) - top) for x in line)
    for x, low, high in zip(line, permitted.lo, permitted.hi, strict=True):
        d = M.mpf(x) - top
        best = once(dtype, d - M.log(total) if log else M.exp(d) / total)
        assert low <= best <= high, (x, low, best, high)


@pytest.mark.parametrize(("count", "value"), [(3, 65504.0), (100, 60000.0), (200, -60000.0)])
def test_a_mean_whose_sum_overflows(count: int, value: float) -> None:
    """The sum overflows float16, the mean does not; no sum of numbers of one sign has the other sign."""
    permitted = wide("R.mean(x)", "float16", [value] * count)
    assert permitted.contains(rr.Tensor.of(value, "float16"))
    assert permitted.contains(rr.Tensor.of(math.copysign(math.inf, value), "float16"))
    assert not permitted.contains(rr.Tensor.of(-value, "float16"))
