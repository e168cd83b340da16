"""Where a rule of ``descents.rewrites`` lays an element out as words: the first place, from the head inwards.

Spec: ``spec/06c-pointwise.md``, ``sh/descent-words``, ``sh/descent-reductions``.
"""

from __future__ import annotations

from typing import Any

from refrelax.rules import rule
from refrelax.shape_solver.context import conjuncts
from refrelax.shape_solver.descents.reductions import TOGETHER
from refrelax.shape_solver.descents.words import WORDS
from refrelax.shape_solver.pointwise.logic import compare
from refrelax.shape_solver.pointwise.pieces import place
from refrelax.shape_solver.pointwise.recording_sides import Sides
from refrelax.shape_solver.pointwise.recording_tables import Moved, NoRecord, Scope
from refrelax.shape_solver.pointwise.terms import Apply, Choose, Fold, Int, Load, Term, mentions
from refrelax.syntax import dtypes
from refrelax.syntax.scalars import Binary, Not, PrimExpr, as_int, int_imm

OPERATIONS = frozenset({
    "Add", "Sub", "Mul", "Max", "Min", "FloorDiv", "FloorMod", "And", "Or", "Not", "EQ", "NE", "LT", "LE", "Cast",
    "T.bitwise_and", "T.bitwise_or", "T.bitwise_xor", "T.bitwise_not", "T.shift_left", "T.shift_right",
})  # fmt: skip
MOST_DEEP = 40


def word_move(recorder: Sides, t: Term, at: Scope, second: bool, depth: int = MOST_DEEP) -> Moved | None:
    """What a part of a word is by one rule, if there is a rule that brings it forward."""
    if t.dtype not in WORDS or not depth:
        return None
    try:
        if (moved := recorder.head(t, at, second)) is not None:
            return moved
        if isinstance(t, Load) and t.tensor.body is not None:
            return recorder.unfolded(t, at, second)
    except NoRecord:
        return None
    terms = recorder.descent.terms
    match t:
        case Apply(op, dtype, args, attrs) if op in OPERATIONS and all(x.dtype in WORDS for x in args):
            for k, each in enumerate(args):
                if (found := word_move(recorder, each, at, second, depth - 1)) is not None:
                    new = terms.apply(op, dtype, (*args[:k], found[2], *args[k + 1 :]), attrs)
                    return ["operand", k, found[0]], found[1], new
        case Fold():
            return fold_move(recorder, t, at, second, depth)
        case Choose(c, yes, no):
            if (found := vacuous(recorder, t, at)) is not None:
                return found
            if (found := word_move(recorder, c, at, second, depth - 1)) is not None:
                return ["condition", found[0]], found[1], terms.choose(found[2], yes, no)
            for place, arm in (("yes", yes), ("no", no)):
                below = recorder.inside(at, c.value if place == "yes" else Not(c.value)) if isinstance(c, Int) else at
                if (found := word_move(recorder, arm, below, second, depth - 1)) is not None:
                    arms = (found[2], no) if place == "yes" else (yes, found[2])
                    return [place, found[0]], found[1], terms.choose(c, *arms)
    return None


# --- reductions


@rule("sh/descent-reductions")
def fold_move(recorder: Sides, t: Fold, at: Scope, second: bool, depth: int) -> Moved | None:
    """What a reduction of integers is by one rule, or by one inside its items."""
    if t.op not in TOGETHER or t.dtype == "bool":
        return None
    for way in (_alike, _spread, _outside, _parted):
        if (found := way(recorder, t, at, second)) is not None:
            return found
    if {v.name for v, _ in t.axes} & at.known.names:
        return None
    found = word_move(recorder, t.body, recorder.items(t, at), second, depth - 1)
    if found is None:
        return None
    new = recorder.descent.terms.fold(t.op, t.start, t.axes, t.guard, found[2], t.free)
    return ["body", found[0]], found[1], new


def _neutral(recorder: Sides, op: str, dtype: str) -> Term:
    low, high = dtypes.integer_range(dtype)
    value = {"Add": 0, "Mul": 1, "Max": low, "Min": high}[op]
    return recorder.descent.terms.integer(int_imm(value, dtype))


