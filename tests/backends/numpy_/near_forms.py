"""Small graph programs that the NumPy backend writes in a way of its own (groups of steps, sums of products, attention,
memory that is used again, slices), and those that one thing keeps from it.

What is written for each is in ``written.txt``, directly and lowered to loops; ``test_near_forms.py`` holds what they
give against the definition.
"""

# ruff: noqa: E501
from __future__ import annotations

from functools import cache
from typing import Any
from zlib import crc32

import numpy as np

import refrelax as rr
from refrelax.running.arrays import numpy_dtype
from refrelax.semantics.types.checked import CheckedModule
from tests.backends.numpy_.near_graphs import GRAPHS

EXTENTS = {"n": 3, "m": 5, "k": 2}
XY, XV, X = "x: n m, y: n m", "x: n m, v: m", "x: n m"

NEAR: dict[str, tuple[str, str]] = {
    # --- groups of steps
    "steps": (XY, "a = R.add(x, y); z = R.tanh(a)"),
    "steps, two results": (XY, "a = R.add(x, y); b = R.tanh(a); z = (a, b)"),
    "steps of one array": (X, "a = R.exp(x); z = R.negative(a)"),
    "steps of columns": ("x: n 1, v: m", "a = R.exp(x); b = R.add(a, v); z = R.tanh(b)"),
    "steps over columns alone": ("x: n 1, v: m", "a = R.add(x, v); z = R.multiply(a, v)"),
    "steps of rows": (XV, "a = R.add(x, v); b = R.exp(a); z = R.multiply(b, x)"),
    "steps with a number": (X, 'a = R.add(x, R.const(2, "float32")); z = R.maximum(a, R.const(0, "float32"))'),
    "steps with one number in an array": (X, 'a = R.add(x, R.const([2.0], "float32")); z = R.exp(a)'),
    "steps at two dtypes": (X, 'a = R.astype(x, "float64"); b = R.exp(a); z = R.astype(b, "float32")'),
    "steps at float16": ("x: n m float16, y: n m float16", "a = R.add(x, y); b = R.tanh(a); z = R.multiply(b, x)"),
    "steps at bfloat16": ("x: n m bfloat16, y: n m bfloat16", "a = R.add(x, y); b = R.exp(a); z = R.divide(b, x)"),
    "steps at float64": ("x: n m float64, y: n m float64", "a = R.add(x, y); b = R.erf(a); c = R.nn.gelu(b); z = R.tanh(c)"),
    "steps on few": ("x: 4 5, y: 4 5", "a = R.add(x, y); b = R.exp(a); z = R.multiply(b, x)"),
    "steps on few, two results": ("x: 4 5, y: 4 5", "a = R.add(x, y); b = R.nn.silu(a); z = (a, b)"),
    "steps on 4096": ("x: 64 64", "a = R.exp(x); z = R.negative(a)"),
    "steps on 4097": ("x: 17 241", "a = R.exp(x); z = R.negative(a)"),
    "steps of 12 lines": (X, "a = R.exp(x); b = R.negative(a); c = R.sqrt(b); d = R.abs(c); e = R.sin(d); f = R.cos(e); g = R.square(f); h = R.floor(g); i = R.ceil(h); j = R.trunc(i); k = R.round(j); z = R.tanh(k)"),
    "steps of 13 lines": (X, "a = R.exp(x); b = R.negative(a); c = R.sqrt(b); d = R.abs(c); e = R.sin(d); f = R.cos(e); g = R.square(f); h = R.floor(g); i = R.ceil(h); j = R.trunc(i); k = R.round(j); l = R.log(k); z = R.tanh(l)"),
    "one step, exp": (X, "z = R.exp(x)"), "one step, sigmoid": (X, "z = R.sigmoid(x)"), "one step, relu": (X, "z = R.nn.relu(x)"),
    "one step, maximum": (XY, "z = R.maximum(x, y)"), "one step, maximum of rows": (XV, "z = R.maximum(x, v)"),
    "one step, gelu": (X, "z = R.nn.gelu(x)"), "one step, clip": (X, "z = R.clip(x, -1.0, 1.5)"),
    "one step, maximum of columns": ("x: n 1, v: m", "z = R.maximum(x, v)"),
    "clip, turned": (X, "a = R.clip(x, 1.0, -1.0); z = R.exp(a)"), "clip, one point": (X, "a = R.clip(x, 1.0, 1.0); z = R.exp(a)"),
    "clip to infinity": (X, 'a = R.clip(x, R.prim_value(T.float32(-1)), R.prim_value(T.float32("inf"))); z = R.exp(a)'),
    "clip, then tanh": (X, "a = R.clip(x, -1.0, 0.5); z = R.tanh(a)"),
    "the square": (X, 'a = R.power(x, R.const(2, "float32")); z = R.add(a, x)'),
    "the cube": (X, 'a = R.power(x, R.const(3, "float32")); z = R.add(a, x)'),
    "the root": (X, 'b = R.abs(x); a = R.power(b, R.const(0.5, "float32")); z = R.add(a, x)'),
    "a power of an array": (XY, "b = R.abs(x); a = R.power(b, y); z = R.add(a, x)"),
    "the square by an array": (X, 'a = R.power(x, R.const([2.0], "float32")); z = R.add(a, x)'),
    "a gate": (XY, "a = R.sigmoid(x); z = R.multiply(y, a)"), "a gate, first": (XY, "a = R.sigmoid(x); z = R.multiply(a, y)"),
    "a gate used twice": (XY, "a = R.sigmoid(x); b = R.multiply(y, a); z = R.add(b, a)"),
    "a gate that is given": (XY, "a = R.sigmoid(x); b = R.multiply(y, a); z = (a, b)"),
    "a gate of itself": (X, "a = R.sigmoid(x); z = R.multiply(a, a)"), "two gates": (XY, "a = R.sigmoid(x); b = R.sigmoid(y); z = R.multiply(a, b)"),
    "a gate that is added": (XY, "a = R.sigmoid(x); z = R.add(y, a)"),
    "truths": (XY, "a = R.greater(x, y); b = R.less_equal(x, y); c = R.logical_or(a, b); d = R.logical_not(c); z = R.where(d, x, y)"),
    "truths at two dtypes": ("x: n m, y: n m int32", 'a = R.isnan(x); b = R.equal(y, y); c = R.logical_and(a, b); z = R.astype(c, "float32")'),
    "truths at int8": ("x: n m int8, y: n m int8", "a = R.greater(x, y); z = R.logical_not(a)"),
    "truths at float16": ("x: n m float16, y: n m float16", "a = R.greater(x, y); b = R.logical_not(a); z = R.where(b, x, y)"),
    "integers": ("x: n m int8, y: n m int8", "a = R.add(x, y); b = R.multiply(a, x); z = R.maximum(b, y)"),
    "integers divided": ("x: n m int32, y: n m int32", 'a = R.add(x, y); z = R.floor_divide(a, R.const(3, "int32"))'),
    "integers, then floats": ("x: n m int32", 'a = R.add(x, x); b = R.astype(a, "float32"); z = R.exp(b)'),
    "a choice of three": ("c: n m bool, x: n m, y: n m", "a = R.where(c, x, y); z = R.exp(a)"),
    "a choice by rows": ("c: m bool, x: n m, y: n m", "a = R.where(c, x, y); z = R.exp(a)"),
    "a choice of numbers": ("c: n m bool, x: n m", 'a = R.where(c, x, R.const(0, "float32")); z = R.exp(a)'),
    # --- sums of products
    "sum of products": (XY, "a = R.multiply(x, y); z = R.sum(a, axis=[1])"), "sum of products, kept": (XY, "a = R.multiply(x, y); z = R.sum(a, axis=[1], keepdims=True)"),
    "sum of products over rows": (XY, "a = R.multiply(x, y); z = R.sum(a, axis=[0])"), "sum of all products": (XY, "a = R.multiply(x, y); z = R.sum(a)"),
    "mean of products": (XY, "a = R.multiply(x, y); z = R.mean(a, axis=[1])"), "greatest of products": (XY, "a = R.multiply(x, y); z = R.max(a, axis=[1])"),
    "sum of squares": (X, "a = R.square(x); z = R.sum(a, axis=[-1])"), "mean of squares": (X, 'a = R.power(x, R.const(2, "float32")); z = R.mean(a, axis=[1], keepdims=True)'),
    "mean of cubes": (X, 'a = R.power(x, R.const(3, "float32")); z = R.mean(a, axis=[1], keepdims=True)'),
    "mean of squares by an array": (X, 'a = R.power(x, R.const([2.0], "float32")); z = R.mean(a, axis=[1])'),
    "sum of products used twice": (XY, "a = R.multiply(x, y); b = R.sum(a, axis=[1], keepdims=True); z = R.add(a, b)"),
    "sum of products with rows": (XV, "a = R.multiply(x, v); z = R.sum(a, axis=[1])"),
    "sum of products at float16": ("x: n m float16, y: n m float16", "a = R.multiply(x, y); z = R.sum(a, axis=[1])"),
    "sum of products at int32": ("x: n m int32, y: n m int32", "a = R.multiply(x, y); z = R.sum(a, axis=[1])"),
    "sum of a product in between": (XY, "a = R.multiply(x, y); b = R.exp(x); z = R.add(b, R.sum(a, axis=[1], keepdims=True))"),
    "spread written out": (X, "a = R.mean(x, axis=[1], keepdims=True); b = R.subtract(x, a); c = R.multiply(b, b); z = R.mean(c, axis=[1], keepdims=True)"),
    "a norm written out": (XV, 'a = R.square(x); b = R.mean(a, axis=[-1], keepdims=True); c = R.add(b, R.const(1e-5, "float32")); d = R.rsqrt(c); e = R.multiply(x, d); z = R.multiply(e, v)'),
    "sum of long rows": ("x: 2 16385, y: 2 16385", "a = R.multiply(x, y); z = R.sum(a, axis=[1], keepdims=True)"),
    "spread of long rows": ("x: 2 32768", "z = (R.variance(x, axis=[1], keepdims=True), R.std(x, axis=[1]))"),
    "sum of long columns": ("x: 16385 2, y: 16385 2", "a = R.multiply(x, y); z = R.sum(a, axis=[0], keepdims=True)"),
    # --- attention and products
    "attention": ("q: n 4, k: m 4, v: m 6", "a = R.permute_dims(k); b = R.matmul(q, a); c = R.nn.softmax(b, axis=-1); z = R.matmul(c, v)"),
    "attention, scaled": ("q: n 4, k: m 4, v: m 6", 'a = R.permute_dims(k); b = R.matmul(q, a); s = R.multiply(b, R.const(0.5, "float32")); c = R.nn.softmax(s, axis=-1); z = R.matmul(c, v)'),
    "attention, divided": ("q: n 4, k: m 4, v: m 6", 'a = R.permute_dims(k); b = R.matmul(q, a); s = R.divide(b, R.const(2, "float32")); c = R.nn.softmax(s, axis=-1); z = R.matmul(c, v)'),
    "attention, scaled by an array": ("q: n 4, k: m 4, v: m 6, y: n m", "a = R.permute_dims(k); b = R.matmul(q, a); s = R.multiply(b, y); c = R.nn.softmax(s, axis=-1); z = R.matmul(c, v)"),
    "attention, masked": ("q: 2 n 4, k: 2 m 4, v: 2 m 6, y: n m", "a = R.permute_dims(k, axes=[0, 2, 1]); b = R.matmul(q, a); s = R.add(b, y); c = R.nn.softmax(s, axis=-1); z = R.matmul(c, v)"),
    "attention, mask first": ("q: 2 n 4, k: 2 m 4, v: 2 m 6, y: n m", "a = R.permute_dims(k, axes=[0, 2, 1]); b = R.matmul(q, a); s = R.add(y, b); c = R.nn.softmax(s, axis=-1); z = R.matmul(c, v)"),
    "attention, mask subtracted": ("q: n 4, k: m 4, v: m 6, y: n m", "a = R.permute_dims(k); b = R.matmul(q, a); s = R.subtract(b, y); c = R.nn.softmax(s, axis=-1); z = R.matmul(c, v)"),
    "attention, scores given": ("q: n 4, k: m 4, v: m 6", "a = R.permute_dims(k); b = R.matmul(q, a); c = R.nn.softmax(b, axis=-1); d = R.matmul(c, v); z = (b, d)"),
    "attention, weights given": ("q: n 4, k: m 4, v: m 6", "a = R.permute_dims(k); b = R.matmul(q, a); c = R.nn.softmax(b, axis=-1); d = R.matmul(c, v); z = (c, d)"),
    "attention across": ("q: n 4, k: m 4, v: m 6", "a = R.permute_dims(k); b = R.matmul(q, a); c = R.nn.softmax(b, axis=0); z = R.matmul(c, v)"),
    "attention, log": ("q: n 4, k: m 4, v: m 6", "a = R.permute_dims(k); b = R.matmul(q, a); c = R.nn.log_softmax(b, axis=-1); z = R.matmul(c, v)"),
    "attention, weights second": ("q: n 4, k: m 4, v: 6 n", "a = R.permute_dims(k); b = R.matmul(q, a); c = R.nn.softmax(b, axis=-1); z = R.matmul(v, c)"),
    "attention, nothing turned": ("q: n 4, k: 4 m, v: m 6", "b = R.matmul(q, k); c = R.nn.softmax(b, axis=-1); z = R.matmul(c, v)"),
    "attention at float16": ("q: n 4 float16, k: m 4 float16, v: m 6 float16", "a = R.permute_dims(k); b = R.matmul(q, a); c = R.nn.softmax(b, axis=-1); z = R.matmul(c, v)"),
    "attention by its operator": ("q: 2 n 2 4, k: 2 m 2 4, v: 2 m 2 6", "z = R.nn.attention(q, k, v)"),
    "attention by its operator, masked": ("q: 2 n 2 4, k: 2 m 2 4, v: 2 m 2 6, y: 2 2 n m", 'z = R.nn.attention(q, k, v, y, scale=0.25, causal_mask="BottomRight")'),
    "a product and a bias": ("x: n 4, w: 4 6, v: 6", "a = R.matmul(x, w); b = R.add(a, v); z = R.nn.relu(b)"),
    "a product, turned": ("x: n 4, w: 6 4", "a = R.permute_dims(w); z = R.matmul(x, a)"),
    "a product at float16": ("x: 24 17 float16, w: 17 9 float16", "z = R.matmul(x, w)"),
    "a product of integers": ("x: n 4 int8, w: 4 6 int8", 'z = R.matmul(x, w, out_dtype="int32")'),
    "a product of wide integers": ("x: n 4 int32, w: 4 6 int32", "z = R.matmul(x, w)"),
    # --- memory that is used again, and memory that is not
    "in place": (XY, "a = R.exp(x); b = R.nn.softmax(a, axis=-1); z = R.nn.log_softmax(b, axis=-1)"),
    "not in place, used later": (XY, "a = R.exp(x); b = R.nn.softmax(a, axis=-1); z = R.add(a, b)"),
    "not in place, a view": (X, "a = R.exp(x); b = R.reshape(a, R.shape([m, n])); c = R.nn.softmax(b, axis=-1); d = R.reshape(c, R.shape([n, m])); z = R.add(a, d)"),
    "in place through a view": (X, "a = R.exp(x); b = R.reshape(a, R.shape([m, n])); c = R.nn.softmax(b, axis=-1); z = R.nn.softmax(c, axis=-1)"),
    "not in place, in a tuple": (X, "a = R.exp(x); t = (a, x); b = R.nn.softmax(a, axis=-1); c = t[0]; z = R.add(b, c)"),
    "not in place, a parameter": (X, "b = R.nn.softmax(x, axis=-1); z = R.nn.softmax(b, axis=-1)"),
    "not in place, a parameter turned": (X, "a = R.permute_dims(x); b = R.nn.softmax(a, axis=-1); z = R.nn.softmax(b, axis=-1)"),
    "not in place, another shape": (XV, "a = R.exp(v); z = R.add(a, x)"),
    "not in place, another dtype": (X, 'a = R.exp(x); b = R.astype(a, "float64"); z = R.nn.softmax(b, axis=-1)'),
    "not in place, split": ("x: n 6", "p = R.split(x, 2, axis=1); a = R.exp(p[0]); b = R.nn.softmax(p[0], axis=-1); z = R.add(a, b)"),
    # --- slices, places, shapes
    "a slice": ("x: n 6 m", "z = R.strided_slice(x, axes=[1], begin=[1], end=[4], strides=[1])"),
    "a slice of each axis": ("x: n 6 m", "z = R.strided_slice(x, axes=[0, 1, 2], begin=[0, 1, 1], end=[2, 5, 4], strides=[1, 2, 1])"),
    "a slice backwards": ("x: n 6 m", "z = R.strided_slice(x, axes=[1], begin=[-1], end=[-7], strides=[-2])"),
    "a slice to the end": ("x: n 6 m", "z = R.strided_slice(x, axes=[1], begin=[2], end=[99], strides=[1])"),
    "a slice by a symbol": ("x: n m", "z = R.strided_slice(x, axes=[1], begin=[0], end=[n], strides=[1])"),
    "a slice by axes from behind": ("x: n 6 m", "z = R.strided_slice(x, axes=[-2], begin=[1], end=[4])"),
    "a slice in bounds": ("x: n 6 m", "z = R.strided_slice(x, axes=[1], begin=[1], end=[4], strides=[1], assume_inbound=True)"),
    "a slice of nothing": ("x: n 6 m", "z = R.strided_slice(x, axes=[1], begin=[4], end=[1], strides=[1])"),
    "a slice, then a step": ("x: n 6", "a = R.strided_slice(x, axes=[1], begin=[0], end=[3]); b = R.strided_slice(x, axes=[1], begin=[3], end=[6]); z = R.multiply(a, b)"),
    "halves turned": ("x: n 6", "a = R.strided_slice(x, axes=[1], begin=[0], end=[3]); b = R.strided_slice(x, axes=[1], begin=[3], end=[6]); c = R.negative(b); z = R.concat((c, a), axis=1)"),
    "rows by a table": ("x: n m, i: k int64", "a = R.abs(i); z = R.take(x, a, axis=0)"),
    "one hot of two axes": ("i: n m int64", "z = R.one_hot(i, R.prim_value(T.float32(2)), R.prim_value(T.float32(0)), depth=4, axis=1)"),
    "stacked behind": (XY, "z = R.stack((x, y), axis=-1)"), "stacked": (XY, "z = R.stack((x, y), axis=1)"),
    "numbers in turn": (X, 'z = R.arange(0, n, 1, dtype="int64")'), "numbers in turn, floats": (X, 'z = R.arange(1, n, 2, dtype="float32")'),
    "filled": (X, 'a = R.full(R.shape([n, 2]), R.const(2.5, "float32"), dtype="float32"); z = R.concat((x, a), axis=1)'),
    "of the shape": (X, "s = R.shape_of(x); z = R.zeros(s, \"float32\")"),
    "known again": ("x: n m", 'y = R.match_cast(x, R.Tensor((n, m), "float32")); z = R.exp(y)'),
    "padded": ("x: n m", 'z = R.nn.pad(x, pad_width=[1, 2, 0, 3], pad_value=1.5)'),
    "padded by mirrors": ("x: n m", 'z = R.nn.pad(x, pad_width=[1, 2, 4, 3], pad_mode="reflect")'),
    "padded by turns": ("x: n m", 'z = R.nn.pad(x, pad_width=[1, 2, 4, 3], pad_mode="circular")'),
    # --- attributes beyond the usual ones, and more axes than two
    **{f"leaky, {a}": (X, f"z = R.nn.leakyrelu(x, alpha={a})") for a in (2.0, 1.0, 0.5, 0.0, -0.5)},
    **{f"leaky at float16, {a}": ("x: n m float16", f"z = R.nn.leakyrelu(x, alpha={a})") for a in (2.0, 0.5)},
    **{f"softplus, {b} {t}": (X, f"z = R.nn.softplus(x, beta={b}, threshold={t})") for b in (1.0, 2.0, -1.0) for t in (1.0, 20.0)},
    "slopes of one": ("x: n m k, v: 1", "z = R.nn.prelu(x, v, axis=1)"), "slopes of an axis": ("x: n m k, v: m", "z = R.nn.prelu(x, v, axis=1)"),
    "rows of two axes stored": ("x: 4 2 3, i: k 1 int64, u: k 2 3", 'z = R.scatter_nd(x, i, u, reduction="update")'),
    "rows of two axes added": ("x: 4 2 3, i: k 1 int64, u: k 2 3", 'z = R.scatter_nd(x, i, u, reduction="add")'),
    "rows stored by two places": ("x: 4 4 3, i: k 2 int64, u: k 3", 'z = R.scatter_nd(x, i, u, reduction="update")'),
    "numbers stored by three places": ("x: 4 4 4, i: k 3 int64, u: k", 'z = R.scatter_nd(x, i, u, reduction="max")'),
    "elements stored": ("x: 4 5, i: 2 3 int64, u: 2 3", 'z = R.scatter_elements(x, i, u, axis=0, reduction="add")'),
    "elements stored across": ("x: 4 5, i: 2 3 int64, u: 2 3", 'z = R.scatter_elements(x, i, u, axis=1, reduction="update")'),
    "places of two axes": ("x: 4 m k, i: 2 3 int64", "z = R.take(x, i, axis=0)"), "places in the middle": ("x: n 4 k, i: 2 3 int64", "z = R.take(x, i, axis=1)"),
    "elements by their places": ("x: 4 5, i: 4 2 int64", "z = R.gather_elements(x, i, axis=1)"),
    "rows by their places": ("x: 4 m k, i: 5 1 int64", "z = R.gather_nd(x, i)"), "rows by their places, batched": ("x: 2 4 k, i: 2 5 1 int64", "z = R.gather_nd(x, i, batch_dims=1)"),
    **{f"running sums of axis {a}{', exclusive' * e}": ("x: n m k int32", f"z = R.cumsum(x, axis={a}, exclusive={bool(e)})") for a in (0, 1, -1) for e in (0, 1)},
    "running products, exclusive": ("x: n m k int32", "z = R.cumprod(x, axis=1, exclusive=True)"), "running sums of all": ("x: n m k int32", "z = R.cumsum(x)"),
    "sorted in the middle": ("x: n m k", "z = R.sort(x, axis=1, descending=True)"), "order in the middle": ("x: n m k", 'z = R.argsort(x, axis=1, dtype="int32")'),
    "greatest two in the middle": ("x: n 5 k", 'z = R.topk(x, k=2, axis=1, ret_type="both", largest=True, dtype="int32")'),
    "repeated": ("x: n m k", "z = R.repeat(x, repeats=2, axis=1)"), "repeated, all": ("x: n m k", "z = R.repeat(x, repeats=2)"), "tiled": ("x: n m", "z = R.tile(x, repeats=[2, 1, 3])"),
    "turned around": ("x: n m k", "z = R.flip(x, axis=1)"), "axes in another order": ("x: n m k", "z = R.permute_dims(x, axes=[1, 2, 0])"),
    "a norm of two axes": ("x: n m k, v: m k, w: m k", "z = R.nn.layer_norm(x, v, w, axes=[-2, -1], epsilon=0.25)"),
    "a norm without scale": ("x: n m, v: m, w: m", "z = R.nn.layer_norm(x, v, w, axes=[-1], epsilon=0.25, scale=False)"),
    "a norm without center": ("x: n m, v: m, w: m", "z = R.nn.layer_norm(x, v, w, axes=[-1], epsilon=0.25, center=False)"),
    "a norm of groups": ("x: n 6 m, v: 6, w: 6", "z = R.nn.group_norm(x, v, w, num_groups=3, channel_axis=1, axes=[2], epsilon=0.25)"),
    "a norm of groups, last": ("x: n m 6, v: 6, w: 6", "z = R.nn.group_norm(x, v, w, num_groups=2, channel_axis=2, axes=[1], epsilon=0.25)"),
    "a norm of instances": ("x: n 3 m, v: 3, w: 3", "z = R.nn.instance_norm(x, v, w, channel_axis=1, axes=[2], epsilon=0.25)"),
    "a softmax in the middle": ("x: n m k", "z = R.nn.softmax(x, axis=1)"), "a log softmax in the middle": ("x: n m k", "z = R.nn.log_softmax(x, axis=1)"),
    "greatest place in the middle": ("x: n m k", "z = R.argmax(x, axis=1, keepdims=True)"), "greatest place of all": ("x: n m k", "z = R.argmin(x)"),
    "losses of each": ("x: n 4 m, i: n m int64", 'z = R.nn.nll_loss(x, i, reduction="none")'), "losses, some ignored": ("x: n 4, i: n int64", "z = R.nn.nll_loss(x, i, ignore_index=1)"),
    "triangles": ("x: n m k", "z = (R.tril(x, 1), R.triu(x, -1))"), "a choice along an axis": ("c: n m bool, x: n m, y: 1 m", "z = R.where(c, x, y)"),
    "bits": ("x: n m int32, y: n m int32", "z = (R.bitwise_and(x, y), R.left_shift(x, R.abs(y)), R.bitwise_not(x))"),
    "rests": ("x: n m int32, y: n m int32", 'a = R.add(R.abs(y), R.const(1, "int32")); z = (R.floor_divide(x, a), R.floor_mod(x, a))'),
}  # fmt: skip
NEAR |= GRAPHS
"""The parameters (name, extents, a dtype if it is none of binary32), and the bindings, the last of which is given."""


