"""Judging: implementations against the definition, one binding at a time."""

from __future__ import annotations

from refrelax.judge.bisect import Bisection, WrongPass, follow
from refrelax.judge.diff import diff
from refrelax.judge.evidence import Counterexample, Equivalent, ProvedAt, Refuted, Tested
from refrelax.judge.report import Open, Report
from refrelax.judge.stages import Compiler, Stage, StagesEnded
from refrelax.judge.validate import validate
from refrelax.judge.verdicts import Agreement, BindingVerdict, Divergence, NoVerdict, Verdict

__all__ = [
    "Bisection",
    "Compiler",
    "Stage",
    "StagesEnded",
    "WrongPass",
    "follow",
    "Counterexample",
    "Equivalent",
    "ProvedAt",
    "Refuted",
    "Tested",
    "validate",
    "Agreement",
    "BindingVerdict",
    "Divergence",
    "NoVerdict",
    "Open",
    "Report",
    "Verdict",
    "diff",
]
