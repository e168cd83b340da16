"""Integer expressions in index position: extents, bounds, indices, conditions over loop variables.

They are exact Python integers; a result that does not fit the dtype of its operation ends the run
(``Unspecified("ld/index-overflow")``), unless the known bounds show that it fits. Conditions give Python bools.

Spec: ``spec/07-evaluation.md``, *Index arithmetic*.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from refrelax.errors import Ended, Exhausted, Span, UsageError, unspecified
from refrelax.rules import rule
from refrelax.semantics.loops.frame import Builder, Frame, Index, Run, fixed
from refrelax.syntax import dtypes
from refrelax.syntax.scalars import (
    Binary,
    BufferLoad,
    Cast,
    Intrinsic,
    Literal,
    Not,
    PrimExpr,
    Select,
    SymVar,
    children,
    literal_int,
    walk,
)


def is_index(build: Builder, expr: PrimExpr) -> bool:
    """Whether ``expr`` is made of literals and index variables only: integers or bools, no memory, no elements."""
    return of_indices(expr, lambda v: v.name in build.variables, lambda field: build.field(field) is not None)


def of_indices(
    expr: PrimExpr,
    variable: Callable[[SymVar], bool] = lambda v: _integral(v.dtype),
    field: Callable[[Intrinsic], bool] = lambda _field: False,
) -> bool:
    """``is_index`` of an expression in which ``variable`` tells index variables, and ``field`` what is known of what
    a caller gives."""
    pending = [expr]
    while pending:
        node = pending.pop()
        match node:
            case Literal():
                if dtypes.kind(node.dtype) == "float":
                    return False
            case SymVar():
                if not variable(node):
                    return False
            case Binary() | Not() | Select():
                pending.extend(children(node))
            case Cast():
                if not _integral(node.dtype) or not _integral(node.value.dtype):
                    return False
                pending.append(node.value)
            case Intrinsic(op="if_then_else" | "likely" | "shift_left" | "shift_right" | "bitwise_and" | "bitwise_or"):
                pending.extend(node.args)
            case Intrinsic(op="tvm_struct_get" | "isnullptr") if _integral(node.dtype):
                if not field(node):
                    return False
            case _:
                return False
    return dtypes.lanes(expr.dtype) == 1


def _integral(dtype: str) -> bool:
    return dtypes.kind(dtype) in ("int", "uint", "bool") and dtypes.lanes(dtype) == 1


@rule("ld/index-arithmetic")
def build_index(build: Builder, expr: PrimExpr) -> Index:
    """Build an integer or bool expression whose value is needed as a Python number.

    An expression that reads memory is an element first and then converted: poison there ends the run.
    """
    if not _integral(expr.dtype) or (isinstance(expr, Binary | Cast) and not _integral(_operand(expr).dtype)):
        return _from_element(build, expr)  # a comparison or a cast of floats: decided on elements
    match expr:
        case Literal():
            return fixed(literal_int(expr))
        case SymVar() if expr.name in build.variables:
            return build.variables[expr.name]
        case Binary():
            return _binary(build, expr)
        case Not():
            whole = build_index(build, expr.a)
            denied = whole.run
            return Index(lambda frame: not denied(frame), 0, 1, ends=whole.ends)
        case Cast():
            return _cast(build, expr)
        case Select():
            return _select(build, expr)
        case Intrinsic():
            return _intrinsic(build, expr)
        case _:
            return _from_element(build, expr)


def _from_element(build: Builder, expr: PrimExpr) -> Index:
    element = build.element(expr)
    numerics, dtype = build.context.numerics, expr.dtype
    if dtypes.kind(dtype) == "float":
        raise UsageError(f"an index of dtype {dtype}")
    truth, decide, to_index = dtypes.kind(dtype) == "bool", numerics.decide, numerics.to_index

    def needed(frame: Frame) -> Any:
        payload = element(frame)
        try:
            return decide(payload) if truth else to_index(payload, dtype)
        except Ended as end:
            raise _told_where(build, expr, frame, end) from None

    return Index(needed, 0, 1, ends=True) if truth else Index(needed, ends=True)


def _told_where(build: Builder, expr: PrimExpr, frame: Frame, end: Ended) -> Ended:
    """An element that cannot decide, with the places that it was read from."""
    read = []
    for node in walk(expr):
        if isinstance(node, BufferLoad) and all(is_index(build, i) for i in node.indices):
            at = ", ".join(str(int(build_index(build, i).run(frame))) for i in node.indices)
            read.append(f"{node.buffer}[{at}]")
    if not read or isinstance(end.outcome, Exhausted):
        return end
    message = f"{end.outcome.message}, of what was read from {', '.join(dict.fromkeys(read))}"
    return Ended(replace(end.outcome, message=message, span=end.outcome.span or expr.span))


def _operand(expr: Binary | Cast) -> PrimExpr:
    return expr.a if isinstance(expr, Binary) else expr.value


def _select(build: Builder, expr: Select) -> Index:
    """Both arms are evaluated, so what ends the run in either of them ends it."""
    c, a, b = (build_index(build, each) for each in children(expr))
    lazy = _join(c, a, b)
    if a.constant is not None and b.constant is not None:
        return lazy
    first, second, test = a.run, b.run, c.run

    def both(frame: Frame) -> Any:
        taken, yes, no = test(frame), first(frame), second(frame)
        return yes if taken else no

    return Index(both, lazy.lo, lazy.hi, ends=_may_end(c, a, b))


def _choose(build: Builder, condition: PrimExpr, yes: PrimExpr, no: PrimExpr) -> Index:
    return _join(build_index(build, condition), build_index(build, yes), build_index(build, no))


def _join(c: Index, a: Index, b: Index) -> Index:
    """The lazy choice, with the hull of the arms' bounds."""
    if c.constant is not None:
        return a if c.constant else b
    ends = _may_end(c, a, b)
    lo = None if a.lo is None or b.lo is None else min(a.lo, b.lo)
    hi = None if a.hi is None or b.hi is None else max(a.hi, b.hi)
    test, first, second = c.run, a.run, b.run
    return Index(lambda frame: first(frame) if test(frame) else second(frame), lo, hi, ends=ends)


