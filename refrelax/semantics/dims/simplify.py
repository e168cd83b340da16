"""A shorter equal expression, for printing. Spec: ``spec/06-shapes.md``, ``sh/simplify``."""

from __future__ import annotations

from refrelax.rules import rule
from refrelax.semantics.dims.atoms import Atoms
from refrelax.semantics.dims.facts import Facts
from refrelax.semantics.dims.normal import normal
from refrelax.semantics.dims.spell import spell
from refrelax.syntax.scalars import Literal, PrimExpr, SymVar, walk


@rule("sh/simplify")
def simplify(e: PrimExpr, facts: Facts) -> PrimExpr:
    """An expression equal to ``e`` under ``sh/equal``, no longer than ``e``, in a canonical order."""
    if isinstance(e, (Literal, SymVar)):
        return e
    atoms = Atoms(facts)
    spelled = spell(normal(e, atoms), atoms, e.dtype)
    return e if spelled is None or size(spelled) > size(e) else spelled


def size(e: PrimExpr) -> int:
    """How many nodes ``e`` has."""
    return sum(1 for _ in walk(e))
