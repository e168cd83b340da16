"""The workloads of ``arrays.py``: a module with symbolic extents, its arguments, and the same in idiomatic NumPy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

Array = Any
F = np.float32


@dataclass(frozen=True)
class Workload:
    """``params``: name and annotation; ``body``: bindings, the last one named ``out``; ``tolerance``: relative."""

    params: str
    body: str
    make: Callable[[np.random.Generator], list[Array]]
    by_hand: Callable[..., Array]
    tolerance: float = 1e-4
    symbols: str = "n"

    @property
    def text(self) -> str:
        heads = "".join(f'{s} = TypeVar("{s}")\n' for s in self.symbols.split())
        lines = "\n".join("            " + line.strip() for line in self.body.strip().splitlines())
        return (
            f"{heads}@I.ir_module\nclass Module:\n    @R.function\n    def main({self.params}):\n"
            f"        with R.dataflow():\n{lines}\n            R.output(out)\n        return out\n"
        )


def tensor(name: str, shape: str, dtype: str = "float32") -> str:
    return f'{name}: R.Tensor(({shape}), "{dtype}")'


def normal(*shape: int) -> Callable[[np.random.Generator], Array]:
    return lambda rng: rng.standard_normal(shape).astype(F)


def each(*makers: Callable[[np.random.Generator], Array]) -> Callable[[np.random.Generator], list[Array]]:
    return lambda rng: [make(rng) for make in makers]


# --- by hand ---------------------------------------------------------------------------------------------------------


def chain(x: Array, y: Array) -> Array:
    return np.maximum((x + y) * x - y, 0) * F(0.5) + F(1)


def softmax(x: Array) -> Array:
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def log_softmax(x: Array) -> Array:
    t = x - x.max(-1, keepdims=True)
    return t - np.log(np.exp(t).sum(-1, keepdims=True))


def layer_norm(x: Array, g: Array, b: Array) -> Array:
    mean = x.mean(-1, keepdims=True)
    return (x - mean) / np.sqrt(x.var(-1, keepdims=True) + F(1e-5)) * g + b


def rms_norm(x: Array, g: Array) -> Array:
    return x / np.sqrt((x * x).mean(-1, keepdims=True) + F(1e-5)) * g


def batch_norm(x: Array, g: Array, b: Array, m: Array, v: Array) -> Array:
    g, b, m, v = (t[:, None, None] for t in (g, b, m, v))
    return (x - m) / np.sqrt(v + F(1e-5)) * g + b


def group_norm(x: Array, g: Array, b: Array) -> Array:
    c = x.reshape(x.shape[0], 8, -1)
    c = (c - c.mean(-1, keepdims=True)) / np.sqrt(c.var(-1, keepdims=True) + F(1e-5))
    return c.reshape(x.shape) * g[:, None, None] + b[:, None, None]


def matmul_gelu(x: Array, w: Array, b: Array) -> Array:
    y = x @ w + b
    return F(0.5) * y * (F(1) + np.tanh(F(0.7978845608) * (y + F(0.044715) * (y * y * y))))


def half_matmul(a: Array, b: Array) -> Array:
    return (a.astype(F) @ b.astype(F)).astype(np.float16)


def rearrange(x: Array, y: Array) -> Array:
    n = x.shape[0]
    a = x.transpose(0, 2, 1).reshape(n, -1)
    b = y.transpose(0, 2, 1).reshape(n, -1)
    return np.concatenate([a, b], axis=1)


def windows(x: Array, k: int, stride: int = 1) -> Array:
    return np.lib.stride_tricks.sliding_window_view(x, (k, k), axis=(2, 3))[:, :, ::stride, ::stride]


def pad1(x: Array, value: float = 0) -> Array:
    return np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)), constant_values=value)


def conv2d(x: Array, w: Array) -> Array:
    return np.tensordot(windows(pad1(x), 3), w, axes=((1, 4, 5), (1, 2, 3))).transpose(0, 3, 1, 2)


def depthwise(x: Array, w: Array) -> Array:
    return np.einsum("nchwij,cij->nchw", windows(pad1(x), 3), w[:, 0])


def conv2d_transpose(x: Array, w: Array) -> Array:
    n, _, h, v = x.shape
    grown = np.zeros((n, w.shape[1], 2 * h + 1, 2 * v + 1), F)
    for i in range(3):
        for j in range(3):
            part = np.tensordot(w[:, :, i, j], x, axes=((0,), (1,))).transpose(1, 0, 2, 3)
            grown[:, :, i : i + 2 * h : 2, j : j + 2 * v : 2] += part
    return grown


def max_pool(x: Array) -> Array:
    return windows(pad1(x, -np.inf), 3, 2).max((-2, -1))


def avg_pool(x: Array) -> Array:
    n, c, h, w = x.shape
    return x.reshape(n, c, h // 2, 2, w // 2, 2).mean((3, 5))


def resize2d(x: Array) -> Array:
    """Twice the size, linear, half-pixel."""
    for axis in (2, 3):
        n = x.shape[axis]
        at = np.clip((np.arange(2 * n) + 0.5) / 2 - 0.5, 0, n - 1)
        low = np.floor(at).astype(int)
        high = np.minimum(low + 1, n - 1)
        t = (at - low).astype(F).reshape([-1 if k == axis else 1 for k in range(4)])
        x = np.take(x, low, axis) * (1 - t) + np.take(x, high, axis) * t
    return x


def decoder_step(x: Array, k: Array, v: Array, wq: Array, wo: Array, g: Array, up: Array, down: Array) -> Array:
    h = rms_norm(x, g)
    q = (h @ wq).reshape(4, 1, 64)
    s = softmax(q @ k.transpose(0, 2, 1) * F(0.125))
    x = x + (s @ v).reshape(1, 256) @ wo
    y = rms_norm(x, g) @ up
    return x + (y / (1 + np.exp(-y))) @ down


def scatter_add(x: Array, i: Array, u: Array) -> Array:
    out = x.copy()
    np.add.at(out, i[:, 0], u)
    return out


def scatter_elements(x: Array, i: Array, u: Array) -> Array:
    out = x.copy()
    np.add.at(out, (i, np.arange(x.shape[1])), u)
    return out


def attend(q: Array, k: Array, v: Array, seen: Array) -> Array:
    s = q @ k.transpose(0, 2, 1) * F(0.125)
    return softmax(np.where(seen, s, F(-np.inf))) @ v


def causal(q: Array, k: Array, v: Array) -> Array:
    q, k, v = (t[0].transpose(1, 0, 2) for t in (q, k, v))
    return attend(q, k, v, np.tri(q.shape[1], dtype=bool)).transpose(1, 0, 2)[None]


def window(q: Array, k: Array, v: Array) -> Array:
    i = np.arange(q.shape[1])
    apart = i[:, None] - i
    return attend(q, k, v, (apart >= 0) & (apart < 128))


def alibi(q: Array, k: Array, v: Array, slope: Array) -> Array:
    i = np.arange(q.shape[1])
    s = q @ k.transpose(0, 2, 1) * F(0.125) + slope[:, None, None] * (i - i[:, None]).astype(F)
    return softmax(np.where(np.tri(len(i), dtype=bool), s, F(-np.inf))) @ v


def quantize(x: Array, s: Array, z: Array) -> Array:
    q = np.clip(np.rint(x / s) + z, -128, 127).astype(np.int8)
    return (q.astype(np.int32) - z).astype(F) * s


def top(x: Array) -> Array:
    i = np.argsort(-x, axis=-1, kind="stable")[:, :10]
    return np.take_along_axis(x, i, -1)


# --- the table -------------------------------------------------------------------------------------------------------

HEADS = [tensor(name, "8, n, 64") for name in "qkv"]
SCORES = """
kt = R.permute_dims(k, axes=[0, 2, 1])
s0 = R.matmul(q, kt)
s = R.multiply(s0, R.const(0.125, "float32"))
i = R.arange(0, n, 1, dtype="int64")
row = R.expand_dims(i, axis=[1])
apart = R.subtract(row, i)
"""
INFINITE = 'R.const(float("-inf"), "float32")'
QKV = each(normal(8, 512, 64), normal(8, 512, 64), normal(8, 512, 64))
IMAGE = normal(2, 32, 56, 56)

WORKLOADS: dict[str, Workload] = {
    "chain": Workload(
        f"{tensor('x', 'n,')}, {tensor('y', 'n,')}",
        'a = R.add(x, y)\nb = R.multiply(a, x)\nc = R.subtract(b, y)\nd = R.nn.relu(c)\n'
        'e = R.multiply(d, R.const(0.5, "float32"))\nout = R.add(e, R.const(1, "float32"))',
        each(normal(1_000_000), normal(1_000_000)), chain,
    ),
    "tanh_sigmoid": Workload(
        f"{tensor('x', 'n,')}, {tensor('y', 'n,')}",
        "a = R.multiply(x, y)\nb = R.tanh(a)\nc = R.sigmoid(x)\nout = R.multiply(b, c)",
        each(normal(1_000_000), normal(1_000_000)), lambda x, y: np.tanh(x * y) / (1 + np.exp(-x)),
    ),
    "where_mask": Workload(
        f"{tensor('x', 'n, 1024')}, {tensor('m', 'n, 1024', 'bool')}",
        'a = R.where(m, x, R.const(-1000000000, "float32"))\nb = R.maximum(a, R.const(-1, "float32"))\n'
        'out = R.minimum(b, R.const(1, "float32"))',
        each(normal(1024, 1024), lambda rng: rng.random((1024, 1024)) < 0.5),
        lambda x, m: np.minimum(np.maximum(np.where(m, x, F(-1e9)), F(-1)), F(1)),
    ),
    "softmax": Workload(tensor("x", "n, 1024"), "out = R.nn.softmax(x, axis=-1)", each(normal(1024, 1024)), softmax),
    "log_softmax": Workload(
        tensor("x", "n, 1024"), "out = R.nn.log_softmax(x, axis=-1)", each(normal(1024, 1024)), log_softmax
    ),
    "layer_norm": Workload(
        f"{tensor('x', 'n, 1024')}, {tensor('g', '1024,')}, {tensor('b', '1024,')}",
        "out = R.nn.layer_norm(x, g, b, axes=[-1])", each(normal(1024, 1024), normal(1024), normal(1024)), layer_norm,
    ),
    "rms_norm": Workload(
        f"{tensor('x', 'n, 1024')}, {tensor('g', '1024,')}",
        "out = R.nn.rms_norm(x, g, axes=[-1])", each(normal(1024, 1024), normal(1024)), rms_norm,
    ),
    "batch_norm": Workload(
        ", ".join([tensor("x", "n, 32, 56, 56"), *(tensor(t, "32,") for t in "gbmv")]),
        "t = R.nn.batch_norm(x, g, b, m, v, axis=1, training=False)\nout = t[0]",
        lambda rng: [IMAGE(rng), *(rng.random(32).astype(F) + F(0.5) for _ in range(4))], batch_norm,
    ),
    "group_norm": Workload(
        ", ".join([tensor("x", "n, 32, 56, 56"), *(tensor(t, "32,") for t in "gb")]),
        "out = R.nn.group_norm(x, g, b, num_groups=8, channel_axis=1, axes=[2, 3])",
        each(IMAGE, normal(32), normal(32)), group_norm, 1e-3,
    ),
    "matmul_gelu": Workload(
        f"{tensor('x', 'n, 512')}, {tensor('w', '512, 1024')}, {tensor('b', '1024,')}",
        "a = R.matmul(x, w)\nc = R.add(a, b)\nout = R.nn.gelu_tanh(c)",
        each(normal(256, 512), normal(512, 1024), normal(1024)), matmul_gelu, 1e-3,
    ),
    "half_matmul": Workload(
        f"{tensor('a', 'n, 256', 'float16')}, {tensor('b', '256, 256', 'float16')}", "out = R.matmul(a, b)",
        lambda rng: [rng.standard_normal((256, 256)).astype(np.float16) for _ in range(2)], half_matmul, 5e-2,
    ),
    "rearrange": Workload(
        f"{tensor('x', 'n, 64, 128')}, {tensor('y', 'n, 64, 128')}",
        "a = R.permute_dims(x, axes=[0, 2, 1])\nb = R.reshape(a, R.shape([n, 8192]))\n"
        "c = R.permute_dims(y, axes=[0, 2, 1])\nd = R.reshape(c, R.shape([n, 8192]))\nout = R.concat((b, d), axis=1)",
        each(normal(96, 64, 128), normal(96, 64, 128)), rearrange,
    ),
    "conv2d": Workload(
        f"{tensor('x', 'n, 32, 56, 56')}, {tensor('w', '64, 32, 3, 3')}",
        "out = R.nn.conv2d(x, w, padding=[1, 1, 1, 1])", each(IMAGE, normal(64, 32, 3, 3)), conv2d, 1e-3,
    ),
    "depthwise": Workload(
        f"{tensor('x', 'n, 32, 56, 56')}, {tensor('w', '32, 1, 3, 3')}",
        "out = R.nn.conv2d(x, w, padding=[1, 1, 1, 1], groups=32)", each(IMAGE, normal(32, 1, 3, 3)), depthwise,
    ),
    "conv2d_transpose": Workload(
        f"{tensor('x', 'n, 32, 28, 28')}, {tensor('w', '32, 16, 3, 3')}",
        "out = R.nn.conv2d_transpose(x, w, strides=[2, 2])",
        each(normal(2, 32, 28, 28), normal(32, 16, 3, 3)), conv2d_transpose, 1e-3,
    ),
    "max_pool": Workload(
        tensor("x", "n, 32, 56, 56"),
        "out = R.nn.max_pool2d(x, pool_size=[3, 3], strides=[2, 2], padding=[1, 1, 1, 1])", each(IMAGE), max_pool,
    ),
    "avg_pool": Workload(
        tensor("x", "n, 32, 56, 56"), "out = R.nn.avg_pool2d(x, pool_size=[2, 2], strides=[2, 2])", each(IMAGE),
        avg_pool,
    ),
    "resize2d": Workload(
        tensor("x", "n, 32, 56, 56"), 'out = R.image.resize2d(x, (112, 112), method="linear")', each(IMAGE), resize2d
    ),
    "decoder_step": Workload(
        ", ".join([
            tensor("x", "1, 256"), tensor("k", "4, n, 64"), tensor("v", "4, n, 64"), tensor("wq", "256, 256"),
            tensor("wo", "256, 256"), tensor("g", "256,"), tensor("up", "256, 688"), tensor("down", "688, 256"),
        ]),
        """h = R.nn.rms_norm(x, g, axes=[-1])
        q0 = R.matmul(h, wq)
        q = R.reshape(q0, R.shape([4, 1, 64]))
        kt = R.permute_dims(k, axes=[0, 2, 1])
        s0 = R.matmul(q, kt)
        s1 = R.multiply(s0, R.const(0.125, "float32"))
        s = R.nn.softmax(s1, axis=-1)
        a = R.matmul(s, v)
        a1 = R.reshape(a, R.shape([1, 256]))
        a2 = R.matmul(a1, wo)
        x1 = R.add(x, a2)
        h1 = R.nn.rms_norm(x1, g, axes=[-1])
        u = R.matmul(h1, up)
        w = R.nn.silu(u)
        d = R.matmul(w, down)
        out = R.add(x1, d)""",
        each(normal(1, 256), normal(4, 512, 64), normal(4, 512, 64), lambda rng: normal(256, 256)(rng) * F(0.05),
             lambda rng: normal(256, 256)(rng) * F(0.05), normal(256), lambda rng: normal(256, 688)(rng) * F(0.05),
             lambda rng: normal(688, 256)(rng) * F(0.05)), decoder_step, 1e-3,
    ),
    "embedding": Workload(
        f"{tensor('t', '16384, 128')}, {tensor('i', 'n,', 'int64')}", "out = R.take(t, i, axis=0)",
        each(normal(16384, 128), lambda rng: rng.integers(0, 16384, 8192)), lambda t, i: t[i],
    ),
    "gather_nd": Workload(
        f"{tensor('x', 'm, 256, 16')}, {tensor('i', 'n, 2', 'int64')}", "out = R.gather_nd(x, i)",
        each(normal(256, 256, 16), lambda rng: rng.integers(0, 256, (32768, 2))), lambda x, i: x[i[:, 0], i[:, 1]],
        symbols="n m",
    ),
    "scatter_add": Workload(
        f"{tensor('x', 'm, 64')}, {tensor('i', 'n, 1', 'int64')}, {tensor('u', 'n, 64')}",
        'out = R.scatter_nd(x, i, u, reduction="add")',
        each(normal(2048, 64), lambda rng: rng.integers(0, 2048, (16384, 1)), normal(16384, 64)), scatter_add,
        symbols="n m",
    ),
    "scatter_elements": Workload(
        f"{tensor('x', 'm, 64')}, {tensor('i', 'n, 64', 'int64')}, {tensor('u', 'n, 64')}",
        'out = R.scatter_elements(x, i, u, axis=0, reduction="add")',
        each(normal(2048, 64), lambda rng: rng.integers(0, 2048, (4096, 64)), normal(4096, 64)), scatter_elements,
        symbols="n m",
    ),
    "causal_attention": Workload(
        ", ".join(tensor(name, "1, n, 8, 64") for name in "qkv"),
        'out = R.nn.attention(q, k, v, scale=0.125, causal_mask="TopLeft")',
        each(normal(1, 512, 8, 64), normal(1, 512, 8, 64), normal(1, 512, 8, 64)), causal, 1e-3,
    ),
    "window_attention": Workload(
        ", ".join(HEADS),
        f"""{SCORES}
        past = R.greater_equal(apart, R.const(0, "int64"))
        near = R.less(apart, R.const(128, "int64"))
        seen = R.logical_and(past, near)
        hidden = R.where(seen, s, {INFINITE})
        w = R.nn.softmax(hidden, axis=-1)
        out = R.matmul(w, v)""", QKV, window, 1e-3,
    ),
    "alibi_attention": Workload(
        ", ".join([*HEADS, tensor("slope", "8,")]),
        f"""{SCORES}
        past = R.greater_equal(apart, R.const(0, "int64"))
        near = R.astype(R.negative(apart), "float32")
        slopes = R.expand_dims(slope, axis=[1, 2])
        bias = R.multiply(slopes, near)
        biased = R.add(s, bias)
        hidden = R.where(past, biased, {INFINITE})
        w = R.nn.softmax(hidden, axis=-1)
        out = R.matmul(w, v)""",
        lambda rng: [*QKV(rng), (0.5 ** np.arange(1, 9)).astype(F)], alibi, 1e-3,
    ),
    "sort": Workload(
        tensor("x", "n, 1024"), "out = R.sort(x, axis=-1)", each(normal(512, 1024)), lambda x: np.sort(x, -1)
    ),
    "argsort": Workload(
        tensor("x", "n, 1024"), 'out = R.argsort(x, axis=-1, dtype="int64")', each(normal(512, 1024)),
        lambda x: np.argsort(x, -1, kind="stable"), 0.0,
    ),
    "topk": Workload(
        tensor("x", "n, 4096"), 'out = R.topk(x, k=10, axis=-1, ret_type="values", largest=True)',
        each(normal(256, 4096)), top,
    ),
    "cumsum": Workload(
        tensor("x", "n, 1024"), "out = R.cumsum(x, axis=1)", each(normal(1024, 1024)), lambda x: np.cumsum(x, 1), 1e-3
    ),
    "argmax": Workload(
        tensor("x", "n, 1024"), "out = R.argmax(x, axis=-1)", each(normal(1024, 1024)), lambda x: np.argmax(x, -1), 0.0
    ),
    "quantize": Workload(
        f"{tensor('x', 'n, 1024')}, {tensor('s', '')}, {tensor('z', '', 'int32')}",
        'q = R.quantize(x, s, z, axis=1, out_dtype="int8")\nout = R.dequantize(q, s, z, axis=1)',
        each(normal(1024, 1024), lambda _: np.array(0.05, F), lambda _: np.array(3, np.int32)), quantize,
    ),
}  # fmt: skip
