"""More of what ``strangers.py`` times: narrow floats, integers, short lines and stores, and the same in good NumPy."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
from array_workloads import Array, F, Workload, conv2d, each, layer_norm, normal, softmax, tensor

H, BF = np.float16, np.dtype(ml_dtypes.bfloat16)


def narrow(dtype: Any, *shape: int) -> Any:
    return lambda rng: rng.standard_normal(shape).astype(dtype)


def whole(most: int, *shape: int, dtype: Any = np.int64) -> Any:
    return lambda rng: rng.integers(-most, most, shape).astype(dtype)


# --- by hand: narrow floats in float32, rounded once -----------------------------------------------------------------


def gelu_tanh(x: Array) -> Array:
    t = x.astype(F)
    return (F(0.5) * t * (F(1) + np.tanh(F(0.7978845608) * (t + F(0.044715) * t * t * t)))).astype(x.dtype)


def silu_product(x: Array, y: Array) -> Array:
    t = x.astype(F)
    return (t / (1 + np.exp(-t)) * y.astype(F)).astype(x.dtype)


def between(x: Array, y: Array, t: Array) -> Array:
    a = x.astype(F)
    return (a + (y.astype(F) - a) * t.astype(F)).astype(x.dtype)


def narrow_norm(x: Array, g: Array, b: Array) -> Array:
    return layer_norm(x.astype(F), g.astype(F), b.astype(F)).astype(x.dtype)


def product(x: Array, w: Array) -> Array:
    return (x.astype(F) @ w.astype(F)).astype(x.dtype)


def half_conv(x: Array, w: Array) -> Array:
    return conv2d(x.astype(F), w.astype(F)).astype(H)


# --- by hand: the rest -----------------------------------------------------------------------------------------------


def slots(x: Array) -> Array:
    """A place in a table of 64, and how often it went round."""
    return (x & 63) + (x >> 6)


def apart(x: Array, y: Array) -> Array:
    return np.sqrt(sum((x[..., k] - y[..., k]) ** 2 for k in range(3)))


def prelu(x: Array, a: Array) -> Array:
    return np.maximum(x, 0) + a[:, None, None] * np.minimum(x, 0)


def top(x: Array) -> Array:
    return softmax(-np.sort(-np.partition(x, -40, -1)[:, -40:], -1))


def greatest(x: Array, i: Array, u: Array) -> Array:
    out = x.copy()
    np.maximum.at(out, i[:, 0], u)
    return out


def pages(k: Array, i: Array, u: Array) -> Array:
    out = k.copy()
    out[i[:, 0]] = u
    return out


def batch_norm(x: Array, g: Array, b: Array, m: Array, v: Array) -> Array:
    c = x - x.mean((0, 2, 3), keepdims=True)
    factor = g / np.sqrt(np.einsum("nchw,nchw->c", c, c) / F(x.size // x.shape[1]) + F(1e-5))
    return c * factor[:, None, None] + b[:, None, None]


def causal(x: Array) -> Array:
    return np.where(np.tri(len(x), dtype=bool), x, F(-1e9))


# ruff: noqa: E501
NUMBERS: dict[str, Workload] = {
    "bfloat16_gelu": Workload(tensor("x", "n, 512", "bfloat16"), "out = R.nn.gelu_tanh(x)", each(narrow(BF, 100, 512)), gelu_tanh, 5e-2),
    "half_gelu": Workload(tensor("x", "n, 512", "float16"), "out = R.nn.gelu_tanh(x)", each(narrow(H, 100, 512)), gelu_tanh, 5e-2),
    "bfloat16_silu": Workload(
        f"{tensor('x', 'n, 688', 'bfloat16')}, {tensor('y', 'n, 688', 'bfloat16')}",
        "s = R.sigmoid(x)\na = R.multiply(x, s)\nout = R.multiply(a, y)", each(narrow(BF, 100, 688), narrow(BF, 100, 688)), silu_product, 5e-2,
    ),
    "bfloat16_lerp": Workload(
        ", ".join(tensor(t, "n,", "bfloat16") for t in "xyt"), "d = R.subtract(y, x)\ne = R.multiply(d, t)\nout = R.add(x, e)",
        each(*[narrow(BF, 20001)] * 3), between, 5e-2,
    ),
    "bfloat16_layer_norm": Workload(
        f"{tensor('x', 'n, 512', 'bfloat16')}, {tensor('g', '512,', 'bfloat16')}, {tensor('b', '512,', 'bfloat16')}",
        "out = R.nn.layer_norm(x, g, b, axes=[-1])", each(narrow(BF, 128, 512), narrow(BF, 512), narrow(BF, 512)), narrow_norm, 5e-2,
    ),
    "half_layer_norm": Workload(
        f"{tensor('x', 'n, 512', 'float16')}, {tensor('g', '512,', 'float16')}, {tensor('b', '512,', 'float16')}",
        "out = R.nn.layer_norm(x, g, b, axes=[-1])", each(narrow(H, 128, 512), narrow(H, 512), narrow(H, 512)), narrow_norm, 5e-2,
    ),
    "bfloat16_matmul": Workload(
        f"{tensor('x', 'n, 256', 'bfloat16')}, {tensor('w', '256, 256', 'bfloat16')}", "out = R.matmul(x, w)",
        each(narrow(BF, 64, 256), narrow(BF, 256, 256)), product, 5e-2,
    ),
    "half_conv": Workload(
        f"{tensor('x', 'n, 16, 32, 32', 'float16')}, {tensor('w', '16, 16, 3, 3', 'float16')}",
        "out = R.nn.conv2d(x, w, padding=[1, 1, 1, 1])", each(narrow(H, 2, 16, 32, 32), narrow(H, 16, 16, 3, 3)), half_conv, 5e-2,
    ),
    "table_slots": Workload(
        tensor("x", "n, 300", "int64"),
        'a = R.floor_mod(x, R.const(64, "int64"))\nb = R.floor_divide(x, R.const(64, "int64"))\nout = R.add(a, b)',
        each(whole(100_000, 200, 300)), slots, 0.0,
    ),
    "integer_chosen": Workload(
        f"{tensor('x', 'n, 300', 'int32')}, {tensor('y', 'n, 300', 'int32')}", "c = R.less(x, y)\nout = R.where(c, x, y)",
        each(whole(9, 300, 300, dtype=np.int32), whole(9, 300, 300, dtype=np.int32)), lambda x, y: np.where(x < y, x, y), 0.0,
    ),
    "points_apart": Workload(
        f"{tensor('x', 'n, 1, 3')}, {tensor('y', '1, m, 3')}",
        "d = R.subtract(x, y)\nq = R.multiply(d, d)\ns = R.sum(q, axis=[-1])\nout = R.sqrt(s)", each(normal(200, 1, 3), normal(1, 200, 3)), apart,
        symbols="n m",
    ),
    "cube": Workload(tensor("x", "n, 300"), 'out = R.power(x, R.const(3.0, "float32"))', each(normal(200, 300)), lambda x: x * x * x),
    "prelu": Workload(
        f"{tensor('x', 'n, 16, 28, 28')}, {tensor('a', '16,')}", "out = R.nn.prelu(x, a, axis=1)",
        lambda rng: [normal(4, 16, 28, 28)(rng), rng.random(16).astype(F) + F(0.5)], prelu,
    ),
    "topk_of_both": Workload(
        tensor("x", "n, 4096"),
        't = R.topk(x, k=40, axis=-1, ret_type="both", largest=True)\nv = t[0]\nout = R.nn.softmax(v, axis=-1)', each(normal(8, 4096)), top,
    ),
    "sort_downwards": Workload(
        tensor("x", "n, 500"), "out = R.sort(x, axis=-1, descending=True)", each(normal(100, 500)), lambda x: -np.sort(-x, -1), 0.0
    ),
    "scatter_greatest": Workload(
        f"{tensor('x', '2000,')}, {tensor('i', 'n, 1', 'int64')}, {tensor('u', 'n,')}",
        'out = R.scatter_nd(x, i, u, reduction="max")',
        lambda rng: [normal(2000)(rng), rng.integers(0, 2000, (20000, 1)), normal(20000)(rng)], greatest,
    ),
    "page_update": Workload(
        f"{tensor('k', '64, 128, 64')}, {tensor('i', 'n, 1', 'int64')}, {tensor('u', 'n, 128, 64')}",
        'out = R.scatter_nd(k, i, u, reduction="update")',
        lambda rng: [normal(64, 128, 64)(rng), np.array([[3], [7]]), normal(2, 128, 64)(rng)], pages,
    ),
    "batch_norm_training": Workload(
        ", ".join([tensor("x", "n, 16, 20, 20"), *(tensor(t, "16,") for t in "gbmv")]),
        "t = R.nn.batch_norm(x, g, b, m, v, axis=1, training=True)\nout = t[0]",
        lambda rng: [normal(8, 16, 20, 20)(rng), *((rng.random(16) + 0.5).astype(F) for _ in "gbmv")], batch_norm, 1e-3,
    ),
    "causal_mask": Workload(
        tensor("x", "n, n"),
        """o = R.full(R.shape([n, n]), R.const(1.0, "float32"), dtype="float32")
        t = R.tril(o, 0)
        c = R.greater(t, R.const(0.5, "float32"))
        out = R.where(c, x, R.const(-1e9, "float32"))""",
        each(normal(300, 300)), causal,
    ),
}  # fmt: skip
