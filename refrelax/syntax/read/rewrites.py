"""The ``T.*`` functions that TVM rewrites or folds while building: ``T.abs``, ``T.floor``, ``T.isinf`` …

Each takes expressions and gives an expression; the literals that come out are those of ``src/tirx/op/op.cc`` of TVM.
Spec: ``spec/03b-loops-syntax.md`` ("Functions that fold").
"""

from __future__ import annotations

import math
from collections.abc import Callable

from refrelax.syntax import bits, dtypes
from refrelax.syntax.read.building import (
    BuildError,
    binary,
    bit_operation,
    cast,
    constant,
    if_then_else,
    logical_not,
    match_operands,
)
from refrelax.syntax.scalars import Intrinsic, Literal, PrimExpr, Select, bool_imm


def _rounding(name: str, fold: Callable[[float], float]) -> Callable[[PrimExpr], PrimExpr]:
    def build(x: PrimExpr) -> PrimExpr:
        if dtypes.kind(x.dtype) in ("int", "uint", "bool"):
            return x
        if dtypes.kind(x.dtype) != "float":
            raise BuildError("syn/operand-types", f"T.{name} takes a number, not {x.dtype}")
        if isinstance(x, Literal):
            value = bits.literal_value(x)
            return Literal(x.dtype, bits.encode(x.dtype, fold(value) if math.isfinite(value) else value))
        return Intrinsic(name, (x,), x.dtype)

    return build


def _half_even(value: float) -> float:
    return math.copysign(float(round(value)), value)


def _keep_sign(fold: Callable[[float], int]) -> Callable[[float], float]:
    return lambda value: math.copysign(float(fold(value)), value)


def absolute(x: PrimExpr) -> PrimExpr:
    """``T.abs``: ``fabs`` of a float, a ``Select`` on a signed integer, nothing on an unsigned one."""
    kind = dtypes.kind(x.dtype)
    if kind == "uint":
        return x
    if kind == "int":
        if isinstance(x, Literal):
            return Literal(x.dtype, bits.encode(x.dtype, abs(bits.literal_value(x))))
        zero = constant(0, x.dtype)
        return Select(binary("GE", x, zero), x, binary("Sub", zero, x))
    if kind != "float":
        raise BuildError("syn/operand-types", f"T.abs takes a number, not {x.dtype}")
    if isinstance(x, Literal):
        return Literal(x.dtype, bits.encode(x.dtype, abs(bits.literal_value(x))))
    return Intrinsic("fabs", (x,), x.dtype)


def is_nan(x: PrimExpr) -> PrimExpr:
    """``T.isnan``: half precision is widened first, an integer never is one."""
    truth = dtypes.with_lanes("bool", dtypes.lanes(x.dtype))
    if dtypes.is_integer(x.dtype):
        return constant(0, truth)
    if dtypes.kind(x.dtype) != "float":
        raise BuildError("syn/operand-types", f"T.isnan takes a number, not {x.dtype}")
    if isinstance(x, Literal):
        return bool_imm(math.isnan(bits.literal_value(x)))
    if dtypes.element(x.dtype) == "float16":
        x = cast(dtypes.with_lanes("float32", dtypes.lanes(x.dtype)), x)
    return Intrinsic("isnan", (x,), truth)


def is_inf(x: PrimExpr) -> PrimExpr:
    """``T.isinf``: ``fabs(x) == inf and not isnan(x)``."""
    if dtypes.is_integer(x.dtype):
        return constant(0, dtypes.with_lanes("bool", dtypes.lanes(x.dtype)))
    return binary("And", binary("EQ", absolute(x), infinity(x.dtype)), logical_not(is_nan(x)))


def is_finite(x: PrimExpr) -> PrimExpr:
    """``T.isfinite``: ``not isinf(x) and not isnan(x)``."""
    return binary("And", logical_not(is_inf(x)), logical_not(is_nan(x)))


def power(x: PrimExpr, y: PrimExpr) -> PrimExpr:
    """``T.pow``: floats only."""
    x, y = match_operands(x, y)
    if dtypes.kind(x.dtype) != "float":
        raise BuildError("syn/operand-types", f"T.pow takes floats, not {x.dtype}")
    return Intrinsic("pow", (x, y), x.dtype)


