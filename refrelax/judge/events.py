"""What a run does that others see: calls of library functions, prints, checks that may fail. Both programs do the same,
in the same order.

A library function without a contract is not read: what it gives, and what it leaves where it may store, is unknown.
Where both programs call the same function with the same arguments after the same calls, it is the same unknown. What a
check that may fail found is known afterwards, in both programs.

Spec: ``spec/06c-pointwise.md``, ``va/events``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from refrelax.judge.counted import CountedCall
from refrelax.judge.graph_values import Nothing, OpaqueResult, Value, as_number
from refrelax.rules import rule
from refrelax.shape_solver.pointwise import Descent, NotRead, TensorTerm, Term
from refrelax.shape_solver.pointwise.fits import Fits
from refrelax.syntax import graph

Path = frozenset[tuple[Term, bool]]
"""Conditions of ``if``, as terms, and what each of them is."""

Reach = Literal["nothing", "outputs", "all"]
"""What an event may store in: what it is given as places for its results; all that it is given or knows from before."""


@dataclass(frozen=True, slots=True, eq=False)
class OpaqueCall:
    """``what``: the kind and what is not computed; ``seen``: the values that are given; ``left``: the unknown contents
    afterwards of those parts of ``seen`` that it may store in, by their number; ``rest``: of other memory that it may
    know; ``gives``: its result."""

    what: tuple[object, ...]
    seen: tuple[Value, ...]
    reach: Reach
    left: dict[int, TensorTerm]
    rest: tuple[TensorTerm, ...]
    gives: tuple[Value, ...]


@dataclass(slots=True)
class Events:
    """Those of the first program, and how far the second one is."""

    made: list[OpaqueCall] = field(default_factory=list)
    at: int = 0
    compared: list[list[tuple[Value, Value]]] = field(default_factory=list)
    """What each of them is given in both programs."""
    sizes: list[Fits] = field(default_factory=list)
    """What is known of sizes before each of them, and at the end: a buffer that the first program has behind one does
    not exist where its run ends there."""
    counted: list[CountedCall] = field(default_factory=list)
    """Calls of the first program whose extents the elements decide; the second's take each once."""
    arms: dict[tuple[Path, int], Fits] = field(default_factory=dict)
    """What is known of sizes at the end of a branch of the first program, by what its run then has decided and how many
    events come before: nothing in a branch is an event, so a run that comes to it has all its buffers."""

    def along(self, path: Path) -> Fits:
        """What is known of sizes in a branch of the second program: the first one's run has come through all branches
        of its own that stand under conditions among these, behind no event at which it may have ended."""
        return {
            key: size
            for (decided, behind), known in self.arms.items()
            if decided <= path and behind <= self.at
            for key, size in known.items()
        }

    def came_through(self, path: Path, known: Fits) -> None:
        """Note the end of a branch of the first program."""
        arm = path, len(self.made)
        self.arms[arm] = self.arms.get(arm, {}) | known

    @rule("va/events")
    def next(self, what: tuple[object, ...], seen: tuple[Value, ...], descent: Descent) -> OpaqueCall:
        """The event of the first program that the second one's is. Raises ``NotRead`` where it is another."""
        if self.at == len(self.made):
            raise NotRead(f"{named(what)}, for which the first program has no counterpart")
        event = self.made[self.at]
        if event.what != what or not same_value(descent, event.seen, seen):
            raise NotRead(f"{named(what)} is not seen to be what the first program does next: {named(event.what)}")
        self.at += 1
        self.compared.append(list(zip(event.seen, seen, strict=True)))
        return event

    @rule("va/same-call")
    def counts(self, op: str, seen: tuple[Value, ...], descent: Descent) -> Value:
        """What the same call of the first program gives. Raises ``NotRead`` where none is seen to be the same."""
        for each in self.counted:
            if each.op == op and each.behind <= self.at and same_value(descent, each.seen, seen):
                self.counted.remove(each)
                self.compared.append(list(zip(each.seen, seen, strict=True)))
                return each.gives
        raise NotRead(f"{op}, which the first program is not seen to call so")

    def over(self) -> None:
        """See that the second program has done all that the first one does."""
        if self.at < len(self.made):
            raise NotRead(f"the second program does not do what the first one does: {named(self.made[self.at].what)}")


def named(what: Sequence[object]) -> str:
    """An event in words."""
    kind, *rest = what
    return f"{kind} {rest[0]}" if rest and isinstance(rest[0], str) else str(kind)


def same_value(descent: Descent, x: Value, y: Value) -> bool:
    """Whether a value of the second program is what the first one's permits."""
    match x, y:
        case TensorTerm(), TensorTerm():
            return descent.tensors(x, y)
        case tuple(), tuple():
            return len(x) == len(y) and all(same_value(descent, a, b) for a, b in zip(x, y, strict=True))
        case graph.ShapeExpr(a), graph.ShapeExpr(b):
            return len(a) == len(b) and all(descent.logic.equal(p, q) for p, q in zip(a, b, strict=True))
        case ((OpaqueResult() | Nothing()), _):
            return x is y
        case _:
            p, q = as_number(x), as_number(y)
            return p is not None and q is not None and p.dtype == q.dtype and descent.logic.equal(p, q)


def leaves(value: Value) -> list[Value]:
    """The parts of a value that are no tuples."""
    return [leaf for each in value for leaf in leaves(each)] if isinstance(value, tuple) else [value]


def outline(value: Value) -> object:
    """How a value is made of tuples."""
    return tuple(map(outline, value)) if isinstance(value, tuple) else None


__all__ = ["OpaqueCall", "Events", "Reach", "leaves", "named", "outline", "same_value"]
