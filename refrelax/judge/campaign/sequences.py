"""Programs through sequences of passes and schedules: judged after every step, guided by what is new.

To make a pair of a program and a sequence is cheap, to judge it is dear. So a task makes several for each that it
judges, new ones and such as vary a pair of an earlier task that showed something new, and judges the one that promises
most: rules of typing, operators and kinds of nodes before a step that no earlier pair had there. What is tried follows
from the seed and from what the earlier tasks saw; the sequence of a finding is cut down to the shortest that shows it.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from refrelax.errors import InternalError, Rejection, Unlinkable, UsageError
from refrelax.judge.bisect import Bisection, WrongPass, follow
from refrelax.judge.campaign.causes import Cause, template
from refrelax.judge.campaign.kept import of_json, to_json
from refrelax.judge.campaign.look import Seen, Sighting
from refrelax.judge.campaign.reduce import Program, reduce
from refrelax.judge.implementation import ImplementationFailed
from refrelax.judge.stages import Stage
from refrelax.judge.validate import validate
from refrelax.judge.verdicts import Agreement, Divergence, NoVerdict, Verdict
from refrelax.semantics.budget import Budget
from refrelax.semantics.graph.link import nodes
from refrelax.semantics.types.check import check
from refrelax.semantics.types.checked import CheckedModule
from refrelax.syntax.graph import Call, Op, VarBinding
from refrelax.syntax.module import Module
from refrelax.syntax.read import parse
from refrelax.syntax.scalars import Intrinsic
from refrelax.syntax.write.module import print_module
from refrelax.testing.limits import limited

COST, SIZE = 3, 1000
"""What a pair costs besides its steps, in steps of a program whose text has ``SIZE`` characters."""

CHOICES = 4
"""Programs that are made for each pair that is judged, where something leads."""

MOST_KEPT = 48
"""Pairs of earlier tasks that a task may vary."""

MOST_TRIES = 60
"""Pairs that the shrinking of one finding judges."""

BUDGET = Budget(steps=100_000, elements=200_000)
"""For one run of the definition: blocks of a thousand threads take long, and every step is run."""

SECONDS = 20
"""The longest that a pair may take."""

PROOF_SECONDS = 2.0
"""What ``validate`` may take for the last step of a sequence that ran well."""

LEGALIZE = "LegalizeOps"


@dataclass(frozen=True, slots=True)
class Pair:
    """A program with its arguments, and the steps that it goes through."""

    text: str
    args: tuple[Any, ...]
    steps: tuple[str, ...]

    def row(self) -> list[Any]:
        return [self.text, [to_json(each) for each in self.args], list(self.steps)]

    @staticmethod
    def of_row(row: Sequence[Any]) -> Pair:
        text, args, steps = row
        return Pair(text, tuple(of_json(each) for each in args), tuple(steps))

    @staticmethod
    def of(program: Program, steps: Sequence[str]) -> Pair:
        return Pair(print_module(program[0]), tuple(program[1]), tuple(steps))


@dataclass(slots=True)
class Judged:
    """What came of a pair: the bisection (or a refutation by ``validate``), and what it covers."""

    found: Bisection | None
    wrong: WrongPass | None
    why: NoVerdict | None = None
    covers: set[str] = field(default_factory=set)


class _StagesAlone:
    """A compiler that builds nothing: what is built of a program is looked at elsewhere."""

    def __init__(self, compiler: Any) -> None:
        self.compiler = compiler

    def stages(self, module: Module, pipeline: str) -> Any:
        return self.compiler.stages(module, pipeline)


def judge(compiler: Any, pair: Pair, strict: bool = False, proof: bool = False) -> Judged:
    """The first step of a pair that changed its meaning. ``proof``: whether to ask ``validate`` of the last step."""
    covers: set[str] = set()
    last: list[CheckedModule] = []

    def on_stage(stage: Stage, checked: CheckedModule) -> None:
        covers.update(covered(stage.name.partition("(")[0], checked))
        last[:] = [*last[-1:], checked]

    pipeline = ",".join(pair.steps)
    _started(compiler)
    try:
        with limited(SECONDS):
            found = follow(
                check(parse(pair.text)), "main", list(pair.args), _StagesAlone(compiler), pipeline,
                budget=BUDGET, strict=strict, on_stage=on_stage,
            )  # fmt: skip
    except TimeoutError as error:
        return Judged(None, None, NoVerdict(f"the definition takes {error}", reason="budget"))
    except (Rejection, Unlinkable, UsageError) as error:  # (an older wheel has not every pass)
        return Judged(None, None, NoVerdict(str(error), reason="lacking"))
    except InternalError as error:
        return Judged(None, None, NoVerdict(f"a fault of refrelax ({error})", reason="fault", detail=repr(error)))
    covers |= {f"{step.stage.name.partition('(')[0]}: {step.verdict}" for step in found.steps}
    match found.answer:
        case WrongPass() as wrong:
            covers.add(f"{wrong.name.partition('(')[0]}: {wrong.kind} {wrong.place}")
            return Judged(found, wrong, None, covers)
        case NoVerdict() as why:
            return Judged(found, None, why, covers)
    wrong_by_proof = _refuted(found, last) if proof and len(last) == 2 else None
    return Judged(found, wrong_by_proof, None, covers)


def _started(compiler: Any) -> None:
    """Have the compiler's process run, where it has one: a pair may take so long, not the loading before the first."""
    process = getattr(compiler, "process", None)
    if process is not None:
        with suppress(ImplementationFailed):  # who is not there is told of by whoever is asked
            process.start()


