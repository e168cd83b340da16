"""Reductions: recognising one where a loop closes, and what combining with nothing means.

Spec: ``spec/06c-pointwise.md``, ``sh/fold``.
"""

from __future__ import annotations

from refrelax.rules import rule
from refrelax.semantics.dims import substitute
from refrelax.shape_solver.context import negation
from refrelax.shape_solver.pointwise.elements import NotRead
from refrelax.shape_solver.pointwise.logic import Given, Logic, all_of, assumed, compare, within
from refrelax.shape_solver.pointwise.terms import OLD, Apply, Choose, Fold, Int, Old, Term, Terms, has_old, mentions
from refrelax.syntax.scalars import PrimExpr, SymVar, int_imm

FOLDS = frozenset({"Add", "Mul", "Max", "Min", "And", "Or"})
"""Operations of reductions: ``C = C op item``, in either order of operands."""


@rule("sh/fold")
def gathered(
    terms: Terms,
    logic: Logic,
    value: Term,
    v: SymVar,
    extent: PrimExpr,
    own: Given,
    known: Given,
    free: bool,
) -> tuple[Term, bool]:
    """What an element is after the updates ``value`` of every iteration of ``v``, and whether it starts afresh.

    ``own``: conditions under which an iteration counts; ``known``: what holds of the element and the loops around.

    Raises:
        NotRead: the updates are no reduction.
    """
    op, before, axes, guard, body = _parted(terms, value)
    if has_old(body) or any(mentions(terms, terms.integer(extent), frozenset({v.name})) for _, extent in axes):
        raise NotRead("an update that is no reduction")
    start = _start(terms, logic, before, v, extent, own, known)
    whole = all_of([*own, *(() if guard is None else (guard,))])
    fold = terms.fold(op, start, ((v, extent), *axes), whole, body, free)
    return fold, not isinstance(start, Old)


def _parted(terms: Terms, value: Term) -> tuple[str, Term, tuple[tuple[SymVar, PrimExpr], ...], PrimExpr | None, Term]:
    """The operation, what is there before, inner axes with their guard, and the item."""
    match value:
        case Choose(Int(condition), yes, Old()) if not has_old(terms.integer(condition)):
            op, before, axes, guard, body = _parted(terms, yes)
            if axes:
                raise NotRead("a guarded reduction inside another")
            return op, before, axes, condition if guard is None else all_of([condition, guard]), body
        case Fold():
            return value.op, value.start, value.axes, value.guard, value.body
        case Apply(op, _, (a, b)) if op in FOLDS:
            if has_old(a) and not has_old(b):
                return op, a, (), None, b
            if has_old(b) and not has_old(a):
                return op, b, (), None, a
    raise NotRead("an update that is no reduction")


def _start(terms: Terms, logic: Logic, before: Term, v: SymVar, extent: PrimExpr, own: Given, known: Given) -> Term:
    """The value that the first iteration finds; every later one must find the result so far."""
    match before:
        case Old():
            return OLD
        case Choose(Int(condition), initial, Old()) if not has_old(initial):
            zero = {v.name: int_imm(0, v.dtype)}
            later = (*known, *within(v, extent), compare("GE", v, int_imm(1, v.dtype)))
            if not logic.holds(negation(condition), later, "a reduction starts once"):
                raise NotRead("a reduction that starts more than once")
            at_first = substitute(condition, zero)
            runs = assumed((*known, compare("LT", int_imm(0, extent.dtype), extent)), at_first)
            for each in own:  # (where it does not start, it goes on from what is there, whichever counts first)
                if not logic.holds(substitute(each, zero), runs, "the first iteration counts"):
                    raise NotRead("a reduction whose first iteration may not count")
            initial = terms.replaced(initial, zero)
            if logic.holds(at_first, known, "a reduction starts"):
                return initial
            return terms.choose(terms.integer(at_first), initial, OLD)
        case _:
            raise NotRead("a reduction with an unusual start")
