"""Run cases against the definition. (``judged`` runs them on anybody's implementation.)"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, cast

from refrelax import api
from refrelax.conformance import data
from refrelax.conformance.cases import SETS, Case, Expectation, Question
from refrelax.conformance.fired import Fired, observing
from refrelax.conformance.library import LIBRARY
from refrelax.errors import Exhausted, Malformed, Outcome, Rejection, Returned, Trapped, Unspecified
from refrelax.judge.bindings import compare, judge_value
from refrelax.judge.evidence import Equivalent, ProvedAt, Tested, Validation, undetermined
from refrelax.judge.outcomes import cores
from refrelax.judge.validate import validate
from refrelax.judge.verdicts import NoVerdict
from refrelax.lower import lower
from refrelax.semantics.numbers.verdicts import Inside, Outside, Undecided
from refrelax.semantics.types.checked import CheckedModule
from refrelax.semantics.types.portable import beyond_required
from refrelax.shape_solver import Answer, Proved, Unknown, parse_dim, prove, remarks, simplify
from refrelax.shape_solver.certificate import NoCertificate
from refrelax.shape_solver.checker.document import examine
from refrelax.shape_solver.claim import Division
from refrelax.shape_solver.descents import document as descents
from refrelax.syntax.json_ import from_json
from refrelax.syntax.module import Module
from refrelax.syntax.write.scalars import expression


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


def run_case(case: Case, observe: bool = False, law: bool = False) -> Result:
    """Run one case and compare with what it expects; by ``law`` (and when observing) also with its enclosure."""
    if not observe:
        ended = _outcome(case)
        result = _compare(case, ended)
        return replace(result, reason=_law(case, ended)) if law and result.passed else result
    with observing() as fired:
        ended = _outcome(case)
        broken = _law(case, ended)
    result = _compare(case, ended)
    return Result(case, result.found, result.reason or broken, result.rules, fired)


def returned(case: Case) -> Returned | None:
    """How a run that is expected to return does so: with its final arguments and effects, which no case writes down."""
    ended = _outcome(case) if case.entry is not None and case.expect.kind == "Returned" else None
    return ended if isinstance(ended, Returned) else None


def _law(case: Case, ended: Ended) -> str:
    lawful = isinstance(ended, Returned) and case.manner.numerics not in SETS
    return _enclosed(case, ended) if lawful and isinstance(ended, Returned) else ""


NO_STATEMENT = ("num/undetermined",)
"""What ``enclosure`` ends by where it says nothing: an interval decides control or an index."""


def _enclosed(case: Case, ended: Returned) -> str:
    """The law ``ieee ∈ enclosure`` (and ``sampled ∈ enclosure``) on this case, and that the enclosure is narrow but
    where the case says otherwise: empty if both hold."""
    permitted = _outcome(replace(case, manner=replace(case.manner, numerics="enclosure")))
    if not isinstance(permitted, Returned):
        undetermined = isinstance(permitted, Unspecified) and permitted.rule in NO_STATEMENT
        return "" if undetermined else f"returns, but under enclosure: {describe(permitted)[0]}"
    verdict, counts, _ = compare(cores(permitted.value), ended.value)
    if isinstance(verdict, Outside):
        return f"the result is outside the enclosure: {verdict}"
    wide, expected = counts.undecided, case.manner.wide
    return "" if wide == expected else f"expected {expected} elements of the enclosure too wide to tell, found {wide}"


def _judged(permitted: Any, value: Any) -> Inside | Outside | Undecided:
    return judge_value(cores(permitted), value)[0]


def run_cases(cases: Iterable[Case], observe: bool = False) -> Iterator[Result]:
    """Run cases one after the other."""
    for case in cases:
        yield run_case(case, observe)


Ended = Rejection | Outcome | Answer | Validation | None
"""How a case ended; ``None``: accepted and not run."""


def _outcome(case: Case) -> Ended:
    try:
        if case.question is not None:
            return _answer(case.question)
        checked = api.check(_read(case))
        if case.second is not None:
            second = api.parse(case.second, filename=case.place)
            manner = case.manner
            entry = case.entry or "main"
            relax, correspond = manner.relax, manner.correspond
            return _recorded(validate(checked, second, entry, LIBRARY, relax=relax, correspond=correspond, record=True))
        if case.manner.lower is not None:
            checked = _lowered(checked, case.manner.lower)
        if case.entry is None:
            return None if case.remarks is None else _remarked(checked, case.remarks)
        args = [data.to_value(each) for each in case.args]
        numerics, regions = case.manner.numerics, case.manner.check_regions
        return api.run(checked, case.entry, *args, externs=LIBRARY, numerics=numerics, check_regions=regions)
    except Rejection as refused:
        return refused


def _recorded(found: Validation) -> Validation:
    """What ``validate`` says; the record of a proof's descent, where there is one, must not be rejected."""
    if not isinstance(found, Equivalent) or not isinstance(found.evidence.record, dict):
        return found
    wrong = descents.examine(found.evidence.record).rejected
    return undetermined(f"record rejected: {wrong}", "undecided") if wrong else found


