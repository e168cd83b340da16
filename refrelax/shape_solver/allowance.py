"""What one question may still spend, over all its stages: counted, so that it is the same on every machine.

Its unit is one resource unit of Z3, which counts every step of Z3's own search; the other work of a question is
converted at rates that were measured once. A clock has no part in it, but for Z3's loops that count nothing
(``z3_.STOPPED``): a solve that was stopped counts as what it was given and ``LOOP``, and where all solves of a question
together take longer than the units of all should, on a machine that is slow, nothing more is asked of Z3.

Spec: ``spec/06-shapes.md``, ``sh/prove``.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

NODES = 4
"""Nodes evaluated at points that cost one unit."""

CARRIES = 3
"""Bits of carries that cost one unit."""

BUILT = 80
"""What it costs to hand one node of a formula to Z3."""

ASKED = 5_000
"""What it costs to ask another question on the way, one of up to fifty nodes."""

FORM = 60
"""What one node of a question costs that is opened, split or digested once more."""

RANGE = 170
"""What one node of a part costs whose range is looked for: parts stand in parts, and each is asked about."""

LOG = 250_000
"""What the search for a log may cost (``prooflog.elaborate.FIRST``)."""

LOOP = 1_000_000

SLOWEST = 4_000
"""Units that Z3 takes in a millisecond of a processor as those of today, up to three times slower where others
use them as well (``z3_.patience``)."""

SLACK = 2
"""How many times longer than that all units of a question may take: units decide what is found, and a clock that stops
near what they take would decide otherwise on a slower machine."""

KEPT = 800_000
"""What Z3 leaves to the stages after it: a log, and many points."""

FEWEST = 20_000
"""Units with which Z3 is not asked at all."""


SPENT = "the work allowed to one question is spent"

MAX_EVALUATED = 4_000_000
"""Nodes that one question may evaluate, all points together."""


class NothingLeft(Exception):
    """A stage wants to ask another question, and none can be paid for."""


@dataclass(slots=True)
class Allowance:
    """``left`` units, and ``nodes`` to be evaluated."""

    left: int
    nodes: int = MAX_EVALUATED
    short: bool = False
    """Whether some stage was given less than it asked for."""
    milliseconds: float = inf
    """Of the processor's time, for Z3."""
    grew: bool = False
    """Whether bounds grew without end when Z3 looked at a part of the question."""

    def share(self, wanted: int, kept: int = 0) -> int:
        """As much of ``wanted`` as there is, but for what is ``kept`` for others."""
        found = max(0, min(wanted, self.left - kept))
        self.short = self.short or found < wanted
        return found

    def spend(self, units: int) -> None:
        self.left -= units

    def has(self, units: int) -> bool:
        """Whether so many are left; a stage that asks for them is not looked at otherwise."""
        self.short = self.short or self.left < units
        return self.left >= units

    def points(self, wanted: int, size: int) -> int:
        """At how many points, of ``wanted``, a question of ``size`` nodes may be evaluated; they are paid for."""
        found = max(0, min(wanted, self.nodes // size, self.left * NODES // size))
        self.short = self.short or found < wanted
        self.nodes -= found * size
        self.left -= found * size // NODES
        return found
