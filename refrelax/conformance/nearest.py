"""The rules nearest to a sentence of the spec that no rule says: those of the place where it stands."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator
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


def stem(word: str) -> str:
    """A word without the ending of a plural or a participle."""
    ending = next((each for each in ("ing", "es", "ed", "s") if word.endswith(each) and len(word) > len(each) + 3), "")
    return word.removesuffix(ending)


def stems(text: str) -> list[str]:
    """The stems of the words of a text, in order."""
    return [stem(each) for each in re.findall(r"[a-z0-9]+", text.lower())]


def nearest(tie: Tie, what: str) -> list[str]:
    """The rules of the paragraph that holds most of some words, a rare word weighing more.

    Of prose, those of its section; of a section without any, those of its chapter; the nearest first.
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
    return sorted(own or there, key=lambda rule: abs(tie.defined[rule].line - best.line))[:MOST_RULES]


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
            yield Place(file, first, section, frozenset(stems(" ".join(held))))
        first, held = 0, []
        if line.strip():
            yield Place(file, number, section, frozenset(stems(line)))


@cache
def _headings(file: str) -> tuple[int, ...]:
    return tuple(sorted({place.section for place in _of(file)}))


def _section(file: str, line: int) -> int:
    """The heading that a line stands under."""
    return max((each for each in _headings(file) if each <= line), default=0)
