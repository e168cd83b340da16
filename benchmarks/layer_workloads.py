"""More of what ``strangers.py`` times: steps of usual models at odd extents, and the same in good NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
from array_workloads import INFINITE, Array, F, Workload, each, normal, softmax, tensor, windows

B = np.int8

# --- by hand ---------------------------------------------------------------------------------------------------------


def norm_silu(x: Array, g: Array, b: Array) -> Array:
    """Group norm of eight groups, and ``y * sigmoid(y)``."""
    c = x.reshape(x.shape[0], 8, -1)
    c = c - c.mean(-1, keepdims=True)
    c /= np.sqrt(np.einsum("bgk,bgk->bg", c, c) / F(c.shape[-1]) + F(1e-5))[..., None]
    y = c.reshape(x.shape)
    y *= g[:, None, None]
    y += b[:, None, None]
    return y / (1 + np.exp(-y))


def odd_norm(x: Array, g: Array, b: Array) -> Array:
    c = x - x.mean(-1, keepdims=True)
    c /= np.sqrt(np.einsum("ijk,ijk->ij", c, c) / F(x.shape[-1]) + F(1e-5))[..., None]
    c *= g
    c += b
    return c


def pairs_turned(x: Array, cos: Array, sin: Array) -> Array:
    """Rotary positions of neighbours."""
    out = np.empty_like(x)
    a, b = x[..., ::2], x[..., 1::2]
    np.subtract(a * cos, b * sin, out=out[..., ::2])
    np.add(a * sin, b * cos, out=out[..., 1::2])
    return out


def cached(k: Array, new: Array) -> Array:
    out = k.copy()
    out[:, 700:716] = new
    return out


def conv1d(x: Array, w: Array) -> Array:
    """Kernel 5, stride 2."""
    p = np.pad(x, ((0, 0), (0, 0), (2, 2)))
    cells = np.lib.stride_tricks.sliding_window_view(p, 5, axis=2)[:, :, ::2]
    return np.tensordot(cells, w, axes=((1, 3), (1, 2))).transpose(0, 2, 1)


def pointwise_conv(x: Array, w: Array) -> Array:
    n, c, h, v = x.shape
    return (w[:, :, 0, 0] @ x.reshape(n, c, h * v)).reshape(n, -1, h, v)


def five_pool(x: Array) -> Array:
    """Kernel 5, stride 3, two rows above and one below; along one axis, then along the other."""
    p = np.pad(x, ((0, 0), (0, 0), (2, 1), (2, 1)), constant_values=-np.inf)
    rows = p[:, :, 0:-4:3]
    for k in range(1, 5):
        rows = np.maximum(rows, p[:, :, k : p.shape[2] - 4 + k : 3])
    out = rows[..., 0:-4:3]
    for k in range(1, 5):
        out = np.maximum(out, rows[..., k : rows.shape[3] - 4 + k : 3])
    return out


def strided_pool(x: Array) -> Array:
    return windows(x, 2, 2).mean((-2, -1))


def masked(s: Array, m: Array) -> Array:
    return softmax(np.where(m, s, F(-np.inf)))


def int8_layer(x: Array, w: Array, s: Array) -> Array:
    """In float64, which has all sums, by BLAS."""
    y = x.astype(np.float64) @ w.astype(np.float64)
    y = y.astype(F) * s
    return np.clip(np.rint(y), -128, 127).astype(B)


def chosen_rows(x: Array, y: Array) -> Array:
    """What stands in ``y`` where ``x`` has its greatest eight."""
    some = np.argpartition(x, -8, axis=-1)[:, -8:]
    order = np.argsort(-np.take_along_axis(x, some, -1), axis=-1)
    return np.take_along_axis(y, np.take_along_axis(some, order, -1), -1)


def beam(x: Array, scores: Array) -> Array:
    """The best four continuations of all beams."""
    m = x - x.max(-1, keepdims=True)
    total = (m - np.log(np.exp(m).sum(-1, keepdims=True)) + scores[:, None]).reshape(-1)
    return -np.sort(-np.partition(total, -4)[-4:])


def overlaps(a: Array, b: Array) -> Array:
    """Intersection over union of all pairs of boxes."""
    low = np.maximum(a[:, None, :2], b[None, :, :2])
    high = np.minimum(a[:, None, 2:], b[None, :, 2:])
    size = np.maximum(high - low, 0)
    shared = size[..., 0] * size[..., 1]
    areas = [(t[:, 2] - t[:, 0]) * (t[:, 3] - t[:, 1]) for t in (a, b)]
    return shared / (areas[0][:, None] + areas[1] - shared)


def bag(t: Array, i: Array) -> Array:
    return t[i].mean(1)


def adam(p: Array, g: Array, m: Array, v: Array) -> Array:
    m = F(0.9) * m + F(0.1) * g
    v = F(0.999) * v + F(0.001) * (g * g)
    return p - F(0.01) * m / (np.sqrt(v) + F(1e-8))


def standard(x: Array) -> Array:
    c = x - x.mean(0)
    return c / np.sqrt((c * c).mean(0) + F(1e-5))


def unit_rows(x: Array) -> Array:
    return x / np.sqrt(np.einsum("ij,ij->i", x, x))[:, None]


def distances(x: Array, y: Array) -> Array:
    return np.einsum("ij,ij->i", x, x)[:, None] + np.einsum("ij,ij->i", y, y) - 2 * (x @ y.T)


def hits(x: Array, y: Array) -> Array:
    return (x.argmax(-1) == y).mean(dtype=F)


# --- the table -------------------------------------------------------------------------------------------------------


def boxes(count: int) -> Any:
    def make(rng: np.random.Generator) -> Array:
        low = rng.random((count, 2))
        return np.concatenate([low, low + rng.random((count, 2)) + 0.01], axis=1).astype(F)

    return make


def bytes_(*shape: int) -> Any:
    return lambda rng: rng.integers(-128, 128, shape).astype(B)


# ruff: noqa: E501
LAYERS: dict[str, Workload] = {
    "group_norm_silu": Workload(
        f"{tensor('x', 'n, 32, 28, 28')}, {tensor('g', '32,')}, {tensor('b', '32,')}",
        "y = R.nn.group_norm(x, g, b, num_groups=8, channel_axis=1, axes=[2, 3])\nout = R.nn.silu(y)",
        each(normal(4, 32, 28, 28), normal(32), normal(32)), norm_silu, 1e-3,
    ),
    "layer_norm_odd": Workload(
        f"{tensor('x', 'n, 7, 333')}, {tensor('g', '333,')}, {tensor('b', '333,')}",
        "out = R.nn.layer_norm(x, g, b, axes=[-1])", each(normal(61, 7, 333), normal(333), normal(333)), odd_norm, 1e-3,
    ),
    "rotary_pairs": Workload(
        f"{tensor('x', 'n, 8, 64')}, {tensor('cos', 'n, 1, 32')}, {tensor('sin', 'n, 1, 32')}",
        """a = R.strided_slice(x, axes=[2], begin=[0], end=[64], strides=[2])
        b = R.strided_slice(x, axes=[2], begin=[1], end=[64], strides=[2])
        p = R.multiply(a, cos)
        q = R.multiply(b, sin)
        low = R.subtract(p, q)
        r = R.multiply(a, sin)
        s = R.multiply(b, cos)
        high = R.add(r, s)
        both = R.stack((low, high), axis=3)
        out = R.reshape(both, R.shape([n, 8, 64]))""",
        each(normal(300, 8, 64), normal(300, 1, 32), normal(300, 1, 32)), pairs_turned,
    ),
    "cache_update": Workload(
        f"{tensor('k', '8, n, 64')}, {tensor('new', '8, 16, 64')}",
        "out = R.slice_scatter(k, new, 700, 716, 1, axis=1)", each(normal(8, 1024, 64), normal(8, 16, 64)), cached,
    ),
    "conv1d_strided": Workload(
        f"{tensor('x', 'n, 32, 1001')}, {tensor('w', '48, 32, 5')}",
        "out = R.nn.conv1d(x, w, strides=[2], padding=[2, 2])", each(normal(2, 32, 1001), normal(48, 32, 5)), conv1d, 1e-3,
    ),
    "pointwise_conv": Workload(
        f"{tensor('x', 'n, 64, 28, 28')}, {tensor('w', '96, 64, 1, 1')}", "out = R.nn.conv2d(x, w)",
        each(normal(2, 64, 28, 28), normal(96, 64, 1, 1)), pointwise_conv, 1e-3,
    ),
    "max_pool_uneven": Workload(
        tensor("x", "n, 16, 57, 57"),
        "out = R.nn.max_pool2d(x, pool_size=[5, 5], strides=[3, 3], padding=[2, 2, 1, 1])",
        each(normal(2, 16, 57, 57)), five_pool,
    ),
    "avg_pool_halves": Workload(
        tensor("x", "n, 16, 56, 56"), "out = R.nn.avg_pool2d(x, pool_size=[2, 2], strides=[2, 2])",
        each(normal(2, 16, 56, 56)), strided_pool,
    ),
    "cumsum_middle": Workload(
        tensor("x", "n, 128, 96"), "out = R.cumsum(x, axis=1)", each(normal(8, 128, 96)), lambda x: np.cumsum(x, 1), 1e-3,
    ),
    "masked_softmax": Workload(
        f"{tensor('s', 'n, 96, 96')}, {tensor('m', '96, 96', 'bool')}",
        f"h = R.where(m, s, {INFINITE})\nout = R.nn.softmax(h, axis=-1)",
        lambda rng: [normal(8, 96, 96)(rng), np.tri(96, dtype=bool)], masked,
    ),
    "int8_layer": Workload(
        f"{tensor('x', 'n, 256', 'int8')}, {tensor('w', '256, 128', 'int8')}, {tensor('s', '128,')}",
        """y = R.matmul(x, w, out_dtype="int32")
        f = R.astype(y, "float32")
        t = R.multiply(f, s)
        r = R.round(t)
        c = R.clip(r, -128, 127)
        out = R.astype(c, "int8")""",
        lambda rng: [bytes_(64, 256)(rng), bytes_(256, 128)(rng), (rng.random(128) * 1e-3).astype(F)], int8_layer, 1.0,
    ),
    "topk_gather": Workload(
        f"{tensor('x', 'n, 512')}, {tensor('y', 'n, 512')}",
        'i = R.topk(x, k=8, axis=-1, ret_type="indices", largest=True, dtype="int64")\nout = R.gather_elements(y, i, axis=1)',
        each(normal(100, 512), normal(100, 512)), chosen_rows,
    ),
    "beam_step": Workload(
        f"{tensor('x', '4, 5000')}, {tensor('scores', '4,')}",
        """l = R.nn.log_softmax(x, axis=-1)
        e = R.expand_dims(scores, axis=1)
        t = R.add(l, e)
        f = R.reshape(t, R.shape([20000]))
        out = R.topk(f, k=4, axis=0, ret_type="values", largest=True)""",
        each(normal(4, 5000), normal(4)), beam, symbols="",
    ),
    "box_overlaps": Workload(
        f"{tensor('a', 'n, 4')}, {tensor('b', 'm, 4')}",
        "\n".join(
            [f"{t}{k} = R.strided_slice({t}, axes=[1], begin=[{k}], end=[{k + 1}])" for t in "ab" for k in range(4)]
            + [f"c{k} = R.permute_dims(b{k}, axes=[1, 0])" for k in range(4)]
        ) + """
        lx = R.maximum(a0, c0)
        ly = R.maximum(a1, c1)
        hx = R.minimum(a2, c2)
        hy = R.minimum(a3, c3)
        dx = R.subtract(hx, lx)
        dy = R.subtract(hy, ly)
        wx = R.maximum(dx, R.const(0, "float32"))
        wy = R.maximum(dy, R.const(0, "float32"))
        both = R.multiply(wx, wy)
        ax = R.subtract(a2, a0)
        ay = R.subtract(a3, a1)
        aa = R.multiply(ax, ay)
        bx = R.subtract(c2, c0)
        by = R.subtract(c3, c1)
        bb = R.multiply(bx, by)
        ab = R.add(aa, bb)
        any = R.subtract(ab, both)
        out = R.divide(both, any)""",
        each(boxes(300), boxes(200)), overlaps, symbols="n m",
    ),
    "embedding_bag": Workload(
        f"{tensor('t', '5000, 48')}, {tensor('i', 'n, 20', 'int64')}", "e = R.take(t, i, axis=0)\nout = R.mean(e, axis=[1])",
        lambda rng: [normal(5000, 48)(rng), rng.integers(0, 5000, (64, 20))], bag,
    ),
    "adam_step": Workload(
        ", ".join(tensor(t, "n, 300") for t in "pgmv"),
        """m0 = R.multiply(m, R.const(0.9, "float32"))
        m1 = R.multiply(g, R.const(0.1, "float32"))
        m2 = R.add(m0, m1)
        v0 = R.multiply(v, R.const(0.999, "float32"))
        g2 = R.multiply(g, g)
        v1 = R.multiply(g2, R.const(0.001, "float32"))
        v2 = R.add(v0, v1)
        r = R.sqrt(v2)
        d = R.add(r, R.const(1e-8, "float32"))
        s = R.multiply(m2, R.const(0.01, "float32"))
        q = R.divide(s, d)
        out = R.subtract(p, q)""",
        lambda rng: [*(normal(300, 300)(rng) for _ in "pgm"), rng.random((300, 300)).astype(F)], adam,
    ),
    "standardise": Workload(
        tensor("x", "n, 200"),
        """m = R.mean(x, axis=[0], keepdims=True)
        c = R.subtract(x, m)
        v = R.variance(x, axis=[0], keepdims=True)
        e = R.add(v, R.const(1e-5, "float32"))
        r = R.sqrt(e)
        out = R.divide(c, r)""",
        each(normal(500, 200)), standard, 1e-3,
    ),
    "unit_rows": Workload(
        tensor("x", "n, 129"),
        "q = R.multiply(x, x)\ns = R.sum(q, axis=[1], keepdims=True)\nr = R.sqrt(s)\nout = R.divide(x, r)",
        each(normal(700, 129)), unit_rows, 1e-3,
    ),
    "distances": Workload(
        f"{tensor('x', 'n, 64')}, {tensor('y', 'm, 64')}",
        """p = R.multiply(x, x)
        a = R.sum(p, axis=[1], keepdims=True)
        q = R.multiply(y, y)
        b = R.sum(q, axis=[1])
        t = R.permute_dims(y, axes=[1, 0])
        d = R.matmul(x, t)
        s = R.add(a, b)
        e = R.multiply(d, R.const(2.0, "float32"))
        out = R.subtract(s, e)""",
        each(normal(200, 64), normal(300, 64)), distances, 1e-3, symbols="n m",
    ),
    "hits": Workload(
        f"{tensor('x', 'n, 100')}, {tensor('y', 'n,', 'int64')}",
        """i = R.argmax(x, axis=-1, keepdims=False)
        h = R.equal(i, y)
        f = R.astype(h, "float32")
        out = R.mean(f)""",
        lambda rng: [normal(1000, 100)(rng), rng.integers(0, 100, 1000)], hits,
    ),
}  # fmt: skip
