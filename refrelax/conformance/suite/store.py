"""A folder with the suite: a file for each case (``NAME.json``), ``manifest.json``, ``schema/*.json``, ``LICENSE``.

Spec: ``spec/01-conformance.md``.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from refrelax.conformance.suite import schemas
from refrelax.conformance.suite.records import PROFILES, Record
from refrelax.errors import UsageError
from refrelax.version import SPEC_EDITION, __version__

FORMAT = 2
"""The version of the records' form; it grows when a reader of the old form would go wrong."""

LICENSE = "Apache-2.0"


def write(directory: Path, records: Iterable[Record]) -> int:
    """Write the suite; gives the number of cases."""
    written = []
    for record in records:
        path = directory / f"{record['name']}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        _write(path, record)
        written.append(record)
    (directory / "schema").mkdir(parents=True, exist_ok=True)
    for name, schema in schemas.all_of_them().items():
        _write(directory / "schema" / f"{name}.json", schema)
    _write(directory / "manifest.json", manifest(written))
    notice = (
        f"The conformance suite of refrelax {__version__}, {LICENSE}: https://www.apache.org/licenses/LICENSE-2.0\n"
    )
    (directory / "LICENSE").write_text(notice, encoding="utf-8")
    return len(written)


def manifest(records: list[Record]) -> dict[str, Any]:
    """What the suite is: edition, versions, hash of all records, and where each rule is asked about."""
    rules: dict[str, list[str]] = {}
    for each in records:
        rules.setdefault(each["rule"], []).append(each["name"])
    text = "\n".join(f"{each['name']} {each['hash']}" for each in records)
    return {
        "edition": SPEC_EDITION, "version": __version__, "format": FORMAT, "license": LICENSE,
        "hash": hashlib.sha256(text.encode()).hexdigest(),
        "profiles": PROFILES,
        "cases": [each["name"] for each in records],
        "rules": dict(sorted(rules.items())),
    }  # fmt: skip


def _write(path: Path, value: Any) -> None:
    path.write_text(json.dumps(value, ensure_ascii=False, separators=(",", ":")) + "\n", encoding="utf-8")


def read(directory: Path) -> Iterator[Record]:
    """The records of an exported suite.

    Raises:
        UsageError: no suite lies there, or one of another format.
    """
    path = directory / "manifest.json"
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UsageError(f"{path}: expected the manifest of a suite: {error}") from None
    if found.get("format") != FORMAT:
        raise UsageError(f"{path}: expected a suite of format {FORMAT}, found {found.get('format')}")
    for name in found["cases"]:
        yield json.loads((directory / f"{name}.json").read_text(encoding="utf-8"))
