"""What a page says otherwise than its operator's definition, and how a constraint says that it ends."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from refrelax.conformance.cases import Case
from refrelax.conformance.citations import Citation
from refrelax.conformance.pages.constraints import RULES
from refrelax.conformance.pages.head import common, head
from refrelax.conformance.pages.section import BLOCKS, Section, blocks, sections, trimmed
from refrelax.conformance.spec_text import spec_directory
from refrelax.errors import Rejection
from refrelax.semantics.ops import FAMILIES, IMPURE, OPERATORS

BY_HAND = frozenset({"status.md"})
"""Pages of ``spec/ops`` without blocks: of what is known."""

SHARED = "common.md"
"""The page of what all share: it has constraints, and says by hand how a page reads."""

_BLOCK = re.compile(r"<!-- made: (\w+) -->\n(.*?)<!-- /made -->", re.DOTALL)
_NUMBERED = re.compile(r"^(\d+)\. \*\*`([^`]+)`\*\*.*?(?: \*Ends: ([^*]*)\.\*)?$", re.MULTILINE)
ENDS = ("Malformed", "IllFormed", "IllTyped", "Unlinkable", "Trapped", "Unspecified")


POISONED = "-poison"
"""How the names of cases end that return, with poison where the rule says so."""


@dataclass(frozen=True, slots=True)
class Stale:
    """A place of a page that is not what it is made of."""

    operator: str
    message: str
    file: str
    line: int

    @property
    def place(self) -> str:
        return f"{self.file}:{self.line}"


def _unreached(rule: str) -> str:
    """The end of a rule that no case comes to."""
    return "Unspecified" if "`Unspecified`" in RULES.get(rule, "") else "poison"


def stale(ends: Mapping[str, str], directory: Path | None = None) -> Iterator[Stale]:
    """Every difference between the pages' blocks, and the ends of their constraints, and what they should say."""
    pages = sorted(((directory or spec_directory()) / "ops").glob("*.md"))
    for path in pages:
        if path.name not in BY_HAND:
            yield from stale_page(path.name, path.read_text(encoding="utf-8"), ends)
    yield from _missing(pages)


def stale_page(name: str, text: str, ends: Mapping[str, str]) -> Iterator[Stale]:
    """The differences on one page, of that file name and text."""
    file = f"spec/ops/{name}"
    yield from _constraints(text, file, ends)
    yield from _head(name, text, file, ends)
    if name != SHARED:
        yield from _frame(text, file)
    for each in sections(text):
        row = OPERATORS.get(each.operator)
        if row is None:
            yield Stale(each.operator, "no operator is called so", file, each.line)
        elif f"{row.page}.md" != name:
            yield Stale(each.operator, f"stands on another page than {row.page}", file, each.line)
        else:
            yield from _section(each, file)


def _head(name: str, text: str, file: str, ends: Mapping[str, str]) -> Iterator[Stale]:
    """The family in words, the prose of its constraints, and the links to what is said elsewhere."""
    family = next((each for each in FAMILIES if f"{each.PAGE}.md" == name), None)
    above, constraints, rest = text.partition("## Constraints\n")
    want = common(ends) if name == SHARED else head(family, ends) if family is not None else None
    if want is None:
        yield Stale("", "no family of operators has this page", file, 1)
        return
    start = above.count("\n") if name == SHARED else 0
    found = constraints + rest.partition("\n## ")[0]
    have = (found if name == SHARED else above + found).strip("\n").split("\n")
    if want != have:
        line, message = _first(want, have)
        yield Stale("", message, file, start + line + 1)


def _missing(pages: Iterable[Path]) -> Iterator[Stale]:
    have = {each.operator for path in pages for each in sections(path.read_text(encoding="utf-8"))}
    for name, row in OPERATORS.items():
        if name not in have:
            yield Stale(name, "has no section", f"spec/ops/{row.page}.md", 1)


def _section(s: Section, file: str) -> Iterator[Stale]:
    found = {m.group(1): _told(s, m) for m in _BLOCK.finditer(s.text)}
    try:
        made = {name: trimmed(lines) for name, lines in blocks(s).items() if lines}
    except (Rejection, ValueError) as refused:
        yield Stale(s.operator, f"its example cannot be read: {refused}", file, s.line)
        return
    for name in sorted(made.keys() | found.keys()):
        want, (have, at) = made.get(name, []), found.get(name, ([], 0))
        if want != have:
            line, message = _first(want, have)
            yield Stale(s.operator, f"block {name}: {message}", file, s.line + 1 + at + (line + 2 if have else 0))


_HEADING = re.compile(r"^(#{2,}.*)$", re.MULTILINE)
_KNOWN_HEADING = re.compile(r"## (Constraints|relax\.\S+)\Z")
_CONSTRAINT = re.compile(r"\d+\. \*\*`|Said elsewhere, and counts here: ")
_END = re.compile(r"\*Ends: ")
_FRAMED = re.compile(r"\s*(?:Example:\n\n```tvmscript\n((?:(?!```).)*)```\s*)?\Z", re.DOTALL)


