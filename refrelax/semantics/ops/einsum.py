"""Einstein summation, the outer product, and sums that undo a broadcast.

Spec: ``spec/ops/einsum.md``.
"""

from __future__ import annotations

from dataclasses import dataclass

from refrelax.rules import rule
from refrelax.semantics.numbers.interface import Payload
from refrelax.semantics.ops import attributes as A
from refrelax.semantics.ops import dims as D
from refrelax.semantics.ops.binary import meeting_dtype
from refrelax.semantics.ops.common import (
    UNKNOWN,
    arity,
    dims_of,
    joined_vdevice,
    known_dims,
    of_rank,
    rank,
    shape_argument,
    shaped_like,
    short,
    tensor,
    tensors,
    with_dims,
)  # fmt: skip
from refrelax.semantics.ops.definition import Deduction, OpDef
from refrelax.semantics.ops.meaning import ALL, Array, Extents, Index, Meaning, cast, defined
from refrelax.syntax.graph import Call
from refrelax.syntax.scalars import PrimExpr
from refrelax.syntax.types import ShapeType, TensorType, Type

PAGE = "einsum"

# --- einsum ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Subscripts:
    """Per operand its labels, and those of the result; an ellipsis is spelled out as the digits ``0 1 …``."""

    operands: tuple[str, ...]
    result: str


def _is_term(text: str) -> bool:
    """Letters, and one ellipsis at most."""
    letters = text.replace("...", "", 1)
    return letters.isascii() and (not letters or letters.isalpha())


def subscripts(text: str, ranks: list[int]) -> Subscripts | None:
    """The labels of ``"ij,jk->ik"`` for operands of these ranks; ``None`` if the text does not fit."""
    left, arrow, right = text.replace(" ", "").partition("->")
    terms = left.split(",")
    if len(terms) != len(ranks) or not all(_is_term(each) for each in (*terms, right)):
        return None
    widths = [n - len(term.replace("...", "")) if "..." in term else 0 for term, n in zip(terms, ranks, strict=True)]
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
    """The dims that the result's labels name: the first one of a label that is not the literal 1. Where dims of an
    operand are not known, the rank, if it is that of the first such operand."""
    arity(d, call, 1)
    found = tensors(d, call, types[0])
    if any(t.dtype != found[0].dtype for t in found):
        d.fail("op.einsum/equal-dtypes", f"{short(call)} takes tensors of one dtype")
    vdevice = joined_vdevice(*found)
    loose = next((t for t in found if known_dims(t) is None), None)
    ranks = [rank(t) for t in found]
    labels = None if UNKNOWN in ranks else subscripts(A.text(call, "subscripts"), ranks)
    if labels is None and UNKNOWN not in ranks:
        d.fail("op.einsum/subscripts", f"{short(call)}: {A.text(call, 'subscripts')!r} does not fit the operands")
    if labels is None:
        return of_rank(UNKNOWN, found[0].dtype, vdevice)
    at: dict[str, PrimExpr] = {}
    for term, t in zip(labels.operands, found, strict=True):
        dims = known_dims(t)
        for label, dim in zip(term, dims, strict=True) if dims is not None else ():
            old = at.setdefault(label, dim)
            if D.is_one(old):
                at[label] = dim
            elif not D.is_one(dim) and d.equal(old, dim) is False:
                d.fail("op.einsum/dims", f"{short(call)}: the axes labelled {label!r} differ")
    if loose is not None:  # TVM writes the operand's rank, which a text may repeat
        return of_rank(loose.ndim if len(labels.result) == loose.ndim else UNKNOWN, found[0].dtype, vdevice)
    return with_dims([at[label] for label in labels.result], found[0].dtype, vdevice)


@rule("op.einsum/extents")
def einsum(m: Meaning, call: Call, *xs: Array) -> Array:
    """The sum, over the labels that the result does not have, of the product of the operands; in row-major order of
    these labels as they first occur in the terms. Of three or more operands the product is taken from the first to the
    last."""
    labels = subscripts(A.text(call, "subscripts"), [x.ndim for x in xs])
    assert labels is not None  # deduction reads them, where a rank is unknown when the call is run
    size: dict[str, Index] = {}
    for term, x in zip(labels.operands, xs, strict=True):
        for label, n in zip(term, x.dims, strict=True):
            (size[label],) = m.broadcast((size.get(label, 1),), (n,), rule="op.einsum/extents")
    summed = [label for label in size if label not in labels.result]
    order, dtype, f = [*labels.result, *summed], xs[0].dtype, m.at(xs[0].dtype)
    dims = [size[label] for label in order]
    views = [m.along(x, [order.index(c) for c in term], dims) for term, x in zip(labels.operands, xs, strict=True)]

    def element(*i: Index) -> Payload:
        at = (*i, *(ALL for _ in summed))
        if len(xs) == 1:
            return f.reduce("add", views[0].over(at))
        if len(xs) == 2:
            return f.dot(views[0].over(at), views[1].over(at), dtype)
        inside = [size[label] for label in summed]
        return f.reduce("add", m.each(inside, lambda *k: f.reduce("mul", [x[(*i, *k)] for x in views])))

    return m.tensor(dims[: len(labels.result)], dtype, element)


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


