"""Confirms a certificate with something that had no part in the proof.

A log is read by the checker (``checker/``), few points are enumerated by it; a script is asked of cvc5, and of Z3
where Z3 did not make the proof.

Spec: ``spec/06-shapes.md``, ``sh/certificate``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from refrelax.rules import rule
from refrelax.shape_solver import replay, z3_
from refrelax.shape_solver.certificate import Certificate
from refrelax.shape_solver.checker.document import examine

RESOURCES = 8_000_000
"""What Z3 may spend on one script."""


@dataclass(frozen=True, slots=True)
class Confirmation:
    """``by``: ``"checker"``, ``"enumeration"``, ``"cvc5"`` or ``"z3"``; else why it is ``rejected``, or what is
    ``missing``."""

    by: str | None = None
    rejected: str = ""
    missing: str = ""


@rule("sh/certificate")
def confirm(document: Any, milliseconds: int = 2_000) -> Confirmation:
    """Who confirms a certificate (the JSON of ``Certificate.document``)."""
    found = examine(document)
    if found.rejected:
        return Confirmation(rejected=found.rejected)
    if found.by:
        return Confirmation(found.by)
    if replay.AVAILABLE and replay.replay(found.script, milliseconds) == "unsat":
        return Confirmation("cvc5")
    own = _made_by_z3(document)
    if z3_.AVAILABLE and not own and z3_.replay(found.script, RESOURCES) == "unsat":
        return Confirmation("z3")
    if not replay.AVAILABLE:
        return Confirmation(missing="cvc5 (pip install refrelax[certify])")
    return Confirmation(missing=f"a solver that answers the script within {milliseconds} ms")


def _made_by_z3(document: Any) -> bool:
    match document.get("stages"):
        case [*_, [str() as name, *_]]:
            return name.startswith("z3")
        case _:
            return True


def certify(certificate: Certificate, milliseconds: int = 2_000) -> str | None:
    """Who confirms the proof; ``None`` if nobody does.

    Raises:
        AssertionError: the certificate is wrong. That is a bug of the prover, never a verdict on the claim.
    """
    found = confirm(certificate.document(), milliseconds)
    assert not found.rejected, f"a proof is refuted: {found.rejected}"
    return found.by
