"""Arithmetic on arrays with exactly the bits of the ``ieee`` reading.

NumPy's ``+ - * /`` are correctly rounded in every format here (float16 and bfloat16 go through float32, which is
wide enough
for one innocuous double rounding). Elementary functions are not: they are computed in binary64 and rounded, and the few
elements whose rounding a last-place error could change are decided by the definition itself.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from refrelax.semantics.numbers.elementary import function, function2

MARGIN = 2.0**-46
"""Relative margin around a binary64 result: 64 units of its last place, more than NumPy's functions are ever off."""

_DOUBLE: dict[str, Callable[[Any], Any]] = {
    "exp": np.exp, "exp2": np.exp2, "expm1": np.expm1, "log": np.log, "log2": np.log2, "log10": np.log10,
    "log1p": np.log1p, "sqrt": np.sqrt, "tanh": np.tanh, "sin": np.sin, "cos": np.cos, "tan": np.tan,
    "sinh": np.sinh, "cosh": np.cosh, "asin": np.arcsin, "acos": np.arccos, "atan": np.arctan,
    "asinh": np.arcsinh, "acosh": np.arccosh, "atanh": np.arctanh,
    "exp10": lambda x: np.power(10.0, x), "rsqrt": lambda x: 1.0 / np.sqrt(x),
    "sigmoid": lambda x: 1.0 / (1.0 + np.exp(-x)),
}  # fmt: skip

_EXACT: dict[str, Callable[[Any], Any]] = {
    "floor": np.floor, "ceil": np.ceil, "round": np.rint, "trunc": np.trunc, "abs": np.abs,
    "sign": lambda x: np.where(x == 0, np.zeros_like(x), np.sign(x)),  # +0 for both zeros
    "square": lambda x: x * x, "fabs": np.abs, "nearbyint": np.rint,
}  # fmt: skip


def elementary(name: str, x: Any) -> Any:
    """``name`` of every element of a float array (or a NumPy scalar), correctly rounded in the array's dtype."""
    x = np.asarray(x)
    if name in _EXACT:
        return _EXACT[name](x)
    if x.size == 0:
        return x  # whatever its dtype: of no element no operation is done
    one = _elementwise(name, x.dtype.name)
    double = _DOUBLE.get(name)
    if x.dtype == np.float64:
        return np.sqrt(x) if name == "sqrt" else _each(one, x)
    if double is None:
        return _each(one, x)
    with np.errstate(all="ignore"):
        wide = double(x.astype(np.float64))
        low, result, high = (cast(wide * m, x.dtype) for m in (1 - MARGIN, 1.0, 1 + MARGIN))
        doubtful = ~((low == result) & (result == high)) | ~np.isfinite(wide)
        if name in ("sigmoid", "rsqrt", "exp10"):  # forms that lose more than the margin at the ends of the range
            doubtful |= ~(np.abs(wide) > 2.0**-900)
    return _mend(result, doubtful, one, x)


def binary(name: str, x: Any, y: Any) -> Any:
    """``pow``, ``atan2``, ``hypot``, ``copysign``, ``nextafter``, ``fmod``, ``ldexp`` element by element."""
    x, y = np.broadcast_arrays(np.asarray(x), np.asarray(y))
    if name == "copysign":
        return np.copysign(x, y)
    if name in _DOUBLE2 and x.dtype == y.dtype and x.dtype.kind not in "iu" and x.dtype != np.float64:
        return _rounded(name, x, y)
    apply = function2(name, x.dtype.name)
    flat = [_any(apply(a, b)) for a, b in zip(_numbers(x), _numbers(y), strict=True)]
    return np.array(flat, dtype=np.float64).astype(x.dtype).reshape(x.shape)


_DOUBLE2: dict[str, Callable[[Any, Any], Any]] = {"pow": np.power, "atan2": np.arctan2}