def outer(m: Meaning, call: Call, a: Array, b: Array) -> Array:
    """``out[i, j] = a[i] * b[j]``, computed at the dtype in which the two meet (``op.binary/meeting-dtype``) and
    converted to the first one's."""
    meeting, dims = meeting_dtype(m, a.dtype, b.dtype), (*a.dims, *b.dims)
    x, y = m.along(cast(m, a, meeting), [0], dims), m.along(cast(m, b, meeting), [1], dims)
    return cast(m, m.pointwise(meeting, m.all_of if meeting == "bool" else m.at(meeting).mul, x, y), a.dtype)


# --- collapse_sum ----------------------------------------------------------------------------------------------------


@rule("op.collapse_sum/dims")
def _collapsible(
    d: Deduction, call: Call, x: TensorType, dims: D.Dims | None, target: TensorType | ShapeType, wanted: D.Dims | None
) -> None:
    """Aligned at the right, every target dim is 1 or provably the data's, as far as both are known."""
    most, axes = x.ndim if dims is None else len(dims), target.ndim if wanted is None else len(wanted)
    if most != UNKNOWN and axes > most:
        d.fail("op.collapse_sum/dims", f"{short(call)}: the target has more axes than the data")
    if dims is None or wanted is None:
        return
    for k in range(1, len(wanted) + 1):
        if not D.is_one(wanted[-k]) and d.equal(dims[-k], wanted[-k]) is not True:
            d.fail("op.collapse_sum/dims", f"{short(call)}: axis {len(dims) - k} does not collapse to the target")


def deduce_collapse_like(d: Deduction, call: Call, types: tuple[Type, ...]) -> Type:
    """The dims and the device of the second tensor at the dtype of the first."""
    arity(d, call, 2)
    x, like = tensor(d, call, types, 0), tensor(d, call, types, 1)
    _collapsible(d, call, x, dims_of(d, x), like, dims_of(d, like))
    return TensorType(like.shape, x.dtype, like.ndim, like.vdevice)


def deduce_collapse_to(d: Deduction, call: Call, types: tuple[Type, ...]) -> Type:
    """The shape argument at the data's dtype."""
    arity(d, call, 2)
    x, target = tensor(d, call, types, 0), shape_argument(d, call, types, 1)
    _collapsible(d, call, x, dims_of(d, x), target, target.values)
    return shaped_like(call, 1, target, x.dtype, x.vdevice)


@rule("op.collapse_sum/extents")
def _collapse(m: Meaning, x: Array, dims: Extents) -> Array:
    lead, wrong = x.ndim - len(dims), ("op.collapse_sum/extents", f"{x.dims} to {dims}")
    m.require(lead >= 0, *wrong)
    pairs = enumerate(zip(dims, x.dims[lead:], strict=False), lead)
    axes = [*range(lead), *(k for k, (n, wide) in pairs if m.stretches(n, wide, *wrong))]
    f = m.at(x.dtype)

    def element(*i: Index) -> Payload:
        return f.reduce("add", x.over([ALL if k in axes else i[k - lead] for k in range(x.ndim)]))

    return m.tensor(dims, x.dtype, element)


def collapse_sum_like(m: Meaning, call: Call, x: Array, like: Array) -> Array:
    """The sum over the axes that broadcasting the second tensor's shape would have added or stretched."""
    return _collapse(m, x, like.dims)


def collapse_sum_to(m: Meaning, call: Call, x: Array, dims: Extents) -> Array:
    """The sum over the axes that broadcasting the shape would have added or stretched."""
    return _collapse(m, x, dims)


OPERATORS: tuple[OpDef, ...] = (
    defined("relax.einsum", deduce_einsum, einsum, PAGE),
    defined("relax.outer", deduce_outer, outer, PAGE),
    defined("relax.collapse_sum_like", deduce_collapse_like, collapse_sum_like, PAGE),
    defined("relax.collapse_sum_to", deduce_collapse_to, collapse_sum_to, PAGE),
)
