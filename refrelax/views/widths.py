"""How wide the permitted sets of a network's bindings are: a bar each, on a scale of powers of two.

A width is relative to the greatest magnitude of the tensor, as ``num/decisive-width`` measures it: beyond the line
drawn for its dtype an element inside of its set says nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from refrelax.judge.outcomes import copies
from refrelax.running.run import run
from refrelax.semantics.graph.machine import Scope
from refrelax.semantics.judging import bounds, magnitude, permits_nan
from refrelax.semantics.numbers.bounds import widest_decisive
from refrelax.semantics.types.checked import CheckedModule
from refrelax.semantics.values import TensorValue
from refrelax.syntax import bits, dtypes
from refrelax.syntax.graph import Binding, Call, GlobalVar, Op, VarBinding
from refrelax.views.sheet import svg


@dataclass(frozen=True, slots=True)
class Width:
    """One binding: its place and operator, the widest element's relative width, and the limit of its dtype;
    ``open``: elements without meaning."""

    path: str
    name: str
    what: str
    dtype: str
    relative: float
    limit: float
    open: int
    size: int

    @property
    def decides(self) -> bool:
        return self.open < self.size and self.relative <= self.limit


def widths(checked: CheckedModule, entry: str, args: Sequence[Any], **options: Any) -> tuple[Width, ...]:
    """The widths of every binding of a float tensor, in the order of the run."""
    watcher = _Watcher()
    run(checked, entry, *copies(args), numerics="enclosure", listener=watcher, **options)
    return tuple(watcher.found)


class _Watcher:
    """A listener."""

    def __init__(self) -> None:
        self.found: list[Width] = []

    def on_binding(self, path: str, binding: Binding, value: Any, scope: Scope) -> None:
        """A binding was evaluated."""
        if isinstance(value, TensorValue) and dtypes.is_float(value.dtype) and value.size:
            what = operator(binding)
            if what:
                self.found.append(measured(path, binding.name, what, value))


def operator(binding: Binding) -> str:
    """What a binding calls; nothing for a name for something that is there."""
    match binding:
        case VarBinding(value=Call(op=Op(name="relax.call_tir"), args=(GlobalVar(name=name), *_))):
            return f"cls.{name}"
        case VarBinding(value=Call(op=Op(name=name))):
            return name.replace("relax.", "R.")
        case VarBinding(value=Call(op=GlobalVar(name=name))):
            return f"cls.{name}"
        case _:
            return ""


def measured(path: str, name: str, what: str, value: TensorValue) -> Width:
    """The width of one tensor."""
    precision, least = _format(value.dtype)
    scale = max(magnitude(value) or 0.0, least)
    widest, unknown = 0.0, 0
    for payload in value.payloads():
        low, high = bounds(payload, value.dtype)
        if low is None or high is None:
            unknown += not permits_nan(payload, value.dtype)
        else:
            width = high - low
            widest = max(widest, width / scale if math.isfinite(width) else math.inf)
    return Width(path, name, what, value.dtype, widest, widest_decisive(precision), unknown, value.size)


def _format(dtype: str) -> tuple[int, float]:
    """Significant bits, and the least normal number."""
    one = bits.encode(dtype, 1.0)
    step = float(bits.decode(dtype, one + 1)) - 1.0
    precision = 1 - round(math.log2(step))
    return precision, float(bits.decode(dtype, 1 << (precision - 1)))


HIGH, LEFT, WIDE = 18, 330, 860
"""Pixels: a row, where bars begin, and the whole width."""

LEAST = -60
"""The power of two at the left end."""


def chart(found: Sequence[Width], title: str = "widths of the permitted sets") -> str:
    """The bars as SVG: the further right, the less is known."""
    powers = [_power(each.relative) for each in found if each.relative]
    floor = max(LEAST, min(powers, default=LEAST) - 2)

    def across(power: float) -> float:
        return LEFT + (min(max(power, floor), 4) - floor) / (4 - floor) * (WIDE - LEFT - 60)

    rows = [_row(each, k, across) for k, each in enumerate(found)]
    return svg(title, WIDE, len(found) * HIGH + 12, rows)


def _row(each: Width, row: int, across: Callable[[float], float]) -> str:
    y = 6 + row * HIGH
    told = f"{each.path}/{each.name} = {each.what}: {_spelled(each)}"
    right, limit = across(_power(each.relative)), across(_power(each.limit))
    colour = "#16a34a" if each.decides else "#98a2b3" if each.open == each.size else "#dc2626"
    return (
        f'<g><title>{escape(told)}</title><text x="4" y="{y + 12}">{escape(each.name[:16])}  '
        f'<tspan class="dim">{escape(each.what[:26])}</tspan></text>'
        f'<rect x="{LEFT}" y="{y + 2}" width="{max(right - LEFT, 2):.1f}" height="{HIGH - 5}" rx="2" '
        f'fill="{colour}" fill-opacity="0.7"/>'
        f'<line x1="{limit:.1f}" x2="{limit:.1f}" y1="{y}" y2="{y + HIGH}" stroke="#b45309" stroke-dasharray="3 2"/>'
        f'<text x="{right + 4:.1f}" y="{y + 12}">{escape(_spelled(each))}</text></g>'
    )


def _power(relative: float) -> float:
    return LEAST if relative <= 0 else 60 if math.isinf(relative) else math.log2(relative)


def _spelled(each: Width) -> str:
    if each.open == each.size:
        return f"{each.open} open, nothing to compare"
    said = (
        "exact"
        if not each.relative
        else "everything"
        if math.isinf(each.relative)
        else f"2^{_power(each.relative):.0f}"
    )
    return said + (f", {each.open} open" if each.open else "")
