"""``bisect``: the first pass of a pipeline that changed what a program means.

The program is run by the definition as it stands after every pass, on the same arguments, and each outcome is held
against what the program permitted before the first one. So it needs nothing of the compiler but its texts, and
finds the pass whether or not the compiled program crashes.

Where the compiler can also build (``implementation``), what it builds is judged last, so that a fault of code
generation is not called none.

Which stages are compared is linear, not a search by halves: a later pass may hide what an earlier one broke.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from refrelax.errors import (
    Exhausted,
    IllFormed,
    IllTyped,
    InternalError,
    Malformed,
    Outcome,
    Returned,
    Trapped,
    Unlinkable,
    Unspecified,
    UsageError,
)
from refrelax.judge import openness
from refrelax.judge.counting import all_open, not_comparable
from refrelax.judge.diff import diff
from refrelax.judge.failures import SILENT
from refrelax.judge.first_binding import first_other_binding
from refrelax.judge.outcomes import STRICT_ALONE, Difference, Externs, Reference, copies
from refrelax.judge.report import NOTHING, Open, Report
from refrelax.judge.stages import Compiler, Part, Stage, StagesEnded
from refrelax.judge.verdicts import Divergence, NoVerdict, Reason
from refrelax.running.run import run
from refrelax.semantics.budget import Budget
from refrelax.semantics.numbers.verdicts import Counts
from refrelax.semantics.types.check import check
from refrelax.semantics.types.checked import CheckedModule
from refrelax.syntax.module import Module
from refrelax.syntax.write.module import print_module

OnStage = Callable[[Stage, CheckedModule], None]

BUILD = "build"
"""The name of what comes after the last pass."""

READ = "read"
"""The name of what comes before the first: the compiler's reader, which deduces types, too."""


@dataclass(frozen=True, slots=True)
class ComparedStage:
    """A stage and how its outcome compares with the first program's.

    ``verdict``: ``unchanged`` (the same text), ``equal``, ``inside``, ``undecided``, ``excluded``, ``changed``,
    ``open`` (there is nothing to compare), or ``unseen`` (below the pipeline: no text, or none that this package can
    run).
    """

    stage: Stage
    verdict: str
    outcome: Outcome | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class WrongPass:
    """The first pass after which the program does what the first program does not permit, or which did not take it.

    ``index``: its place in the pipeline, from 1 (0: reading the text back changed it already); ``before`` and
    ``after``: the stages around it (the same where there is none after it); ``binding``: the first binding that both
    have and that got another value (empty where none is found); ``args``: the arguments; ``expected``, ``found``: how
    the two programs end; ``kind``: ``changed``, ``crash``, ``hang`` or ``refused``; ``detail``: the compiler's own
    message, whole.
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
    kind: str = "changed"
    detail: str = field(default="", repr=False)
    report: Report = field(default=NOTHING, compare=False)
    field: str = ""
    """Of a result that is a tuple, the field that differs: ``1.0``."""
    part: Part = "pass"
    """Which part of the way it is: ``import``, ``pass``, ``tir`` (a pass over loop programs, below the pipeline),
    ``codegen`` or ``run``."""
    place: str = ""
    """Of one that refused: where in the compiler's sources, if known."""

    word = "FOUND"

    def __str__(self) -> str:
        part = f", {self.part}" if self.part in ("tir", "codegen", "run") else ""
        return f"FOUND  {self.name} (pass {self.index}{part}): {self.message}{self.report.notes()}"


