"""Gradients of losses and pooling with respect to their data.

Spec: ``spec/ops/gradients.md``.
"""

from __future__ import annotations

from collections.abc import Callable

from refrelax.rules import rule
from refrelax.semantics.numbers.interface import Payload
from refrelax.semantics.ops import attributes as A
from refrelax.semantics.ops import layout as L
from refrelax.semantics.ops.common import arity, tensor
from refrelax.semantics.ops.conv import DATA, check_window
from refrelax.semantics.ops.definition import Deduction, OpDef
from refrelax.semantics.ops.meaning import ALL, Array, Hits, Index, Meaning, Text, agree, defined
from refrelax.semantics.ops.nn import class_weights
from refrelax.semantics.ops.pool import Windows, along, first
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


def _like_pooled(d: Deduction, call: Call, types: tuple[Type, ...]) -> Type:
    """The type of the data, the second argument."""
    found = _like_data(2, 2)(d, call, types)
    check_window(d, call, "pool_size", "strides", "dilation")
    layout = L.check(d, call, A.text(call, "layout"), DATA[2])
    out = L.check(d, call, A.text(call, "out_layout", "") or layout.name, DATA[2])
    for k, each in enumerate((out, layout)):
        L.plain_dims(d, call, tensor(d, call, types, k), each)
    return found


# --- nll_loss --------------------------------------------------------------------------------------------------------


@rule("op.grad.nll_loss_backward/target-range", "op.grad.nll_loss_backward/extents")
def nll_loss_backward(
    m: Meaning, call: Call, grad: Array, x: Array, targets: Array, weights: Array | None = None
) -> Array:
    """``-w[t] * g`` at class ``t = targets[n, k]``, 0 at the others and where ``t`` is ``ignore_index``.

    ``g`` is the gradient of the loss: of each position under ``none``, the one number under ``sum``, divided by the
    sum of the weights that took part under ``mean``.
    """
    f, ignored, mode = m.at(x.dtype), A.integer(call, "ignore_index"), A.text(call, "reduction")
    axis, outside = 0 if x.ndim == 1 else 1, "op.grad.nll_loss_backward/target-range"
    m.require(x.ndim > 0, "op.grad.nll_loss_backward/extents", "a single number has no axis of classes")
    kept, zero, beyond = (*x.dims[:axis], *x.dims[axis + 1 :]), f.lit(0), m.poison(outside)
    one = agree(m, grad.dims, kept) if mode == "none" else m.product(grad.dims) == 1
    known = weights is None or agree(m, weights.dims, (x.dims[axis],))
    alike = all(each.dtype == x.dtype for each in (grad, weights) if each is not None)
    fit = m.every((alike, agree(m, targets.dims, kept), one, known))
    m.require(fit, "op.grad.nll_loss_backward/extents", f"{grad.dims}, {x.dims}, {targets.dims}, {mode}")
    classes, taken = class_weights(m, call, x, targets, weights, outside)
    share = m.tensor((), x.dtype, lambda: f.reduce("add", taken.over([ALL] * taken.ndim))) if mode == "mean" else None

    def scaled(*at: Index) -> Payload:
        w, g = f.neg(taken[at]), grad[at if mode == "none" else (0,) * grad.ndim]
        if share is None:
            return f.mul(w, g)
        total = share[()]
        return f.either(lambda: f.mul(w, f.div(g, total)), lambda: f.div(f.mul(w, g), total))

    def found(*at: Index) -> Payload:
        return m.choose(classes[at] == ignored, lambda: zero, lambda: scaled(*at))

    def other(*at: Index) -> Payload:
        t = classes[at]
        return m.pick(m.some((t == ignored, m.every((t >= 0, t < x.dims[axis])))), zero, beyond)

    given, others = m.tensor(kept, x.dtype, found), m.tensor(kept, x.dtype, other)

    def element(*i: Index) -> Payload:
        at = i[:axis] + i[axis + 1 :]
        return m.pick(classes[at] == i[axis], given[at], others[at])

    return m.tensor(x.dims, x.dtype, element)


# --- pooling ---------------------------------------------------------------------------------------------------------


