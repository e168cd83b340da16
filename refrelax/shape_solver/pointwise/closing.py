"""Leaving a loop: the stores of all its iterations, in terms of what the loops around leave free.

Either the conditions of a store determine the iteration from the element (``inverse.solve``), or all iterations fall on
the same elements: then the last one is kept, or they are a reduction (``folds.gathered``). In a loop without order
(parallel, vectorised, bound to threads) an element is written by one iteration, or by several that give it the same
value; only a reduction block may take turns over threads.

Spec: ``spec/06c-pointwise.md``, ``sh/read-program``, ``sh/threads``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from refrelax.rules import rule
from refrelax.semantics.dims import NO_FACTS, substitute
from refrelax.semantics.dims.atoms import Atoms
from refrelax.semantics.dims.normal import normal
from refrelax.semantics.dims.poly import sub
from refrelax.shape_solver.context import order
from refrelax.shape_solver.pointwise.descent import Descent
from refrelax.shape_solver.pointwise.digits import together, told
from refrelax.shape_solver.pointwise.elements import NotRead
from refrelax.shape_solver.pointwise.folds import gathered
from refrelax.shape_solver.pointwise.inverse import divided, in_domain, solve
from refrelax.shape_solver.pointwise.logic import Given, Logic, all_of, compare, within
from refrelax.shape_solver.pointwise.state import Memory, Update
from refrelax.shape_solver.pointwise.terms import OLD, Terms, has_old, variables
from refrelax.syntax.scalars import Binary, PrimExpr, SymVar, free_symbols, int_imm

UNORDERED = frozenset({"parallel", "vectorized", "thread_binding", "blocks"})
"""Loops whose iterations have no order, or are taken together by a machine; ``blocks``: those of a grid."""

LAST = "a store in some iterations only"


@dataclass(slots=True)
class Closing:
    """One loop that is left. ``inside``: what holds of the element of a buffer and of the loops and branches around;
    ``everywhere``: what of it holds whatever branches are taken."""

    terms: Terms
    logic: Logic
    memory: Memory
    inside: Given
    everywhere: Given
    v: SymVar
    extent: PrimExpr
    kind: str

    @property
    def ordered(self) -> bool:
        return self.kind not in UNORDERED

    def updates(self, updates: Sequence[Update]) -> list[Update]:
        """The updates of all iterations.

        Raises:
            NotRead: which iteration comes last at an element is not seen, or the iterations of a loop without order
                are not seen to agree on it.
        """
        updates = [replace(u, conditions=self._divided(u.conditions)) for u in updates]
        unknown = any(u.some for u in updates)
        solutions = [None if unknown else solve(u.conditions, self.v, self._holds) for u in updates]
        solved = [s for s in solutions if s is not None]
        if len(solved) == len(updates):
            found = [self._at_solution(u, s) for u, s in zip(updates, solved, strict=True)]
            if self._apart(found, solved):
                return found
            if self.ordered:
                raise NotRead("iterations write the same element in an order that matters")
        if not updates:
            return []
        if not self.ordered and (unknown or not self._take_turns(updates)):
            return self._agreed(updates, solutions)
        one = updates[0]
        for each in updates[1:]:
            one = self._composed(one, each)
        return [self._gather(one)]

    # --- one iteration an element

    def _divided(self, conditions: Given) -> Given:
        """The conditions, digits apart where they are solved for the variable no other way."""
        if solve(conditions, self.v, self._holds) is not None:
            return conditions
        new = together(conditions, self.v, self._holds, self._holds_in_loop)
        if solve(new, self.v) is None:
            new = divided(new, self.v, self._holds)
        if solve(new, self.v, self._holds) is not None:
            return new
        by_digits = told(conditions, self.v)
        return new if solve(by_digits, self.v, self._holds) is None else by_digits

    def _holds(self, claim: PrimExpr) -> bool:
        return self.logic.holds(claim, self.inside, "digits of a stored index")

    def _holds_in_loop(self, claim: PrimExpr) -> bool:
        known = (*self.inside, *within(self.v, self.extent))
        return self.logic.holds(claim, known, "digits of a stored index")

    def _apart(self, found: list[Update], solutions: list[PrimExpr]) -> bool:
        """Whether two updates that write one element are of one iteration."""
        for k, (later, s) in enumerate(zip(found, solutions, strict=True)):
            for earlier, t in zip(found[:k], solutions, strict=False):
                known = (*self.inside, *later.conditions, *earlier.conditions)
                if not self.logic.equal(s, t, known, "stores of different iterations do not meet"):
                    return False
        return True

    def _at_solution(self, u: Update, s: PrimExpr) -> Update:
        by = {self.v.name: s}
        conditions = [*(substitute(c, by) for c in u.conditions), *in_domain(s, self.extent)]
        kept = [
            c for c in dict.fromkeys(conditions) if not self.logic.holds(c, self.everywhere, "every element is written")
        ]
        return replace(u, conditions=tuple(kept), value=self.terms.replaced(u.value, by))

    # --- several iterations an element

    def _composed(self, first: Update, second: Update) -> Update:
        """Both updates of one iteration, as one."""
        terms, atoms = self.terms, Atoms(NO_FACTS)
        ours, theirs = ({_meaning(c, atoms): c for c in u.conditions} for u in (first, second))
        c1, c2 = set(ours), set(theirs)
        both = replace(second, once=False, some=first.some or second.some)
        if c2 <= c1:
            extra = all_of(c for key, c in ours.items() if key not in c2)
            before = first.value if extra is None else terms.choose(terms.integer(extra), first.value, OLD)
            value = terms.replaced(second.value, {}, before) if has_old(second.value) else second.value
            return replace(both, value=value)
        if c1 <= c2:
            extra = all_of(c for key, c in theirs.items() if key not in c1)
            assert extra is not None
            then = terms.replaced(second.value, {}, first.value) if has_old(second.value) else second.value
            value = terms.choose(terms.integer(extra), then, first.value)
            return replace(both, conditions=first.conditions, value=value)
        raise NotRead("stores under conditions of which neither implies the other")

    def _gather(self, u: Update) -> Update:
        """All iterations fall on the same elements, one after the other."""
        terms, v = self.terms, self.v
        own = tuple(c for c in u.conditions if v.name in free_symbols(c))
        rest = tuple(c for c in u.conditions if v.name not in free_symbols(c))
        known = (*self.inside, *rest)
        if u.some:
            raise NotRead(LAST)
        if has_old(u.value):
            value, starts = gathered(terms, self.logic, u.value, v, self.extent, own, known, u.free)
            return replace(u, conditions=(*rest, self._runs()) if starts else rest, value=value, once=False)
        if own:
            raise NotRead(LAST)
        last = {v.name: Binary("Sub", self.extent, int_imm(1, self.extent.dtype))}
        return replace(u, conditions=(*rest, self._runs()), value=terms.replaced(u.value, last), once=False)

    def _runs(self) -> PrimExpr:
        return compare("LT", int_imm(0, self.extent.dtype), self.extent)

    # --- loops without order

    @rule("sh/threads")
    def _take_turns(self, updates: Sequence[Update]) -> bool:
        """Whether the threads of the loop are those over which a reduction block reduces. (Blocks of a grid do not.)"""
        return self.kind == "thread_binding" and all(self.v.name in u.over for u in updates)

    @rule("sh/threads")
    def _agreed(self, updates: Sequence[Update], solutions: Sequence[PrimExpr | None]) -> list[Update]:
        """Iterations without order that write the same elements: each writes an element once, all the same value.

        Which iterations write an element may stay unknown; then nobody reads it (``Update.some``).
        """
        for k, u in enumerate(updates):
            for w in updates[: k + 1]:
                if not self._same(u, w, u is w and solutions[k] is not None):
                    kind = {"thread_binding": "thread-bound", "blocks": "thread-bound"}.get(self.kind, self.kind)
                    raise NotRead(f"iterations of a {kind} loop that write the same element")
        found = []
        for u, s in zip(updates, solutions, strict=True):
            if s is not None:
                found.append(self._at_solution(u, s))
            elif any(self.v.name in free_symbols(c) for c in u.conditions):
                found.append(replace(u, conditions=(*u.conditions, *within(self.v, self.extent)), some=True))
            else:
                first = {self.v.name: int_imm(0, self.v.dtype)}
                found.append(
                    replace(u, conditions=(*u.conditions, self._runs()), value=self.terms.replaced(u.value, first))
                )
        return found

    def _same(self, u: Update, w: Update, alone: bool) -> bool:
        """Whether two stores of any two iterations give an element the same value. ``alone``: one iteration an element
        makes this store."""
        if alone:
            return True
        if not (u.once and w.once) or has_old(u.value) or has_old(w.value):
            return False
        other = self._other(w)
        known = (*self.inside, *within(self.v, self.extent), *u.conditions, *other.conditions)
        if u.value is other.value:
            return True
        claim = all_of(other.conditions)
        if claim is not None and self.logic.absurd(known):
            return True
        descent = Descent(self.terms, self.logic)
        return descent.equal(u.value, other.value, known) and descent.equal(other.value, u.value, known)

    def _other(self, w: Update) -> Update:
        """The same store of another iteration: of this loop, and of those inside of which it is not known."""
        names = {n for c in w.conditions for n in free_symbols(c)} | variables(self.terms, w.value)
        own = {o.name for o in self.memory.at} | self.fixed
        by: dict[str, PrimExpr] = {n: self.terms.fresh(n) for n in sorted(names - own) if n not in self.terms.opaque}
        conditions = tuple(substitute(c, by) for c in (*w.conditions, *within(self.v, self.extent)))
        return replace(w, conditions=conditions, value=self.terms.replaced(w.value, by))

    @property
    def fixed(self) -> set[str]:
        """What stays the same from one iteration to another: everything that stands in what is known around."""
        return {n for c in (*self.inside, *self.logic.base) for n in free_symbols(c)}


def _meaning(condition: PrimExpr, atoms: Atoms) -> object:
    """What two spellings of one equation or order of integers share."""
    match condition:
        case Binary("EQ", a, b) if a.dtype != "bool":
            return "EQ", frozenset(sub(normal(a, atoms), normal(b, atoms)).items())
        case _:
            p = order(condition, atoms)
            return condition if p is None else ("GE", frozenset(p.items()))
