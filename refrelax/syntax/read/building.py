"""Scalar expressions as TVM constructs them: operand promotion, and folding at construction.

``a + b`` in a text does not always give an addition: operands of unequal dtype are cast to a common one, two literals
fold, and ``x + 0``, ``x * 1``, ``x * 0`` … disappear while the node is built. The functions here do the same, so that a
text means the same tree to refrelax and to TVM (rules of ``src/tirx/op/op.cc`` and ``src/arith/const_fold.h`` of TVM).
Spec: ``spec/03b-loops-syntax.md`` ("Operands").
"""

from __future__ import annotations

import math
from collections.abc import Callable

from refrelax.errors import Span
from refrelax.rules import rule
from refrelax.syntax import bits, dtypes
from refrelax.syntax.read.folding import FOLDS, is_index, number
from refrelax.syntax.read.folding import BuildError as BuildError
from refrelax.syntax.scalars import (
    COMPARISONS,
    Binary,
    BinaryOp,
    Broadcast,
    Cast,
    Intrinsic,
    Literal,
    Not,
    PrimExpr,
    Ramp,
    Select,
    bool_imm,
)

# --- literals --------------------------------------------------------------------------------------------------------


@rule("syn/scalar-range")
def constant(value: int | float, dtype: str, span: Span | None = None) -> PrimExpr:
    """``value`` as a literal of ``dtype`` (a broadcast one for a vector dtype).

    Raises:
        BuildError: an integer outside the dtype's range, or a dtype without literals.
    """
    scalar = dtypes.element(dtype)
    kind = dtypes.kind(scalar)
    if kind in ("handle", "void"):
        raise BuildError("syn/operand-types", f"{dtype} has no literals")
    if kind in ("int", "uint"):
        value = _whole(value, scalar)
    if not bits.has_number(scalar, value):
        raise BuildError("syn/scalar-range", f"{scalar} has no NaN")
    node = Literal(scalar, bits.encode(scalar, value), span=span)
    return node if dtypes.lanes(dtype) == 1 else Broadcast(node, dtypes.lanes(dtype), span=span)


def _whole(value: int | float, dtype: str) -> int:
    if isinstance(value, float) and not math.isfinite(value):
        raise BuildError("syn/scalar-range", f"{value} is no {dtype}")
    whole = int(value)
    low, high = dtypes.integer_range(dtype)
    if not low <= whole <= high:
        raise BuildError("syn/scalar-range", f"literal {whole} is outside the range [{low}, {high}] of {dtype}")
    return whole


def from_python(value: bool | int | float, int_dtype: str = "int32", span: Span | None = None) -> PrimExpr:
    """A bare Python number as TVM converts it: bool, ``int_dtype`` (int64 if it does not fit), or float32."""
    if isinstance(value, bool):
        return bool_imm(value, span)
    if isinstance(value, float):
        return constant(value, "float32", span)
    low, high = dtypes.integer_range(int_dtype)
    return constant(value, int_dtype if low <= value <= high else "int64", span)


# --- casts and promotion ---------------------------------------------------------------------------------------------


def cast(dtype: str, value: PrimExpr, span: Span | None = None) -> PrimExpr:
    """``value`` converted to ``dtype``; literals fold, a scalar becomes a broadcast where ``dtype`` is a vector."""
    if value.dtype == dtype:
        return value
    if "void" in (dtypes.kind(value.dtype), dtypes.kind(dtype)) or "handle" in (
        dtypes.kind(value.dtype),
        dtypes.kind(dtype),
    ):
        raise BuildError("syn/operand-types", f"a {value.dtype} cannot be cast to {dtype}")
    lanes = dtypes.lanes(dtype)
    if lanes == 1:
        if dtypes.lanes(value.dtype) != 1:
            raise BuildError("syn/operand-types", f"a {value.dtype} cannot be cast to the scalar {dtype}")
        return _cast_scalar(dtype, value, span)
    scalar = dtypes.element(dtype)
    if dtypes.lanes(value.dtype) == 1:
        return Broadcast(cast(scalar, value, span), lanes, span=span)
    if dtypes.lanes(value.dtype) != lanes:
        raise BuildError("syn/operand-types", f"a {value.dtype} cannot be cast to {dtype}: the lanes differ")
    if isinstance(value, Broadcast):
        return Broadcast(cast(scalar, value.value, span), lanes, span=span)
    if isinstance(value, Ramp) and dtypes.is_integer(dtype):
        return Ramp(cast(scalar, value.base, span), cast(scalar, value.stride, span), lanes, span=span)
    return Cast(dtype, value, span=span)