def _rounded(name: str, x: Any, y: Any) -> Any:
    """As ``elementary``: in binary64, and by the definition where a last place could change the rounding."""
    apply = function2(name, x.dtype.name)
    with np.errstate(all="ignore"):
        wide = _DOUBLE2[name](x.astype(np.float64), y.astype(np.float64))
        low, result, high = (cast(wide * m, x.dtype) for m in (1 - MARGIN, 1.0, 1 + MARGIN))
        doubtful = ~((low == result) & (result == high)) | ~(np.abs(wide) > 2.0**-900) | ~np.isfinite(wide)
    if doubtful.any():
        result = np.array(result)
        pairs = zip(_numbers(x[doubtful]), _numbers(y[doubtful]), strict=True)
        result[doubtful] = np.array([_any(apply(a, b)) for a, b in pairs], dtype=np.float64).astype(x.dtype)
    return result


def _any(result: Any) -> float:
    """A number for a result of the definition: where it has no meaning, any."""
    return result if isinstance(result, float) else 0.0


@cache
def _elementwise(name: str, dtype: str) -> Callable[[float], Any]:
    return function(name, dtype)


def _numbers(x: Any) -> list[Any]:
    if x.dtype.kind in "iu":
        return [int(e) for e in x.ravel()]
    return [float(e) for e in x.ravel()]


def _each(one: Callable[[float], Any], x: Any) -> Any:
    flat = np.array([_any(one(e)) for e in _numbers(x)], dtype=np.float64)
    return flat.astype(x.dtype).reshape(x.shape)


def _mend(result: Any, doubtful: Any, one: Callable[[float], Any], x: Any) -> Any:
    if doubtful.any():
        result = np.array(result)
        result[doubtful] = np.array([_any(one(float(e))) for e in x[doubtful]], dtype=np.float64).astype(x.dtype)
    return result


def maximum(a: Any, b: Any) -> Any:
    """IEEE 754-2019 ``maximum``: a NaN wins, and +0 is greater than -0."""
    result = np.maximum(a, b)
    if np.asarray(result).dtype.kind in "iub":
        return result
    zeros = (result == 0) & (np.asarray(a) == np.asarray(b))
    return np.where(zeros, np.where(np.signbit(a), b, a), result).astype(result.dtype) if np.any(zeros) else result


def minimum(a: Any, b: Any) -> Any:
    """IEEE 754-2019 ``minimum``: a NaN wins, and -0 is less than +0."""
    result = np.minimum(a, b)
    if np.asarray(result).dtype.kind in "iub":
        return result
    zeros = (result == 0) & (np.asarray(a) == np.asarray(b))
    return np.where(zeros, np.where(np.signbit(a), a, b), result).astype(result.dtype) if np.any(zeros) else result


def truncated_divide(a: Any, b: Any) -> Any:
    """Integer division rounded toward zero; float division as it is. A zero divisor gives any value."""
    a, b = np.asarray(a), np.asarray(b)
    if a.dtype.kind not in "iu":
        return a / b
    safe = np.where(b == 0, np.ones_like(b), b)
    floor = a // safe
    inexact = floor * safe != a
    return np.where(inexact & ((a < 0) != (b < 0)), floor + np.ones_like(floor), floor)


def truncated_remainder(a: Any, b: Any) -> Any:
    """The remainder with the sign of the dividend; ``fmod`` on floats."""
    a, b = np.asarray(a), np.asarray(b)
    if a.dtype.kind in "iu":
        return np.fmod(a, np.where(b == 0, np.ones_like(b), b))
    return np.fmod(a.astype(np.float64), b.astype(np.float64)).astype(a.dtype)


def floor_divide(a: Any, b: Any) -> Any:
    """Floored division; on floats the floor of the rounded quotient."""
    a, b = np.asarray(a), np.asarray(b)
    if a.dtype.kind in "iu":
        return a // _not_zero(b)
    return np.floor(a / b)


