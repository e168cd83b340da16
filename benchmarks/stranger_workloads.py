"""The workloads of ``strangers.py``: what who does not know the package would try, and the same in good NumPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
from array_workloads import (
    INFINITE,
    SCORES,
    Array,
    F,
    Workload,
    attend,
    batch_norm,
    each,
    half_matmul,
    normal,
    pad1,
    rms_norm,
    softmax,
    tensor,
    windows,
)

Draw = Callable[[np.random.Generator], Array]
H, BF = np.float16, ml_dtypes.bfloat16
IMAGE = normal(2, 16, 64, 64)


def below(most: int, *shape: int) -> Draw:
    return lambda rng: rng.integers(0, most, shape)


def small(*shape: int) -> Draw:
    """Weights of a layer that keeps the size of what goes through."""
    return lambda rng: (rng.standard_normal(shape) / np.sqrt(shape[0])).astype(F)


def positive(*shape: int) -> Draw:
    return lambda rng: (rng.random(shape) + 0.5).astype(F)


def narrow(dtype: Any, *shape: int) -> Draw:
    return lambda rng: rng.standard_normal(shape).astype(dtype)


# --- by hand ---------------------------------------------------------------------------------------------------------


def gelu(x: Array) -> Array:
    """By the usual formula of the error function (Abramowitz and Stegun 7.1.26), as NumPy has none."""
    z = np.abs(x) * F(0.70710678)
    t = F(1) / (F(1) + F(0.3275911) * z)
    p = t * (F(0.254829592) + t * (F(-0.284496736) + t * (F(1.421413741) + t * (F(-1.453152027) + t * F(1.061405429)))))
    erf = np.copysign(F(1) - p * np.exp(-z * z), x)
    return F(0.5) * x * (F(1) + erf)


def swiglu(x: Array, wg: Array, wu: Array) -> Array:
    g = x @ wg
    return g / (1 + np.exp(-g)) * (x @ wu)


def block(x: Array, g: Array, wq: Array, wk: Array, wv: Array, wo: Array, up: Array, down: Array) -> Array:
    n = x.shape[0]
    h = rms_norm(x, g)
    q, k, v = ((h @ w).reshape(n, 4, 32).transpose(1, 0, 2) for w in (wq, wk, wv))
    s = softmax(q @ k.transpose(0, 2, 1) * F(0.17677669))
    x = x + (s @ v).transpose(1, 0, 2).reshape(n, 128) @ wo
    return x + np.maximum(rms_norm(x, g) @ up, 0) @ down


def conv(x: Array, w: Array) -> Array:
    return np.tensordot(windows(pad1(x), 3), w, axes=((1, 4, 5), (1, 2, 3))).transpose(0, 3, 1, 2)


def conv_bn_relu(x: Array, w: Array, g: Array, b: Array, m: Array, v: Array) -> Array:
    scale = g / np.sqrt(v + F(1e-5))
    y = conv(x, w * scale[:, None, None, None])
    y += (b - m * scale)[:, None, None]
    return np.maximum(y, 0, out=y)


def grouped(x: Array, w: Array) -> Array:
    parts = zip(np.split(x, 4, axis=1), np.split(w, 4), strict=True)
    return np.concatenate([conv(a, b) for a, b in parts], axis=1)


def depthwise(x: Array, w: Array) -> Array:
    p, (h, v) = pad1(x), x.shape[2:]
    out = p[:, :, :h, :v] * w[:, 0, 0, 0][:, None, None]
    for i in range(3):
        for j in range(3):
            if i or j:
                out += p[:, :, i : i + h, j : j + v] * w[:, 0, i, j][:, None, None]
    return out


def transposed(x: Array, w: Array) -> Array:
    """Stride 2, kernel 2: the taps do not overlap."""
    n, _, h, v = x.shape
    y = np.tensordot(x, w, axes=((1,), (0,)))  # n, h, v, o, i, j
    return y.transpose(0, 3, 1, 4, 2, 5).reshape(n, w.shape[1], 2 * h, 2 * v)


def rotary(x: Array, cos: Array, sin: Array) -> Array:
    half = x.shape[-1] // 2
    turned = np.concatenate([-x[..., half:], x[..., :half]], axis=-1)
    return x * cos + turned * sin


def window_attention(q: Array, k: Array, v: Array) -> Array:
    """Blocks of 64 queries, over the keys that they see."""
    out = np.empty_like(q)
    for at in range(0, q.shape[1], 64):
        low, high = max(0, at - 63), min(at + 64, q.shape[1])
        apart = np.arange(at, high)[:, None] - np.arange(low, high)
        out[:, at:high] = attend(q[:, at:high], k[:, low:high], v[:, low:high], (apart >= 0) & (apart < 64))
    return out


def max_pool(x: Array) -> Array:
    p, (h, v) = pad1(x, -np.inf), x.shape[2:]
    rows = np.maximum(np.maximum(p[:, :, 0:h:2], p[:, :, 1 : h + 1 : 2]), p[:, :, 2 : h + 2 : 2])
    return np.maximum(np.maximum(rows[..., 0:v:2], rows[..., 1 : v + 1 : 2]), rows[..., 2 : v + 2 : 2])


def avg_pool(x: Array) -> Array:
    """One axis after the other; what is outside does not count."""
    p, (h, v) = pad1(x), x.shape[2:]
    rows = p[:, :, :h] + p[:, :, 1 : h + 1] + p[:, :, 2 : h + 2]
    out = rows[..., :v] + rows[..., 1 : v + 1] + rows[..., 2 : v + 2]
    across = [np.full(k, 3, F) for k in (h, v)]
    for line in across:
        line[0] = line[-1] = 2
    return out / np.multiply.outer(*across)


def ends(x: Array) -> Array:
    return x.reshape(*x.shape[:2], -1).mean(-1).reshape(*x.shape[:2], 1, 1)


def lerp(x: Array, axis: int) -> Array:
    """Twice as long, linear, half-pixel."""
    n = x.shape[axis]
    at = np.clip((np.arange(2 * n) + 0.5) / 2 - 0.5, 0, n - 1)
    low = np.floor(at).astype(int)
    t = (at - low).astype(F).reshape([-1 if k == axis else 1 for k in range(4)])
    a = np.take(x, low, axis)
    return a + (np.take(x, np.minimum(low + 1, n - 1), axis) - a) * t


def grid_sample(x: Array, grid: Array) -> Array:
    """Bilinear, zeros outside, corners aligned."""
    n, c, h, w = x.shape
    px, py = (grid[:, 0] + 1) * F(0.5 * (w - 1)), (grid[:, 1] + 1) * F(0.5 * (h - 1))
    x0, y0 = np.floor(px), np.floor(py)
    tx, ty = px - x0, py - y0
    flat, out = x.transpose(0, 2, 3, 1), np.zeros((n, *px.shape[1:], c), F)
    at = np.arange(n)[:, None, None]
    for dy in (0, 1):
        for dx in (0, 1):
            i, j = y0.astype(int) + dy, x0.astype(int) + dx
            weight = (ty if dy else 1 - ty) * (tx if dx else 1 - tx)
            weight = np.where((i >= 0) & (i < h) & (j >= 0) & (j < w), weight, F(0))
            out += flat[at, np.clip(i, 0, h - 1), np.clip(j, 0, w - 1)] * weight[..., None]
    return out.transpose(0, 3, 1, 2)


def put(x: Array, i: Array, u: Array) -> Array:
    out = x.copy()
    out[i[:, 0]] = u
    return out


def put_add(x: Array, i: Array, j: Array, u: Array) -> Array:
    """Sums by ``bincount``, which is the quick way for scalars."""
    added = np.bincount(i * x.shape[1] + j, weights=u, minlength=x.size)
    return x + added.reshape(x.shape).astype(F)


def put_along(x: Array, i: Array, u: Array) -> Array:
    out = x.copy()
    np.put_along_axis(out, i, u, axis=1)
    return out


def hot(i: Array) -> Array:
    out = np.zeros((i.size, 512), F)
    out[np.arange(i.size), i] = 1
    return out


def top(x: Array) -> Array:
    """The greatest ten, in order: the rest is not sorted."""
    some = np.argpartition(x, -10, axis=-1)[:, -10:]
    values = np.take_along_axis(x, some, -1)
    return -np.sort(-values, axis=-1)


def cross_entropy(x: Array, y: Array) -> Array:
    t = x - x.max(-1, keepdims=True)
    logs = t - np.log(np.exp(t).sum(-1, keepdims=True))
    return -np.einsum("ij,ij->", logs, y) / F(len(x))


def nll(x: Array, t: Array) -> Array:
    m = x - x.max(-1, keepdims=True)
    return -(m[np.arange(len(t)), t] - np.log(np.exp(m).sum(-1))).mean()


def quantized(x: Array, s: Array, z: Array) -> Array:
    q = np.rint(x / s[:, None])
    q += z[:, None]
    return np.clip(q, -128, 127, out=q).astype(np.int8)


def dequantized(q: Array, s: Array, z: Array) -> Array:
    return (q - z[:, None].astype(np.int32)).astype(F) * s[:, None]


def wide_chain(x: Array, y: Array) -> Array:
    a, b = x.astype(F), y.astype(F)
    return np.maximum((a + b) * a - b, 0).astype(x.dtype)


def half_softmax(x: Array) -> Array:
    return softmax(x.astype(F)).astype(H)


def half_norm(x: Array, g: Array) -> Array:
    return rms_norm(x.astype(F), g.astype(F)).astype(H)


def chosen(x: Array, y: Array) -> Array:
    """Not by ``maximum``, which gives NaN where this does not."""
    b = np.where(x > y, x, y)
    return np.where(b < 0, b * F(0.1), b)


def append(k: Array, new: Array, q: Array) -> Array:
    """A step of a cache: what is new behind the rest, and the scores of a query."""
    return q @ np.concatenate([k, new], axis=1).transpose(0, 2, 1)


def variance(x: Array) -> Array:
    return x.var((0, 2))


def circular(x: Array) -> Array:
    return np.pad(x, ((0, 0), (2, 2), (2, 2)), mode="reflect")


def strides(x: Array) -> Array:
    return np.ascontiguousarray(x[:, ::-2, 1::3])


def pieces(x: Array) -> Array:
    a, b, c = np.split(x, 3, axis=1)
    return np.stack([a + b, b * c, c], axis=1)


def shuffle(x: Array) -> Array:
    n, c, h, w = x.shape
    return x.reshape(n, c // 4, 2, 2, h, w).transpose(0, 1, 4, 2, 5, 3).reshape(n, c // 4, 2 * h, 2 * w)


# ruff: noqa: E501
# --- the table -------------------------------------------------------------------------------------------------------


def call(
    op: str, given: Draw, by_hand: Callable[..., Array], shape: str, tolerance: float = 1e-4, dtype: str = "float32"
) -> Workload:
    """One operator on one tensor ``x``."""
    return Workload(tensor("x", shape, dtype), f"out = {op}", each(given), by_hand, tolerance)


WORKLOADS: dict[str, Workload] = {
    "transformer_block": Workload(
        ", ".join([tensor("x", "n, 128"), tensor("g", "128,"), *(tensor(w, "128, 128") for w in ("wq", "wk", "wv", "wo")),
                   tensor("up", "128, 512"), tensor("down", "512, 128")]),
        """h = R.nn.rms_norm(x, g, axes=[-1])
        q0 = R.matmul(h, wq)
        k0 = R.matmul(h, wk)
        v0 = R.matmul(h, wv)
        q1 = R.reshape(q0, R.shape([n, 4, 32]))
        k1 = R.reshape(k0, R.shape([n, 4, 32]))
        v1 = R.reshape(v0, R.shape([n, 4, 32]))
        q = R.permute_dims(q1, axes=[1, 0, 2])
        k = R.permute_dims(k1, axes=[1, 2, 0])
        v = R.permute_dims(v1, axes=[1, 0, 2])
        s0 = R.matmul(q, k)
        s1 = R.multiply(s0, R.const(0.17677669, "float32"))
        s = R.nn.softmax(s1, axis=-1)
        a = R.matmul(s, v)
        a1 = R.permute_dims(a, axes=[1, 0, 2])
        a2 = R.reshape(a1, R.shape([n, 128]))
        a3 = R.matmul(a2, wo)
        x1 = R.add(x, a3)
        h1 = R.nn.rms_norm(x1, g, axes=[-1])
        u = R.matmul(h1, up)
        r = R.nn.relu(u)
        d = R.matmul(r, down)
        out = R.add(x1, d)""",
        each(normal(128, 128), normal(128), *[small(128, 128)] * 4, small(128, 512), small(512, 128)), block, 1e-3,
    ),
    "conv_bn_relu": Workload(
        ", ".join([tensor("x", "n, 16, 64, 64"), tensor("w", "32, 16, 3, 3"), *(tensor(t, "32,") for t in "gbmv")]),
        "c = R.nn.conv2d(x, w, padding=[1, 1, 1, 1])\n"
        "t = R.nn.batch_norm(c, g, b, m, v, axis=1, training=False)\na = t[0]\nout = R.nn.relu(a)",
        each(IMAGE, normal(32, 16, 3, 3), *[positive(32)] * 4), conv_bn_relu, 1e-3,
    ),
    "grouped_conv": Workload(
        f"{tensor('x', 'n, 16, 64, 64')}, {tensor('w', '32, 4, 3, 3')}",
        "out = R.nn.conv2d(x, w, padding=[1, 1, 1, 1], groups=4)", each(IMAGE, normal(32, 4, 3, 3)), grouped, 1e-3,
    ),
    "depthwise_conv": Workload(
        f"{tensor('x', 'n, 16, 64, 64')}, {tensor('w', '16, 1, 3, 3')}",
        "out = R.nn.conv2d(x, w, padding=[1, 1, 1, 1], groups=16)", each(IMAGE, normal(16, 1, 3, 3)), depthwise,
    ),
    "transposed_conv": Workload(
        f"{tensor('x', 'n, 16, 64, 64')}, {tensor('w', '16, 8, 2, 2')}",
        "out = R.nn.conv2d_transpose(x, w, strides=[2, 2])", each(IMAGE, normal(16, 8, 2, 2)), transposed, 1e-3,
    ),
    "rms_norm": Workload(
        f"{tensor('x', 'n, 256')}, {tensor('g', '256,')}", "out = R.nn.rms_norm(x, g, axes=[-1])",
        each(normal(512, 256), normal(256)), rms_norm,
    ),
    "rotary": Workload(
        f"{tensor('x', 'n, 8, 64')}, {tensor('cos', 'n, 1, 64')}, {tensor('sin', 'n, 1, 64')}",
        """t = R.split(x, 2, axis=-1)
        a = t[0]
        b = t[1]
        m = R.negative(b)
        turned = R.concat((m, a), axis=-1)
        p = R.multiply(x, cos)
        q = R.multiply(turned, sin)
        out = R.add(p, q)""",
        each(normal(512, 8, 64), normal(512, 1, 64), normal(512, 1, 64)), rotary,
    ),
    "cache_append": Workload(
        f"{tensor('k', '8, n, 64')}, {tensor('new', '8, 1, 64')}, {tensor('q', '8, 1, 64')}",
        "all = R.concat((k, new), axis=1)\nt = R.permute_dims(all, axes=[0, 2, 1])\nout = R.matmul(q, t)",
        each(normal(8, 1023, 64), normal(8, 1, 64), normal(8, 1, 64)), append, 1e-3,
    ),
    "window_attention": Workload(
        ", ".join(tensor(name, "8, n, 64") for name in "qkv"),
        f"""{SCORES}
        past = R.greater_equal(apart, R.const(0, "int64"))
        near = R.less(apart, R.const(64, "int64"))
        seen = R.logical_and(past, near)
        hidden = R.where(seen, s, {INFINITE})
        w = R.nn.softmax(hidden, axis=-1)
        out = R.matmul(w, v)""",
        each(*[normal(8, 512, 64)] * 3), window_attention, 1e-3,
    ),
    "gelu": call("R.nn.gelu(x)", normal(512, 512), gelu, "n, 512"),
    "swiglu": Workload(
        f"{tensor('x', 'n, 256')}, {tensor('wg', '256, 512')}, {tensor('wu', '256, 512')}",
        "g = R.matmul(x, wg)\nu = R.matmul(x, wu)\ns = R.nn.silu(g)\nout = R.multiply(s, u)",
        each(normal(128, 256), small(256, 512), small(256, 512)), swiglu, 1e-3,
    ),
    "cumsum": call("R.cumsum(x, axis=0)", normal(512, 512), lambda x: np.cumsum(x, 0), "n, 512", 1e-3),
    "argsort": call('R.argsort(x, axis=-1, dtype="int32")', normal(256, 512),
                    lambda x: np.argsort(x, -1, kind="stable").astype(np.int32), "n, 512", 0.0),
    "gather_nd": Workload(
        f"{tensor('x', 'm, 128, 8')}, {tensor('i', 'n, 2', 'int64')}", "out = R.gather_nd(x, i)",
        each(normal(128, 128, 8), below(128, 8192, 2)), lambda x, i: x[i[:, 0], i[:, 1]], symbols="n m",
    ),
    "scatter_update": Workload(
        f"{tensor('x', '4096, 64')}, {tensor('i', 'n, 1', 'int64')}, {tensor('u', 'n, 64')}",
        'out = R.scatter_nd(x, i, u, reduction="update")',
        lambda rng: [normal(4096, 64)(rng), rng.permutation(4096)[:1024, None], normal(1024, 64)(rng)], put,
    ),
    "scatter_elements": Workload(
        f"{tensor('x', 'n, 1024')}, {tensor('i', 'n, 128', 'int64')}, {tensor('u', 'n, 128')}",
        'out = R.scatter_elements(x, i, u, axis=1, reduction="update")',
        lambda rng: [normal(256, 1024)(rng), rng.permuted(np.tile(np.arange(1024), (256, 1)), axis=1)[:, :128].copy(),
                     normal(256, 128)(rng)], put_along,
    ),
    "index_put_add": Workload(
        f"{tensor('x', 'm, 256')}, {tensor('i', 'n,', 'int64')}, {tensor('j', 'n,', 'int64')}, {tensor('u', 'n,')}",
        "out = R.index_put(x, (i, j), u, accumulate=True)",
        each(normal(256, 256), below(256, 16384), below(256, 16384), normal(16384)), put_add, symbols="n m",
    ),
    "unique": Workload(
        tensor("x", "n,", "int64"), "t = R.unique(x, True, False, False, False)\nout = t", each(below(1000, 20000)), np.unique, 0.0
    ),
    "where_chain": Workload(
        f"{tensor('x', 'n, 512')}, {tensor('y', 'n, 512')}",
        """a = R.greater(x, y)
        b = R.where(a, x, y)
        c = R.less(b, R.const(0, "float32"))
        d = R.multiply(b, R.const(0.1, "float32"))
        out = R.where(c, d, b)""",
        each(normal(512, 512), normal(512, 512)),
        chosen,
    ),
    "embedding": Workload(
        f"{tensor('t', '8192, 64')}, {tensor('i', 'n, 128', 'int64')}", "out = R.take(t, i, axis=0)",
        each(normal(8192, 64), below(8192, 32, 128)), lambda t, i: t[i],
    ),
    "split_stack": Workload(
        tensor("x", "n, 768"),
        """t = R.split(x, 3, axis=1)
        a = t[0]
        b = t[1]
        c = t[2]
        p = R.add(a, b)
        q = R.multiply(b, c)
        out = R.stack((p, q, c), axis=1)""",
        each(normal(512, 768)), pieces,
    ),
    "concat": Workload(
        f"{tensor('x', 'n, 256')}, {tensor('y', 'n, 128')}, {tensor('z', 'n, 64')}",
        "out = R.concat((x, y, z), axis=1)", each(normal(1024, 256), normal(1024, 128), normal(1024, 64)),
        lambda x, y, z: np.concatenate([x, y, z], axis=1),
    ),
    "strided_slice": call("R.strided_slice(x, axes=[1, 2], begin=[-1, 1], end=[-1000, 1000], strides=[-2, 3])",
                          normal(16, 256, 256), strides, "n, 256, 256"),
    "tile": call("R.tile(x, repeats=[4, 3])", normal(256, 256), lambda x: np.tile(x, (4, 3)), "n, 256"),
    "flip": call("R.flip(x, axis=1)", normal(512, 512), lambda x: np.ascontiguousarray(x[:, ::-1]), "n, 512"),
    "pad_constant": call("R.nn.pad(x, pad_width=[0, 0, 2, 2, 2, 2], pad_value=0.5)", normal(16, 128, 128),
                         lambda x: np.pad(x, ((0, 0), (2, 2), (2, 2)), constant_values=0.5), "n, 128, 128"),
    "pad_reflect": call('R.nn.pad(x, pad_width=[0, 0, 2, 2, 2, 2], pad_mode="reflect")', normal(16, 128, 128),
                        circular, "n, 128, 128"),
    "batch_matmul": Workload(
        f"{tensor('x', 'n, 1, 64, 96')}, {tensor('y', '6, 96, 64')}", "out = R.matmul(x, y)",
        each(normal(4, 1, 64, 96), normal(6, 96, 64)), np.matmul, 1e-3,
    ),
    "quantize": Workload(
        f"{tensor('x', '256, n')}, {tensor('s', '256,')}, {tensor('z', '256,', 'int8')}",
        'out = R.quantize(x, s, z, axis=0, out_dtype="int8")',
        each(normal(256, 1024), positive(256), lambda rng: rng.integers(-9, 9, 256).astype(np.int8)), quantized, 1.0,
    ),
    "dequantize": Workload(
        f"{tensor('q', '256, n', 'int8')}, {tensor('s', '256,')}, {tensor('z', '256,', 'int8')}",
        'out = R.dequantize(q, s, z, axis=0, out_dtype="float32")',
        each(lambda rng: rng.integers(-128, 128, (256, 1024)).astype(np.int8), positive(256),
             lambda rng: rng.integers(-9, 9, 256).astype(np.int8)), dequantized,
    ),
    "half_matmul": Workload(
        f"{tensor('a', 'n, 128', 'float16')}, {tensor('b', '128, 128', 'float16')}", "out = R.matmul(a, b)",
        each(narrow(H, 128, 128), narrow(H, 128, 128)), half_matmul, 5e-2,
    ),
    "half_softmax": call("R.nn.softmax(x, axis=-1)", narrow(H, 512, 512), half_softmax, "n, 512", 1e-2, "float16"),
    "half_norm": Workload(
        f"{tensor('x', 'n, 512', 'float16')}, {tensor('g', '512,', 'float16')}", "out = R.nn.rms_norm(x, g, axes=[-1])",
        each(narrow(H, 512, 512), narrow(H, 512)), half_norm, 1e-2,
    ),
    "half_chain": Workload(
        f"{tensor('x', 'n,', 'float16')}, {tensor('y', 'n,', 'float16')}",
        "a = R.add(x, y)\nb = R.multiply(a, x)\nc = R.subtract(b, y)\nout = R.nn.relu(c)",
        each(narrow(H, 200_000), narrow(H, 200_000)), wide_chain, 5e-2,
    ),
    "bfloat16_chain": Workload(
        f"{tensor('x', 'n,', 'bfloat16')}, {tensor('y', 'n,', 'bfloat16')}",
        "a = R.add(x, y)\nb = R.multiply(a, x)\nc = R.subtract(b, y)\nout = R.nn.relu(c)",
        each(narrow(BF, 200_000), narrow(BF, 200_000)), wide_chain, 5e-2,
    ),
    "einsum": Workload(
        f"{tensor('x', 'n, 32, 64')}, {tensor('y', '64, 96')}", 'out = R.einsum((x, y), "bij,jk->bik")',
        each(normal(16, 32, 64), normal(64, 96)), lambda x, y: x @ y, 1e-3,
    ),
    "einsum_outer": Workload(
        f"{tensor('x', 'n, 32')}, {tensor('y', 'n, 48')}", 'out = R.einsum((x, y), "bi,bj->bij")',
        each(normal(256, 32), normal(256, 48)), lambda x, y: x[:, :, None] * y[:, None, :],
    ),
    "log_softmax_nll": Workload(
        f"{tensor('x', 'n, 512')}, {tensor('t', 'n,', 'int64')}",
        'l = R.nn.log_softmax(x, axis=-1)\nout = R.nn.nll_loss(l, t, reduction="mean")',
        each(normal(512, 512), below(512, 512)), nll,
    ),
    "cross_entropy": Workload(
        f"{tensor('x', 'n, 512')}, {tensor('y', 'n, 512')}", "out = R.nn.cross_entropy_with_logits(x, y)",
        lambda rng: [normal(256, 512)(rng), softmax(normal(256, 512)(rng))],
        lambda x, y: -np.einsum("ij,ij->", x, y) / F(len(x)),
    ),
    "mean_axes": call("R.mean(x, axis=[0, 2])", normal(32, 64, 128), lambda x: x.mean((0, 2)), "n, 64, 128"),
    "variance": call("R.variance(x, axis=[0, 2])", normal(32, 64, 128), variance, "n, 64, 128"),
    "max_axes": call("R.max(x, axis=[1, 2])", normal(32, 64, 128), lambda x: x.max((1, 2)), "n, 64, 128"),
    "boolean_mask": Workload(
        f"{tensor('x', 'n, 512')}, {tensor('y', 'n, 512')}",
        "a = R.isfinite(x)\nb = R.greater(x, y)\nc = R.logical_and(a, b)\nd = R.astype(c, \"float32\")\nout = R.sum(d, axis=[1])",
        each(normal(512, 512), normal(512, 512)), lambda x, y: (np.isfinite(x) & (x > y)).sum(1).astype(F),
    ),
    "resize_linear_nhwc": call('R.image.resize2d(x, (128, 128), layout="NHWC", method="linear")', normal(2, 64, 64, 16),
                               lambda x: lerp(lerp(x, 1), 2), "n, 64, 64, 16"),
    "resize_nearest": call(
        'R.image.resize2d(x, (128, 128), method="nearest_neighbor", coordinate_transformation_mode="asymmetric", rounding_method="floor")',
        IMAGE, lambda x: x.repeat(2, 2).repeat(2, 3), "n, 16, 64, 64"),
    "grid_sample": Workload(
        f"{tensor('x', 'n, 16, 64, 64')}, {tensor('g', 'n, 2, 64, 64')}",
        'out = R.image.grid_sample(x, g, method="bilinear", padding_mode="zeros", align_corners=True)',
        each(IMAGE, lambda rng: rng.uniform(-1.1, 1.1, (2, 2, 64, 64)).astype(F)), grid_sample, 1e-3,
    ),
    "max_pool": call("R.nn.max_pool2d(x, pool_size=[3, 3], strides=[2, 2], padding=[1, 1, 1, 1])", IMAGE, max_pool,
                     "n, 16, 64, 64"),
    "avg_pool_3x3": call("R.nn.avg_pool2d(x, pool_size=[3, 3], strides=[1, 1], padding=[1, 1, 1, 1])", IMAGE, avg_pool,
                         "n, 16, 64, 64"),
    "global_pool": call("R.nn.adaptive_avg_pool2d(x, output_size=[1, 1])", IMAGE, ends, "n, 16, 64, 64"),
    "one_hot": Workload(
        tensor("i", "n,", "int64"), 'out = R.one_hot(i, T.float32(1), T.float32(0), 512)', each(below(512, 1024)), hot
    ),
    "topk": call('R.topk(x, k=10, axis=-1, ret_type="values", largest=True)', normal(128, 2048), top, "n, 2048"),
    "pixel_shuffle": call("R.nn.pixel_shuffle(x, 2)", IMAGE, shuffle, "n, 16, 64, 64"),
    "triangle": call("R.tril(x, 0)", normal(8, 256, 256), np.tril, "n, 256, 256"),
    "batch_norm": Workload(
        ", ".join([tensor("x", "n, 16, 64, 64"), *(tensor(t, "16,") for t in "gbmv")]),
        "t = R.nn.batch_norm(x, g, b, m, v, axis=1, training=False)\nout = t[0]",
        each(IMAGE, *[positive(16)] * 4), batch_norm,
    ),
    "eight_add": Workload(
        f"{tensor('x', 'n,')}, {tensor('y', 'n,')}", "a = R.add(x, y)\nout = R.nn.relu(a)", each(normal(8), normal(8)),
        lambda x, y: np.maximum(x + y, 0),
    ),
    "eight_softmax": call("R.nn.softmax(x, axis=-1)", normal(1, 8), softmax, "n, 8"),
    "eight_matmul": Workload(
        f"{tensor('x', 'n, 8')}, {tensor('w', '8, 8')}, {tensor('b', '8,')}",
        "a = R.matmul(x, w)\nc = R.add(a, b)\nout = R.nn.relu(c)", each(normal(1, 8), normal(8, 8), normal(8)),
        lambda x, w, b: np.maximum(x @ w + b, 0),
    ),
    "none": Workload(
        f"{tensor('x', 'n, 64')}, {tensor('g', '64,')}", "a = R.nn.rms_norm(x, g, axes=[-1])\nout = R.exp(a)",
        each(normal(0, 64), normal(64)), lambda x, g: np.exp(rms_norm(x, g)),
    ),
    "single": Workload(
        f"{tensor('x', 'n, 64')}, {tensor('g', '64,')}", "a = R.nn.rms_norm(x, g, axes=[-1])\nout = R.exp(a)",
        each(normal(1, 64), normal(64)), lambda x, g: np.exp(rms_norm(x, g)), 1e-3,
    ),
}  # fmt: skip
