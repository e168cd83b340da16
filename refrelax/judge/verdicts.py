"""What a comparison says. Each answer carries the ``Report`` that its word is derived from."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from refrelax.errors import Span
from refrelax.judge.report import NOTHING, Report
from refrelax.notebook import Told
from refrelax.semantics.numbers.verdicts import Counts, Inside, Outside, Undecided


@dataclass(frozen=True, slots=True)
class BindingVerdict:
    """One binding, judged on the implementation's own inputs: ``path`` of its function, its name, the operator or call
    that it holds, the worst ``verdict`` of its elements, how many came out how, and its place."""

    path: str
    name: str
    what: str
    verdict: Inside | Outside | Undecided
    counts: Counts = Counts()
    span: Span | None = None
    field: str = ""
    """Of a tuple, the field that the verdict is on: ``1.0``."""
    relaxations: tuple[str, ...] = ()
    """Named relaxations without which it would not be inside."""

    @property
    def place(self) -> str:
        """The name, with the field of a tuple: ``return.1.0``."""
        return f"{self.name}.{self.field}" if self.field else self.name

    @property
    def excluded(self) -> int:
        """Elements that the reference leaves open (poison)."""
        return self.counts.excluded

    @property
    def word(self) -> str:
        """``inside``, ``outside``, ``undecided``, ``open`` (nothing was compared) or ``not judged``."""
        match self.counts, self.verdict:
            case Counts(compared=0, excluded=0), Inside():
                return "not judged"
            case Counts(compared=0, excluded=excluded), _ if excluded:
                return "open"
            case _, verdict:
                return type(verdict).__name__.lower()


@dataclass(frozen=True, slots=True)
class Agreement(Told):
    """The implementation did what the definition permits. ``bindings``: every binding judged, ``results``: the results
    and final arguments of the whole run; ``why`` says what was compared when there were none (two traps)."""

    bindings: tuple[BindingVerdict, ...] = field(default=(), repr=False)
    why: str = ""
    results: tuple[BindingVerdict, ...] = field(default=(), repr=False)
    report: Report = field(default=NOTHING, compare=False)

    word = "AGREE"

    @property
    def relaxations(self) -> tuple[str, ...]:
        return self.report.relaxations

    @property
    def inside(self) -> int:
        """Bindings (or, where none were shown, results) that are inside."""
        return sum(b.word == "inside" for b in self.judged)

    @property
    def undecided(self) -> int:
        """Bindings (or results) whose permitted set is too wide."""
        return sum(b.word == "undecided" for b in self.judged)

    @property
    def judged(self) -> tuple[BindingVerdict, ...]:
        """The bindings, where the implementation showed any, else the results."""
        return self.bindings or self.results

    @property
    def margin(self) -> float:
        """The least margin of a binding that is inside: 0 at the edge of what is permitted, 1 in the middle."""
        found = (b.verdict for b in self.judged if b.word == "inside")
        return min((v.margin for v in found if isinstance(v, Inside)), default=1.0)

    def __str__(self) -> str:
        return f"AGREE  {self.why or self._counted()}{self.report.notes()}"

    def _counted(self) -> str:
        whole = {each.word for each in self.results}
        said = "inside" if whole == {"inside"} else "not outside"
        if not self.bindings:
            return f"{len(self.results)} of {len(self.results)} results inside (least margin {self.margin:.2f})"
        rest = [f"{n} {word}" for word in ("undecided", "open", "not judged") if (n := self._words().count(word))]
        counts = ", ".join([f"{self.inside} of {len(self.bindings)} bindings inside", *rest])
        return f"{counts} (least margin {self.margin:.2f}), the whole {said}"

    def _words(self) -> list[str]:
        return [each.word for each in self.bindings]


Kind = Literal["values", "end", "open", "effects", "crash", "hang", "refused", "error"]
"""How an implementation diverges: a value or the shape of a result; how the run ends; an element that only it leaves
open; effects; it crashed, hung, refused a program that the text accepts, or failed otherwise."""


@dataclass(frozen=True, slots=True)
class Divergence(Told):
    """The implementation did what the definition does not permit; ``binding`` names the first place (empty: the
    whole run), ``detail`` is the implementation's own message, whole."""

    binding: str
    message: str
    bindings: tuple[BindingVerdict, ...] = field(default=(), repr=False)
    kind: Kind = "values"
    detail: str = field(default="", repr=False, compare=False)
    report: Report = field(default=NOTHING, compare=False)
    place: str = field(default="", compare=False)
    """Where in the implementation's sources it refused the program, if it says so."""
    field: str = ""
    """Of a value that is a tuple, the field that diverges: ``1.0``."""

    word = "DIVERGE"

    def __str__(self) -> str:
        return f"DIVERGE  {self.binding or 'the run'}: {self.message}{self.report.notes()}"


Reason = Literal[
    "", "open", "undecided", "budget", "absent", "unread", "unsupported", "lacking", "library", "rejected",
    "interface", "fault",
]  # fmt: skip
"""Why nothing can be said.

``open``: the reference leaves all of it open; ``undecided``: what is permitted is too wide to tell; ``budget``: one
ran out; ``absent``: the implementation did not start; ``unread``: its reader does not take our text; ``unsupported``:
it says that it has no such thing; ``lacking``: *we* have no meaning for a construct; ``library``: a library function or
a constant is missing; ``rejected``: one of the programs is refused; ``interface``: two entries that cannot be compared;
``fault``: a fault of refrelax.
"""


@dataclass(frozen=True, slots=True)
class NoVerdict(Told):
    """Nothing can be said, and why. ``reason`` is one word of ``Reason``; ``detail`` the whole message of whoever
    failed."""

    why: str
    excluded: bool = False
    """Whether the reference itself leaves the run open (a case to exclude and count, not a failure to judge)."""
    reason: Reason = field(default="", compare=False)
    detail: str = field(default="", repr=False, compare=False)
    report: Report = field(default=NOTHING, compare=False)
    bindings: tuple[BindingVerdict, ...] = field(default=(), repr=False, compare=False)
    unproved: str = field(default="", repr=False, compare=False)
    """Of ``validate``: why there is no proof."""

    @property
    def word(self) -> str:
        """``OPEN``, ``UNDECIDED`` or ``NO-VERDICT``."""
        if self.excluded:
            return "OPEN"
        return {"open": "OPEN", "undecided": "UNDECIDED"}.get(self.reason, "NO-VERDICT")

    def __str__(self) -> str:
        reason = f"{self.reason}: " if self.word == "NO-VERDICT" and self.reason else ""
        word = self.word if self.word != "NO-VERDICT" else "NO VERDICT"
        return f"{word}  {reason}{self.why}"


Verdict = Agreement | Divergence | NoVerdict
