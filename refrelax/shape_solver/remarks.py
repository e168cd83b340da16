"""What the prover knows about the equalities that typing leaves to the run.

Typing accepts a module by ``sh/equal`` alone; this room never changes that. It reads the list of equalities that were
left open and says of each one whether it always holds, never holds, or at which extents it first fails.

Spec: ``spec/06b-solver.md``, ``sh/remark``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from refrelax.rules import rule
from refrelax.semantics.types.checked import CheckedModule, OpenEquality
from refrelax.shape_solver.claim import Effort, Proved, Refuted
from refrelax.shape_solver.core import integer
from refrelax.shape_solver.door import Arithmetic
from refrelax.shape_solver.prover import prove
from refrelax.spelled import spelled
from refrelax.syntax.graph import Function
from refrelax.syntax.scalars import Binary, Not, PrimExpr, SymVar, free_symbols
from refrelax.syntax.types import TensorType, TupleType, Type
from refrelax.syntax.write.scalars import expression

Verdict = Literal["always", "never", "sometimes", "unknown"]

PROGRAM: Arithmetic = "no-overflow"


@dataclass(frozen=True, slots=True)
class Remark:
    """``equality`` holds for all extents (``always``), for none (``never``), or fails at ``fails_at``
    (``sometimes``); ``unknown``: the prover found neither a proof nor a counterexample."""

    equality: OpenEquality
    verdict: Verdict
    fails_at: Mapping[str, int] = field(default_factory=dict)

    def __str__(self) -> str:
        e = self.equality
        place = f"{e.span}: " if e.span is not None else ""
        equality = f"{expression(e.expected)} == {expression(e.found)}"
        return f"{place}{e.name} ({e.what}): {equality} {self._said()} [sh/remark]"

    def _said(self) -> str:
        match self.verdict:
            case "always":
                return "always holds, which typing does not see"
            case "never":
                return "holds for no extents"
            case "sometimes":
                values = ", ".join(f"{name}={spelled(value)}" for name, value in self.fails_at.items())
                return f"is left to the run; it fails at {values}"
            case _:
                return "is left to the run; no proof and no counterexample was found"


@rule("sh/remark")
def remarks(checked: CheckedModule, effort: Effort = "quick") -> Iterator[Remark]:
    """A remark on each equality that typing left open, in order, no two alike. Typing itself is not changed."""
    known: dict[object, Remark] = {}
    for each in dict.fromkeys(checked.open_equalities):
        taken = tuple(_taken(checked, each))
        question = (each.expected, each.found, tuple(_bounds(each)), taken, _may_broadcast(each))
        if question not in known:
            known[question] = remark(each, effort, taken)
        yield replace(known[question], equality=each)


def remark(equality: OpenEquality, effort: Effort = "quick", taken: Iterable[PrimExpr] = ()) -> Remark:
    """The remark on one equality. ``taken``: what else every run has that comes to it."""
    expected, found = equality.expected, equality.found
    assume = [*_bounds(equality), *taken]
    equal: PrimExpr = Binary("EQ", expected, found)
    if isinstance(prove(equal, assume, effort, arithmetic=PROGRAM), Proved):
        return Remark(equality, "always")
    if _may_broadcast(equality):
        for side in (expected, found):
            equal = Binary("Or", equal, Binary("EQ", side, integer(1)))
    if isinstance(prove(Not(equal), assume, effort, arithmetic=PROGRAM), Proved):
        return Remark(equality, "never")
    extents = [_not_negative(side) for side in (expected, found)]
    answer = prove(equal, [*assume, *extents], effort, arithmetic=PROGRAM)
    if isinstance(answer, Refuted):
        return Remark(equality, "sometimes", answer.model)
    return Remark(equality, "unknown")


def _may_broadcast(equality: OpenEquality) -> bool:
    """Whether an operator needs the equality: annotations, ``match_cast`` and parameters of functions do not."""
    return equality.what.startswith("relax.")


def _bounds(equality: OpenEquality) -> Iterator[PrimExpr]:
    for name in sorted(free_symbols(equality.expected) | free_symbols(equality.found)):
        low, high = equality.facts.of(name)
        if low is not None:
            yield Binary("GE", SymVar(name, "int64"), integer(low))
        if high is not None:
            yield Binary("LE", SymVar(name, "int64"), integer(high))


def _taken(checked: CheckedModule, equality: OpenEquality) -> Iterator[PrimExpr]:
    """That the extents of what the function takes are not negative, where they are computed from the symbols of the
    equality alone. (A local function has symbols of its own, perhaps of the same names.)"""
    function = checked.module.functions[equality.function]
    if not isinstance(function, Function) or "/" in equality.name:
        return
    named = free_symbols(equality.expected) | free_symbols(equality.found)
    for dim in dict.fromkeys(dim for p in function.params for dim in _extents(p.type)):
        if not isinstance(dim, SymVar) and (symbols := free_symbols(dim)) and symbols <= named:
            yield _not_negative(dim)


def _extents(ty: Type | None) -> Iterator[PrimExpr]:
    match ty:
        case TupleType(fields):
            for each in fields:
                yield from _extents(each)
        case TensorType(shape=tuple(dims)):
            yield from dims
        case _:
            pass


def _not_negative(e: PrimExpr) -> PrimExpr:
    return Binary("GE", e, integer(0))
