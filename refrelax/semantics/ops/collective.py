"""Collectives: operators in which all workers of a program take part.

Every worker runs the same function on its own arguments, and has tensors of its own. Workers are numbered from 0; equal
runs of numbers are a *group*, all of them one group unless said otherwise. A program that runs alone is one worker:
there, a collective gives what it takes.

Spec: ``spec/ops/collective.md``.
"""

from __future__ import annotations

from refrelax.errors import unspecified
from refrelax.rules import rule
from refrelax.semantics.numbers.interface import Payload
from refrelax.semantics.ops import attributes as A
from refrelax.semantics.ops import dims as D
from refrelax.semantics.ops.common import (
    UNKNOWN,
    arity,
    copy,
    known_dims,
    normal_axis,
    of_rank,
    rank,
    replace,
    short,
    tensor,
    tensor_value,
    with_dims,
)
from refrelax.semantics.ops.definition import Deduction, Evaluation, OpDef
from refrelax.semantics.values import TensorValue, Value, from_payloads
from refrelax.syntax.graph import Call
from refrelax.syntax.scalars import Binary, PrimExpr, as_int
from refrelax.syntax.types import TensorType, Type

PAGE = "collective"

KINDS = ("sum", "prod", "min", "max", "avg")
"""How ``allreduce`` combines, in the order of the numbers that a lowered call has for them."""


# --- types -----------------------------------------------------------------------------------------------------------


def deduce_same(d: Deduction, call: Call, types: tuple[Type, ...]) -> Type:
    """The argument's type."""
    arity(d, call, 1)
    return tensor(d, call, types, 0)


@rule("op.ccl.allgather/rank")
def deduce_allgather(d: Deduction, call: Call, types: tuple[Type, ...]) -> Type:
    """The argument's dims, the first times the number of workers."""
    arity(d, call, 1)
    x, dims = tensor(d, call, types, 0), known_dims(tensor(d, call, types, 0))
    if rank(x) == 0:
        d.fail("op.ccl.allgather/rank", f"{short(call)} takes a tensor of rank 1 or more")
    if dims is None:
        return x
    return with_dims((D.mul(dims[0], D.imm(A.integer(call, "num_workers"))), *dims[1:]), x.dtype, x.vdevice)


@rule("op.ccl/divisible")
def divided(d: Deduction, call: Call, x: TensorType) -> TensorType:
    """The type of one of ``num_workers`` equal parts of a tensor along ``axis``."""
    workers = A.integer(call, "num_workers")
    if rank(x) == UNKNOWN:
        return x
    axis, dims = normal_axis(d, call, rank(x), A.integer(call, "axis")), known_dims(x)
    if dims is None:
        return of_rank(rank(x), x.dtype, x.vdevice)
    extent = as_int(dims[axis])
    if workers < 1 or (extent is not None and extent % workers):
        d.fail("op.ccl/divisible", f"{short(call)}: an extent of {extent} in {workers} equal parts")
    return with_dims(replace_dim(dims, axis, _quotient(dims[axis], workers)), x.dtype, x.vdevice)


