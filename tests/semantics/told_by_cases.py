"""What runs of the suite's cases tell beside the outcome that a case expects: messages with their places, the loops and
calls around, what a listener hears, what a run is charged, and the permitted set of every element. Of each case in six
letters.

A case says which rule it is about and which values it gives; who changes a message, a place, an event, a charge or the
width of a set would see nothing. It is written down by ``tools/make_decisions.py``, and held by
``test_told_by_cases.py``; a case that was added since is not held to anything.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import refrelax as rr
from refrelax import conformance
from refrelax.conformance import data
from refrelax.conformance.cases import Case
from refrelax.conformance.library import LIBRARY
from refrelax.errors import Exhausted, InternalError, Returned
from refrelax.semantics.budget import Budget, Meter
from refrelax.semantics.numbers.intervals import Interval
from refrelax.semantics.numbers.intsets import Ints, TruthSet
from refrelax.semantics.numbers.poison import Poison
from refrelax.semantics.values import Prim, TensorValue
from tests.digests import digest

FROZEN = Path(__file__).parent / "told_by_cases.txt"
BUDGET = Budget(steps=10**7, elements=10**8)


def asked() -> dict[str, list[Case]]:
    """Cases that check or run one module on ordinary numbers, by file."""
    found: dict[str, list[Case]] = defaultdict(list)
    for case in conformance.load():
        manner = case.manner
        if case.question is None and case.second is None and manner.lower is None and manner.numerics == "ieee":
            found[case.name.partition("/")[0]].append(case)
    return found


class Heard:
    """A listener that writes down all that it is told."""

    def __init__(self) -> None:
        self.events: list[str] = []

    def __getattr__(self, name: str) -> Callable[..., None]:
        if not name.startswith("on_"):
            raise AttributeError(name)
        return lambda *what: self.events.append(f"{name} {' '.join(map(shown, what))}")


def shown(x: Any) -> str:
    """A value in words that are the same in every run."""
    match x:
        case Poison():
            return str(x)
        case None | bool() | int() | float() | str() | Interval() | Ints() | TruthSet() | Prim():
            return repr(x)
        case list() | tuple():
            return f"[{', '.join(map(shown, x))}]"
        case TensorValue():
            return f"{x.dtype}{list(x.shape)} {', '.join(map(shown, x.payloads()))}"
        case _ if (core := getattr(x, "core", None)) is not None:
            return shown(core)
        case _:
            return f"{type(x).__name__} {getattr(x, 'name', '')}"


def place(x: Any) -> str:
    span = getattr(x, "span", None)
    return "" if span is None else f"{span.line}:{span.column}"


def ended(out: Any) -> str:
    """An outcome with its message, its place and the loops and calls around."""
    if isinstance(out, Returned):
        effects = [(each.kind, each.name, shown(each.payload)) for each in out.effects]
        return f"{shown(out.value)} {shown(out.arguments)} {effects} {out.poison}"
    if isinstance(out, Exhausted):
        return f"exhausted: {out.what}"
    message = re.sub(r"in memory [0-9a-f]+", "in memory", out.message)  # (where memory is, is nobody's choice)
    return f"{out.rule} {message} {place(out)} {getattr(out, 'trace', '')} {getattr(out, 'loops', '')}"


def diagnostics(refused: rr.Rejection) -> str:
    return " | ".join(f"{d.rule} {d.message} {place(d)}" for d in refused.diagnostics)


def told(case: Case) -> str:
    """All that is told of a case; of a module that is refused its diagnostics."""
    try:
        module = rr.parse(case.module) if case.json is None else rr.from_json(case.json)
        if case.constants:
            module = rr.bind_constants(module, dict(enumerate(map(data.to_value, case.constants))))
        checked = rr.check(module)
    except rr.Rejection as refused:
        return diagnostics(refused)
    if case.entry is None:
        return ""
    parts = []
    for numerics, listener in (("ieee", Heard()), ("enclosure", None)):
        args = [*map(data.to_value, case.args)]  # (a run may store into them)
        said, charged = run(
            checked, case.entry, args, numerics=numerics, listener=listener, check_regions=case.manner.check_regions
        )
        parts.append(f"{said} {listener.events if listener else []} {charged}" if charged else said)
    return " | ".join(parts)


def run(checked: rr.CheckedModule, entry: str, args: list[Any], **options: Any) -> tuple[str, str]:
    """How a run ends, and what it left of its budget; of one that is refused its kind alone."""
    met: list[Meter] = []
    of = Meter.of

    def noted(budget: Budget) -> Meter:
        met.append(of(budget))
        return met[-1]

    with mock.patch.object(Meter, "of", staticmethod(noted)):
        try:
            out = rr.run(checked, entry, *args, externs=LIBRARY, budget=BUDGET, **options)
        except (rr.Rejection, InternalError, rr.UsageError) as error:
            return type(error).__name__, ""
    return ended(out), str([(m.steps, m.elements) for m in met])


def key(case: Case) -> str:
    return digest(case.name)


SIZE = 12
"""Cases of one test."""


def pieces() -> Iterator[tuple[str, int]]:
    """File, and the first of so many cases of it."""
    yield from ((file, k) for file, cases in asked().items() for k in range(0, len(cases), SIZE))


def whole() -> str:
    """The text of ``FROZEN``."""
    return "".join(
        f"{file}: {' '.join(f'{key(case)}={digest(told(case))}' for case in cases)}\n"
        for file, cases in asked().items()
    )
