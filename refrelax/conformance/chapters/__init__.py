"""What chapters say that a machine can ask: tables, enumerations, numbers, examples, each held to the definition.

``refrelax rules check`` runs every check, and so does ``tests/repo/test_chapters.py``, which also breaks the text.

Spec: ``spec/01-conformance.md``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from refrelax.conformance.chapters import (
    arguments,
    axioms,
    endings,
    grades,
    intrinsics,
    judgements,
    laws,
    legend,
    limits,
    logs,
    meanings,
    nodes,
    numbers,
    records,
    rows,
    sentences,
    spellings,
    tables,
    words,
    written,
)
from refrelax.conformance.chapters.held import CHECKS, Check, Otherwise

MODULES = (
    tables,
    numbers,
    records,
    limits,
    nodes,
    axioms,
    sentences,
    rows,
    laws,
    words,
    spellings,
    written,
    judgements,
    intrinsics,
    meanings,
    grades,
    logs,
    arguments,
    endings,
    legend,
)
"""The modules of checks, which register them when they are imported."""


@dataclass(frozen=True, slots=True)
class Unheld:
    """A check that the text does not pass."""

    file: str
    check: str
    message: str

    @property
    def place(self) -> str:
        return f"spec/{self.file}"


def unheld(checks: Iterable[Check] = CHECKS) -> Iterator[Unheld]:
    """Every check that the text does not pass. What a check cannot read (a head that is gone) fails it too."""
    for check in checks:
        try:
            check.run()
        except Otherwise as error:
            yield Unheld(check.file, check.name, str(error))
        except Exception as error:
            yield Unheld(check.file, check.name, f"cannot be read: {type(error).__name__}: {error}")


__all__ = ["CHECKS", "MODULES", "Check", "Unheld", "unheld"]