@cache
def program(name: str) -> CheckedModule:
    params, body = NEAR[name]
    given = []
    for each in params.split(","):
        label, dims, dtype = of(each)
        shape = ", ".join(d if d.isdigit() else f'"{d}"' for d in dims)
        given.append(f'{label}: R.Tensor(({shape},), "{dtype}")')
    symbols = sorted({d for each in params.split(",") for d in of(each)[1] if not d.isdigit()})
    lines = ["@I.ir_module", "class Module:", "    @R.function", f"    def main({', '.join(given)}):"]
    lines += [f"        {each} = T.int64()" for each in symbols]
    lines += ["        with R.dataflow():", *(f"            {each.strip()}" for each in body.split("; "))]
    return rr.check(rr.parse("\n".join([*lines, "            R.output(z)", "        return z", ""]), f"{name}.py"))


def of(param: str) -> tuple[str, list[str], str]:
    label, rest = param.split(":")
    *dims, last = rest.split()
    return (
        (label.strip(), dims, last)
        if not last.isdigit() and len(last) > 1
        else (label.strip(), [*dims, last], "float32")
    )


def arguments(name: str, turn: int) -> list[Any]:
    """Quarters, zeros of both signs among them; ``turn`` 1: extents of 1, 2: no element of the first extent."""
    drawn, found = np.random.default_rng(crc32(name.encode()) + turn), list[Any]()
    sizes = [EXTENTS, {"n": 1, "m": 1, "k": 1}, {"n": 0, "m": 3, "k": 2}][turn]
    for each in NEAR[name][0].split(","):
        label, dims, dtype = of(each)
        values = drawn.integers(-6, 7, [sizes.get(d) if d in sizes else int(d) for d in dims])
        if label == "i":
            values = np.abs(values) % max(sizes["n"], 1)
        if dtype == "bool" or dtype.startswith("int"):
            found.append(values.astype(numpy_dtype(dtype)) if dtype != "bool" else values > 0)
        else:
            found.append(np.where(values == 1, -0.0, values / 4).astype(numpy_dtype(dtype)))
    return found
