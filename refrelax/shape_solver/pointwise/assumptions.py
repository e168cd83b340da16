"""``T.assume`` under a proof: of the second program a claim, of the first one a hypothesis.

A run of the first program in which one does not hold is open. So where every run of it comes to the statement, what it
says of integers is known, and what it says of elements of a tensor that is given is a *fact*: for all values of the
loop variables, under these conditions, the element at these indices is this number.

Spec: ``spec/06c-pointwise.md``, ``sh/assume``; ``spec/07-evaluation.md``, ``ev/assume``.
"""

from __future__ import annotations

from collections.abc import Sequence

from refrelax.rules import rule
from refrelax.semantics.dims import substitute
from refrelax.shape_solver.context import conjuncts
from refrelax.shape_solver.pointwise.logic import Given, Logic
from refrelax.shape_solver.pointwise.state import ASSUMED, Definedness
from refrelax.shape_solver.pointwise.terms import Apply, Fact, Int, Load, Number, Term, Terms, variables
from refrelax.syntax import bits, dtypes
from refrelax.syntax.scalars import Binary, PrimExpr, SymVar, as_int, free_symbols


def disjuncts(e: PrimExpr) -> list[PrimExpr]:
    """The parts of which one is to hold."""
    return [*disjuncts(e.a), *disjuncts(e.b)] if isinstance(e, Binary) and e.op == "Or" else [e]


@rule("sh/assume")
def learn(found: Sequence[Definedness], terms: Terms, logic: Logic) -> None:
    """Take in what every run of the first program rests on, of what ``T.assume`` says."""
    for each in found:
        if each.purpose != ASSUMED:
            continue
        if each.term is None and not each.given:
            logic.assume(*conjuncts(each.statement))
        if each.term is not None and (fact := _fact(each, terms)) is not None:
            load, told = fact
            terms.facts.setdefault(id(load.tensor), []).append(told)


def _fact(each: Definedness, terms: Terms) -> tuple[Load, Fact] | None:
    match each.term:
        case Apply("EQ", _, (Load() as load, value)) | Apply("EQ", _, (value, Load() as load)) if _exact(value):
            pass
        case _:
            return None
    if load.tensor.body is not None or load.tensor.data is not None or load.dtype != value.dtype:
        return None
    used = variables(terms, load)
    known = {name for e in (*load.indices, *each.given) for name in free_symbols(e)}
    if known & terms.opaque.keys() or not each.over & known <= used:
        return None
    return load, Fact(load.indices, each.given, each.over & known, value)


def _exact(value: Term) -> bool:
    """Whether what is equal to a number is that number, bit for bit: other than a zero, or what is not a number."""
    match value:
        case Int(e):
            return as_int(e) is not None
        case Number(dtype, pattern):
            number = bits.decode(dtype, pattern)
            return dtypes.is_float(dtype) and number == number and number != 0
        case _:
            return False


def applied(fact: Fact, load: Load) -> dict[str, PrimExpr] | None:
    """The values of a fact's variables at which it may be about a load."""
    by: dict[str, PrimExpr] = {}
    for e, i in zip(fact.indices, load.indices, strict=True):
        if isinstance(e, SymVar) and e.name in fact.over:
            by.setdefault(e.name, i)
    return by if fact.over <= by.keys() else None


@rule("sh/assume")
def told(load: Load, given: Given, terms: Terms, logic: Logic) -> Term | None:
    """The number that an element is, by a fact."""
    for fact in terms.facts.get(id(load.tensor), ()):
        by = applied(fact, load)
        if by is None:
            continue
        same = all(logic.equal(substitute(e, by), i, given) for e, i in zip(fact.indices, load.indices, strict=True))
        if same and all(logic.holds(substitute(c, by), given, "an assumption") for c in fact.given):
            return fact.value
    return None
