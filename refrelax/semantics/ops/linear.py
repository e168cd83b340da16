"""Matrix products.

Spec: ``spec/ops/linear.md``.
"""

from __future__ import annotations

from refrelax.errors import unspecified
from refrelax.rules import rule
from refrelax.semantics.numbers.interface import Payload
from refrelax.semantics.ops import attributes as A
from refrelax.semantics.ops.binary import arithmetic_dtype, promote
from refrelax.semantics.ops.common import (
    UNKNOWN,
    arity,
    broadcast_dims,
    broadcast_shape,
    broadcast_view,
    cast_to,
    joined_vdevice,
    known_dims,
    of_rank,
    rank,
    short,
    tensor,
    tensor_value,
    with_dims,
)  # fmt: skip
from refrelax.semantics.ops.definition import Deduction, Evaluation, OpDef
from refrelax.semantics.values import Tensor, Value
from refrelax.syntax.graph import Call
from refrelax.syntax.types import Type

PAGE = "linear"


@rule("op.matmul/no-scalar", "op.matmul/reduction-length")
def deduce_matmul(d: Deduction, call: Call, types: tuple[Type, ...]) -> Type:
    """The last two axes multiply, those before them broadcast; a vector is a row on the left, a column on the right."""
    arity(d, call, 2)
    a, b = tensor(d, call, types, 0), tensor(d, call, types, 1)
    dtype = A.dtype(call, "out_dtype", default=None) or arithmetic_dtype(d, call, a, b)
    vdevice = joined_vdevice(a, b)
    m, n = rank(a), rank(b)
    if UNKNOWN in (m, n):
        return of_rank(UNKNOWN, dtype, vdevice)
    if 0 in (m, n):
        d.fail("op.matmul/no-scalar", f"{short(call)} takes tensors of rank 1 or more, found ranks {m} and {n}")
    row, column = m == 1, n == 1
    ndim = max(m, n, 2) - row - column
    x, y = known_dims(a), known_dims(b)
    if x is None or y is None:
        return of_rank(ndim, dtype, vdevice)
    prefix = broadcast_dims(d, call, x[:-2], y[:-2])
    if prefix is None:
        return of_rank(ndim, dtype, vdevice)
    if d.equal(x[-1], y[-1 if column else -2]) is False:
        d.fail("op.matmul/reduction-length", f"{short(call)}: the axes that are summed over differ in length")
    return with_dims((*prefix, *(() if row else x[-2:-1]), *(() if column else y[-1:])), dtype, vdevice)


@rule("op.matmul/reduction-length-run")
def evaluate_matmul(e: Evaluation, call: Call, args: tuple[Value, ...]) -> Tensor:
    """``out[…, i, j] = sum over k of a[…, i, k] * b[…, k, j]``, multiplied and accumulated in the output dtype."""
    a, b = tensor_value(args[0]), tensor_value(args[1])
    dtype = A.dtype(call, "out_dtype", default=None) or a.dtype
    row, column = a.ndim == 1, b.ndim == 1
    if a.shape[-1] != b.shape[-1 if column else -2]:
        raise unspecified("op.matmul/reduction-length-run", f"{a.shape} times {b.shape}", e.span)
    if a.dtype != b.dtype:
        meeting = promote(a.dtype, b.dtype)
        a, b = cast_to(e, a, meeting), cast_to(e, b, meeting)
    return cast_to(e, product(e, a, b, "uint8" if dtype == "bool" else dtype, row, column), dtype)


def product(e: Evaluation, a: Tensor, b: Tensor, dtype: str, row: bool = False, column: bool = False) -> Tensor:
    """The batched product of two tensors of one dtype, accumulated in ``dtype``."""
    batch = broadcast_shape(e, a.shape[:-2], b.shape[:-2])
    length = a.shape[-1]
    left = broadcast_view(a, (*batch, *a.shape[-1 if row else -2 :]))
    right = broadcast_view(b, (*batch, *b.shape[-1 if column else -2 :]))
    dot, source, lead = e.numerics.at(dtype).dot, a.dtype, len(batch)
    rows = {}
    columns = {}

    def items_of_row(at: tuple[int, ...]) -> list[Payload]:
        if at not in rows:
            rows[at] = [left[(*at, k)] for k in range(length)]
        return rows[at]

    def items_of_column(at: tuple[int, ...], j: tuple[int, ...]) -> list[Payload]:
        if (at, j) not in columns:
            columns[at, j] = [right[(*at, k, *j)] for k in range(length)]
        return columns[at, j]

    def element(*i: int) -> Payload:
        at = i[:lead]
        cut = lead if row else lead + 1
        return dot(items_of_row(i[:cut]), items_of_column(at, i[cut:]), source)

    shape = (*batch, *(() if row else a.shape[-2:-1]), *(() if column else b.shape[-1:]))
    count = length
    for n in shape:
        count *= n
    e.spend(count)
    return e.tabulate(dtype, shape, element)


OPERATORS: tuple[OpDef, ...] = (OpDef("relax.matmul", deduce_matmul, evaluate_matmul, PAGE),)
