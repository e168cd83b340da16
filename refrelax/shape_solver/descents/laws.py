"""Laws of scalar functions, by name: each gives the term that another one is, whatever its operands are, or nothing.

They hold bit for bit (one NaN is as any other), in formats that have zeros of both signs, infinities and NaN.

Spec: ``spec/06c-pointwise.md``, ``sh/descent-laws``.
"""

from __future__ import annotations

from collections.abc import Callable

from refrelax.shape_solver.descents.formats import FORMATS, constant, whole
from refrelax.shape_solver.descents.terms import Node, Table

Law = Callable[[Table, Node], int | None]

INDEX = ("int32", "int64", "bool")
WIDTH = {"bool": 1, "int32": 32, "int64": 64}
JOINED = {"EQ": "eq", "NE": "ne", "LT": "lt", "LE": "le", "Min": "min", "Max": "max"}


def _is(table: Table, t: int, name: str) -> bool:
    node = table.nodes[t]
    return node[0] == "number" and node[1] in FORMATS and node[2] == constant(node[1], name)


def _pair(node: Node, op: str) -> tuple[int, int] | None:
    match node:
        case ("apply", found, dtype, _, (x, y)) if found == op and dtype in FORMATS:
            return x, y
    return None


def one_mul(table: Table, node: Node) -> int | None:
    """``x * 1`` and ``1 * x`` are ``x``."""
    if (pair := _pair(node, "Mul")) is None:
        return None
    x, y = pair
    return x if _is(table, y, "1") else y if _is(table, x, "1") else None


def zero_mul(table: Table, node: Node) -> int | None:
    """``(+0) * (+0)`` is ``+0``."""
    pair = _pair(node, "Mul")
    return pair[0] if pair is not None and all(_is(table, x, "0") for x in pair) else None


def one_div(table: Table, node: Node) -> int | None:
    """``x / 1`` is ``x``."""
    pair = _pair(node, "Div")
    return pair[0] if pair is not None and _is(table, pair[1], "1") else None


def zero_sub(table: Table, node: Node) -> int | None:
    """``x - (+0)`` is ``x``."""
    pair = _pair(node, "Sub")
    return pair[0] if pair is not None and _is(table, pair[1], "0") else None


def zero_add(table: Table, node: Node) -> int | None:
    """``x + (-0)`` is ``x``; ``x + (+0)`` where ``x`` is a converted integer or a literal other than -0."""
    if (pair := _pair(node, "Add")) is None:
        return None
    for zero, other in (pair, pair[::-1]):
        if _is(table, zero, "-0") or (_is(table, zero, "0") and _never_minus_zero(table, other)):
            return other
    return None


def _never_minus_zero(table: Table, t: int) -> bool:
    match table.nodes[t]:
        case ("number", dtype, bits):
            return dtype in FORMATS and bits != constant(dtype, "-0")
        case ("apply", "Cast", dtype, _, (x,)):
            return dtype in FORMATS and table.nodes[x][0] == "int"
    return False


def same_extreme(table: Table, node: Node) -> int | None:
    """``max(x, x)`` and ``min(x, x)`` are ``x``."""
    pair = _pair(node, "Max") or _pair(node, "Min")
    return pair[0] if pair is not None and table.key(pair[0]) == table.key(pair[1]) else None


def join(table: Table, node: Node) -> int | None:
    """An order, extreme or connective of integers over indices, or a widening cast, is one."""
    match node:
        case ("apply", op, dtype, _, (x, y)):
            a, b = table.nodes[x], table.nodes[y]
            if a[0] != "int" or b[0] != "int" or a[1] != b[1] or a[1] not in INDEX:
                return None
            if op in ("And", "Or") and a[1] == "bool" == dtype:
                return table.number(("int", "bool", (op.lower(), a[2], b[2])))
            if op in ("EQ", "NE") and a[1] == "bool" == dtype:
                same = ("iff", a[2], b[2])
                return table.number(("int", "bool", same if op == "EQ" else ("not", same)))
            if op in JOINED and a[1] != "bool" and dtype == (a[1] if op in ("Min", "Max") else "bool"):
                return table.number(("int", dtype, (JOINED[op], a[2], b[2])))
        case ("apply", "Not", "bool", _, (x,)):
            a = table.nodes[x]
            return table.number(("int", "bool", ("not", a[2]))) if a[:2] == ("int", "bool") else None
        case ("apply", "Cast", dtype, _, (x,)):
            a = table.nodes[x]
            if a[0] == "int" and a[1] in INDEX and dtype in ("int32", "int64") and WIDTH[a[1]] <= WIDTH[dtype]:
                e = ("select", a[2], ("const", 1), ("const", 0)) if a[1] == "bool" else a[2]
                return table.number(("int", dtype, e))
    return None