def _may_end(*parts: Index) -> bool:
    """Whether evaluating one of ``parts`` may end the run."""
    return any(each.ends for each in parts)


def _intrinsic(build: Builder, expr: Intrinsic) -> Index:
    match expr.op:
        case "if_then_else":
            return _choose(build, *expr.args)
        case "likely":
            return build_index(build, expr.args[0])
        case "shift_left" | "shift_right":
            return _shift(build, expr)
        case "bitwise_and":
            a, b = (build_index(build, each) for each in expr.args)
            hi = b.hi if b.lo is not None and b.lo >= 0 else None
            return Index(_both(operator.and_)(a, b), 0 if hi is not None else None, hi, ends=_may_end(a, b))
        case "tvm_struct_get" | "isnullptr":
            return build.field(expr) or _from_element(build, expr)
        case "bitwise_or":
            a, b = (build_index(build, each) for each in expr.args)
            return Index(_both(operator.or_)(a, b), ends=_may_end(a, b))
        case _:
            return _from_element(build, expr)


def _shift(build: Builder, expr: Intrinsic) -> Index:
    a, b = (build_index(build, each) for each in expr.args)
    width, span, left = dtypes.bits(expr.dtype), expr.span, expr.op == "shift_left"
    value, count = a.run, b.run

    def shift(frame: Frame) -> int:
        n = count(frame)
        if not 0 <= n < width:
            raise unspecified("num/shift-range", f"an index is shifted by {n}, the width is {width}", span)
        return int(value(frame) << n if left else value(frame) >> n)

    index = Index(shift, ends=True)
    if a.constant is not None and b.constant is not None and 0 <= b.constant < width:
        index = fixed(a.constant << b.constant if left else a.constant >> b.constant)
    return _fitting(index, expr.dtype, span) if left else index


def _cast(build: Builder, expr: Cast) -> Index:
    a = build_index(build, expr.value)
    value, kind = a.run, dtypes.kind(expr.dtype)
    if kind == "bool":
        return Index(lambda frame: value(frame) != 0, 0, 1, ends=a.ends)
    lo, hi = dtypes.integer_range(expr.dtype)
    if a.lo is not None and a.hi is not None and lo <= a.lo and a.hi <= hi:
        if dtypes.kind(expr.value.dtype) != "bool":
            return a
        return Index(lambda frame: int(value(frame)), a.lo, a.hi, ends=a.ends)
    mask, sign = (1 << dtypes.bits(expr.dtype)) - 1, hi + 1 if kind == "int" else 0
    return Index(lambda frame: ((value(frame) + sign) & mask) - sign, lo, hi, ends=a.ends)


# --- binary operations -----------------------------------------------------------------------------------------------

Bounds = tuple[int | None, int | None]


def _binary(build: Builder, expr: Binary) -> Index:
    a, b = build_index(build, expr.a), build_index(build, expr.b)
    if expr.op in ("FloorDiv", "FloorMod", "Div", "Mod"):
        return _division(expr, a, b)
    if a.constant is not None and b.constant is not None:
        value = _PLAIN[expr.op](fixed(a.constant), fixed(b.constant))([])
        lo, hi = dtypes.integer_range(expr.dtype)
        if lo <= value <= hi:
            return fixed(int(value))
    index = Index(_PLAIN[expr.op](a, b), *_BOUNDS.get(expr.op, _truth_bounds)(a, b), ends=_may_end(a, b))
    return _fitting(index, expr.dtype, expr.span) if expr.op in ("Add", "Sub", "Mul") else index


def _fitting(index: Index, dtype: str, span: Span | None) -> Index:
    """``index`` with an overflow check, unless its bounds show that it fits ``dtype``."""
    least, greatest = dtypes.integer_range(dtype)
    if index.lo is not None and index.hi is not None and least <= index.lo and index.hi <= greatest:
        return index
    run = index.run

    def checked(frame: Frame) -> int:
        value = run(frame)
        if least <= value <= greatest:
            return int(value)
        raise unspecified("ld/index-overflow", f"{value} does not fit {dtype} in index arithmetic", span)

    lo = least if index.lo is None else max(least, index.lo)
    hi = greatest if index.hi is None else min(greatest, index.hi)
    return Index(checked, lo, hi, ends=True)


