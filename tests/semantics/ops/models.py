"""NumPy models of the operators that NumPy has no one-liner for, written in float64."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

Array = np.ndarray


def erf(a: Array) -> Array:
    return np.vectorize(math.erf, otypes=[np.float64])(a)


def truncdiv(a: Array, b: Array) -> Array:
    return np.trunc(a / b).astype(a.dtype)


def reduction(name: str, axis: str) -> Callable[[Array], Array]:
    """The NumPy reduction for the keyword text ``, axis=[0, -1], keepdims=True``."""
    words: dict[str, Any] = eval(f"dict({axis.lstrip(', ')})")
    if isinstance(words.get("axis"), list):
        words["axis"] = tuple(words["axis"])
    function = {"variance": np.var}.get(name) or getattr(np, name)

    def model(a: Array) -> Array:
        out = function(a.astype(np.float64) if a.dtype.kind == "f" else a, **words)
        return out if name.startswith("arg") else np.asarray(out, a.dtype)

    return model


def median_at(a: Array) -> Array:
    return np.argsort(a, 0, kind="stable")[(a.shape[0] - 1) // 2]


def reverse_sequence(a: Array, lengths: Array) -> Array:
    out = a.copy()
    for batch, n in enumerate(lengths):
        out[:n, batch] = a[:n, batch][::-1]
    return out


def scatter_add(a: Array, index: Array, updates: Array) -> Array:
    out = a.astype(np.float64)
    for at in np.ndindex(*index.shape):
        out[index[at], at[1]] += updates[at]
    return out


def scatter_update(a: Array, index: Array, updates: Array) -> Array:
    out = a.copy()
    for at in np.ndindex(*index.shape):
        out[index[at], at[1]] = updates[at]
    return out


def scatter_nd(a: Array, index: Array, updates: Array) -> Array:
    out = a.copy()
    out[index[:, 0]] = updates
    return out


def index_put(a: Array, index: Array, values: Array) -> Array:
    out = a.copy()
    np.add.at(out, index, values)
    return out


def slice_scatter(a: Array, b: Array) -> Array:
    out = a.copy()
    out[1:4:2] = b
    return out


def one_hot(a: Array) -> Array:
    return np.where(a[:, None] == np.arange(4)[None, :, None], np.float32(2), np.float32(-1))


def dynamic_slice(a: Array, begin: Array, end: Array, strides: Array) -> Array:
    return a[begin[0] : end[0] : strides[0], begin[1] : end[1] : strides[1]]


def topk(a: Array) -> tuple[Array, Array]:
    order = np.argsort(-a, kind="stable")[:, :2]
    return np.take_along_axis(a, order, 1), order.astype("int32")


def multinomial(p: Array, u: Array, rows: Array) -> Array:
    sums = np.cumsum(p, 1, dtype=np.float32)[rows[:, 0]][:, :-1]
    return (sums <= u).sum(1)[:, None]


def gelu_tanh(a: Array) -> Array:
    a = a.astype(np.float64)
    return 0.5 * a * (1 + np.tanh(math.sqrt(2 / math.pi) * a * (1 + 0.044715 * a * a)))


def selu(a: Array) -> Array:
    a = a.astype(np.float64)
    return 1.0507009873554805 * np.where(a > 0, a, 1.6732632423543772 * np.expm1(a))


def softmax(a: Array, axis: int) -> Array:
    raised = np.exp(a.astype(np.float64) - a.max(axis, keepdims=True))
    return raised / raised.sum(axis, keepdims=True)


def _normalize(a: Array, axes: tuple[int, ...], epsilon: float = 1e-5) -> Array:
    a = a.astype(np.float64)
    return (a - a.mean(axes, keepdims=True)) / np.sqrt(a.var(axes, keepdims=True) + epsilon)


def layer_norm(a: Array, gamma: Array, beta: Array) -> Array:
    value = _normalize(a, (-1,)).astype(a.dtype)
    return (value * gamma).astype(a.dtype) + beta


def rms_norm(a: Array, weight: Array) -> Array:
    x = a.astype(np.float64)
    return x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-5) * weight


def group_norm(a: Array, gamma: Array, beta: Array) -> Array:
    groups = _normalize(a.reshape(2, 2, 2, 3), (2, 3)).reshape(a.shape)
    return groups * gamma[:, None] + beta[:, None]


def instance_norm(a: Array, gamma: Array, beta: Array) -> Array:
    return _normalize(a, (2,)) * gamma[:, None] + beta[:, None]


def batch_norm(a: Array, gamma: Array, beta: Array, mean: Array, variance: Array) -> tuple[Array, Array, Array]:
    out = _normalize(a, (0, 2)) * gamma[:, None] + beta[:, None]
    x = a.astype(np.float64)
    return out, 0.9 * mean + 0.1 * x.mean((0, 2)), 0.9 * variance + 0.1 * x.var((0, 2))


def conv(
    a: Array, w: Array, strides: list[int], before: list[int], after: list[int], dilation: list[int], groups: int
) -> Array:
    """Direct convolution, ``N C spatial`` and ``O I spatial``."""
    n = a.ndim - 2
    x = np.pad(a.astype(np.float64), [(0, 0), (0, 0), *zip(before, after, strict=True)])
    spatial = [(x.shape[2 + k] - dilation[k] * (w.shape[2 + k] - 1) - 1) // strides[k] + 1 for k in range(n)]
    out = np.zeros((a.shape[0], w.shape[0], *spatial))
    per = w.shape[0] // groups
    for b, o in itertools.product(range(a.shape[0]), range(w.shape[0])):
        for y in np.ndindex(*spatial):
            for c in range(w.shape[1]):
                for tap in np.ndindex(*w.shape[2:]):
                    at = tuple(y[k] * strides[k] + tap[k] * dilation[k] for k in range(n))
                    out[(b, o, *y)] += x[(b, o // per * w.shape[1] + c, *at)] * w[(o, c, *tap)]
    return out


def conv_nhwc(a: Array, w: Array) -> Array:
    out = conv(a.transpose(0, 3, 1, 2), w.transpose(0, 3, 1, 2), [1, 1], [0, 0], [0, 0], [1, 1], 1)
    return out.transpose(0, 2, 3, 1)


def conv_transpose(
    a: Array, w: Array, strides: list[int], before: list[int], after: list[int], dilation: list[int], extra: list[int],
    groups: int,
) -> Array:  # fmt: skip
    """Every input element spreads the kernel over the output; the padding is cut off."""
    n = a.ndim - 2
    full = [(a.shape[2 + k] - 1) * strides[k] + dilation[k] * (w.shape[2 + k] - 1) + 1 for k in range(n)]
    out = np.zeros((a.shape[0], w.shape[1] * groups, *(full[k] + extra[k] for k in range(n))))
    per = w.shape[0] // groups
    for b, c, o in itertools.product(range(a.shape[0]), range(w.shape[0]), range(w.shape[1])):
        for x in np.ndindex(*a.shape[2:]):
            for tap in np.ndindex(*w.shape[2:]):
                at = tuple(x[k] * strides[k] + tap[k] * dilation[k] for k in range(n))
                out[(b, c // per * w.shape[1] + o, *at)] += float(a[(b, c, *x)]) * float(w[(c, o, *tap)])
    cut = tuple(slice(before[k], out.shape[2 + k] - after[k]) for k in range(n))
    return out[(slice(None), slice(None), *cut)]


def pool(
    a: Array, taps: list[int], strides: list[int], before: list[int], after: list[int], dilation: list[int], of: Any
) -> Array:
    """Windows over the elements that exist."""
    n = a.ndim - 2
    spatial = [
        (a.shape[2 + k] + before[k] + after[k] - dilation[k] * (taps[k] - 1) - 1) // strides[k] + 1 for k in range(n)
    ]
    out = np.zeros((*a.shape[:2], *spatial), a.dtype)
    for b, c in itertools.product(range(a.shape[0]), range(a.shape[1])):
        for y in np.ndindex(*spatial):
            items = []
            for tap in np.ndindex(*taps):
                at = tuple(y[k] * strides[k] - before[k] + tap[k] * dilation[k] for k in range(n))
                if all(0 <= at[k] < a.shape[2 + k] for k in range(n)):
                    items.append(a[(b, c, *at)])
            out[(b, c, *y)] = of(np.array(items, np.float64))
    return out


def adaptive(a: Array, size: list[int]) -> Array:
    out = np.zeros((*a.shape[:2], *size), a.dtype)
    for y in np.ndindex(*size):
        cut = tuple(slice(p * m // q, -(-(p + 1) * m // q)) for p, m, q in zip(y, a.shape[2:], size, strict=True))
        axes = tuple(range(2, a.ndim))
        out[(slice(None), slice(None), *y)] = a[(slice(None), slice(None), *cut)].astype(np.float64).mean(axes)
    return out


def attention(
    q: Array, k: Array, v: Array, bias: Array | None = None, scale: float | None = None, ahead: int | None = None
) -> Array:
    scores = np.einsum("bihc,bjhc->bhij", q.astype(np.float64), k) * (scale or q.shape[3] ** -0.5)
    if bias is not None:
        scores = scores + bias
    if ahead is not None:
        scores = np.where(np.tril(np.ones(scores.shape[-2:], bool), ahead), scores, -np.inf)
    return np.einsum("bhij,bjhc->bihc", softmax(scores, -1), v)


def pixel_shuffle(a: Array) -> Array:
    n, c, h, w = a.shape
    return a.reshape(n, c // 4, 2, 2, h, w).transpose(0, 1, 4, 2, 5, 3).reshape(n, c // 4, h * 2, w * 2)


def nll_loss(a: Array, t: Array, w: Array) -> Array:
    weights = np.where(t == 1, 0, w[t]).astype(np.float64)
    return (-a[np.arange(4), t] * weights).sum() / weights.sum()


def quantize(a: Array, scale: Array, zero: Array) -> Array:
    return np.clip(np.round(a / scale) + zero, -128, 127).astype("int8")


def resize(a: Array, size: tuple[int, int]) -> Array:
    """Bilinear, half-pixel centres, clamped."""
    x = a.astype(np.float64)
    for axis, q in ((2, size[0]), (3, size[1])):
        n = x.shape[axis]
        at = (np.arange(q) + 0.5) * (n / q) - 0.5
        base = np.floor(at).astype(int)
        t = (at - base).reshape([-1 if k == axis else 1 for k in range(4)])
        x = x.take(base.clip(0, n - 1), axis) * (1 - t) + x.take((base + 1).clip(0, n - 1), axis) * t
    return x


def resize_corners(a: Array) -> Array:
    """Bilinear, 5 x 6, corners on corners."""
    x = a.astype(np.float64)
    for axis, q in ((2, 5), (3, 6)):
        n = x.shape[axis]
        at = np.arange(q) * (n - 1) / (q - 1)
        base = np.minimum(np.floor(at + 1e-12), n - 2).astype(int)
        t = (at - base).reshape([-1 if k == axis else 1 for k in range(4)])
        x = x.take(base, axis) * (1 - t) + x.take(base + 1, axis) * t
    return x


def resize_cubic(a: Array) -> Array:
    """Bicubic with -3/4, 7 x 3, half-pixel centres, clamped."""

    def weight(t: float) -> float:
        t = abs(t)
        if t <= 1:
            return 1.25 * t**3 - 2.25 * t**2 + 1
        return -0.75 * (t**3 - 5 * t**2 + 8 * t - 4) if t < 2 else 0.0

    x = a.astype(np.float64)
    for axis, q in ((2, 7), (3, 3)):
        n = x.shape[axis]
        matrix = np.zeros((q, n))
        for k in range(q):
            at = (k + 0.5) * n / q - 0.5
            for p in range(math.floor(at) - 1, math.floor(at) + 3):
                matrix[k, min(max(p, 0), n - 1)] += weight(at - p)
        x = np.moveaxis(np.tensordot(matrix, x, (1, axis)), 0, axis)
    return x


def layout_transform(a: Array) -> Array:
    out = np.full((2, 2, 4), 9, a.dtype)
    for i, j in np.ndindex(*a.shape):
        out[j // 4, i, j % 4] = a[i, j]
    return out


def take_backward(grad: Array, x: Array, index: Array) -> Array:
    out = np.zeros_like(x)
    np.add.at(out, index, grad)
    return out
