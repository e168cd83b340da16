"""Algorithm 1 of the Relax paper, as printed: the kind of a loop program by the *last* read that matches a test.

For teaching and for tests; no pass uses it. ``pattern_kinds`` is the algorithm that the passes use. They differ in
three ways, and ``tests/lower/test_printed_kinds.py`` shows each:

* the printed loop overwrites the kind at every read, so that the answer depends on their order: for
  ``C[i, j] = A[j, i] + B[i, j]`` it says elementwise, which lets a transposition be taken for an epilogue;
* a read that matches none of the three tests leaves the kind of an earlier one standing;
* a program whose reads match a test is never a reduction: ``O[i] += X[i, j] * Y[i]`` is a broadcast.

Paper: arXiv 2311.02103, section 4.2, Algorithm 1 (which calls itself simplified).
"""

from __future__ import annotations

from collections.abc import Sequence

from refrelax.lower.nests import Nest
from refrelax.lower.pattern_kinds import Kind, program
from refrelax.syntax.loops import PrimFunc
from refrelax.syntax.scalars import Binary, BufferLoad, PrimExpr


def printed_kind(func: PrimFunc) -> Kind:
    """The kind of a loop program as the paper prints it. A program that is no sequence of nests has no index tuples to
    look at: ``OPAQUE``."""
    nests = program(func)
    if nests is None or any(nest.indices != nests[0].indices for nest in nests):
        return Kind.OPAQUE  # "if not all writes are equal"
    return as_printed(nests[0], [load for nest in nests for load in nest.inputs()], nests)


def as_printed(write: Nest, reads: Sequence[BufferLoad], nests: Sequence[Nest] = ()) -> Kind:
    """The loop over the reads, in their order, and what the paper does after it."""
    kind, has_elem_wise = Kind.OPAQUE, False
    for read in reads:
        if read.indices == write.indices:
            kind, has_elem_wise = Kind.ELEMENTWISE, True
        elif _is_broadcast(read, write):
            kind = Kind.BROADCAST
        elif _is_injective(read, write):
            kind = Kind.INJECTIVE
    if kind == Kind.BROADCAST and has_elem_wise:
        kind = Kind.ELEMENTWISE
    looked_at = nests or (write,)
    if kind == Kind.OPAQUE and any(map(_has_fused_multiply_add, looked_at)):
        kind = Kind.OUTPUT_FUSIBLE
    if kind == Kind.OPAQUE and any(nest.reduces for nest in looked_at):
        kind = Kind.REDUCTION
    return kind


def _is_broadcast(read: BufferLoad, write: Nest) -> bool:
    """The read's indices are some of the write's, in order."""
    rest = iter(write.indices)
    return all(any(index == own for own in rest) for index in read.indices)


def _is_injective(read: BufferLoad, write: Nest) -> bool:
    """The read's indices are among the write's."""
    return all(any(index == own for own in write.indices) for index in read.indices)


def _has_fused_multiply_add(nest: Nest) -> bool:
    """``O[i] = O[i] + a * b`` in a reduction."""
    match nest.value:
        case Binary(op="Add", a=BufferLoad(buffer=name), b=term) if nest.reduces and name == nest.buffer:
            return _is_product(term)
        case _:
            return False


def _is_product(e: PrimExpr) -> bool:
    return isinstance(e, Binary) and e.op == "Mul"
