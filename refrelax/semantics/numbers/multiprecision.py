"""The one file that knows mpmath: elementary functions of exact arguments to any relative precision.

Each function takes numbers of ``mpmath.libmp`` (tuples, no global precision) and a precision ``p`` and is off by less
than ``2**-p`` of its value. Intermediate steps carry ``GUARD`` bits more, which covers the cancellations that an
argument of at most 53 bits can cause; functions that cancel near zero ask for as many bits as the argument is small.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from mpmath import libmp

Mpf = tuple[int, int, int, int]
"""Sign, mantissa, exponent, bit count, as ``mpmath.libmp`` keeps a number."""

GUARD = 130


def number(x: float) -> Mpf:
    """A finite double, exactly."""
    return libmp.from_float(x)  # type: ignore[no-any-return]


def dyadic(mantissa: int, exponent: int) -> Mpf:
    """``mantissa * 2**exponent``, exactly."""
    return libmp.from_man_exp(mantissa, exponent)  # type: ignore[no-any-return]


def parts(x: Mpf) -> tuple[int, int, int]:
    """Sign (0 or 1), mantissa and exponent of a finite number."""
    return int(x[0]), int(x[1]), int(x[2])


def _smallness(x: Mpf) -> int:
    """How many bits below one the leading bit of ``x`` lies."""
    return max(0, -(x[2] + x[3]))


def _plain(function: Callable[..., Any]) -> Callable[[Mpf, int], Mpf]:
    return lambda x, p: function(x, p + GUARD + _smallness(x), "n")


def _expm1(x: Mpf, p: int) -> Mpf:
    wide = p + GUARD + _smallness(x)
    return libmp.mpf_sub(libmp.mpf_exp(x, wide, "n"), libmp.fone, wide, "n")  # type: ignore[no-any-return]


def _log1p(x: Mpf, p: int) -> Mpf:
    wide = p + GUARD + _smallness(x)
    return libmp.mpf_log(libmp.mpf_add(libmp.fone, x), wide, "n")  # type: ignore[no-any-return]


def _log_of(base: int) -> Callable[[Mpf, int], Mpf]:
    def log(x: Mpf, p: int) -> Mpf:
        wide = p + GUARD
        return libmp.mpf_div(  # type: ignore[no-any-return]
            libmp.mpf_log(x, wide, "n"), libmp.mpf_log(libmp.from_int(base), wide, "n"), wide, "n"
        )

    return log


def _power_of(base: int) -> Callable[[Mpf, int], Mpf]:
    return lambda x, p: libmp.mpf_pow(libmp.from_int(base), x, p + GUARD, "n")


def _rsqrt(x: Mpf, p: int) -> Mpf:
    wide = p + GUARD
    return libmp.mpf_div(libmp.fone, libmp.mpf_sqrt(x, wide, "n"), wide, "n")  # type: ignore[no-any-return]


def _sigmoid(x: Mpf, p: int) -> Mpf:
    wide = p + GUARD
    grown = libmp.mpf_exp(libmp.mpf_neg(x), wide, "n")
    return libmp.mpf_div(libmp.fone, libmp.mpf_add(libmp.fone, grown, wide, "n"), wide, "n")  # type: ignore[no-any-return]


UNARY: dict[str, Callable[[Mpf, int], Mpf]] = {
    "exp": _plain(libmp.mpf_exp), "exp2": _power_of(2), "exp10": _power_of(10), "expm1": _expm1,
    "log": _plain(libmp.mpf_log), "log2": _log_of(2), "log10": _log_of(10), "log1p": _log1p,
    "sqrt": _plain(libmp.mpf_sqrt), "rsqrt": _rsqrt, "tanh": _plain(libmp.mpf_tanh), "sigmoid": _sigmoid,
    "erf": _plain(libmp.mpf_erf),
    "sin": _plain(libmp.mpf_sin), "cos": _plain(libmp.mpf_cos), "tan": _plain(libmp.mpf_tan),
    "sinh": _plain(libmp.mpf_sinh), "cosh": _plain(libmp.mpf_cosh),
    "asin": _plain(libmp.mpf_asin), "acos": _plain(libmp.mpf_acos), "atan": _plain(libmp.mpf_atan),
    "asinh": _plain(libmp.mpf_asinh), "acosh": _plain(libmp.mpf_acosh), "atanh": _plain(libmp.mpf_atanh),
}  # fmt: skip

SOMETIMES_EXACT = frozenset({"exp2", "exp10", "sqrt", "rsqrt", "log10"})
"""Functions with exact results (besides those of ``special``)."""


def _hypot(x: Mpf, y: Mpf, p: int) -> Mpf:
    squares = libmp.mpf_add(libmp.mpf_mul(x, x), libmp.mpf_mul(y, y))  # exact: no precision given
    return libmp.mpf_sqrt(squares, p + GUARD, "n")  # type: ignore[no-any-return]


BINARY: dict[str, Callable[[Mpf, Mpf, int], Mpf]] = {
    "pow": lambda x, y, p: libmp.mpf_pow(x, y, p + GUARD, "n"),
    "atan2": lambda y, x, p: libmp.mpf_atan2(y, x, p + GUARD, "n"),
    "hypot": _hypot,
}


def half_pi(negative: bool, p: int) -> Mpf:
    """``± pi / 2``."""
    return pi_multiple(-2 if negative else 2, p)


def pi_multiple(quarters: int, p: int) -> Mpf:
    """``quarters * pi / 4``."""
    return libmp.mpf_shift(  # type: ignore[no-any-return]
        libmp.mpf_mul(libmp.from_int(quarters), libmp.mpf_pi(p + GUARD, "n"), p + GUARD, "n"), -2
    )


# --- functions that operators compute in steps -----------------------------------------------------------------------


def within(x: Mpf) -> Mpf:
    """``x``, or what rounds like it, with an exponent that fits the memory: far beyond every format."""
    top = x[2] + x[3]
    if not x[1] or -5000 < top < 5000:
        return x
    return libmp.from_man_exp(-1 if x[0] else 1, 4000 if top > 0 else -4000)  # type: ignore[no-any-return]


def _rational(x: Fraction, p: int) -> Mpf:
    return libmp.from_rational(x.numerator, x.denominator, p, "n")  # type: ignore[no-any-return]


def silu(args: tuple[Mpf, ...], p: int) -> Mpf:
    """``x / (1 + exp(-x))``."""
    return libmp.mpf_mul(args[0], _sigmoid(args[0], p), p + GUARD, "n")  # type: ignore[no-any-return]


def gelu(args: tuple[Mpf, ...], p: int) -> Mpf:
    """``x * erfc(-x / sqrt(2)) / 2``: below zero nothing cancels."""
    x, wide = args[0], p + GUARD + 2 * max(0, args[0][2] + args[0][3])
    if libmp.mpf_sign(x) < 0 and x[2] + x[3] > 12:  # erfc(2896) is below 2**-12000000
        return libmp.from_man_exp(-1, -4000)  # type: ignore[no-any-return]
    if libmp.mpf_sign(x) > 0 and x[2] + x[3] > 12:
        return x
    scaled = libmp.mpf_div(libmp.mpf_neg(x), libmp.mpf_sqrt(libmp.from_int(2), wide, "n"), wide, "n")
    return libmp.mpf_shift(libmp.mpf_mul(x, libmp.mpf_erfc(scaled, wide, "n"), wide, "n"), -1)  # type: ignore[no-any-return]


def gelu_tanh(args: tuple[Mpf, ...], p: int) -> Mpf:
    """``x / (1 + exp(-2 u))`` with ``u = sqrt(2 / pi) * (x + 0.044715 x**3)``."""
    x, wide = args[0], p + GUARD
    if x[2] + x[3] > 12:
        return x if libmp.mpf_sign(x) > 0 else libmp.from_man_exp(-1, -4000)
    cube = libmp.mpf_mul(libmp.mpf_mul(x, libmp.mpf_mul(x, x)), _rational(Fraction(44715, 10**6), wide), wide, "n")
    root = libmp.mpf_sqrt(libmp.mpf_div(libmp.from_int(2), libmp.mpf_pi(wide, "n"), wide, "n"), wide, "n")
    twice = libmp.mpf_shift(libmp.mpf_mul(root, libmp.mpf_add(x, cube, wide, "n"), wide, "n"), 1)
    return libmp.mpf_mul(x, _sigmoid(twice, p), wide, "n")  # type: ignore[no-any-return]


def selu(scale: Fraction, alpha: Fraction) -> Callable[[tuple[Mpf, ...], int], Mpf]:
    """``scale * x``, below zero ``scale * alpha * (exp(x) - 1)``."""

    def value(args: tuple[Mpf, ...], p: int) -> Mpf:
        (x,) = args
        if libmp.mpf_sign(x) >= 0:
            return libmp.mpf_mul(x, _rational(scale, p + GUARD), p + GUARD, "n")  # type: ignore[no-any-return]
        curved = libmp.from_int(-1) if x[2] + x[3] > 14 else _expm1(x, p)
        return libmp.mpf_mul(curved, _rational(scale * alpha, p + GUARD), p + GUARD, "n")  # type: ignore[no-any-return]

    return value


def softplus(beta: Fraction) -> Callable[[tuple[Mpf, ...], int], Mpf]:
    """``log(1 + exp(beta * x)) / beta``."""

    def value(args: tuple[Mpf, ...], p: int) -> Mpf:
        factor = _rational(beta, p + GUARD)
        return libmp.mpf_div(_softplus(libmp.mpf_mul(args[0], factor), p), factor, p + GUARD, "n")  # type: ignore[no-any-return]

    return value


def _softplus(x: Mpf, p: int) -> Mpf:
    if x[1] and x[2] + x[3] > 14:
        return x if libmp.mpf_sign(x) > 0 else libmp.from_man_exp(1, -4000)
    return _log1p(libmp.mpf_exp(x, p + GUARD, "n"), p)


def times(factor: Fraction) -> Callable[[tuple[Mpf, ...], int], Mpf]:
    """``x * factor``."""
    return lambda args, p: libmp.mpf_mul(args[0], _rational(factor, p + GUARD), p + GUARD, "n")


def log_add_exp(args: tuple[Mpf, ...], p: int) -> Mpf:
    """``log(exp(a) + exp(b))``."""
    a, b = args
    high, low = (a, b) if libmp.mpf_ge(a, b) else (b, a)
    return libmp.mpf_add(high, _softplus(libmp.mpf_sub(low, high), p + GUARD), p + GUARD, "n")  # type: ignore[no-any-return]


def exp_of_difference(args: tuple[Mpf, ...], p: int) -> Mpf:
    """``exp(a - b)``."""
    x = libmp.mpf_sub(*args)
    if x[1] and x[2] + x[3] > 14:
        return libmp.from_man_exp(1, 4000 if libmp.mpf_sign(x) > 0 else -4000)  # type: ignore[no-any-return]
    return libmp.mpf_exp(x, p + GUARD, "n")  # type: ignore[no-any-return]
