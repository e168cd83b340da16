"""An index of which a reading holds several values: an enclosure around an integer, a term.

Where the reading knows the integer, one formula is evaluated; else the formula is evaluated for each, and the choice is
a ``select``.
"""

from __future__ import annotations

from collections.abc import Callable

from refrelax.errors import Ended, Unspecified
from refrelax.semantics.numbers.interface import Numerics, Payload, Truth
from refrelax.semantics.numbers.poison import poison


def possible(numerics: Numerics, truth: Truth) -> bool:
    """Whether a comparison may hold: yes where the reading holds both answers."""
    try:
        return numerics.decide(truth)
    except Ended as end:
        if _undetermined(end):
            return True
        raise


def _undetermined(end: Ended) -> bool:
    return isinstance(end.outcome, Unspecified) and end.outcome.rule == "num/undetermined"


def by_integer(
    numerics: Numerics,
    dtype: str,
    index: Payload,
    candidates: range,
    value: Callable[[int], Payload],
    otherwise: Payload = None,
    rule: str = "",
) -> Payload:
    """``value(k)`` for the int64 payload ``index`` that is ``k``; poison where that is, of its rule or of ``rule``.

    ``candidates`` are looked at only where the reading does not know the index; ``otherwise`` is what every other
    index gives. Raises ``Ended`` (``num/undetermined``) where the index may be another one and there is no such value.
    """
    mark = numerics.poison_rule(index)
    if mark is not None:
        return poison(rule or mark)
    try:
        return value(numerics.to_index(index, "int64"))
    except Ended as end:
        if not _undetermined(end) or not candidates:
            raise
        g = numerics.at("int64")
        low, high = g.lit(candidates[0]), g.lit(candidates[-1])
        covered = not (possible(numerics, g.less(index, low)) or possible(numerics, g.less(high, index)))
        if otherwise is None and not covered:
            raise
    tests = [(k, g.equal(index, g.lit(k))) for k in candidates]
    open_ = [(k, truth) for k, truth in tests if possible(numerics, truth)]
    result = value(open_.pop()[0]) if covered else otherwise
    for k, truth in reversed(open_):
        result = numerics.at(dtype).select(truth, value(k), result)
    return result
