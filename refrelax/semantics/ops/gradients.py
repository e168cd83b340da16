"""Gradients of losses and pooling with respect to their data.

Spec: ``spec/ops/gradients.md``.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

from refrelax.errors import unspecified
from refrelax.rules import rule
from refrelax.semantics.numbers.interface import Payload
from refrelax.semantics.numbers.poison import poison
from refrelax.semantics.ops import attributes as A
from refrelax.semantics.ops.common import arity, fits, index_of, short, tensor, tensor_value
from refrelax.semantics.ops.definition import Deduction, EvaluateRule, Evaluation, OpDef
from refrelax.semantics.ops.pool import Windows
from refrelax.semantics.values import Tensor, Value
from refrelax.syntax.graph import Call
from refrelax.syntax.types import Type

PAGE = "gradients"


def _like_data(least: int, most: int) -> Callable[[Deduction, Call, tuple[Type, ...]], Type]:
    def deduce(d: Deduction, call: Call, types: tuple[Type, ...]) -> Type:
        """The type of the data, the second argument."""
        arity(d, call, least, most)
        for k in range(len(types)):
            tensor(d, call, types, k)
        return types[1]

    return deduce


# --- nll_loss --------------------------------------------------------------------------------------------------------


@rule("op.grad.nll_loss_backward/target-range", "op.grad.nll_loss_backward/extents")
def evaluate_nll_loss_backward(e: Evaluation, call: Call, args: tuple[Value, ...]) -> Tensor:
    """``-w[t] * g`` at class ``t = targets[n, k]``, 0 at the others and where ``t`` is ``ignore_index``.

    ``g`` is the gradient of the loss: of each position under ``none``, the one number under ``sum``, divided by the
    sum of the weights that took part under ``mean``.
    """
    grad, x, targets = (tensor_value(each) for each in args[:3])
    weights = tensor_value(args[3]) if len(args) == 4 and args[3] is not None else None
    f, ignored, mode = e.numerics.at(x.dtype), A.integer(call, "ignore_index"), A.text(call, "reduction")
    axis = 0 if x.ndim == 1 else 1
    kept = (*x.shape[:axis], *x.shape[axis + 1 :])
    if targets.shape != kept or (mode == "none" and grad.shape != kept) or (mode != "none" and grad.size != 1):
        raise unspecified(
            "op.grad.nll_loss_backward/extents", f"{grad.shape}, {x.shape}, {targets.shape}, {mode}", e.span
        )
    zero, outside = f.lit(0), poison("op.grad.nll_loss_backward/target-range")
    classes = {at: index_of(e, targets, at) for at in targets.indices()}

    def weight(t: int) -> Payload:
        if t == ignored:
            return zero
        if not 0 <= t < x.shape[axis]:
            return outside
        return f.lit(1) if weights is None else weights[t]

    share = f.reduce("add", [weight(t) for t in classes.values()]) if mode == "mean" else None

    def scaled(at: tuple[int, ...]) -> Payload:
        w, g = weight(classes[at]), grad[at] if mode == "none" else grad.payloads()[0]
        if share is None:
            return f.mul(f.neg(w), g)
        return f.either(lambda: f.mul(f.neg(w), f.div(g, share)), lambda: f.div(f.mul(f.neg(w), g), share))

    found = {at: scaled(at) for at, t in classes.items() if t != ignored}

    def element(*i: int) -> Payload:
        at = (*i[:axis], *i[axis + 1 :])
        t = classes[at]
        inside = t == ignored or 0 <= t < x.shape[axis]
        return outside if not inside else found[at] if t == i[axis] and t != ignored else zero

    return e.tabulate(x.dtype, x.shape, element)


# --- pooling ---------------------------------------------------------------------------------------------------------


@rule("op.grad.pool2d_backward/extents")
def _windows(e: Evaluation, call: Call, grad: Tensor, x: Tensor) -> Windows:
    fits(e, call, x.ndim == grad.ndim == 4, f"ranks {grad.ndim} and {x.ndim}")
    windows = Windows(call, 2, x)
    if tuple(windows.shape) != grad.shape or grad.dtype != x.dtype:
        raise unspecified(
            "op.grad.pool2d_backward/extents", f"{short(call)}: {grad.shape} for windows {windows.shape}", e.span
        )
    return windows


def _backward(
    share: Callable[[Evaluation, Call, Tensor, Tensor, Windows, dict[tuple[int, ...], list[Payload]]], None],
) -> EvaluateRule:
    def evaluate(e: Evaluation, call: Call, args: tuple[Value, ...]) -> Tensor:
        grad, x = tensor_value(args[0]), tensor_value(args[1])
        f, given = e.numerics.at(x.dtype), dict[tuple[int, ...], list[Payload]]()
        share(e, call, grad, x, _windows(e, call, grad, x), given)
        return e.tabulate(x.dtype, x.shape, lambda *i: f.reduce("add", [f.lit(0), *given.get(i, ())]))

    evaluate.__doc__ = share.__doc__
    return evaluate


def _to_greatest(
    e: Evaluation, call: Call, grad: Tensor, x: Tensor, windows: Windows, given: dict[tuple[int, ...], list[Payload]]
) -> None:
    """The gradient of each window goes to its greatest element, the first in row-major order among equals."""
    f, g = e.numerics.at(x.dtype), e.numerics.at("int64")
    zero = f.lit(0)
    for i in product(*(range(n) for n in grad.shape)):
        spots, _ = windows.spots(i)
        if not spots:
            continue
        greatest = f.argreduce("maximum", [x[at] for at in spots])
        for k, at in enumerate(spots):
            given.setdefault(at, []).append(f.select(g.equal(greatest, g.lit(k)), grad[i], zero))


def _to_all(
    e: Evaluation, call: Call, grad: Tensor, x: Tensor, windows: Windows, given: dict[tuple[int, ...], list[Payload]]
) -> None:
    """The gradient of each window goes to all its elements, divided by what its mean is divided by."""
    f = e.numerics.at(x.dtype)
    for i in product(*(range(n) for n in grad.shape)):
        spots, covered = windows.spots(i)
        count = covered if A.flag(call, "count_include_pad") else len(spots)
        for at in spots:
            given.setdefault(at, []).append(f.div(grad[i], f.lit(count)))


OPERATORS: tuple[OpDef, ...] = (
    OpDef("relax.grad.nll_loss_backward", _like_data(3, 4), evaluate_nll_loss_backward, PAGE),
    OpDef("relax.grad.max_pool2d_backward", _like_data(2, 2), _backward(_to_greatest), PAGE),
    OpDef("relax.grad.avg_pool2d_backward", _like_data(2, 2), _backward(_to_all), PAGE),
)
