"""What a record says, in words, read back from the file."""

from __future__ import annotations

from typing import Any

from refrelax.shape_solver.descents.document import Finding

SIGNS = {
    "add": "+", "sub": "-", "mul": "*", "floordiv": "//", "floormod": "%", "lt": "<", "le": "<=", "gt": ">", "ge": ">=",
    "eq": "==", "ne": "!=", "and": "and", "or": "or",
}  # fmt: skip


def said(document: Any, found: Finding) -> str:
    """What follows from an accepted record, under what, by how many steps."""
    tensors = [row for row in document["table"] if isinstance(row, dict)]
    parts = [result(row, tensors) for row in document["results"]]
    facts = [fact(k, row) for k, row in enumerate(tensors) for row in row.get("facts", ())]
    under = ", ".join([*map(integer, document["known"]), *facts])
    relaxed = f" with {', '.join(found.relaxations)}" if found.relaxations else ""
    by = f"{found.steps} steps and {found.certificates} certificates"
    return f"{'; '.join(parts)}{relaxed} ({by}{f', given {under}' if under else ''})"


def fact(tensor: int, row: Any) -> str:
    """What is taken for granted of elements of a tensor."""
    _, given, indices, value = row
    at = f"tensor {tensor}[{', '.join(map(integer, indices))}] is term {value}"
    return f"{at} where {' and '.join(map(integer, given))}" if given else at


def result(row: Any, tensors: list[Any]) -> str:
    match row:
        case {"first": first, "second": second}:
            shape = ", ".join(map(integer, tensors[first]["shape"]))
            kind = f"each element of {tensors[first]['dtype']}[{shape}]"
            return f"{kind}: tensor {second} may stand for tensor {first}"
        case {"integers": [x, y]}:
            return f"{integer(x)} == {integer(y)}"
        case {"never poison": t}:
            return f"term {t} is never poison"
        case _:
            return "elements: the second may stand for the first"


def integer(e: Any) -> str:
    """An integer or truth over indices."""
    match e:
        case ["const", value]:
            return str(value)
        case ["sym", name]:
            return str(name)
        case ["elem", t]:
            return f"element {t}"
        case [str() as op, a, b] if op in SIGNS:
            return f"({integer(a)} {SIGNS[op]} {integer(b)})"
        case [op, *parts]:
            return f"{op}({', '.join(integer(each) if isinstance(each, list) else str(each) for each in parts)})"
        case _:
            return str(e)
