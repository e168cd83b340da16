"""Legalization: operators become loop programs.

    module = run(checked, ledger)

``table.LEGALIZERS`` says which operator is written how; the family files write the programs with ``kernel.Kernel``,
``bounds.obligations`` finds what they rest on, ``driver.run`` asks the ledger and rewrites.
"""

from __future__ import annotations

from refrelax.lower.legalize.driver import run
from refrelax.lower.legalize.table import LEGALIZERS

__all__ = ["LEGALIZERS", "run"]
