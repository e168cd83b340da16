"""Deviations of an implementation that are known: a file that says which case ends how, and why.

```toml
[[deviation]]
id = "nan-compares-equal"      # a row of the document that the file belongs to
verdict = "failed"             # or "refused"
cases = ["numbers/comparison-with-nan"]
unsure = true                  # what is given is memory that nobody wrote: the cases may pass, too
```
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from refrelax.conformance.judged import FAULTS, Word
from refrelax.errors import UsageError


@dataclass(frozen=True, slots=True)
class Deviation:
    """Why a case is known to end as ``verdict``."""

    id: str
    verdict: Word
    unsure: bool = False
    """Whether it may pass as well, since what is given is memory that nobody wrote."""


def load_known(path: Path) -> dict[str, Deviation]:
    """Case names to deviations.

    Raises:
        UsageError: no such file, or it is not of the form above.
    """
    try:
        rows = tomllib.loads(path.read_text(encoding="utf-8"))["deviation"]
        found = [(case, _deviation(row)) for row in rows for case in row["cases"]]
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, KeyError, TypeError) as error:
        raise UsageError(f"{path}: no list of known deviations: {type(error).__name__}: {error}") from None
    known = dict(found)
    wrong = sorted({str(each.verdict) for each in known.values()} - set(FAULTS))
    if wrong:
        raise UsageError(f"{path}: verdict must be one of {', '.join(FAULTS)}, found {', '.join(wrong)}")
    if len(known) != len(found):
        raise UsageError(f"{path}: a case is listed twice")
    return known


def _deviation(row: Mapping[str, Any]) -> Deviation:
    return Deviation(row["id"], row["verdict"], row.get("unsure", False) is True)


def known_as(case: str, word: Word, known: Mapping[str, Deviation]) -> str | None:
    """The id of the deviation that says that the case ends so."""
    listed = known.get(case)
    return listed.id if listed is not None and listed.verdict == word else None
