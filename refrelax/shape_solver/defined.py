"""Where an expression has a value and what stays in range: the steps of its evaluation that may go wrong, in order.

Spec: ``spec/06b-solver.md``, ``sh/definedness``, ``sh/overflow-first``.
"""

from __future__ import annotations

from dataclasses import dataclass

from refrelax.rules import rule
from refrelax.shape_solver.claim import Division, conjunction
from refrelax.shape_solver.core import PARTIAL, integer, operators_in
from refrelax.syntax.dtypes import is_float
from refrelax.syntax.scalars import (
    Binary,
    Intrinsic,
    Literal,
    Not,
    PrimExpr,
    SymVar,
    as_int,
    bool_imm,
    children,
    int_imm,
    literal_int,
)

ZERO = int_imm(0)
Range = tuple[int, int]


@dataclass(frozen=True, slots=True)
class EvaluationStep:
    """``claim`` holds where this step of an evaluation goes well, asked where those before it did.

    ``defines``: elsewhere there is no value; else: elsewhere the value leaves the range.
    """

    claim: PrimExpr
    defines: bool


@rule("sh/definedness")
def steps(e: PrimExpr, fits: Range | None = None) -> list[EvaluationStep]:
    """The steps of evaluating ``e`` that may go wrong, in evaluation order; those that may leave a range only with
    ``fits``. Symbols are in range. A part that went well before is not asked again."""
    return _steps(e, fits, {})


def _steps(e: PrimExpr, fits: Range | None, done: dict[int, PrimExpr]) -> list[EvaluationStep]:
    """``done``: the objects that are evaluated before, by identity."""
    if id(e) in done:
        return []
    match e:
        case Literal():
            return (
                []
                if fits is None or is_float(e.dtype) or fits[0] <= literal_int(e) <= fits[1]
                else [EvaluationStep(bool_imm(False), False)]
            )
        case SymVar():
            return []
        case Binary("And", a, b):
            found = [*_steps(a, fits, done), *under(a, _steps(b, fits, {**done}))]
        case Binary("Or", a, b):
            found = [*_steps(a, fits, done), *under(Not(a), _steps(b, fits, {**done}))]
        case Intrinsic("if_then_else", (c, a, b)):
            found = _steps(c, fits, done)
            found += [*under(c, _steps(a, fits, {**done})), *under(Not(c), _steps(b, fits, {**done}))]
        case _:
            inner = [step for part in children(e) for step in _steps(part, fits, done)]
            found = [*inner, *_own(e), *_within(e, fits)]
    done[id(e)] = e
    return found


def _own(e: PrimExpr) -> list[EvaluationStep]:
    """What ``e`` itself needs in order to have a value."""
    match e:
        case Binary(("FloorDiv" | "FloorMod" | "Div" | "Mod"), _, b) if not is_float(b.dtype):
            return [] if as_int(b) else [EvaluationStep(Binary("NE", b, ZERO), True)]
        case Intrinsic(("shift_left" | "shift_right"), (_, b)):
            count = as_int(b)
            return [] if count is not None and count >= 0 else [EvaluationStep(Binary("GE", b, ZERO), True)]
        case _:
            return []


def _within(e: PrimExpr, fits: Range | None) -> list[EvaluationStep]:
    """That the value of ``e`` is in the range; of some operators it is where those of the operands are."""
    if (
        fits is None
        or e.dtype == "bool"
        or is_float(e.dtype)
        or (isinstance(e, Binary) and e.op in ("Min", "Max", "FloorMod", "Mod"))
    ):
        return []
    low, high = fits
    return [EvaluationStep(Binary("GE", e, integer(low)), False), EvaluationStep(Binary("LE", e, integer(high)), False)]


def under(guard: PrimExpr, needed: list[EvaluationStep]) -> list[EvaluationStep]:
    """``needed`` where ``guard`` holds."""
    return [EvaluationStep(Binary("Or", Not(guard), each.claim), each.defines) for each in needed]


def conditions(e: PrimExpr) -> list[PrimExpr]:
    """Claims that hold exactly where ``e`` is defined, if each is asked where those before it hold."""
    if PARTIAL not in operators_in(e):
        return []
    return [step.claim for step in steps(e)]


def in_range(e: PrimExpr, low: int, high: int) -> list[PrimExpr]:
    """Claims that every arithmetic step of ``e`` stays within ``low`` and ``high``, in evaluation order, where ``e``
    is defined. Symbols are assumed to be in range."""
    return [step.claim for step in steps(e, (low, high)) if not step.defines]


@rule("sh/overflow-first")
def obligation(claim: PrimExpr, fits: Range | None, division: Division) -> PrimExpr:
    """A claim that is false exactly where ``claim`` is refuted, and defined everywhere: the steps of the evaluation in
    order, up to one that fails (a step out of range; with ``division="require"`` also one without a value) or that
    leaves nothing to ask (``"assume"``: one without a value)."""
    found = steps(claim, fits)
    if all(step.defines <= (division == "require") for step in found):
        return conjunction([*(step.claim for step in found), claim])
    for step in reversed(found):
        if step.defines and division == "assume":
            claim = Binary("Or", Not(step.claim), claim)
        else:
            claim = Binary("And", step.claim, claim)
    return claim
