"""Object detection: decoding boxes, keeping those with a score, suppressing those that overlap a better one.

Which rows stay is decided by the elements; the run ends where a reading cannot tell (``num/undetermined``).

Spec: ``spec/ops/detection.md``.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from refrelax.errors import unspecified
from refrelax.rules import rule
from refrelax.semantics.numbers.interface import Payload
from refrelax.semantics.ops import attributes as A
from refrelax.semantics.ops import dims as D
from refrelax.semantics.ops.activation import softmax_along
from refrelax.semantics.ops.common import (
    UNKNOWN,
    arity,
    known_dims,
    number_at,
    of_rank,
    rank,
    short,
    tensor,
    tensor_value,
    with_dims,
)
from refrelax.semantics.ops.definition import Deduction, Evaluation, OpDef
from refrelax.semantics.ops.meaning import Array, Index, Meaning, agree, defined, literal
from refrelax.semantics.ops.sampling import muladd
from refrelax.semantics.values import TensorValue, Value
from refrelax.syntax.graph import Call
from refrelax.syntax.scalars import as_int
from refrelax.syntax.types import TensorType, TupleType, Type

PAGE = "detection"

# --- get_valid_counts ------------------------------------------------------------------------------------------------


@rule("op.vision.boxes/rank", "op.vision.boxes/columns")
def box_dims(d: Deduction, call: Call, x: TensorType, coordinates: int | None = None) -> D.Dims | None:
    """The dims of rows of boxes ``(batch, boxes, columns)``; the columns that attributes name exist."""
    if rank(x) not in (3, UNKNOWN):
        d.fail("op.vision.boxes/rank", f"{short(call)} takes rows of boxes of rank 3, found rank {rank(x)}")
    dims = known_dims(x)
    width = as_int(dims[2]) if dims is not None else None
    if width is not None and not (_columns(call, width) and (coordinates is None or 0 <= coordinates <= width - 4)):
        d.fail("op.vision.boxes/columns", f"{short(call)}: a column that is none of the {width} of a row")
    return dims


def _columns(call: Call, width: int) -> bool:
    """Whether the columns of the score and of the class, if there is one, exist."""
    return 0 <= A.integer(call, "score_index") < width and -1 <= A.integer(call, "id_index") < width


def deduce_get_valid_counts(d: Deduction, call: Call, types: tuple[Type, ...]) -> Type:
    """How many rows were kept a batch, int32; the rows; where each came from, int32."""
    arity(d, call, 1)
    x = tensor(d, call, types, 0)
    dims, v = box_dims(d, call, x), x.vdevice
    if dims is None:
        return TupleType((of_rank(1, "int32", v), of_rank(3, x.dtype, v), of_rank(2, "int32", v)))
    return TupleType((with_dims(dims[:1], "int32", v), with_dims(dims, x.dtype, v), with_dims(dims[:2], "int32", v)))


@rule("op.vision.boxes/columns-run")
def check_columns(e: Evaluation, call: Call, x: TensorValue) -> None:
    """Columns that deduction could not compare exist."""
    if not _columns(call, x.shape[2]):
        raise unspecified("op.vision.boxes/columns-run", f"{short(call)} of {x.shape}", e.span)


def evaluate_get_valid_counts(e: Evaluation, call: Call, args: tuple[Value, ...]) -> Value:
    """The rows whose score is above the threshold and whose class is 0 or more, moved to the top in their order.

    What is left is -1. ``id_index`` -1: no class.
    """
    x, score, kind = tensor_value(args[0]), A.integer(call, "score_index"), A.integer(call, "id_index")
    check_columns(e, call, x)
    f, numerics = e.numerics.at(x.dtype), e.numerics
    zero, none = f.lit(0), f.lit(-1)
    threshold = number_at(numerics, x.dtype, A.real(call, "score_threshold"))
    kept: list[list[int]] = []
    for b in range(x.shape[0]):
        good = [
            j
            for j in range(x.shape[1])
            if numerics.decide(f.less(threshold, x[b, j, score]))
            and (kind < 0 or numerics.decide(f.less_equal(zero, x[b, j, kind])))
        ]
        kept.append(good)
    g = numerics.at("int32")
    return (
        e.tabulate("int32", x.shape[:1], lambda b: g.lit(len(kept[b]))),
        e.tabulate(x.dtype, x.shape, lambda b, j, k: x[b, kept[b][j], k] if j < len(kept[b]) else none),
        e.tabulate("int32", x.shape[:2], lambda b, j: g.lit(kept[b][j] if j < len(kept[b]) else -1)),
    )


# --- multibox_transform_loc ------------------------------------------------------------------------------------------


@rule("op.vision.multibox_transform_loc/ranks", "op.vision.multibox_transform_loc/dims")
def deduce_multibox(d: Deduction, call: Call, types: tuple[Type, ...]) -> Type:
    """Boxes ``(batch, anchors, 4)`` and scores ``(batch, classes, anchors)``."""
    arity(d, call, 3)
    scores, locs, anchors = (tensor(d, call, types, k) for k in range(3))
    if any(rank(t) not in (n, UNKNOWN) for t, n in ((scores, 3), (locs, 2), (anchors, 3))):
        d.fail("op.vision.multibox_transform_loc/ranks", f"{short(call)} takes tensors of rank 3, 2 and 3")
    if len({t.dtype for t in (scores, locs, anchors) if t.dtype is not None}) > 1:
        d.fail("op.common/equal-dtypes", f"{short(call)} takes tensors of one dtype")
    if len(A.reals(call, "variances")) != 4:
        d.fail("op.vision.multibox_transform_loc/dims", f"{short(call)} takes four variances")
    own = [None if dims is None else [as_int(n) for n in dims] for dims in map(known_dims, (scores, locs, anchors))]
    (batch, _, count), (rows, four), (one, points, sides) = (own[k] or [None] * n for k, n in enumerate((3, 2, 3)))
    wrong = (
        (four is not None and four % 4)
        or (None not in (batch, rows) and batch != rows)
        or one not in (None, 1)
        or sides not in (None, 4)
        or (count is not None and (four not in (None, 4 * count) or points not in (None, count)))
    )
    if wrong:
        d.fail("op.vision.multibox_transform_loc/dims", f"{short(call)}: classes, offsets and anchors do not fit")
    dims = known_dims(scores)
    if dims is None:
        return TupleType((of_rank(3, scores.dtype, scores.vdevice),) * 2)
    boxes = with_dims((dims[0], dims[2], D.imm(4)), scores.dtype, scores.vdevice)
    return TupleType((boxes, with_dims(dims, scores.dtype, scores.vdevice)))


@rule("op.vision.multibox_transform_loc/extents")
def multibox(m: Meaning, call: Call, scores: Array, locs: Array, anchors: Array) -> tuple[Array, Array]:
    """Boxes ``(top, left, bottom, right)``: anchors moved and scaled by the offsets; scores above the threshold.

    An anchor ``(left, top, right, bottom)`` of width ``w`` and centre ``cx`` with offsets ``dx``, ``dw`` has the centre
    ``dx * vx * w + cx`` and half the width ``1/2 * exp(dw * vw) * w``; likewise along the other axis. ``clip`` brings
    the sides into [0, 1]. A score is the softmax over the classes, or the prediction; times 0 below the threshold, 0
    for class 0 without ``keep_background``.
    """
    batch, _, count = scores.dims
    fit = m.every((agree(m, locs.dims, (batch, 4 * count)), agree(m, anchors.dims, (1, count, 4))))
    m.require(fit, "op.vision.multibox_transform_loc/extents", f"{locs.dims}, {anchors.dims}")
    f = m.at(scores.dtype)
    half, zero, one = f.lit(Fraction(1, 2)), f.lit(0), f.lit(1)
    exp = cache(lambda: f.math("exp"))  # asked for by an element, as a dtype may have none
    variances, dims = [literal(m, scores.dtype, v) for v in A.reals(call, "variances")], (batch, count, 4)
    sides = m.pieces([1] * dims[-1])

    def side(b: Index, j: Index, k: int) -> Payload:
        axis = 1 - k % 2  # top and bottom lie along axis 1, left and right along axis 0
        low, high = anchors[0, j, axis], anchors[0, j, axis + 2]
        extent = f.sub(high, low)
        moved = f.mul(locs[b, 4 * j + axis], variances[axis])
        middle = muladd(f, moved, extent, f.mul(f.add(low, high), half))
        grown = f.mul(half, exp()(f.mul(locs[b, 4 * j + axis + 2], variances[2 + axis])))
        reach = grown if k >= 2 else f.neg(grown)
        found = muladd(f, reach, extent, middle)
        return f.maximum(zero, f.minimum(one, found)) if A.flag(call, "clip") else found

    likely = softmax_along(m, scores, 1) if A.flag(call, "apply_softmax") else scores
    threshold, silent = literal(m, scores.dtype, A.real(call, "threshold")), not A.flag(call, "keep_background")

    def score(b: Index, c: Index, j: Index) -> Payload:
        a = likely[b, c, j]
        found = f.mul(a, f.select(f.less_equal(threshold, a), one, zero))
        return m.pick(c == 0, zero, found) if silent else found

    boxes = m.tensor(dims, scores.dtype, lambda b, j, k: sides(k, lambda t, _: side(b, j, t)))
    return boxes, m.tensor(scores.dims, scores.dtype, score)


OPERATORS: tuple[OpDef, ...] = (
    OpDef("relax.vision.get_valid_counts", deduce_get_valid_counts, evaluate_get_valid_counts, PAGE),
    defined("relax.vision.multibox_transform_loc", deduce_multibox, multibox, PAGE),
)
