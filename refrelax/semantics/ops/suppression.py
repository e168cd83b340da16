"""Non-maximum suppression: of boxes that overlap, the one with the best score stays.

Two boxes overlap by the quotient of their intersection and their union, 0 where the union has no area; corners may come
in any order. Which boxes stay is decided by the elements; the run ends where a reading cannot tell.

Spec: ``spec/ops/suppression.md``.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import isfinite

from refrelax.errors import unspecified
from refrelax.rules import rule
from refrelax.semantics.numbers.ideal import WIDE, with_exact
from refrelax.semantics.numbers.interface import Arithmetic, Payload
from refrelax.semantics.numbers.overlaps import reached
from refrelax.semantics.numbers.poison import poison
from refrelax.semantics.numbers.truth import FALSE, TRUE
from refrelax.semantics.ops import attributes as A
from refrelax.semantics.ops import dims as D
from refrelax.semantics.ops.common import (
    UNKNOWN,
    arity,
    index_of,
    integral,
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
from refrelax.semantics.ops.detection import box_dims, check_columns
from refrelax.semantics.ops.sampling import muladd, mulsub
from refrelax.semantics.values import TensorValue, Value
from refrelax.syntax.graph import Call
from refrelax.syntax.types import TensorType, TupleType, Type

PAGE = "suppression"

Box = Sequence[Payload]


def overlap(f: Arithmetic, a: Box, b: Box) -> Payload:
    """Intersection over union of two boxes given by two opposite corners ``(x, y, x, y)``."""
    sides = []
    for box in (a, b):
        low = [f.minimum(box[k], box[2 + k]) for k in range(2)]
        high = [f.maximum(box[k], box[2 + k]) for k in range(2)]
        sides.append((low, high))
    (a_low, a_high), (b_low, b_high) = sides
    zero = f.lit(0)
    common = [f.maximum(zero, f.sub(f.minimum(a_high[k], b_high[k]), f.maximum(a_low[k], b_low[k]))) for k in range(2)]
    (aw, ah), (bw, bh) = ([f.sub(high[k], low[k]) for k in range(2)] for low, high in sides)
    shared = f.mul(common[0], common[1])
    union = f.either(
        lambda: f.sub(muladd(f, aw, ah, f.mul(bw, bh)), shared),
        lambda: f.sub(muladd(f, bw, bh, f.mul(aw, ah)), shared),
        lambda: f.neg(mulsub(f, common[0], common[1], muladd(f, aw, ah, f.mul(bw, bh)))),
    )
    return f.select(f.less_equal(union, zero), zero, f.div(shared, union))


@rule("num/exact-is-permitted")
def reaches(e: Evaluation, dtype: str, threshold: Payload, a: Box, b: Box) -> bool:
    """Whether boxes overlap by ``threshold`` or more; open where the steps and the exact overlap differ in that."""
    f = e.numerics.at(dtype)
    if e.numerics.name in WIDE:
        exact, steps = reached(threshold, a, b), f.less_equal(threshold, overlap(f, a, b))
        if exact is not None and steps is (TRUE if exact else FALSE):
            return exact
    return e.numerics.decide(f.less_equal(threshold, permitted_overlap(e, dtype, a, b)))


def permitted_overlap(e: Evaluation, dtype: str, a: Box, b: Box) -> Payload:
    """``overlap`` and the exact one."""
    return with_exact(e.numerics, dtype, lambda g, *corners: overlap(g, corners[:4], corners[4:]), *a, *b)


def by_score(e: Evaluation, f: Arithmetic, scores: Sequence[Payload]) -> list[int]:
    """Positions by falling score, the first first among equals."""
    _, order = f.order(scores, descending=True)
    return [e.numerics.to_index(k, "int64") for k in order]


# --- non_max_suppression ---------------------------------------------------------------------------------------------


@rule("op.vision.non_max_suppression/ranks", "op.vision.non_max_suppression/dims")
def deduce_nms(d: Deduction, call: Call, types: tuple[Type, ...]) -> Type:
    """The indices of the boxes kept and their number a batch; before them the rows under soft suppression.

    The rows alone without ``return_indices``.
    """
    arity(d, call, 3)
    x, counts, indices = (tensor(d, call, types, k) for k in range(3))
    dims = box_dims(d, call, x, A.integer(call, "coord_start"))
    ranks = rank(counts) not in (1, UNKNOWN) or rank(indices) not in (2, UNKNOWN)
    if ranks or any(t.dtype not in (None, "int32") for t in (counts, indices)):
        d.fail("op.vision.non_max_suppression/ranks", f"{short(call)} takes counts and indices of int32, rank 1 and 2")
    for other in (known_dims(counts), known_dims(indices)):
        pairs = [] if dims is None or other is None else zip(other, dims, strict=False)
        if any(d.equal(a, b) is not True for a, b in pairs):
            d.fail("op.vision.non_max_suppression/dims", f"{short(call)}: counts or indices do not fit the boxes")
    v = x.vdevice
    rows = of_rank(3, x.dtype, v) if dims is None else with_dims(dims, x.dtype, v)
    if not A.flag(call, "return_indices"):
        return rows
    found: tuple[TensorType, ...] = (of_rank(2, "int32", v),) * 2
    if dims is not None:
        found = (with_dims(dims[:2], "int32", v), with_dims((dims[0], D.ONE), "int32", v))
    return TupleType((rows, *found) if A.real(call, "soft_nms_sigma") > 0 else found)


class _Batch:
    """The boxes of one batch during suppression: rows of payloads by falling score, and where each came from."""

    def __init__(self, e: Evaluation, call: Call, x: TensorValue, b: int, count: int) -> None:
        self.e, self.f, self.call, self.dtype = e, e.numerics.at(x.dtype), call, x.dtype
        self.score, self.kind = A.integer(call, "score_index"), A.integer(call, "id_index")
        self.start, self.most = A.integer(call, "coord_start"), A.integer(call, "max_output_size")
        top = A.integer(call, "top_k")
        order = by_score(e, self.f, [x[b, j, self.score] for j in range(count)])
        self.origin: list[int] = order[:top] if 0 < top < count else order
        self.rows = [[x[b, j, k] for k in range(x.shape[2])] for j in self.origin]
        self.threshold = number_at(e.numerics, x.dtype, A.real(call, "iou_threshold"))

    def above(self, j: int, least: Payload) -> bool:
        """Whether the score of row ``j`` is greater than ``least``."""
        return self.e.numerics.decide(self.f.less(least, self.rows[j][self.score]))

    def rivals(self, j: int, k: int) -> bool:
        """Whether rows ``j`` and ``k`` may suppress each other: one class, or classes do not matter."""
        if A.flag(self.call, "force_suppress") or self.kind < 0:
            return True
        return self.e.numerics.decide(self.f.equal(self.rows[j][self.kind], self.rows[k][self.kind]))

    def corners(self, j: int) -> Box:
        return self.rows[j][self.start : self.start + 4]

    def reaches(self, j: int, k: int) -> bool:
        return reaches(self.e, self.dtype, self.threshold, self.corners(j), self.corners(k))

    def full(self, kept: Sequence[int]) -> bool:
        return 0 < self.most <= len(kept)

    def hard(self) -> list[int]:
        """The rows that stay: in order, a row of positive score that no row before it suppressed."""
        zero, dropped, kept = self.f.lit(0), set[int](), list[int]()
        for j in range(len(self.rows)):
            if j in dropped or self.full(kept) or not self.above(j, zero):
                continue
            kept.append(j)
            for k in range(j + 1, len(self.rows)):
                if k in dropped or not self.above(k, zero) or not self.rivals(j, k):
                    continue
                if self.reaches(j, k):
                    dropped.add(k)
        return kept

    def soft(self) -> list[int]:
        """The rows that stay, in the order of being chosen; scores fall by ``exp(-overlap**2 / (2 * sigma))``."""
        numerics = self.e.numerics
        least = number_at(numerics, self.dtype, A.real(self.call, "score_threshold"))
        sigma = A.real(self.call, "soft_nms_sigma")
        scale = Fraction(-1, 2) / Fraction(sigma) if isfinite(sigma) else -0.0

        def lowered(g: Arithmetic, score: Payload, shared: Payload) -> Payload:
            return g.mul(score, g.math("exp")(g.mul(g.mul(g.lit(scale), shared), shared)))

        left, kept = list(range(len(self.rows))), list[int]()
        while not self.full(kept):
            best = None
            for j in left:
                if self.above(j, least if best is None else self.rows[best][self.score]):
                    best = j
            if best is None:
                break
            kept.append(best)
            left.remove(best)
            stay = []
            for k in left:
                if not self.above(k, least) or not self.rivals(best, k):
                    stay.append(k)
                    continue
                if self.reaches(best, k):
                    continue
                shared = permitted_overlap(self.e, self.dtype, self.corners(best), self.corners(k))
                self.rows[k][self.score] = with_exact(
                    self.e.numerics, self.dtype, lowered, self.rows[k][self.score], shared
                )
                if self.above(k, least):
                    stay.append(k)
            left = stay
        return kept


@rule("op.vision.non_max_suppression/extents")
def evaluate_nms(e: Evaluation, call: Call, args: tuple[Value, ...]) -> Value:
    """Of the first ``valid_count`` rows by falling score (at most ``top_k``), those that no better one suppresses.

    A row suppresses the later rows of its class (of any under ``force_suppress``) that it overlaps by
    ``iou_threshold`` or more. At most ``max_output_size`` stay, if positive. With ``soft_nms_sigma`` an overlap
    below the threshold lowers the score, and rows stay while theirs is above ``score_threshold``. What does not stay
    is -1.
    """
    x, counts, indices = (tensor_value(each) for each in args)
    start = A.integer(call, "coord_start")
    check_columns(e, call, x)
    if not 0 <= start <= x.shape[2] - 4:
        raise unspecified("op.vision.boxes/columns-run", f"coordinates from {start} of {x.shape}", e.span)
    numbers = [index_of(e, counts, (b,)) for b in range(counts.shape[0])]
    if counts.shape != x.shape[:1] or indices.shape != x.shape[:2] or any(not 0 <= n <= x.shape[1] for n in numbers):
        raise unspecified("op.vision.non_max_suppression/extents", f"{x.shape}, {numbers}, {indices.shape}", e.span)
    soft, named = A.real(call, "soft_nms_sigma") > 0, A.flag(call, "return_indices")
    batches = [_Batch(e, call, x, b, n) for b, n in enumerate(numbers)]
    kept = [each.soft() if soft else each.hard() for each in batches]
    f, g = e.numerics.at(x.dtype), e.numerics.at("int32")
    none, dropped = f.lit(-1), g.lit(-1)
    dense = soft or A.flag(call, "invalid_to_bottom")

    def row(b: int, j: int, k: int) -> Payload:
        if dense:
            return batches[b].rows[kept[b][j]][k] if j < len(kept[b]) else none
        return batches[b].rows[j][k] if j in kept[b] else none

    def index(b: int, j: int) -> Payload:
        return indices[b, batches[b].origin[kept[b][j]]] if j < len(kept[b]) else dropped

    rows = e.tabulate(x.dtype, x.shape, row) if soft or not named else None
    if not named:
        assert rows is not None
        return rows
    found = (
        e.tabulate("int32", x.shape[:2], index),
        e.tabulate("int32", (x.shape[0], 1), lambda b, _: g.lit(len(kept[b]))),
    )
    return found if rows is None else (rows, *found)


# --- all_class_non_max_suppression -----------------------------------------------------------------------------------


@rule("op.vision.all_class_non_max_suppression/ranks", "op.vision.all_class_non_max_suppression/format")
def deduce_all_class(d: Deduction, call: Call, types: tuple[Type, ...]) -> Type:
    """``onnx``: indices ``(batch * classes * boxes, 3)`` and their number; ``tensorflow``: indices, scores, numbers."""
    arity(d, call, 5)
    boxes, scores = tensor(d, call, types, 0), tensor(d, call, types, 1)
    for k in (2, 3, 4):
        tensor(d, call, types, k)
    own, dims = known_dims(boxes), known_dims(scores)
    if own is None or dims is None or len(own) != 3 or len(dims) != 3:
        d.fail("op.vision.all_class_non_max_suppression/ranks", f"{short(call)} takes boxes and scores of rank 3")
    (batch, count, _), classes, v = own, dims[1], boxes.vdevice
    format_ = A.text(call, "output_format")
    if format_ not in ("onnx", "tensorflow"):
        d.fail("op.vision.all_class_non_max_suppression/format", f"{short(call)}: no format {format_!r}")
    if format_ == "onnx":
        rows = D.mul(D.mul(batch, classes), count)
        return TupleType((with_dims((rows, D.imm(3)), "int64", v), with_dims((D.ONE,), "int64", v)))
    rows = D.mul(classes, count)
    return TupleType(
        (
            with_dims((batch, rows, D.imm(2)), "int64", v),
            with_dims((batch, rows), "float32", v),
            with_dims((batch,), "int64", v),
        )
    )


@rule("op.vision.all_class_non_max_suppression/one-number")
def _single(e: Evaluation, x: TensorValue) -> Payload:
    """The element of a tensor of one."""
    if x.size != 1:
        raise unspecified("op.vision.all_class_non_max_suppression/one-number", f"{x.shape}", e.span)
    return x.payloads()[0]


@rule("op.vision.all_class_non_max_suppression/thresholds", "op.vision.all_class_non_max_suppression/extents")
def _selected(e: Evaluation, args: tuple[Value, ...]) -> list[list[list[int]]]:
    """By batch and class, the boxes that stay, by falling score."""
    boxes, scores, limit, worst, least = (tensor_value(each) for each in args)
    if boxes.shape != (scores.shape[0], scores.shape[2], 4):
        raise unspecified("op.vision.all_class_non_max_suppression/extents", f"{boxes.shape}, {scores.shape}", e.span)
    f, s, numerics = e.numerics.at(boxes.dtype), e.numerics.at(scores.dtype), e.numerics
    most = integral(numerics, _single(e, limit), limit.dtype)
    iou = f.cast(_single(e, worst), worst.dtype) if worst.dtype != f.dtype else _single(e, worst)
    floor = s.cast(_single(e, least), least.dtype) if least.dtype != s.dtype else _single(e, least)
    if not numerics.decide(f.less(f.lit(0), iou)) or not numerics.decide(s.less_equal(s.lit(0), floor)):
        raise unspecified("op.vision.all_class_non_max_suppression/thresholds", "out of range", e.span)

    def chosen(b: int, c: int) -> list[int]:
        kept: list[int] = []
        order = by_score(e, s, [scores[b, c, j] for j in range(scores.shape[2])])
        for j in order:
            if len(kept) >= most or not numerics.decide(s.less(floor, scores[b, c, j])):
                break
            row = [boxes[b, j, k] for k in range(4)]
            if not any(reaches(e, boxes.dtype, iou, [boxes[b, i, k] for k in range(4)], row) for i in kept):
                kept.append(j)
        return kept

    return [[chosen(b, c) for c in range(scores.shape[1])] for b in range(scores.shape[0])]


UNSELECTED = poison("op.vision.all_class_non_max_suppression/unselected-rows")


@rule("op.vision.all_class_non_max_suppression/unselected-rows")
def evaluate_all_class(e: Evaluation, call: Call, args: tuple[Value, ...]) -> Value:
    """For each batch and class, by falling score above the threshold, the boxes that no better one suppresses.

    A box is suppressed by one that it overlaps by ``iou_threshold`` or more; at most ``max_output_boxes_per_class``
    stay. ``onnx``: rows ``(batch, class, box)``. ``tensorflow``: rows ``(class, box)`` and scores a batch. What stands
    beyond the number of boxes is poison.
    """
    kept, scores = _selected(e, args), tensor_value(args[1])
    g, (batch, classes, count) = e.numerics.at("int64"), scores.shape
    if A.text(call, "output_format") == "onnx":
        found = [(b, c, j) for b in range(batch) for c in range(classes) for j in kept[b][c]]
        return (
            e.tabulate(
                "int64", (batch * classes * count, 3), lambda i, k: g.lit(found[i][k]) if i < len(found) else UNSELECTED
            ),
            e.tabulate("int64", (1,), lambda _: g.lit(len(found))),
        )
    f = e.numerics.at("float32")
    rows = [[(c, j) for c in range(classes) for j in kept[b][c]] for b in range(batch)]

    def score(b: int, i: int) -> Payload:
        if i >= len(rows[b]):
            return UNSELECTED
        a = scores[(b, *rows[b][i])]
        return a if scores.dtype == "float32" else f.cast(a, scores.dtype)

    return (
        e.tabulate(
            "int64",
            (batch, classes * count, 2),
            lambda b, i, k: g.lit(rows[b][i][k]) if i < len(rows[b]) else UNSELECTED,
        ),
        e.tabulate("float32", (batch, classes * count), score),
        e.tabulate("int64", (batch,), lambda b: g.lit(len(rows[b]))),
    )


OPERATORS: tuple[OpDef, ...] = (
    OpDef("relax.vision.non_max_suppression", deduce_nms, evaluate_nms, PAGE),
    OpDef("relax.vision.all_class_non_max_suppression", deduce_all_class, evaluate_all_class, PAGE),
)
