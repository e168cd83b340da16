"""``validate`` along a pipeline: the program after every pass against the one before it, function by function.

Refinement is transitive, so a pipeline whose every pass is proved is proved. A text that cannot be read is passed over:
what comes after it is held against the last program that could be, and answers for both.

Spec: ``spec/01-conformance.md``, *Reports*.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import Any

from refrelax.errors import IllFormed, IllTyped, Malformed, UsageError
from refrelax.judge.evidence import Refuted, Validation, undetermined
from refrelax.judge.failures import SILENT
from refrelax.judge.outcomes import Externs
from refrelax.judge.pointwise import SAME
from refrelax.judge.report import EXIT, NOTHING, Report
from refrelax.judge.same_programs import same_programs
from refrelax.judge.stages import Compiler, Stage, StagesEnded
from refrelax.judge.validate import ROUNDS, named_relaxations, validate
from refrelax.judge.verdicts import NoVerdict, Reason
from refrelax.notebook import Told
from refrelax.semantics.graph.link import reached
from refrelax.semantics.types.check import check
from refrelax.semantics.types.checked import CheckedModule
from refrelax.shape_solver.claim import Effort
from refrelax.shape_solver.parse import parse_claim
from refrelax.syntax.graph import Function
from refrelax.syntax.loops import PrimFunc
from refrelax.syntax.module import Module
from refrelax.syntax.scalars import PrimExpr, free_symbols
from refrelax.syntax.write.module import print_module
from refrelax.testing.arguments import symbols_of

__all__ = ["FunctionVerdict", "PipelineVerdict", "ValidatedPass", "public_functions", "validate_pipeline"]

WORST_FIRST = ("REFUTED", "NO-VERDICT", "OPEN", "UNDECIDED", "TESTED", "PROVED-AT", "PROVED")
"""Of several answers the word of the first one here is that of all."""

UNCHANGED, UNREAD = "UNCHANGED", "UNREAD"
"""What else is said of a pass: it left all that the functions reach as it was; its program cannot be read."""

LEAST = 1e-3
"""Seconds that a comparison gets at least, where all of the time was used before it."""

SHARES = 4
"""Fair shares of the time that one pass may take: passes differ much, and where all of them get a little too little
none is proved."""

OnPass = Callable[["ValidatedPass"], None]


@dataclass(frozen=True, slots=True)
class FunctionVerdict:
    """A function after a pass against the same one before it; ``answer`` is ``None`` if nothing that it reaches
    changed."""

    name: str
    answer: Validation | None

    @property
    def word(self) -> str:
        return UNCHANGED if self.answer is None else self.answer.word

    def __str__(self) -> str:
        return UNCHANGED if self.answer is None else str(self.answer)


@dataclass(frozen=True, slots=True)
class ValidatedPass:
    """What stood after a pass, held against ``since``: the stage before it, or the last one that could be read.

    ``index``: its place in the pipeline, from 1 (0: reading the program); ``unread``: why nothing could be asked;
    ``rejected``: whether that is because the program is none.
    """

    stage: Stage = field(repr=False)
    since: Stage = field(repr=False)
    index: int
    functions: tuple[FunctionVerdict, ...]
    unread: str = ""
    rejected: bool = False
    seconds: float = field(default=0.0, compare=False)

    @property
    def name(self) -> str:
        return self.stage.name

    @property
    def word(self) -> str:
        """The worst word of its functions."""
        if self.unread:
            return "NO-VERDICT" if self.rejected else UNREAD
        words = {each.word for each in self.functions}
        return next((word for word in WORST_FIRST if word in words), UNCHANGED)


@dataclass(frozen=True, slots=True)
class PipelineVerdict(Told):
    """Every pass of a pipeline with its answers; ``ended``: why the pipeline went no further, if it did not."""

    pipeline: str
    passes: tuple[ValidatedPass, ...]
    ended: NoVerdict | None = None

    @property
    def answers(self) -> tuple[Validation, ...]:
        """Of all functions after all passes."""
        return tuple(f.answer for each in self.passes for f in each.functions if f.answer is not None)

    @property
    def word(self) -> str:
        """The worst word of its passes; ``NO-VERDICT`` too if it did not come to its end, or ends in a program that
        cannot be read."""
        words = {each.word for each in self.passes}
        if self.ended is not None or (self.passes and self.passes[-1].unread):
            words.add("NO-VERDICT")
        return next((word for word in WORST_FIRST if word in words), "PROVED")

    @property
    def relaxations(self) -> tuple[str, ...]:
        """Those that any answer leans on."""
        return _once(name for each in self.answers for name in each.report.relaxations)

    @property
    def trusts(self) -> tuple[str, ...]:
        """What any answer rests on, and what was passed over."""
        over = tuple(
            f"{each.name} was passed over: {each.unread}"
            for each in self.passes[:-1]
            if each.unread and not each.rejected
        )
        found = _once(name for each in self.answers for name in each.report.trusts)
        return (*found, *over) if self.answers or not self.passes else (SAME, *over)

    @property
    def report(self) -> Report:
        """The counts of all runs together."""
        whole = NOTHING
        for each in self.answers:
            one = each.report
            whole = replace(
                whole,
                counts=whole.counts + one.counts,
                refused=whole.refused + one.refused,
                open=_once((*whole.open, *one.open)),
            )
        first = next((each for each in self.answers if isinstance(each, Refuted)), None)
        args = () if first is None else first.arguments
        return replace(whole, relaxations=self.relaxations, trusts=self.trusts, arguments=args)

    def __str__(self) -> str:
        judged = [each for each in self.passes if each.word not in (UNCHANGED, UNREAD)]
        count = len(self.passes)
        words = Counter(each.word for each in self.passes)
        kinds = [f"{words[word]} {word}" for word in (*WORST_FIRST, UNCHANGED, UNREAD) if words[word]]
        counted = ", ".join([f"{count} stage{'' if count == 1 else 's'}", *kinds])
        worst = next((each for each in judged if each.word == self.word), None)
        first = f"; first: {worst.name} (pass {worst.index})" if worst is not None and EXIT[self.word] else ""
        ended = f"; {self.ended.why}" if self.ended is not None else ""
        under = f" under {', '.join(self.relaxations)}" if self.relaxations else ""
        return f"{self.word} {self.pipeline}{under}: {counted}{first}{ended}"


def _once(items: Iterable[Any]) -> tuple[Any, ...]:
    return tuple(dict.fromkeys(items))


def public_functions(module: Module) -> tuple[str, ...]:
    """The functions that somebody outside may call: the graph functions that are not private, and the loop programs
    that are not and that none of these reaches."""
    graph = [name for name, each in module.functions.items() if isinstance(each, Function) and not each.private]
    seen = reached(module.functions, graph)
    loops = [name for name, each in module.functions.items() if isinstance(each, PrimFunc) and not each.private]
    return (*graph, *(name for name in loops if name not in seen))


def validate_pipeline(
    module: Module | CheckedModule,
    compiler: Compiler,
    pipeline: str,
    entries: Sequence[str] = (),
    externs: Externs | None = None,
    seed: int = 0,
    rounds: int = ROUNDS,
    relax: Iterable[str] = (),
    assume: Sequence[str | PrimExpr] = (),
    timeout: float | None = None,
    effort: Effort = "normal",
    args: Sequence[Any] | None = None,
    correspond: bool = False,
    on_pass: OnPass | None = None,
) -> PipelineVerdict:
    """Whether every pass of a pipeline keeps what ``entries`` (else all public functions) mean.

    ``args``: arguments of the only entry; ``assume``: claims, each used of the functions that have its symbols;
    ``timeout``: seconds for everything, of which a pass gets more than its share, but not all; ``on_pass`` is told of
    each pass when it was judged. The others are those of ``validate``.

    Raises:
        Rejection: ``module`` is no checked module.
        UsageError: no such function or pipeline; a pipeline without passes; what ``validate`` says of its options.
    """
    checked = module if isinstance(module, CheckedModule) else check(module)
    names = tuple(entries) or public_functions(checked.module)
    for name in names:
        if name not in checked.module.functions:
            raise UsageError(f"the module has no function {name!r}")
    if not names:
        raise UsageError("the module has no public function: name one with --entry")
    if args is not None and len(names) != 1:
        raise UsageError("arguments are for one function: name it with --entry")
    relaxations = tuple(sorted(named_relaxations(relax)))
    known(claims(assume), checked, names)
    way = Recorded.of(compiler, checked.module, pipeline)
    asked = Asked(names, externs, seed, rounds, relaxations, claims(assume), timeout, effort, args, correspond)
    return PipelineVerdict(pipeline, tuple(along(checked, way, asked, on_pass)), way.no_verdict())


@dataclass(frozen=True, slots=True)
class Asked:
    """What is asked of each pass, as of ``validate_pipeline``."""

    names: tuple[str, ...]
    externs: Externs | None = None
    seed: int = 0
    rounds: int = ROUNDS
    relax: tuple[str, ...] = ()
    claims: tuple[PrimExpr, ...] = ()
    timeout: float | None = None
    effort: Effort = "normal"
    args: Sequence[Any] | None = None
    correspond: bool = False


def claims(assume: Sequence[str | PrimExpr]) -> tuple[PrimExpr, ...]:
    """Assumptions as expressions. Raises ``Malformed``."""
    return tuple(parse_claim(each) if isinstance(each, str) else each for each in assume)


def known(assumed: Sequence[PrimExpr], checked: CheckedModule, names: Sequence[str]) -> None:
    """Refuse an assumption that concerns no function."""
    symbols = [set(symbols_of(checked.module, name)) for name in names]
    for claim in assumed:
        if not any(free_symbols(claim) <= each for each in symbols):
            has = ", ".join(sorted(set().union(*symbols))) or "none"
            raise UsageError(f"an assumption about symbols that no function has together; the functions have {has}")


@dataclass(frozen=True, slots=True)
class Recorded:
    """The stages that a compiler gave, and how it ended if not by its last pass: a ``Compiler`` of one program."""

    given: tuple[Stage, ...]
    ended: StagesEnded | None = None

    @classmethod
    def of(cls, compiler: Compiler, module: Module, pipeline: str) -> Recorded:
        """All stages of a pipeline.

        Raises:
            UsageError: no such pipeline, or one without passes.
        """
        found: list[Stage] = []
        try:
            found.extend(compiler.stages(module, pipeline))
        except StagesEnded as ended:
            return cls(tuple(found), ended)
        if len(found) < 2:
            raise UsageError(f"the pipeline {pipeline} has no pass: there is nothing to compare")
        return cls(tuple(found))

    def stages(self, _module: Module, _pipeline: str) -> Iterator[Stage]:
        """See ``Compiler``."""
        yield from self.given
        if self.ended is not None:
            raise self.ended

    def no_verdict(self) -> NoVerdict | None:
        """Why there are no more stages, if that is for another reason than that the pipeline is over."""
        if self.ended is None:
            return None
        reason: Reason = SILENT.get(self.ended.kind, "rejected" if self.ended.kind == "refused" else "")
        said = f"{self.ended.name} ended the pipeline: " if self.ended.name else ""
        return NoVerdict(said + self.ended.message, reason=reason, detail=self.ended.detail)


def along(
    checked: CheckedModule, way: Recorded, asked: Asked, on_pass: OnPass | None = None
) -> Iterator[ValidatedPass]:
    """Pass by pass, each against the last program that could be read."""
    started = perf_counter()
    given = checked.module
    last, since = checked, Stage("given", print_module(given), dict(given.constants), "import")
    for index, stage in enumerate(way.given):
        begun = perf_counter()
        left = None
        if asked.timeout is not None:
            rest = max(asked.timeout - (begun - started), LEAST)
            left = min(rest, SHARES * rest / (len(way.given) - index)) / len(asked.names)
        found, after = _judged(last, since, stage, index, asked, left)
        if after is not None:
            last, since = after, stage
        found = replace(found, seconds=perf_counter() - begun)
        if on_pass is not None:
            on_pass(found)
        yield found


def _judged(
    last: CheckedModule, since: Stage, stage: Stage, index: int, asked: Asked, seconds: float | None
) -> tuple[ValidatedPass, CheckedModule | None]:
    """One pass, and its program if it is one."""
    if stage.same_as(since):
        return ValidatedPass(stage, since, index, tuple(FunctionVerdict(name, None) for name in asked.names)), None
    try:
        after = check(stage.module())
    except Malformed as rejection:
        return ValidatedPass(stage, since, index, (), str(rejection.diagnostics[0])), None
    except (IllFormed, IllTyped) as rejection:
        why = f"the program is rejected: {rejection.diagnostics[0]}"
        return ValidatedPass(stage, since, index, (), why, rejected=True), None
    answers = tuple(_of_one(last, after, stage, name, asked, seconds) for name in asked.names)
    return ValidatedPass(stage, since, index, answers), after


def _of_one(
    last: CheckedModule, after: CheckedModule, stage: Stage, name: str, asked: Asked, seconds: float | None
) -> FunctionVerdict:
    """One function after one pass."""
    if name not in last.module.functions:  # an earlier pass lost it, which was said there
        return FunctionVerdict(name, undetermined(f"there is no function {name!r} before it", "interface"))
    if name not in after.module.functions:
        return FunctionVerdict(name, undetermined(f"there is no function {name!r} after {stage.name}", "interface"))
    if same_programs(last.module, after.module, name):
        return FunctionVerdict(name, None)
    symbols = set(symbols_of(last.module, name))
    about = [each for each in asked.claims if free_symbols(each) <= symbols]
    answer = validate(
        last, after, name, asked.externs, asked.seed, asked.rounds, asked.relax, about, seconds, asked.effort,
        asked.args, asked.correspond,
    )  # fmt: skip
    return FunctionVerdict(name, answer)
