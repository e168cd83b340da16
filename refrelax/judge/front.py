"""A program of a front end (PyTorch, ONNX) and what was imported of it: is the front end's own answer among those that
the imported module permits?

What the module permits is the enclosure of chapter 02, so another order of a sum or a function that is right to a few
units in the last place is no difference. A front end promises no accuracy, and its kernels may be worse. So an
element of a float dtype counts as different only where every answer that the front end gives by ways of its own is
outside (its own; computed in float64 and rounded; decomposed into its basic operators), and by more than a third of
the significant bits would tell. What is outside and does not count is undecided.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from refrelax.errors import (
    Exhausted,
    IllFormed,
    IllTyped,
    InternalError,
    Malformed,
    Returned,
    Trapped,
    Unlinkable,
    Unspecified,
)
from refrelax.judge import openness
from refrelax.judge.bisect import lacking
from refrelax.judge.outcomes import Difference, Reference, copies, cores
from refrelax.judge.report import Report
from refrelax.judge.stages import Stage
from refrelax.judge.verdicts import Agreement, Divergence, NoVerdict, Verdict
from refrelax.running.arrays import Tensor
from refrelax.running.run import outward, parameter_types
from refrelax.semantics.budget import Budget
from refrelax.semantics.judging import bounds, magnitude
from refrelax.semantics.numbers.enclosure import judge as judge_element
from refrelax.semantics.numbers.enclosure import observed_number
from refrelax.semantics.numbers.interval_functions import Inflation
from refrelax.semantics.numbers.verdicts import Counts, Outside
from refrelax.semantics.types.check import check
from refrelax.semantics.types.checked import CheckedModule
from refrelax.semantics.values import TensorValue, from_bits
from refrelax.syntax import dtypes

IMPORT = "import"
"""The name of the stage before all passes."""


@dataclass(frozen=True, slots=True)
class Run:
    """One run of a program by its own means: its arguments, its value, and the ``others`` that the front end gives by
    other ways of its own; or why there is nothing to hold against the module (it raises; what was exported is another
    program)."""

    args: tuple[Any, ...]
    value: Any = None
    others: tuple[Any, ...] = ()
    why: str = ""


@dataclass(frozen=True, slots=True)
class Imported:
    """What came of a program: its runs, and the module as a ``stage``, or how the importer ended (``kind``: a word of
    ``implementation.KINDS``). ``by``: the function that imports, ``versions``: of the front end."""

    runs: tuple[Run, ...]
    by: str = ""
    versions: dict[str, str] = field(default_factory=dict)
    stage: Stage | None = None
    kind: str = ""
    message: str = ""
    detail: str = ""
    place: str = ""
    well_formed: bool = True
    """What the compiler itself says of the module."""


class NoProgram(Exception):
    """There is nothing to import: it does not run, or is not exported. ``step``: how far it came."""

    def __init__(self, step: str, message: str) -> None:
        self.step, self.message = step, message
        super().__init__(f"{step}: {message}")


class Importer(Protocol):
    """Whatever runs and imports programs. ``program`` is one of ``{"source": text}`` (a file with a function
    ``program``), ``{"make": "FILE.py:NAME"}`` and ``{"model": "FILE.onnx"}``; without ``inputs`` it is run on its own.
    ``closely``: give ``others``, too.

    Raises:
        NoProgram: see there.
        ImplementationFailed: there is no such front end.
    """

    def imported(
        self, program: dict[str, str], inputs: Sequence[Sequence[Any]] | None = None, closely: bool = False
    ) -> Imported: ...


UNSUPPORTED = re.compile(
    r"not (?:yet )?(?:been )?(?:supported|implemented|handled)|[Uu]nsupported|only supports?"
    r"|[Oo]nly .* (?:is|are) supported|support for|NotImplemented|does not support|doesn.t support|[Oo]nly statically"
)
"""What an importer says where it has no such thing, which is no fault of it."""


def checked_of(imported: Imported) -> CheckedModule | Verdict:
    """The imported module, or what is to be said where there is none."""
    if imported.stage is None:
        return refused(imported)
    try:
        return check(imported.stage.module())
    except Malformed as rejection:
        return NoVerdict(f"the imported module cannot be read: {rejection.diagnostics[0]}", reason="unread")
    except (IllFormed, IllTyped) as rejection:
        own = "" if imported.well_formed else "; TVM says as well that it is not well formed"
        first = rejection.diagnostics[0]
        return Divergence(IMPORT, f"the imported module is rejected: {first}{own}", kind="end", detail=str(rejection))


def refused(imported: Imported) -> Verdict:
    """What is said of a program of which there is no module."""
    if imported.kind == "refused" and UNSUPPORTED.search(imported.detail) is not None:
        return NoVerdict(f"{imported.by} has no such thing: {imported.message}", reason="unsupported")
    verbs = {"refused": "refuses the program", "crash": "crashed", "hang": "hung"}
    if imported.kind not in verbs:
        return NoVerdict(imported.message, reason="unread")
    report = Report(refused=int(imported.kind == "refused"))
    said = f"{imported.by} {verbs[imported.kind]}: {imported.message}"
    return Divergence(IMPORT, said, kind=imported.kind, detail=imported.detail, report=report, place=imported.place)  # type: ignore[arg-type]


def verdict(checked: CheckedModule, run: Run, budget: Budget | None = None, strict: bool = False) -> Verdict:
    """Whether the program's own answer is among those that the imported module permits."""
    if run.why:
        return NoVerdict(run.why, reason="interface")
    if len(parameter_types(checked.module, "main")) != len(run.args):
        return NoVerdict("the imported module takes other arguments", reason="interface")
    reference = Reference(checked, "main", run.args, {}, budget or Budget(), "strict" if strict else "enclosure")
    try:
        outcome = reference.outcome
    except Unlinkable as missing:
        return NoVerdict(str(missing.diagnostics[0]), reason="library")
    except InternalError as error:
        return NoVerdict(f"a fault of refrelax: {error}", reason="fault", detail=repr(error))
    args = tuple(run.args)
    match outcome:
        case Exhausted(what=what):
            return NoVerdict(f"the definition ran out of {what}", reason="budget")
        case Unspecified() as end:
            report = Report(open=(openness.whole_run(end),), arguments=args)
            return NoVerdict(f"the whole run is {report.open[0]}", reason=lacking(end) or "open", report=report)
        case Trapped(rule=rule_, message=message):
            said = f"the imported module traps ({message} [{rule_}]), the program itself returns {_short(run.value)}"
            return Divergence("the run", said, kind="end", report=Report(Counts(outside=1), arguments=args))
        case Returned():
            return _held(reference, outcome, run)
    raise InternalError(f"no outcome: {outcome!r}")


