"""One call, several versions of an implementation: since when it diverges, and until when."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

GOOD = frozenset({"AGREE", "NONE"})
BAD = frozenset({"DIVERGE", "FOUND"})


@dataclass(frozen=True, slots=True)
class Told:
    """What was found of one version: a verdict's word, and what it says."""

    version: str
    word: str
    says: str = ""

    @property
    def order(self) -> tuple[int, ...]:
        """For sorting: ``0.27.0.post1`` comes after ``0.27.0`` and before ``0.28``."""
        return tuple(int(each) for each in re.findall(r"\d+", self.version))


def history(told: Sequence[Told]) -> str:
    """``since 0.26.0 (0.25.0 is right), still in 0.27.0``; nothing where no version, or only one, was asked and erred.

    Versions without a verdict settle nothing: they are named where they stand at an edge.
    """
    rows = sorted(told, key=lambda each: each.order)
    bad = [k for k, each in enumerate(rows) if each.word in BAD]
    if not bad or len(rows) < 2:
        return ""
    if any(not each.order for each in rows):  # no versions of one thing
        return ", ".join(f"not in {each.version}" for each in rows if each.word in GOOD)
    before, after = rows[: bad[0]], rows[bad[-1] + 1 :]
    first, last = rows[bad[0]].version, rows[bad[-1]].version
    between = [each.version for each in rows[bad[0] : bad[-1]] if each.word in GOOD]
    words = [_edge(f"since {first}", f"in {first}, the oldest asked", before[::-1])]
    words.append(_edge(f"last in {last}", f"still in {last}", after))
    return ", ".join([*words, *[f"not in {each}" for each in between]])


def _edge(known: str, at_the_end: str, beyond: Sequence[Told]) -> str:
    """What is said of an edge: the nearest version beyond it that is right, if there is one."""
    good = next((each.version for each in beyond if each.word in GOOD), None)
    if good is not None:
        return f"{known} ({good} is right)"
    if beyond:
        return f"{known} (no verdict on {', '.join(each.version for each in beyond)})"
    return at_the_end
