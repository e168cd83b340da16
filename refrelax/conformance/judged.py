"""The suite on somebody else's implementation.

A case is a program and a call; what the implementation does with it is judged as ``diff`` judges: it must be among the
outcomes that the definition permits. What the definition leaves open is excluded, what the implementation does not have
is counted apart, and neither is a pass.

Spec: ``spec/01-conformance.md``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Literal

from refrelax import api
from refrelax.conformance import data
from refrelax.conformance.ahead import MANY, Given, ask
from refrelax.conformance.cases import REJECTIONS, Case, load
from refrelax.conformance.library import LIBRARY
from refrelax.errors import Rejection
from refrelax.interop.names import implementation_of
from refrelax.judge import failures
from refrelax.judge.diff import diff
from refrelax.judge.implementation import ImplementationFailed
from refrelax.judge.verdicts import Agreement, Divergence, NoVerdict, Verdict
from refrelax.semantics.types.checked import CheckedModule
from refrelax.semantics.types.wellformed.heads import contracts_of
from refrelax.syntax.module import Module

Word = Literal["passed", "failed", "refused", "undecided", "excluded", "unsupported", "not judged"]

WORDS: dict[Word, str] = {
    "passed": "among the permitted outcomes, or refused where the text refuses",
    "failed": "something that the definition does not permit, a crash, or an accepted module that the text refuses",
    "refused": "a module that the text accepts is not taken, and nothing is run",
    "undecided": "the permitted set is too wide to tell, or a claim is answered by unknown",
    "excluded": "the definition leaves the run open, or every element of the result, or says too little of it to tell",
    "unsupported": "the implementation says that it has no such thing, or cannot be started",
    "not judged": "nothing is run, and its check(module) is missing or tells nothing apart; it hangs on all around; or "
    "refrelax itself fails",
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


def judge_cases(cases: Iterable[Case], implementation: Any) -> Iterator[Judged]:
    """Every portable case, one after the other; asked in groups where the implementation takes many programs."""
    judge, listed = Judge(implementation), [case for case in cases if case.portable]
    for start in range(0, len(listed), MANY):
        group = listed[start : start + MANY]
        judge.ask_ahead(group)
        yield from map(judge, group)


def judge_case(case: Case, implementation: Any) -> Judged:
    """One case. ``implementation`` is what ``rr.diff`` takes: a backend's name, or an ``Implementation``."""
    return Judge(implementation)(case)


class Judge:
    """Judges cases on one implementation, and remembers which modules it refuses."""

    def __init__(self, implementation: Any) -> None:
        self.implementation = implementation_of(implementation)
        self.check = None if isinstance(implementation, str) else getattr(implementation, "check", None)
        self.answers: dict[tuple[str, int], str | ImplementationFailed] = {}
        self.beside: dict[tuple[tuple[str, ...], bool], bool] = {}
        self.ahead: dict[str, Given] = {}

    def ask_ahead(self, cases: Iterable[Case]) -> None:
        """Ask for the runs of these cases at once, if the implementation takes many programs."""
        if hasattr(self.implementation, "run_many"):
            self.ahead = ask(self.implementation, cases, read)

    def __call__(self, case: Case) -> Judged:
        try:
            module = read(case)
        except Rejection:
            return Judged(case, "not judged", "the text gives no module")
        if case.entry is None or case.expect.kind in REJECTIONS:
            return self.accepts(case)
        checked = api.check(module)
        given = self.ahead.pop(case.name, None)
        if given is not None and ((judged := _runs(case, checked, given)).word == "passed" or given.settled):
            return judged
        return _runs(case, checked, self.implementation)

    def accepts(self, case: Case) -> Judged:
        """Whether the implementation refuses what the text refuses, and nothing else."""
        if self.check is None:
            return Judged(case, "not judged", "nothing is run, and the implementation has no check(module)")
        if case.expect.kind == "Unlinkable":
            return Judged(case, "not judged", "what is linked is ours: the implementation is not asked")
        answer = self.answer(case)
        if isinstance(answer, ImplementationFailed):
            return _failed(case, answer)
        refuses = case.expect.kind in REJECTIONS
        if bool(answer) is not refuses:
            return Judged(case, "refused", answer) if answer else Judged(case, "failed", "it accepts the module")
        if self.tells_apart(case, refuses):
            return Judged(case, "passed")
        does = "accepts no module that keeps" if refuses else "refuses no module that breaks"
        return Judged(case, "not judged", f"it {does} {case.rule}, so its answer here says nothing")

    def answer(self, case: Case) -> str | ImplementationFailed:
        """Why the implementation refuses the module of a case; empty if it does not."""
        key = (case.name, case.line)
        if key not in self.answers:
            self.answers[key] = self._asked(case)
        return self.answers[key]

    def _asked(self, case: Case) -> str | ImplementationFailed:
        assert self.check is not None
        try:
            self.check(read(case))
        except Rejection as rejection:
            return str(rejection) or type(rejection).__name__
        except ImplementationFailed as failed:
            return str(failed) if failed.kind in ("unread", "refused") else failed
        return ""

    def tells_apart(self, case: Case, refuses: bool) -> bool:
        """Whether the implementation gives the other answer, rightly, on a case of the same rule; where the suite has
        none, on a case of the same area; where it has none either, on any case."""
        partners = next(filter(None, (found.get(not refuses, ()) for found in _partners(str(case.rule)))), ())
        key = (tuple(each.name for each in partners), refuses)
        if key not in self.beside:
            answers = map(self.answer, partners)
            self.beside[key] = any(isinstance(each, str) and bool(each) is not refuses for each in answers)
        return self.beside[key]


def read(case: Case) -> Module:
    """The module of a case, its constants bound. Raises ``Malformed``."""
    module = api.parse(case.module, filename=case.place)
    return api.bind_constants(module, dict(enumerate(map(data.to_value, case.constants))))


@cache
def _partners(rule: str) -> tuple[dict[bool, tuple[Case, ...]], ...]:
    """Cases whose module is refused (``True``) or accepted, by rule, by the area of the rule, and all."""
    kinds = {True: ("IllFormed", "IllTyped"), False: ("accepts", "Returned")}
    portable = [case for case in load() if case.portable]
    areas = ("", f"{rule.partition('/')[0]}/", None)
    found = []
    for area in areas:
        of = [c for c in portable if area is None or (c.rule == rule if not area else str(c.rule).startswith(area))]
        found.append({refuses: tuple(c for c in of if c.expect.kind in kinds[refuses]) for refuses in kinds})
    return tuple(found)


def _failed(case: Case, failed: ImplementationFailed) -> Judged:
    return Judged(case, *_said(failures.failed(failed)))


def _runs(case: Case, checked: CheckedModule, implementation: Any) -> Judged:
    args = [data.to_value(each) for each in case.args]
    contracts = contracts_of(checked.module)  # what the module itself says of a function is no library's of ours
    externs = {name: function for name, function in LIBRARY.items() if name not in contracts}
    verdict = diff(checked, case.entry or "main", args, implementation, externs=externs)
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
        case NoVerdict(why=why, reason=reason):
            return WORDS_OF.get(reason, "unsupported"), why


WORDS_OF: dict[str, Word] = {
    "open": "excluded", "undecided": "undecided", "unread": "refused", "fault": "not judged",
}  # fmt: skip
"""What a run without a verdict says of a case. Its text is the language's own: not to read it is to refuse it."""
