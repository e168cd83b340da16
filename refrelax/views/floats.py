"""What is permitted of one element, on the line of the floats of its dtype.

The band is the permitted set; a tick is a float of the dtype. Above it stand the marks: the canonical result, the exact
one, what an implementation gave.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from html import escape

from refrelax.semantics.judging import bounds, number_text, permits_nan
from refrelax.semantics.numbers.interface import Payload
from refrelax.syntax import bits, dtypes
from refrelax.views.sheet import svg

WIDTH, MARGIN = 860, 40
"""Pixels of the line, and what is left free on either side."""

LETTER = 6.8
"""Pixels of a letter of a label."""

TICKS = 64
"""As many floats are drawn one by one; of more only their number is said."""


@cache
def edges(dtype: str) -> tuple[int, int]:
    """The places of the least and the greatest finite float."""
    top = bits.encode(dtype, bits.largest_finite(dtype))
    return (-top if bits.FORMATS[dtype].signed else 0), top


def place(dtype: str, number: float) -> int:
    """Which float of the dtype is nearest, counted from zero, or from the least where the dtype has no sign; the sign
    is that of the number. Beyond the finite ones it is the last of them."""
    least, greatest = edges(dtype)
    if number >= at(dtype, greatest):
        return greatest
    if number <= at(dtype, least):
        return least
    pattern = bits.encode(dtype, number)
    return pattern if least == 0 else _signed(dtype, pattern)


def _signed(dtype: str, pattern: int) -> int:
    top = 1 << (dtypes.bits(dtype) - 1)
    return pattern if pattern < top else top - pattern


def at(dtype: str, place: int) -> float:
    """The finite float at a place."""
    return float(bits.decode(dtype, _pattern(dtype, place)))


def permitted(dtype: str, low: float, high: float) -> tuple[int, int]:
    """The places of the least and the greatest finite float of the dtype in ``[low, high]``."""
    first, last = place(dtype, low), place(dtype, high)
    while at(dtype, first) < low and first <= last:
        first += 1
    while at(dtype, last) > high and last >= first:
        last -= 1
    return first, last


def said(payload: Payload, dtype: str) -> str:
    """The permitted set in words."""
    low, high = bounds(payload, dtype)
    nan = permits_nan(payload, dtype)
    if low is None or high is None:
        return "NaN alone is permitted" if nan else "the element means nothing: nothing is compared"
    beside = ", and NaN" if nan else ""
    if not (math.isfinite(low) and math.isfinite(high)):
        return f"from {low} to {high}{beside}"
    first, last = permitted(dtype, low, high)
    if first > last:
        return f"between {low} and {high}{beside}, where {dtype} has no float"
    count, ends = last - first + 1, f"from {at(dtype, first):.9g} to {at(dtype, last):.9g}"
    return f"{count} of the floats of {dtype} are permitted, {ends}{beside}"


def line(payload: Payload, dtype: str, marks: Mapping[str, float], title: str) -> str:
    """The picture, as SVG; in words where there is nothing to draw."""
    low, high = bounds(payload, dtype)
    drawable = low is not None and high is not None and math.isfinite(low) and math.isfinite(high)
    if not drawable or not dtypes.is_float(dtype):
        return f"<p>{escape(title)}: {escape(said(payload, dtype))}</p>"
    first, last = permitted(dtype, low, high)
    beyond, (least, greatest) = max(2, (last - first) // 8), edges(dtype)
    seen = [number for number in marks.values() if math.isfinite(number)]
    ends = (at(dtype, max(first - beyond, least)), at(dtype, min(last + beyond, greatest)), low, high, *seen)
    left, right = min(ends), max(ends)

    def across(number: float) -> float:
        half = right / 2 - left / 2  # the whole may be beyond all floats
        return MARGIN + ((number / 2 - left / 2) / half if half else 0.0) * (WIDTH - 2 * MARGIN)

    together: dict[float, list[str]] = {}
    for name, number in marks.items():
        together.setdefault(number, []).append(name)
    top = 16 * len(together) + 14
    drawn = [f'<path d="M0 12H{WIDTH}" stroke="#98a2b3"/>', _band(across(low), across(high))]
    drawn += _ticks(dtype, left, right, across, (first, last))
    drawn += _marks(together, across, top)
    label = f"{title}: {said(payload, dtype)}"
    moved = (f"<title>{escape(label)}</title>", f'<g transform="translate(0 {top})">', *drawn, "</g>")
    return svg(label, WIDTH, top + 56, moved)


def _band(left: float, right: float) -> str:
    wide = max(right - left, 2)
    return f'<rect x="{left:.1f}" y="0" width="{wide:.1f}" height="24" rx="3" fill="#16a34a" fill-opacity="0.35"/>'


def _ticks(
    dtype: str, left: float, right: float, across: Callable[[float], float], inside: tuple[int, int]
) -> Iterator[str]:
    first, last = permitted(dtype, left, right)
    if last - first >= TICKS:
        yield f'<text x="{MARGIN}" y="48">{last - first + 1} floats of {escape(dtype)} between the ends</text>'
        return
    for k in range(first, last + 1):
        x = across(at(dtype, k))
        held = inside[0] <= k <= inside[1]
        yield (
            f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{4 if held else 8}" y2="{20 if held else 16}" '
            f'stroke="{"#15803d" if held else "#98a2b3"}" stroke-width="{1.6 if held else 1}"/>'
        )
    step = max(1, (last - first) // 5)
    for k in range(first, last + 1, step):
        x = across(at(dtype, k))
        yield f'<text x="{x:.1f}" y="48" text-anchor="middle">{escape(number_text(_pattern(dtype, k), dtype))}</text>'


def _pattern(dtype: str, place: int) -> int:
    return place if place >= 0 else (1 << (dtypes.bits(dtype) - 1)) - place


def _marks(marks: Mapping[float, list[str]], across: Callable[[float], float], top: int) -> Iterator[str]:
    for k, (number, names) in enumerate(marks.items()):
        y, said = 14 + 16 * k - top, ", ".join(names)
        if not math.isfinite(number):
            yield f'<text x="{MARGIN}" y="{y}">{escape(said)}: {number}</text>'
            continue
        x, text = across(number), f"{said} {number:.9g}"
        wide = len(text) * LETTER
        left = x + 5 if x + 5 + wide <= WIDTH else max(x - 5 - wide, 0)
        yield f'<path d="M{x:.1f} {y + 3}V4" stroke="#b45309" stroke-dasharray="2 2"/>'
        yield f'<circle cx="{x:.1f}" cy="12" r="4.5" fill="#b45309"/>'
        yield f'<text x="{left:.1f}" y="{y}">{escape(text)}</text>'
