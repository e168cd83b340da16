"""Where words of the spec stand, and the rules nearest to a sentence that no rule says: those of that place."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from refrelax.conformance import spec_text

MOST_RULES = 4
MOST_SPOTS = 3
ENDINGS = ("ing", "es", "ed", "s")
SHARE = 0.6
"""How much of what the words weigh a paragraph holds; below it nothing is found."""


@dataclass(frozen=True, slots=True)
class Place:
    """A paragraph, or a row of a table: where it begins, and the stems in it."""

    file: str
    line: int
    section: int
    stems: frozenset[str]
    ids: tuple[str, ...] = ()
    """What may be ids of rules in it."""


@cache
def stem(word: str) -> str:
    """A word without the ending of a plural or a participle, and without the letter that it doubled for that."""
    ending = next((each for each in ENDINGS if word.endswith(each) and len(word) > len(each) + 3), "")
    short = word.removesuffix(ending)
    doubled = ending in ("ing", "ed") and short[-1] == short[-2] and short[-1] in "bdgmnprt"
    return short[:-1] if doubled else short


def stems(text: str) -> list[str]:
    """The stems of the words of a text, in order."""
    return [stem(each) for each in re.findall(r"[a-z0-9]+", text.lower())]


def in_a_row(what: str, text: str) -> bool:
    """Whether a text says these words one behind the other, whatever is between them but words."""
    return next(_rows(what, text.lower()), None) is not None


def _rows(what: str, text: str) -> Iterator[int]:
    """Where a text in small letters says these words one behind the other."""
    wanted = stems(what)
    for found in _row(tuple(wanted)).finditer(text) if wanted else ():
        if stems(found[1]) == wanted:  # what has these stems before an ending may have other ones
            yield found.start()


@cache
def _row(wanted: tuple[str, ...]) -> re.Pattern[str]:
    words = (rf"{re.escape(each)}{each[-1]}?(?:{'|'.join(ENDINGS)})?" for each in wanted)
    return re.compile(rf"(?<![a-z0-9])(?=({'[^a-z0-9]+'.join(words)})(?![a-z0-9]))")


def headed(what: str) -> list[str]:
    """The rules under the headings that say these words, one behind the other, in the order of the text."""
    return [
        rule
        for rule, p in spec_text.defined().items()
        if (at := _section(p.file, p.line)) and in_a_row(what, _lines(p.file)[at - 1])
    ]


def nearest(what: str) -> list[str]:
    """The rules of the paragraph that holds most of some words, a rare word weighing more.

    Of prose, those that it names and those of its section; of a section without any, those of its chapter, and of a
    chapter without any, those that it names; the nearest first.
    """
    best = _best(what)
    if best is None:
        return []
    defined = spec_text.defined()
    there = [rule for rule, p in defined.items() if p.file == best.file]
    own = [rule for rule in there if _section(best.file, defined[rule].line) == best.section]
    behind = {rule: defined[rule].line - best.line for rule in own or there}  # what stands behind a rule is its own
    found = sorted(behind, key=lambda rule: (behind[rule] > 0, abs(behind[rule])))
    found = found or _mentioned(best, _places())
    named = [each for each in best.ids if each in defined]
    here = [each for each in named if defined[each].file == best.file]
    return [each for each in dict.fromkeys((*here, *found, *named)) if each in defined][:MOST_RULES]


@cache
def _best(what: str) -> Place | None:
    """The paragraph, or the row, that holds most of some words; ``None`` if each holds too little of them."""
    places = _places()
    seen = Counter(each for place in places for each in place.stems)
    weights = {each: math.log(len(places) / seen[each]) for each in set(stems(what)) if seen[each]}
    unknown = len(set(stems(what))) - len(weights)
    whole = sum(weights.values()) + unknown * math.log(len(places))
    held = [sum(weights[each] for each in weights.keys() & place.stems) for place in places]
    best = places[held.index(max(held))]
    if not whole or max(held) < SHARE * whole:
        return None
    return best


@dataclass(frozen=True, slots=True)
class Spot:
    """Where words stand: ``file:line``, the heading above, and the text from there on, to the end of the next line."""

    place: str
    section: str
    text: str


def spots(what: str) -> tuple[Spot, ...]:
    """Where some words stand in the spec, one behind the other, whatever is between them but words and wherever a line
    ends; if they do so nowhere, the paragraph or row that holds most of them."""
    quoted = [spot for file in _files() for spot in _quoted(file, what)]
    if quoted:
        return tuple(quoted[:MOST_SPOTS])
    best = _best(what)
    return () if best is None else (_spot(best.file, best.line),)


def _quoted(file: str, what: str) -> Iterator[Spot]:
    text = "\n".join(_lines(file)).lower()
    for start in _rows(what, text):
        line = text.count("\n", 0, start) + 1
        yield _spot(file, line, start - text.rfind("\n", 0, start) - 1)


def _spot(file: str, line: int, column: int = 0) -> Spot:
    lines = _lines(file)
    above = next((each.lstrip("# ") for each in reversed(lines[:line]) if each.startswith("#")), "")
    more = lines[line] if line < len(lines) and not lines[line].startswith(("|", "#")) else ""
    return Spot(f"{file}:{line}", above, f"{lines[line - 1][column:]} {more}".strip())


@cache
def _files() -> tuple[str, ...]:
    return tuple(path.relative_to(spec_text.spec_directory().parent).as_posix() for path in spec_text.chapters())


@cache
def _lines(file: str) -> tuple[str, ...]:
    return tuple((spec_text.spec_directory().parent / file).read_text("utf-8").splitlines())


def _mentioned(best: Place, places: Sequence[Place]) -> list[str]:
    """What the paragraphs of a chapter name, the nearest first."""
    own = sorted((each for each in places if each.file == best.file), key=lambda each: abs(each.line - best.line))
    return [rule for each in own for rule in each.ids]


@cache
def _places() -> tuple[Place, ...]:
    return tuple(each for file in _files() for each in _of(file))


def _of(file: str) -> Iterator[Place]:
    """The paragraphs of a chapter."""
    section, first, held = 0, 0, list[str]()
    for number, line in enumerate((*_lines(file), ""), 1):
        if line.startswith("#"):
            section = number
        if line.strip() and not line.startswith(("|", "#")):
            first = first or number
            held.append(line)
            continue
        if held:
            yield _place(file, first, section, " ".join(held))
        first, held = 0, []
        if line.strip():
            yield _place(file, number, section, line)


def _place(file: str, line: int, section: int, text: str) -> Place:
    return Place(file, line, section, frozenset(stems(text)), tuple(re.findall(r"`([a-z][\w.]*/[\w-]+)`", text)))


@cache
def _headings(file: str) -> tuple[int, ...]:
    return tuple(sorted({place.section for place in _of(file)}))


def _section(file: str, line: int) -> int:
    """The heading that a line stands under."""
    return max((each for each in _headings(file) if each <= line), default=0)
