"""Fuzzing: generated programs, one implementation, Hypothesis's shrinker.

Rounds are numbered; each generates ``BATCH`` programs from a seed of its own and shrinks the first one that diverges.
Rounds come in waves of ``WAVE``; what a wave found is not looked for again in the next ones. So a count and a seed
give the same findings whatever the number of jobs; a time limit only cuts the sequence short.
"""

from __future__ import annotations

import random
import re
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from hypothesis import HealthCheck, Phase, settings
from hypothesis import find as search
from hypothesis import strategies as st
from hypothesis.errors import Flaky, HypothesisWarning, NoSuchExample, Unsatisfiable

from refrelax.errors import InternalError, Rejection, UsageError
from refrelax.judge.backend import Backend
from refrelax.judge.diff import diff
from refrelax.judge.report import NOTHING
from refrelax.judge.verdicts import Divergence, NoVerdict, Verdict
from refrelax.running.arrays import Tensor
from refrelax.running.run import make_headroom
from refrelax.semantics.graph.link import nodes
from refrelax.semantics.numbers.verdicts import Counts, Outside
from refrelax.semantics.types.check import check
from refrelax.syntax.graph import Call, Op
from refrelax.syntax.module import ConstantArray, Module
from refrelax.syntax.scalars import Binary, Intrinsic
from refrelax.syntax.write.module import print_module
from refrelax.testing.limits import limited
from refrelax.testing.module_strategies import modules
from refrelax.testing.options import FEATURES
from refrelax.testing.reproducible import independent_of_loaded_modules
from refrelax.testing.values import call_arguments

BATCH = 40
"""Programs a round generates."""

WAVE = 4
"""Rounds that do not know of each other's findings."""

SECONDS = 60
"""The longest that a program may take; a hang is a finding."""

POLICIES = ("dyadic", "special", "normal", "integer")

PORTABLE = tuple(each for each in FEATURES if each != "libraries")
"""Features of programs that need nothing but an implementation: no library function is called."""

PIPELINED = tuple(each for each in PORTABLE if each != "float_extents")
"""Those for a named pipeline of TVM: ``FoldConstant`` of 0.27 ends on a parameter whose extent is computed by floats
(``spec/deviations.md``), so few programs would come further."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What to generate, for whom. ``find(name, pipeline, target)`` gives the implementation, as ``diff`` takes it, once
    in each process."""

    find: Callable[..., Any]
    name: str
    seed: int = 0
    features: tuple[str, ...] = PORTABLE
    levels: tuple[str, ...] | None = None
    dtypes: tuple[str, ...] | None = None
    max_bindings: int = 6
    count: int | None = None
    """Programs of all rounds together, if they are counted."""
    pipeline: str | None = None
    target: str | None = None
    strict: bool = False
    """See ``diff``."""

    def programs(self, number: int) -> int:
        """How many programs round ``number`` generates."""
        return BATCH if self.count is None else min(BATCH, self.count - number * BATCH)


@dataclass(frozen=True, slots=True)
class Signature:
    """What tells one finding from another: how it diverges, and by which operators."""

    kind: str
    operators: tuple[str, ...]

    def covers(self, kind: str, operators: tuple[str, ...]) -> bool:
        """Whether a finding is this one again: of its kind, by its operators and perhaps more. One without operators
        stands for itself."""
        again = set(self.operators) <= set(operators) if self.operators else not operators
        return self.kind == kind and again

    def __str__(self) -> str:
        return f"{self.kind}: {', '.join(self.operators) or 'no operator'}"


@dataclass(frozen=True, slots=True)
class Finding:
    """A shrunk program on which the implementation diverges, or refrelax itself fails; ``round`` found it.

    Everything in it passes from one process to another: the text of the module, tensors as constant arrays.
    """

    signature: Signature
    text: str
    args: tuple[Any, ...]
    verdict: Found
    round: int

    @property
    def fault(self) -> bool:
        """Whether refrelax failed here: the implementation has no verdict."""
        return isinstance(self.verdict, NoVerdict)

    @property
    def message(self) -> str:
        """What is wrong, in a line."""
        return self.verdict.why if isinstance(self.verdict, NoVerdict) else self.verdict.message


