"""The rules nearest to a sentence of the spec that no rule says: those of the place where it stands."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from refrelax.conformance import spec_text
from refrelax.conformance.tie import Tie

MOST_RULES = 4
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


def stem(word: str) -> str:
    """A word without the ending of a plural or a participle."""
    ending = next((each for each in ("ing", "es", "ed", "s") if word.endswith(each) and len(word) > len(each) + 3), "")
    return word.removesuffix(ending)


def stems(text: str) -> list[str]:
    """The stems of the words of a text, in order."""
    return [stem(each) for each in re.findall(r"[a-z0-9]+", text.lower())]


def nearest(tie: Tie, what: str) -> list[str]:
    """The rules of the paragraph that holds most of some words, a rare word weighing more.

    Of prose, those that it names and those of its section; of a section without any, those of its chapter, and of a
    chapter without any, those that it names; the nearest first.
    """
    places = _places()
    seen = Counter(each for place in places for each in place.stems)
    weights = {each: math.log(len(places) / seen[each]) for each in set(stems(what)) if seen[each]}
    unknown = len(set(stems(what))) - len(weights)
    whole = sum(weights.values()) + unknown * math.log(len(places))
    best = max(places, key=lambda place: sum(weights.get(each, 0.0) for each in place.stems), default=None)
    if best is None or not whole or sum(weights.get(each, 0.0) for each in best.stems) < SHARE * whole:
        return []
    there = [rule for rule, p in tie.defined.items() if p.file == best.file]
    own = [rule for rule in there if _section(best.file, tie.defined[rule].line) == best.section]
    found = sorted(own or there, key=lambda rule: abs(tie.defined[rule].line - best.line)) or _mentioned(best, places)
    named = [each for each in best.ids if each in tie.defined]
    here = [each for each in named if tie.defined[each].file == best.file]
    return [each for each in dict.fromkeys((*here, *found, *named)) if each in tie.defined][:MOST_RULES]


def _mentioned(best: Place, places: Sequence[Place]) -> list[str]:
    """What the paragraphs of a chapter name, the nearest first."""
    own = sorted((each for each in places if each.file == best.file), key=lambda each: abs(each.line - best.line))
    return [rule for each in own for rule in each.ids]


@cache
def _places() -> tuple[Place, ...]:
    return tuple(
        each
        for path in spec_text.chapters()
        for each in _of(path.relative_to(spec_text.spec_directory().parent).as_posix())
    )


def _of(file: str) -> Iterator[Place]:
    """The paragraphs of a chapter."""
    section, first, held = 0, 0, list[str]()
    lines = (spec_text.spec_directory().parent / file).read_text("utf-8").splitlines()
    for number, line in enumerate([*lines, ""], 1):
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
