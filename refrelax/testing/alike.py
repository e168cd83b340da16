"""Operators that are called alike, read from their rows and signatures: a new one is swept and drawn as its kin is."""

from __future__ import annotations

from refrelax.semantics.ops import activation, binary, unary
from refrelax.syntax.signatures import signature


def _plain(name: str) -> bool:
    """Whether a call takes one argument and nothing else."""
    return len(signature(name).surface) == 1


ELEMENTWISE = tuple(
    row.name.removeprefix("relax.") for row in (*unary.OPERATORS, *activation.OPERATORS) if _plain(row.name)
)
"""Functions of each element of one tensor."""

PAIRS = tuple(row.name.removeprefix("relax.") for row in binary.OPERATORS)
"""Functions of the elements of two operands."""

TRUTHS = tuple(row.name.removeprefix("relax.") for row in unary.OPERATORS if row.deduce is unary.deduce_bool)
"""Classifications of each element."""

OF_FLOATS = tuple(
    name
    for name in ELEMENTWISE
    if name not in {*TRUTHS, "bitwise_not", "logical_not", "atanh"}  # atanh: TVM's is wrong near zero (deviations)
)
"""Functions from floats to floats, as generated modules call them."""
