"""The suite on somebody else's implementation.

A case is a program and a call; what the implementation does with it is judged as ``diff`` judges: it must be among the
outcomes that the definition permits. What the definition leaves open is excluded, what the implementation does not have
is counted apart, and neither is a pass.

Spec: ``spec/01-conformance.md``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from refrelax import api
from refrelax.conformance import data
from refrelax.conformance.cases import REJECTIONS, Case
from refrelax.conformance.implementation import ImplementationFailed, Kind
from refrelax.conformance.library import LIBRARY
from refrelax.errors import Outcome, Rejection
from refrelax.judge.diff import diff
from refrelax.judge.verdicts import Agreement, Divergence, NoVerdict, Verdict
from refrelax.semantics.types.checked import CheckedModule
from refrelax.syntax.module import Module

Word = Literal["passed", "failed", "refused", "undecided", "excluded", "unsupported", "not judged"]

WORDS: dict[Word, str] = {
    "passed": "among the permitted outcomes, or refused where the text refuses",
    "failed": "something that the definition does not permit, a crash, or an accepted module that the text refuses",
    "refused": "a module that the text accepts is not taken, and nothing is run",
    "undecided": "the permitted set is too wide to tell",
    "excluded": "the definition leaves the run open",
    "unsupported": "the implementation says that it has no such thing, or cannot be started",
    "not judged": "nothing is run and the implementation has no method check(module), or the call went wrong here",
}
"""What can be said of a case."""

FAULTS: tuple[Word, ...] = ("failed", "refused")
"""The words for what a conforming implementation does not do."""


@dataclass(frozen=True, slots=True)
class Judged:
    """One case on one implementation; ``why`` says more where it did not pass."""

    case: Case
    word: Word
    why: str = ""


def judge_cases(cases: Iterator[Case] | list[Case] | tuple[Case, ...], implementation: Any) -> Iterator[Judged]:
    """Every portable case, one after the other."""
    return (judge_case(case, implementation) for case in cases if case.portable)


def judge_case(case: Case, implementation: Any) -> Judged:
    """One case. ``implementation`` is what ``rr.diff`` takes: a backend's name, or an ``Implementation``."""
    try:
        module = api.parse(case.module, filename=case.place)
        module = api.bind_constants(module, dict(enumerate(map(data.to_value, case.constants))))
    except Rejection:
        return Judged(case, "not judged", "the text gives no module")
    if case.entry is None or case.expect.kind in REJECTIONS:
        return _accepts(case, module, implementation)
    return _runs(case, api.check(module), implementation)


def _accepts(case: Case, module: Module, implementation: Any) -> Judged:
    """Whether the implementation refuses what the text refuses, and nothing else."""
    check = getattr(implementation, "check", None)
    if check is None or case.expect.kind == "Unlinkable":
        return Judged(case, "not judged")
    refused = ""
    try:
        check(module)
    except Rejection as rejection:
        refused = str(rejection)
    except ImplementationFailed as failed:
        if failed.kind not in ("unread", "refused"):
            return _failed(case, failed)
        refused = str(failed)
    if bool(refused) is (case.expect.kind in REJECTIONS):
        return Judged(case, "passed")
    return Judged(case, "refused", refused) if refused else Judged(case, "failed", "it accepts the module")


def _failed(case: Case, failed: ImplementationFailed) -> Judged:
    return Judged(case, WORD_OF[failed.kind], str(failed))


WORD_OF: dict[Kind, Word] = {
    "absent": "unsupported",
    "unsupported": "unsupported",
    "lacking": "unsupported",
    "library": "unsupported",
    "unread": "refused",
    "refused": "refused",
    "crash": "failed",
    "hang": "failed",
    "fault": "not judged",
}
"""What a failure says of a case. The text of a case is the language's own: not to read it is to refuse it."""


class _Heard:
    """An implementation that remembers how it failed."""

    def __init__(self, implementation: Any) -> None:
        self.name = implementation.name
        self.implementation = implementation
        self.failed: ImplementationFailed | None = None

    def run(self, module: Module, entry: str, args: Any) -> Outcome:
        try:
            outcome: Outcome = self.implementation.run(module, entry, args)
        except ImplementationFailed as failed:
            self.failed = failed
            raise
        return outcome


def _runs(case: Case, checked: CheckedModule, implementation: Any) -> Judged:
    args = [data.to_value(each) for each in case.args]
    heard = implementation if isinstance(implementation, str) else _Heard(implementation)
    try:
        verdict = diff(checked, case.entry or "main", args, heard, externs=LIBRARY)
    except Rejection as rejection:
        return Judged(case, "refused", str(rejection))
    if isinstance(heard, _Heard) and heard.failed is not None:
        return _failed(case, heard.failed)
    return Judged(case, *_said(verdict))


def _said(verdict: Verdict) -> tuple[Word, str]:
    match verdict:
        case Divergence(binding=binding, message=message):
            return "failed", f"{binding}: {message}".lstrip(": ")
        case Agreement() if verdict.undecided and not verdict.inside:
            return "undecided", "every permitted set is too wide"
        case Agreement():
            return "passed", ""
        case NoVerdict(why=why, excluded=excluded):
            return "excluded" if excluded else "unsupported", why
