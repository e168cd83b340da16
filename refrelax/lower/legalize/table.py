"""Which operator is written how."""

from __future__ import annotations

from collections.abc import Mapping

from refrelax.lower.legalize.axes import Legalizer
from refrelax.lower.legalize.from_text import legalizer
from refrelax.lower.legalize.gathering import GATHERING
from refrelax.lower.legalize.sorting import SORTING, power
from refrelax.semantics.ops import OPERATORS

BY_HAND: Mapping[str, Legalizer] = {
    **GATHERING,
    **SORTING,
}
"""Operators that are no text of the calculus, by registered name."""

AWAITED: Mapping[str, str] = {
    **dict.fromkeys(
        ("relax.scatter_elements", "relax.scatter_nd", "relax.index_put"),
        "what arrives at an element is asked of every update; by hand, of those on its line",
    ),
    **dict.fromkeys(("relax.image.resize2d", "relax.image.resize3d"), "positions are fractions of extents"),
    **dict.fromkeys(
        ("relax.image.grid_sample", "relax.vision.roi_align", "relax.vision.roi_pool"),
        "an element is chosen by an element",
    ),
    "relax.image.affine_grid": "a product of two lists of elements",
    "relax.dynamic_strided_slice": "extents that are elements",
}
"""Texts of which the loops are not yet written from the text, and why."""

TEXTS: Mapping[str, Legalizer] = {
    name: legalizer(each.text) for name, each in OPERATORS.items() if each.text is not None and name not in AWAITED
}

LEGALIZERS: Mapping[str, Legalizer] = {
    **BY_HAND,
    **TEXTS,
    "relax.power": power(TEXTS["relax.power"]),
}
"""By registered name. An operator that is not here keeps its call."""

SHAPE_ONLY: Mapping[str, tuple[int, ...]] = {
    "relax.full_like": (0,),
    "relax.ones_like": (0,),
    "relax.zeros_like": (0,),
    "relax.eye_like": (0,),
    "relax.collapse_sum_like": (1,),
}
"""Arguments of which only the dims matter: the kernel does not take them."""

NAMES: Mapping[str, str] = {
    "relax.permute_dims": "transpose",
    "relax.concat": "concatenate",
    "relax.astype": "cast",
}
"""Kernels that are not called like their operator."""

__all__ = ["LEGALIZERS", "NAMES", "SHAPE_ONLY"]
