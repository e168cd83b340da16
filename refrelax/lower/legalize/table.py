"""Which operator is written how."""

from __future__ import annotations

from collections.abc import Mapping

from refrelax.lower.legalize.elementwise import ELEMENTWISE, Legalizer
from refrelax.lower.legalize.reductions import REDUCTIONS
from refrelax.lower.legalize.shapes import SHAPES

LEGALIZERS: Mapping[str, Legalizer] = {**ELEMENTWISE, **REDUCTIONS, **SHAPES}
"""By registered name. An operator that is not here keeps its call."""

NAMES: Mapping[str, str] = {
    "relax.permute_dims": "transpose",
    "relax.concat": "concatenate",
    "relax.astype": "cast",
}
"""Kernels that are not called like their operator."""
