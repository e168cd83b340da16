"""Judging: implementations against the definition, one binding at a time."""

from __future__ import annotations

from refrelax.judge.diff import diff
from refrelax.judge.verdicts import Agreement, BindingVerdict, Divergence, NoVerdict, Verdict

__all__ = ["Agreement", "BindingVerdict", "Divergence", "NoVerdict", "Verdict", "diff"]
