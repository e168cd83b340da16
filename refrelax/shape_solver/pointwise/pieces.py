"""A reduction over integers in pieces: parted where a condition on one of its variables changes.

``sum(v < n + m: v < n ? x[v] : y[v - n])`` is the sum over ``v < n`` and the sum over ``w < m`` of what stands at
``n + w``. Integers and truths may be combined in any order and grouping, so any axis may be parted; the place must lie
in it for all values of what is known.

Spec: ``spec/06c-pointwise.md``, ``sh/words``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from refrelax.rules import rule
from refrelax.semantics.dims import NO_FACTS
from refrelax.semantics.dims.atoms import Atoms
from refrelax.semantics.dims.normal import normal
from refrelax.semantics.dims.poly import Poly, add, sub
from refrelax.semantics.dims.spell import spell
from refrelax.shape_solver.context import order
from refrelax.shape_solver.pointwise.logic import Given, compare
from refrelax.shape_solver.pointwise.simplify import canonical
from refrelax.shape_solver.pointwise.terms import Apply, Choose, Fold, Int, Term
from refrelax.syntax.scalars import Binary, PrimExpr, Select, SymVar, as_int, free_symbols, int_imm

if TYPE_CHECKING:
    from refrelax.shape_solver.pointwise.descent import Descent

PURPOSE = "a reduction in pieces"

MOST_PIECES = 12
MOST_DEPTH = 3
"""How many operations deep a condition is looked for."""


@rule("sh/words")
def pieces(descent: Descent, fold: Fold, given: Given, checked: bool, places: Sequence[PrimExpr] = ()) -> list[Fold]:
    """Reductions from the start of ``fold``, the items of which are together those of ``fold``. ``places``: where axes
    are parted besides."""
    found: list[Fold] = []
    left = [fold]
    while left:
        each = left.pop()
        parts = _parted(descent, each, given, checked, places) if len(found) + len(left) < MOST_PIECES else None
        if parts is None:
            found.append(each)
        else:
            left += parts
    return found


def _parted(
    descent: Descent, fold: Fold, given: Given, checked: bool, places: Sequence[PrimExpr]
) -> tuple[Fold, Fold] | None:
    found = place(descent, fold, given, checked, places)
    return None if found is None else _at(descent, fold, *found)


def place(
    descent: Descent, fold: Fold, given: Given, checked: bool, places: Sequence[PrimExpr] = ()
) -> tuple[int, PrimExpr] | None:
    """An axis of a reduction, by number, and where it is parted."""
    logic, names = descent.logic, {v.name for v, _ in fold.axes}
    known = given
    for v, extent in fold.axes:
        known = (*known, *logic.domain(v, extent))
    for at, (v, extent) in enumerate(fold.axes):
        if any(v.name in free_symbols(e) for _, e in fold.axes):
            continue
        told = (p for atom in conditions(descent, fold.body, known, checked) for p in _places(atom, v))
        for e in (*told, *(e for e in places if e.dtype == v.dtype)):
            if free_symbols(e) & names or as_int(e) == 0 or e == extent:
                continue
            inside = Binary("And", compare("GE", e, int_imm(0, v.dtype)), compare("LE", e, extent))
            if logic.holds(inside, given, PURPOSE) and not logic.equal(e, extent, given, PURPOSE):
                return at, e
    return None


def _at(descent: Descent, fold: Fold, at: int, e: PrimExpr) -> tuple[Fold, Fold]:
    """The items before a place of an axis, and those from there on."""
    terms, (v, extent) = descent.terms, fold.axes[at]
    w = terms.fresh(v.name, v.dtype)
    by: dict[str, PrimExpr] = {v.name: Binary("Add", w, e)}
    atoms = Atoms(NO_FACTS)
    left = spell(sub(normal(extent, atoms), normal(e, atoms)), atoms, v.dtype)
    before, after = list(fold.axes), list(fold.axes)
    before[at], after[at] = (v, e), (w, Binary("Sub", extent, e) if left is None else left)
    guard = None if fold.guard is None else terms.index(fold.guard, by)
    rest = replace(fold, axes=tuple(after), guard=guard, body=terms.replaced(fold.body, by))
    return replace(fold, axes=tuple(before)), rest


def conditions(descent: Descent, t: Term, known: Given, checked: bool, depth: int = MOST_DEPTH) -> Iterator[PrimExpr]:
    """The comparisons of indices that decide what an item is, outermost first."""
    t = descent.exposed(t, known, checked)
    match t:
        case Choose(Int(condition), yes, no):
            yield from _atoms(canonical(condition))
            if depth:
                yield from conditions(descent, yes, known, checked, depth - 1)
                yield from conditions(descent, no, known, checked, depth - 1)
        case Int(Select(condition, _, _)):
            yield from _atoms(canonical(condition))
        case Apply(args=args) if depth:
            for each in args:
                yield from conditions(descent, each, known, checked, depth - 1)
        case _:
            pass


def _atoms(condition: PrimExpr) -> Iterator[PrimExpr]:
    if isinstance(condition, Binary) and condition.op in ("And", "Or"):
        yield from _atoms(condition.a)
        yield from _atoms(condition.b)
    else:
        yield condition


def _places(atom: PrimExpr, v: SymVar) -> list[PrimExpr]:
    """The values of ``v`` at which the truth of a comparison is another than at the value before."""
    atoms = Atoms(NO_FACTS)
    match atom:
        case Binary("EQ" | "NE", a, b) if a.dtype != "bool":
            p: Poly | None = sub(normal(a, atoms), normal(b, atoms))
        case _:
            p = order(atom, atoms)
    if p is None or p.get((v.name,)) not in (1, -1) or sum(1 for mono in p if v.name in mono) != 1:
        return []
    sign = p[(v.name,)]
    at: Poly = {mono: -sign * c for mono, c in p.items() if mono != (v.name,)}  # where it is 0
    after = add(at, {(): 1})
    found = [at] if sign == 1 else [after]
    if isinstance(atom, Binary) and atom.op in ("EQ", "NE"):
        found = [at, after]
    spelled = (spell(each, atoms, v.dtype) for each in found)
    return [each for each in spelled if each is not None]
