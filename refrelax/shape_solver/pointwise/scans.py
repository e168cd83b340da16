"""Scans of integers: a loop in which each element is made from the one that the iteration before wrote.

``out[i] = (i > 0 ? out[i - 1] : 0) + a[i]`` leaves in ``out[i]`` the sum of ``a[r]`` over ``r < i + 1``. Integers may
be combined in any order and grouping, so it is a reduction as any other; floats are left out, since the order of a scan
of floats is one that its operator does not promise.

Spec: ``spec/06c-pointwise.md``, ``sh/scan``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from refrelax.rules import rule
from refrelax.semantics.dims import substitute
from refrelax.shape_solver.context import negation
from refrelax.shape_solver.pointwise.elements import NotRead
from refrelax.shape_solver.pointwise.folds import FOLDS
from refrelax.shape_solver.pointwise.logic import Given, Logic, compare
from refrelax.shape_solver.pointwise.state import Update
from refrelax.shape_solver.pointwise.terms import Apply, Choose, Int, Old, Term, Terms, has_old
from refrelax.syntax import dtypes
from refrelax.syntax.loops import BufferStore
from refrelax.syntax.scalars import Binary, BufferLoad, PrimExpr, Select, SymVar, free_symbols, int_imm, walk

PURPOSE = "an iteration goes on from the one before"


def goes_on(
    logic: Logic, store: BufferStore, v: SymVar, own: Sequence[PrimExpr], loaded: Sequence[tuple[PrimExpr, ...]]
) -> bool:
    """Whether a store of integers loads its own buffer nowhere but where the iteration of ``v`` before wrote. ``own``
    and ``loaded``: the indices of the store and of these loads, exact."""
    if (
        not loaded
        or not any(v.name in free_symbols(i) for i in own)
        or dtypes.kind(store.value.dtype) not in ("int", "uint")
        or dtypes.lanes(store.value.dtype) != 1
    ):
        return False
    if any(isinstance(each, Select) for each in walk(store.value)):  # (its arms are evaluated both)
        return False
    earlier = {v.name: Binary("Sub", v, int_imm(1, v.dtype))}
    return all(
        logic.equal(substitute(i, earlier), j, (), PURPOSE) for each in loaded for i, j in zip(own, each, strict=True)
    )


def own_loads(store: BufferStore) -> list[BufferLoad]:
    """The loads of a store's own buffer in what it stores."""
    return [e for e in walk(store.value) if isinstance(e, BufferLoad) and e.buffer == store.buffer]


@rule("sh/scan")
def gathered(terms: Terms, logic: Logic, u: Update, v: SymVar, known: Given) -> Update:
    """The update of an iteration with the reduction that it ends. What was there before is what the iteration before
    wrote. ``known``: what holds of ``v`` and the loops around.

    Raises:
        NotRead: the update is no scan.
    """
    match u.value:
        case Apply(op, _, (Choose() as x, y)) if not has_old(y):
            condition, rest, start = _starts(x)
            item, inclusive = y, True
        case Apply(op, _, (y, Choose() as x)) if not has_old(y):
            condition, rest, start = _starts(x)
            item, inclusive = y, True
        case Choose() as x:
            condition, rest, start = _starts(x)
            op, rest, item = _combined(rest)
            inclusive = False
        case _:
            raise NotRead("an update that is no scan")
    if op not in FOLDS or not isinstance(rest, Old) or has_old(item) or has_old(start):
        raise NotRead("an update that is no scan")
    first, later = compare("EQ", v, int_imm(0, v.dtype)), compare("GE", v, int_imm(1, v.dtype))
    for claim, case in ((condition, later), (negation(condition), first)):
        if not logic.holds(claim, (*known, case), PURPOSE):
            raise NotRead("a scan that starts more than once")
    r, one = terms.fresh(v.name, v.dtype), int_imm(1, v.dtype)
    extent, at = (Binary("Add", v, one), r) if inclusive else (v, Binary("Add", r, one))
    item = terms.replaced(item, {v.name: at})
    start = terms.replaced(start, {v.name: int_imm(0, v.dtype)})
    return replace(u, value=terms.fold(op, start, ((r, extent),), None, item, True), once=True)


def _starts(x: Choose) -> tuple[PrimExpr, Term, Term]:
    """When there is an iteration before, what is then, and what is at the first."""
    if not isinstance(x.condition, Int):
        raise NotRead("a scan whose start depends on data")
    condition = x.condition.value
    return (condition, x.yes, x.no) if has_old(x.yes) else (negation(condition), x.no, x.yes)


def _combined(t: Term) -> tuple[str, Term, Term]:
    match t:
        case Apply(op, _, (Old() as old, item)) | Apply(op, _, (item, Old() as old)):
            return op, old, item
        case _:
            raise NotRead("an update that is no scan")
