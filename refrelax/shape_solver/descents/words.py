"""Elements of integers and truths as machine words over leaves: what an integer certificate then says of them.

An operation of a dtype is the exact one, wrapped into the range of that dtype. A *leaf* is an element that is looked at
no further; it has the range of its dtype.

Spec: ``spec/06c-pointwise.md``, ``sh/descent-words``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from refrelax.shape_solver.checker.terms import Rejected, dtype_range, expect, shown
from refrelax.shape_solver.descents.formats import FORMATS
from refrelax.shape_solver.descents.terms import Expr, Node, Table

WORDS = frozenset({"bool", *(f"{sign}int{width}" for sign in ("", "u") for width in (8, 16, 32, 64))})
RING = {"Add": "add", "Sub": "sub", "Mul": "mul"}
EXTREMES = {"Max": "max", "Min": "min"}
DIVISIONS = {"FloorDiv": "floordiv", "FloorMod": "floormod"}
ORDERS = {"EQ": "eq", "NE": "ne", "LT": "lt", "LE": "le"}
CONNECTIVES = {"And": "and", "Or": "or"}
BITS = {"T.bitwise_and": "and", "T.bitwise_or": "or", "T.bitwise_xor": "xor"}
SHIFTS = {"T.shift_left": "shl", "T.shift_right": "shr"}


@dataclass(slots=True)
class Words:
    """Elements written over leaves. ``leaves``: what stands for each, by the number of its term."""

    table: Table
    leaves: Mapping[int, Expr]
    strict: set[int] = field(default_factory=set)
    """Leaves that make the whole element poison where they are."""
    met: set[int] = field(default_factory=set)

    def word(self, t: int, dtype: str, strict: bool = True) -> Expr:
        """An element of ``dtype``: of a truth a truth, else an integer in the range of the dtype."""
        table = self.table
        table.fuel.spend()
        node = table.nodes[table.element(t)]
        if node[0] != "int":
            expect(dtype in WORDS and table.dtype(t) == dtype, f"a word of {dtype}", node)
        if t in self.leaves:
            expect(table.dtype(t) == dtype, f"a leaf of {dtype}", node)
            self.met.add(t)
            if strict:
                self.strict.add(t)
            return self.leaves[t]
        match node:
            case ("int", _, ("const", value)) if dtype != "bool":
                low, high = dtype_range(dtype)
                expect(low <= value <= high, f"a number of {dtype}", value)
                return ("const", value)
            case ("int", "bool", ("true" | "false",)) if dtype == "bool":
                return node[2]  # type: ignore[no-any-return]
            case ("choose", c, yes, no):
                arms = self.word(yes, dtype, False), self.word(no, dtype, False)
                return ("select", self.word(c, "bool", strict), *arms)
            case ("apply", op, _, _, args):
                found = self.compared(op, args, strict) if dtype == "bool" else self.arithmetic(op, dtype, args, strict)
                if found is not None:
                    return found
        raise Rejected(f"expected an operation on words or a leaf, found {shown(node)}")

    def arithmetic(self, op: str, dtype: str, args: tuple[int, ...], strict: bool) -> Expr | None:
        """An operation that gives an integer."""
        match op, args:
            case "Cast", (x,) if (source := self.table.dtype(x)) in WORDS:
                inner = self.word(x, source, strict)
                return ("select", inner, ("const", 1), ("const", 0)) if source == "bool" else ("wrap", dtype, inner)
            case "T.bitwise_not", (x,):
                return ("wrap", dtype, ("not", self.word(x, dtype, strict)))
            case _, (x, y):
                pair = self.word(x, dtype, strict), self.word(y, dtype, strict)
            case _:
                return None
        if op in RING:
            return ("wrap", dtype, (RING[op], *pair))
        if op in EXTREMES or op in BITS:
            return ((EXTREMES | BITS)[op], *pair)
        low, high = dtype_range(dtype)
        match pair[1]:
            case ("const", value) if op in DIVISIONS and value > 0:
                return (DIVISIONS[op], *pair)
            case ("const", value) if op in SHIFTS and 0 <= value < (high - low).bit_length():
                return ("wrap", dtype, (SHIFTS[op], *pair))
        return None

    def compared(self, op: str, args: tuple[int, ...], strict: bool) -> Expr | None:
        """An operation that gives a truth."""
        match op, args:
            case (("Not" | "T.bitwise_not"), (x,)):
                return ("not", self.word(x, "bool", strict))
            case "Cast", (x,) if (source := self.table.dtype(x)) in WORDS:
                inner = self.word(x, source, strict)
                return inner if source == "bool" else ("ne", inner, ("const", 0))
            case (("And" | "Or"), (x, y)):
                return (CONNECTIVES[op], self.word(x, "bool", strict), self.word(y, "bool", False))
            case _, (x, y) if op in ORDERS:
                kinds = {self.table.dtype(each) for each in args if self.table.nodes[each][0] != "int"}
                kinds = kinds or {self.table.dtype(x)}
                expect(len(kinds) == 1, "operands of one dtype", sorted(kinds))
                (dtype,) = kinds
                pair = self.word(x, dtype, strict), self.word(y, dtype, strict)
                if dtype != "bool":
                    return (ORDERS[op], *pair)
                same = ("iff", *pair)
                return same if op == "EQ" else ("not", same) if op == "NE" else None
            case _, (x, y) if op in BITS:
                pair = self.word(x, "bool", strict), self.word(y, "bool", strict)
                return ("not", ("iff", *pair)) if op == "T.bitwise_xor" else (BITS[op], *pair)
        return None


def ranges(table: Table, leaves: Iterable[int]) -> list[Expr]:
    """That each leaf which is an integer is one of its dtype; of one over indices that is not for this step to say."""
    found: list[Expr] = []
    for t in leaves:
        if table.dtype(t) != "bool" and table.sized(t):
            low, high = dtype_range(table.dtype(t))
            found += [("ge", ("elem", t), ("const", low)), ("le", ("elem", t), ("const", high))]
    return found


def leaf(table: Table, e: Any) -> int:
    """The element that a record names as a leaf."""
    match e:
        case ["elem", number]:
            return table.element(number)
    raise Rejected(f"expected an element, found {shown(e)}")


class Settled:
    """Which elements are one value, or poison, however they are computed: no reduction of floats is in them, whose
    order may be open or another by a relaxation."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.known: dict[int, bool] = {}

    def __call__(self, t: int) -> bool:
        if t not in self.known:
            self.table.fuel.spend()
            self.known[t] = self.of(self.table.nodes[t])
        return self.known[t]

    def of(self, node: Node) -> bool:
        match node:
            case ("int", _, e):
                return self.expr(e)
            case ("number", _, _):
                return True
            case ("apply", op, _, _, args):  # (the bits of a NaN are any)
                return op != "T.reinterpret" and all(map(self, args))
            case ("load", tensor, indices):
                body = self.table.tensors[tensor].body
                return all(map(self.expr, indices)) and (body is None or self(body))
            case ("choose", *parts):
                return all(map(self, parts))
            case ("fold", _, start, axes, guard, body, _):
                parts = [extent for _, extent in axes] + ([] if guard is None else [guard])
                floats = self.table.dtype(body) in FORMATS or self.table.dtype(body) not in WORDS
                return not floats and self(start) and self(body) and all(map(self.expr, parts))
        return False

    def expr(self, e: Expr) -> bool:
        match e:
            case ("elem", t):
                return self(t)
        return all(self.expr(part) for part in e[1:] if isinstance(part, tuple))
