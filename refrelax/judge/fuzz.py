"""What ``fuzz`` generates and finds: the plan, composed programs, and a finding.

Composed programs come in numbered rounds of ``BATCH``, each from a seed of its own, made by Hypothesis; a round judges
all of them. A program whose cause is new is made again, and shrunk, by itself (``shrink_round``): what is tried is
counted, not timed. ``campaign/`` has the order of things, and the programs of single calls.
"""

from __future__ import annotations

import random
import re
import warnings
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from hypothesis import HealthCheck, Phase, settings
from hypothesis import find as search
from hypothesis import strategies as st
from hypothesis.errors import Flaky, HypothesisWarning, NoSuchExample, Unsatisfiable

from refrelax.judge.backend import Backend
from refrelax.judge.campaign.causes import Cause, cause_of, of_many
from refrelax.judge.campaign.look import Seen, Sighting, quick_verdict_of, verdict_of
from refrelax.judge.campaign.reduce import Program, reduce
from refrelax.judge.report import NOTHING
from refrelax.judge.verdicts import Divergence, NoVerdict, Verdict
from refrelax.judge.wheels import Told
from refrelax.running.arrays import Tensor
from refrelax.running.run import make_headroom
from refrelax.semantics.graph.link import nodes
from refrelax.semantics.numbers.verdicts import Outside
from refrelax.semantics.types.check import check
from refrelax.syntax.graph import Call, Op
from refrelax.syntax.module import ConstantArray, Module
from refrelax.syntax.scalars import Binary, Intrinsic
from refrelax.syntax.write.module import print_module
from refrelax.testing.cells import WHOLE
from refrelax.testing.front import Program as FrontProgram
from refrelax.testing.module_strategies import modules
from refrelax.testing.options import FEATURES
from refrelax.testing.reproducible import independent_of_loaded_modules
from refrelax.testing.values import call_arguments

BATCH = 40
"""Programs a round generates."""

WHOLLY_EVERY = 4
"""Of one in so many composed programs the permitted sets are computed though a backend of ours gave canonical bits."""

MOST_TRIES = 300
"""Programs that the shrinking of one finding judges, of a backend of this package."""

DEAR_TRIES = 60
"""The same for whoever has to be asked in a process of its own."""

POLICIES = ("dyadic", "special", "normal", "integer")

PORTABLE = tuple(each for each in FEATURES if each != "libraries")
"""Features of programs that need nothing but an implementation: no library function is called."""

PIPELINED = tuple(each for each in PORTABLE if each != "float_extents")
"""Those for a named pipeline of TVM: ``FoldConstant`` of 0.27 ends on a parameter whose extent is computed by floats
(``spec/deviations.md``), so few programs would come further."""


KINDS = ("cells", "rounds", "passes", "mutants", "front")
"""Calls of one operator, composed programs, programs through sequences of passes (of a compiler that has some), mutants
of modules that were given, and programs of front ends (of a compiler that imports some)."""


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
    cells: bool = True
    """Whether programs of single calls are generated, too."""
    kinds: tuple[str, ...] = KINDS
    """Which kinds of programs, of ``KINDS``, as far as there are any."""
    sources: tuple[str, ...] = ()
    """Texts of modules to be mutated."""
    guided: bool = True
    """Whether sequences of passes follow what was new in earlier ones."""
    dtypes_of_cells: tuple[str, ...] = WHOLE
    also: tuple[str, ...] = ()
    """Implementations that are asked of every finding, too."""
    compiler: Callable[..., Any] | None = None
    """``compiler(name, target)`` gives what ``bisect`` asks for the stages, or ``None``."""
    importer: Callable[[str], Any] | None = None
    """``importer(name)`` gives a ``judge.front.Importer``."""


@dataclass(frozen=True, slots=True)
class Signature:
    """How a finding diverges, and by which operators, in words for people."""

    kind: str
    operators: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.kind}: {', '.join(self.operators) or 'no operator'}"


