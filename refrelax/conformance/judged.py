"""The suite on somebody else's implementation.

A case is a program and a call; what the implementation does with it is judged as ``diff`` judges: it must be among the
outcomes that the definition permits. What the definition leaves open is excluded, what the implementation does not have
is counted apart, and neither is a pass.

Spec: ``spec/01-conformance.md``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

from refrelax import api
from refrelax.conformance import data
from refrelax.conformance.cases import REJECTIONS, Case
from refrelax.conformance.implementation import ImplementationFailed
from refrelax.conformance.library import LIBRARY
from refrelax.errors import Rejection
from refrelax.judge import failures
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
    "not judged": "nothing is run, and the implementation has no method check(module); or refrelax itself fails",
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
    verdict: Verdict | None = field(default=None, repr=False, compare=False)
    """What ``diff`` said, with its report, where the case was run."""


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
        if failed.kind != "error":
            return _failed(case, failed)
        refused = str(failed)
    if bool(refused) is (case.expect.kind in REJECTIONS):
        return Judged(case, "passed")
    return Judged(case, "refused", refused) if refused else Judged(case, "failed", "it accepts the module")


def _failed(case: Case, failed: ImplementationFailed) -> Judged:
    return Judged(case, *_said(failures.failed(failed)))


def _runs(case: Case, checked: CheckedModule, implementation: Any) -> Judged:
    args = [data.to_value(each) for each in case.args]
    verdict = diff(checked, case.entry or "main", args, implementation, externs=LIBRARY)
    return Judged(case, *_said(verdict), verdict)


REFUSALS = ("refused",)
"""Kinds of divergence of which no wrong result comes."""


def _said(verdict: Verdict) -> tuple[Word, str]:
    match verdict:
        case Divergence(kind=kind, message=message) if kind in REFUSALS:
            return "refused", message
        case Divergence(binding=binding, message=message):
            return "failed", f"{binding}: {message}".lstrip(": ")
        case Agreement():
            return "passed", ""
        case NoVerdict(why=why, reason="fault"):
            return "not judged", why
        case NoVerdict(why=why):
            words: dict[str, Word] = {"OPEN": "excluded", "UNDECIDED": "undecided"}
            return words.get(verdict.word, "unsupported"), why
