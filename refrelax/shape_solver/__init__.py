"""The shape solver: claims over symbolic integers, answered ``Proved``, ``Refuted`` or ``Unknown``, never wrongly.

``prove("n*m + m == m*(n + 1)")``. Spec: ``spec/06b-solver.md``; how-to: ``docs/howto-prove.md``.
"""

from refrelax.shape_solver.claim import Answer, Proved, Refuted, Stage, Unknown
from refrelax.shape_solver.parse import parse_claim, parse_dim
from refrelax.shape_solver.prover import Prover, prove
from refrelax.shape_solver.questions import bounds, disjoint, injective
from refrelax.shape_solver.remarks import Remark, remarks
from refrelax.shape_solver.simplify import simplify

__all__ = [
    "Answer",
    "Proved",
    "Prover",
    "Refuted",
    "Remark",
    "Stage",
    "Unknown",
    "bounds",
    "disjoint",
    "injective",
    "parse_claim",
    "parse_dim",
    "prove",
    "remarks",
    "simplify",
]
