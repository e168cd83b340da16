"""What a proof rests on, for ``certify``: each claim as a certificate, and the descent as a record."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from refrelax.errors import UsageError

WORDS = "elements as words"


DESCENT = "descent.json"


def write(claims: Sequence[Any], record: Any, folder: Path) -> str:
    """One file a claim, ``001.json`` on, and the record of the descent, ``descent.json``; what was written, in words.

    Raises:
        UsageError: the folder has something in it, or is none.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise UsageError(f"expected a new or an empty folder for certificates, found {folder}")
    except OSError as problem:
        raise UsageError(f"expected a folder for certificates, found {folder}: {problem.strerror}") from problem
    logs, unstated = 0, 0
    for number, each in enumerate(claims, 1):
        document = _document(each)
        if document is None:
            unstated += 1
            continue
        logs += document["evidence"]["kind"] == "log"
        (folder / f"{number:03}.json").write_text(json.dumps(document) + "\n", encoding="utf-8")
    descent = f"descent recorded: no: {record}"
    if isinstance(record, dict):
        (folder / DESCENT).write_text(json.dumps(record) + "\n", encoding="utf-8")
        descent = f"descent recorded: {folder / DESCENT}, {len(record['steps'])} steps"
    if not claims:
        return f"the proof rests on no claim about integers; {descent}"
    many = f"{len(claims) - unstated} of {len(claims)} claims in {folder}, {logs} with a log"
    return f"{many}: refrelax certify {folder}/*.json; {descent}"


def _document(claim: Any) -> dict[str, Any] | None:
    """A claim asked anew, as its proof did, with the certificate."""
    from refrelax.shape_solver import Proved
    from refrelax.shape_solver.certificate import NoCertificate
    from refrelax.shape_solver.prover import Prover

    arithmetic: Any = "wrap" if claim.purpose == WORDS else "no-overflow"
    for effort in ("quick", "normal"):
        answer = Prover(claim.given, effort, division="require", arithmetic=arithmetic).prove(claim.statement)
        if isinstance(answer, Proved):
            try:
                document: dict[str, Any] = answer.certificate.document(effort)
                return document
            except NoCertificate:
                return None
    return None
