"""Programs near to somebody's: modules that were given, each mutated a few times, on arguments of several kinds."""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from refrelax.errors import InternalError, Rejection, Unlinkable, UsageError
from refrelax.judge.campaign.kept import of_json, to_json
from refrelax.judge.campaign.look import Seen, Sighting, verdict_of, verdicts
from refrelax.judge.campaign.reduce import Program, reduce
from refrelax.judge.verdicts import NoVerdict, Verdict
from refrelax.semantics.types.check import check
from refrelax.semantics.types.checked import CheckedModule
from refrelax.syntax.graph import ConstantRef, Function
from refrelax.syntax.module import Module
from refrelax.syntax.read import parse
from refrelax.syntax.write.module import print_module
from refrelax.testing.arguments import Policy, random_arguments
from refrelax.testing.cells import DTYPE, WHOLE
from refrelax.testing.mutations import has_text, mutant, places

if TYPE_CHECKING:
    from refrelax.judge.campaign.causes import Cause

POLICIES: tuple[Policy, ...] = ("dyadic", "special", "integer")
"""Of the arguments: one call for each."""

MOST_ELEMENTS = 200_000
"""A program whose arguments have more is left to others: the definition takes long for it."""

MOST_TRIES = 60


def source(text: str, filename: str = "<source>") -> str | None:
    """The text of a module that can be mutated: it checks, and it has a ``main`` and all of its constants."""
    try:
        module = check(parse(text, filename)).module
    except (Rejection, InternalError):
        return None
    main = module.functions.get("main")
    if not isinstance(main, Function):
        return None
    if any(next(places(f, (ConstantRef,)), None) is not None for f in module.functions.values()):
        return None
    return print_module(module)


@lru_cache(maxsize=1 << 12)
def _read(text: str) -> Module:
    return parse(text)


@lru_cache(maxsize=4)
def _of_whole_bytes(sources: tuple[str, ...]) -> tuple[str, ...]:
    """The sources whose elements are whole bytes."""
    return tuple(each for each in sources if set(DTYPE.findall(each)) <= {*WHOLE})


def made(sources: Sequence[str], seed: str, size: int) -> list[tuple[CheckedModule, list[list[Any]]]]:
    """So many mutants with their arguments; fewer where none were found."""
    found: list[tuple[CheckedModule, list[list[Any]]]] = []
    fitting = _of_whole_bytes(tuple(sources))
    for k in range(size if fitting else 0):
        turn = random.Random(f"{seed}/{k}")
        checked = mutant(_read(turn.choice(fitting)), turn, turn.randrange(1, 4), WHOLE)
        if checked is None:
            continue
        inputs = []
        for j, policy in enumerate(POLICIES):
            try:
                args = random_arguments(
                    checked.module, "main", turn.randrange(10**6) + j, policy=policy, most=MOST_ELEMENTS
                )
            except (UsageError, InternalError):
                continue
            if sum(getattr(each, "size", 1) for each in args) <= MOST_ELEMENTS:
                inputs.append(args)
        if inputs:
            found.append((checked, inputs))
    return found


def look(sources: Sequence[str], seed: str, size: int, implementation: Any, cause_in: Any, strict: bool) -> Seen:
    """Judge mutants together. ``cause_in``: the cause of a verdict on a module."""
    seen = Seen()
    calls = made(sources, seed, size)
    for k, ((checked, inputs), row) in enumerate(zip(calls, verdicts(calls, implementation, strict), strict=True)):
        seen.programs += 1
        for j, (args, verdict) in enumerate(zip(inputs, row, strict=True)):
            seen.note(verdict)
            cause = _worth(verdict, checked.module, cause_in)
            if cause is not None and has_text(checked.module):
                fault = isinstance(verdict, NoVerdict)
                said = verdict.why if isinstance(verdict, NoVerdict) else getattr(verdict, "message", "")
                row_ = [print_module(checked.module), [to_json(each) for each in args], []]
                seen.meet(Sighting(cause, k, j, said, fault, row_))
    return seen


def _worth(verdict: Verdict, module: Module, cause_in: Any) -> Cause | None:
    if verdict.word == "DIVERGE" or (isinstance(verdict, NoVerdict) and verdict.reason == "fault"):
        cause: Cause = cause_in(module, verdict)
        return cause
    return None


def shrink(
    case: Sequence[Any], cause: Cause, implementation: Any, cause_in: Any, strict: bool
) -> tuple[Program, Verdict, int] | None:
    """The smallest program and arguments that still have the cause, and how many were tried."""
    text, args, _ = case
    best: tuple[Program, Verdict] | None = None
    tried = 0
    asked = _Whole(implementation) if hasattr(implementation, "run_many") else implementation

    def still(module: Module, args: list[Any]) -> bool:
        nonlocal best, tried
        tried += 1
        try:
            verdict = verdict_of(check(module), args, asked, strict)
        except (Rejection, Unlinkable):
            return False
        now = _worth(verdict, module, cause_in)
        if now is None or not (now == cause or now.covers(cause)):
            return False
        best = (module, args), verdict
        return True

    program = parse(text), [of_json(each) for each in args]
    if not still(*program):
        return None
    reduce(program, still, MOST_TRIES)
    assert best is not None
    return *best, tried


class _Whole:
    """An implementation whose bindings nobody asks for, as where many programs are asked at once."""

    def __init__(self, implementation: Any) -> None:
        self.implementation = implementation

    def run(self, module: Module, entry: str, args: Any) -> Any:
        return self.implementation.run(module, entry, args)


__all__ = ["look", "made", "shrink", "source"]
