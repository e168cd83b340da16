"""Padding, pixel shuffle, dropout, losses.

Spec: ``spec/ops/nn.md``.
"""

from __future__ import annotations

from refrelax.rules import rule
from refrelax.semantics.numbers.interface import Payload
from refrelax.semantics.ops import attributes as A
from refrelax.semantics.ops import dims as D
from refrelax.semantics.ops.binary import arithmetic_dtype
from refrelax.semantics.ops.common import (
    UNKNOWN,
    arity,
    binary_vdevice,
    dims_of,
    known_dims,
    of_rank,
    of_what_rank,
    rank,
    short,
    tensor,
    with_dims,
)  # fmt: skip
from refrelax.semantics.ops.create import constant
from refrelax.semantics.ops.definition import Deduction, OpDef
from refrelax.semantics.ops.meaning import ALL, Array, Index, Meaning, agree, cast, defined, literal
from refrelax.syntax import dtypes
from refrelax.syntax.graph import Call
from refrelax.syntax.scalars import as_int
from refrelax.syntax.types import TensorType, TupleType, Type

PAGE = "nn"

# --- pad -------------------------------------------------------------------------------------------------------------

PAD_MODES = ("constant", "reflect", "replicate", "circular")


@rule("op.nn.pad/width-count", "op.nn.pad/mode")
def deduce_pad(d: Deduction, call: Call, types: tuple[Type, ...]) -> Type:
    """Every dim plus the two widths of its axis."""
    arity(d, call, 1)
    x, widths = tensor(d, call, types, 0), A.int_list(call, "pad_width")
    if len(widths) != 2 * rank(x):
        d.fail("op.nn.pad/width-count", f"{short(call)}: {len(widths)} widths for a tensor of {of_what_rank(x)}")
    if A.text(call, "pad_mode") not in PAD_MODES:
        d.fail("op.nn.pad/mode", f"{short(call)}: no mode {A.text(call, 'pad_mode')!r}")
    dims = known_dims(x)
    if dims is None:
        return of_rank(rank(x), x.dtype)
    added = [D.imm(a + b) for a, b in zip(widths[::2], widths[1::2], strict=True)]
    return with_dims([D.add(n, k) for n, k in zip(dims, added, strict=True)], x.dtype)


@rule("op.nn.pad/range")
def pad(m: Meaning, call: Call, x: Array) -> Array:
    """``out[i] = x[i - before]`` inside; outside ``pad_value``, or the mirrored, nearest or wrapped element."""
    widths, mode = A.int_list(call, "pad_width"), A.text(call, "pad_mode")
    before, after = widths[::2], widths[1::2]
    dims = [n + (a + b) for n, a, b in zip(x.dims, before, after, strict=True)]
    m.require(m.every(n >= 0 for n in dims), "op.nn.pad/range", f"{x.dims} by {widths}")
    fill = literal(m, x.dtype, A.real(call, "pad_value"))
    other = fill if mode == "constant" else m.poison("op.nn.pad/range")

    def source(p: Index, n: Index) -> Index:
        """The position that a padded position shows, which may be none."""
        match mode:
            case "reflect":
                return m.least(m.most(p, -p), 2 * n - 2 - p)
            case "replicate":
                return m.least(m.most(p, 0), n - 1)
            case "circular":
                return m.choose(n == 0, lambda: p, lambda: p % n)
            case _:
                return p

    def element(*i: Index) -> Payload:
        return x.get([source(p - a, n) for p, a, n in zip(i, before, x.dims, strict=True)], other)

    return m.tensor(dims, x.dtype, element)


# --- pixel_shuffle, dropout ------------------------------------------------------------------------------------------