def likely(x: PrimExpr) -> PrimExpr:
    """``T.likely``: a hint; nothing on a literal."""
    return x if isinstance(x, Literal) else Intrinsic("likely", (x,), x.dtype)


def ceil_div(a: PrimExpr, b: PrimExpr) -> PrimExpr:
    """``T.ceildiv``: ``(a + b - 1) // b``."""
    _integers("ceildiv", a, b)
    a, b = match_operands(a, b)
    return binary("FloorDiv", binary("Sub", binary("Add", a, b), constant(1, a.dtype)), b)


def trunc_div(a: PrimExpr, b: PrimExpr) -> PrimExpr:
    """``T.truncdiv``: integers only."""
    _integers("truncdiv", a, b)
    return binary("Div", a, b)


def _integers(name: str, *operands: PrimExpr) -> None:
    for each in operands:
        if not dtypes.is_integer(each.dtype):
            raise BuildError("syn/operand-types", f"T.{name} takes integers, not {each.dtype}")


def infinity(dtype: str) -> PrimExpr:
    """``T.infinity(dtype)``: float16, float32 and float64."""
    if dtypes.element(dtype) not in ("float16", "float32", "float64"):
        raise BuildError("syn/operand-types", f"{dtype} has no infinity to write")
    return constant(math.inf, dtype)


_NO_NEGATIVES = frozenset({"float8_e8m0fnu"})


def max_value(dtype: str) -> PrimExpr:
    """``T.max_value(dtype)``: the greatest finite value."""
    if dtypes.kind(dtype) == "float":
        return Literal(dtype, bits.encode(dtype, bits.largest_finite(dtype)))
    if not dtypes.is_integer(dtype):
        raise BuildError("syn/operand-types", f"{dtype} has no greatest value")
    return constant(dtypes.integer_range(dtype)[1], dtype)


def min_value(dtype: str) -> PrimExpr:
    """``T.min_value(dtype)``: the least finite value."""
    if dtypes.kind(dtype) == "float":
        if dtype in _NO_NEGATIVES:
            return Literal(dtype, 0)
        return Literal(dtype, bits.encode(dtype, -bits.largest_finite(dtype)))
    if not dtypes.is_integer(dtype):
        raise BuildError("syn/operand-types", f"{dtype} has no least value")
    return constant(dtypes.integer_range(dtype)[0], dtype)


UNARY: dict[str, Callable[[PrimExpr], PrimExpr]] = {
    "abs": absolute,
    "fabs": absolute,
    "isnan": is_nan,
    "isinf": is_inf,
    "isfinite": is_finite,
    "likely": likely,
    "floor": _rounding("floor", _keep_sign(math.floor)),
    "ceil": _rounding("ceil", _keep_sign(math.ceil)),
    "round": _rounding("round", _half_even),
    "nearbyint": _rounding("nearbyint", _half_even),
    "trunc": _rounding("trunc", _keep_sign(math.trunc)),
}
"""One expression to one."""

BINARY: dict[str, Callable[[PrimExpr, PrimExpr], PrimExpr]] = {
    "min": lambda a, b: binary("Min", a, b),
    "max": lambda a, b: binary("Max", a, b),
    "truncmod": lambda a, b: binary("Mod", a, b),
    "truncdiv": trunc_div,
    "div": lambda a, b: binary("Div", a, b),
    "floordiv": lambda a, b: binary("FloorDiv", a, b),
    "floormod": lambda a, b: binary("FloorMod", a, b),
    "ceildiv": ceil_div,
    "pow": power,
    "shift_left": lambda a, b: bit_operation("shift_left", a, b),
    "shift_right": lambda a, b: bit_operation("shift_right", a, b),
    "bitwise_and": lambda a, b: bit_operation("bitwise_and", a, b),
    "bitwise_or": lambda a, b: bit_operation("bitwise_or", a, b),
    "bitwise_xor": lambda a, b: bit_operation("bitwise_xor", a, b),
}
"""Two expressions to one."""

TERNARY: dict[str, Callable[[PrimExpr, PrimExpr, PrimExpr], PrimExpr]] = {"if_then_else": if_then_else}

OF_DTYPE: dict[str, Callable[[str], PrimExpr]] = {
    "infinity": infinity,
    "max_value": max_value,
    "min_value": min_value,
}
"""A dtype to a literal."""