def _refuted(found: Bisection, last: Sequence[CheckedModule]) -> WrongPass | None:
    """The last step that changed the text, if ``validate`` refutes it on other arguments."""
    changed = [k for k, step in enumerate(found.steps) if step.verdict != "unchanged"]
    if len(changed) < 2:
        return None
    try:
        with limited(PROOF_SECONDS + 3):
            verdict = validate(last[0], last[1], "main", timeout=PROOF_SECONDS, effort="quick")
    except (TimeoutError, Rejection, Unlinkable, InternalError):
        return None
    shown = getattr(verdict, "counterexample", None)
    if shown is None:
        return None
    before, after = (found.steps[k].stage for k in changed[-2:])
    ends = tuple(shown.args), shown.before, shown.after
    return WrongPass(after.name, changed[-1], shown.message, shown.binding, before, after, *ends, field=shown.field)


def covered(step: str, checked: CheckedModule) -> set[str]:
    """What a program is made of after a step."""
    return {f"{step}: {each}" for each in parts(checked)}


def parts(checked: CheckedModule) -> set[str]:
    """What a program is made of: rules of typing, operators, kinds of nodes."""
    found = {each.rule for each in checked.derivation}
    for function in checked.module.functions.values():
        for node in nodes(function):
            match node:
                case Op(name=name):
                    found.add(name)
                case Intrinsic(op=name):
                    found.add(f"T.{name}")
                case _:
                    found.add(type(node).__name__)
    return found


@dataclass(frozen=True, slots=True)
class Lead:
    """What leads a task: the pairs that it may vary, and what needs no other try: it was covered, or a pair that
    promised it was judged."""

    pairs: tuple[Pair, ...] = ()
    tried: frozenset[str] = frozenset()


@dataclass(slots=True)
class Corpus:
    """What the tasks so far showed: for each task the pairs that covered what none had before them, and what it tried
    that none had tried."""

    covered: set[str] = field(default_factory=set)
    kept: list[list[Pair]] = field(default_factory=list)
    tried: list[set[str]] = field(default_factory=list)

    def add(self, rows: Sequence[Any]) -> None:
        """A task is done."""
        pairs, tried = [], set[str]()
        for row, covers, *promised in rows:
            if not self.covered.issuperset(covers):
                self.covered.update(covers)
                pairs.append(Pair.of_row(row))
            tried.update(covers, *promised)
        self.kept.append(pairs)
        self.tried.append(tried.difference(*self.tried))

    def upto(self, task: int) -> Lead:
        """What leads a task that knows the first so many."""
        first = max(task, 0)
        pairs = tuple(each for kept in self.kept[:first] for each in kept)[-MOST_KEPT:]
        return Lead(pairs, frozenset().union(*self.tried[:first]))


