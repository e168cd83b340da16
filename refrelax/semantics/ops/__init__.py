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
from refrelax.semantics.ops.forms import CALL_FORMS, CallForm

FAMILIES = (
    unary, binary, ternary, create, reduce, reshape, join, slicing, gather, scatter, spread, linear, einsum, shape,
    scan,
    activation, norm, conv, pool, attention, nn, quantize, image, grid, roi, detection, suppression,
    transform, gradients, collective, distribution, effects, memory,
)  # fmt: skip

OPERATORS: dict[str, OpDef] = {row.name: contracted(row) for family in FAMILIES for row in family.OPERATORS}

_EVERY: tuple[OpDef | CallForm, ...] = (*OPERATORS.values(), *CALL_FORMS.values())

IMPURE = frozenset(each.name for each in _EVERY if not each.pure)
"""The operators with an effect; every other one is pure."""

FRESH = frozenset(each.name for each in _EVERY if each.memory == "fresh")
"""The operators whose result is never memory of an argument; of any other, known or not, it may be."""

OVERWRITING = frozenset(each.name for each in _EVERY if each.overwrites)
"""The operators of which a call stores into tensors that it is given."""

COLLECTIVE = frozenset(row.name for family in (collective, distribution) for row in family.OPERATORS)
"""The operators whose result may be another on another worker, and that workers may wait for."""

LOW_LEVEL = frozenset(row.name for row in memory.OPERATORS)
"""What memory planning leaves, and the virtual machine's own."""

DESTINATION_PASSING = frozenset(each.name for each in CALL_FORMS.values() if each.destinations)
"""The call forms whose outputs are allocated for them."""

__all__ = [
    "CALL_FORMS", "COLLECTIVE", "DESTINATION_PASSING", "FAMILIES", "FRESH", "IMPURE", "LOW_LEVEL", "OPERATORS",
    "OVERWRITING", "OpDef",
]  # fmt: skip