@rule("op.grad.pool2d_backward/extents")
def _windows(m: Meaning, call: Call, grad: Array, x: Array) -> tuple[Windows, Array]:
    """The geometry of the pooling, and its data in the plain layout."""
    w = Windows(call, 2)
    ranks = x.ndim == len(w.layout.axes) and grad.ndim == len(w.out.axes)
    m.require(ranks, "op.common/fits-run", f"ranks {grad.ndim} and {x.ndim}")
    data = w.layout.read(m, x)
    dims = w.out.shape(w.dims(m, data.dims))
    m.require(
        m.every((grad.dtype == x.dtype, agree(m, dims, grad.dims))),
        "op.grad.pool2d_backward/extents",
        f"{grad.dims} for windows {dims}",
    )
    return w, data


Given = Callable[[tuple[Index, ...], tuple[Index, ...]], Payload]
"""What the window at one plain index gives to the element at another one that it covers."""


def _backward(share: Callable[[Meaning, Call, Windows, Array, Array], Given]) -> Text:
    """What the windows that cover an element give to it, summed in the order of the windows."""

    def text(m: Meaning, call: Call, grad: Array, x: Array) -> Array:
        w, data = _windows(m, call, grad, x)
        f, given = m.at(x.dtype), share(m, call, w, data, w.out.read(m, grad))
        counts = w.dims(m, data.dims)[2:]

        def covering(p: Index, n: Index, taps: int, s: int, d: int) -> Hits:
            """The windows, ``n`` of them, of which one of the ``taps``, the last first, lies at ``p``."""
            low = p - (taps - 1) * d

            def inside(k: Index) -> Index:
                return m.every(((low + k * d) % s == 0, low + k * d >= 0, (low + k * d) // s < n))

            return Hits(taps, lambda k: (low + k * d) // s, inside)

        def element(b: Index, c: Index, *y: Index) -> Payload:
            moved = (p + q for p, q in zip(y, w.before, strict=True))
            windows = list(map(covering, moved, counts, w.taps, w.strides, w.dilation))
            return f.reduce("add", m.after(f.lit(0), m.each(windows, lambda *k: given((b, c, *k), y))))

        return w.layout.written(m, data.dims, x.dtype, element)

    text.__doc__ = share.__doc__
    return text


def _to_greatest(m: Meaning, call: Call, w: Windows, x: Array, grad: Array) -> Given:
    """The gradient of each window goes to its greatest element, the first in row-major order among equals."""
    f, g = m.at(x.dtype), m.at("int64")
    zero, (down, right) = f.lit(0), w.dilation

    def greatest(b: Index, c: Index, *y: Index) -> Payload:
        return f.argreduce("maximum", x.over((b, c, *w.runs(y))))

    found, (high, wide) = m.tensor(grad.dims, "int64", greatest), w.dims(m, x.dims)[2:]
    tops = m.indices((high,), lambda p: first(m, w.run(0, p)))
    lefts = m.indices((wide,), lambda p: first(m, w.run(1, p)))
    widths = m.indices((wide,), lambda p: along(m, w.run(1, p), x.dims[3], False))

    def given(window: tuple[Index, ...], at: tuple[Index, ...]) -> Payload:
        _, _, p, q = window
        rank = (at[0] - tops[p,]) // down * widths[q,] + (at[1] - lefts[q,]) // right
        return f.select(g.equal(found[window], g.lit(rank)), grad[window], zero)

    return given


def _to_all(m: Meaning, call: Call, w: Windows, x: Array, grad: Array) -> Given:
    """The gradient of each window goes to all its elements, divided by what its mean is divided by."""
    f, padded = m.at(x.dtype), A.flag(call, "count_include_pad")

    def part(*i: Index) -> Payload:
        count = w.covered(m, x.dims, i[2:], padded)
        return f.div(grad[i], f.lit(m.most(count, 1)))  # none: a window that gives nothing

    parts = m.tensor(grad.dims, x.dtype, part)
    return lambda window, _at: parts[window]


OPERATORS: tuple[OpDef, ...] = (
    defined("relax.grad.nll_loss_backward", _like_data(3, 4), nll_loss_backward, PAGE),
    defined("relax.grad.max_pool2d_backward", _like_pooled, _backward(_to_greatest), PAGE),
    defined("relax.grad.avg_pool2d_backward", _like_pooled, _backward(_to_all), PAGE),
)
