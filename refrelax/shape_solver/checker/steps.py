"""The steps of evaluating an expression that may go wrong, in evaluation order: the checker's own.

Spec: ``spec/06-shapes.md``, ``sh/overflow-first``.
"""

from __future__ import annotations

import json
from typing import Any

Expr = Any
DIVISIONS = ("FloorDiv", "FloorMod", "Div", "Mod")


def is_bool(e: Expr) -> bool:
    """Whether ``e`` is a claim."""
    match e:
        case ["bool", _] | ["sym", _, "bool"] | ["Cast", "bool", _, _] | ["Not", _]:
            return True
        case [("Select" | "if_then_else"), _, a, _] | ["likely", a] | ["Let", _, _, a]:
            return is_bool(a)
        case [("And" | "Or" | "EQ" | "NE" | "LT" | "LE" | "GT" | "GE"), _, _]:
            return True
        case _:
            return False


def steps(e: Expr, low: int, high: int) -> list[tuple[bool, Expr]]:
    """The steps of evaluating ``e`` that may go wrong, in evaluation order: (``True``, it has a value) or (``False``,
    it is within ``low`` and ``high``), each asked where those before it went well."""
    match e:
        case ["int", value]:
            return [] if low <= value <= high else [(False, ["bool", 0])]
        case ["bool" | "sym", *_]:
            return []
        case [("And" | "Or") as op, a, b]:
            return [*steps(a, low, high), *under(["Not", a] if op == "And" else a, steps(b, low, high))]
        case ["if_then_else", c, a, b]:
            arms = [*under(["Not", c], steps(a, low, high)), *under(c, steps(b, low, high))]
            return [*steps(c, low, high), *arms]
        case ["Let", *_]:
            raise ValueError("expected no let expression under fits")
        case [op, *parts]:
            found = [step for part in parts if isinstance(part, list) for step in steps(part, low, high)]
            if op in DIVISIONS:
                found.append((True, ["NE", parts[1], ["int", 0]]))
            elif op in ("shift_left", "shift_right"):
                found.append((True, ["GE", parts[1], ["int", 0]]))
            if is_bool(e) or op in ("Min", "Max", "FloorMod", "Mod"):
                return found
            return [*found, (False, ["GE", e, ["int", low]]), (False, ["LE", e, ["int", high]])]
    raise ValueError(f"expected an expression, found {json.dumps(e)}"[:200])


def under(excused: Expr, needed: list[tuple[bool, Expr]]) -> list[tuple[bool, Expr]]:
    """``needed`` where ``excused`` does not hold."""
    return [(defines, ["Or", excused, each]) for defines, each in needed]
