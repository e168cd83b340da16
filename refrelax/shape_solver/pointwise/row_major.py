"""The elements of one shape in row-major order at the indices of another: axes that stay, that split, that merge.

Two shapes of equal size fall into groups of axes wherever a product of leading extents of the one is one of the other.
Inside a group the position is flat; so an axis that stays is an index, and no extent of another group divides anything.
"""

from __future__ import annotations

from collections.abc import Sequence

from refrelax.semantics.dims import NO_FACTS, equal
from refrelax.syntax.scalars import Binary, PrimExpr, as_int, int_imm

Dims = Sequence[PrimExpr]


def reshaped_indices(old: Dims, new: Dims, at: Dims) -> tuple[PrimExpr, ...]:
    """Where the element ``at`` of shape ``new`` stands in shape ``old``. Both have the same number of elements."""
    found: list[PrimExpr] = []
    i = j = 0
    for p, q in (*_boundaries(old, new), (len(old), len(new))):
        found += _inside(old[i:p], new[j:q], at[j:q])
        i, j = p, q
    return tuple(found)


def _boundaries(old: Dims, new: Dims) -> list[tuple[int, int]]:
    """How many leading axes of either have the same product, in order; not the last axes."""
    found: list[tuple[int, int]] = []
    before = 0
    products = _products(old)[:-1]
    for q, whole in enumerate(_products(new)[:-1], start=1):
        for p in range(before + 1, len(products) + 1):
            if equal(products[p - 1], whole, NO_FACTS) is True:
                found.append((p, q))
                before = p
                break
    return found


def _products(dims: Dims) -> list[PrimExpr]:
    found: list[PrimExpr] = []
    for d in dims:
        found.append(Binary("Mul", found[-1], d) if found else d)
    return found


def _inside(old: Dims, new: Dims, at: Dims) -> list[PrimExpr]:
    """One group: the flat position as digits."""
    if len(old) == len(new) == 1:
        return [at[0]]
    flat: PrimExpr = int_imm(0)
    for o, d in zip(at, new, strict=True):
        if as_int(d) != 1:
            flat = o if as_int(flat) == 0 else Binary("Add", Binary("Mul", flat, d), o)
    found: list[PrimExpr] = []
    below: PrimExpr | None = None
    left = [k for k, d in enumerate(old) if as_int(d) != 1]
    for place in range(len(old) - 1, -1, -1):
        if place not in left:
            found.insert(0, int_imm(0, old[place].dtype))
            continue
        digit = flat if below is None else Binary("FloorDiv", flat, below)
        found.insert(0, digit if place == left[0] else Binary("FloorMod", digit, old[place]))
        below = old[place] if below is None else Binary("Mul", below, old[place])
    return found
