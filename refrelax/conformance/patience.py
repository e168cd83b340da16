"""How long an implementation that hangs is asked on: whoever runs the suite on somebody's process counts by this.

Spec: ``spec/01-conformance.md``, *The protocol*.
"""

from __future__ import annotations

IN_A_ROW = 3
"""Hangs in a row after which the rest of an area is not asked; starts in a row without a hello after which there are no
more."""


class Patience:
    """The hangs in a row of each area (what stands before the ``/`` of a case's name)."""

    def __init__(self) -> None:
        self._hung: dict[str, int] = {}

    def refusal(self, case: str) -> str | None:
        """Why a case is not asked, if it is not."""
        area = case.partition("/")[0]
        return f"not asked: {IN_A_ROW} cases of {area} in a row hung" if self._hung.get(area, 0) >= IN_A_ROW else None

    def heard(self, case: str, hung: bool) -> None:
        """A case was asked, and hung or did not."""
        area = case.partition("/")[0]
        self._hung[area] = self._hung.get(area, 0) + 1 if hung else 0
