"""How much boxes overlap, in binary64: enough to decide most comparisons with the exact overlap.

Spec: ``spec/ops/suppression.md``.
"""

from __future__ import annotations

from collections.abc import Sequence

from refrelax.semantics.numbers.interface import Payload

FAR = 2.0**200
"""Products of numbers below it, and quotients of their sums by numbers above its inverse, are far inside binary64."""

OFF = 2.0**-48
"""By how much of itself an overlap is off at most."""


def reached(threshold: Payload, a: Sequence[Payload], b: Sequence[Payload]) -> bool | None:
    """Whether the exact overlap of two boxes of numbers, by opposite corners, is ``threshold`` or more;
    ``None`` where binary64 does not tell."""
    for x in (threshold, *a, *b):
        if x.__class__ is not float or not -FAR < x < FAR:
            return None
    near = _near(a, b)
    return None if near is None or abs(near - threshold) <= OFF * near else near > threshold


def _near(a: Sequence[float], b: Sequence[float]) -> float | None:
    """The overlap of boxes of numbers, off by less than ``2**-48`` of itself; ``None`` where that is not known.

    No digits are lost: the union is half of the areas or more, and everything else is a product or a quotient of
    differences of numbers as they are.
    """
    sides = list[tuple[float, float, float]]()
    for k in range(2):
        low, high = (a[k], a[2 + k]) if a[k] < a[2 + k] else (a[2 + k], a[k])
        first, last = (b[k], b[2 + k]) if b[k] < b[2 + k] else (b[2 + k], b[k])
        common = (high if high < last else last) - (low if low > first else first)
        if common <= 0:
            return 0.0
        sides.append((common, high - low, last - first))
    (width, aw, bw), (height, ah, bh) = sides
    shared = width * height
    union = aw * ah + bw * bh - shared
    return shared / union if shared > 1 / FAR else None
