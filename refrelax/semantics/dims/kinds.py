"""The kinds of scalar expressions. Arithmetic of dimensions opens index and truth terms only.

Spec: ``spec/06-shapes.md``, ``sh/kind``.
"""

from __future__ import annotations

from typing import Literal as _Lit

from refrelax.rules import rule
from refrelax.semantics.numbers.scalar_operators import BINARY, TERNARY, UNARY
from refrelax.syntax import dtypes
from refrelax.syntax.scalars import (
    COMPARISONS,
    Binary,
    BufferRef,
    Cast,
    CommReducer,
    Intrinsic,
    Let,
    Literal,
    Not,
    PrimExpr,
    RangeArg,
    Select,
    StringImm,
    SymVar,
    walk,
)

Kind = _Lit["index", "float", "truth"]

_KINDS: dict[str, Kind] = {"int": "index", "uint": "index", "float": "float", "bool": "truth"}


def kind_of(dtype: str) -> Kind | None:
    """The kind of a dtype, or of its lanes; handles and ``void`` have none."""
    return _KINDS.get(dtypes.kind(dtype))


@rule("sh/kind")
def of_floats(e: PrimExpr) -> bool:
    """Whether ``e`` is an index or a truth that is computed from floats: an atom of arithmetic.

    A comparison of floats, a conversion from a float, ``T.isnan(x)``. The arms of a choice are of its own kind.
    """
    match e:
        case Cast():
            return dtypes.is_float(e.value.dtype) and not dtypes.is_float(e.dtype)
        case Binary():
            return dtypes.is_float(e.a.dtype) and not dtypes.is_float(e.dtype)
        case Intrinsic():
            return not dtypes.is_float(e.dtype) and any(dtypes.is_float(each.dtype) for each in e.args)
        case _:
            return False


MOST_CLOSED = 256
"""A term of more nodes than this is not looked through for symbols."""


def closed(e: PrimExpr) -> bool:
    """Whether ``e`` is small, mentions no symbol at all, bound ones included, and is well-kinded: it has one value."""
    for count, node in enumerate(walk(e)):
        if count >= MOST_CLOSED or isinstance(node, SymVar) or unfit(node) is not None or misfit(node) is not None:
            return False
    return True


# --- the judgement ---------------------------------------------------------------------------------------------------

_INDEX: frozenset[Kind] = frozenset({"index"})
_FLOAT: frozenset[Kind] = frozenset({"float"})
_TRUTH: frozenset[Kind] = frozenset({"truth"})
_NUMBER: frozenset[Kind] = _INDEX | _FLOAT
_BITS: frozenset[Kind] = _INDEX | _TRUTH
_ANY: frozenset[Kind] = _NUMBER | _TRUTH

OPERANDS: dict[str, frozenset[Kind]] = {
    **dict.fromkeys(("Add", "Sub", "Mul", "Min", "Max", "EQ", "NE", "LT", "LE", "GT", "GE"), _ANY),
    **dict.fromkeys(("Div", "Mod", "FloorDiv", "FloorMod", "truncmod", "pow"), _NUMBER),
    **dict.fromkeys(("And", "Or", "Not"), _TRUTH),
    **dict.fromkeys(UNARY, _FLOAT),
    **dict.fromkeys(BINARY.keys() - {"truncmod", "pow", "ldexp"}, _FLOAT),
    **dict.fromkeys(("floor", "ceil", "round", "nearbyint", "trunc", "sign", "square"), _ANY),
    **dict.fromkeys(("max", "min", "fma", "likely", "reinterpret"), _ANY),
    **dict.fromkeys(("abs", "fabs", "isnan", "isinf", "isfinite"), _NUMBER),
    **dict.fromkeys(("bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_not"), _BITS),
    **dict.fromkeys(("shift_left", "shift_right", "popcount", "clz"), _INDEX),
}
"""Kinds that the operands of an operator or intrinsic may have. Not listed: ``T.if_then_else`` and ``T.ldexp``, whose
operands differ, and everything that is no arithmetic."""


def misfit(e: PrimExpr) -> str | None:
    """Why the operands of ``e`` are not of the kinds that it takes; ``None`` where they are. Looks at one node."""
    match e:
        case Cast() if isinstance(e.value, NO_NUMBER):
            return f"a conversion takes a number, found {e.value.dtype}"
        case Binary() if e.op not in COMPARISONS and dtypes.kind(e.a.dtype) == "handle":
            return f"{e.op} takes numbers, found {e.a.dtype}"
        case Binary():
            return _wrong(e.op, (e.a, e.b), OPERANDS[e.op])
        case Not():
            return _wrong("not", (e.a,), _TRUTH)
        case Select():
            return _choice("T.Select", e.condition, e.true_value, e.false_value)
        case Intrinsic("if_then_else", (c, a, b)):
            return _choice("T.if_then_else", c, a, b) or _wrong_result(e)
        case Intrinsic("ldexp", (a, b)):
            wrong = _wrong("the first operand of T.ldexp", (a,), _FLOAT) or _wrong("T.ldexp", (b,), _INDEX)
            return _valued(e) or wrong or _wrong_result(e)
        case Intrinsic("reinterpret", (BufferRef(),)) if dtypes.kind(e.dtype) == "handle":
            return None  # a pointer, at another type
        case Intrinsic() if e.op in OPERANDS:
            return _valued(e) or _wrong(f"T.{e.op}", e.args, OPERANDS[e.op]) or _wrong_result(e)
        case Intrinsic() if e.op in RESULTS or e.op in OF_SECOND:
            return _wrong_result(e)
        case _:
            return None


