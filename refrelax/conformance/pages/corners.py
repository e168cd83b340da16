"""The table of corner cases of an operator: small runs of the call of its example, by the reference.

An operator that works element by element is run on single elements, of floats and of integers where it takes both; any
other on the example with one thing changed: an argument that begins with NaN, that holds 1 alone (ties), that is empty.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from refrelax import api
from refrelax.conformance import data as values
from refrelax.conformance.library import LIBRARY
from refrelax.conformance.pages import corner_programs
from refrelax.conformance.pages.formula import nodes
from refrelax.conformance.pages.sample import Sample
from refrelax.conformance.pages.typing import TENSOR, head, untyped
from refrelax.errors import Rejection, Returned
from refrelax.running.arrays import Tensor
from refrelax.semantics.numbers.intervals import Interval
from refrelax.semantics.ops.meaning import data
from refrelax.semantics.values import Prim
from refrelax.syntax import dtypes
from refrelax.syntax.scalars import PrimExpr, SymVar, as_int

MOST = 8
"""The elements of a result that are shown."""

MOST_OPEN = 3
"""Of those that may be NaN or a number."""

LEAST, GREATEST = 2.0**-149, (2 - 2.0**-23) * 2.0**127
FLOATS = ("nan", "inf", "-inf", "-0.0", LEAST, GREATEST)
PAIRS = (
    ("nan", 1.0), (1.0, "nan"), ("inf", "inf"), ("inf", "-inf"), (1.0, "inf"), (-1.0, "inf"), (0.0, 0.0), (-0.0, 0.0),
    (1.0, 0.0), (-1.0, 0.0), (GREATEST, GREATEST),
)  # fmt: skip
WHOLE = (-(2**31), -1, 0, 2**31 - 1)
WHOLE_PAIRS = ((7, 2), (-7, 2), (7, -2), (-(2**31), -1), (2**31 - 1, 1), (1, 0), (2, -1), (1, 32))

NUMBERS: dict[tuple[str, int], Iterable[Any]] = {
    ("float32", 1): [(v,) for v in FLOATS],
    ("float32", 2): PAIRS,
    ("int32", 1): [(v,) for v in WHOLE],
    ("int32", 2): WHOLE_PAIRS,
}
"""What operators of one and of two elements are run on."""


@dataclass(frozen=True, slots=True)
class Row:
    """A corner case: what is given, how it ends, and what else is permitted."""

    given: str
    end: str
    permitted: str = ""

    def __str__(self) -> str:
        return f"| {self.given} | {self.end} | {self.permitted} |"


def corners(found: Sample, program: data.Program | None, text: str, args: list[Any], operator: str = "") -> list[str]:
    """The lines of the table; none where the example has no tensors and the operator no programs."""
    rows = [*_elementwise(program, text)] if program is not None and pointwise(program) else []
    rows = rows or ([*_changed(text, args)] if found.given else [])
    own = corner_programs.CORNERS.get(operator, ())
    rows += [_run(given, corner_programs.program(lines), []) for given, lines in own]
    return ["| given | the reference | also permitted |", "|---|---|---|", *map(str, rows)] if rows else []


def pointwise(program: data.Program) -> bool:
    """Whether every element of the result is of the elements at its own index."""
    whole = all(x.dims for x in program.operands)
    steps = [step for step in program.steps if isinstance(step, data.Definition)]
    return whole and all(_own(t, {v.name for v in step.vars}) for step in steps for t in nodes(step.body))


def _own(t: data.Element, names: set[str]) -> bool:
    match t:
        case data.Read(at=at):
            return all(as_int(each) == 0 or (isinstance(each, SymVar) and each.name in names) for each in at)
        case data.Literal(value=value):
            return not isinstance(value, PrimExpr)
        case data.Operation() | data.Either() | data.OpenElement():
            return True
        case _:
            return False


# --- element by element ----------------------------------------------------------------------------------------------


def _elementwise(program: data.Program, text: str) -> Iterator[Row]:
    tensors = TENSOR.findall(head(text))
    for dtype in ("float32", "int32"):
        if (dtype, len(tensors)) not in NUMBERS or any(kind == "bool" for _, _, kind in tensors):
            return
        changed = untyped(TENSOR.sub(rf'\1: R.Tensor((1,), dtype="{dtype}")', text))
        if not _accepted(changed):
            continue
        for row in NUMBERS[dtype, len(tensors)]:
            args = [{"dtype": dtype, "shape": [1], "data": [v]} for v in row]
            yield _run(f"`{dtype}` {', '.join(map(_number, row))}", changed, args)


def _accepted(text: str) -> bool:
    try:
        api.check(api.parse(text))
    except Rejection:
        return False
    return True


# --- an example with one thing changed -------------------------------------------------------------------------------


def _changed(text: str, args: list[Any]) -> Iterator[Row]:
    """The first float argument and the first integer one, changed each way."""
    names = re.findall(r"(\w+): (?:R|T)\.", head(text))
    for kind in ("float", "int"):
        at = next((k for k, a in enumerate(args) if _is_tensor(a) and _holds(a, kind)), None)
        if at is None or at >= len(names):
            continue
        for label, first in (("NaN", "nan"), ("inf", "inf")) if kind == "float" else (("-1", -1), ("99", 99)):
            yield _run(f"`{names[at]}` begins with {label}", text, _with(args, at, [first, *args[at]["data"][1:]]))
        if kind == "float" and len(args[at]["data"]) > 1:
            yield _run(f"`{names[at]}` holds 1 alone", text, _with(args, at, [1.0] * len(args[at]["data"])))
    yield from _empty(text, args, names)


def _empty(text: str, args: list[Any], names: list[str]) -> Iterator[Row]:
    """The example with the first extent above 1 of its first tensor 0, wherever it stands."""
    at = next((k for k, a in enumerate(args) if _is_tensor(a) and any(n > 1 for n in a["shape"])), None)
    if at is None or at >= len(names):
        return
    extent = next(n for n in args[at]["shape"] if n > 1)

    def smaller(found: re.Match[str]) -> str:
        dims = [each.strip() for each in found.group(2).split(",") if each.strip()]
        none = ["0" if each == str(extent) else each for each in dims]
        return f'{found.group(1)}: R.Tensor(({", ".join(none)}{"," * (len(none) == 1)}), dtype="{found.group(3)}")'

    emptied = [_emptied(a, extent) if _is_tensor(a) else a for a in args]
    first = head(text)
    changed = untyped(text).replace(first, TENSOR.sub(smaller, first))
    yield _run(f"`{names[at]}` of shape {_shape(emptied[at]['shape'])}: 0 for {extent}", changed, emptied)


def _emptied(a: dict[str, Any], extent: int) -> dict[str, Any]:
    shape = [0 if n == extent else n for n in a["shape"]]
    return {**a, "shape": shape, "data": [*values.flat(a["data"])][: math.prod(shape)]}


def _is_tensor(a: Any) -> bool:
    return isinstance(a, dict) and {"dtype", "shape", "data"} <= a.keys()


def _holds(a: dict[str, Any], kind: str) -> bool:
    return bool(a["data"]) and dtypes.kind(a["dtype"]) == kind


def _with(args: list[Any], at: int, numbers: list[Any]) -> list[Any]:
    return [*args[:at], {**args[at], "data": numbers}, *args[at + 1 :]]


# --- a run and its words ---------------------------------------------------------------------------------------------


def _run(given: str, text: str, args: list[Any]) -> Row:
    try:
        checked = api.check(api.parse(text))
    except Rejection as refused:
        rules = ", ".join(dict.fromkeys(f"`{d.rule}`" for d in refused.diagnostics))
        return Row(given, f"{type(refused).__name__}: {rules}")
    outcomes = [
        api.run(checked, "main", *map(values.to_value, args), externs=LIBRARY, numerics=reading)
        for reading in ("ieee", "enclosure")
    ]
    end, wide = outcomes
    if not isinstance(end, Returned):
        rule = getattr(end, "rule", "")
        return Row(given, type(end).__name__ + (f": `{rule}`" if rule else ""))
    also = _also(wide.value) if isinstance(wide, Returned) else ""
    return Row(given, _value(end.value), also)


def _value(value: Any) -> str:
    match value:
        case Tensor():
            numbers = values.of_value(value)["data"]
            shown = ", ".join(map(_number, numbers[:MOST])) + (", …" if len(numbers) > MOST else "")
            return shown if len(numbers) == 1 else f"{_shape(value.shape)}: {shown}".rstrip(": ")
        case tuple():
            return "; ".join(map(_value, value)) or "()"
        case Prim():
            return _number(value.value)
        case _:
            found = values.of_value(value)
            return _shape(found["shape"]) if isinstance(found, dict) and "shape" in found else _number(found)


def _also(value: Any) -> str:
    """NaN beside numbers, or numbers beside NaN, where an element may be either: of several, the first, by index."""
    if not isinstance(value, Tensor):
        return ""
    at = itertools.product(*map(range, value.shape))
    said = [(k, _either(cell)) for k, cell in zip(at, value.core.payloads(), strict=True)]
    found = [f"{word} at {list(k)}" if len(said) > 1 else word for k, word in said if word]
    return "; ".join(found[:MOST_OPEN]) + ("; …" if len(found) > MOST_OPEN else "")


def _either(cell: Any) -> str:
    if not isinstance(cell, Interval) or not cell.nan or cell.lo > cell.hi:
        return ""
    low, high = map(_number, (cell.lo, cell.hi))
    return f"NaN or {low}" if cell.lo == cell.hi else f"NaN or from {low} to {high}"


def _shape(dims: Iterable[int]) -> str:
    found = [str(n) for n in dims]
    return f"({', '.join(found)}{',' if len(found) == 1 else ''})"


def _number(value: Any) -> str:
    if isinstance(value, str) and value in ("nan", "inf", "-inf", "-0.0"):
        value = float(value)
    match value:
        case float() if math.isnan(value):
            return "NaN"
        case float() if abs(value) == GREATEST:
            return "-greatest" if value < 0 else "greatest"
        case float() if abs(value) == LEAST:
            return "-least" if value < 0 else "least"
        case float():
            return "-0" if value == 0 and math.copysign(1, value) < 0 else f"{value:.8g}"
        case _:
            return str(value)