def _frame(text: str, file: str) -> Iterator[Stale]:
    """What a family's page says beside blocks, constraints and examples: after its first words, nothing."""
    plain = re.sub(r"```.*?```", lambda m: re.sub(r"^#", " ", m.group(), flags=re.MULTILINE), text, flags=re.DOTALL)
    for found in _HEADING.finditer(plain):
        if not _KNOWN_HEADING.match(found.group(1)):
            at = text.count("\n", 0, found.start()) + 1
            yield Stale("", f"expected a heading of an operator, found {found.group(1)!r}", file, at)
    first, _, rest = text.partition("\n## Constraints\n")
    for number, line in enumerate(rest.partition("\n## ")[0].splitlines(), first.count("\n") + 3):
        if line and (not _CONSTRAINT.match(line) or len(_END.findall(line)) > 1):
            yield Stale("", f"expected a numbered constraint with one end, found {line[:60]!r}", file, number)
    for each in sections(text):
        yield from _section_frame(each, file)


def _section_frame(s: Section, file: str) -> Iterator[Stale]:
    """Of a section: its blocks once, in their order, then the example, which says how it ends and what it gives."""
    names = [m.group(1) for m in _BLOCK.finditer(s.text)]
    if names != [each for each in BLOCKS if each in names]:
        yield Stale(s.operator, f"expected each block once, in the order {', '.join(BLOCKS)}", file, s.line)
    left = _FRAMED.match(_BLOCK.sub("", s.text))
    if left is None:
        yield Stale(s.operator, "says something beside its blocks and its example", file, s.line)
    elif left.group(1) is not None and not re.search(r"^# expect: ", left.group(1), re.MULTILINE):
        yield Stale(s.operator, "its example does not say how it ends", file, s.line)
    elif left.group(1) is not None and s.operator not in VOID and not re.search(r"^# value: ", left.group(1), re.M):
        yield Stale(s.operator, "its example does not say what it gives", file, s.line)
    elif left.group(1) is not None and s.operator not in IMPURE and not _PURE.search(left.group(1)):
        yield Stale(s.operator, "its example is no pure function with a dataflow block", file, s.line)


_PURE = re.compile(r"^    @R\.function(?!\(pure=False).*^        with R\.dataflow\(\):$", re.MULTILINE | re.DOTALL)

VOID = frozenset({"relax.print", "relax.assert_op", "relax.null_value"})
"""Operators of which an example has no value to say."""


def _told(s: Section, found: re.Match[str]) -> tuple[list[str], int]:
    """The lines of a block, and the line of the section where it begins."""
    return found.group(2).strip("\n").splitlines(), s.text.count("\n", 0, found.start())


def _first(want: list[str], have: list[str]) -> tuple[int, str]:
    """The first difference of two blocks, and the line of what stands there."""
    for tag, i1, i2, j1, j2 in difflib.SequenceMatcher(None, have, want, autojunk=False).get_opcodes():
        if tag != "equal":
            here, there = " / ".join(have[i1:i2]) or "nothing", " / ".join(want[j1:j2]) or "nothing"
            return i1, f"expected {there!r}, found {here!r}"
    return 0, "the lines differ"


def _constraints(text: str, file: str, ends: Mapping[str, str]) -> Iterator[Stale]:
    """Constraints are numbered from 1, and each says how it ends."""
    for number, found in enumerate(_NUMBERED.finditer(text), 1):
        line, rule = text.count("\n", 0, found.start()) + 1, found.group(2)
        if int(found.group(1)) != number:
            yield Stale(rule, f"is constraint {number} of the page, found {found.group(1)}", file, line)
        want, have = ends.get(rule, "no end"), found.group(3) or "no end"
        if want != have:
            yield Stale(rule, f"expected {want!r}, found {have!r}", file, line)


def ends_of(cases: Iterable[Case], code: Iterable[Citation]) -> dict[str, str]:
    """Of each operator's rule how a program or a run that breaks it ends, after its cases; where none ends so, what its
    sentence says, or that it gives poison."""
    cases, found = list(cases), dict[str, set[str]]()
    for case in cases:
        if case.expect.rule is not None and case.expect.kind in ENDS:
            found.setdefault(case.expect.rule, set()).add(case.expect.kind)
    poisons = {c.rule for c in code if c.kind == "opens" and not c.dynamic}
    poisons |= {case.rule for case in cases if case.rule is not None and case.name.endswith(POISONED)}
    return {
        **{rule: _unreached(rule) for rule in poisons - found.keys()},
        **{rule: ", ".join(kind for kind in ENDS if kind in kinds) for rule, kinds in found.items()},
    }