def _quotient(dim: PrimExpr, workers: int) -> PrimExpr:
    extent = as_int(dim)
    if extent is not None:
        return D.imm(extent // workers)
    return dim if workers == 1 else Binary("Div", dim, D.imm(workers))


def replace_dim(dims: D.Dims, axis: int, dim: PrimExpr) -> D.Dims:
    """The dims with one exchanged."""
    return (*dims[:axis], dim, *dims[axis + 1 :])


def deduce_scatter(d: Deduction, call: Call, types: tuple[Type, ...]) -> Type:
    """The argument's dims, the one of ``axis`` divided by the number of workers."""
    arity(d, call, 1)
    return divided(d, call, tensor(d, call, types, 0))


# --- values ----------------------------------------------------------------------------------------------------------


@rule("op.ccl/all-take-part")
def gathered(e: Evaluation, what: str, x: TensorValue, in_group: bool, alike: bool = True) -> list[TensorValue]:
    """The tensors of all workers that take part, in order; ``alike``: of one dtype and shape."""
    key = (what, in_group, *((x.dtype, x.shape) if alike else ()))
    found = e.world.share(key, (x.dtype, x.shape, x.payloads()), in_group)
    return [from_payloads(e.numerics, dtype, shape, list(payloads)) for dtype, shape, payloads in found]


@rule("op.ccl/workers")
def check_workers(e: Evaluation, number: int, in_group: bool) -> None:
    """The number of workers that a call was written for is the number that take part."""
    if number != e.world.size(in_group):
        raise unspecified("op.ccl/workers", f"written for {number} workers, {e.world.size(in_group)} run", e.span)


@rule("op.ccl.allreduce/kind")
def allreduce(e: Evaluation, x: TensorValue, kind: str, in_group: bool) -> TensorValue:
    """The elements of all workers combined, place by place."""
    if kind not in KINDS or x.dtype == "bool":
        raise unspecified("op.ccl.allreduce/kind", f"no combination {kind!r} of {x.dtype}", e.span)
    parts = gathered(e, f"allreduce {kind}", x, in_group)
    f, columns = e.numerics.at(x.dtype), zip(*(part.payloads() for part in parts), strict=True)

    def combined(items: tuple[Payload, ...]) -> Payload:
        match kind:
            case "sum":
                return f.reduce("add", items)
            case "prod":
                return f.reduce("mul", items)
            case "min":
                return f.reduce("minimum", items)
            case "max":
                return f.reduce("maximum", items)
            case _:
                return f.div(f.reduce("add", items), f.lit(len(items)))

    return e.tensor(x.dtype, x.shape, [combined(items) for items in columns])


def evaluate_allreduce(e: Evaluation, call: Call, args: tuple[Value, ...]) -> TensorValue:
    """The elements of all workers, or of those of the group, combined place by place in the order of their numbers at
    the argument's dtype; ``avg`` divides their sum by their number, truncated on integers."""
    return allreduce(e, tensor_value(args[0]), A.text(call, "op_type"), A.flag(call, "in_group"))


def allgather(e: Evaluation, x: TensorValue, in_group: bool) -> TensorValue:
    """The tensors of all workers one after the other along the first axis."""
    parts = gathered(e, "allgather", x, in_group)
    payloads = [payload for part in parts for payload in part.payloads()]
    return e.tensor(x.dtype, (len(parts) * x.shape[0], *x.shape[1:]), payloads)


def evaluate_allgather(e: Evaluation, call: Call, args: tuple[Value, ...]) -> TensorValue:
    """The tensors of all workers, or of those of the group, one after the other along the first axis."""
    check_workers(e, A.integer(call, "num_workers"), A.flag(call, "in_group"))
    return allgather(e, tensor_value(args[0]), A.flag(call, "in_group"))


def broadcast(e: Evaluation, x: TensorValue, in_group: bool = False) -> TensorValue:
    """What worker 0 gave."""
    return copy(e, gathered(e, "broadcast", x, in_group)[0])


def evaluate_broadcast(e: Evaluation, call: Call, args: tuple[Value, ...]) -> TensorValue:
    """The tensor of worker 0."""
    return broadcast(e, tensor_value(args[0]))


@rule("op.ccl/divisible-run")
def check_parts(e: Evaluation, x: TensorValue, axis: int, of: int) -> None:
    """An extent is divided among one worker or more, without a remainder."""
    if of < 1 or x.shape[axis] % of:
        raise unspecified("op.ccl/divisible-run", f"{x.shape} in {of} parts along axis {axis}", e.span)


def part(e: Evaluation, x: TensorValue, axis: int, number: int, of: int) -> TensorValue:
    """One of ``of`` equal parts of a tensor along an axis; ``number`` is below ``of``."""
    check_parts(e, x, axis, of)
    length = x.shape[axis] // of
    shape = replace(x.shape, axis, length)
    return e.tabulate(x.dtype, shape, lambda *i: x[replace(i, axis, i[axis] + number * length)])


@rule("op.ccl/divisible-run", "op.ccl/workers")
def own_part(e: Evaluation, x: TensorValue, axis: int, workers: int) -> TensorValue:
    """The worker's part of a tensor that a call divides among ``workers``, which have to be all."""
    check_parts(e, x, axis, workers)
    check_workers(e, workers, False)
    return part(e, x, axis, e.world.worker, workers)


def evaluate_scatter(e: Evaluation, call: Call, args: tuple[Value, ...]) -> TensorValue:
    """Of the equal parts of worker 0's tensor along `axis`, the one of the worker's number."""
    x, workers = tensor_value(args[0]), A.integer(call, "num_workers")
    whole, axis = gathered(e, "scatter", x, False)[0], A.integer(call, "axis") % x.ndim
    return own_part(e, whole, axis, workers)


OPERATORS: tuple[OpDef, ...] = (
    OpDef("relax.ccl.allreduce", deduce_same, evaluate_allreduce, PAGE),
    OpDef("relax.ccl.allgather", deduce_allgather, evaluate_allgather, PAGE),
    OpDef("relax.ccl.broadcast_from_worker0", deduce_same, evaluate_broadcast, PAGE),
    OpDef("relax.ccl.scatter_from_worker0", deduce_scatter, evaluate_scatter, PAGE),
)
