"""Sampling an image at positions that are themselves data: what ``grid_sample`` and ``roi_align`` share.

A position is a payload, and its integer part an index of which a reading may hold several (``m.with_index``).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product

from refrelax.semantics.numbers.interface import Arithmetic, Payload
from refrelax.semantics.ops.meaning import Index, Meaning


def muladd(f: Arithmetic, a: Payload, b: Payload, c: Payload) -> Payload:
    """``a * b + c``, rounded twice or once."""
    return f.either(lambda: f.add(f.mul(a, b), c), lambda: f.fma(a, b, c))


def mulsub(f: Arithmetic, a: Payload, b: Payload, c: Payload) -> Payload:
    """``a * b - c``, rounded twice or once."""
    return f.either(lambda: f.sub(f.mul(a, b), c), lambda: f.fma(a, b, f.neg(c)))


def by_integers(
    m: Meaning,
    dtype: str,
    indices: Sequence[Payload],
    candidates: Sequence[tuple[Index, Index]],
    value: Callable[[tuple[Index, ...]], Payload],
    otherwise: Payload = None,
) -> Payload:
    """``m.with_index`` for several indices at once."""

    def rest(known: tuple[Index, ...]) -> Payload:
        k = len(known)
        if k == len(indices):
            return value(known)
        return m.with_index(dtype, indices[k], candidates[k], lambda i: rest((*known, i)), otherwise)

    return rest(())


def floor_index(m: Meaning, f: Arithmetic, at: Payload) -> Payload:
    """The integer at or below a position, as int64."""
    return m.at("int64").cast(f.math("floor")(at), f.dtype)


def near(size: Index, reach: int) -> tuple[Index, Index]:
    """The integer parts at which ``reach`` taps to either side touch an axis of ``size``, and one beyond at each end:
    from, and up to below."""
    return -reach - 1, size + reach + 1


@dataclass(frozen=True, slots=True)
class Tap:
    """An element ``at`` along an axis and its weight; ``rest``: the weight is ``1 - rest``."""

    at: Index
    weight: Payload
    rest: Payload = None

    def scale(self, f: Arithmetic, a: Payload) -> Payload:
        """``a * weight``; ``a * (1 - rest)`` may also be ``a - a * rest`` rounded once."""
        if self.rest is None:
            return f.mul(a, self.weight)
        return f.either(lambda: f.mul(a, self.weight), lambda: f.fma(f.neg(self.rest), a, a))


def linear(f: Arithmetic, at: Payload, base: Index) -> list[Tap]:
    """The two elements around a position whose integer part is ``base``."""
    t = f.sub(at, f.lit(base))
    return [Tap(base, f.sub(f.lit(1), t), t), Tap(base + 1, t)]


def weighted(f: Arithmetic, taps: Sequence[Sequence[Tap]], load: Callable[[tuple[Index, ...]], Payload]) -> Payload:
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
