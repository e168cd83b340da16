"""Judging cells: several programs a request, several inputs a program, and the cause of what diverges."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from refrelax.errors import InternalError, Outcome, Rejection, Returned, UsageError
from refrelax.judge.backend import Backend
from refrelax.judge.campaign.causes import Cause, cause_of
from refrelax.judge.diff import diff
from refrelax.judge.failures import said
from refrelax.judge.implementation import ImplementationFailed
from refrelax.judge.outcomes import copies
from refrelax.judge.verdicts import Divergence, NoVerdict, Verdict
from refrelax.running.arrays import Tensor
from refrelax.running.run import run
from refrelax.semantics.budget import Budget
from refrelax.semantics.numbers.verdicts import Counts
from refrelax.semantics.types.check import check
from refrelax.semantics.types.checked import CheckedModule
from refrelax.testing.cells import Cell
from refrelax.testing.limits import limited, listening
from refrelax.testing.sweep import Program

SECONDS = 60
"""The longest that the definition may take for one input."""

BUDGET = Budget(steps=400_000, elements=400_000)


@dataclass(frozen=True, slots=True)
class Sighting:
    """A divergence (or a fault of refrelax) that was met: its cause, where in the task, and what was said."""

    cause: Cause
    cell: int
    given: int
    message: str
    fault: bool = False
    case: list[Any] | None = None
    """What was judged, as JSON, where the task alone does not say it."""

    def row(self) -> list[Any]:
        return [self.cause.row(), self.cell, self.given, self.message, self.fault, self.case]

    @staticmethod
    def of_row(row: list[Any]) -> Sighting:
        cause, *rest = row
        return Sighting(Cause.of_row(cause), *rest)


@dataclass(slots=True)
class Seen:
    """What came of a task: the first sighting of each cause, how many programs and inputs were judged, how many
    elements were compared, why there was no verdict, and for each cell its key, operator, dtype and words."""

    sightings: list[Sighting] = field(default_factory=list)
    programs: int = 0
    inputs: int = 0
    judged: int = 0
    """Inputs that ended with a verdict."""
    counts: Counts = Counts()
    open: dict[str, int] = field(default_factory=dict)
    cells: list[list[Any]] = field(default_factory=list)
    kept: list[list[Any]] = field(default_factory=list)
    """Of sequences of passes: each pair, and what it covers."""
    lost: str = ""
    """Why the task came to nothing: a fault of refrelax."""

    def note(self, verdict: Verdict) -> None:
        self.inputs += 1
        self.counts += verdict.report.counts
        if isinstance(verdict, NoVerdict):
            self.open[verdict.reason] = self.open.get(verdict.reason, 0) + 1
        else:
            self.judged += 1

    def meet(self, sighting: Sighting) -> None:
        """Keep the first sighting of a cause."""
        if all(each.cause != sighting.cause for each in self.sightings):
            self.sightings.append(sighting)


class Told:
    """An implementation that was asked already."""

    def __init__(self, answer: Outcome | ImplementationFailed) -> None:
        self.answer = answer

    def run(self, _module: Any, _entry: str, _args: Sequence[Any]) -> Outcome:
        if isinstance(self.answer, ImplementationFailed):
            raise self.answer
        return self.answer


def verdict_of(
    checked: CheckedModule, args: Sequence[Any], implementation: Any, strict: bool, by_bits: bool = False
) -> Verdict:
    """The verdict on one input; what refrelax itself raises, or does not end in time, is a fault."""
    try:
        with limited(SECONDS):
            return diff(checked, "main", args, impl=implementation, strict=strict, budget=BUDGET, by_bits=by_bits)
    except TimeoutError as error:
        return NoVerdict(f"the definition takes {error}", reason="budget")
    except UsageError:
        raise
    except (InternalError, Rejection) as error:
        return NoVerdict(f"a fault of refrelax ({type(error).__name__}: {said(error)})", reason="fault")
    except Exception as error:
        return NoVerdict(f"a fault of refrelax ({type(error).__name__}: {error})", reason="fault", detail=repr(error))


def quick_verdict_of(checked: CheckedModule, args: Sequence[Any], backend: Backend, strict: bool) -> Verdict:
    """``verdict_of`` a backend of ours, without the permitted sets where everything has the bits of the canonical
    run."""
    return verdict_of(checked, args, backend, strict, by_bits=True)


Call = tuple[CheckedModule, list[list[Any]]]


def verdicts(calls: Sequence[Call], implementation: Any, strict: bool) -> list[list[Verdict]]:
    """Programs on their inputs, all asked at once where the implementation has ``run_many``."""
    many: Callable[..., Any] | None = getattr(implementation, "run_many", None)
    if isinstance(implementation, Backend):
        return [_of_backend(checked, inputs, implementation, strict, k) for k, (checked, inputs) in enumerate(calls)]
    if many is None:
        return [[verdict_of(checked, args, implementation, strict) for args in inputs] for checked, inputs in calls]
    answers = many([(checked.module, "main", inputs) for checked, inputs in calls])
    return [
        [verdict_of(checked, args, Told(a), strict) for args, a in zip(inputs, row, strict=True)]
        for (checked, inputs), row in zip(calls, answers, strict=True)
    ]


def _of_backend(
    checked: CheckedModule, inputs: Sequence[list[Any]], implementation: Backend, strict: bool, turn: int
) -> list[Verdict]:
    """The verdicts of a backend of ours, which says the same of the same input: a list that comes again is judged
    once. Of one input the permitted sets are computed whatever came out, so that a set that leaves out the canonical
    value is seen, too; which one goes by the ``turn`` of the program, that each kind of input has its share."""
    made = _compiled(implementation, checked) if len(inputs) > 1 else implementation
    found: list[Verdict] = []
    with listening():
        for k, args in enumerate(inputs):
            before = next((j for j in range(k) if inputs[j] is args), None)
            wholly = k == turn % len(inputs) or not isinstance(made, Backend)
            judge = verdict_of if wholly else quick_verdict_of
            found.append(judge(checked, args, made, strict) if before is None else found[before])
    return found


def _compiled(implementation: Backend, checked: CheckedModule) -> Any:
    """A backend of ours compiled once for all inputs; whatever is wrong with that is said where it is asked."""
    try:
        return implementation.compiled(checked)
    except Exception:
        return implementation


def checked_of(program: Program) -> CheckedModule | None:
    """The program, if it is well typed."""
    try:
        return check(program.module)
    except Rejection:
        return None


def found_in(verdict: Verdict, program: Program, dtype: str, args: Sequence[Any]) -> tuple[Cause, str, bool] | None:
    """Cause, message and whether it is a fault of refrelax, if the verdict is worth keeping."""
    op = program.op
    match verdict:
        case Divergence(kind="crash" | "hang") if _astray(program, args):
            return None
        case Divergence():
            empty = any(isinstance(each, Tensor) and 0 in each.shape for each in args)
            cause = cause_of(replace(verdict, bindings=()), (f"R.{op}",), dtype, empty)
            return cause, verdict.message, False
        case NoVerdict(reason="fault", why=why):
            return Cause("fault", why.partition(":")[0], (f"R.{op}",), ""), why, True
        case _:
            return None


def _astray(program: Program, args: Sequence[Any]) -> bool:
    """Whether the definition leaves elements open because positions lead out of an array. Only they are open, so that
    dying of it is too much; but no implementation promises not to, and nobody would call it a defect."""
    if not any(p.index for p in program.params):
        return False
    checked = checked_of(program)
    end = None if checked is None else run(checked, "main", *copies(args), budget=BUDGET)
    return not isinstance(end, Returned) or bool(end.poison)


def look(cells: Sequence[Cell], implementation: Any, strict: bool = False) -> Seen:
    """Judge cells together."""
    seen = Seen()
    typed = [(k, cell, checked) for k, cell in enumerate(cells) if (checked := checked_of(cell.program)) is not None]
    calls = [(checked, cell.every_input()) for _, cell, checked in typed]
    rows = verdicts(calls, implementation, strict)
    for (k, cell, _), (_, inputs), row in zip(typed, calls, rows, strict=True):
        seen.programs += 1
        words: dict[str, int] = {}
        for j, verdict in enumerate(row):
            seen.note(verdict)
            words[verdict.word] = words.get(verdict.word, 0) + 1
            found = found_in(verdict, cell.program, cell.dtype, inputs[j])
            if found is not None:
                seen.meet(Sighting(found[0], k, j, *found[1:]))
        seen.cells.append([cell.key, cell.op, cell.dtype, words])
    return seen
