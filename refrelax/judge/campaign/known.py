"""Causes that are known: a file that says which, and why.

```toml
[[known]]
id = "integer-power"             # whatever the reader wants to call it
causes = ["refused: op.cc:tvm::prim::pow"]   # ids of causes; * stands for anything, all else for itself
```

A file of JSON lines, as ``fuzz --json`` writes them, lists the causes of its findings.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from refrelax.errors import UsageError


def load(path: Path) -> dict[str, str]:
    """Patterns of causes to what they are known as.

    Raises:
        UsageError: no such file, or it is of neither form.
    """
    try:
        text = path.read_text(encoding="utf-8")
        if text.lstrip().startswith("{"):
            rows = [json.loads(line) for line in text.splitlines() if line.strip()]
            return {_literal(row["cause"]): str(row.get("finding", row["cause"])) for row in rows if "cause" in row}
        return {_pattern(each): str(row["id"]) for row in tomllib.loads(text)["known"] for each in _causes(row)}
    except (OSError, UnicodeDecodeError, ValueError, KeyError, TypeError) as error:
        raise UsageError(f"{path}: no list of known causes: {type(error).__name__}: {error}") from None


def _causes(row: Mapping[str, Any]) -> list[str]:
    """The causes of a row: a text alone would be as many patterns as it has characters."""
    causes = row["causes"]
    if not isinstance(causes, list) or not all(isinstance(each, str) for each in causes):
        raise TypeError(f"causes of {row['id']!r}: expected a list of strings, found {causes!r}")
    return causes


def _pattern(cause: str) -> str:
    """A pattern in which nothing but a star stands for something else."""
    return "*".join(map(_literal, cause.split("*")))


def _literal(cause: str) -> str:
    """A pattern that only this cause fits."""
    return "".join(f"[{c}]" if c in "*?[" else c for c in cause)


CLASSES = ("float", "int", "narrow", "bool")
"""Of dtypes, as causes say them."""


def known_as(cause: str, known: Mapping[str, str]) -> str | None:
    """What a cause is known as. That of a composed program does not say of which class its dtype is: it may be any."""
    told = (cause, *(f"{cause} {each}" for each in CLASSES)) if " | " in cause else (cause,)
    return next((name for each in told for pattern, name in known.items() if fnmatchcase(each, pattern)), None)
