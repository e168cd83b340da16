"""A whole observed tensor against its enclosure.

Elements that the reference leaves open (poison) are excluded. Widths are measured against the greatest magnitude of the
tensor: an element near zero among large ones is as well determined as its neighbours.

Spec: ``spec/02-values.md``, ``num/decisive-width``.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from refrelax.semantics.numbers.enclosure import contains, enclose, judge, observed_number, surely_poison
from refrelax.semantics.numbers.interface import Payload
from refrelax.semantics.numbers.intervals import Interval
from refrelax.semantics.numbers.intsets import Ints
from refrelax.semantics.numbers.plain import PLAIN, plain, several_bits
from refrelax.semantics.numbers.strict import is_strict, sign_kept
from refrelax.semantics.numbers.verdicts import Containment, Counts, Inside, Outside, Undecided
from refrelax.semantics.values import TensorValue
from refrelax.syntax import bits, dtypes


def judge_tensor(wanted: TensorValue, dtype: str, shape: Sequence[int], patterns: Sequence[int]) -> Containment:
    """The worst verdict of the elements: the first ``Outside``, else the widest ``Undecided``, else the least
    ``Inside``.

    An observation of another dtype or shape is ``Outside`` at no index. Where every element is left open nothing was
    compared, and that is ``Undecided``.
    """
    return count_tensor(wanted, dtype, shape, patterns)[0]


def count_tensor(
    wanted: TensorValue,
    dtype: str,
    shape: Sequence[int],
    patterns: Sequence[int | None],
    canonical: Sequence[int | None] | None = None,
) -> tuple[Containment, Counts]:
    """``judge_tensor``, and how many elements came out how. A tensor without elements counts as one, compared by its
    shape and dtype. A pattern of ``None`` is an element that the other side leaves open: outside, unless the reference
    leaves it open too.

    ``canonical``: the bits of the canonical run, which say what is open where a permitted set *may* be poison; without
    them such an element is left out.
    """
    if dtype != wanted.dtype or tuple(shape) != wanted.shape:
        return Outside((), math.inf), Counts(outside=max(1, wanted.size))
    if not wanted.size:
        return Inside(1.0), Counts(inside=1)
    strictly = is_strict(wanted.numerics) and dtypes.is_float(dtype)
    payloads = wanted.payloads()
    if not strictly and plain(payloads) and several_bits(dtype, payloads) == (patterns, []):
        return Inside(1.0), Counts(inside=wanted.size)  # each is the one permitted (most are)
    scale = magnitude(wanted)
    margin, width, outside = 1.0, 0.0, None
    inside = undecided = wrong = 0
    numbers = bits.decode_all(dtype, [each or 0 for each in patterns])
    for index, payload, pattern, exact, number in _elements(wanted, patterns, canonical, numbers):
        if payload.__class__ in (float, int) and pattern is not None and not strictly:
            if number == payload or (number != number and payload != payload):
                inside += 1  # the one permitted
                continue
        match _judged(payload, dtype, pattern, scale, strictly) if exact is None else _may_be_open(pattern, exact):
            case Outside(by=by):
                outside = outside or Outside(index, by, number_text(pattern, dtype), set_text(payload, dtype))
                wrong += 1
            case Undecided(width=each):
                width = max(width, each)
                undecided += 1
            case Inside(margin=each):
                margin = min(margin, each)
                inside += 1
    counts = Counts(inside, wrong, undecided, excluded=wanted.size - inside - wrong - undecided)
    if outside is not None:
        return outside, counts
    if undecided or not counts.compared:
        return Undecided(width if undecided else math.inf), counts
    return Inside(margin), counts


def _judged(payload: Payload, dtype: str, pattern: int | None, scale: float | None, strictly: bool) -> Containment:
    """The verdict on one element; ``None``: the other side leaves it open. ``strictly``: the sign of zero counts."""
    if pattern is None:
        return Outside((), math.inf)
    found = judge(payload, dtype, pattern, scale)
    if strictly and isinstance(found, Inside) and not sign_kept(payload, observed_number(dtype, pattern)):
        return Outside((), 1.0)
    return found


def number_text(pattern: int | None, dtype: str) -> str:
    """An observed element in words."""
    return "open" if pattern is None else _shown(bits.decode(dtype, pattern), dtype)


def _shown(number: Any, dtype: str) -> str:
    """A number with as many digits as tell its neighbours apart."""
    if isinstance(number, bool | int):
        return str(number).lower()
    return f"{float(number):.{17 if dtype == 'float64' else 9}g}"


def set_text(payload: Payload, dtype: str) -> str:
    """A permitted set, by its ends."""
    low, high = bounds(payload, dtype)
    if low is None or high is None:
        return "nan"
    ends = _shown(low, dtype) if low == high else f"{_shown(low, dtype)} to {_shown(high, dtype)}"
    return f"{ends} or nan" if permits_nan(payload, dtype) else ends


def _may_be_open(pattern: int | None, exact: int) -> Containment:
    """The verdict on an element that some permitted run leaves open and the canonical one does not."""
    if pattern is None:
        return Outside((), math.inf)
    return Inside(1.0) if pattern == exact else Undecided(math.inf)


def contains_tensor(wanted: TensorValue, dtype: str, shape: Sequence[int], patterns: Sequence[int]) -> bool:
    """Whether every element is permitted."""
    if dtype != wanted.dtype or tuple(shape) != wanted.shape:
        return False
    strictly = is_strict(wanted.numerics) and dtypes.is_float(dtype)
    return all(
        pattern is not None
        and contains(payload, dtype, pattern)
        and (not strictly or sign_kept(payload, observed_number(dtype, pattern)))
        for _, payload, pattern, _, _ in _elements(wanted, patterns, None)
    )


def _elements(
    wanted: TensorValue,
    patterns: Sequence[int | None],
    canonical: Sequence[int | None] | None,
    numbers: Sequence[float] | None = None,
) -> Iterator[tuple[tuple[int, ...], Payload, int | None, int | None, float | None]]:
    """Index, permitted set and observed bits of every element that the reference determines, its canonical bits where
    the set may be poison all the same, and the observed number (of ``numbers``)."""
    rule_of, unknown = wanted.numerics.poison_rule, [None] * wanted.size
    rows = zip(wanted.indices(), wanted.payloads(), patterns, canonical or unknown, numbers or unknown, strict=True)
    for index, payload, pattern, exact, number in rows:
        if payload.__class__ in PLAIN or rule_of(payload) is None:
            yield index, payload, pattern, None, number
        elif exact is not None and not surely_poison(payload):
            yield index, payload, pattern, exact, number


def permits_nan(payload: Payload, dtype: str) -> bool:
    """Whether NaN is a member of a permitted set, beside its numbers or alone."""
    held = enclose(payload, dtype)
    return isinstance(held, Interval) and held.nan


def magnitude(wanted: TensorValue) -> float | None:
    """The greatest finite magnitude among the permitted results of a float tensor."""
    if not dtypes.is_float(wanted.dtype):
        return None
    payloads = wanted.payloads()
    ends: list[Any] = [p for p in payloads if p.__class__ is float]
    ends += [e for p in payloads if p.__class__ is not float for e in bounds(p, wanted.dtype) if e is not None]
    return max(filter(math.isfinite, map(abs, ends)), default=None)


def bounds(payload: Payload, dtype: str) -> tuple[Any, Any]:
    """Least and greatest permitted number of one element; ``None`` where no number is permitted."""
    held = enclose(payload, dtype)
    match held:
        case Interval():
            return (None, None) if held.empty else (held.lo, held.hi)
        case Ints():
            return held.lo, held.hi
        case _:
            return (not held.false), held.true
