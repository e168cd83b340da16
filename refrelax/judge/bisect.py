"""``bisect``: the first pass of a pipeline that changed what a program means.

The program is run by the definition as it stands after every pass, on the same arguments, and each outcome is held
against what the program permitted before the first one. So it needs nothing of the compiler but its texts, and
finds the pass whether or not the compiled program crashes.

Which stages are compared is linear, not a search by halves: a later pass may hide what an earlier one broke.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from refrelax.errors import IllFormed, IllTyped, InternalError, Malformed, Outcome, Unlinkable, UsageError
from refrelax.judge.first_binding import first_other_binding
from refrelax.judge.outcomes import Difference, Externs, Reference, copies
from refrelax.judge.stages import Compiler, Stage, StagesEnded, compiler
from refrelax.judge.verdicts import NoVerdict
from refrelax.runs import run
from refrelax.semantics.budget import Budget
from refrelax.semantics.types.check import check
from refrelax.semantics.types.checked import CheckedModule
from refrelax.syntax.module import Module


@dataclass(frozen=True, slots=True)
class Step:
    """A stage and how its outcome compares with the first program's.

    ``verdict``: ``unchanged`` (the same text), ``equal``, ``inside``, ``undecided``, ``excluded``, or ``changed``.
    """

    stage: Stage
    verdict: str
    outcome: Outcome | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class WrongPass:
    """The first pass after which the program does what the first program does not permit.

    ``index``: its place in the pipeline, from 1 (0: reading the text back changed it already); ``before`` and
    ``after``: the stages around it; ``binding``: the first binding that both have and that got another value (empty
    where none is found); ``args``: the arguments; ``expected``, ``found``: how the two programs end.
    """

    name: str
    index: int
    message: str
    binding: str
    before: Stage = field(repr=False)
    after: Stage = field(repr=False)
    args: tuple[Any, ...] = field(repr=False)
    expected: Outcome = field(repr=False)
    found: Outcome | None = field(repr=False)


@dataclass(frozen=True, slots=True)
class Bisection:
    """Every stage looked at, and the answer."""

    steps: tuple[Step, ...]
    answer: WrongPass | NoVerdict | None


def bisect(
    module: Module | CheckedModule,
    entry: str,
    args: Sequence[Any],
    impl: str | Compiler = "tvm",
    pipeline: str = "default_build",
    externs: Externs | None = None,
    budget: Budget | None = None,
) -> WrongPass | NoVerdict | None:
    """The first pass that changed the meaning of ``entry`` on ``args``, or ``None``.

    ``impl``: ``"tvm"`` (in a subprocess; ``pipeline`` as in ``interop.tvm.TvmPasses``), ``"refrelax"`` (``pipeline``
    as in ``rr.lower``, or passes joined by commas), or an object with ``stages(module, pipeline)``.

    ``NoVerdict`` where nothing can be said: no TVM, a pass that refused or crashed, a run that is left open, a text
    that cannot be read, results too wide to tell.

    Raises:
        Rejection: ``module`` is no checked module, or lacks a library function.
        UsageError: no such function, compiler or pipeline.
    """
    return follow(module, entry, args, impl, pipeline, externs, budget).answer


def follow(
    module: Module | CheckedModule,
    entry: str,
    args: Sequence[Any],
    impl: str | Compiler = "tvm",
    pipeline: str = "default_build",
    externs: Externs | None = None,
    budget: Budget | None = None,
) -> Bisection:
    """``bisect``, with every stage on the way."""
    checked = module if isinstance(module, CheckedModule) else check(module)
    if entry not in checked.module.functions:
        raise UsageError(f"the module has no function {entry!r}")
    reference = Reference(checked, entry, args, externs or {}, budget or Budget())
    if reference.open:
        why = f"the definition leaves this run open, or it ran out of its budget: {reference.outcome}"
        return Bisection((), NoVerdict(why, excluded=True))
    chosen = compiler(impl)
    try:
        return _Walk(reference).along(chosen, pipeline)
    finally:
        if isinstance(impl, str) and hasattr(chosen, "close"):
            chosen.close()


class _Walk:
    """One way through a pipeline."""

    def __init__(self, reference: Reference) -> None:
        self.reference = reference
        self.steps: list[Step] = []
        self.checked = reference.checked
        """The last module that was accepted."""

    def along(self, chosen: Compiler, pipeline: str) -> Bisection:
        """Stage by stage until one differs."""
        answer: WrongPass | NoVerdict | None
        try:
            for stage in chosen.stages(self.reference.checked.module, pipeline):
                answer = self.look(stage)
                if answer is not None:
                    return Bisection(tuple(self.steps), answer)
        except StagesEnded as ended:
            return Bisection(tuple(self.steps), NoVerdict(_why_ended(ended)))
        return Bisection(tuple(self.steps), self.end())

    def look(self, stage: Stage) -> WrongPass | NoVerdict | None:
        """Compare one stage with the reference."""
        if self.steps and stage.same_as(self.steps[-1].stage):
            self.steps.append(Step(stage, "unchanged", self.steps[-1].outcome))
            return None
        try:
            checked = check(stage.module())
        except Malformed as rejection:
            return NoVerdict(f"the program after {stage.name} cannot be read: {rejection.diagnostics[0]}")
        except (IllFormed, IllTyped) as rejection:
            return self.changed(stage, f"the program is rejected: {rejection.diagnostics[0]}", None)
        if self.reference.entry not in checked.module.functions:
            return self.changed(stage, f"there is no function {self.reference.entry!r} any more", None)
        return self.judged(stage, checked)

    def judged(self, stage: Stage, checked: CheckedModule) -> WrongPass | NoVerdict | None:
        """Run one stage, and compare."""
        reference, entry = self.reference, self.reference.entry
        given = copies(reference.args)
        try:
            outcome = run(checked, entry, *given, externs=reference.externs, budget=reference.budget)
        except (Unlinkable, InternalError) as failed:
            return NoVerdict(f"the program after {stage.name} cannot be run: {failed}")
        verdict = reference.judge(outcome)
        if isinstance(verdict, Difference):
            binding = first_other_binding(self.checked, checked, entry, reference)
            return self.changed(stage, verdict.message, outcome, binding)
        self.steps.append(Step(stage, verdict, outcome))
        self.checked = checked
        return None

    def changed(self, stage: Stage, message: str, outcome: Outcome | None, binding: str = "") -> WrongPass:
        """The answer, with the stage before."""
        before = self.steps[-1].stage if self.steps else stage
        self.steps.append(Step(stage, "changed", outcome))
        reference = self.reference
        return WrongPass(
            stage.name,
            len(self.steps) - 1,
            message,
            binding,
            before,
            stage,
            tuple(reference.args),
            reference.outcome,
            outcome,
        )

    def end(self) -> NoVerdict | None:
        """Nothing differed: was everything decided?"""
        for kind, why in (("undecided", "what is permitted is too wide to tell; try dyadic arguments"),
                          ("excluded", "the run ran out of its budget")):  # fmt: skip
            for step in self.steps:
                if step.verdict == kind:
                    return NoVerdict(f"after {step.stage.name}: {why}")
        return None


def _why_ended(ended: StagesEnded) -> str:
    if not ended.name:
        return ended.message
    how = {"crash": "crashed", "hang": "hung"}.get(ended.kind, "refused the program")
    return f"{ended.name} {how}: {ended.message}"


__all__ = ["Bisection", "Step", "WrongPass", "bisect", "follow"]
