"""The normative text as data: the paragraphs that define rules, and the examples that say their outcome.

A rule's paragraph begins with its id in bold code, **`area/what-it-says`**, and ends at the next blank line or rule.
An example is a fenced block of ``tvmscript``, and has a line ``# expect: …`` (see ``refrelax.conformance.cases``).

Spec: ``spec/01-conformance.md``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from posixpath import dirname, normpath

ID = r"[a-z][a-z0-9_.]*/[a-z0-9-]+"
_DEFINITION = re.compile(rf"^\s*(?:[-*] +|\d+\. +|> *)?\*\*`({ID})`\*\*")
_MENTION = re.compile(rf"`({ID})`(?:\]\(([^)#\s]+\.md)\))?")
_FENCE = re.compile(r"^\s*(`{3,}|~{3,})\s*(\w*)")


@dataclass(frozen=True, slots=True)
class Paragraph:
    """The prose that defines one rule, and where it stands."""

    rule: str
    text: str
    file: str
    line: int

    @property
    def place(self) -> str:
        return f"{self.file}:{self.line}"


@dataclass(frozen=True, slots=True)
class Example:
    """A fenced block of the spec that states its outcome."""

    text: str
    file: str
    line: int
    heading: str = ""
    """The heading that it stands under, such as ``relax.add``."""
    language: str = "tvmscript"
    """The word behind the fence; a case is of ``tvmscript`` only."""


@dataclass(frozen=True, slots=True)
class Mention:
    """A place of the text that names what reads as a rule, and the page that it is a link to (empty: none)."""

    rule: str
    link: str
    file: str
    line: int

    @property
    def place(self) -> str:
        return f"{self.file}:{self.line}"


def spec_directory() -> Path:
    """The folder of the normative text: inside an installed package, or beside the package in a checkout.

    Raises:
        FileNotFoundError: neither is there.
    """
    package = Path(__file__).resolve().parents[1]
    for candidate in (package / "spec", package.parent / "spec"):
        if candidate.is_dir():
            return candidate
    raise FileNotFoundError("the spec is neither in the package nor beside it")


def chapters(directory: Path | None = None) -> list[Path]:
    """Every Markdown file of the spec, in reading order."""
    return sorted((directory or spec_directory()).rglob("*.md"))


def paragraphs(directory: Path | None = None) -> list[Paragraph]:
    """Every definition of a rule, in reading order; a rule defined twice appears twice."""
    root = directory or spec_directory()
    return [each for path in chapters(root) for each in _paragraphs(path, _name(path, root))]


@cache
def defined() -> Mapping[str, Paragraph]:
    """The first definition of each rule, in reading order; read once in a process."""
    found: dict[str, Paragraph] = {}
    for each in paragraphs():
        found.setdefault(each.rule, each)
    return found


@cache
def areas() -> frozenset[str]:
    """The parts of ids before the slash."""
    return frozenset(rule.split("/")[0] for rule in defined())


@cache
def operators() -> Mapping[str, str]:
    """Every operator that a page of ``ops/`` has a section of, and that page (``binary``)."""
    pages = sorted((spec_directory() / "ops").glob("*.md"))
    heads = re.compile(r"^## (relax\.\S+)$", re.MULTILINE)
    return {name: path.stem for path in pages for name in heads.findall(path.read_text(encoding="utf-8"))}


def examples(directory: Path | None = None) -> list[Example]:
    """Every example that states its outcome, in reading order."""
    root = directory or spec_directory()
    return [each for path in chapters(root) for each in _examples(path, _name(path, root))]


def mentions(directory: Path | None = None) -> list[Mention]:
    """Every place that names what reads as a rule, in reading order; a link as a path from the folder of the spec."""
    root = directory or spec_directory()
    return [each for path in chapters(root) for each in _mentions(path, _name(path, root))]


def _mentions(path: Path, name: str) -> Iterator[Mention]:
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        for rule, link in _MENTION.findall(line):
            yield Mention(rule, normpath(f"{dirname(name)}/{link}") if link else "", name, number)


def following(paragraph: Paragraph, directory: Path | None = None) -> str:
    """The table, list or block that a paragraph ending in a colon announces; nothing after any other."""
    if not paragraph.text.endswith(":"):
        return ""
    root = directory or spec_directory()
    lines = (root.parent / paragraph.file).read_text(encoding="utf-8").splitlines()
    found, fenced = list[str](), False
    for line in lines[paragraph.line - 1 + paragraph.text.count("\n") + 1 :]:
        fenced ^= bool(_FENCE.match(line))
        if not line.strip() and not fenced and found:
            break
        if _DEFINITION.match(line) or line.startswith("#"):
            break
        if line.strip() or fenced:
            found.append(line)
    return "\n".join(found)


def section(file: str, heading: str, directory: Path | None = None) -> dict[str, str]:
    """Of a page of operators, what stands under a heading: its made parts by name (``meaning``, ``formula``)."""
    root = directory or spec_directory()
    text = (root / "ops" / f"{file.removesuffix('.md')}.md").read_text(encoding="utf-8")
    _, _, rest = text.partition(f"\n## {heading}\n")
    rest = re.split(r"^## ", rest, maxsplit=1, flags=re.MULTILINE)[0]
    return {name: part.strip() for name, part in re.findall(r"<!-- made: (\w+) -->\n(.*?)<!-- /made -->", rest, re.S)}


def glossary(directory: Path | None = None) -> dict[str, str]:
    """The words of the reading guide and what they mean."""
    text = ((directory or spec_directory()) / "00-reading-guide.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (\*.+?) \| (.+) \|$", text.partition("## Words\n")[2], re.MULTILINE)
    return {word.replace("*", "").strip(): meaning for words, meaning in rows for word in words.split(", ")}


def rooms(file: str, directory: Path | None = None) -> tuple[str, ...]:
    """Where the code of a chapter (``spec/13-backends.md``) is, after the table of the reading guide."""
    text = ((directory or spec_directory()) / "00-reading-guide.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (\d\d .+?) \| (.+?) \| (.+?) \|$", text, re.MULTILINE)
    number = Path(file).name.partition("-")[0]
    found = [code for title, says, code in rows if re.search(rf"\b{number}\b", f"{title} {says}")]
    return tuple(re.findall(r"`([\w/]+(?:/|\.py))`", "".join(found)))


def words_of_others(directory: Path | None = None) -> dict[str, list[str]]:
    """What other texts call something, by the rules that say it here (the last table of the reading guide)."""
    text = ((directory or spec_directory()) / "00-reading-guide.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ([a-z][^`|]*) \| (`.+`) \|$", text.partition("## Words of others")[2], re.MULTILINE)
    return {word: _NAMED.findall(rules) for words, rules in rows for word in words.split(", ")}


_ROW = re.compile(r"^\| `(\w+)` \| (.+?) \|$")
_NAMED = re.compile(r"`([a-z][\w.]*/[\w-]+)`")


@dataclass(frozen=True, slots=True)
class Intrinsic:
    """A row of chapter 07b: what it says, where it stands, the rules that it and then its section name."""

    said: str
    place: str
    rules: tuple[str, ...]


def intrinsics(directory: Path | None = None) -> dict[str, Intrinsic]:
    """The rows of the tables of intrinsics by name (``exp``); more columns are called as the head calls them."""
    root = directory or spec_directory()
    path = root / "07b-intrinsics.md"
    found: dict[str, Intrinsic] = {}
    before, columns = list[str](), list[str]()
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        row = _ROW.match(line)
        if line.startswith("| name |"):
            columns = [each.strip() for each in line.split("|")[3:-1]]
        if line.startswith("## "):
            before = []
        elif row is None:
            before += _NAMED.findall(line)
        else:
            meaning, *more = (each.strip() for each in row[2].split("|"))
            said = "; ".join([meaning, *(f"{k} {v}" for k, v in zip(columns, more, strict=True) if v)])
            rules = dict.fromkeys((*_NAMED.findall(row[2]), *before, "ev/intrinsic"))
            found[row[1]] = Intrinsic(said, f"{_name(path, root)}:{number}", tuple(rules))
    return found


def _name(path: Path, root: Path) -> str:
    return f"spec/{path.relative_to(root).as_posix()}"


def _paragraphs(path: Path, name: str) -> Iterator[Paragraph]:
    rule, start, lines, fenced = "", 0, list[str](), False
    for number, line in enumerate([*path.read_text(encoding="utf-8").splitlines(), ""], 1):
        fenced ^= bool(_FENCE.match(line))
        found = None if fenced else _DEFINITION.match(line)
        if rule and (found or not line.strip() or fenced):
            yield Paragraph(rule, "\n".join(lines), name, start)
            rule = ""
        if found:
            rule, start, lines = found.group(1), number, []
        if rule:
            lines.append(line.strip())


def _examples(path: Path, name: str) -> Iterator[Example]:
    language, heading, start, lines = "", "", 0, list[str]()
    inside = False
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        fence = _FENCE.match(line)
        if fence and not inside:
            inside, language, start, lines = True, fence.group(2), number + 1, []
        elif fence:
            inside = False
            text = "\n".join(lines) + "\n"
            if language == "tvmscript" or re.search(r"^\s*# expect:", text, re.MULTILINE):
                yield Example(text, name, start, heading, language)
        elif inside:
            lines.append(line)
        elif line.startswith("#"):
            heading = line.lstrip("#").strip()