def _held(reference: Reference, outcome: Returned, run: Run) -> Verdict:
    args = tuple(run.args)
    found, tally = reference.compare(Returned(run.value, copies(run.args)))
    if isinstance(found, Difference):
        report = Report(Counts(outside=1), arguments=args)
        other = _other(outcome.value, run.value)
        if found.structural or other:
            if any(not _other(outcome.value, each) for each in run.others):
                return NoVerdict(BOTH, reason="undecided", report=Report(Counts(undecided=1), arguments=args))
            told = other or found.message
            return Divergence(f"the result.{found.field}".rstrip("."), told, report=report, field=found.field)
        if not isinstance(_without_rounding(reference, outcome, run), Difference):
            return NoVerdict(ROUNDING, reason="undecided", report=Report(Counts(undecided=1), arguments=args))
        said = found.message.replace("the first program", "the imported module")
        return Divergence(f"the result.{found.field}".rstrip("."), said, report=report, field=found.field)
    counts = Counts(tally.inside, 0, tally.undecided, tally.excluded)
    report = Report(counts, 0, reference.origins, tally.relaxations, (), args)
    if found == "undecided":
        return NoVerdict("what the imported module permits is too wide to tell", reason="undecided", report=report)
    if not tally.compared:
        return NoVerdict("the imported module leaves every element open", reason="open", report=report)
    return Agreement(why="the program's own answer is inside what the imported module permits", report=report)


ROUNDING = "the program's own answer is outside what the module permits by no more than a front end may round"


BOTH = "the front end itself gives a result of this dtype and shape by another way of its own"


def _without_rounding(reference: Reference, outcome: Returned, run: Run) -> Any:
    """The verdict on the answer without what may be the front end's own rounding."""
    permitted = reference.permitted
    if not isinstance(permitted, Returned):
        return None
    ways = [cores(each) for each in (run.value, *run.others) if not _other(run.value, each)]
    value = _nearest(cores(permitted.value), cores(outcome.value), ways)
    return reference.compare(Returned(outward(value), copies(run.args)))[0]


def _nearest(permitted: Any, canonical: Any, ways: list[Any]) -> Any:
    """Of every element the first of the ways that is permitted; what is canonical where one is near enough."""
    own = ways[0]
    if isinstance(own, tuple):
        rows = zip(permitted, canonical, *ways, strict=True)
        return tuple(_nearest(p, c, list(rest)) for p, c, *rest in rows)
    if not isinstance(own, TensorValue) or not dtypes.is_float(own.dtype) or own.shape != permitted.shape:
        return own
    scale, dtype = magnitude(permitted), own.dtype
    chosen = []
    for payload, exact, *patterns in zip(
        permitted.payloads(), canonical.bits(), *(each.bits() for each in ways), strict=True
    ):
        inside = (p for p in patterns if not isinstance(judge_element(payload, dtype, p, scale), Outside))
        near = exact if any(_near(payload, dtype, p, scale) for p in patterns) else patterns[0]
        chosen.append(next(inside, near))
    return from_bits(own.numerics, dtype, own.shape, chosen)


def _near(payload: Any, dtype: str, pattern: int | None, scale: float | None) -> bool:
    """Whether a number is outside by no more than a third of the significant bits."""
    low, high = bounds(payload, dtype)
    value = float(observed_number(dtype, pattern))
    if low is None or not math.isfinite(value):
        return False
    off = max(low - value, value - high)
    inflation = Inflation(dtype)
    kept = 2.0 ** -(2 * inflation.precision // 3)
    return bool(off <= kept * max(abs(value), scale or 0.0, inflation.normal))


def _other(wanted: Any, found: Any, path: str = "") -> str:
    """How the structure of two values differs."""
    if isinstance(wanted, tuple) and isinstance(found, tuple) and len(wanted) == len(found):
        pairs = enumerate(zip(wanted, found, strict=True))
        return next((said for k, (w, f) in pairs if (said := _other(w, f, f"{path}.{k}"))), "")
    ours, theirs = _kind(wanted), _kind(found)
    return "" if ours == theirs else f"result{path} of the imported module is {ours}, of the program itself {theirs}"


def _kind(value: Any) -> str:
    match value:
        case Tensor():
            return f"{value.dtype}{list(value.shape)}"
        case tuple():
            return f"a tuple of {len(value)}"
        case _:
            return type(value).__name__


def _short(value: Any) -> str:
    said = str(value)
    return said if len(said) <= 200 else f"{said[:200]} …"


__all__ = ["IMPORT", "Imported", "Importer", "NoProgram", "Run", "checked_of", "refused", "verdict"]
