"""What a comparison says."""

from __future__ import annotations

from dataclasses import dataclass, field

from refrelax.semantics.numbers.verdicts import Inside, Outside, Undecided


@dataclass(frozen=True, slots=True)
class BindingVerdict:
    """One binding, judged on the implementation's own inputs: ``path`` of its function, its name, the operator or call
    that it holds, and ``verdict``. ``excluded``: elements that the reference leaves open (poison)."""

    path: str
    name: str
    what: str
    verdict: Inside | Outside | Undecided
    excluded: int = 0


@dataclass(frozen=True, slots=True)
class Agreement:
    """The implementation did what the definition permits. ``bindings``: every binding judged; ``why`` says what was
    compared
    when there were none (two traps)."""

    bindings: tuple[BindingVerdict, ...] = field(default=(), repr=False)
    why: str = ""
    relaxations: tuple[str, ...] = ()

    @property
    def inside(self) -> int:
        return sum(isinstance(b.verdict, Inside) for b in self.bindings)

    @property
    def undecided(self) -> int:
        return sum(isinstance(b.verdict, Undecided) for b in self.bindings)

    @property
    def margin(self) -> float:
        """The least margin of a binding that is inside: 0 at the edge of what is permitted, 1 in the middle."""
        return min((b.verdict.margin for b in self.bindings if isinstance(b.verdict, Inside)), default=1.0)


@dataclass(frozen=True, slots=True)
class Divergence:
    """The implementation did what the definition does not permit; ``binding`` names the first place (empty: the
    whole run)."""

    binding: str
    message: str
    bindings: tuple[BindingVerdict, ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True)
class NoVerdict:
    """Nothing can be said, and why: the reference leaves the run open, a budget ran out, the implementation has no such
    operator, it crashed."""

    why: str
    excluded: bool = False
    """Whether the reference itself leaves the run open (a case to exclude and count, not a failure to judge)."""


Verdict = Agreement | Divergence | NoVerdict