@dataclass(slots=True)
class Round:
    """What one round did. ``examined``: programs generated before anything diverged; ``open``: those without a
    verdict, by reason; ``counts``: the elements compared."""

    number: int
    examined: int = 0
    open: dict[str, int] = field(default_factory=dict)
    finding: Finding | None = None
    counts: Counts = Counts()


Found = Divergence | NoVerdict
"""What is worth keeping: a divergence, or (no verdict) a fault of refrelax."""

Program = tuple[Module, list[Any]]


def _programs(plan: Plan) -> st.SearchStrategy[Program]:
    return _with_arguments(
        modules(features=plan.features, levels=plan.levels, dtypes=plan.dtypes, max_bindings=plan.max_bindings)
    )


@st.composite
def _with_arguments(draw: Any, made: st.SearchStrategy[Module]) -> Program:
    module = draw(made)
    return module, draw(call_arguments(module, policy=draw(st.sampled_from(POLICIES))))


def judge(module: Module, args: Sequence[Any], implementation: Any, strict: bool = False) -> Verdict:
    """The verdict on one program; what refrelax itself raises, or does not end in time, is a fault."""
    try:
        with limited(SECONDS):
            return diff(check(module), "main", args, impl=implementation, strict=strict)
    except TimeoutError as error:
        return NoVerdict(f"the definition takes {error}", reason="budget")
    except UsageError:
        raise
    except (InternalError, Rejection) as error:
        return NoVerdict(f"a fault of refrelax ({type(error).__name__}: {error})", reason="fault")
    except Exception as error:
        return NoVerdict(f"a fault of refrelax ({type(error).__name__}: {error})", reason="fault", detail=repr(error))


def worth_keeping(verdict: Verdict) -> Found | None:
    """The verdict, if it is a divergence or a fault of refrelax."""
    match verdict:
        case Divergence() | NoVerdict(reason="fault"):
            return verdict
        case _:
            return None


def kind_of(verdict: Found) -> str:
    """How the implementation diverges (or refrelax fails), in a few words that do not depend on the program."""
    match verdict:
        case NoVerdict(why=why):
            return why.partition("(")[2].partition(":")[0].strip(" )") or "fault"
        case Divergence(kind="end", message=message) if message.startswith("the definition traps"):
            return "no trap"
        case Divergence(kind="end", message=message):
            rule = re.search(r"rule='([^']+)'", message)
            return rule.group(1) if rule else message.partition("ends as ")[2].partition("(")[0].strip() or "end"
        case Divergence(kind="values"):
            return "value"
        case Divergence(kind="error", message=message):
            return message.partition("(")[2].partition(":")[0].strip(" )")
        case Divergence(kind=kind):
            return kind


def operators_of(module: Module) -> frozenset[str]:
    """The operators and intrinsics of a program; those that only compare or select are part of it too."""
    found = set[str]()
    for function in module.functions.values():
        for node in nodes(function):
            if isinstance(node, Call) and isinstance(node.op, Op):
                found.add(node.op.name.replace("relax.", "R.", 1))
            elif isinstance(node, Intrinsic | Binary):
                found.add(f"T.{node.op}")
    return frozenset(found)


def blamed(module: Module, verdict: Found) -> tuple[str, ...]:
    """The operators to blame: that of the diverging binding, or, where whole results were compared, all there are."""
    at = next((each for each in verdict.bindings if isinstance(each.verdict, Outside)), None)
    if at is not None and at.what != "result":
        operator = at.what.split()[0]
        return (operator,) if not operator.startswith("call") else tuple(sorted({operator, *operators_of(module)}))
    return tuple(sorted(operators_of(module)))


@cache
def _implementation(find: Callable[..., Any], name: str, pipeline: str | None, target: str | None) -> Any:
    return find(name, pipeline, target)


