"""The one file that knows mpmath: elementary functions of exact arguments to any relative precision.

Each function takes numbers of ``mpmath.libmp`` (tuples, no global precision) and a precision ``p`` and is off by less
than ``2**-p`` of its value. Intermediate steps carry ``GUARD`` bits more, which covers the cancellations that an
argument of at most 53 bits can cause; functions that cancel near zero ask for as many bits as the argument is small.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

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


def plain(name: str) -> Callable[[Mpf, int], Mpf]:
    """mpmath's function of that name."""
    function: Callable[..., Mpf] = getattr(libmp, f"mpf_{name}")
    return lambda x, p: function(x, p + GUARD + _smallness(x), "n")


def expm1(x: Mpf, p: int) -> Mpf:
    """``exp(x) - 1``."""
    wide = p + GUARD + _smallness(x)
    return libmp.mpf_sub(libmp.mpf_exp(x, wide, "n"), libmp.fone, wide, "n")  # type: ignore[no-any-return]


def log1p(x: Mpf, p: int) -> Mpf:
    """``log(1 + x)``."""
    wide = p + GUARD + _smallness(x)
    return libmp.mpf_log(libmp.mpf_add(libmp.fone, x), wide, "n")  # type: ignore[no-any-return]


def log_of(base: int) -> Callable[[Mpf, int], Mpf]:
    """The logarithm to a base."""

    def log(x: Mpf, p: int) -> Mpf:
        wide = p + GUARD
        return libmp.mpf_div(  # type: ignore[no-any-return]
            libmp.mpf_log(x, wide, "n"), libmp.mpf_log(libmp.from_int(base), wide, "n"), wide, "n"
        )

    return log


def power_of(base: int) -> Callable[[Mpf, int], Mpf]:
    """A number to the power ``x``."""
    return lambda x, p: libmp.mpf_pow(libmp.from_int(base), x, p + GUARD, "n")


def rsqrt(x: Mpf, p: int) -> Mpf:
    """``1 / sqrt(x)``."""
    wide = p + GUARD
    return libmp.mpf_div(libmp.fone, libmp.mpf_sqrt(x, wide, "n"), wide, "n")  # type: ignore[no-any-return]


def sigmoid(x: Mpf, p: int) -> Mpf:
    """``1 / (1 + exp(-x))``."""
    wide = p + GUARD
    grown = libmp.mpf_exp(libmp.mpf_neg(x), wide, "n")
    return libmp.mpf_div(libmp.fone, libmp.mpf_add(libmp.fone, grown, wide, "n"), wide, "n")  # type: ignore[no-any-return]


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


def exp_of_difference(args: tuple[Mpf, ...], p: int) -> Mpf:
    """``exp(a - b)``."""
    x = libmp.mpf_sub(*args)
    if x[1] and x[2] + x[3] > 14:
        return libmp.from_man_exp(1, 4000 if libmp.mpf_sign(x) > 0 else -4000)  # type: ignore[no-any-return]
    return libmp.mpf_exp(x, p + GUARD, "n")  # type: ignore[no-any-return]


# --- constants --------------------------------------------------------------------------------------------------------


def bounds(value: Mpf, p: int) -> tuple[Fraction, Fraction]:
    """What lies within ``2**-p`` of a positive number, relative to it."""
    _, mantissa, exponent = parts(value)
    size = Fraction(mantissa << exponent) if exponent >= 0 else Fraction(mantissa, 1 << -exponent)
    return size - size / (1 << p), size + size / (1 << p)


def root_of_half(p: int) -> tuple[Fraction, Fraction]:
    """``sqrt(1 / 2)``."""
    return bounds(libmp.mpf_sqrt(libmp.fhalf, p + GUARD, "n"), p)


def root_of_two_over_pi(p: int) -> tuple[Fraction, Fraction]:
    """``sqrt(2 / pi)``."""
    wide = p + GUARD
    ratio = libmp.mpf_div(libmp.ftwo, libmp.mpf_pi(wide, "n"), wide, "n")
    return bounds(libmp.mpf_sqrt(ratio, wide, "n"), p)
