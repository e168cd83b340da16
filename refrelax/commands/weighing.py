"""What an answer of ``validate`` is asked to lean on, and whether it is strong enough."""

from __future__ import annotations

from typing import Any

from refrelax.errors import Malformed, UsageError
from refrelax.judge.report import EXIT
from refrelax.syntax.scalars import PrimExpr

STRENGTH = {"tested": 0, "proved-at": 1, "proved": 2}
"""What ``--require`` may ask for, weakest first."""

STRENGTHS = {"TESTED": 0, "PROVED-AT": 1, "PROVED": 2}


def claim(text: str, option: str = "--assume") -> PrimExpr:
    """An assumption; one that is no claim is misspelt, and nothing is refuted by it."""
    from refrelax.shape_solver.parse import parse_claim

    try:
        return parse_claim(text)
    except Malformed as malformed:
        raise UsageError(f"{option} {text!r}: {malformed.diagnostics[0].message}") from malformed


def weighed(verdict: Any, required: str) -> tuple[int, str]:
    """The exit code, and why an answer is weaker than required. A proof that leaned on a relaxation is no proof of what
    the definition says."""
    code = EXIT[verdict.word]
    if code:
        return code, ""
    if STRENGTHS[verdict.word] < STRENGTH[required]:
        return 3, f"{verdict.word} is weaker than {required}"
    if required == "proved" and verdict.relaxations:
        return 3, f"proved only under {', '.join(verdict.relaxations)}"
    return 0, ""
