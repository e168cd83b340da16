"""The operators of Relax: ``OPERATORS`` maps a registered name, ``"relax.add"``, to its definition.

Every family file lists its rows in a literal tuple ``OPERATORS``; here they are put together.
"""

from __future__ import annotations

from refrelax.semantics.ops import (
    activation,
    attention,
    binary,
    collective,
    conv,
    create,
    detection,
    distribution,
    effects,
    einsum,
    gather,
    gradients,
    grid,
    image,
    join,
    linear,
    memory,
    nn,
    norm,
    pool,
    quantize,
    reduce,
    reshape,
    roi,
    scan,
    scatter,
    shape,
    slicing,
    spread,
    suppression,
    ternary,
    transform,
    unary,
)
from refrelax.semantics.ops.contract import contracted
from refrelax.semantics.ops.definition import OpDef

FAMILIES = (
    unary, binary, ternary, create, reduce, reshape, join, slicing, gather, scatter, spread, linear, einsum, shape,
    scan,
    activation, norm, conv, pool, attention, nn, quantize, image, grid, roi, detection, suppression,
    transform, gradients, collective, distribution, effects, memory,
)  # fmt: skip

OPERATORS: dict[str, OpDef] = {row.name: contracted(row) for family in FAMILIES for row in family.OPERATORS}

__all__ = ["FAMILIES", "OPERATORS", "OpDef"]