def floor_modulo(a: Any, b: Any) -> Any:
    """The remainder with the sign of the divisor; on floats ``a - floor(a / b) * b``, each step rounded."""
    a, b = np.asarray(a), np.asarray(b)
    if a.dtype.kind in "iu":
        if b.size == 1 <= a.ndim and b.item() > 0:  # (NumPy divides by one number without dividing, and not so here)
            whole = a // b
            whole *= b
            return np.subtract(a, whole, out=whole)
        return a % _not_zero(b)
    if not a.ndim or a.shape != b.shape or a.dtype != b.dtype:
        return a - np.floor(a / b) * b
    t = a / b
    np.floor(t, out=t)
    t *= b
    return np.subtract(a, t, out=t)


def _not_zero(b: Any) -> Any:
    """Divisors, 1 in place of 0."""
    return b if b.all() else np.where(b == 0, np.ones_like(b), b)


def converted(x: Any, dtype: Any) -> Any:
    """``cast`` of what has another dtype: the array itself if it has this one."""
    return x if type(x) is np.ndarray and x.dtype == dtype else cast(x, dtype)


def cast(x: Any, dtype: Any) -> Any:
    """Conversion to a NumPy dtype: integers wrap, floats round once; a NaN or an out-of-range float gives any
    integer."""
    x, dtype = np.asarray(x), np.dtype(dtype)
    if x.dtype.isbuiltin == 1 == dtype.isbuiltin:  # (a dtype tells its name slowly)
        if dtype == np.bool_:
            return x != 0
        with np.errstate(all="ignore"):
            return x.astype(dtype)
    if x.dtype.name in ("int4", "uint4", "int2", "uint2", "int1", "uint1"):
        x = x.astype(np.int8)  # ml_dtypes does not convert all narrow numbers to each other
    elif x.dtype.itemsize == 1 and x.dtype.kind not in "iub" and x.dtype != dtype:
        x = x.astype(np.float32)
    if dtype == np.bool_:
        return x != 0
    if dtype.name == "float8_e8m0fnu" and x.dtype != dtype:
        return _power_of_two(x).view(dtype)
    if dtype.name == "bfloat16" and x.dtype.kind in "iu" and x.dtype.itemsize > 2:
        x = _odd_float64(x)
    if x.dtype == np.float64 and dtype.itemsize < 4 and dtype != np.float16 and dtype.kind not in "iub":
        return _odd_float32(x).astype(dtype)
    with np.errstate(all="ignore"):
        if dtype.kind in "iu" and x.dtype.kind == "f":
            return x.astype(dtype)
        if dtype.kind in "iu" and x.dtype.kind not in "iub":
            return np.where(np.isfinite(x), x, 0).astype(np.float64).astype(dtype)
        return x.astype(dtype)


def _power_of_two(x: Any) -> Any:
    """The patterns of float8_e8m0fnu nearest to numbers, a tie to the greater; NaN below zero (-0 as well) and beyond
    the greatest."""
    wide = _odd_float64(x)
    mantissa, exponent = np.frexp(np.where(np.isfinite(wide), wide, 1.0))
    power = np.maximum(exponent - 1 + (mantissa >= 0.75), -127)
    lost = ~np.isfinite(wide) | np.signbit(wide) | (power > 127)
    return np.where(lost, 255, np.where(wide == 0, 0, power + 127)).astype(np.uint8)


def _odd_float64(x: Any) -> Any:
    """Numbers in binary64, integers of 64 bits rounded to odd."""
    near = x.astype(np.float64)
    if x.dtype.kind not in "iu" or x.dtype.itemsize < 8:
        return near
    odd = ((x >> 11) | ((x & 2047) != 0)).astype(np.float64) * 2048.0
    return np.where(np.abs(near) >= 2.0**53, odd, near)


def _odd_float32(x: Any) -> Any:
    """binary64 to binary32 rounded to odd, so that one more rounding to a narrower format is as if it were the only
    one."""
    near = x.astype(np.float32)
    back = near.astype(np.float64)
    toward = np.where(np.abs(back) > np.abs(x), np.nextafter(near, np.float32(0)), near)
    inexact = (back != x) & np.isfinite(x) & np.isfinite(near)
    odd = (toward.view(np.uint32) | np.uint32(1)).view(np.float32)
    return np.where(inexact, odd, near)
