"""Einstein summation, the outer product, and sums that undo a broadcast.

Spec: ``spec/ops/einsum.md``.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from math import prod

from refrelax.errors import unspecified
from refrelax.rules import rule
from refrelax.semantics.numbers.interface import Payload
from refrelax.semantics.ops import attributes as A
from refrelax.semantics.ops import dims as D
from refrelax.semantics.ops.binary import promote
from refrelax.semantics.ops.common import (
    arity,
    cast_to,
    dims_of,
    extents,
    fits,
    joined_vdevice,
    known_dims,
    of_rank,
    rank,
    shape_argument,
    shaped_like,
    short,
    tensor,
    tensor_value,
    tensor_values,
    tensors,
    with_dims,
)  # fmt: skip
from refrelax.semantics.ops.conv import charge
from refrelax.semantics.ops.definition import Deduction, Evaluation, OpDef
from refrelax.semantics.ops.reduce import over
from refrelax.semantics.values import Tensor, Value
from refrelax.syntax.graph import Call
from refrelax.syntax.scalars import PrimExpr
from refrelax.syntax.types import TensorType, Type

PAGE = "einsum"

# --- einsum ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Subscripts:
    """Per operand its labels, and those of the result; an ellipsis is spelled out as the digits ``0 1 …``."""

    operands: tuple[str, ...]
    result: str


def subscripts(text: str, ranks: list[int]) -> Subscripts | None:
    """The labels of ``"ij,jk->ik"`` for operands of these ranks; ``None`` if the text does not fit."""
    left, arrow, right = text.replace(" ", "").partition("->")
    terms = left.split(",")
    if len(terms) != len(ranks):
        return None
    widths = [n - len(term.replace("...", "")) if "..." in term else 0 for term, n in zip(terms, ranks, strict=True)]
    if any(w < 0 or w > 10 for w in widths):
        return None
    widest = max(widths)
    digits = "0123456789"[:widest]
    spelled = tuple(t.replace("...", digits[widest - w :]) for t, w in zip(terms, widths, strict=True))
    if any(len(term) != n for term, n in zip(spelled, ranks, strict=True)):
        return None
    if not arrow:
        every = "".join(spelled)
        right = digits + "".join(sorted({c for c in every if every.count(c) == 1 and c.isalpha()}))
    result = right.replace("...", digits)
    known = set("".join(spelled))
    if any(c not in known or not (c.isalpha() or c in digits) for c in result) or len(set(result)) != len(result):
        return None
    return Subscripts(spelled, result)


@rule("op.einsum/subscripts", "op.einsum/dims", "op.einsum/equal-dtypes")
def deduce_einsum(d: Deduction, call: Call, types: tuple[Type, ...]) -> Type:
    """The dims that the result's labels name."""
    arity(d, call, 1)
    found = tensors(d, call, types[0])
    if any(t.dtype != found[0].dtype for t in found):
        d.fail("op.einsum/equal-dtypes", f"{short(call)} takes tensors of one dtype")
    vdevice = joined_vdevice(*found)
    for t in found:
        if known_dims(t) is None:
            return of_rank(t.ndim, found[0].dtype, vdevice)
    labels = subscripts(A.text(call, "subscripts"), [rank(t) for t in found])
    if labels is None:
        d.fail("op.einsum/subscripts", f"{short(call)}: {A.text(call, 'subscripts')!r} does not fit the operands")
    at: dict[str, PrimExpr] = {}
    for term, t in zip(labels.operands, found, strict=True):
        for label, dim in zip(term, known_dims(t) or (), strict=True):
            old = at.setdefault(label, dim)
            if D.is_one(old):
                at[label] = dim
            elif not D.is_one(dim) and d.equal(old, dim) is False:
                d.fail("op.einsum/dims", f"{short(call)}: the axes labelled {label!r} differ")
    return with_dims([at[label] for label in labels.result], found[0].dtype, vdevice)


@rule("op.einsum/extents")
def evaluate_einsum(e: Evaluation, call: Call, args: tuple[Value, ...]) -> Tensor:
    """The sum, over the labels that the result does not have, of the product of the operands."""
    xs = tensor_values(args[0])
    labels = subscripts(A.text(call, "subscripts"), [x.ndim for x in xs])
    fits(e, call, labels is not None, f"{A.text(call, 'subscripts')!r} with ranks {[x.ndim for x in xs]}")
    assert labels is not None
    size: dict[str, int] = {}
    for term, x in zip(labels.operands, xs, strict=True):
        for label, n in zip(term, x.shape, strict=True):
            old = size.setdefault(label, n)
            if old == 1:
                size[label] = n
            elif n not in (1, old):
                raise unspecified("op.einsum/extents", f"{short(call)}: {label!r} is {old} and {n}", e.span)
    summed = [label for label in dict.fromkeys("".join(labels.operands)) if label not in labels.result]
    f = e.numerics.at(xs[0].dtype)
    shape = tuple(size[label] for label in labels.result)
    charge(e, shape, prod(size[label] for label in summed))
    points = list(product(*(range(size[label]) for label in summed))) if 0 not in shape else []

    def pick(k: int, at: dict[str, int]) -> Payload:
        x = xs[k]
        return x[tuple(at[c] if n != 1 else 0 for c, n in zip(labels.operands[k], x.shape, strict=True))]

    def element(*i: int) -> Payload:
        spots = [dict(zip((*labels.result, *summed), (*i, *point), strict=True)) for point in points]
        if len(xs) == 2:
            return f.dot([pick(0, at) for at in spots], [pick(1, at) for at in spots], xs[0].dtype)
        if len(xs) == 1:
            return f.reduce("add", [pick(0, at) for at in spots])
        return f.reduce("add", [f.reduce("mul", [pick(k, at) for k in range(len(xs))]) for at in spots])

    return e.tabulate(xs[0].dtype, shape, element)


