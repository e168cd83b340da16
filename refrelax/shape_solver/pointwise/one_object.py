"""Computed tensors that are the same up to the names that they bind: one object.

Two programs that are compared have most of their loops in common, and reading them makes each tensor anew, under fresh
names. As terms are (``Terms``), so are tensors: what was made before is taken again, and whatever is computed from it
is the same object too. What remains to be compared is where the programs differ.

The names are compared in a copy of the body in which the indices are ``%0``, ``%1``, ... and the variables of
reductions follow, outermost first. (No name of a program holds a ``%``, and no fresh one begins with it.) A view has
its indices made shorter first, and a view of a view is one of what that one shows: a reshape is the same tensor
whether a loop or an operator makes it.

Spec: ``spec/06c-pointwise.md``, ``sh/element-term``.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from refrelax.rules import rule
from refrelax.shape_solver.pointwise.logic import Given, Logic
from refrelax.shape_solver.pointwise.poison import in_bounds
from refrelax.shape_solver.pointwise.simplify import simplified
from refrelax.shape_solver.pointwise.terms import OPEN, Fold, Load, Substitution, TensorTerm, Term, Terms
from refrelax.syntax.scalars import PrimExpr, SymVar, free_symbols


@rule("sh/element-term")
def one_object(terms: Terms, logic: Logic, new: TensorTerm) -> TensorTerm:
    """The tensor that was made before and is the same up to bound names, or ``new``. What is never written is no
    tensor of this kind: each allocation is one of its own."""
    if new.body is None or new.body is OPEN:
        return new
    at = tuple(SymVar(f"%{k}", v.dtype) for k, v in enumerate(new.vars))
    body = _by_position(terms, new.body, new.vars, at)
    if isinstance(body, Load):
        read = any(terms.opaque.keys() & free_symbols(i) for i in body.indices)  # (what is read may bind names, too)
        start, vars_ = (new.body, new.vars) if read else (body, at)
        inside = tuple(c for i, d in zip(vars_, new.shape, strict=True) for c in logic.domain(i, d))
        shown = _shown(terms, logic, start, inside)
        if shown is not start:
            names = {i.name: v for i, v in zip(vars_, new.vars, strict=True)}
            new = replace(new, body=shown if read else terms.replaced(shown, names))
            assert new.body is not None
            body = _by_position(terms, new.body, new.vars, at)
    key = (new.dtype, new.shape, tuple(v.dtype for v in new.vars), id(body))
    return terms.computed.setdefault(key, new)


def _by_position(terms: Terms, body: Term, own: tuple[SymVar, ...], at: tuple[SymVar, ...]) -> Term:
    """A body with the names that it binds told by where they are bound."""
    by: dict[str, PrimExpr] = {v.name: i for v, i in zip(own, at, strict=True)}
    return _Positions(terms, by, None, bound=len(by)).term(body)


@rule("sh/index-digits")
def _shown(terms: Terms, logic: Logic, t: Term, inside: Given) -> Term:
    """What a view shows, at short indices."""
    while isinstance(t, Load):
        t = terms.load(t.tensor, tuple(simplified(i, inside, logic) for i in t.indices))
        assert isinstance(t, Load)
        if not isinstance(t.tensor.body, Load):
            break
        if not all(logic.holds(c, inside, "a view of a view") for c in in_bounds(t)):
            break
        t = terms.at(t.tensor, t.indices)
    return t


@dataclass(slots=True)
class _Positions(Substitution):
    """Bound variables named by their positions. ``bound``: how many are in scope."""

    bound: int = field(default=0, kw_only=True)

    def fold(self, t: Fold) -> Term:
        inside, axes = self, []
        for v, extent in t.axes:  # (an extent is over the axes before it)
            name = SymVar(f"%{inside.bound}", v.dtype)
            axes.append((name, inside.index(extent)))
            inside = _Positions(self.terms, {**inside.by, v.name: name}, None, bound=inside.bound + 1)
        guard = None if t.guard is None else inside.index(t.guard)
        return self.terms.fold(t.op, self.term(t.start), tuple(axes), guard, inside.term(t.body), t.free)
