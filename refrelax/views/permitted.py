"""What is permitted of a run: the widths of its bindings' sets along the network, and one element among the floats.

The element is the widest of the result, unless one is named; beside the set stand the canonical result, the exact one
where there is one, what some legal implementation may give, and what a backend gave.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from html import escape
from typing import Any

from refrelax.errors import Outcome, Returned, UsageError
from refrelax.judge.outcomes import copies
from refrelax.running.arrays import Tensor
from refrelax.running.run import run
from refrelax.semantics.judging import bounds
from refrelax.semantics.numbers.exact import Unsupported
from refrelax.semantics.types.checked import CheckedModule
from refrelax.syntax import dtypes
from refrelax.views import floats, widths
from refrelax.views.sheet import rows, sheet
from refrelax.views.words import brief, ended

SAMPLES = 3
"""Legal implementations that are asked."""


def page(
    checked: CheckedModule, entry: str, args: Sequence[Any], element: str = "", observed: Outcome | None = None,
    **options: Any,
) -> str:  # fmt: skip
    """The page of a run; ``args`` stay as they are, every run has copies of its own.

    Raises:
        UsageError: there is no such ``element`` (``value[0, 2]``, or ``value.1[0]`` of a tuple) of a float tensor.
    """
    canonical = run(checked, entry, *copies(args), **options)
    ends: dict[str, Outcome | None] = {"canonical": canonical}
    parts = ["<h2>The run</h2>", rows(("", ""), [(f"argument {k}", brief(each)) for k, each in enumerate(args)])]
    lines = [type(canonical).__name__, *ended(canonical, args)]
    parts += [f'<p class="word">{escape(lines[0])}</p>', f"<pre>{escape(chr(10).join(lines[1:]))}</pre>"]
    found = widths.widths(checked, entry, args, **options)
    if found:
        parts += [
            "<h2>How much is determined, binding by binding</h2>",
            "<p>The width of the widest element's permitted set, relative to the greatest magnitude of its tensor. "
            "Left of the dashed line of its dtype being inside says something; right of it, nothing.</p>",
            widths.chart(found),
        ]
    held = run(checked, entry, *copies(args), numerics="enclosure", **options)
    if isinstance(held, Returned):
        others: dict[str, dict[str, Any]] = {"exact": {"numerics": "exact"}}
        others |= {f"some implementation {k + 1}": {"numerics": "sampled", "seed": k} for k in range(SAMPLES)}
        for name, how in others.items():
            ends[name] = _tried(checked, entry, args, options | how)
        if observed is not None:
            ends["observed"] = observed
        parts += one(held, ends, element)
    return sheet(f"{entry}: what is permitted", "\n".join(parts))


def _tried(checked: CheckedModule, entry: str, args: Sequence[Any], options: Mapping[str, Any]) -> Outcome | None:
    try:
        return run(checked, entry, *copies(args), **options)
    except Unsupported:
        return None


def one(held: Returned, ends: Mapping[str, Outcome | None], element: str) -> list[str]:
    """The part on one element."""
    place, index = (element and _parsed(element)) or _widest(held.value) or ("", ())
    if not place:
        return []
    set_ = _tensor(held.value, place)
    if set_ is None or len(index) != len(set_.shape) or not all(0 <= i < n for i, n in zip(index, set_.shape)):
        raise UsageError(f"there is no element {element} in the result")
    flat = 0
    for i, n in zip(index, set_.shape):
        flat = flat * n + i
    marks = {}
    for name, end in ends.items():
        tensor = _tensor(end.value, place) if isinstance(end, Returned) else None
        number = None if tensor is None else _number(tensor, flat)
        if number is not None:
            marks[name] = number
    title = f"{place}[{', '.join(map(str, index))}]" if index else place
    payload = set_.core.payloads()[flat]
    return [
        f"<h2>One element: <code>{escape(title)}</code></h2>",
        f"<p>{escape(floats.said(payload, set_.dtype))}.</p>",
        floats.line(payload, set_.dtype, marks, title),
        rows(("", ""), [(name, f"{number!r}") for name, number in marks.items()]),
    ]


def _number(tensor: Tensor, flat: int) -> float | None:
    """An element as a number, where it is one."""
    payload = tensor.core.payloads()[flat]
    try:
        return float(payload) if isinstance(payload, int | float | Fraction) else None
    except OverflowError:
        return None


def _parsed(element: str) -> tuple[str, tuple[int, ...]]:
    match = re.fullmatch(r"(value(?:\.\d{1,9})*)(?:\[((?:\d{1,9}(?:, *\d{1,9})*)?)\])?", element)
    if match is None:
        raise UsageError(f"--element: expected value[0, 2], or value.1[0] of a tuple, found {element!r}")
    return match[1], tuple(int(each) for each in (match[2] or "").split(",") if each.strip())


def _tensor(value: Any, place: str) -> Tensor | None:
    for field in place.split(".")[1:]:
        if not isinstance(value, tuple) or int(field) >= len(value):
            return None
        value = value[int(field)]
    return value if isinstance(value, Tensor) and dtypes.is_float(value.dtype) else None


def _widest(value: Any, place: str = "value") -> tuple[str, tuple[int, ...]] | None:
    """The element of the first float tensor whose set is widest."""
    if isinstance(value, tuple):
        return next(filter(None, (_widest(each, f"{place}.{k}") for k, each in enumerate(value))), None)
    if not isinstance(value, Tensor) or not dtypes.is_float(value.dtype) or not value.size:
        return None

    def width(payload: Any) -> float:
        low, high = bounds(payload, value.dtype)
        wide = high - low if low is not None and high is not None else -1.0
        return wide if math.isfinite(wide) else -1.0

    return place, max(zip(map(width, value.core.payloads()), value.core.indices()), key=lambda each: each[0])[1]
