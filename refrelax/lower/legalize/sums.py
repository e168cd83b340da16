"""Einstein sums, sums that undo a broadcast, losses, counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from refrelax.lower.legalize.elementwise import Legalizer
from refrelax.lower.legalize.kernel import Array
from refrelax.lower.legalize.reductions import Axes
from refrelax.lower.legalize.scalars import Scalar, cast, if_then_else, lit, select
from refrelax.lower.legalize.site import Site, Unfit
from refrelax.semantics.ops import attributes as A
from refrelax.semantics.ops.binary import promote
from refrelax.syntax import dtypes
from refrelax.syntax.scalars import as_int

# --- einsum ----------------------------------------------------------------------------------------------------------


def labels_of(text: str, ranks: Sequence[int]) -> tuple[list[list[str]], list[str]]:
    """Per operand its labels, and those of the result; axes under an ellipsis are counted from the right."""
    left, arrow, right = text.replace(" ", "").partition("->")
    operands = [_spelled(term, rank - len(term.replace("...", ""))) for term, rank in
                zip(left.split(","), ranks, strict=True)]  # fmt: skip
    hidden = sorted({a for term in operands for a in term if a.startswith(".")}, reverse=True)
    if arrow:
        return operands, [a for c in right.replace("...", ".") for a in (hidden if c == "." else [c])]
    every = [a for term in operands for a in term]
    return operands, [*hidden, *sorted(a for a in set(every) if every.count(a) == 1 and not a.startswith("."))]


def _spelled(term: str, width: int) -> list[str]:
    hidden = [f".{k}" for k in reversed(range(width))]
    return [a for c in term.replace("...", ".") for a in (hidden if c == "." else [c])]


def _einsum(s: Site) -> None:
    xs = s.arrays(0)
    operands, result = labels_of(A.text(s.call, "subscripts"), [x.ndim for x in xs])
    if s.out.dtype == "bool":
        raise Unfit("a sum of truths")
    size: dict[str, Scalar] = {}
    for term, x in zip(operands, xs, strict=True):
        for label, n in zip(term, x.dims, strict=True):
            if as_int(size.setdefault(label, n).node) == 1:
                size[label] = n
    summed = [a for a in dict.fromkeys(a for term in operands for a in term) if a not in result]

    def item(*i: Scalar) -> Scalar:
        at = dict(zip((*result, *summed), i, strict=True))
        values = [
            s.spread(x, [at[a] for a in term], [size[a] for a in term]) for term, x in zip(operands, xs, strict=True)
        ]
        total = values[0]
        for each in values[1:]:
            total = total * each
        return total

    s.k.reduce(s.out, [size[a] for a in summed], "Add", lit(s.out.dtype, 0), item)


def _outer(s: Site) -> None:
    a, b = s.array(0), s.array(1)
    meeting = promote(a.dtype, b.dtype)

    def element(i: Scalar, j: Scalar) -> Scalar:
        x, y = cast(meeting, a[i]), cast(meeting, b[j])
        return cast(s.out.dtype, x & y if meeting == "bool" else x * y)

    if s.out.dtype == "bool" and meeting != "bool":
        raise Unfit("a product as a truth")
    s.k.compute(s.out, element)


def _collapse(s: Site) -> None:
    """The sum over axes that the result lacks, or has with extent 1."""
    x = s.array(0)
    if x.dtype == "bool":
        raise Unfit("a sum of truths")
    lead = x.ndim - s.out.ndim
    gone = [k for k in range(x.ndim) if k < lead or as_int(s.out.dims[k - lead].node) == 1]
    axes = Axes(x, gone, False)
    for k in axes.kept:
        s.same(x.dims[k], s.out.dims[k - lead], "lo/equal-extents")

    def item(*i: Scalar) -> Scalar:
        return x[axes.source([i[k - lead] for k in axes.kept], i[s.out.ndim :])]

    s.k.reduce(s.out, axes.lengths, "Add", lit(x.dtype, 0), item)


# --- losses ----------------------------------------------------------------------------------------------------------


def _whole(s: Site, out: Array, x: Array) -> Array:
    """The sum of all elements."""
    return s.k.reduce(out, x.dims, "Add", lit(x.dtype, 0), lambda *i: x[i])


def _cross_entropy(s: Site) -> None:
    """``-sum(x * y)``, by the first extent when the rank is above 1."""
    x, y = s.array(0), s.array(1)
    if x.dtype != y.dtype or not dtypes.is_float(x.dtype):
        raise Unfit("no two tensors of one float dtype")
    for a, b in zip(x.dims, y.dims, strict=True):
        s.same(a, b, "lo/equal-extents")
    total = s.k.alloc("total", (), x.dtype)
    s.k.reduce(total, x.dims, "Add", lit(x.dtype, 0), lambda *i: x[i] * y[i])

    def element() -> Scalar:
        value = total[()] * -1
        return value.over(cast(x.dtype, x.dims[0])) if x.ndim > 1 else value

    s.k.compute(s.out, element)


def _nll_loss(s: Site) -> None:
    """``-x[n, t, k] * w[t]`` with ``t`` the target, 0 where it is ignored; then summed or averaged."""
    x, targets = s.array(0), s.array(1)
    weights = s.array(2) if len(s.a) == 3 else None
    if not dtypes.is_float(x.dtype):
        raise Unfit("reals only")
    kept = [n for k, n in enumerate(x.dims) if k != (0 if x.ndim == 1 else 1)]
    for a, b in zip(kept, targets.dims, strict=True):
        s.same(a, b, "lo/equal-extents")
    zero, ignored = lit(x.dtype, 0), A.integer(s.call, "ignore_index")

    def term(i: Sequence[Scalar], of: Scalar | None) -> Scalar:
        t = targets[i]
        weight = lit(x.dtype, 1) if weights is None else weights[cast("int64", t)]
        at = [cast("int64", t)] if x.ndim == 1 else [i[0], cast("int64", t), *i[1:]]
        value = weight if of is not None else (x[at] * -1) * weight
        return if_then_else(t.equals(ignored), zero, value)

    if A.text(s.call, "reduction") == "none":
        s.k.compute(s.out, lambda *i: term(i, None))
        return
    losses, total = s.k.alloc("losses", targets.dims, x.dtype), s.k.alloc("total", (), x.dtype)
    s.k.compute(losses, lambda *i: term(i, None))
    _whole(s, total, losses)
    if A.text(s.call, "reduction") == "sum":
        s.k.compute(s.out, lambda: total[()])
        return
    shares, share = s.k.alloc("shares", targets.dims, x.dtype), s.k.alloc("share", (), x.dtype)
    s.k.compute(shares, lambda *i: term(i, zero))
    _whole(s, share, shares)
    s.k.compute(s.out, lambda: total[()].over(share[()]))


# --- counts ----------------------------------------------------------------------------------------------------------


def _bucketize(s: Site) -> None:
    """The number of boundaries below the element; with ``right`` also those equal to it."""
    x, edges, right = s.array(0), s.array(1), A.flag(s.call, "right")
    meeting, dtype = promote(x.dtype, edges.dtype), s.out.dtype

    def item(*i: Scalar) -> Scalar:
        a, b = cast(meeting, x[i[:-1]]), cast(meeting, edges[i[-1]])
        if meeting == "bool":
            a, b = cast("uint8", a), cast("uint8", b)
        return select(b <= a if right else b < a, lit(dtype, 1), lit(dtype, 0))

    s.k.reduce(s.out, [edges.dims[0]], "Add", lit(dtype, 0), item)


SUMS: Mapping[str, Legalizer] = {
    "relax.einsum": _einsum,
    "relax.outer": _outer,
    "relax.collapse_sum_like": _collapse,
    "relax.collapse_sum_to": _collapse,
    "relax.nn.cross_entropy_with_logits": _cross_entropy,
    "relax.nn.nll_loss": _nll_loss,
    "relax.bucketize": _bucketize,
}