@dataclass(frozen=True, slots=True)
class Finding:
    """A divergence, shrunk: its cause, the program, its arguments, what was said, the task that met it, who is to blame
    (``stage``, ``pass``, ``index``, ``place``, ``operator``), and how many programs were tried to shrink it."""

    signature: Signature
    cause: Cause
    text: str
    args: tuple[Any, ...]
    verdict: Divergence | NoVerdict
    round: str
    blame: dict[str, Any] = field(default_factory=dict)
    tried: int = 0
    expected: str = ""
    """How the definition ends."""
    script: str = ""
    """The call without refrelax, if the implementation can write one."""
    versions: dict[str, str] = field(default_factory=dict)
    steps: tuple[str, ...] = ()
    """The passes and schedules that the program goes through, where these are what is judged."""
    elsewhere: tuple[Told, ...] = ()
    """What each version said of it that was asked, this one among them."""
    front: FrontProgram | None = None
    """The program of a front end, where it is the import that is wrong; ``text`` is then what was imported, if anything
    was."""

    @property
    def fault(self) -> bool:
        """Whether refrelax itself is at fault."""
        return isinstance(self.verdict, NoVerdict)

    @property
    def message(self) -> str:
        return self.verdict.why if isinstance(self.verdict, NoVerdict) else self.verdict.message


Found = Divergence | NoVerdict
"""What is worth keeping: a divergence, or (no verdict) a fault of refrelax."""


def _programs(plan: Plan) -> st.SearchStrategy[Program]:
    return _with_arguments(
        modules(features=plan.features, levels=plan.levels, dtypes=plan.dtypes, max_bindings=plan.max_bindings)
    )


@st.composite
def _with_arguments(draw: Any, made: st.SearchStrategy[Module]) -> Program:
    module = draw(made)
    return module, draw(call_arguments(module, policy=draw(st.sampled_from(POLICIES))))


def judge(
    module: Module, args: Sequence[Any], implementation: Any, strict: bool = False, quick: bool = False
) -> Verdict:
    """The verdict on one program; what refrelax itself raises is a fault, what takes too long has none. ``quick``: see
    ``quick_verdict_of``."""
    try:
        checked = check(module)
    except Exception as error:  # a generated program is well typed
        return NoVerdict(f"a fault of refrelax ({type(error).__name__}: {error})", reason="fault", detail=repr(error))
    if quick and isinstance(implementation, Backend):
        return quick_verdict_of(checked, args, implementation.compiled(checked), strict)
    return verdict_of(checked, args, implementation, strict)


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
            rule = re.search(r"\[([\w./-]+)\]$", message)
            return rule.group(1) if rule else "end"
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
def implementation_of(find: Callable[..., Any], name: str, pipeline: str | None, target: str | None) -> Any:
    """The implementation, once in each process."""
    return find(name, pipeline, target)


def cause_in(module: Module, verdict: Found) -> Cause:
    """The cause of what was found in a composed program."""
    if isinstance(verdict, NoVerdict):
        return Cause("fault", kind_of(verdict), tuple(sorted(operators_of(module))))
    return of_many(cause_of(verdict, operators_of(module), ""))


class _Enough(BaseException):
    """Shrinking has tried what it may; past Hypothesis, which keeps an ``Exception`` for an example."""


class _Round:
    """The condition that a round looks for: never met, so that every program of the round is seen."""

    def __init__(self, plan: Plan) -> None:
        self.implementation = implementation_of(plan.find, plan.name, plan.pipeline, plan.target)
        self.strict, self.seen = plan.strict, Seen()

    def __call__(self, program: Program) -> bool:
        module, args = program
        quick = self.seen.programs % WHOLLY_EVERY != 0
        verdict = judge(module, args, self.implementation, self.strict, quick)
        self.seen.note(verdict)
        found = worth_keeping(verdict)
        if found is not None:
            said = found.why if isinstance(found, NoVerdict) else found.message
            fault = isinstance(found, NoVerdict)
            self.seen.meet(Sighting(cause_in(module, found), self.seen.programs, 0, said, fault))
        self.seen.programs += 1
        return False