def same_cast(table: Table, node: Node) -> int | None:
    """A cast to the same dtype is its operand."""
    match node:
        case ("apply", "Cast", dtype, _, (x,)) if table.dtype(x) == dtype:
            return int(x)
    return None


def cast_literal(table: Table, node: Node) -> int | None:
    """The cast of an integer literal to a float that has it is that float."""
    match node:
        case ("apply", "Cast", dtype, _, (x,)) if table.nodes[x][0] == "int" and dtype in FORMATS:
            match table.nodes[x][2]:
                case ("const", 0):
                    return table.number(("number", dtype, 0))
                case ("const", value) if (bits := whole(value, dtype)) is not None:
                    return table.number(("number", dtype, bits))
    return None


def truth(table: Table, node: Node) -> int | None:
    """``0 < int(b)``, ``int(b) != 0`` and ``0 != int(b)`` are ``b``, at a dtype of more than one bit."""
    match node:
        case ("apply", "LT", "bool", _, (zero, cast)):
            pairs = [(zero, cast)]
        case ("apply", "NE", "bool", _, (x, y)):
            pairs = [(x, y), (y, x)]
        case _:
            return None
    for zero, cast in pairs:
        match table.nodes[zero], table.nodes[cast]:
            case ("int", _, ("const", 0)), ("apply", "Cast", dtype, _, (b,)):
                if table.dtype(b) == "bool" and dtype not in ("int1", "uint1", "bool"):
                    return int(b)
    return None


def _negated(table: Table, t: int) -> int | None:
    pair = _pair(table.nodes[t], "Mul")
    if pair is None:
        return None
    x, y = pair
    return x if _is(table, y, "-1") else y if _is(table, x, "-1") else None


def signs(table: Table, node: Node) -> int | None:
    """``-(-x)`` is ``x``, ``x + (-y)`` is ``x - y``, ``x - (-y)`` is ``x + y``, ``|-x|`` and ``||x||`` are ``|x|``."""
    match node:
        case ("apply", "Mul", dtype, _, (x, y)) if dtype in FORMATS:
            for one, other in ((x, y), (y, x)):
                if _is(table, one, "-1") and (found := _negated(table, other)) is not None:
                    return found
        case ("apply", "Add", dtype, attrs, (x, y)) if dtype in FORMATS:
            for one, other in ((x, y), (y, x)):
                if (found := _negated(table, other)) is not None:
                    return table.number(("apply", "Sub", dtype, attrs, (one, found)))
        case ("apply", "Sub", dtype, attrs, (x, y)) if dtype in FORMATS and (found := _negated(table, y)) is not None:
            return table.number(("apply", "Add", dtype, attrs, (x, found)))
        case ("apply", "T.fabs", dtype, attrs, (x,)) if dtype in FORMATS:
            if (found := _negated(table, x)) is not None:
                return table.number(("apply", "T.fabs", dtype, attrs, (found,)))
            if table.nodes[x][:3] == ("apply", "T.fabs", dtype):
                return int(x)
    return None


LAWS: dict[str, Law] = {
    "one-mul": one_mul,
    "zero-mul": zero_mul,
    "one-div": one_div,
    "zero-sub": zero_sub,
    "zero-add": zero_add,
    "same-extreme": same_extreme,
    "join": join,
    "same-cast": same_cast,
    "cast-literal": cast_literal,
    "truth": truth,
    "signs": signs,
}
