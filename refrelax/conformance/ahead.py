"""Runs of cases that are asked before they are judged, many at once, of an implementation that takes many programs.

To build a program alone takes TVM most of the time that it costs, and less in company. What is known ahead is how a run
ends and what it gives; a case that does not pass by that is asked once more alone, where every binding is looked at.
One that hangs has had its deadline, and is not asked again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from refrelax.conformance import data
from refrelax.conformance.cases import Case
from refrelax.errors import Outcome, Rejection
from refrelax.judge.implementation import ImplementationFailed
from refrelax.syntax.graph import Function
from refrelax.syntax.module import Module

MANY = 24
"""Cases that are asked at once."""

ENDS = ("Returned", "Trapped")
"""How cases are expected to end that are asked ahead: a run that is open may do anything, and is not asked at all."""


class Given:
    """An implementation of one call, of which the outcome is there."""

    def __init__(self, outcome: Outcome | ImplementationFailed) -> None:
        self.outcome = outcome

    @property
    def settled(self) -> bool:
        """Whether there is nothing to ask again."""
        return isinstance(self.outcome, ImplementationFailed)

    def run(self, _module: Module, _entry: str, _args: Sequence[Any]) -> Outcome:
        """See ``Implementation.run``."""
        if isinstance(self.outcome, ImplementationFailed):
            raise self.outcome
        return self.outcome


def ask(implementation: Any, cases: Iterable[Case], read: Callable[[Case], Module]) -> dict[str, Given]:
    """The outcomes by the names of the cases, as far as there are some."""
    named = list[str]()
    programs = list[Any]()
    for case in cases:
        if case.entry is None or case.expect.kind not in ENDS:
            continue
        try:
            module = read(case)
        except Rejection:
            continue
        if isinstance(module.functions.get(case.entry), Function):  # (TVM builds loop programs in another way)
            programs.append((module, case.entry, [[data.to_value(each) for each in case.args]]))
            named.append(case.name)
    try:
        found = implementation.run_many(programs) if programs else ()
    except ImplementationFailed:
        return {}  # what is wrong is said case by case
    return {
        name: Given(outcome)
        for name, (outcome,) in zip(named, found, strict=True)
        if not isinstance(outcome, ImplementationFailed) or outcome.kind == "hang"
    }
