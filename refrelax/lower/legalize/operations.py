"""What an operation of the calculus is as an expression of a loop program.

``OPERATIONS[name](dtype, *args)`` is the operation ``name`` of ``numerics.at(dtype)`` (``numbers/interface.py``). On
truths the arithmetic is that of 0 and 1, as the value rules have it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

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
from refrelax.lower.legalize.site import Unfit
from refrelax.syntax import bits, dtypes
from refrelax.syntax.read.rewrites import is_finite, is_inf, is_nan
from refrelax.syntax.scalars import Binary, BinaryOp, Literal, PrimExpr

Form = Callable[..., Scalar]

WITH_INFINITY = ("float16", "float32", "float64")
"""The formats that ``T.infinity`` takes."""


def _same(name: str) -> Form:
    """An intrinsic of the operands' dtype."""
    return lambda _dtype, *args: function(name, *args)


def _truth(written: Callable[[PrimExpr], PrimExpr]) -> Form:
    """What the text of a kernel is read as; of a format whose infinity no text writes, asked at float32."""

    def form(dtype: str, a: Scalar) -> Scalar:
        narrow = dtypes.is_float(dtype) and dtype not in WITH_INFINITY
        return Scalar(written(cast("float32", a).node if narrow else a.node))

    return form


def _floor_divide(dtype: str, a: Scalar, b: Scalar) -> Scalar:
    return function("floor", a.over(b)) if dtypes.is_float(dtype) else a // b


def _floor_mod(dtype: str, a: Scalar, b: Scalar) -> Scalar:
    return a - function("floor", a.over(b)) * b if dtypes.is_float(dtype) else a % b


def _mod(dtype: str, a: Scalar, b: Scalar) -> Scalar:
    return function("fmod", a, b) if dtypes.is_float(dtype) else Scalar(Binary("Mod", a.node, b.node))


def _negative(dtype: str, a: Scalar) -> Scalar:
    """A float times -1, which is exact and keeps the sign of zero."""
    return a * -1 if dtypes.is_float(dtype) else lit(dtype, 0) - a


def _abs(dtype: str, a: Scalar) -> Scalar:
    match dtypes.kind(dtype):
        case "float":
            return function("fabs", a)
        case "int":
            return select(a < 0, lit(dtype, 0) - a, a)
        case _:
            return a


def _sign(dtype: str, a: Scalar) -> Scalar:
    """1, -1, +0 for both zeros, and NaN as it is."""
    if dtype == "bool":
        return a
    if dtype == "float8_e8m0fnu":  # has neither zero nor negatives
        return select(a.equals(a), lit(dtype, 1), a)
    zero = select(a.equals(0), lit(dtype, 0), a) if dtypes.is_float(dtype) else a
    minus = a if dtypes.kind(dtype) == "uint" else select(a < 0, lit(dtype, -1), zero)
    return select(a > 0, lit(dtype, 1), minus)


def _rounding(name: str) -> Form:
    """The identity on integers."""
    return lambda dtype, a: function(name, a) if dtypes.is_float(dtype) else a


def _bit_not(dtype: str, a: Scalar) -> Scalar:
    return ~a if dtype == "bool" else function("bitwise_not", a)


def _connective(name: str, connect: Callable[[Scalar, Scalar], Scalar]) -> Form:
    return lambda dtype, a, b: connect(a, b) if dtype == "bool" else function(name, a, b)


OPERATIONS: Mapping[str, Form] = {
    "add": lambda dtype, a, b: a | b if dtype == "bool" else a + b,
    "sub": lambda _, a, b: a - b,
    "mul": lambda dtype, a, b: a & b if dtype == "bool" else a * b,
    "div": lambda _, a, b: a.over(b),
    "mod": _mod,
    "floordiv": _floor_divide,
    "floormod": _floor_mod,
    "neg": _negative,
    "maximum": lambda dtype, a, b: a | b if dtype == "bool" else maximum(a, b),
    "minimum": lambda dtype, a, b: a & b if dtype == "bool" else minimum(a, b),
    "less": lambda _, a, b: a < b,
    "less_equal": lambda _, a, b: a <= b,
    "equal": lambda _, a, b: a.equals(b),
    "not_equal": lambda _, a, b: a.differs(b),
    "isnan": _truth(is_nan),
    "isinf": _truth(is_inf),
    "isfinite": _truth(is_finite),
    "select": lambda _, c, a, b: select(c, a, b),
    "negate": lambda _, a: ~a,
    "all_of": lambda _, a, b: a & b,
    "any_of": lambda _, a, b: a | b,
    "bit_and": _same("bitwise_and"),
    "bit_or": _same("bitwise_or"),
    "bit_xor": _same("bitwise_xor"),
    "bit_not": _bit_not,
    "shift_left": _same("shift_left"),
    "shift_right": _same("shift_right"),
    "math:abs": _abs,
    "math:sign": _sign,
    "math:square": lambda _, a: a * a,
    "math:floor": _rounding("floor"),
    "math:ceil": _rounding("ceil"),
    "math:trunc": _rounding("trunc"),
    "math:round": _rounding("nearbyint"),
}  # fmt: skip
"""By the names of ``data.Operation``; any other ``math:`` or ``math2:`` is the intrinsic of that name."""


NOT_OF_TRUTHS = frozenset({"div", "mod", "floordiv", "floormod", "shift_left", "shift_right"})
"""What the arithmetic of truths has no operation for (``num/no-operation``): a run that comes to it is open."""


def operation(name: str, dtype: str, *args: Scalar) -> Scalar:
    """One operation. Raises ``Unfit`` where loop programs have none."""
    if dtype == "bool" and name in NOT_OF_TRUTHS:
        raise Unfit(f"truths have no {name}")
    if name in OPERATIONS:
        return OPERATIONS[name](dtype, *args)
    kind, _, function_name = name.partition(":")
    if kind in ("math", "math2") and dtypes.is_float(dtype):
        return function(function_name, *args)
    raise Unfit(f"no loop program says {name} at {dtype}")


def converted(dtype: str, a: Scalar) -> Scalar:
    """A conversion; of a number that the dtype has, or rounds, the number."""
    if isinstance(a.node, Literal):
        value = bits.literal_value(a.node)
        if dtypes.is_float(dtype) and value - value == 0:
            return lit(dtype, value)
        if dtypes.is_integer(dtype) and isinstance(value, int):
            low, high = dtypes.integer_range(dtype)
            if low <= value <= high:
                return lit(dtype, value)
    return cast(dtype, a)


COMBINE: Mapping[str, BinaryOp] = {
    "add": "Add", "mul": "Mul", "maximum": "Max", "minimum": "Min", "and": "And", "or": "Or",
}  # fmt: skip

OF_TRUTHS: Mapping[str, tuple[BinaryOp, bool]] = {
    "add": ("Or", False), "maximum": ("Or", False), "or": ("Or", False),
    "mul": ("And", True), "minimum": ("And", True), "and": ("And", True),
}  # fmt: skip


def combination(op: str, dtype: str) -> tuple[BinaryOp, Scalar]:
    """How a fold combines, and what it starts with. Raises ``Unfit``."""
    if dtype == "bool" and op in OF_TRUTHS:
        connect, start = OF_TRUTHS[op]
        return connect, lit("bool", start)
    if op not in COMBINE or op in ("and", "or"):
        raise Unfit(f"no loop program folds by {op} at {dtype}")
    starts = {"add": lambda: lit(dtype, 0), "mul": lambda: lit(dtype, 1), "maximum": lambda: least(dtype)}
    return COMBINE[op], starts.get(op, lambda: greatest(dtype))()