def _cast_scalar(dtype: str, value: PrimExpr, span: Span | None) -> PrimExpr:
    if not isinstance(value, Literal):
        return Cast(dtype, value, span=span)
    number = bits.literal_value(value)
    if dtypes.is_integer(dtype):
        low, high = dtypes.integer_range(dtype)
        if isinstance(number, float) and not (math.isfinite(number) and low <= math.trunc(number) <= high):
            return Cast(dtype, value, span=span)  # poison, which no literal is
        return Literal(dtype, bits.encode(dtype, math.trunc(number)), span=span)
    if not bits.has_number(dtype, number):
        return Cast(dtype, value, span=span)
    return Literal(dtype, bits.encode(dtype, number), span=span)


def _family(dtype: str) -> int:
    """Which of two kinds of float wins: IEEE first, then bfloat16, then 8, 6 and 4 bits; -1 for no float."""
    scalar = dtypes.element(dtype)
    if not dtypes.is_float(scalar):
        return -1
    if scalar in ("float16", "float32", "float64"):
        return 4
    if scalar == "bfloat16":
        return 3
    return {8: 2, 6: 1, 4: 0}[dtypes.bits(scalar)]


def common_dtype(a: str, b: str) -> str:
    """The dtype that operands of dtype ``a`` and ``b`` (equal lanes) are brought to.

    Floats beat integers and bools, wider beats narrower, unsigned beats signed of the same width, integers beat bools.
    """
    if a == b:
        return a
    first, second = _family(a), _family(b)
    if first >= 0 or second >= 0:
        if first == second:
            return b if dtypes.bits(a) < dtypes.bits(b) and first == 4 else a
        return a if first > second else b
    kinds = (dtypes.kind(a), dtypes.kind(b))
    if "handle" in kinds or "void" in kinds:
        raise BuildError("syn/operand-types", f"operands of {a} and {b} do not go together")
    if kinds[0] == "bool":
        return b
    if kinds[1] == "bool":
        return a
    if dtypes.bits(a) != dtypes.bits(b):
        return a if dtypes.bits(a) > dtypes.bits(b) else b
    return a if kinds[0] == "uint" else b


@rule("syn/operand-types")
def match_operands(a: PrimExpr, b: PrimExpr) -> tuple[PrimExpr, PrimExpr]:
    """``a`` and ``b`` brought to equal lanes and a common dtype."""
    if a.dtype == b.dtype:
        return a, b
    lanes = dtypes.lanes(a.dtype), dtypes.lanes(b.dtype)
    if lanes[0] == 1 != lanes[1]:
        a = Broadcast(a, lanes[1])
    elif lanes[1] == 1 != lanes[0]:
        b = Broadcast(b, lanes[0])
    elif lanes[0] != lanes[1]:
        raise BuildError("syn/operand-types", f"operands of {a.dtype} and {b.dtype}: the lanes differ")
    common = common_dtype(a.dtype, b.dtype)
    return cast(common, a), cast(common, b)


# --- binary operations -----------------------------------------------------------------------------------------------


def binary(op: BinaryOp, a: PrimExpr, b: PrimExpr, span: Span | None = None) -> PrimExpr:
    """``a op b`` as the operators of the text build it: operands matched, then folded.

    Raises:
        BuildError: operands that the operation does not take, or a division by the literal 0.
    """
    if op in ("And", "Or"):
        for each in (a, b):
            if dtypes.kind(each.dtype) != "bool":
                raise BuildError("syn/operand-types", f"'{op.lower()}' takes bools, not {each.dtype}")
    if op in ("FloorDiv", "FloorMod"):
        for each in (a, b):
            if not dtypes.is_integer(each.dtype):
                raise BuildError("syn/operand-types", f"{op} takes integers, not {each.dtype}")
    a, b = match_operands(a, b)
    if dtypes.kind(a.dtype) in ("handle", "void") and op not in COMPARISONS:
        raise BuildError("syn/operand-types", f"{op} takes numbers, not {a.dtype}")
    folded = FOLDS[op](a, b)
    return folded if folded is not None else Binary(op, a, b, span=span)


@rule("syn/ambiguous-division")
def divide(a: PrimExpr, b: PrimExpr, span: Span | None = None) -> PrimExpr:
    """``a / b``: a division of floats; two integers are refused, since the text does not say how to round."""
    if dtypes.kind(a.dtype) == "int" and dtypes.kind(b.dtype) == "int":
        raise BuildError("syn/ambiguous-division", "'/' of two integers: write //, T.truncdiv or T.Div")
    return binary("Div", a, b, span)