@dataclass(frozen=True, slots=True)
class Bisection:
    """Every stage looked at, and the answer. ``report``: of the last comparison, with the relaxations of
    all."""

    steps: tuple[ComparedStage, ...]
    answer: WrongPass | NoVerdict | None
    report: Report = field(default=NOTHING, compare=False)
    proved: bool = False
    """Whether the answer is about all shapes and values, not about some arguments (``proved_stages.py``)."""

    @property
    def word(self) -> str:
        """``FOUND``, ``NONE``, ``OPEN``, ``UNDECIDED`` or ``NO-VERDICT``."""
        return "NONE" if self.answer is None else self.answer.word

    def __str__(self) -> str:
        if self.answer is not None:
            return str(self.answer)
        count = len(self.steps) - 1
        if self.proved:
            said = f"{count} passes, each proved for all shapes and values"
            return f"NONE  {said}{self.report.notes()}"
        none = "no pass; what is built means the same" if count < 1 else f"{count} passes, none changed the meaning"
        passes = f"{none} on these arguments"
        inside = f"{self.report.inside} of {self.report.compared} elements inside"
        rest = "".join(f"; {each}" for each in self.report.trusts)
        return f"NONE  {passes} ({inside}){self.report.notes()}{rest}"


def follow(
    module: Module | CheckedModule,
    entry: str,
    args: Sequence[Any],
    impl: Compiler,
    pipeline: str = "default_build",
    externs: Externs | None = None,
    budget: Budget | None = None,
    strict: bool = False,
    on_stage: OnStage | None = None,
) -> Bisection:
    """The stages of a pipeline up to the first that changed the meaning of ``entry`` on ``args``: see
    ``interop.names.bisect``, where compilers are found by name. ``on_stage`` is told of every other text that checks.
    """
    checked = module if isinstance(module, CheckedModule) else check(module)
    if entry not in checked.module.functions:
        raise UsageError(f"the module has no function {entry!r}")
    sets = "strict" if strict else "enclosure"
    reference = Reference(checked, entry, args, externs or {}, budget or Budget(), sets)
    walk = _Walk(reference, strict, on_stage)
    try:
        nothing = walk.nothing_to_compare()
    except Unlinkable as missing:
        nothing = NoVerdict(str(missing.diagnostics[0]), reason="library")
    if nothing is not None:
        return walk.refusals(impl, pipeline, nothing)
    return walk.along(impl, pipeline)


