"""The claims that a proof rests on, each as a certificate that ``certify`` checks without the prover."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from refrelax.errors import UsageError

WORDS = "elements as words"


def write(claims: Sequence[Any], folder: Path) -> str:
    """One file a claim, ``001.json`` on; what was written, in words.

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
    if not claims:
        return "the proof rests on no claim about integers"
    many = f"{len(claims) - unstated} of {len(claims)} claims in {folder}, {logs} with a log"
    return f"{many}: refrelax certify {folder}/*.json"


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
