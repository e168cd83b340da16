"""Which operator is written how."""

from __future__ import annotations

from collections.abc import Mapping

from refrelax.lower.legalize.attention import ATTENTION
from refrelax.lower.legalize.creation import CREATION, SHAPE_ONLY
from refrelax.lower.legalize.elementwise import Legalizer
from refrelax.lower.legalize.from_text import legalizer
from refrelax.lower.legalize.gathering import GATHERING
from refrelax.lower.legalize.joining import JOINING
from refrelax.lower.legalize.shapes import SHAPES
from refrelax.lower.legalize.sorting import SORTING, power
from refrelax.lower.legalize.sums import SUMS
from refrelax.lower.legalize.windows import WINDOWS
from refrelax.semantics.ops import OPERATORS

BY_HAND: Mapping[str, Legalizer] = {
    **SHAPES,
    **CREATION,
    **JOINING,
    **WINDOWS,
    **ATTENTION,
    **SUMS,
    **GATHERING,
    **SORTING,
}
"""Operators that are no text of the calculus, by registered name."""

AWAITED: Mapping[str, str] = {
    **dict.fromkeys(
        ("relax.nn.adaptive_avg_pool1d", "relax.nn.adaptive_avg_pool2d", "relax.nn.adaptive_avg_pool3d"),
        "the length of a window depends on where it stands",
    ),
    "relax.nn.nll_loss": "the loops of the text are not proved to be those by hand",
    "relax.nn.pad": "without a choice, a position is clamped to an axis that may be empty",
    "relax.take": "an index that ends the run",
    **dict.fromkeys(("relax.scatter_elements", "relax.scatter_nd", "relax.index_put"), "what arrives at an element"),
    "relax.slice_scatter": "bounds that are scalars",
    "relax.dynamic_strided_slice": "extents that are elements",
    "relax.reverse_sequence": "an index that ends the run",
    "relax.reshape": "that it keeps the number of elements is a claim of its own",
    **dict.fromkeys(("relax.nn.attention", "relax.nn.attention_bias"), "a fold whose length depends on the query"),
    **dict.fromkeys(
        (
            "relax.grad.nll_loss_backward", "relax.grad.max_pool2d_backward", "relax.grad.avg_pool2d_backward",
            "relax.nn.attention_var_len", "relax.multinomial_from_uniform", "relax.vision.multibox_transform_loc",
            "relax.image.resize2d", "relax.image.resize3d", "relax.image.affine_grid", "relax.image.grid_sample",
            "relax.vision.roi_align", "relax.vision.roi_pool",
            "relax.grad.take_backward", "relax.size", "relax.shape_to_tensor", "relax.layout_transform",
        ),
        "loops without a case",
    ),
}  # fmt: skip
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

NAMES: Mapping[str, str] = {
    "relax.permute_dims": "transpose",
    "relax.concat": "concatenate",
    "relax.astype": "cast",
}
"""Kernels that are not called like their operator."""

__all__ = ["LEGALIZERS", "NAMES", "SHAPE_ONLY"]
