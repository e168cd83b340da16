"""A folder with the suite: a file for each case (``NAME.json``), ``manifest.json``, ``operators.json``,
``intrinsics.json``, ``definitions.json``, ``schema/*.json``, ``LICENSE``.

Spec: ``spec/01-conformance.md``.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from refrelax.conformance.suite import schemas, values, vocabulary
from refrelax.conformance.suite.definitions import definitions
from refrelax.conformance.suite.records import PROFILES, Record, hash_of
from refrelax.errors import UsageError
from refrelax.version import SPEC_EDITION, __version__

FORMAT = 5
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
    _write(directory / "operators.json", vocabulary.operators())
    _write(directory / "intrinsics.json", vocabulary.intrinsics())
    _write(directory / "definitions.json", definitions())
    notice = (
        f"The conformance suite of refrelax {__version__}, {LICENSE}: https://www.apache.org/licenses/LICENSE-2.0\n"
    )
    (directory / "LICENSE").write_text(notice, encoding="utf-8")
    return len(written)


def manifest(records: list[Record]) -> dict[str, Any]:
    """What the suite is: edition, versions, hash of all records, and where each rule is asked about (places in
    ``cases``, the first of which is 0)."""
    rules: dict[str, list[int]] = {}
    for place, each in enumerate(records):
        rules.setdefault(each["rule"], []).append(place)
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
        UsageError: no suite lies there, one of another format, or one that is not as it was exported.
    """
    path = directory / "manifest.json"
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UsageError(f"{path}: expected the manifest of a suite: {error}") from None
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        format_ = found.get("format") if isinstance(found, dict) else "no manifest"
        raise UsageError(f"{path}: expected a suite of format {FORMAT}, found {format_}")
    if not isinstance(names := found.get("cases"), list) or not all(isinstance(name, str) for name in names):
        raise UsageError(f'{path}: expected the names of all cases under "cases"')
    for name in names:
        yield _read(directory / f"{name}.json")


def _read(path: Path) -> Record:
    """One record, as it was exported: a suite that somebody edited is another suite.

    Raises:
        UsageError: it is not there, or not what its hash says.
    """
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
        told = record["hash"]
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise UsageError(f"{path}: expected a case of a suite: {type(error).__name__}: {error}") from None
    if told != hash_of(record):
        raise UsageError(f"{path}: expected what its hash {values.shown(told)} says, found something that was edited")
    return record  # type: ignore[no-any-return]
