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

KEPT = frozenset(
    {
        "relax.dynamic_strided_slice", "relax.reverse_sequence", "relax.multinomial_from_uniform", "relax.reshape",
        "relax.nn.pad", "relax.nn.pixel_shuffle",
        "relax.nn.nll_loss", "relax.nn.cross_entropy_with_logits", "relax.grad.nll_loss_backward",
        "relax.grad.max_pool2d_backward", "relax.grad.avg_pool2d_backward",
        *(f"relax.nn.{kind}_pool{n}d" for kind in ("max", "avg", "adaptive_avg") for n in (1, 2, 3)),
    }
)  # fmt: skip
"""Texts that are no kernel yet, or a worse one than the one written by hand."""

TEXTS: Mapping[str, Legalizer] = {
    name: legalizer(each.text) for name, each in OPERATORS.items() if each.text is not None and name not in KEPT
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
