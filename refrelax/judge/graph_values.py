"""What the names of a graph-level function stand for while it is read as element terms.

Spec: ``spec/06c-pointwise.md``, ``va/pointwise``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod

from refrelax.judge.built import Table
from refrelax.judge.planned import Joined, Place, Room, View
from refrelax.shape_solver.pointwise import TensorTerm, Term
from refrelax.syntax import graph
from refrelax.syntax.scalars import Binary, PrimExpr, as_int, int_imm


@dataclass(frozen=True, slots=True, eq=False)
class OpaqueResult:
    """What a library function gives, of which nothing is known but that it is the same in both programs."""


@dataclass(frozen=True, slots=True)
class Nothing:
    """``R.null_value``, which is no empty tuple: a library function, or who gets it as a result, can tell them."""


NOTHING = Nothing()


@dataclass(frozen=True, slots=True, eq=False)
class Truth:
    """A condition that was read (``vm.builtin.read_if_cond``): no tensor, so that nothing but a branch knows it."""

    term: Term


Value = (
    TensorTerm | tuple["Value", ...] | PrimExpr | graph.ShapeExpr | Place | View | Room | Joined | Table | OpaqueResult
    | Nothing | Truth
)  # fmt: skip
"""What a binding holds: a tensor, a tuple, a scalar, a shape; in planned memory a place, a view of one, a storage; what
an ``if`` gives; nothing; a condition that was read."""


def as_number(x: Value) -> PrimExpr | None:
    """A scalar, if it is one."""
    return x if isinstance(x, PrimExpr) else None


def place_of(x: Place | View) -> Place:
    return x.of if isinstance(x, View) else x


def places_in(value: Value) -> Iterator[Place]:
    """The places that a value may be: of what an ``if`` gives, those of either branch."""
    match value:
        case Place() | View():
            yield place_of(value)
        case Joined(_, yes, no):
            yield from places_in(yes)  # type: ignore[arg-type]
            yield from places_in(no)  # type: ignore[arg-type]
        case tuple():
            for each in value:
                yield from places_in(each)
        case _:
            return


def is_nothing(e: graph.Expr, values: Mapping[str, Value]) -> bool:
    """Whether an argument is left out."""
    match e:
        case graph.Call(graph.Op("relax.null_value")) | graph.Tuple(()):
            return True
        case graph.Var(name):
            return values.get(name) in (NOTHING, ())
        case _:
            return False


def same_bytes(x: Value, rest: list[graph.Expr]) -> bool:
    """Whether a view begins where its argument does, at the same dtype."""
    match x:
        case Joined(_, yes, no):
            return same_bytes(yes, rest) and same_bytes(no, rest)  # type: ignore[arg-type]
        case Place() | View():
            dtype = place_of(x).content.dtype
        case TensorTerm():
            dtype = x.dtype
        case _:
            return False
    match rest:
        case [] | [graph.DataTypeValue()] | [graph.PrimValue()] | [graph.DataTypeValue(), graph.PrimValue()]:
            named = all(each.dtype == dtype for each in rest if isinstance(each, graph.DataTypeValue))
            return named and all(as_int(each.value) == 0 for each in rest if isinstance(each, graph.PrimValue))
        case _:
            return False


def product(factors: Sequence[PrimExpr]) -> PrimExpr:
    """The product, its numbers multiplied out."""
    known = prod(k for each in factors if (k := as_int(each)) is not None)
    found: PrimExpr = int_imm(known)
    for each in factors:
        if as_int(each) is None:
            found = each if as_int(found) == 1 else Binary("Mul", each, found)
    return found
