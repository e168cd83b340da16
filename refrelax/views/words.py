"""Values and ends of runs in words, as a reader wants them: no constructors, no digits that say nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from refrelax.errors import Outcome, Returned
from refrelax.judge.outcomes import cores
from refrelax.views.shown import shown

ELEMENTS = 32
"""Elements of a tensor that are written out."""

LETTERS = 80
"""Characters of a string that are written out."""

COMPARED = 4096
"""Elements of an argument in which a change is looked for."""

PLACES = 40
"""Places without a meaning that are named."""

DIGITS = 9
"""Significant digits that tell all numbers of float32 apart."""


def brief(value: Any, elements: int = ELEMENTS) -> str:
    """A value of a run or its argument: ``float32[2, 2] [[1.0, 2.0], [poison(st/never-written), 0.5]]``."""
    found = shown(cores(value), elements)
    match found:
        case {"dtype": dtype, "shape": shape, "data": data}:
            wide = dtype.startswith("float64")
            texts = [_element(each, wide) for each in data]
            if "more" in found:
                return f"{dtype}{shape} [{', '.join([*texts, '…'])}] and {found['more']} more"
            return f"{dtype}{shape} {_nested(texts, shape)}"
        case {"tuple": _}:
            fields = [brief(each, elements) for each in value]
            return f"({', '.join(fields)}{',' * (len(fields) == 1)})"
        case {"dtype": dtype, "value": number}:
            return f"{dtype} {_element(number, dtype.startswith('float64'))}"
        case {"extents": dims}:
            return f"shape {dims}"
        case {"is": str(what)}:
            return what
        case {"string": str(text)}:
            return f"{text[:LETTERS]}…" if len(text) > LETTERS else text
        case _:
            return str(found)


def _element(found: Any, wide: bool) -> str:
    match found:
        case {"poison": rule}:
            return f"poison({rule})" + (f" {found['why']}" if found.get("why") else "")
        case {"lanes": lanes}:
            return f"<{', '.join(_element(each, wide) for each in lanes)}>"
        case ["nan", *more] | [_, _, *more]:
            ends = [] if found[0] == "nan" else [_element(each, wide) for each in found[:2]]
            between = [ends[0] if ends[0] == ends[1] else f"between {ends[0]} and {ends[1]}"] if ends else ["NaN"]
            return " or ".join([*between, *("NaN" if each == "nan" else _element(each, wide) for each in more)])
        case bool():
            return str(found)
        case float() if not wide and float(short := f"{found:.{DIGITS}g}") != found:
            return short
        case _:
            return str(found)


def _nested(texts: list[str], shape: list[int]) -> str:
    """Elements in row-major order, in the brackets of their axes."""
    if not shape:
        return texts[0]
    inner = len(texts) // shape[0] if shape[0] else 0
    parts = (_nested(texts[k * inner : (k + 1) * inner], shape[1:]) for k in range(shape[0]) if inner)
    return f"[{', '.join(parts)}]"


def ended(outcome: Outcome, before: Sequence[Any] = ()) -> list[str]:
    """How a run ended, a line each: what it gave and where that means nothing, or why it gave nothing.

    ``before``: the arguments that it was given; those that it changed are told.
    """
    if isinstance(outcome, Returned):
        changed = [
            f"argument {k} afterwards: {brief(now)}"
            for k, (was, now) in enumerate(zip(before, outcome.arguments))
            if brief(was, COMPARED) != brief(now, COMPARED)
        ]
        places = [f"no meaning: {place} [{rule}]" for place, rule in outcome.poison[:PLACES]]
        if (more := len(outcome.poison) - PLACES) > 0:
            places.append(f"no meaning: {more} places more")
        effects = [
            f"{each.kind} {each.name}({', '.join(map(brief, each.payload))})" for each in outcome.effects[:PLACES]
        ]
        return [f"value: {brief(outcome.value)}", *changed, *effects, *places]
    said = getattr(outcome, "message", "") or getattr(outcome, "what", "")
    return [f"{said} [{getattr(outcome, 'rule', 'budget')}]".strip()]
