"""Which operator is written how."""

from __future__ import annotations

from collections.abc import Mapping

from refrelax.lower.legalize.attention import ATTENTION
from refrelax.lower.legalize.creation import CREATION, SHAPE_ONLY
from refrelax.lower.legalize.elementwise import ELEMENTWISE, Legalizer
from refrelax.lower.legalize.from_text import legalizer
from refrelax.lower.legalize.gathering import GATHERING
from refrelax.lower.legalize.joining import JOINING
from refrelax.lower.legalize.shapes import SHAPES
from refrelax.lower.legalize.sorting import SORTING, power
from refrelax.lower.legalize.sums import SUMS
from refrelax.lower.legalize.windows import WINDOWS
from refrelax.semantics.ops import OPERATORS

BY_HAND: Mapping[str, Legalizer] = {
    **ELEMENTWISE,
    **SHAPES,
    **CREATION,
    **JOINING,
    **WINDOWS,
    **ATTENTION,
    **SUMS,
    **GATHERING,
    **SORTING,
    "relax.power": power(ELEMENTWISE["relax.power"]),
}
"""Operators that are no text of the calculus, by registered name."""

NOT_FROM_TEXT = frozenset(
    {*SHAPES, *CREATION, *SUMS, *GATHERING} - {"relax.matmul"} | {"relax.strided_slice", "relax.dynamic_strided_slice"}
)
"""Texts that ``from_text`` does not read yet: their operands are shapes and scalars as well."""

LEGALIZERS: Mapping[str, Legalizer] = {
    **BY_HAND,
    **{
        name: legalizer(each.text)
        for name, each in OPERATORS.items()
        if each.text is not None and name not in NOT_FROM_TEXT
    },
}
"""By registered name. An operator that is not here keeps its call."""

NAMES: Mapping[str, str] = {
    "relax.permute_dims": "transpose",
    "relax.concat": "concatenate",
    "relax.astype": "cast",
}
"""Kernels that are not called like their operator."""

__all__ = ["LEGALIZERS", "NAMES", "SHAPE_ONLY"]
