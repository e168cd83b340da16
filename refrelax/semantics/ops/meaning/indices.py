"""Indices of a text that is being written down: expressions with Python's operators, on which nobody can branch.

Folding never drops what may have no value: ``0 * (i // n)`` stays, since ``n`` may be 0.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, NoReturn

from refrelax.errors import Ended
from refrelax.semantics.dims import value
from refrelax.syntax.scalars import Binary, BinaryOp, Intrinsic, PrimExpr, SymVar, as_int, bool_imm, int_imm, walk

TRUE = bool_imm(True)


class Unfit(Exception):
    """A text asks what only concrete extents can answer: it cannot be written down for these attributes."""


def node(index: Any) -> PrimExpr:
    """An index, an extent or a condition as an expression."""
    if isinstance(index, Ix):
        return index.node
    return bool_imm(index) if isinstance(index, bool) else int_imm(index)


def total(e: PrimExpr) -> bool:
    """Whether an expression has a value wherever its symbols do: no division by what may be 0, no guarded end."""
    return not any(
        isinstance(n, Intrinsic) or (isinstance(n, Binary) and n.op in ("FloorDiv", "FloorMod") and not as_int(n.b))
        for n in walk(e)
    )


def binary(op: BinaryOp, a: PrimExpr, b: PrimExpr) -> PrimExpr:
    """``a op b``, folded where both are literals that have a result, or one is neutral."""
    x, y = as_int(a), as_int(b)
    if x is not None and y is not None:
        with suppress(Ended):  # what has no value stays: only where it is looked at is the run open
            return int_imm(value(Binary(op, a, b), {}))
    match op, x, y:
        case ("Add", 0, _) | ("Mul", 1, _):
            return b
        case (("Add" | "Sub"), _, 0) | (("Mul" | "FloorDiv"), _, 1):
            return a
        case ("Mul", 0, _) if total(b):
            return a
        case ("Mul", _, 0) if total(a):
            return b
        case ("FloorMod", _, 1) if total(a):
            return int_imm(0)
        case ("Sub", _, _) if a == b and total(a):
            return int_imm(0)
        case _:
            return Binary(op, a, b)


def both(a: PrimExpr, b: PrimExpr) -> PrimExpr:
    """``a and b``, the second looked at only where the first holds."""
    return b if a == TRUE else a if b == TRUE else Binary("And", a, b)


def in_range(names: Sequence[SymVar], dims: Sequence[PrimExpr]) -> tuple[PrimExpr, ...]:
    """That each variable is not below 0 and below its extent."""
    zero = int_imm(0)
    return tuple(c for v, n in zip(names, dims, strict=True) for c in (Binary("GE", v, zero), Binary("LT", v, n)))


class Ix:
    """An index, an extent, or a condition on them."""

    __slots__ = ("node",)
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, node: PrimExpr) -> None:
        self.node = node

    def __bool__(self) -> bool:
        known = as_int(self.node)
        if known is None:
            raise Unfit(f"a text branched on {self.node}")
        return bool(known)

    def __index__(self) -> int:
        known = as_int(self.node)
        if known is None:
            raise Unfit(f"a text took {self.node} for a number")
        return known

    def __iter__(self) -> NoReturn:
        raise Unfit("a text iterated over an index")

    def __add__(self, other: Any) -> Ix:
        return Ix(binary("Add", self.node, node(other)))

    def __radd__(self, other: Any) -> Ix:
        return Ix(binary("Add", node(other), self.node))

    def __sub__(self, other: Any) -> Ix:
        return Ix(binary("Sub", self.node, node(other)))

    def __rsub__(self, other: Any) -> Ix:
        return Ix(binary("Sub", node(other), self.node))

    def __mul__(self, other: Any) -> Ix:
        return Ix(binary("Mul", self.node, node(other)))

    def __rmul__(self, other: Any) -> Ix:
        return Ix(binary("Mul", node(other), self.node))

    def __floordiv__(self, other: Any) -> Ix:
        return Ix(binary("FloorDiv", self.node, node(other)))

    def __rfloordiv__(self, other: Any) -> Ix:
        return Ix(binary("FloorDiv", node(other), self.node))

    def __mod__(self, other: Any) -> Ix:
        return Ix(binary("FloorMod", self.node, node(other)))

    def __rmod__(self, other: Any) -> Ix:
        return Ix(binary("FloorMod", node(other), self.node))

    def __neg__(self) -> Ix:
        return Ix(binary("Sub", int_imm(0), self.node))

    def __lt__(self, other: Any) -> Any:
        return compared("LT", self, other, lambda a, b: a < b)

    def __le__(self, other: Any) -> Any:
        return compared("LE", self, other, lambda a, b: a <= b)

    def __gt__(self, other: Any) -> Any:
        return compared("GT", self, other, lambda a, b: a > b)

    def __ge__(self, other: Any) -> Any:
        return compared("GE", self, other, lambda a, b: a >= b)

    def __eq__(self, other: object) -> Any:
        return compared("EQ", self, other, lambda a, b: a == b)

    def __ne__(self, other: object) -> Any:
        return compared("NE", self, other, lambda a, b: a != b)


def compared(op: BinaryOp, a: Any, b: Any, test: Callable[[int, int], bool]) -> Any:
    """A comparison: a truth where both sides are known or are one expression, else a condition."""
    x, y = node(a), node(b)
    known = as_int(x), as_int(y)
    if known[0] is not None and known[1] is not None:
        return test(known[0], known[1])
    if x == y and total(x):
        return op in ("EQ", "LE", "GE")
    return Ix(Binary(op, x, y))
