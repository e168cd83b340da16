"""The certificate as a file: its format, and what of it can be checked without a solver.

Spec: ``spec/06-shapes.md``, ``sh/certificate``, ``sh/certificate-log``.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from refrelax.shape_solver.checker.check import check
from refrelax.shape_solver.checker.points import counterexample
from refrelax.shape_solver.checker.script import script

FORMAT = "refrelax-certificate"
VERSION = 1
MAX_DEPTH_MESSAGE = "the certificate is nested too deeply"


@dataclass(frozen=True, slots=True)
class Finding:
    """``by``: who confirms it. ``rejected``: why it is wrong. ``script``: what a solver has to find ``unsat``."""

    by: str = ""
    rejected: str = ""
    script: str = ""


def load(text: str) -> Any:
    """The JSON in ``text``.

    Raises:
        ValueError: it is none.
    """
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError(MAX_DEPTH_MESSAGE) from None


def examine(document: Any) -> Finding:
    """What the checker says of a certificate: confirmed, rejected, or a question for a solver."""
    match document:
        case {"format": "refrelax-certificate", "version": 1, "question": question, "evidence": dict() as evidence}:
            pass
        case {"format": "refrelax-certificate", "version": version} if version != VERSION:
            return Finding(rejected=f"expected version {VERSION} of the format, found {version!r}"[:200])
        case _:
            return Finding(rejected="expected a certificate: format, version, question and evidence")
    try:
        return _examined(question, evidence)
    except RecursionError:
        return Finding(rejected=MAX_DEPTH_MESSAGE)
    except (ValueError, KeyError, TypeError, IndexError) as error:
        return Finding(rejected=f"expected a well-formed question ({error})"[:300])


def _examined(question: Any, evidence: dict[str, Any]) -> Finding:
    match evidence:
        case {"kind": "log", **log}:
            verdict = check(question, log)
            place = ".".join(str(number) for number in verdict.place)
            return Finding("checker") if verdict.accepted else Finding(rejected=f"step {place}: {verdict.reason}")
        case {"kind": "points"}:
            refuted = counterexample(question)
            values = "" if refuted is None else " ".join(f"{name}={value}" for name, value in refuted.items())
            return Finding("enumeration") if refuted is None else Finding(rejected=f"the claim fails at {values}")
        case {"kind": "smt2", "script": str() as text}:
            own = script(question)
            return Finding(script=own) if text == own else Finding(rejected="the script is not that of the question")
        case _:
            return Finding(rejected="expected evidence: a log, points, or a script")