class _Shrinking:
    """The condition that is met by programs with a cause, or with one that needs fewer operators."""

    def __init__(self, plan: Plan, cause: Cause) -> None:
        self.implementation = implementation_of(plan.find, plan.name, plan.pipeline, plan.target)
        self.cause, self.strict = cause, plan.strict
        self.most = DEAR_TRIES if hasattr(self.implementation, "run_many") else MOST_TRIES
        self.best: tuple[Program, Found] | None = None
        self.tried = 0

    def __call__(self, program: Program) -> bool:
        if self.best is not None:
            self.tried += 1
            if self.tried > self.most:
                raise _Enough
        module, args = program
        found = worth_keeping(judge(module, args, self.implementation, self.strict))
        if found is None or not self.again(cause_in(module, found)):
            return False
        self.best = program, found
        return True

    def reduce(self) -> None:
        """Make the best smaller where Hypothesis's choices do not reach."""
        assert self.best is not None
        self.tried = 0
        with suppress(_Enough):
            reduce(self.best[0], lambda module, args: self((module, args)), self.most // 2)

    def again(self, cause: Cause) -> bool:
        """Whether a program has the cause that is looked for. The first must have it to a letter."""
        if self.best is None:
            return cause == self.cause
        same = isinstance(self.implementation, Backend) or self.cause.answered
        return cause.covers(self.cause) if not same else cause.covers(replace(self.cause, operators=cause.operators))


def _search(plan: Plan, number: int | str, size: int, condition: Any, phases: tuple[Phase, ...]) -> None:
    quiet = settings(
        max_examples=size, database=None, deadline=None, phases=phases, suppress_health_check=list(HealthCheck)
    )
    make_headroom()
    with (
        warnings.catch_warnings(),
        independent_of_loaded_modules(),
        suppress(NoSuchExample, Unsatisfiable, Flaky, _Enough),
    ):
        warnings.simplefilter("ignore", HypothesisWarning)  # Python's recursion limit was raised: meant
        search(_programs(plan), condition, settings=quiet, random=random.Random(f"{plan.seed}/{number}"))


def generated(plan: Plan, kind: str, number: int, size: int) -> list[Program]:
    """So many composed programs, the same every time."""
    found: list[Program] = []

    def collect(program: Program) -> bool:
        found.append(program)
        return False

    _search(plan, f"{kind}/{number}", size, collect, (Phase.generate,))
    return found[:size]


def look_round(plan: Plan, number: int, size: int) -> Seen:
    """Judge the programs of a round."""
    condition = _Round(plan)
    _search(plan, number, size, condition, (Phase.generate,))
    return condition.seen


def shrink_round(plan: Plan, number: int, size: int, cause: Cause) -> Finding | None:
    """The first program of a round that has a cause, shrunk."""
    condition = _Shrinking(plan, cause)
    _search(plan, number, size, condition, (Phase.generate, Phase.shrink))
    if condition.best is None:
        return None
    condition.reduce()
    (module, args), verdict = condition.best
    signature = Signature(kind_of(verdict), blamed(module, verdict))
    said = replace(verdict, bindings=(), report=NOTHING)
    shrunk = cause_in(module, verdict)
    place = f"rounds/{number}"
    given = tuple(map(portable, args))
    return Finding(signature, shrunk, print_module(module), given, said, place, tried=condition.tried)


def portable(value: Any) -> Any:
    """An argument without its reading."""
    match value:
        case Tensor():
            return ConstantArray(value.dtype, value.shape, value.tobytes())
        case tuple():
            return tuple(map(portable, value))
        case _:
            return value