def raw_binary(op: BinaryOp, a: PrimExpr, b: PrimExpr, span: Span | None = None) -> PrimExpr:
    """``T.Add(a, b)`` and its kin: exactly this node, nothing folded; the operands must already agree."""
    if a.dtype != b.dtype:
        raise BuildError("syn/operand-types", f"T.{op} takes operands of one dtype, not {a.dtype} and {b.dtype}")
    if op in ("And", "Or") and dtypes.kind(a.dtype) != "bool":
        raise BuildError("syn/operand-types", f"T.{op} takes bools, not {a.dtype}")
    return Binary(op, a, b, span=span)


# --- other constructors ----------------------------------------------------------------------------------------------


def logical_not(a: PrimExpr, span: Span | None = None) -> PrimExpr:
    """``not a``."""
    if dtypes.kind(a.dtype) != "bool":
        raise BuildError("syn/operand-types", f"'not' takes a bool, not {a.dtype}")
    return bool_imm(not a.bits, span) if isinstance(a, Literal) else Not(a, span=span)


def negative(a: PrimExpr, span: Span | None = None) -> PrimExpr:
    """``-a``, which is ``a * -1``."""
    if dtypes.kind(a.dtype) not in ("int", "float"):
        raise BuildError("syn/operand-types", f"unary minus takes a signed number, not {a.dtype}")
    if isinstance(a, Literal) and dtypes.is_float(a.dtype) and a.dtype not in ("float32", "float64"):
        return Literal(a.dtype, bits.encode(a.dtype, -bits.literal_value(a)), span=span)
    return binary("Mul", a, constant(-1, a.dtype, span), span)


_BIT_FOLDS: dict[str, Callable[[int, int], int]] = {
    "shift_left": lambda p, q: p << q,
    "shift_right": lambda p, q: p >> q,
    "bitwise_and": lambda p, q: p & q,
    "bitwise_or": lambda p, q: p | q,
    "bitwise_xor": lambda p, q: p ^ q,
}


@rule("syn/shift-count")
def bit_operation(name: str, a: PrimExpr, b: PrimExpr, span: Span | None = None) -> PrimExpr:
    """``<<``, ``>>``, ``&``, ``|``, ``^``: an intrinsic; int32 and int64 literals fold."""
    shift = name.startswith("shift")
    for each in (a, b):
        if not (dtypes.is_integer(each.dtype) or (dtypes.kind(each.dtype) == "bool" and not shift)):
            raise BuildError("syn/operand-types", f"{name} takes integers, not {each.dtype}")
    a, b = match_operands(a, b)
    if is_index(a.dtype):
        x, y = number(a), number(b)
        if shift and y is not None and not 0 <= y < dtypes.bits(a.dtype):
            raise BuildError(
                "syn/shift-count", f"a shift of {a.dtype} by {y}: expected 0 to {dtypes.bits(a.dtype) - 1}"
            )
        if x is not None and y is not None:
            return Literal(a.dtype, bits.encode(a.dtype, _BIT_FOLDS[name](int(x), int(y))), span=span)
        if shift and y == 0:
            return a
    return Intrinsic(name, (a, b), a.dtype, span=span)


def bitwise_not(a: PrimExpr, span: Span | None = None) -> PrimExpr:
    """``~a``."""
    if not dtypes.is_integer(a.dtype) and dtypes.kind(a.dtype) != "bool":
        raise BuildError("syn/operand-types", f"'~' takes an integer, not {a.dtype}")
    return Intrinsic("bitwise_not", (a,), a.dtype, span=span)


def if_then_else(condition: PrimExpr, a: PrimExpr, b: PrimExpr, span: Span | None = None) -> PrimExpr:
    """``T.if_then_else``: only the chosen arm is evaluated; a literal condition chooses while reading."""
    if dtypes.kind(condition.dtype) != "bool":
        raise BuildError("syn/operand-types", f"if_then_else takes a bool condition, not {condition.dtype}")
    a, b = match_operands(a, b)
    if isinstance(condition, Literal):
        return a if condition.bits else b
    return Intrinsic("if_then_else", (condition, a, b), a.dtype, span=span)


def select(condition: PrimExpr, a: PrimExpr, b: PrimExpr, span: Span | None = None) -> PrimExpr:
    """``T.Select``: both arms are evaluated; they must already agree."""
    if dtypes.kind(condition.dtype) != "bool":
        raise BuildError("syn/operand-types", f"T.Select takes a bool condition, not {condition.dtype}")
    if a.dtype != b.dtype:
        raise BuildError("syn/operand-types", f"T.Select takes arms of one dtype, not {a.dtype} and {b.dtype}")
    return Select(condition, a, b, span=span)
