"""Polynomials over ``^`` and ``&``: sets of products of numbered parts, each product under a constant mask.

Spec: ``spec/06b-solver.md``, ``sh/bits``.
"""

from __future__ import annotations

MAX_TERMS = 40
"""Products of one polynomial."""

MAX_JOINED = 8
"""Products whose sets are all summed, and terms of such a sum; with more, an operator is opened over its operands."""

Bits = dict[frozenset[int], int]
"""Products of parts by number, each with the mask over it (never 0; -1 is all bits). Their ``^`` is the value."""


def constant(value: int) -> Bits:
    return {frozenset(): value} if value else {}


def either(x: Bits | None, y: Bits | None) -> Bits | None:
    """``x ^ y``."""
    if x is None or y is None:
        return None
    result = dict(x)
    for product, mask in y.items():
        left = result.pop(product, 0) ^ mask
        if left:
            result[product] = left
    return result if len(result) <= MAX_TERMS else None


def both(x: Bits | None, y: Bits | None) -> Bits | None:
    """``x & y``."""
    if x is None or y is None:
        return None
    result: Bits | None = {}
    for product, mask in x.items():
        for other, over in y.items():
            if mask & over:
                result = either(result, {product | other: mask & over})
    return result


def apart(x: Bits | None, y: Bits | None) -> bool:
    """Whether no bit is in both: then their sum is their ``^``."""
    return x is not None and y is not None and not any(mask & over for mask in x.values() for over in y.values())


def joined(bits: Bits) -> dict[tuple[frozenset[int], int], int]:
    """The ``^`` of products as a sum of products with factors: over each set of ``n`` of them, ``(-2) ** (n - 1)``
    times their ``&``."""
    total: dict[tuple[frozenset[int], int], int] = {}
    sets: list[tuple[frozenset[int], int, int]] = []
    for product, mask in bits.items():
        more = [(product, mask, 1)]
        more += [(product | other, mask & over, -2 * c) for other, over, c in sets if mask & over]
        sets += more
        for each, over, factor in more:
            total[each, over] = total.get((each, over), 0) + factor
    return {term: factor for term, factor in total.items() if factor}


def short(bits: Bits) -> bool:
    """Whether ``bits`` are a short sum."""
    rest = {product: mask for product, mask in bits.items() if product or mask != -1}
    return len(rest) <= MAX_JOINED and len(joined(rest)) <= MAX_JOINED
