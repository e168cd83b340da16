"""``bisect --prove``: the first pass that changed what a program means, for any arguments.

Every pass is held against the stage before it by ``validate``. Where one is refuted, the counterexample's arguments go
through the ordinary ``bisect``, which says whether the *first* program forbids what was found, and names the pass: a
pass may take up again what one before it gave away.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from refrelax.errors import UsageError
from refrelax.judge.bisect import Bisection, ComparedStage, WrongPass, follow
from refrelax.judge.evidence import Refuted
from refrelax.judge.pipelines import UNCHANGED, UNREAD, Asked, PipelineVerdict, Recorded, ValidatedPass, along, known
from refrelax.judge.stages import Compiler, StagesEnded
from refrelax.judge.validate import named_relaxations
from refrelax.judge.verdicts import NoVerdict
from refrelax.semantics.types.check import check
from refrelax.semantics.types.checked import CheckedModule
from refrelax.syntax.module import Module
from refrelax.testing.arguments import random_arguments

PROVED = ("PROVED", UNCHANGED, UNREAD)
"""Words of a pass that leave nothing to ask (what cannot be read is answered for by what comes after it)."""

NOT_BUILT = "what is built after the last pass was not judged"


def follow_proofs(
    module: Module | CheckedModule, compiler: Compiler, pipeline: str, asked: Asked, strict: bool = False
) -> Bisection:
    """The stages of a pipeline up to the first that is refuted; ``NONE`` only if each of them is proved.

    Raises:
        Rejection: ``module`` is no checked module.
        UsageError: no such function, pipeline or symbol.
    """
    checked = module if isinstance(module, CheckedModule) else check(module)
    (entry,) = asked.names
    if entry not in checked.module.functions:
        raise UsageError(f"the module has no function {entry!r}")
    named_relaxations(asked.relax)
    known(asked.claims, checked, asked.names)
    way = Recorded.of(compiler, checked.module, pipeline)
    passes: list[ValidatedPass] = []
    for each in along(checked, way, asked):
        passes.append(each)
        if each.word in PROVED or (each.word != "REFUTED" and not _ill(each)):
            continue
        if (wrong := _wrong(checked, passes, None, asked, strict)) is not None:
            return wrong
    if way.ended is not None and (wrong := _wrong(checked, passes, way.ended, asked, strict)) is not None:
        return wrong
    told = PipelineVerdict(pipeline, tuple(passes), way.no_verdict())
    report = replace(told.report, trusts=(*told.trusts, NOT_BUILT))
    return Bisection(_steps(passes), _unproved(told), report, proved=True)


def _ill(found: ValidatedPass) -> bool:
    """Whether a pass left no program, or lost the function: found with any arguments."""
    return found.rejected or any(
        isinstance(f.answer, NoVerdict) and "there is no function" in f.answer.why for f in found.functions
    )


def _arguments(found: ValidatedPass) -> Sequence[Any] | None:
    return next((f.answer.arguments for f in found.functions if isinstance(f.answer, Refuted)), None)


def _wrong(
    checked: CheckedModule, passes: Sequence[ValidatedPass], ended: StagesEnded | None, asked: Asked, strict: bool
) -> Bisection | None:
    """The ordinary bisection of the stages so far, but those that cannot be read, if it finds a pass; on the last one's
    counterexample, or on made-up arguments where there is none."""
    (entry,) = asked.names
    given = asked.args if ended is not None else _arguments(passes[-1]) or asked.args
    if given is None:
        given = random_arguments(checked.module, entry, asked.seed, {}, "dyadic")
    read = [each for each in passes if not each.unread or each.rejected]
    way = Recorded(tuple(each.stage for each in read), ended)
    found = follow(checked, entry, list(given), way, "", asked.externs, None, strict)
    if not isinstance(found.answer, WrongPass):
        return None
    place = found.answer.index
    index = read[place].index if place < len(read) else len(passes)
    answer = replace(found.answer, index=index)
    return replace(found, answer=answer, steps=(*_steps(passes[:index]), found.steps[-1]))


def _steps(passes: Sequence[ValidatedPass]) -> tuple[ComparedStage, ...]:
    return tuple(ComparedStage(each.stage, each.word.lower()) for each in passes)


def _unproved(told: PipelineVerdict) -> NoVerdict | None:
    """No verdict, unless every pass is proved."""
    if told.ended is not None:
        return replace(told.ended, report=told.report)
    if told.word == "PROVED":
        return None
    first = next((each for each in told.passes if each.word not in PROVED), told.passes[-1])
    said = first.unread or "; ".join(f"{each.name}: {each}" for each in first.functions if each.word not in PROVED)
    unproved = "\n".join(getattr(each.answer, "unproved", "") for each in first.functions if each.answer is not None)
    if first.word == "REFUTED":
        said += "; on these arguments it is not seen to do what the first program forbids"
    why = f"{first.name} (pass {first.index}) is not proved: {said}"
    return NoVerdict(why, reason="", report=told.report, unproved=unproved)
