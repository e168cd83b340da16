"""Lowering: passes over the AST whose every rewrite cites a proved claim.

A pass is a function from a checked module and a ``Ledger`` to a module. It asks the ledger before it rewrites; what is
not proved is left alone. ``lower`` checks every result again and keeps, per pass, the claims and their answers.

    lowered = lower(checked, pipeline="default")
    lowered.module      # CheckedModule
    lowered.steps       # (pass name, claims, evidence), in order
"""

from __future__ import annotations

from refrelax.lower.pipeline import PASSES, PIPELINES, Lowered, Step, lower

__all__ = ["PASSES", "PIPELINES", "Lowered", "Step", "lower"]
