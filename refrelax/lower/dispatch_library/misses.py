"""Why a contract that somebody gave matches nowhere: of all places that were tried, the one that came nearest."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(slots=True)
class Misses:
    """``asked``: the library functions of which somebody wants to know; ``nearest``: of each, how many bindings were
    matched where most were, and what was different there."""

    asked: set[str]
    nearest: dict[str, tuple[int, str]] = field(default_factory=dict)

    def note(self, library: str, matched: int, why: str) -> None:
        """What was different at one place. The first of equally near places is kept."""
        if library in self.asked and matched > self.nearest.get(library, (0, ""))[0]:
            self.nearest[library] = (matched, why)

    def told(self) -> dict[str, str]:
        """The reason for each."""
        nothing = "no operator like its last one stands in a dataflow block"
        return {each: self.nearest[each][1] if each in self.nearest else nothing for each in sorted(self.asked)}
