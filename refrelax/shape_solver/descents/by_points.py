"""The rule ``constants``: two elements of constant arrays, at every point of the finite ranges of what they depend on.

Spec: ``spec/06c-pointwise.md``, ``sh/descent-steps``.
"""

from __future__ import annotations

from itertools import product
from math import prod
from typing import Any

from refrelax.shape_solver.checker.points import NoValue, TooLarge
from refrelax.shape_solver.checker.points import integer as valued
from refrelax.shape_solver.checker.terms import Rejected, expect, integer, shown
from refrelax.shape_solver.descents.by_words import UnderCheck
from refrelax.shape_solver.descents.formats import is_nan
from refrelax.shape_solver.descents.terms import Array, Expr

MAX_POINTS = 1 << 16


def constants(step: UnderCheck, rest: dict[str, Any]) -> None:
    """Where the first is in bounds, the second is, and both have the same bits, or are NaNs."""
    table = step.table
    match step.nodes:
        case ("load", one, ours), ("load", two, theirs):
            first, second = table.tensors[one], table.tensors[two]
        case _:
            raise Rejected(f"expected loads of constant arrays, found {shown(step.nodes)}")
    expect(first.dtype == second.dtype, "arrays of one dtype", (first.dtype, second.dtype))
    extents = [_extents(each) for each in (first, second)]
    names = sorted(frozenset[str]().union(*map(table.mentions, (*ours, *theirs))))
    ranges = _ranges(step, rest.pop("ranges", None), names)
    expect(prod(map(len, ranges)) <= MAX_POINTS, f"at most {MAX_POINTS} points", ranges)
    indices = [[_numbered(each, names) for each in side] for side in (ours, theirs)]
    for point in product(*ranges):
        table.fuel.spend()
        x, y = (
            _element(array, where, at, point)
            for array, where, at in zip((first, second), extents, indices, strict=True)
        )
        same = x == y or (x is not None and y is not None and is_nan(first.dtype, x) and is_nan(first.dtype, y))
        expect(x is None or same, f"the same element at {dict(zip(names, point, strict=True))}", (x, y))


def _extents(array: Array) -> list[int]:
    """The extents of a constant array, which has as many elements as they say."""
    found = [e[1] for e in array.shape if e[0] == "const"]
    good = array.data is not None and len(found) == len(array.shape) and min(found, default=0) >= 0
    expect(good and len(array.data or ()) == prod(found), "a constant array", array.shape)
    return found


def _ranges(step: UnderCheck, rows: Any, names: list[str]) -> list[range]:
    """The values of each variable, known to be no others."""
    good = isinstance(rows, list) and all(isinstance(each, list) and len(each) == 3 for each in rows)
    expect(good and [each[0] for each in rows] == names, f"ranges of {names}", rows)
    found = []
    for name, low, high in rows:
        low, high = integer(low), integer(high)
        step.shown.need(("ge", ("sym", name), ("const", low)), step.known)
        step.shown.need(("lt", ("sym", name), ("const", high)), step.known)
        found.append(range(low, high))
    return found


def _numbered(e: Expr, names: list[str]) -> Any:
    """An index with its variables by number."""
    match e:
        case ("sym", name):
            return ["sym", names.index(name)]
        case ("elem", _):
            raise Rejected("expected indices over variables, found an element")
        case _:
            return [_numbered(part, names) if isinstance(part, tuple) else part for part in e]


def _element(array: Array, extents: list[int], indices: list[Any], point: tuple[int, ...]) -> int | None:
    """The bits of an element; ``None`` where there is none."""
    position = 0
    for e, extent in zip(indices, extents, strict=True):
        try:
            k = valued(e, point)
        except (NoValue, TooLarge):
            return None
        if not 0 <= k < extent:
            return None
        position = position * extent + k
    assert array.data is not None
    return array.data[position]