def _answer(q: Question) -> Answer:
    """What the shape solver says; the certificate of a proof must not be rejected."""
    if q.becomes is not None:
        short = simplify(q.claim, q.assume)
        if short != parse_dim(q.becomes):
            return Unknown(f"simplifies to {expression(short)}", "simplify")
        return prove(f"({q.claim}) == ({q.becomes})", q.assume)
    answer = prove(q.claim, q.assume, fits=q.fits, division=cast(Division, q.division))
    if isinstance(answer, Proved):
        answer.certificate.smt2()
        try:
            wrong = examine(answer.certificate.document()).rejected
        except NoCertificate:
            return answer
        return Unknown(f"certificate rejected: {wrong}", "certificate") if wrong else answer
    return answer


def _remarked(checked: CheckedModule, expected: tuple[str, ...]) -> Answer | None:
    """Whether the prover's remarks are the expected ones, and last whether the program is not portable."""
    said = tuple(f"{each.equality.name} {each.verdict}" for each in remarks(checked))
    said += ("not portable",) if beyond_required(checked) else ()
    return None if said == expected else Unknown(f"remarks {list(said)}", "remarks")


def _read(case: Case) -> Module:
    if case.json is not None:
        return from_json(case.json)
    module = api.parse(case.module, filename=case.place)
    if case.constants:
        module = api.bind_constants(module, dict(enumerate(map(data.to_value, case.constants))))
    return module


def _lowered(checked: CheckedModule, how: str | tuple[str, ...]) -> CheckedModule:
    return (lower(checked, how) if isinstance(how, str) else lower(checked, passes=how)).module


def _compare(case: Case, ended: Ended) -> Result:
    found, rules = describe(ended)
    reason = _mismatch(case.expect, ended, rules)
    if reason is None and isinstance(ended, Returned):
        reason = _value_difference(case, ended.value)
    return Result(case, found, reason or "", rules)


def _value_difference(case: Case, value: Any) -> str | None:
    """How the value is not what the case says: equal to it, or permitting it and not ``outside``."""
    if case.manner.numerics not in SETS:
        return None if case.value is None else data.difference(case.value, value)
    if case.value is not None and isinstance(found := _judged(value, data.to_value(case.value)), Outside):
        return f"expected {case.value} to be permitted, found {found}"
    if case.manner.outside is not None:
        found = _judged(value, data.to_value(case.manner.outside))
        return None if isinstance(found, Outside) else f"expected {case.manner.outside} to be outside, found {found}"
    return None


def describe(ended: Ended) -> tuple[str, tuple[str, ...]]:
    """An end in words, and the rules that it names."""
    match ended:
        case None:
            return "accepts", ()
        case Rejection():
            rules = tuple(d.rule for d in ended.diagnostics)
            return f"{_kind(ended)} {' '.join(rules)}", rules
        case Returned(poison=poison):
            return "Returned", tuple(rule for _path, rule in poison)
        case Trapped(rule) | Unspecified(rule):
            return f"{type(ended).__name__} {rule}", (rule,)
        case Exhausted(what):
            return f"Exhausted {what}", ()
        case _:
            return _kind(ended), ()


def _kind(ended: Ended) -> str:
    """What an ``Expectation`` calls such an end; of equivalent programs, their evidence."""
    match ended:
        case None:
            return "accepts"
        case Malformed():
            return "Malformed"  # of whatever text
        case Equivalent(evidence=evidence):
            return type(evidence).__name__
        case NoVerdict():
            return "NoVerdict"
        case _:
            return type(ended).__name__


def _mismatch(expect: Expectation, ended: Ended, rules: tuple[str, ...]) -> str | None:
    good = expect.kind == "Equivalent" and isinstance(ended, Equivalent | ProvedAt | Tested)
    kind = "Equivalent" if good else _kind(ended)
    detail = f": {ended}" if isinstance(ended, Rejection) else f": {_message(ended)}"
    if kind != expect.kind:
        return f"expected {expect}, found {describe(ended)[0]}{detail.rstrip(': ')}"
    if isinstance(ended, Unknown) and expect.scope is not None and expect.scope not in ended.scope.names:
        return f"expected {expect}, found one {ended.scope}"
    if kind != "accepts" and expect.rule is not None and expect.rule not in rules:
        return f"expected {expect}, found {describe(ended)[0]}{detail.rstrip(': ')}"
    return None


def _message(ended: Any) -> str:
    return str(getattr(ended, "message", getattr(ended, "why", getattr(ended, "model", ""))))