# --- outer -----------------------------------------------------------------------------------------------------------


@rule("op.outer/vectors")
def deduce_outer(d: Deduction, call: Call, types: tuple[Type, ...]) -> Type:
    """``(n, m)`` from vectors of ``n`` and ``m`` elements, at the first one's dtype."""
    arity(d, call, 2)
    a, b = tensor(d, call, types, 0), tensor(d, call, types, 1)
    if rank(a) != 1 or rank(b) != 1:
        d.fail("op.outer/vectors", f"{short(call)} takes two vectors, found ranks {rank(a)} and {rank(b)}")
    x, y = known_dims(a), known_dims(b)
    return of_rank(2, a.dtype) if x is None or y is None else with_dims((x[0], y[0]), a.dtype)


def evaluate_outer(e: Evaluation, call: Call, args: tuple[Value, ...]) -> Tensor:
    """``out[i, j] = a[i] * b[j]``."""
    a, b = tensor_value(args[0]), tensor_value(args[1])
    dtype, meeting = a.dtype, promote(a.dtype, b.dtype)
    f, x, y = e.numerics.at(meeting), cast_to(e, a, meeting), cast_to(e, b, meeting)
    if meeting == "bool":
        return e.tabulate("bool", (*a.shape, *b.shape), lambda i, j: e.numerics.all_of(x[i], y[j]))
    return cast_to(e, e.tabulate(meeting, (*a.shape, *b.shape), lambda i, j: f.mul(x[i], y[j])), dtype)


# --- collapse_sum ----------------------------------------------------------------------------------------------------


@rule("op.collapse_sum/dims")
def _collapsible(d: Deduction, call: Call, dims: D.Dims, target: D.Dims) -> None:
    """Aligned at the right, every target dim is 1 or provably the data's."""
    for k in range(1, min(len(dims), len(target)) + 1):
        if not D.is_one(target[-k]) and d.equal(dims[-k], target[-k]) is not True:
            d.fail("op.collapse_sum/dims", f"{short(call)}: axis {len(dims) - k} does not collapse to the target")
    if len(target) > len(dims):
        d.fail("op.collapse_sum/dims", f"{short(call)}: the target has more axes than the data")


def deduce_collapse_like(d: Deduction, call: Call, types: tuple[Type, ...]) -> Type:
    """The dims of the second tensor at the dtype of the first."""
    arity(d, call, 2)
    x, like = tensor(d, call, types, 0), tensor(d, call, types, 1)
    a, b = dims_of(d, x), dims_of(d, like)
    if a is not None and b is not None:
        _collapsible(d, call, a, b)
    return TensorType(like.shape, x.dtype, like.ndim, like.vdevice)


def deduce_collapse_to(d: Deduction, call: Call, types: tuple[Type, ...]) -> Type:
    """The shape argument at the data's dtype."""
    arity(d, call, 2)
    x, target = tensor(d, call, types, 0), shape_argument(d, call, types, 1)
    a = dims_of(d, x)
    if a is not None and target.values is not None:
        _collapsible(d, call, a, target.values)
    return shaped_like(call, 1, target, x.dtype, x.vdevice)


@rule("op.collapse_sum/extents")
def _collapse(e: Evaluation, call: Call, x: Tensor, shape: tuple[int, ...]) -> Tensor:
    lead = x.ndim - len(shape)
    if lead < 0 or any(m not in (1, n) for n, m in zip(x.shape[lead:], shape, strict=True)):
        raise unspecified("op.collapse_sum/extents", f"{short(call)} of {x.shape} to {shape}", e.span)
    axes = [k for k, n in enumerate(x.shape) if k < lead or (n != 1 and shape[k - lead] == 1)]
    f = e.numerics.at(x.dtype)
    summed = over(e, x, axes, True, x.dtype, lambda items: f.reduce("add", items))
    return Tensor(x.dtype, shape, summed.storage, x.numerics)


def evaluate_collapse_like(e: Evaluation, call: Call, args: tuple[Value, ...]) -> Tensor:
    """The sum over the axes that broadcasting the second tensor's shape would have added or stretched."""
    return _collapse(e, call, tensor_value(args[0]), tensor_value(args[1]).shape)


def evaluate_collapse_to(e: Evaluation, call: Call, args: tuple[Value, ...]) -> Tensor:
    """The sum over the axes that broadcasting the shape would have added or stretched."""
    return _collapse(e, call, tensor_value(args[0]), extents(args[1]))


OPERATORS: tuple[OpDef, ...] = (
    OpDef("relax.einsum", deduce_einsum, evaluate_einsum, PAGE),
    OpDef("relax.outer", deduce_outer, evaluate_outer, PAGE),
    OpDef("relax.collapse_sum_like", deduce_collapse_like, evaluate_collapse_like, PAGE),
    OpDef("relax.collapse_sum_to", deduce_collapse_to, evaluate_collapse_to, PAGE),
)