# --- a task -----------------------------------------------------------------------------------------------------------


def look(compiler: Any, programs: Sequence[Program], seed: str, lead: Lead | None = None, strict: bool = False) -> Seen:
    """Judge a pair of each program, or with a lead one pair for ``CHOICES`` programs; ``kept`` has what each covers and
    what it promised."""
    seen = Seen()
    for k, (pair, promised) in enumerate(_pairs(compiler, programs, seed, lead)):
        judged = judge(compiler, pair, strict, proof=k % 4 == 0)
        seen.programs += 1
        seen.inputs += 1
        if judged.found is not None:
            seen.counts += judged.found.report.counts
        if judged.why is not None:
            seen.open[judged.why.reason] = seen.open.get(judged.why.reason, 0) + 1
            if judged.why.reason == "fault":
                cause = Cause("fault", judged.why.why.partition(":")[0])
                seen.meet(Sighting(cause, k, 0, judged.why.why, True, pair.row()))
        else:
            seen.judged += 1
        if judged.wrong is not None:
            cause = cause_of_step(judged.wrong, check(parse(pair.text)))
            given_args = judged.wrong.args
            row = replace(pair, args=tuple(given_args)).row()
            seen.meet(Sighting(cause, k, 0, judged.wrong.message, case=row))
        seen.kept.append([pair.row(), sorted(judged.covers), sorted(promised - judged.covers)])
    return seen


def _pairs(
    compiler: Any, programs: Sequence[Program], seed: str, lead: Lead | None
) -> Iterator[tuple[Pair, frozenset[str]]]:
    """The pairs of a task, each with what it promises."""
    if lead is None:
        for k, program in enumerate(programs):
            yield Pair.of(program, compiler.sequence(random.Random(f"{seed}/{k}"))), frozenset()
        return
    tried = set(lead.tried)
    for k in range(0, len(programs), CHOICES):
        turn = random.Random(f"{seed}/{k // CHOICES}")
        choices = [Pair.of(each, compiler.sequence(turn)) for each in programs[k : k + CHOICES]]
        if lead.pairs:
            near = turn.choice(lead.pairs)
            choices += [replace(each, steps=compiler.varied(turn, near.steps)) for each in (near, choices[0])]
        promises = [promise(each) for each in choices]
        worth = [len(each - tried) / _cost(pair) for each, pair in zip(promises, choices, strict=True)]
        best = worth.index(max(worth))
        tried |= promises[best]
        yield choices[best], promises[best]


def _cost(pair: Pair) -> float:
    """What it takes to judge a pair: after each step its program is printed, read, and run by the definition."""
    return COST + len(pair.steps) * len(pair.text) / SIZE


def promise(pair: Pair) -> frozenset[str]:
    """What a pair may cover: that of which the program is made, before each of its steps."""
    return frozenset(f"{step.partition('(')[0]}: {each}" for step in pair.steps for each in _parts_of(pair.text))


@lru_cache(maxsize=MOST_KEPT)
def _parts_of(text: str) -> set[str]:
    """The parts of a program: pairs that vary one another have the same."""
    return parts(check(parse(text)))


def cause_of_step(wrong: WrongPass, checked: CheckedModule) -> Cause:
    """The cause of a step that went wrong. Who refuses is told by the place, whatever came before; a lowering of
    operators that changes a value by the operator, as where a call of it alone is judged."""
    name, operators = wrong.name.partition("(")[0], _operators(wrong, checked)
    match wrong.kind:
        case "refused":
            how = wrong.place or template(wrong.detail or wrong.message)
            return Cause("refused", how, operators, "", True, template(wrong.detail or wrong.message))
        case "crash" | "hang":
            return Cause(wrong.kind, f"in {name}", (), "", True)
    how = _how(wrong.message)
    if name == LEGALIZE and how in ("elements", "dtype") and len(operators) == 1:
        return Cause("values", how, operators)
    return Cause("pass", f"{name}: {how}", (), "", True)


