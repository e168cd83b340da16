"""Run cases: against the definition, or against anybody's implementation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from refrelax import api
from refrelax.arrays import Tensor
from refrelax.conformance import data
from refrelax.conformance.cases import Case, Expectation
from refrelax.conformance.fired import Fired, observing
from refrelax.conformance.implementation import Implementation, ImplementationFailed
from refrelax.conformance.library import LIBRARY
from refrelax.errors import Exhausted, Outcome, Rejection, Returned, Trapped, Unspecified
from refrelax.judge.bindings import judge_value
from refrelax.semantics.numbers.verdicts import Outside


@dataclass(frozen=True, slots=True)
class Result:
    """How a case went. ``reason`` is empty if it passed; ``rules`` are the rules of the outcome; ``fired`` all seen."""

    case: Case
    found: str
    reason: str = ""
    rules: tuple[str, ...] = ()
    fired: Fired = field(default_factory=Fired)

    @property
    def passed(self) -> bool:
        return not self.reason


def run_case(case: Case, implementation: Implementation | None = None, observe: bool = False) -> Result:
    """Run one case against the definition (or ``implementation``) and compare with what it expects."""
    if not observe:
        return _compare(case, _outcome(case, implementation))
    with observing() as fired:
        ended = _outcome(case, implementation)
        law = _enclosed(case, ended) if implementation is None and isinstance(ended, Returned) else ""
    result = _compare(case, ended)
    return Result(case, result.found, result.reason or law, result.rules, fired)


def _enclosed(case: Case, ended: Returned) -> str:
    """The law ``ieee ∈ enclosure`` on this case: empty if it holds."""
    permitted = _outcome(case, None, "enclosure")
    if not isinstance(permitted, Returned):
        # an interval that decides control or an index leaves the run undetermined: no statement
        undetermined = isinstance(permitted, Unspecified) and permitted.rule == "num/undetermined"
        return "" if undetermined else f"returns under ieee, under enclosure {describe(permitted)[0]}"
    verdict, _excluded = judge_value(_core(permitted.value), ended.value)
    return f"the ieee result is outside the enclosure: {verdict}" if isinstance(verdict, Outside) else ""


def _core(value: Any) -> Any:
    """A surface value as the judge takes it."""
    if isinstance(value, tuple):
        return tuple(_core(each) for each in value)
    return value.core if isinstance(value, Tensor) else value


def run_cases(
    cases: Iterable[Case], implementation: Implementation | None = None, observe: bool = False
) -> Iterator[Result]:
    """Run cases one after the other."""
    for case in cases:
        yield run_case(case, implementation, observe)


Ended = Rejection | Outcome | ImplementationFailed | None
"""How a case ended; ``None``: accepted and not run."""


def _outcome(case: Case, implementation: Implementation | None, numerics: str = "ieee") -> Ended:
    try:
        module = api.parse(case.module, filename=case.place)
        if case.constants:
            module = api.bind_constants(module, dict(enumerate(map(data.to_value, case.constants))))
        checked = api.check(module)
        if case.entry is None:
            return None
        args = [data.to_value(each) for each in case.args]
        if implementation is not None:
            return implementation.run(module, case.entry, args)
        return api.run(checked, case.entry, *args, externs=LIBRARY)
    except (Rejection, ImplementationFailed) as refused:
        return refused


def _compare(case: Case, ended: Ended) -> Result:
    found, rules = describe(ended)
    reason = _mismatch(case.expect, ended, rules)
    if reason is None and isinstance(ended, Returned) and case.value is not None:
        reason = data.difference(case.value, ended.value)
    return Result(case, found, reason or "", rules)


def describe(ended: Ended) -> tuple[str, tuple[str, ...]]:
    """An end in words, and the rules that it names."""
    match ended:
        case None:
            return "accepts", ()
        case Rejection():
            rules = tuple(d.rule for d in ended.diagnostics)
            return f"{type(ended).__name__} {' '.join(rules)}", rules
        case Returned(poison=poison):
            return "Returned", tuple(rule for _path, rule in poison)
        case Trapped(rule) | Unspecified(rule):
            return f"{type(ended).__name__} {rule}", (rule,)
        case Exhausted(what):
            return f"Exhausted {what}", ()
        case ImplementationFailed():
            return str(ended), ()


def _mismatch(expect: Expectation, ended: Ended, rules: tuple[str, ...]) -> str | None:
    kind = "accepts" if ended is None else type(ended).__name__
    detail = f": {ended}" if isinstance(ended, Rejection) else f": {_message(ended)}"
    if kind != expect.kind:
        return f"expected {expect}, found {describe(ended)[0]}{detail.rstrip(': ')}"
    if kind != "accepts" and expect.rule is not None and expect.rule not in rules:
        return f"expected {expect}, found {describe(ended)[0]}{detail.rstrip(': ')}"
    return None


def _message(ended: Any) -> str:
    return str(getattr(ended, "message", ""))
