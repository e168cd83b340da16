"""Which operator is written how."""

from __future__ import annotations

from collections.abc import Mapping

from refrelax.lower.legalize.attention import ATTENTION
from refrelax.lower.legalize.creation import CREATION, SHAPE_ONLY
from refrelax.lower.legalize.elementwise import ELEMENTWISE, Legalizer
from refrelax.lower.legalize.gathering import GATHERING
from refrelax.lower.legalize.joining import JOINING
from refrelax.lower.legalize.norms import NORMS
from refrelax.lower.legalize.reductions import REDUCTIONS
from refrelax.lower.legalize.shapes import SHAPES
from refrelax.lower.legalize.sorting import SORTING, power
from refrelax.lower.legalize.sums import SUMS
from refrelax.lower.legalize.windows import WINDOWS

LEGALIZERS: Mapping[str, Legalizer] = {
    **ELEMENTWISE,
    **REDUCTIONS,
    **SHAPES,
    **CREATION,
    **JOINING,
    **NORMS,
    **WINDOWS,
    **ATTENTION,
    **SUMS,
    **GATHERING,
    **SORTING,
    "relax.power": power(ELEMENTWISE["relax.power"]),
}
"""By registered name. An operator that is not here keeps its call."""

NAMES: Mapping[str, str] = {
    "relax.permute_dims": "transpose",
    "relax.concat": "concatenate",
    "relax.astype": "cast",
}
"""Kernels that are not called like their operator."""

__all__ = ["LEGALIZERS", "NAMES", "SHAPE_ONLY"]