@rule("op.nn.pixel_shuffle/rank", "op.nn.pixel_shuffle/channels")
def deduce_pixel_shuffle(d: Deduction, call: Call, types: tuple[Type, ...]) -> Type:
    """``(…, C * r * r, H, W)`` becomes ``(…, C, H * r, W * r)``."""
    arity(d, call, 1)
    x, r = tensor(d, call, types, 0), A.integer(call, "upscale_factor")
    if rank(x) != UNKNOWN and rank(x) < 3:
        d.fail("op.nn.pixel_shuffle/rank", f"{short(call)} takes a tensor of rank 3 or more, found rank {rank(x)}")
    dims = known_dims(x)
    channels = as_int(dims[-3]) if dims is not None else None
    if r < 1 or (dims is not None and (channels is None or channels % (r * r))):
        d.fail("op.nn.pixel_shuffle/channels", f"{short(call)}: the channels do not divide by {r} * {r}")
    if dims is None or channels is None:
        return of_rank(x.ndim, x.dtype)
    return with_dims(
        (*dims[:-3], D.imm(channels // (r * r)), D.mul(dims[-2], D.imm(r)), D.mul(dims[-1], D.imm(r))), x.dtype
    )


def pixel_shuffle(m: Meaning, call: Call, x: Array) -> Array:
    """``out[…, c, h, w] = x[…, c * r * r + h % r * r + w % r, h // r, w // r]``."""
    r, (*lead, c, h, w) = A.integer(call, "upscale_factor"), x.dims

    def element(*i: Index) -> Payload:
        *at, k, y, z = i
        return x[(*at, k * (r * r) + y % r * r + z % r, y // r, z // r)]

    return m.tensor((*lead, c // (r * r), h * r, w * r), x.dtype, element)


def deduce_dropout(d: Deduction, call: Call, types: tuple[Type, ...]) -> Type:
    """The argument's type, twice."""
    arity(d, call, 1)
    x = tensor(d, call, types, 0)
    return TupleType((x, x))


def dropout(m: Meaning, call: Call, x: Array) -> tuple[Array, Array]:
    """The argument, and a mask of ones: nothing is dropped."""
    return m.copy(x), constant(m, x.dtype, x.dims, 1)


# --- losses ----------------------------------------------------------------------------------------------------------


@rule("op.nn.cross_entropy_with_logits/equal-shapes")
def deduce_cross_entropy(d: Deduction, call: Call, types: tuple[Type, ...]) -> Type:
    """A tensor of rank 0, at the dtype of the predictions; they and the labels have one shape."""
    arity(d, call, 2)
    x, y = tensor(d, call, types, 0), tensor(d, call, types, 1)
    dtype, vdevice = arithmetic_dtype(d, call, x, y), binary_vdevice(d, call, x, y)
    a, b = dims_of(d, x), dims_of(d, y)
    ranks = UNKNOWN not in (rank(x), rank(y)) and rank(x) != rank(y)
    if ranks or (a is not None and b is not None and any(d.equal(p, q) is False for p, q in zip(a, b, strict=True))):
        d.fail("op.nn.cross_entropy_with_logits/equal-shapes", f"{short(call)}: predictions and labels differ in shape")
    return with_dims((), dtype, vdevice)


@rule("op.nn.cross_entropy_with_logits/equal-extents")
def cross_entropy(m: Meaning, call: Call, x: Array, y: Array) -> Array:
    """``-sum(x * y)``, divided by the first extent when the rank is above 1: ``y`` are converted to the dtype of ``x``,
    which are log-probabilities; at integers the quotient is truncated."""
    f, every, y = m.at(x.dtype), [ALL] * x.ndim, cast(m, y, x.dtype)
    m.require(agree(m, x.dims, y.dims), "op.nn.cross_entropy_with_logits/equal-extents", f"{x.dims} and {y.dims}")

    def element() -> Payload:
        total = f.neg(f.dot(x.over(every), y.over(every), x.dtype))
        return f.div(total, f.lit(x.dims[0])) if x.ndim > 1 else total

    return m.tensor((), x.dtype, element)


@rule("op.nn.nll_loss/integer-targets", "op.nn.nll_loss/ranks", "op.nn.nll_loss/dims", "op.nn.nll_loss/reduction")
def deduce_nll_loss(d: Deduction, call: Call, types: tuple[Type, ...]) -> Type:
    """Of predictions ``(N, C, …)`` and targets ``(N, …)`` the dims ``(N, …)`` under ``none``; of ``(C,)`` and a tensor
    of rank 0, and under ``sum`` and ``mean``, a tensor of rank 0. Weights are ``(C,)``. At the dtype of the
    predictions."""
    arity(d, call, 2, 3)
    x, targets = tensor(d, call, types, 0), tensor(d, call, types, 1)
    weights = tensor(d, call, types, 2) if len(types) == 3 else None
    dtype = x.dtype if weights is None else arithmetic_dtype(d, call, x, weights)
    vdevice = x.vdevice if weights is None else binary_vdevice(d, call, x, weights)
    if targets.dtype is not None and not dtypes.is_integer(targets.dtype):
        d.fail("op.nn.nll_loss/integer-targets", f"{short(call)}: the targets must be integers, found {targets.dtype}")
    ranks = rank(x) == 0 or (UNKNOWN not in (rank(x), rank(targets)) and max(rank(x), 1) - 1 != rank(targets))
    if ranks or (weights is not None and rank(weights) not in (1, UNKNOWN)):
        d.fail("op.nn.nll_loss/ranks", f"{short(call)}: the ranks of predictions, targets and weights do not fit")
    if A.text(call, "reduction") not in ("none", "sum", "mean"):
        d.fail("op.nn.nll_loss/reduction", f"{short(call)}: no reduction {A.text(call, 'reduction')!r}")
    dims, kept = _loss_dims(d, call, x, targets, weights)
    if A.text(call, "reduction") != "none":
        return with_dims((), dtype, vdevice)
    if dims is None or known_dims(x) is None:
        return of_rank(UNKNOWN if rank(x) == UNKNOWN else rank(x) - 1, dtype, vdevice)
    return with_dims(kept, dtype, vdevice)


def _loss_dims(
    d: Deduction, call: Call, x: TensorType, targets: TensorType, weights: TensorType | None
) -> tuple[D.Dims | None, D.Dims]:
    """The dims of the predictions, and those without the class axis; a provable difference is an error."""
    dims, own = dims_of(d, x), dims_of(d, targets)
    if dims is None:
        return None, ()
    kept = () if len(dims) == 1 else (dims[0], *dims[2:])
    classes = dims[0] if len(dims) == 1 else dims[1]
    pairs = list(zip(kept, own, strict=False)) if own is not None else []
    scale = dims_of(d, weights) if weights is not None else None
    pairs += [(classes, scale[0])] if scale else []
    if any(d.equal(a, b) is False for a, b in pairs):
        d.fail("op.nn.nll_loss/dims", f"{short(call)}: the dims of predictions, targets and weights do not fit")
    return dims, kept


def class_weights(
    m: Meaning, call: Call, x: Array, targets: Array, weights: Array | None, rule: str
) -> tuple[Array, Array]:
    """The class of each position, an index, and its weight: 0 of an ignored one, poison of one that does not exist."""
    f, n, ignored = m.at(x.dtype), x.dims[0 if x.ndim == 1 else 1], A.integer(call, "ignore_index")
    zero, one = f.lit(0), f.lit(1)
    classes = m.indices(targets.dims, lambda *i: m.index_of(targets[i], targets.dtype))

    def weight(*i: Index) -> Payload:
        t = classes[i]
        inside = m.every((t >= 0, t < n))
        own = m.choose(inside, lambda: one if weights is None else weights[t,], lambda: m.poison(rule))
        return m.pick(t == ignored, zero, own)

    return classes, m.tensor(targets.dims, x.dtype, weight)


@rule("op.nn.nll_loss/target-range")
def nll_loss(m: Meaning, call: Call, x: Array, targets: Array, weights: Array | None = None) -> Array:
    """``loss[n, k] = -x[n, t, k] * w[t]``, ``t = targets[n, k]``, every ``w`` 1 without weights; 0 where ``t`` is
    ``ignore_index``. A class is not counted from the end.

    ``none`` gives the losses, ``sum`` their sum, ``mean`` their sum divided by that of the weights of the targets that
    are not ignored, which of no such target is 0 by 0.
    """
    f, ignored, outside = m.at(x.dtype), A.integer(call, "ignore_index"), "op.nn.nll_loss/target-range"
    zero = f.lit(0)
    kept, classes = (() if x.ndim == 1 else (x.dims[0], *x.dims[2:])), x.dims[0 if x.ndim == 1 else 1]
    m.require(agree(m, targets.dims, kept), "op.common/fits-run", f"predictions {x.dims}, targets {targets.dims}")
    own = (classes,) if weights is None else weights.dims
    m.require(agree(m, own, (classes,)), "op.common/fits-run", f"weights for {x.dims}")
    weights = None if weights is None else cast(m, weights, x.dtype)
    found, taken = class_weights(m, call, x, targets, weights, outside)

    def chosen(*i: Index) -> Payload:
        t = found[i]
        at = (t,) if x.ndim == 1 else (i[0], t, *i[1:])
        inside = m.every((t >= 0, t < classes))
        own = m.choose(inside, lambda: f.neg(x[at]), lambda: m.poison(outside))
        return m.pick(t == ignored, zero, own)

    picked, every = m.tensor(targets.dims, x.dtype, chosen), [ALL] * targets.ndim

    def total() -> Payload:
        """A sum of products: a fused multiply-add is permitted in it (``num/any-order-sum``)."""
        return f.dot(picked.over(every), taken.over(every), x.dtype)

    match A.text(call, "reduction"):
        case "none":
            return m.pointwise(x.dtype, f.mul, picked, taken)
        case "sum":
            return m.tensor((), x.dtype, total)
        case _:
            return m.tensor((), x.dtype, lambda: f.div(total(), f.reduce("add", taken.over(every))))


OPERATORS: tuple[OpDef, ...] = (
    defined("relax.nn.pad", deduce_pad, pad, PAGE),
    defined("relax.nn.pixel_shuffle", deduce_pixel_shuffle, pixel_shuffle, PAGE),
    defined("relax.nn.dropout", deduce_dropout, dropout, PAGE),
    defined("relax.nn.cross_entropy_with_logits", deduce_cross_entropy, cross_entropy, PAGE),
    defined("relax.nn.nll_loss", deduce_nll_loss, nll_loss, PAGE),
)
