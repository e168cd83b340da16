"""Matrix products.

Spec: ``spec/ops/linear.md``.
"""

from __future__ import annotations

from refrelax.rules import rule
from refrelax.semantics.numbers.interface import Payload
from refrelax.semantics.ops import attributes as A
from refrelax.semantics.ops.binary import arithmetic_dtype, promote
from refrelax.semantics.ops.common import (
    UNKNOWN,
    arity,
    broadcast_dims,
    joined_vdevice,
    known_dims,
    of_rank,
    rank,
    short,
    tensor,
    with_dims,
)  # fmt: skip
from refrelax.semantics.ops.definition import Deduction, OpDef
from refrelax.semantics.ops.meaning import ALL, Array, Index, Meaning, cast, defined
from refrelax.syntax.graph import Call
from refrelax.syntax.types import Type

PAGE = "linear"


@rule("op.matmul/no-scalar", "op.matmul/reduction-length")
def deduce_matmul(d: Deduction, call: Call, types: tuple[Type, ...]) -> Type:
    """The last two axes multiply, those before them broadcast; a vector is a row on the left, a column on the right,
    and its axis is not in the result. At ``out_dtype`` if it is given, whatever
    the operands' dtypes are, else at the first operand's."""
    arity(d, call, 2)
    a, b = tensor(d, call, types, 0), tensor(d, call, types, 1)
    dtype = A.dtype(call, "out_dtype", default=None) or arithmetic_dtype(d, call, a, b)
    vdevice = joined_vdevice(a, b)
    m, n = rank(a), rank(b)
    if 0 in (m, n):
        d.fail("op.matmul/no-scalar", f"{short(call)} takes tensors of rank 1 or more, found ranks {m} and {n}")
    if UNKNOWN in (m, n):
        return of_rank(UNKNOWN, dtype, vdevice)
    row, column = m == 1, n == 1
    ndim = max(m, n, 2) - row - column
    x, y = known_dims(a), known_dims(b)
    if x is None or y is None:
        return of_rank(ndim, dtype, vdevice)
    if d.equal(x[-1], y[-1 if column else -2]) is False:
        d.fail("op.matmul/reduction-length", f"{short(call)}: the axes that are summed over differ in length")
    prefix = broadcast_dims(d, call, x[:-2], y[:-2])
    if prefix is None:
        return of_rank(ndim, dtype, vdevice)
    return with_dims((*prefix, *(() if row else x[-2:-1]), *(() if column else y[-1:])), dtype, vdevice)


@rule("op.matmul/reduction-length-run")
def matmul(m: Meaning, call: Call, a: Array, b: Array) -> Array:
    """``out[…, i, j] = sum over k of a[…, i, k] * b[…, k, j]``. Operands of two dtypes are converted to the one in
    which they meet (``op.binary/meeting-dtype``), then to the result's, and are multiplied and accumulated there."""
    dtype = A.dtype(call, "out_dtype", default=None) or a.dtype
    row, column = a.ndim == 1, b.ndim == 1
    length = a.dims[-1] == b.dims[-1 if column else -2]
    m.require(length, "op.matmul/reduction-length-run", f"{a.dims} times {b.dims}")
    meeting = promote(a.dtype, b.dtype)
    batch = m.broadcast(a.dims[:-2], b.dims[:-2])
    left = m.spread(cast(m, a, meeting), (*batch, *a.dims[-2:]))
    right = m.spread(cast(m, b, meeting), (*batch, *b.dims[-2:]))
    dot, lead, cut = m.at(dtype).dot, len(batch), len(batch) + (not row)

    def element(*i: Index) -> Payload:
        return dot(left.over((*i[:cut], ALL)), right.over((*i[:lead], ALL, *i[cut:])), meeting)

    dims = (*batch, *(() if row else a.dims[-2:-1]), *(() if column else b.dims[-1:]))
    return m.tensor(dims, dtype, element)


OPERATORS: tuple[OpDef, ...] = (defined("relax.matmul", deduce_matmul, matmul, PAGE),)
