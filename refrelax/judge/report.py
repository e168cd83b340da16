"""What every answer of the judge reports: what was compared, what was not, and on what the answer rests.

A verdict's word is derived from the counts here, never the other way round: nothing compared is no agreement, and what
the reference leaves open is named with the rule and the binding it comes from.

Spec: ``spec/01-conformance.md``, *Reports*.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from refrelax.errors import Span
from refrelax.notebook import table
from refrelax.semantics.numbers.verdicts import Counts

EXIT: dict[str, int] = {
    "AGREE": 0, "PROVED": 0, "PROVED-AT": 0, "TESTED": 0, "NONE": 0,
    "DIVERGE": 1, "REFUTED": 1, "FOUND": 1,
    "OPEN": 3, "UNDECIDED": 3, "NO-VERDICT": 3,
}  # fmt: skip
"""Every word that an answer can have, and the exit code of a command that ends with it."""


@dataclass(frozen=True, slots=True)
class Open:
    """Something that the reference leaves open.

    ``binding``: where it arose (``main/lv130``; a function's name for a loop-level entry; empty: not known); ``what``:
    what stands there (``R.take``); ``note``: what happened, in the program's words; ``count``: how many observed
    elements it leaves open, ``None`` for the whole run.
    """

    rule: str
    binding: str = ""
    what: str = ""
    span: Span | None = None
    count: int | None = None
    note: str = ""

    def __str__(self) -> str:
        since = f"open since {self.binding.partition('/')[2] or self.binding}" if self.binding else "open"
        what = f" = {self.what}" if self.what else ""
        note = f", {self.note}" if self.note else ""
        place = f" at {self.span}" if self.span is not None else ""
        return f"{since}{what}{note}{place} [{self.rule}]"

    def row(self) -> dict[str, Any]:
        """For JSON."""
        span = None if self.span is None else str(self.span)
        return {
            "rule": self.rule, "binding": self.binding, "what": self.what, "span": span, "count": self.count,
            "note": self.note,
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class Report:
    """Counts of elements (a value that is no tensor is one), and what they mean.

    ``counts``: of the units that the answer rests on: of the bindings where an implementation shows them and the whole
    is too wide to tell, else of the results. ``refused``: what the other side did not take. ``relaxations``: named
    relaxations (chapter 02) that were used; ``trusts``: what the answer rests on besides the definition;
    ``arguments``: the arguments of the run, to run it again.
    """

    counts: Counts = Counts()
    refused: int = 0
    open: tuple[Open, ...] = ()
    relaxations: tuple[str, ...] = ()
    trusts: tuple[str, ...] = ()
    arguments: tuple[Any, ...] = field(default=(), repr=False)

    @property
    def compared(self) -> int:
        return self.counts.compared

    @property
    def inside(self) -> int:
        return self.counts.inside

    @property
    def outside(self) -> int:
        return self.counts.outside

    @property
    def undecided(self) -> int:
        return self.counts.undecided

    @property
    def excluded(self) -> int:
        return self.counts.excluded

    @property
    def not_judged(self) -> int:
        return self.counts.not_judged

    def row(self) -> dict[str, Any]:
        """For JSON, without the arguments."""
        return {
            "compared": self.compared, "inside": self.inside, "outside": self.outside, "undecided": self.undecided,
            "excluded": self.excluded, "refused": self.refused, "not_judged": self.not_judged,
            "open": [each.row() for each in self.open], "relaxations": list(self.relaxations),
            "trusts": list(self.trusts),
        }  # fmt: skip

    def _repr_html_(self) -> str:
        rows = {**self.row(), "open": "; ".join(map(str, self.open))}
        rows |= {name: "; ".join(map(str, getattr(self, name))) for name in ("relaxations", "trusts")}
        return table("Report", rows.items())

    def notes(self) -> str:
        """What was left out, in words: ``; 3 elements open since lv = R.take [op.take/…]; 2 not judged``."""
        parts = []
        if self.excluded:
            first = f" ({self.open[0]})" if self.open else ""
            parts.append(f"{self.excluded} element{'s' * (self.excluded != 1)} open{first}")
        if self.not_judged:
            parts.append(f"{self.not_judged} not judged")
        if self.relaxations:
            parts.append(f"under {', '.join(self.relaxations)}")
        return "".join(f"; {each}" for each in parts)


NOTHING = Report()
"""Nothing was compared."""
