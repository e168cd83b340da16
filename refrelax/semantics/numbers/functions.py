"""The elementary functions of one argument, a row each: special values, domain, shape, accuracy, binary64's own, and
the value at any precision. Everything that differs from one to the next stands here.

Sources: IEEE 754-2019 §9.2.1 and C23 annex F for the special values. Spec: ``spec/02-values.md``.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from refrelax.semantics.numbers import multiprecision as mp

INF, NAN, HALF_PI = math.inf, math.nan, math.pi / 2


@dataclass(frozen=True, slots=True)
class Function:
    """One function.

    ``ends``: its values at -inf, -0, +0, +inf; of NaN it is NaN. ``double``: it in binary64, off by a few units; Python
    raises where the result is special. ``ulps``: how far a permitted result may lie from the exact one, 0.5 meaning
    correctly rounded. ``domain``: outside of this closed range the result is NaN; ``poles``: exact infinities inside.
    ``far``: a limit, and what it rounds to in binary64 already at and below minus the limit, and at and above it; where
    an argument is beyond ``real_functions.FAR`` it is within ``TINY`` of that, or beyond ``HUGE``.
    ``shape``: how it runs through its domain. ``no_less``: no value is below zero, so no permitted one is. ``like_x``:
    ``x (1 + O(x))``, so that it rounds to ``x`` near zero. ``exact``: binary64 computes it exactly, or (``square``)
    with one innocuous rounding before the last. ``slack``: further room, in units of the least normal number;
    ``of_one``: in units in the last place of 1, where that is more. ``precise``: it to any relative precision, mpmath's
    of that name where nothing stands here (it has none, or one that loses digits). ``meets``: it has exact results
    besides those at the ends, so that a value may lie just between two numbers.
    """

    name: str
    ends: tuple[float, float, float, float]
    double: Callable[[float], float]
    ulps: float = 4.0
    domain: tuple[float, float] = (-INF, INF)
    poles: tuple[tuple[float, float], ...] = ()
    far: tuple[float, float, float] | None = None
    shape: Literal["rising", "falling", "even", "wave", "tan"] = "rising"
    no_less: bool = False
    like_x: bool = False
    exact: bool = False
    slack: float = 0.0
    of_one: float = 0.0
    precise: Callable[[mp.Mpf, int], mp.Mpf] | None = None
    meets: bool = False


def _sigmoid(x: float) -> float:
    if x >= 0:
        return 1.0 / (1.0 + math.exp(-x))
    grown = math.exp(x)
    return grown / (1.0 + grown)


def _to_integral(how: Callable[[float], int]) -> Callable[[float], float]:
    def apply(x: float) -> float:
        if not math.isfinite(x) or abs(x) >= 2.0**52:
            return x + 0.0 if x != x else x
        return math.copysign(float(how(x)), x)

    return apply


def _sign(x: float) -> float:
    return 1.0 if x > 0 else -1.0 if x < 0 else 0.0 if x == 0 else x


def _integral(name: str, how: Callable[[float], int]) -> Function:
    return Function(name, (-INF, -0.0, 0.0, INF), _to_integral(how), 0.5, exact=True)


_UP, _FROM_ZERO, _TO_ONE = (0.0, 1.0, 1.0, INF), (0.0, INF), (-1.0, 1.0)
_LOG, _ODD, _STEP = (NAN, -INF, -INF, INF), (-INF, -0.0, 0.0, INF), (-1.0, -0.0, 0.0, 1.0)
_NOT_AT_ENDS = (NAN, -0.0, 0.0, NAN)

FUNCTIONS: dict[str, Function] = {
    row.name: row
    for row in (
        Function("exp", _UP, math.exp, far=(800.0, 0.0, INF), no_less=True),
        Function("exp2", _UP, math.exp2, far=(1200.0, 0.0, INF), no_less=True, precise=mp.power_of(2), meets=True),
        Function(
            "exp10",
            _UP,
            lambda x: math.pow(10.0, x),
            far=(400.0, 0.0, INF),
            no_less=True,
            precise=mp.power_of(10),
            meets=True,
        ),
        Function("expm1", (-1.0, -0.0, 0.0, INF), math.expm1, far=(800.0, -1.0, INF), like_x=True, precise=mp.expm1),
        Function("log", _LOG, math.log, domain=_FROM_ZERO),
        Function("log2", _LOG, math.log2, domain=_FROM_ZERO, precise=mp.log_of(2)),
        Function("log10", _LOG, math.log10, domain=_FROM_ZERO, precise=mp.log_of(10), meets=True),
        Function(
            "log1p",
            (NAN, -0.0, 0.0, INF),
            math.log1p,
            domain=(-1.0, INF),
            poles=((-1.0, -INF),),
            like_x=True,
            precise=mp.log1p,
        ),
        Function("sqrt", (NAN, -0.0, 0.0, INF), math.sqrt, 0.5, _FROM_ZERO, no_less=True, meets=True),
        Function(
            "rsqrt",
            (NAN, -INF, INF, 0.0),
            lambda x: 1.0 / math.sqrt(x),
            2.0,
            _FROM_ZERO,
            shape="falling",
            no_less=True,
            precise=mp.rsqrt,
            meets=True,
        ),
        # (1 - exp(-2x)) / (1 + exp(-2x)), which TVM writes on a CPU, is right to a unit of 1 however small x is
        Function("tanh", _STEP, math.tanh, far=(400.0, -1.0, 1.0), like_x=True, of_one=1.0),
        # 1 / (1 + exp(-x)) is 0 where exp(-x) overflows
        Function(
            "sigmoid",
            (0.0, 0.5, 0.5, 1.0),
            _sigmoid,
            6.0,
            far=(800.0, 0.0, 1.0),
            no_less=True,
            slack=0.5,
            precise=mp.sigmoid,
        ),
        Function("erf", _STEP, math.erf, far=(30.0, -1.0, 1.0)),
        Function("sin", _NOT_AT_ENDS, math.sin, shape="wave", like_x=True),
        Function("cos", (NAN, 1.0, 1.0, NAN), math.cos, shape="wave"),
        Function("tan", _NOT_AT_ENDS, math.tan, shape="tan", like_x=True),
        Function("sinh", _ODD, math.sinh, far=(800.0, -INF, INF), like_x=True),
        Function("cosh", (INF, 1.0, 1.0, INF), math.cosh, far=(800.0, INF, INF), shape="even", no_less=True),
        Function("asin", _NOT_AT_ENDS, math.asin, domain=_TO_ONE, like_x=True),
        Function("acos", (NAN, HALF_PI, HALF_PI, NAN), math.acos, domain=_TO_ONE, shape="falling", no_less=True),
        Function("atan", (-HALF_PI, -0.0, 0.0, HALF_PI), math.atan, like_x=True),
        Function("asinh", _ODD, math.asinh, like_x=True),
        Function("acosh", (NAN, NAN, NAN, INF), math.acosh, domain=(1.0, INF), no_less=True),
        Function("atanh", _NOT_AT_ENDS, math.atanh, domain=_TO_ONE, poles=((1.0, INF), (-1.0, -INF)), like_x=True),
        _integral("floor", math.floor),
        _integral("ceil", math.ceil),
        _integral("round", round),
        _integral("trunc", math.trunc),
        Function("abs", (INF, 0.0, 0.0, INF), lambda x: math.fabs(x), 0.5, shape="even", no_less=True, exact=True),
        Function("sign", (-1.0, 0.0, 0.0, 1.0), _sign, 0.5, exact=True),
        Function("square", (INF, 0.0, 0.0, INF), lambda x: x * x, 0.5, shape="even", no_less=True, exact=True),
    )
}

PRECISE = {name: row.precise or mp.plain(name) for name, row in FUNCTIONS.items() if not row.exact}
"""The functions that round, to any precision: ``PRECISE[name](x, p)`` is off by less than ``2**-p`` of its value."""
