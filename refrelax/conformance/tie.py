"""``refrelax rules check``: the spec, the code and the cases compared in every direction.

The spec defines ids, the code cites them, cases target them and reach them. A *finding* is a place where the three
differ.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cache

from refrelax.conformance import cases as case_files
from refrelax.conformance import chapters, citations, names, pages, spec_text
from refrelax.conformance.cases import Case
from refrelax.conformance.chapters import rule_index
from refrelax.conformance.chapters.held import Otherwise, chapter, fresh
from refrelax.conformance.citations import Citation
from refrelax.conformance.run import Result, run_case
from refrelax.conformance.spec_text import Mention, Paragraph

GROUPS: dict[str, str] = {
    "twice": "defined twice in the spec",
    "dangling": "cited in code, a case or the text, but no paragraph of the spec defines it",
    "unimplemented": "defined in the spec, but no code names it",
    "no-accepting": "can reject, but no case of it is accepted",
    "no-rejecting": "can reject, but no case ends by it",
    "unreached": "no case reaches it",
    "no-case": "no case is about it, and no reason is said why there is none",
    "case": "a case or an example of the spec ends otherwise than it says",
    "page": "an operator's page says otherwise than its definition",
    "name": "a chapter puts in code a word that nothing here has",
    "chapter": "a table, a number or an example of a chapter says otherwise than the definition",
}
"""The kinds of finding, in the order of the report."""


NOT_OF_THE_LANGUAGE: dict[str, str] = {
    "impl/error": "a run through a backend that ended as no program can end: its fault, and a divergence",
}
"""Ids that code names and no paragraph of the spec defines, and what they say."""

WITHOUT_CASE: dict[str, str] = {
    "op.ccl/all-take-part": "a case has one worker; `tests/running/test_workers.py` has several",
    "ty/operator-without-rule": "`syn/unknown-operator` and `syn/json-node` refuse a name that is no operator's",
}
"""Rules that no case can be about, and why; the index says it where the cases would stand."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One place where spec, code and cases differ."""

    group: str
    rule: str
    message: str
    place: str

    def __str__(self) -> str:
        return f"{self.place}: {self.rule}: {self.message}" if self.rule else f"{self.place}: {self.message}"


@dataclass(frozen=True, slots=True)
class TieReport:
    """What ``check`` found, and what it looked at."""

    findings: tuple[Finding, ...]
    rules: int
    cases: int
    examples: int
    reached: dict[str, list[str]] = field(default_factory=dict)
    """Rule to the names of the cases that reach it."""
    ended: dict[str, list[str]] = field(default_factory=dict)
    """Rule to the names of the cases that end by it."""

    @property
    def ok(self) -> bool:
        return not self.findings

    def grouped(self) -> dict[str, list[Finding]]:
        """The findings by group, in the order of ``GROUPS``, empty groups left out."""
        table = {group: [f for f in self.findings if f.group == group] for group in GROUPS}
        return {group: found for group, found in table.items() if found}


@dataclass(frozen=True, slots=True)
class Tie:
    """Spec, code and cases as they stand."""

    prose: tuple[Paragraph, ...]
    code: tuple[Citation, ...]
    cases: tuple[Case, ...]
    examples: tuple[Case, ...]

    @property
    def defined(self) -> dict[str, Paragraph]:
        """The first definition of each rule."""
        return {p.rule: p for p in reversed(self.prose)}

    @property
    def areas(self) -> frozenset[str]:
        """The parts of ids before the slash."""
        return frozenset(p.rule.split("/")[0] for p in self.prose)


@cache
def read() -> Tie:
    """Read the spec, the code and the cases, once in a process.

    Raises:
        BadCase: a case file that is not well written.
        FileNotFoundError: no spec.
    """
    code = tuple(citations.scan(areas=spec_text.areas()))
    return Tie(tuple(spec_text.paragraphs()), code, case_files.load(), case_files.load_examples())


def check(progress: Callable[[str], None] | None = None) -> TieReport:
    """Compare everything with everything, running every case under observation. ``progress`` hears each case's name."""
    tie = read()
    results = []
    for case in (*tie.cases, *tie.examples):
        if progress is not None:
            progress(case.name)
        results.append(run_case(case, observe=True))
    found = compare(tie, results)
    return replace(found, findings=(*found.findings, *of_text(tie)))


def check_text(progress: Callable[[str], None] | None = None) -> TieReport:
    """What can be asked in seconds: all that the text says of the definition and the cases, and its own examples."""
    tie = read()
    results = []
    for case in tie.examples:
        if progress is not None:
            progress(case.name)
        results.append(run_case(case))
    findings = (*_twice(tie), *_dangling(tie), *_unimplemented(tie), *_without_case(tie), *_cases(results))
    return TieReport((*findings, *of_text(tie)), len(tie.defined), 0, len(tie.examples))


def of_text(tie: Tie) -> Iterator[Finding]:
    """What the text says otherwise than the definition, or of what nobody has."""
    yield from mentioned(tie, spec_text.mentions())
    yield from _pages(tie)
    yield from _names()
    yield from _chapters(tie)


def compare(tie: Tie, results: Iterable[Result]) -> TieReport:
    """The findings, given how the cases went."""
    results = list(results)
    reached, ended = _reached(results)
    findings = [
        *_twice(tie),
        *_dangling(tie),
        *_unimplemented(tie),
        *_one_sided(tie, results, ended),
        *_unreached(tie, reached),
        *_without_case(tie),
        *_cases(results),
    ]
    return TieReport(tuple(findings), len(tie.defined), len(tie.cases), len(tie.examples), dict(reached), dict(ended))