class _Search:
    """The condition that one round looks for. The first divergence pins its kind, so that shrinking stays with it."""

    def __init__(self, plan: Plan, known: Sequence[Signature], deadline: float | None) -> None:
        self.implementation = _implementation(plan.find, plan.name, plan.pipeline, plan.target)
        self.known, self.deadline, self.strict = known, deadline, plan.strict
        self.pinned: tuple[str, ...] | None = None
        self.best: tuple[Program, Found] | None = None
        self.counts = Counts()
        self.examined = 0
        self.open: dict[str, int] = {}

    def __call__(self, program: Program) -> bool:
        if self.deadline is not None and time.monotonic() > self.deadline:
            return False
        module, args = program
        verdict = judge(module, args, self.implementation, self.strict)
        if self.pinned is None:
            self.examined += 1
            self.counts += verdict.report.counts
            if isinstance(verdict, NoVerdict):
                self.open[verdict.why] = self.open.get(verdict.why, 0) + 1
        found = worth_keeping(verdict)
        if found is None:
            return False
        kind, by = kind_of(found), blamed(module, found)
        if any(each.covers(kind, by) for each in self.known):
            return False
        pin = (kind, *(by if isinstance(self.implementation, Backend) else ()))
        self.pinned = self.pinned or pin
        if pin != self.pinned:
            return False
        self.best = program, found
        return True


def run_round(plan: Plan, number: int, known: Sequence[Signature] = (), deadline: float | None = None) -> Round:
    """One round; past ``deadline`` (``time.monotonic``) it ends with the smallest program so far."""
    condition = _Search(plan, known, deadline)
    quiet = settings(
        max_examples=plan.programs(number),
        database=None,
        deadline=None,
        phases=(Phase.generate, Phase.shrink),
        suppress_health_check=list(HealthCheck),
    )
    make_headroom()
    best = None
    reproducible = independent_of_loaded_modules()
    with (
        warnings.catch_warnings(),
        reproducible,
        suppress(NoSuchExample, Unsatisfiable, Flaky),
    ):  # none, or past the deadline
        warnings.simplefilter("ignore", HypothesisWarning)  # Python's recursion limit was raised: meant
        best = search(_programs(plan), condition, settings=quiet, random=random.Random(f"{plan.seed}/{number}"))
    done = Round(number, condition.examined, condition.open, counts=condition.counts)
    if condition.best is not None:
        module, args = best or condition.best[0]
        verdict = (
            worth_keeping(judge(module, args, condition.implementation, plan.strict)) if best else condition.best[1]
        )
        if verdict is not None:
            signature = Signature(kind_of(verdict), blamed(module, verdict))
            said = replace(verdict, bindings=(), report=NOTHING)
            done.finding = Finding(signature, print_module(module), tuple(map(_portable, args)), said, number)
    return done


def _portable(value: Any) -> Any:
    """An argument without its reading."""
    match value:
        case Tensor():
            return ConstantArray(value.dtype, value.shape, value.tobytes())
        case tuple():
            return tuple(map(_portable, value))
        case _:
            return value


def waves(
    plan: Plan, run: Callable[[list[tuple[int, tuple[Signature, ...]]]], Iterator[Round]], rounds: int | None
) -> Iterator[Round]:
    """Rounds without end (or ``rounds`` of them), a wave at a time, each with the findings that are new.

    ``run`` runs the rounds of a wave, here or in other processes, and gives them in any order.
    """
    known: list[Signature] = []
    first = 0
    while rounds is None or first < rounds:
        last = first + WAVE if rounds is None else min(first + WAVE, rounds)
        done = sorted(run([(k, tuple(known)) for k in range(first, last)]), key=lambda r: r.number)
        for each in done:
            if each.finding is not None and each.finding.signature in known:
                each.finding = None
            elif each.finding is not None:
                known.append(each.finding.signature)
            yield each
        if len(done) < last - first:
            return
        first = last