class _Walk:
    """One way through a pipeline."""

    def __init__(self, reference: Reference, strict: bool, on_stage: OnStage | None = None) -> None:
        self.reference, self.strict, self.on_stage = reference, strict, on_stage
        self.steps: list[ComparedStage] = []
        self.checked = reference.checked
        """The last module that was accepted."""
        self.counts, self.refused = Counts(), 0
        self.relaxations: tuple[str, ...] = ()
        self.build_judged = False
        self.open: tuple[Open, ...] = ()
        self.trusts: tuple[str, ...] = ()

    @property
    def report(self) -> Report:
        args = tuple(self.reference.args)
        return Report(self.counts, self.refused, self.open, self.relaxations, self.trusts, args)

    @property
    def last_seen(self) -> Stage:
        """The last stage whose program was there to be run; the program itself where there was none."""
        module = self.reference.checked.module
        seen = (each.stage for each in reversed(self.steps) if each.verdict != "unseen")
        return next(seen, None) or Stage("the program", print_module(module), dict(module.constants))

    def no_verdict(self, why: str, reason: Reason, detail: str = "") -> NoVerdict:
        return NoVerdict(why, reason == "open", reason, detail, self.report)

    def leaned_on(self, relaxations: tuple[str, ...]) -> None:
        """Relaxations without which a stage would not have been permitted."""
        self.relaxations = tuple(dict.fromkeys((*self.relaxations, *relaxations)))

    def nothing_to_compare(self) -> NoVerdict | None:
        """Whether the first program leaves everything open, or does not end."""
        match self.reference.outcome:
            case Exhausted(what=what):
                return NoVerdict(f"the definition ran out of {what}", True, "budget", report=self.report)
            case Unspecified() as end:
                self.open = (openness.whole_run(end),)
                return self.no_verdict(f"the whole run is {self.open[0]}", lacking(end) or "open")
            case Returned() as returned:
                r = self.reference
                self.open = openness.open_elements(r.checked, r.entry, copies(r.args), r.externs, r.budget, returned)
                if (first := all_open(returned, r.checked, r.entry, self.open)) is not None:
                    return self.no_verdict(first, "open")
                why = not_comparable(returned, r.checked, r.entry)
                return None if why is None else self.no_verdict(why, "interface")
            case _:
                return None

    def along(self, chosen: Compiler, pipeline: str) -> Bisection:
        """Stage by stage until one differs. After one that we cannot read or run, a stage that differs is only kept in
        mind: what is built has the word."""
        hidden: NoVerdict | None = None
        other: NoVerdict | None = None  # the entry takes other arguments: nothing is compared from there on
        after: WrongPass | None = None
        answer: WrongPass | NoVerdict | None
        try:
            for stage in chosen.stages(self.reference.checked.module, pipeline):
                if after is not None or other is not None:
                    self.steps.append(ComparedStage(stage, "unseen" if other is None else "open"))
                    continue
                counts = self.counts
                answer = self.look(stage)
                if isinstance(answer, WrongPass) and hidden is not None:
                    after, self.counts = answer, counts
                elif isinstance(answer, NoVerdict) and answer.reason == "interface":
                    other = answer
                    self.steps.append(ComparedStage(stage, "open"))
                elif isinstance(answer, NoVerdict) and answer.reason in OURS:
                    hidden = hidden or answer
                    self.steps.append(ComparedStage(stage, "unseen"))
                elif answer is not None:
                    return Bisection(tuple(self.steps), answer, self.report)
        except StagesEnded as ended:
            answer = self.ended(ended)
            answer = other or hidden or answer if isinstance(answer, NoVerdict) else answer
            return Bisection(tuple(self.steps), answer, self.report)
        if other is not None:
            answer = self.refusing((getattr(chosen, "below", None),), pipeline)
            return Bisection(tuple(self.steps), answer or after or other, self.report)
        unclear = self.end()  # of a stage; what is built may be wrong all the same
        answer = self.built(chosen, pipeline, after)
        if isinstance(answer, WrongPass) and unclear is not None:
            answer = replace(answer, message=f"{answer.message} (before it, {unclear.why})")
        answer = answer or unclear
        if isinstance(answer, WrongPass) and hidden is not None:
            answer = replace(answer, message=f"{answer.message} (before it {hidden.why})")
        if answer is None and len(self.steps) < 2 and not self.build_judged:
            raise UsageError(f"the pipeline {pipeline} has no pass: there is nothing to compare")
        return Bisection(tuple(self.steps), answer or hidden, self.report)

    def refusals(self, chosen: Compiler, pipeline: str, nothing: NoVerdict) -> Bisection:
        """There is nothing to compare. Where the run ends all the same, and only its elements are left open, a pass
        that refuses the program or dies of it is wrong whatever they are, and what is built may not die of it, nor
        give another dtype or shape; under ``strict`` it may not die of a run that is open, either (as in ``diff``)."""
        ways: tuple[Any, ...] = (chosen.stages, getattr(chosen, "below", None))
        wrong: WrongPass | NoVerdict | None = None
        if nothing.reason == "open" and isinstance(self.reference.outcome, Returned):
            wrong = self.refusing(ways[:1], pipeline) or self.built(chosen, pipeline)
            wrong = wrong or self.refusing(ways[1:], pipeline)
        elif nothing.reason == "open" and self.strict:
            wrong = self.refusing(ways[:1], pipeline) or self.built(chosen, pipeline)
        wrong = wrong if isinstance(wrong, WrongPass) else None
        return Bisection(tuple(self.steps), wrong or nothing, self.report if wrong else nothing.report)

    def refusing(self, ways: Iterable[Any], pipeline: str) -> WrongPass | None:
        """The first pass that refuses the program or dies of it, whatever the program means by then."""
        try:
            for way in ways:
                for stage in way(self.reference.checked.module, pipeline) if way is not None else ():
                    self.steps.append(ComparedStage(stage, "open" if stage.text else "unseen"))
        except StagesEnded as ended:
            wrong = self.ended(ended)
            return wrong if isinstance(wrong, WrongPass) else None
        return None

    def look(self, stage: Stage) -> WrongPass | NoVerdict | None:
        """Compare one stage with the reference."""
        if self.steps and stage.same_as(self.last_seen):
            last = next((each.outcome for each in reversed(self.steps) if each.verdict != "unseen"), None)
            self.steps.append(ComparedStage(stage, "unchanged", last))
            return None
        try:
            checked = check(stage.module())
        except Malformed as rejection:
            why = f"the program after {stage.name} cannot be read: {rejection.diagnostics[0]}"
            return self.no_verdict(why, "lacking", str(rejection))
        except (IllFormed, IllTyped) as rejection:
            return self.changed(stage, f"the program is rejected: {rejection.diagnostics[0]}", None)
        if self.on_stage is not None:
            self.on_stage(stage, checked)
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
            reason: Reason = "library" if isinstance(failed, Unlinkable) else "fault"
            return self.no_verdict(f"the program after {stage.name} cannot be run: {failed}", reason)
        if isinstance(outcome, Unspecified) and (why := lacking(outcome)) is not None:
            return self.no_verdict(f"after {stage.name}: {outcome.message} [{outcome.rule}]", why)
        if isinstance(outcome, Trapped) and outcome.rule == "ev/arity":
            return self.no_verdict(f"{entry} takes other arguments after {stage.name}", "interface")
        verdict, tally = reference.compare(outcome)
        if self.strict and isinstance(outcome, Returned) and not isinstance(verdict, Difference):
            verdict = self.left_open(checked, outcome) or verdict
        if isinstance(verdict, Difference):
            binding = first_other_binding(self.checked, checked, entry, reference)
            return replace(self.changed(stage, verdict.message, outcome, binding), field=verdict.field)
        self.steps.append(ComparedStage(stage, verdict, outcome))
        self.counts = Counts(tally.inside, 0, tally.undecided, tally.excluded)
        self.leaned_on(tally.relaxations)
        self.checked = checked
        return None

    def left_open(self, checked: CheckedModule, outcome: Returned) -> Difference | None:
        """An element that a stage leaves open, also under ``strict``, where ``strict`` determines that of the program.
        Relax leaves both open, so that nothing of it is seen in what they give."""
        reference, permitted = self.reference, self.reference.permitted
        if not outcome.poison or not isinstance(permitted, Returned):
            return None
        known = {path for path, _ in permitted.poison}
        wanted = [each for each in outcome.poison if each[0] not in known]
        if not wanted:
            return None
        given = copies(reference.args)
        again = run(
            checked, reference.entry, *given, numerics="strict", externs=reference.externs, budget=reference.budget
        )
        still = {path for path, _ in again.poison} if isinstance(again, Returned) else set()
        first = next((each for each in wanted if each[0] in still), None)
        if first is None:
            return None
        return Difference(f"{first[0]} means nothing in the second program [{first[1]}]{STRICT_ALONE}", structural=True)

    def changed(
        self,
        stage: Stage,
        message: str,
        outcome: Outcome | None,
        binding: str = "",
        kind: str = "changed",
        detail: str = "",
        place: str = "",
    ) -> WrongPass:
        """The answer, with the last stage before it that was seen."""
        before = self.last_seen if self.steps else stage
        self.steps.append(ComparedStage(stage, "changed" if kind == "changed" else kind, outcome))
        reference = self.reference
        if kind == "changed":
            self.counts += Counts(outside=1)
        self.refused = int(kind == "refused")
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
            kind,
            detail,
            self.report,
            part="import" if len(self.steps) == 1 else stage.part,
            place=place,
        )

    def ended(self, ended: StagesEnded) -> WrongPass | NoVerdict:
        """The pipeline went no further: by whose fault?"""
        how = STOPS.get(ended.kind)
        if how is None or not ended.name or not (self.steps or ended.name == READ):
            reason = SILENT.get(ended.kind, "unread")
            return self.no_verdict(ended.message if not ended.name else str(ended), reason, ended.detail)
        last = self.last_seen
        kind, words = how
        stage = Stage(ended.name, last.text, last.constants, ended.part)
        said = f"{ended.name} {words}: {ended.message}"
        return self.changed(stage, said, None, "", kind, ended.detail, ended.place)

    def end(self) -> NoVerdict | None:
        """Nothing differed: was everything decided?"""
        for step in self.steps:
            if step.verdict == "undecided":
                why = "what is permitted is too wide to tell; try dyadic arguments"
                return self.no_verdict(f"after {step.stage.name}: {why}", "undecided")
            if step.verdict == "excluded":
                return self.no_verdict(f"after {step.stage.name}: the run ran out of its budget", "budget")
        return None

    def built(self, chosen: Compiler, pipeline: str, after: WrongPass | None = None) -> WrongPass | NoVerdict | None:
        """What the compiler builds, judged like any implementation; what cannot be built or told is no finding here.
        ``after``: a stage that differs, behind one that could not be seen."""
        makes = getattr(chosen, "implementation", None)
        if makes is None or not self.steps:
            return None
        if not getattr(chosen, "runs", _anywhere)(self.last_seen):
            self.trusts = ("what is built was not judged: it is for another device",)
            return None
        reference = self.reference
        found = diff(
            reference.checked, reference.entry, reference.args, makes(pipeline), externs=reference.externs,
            strict=self.strict, budget=reference.budget,
        )  # fmt: skip
        self.build_judged = not isinstance(found, NoVerdict)
        if isinstance(found, NoVerdict):
            self.trusts = (f"what is built was not judged: {found.why}",)
        if not isinstance(found, Divergence):
            self.leaned_on(found.report.relaxations)
            return None
        return after or self.below(chosen, pipeline, found)

    def below(self, chosen: Compiler, pipeline: str, found: Divergence) -> WrongPass:
        """The first stage below the pipeline that went wrong, of a build that diverges; the build where none shows."""
        way = getattr(chosen, "below", None)
        part: Part = "codegen"
        if way is not None:
            try:
                for stage in way(self.reference.checked.module, pipeline):
                    if isinstance(answer := self.look_below(stage), WrongPass):
                        return answer
                part = "run" if found.kind in ("crash", "hang", "end") else "codegen"
            except StagesEnded as ended:
                wrong = self.ended(ended) if ended.kind == found.kind and ended.name else None
                if isinstance(wrong, WrongPass):
                    return wrong
        if part == "codegen" and not any(each.stage.part == "tir" for each in self.steps):
            part = "run"  # there is no machine code: what computes is a library function
        last = self.last_seen
        stage = Stage(BUILD, last.text, last.constants, part)
        kind = found.kind if found.kind in ("crash", "hang", "refused") else "changed"
        wrong = self.changed(stage, found.message, None, found.binding, kind, found.detail, found.place)
        return replace(wrong, field=found.field)

    def look_below(self, stage: Stage) -> WrongPass | None:
        """One stage below the pipeline. What we cannot read or run there is passed over: loop programs lose their form
        on the way to machine code, and our not knowing it blames nobody."""
        answer: WrongPass | NoVerdict | None = None
        count = len(self.steps)
        try:
            readable = stage.text != "" and self.reference.entry in check(stage.module()).module.functions
        except (Malformed, IllFormed, IllTyped):
            readable = False
        if readable:
            answer = self.look(stage)
        if isinstance(answer, WrongPass):
            return answer
        if len(self.steps) == count:
            self.steps.append(ComparedStage(stage, "unseen"))
        return None


def _anywhere(_stage: Stage) -> bool:
    """A compiler that says nothing of devices builds for this one."""
    return True


OURS = ("lacking", "library", "fault")
"""Why a stage could not be read or run that says nothing of the compiler: the next ones may be."""

STOPS: dict[str, tuple[str, str]] = {
    "crash": ("crash", "crashed"), "hang": ("hang", "hung"), "refused": ("refused", "refused the program"),
}  # fmt: skip
"""How a pass can end a pipeline by its own fault: the kind of finding, and the verb."""


def lacking(end: Unspecified) -> Reason | None:
    """Whether a run is open for want of something that *we* should have."""
    if end.rule in openness.LACKING:
        return "lacking"
    return "library" if end.rule in openness.MISSING else None


__all__ = ["Bisection", "ComparedStage", "WrongPass", "follow"]
