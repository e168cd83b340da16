"""Sampling an image at positions that are themselves data: what ``grid_sample`` and ``roi_align`` share.

A position is a payload. Where the reading knows its integer part, one formula is evaluated; where it holds several
(an enclosure around an integer, a term), the formula is evaluated for each and the choice is a ``select``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product

from refrelax.errors import Ended, Unspecified
from refrelax.semantics.numbers.interface import Arithmetic, Payload, Truth
from refrelax.semantics.numbers.poison import poison
from refrelax.semantics.ops.definition import Evaluation


def muladd(f: Arithmetic, a: Payload, b: Payload, c: Payload) -> Payload:
    """``a * b + c``, rounded twice or once."""
    return f.either(lambda: f.add(f.mul(a, b), c), lambda: f.fma(a, b, c))


def mulsub(f: Arithmetic, a: Payload, b: Payload, c: Payload) -> Payload:
    """``a * b - c``, rounded twice or once."""
    return f.either(lambda: f.sub(f.mul(a, b), c), lambda: f.fma(a, b, f.neg(c)))


def possible(e: Evaluation, truth: Truth) -> bool:
    """Whether a comparison may hold: yes where the reading holds both answers."""
    try:
        return e.numerics.decide(truth)
    except Ended as end:
        if _undetermined(end):
            return True
        raise


def _undetermined(end: Ended) -> bool:
    return isinstance(end.outcome, Unspecified) and end.outcome.rule == "num/undetermined"


def by_integer(
    e: Evaluation,
    f: Arithmetic,
    index: Payload,
    candidates: range,
    value: Callable[[int], Payload],
    otherwise: Payload = None,
) -> Payload:
    """``value(k)`` for the int64 payload ``index`` that is ``k``; poison where the index is.

    ``candidates`` are looked at only where the reading does not know the index; ``otherwise`` is what every other
    index gives. Raises ``Ended`` (``num/undetermined``) where the index may be another one and there is no such value.
    """
    mark = e.numerics.poison_rule(index)
    if mark is not None:
        return poison(mark)
    try:
        return value(e.numerics.to_index(index, "int64"))
    except Ended as end:
        if not _undetermined(end):
            raise
        g = e.numerics.at("int64")
        low, high = g.lit(candidates[0]), g.lit(candidates[-1])
        covered = not (possible(e, g.less(index, low)) or possible(e, g.less(high, index)))
        if otherwise is None and not covered:
            raise
    tests = [(k, g.equal(index, g.lit(k))) for k in candidates]
    open_ = [(k, truth) for k, truth in tests if possible(e, truth)]
    result = value(open_.pop()[0]) if covered else otherwise
    for k, truth in reversed(open_):
        result = f.select(truth, value(k), result)
    return result


def by_integers(
    e: Evaluation,
    f: Arithmetic,
    indices: Sequence[Payload],
    candidates: Sequence[range],
    value: Callable[[tuple[int, ...]], Payload],
    otherwise: Payload = None,
) -> Payload:
    """``by_integer`` for several indices at once."""

    def rest(known: tuple[int, ...]) -> Payload:
        k = len(known)
        if k == len(indices):
            return value(known)
        return by_integer(e, f, indices[k], candidates[k], lambda i: rest((*known, i)), otherwise)

    return rest(())


def floor_index(e: Evaluation, f: Arithmetic, at: Payload) -> Payload:
    """The integer at or below a position, as int64."""
    return e.numerics.at("int64").cast(f.math("floor")(at), f.dtype)


def near(size: int, reach: int) -> range:
    """The integer parts at which ``reach`` taps to either side touch an axis of ``size``; one beyond at each end."""
    return range(-reach - 1, size + reach + 1)


@dataclass(frozen=True, slots=True)
class Tap:
    """An element ``at`` along an axis and its weight; ``rest``: the weight is ``1 - rest``."""

    at: int
    weight: Payload
    rest: Payload = None

    def scale(self, f: Arithmetic, a: Payload) -> Payload:
        """``a * weight``; ``a * (1 - rest)`` may also be ``a - a * rest`` rounded once."""
        if self.rest is None:
            return f.mul(a, self.weight)
        return f.either(lambda: f.mul(a, self.weight), lambda: f.fma(f.neg(self.rest), a, a))


def linear(f: Arithmetic, at: Payload, base: int) -> list[Tap]:
    """The two elements around a position whose integer part is ``base``."""
    t = f.sub(at, f.lit(base))
    return [Tap(base, f.sub(f.lit(1), t), t), Tap(base + 1, t)]


def weighted(f: Arithmetic, taps: Sequence[Sequence[Tap]], load: Callable[[tuple[int, ...]], Payload]) -> Payload:
    """``sum of w1 * w2 * … * load(p1, p2, …)`` over all combinations of one tap an axis.

    Permitted: the products associated in any way, the sum axis by axis or at once, in any order.
    """
    spots = list(product(*taps))
    cells = [load(tuple(tap.at for tap in spot)) for spot in spots]

    def at_once() -> Payload:
        return f.dot([_scaled(f, spot[0].weight, spot[1:]) for spot in spots], cells, f.dtype)

    def in_turn() -> Payload:
        scaled = [_scaled(f, cell, spot[:-1]) for cell, spot in zip(cells, spots, strict=True)]
        return f.dot(scaled, [spot[-1].weight for spot in spots], f.dtype)

    def expanded() -> Payload:  # a * (1 - t) as a - a * t, fused into the sum
        items, weights, one = list[Payload](), list[Payload](), f.lit(1)
        for cell, spot in zip(cells, spots, strict=True):
            scaled, last = _scaled(f, cell, spot[:-1]), spot[-1]
            items += [scaled] if last.rest is None else [scaled, f.neg(scaled)]
            weights += [last.weight] if last.rest is None else [one, last.rest]
        return f.dot(items, weights, f.dtype)

    def by_axis() -> Payload:
        rest = cells
        for axis in reversed(taps):
            n, weights = len(axis), [tap.weight for tap in axis]
            rest = [f.dot(rest[k : k + n], weights, f.dtype) for k in range(0, len(rest), n)]
        return rest[0]

    return f.either(at_once, in_turn, expanded, by_axis)


def _scaled(f: Arithmetic, a: Payload, taps: Sequence[Tap]) -> Payload:
    for tap in taps:
        a = tap.scale(f, a)
    return a
