"""Special values and domains of the elementary functions, as tables. Source: IEEE 754-2019 §9.2.1, C23 annex F.

Spec: ``spec/02-values.md``, ``num/special-values``.
"""

from __future__ import annotations

import math

INF, NAN = math.inf, math.nan

AT_ENDS: dict[str, tuple[float, float, float, float]] = {
    # name: (-inf, -0, +0, +inf)
    "exp": (0.0, 1.0, 1.0, INF),
    "exp2": (0.0, 1.0, 1.0, INF),
    "exp10": (0.0, 1.0, 1.0, INF),
    "expm1": (-1.0, -0.0, 0.0, INF),
    "log": (NAN, -INF, -INF, INF),
    "log2": (NAN, -INF, -INF, INF),
    "log10": (NAN, -INF, -INF, INF),
    "log1p": (NAN, -0.0, 0.0, INF),
    "sqrt": (NAN, -0.0, 0.0, INF),
    "rsqrt": (NAN, -INF, INF, 0.0),
    "tanh": (-1.0, -0.0, 0.0, 1.0),
    "sigmoid": (0.0, 0.5, 0.5, 1.0),
    "erf": (-1.0, -0.0, 0.0, 1.0),
    "sin": (NAN, -0.0, 0.0, NAN),
    "cos": (NAN, 1.0, 1.0, NAN),
    "tan": (NAN, -0.0, 0.0, NAN),
    "sinh": (-INF, -0.0, 0.0, INF),
    "cosh": (INF, 1.0, 1.0, INF),
    "asin": (NAN, -0.0, 0.0, NAN),
    "acos": (NAN, math.pi / 2, math.pi / 2, NAN),
    "atan": (-math.pi / 2, -0.0, 0.0, math.pi / 2),
    "asinh": (-INF, -0.0, 0.0, INF),
    "acosh": (NAN, NAN, NAN, INF),
    "atanh": (NAN, -0.0, 0.0, NAN),
    "floor": (-INF, -0.0, 0.0, INF),
    "ceil": (-INF, -0.0, 0.0, INF),
    "round": (-INF, -0.0, 0.0, INF),
    "trunc": (-INF, -0.0, 0.0, INF),
    "abs": (INF, 0.0, 0.0, INF),
    "sign": (-1.0, 0.0, 0.0, 1.0),
    "square": (INF, 0.0, 0.0, INF),
}
"""Every name of ``MATH``; a NaN argument gives NaN."""

DOMAIN: dict[str, tuple[float, float]] = {
    "log": (0.0, INF), "log2": (0.0, INF), "log10": (0.0, INF), "log1p": (-1.0, INF),
    "sqrt": (0.0, INF), "rsqrt": (0.0, INF), "acosh": (1.0, INF),
    "asin": (-1.0, 1.0), "acos": (-1.0, 1.0), "atanh": (-1.0, 1.0),
}  # fmt: skip
"""Outside of these closed ranges the result is NaN."""

POLES: dict[tuple[str, float], float] = {
    ("log1p", -1.0): -INF,
    ("atanh", 1.0): INF,
    ("atanh", -1.0): -INF,
}
"""Exact infinities inside the domain, besides those of ``AT_ENDS``."""

SATURATES: dict[str, tuple[float, float, float]] = {
    # name: (limit, result at and below -limit, result at and above limit); the rounded result for every dtype
    "exp": (800.0, 0.0, INF),
    "exp2": (1200.0, 0.0, INF),
    "exp10": (400.0, 0.0, INF),
    "expm1": (800.0, -1.0, INF),
    "tanh": (400.0, -1.0, 1.0),
    "sigmoid": (800.0, 0.0, 1.0),
    "erf": (30.0, -1.0, 1.0),
    "sinh": (800.0, -INF, INF),
    "cosh": (800.0, INF, INF),
}
"""Far from zero these round to a constant in binary64 already (to infinity, zero or one)."""

NEAR_IDENTITY = frozenset(
    {"sin", "tan", "sinh", "tanh", "asin", "atan", "asinh", "atanh", "expm1", "log1p"}
)  # fmt: skip
"""``f(x) = x (1 + O(x))``: the correctly rounded value is ``x`` itself for ``|x| < 2**-60``."""


def special(name: str, x: float) -> float | None:
    """The result where it needs no approximation, else ``None``."""
    if x != x:
        return NAN
    if x == 0 or math.isinf(x):
        below, minus, plus, above = AT_ENDS[name]
        if x == 0:
            return plus if math.copysign(1.0, x) > 0 else minus
        return above if x > 0 else below
    low, high = DOMAIN.get(name, (-INF, INF))
    if not low <= x <= high:
        return NAN
    if (name, x) in POLES:
        return POLES[name, x]
    if name in SATURATES:
        limit, under, over = SATURATES[name]
        if abs(x) >= limit:
            return over if x > 0 else under
    if name in NEAR_IDENTITY and abs(x) < 2.0**-60:
        return x
    return None


def exact_at_zero(x: float, result: float) -> bool:
    """Whether annex F fixes the result because the argument is a zero: 0, or the 1 of ``exp``, ``cos`` and ``cosh``."""
    return x == 0 and result in (0.0, 1.0)


def power_special(x: float, y: float) -> float | None:
    """``pow`` where C23 annex F fixes the result or it leaves binary64 altogether, else ``None``."""
    odd = math.isfinite(y) and y == math.floor(y) and math.fmod(y, 2.0) != 0
    if y == 0 or x == 1:
        return 1.0
    if x != x or y != y:
        return NAN
    if x == 0:
        magnitude = INF if y < 0 else 0.0
        return math.copysign(magnitude, x) if odd else magnitude
    if math.isinf(x) or math.isinf(y) or x == -1:
        return math.nan if x == -1 and math.isfinite(y) and y != math.floor(y) else math.pow(x, y)
    if x < 0 and y != math.floor(y):
        return NAN
    size = y * math.log2(abs(x))
    sign = -1.0 if x < 0 and odd else 1.0
    if size > 1200:
        return math.copysign(INF, sign)
    if size < -1300:
        return math.copysign(0.0, sign)
    return None