def _reached(results: list[Result]) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """Rule to the cases that went through it, and to those that ended by it."""
    reached: dict[str, list[str]] = defaultdict(list)
    ended: dict[str, list[str]] = defaultdict(list)
    for result in results:
        for rule in sorted(result.fired.all.union(result.rules)):
            reached[rule].append(result.case.name)
        for rule in sorted(set(result.rules)):
            ended[rule].append(result.case.name)
    return reached, ended


def _twice(tie: Tie) -> list[Finding]:
    first, found = tie.defined, list[Finding]()
    for p in tie.prose:
        if first[p.rule] is not p:
            found.append(Finding("twice", p.rule, f"already defined at {first[p.rule].place}", p.place))
    return found


def _dangling(tie: Tie) -> list[Finding]:
    defined = tie.defined
    found: dict[str, Finding] = {}
    for c in tie.code:
        if c.rule in NOT_OF_THE_LANGUAGE:
            continue
        if not any(c.names(rule) for rule in defined) if c.dynamic else c.rule not in defined:
            found.setdefault(c.rule, Finding("dangling", c.rule, "no paragraph of the spec defines it", c.place))
    for case in (*tie.cases, *tie.examples):
        for rule in {case.rule, case.expect.rule} - {None}:
            if rule is not None and rule not in defined:
                found.setdefault(rule, Finding("dangling", rule, f"case {case.name} names it", case.place))
    return sorted(found.values(), key=lambda f: f.rule)


def mentioned(tie: Tie, mentions: Iterable[Mention]) -> Iterator[Finding]:
    """Of what the text names: a rule of an area that no paragraph defines, and a link to a page that is not its own."""
    defined = tie.defined
    areas = {rule.split("/")[0] for rule in defined}
    for each in mentions:
        known = defined.get(each.rule)
        if known is None and each.rule.split("/")[0] in areas:
            yield Finding("dangling", each.rule, "the text names it, and no paragraph defines it", each.place)
        elif known is not None and each.link and each.link != known.file:
            yield Finding("dangling", each.rule, f"stands in {known.file}, and is a link to {each.link}", each.place)


def _unimplemented(tie: Tie) -> list[Finding]:
    return [
        Finding("unimplemented", rule, "no code names it", p.place)
        for rule, p in sorted(tie.defined.items())
        if not any(c.names(rule) for c in tie.code)
    ]


def rejecting(tie: Tie) -> dict[str, Citation]:
    """The defined rules that some code rejects by, with the first such place."""
    found: dict[str, Citation] = {}
    defined = tie.defined
    for c in tie.code:
        if c.kind == "rejects":
            for rule in defined if c.dynamic else (c.rule,):
                if rule in defined and c.names(rule):
                    found.setdefault(rule, c)
    return found


def _one_sided(tie: Tie, results: list[Result], ended: Collection[str]) -> list[Finding]:
    accepted = {r.case.rule for r in results if r.case.verdict == "accepts" and r.passed}
    held = {rule for r in results if r.case.verdict == "accepts" for rule in r.fired.held}
    found: list[Finding] = []
    for rule, citation in sorted(rejecting(tie).items()):
        if rule not in accepted | held:
            found.append(Finding("no-accepting", rule, "no case of it is accepted", citation.place))
        if rule not in ended:
            found.append(Finding("no-rejecting", rule, "no case ends by it", citation.place))
    return found


def _unreached(tie: Tie, reached: dict[str, list[str]]) -> list[Finding]:
    rejects = rejecting(tie)
    return [
        Finding("unreached", rule, "no case reaches it", p.place)
        for rule, p in sorted(tie.defined.items())
        if rule not in reached and rule not in rejects
    ]


def about(tie: Tie) -> dict[str, list[Case]]:
    """The cases and examples that are about each rule: that name it as theirs, or name none and end by it."""
    found: dict[str, list[Case]] = defaultdict(list)
    for case in (*tie.cases, *tie.examples):
        if (rule := case.rule or case.expect.rule) is not None:
            found[rule].append(case)
    return found


def _without_case(tie: Tie) -> Iterator[Finding]:
    """A rule that no case is about, without a reason; and a reason of a rule that has one."""
    cases = about(tie)
    for rule, p in sorted(tie.defined.items()):
        if (rule in cases) is (rule in WITHOUT_CASE):
            what = "it is said that there is none, and why" if rule in cases else "and no reason is said"
            yield Finding("no-case", rule, f"{len(cases[rule]) or 'no'} case is about it, {what}", p.place)


def _pages(tie: Tie) -> list[Finding]:
    ends = pages.ends_of((*tie.cases, *tie.examples), tie.code)
    return [Finding("page", each.operator, each.message, each.place) for each in pages.stale(ends)]


def index(tie: Tie) -> str:
    """The index of rules, as its page should be."""
    return rule_index.page(tie.defined, tie.code, about(tie), WITHOUT_CASE)


def _chapters(tie: Tie) -> Iterator[Finding]:
    for each in chapters.unheld():
        yield Finding("chapter", "", f"{each.check}: {each.message}", each.place)
    try:
        fresh(chapter("rules.md"), index(tie))
    except Otherwise as error:
        yield Finding("chapter", "", f"tools/make_rule_index.py writes it otherwise: {error}", "spec/rules.md")


def _names() -> Iterator[Finding]:
    for each in names.unknown():
        yield Finding("name", "", f"expected the name of something, found `{each.word}`", each.place)


def _cases(results: list[Result]) -> list[Finding]:
    return [Finding("case", r.case.name, r.reason, r.case.place) for r in results if not r.passed]
