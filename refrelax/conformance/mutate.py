"""``refrelax rules mutate``: is every rule held by a case? Break each in turn and see whether one of its cases fails.

Spec: ``spec/01-conformance.md``.
"""

from __future__ import annotations

import random
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import zip_longest
from types import CodeType, FrameType
from typing import Any

from refrelax.conformance import tie
from refrelax.conformance.cases import Case
from refrelax.conformance.mutants import Mutant, in_force, mutants, settled
from refrelax.conformance.run import run_case
from refrelax.testing.limits import limited

SECONDS = 20
"""The longest that the cases of one mutant may take: a mutant that hangs is seen."""

MOST_CASES = 60
"""Cases run for one mutant: of those that run its line, first those about its rules; then those about its rules. A text
of an operator has no case that is about it: all that run its line are asked."""

Lines = dict[tuple[str, int], list[str]]
"""File and line to the cases that run it."""


@dataclass(frozen=True, slots=True)
class MutantResult:
    """What became of a mutant: the case that saw it, or ``None`` if it survived ``cases`` of them."""

    mutant: Mutant
    killer: str | None
    cases: int


def choose(sample: int | None, seed: int = 0, only: str = "") -> list[Mutant]:
    """The mutants of the rules whose ids begin so, or a sample of them, spread over the rules."""
    found = [each for each in mutants() if any(rule.startswith(only) for rule in each.rules)]
    if sample is None or sample >= len(found):
        return found
    by_rule: dict[tuple[str, ...], list[Mutant]] = {}
    for each in random.Random(seed).sample(found, len(found)):
        by_rule.setdefault(each.rules, []).append(each)
    rounds = [each for layer in zip_longest(*by_rule.values()) for each in layer if each is not None]
    picked = rounds[:sample]
    return sorted(picked, key=lambda m: (m.file, m.line, m.what))


def follow(chosen: Iterable[Mutant], step: Callable[[str], None] | None = None) -> Lines:
    """Which cases run which lines of the functions of ``chosen``. ``step`` hears each case's name."""
    wanted = _codes(chosen)
    lines: Lines = defaultdict(list)
    seen: set[tuple[str, int]] = set()

    def line(frame: FrameType, event: str, _argument: Any) -> Any:
        place = frame.f_code.co_filename, frame.f_lineno
        if event == "line" and place not in seen:
            seen.add(place)
            lines[place].append(case.name)
        return line

    before = sys.gettrace()
    sys.settrace(lambda frame, _event, _argument: line if id(frame.f_code) in wanted else None)
    try:
        for case in (*tie.read().cases, *tie.read().examples):
            if step is not None:
                step(case.name)
            seen.clear()
            run_case(case, law=True)
    finally:
        sys.settrace(before)
    return lines


def _codes(chosen: Iterable[Mutant]) -> set[int]:
    """The code of the functions of mutants, and of the functions in them, by identity."""
    pending, found = [each.function.__code__ for each in chosen], set[int]()
    while pending:
        code = pending.pop()
        found.add(id(code))
        pending.extend(each for each in code.co_consts if isinstance(each, CodeType))
    return found


def tied(mutant: Mutant, lines: Lines | None = None) -> list[Case]:
    """The cases that ``lines`` says run the line of a mutant, those about its rules first; then others about them."""
    everything = [*tie.read().cases, *tie.read().examples]
    rules = set(mutant.rules)
    about = [case for case in everything if {case.rule, case.expect.rule} & rules]
    names = set((lines or {}).get((mutant.function.__code__.co_filename, mutant.line), ()))
    others = [case for case in everything if case.name in names and case not in about]
    first = [case for case in about if case.name in names]
    if mutant.of_text:
        return others
    spread = others[:: max(1, len(others) // MOST_CASES)]
    return [*first, *spread, *(case for case in about if case not in first)][:MOST_CASES]


def judge(mutant: Mutant, cases: Iterable[Case]) -> MutantResult:
    """Run the cases with the mutant in force until one of them sees it. They pass without it."""
    count = 0
    with in_force(mutant) as possible:
        if not possible:
            return MutantResult(mutant, "(cannot be compiled)", 0)
        for case in cases:
            count += 1
            try:
                with limited(SECONDS):
                    if not run_case(case, law=True).passed:
                        return MutantResult(mutant, case.name, count)
            except (Exception, RecursionError) as error:
                return MutantResult(mutant, f"{case.name} ({type(error).__name__})", count)
    return MutantResult(mutant, None, count)


def campaign(
    chosen: Iterable[Mutant], lines: Lines | None = None, step: Callable[[str], None] | None = None
) -> Iterator[MutantResult]:
    """A verdict on each mutant. ``step`` hears the place of each."""
    tie.read()
    with settled():
        for mutant in chosen:
            if step is not None:
                step(mutant.place)
            yield judge(mutant, tied(mutant, lines))
