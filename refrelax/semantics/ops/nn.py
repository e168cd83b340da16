"""Padding, pixel shuffle, dropout, losses.

Spec: ``spec/ops/nn.md``.
"""

from __future__ import annotations

from refrelax.errors import unspecified
from refrelax.rules import rule
from refrelax.semantics.numbers.interface import Payload
from refrelax.semantics.numbers.poison import poison
from refrelax.semantics.ops import attributes as A
from refrelax.semantics.ops import dims as D
from refrelax.semantics.ops.binary import arithmetic_dtype
from refrelax.semantics.ops.common import (
    UNKNOWN,
    arity,
    binary_vdevice,
    copy,
    dims_of,
    fits,
    index_of,
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
        d.fail("op.nn.pad/width-count", f"{short(call)}: {len(widths)} widths for a tensor of rank {rank(x)}")
    if A.text(call, "pad_mode") not in PAD_MODES:
        d.fail("op.nn.pad/mode", f"{short(call)}: no mode {A.text(call, 'pad_mode')!r}")
    dims = known_dims(x)
    if dims is None:
        return of_rank(rank(x), x.dtype)
    added = [D.imm(a + b) for a, b in zip(widths[::2], widths[1::2], strict=True)]
    return with_dims([D.add(n, k) for n, k in zip(dims, added, strict=True)], x.dtype)


@rule("op.nn.pad/range")
def evaluate_pad(e: Evaluation, call: Call, args: tuple[Value, ...]) -> Tensor:
    """``out[i] = x[i - before]`` inside; outside ``pad_value``, or the mirrored, nearest or wrapped element."""
    x, widths, mode = tensor_value(args[0]), A.int_list(call, "pad_width"), A.text(call, "pad_mode")
    before = widths[::2]
    shape = [n + a + b for n, a, b in zip(x.shape, before, widths[1::2], strict=True)]
    if any(n < 0 for n in shape):
        raise unspecified("op.nn.pad/range", f"{short(call)} of {x.shape} by {widths}", e.span)
    if x.dtype == "bool":
        fill: Payload = e.numerics.truth(A.real(call, "pad_value") != 0)
    elif dtypes.is_float(x.dtype):
        fill = e.numerics.at(x.dtype).lit(A.real(call, "pad_value"))
    else:
        fill = e.numerics.at(x.dtype).lit(int(A.real(call, "pad_value")))
    outside = poison("op.nn.pad/range")

    def element(*i: int) -> Payload:
        at = [_source(p - a, n, mode) for p, a, n in zip(i, before, x.shape, strict=True)]
        if all(p is not None and 0 <= p < n for p, n in zip(at, x.shape, strict=True)):
            return x[tuple(p for p in at if p is not None)]
        return fill if mode == "constant" else outside

    return e.tabulate(x.dtype, shape, element)


def _source(p: int, n: int, mode: str) -> int | None:
    """The position that a padded position shows; ``None`` for none."""
    match mode:
        case "reflect":
            return -p if p < 0 else 2 * n - 2 - p if p >= n else p
        case "replicate":
            return min(max(p, 0), n - 1)
        case "circular":
            return p % n if n else None
        case _:
            return p


# --- pixel_shuffle, dropout ------------------------------------------------------------------------------------------


@rule("op.nn.pixel_shuffle/rank", "op.nn.pixel_shuffle/channels")
def deduce_pixel_shuffle(d: Deduction, call: Call, types: tuple[Type, ...]) -> Type:
    """``(…, C * r * r, H, W)`` becomes ``(…, C, H * r, W * r)``."""
    arity(d, call, 1)
    x, r = tensor(d, call, types, 0), A.integer(call, "upscale_factor")
    if rank(x) != UNKNOWN and rank(x) < 3:
        d.fail("op.nn.pixel_shuffle/rank", f"{short(call)} takes a tensor of rank 3 or more, found rank {rank(x)}")
    dims = known_dims(x)
    if dims is None:
        return of_rank(x.ndim, x.dtype)
    channels = as_int(dims[-3])
    if r < 1 or channels is None or channels % (r * r):
        d.fail("op.nn.pixel_shuffle/channels", f"{short(call)}: the channels do not divide by {r} * {r}")
    return with_dims(
        (*dims[:-3], D.imm(channels // (r * r)), D.mul(dims[-2], D.imm(r)), D.mul(dims[-1], D.imm(r))), x.dtype
    )


def evaluate_pixel_shuffle(e: Evaluation, call: Call, args: tuple[Value, ...]) -> Tensor:
    """``out[…, c, h, w] = x[…, c * r * r + h % r * r + w % r, h // r, w // r]``."""
    x, r = tensor_value(args[0]), A.integer(call, "upscale_factor")
    *lead, c, h, w = x.shape

    def element(*i: int) -> Payload:
        *at, k, y, z = i
        return x[(*at, k * r * r + y % r * r + z % r, y // r, z // r)]

    return e.tabulate(x.dtype, (*lead, c // (r * r), h * r, w * r), element)


def deduce_dropout(d: Deduction, call: Call, types: tuple[Type, ...]) -> Type:
    """The argument's type, twice."""
    arity(d, call, 1)
    x = tensor(d, call, types, 0)
    return TupleType((x, x))


def evaluate_dropout(e: Evaluation, call: Call, args: tuple[Value, ...]) -> Value:
    """The argument, and a mask of ones: nothing is dropped."""
    x = tensor_value(args[0])
    one = e.numerics.truth(True) if x.dtype == "bool" else e.numerics.at(x.dtype).lit(1)
    return copy(e, x), e.tabulate(x.dtype, x.shape, lambda *i: one)


# --- losses ----------------------------------------------------------------------------------------------------------


@rule("op.nn.cross_entropy_with_logits/equal-shapes")
def deduce_cross_entropy(d: Deduction, call: Call, types: tuple[Type, ...]) -> Type:
    """A scalar tensor; predictions and labels have one shape."""
    arity(d, call, 2)
    x, y = tensor(d, call, types, 0), tensor(d, call, types, 1)
    dtype, vdevice = arithmetic_dtype(d, call, x, y), binary_vdevice(d, call, x, y)
    a, b = dims_of(d, x), dims_of(d, y)
    ranks = UNKNOWN not in (rank(x), rank(y)) and rank(x) != rank(y)
    if ranks or (a is not None and b is not None and any(d.equal(p, q) is False for p, q in zip(a, b, strict=True))):
        d.fail("op.nn.cross_entropy_with_logits/equal-shapes", f"{short(call)}: predictions and labels differ in shape")
    return with_dims((), dtype, vdevice)


@rule("op.nn.cross_entropy_with_logits/equal-extents")
def evaluate_cross_entropy(e: Evaluation, call: Call, args: tuple[Value, ...]) -> Tensor:
    """``-sum(x * y)``, divided by the first extent when the rank is above 1. ``x`` are log-probabilities."""
    x, y = tensor_value(args[0]), tensor_value(args[1])
    if x.shape != y.shape:
        raise unspecified("op.nn.cross_entropy_with_logits/equal-extents", f"{x.shape} and {y.shape}", e.span)
    f = e.numerics.at(x.dtype)
    total = f.neg(f.dot(x.payloads(), y.payloads(), x.dtype))
    value = f.div(total, f.lit(x.shape[0])) if x.ndim > 1 else total
    return e.tabulate(x.dtype, (), lambda: value)


@rule("op.nn.nll_loss/integer-targets", "op.nn.nll_loss/ranks", "op.nn.nll_loss/dims", "op.nn.nll_loss/reduction")
def deduce_nll_loss(d: Deduction, call: Call, types: tuple[Type, ...]) -> Type:
    """Predictions ``(N, C, …)`` and targets ``(N, …)``, or ``(C,)`` and a scalar; weights ``(C,)``."""
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


@rule("op.nn.nll_loss/target-range")
def evaluate_nll_loss(e: Evaluation, call: Call, args: tuple[Value, ...]) -> Tensor:
    """``loss[n, k] = -x[n, t, k] * w[t]``, ``t = targets[n, k]``; 0 where ``t`` is ``ignore_index``.

    ``mean`` divides the sum of the losses by the sum of the weights that took part.
    """
    x, targets = tensor_value(args[0]), tensor_value(args[1])
    weights = tensor_value(args[2]) if len(args) == 3 and args[2] is not None else None
    f, ignored, outside = e.numerics.at(x.dtype), A.integer(call, "ignore_index"), poison("op.nn.nll_loss/target-range")
    kept = () if x.ndim == 1 else (x.shape[0], *x.shape[2:])
    fits(e, call, targets.shape == kept, f"predictions {x.shape}, targets {targets.shape}")
    fits(e, call, weights is None or weights.shape == x.shape[(x.ndim > 1) :][:1], f"weights for {x.shape}")
    zero, one, classes = f.lit(0), f.lit(1), x.shape[0 if x.ndim == 1 else 1]

    def terms(i: tuple[int, ...]) -> tuple[Payload, Payload]:
        t = index_of(e, targets, i)
        if t == ignored:
            return zero, zero
        if not 0 <= t < classes:
            return outside, outside
        weight = one if weights is None else weights[t]
        at = (t,) if x.ndim == 1 else (i[0], t, *i[1:])
        return f.mul(f.neg(x[at]), weight), weight

    found = {i: terms(i) for i in targets.indices()}
    match A.text(call, "reduction"):
        case "none":
            return e.tabulate(x.dtype, targets.shape, lambda *i: found[i][0])
        case "sum":
            total = f.reduce("add", [a for a, _ in found.values()])
        case _:
            total = f.div(
                f.reduce("add", [a for a, _ in found.values()]), f.reduce("add", [w for _, w in found.values()])
            )
    return e.tabulate(x.dtype, (), lambda: total)


OPERATORS: tuple[OpDef, ...] = (
    OpDef("relax.nn.pad", deduce_pad, evaluate_pad, PAGE),
    OpDef("relax.nn.pixel_shuffle", deduce_pixel_shuffle, evaluate_pixel_shuffle, PAGE),
    OpDef("relax.nn.dropout", deduce_dropout, evaluate_dropout, PAGE),
    OpDef("relax.nn.cross_entropy_with_logits", deduce_cross_entropy, evaluate_cross_entropy, PAGE),
    OpDef("relax.nn.nll_loss", deduce_nll_loss, evaluate_nll_loss, PAGE),
)