def _add(a: Index, b: Index) -> Callable[[Frame], Any]:
    f, g = a.run, b.run
    if b.constant is not None:
        c = b.constant
        if a.slot is not None:
            k = a.slot
            return lambda frame: frame[k] + c
        return lambda frame: f(frame) + c
    if a.slot is not None and b.slot is not None:
        k, m = a.slot, b.slot
        return lambda frame: frame[k] + frame[m]
    return lambda frame: f(frame) + g(frame)


def _mul(a: Index, b: Index) -> Callable[[Frame], Any]:
    f, g = a.run, b.run
    if b.constant is not None:
        c = b.constant
        if a.slot is not None:
            k = a.slot
            return lambda frame: frame[k] * c
        return lambda frame: f(frame) * c
    return lambda frame: f(frame) * g(frame)


def _both(apply: Callable[[Any, Any], Any]) -> Callable[[Index, Index], Run]:
    """Both operands, left to right, then ``apply``: at loop level no connective short-circuits."""

    def build(a: Index, b: Index) -> Run:
        f, g = a.run, b.run
        return lambda frame: apply(f(frame), g(frame))

    return build


_PLAIN: dict[str, Callable[[Index, Index], Run]] = {
    "Add": _add,
    "Mul": _mul,
    "Sub": _both(operator.sub),
    "Min": _both(min),
    "Max": _both(max),
    "EQ": _both(operator.eq),
    "NE": _both(operator.ne),
    "LT": _both(operator.lt),
    "LE": _both(operator.le),
    "GT": _both(operator.gt),
    "GE": _both(operator.ge),
    "And": _both(operator.and_),
    "Or": _both(operator.or_),
}


def _sum_bounds(a: Index, b: Index) -> Bounds:
    return (
        None if a.lo is None or b.lo is None else a.lo + b.lo,
        None if a.hi is None or b.hi is None else a.hi + b.hi,
    )


def _difference_bounds(a: Index, b: Index) -> Bounds:
    return (
        None if a.lo is None or b.hi is None else a.lo - b.hi,
        None if a.hi is None or b.lo is None else a.hi - b.lo,
    )


def _product_bounds(a: Index, b: Index) -> Bounds:
    if a.lo is None or a.hi is None or b.lo is None or b.hi is None:
        return None, None
    corners = [x * y for x in (a.lo, a.hi) for y in (b.lo, b.hi)]
    return min(corners), max(corners)


def _min_bounds(a: Index, b: Index) -> Bounds:
    highs = [x for x in (a.hi, b.hi) if x is not None]
    return None if a.lo is None or b.lo is None else min(a.lo, b.lo), min(highs, default=None)


def _max_bounds(a: Index, b: Index) -> Bounds:
    lows = [x for x in (a.lo, b.lo) if x is not None]
    return max(lows, default=None), None if a.hi is None or b.hi is None else max(a.hi, b.hi)


def _truth_bounds(a: Index, b: Index) -> Bounds:
    return 0, 1


_BOUNDS: dict[str, Callable[[Index, Index], Bounds]] = {
    "Add": _sum_bounds,
    "Sub": _difference_bounds,
    "Mul": _product_bounds,
    "Min": _min_bounds,
    "Max": _max_bounds,
}


@rule("num/int-division-by-zero")
def _division(expr: Binary, a: Index, b: Index) -> Index:
    op, span, numerator, denominator = expr.op, expr.span, a.run, b.run
    divide = _DIVIDE[op]

    def run(frame: Frame) -> int:
        n, d = numerator(frame), denominator(frame)
        if d == 0:
            raise unspecified("num/int-division-by-zero", "an index is divided by zero", span)
        return divide(n, d)

    c = b.constant
    if c is not None and c > 0 and op in ("FloorDiv", "FloorMod"):
        if a.constant is not None:
            return fixed(divide(a.constant, c))
        if op == "FloorDiv":
            bounds = None if a.lo is None else a.lo // c, None if a.hi is None else a.hi // c
            return Index(lambda frame: numerator(frame) // c, *bounds, ends=a.ends)
        if a.lo is not None and a.hi is not None and a.lo >= 0 and a.hi < c:
            return a
        return Index(lambda frame: numerator(frame) % c, 0, c - 1, ends=a.ends)
    return _fitting(Index(run, ends=True), expr.dtype, span)


def truncated_quotient(a: int, b: int) -> int:
    """``a / b`` rounded toward zero."""
    q = abs(a) // abs(b)
    return q if (a < 0) == (b < 0) else -q


def truncated_remainder(a: int, b: int) -> int:
    """The remainder with the sign of ``a``."""
    return a - b * truncated_quotient(a, b)


_DIVIDE: dict[str, Callable[[int, int], int]] = {
    "FloorDiv": lambda a, b: a // b,
    "FloorMod": lambda a, b: a % b,
    "Div": truncated_quotient,
    "Mod": truncated_remainder,
}