NO_NUMBER = (StringImm, BufferRef, CommReducer, RangeArg)
"""What stands among the arguments of an intrinsic and is no operand of arithmetic."""


def _wrong(what: str, operands: tuple[PrimExpr, ...], kinds: frozenset[Kind]) -> str | None:
    for each in operands:
        found = kind_of(each.dtype)
        if isinstance(each, NO_NUMBER):
            return f"{what} takes operands of kind {' or '.join(sorted(kinds))}, found a {type(each).__name__}"
        if found is not None and found not in kinds:
            return f"{what} takes operands of kind {' or '.join(sorted(kinds))}, found {each.dtype} ({found})"
    if len({_alike(each) for each in operands}) > 1:
        return f"{what} takes operands of one kind, floats of one dtype, found {', '.join(e.dtype for e in operands)}"
    return None


def _alike(e: PrimExpr) -> str | None:
    """What the operands of one operation have in common."""
    kind = kind_of(e.dtype)
    return dtypes.element(e.dtype) if kind == "float" else kind


def _valued(e: Intrinsic) -> str | None:
    """The operands of an elementary function are numbers, all with as many lanes."""
    given = ", ".join(each.dtype for each in e.args)
    if e.op != "reinterpret" and any(kind_of(each.dtype) is None for each in e.args):
        return f"T.{e.op} takes numbers, found {given}"
    if len({dtypes.lanes(each.dtype) for each in e.args}) > 1:
        return f"T.{e.op} takes operands of as many lanes, found {given}"
    return None


def _choice(what: str, condition: PrimExpr, a: PrimExpr, b: PrimExpr) -> str | None:
    if _alike(a) != _alike(b):
        return f"the arms of {what} must be of one kind, found {a.dtype} and {b.dtype}"
    if kind_of(condition.dtype) is None:
        return f"the condition of {what} is a truth value, found {condition.dtype}"
    return _wrong(f"the condition of {what}", (condition,), _TRUTH)


ARITY: dict[str, int] = {
    "if_then_else": 3, "likely": 1, "reinterpret": 1,
    **dict.fromkeys(UNARY, 1), **dict.fromkeys(BINARY, 2), **dict.fromkeys(TERNARY, 3),
}  # fmt: skip
"""The intrinsics that may stand in a dimension: functions of their operands and of nothing else."""


def unfit(e: PrimExpr) -> str | None:
    """Why ``e`` cannot stand in a dimension or a prim value; ``None`` where it can. Looks at one node."""
    if kind_of(e.dtype) is None or dtypes.lanes(e.dtype) != 1:
        return f"expected a scalar number or truth value, found {e.dtype}"
    match e:
        case Literal() | SymVar() | Binary() | Not() | Cast() | Select() | Let():
            return None
        case Intrinsic("reinterpret", (a,)) if dtypes.memory_bits(e.dtype) != dtypes.memory_bits(a.dtype):
            return f"T.reinterpret keeps the width, found {a.dtype} as {e.dtype}"
        case Intrinsic() if ARITY.get(e.op) == len(e.args):
            return _wrong_result(e)
        case Intrinsic():
            return f"T.{e.op} of {len(e.args)} operands is no arithmetic on scalars"
        case _:
            return f"{type(e).__name__} is no arithmetic on scalars"


RESULTS = {
    "q_multiply_shift": "int32", "q_multiply_shift_per_axis": "int32", "isnullptr": "bool",
    "tvm_warp_activemask": "uint32",
}  # fmt: skip
OF_SECOND = frozenset(
    {
        "tvm_warp_shuffle", "tvm_warp_shuffle_up", "tvm_warp_shuffle_down", "tvm_warp_shuffle_xor", "atomic_add",
        "cuda.atomic_add",
    }
)  # fmt: skip
"""Of intrinsics that are no arithmetic of dimensions: the dtype of the result, or that it is the second argument's."""


def _wrong_result(e: Intrinsic) -> str | None:
    """Why the dtype of ``e`` is none that its operands give."""
    alike = not e.args or dtypes.lanes(e.dtype) == dtypes.lanes(e.args[0].dtype)
    match e.op:
        case "reinterpret":
            return None
        case "isnan" | "isinf" | "isfinite":
            fits, expected = dtypes.element(e.dtype) == "bool" and alike, "bool"
        case "popcount" | "clz":
            fits, expected = dtypes.is_integer(e.dtype) and alike, "an integer"
        case op if op in RESULTS:
            expected = RESULTS[op]
            fits = dtypes.element(e.dtype) == expected
        case op:
            expected = e.args[1 if op == "if_then_else" or op in OF_SECOND else 0].dtype
            fits = e.dtype == expected or dtypes.kind(e.dtype) == dtypes.kind(expected) == "handle"
    return None if fits else f"T.{e.op} gives {expected} here, found {e.dtype}"
