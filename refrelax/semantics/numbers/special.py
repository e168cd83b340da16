"""Special values of the elementary functions. Source: IEEE 754-2019 §9.2.1, C23 annex F.

Spec: ``spec/02-values.md``, ``num/special-values``.
"""

from __future__ import annotations

import math

from refrelax.semantics.numbers.functions import FUNCTIONS, INF, NAN

AT_ENDS = {name: f.ends for name, f in FUNCTIONS.items()}
"""Values at -inf, -0, +0, +inf; a NaN argument gives NaN."""

DOMAIN = {name: f.domain for name, f in FUNCTIONS.items() if f.domain != (-INF, INF)}
"""Outside of these closed ranges the result is NaN."""

POLES = {(name, x): value for name, f in FUNCTIONS.items() for x, value in f.poles}
"""Exact infinities inside the domain, besides those of ``AT_ENDS``."""


def special(name: str, x: float) -> float | None:
    """The result where it needs no approximation, else ``None``."""
    if x != x:
        return NAN
    f = FUNCTIONS[name]
    if x == 0 or math.isinf(x):
        below, minus, plus, above = f.ends
        if x == 0:
            return plus if math.copysign(1.0, x) > 0 else minus
        return above if x > 0 else below
    if not f.domain[0] <= x <= f.domain[1]:
        return NAN
    if (name, x) in POLES:
        return POLES[name, x]
    if f.far is not None and abs(x) >= f.far[0]:
        return f.far[2] if x > 0 else f.far[1]
    if f.like_x and abs(x) < 2.0**-60:
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
