"""Modules to mutate: ``--from``."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from refrelax.errors import UsageError

MOST_CHARACTERS = 20_000
"""A module that is longer takes too long to be judged often."""


@cache
def sources(where: str) -> tuple[str, ...]:
    """The texts of a folder's modules (``*.py``, at any depth), or of the suite's accepted cases (``cases``), as far as
    they check, have a ``main``, and have no constants outside of the text.

    Raises:
        UsageError: nothing there can be mutated.
    """
    from refrelax.judge.campaign.mutants import source

    texts = _cases() if where == "cases" else _files(Path(where))
    found = [text for each in texts if len(each) <= MOST_CHARACTERS and (text := source(each, where)) is not None]
    if not found:
        raise UsageError(f"--from {where}: there is no module that checks and has a main")
    return tuple(dict.fromkeys(found))


def _cases() -> list[str]:
    from refrelax.conformance.cases import load

    return [each.module for each in load() if each.verdict == "accepts" and each.module and not each.constants]


def _files(folder: Path) -> list[str]:
    if not folder.is_dir():
        raise UsageError(f"--from {folder}: no such folder; expected a folder, or the word cases")
    found = []
    for path in sorted(folder.rglob("*.py")):
        try:
            found.append(path.read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError):
            continue
    return found
