"""Runs of axes: which axes of one shape hold the elements of which axes of another, both row-major."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from refrelax.rules import rule
from refrelax.semantics import dims as D
from refrelax.semantics.ops.meaning.indices import binary
from refrelax.syntax.scalars import PrimExpr, as_int, int_imm

Run = tuple[list[int], list[int]]
"""Axes of the one shape and of the other, with equal products."""


@rule("lo/reshape-same-size")
def runs(old: Sequence[PrimExpr], new: Sequence[PrimExpr]) -> list[Run]:
    """Runs from the left, as short as they can be seen to be; the last takes what is left. An axis of extent 1 may
    stand alone."""
    found: list[Run] = []
    i = j = 0
    while i < len(old) or j < len(new):
        left, right = [i] if i < len(old) else [], [j] if j < len(new) else []
        if left and right and old[i] != new[j] and 1 in (as_int(old[i]), as_int(new[j])):
            left, right = (left, []) if as_int(old[i]) == 1 else ([], right)
        i, j = i + len(left), j + len(right)
        while (i < len(old) or j < len(new)) and not _same([old[k] for k in left], [new[k] for k in right]):
            if i < len(old) and (j == len(new) or _size([old[k] for k in left]) < _size([new[k] for k in right])):
                left.append(i)
                i += 1
            else:
                right.append(j)
                j += 1
        found.append((left, right))
    return found


def _same(a: Sequence[PrimExpr], b: Sequence[PrimExpr]) -> bool:
    return D.simplify(_product(a), D.NO_FACTS) == D.simplify(_product(b), D.NO_FACTS)


def _product(extents: Sequence[PrimExpr]) -> PrimExpr:
    result: PrimExpr = int_imm(1)
    for n in extents:
        result = binary("Mul", result, n)
    return result


def _size(extents: Sequence[PrimExpr]) -> tuple[int, int]:
    """How many symbolic extents there are, and the product of the others: the lesser run is the one to extend."""
    numbers = [as_int(n) for n in extents]
    return numbers.count(None), prod(n for n in numbers if n is not None)