def _how(message: str) -> str:
    rule = message.rpartition("[")[2].rstrip("]").partition(" ")[0] if message.rstrip().endswith("]") else ""
    if "/" in rule and not rule[0].isdigit():
        return rule
    if "another dtype or shape" in message:
        return "dtype"
    return "elements" if "outside" in message else template(message)[:60]


def _operators(wrong: WrongPass, checked: CheckedModule) -> tuple[str, ...]:
    """The operator of the first binding with another value (of that name in its function, and no other), else those of
    the program."""
    path, _, name = wrong.binding.rpartition("/")
    bound: set[str] = set()
    called: set[str] = set()
    for within, function in checked.module.relax_functions().items():
        for node in nodes(function):
            if isinstance(node, VarBinding) and node.name == name and within == path.partition("/")[0]:
                op = node.value.op if isinstance(node.value, Call) else None
                bound.add(_spelled(op.name) if isinstance(op, Op) else "")
            if isinstance(node, Op):
                called.add(_spelled(node.name))
    return tuple(bound) if len(bound) == 1 and "" not in bound else tuple(sorted(called))


def _spelled(name: str) -> str:
    return name.replace("relax.", "R.", 1)


# --- a finding --------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class Small:
    """A pair that is as small as it was made, and what was said of it."""

    pair: Pair
    wrong: WrongPass
    cause: Cause
    tried: int


class _Shrinking:
    def __init__(self, compiler: Any, cause: Cause, strict: bool) -> None:
        self.compiler, self.cause, self.strict, self.tried = compiler, cause, strict, 0
        self.best: tuple[Pair, WrongPass] | None = None

    def still(self, pair: Pair) -> bool:
        self.tried += 1
        wrong = judge(self.compiler, pair, self.strict).wrong
        if wrong is None:
            return False
        cause = cause_of_step(wrong, check(parse(pair.text)))
        same = cause.covers(self.cause) if cause.answered else cause == self.cause or cause.covers(self.cause)
        if same:
            self.best = pair, wrong
        return same


def shrink(compiler: Any, pair: Pair, cause: Cause, strict: bool = False) -> Small | None:
    """The shortest sequence, the smallest program, and once more the sequence; nothing if it does not show again."""
    at = _Shrinking(compiler, cause, strict)
    if not at.still(pair):
        return None
    pair = _shorter(at, pair)
    module = parse(pair.text)
    steps = pair.steps

    def still(small: Module, args: list[Any]) -> bool:
        return at.still(Pair(print_module(small), tuple(args), steps))

    reduce((module, list(pair.args)), still, max(0, MOST_TRIES - at.tried))
    assert at.best is not None
    _shorter(at, at.best[0])
    pair, wrong = at.best
    return Small(pair, wrong, cause_of_step(wrong, check(parse(pair.text))), at.tried)


def _shorter(at: _Shrinking, pair: Pair) -> Pair:
    """Without what comes after the wrong step, then without one step after the other, as long as the rest is legal."""
    legal = getattr(at.compiler, "legal", lambda _steps: True)
    assert at.best is not None
    upto = pair.steps[: max(at.best[1].index, 1)]
    if upto != pair.steps and at.still(replace(pair, steps=upto)):
        pair = replace(pair, steps=upto)
    k = 0
    while k < len(pair.steps) and at.tried < MOST_TRIES:
        without = pair.steps[:k] + pair.steps[k + 1 :]
        if without and legal(without) and at.still(replace(pair, steps=without)):
            pair = replace(pair, steps=without)
        else:
            k += 1
    return pair


def verdict(compiler: Any, pair: Pair, strict: bool) -> Verdict:
    """What a compiler does with a pair, as a verdict on it."""
    judged = judge(compiler, pair, strict)
    if judged.wrong is not None:
        return divergence(judged.wrong)
    return judged.why if judged.why is not None else Agreement(why="no step changed the meaning")


def divergence(wrong: WrongPass) -> Divergence:
    """The same as a verdict on an implementation."""
    kind = wrong.kind if wrong.kind in ("crash", "hang", "refused") else "values"
    return Divergence(wrong.binding, wrong.message, kind=kind, detail=wrong.detail, place=wrong.place)  # type: ignore[arg-type]
