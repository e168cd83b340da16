"""Elementwise operators: one nest, one store, operands broadcast by index."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction

from refrelax.lower.legalize.kernel import Array
from refrelax.lower.legalize.scalars import (
    Scalar,
    cast,
    function,
    greatest,
    least,
    lit,
    maximum,
    minimum,
    select,
)
from refrelax.lower.legalize.site import Site, Unfit
from refrelax.semantics.ops import attributes as A
from refrelax.syntax import bits, dtypes
from refrelax.syntax.scalars import Binary, Literal

Legalizer = Callable[[Site], None]
One = Callable[[Scalar], Scalar]
Two = Callable[[Scalar, Scalar], Scalar]

# --- one operand -----------------------------------------------------------------------------------------------------


def _kind(x: Scalar) -> str:
    return dtypes.kind(x.dtype)


def _math(name: str) -> One:
    return lambda x: function(name, x)


def _rounding(name: str) -> One:
    """The identity on integers."""
    return lambda x: function(name, x) if _kind(x) == "float" else x


def _abs(x: Scalar) -> Scalar:
    match _kind(x):
        case "float":
            return function("fabs", x)
        case "int":
            return select(x < 0, lit(x.dtype, 0) - x, x)
        case _:
            return x


def _negative(x: Scalar) -> Scalar:
    """A float times -1, which is exact and keeps the sign of zero."""
    match _kind(x):
        case "float":
            return x * -1
        case "bool":
            return x
        case _:
            return lit(x.dtype, 0) - x


def _sign(x: Scalar) -> Scalar:
    """1, -1, +0 for both zeros, and NaN as it is."""
    if _kind(x) == "bool":
        return x
    if x.dtype == "float8_e8m0fnu":  # has neither zero nor negatives
        return select(x.equals(x), lit(x.dtype, 1), x)
    zero = select(x.equals(0), lit(x.dtype, 0), x) if _kind(x) == "float" else x
    minus = x if _kind(x) == "uint" else select(x < 0, lit(x.dtype, -1), zero)
    return select(x > 0, lit(x.dtype, 1), minus)


def _square(x: Scalar) -> Scalar:
    return x if _kind(x) == "bool" else x * x


def _logical_not(x: Scalar) -> Scalar:
    return ~x if _kind(x) == "bool" else select(x.equals(0), lit(x.dtype, 1), lit(x.dtype, 0))


def _bitwise_not(x: Scalar) -> Scalar:
    return ~x if _kind(x) == "bool" else function("bitwise_not", x)


def _relu(x: Scalar) -> Scalar:
    return maximum(x, 0)


def _silu(x: Scalar) -> Scalar:
    return x * function("sigmoid", x)


HALF = Fraction(1, 2)
ROOT_HALF = Fraction(6369051672525773, 2**53)
"""sqrt(1/2), rounded to binary64."""

ROOT_TWO_OVER_PI = Fraction(7186705221432913, 2**53)
"""sqrt(2/pi), rounded to binary64."""

SELU = (Fraction("1.0507009873554804934193349852946"), Fraction("1.6732632423543772848170429916717"))
"""Scale and alpha."""


def _gelu(x: Scalar) -> Scalar:
    return x * (lit(x.dtype, HALF) + function("erf", x * ROOT_HALF) * HALF)


def _gelu_tanh(x: Scalar) -> Scalar:
    cubic = lit(x.dtype, 1) + lit(x.dtype, Fraction(44715, 10**6)) * (x * x)
    return (lit(x.dtype, HALF) * x) * (lit(x.dtype, 1) + function("tanh", lit(x.dtype, ROOT_TWO_OVER_PI) * x * cubic))


def _selu(x: Scalar) -> Scalar:
    scale, alpha = (lit(x.dtype, each) for each in SELU)
    return scale * select(x > 0, x, alpha * (function("exp", x) - 1))


def _one(f: One) -> Legalizer:
    def legalize(s: Site) -> None:
        x = s.array(0)
        s.k.compute(s.out, lambda *i: f(x[i]))

    return legalize


def _check(name: str, of_integer: bool) -> Legalizer:
    def legalize(s: Site) -> None:
        x = s.array(0)
        if dtypes.is_float(x.dtype):
            s.k.compute(s.out, lambda *i: function(name, x[i], dtype="bool"))
        else:
            s.k.compute(s.out, lambda *_: lit("bool", of_integer))

    return legalize


def _astype(s: Site) -> None:
    x = s.array(0)
    s.k.compute(s.out, lambda *i: cast(s.out.dtype, x[i]))


def _leakyrelu(s: Site) -> None:
    x, alpha = s.array(0), A.real(s.call, "alpha")
    s.k.compute(s.out, lambda *i: select(x[i] > 0, x[i], x[i] * alpha))


def _softplus(s: Site) -> None:
    x, dtype = s.array(0), s.out.dtype
    beta, threshold = lit(dtype, A.real(s.call, "beta")), lit(dtype, A.real(s.call, "threshold"))

    def element(a: Scalar) -> Scalar:
        scaled = beta * a
        return select(threshold < scaled, a, function("log1p", function("exp", scaled)).over(beta))

    s.k.compute(s.out, lambda *i: element(x[i]))


def _prelu(s: Site) -> None:
    x, alpha = s.array(0), s.array(1)
    axis = A.integer(s.call, "axis") % x.ndim
    if alpha.ndim != 1:
        raise Unfit("alpha is no vector")
    s.k.compute(s.out, lambda *i: select(x[i] > 0, x[i], x[i] * s.spread(alpha, [i[axis]], [x.dims[axis]])))


# --- two operands ----------------------------------------------------------------------------------------------------


def promote(a: str, b: str) -> str:
    """The dtype in which two meet: bool gives way, then integers, then the narrower, then the signed."""
    order = {"bool": 0, "int": 1, "uint": 1, "float": 2}

    def rank(dtype: str) -> tuple[int, int, int]:
        return order[dtypes.kind(dtype)], dtypes.bits(dtype), int(dtypes.kind(dtype) == "uint")

    return a if rank(a) >= rank(b) else b


def operand(s: Site, position: int) -> Array:
    """A tensor operand; a scalar counts as a tensor of shape ``(1,)``."""
    found = s.a[position]
    if isinstance(found, Scalar):
        return Array("", (), found.dtype, found)
    return s.array(position)


def _small(f: Two) -> Two:
    """On bool: of 0 and 1, and whether the result is not 0."""
    return lambda a, b: f(cast("uint8", a), cast("uint8", b)).differs(0) if a.dtype == "bool" else f(a, b)


def _compared(f: Two) -> Two:
    """On bool: of 0 and 1."""
    return lambda a, b: f(cast("uint8", a), cast("uint8", b)) if a.dtype == "bool" else f(a, b)


def _floor_divide(a: Scalar, b: Scalar) -> Scalar:
    return function("floor", a.over(b)) if _kind(a) == "float" else a // b


def _floor_mod(a: Scalar, b: Scalar) -> Scalar:
    return a - function("floor", a.over(b)) * b if _kind(a) == "float" else a % b


def _mod(a: Scalar, b: Scalar) -> Scalar:
    return function("fmod", a, b) if _kind(a) == "float" else Scalar(Binary("Mod", a.node, b.node))


def _logical(connect: Two) -> Two:
    """A number counts as ``!= 0``, and the truth as 1 or 0."""

    def apply(a: Scalar, b: Scalar) -> Scalar:
        if a.dtype == "bool":
            return connect(a, b)
        return select(connect(a.differs(0), b.differs(0)), lit(a.dtype, 1), lit(a.dtype, 0))

    return apply


def _exclusive(a: Scalar, b: Scalar) -> Scalar:
    return function("bitwise_xor", a, b)


def _power(a: Scalar, b: Scalar) -> Scalar:
    match _kind(a):
        case "float":
            return function("pow", a, b)
        case "bool":
            return a | ~b
        case _:
            raise Unfit("an integer power is a loop of its own")


def _log_add_exp(a: Scalar, b: Scalar) -> Scalar:
    if _kind(a) != "float":
        raise Unfit("reals only")
    log2 = function("log", lit(a.dtype, 2))
    apart = maximum(a, b) + function("log1p", function("exp", function("fabs", a - b) * -1))
    return select(a.equals(b), a + log2, apart)


def _atan2(a: Scalar, b: Scalar) -> Scalar:
    if _kind(a) != "float":
        raise Unfit("reals only")
    return function("atan2", a, b)


def _intrinsic(name: str) -> Two:
    return lambda a, b: function(name, a, b)


def _two(f: Two) -> Legalizer:
    """Both operands at the dtype in which they meet; the result at that of ``out``."""

    def legalize(s: Site) -> None:
        a, b = operand(s, 0), operand(s, 1)
        meeting = promote(a.dtype, b.dtype)

        def element(*i: Scalar) -> Scalar:
            x, y = (cast(meeting, s.spread(each, i, s.out.dims)) for each in (a, b))
            return _to(s.out.dtype, f(x, y))

        s.k.compute(s.out, element)

    return legalize


def _to(dtype: str, x: Scalar) -> Scalar:
    return x.differs(0) if dtype == "bool" and x.dtype != "bool" else cast(dtype, x)


# --- three operands --------------------------------------------------------------------------------------------------


def _where(s: Site) -> None:
    condition, a, b = s.array(0), s.array(1), s.array(2)
    meeting = promote(a.dtype, b.dtype)

    def element(*i: Scalar) -> Scalar:
        c, x, y = (s.spread(each, i, s.out.dims) for each in (condition, a, b))
        return _to(s.out.dtype, select(c, cast(meeting, x), cast(meeting, y)))

    s.k.compute(s.out, element)


def _clip(s: Site) -> None:
    x = s.array(0)
    if x.dtype == "bool":
        raise Unfit("bounds of truths")
    low, high = (number_at(x.dtype, s.scalar(k)) for k in (1, 2))
    s.k.compute(s.out, lambda *i: maximum(minimum(x[i], high), low))


def number_at(dtype: str, value: Scalar) -> Scalar:
    """A scalar as a number of ``dtype``, rounded once."""
    if isinstance(value.node, Literal):
        number = bits.literal_value(value.node)
        if isinstance(number, float) and not dtypes.is_float(dtype):
            if number != number or abs(number) == float("inf"):
                return least(dtype) if number < 0 else greatest(dtype)
            number = int(number)
        return lit(dtype, number)
    return cast(dtype, value)


def _fma(s: Site) -> None:
    a, b, c = (s.array(k) for k in range(3))
    s.k.compute(s.out, lambda *i: a[i] * b[i] + c[i])


ONE: Mapping[str, One] = {
    "relax.abs": _abs,
    "relax.negative": _negative,
    "relax.sign": _sign,
    "relax.square": _square,
    "relax.floor": _rounding("floor"),
    "relax.ceil": _rounding("ceil"),
    "relax.round": _rounding("nearbyint"),
    "relax.trunc": _rounding("trunc"),
    "relax.logical_not": _logical_not,
    "relax.bitwise_not": _bitwise_not,
    **{
        f"relax.{name}": _math(name)
        for name in (
            "exp", "log", "sqrt", "rsqrt", "sigmoid", "erf", "sin", "cos", "tan", "sinh", "cosh", "tanh",
            "asin", "acos", "atan", "asinh", "acosh", "atanh",
        )
    },
    "relax.nn.relu": _relu,
    "relax.nn.silu": _silu,
    "relax.nn.gelu": _gelu,
    "relax.nn.gelu_tanh": _gelu_tanh,
    "relax.nn.selu": _selu,
}  # fmt: skip

TWO: Mapping[str, Two] = {
    "relax.add": _small(lambda a, b: a + b),
    "relax.subtract": _small(lambda a, b: a - b),
    "relax.multiply": _small(lambda a, b: a * b),
    "relax.divide": _small(lambda a, b: a.over(b)),
    "relax.floor_divide": _small(_floor_divide),
    "relax.mod": _small(_mod),
    "relax.floor_mod": _small(_floor_mod),
    "relax.maximum": _small(maximum),
    "relax.minimum": _small(minimum),
    "relax.power": _power,
    "relax.atan2": _atan2,
    "relax.log_add_exp": _log_add_exp,
    "relax.equal": _compared(lambda a, b: a.equals(b)),
    "relax.not_equal": _compared(lambda a, b: a.differs(b)),
    "relax.less": _compared(lambda a, b: a < b),
    "relax.less_equal": _compared(lambda a, b: a <= b),
    "relax.greater": _compared(lambda a, b: a > b),
    "relax.greater_equal": _compared(lambda a, b: a >= b),
    "relax.logical_and": _logical(lambda a, b: a & b),
    "relax.logical_or": _logical(lambda a, b: a | b),
    "relax.logical_xor": _logical(_exclusive),
    "relax.bitwise_and": _intrinsic("bitwise_and"),
    "relax.bitwise_or": _intrinsic("bitwise_or"),
    "relax.bitwise_xor": _intrinsic("bitwise_xor"),
    "relax.left_shift": _intrinsic("shift_left"),
    "relax.right_shift": _intrinsic("shift_right"),
}

ELEMENTWISE: Mapping[str, Legalizer] = {
    **{name: _one(f) for name, f in ONE.items()},
    **{name: _two(f) for name, f in TWO.items()},
    "relax.isnan": _check("isnan", False),
    "relax.isinf": _check("isinf", False),
    "relax.isfinite": _check("isfinite", True),
    "relax.astype": _astype,
    "relax.wrap_param": _astype,
    "relax.nn.leakyrelu": _leakyrelu,
    "relax.nn.softplus": _softplus,
    "relax.nn.prelu": _prelu,
    "relax.where": _where,
    "relax.clip": _clip,
    "relax.ewise_fma": _fma,
}
