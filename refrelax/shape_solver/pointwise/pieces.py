"""A reduction over integers in pieces: parted where a condition on one of its variables changes.

``sum(v < n + m: v < n ? x[v] : y[v - n])`` is the sum over ``v < n`` and the sum over ``w < m`` of what stands at
``n + w``. Integers and truths may be combined in any order and grouping, so any axis may be parted; the place must lie
in it for all values of what is known.

Spec: ``spec/06c-pointwise.md``, ``sh/words``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from refrelax.rules import rule
from refrelax.semantics.dims import NO_FACTS
from refrelax.semantics.dims.atoms import Atoms
from refrelax.semantics.dims.spell import spell
from refrelax.shape_solver.context import order
from refrelax.shape_solver.pointwise.logic import Given, compare
from refrelax.shape_solver.pointwise.simplify import canonical
from refrelax.shape_solver.pointwise.terms import Apply, Choose, Fold, Int, Term
from refrelax.syntax.scalars import Binary, PrimExpr, SymVar, free_symbols, int_imm

if TYPE_CHECKING:
    from refrelax.shape_solver.pointwise.descent import Descent

MOST_PIECES = 12
MOST_DEPTH = 3
"""How many operations deep a condition is looked for."""


@rule("sh/words")
def pieces(descent: Descent, fold: Fold, given: Given, checked: bool) -> list[Fold]:
    """Reductions from the start of ``fold``, the items of which are together those of ``fold``."""
    found, left = [], [fold]
    while left:
        each = left.pop()
        parts = _parted(descent, each, given, checked) if len(found) + len(left) < MOST_PIECES else None
        if parts is None:
            found.append(each)
        else:
            left += parts
    return found


def _parted(descent: Descent, fold: Fold, given: Given, checked: bool) -> tuple[Fold, Fold] | None:
    logic, terms = descent.logic, descent.terms
    names = {v.name: k for k, (v, _) in enumerate(fold.axes)}
    known = given
    for v, extent in fold.axes:
        known = (*known, *logic.domain(v, extent))
    for atom in _conditions(descent, fold.body, known, checked, MOST_DEPTH):
        for name in sorted(free_symbols(atom) & names.keys()):
            at, (v, extent) = names[name], fold.axes[names[name]]
            place = _place(atom, v)
            if place is None or free_symbols(place) & names.keys():
                continue
            if any(name in free_symbols(e) for _, e in fold.axes):
                continue
            inside = Binary("And", compare("GE", place, int_imm(0, v.dtype)), compare("LE", place, extent))
            if not logic.holds(inside, given, "a reduction in pieces"):
                continue
            w = terms.fresh(v.name, v.dtype)
            by: dict[str, PrimExpr] = {name: Binary("Add", w, place)}
            axes = list(fold.axes)
            axes[at] = (v, place)
            rest = list(fold.axes)
            rest[at] = (w, Binary("Sub", extent, place))
            guard = None if fold.guard is None else terms.index(fold.guard, by)
            return (
                replace(fold, axes=tuple(axes)),
                replace(fold, axes=tuple(rest), guard=guard, body=terms.replaced(fold.body, by)),
            )
    return None


def _conditions(descent: Descent, t: Term, known: Given, checked: bool, depth: int) -> Iterator[PrimExpr]:
    """The comparisons of indices that decide what an item is, outermost first."""
    t = descent.exposed(t, known, checked)
    match t:
        case Choose(Int(condition), yes, no):
            yield from _atoms(canonical(condition))
            if depth:
                yield from _conditions(descent, yes, known, checked, depth - 1)
                yield from _conditions(descent, no, known, checked, depth - 1)
        case Apply(args=args) if depth:
            for each in args:
                yield from _conditions(descent, each, known, checked, depth - 1)
        case _:
            pass


def _atoms(condition: PrimExpr) -> Iterator[PrimExpr]:
    if isinstance(condition, Binary) and condition.op in ("And", "Or"):
        yield from _atoms(condition.a)
        yield from _atoms(condition.b)
    else:
        yield condition


def _place(atom: PrimExpr, v: SymVar) -> PrimExpr | None:
    """The first value of ``v`` at which the truth of an order is another than at the values before."""
    atoms = Atoms(NO_FACTS)
    p = order(atom, atoms)
    if p is None or p.get((v.name,)) not in (1, -1) or sum(1 for mono in p if v.name in mono) != 1:
        return None
    rest = {mono: c for mono, c in p.items() if mono != (v.name,)}
    if p[(v.name,)] == 1:  # v + rest >= 0: from -rest on
        return spell({mono: -c for mono, c in rest.items()}, atoms, v.dtype)
    rest[()] = rest.get((), 0) + 1  # rest - v >= 0: up to rest
    return spell({mono: c for mono, c in rest.items() if c}, atoms, v.dtype)
