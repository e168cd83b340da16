"""Confirms a certificate with something that had no part in the proof.

A log is read by the checker (``checker/``) or by the verified one (``verified/``, a program of its own), few points are
enumerated by them; a script is asked of cvc5, and of Z3 where Z3 did not make the proof.

Spec: ``spec/06b-solver.md``, ``sh/certificate``.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from refrelax.rules import rule
from refrelax.shape_solver import replay, z3_
from refrelax.shape_solver.certificate import Certificate, NoCertificate
from refrelax.shape_solver.checker.document import asked, examine
from refrelax.shape_solver.checker.script import script

CVC5 = "cvc5 (pip install refrelax[certify])"
RESOURCES = 8_000_000
"""What Z3 may spend on one script."""


@dataclass(frozen=True, slots=True)
class Confirmation:
    """``by``: ``"checker"``, ``"enumeration"``, ``"verified"``, ``"cvc5"`` or ``"z3"``; else why it is ``rejected``, or
    what is ``missing``. ``question``: as the verified checker read it."""

    by: str | None = None
    rejected: str = ""
    missing: str = ""
    question: str = ""


Who = Literal["checker", "verified", "cvc5"]


@rule("sh/certificate")
def confirm(document: Any, milliseconds: int = 2_000, who: Who | None = None) -> Confirmation:
    """Who confirms a certificate (the JSON of ``Certificate.document``); ``who``: nobody else is asked.

    The verified checker reads texts: see ``verified``.
    """
    if who == "verified":
        return verified(json.dumps(document))
    found = examine(document)
    if found.rejected:
        return Confirmation(rejected=found.rejected)
    if who == "cvc5":
        return by_cvc5(script(asked(document)), milliseconds)
    if found.by or who == "checker":
        return Confirmation(found.by) if found.by else Confirmation(missing="a solver: the evidence is a script")
    if replay.AVAILABLE and replay.replay(found.script, milliseconds) == "unsat":
        return Confirmation("cvc5")
    own = _made_by_z3(document)
    if z3_.AVAILABLE and not own and z3_.replay(found.script, RESOURCES) == "unsat":
        return Confirmation("z3")
    if not replay.AVAILABLE:
        return Confirmation(missing=CVC5)
    return Confirmation(missing=f"a solver that answers the script within {milliseconds} ms")


def by_cvc5(text: str, milliseconds: int) -> Confirmation:
    """What cvc5 says of a script, whatever the evidence is."""
    if not replay.AVAILABLE:
        return Confirmation(missing=CVC5)
    answer = replay.replay(text, milliseconds)
    return Confirmation("cvc5") if answer == "unsat" else Confirmation(missing=f"cvc5 to say unsat; it says {answer}")


def verified(text: str) -> Confirmation:
    """What the verified checker (``verified/``) says of the text of a certificate: its own reading, another process."""
    program = verified_checker()
    if program is None:
        return Confirmation(missing="the verified checker (make verified, or REFRELAX_VERIFIED=its path)")
    try:
        done = subprocess.run([program, "-"], input=text, capture_output=True, text=True, encoding="utf-8", check=False)
    except OSError as error:
        return Confirmation(missing=f"a verified checker that runs: {program} ({error.strerror})")
    said = done.stdout.strip().removeprefix("-: ")
    match done.returncode, said.partition(" "):
        case 0, ("CERTIFIED", _, words):
            return Confirmation("verified", question=words.removeprefix("by verified: "))
        case 1, ("REJECTED", _, reason):
            return Confirmation(rejected=reason)
        case 3, ("OPEN", _, _):
            return Confirmation(missing="a solver: the evidence is a script")
        case code, _:
            return Confirmation(missing=f"a verified checker that runs: {program} ended with {code}")


def verified_checker() -> str | None:
    """The program that ``make verified`` builds, if it is there."""
    built = Path(__file__).parents[2] / "verified" / "build" / "refrelax-verified"
    named = os.environ.get("REFRELAX_VERIFIED") or shutil.which("refrelax-verified")
    return named or (str(built) if built.exists() else None)


def _made_by_z3(document: Any) -> bool:
    match document.get("stages"):
        case [*_, [str() as name, *_]]:
            return name.startswith("z3")
        case _:
            return True


def certify(certificate: Certificate, milliseconds: int = 2_000) -> str | None:
    """Who confirms the proof; ``None`` if nobody does, or no certificate can state it.

    Raises:
        AssertionError: the certificate is wrong. That is a bug of the prover, never a verdict on the claim.
    """
    try:
        found = confirm(certificate.document(), milliseconds)
    except NoCertificate:
        return None
    assert not found.rejected, f"a proof is refuted: {found.rejected}"
    return found.by
