"""What one side of a step is by a rule: views unfolded, decided choices taken, laws applied.

Spec: ``spec/06c-pointwise.md``, ``sh/descent-rewrites``.
"""

from __future__ import annotations

from dataclasses import dataclass

from refrelax.rules import rule
from refrelax.semantics.dims import substitute
from refrelax.shape_solver.descents.laws import LAWS
from refrelax.shape_solver.pointwise.assumptions import applied
from refrelax.shape_solver.pointwise.elements import apply, signed
from refrelax.shape_solver.pointwise.logic import compare
from refrelax.shape_solver.pointwise.recording_claims import Claims
from refrelax.shape_solver.pointwise.recording_tables import How, Moved, NoRecord, Row, Scope, said
from refrelax.shape_solver.pointwise.recording_truths import told
from refrelax.shape_solver.pointwise.regroup import is_identity, is_minus_zero
from refrelax.shape_solver.pointwise.simplify import divides, simplified
from refrelax.shape_solver.pointwise.terms import (
    Apply,
    Choose,
    Fold,
    Int,
    Load,
    Number,
    OpenTerm,
    TensorTerm,
    Term,
)
from refrelax.syntax.scalars import Not, PrimExpr, SymVar, as_int, free_symbols, int_imm


@dataclass(slots=True)
class Sides(Claims):
    """A record under way, and the rules of its rewrites."""

    def head(self, t: Term, at: Scope, second: bool) -> Moved | None:
        """A term brought forward: views unfolded, decided choices taken, laws applied."""
        terms = self.descent.terms
        match t:
            case Load(tensor) if tensor.data is not None and len(set(tensor.data)) == 1:
                return ["constant"], self.bounds(t, at, second), terms.number(tensor.dtype, tensor.data[0])
            case Load(tensor) if is_view(tensor):
                return self.unfolded(t, at, second)
            case Load(tensor) if id(tensor) in terms.facts and (found := self.by_fact(t, at)) is not None:
                return found
            case Load(tensor, indices) if any(map(divides, indices)):
                short = tuple(simplified(i, at.given, self.descent.logic) for i in indices)
                if short != indices:
                    claims = [row for x, y in zip(indices, short, strict=True) for row in self.equal(x, y, at)]
                    return ["indices", [self.spell(i) for i in short]], claims, terms.load(tensor, short)
            case Choose(Int(c), yes, no):
                for holds, condition, arm in ((True, c, yes), (False, Not(c), no)):
                    decided = self.seen(condition, at)
                    if decided is not None:
                        return ["arm", holds], decided, arm
            case Choose(c) if (found := told(self, t, at, second)) is not None:
                return found
            case Choose(Apply("Not", _, (inner,)), yes, no):
                return ["turn"], [], terms.choose(inner, no, yes)
            case Choose(c, yes, no):
                if (found := self.exposed(c, at, second)) is not None:
                    return ["condition", found[0]], found[1], terms.choose(found[2], yes, no)
            case Apply(op, dtype, args, attrs):
                if (new := apply(terms, op, dtype, args, attrs)) is not t:
                    return ["law", self.law(t, new)], [], new
                for k, each in enumerate(args):
                    if (found := self.exposed(each, at, second)) is not None:
                        new_args = (*args[:k], found[2], *args[k + 1 :])
                        return ["operand", k, found[0]], found[1], terms.apply(op, dtype, new_args, attrs)
            case Fold():
                return self.fold_head(t, at, second)
        return None

    def exposed(self, t: Term, at: Scope, second: bool) -> Moved | None:
        """A part of an operation brought forward, where it is an integer, a number or a truth behind a load."""
        body = t.tensor.body if isinstance(t, Load) else None
        if isinstance(t, Load) and (
            isinstance(body, Int | Number) or (body is not None and (t.dtype == "bool" or signed(body)))
        ):
            try:
                return self.unfolded(t, at, second)
            except NoRecord:
                return None
        if isinstance(t, Load) and body is None and id(t.tensor) not in self.descent.terms.facts:
            if t.tensor.data is None or len(set(t.tensor.data)) != 1:
                return None
        if isinstance(t, Load) and not is_view(t.tensor) and body is not None:
            return None
        try:
            return self.head(t, at, second)
        except NoRecord:
            return None

    def single(self, t: Fold) -> Term:
        """A reduction without its axes of one point."""
        terms = self.descent.terms
        gone: dict[str, PrimExpr] = {v.name: int_imm(0, v.dtype) for v, extent in t.axes if as_int(extent) == 1}
        axes = tuple((v, terms.index(e, gone)) for v, e in t.axes if v.name not in gone)
        body = terms.replaced(t.body, gone)
        if not axes:
            return terms.apply(t.op, t.dtype, (t.start, body))
        guard = None if t.guard is None else terms.index(t.guard, gone)
        return terms.fold(t.op, t.start, axes, guard, body, t.free)

    def fold_head(self, t: Fold, at: Scope, second: bool) -> Moved | None:
        if (idle := self.idle(t, at, second)) is not None:
            return idle
        for k, (_, extent) in enumerate(t.axes):
            one = all(as_int(each) == 1 for _, each in t.axes)
            if as_int(extent) == 1 and not (one and t.guard is not None):
                return ["single"], [], self.single(t)
            if free_symbols(extent) & {v.name for v, _ in t.axes}:
                continue
            claims = self.seen(compare("LE", extent, int_imm(0, extent.dtype)), at)
            if claims is not None:
                return ["empty", k], claims, t.start
        return None

    @rule("sh/descent-facts")
    def by_fact(self, t: Load, at: Scope) -> Moved | None:
        """The number that is known of an element that is given."""
        for k, fact in enumerate(self.descent.terms.facts[id(t.tensor)]):
            by = applied(fact, t)
            if by is None:
                continue
            try:
                claims = [row for each in fact.given for row in self.needed(substitute(each, by), at)]
                for said_, index in zip(fact.indices, t.indices, strict=True):
                    claims += self.equal(substitute(said_, by), index, at)
            except NoRecord:
                continue
            return ["fact", k, [self.spell(by[name]) for name in sorted(fact.over)]], claims, fact.value
        return None

    @rule("sh/descent-laws")
    def law(self, t: Term, new: Term) -> str:
        """The name of the law by which a term is another."""
        wanted = self.table.key(self.term(new))
        for name, law in LAWS.items():
            found = law(self.table, self.table.nodes[self.term(t)])
            if found is not None and self.table.key(found) == wanted:
                return name
        raise NoRecord(f"a law of {said(t)}")

    def unfolded(self, t: Load, at: Scope, second: bool) -> Moved:
        return ["unfold"], self.bounds(t, at, second), self.descent.terms.at(t.tensor, t.indices)

    def idle(self, t: Fold, at: Scope, second: bool) -> Moved | None:
        """A reduction from what changes nothing, of what changes nothing, as its start."""
        if not isinstance(t.start, Number | Int) or not is_identity(t.op, t.start) or is_minus_zero(t.start):
            return None
        truths = any(isinstance(each, SymVar | Not) for each in at.given)
        found = self.brought(t, at, second, deep=truths)
        if found is None or not isinstance(found[2], Number | Int) or not is_identity(t.op, found[2]):
            return None
        return ["idle", found[0]], found[1], t.start

    def brought(self, t: Fold, at: Scope, second: bool, deep: bool) -> tuple[list[How], list[Row], Term] | None:
        """The item of a reduction brought forward; ``deep``: behind loads of what is computed."""
        if {v.name for v, _ in t.axes} & at.known.names:
            return None
        below, body, claims = self.items(t, at), t.body, list[Row]()
        hows: list[How] = []
        try:
            while not isinstance(body, Fold):
                moved = self.head(body, below, second)
                if moved is None and deep and isinstance(body, Load) and body.tensor.body is not None:
                    moved = self.unfolded(body, below, second)
                if moved is None:
                    break
                hows.append(moved[0])
                claims += moved[1]
                body = moved[2]
        except NoRecord:
            return None
        return hows, claims, body

    def merged(self, t: Fold, at: Scope, second: bool) -> Moved | None:
        """A reduction of reductions as one."""
        if t.guard is not None or {v.name for v, _ in t.axes} & at.known.names:
            return None
        found = self.brought(t, at, second, deep=True)
        if found is None:
            return None
        hows, claims, body = found
        if not isinstance(body, Fold) or body.op != t.op:
            return None
        new = Fold(t.op, t.start, (*t.axes, *body.axes), body.guard, body.body, t.free)
        self._kept.append(new)
        if second:
            self._grouped.add(id(new))
        return ["merge", hows], claims, new


def is_view(tensor: TensorTerm) -> bool:
    """Whether an element of the tensor is an element of another, or a choice between such."""
    body = tensor.body
    return isinstance(body, Load | Number | Int | OpenTerm) or (
        isinstance(body, Choose) and isinstance(body.condition, Int)
    )