def _mentions(recorder: Sides, t: Fold, part: Term) -> bool:
    return mentions(recorder.descent.terms, part, frozenset(v.name for v, _ in t.axes))


def _alike(recorder: Sides, t: Fold, at: Scope, second: bool) -> Moved | None:
    if t.op not in ("Max", "Min") or t.guard is not None or _mentions(recorder, t, t.body):
        return None
    claims: list[Any] = []
    for _, extent in t.axes:
        found = recorder.seen(compare("GE", extent, int_imm(1, extent.dtype)), at)
        if found is None:
            return None
        claims += found
    return ["alike"], claims, recorder.descent.terms.apply(t.op, t.dtype, (t.start, t.body))


def _spread(recorder: Sides, t: Fold, at: Scope, second: bool) -> Moved | None:
    match t.body:
        case Apply(op, dtype, (x, y), attrs) if op in TOGETHER[t.op] and x.dtype == y.dtype == dtype:
            terms = recorder.descent.terms
            starts = (t.start, _neutral(recorder, t.op, t.dtype))
            parts = tuple(
                terms.fold(t.op, start, t.axes, t.guard, each, True) for start, each in zip(starts, (x, y), strict=True)
            )
            return ["spread"], [], terms.apply(op, dtype, parts, attrs)
    return None


def _outside(recorder: Sides, t: Fold, at: Scope, second: bool) -> Moved | None:
    if t.op != "Add":
        return None
    terms, how, one = recorder.descent.terms, [], None
    match t.body:
        case Apply("Mul", dtype, (x, y)) if x.dtype == y.dtype == dtype:
            if not _mentions(recorder, t, x):
                how, one, factor = [0], y, x
            elif not _mentions(recorder, t, y):
                how, one, factor = [1], x, y
        case Int(value) if as_int(value) == 1:
            return None
    if one is None:
        if _mentions(recorder, t, t.body):
            return None
        one, factor = terms.integer(int_imm(1, t.dtype)), t.body
    claims = [] if second else recorder.never(factor, at)
    partial = terms.fold("Add", _neutral(recorder, "Add", t.dtype), t.axes, t.guard, one, True)
    product = terms.apply("Mul", t.dtype, (factor, partial))
    return ["outside", *how], claims, terms.apply("Add", t.dtype, (t.start, product))


def _parted(recorder: Sides, t: Fold, at: Scope, second: bool) -> Moved | None:
    found = place(recorder.descent, t, at.given, second)
    if found is None:
        return None
    k, e = found
    v, extent = t.axes[k]
    terms, zero = recorder.descent.terms, int_imm(0, v.dtype)
    claims = [*recorder.needed(compare("GE", e, zero), at), *recorder.needed(compare("LE", e, extent), at)]
    by: dict[str, PrimExpr] = {v.name: Binary("Add", v, e)}
    before = (*t.axes[:k], (v, e), *t.axes[k + 1 :])
    after = (*t.axes[:k], (v, Binary("Sub", extent, e)), *t.axes[k + 1 :])
    guard = None if t.guard is None else terms.index(t.guard, by)
    parts = (
        terms.fold(t.op, t.start, before, t.guard, t.body, True),
        terms.fold(t.op, _neutral(recorder, t.op, t.dtype), after, guard, terms.replaced(t.body, by), True),
    )
    return ["parted", k, recorder.spell(e)], claims, terms.apply(t.op, t.dtype, parts)


def vacuous(recorder: Sides, t: Choose, at: Scope) -> Moved | None:
    """A choice between a reduction and its start, where it has no items."""
    fold, terms = t.yes, recorder.table
    if not isinstance(t.condition, Int) or not isinstance(fold, Fold):
        return None
    if terms.key(recorder.term(fold.start)) != terms.key(recorder.term(t.no)):
        return None
    claims: list[Any] = []
    axes: list[int] = []
    for part in conjuncts(t.condition.value):
        below = recorder.inside(at, Not(part))
        for k, (_, extent) in enumerate(fold.axes):
            found = recorder.seen(compare("LE", extent, int_imm(0, extent.dtype)), below)
            if found is not None:
                claims += found
                axes.append(k)
                break
        else:
            return None
    return ["vacuous", axes], claims, fold
