"""Calls of every operator with what they give, in NumPy's words.

A ``Sample`` is one call: the types of the parameters ``a b c d e``, the expression, and the result computed with NumPy in
float64 (then rounded) where the operator computes real numbers. ``ranges``: the data of a float parameter is drawn
from an interval (low, high), or each of its columns from its own; an integer parameter names its bounds the same way.
"""

# ruff: noqa: E501
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from . import models as M
from . import vision_models as V


@dataclass(frozen=True)
class Sample:
    """One call of the operator ``op``."""

    op: str
    params: tuple[tuple[tuple[int, ...], str], ...]
    expr: str
    model: Callable[..., Any]
    ranges: tuple[Any, ...] = ()
    ulps: float = 0
    """How far a float result may lie from the model, in units of the last place of the greatest element; 0: equal."""

    @property
    def text(self) -> str:
        """The module."""
        names = "abcde"
        heads = ", ".join(f'{n}: R.Tensor({s}, dtype="{t}")' for n, (s, t) in zip(names, self.params, strict=False))
        return (
            "@I.ir_module\nclass Module:\n    @R.function(pure=False)\n"
            f"    def main({heads}):\n        gv = {self.expr}\n        return gv\n"
        )


F, I, B = "float32", "int32", "bool"


def f(*shape: int) -> tuple[tuple[int, ...], str]:
    return shape, F


def i(*shape: int) -> tuple[tuple[int, ...], str]:
    return shape, I


def l(*shape: int) -> tuple[tuple[int, ...], str]:  # noqa: E743
    return shape, "int64"


def b(*shape: int) -> tuple[tuple[int, ...], str]:
    return shape, B


def h(*shape: int) -> tuple[tuple[int, ...], str]:
    return shape, "float16"


UNARY: list[Sample] = [
    *(
        Sample(name, (f(2, 3),), f"R.{name}(a)", model, (span,), 4)
        for name, model, span in (
            ("exp", np.exp, (-4, 4)), ("log", np.log, (0.1, 9)), ("sqrt", np.sqrt, (0, 9)),
            ("rsqrt", lambda a: 1 / np.sqrt(a), (0.1, 9)), ("sigmoid", lambda a: 1 / (1 + np.exp(-a)), (-4, 4)),
            ("erf", M.erf, (-2, 2)), ("sin", np.sin, (-3, 3)), ("cos", np.cos, (-3, 3)), ("tan", np.tan, (-1, 1)),
            ("sinh", np.sinh, (-3, 3)), ("cosh", np.cosh, (-3, 3)), ("tanh", np.tanh, (-3, 3)),
            ("asin", np.arcsin, (-0.9, 0.9)), ("acos", np.arccos, (-0.9, 0.9)), ("atan", np.arctan, (-3, 3)),
            ("asinh", np.arcsinh, (-3, 3)), ("acosh", np.arccosh, (1.1, 9)), ("atanh", np.arctanh, (-0.9, 0.9)),
        )
    ),
    *(
        Sample(name, (p,), f"R.{name}(a)", model, (span,))
        for name, model in (
            ("abs", np.abs), ("negative", np.negative), ("sign", np.sign), ("square", np.square), ("floor", np.floor),
            ("ceil", np.ceil), ("round", np.round), ("trunc", np.trunc),
        )
        for p, span in ((f(3, 2), (-3, 3)), (i(4), (-9, 9)), (f(0, 2), None), (f(1, 1), (-3, 3)))
    ),
    Sample("logical_not", (b(3),), "R.logical_not(a)", np.logical_not),
    Sample("bitwise_not", (i(3),), "R.bitwise_not(a)", np.invert, ((-9, 9),)),
    Sample("isnan", (f(3),), "R.isnan(a)", np.isnan), Sample("isinf", (f(3),), "R.isinf(a)", np.isinf),
    Sample("isfinite", (f(3),), "R.isfinite(a)", np.isfinite),
    Sample("astype", (f(2, 3),), 'R.astype(a, "int32")', lambda a: a.astype("int32"), ((-9, 9),)),
    Sample("astype", (i(2, 3),), 'R.astype(a, "float16")', lambda a: a.astype("float16"), ((-99, 99),)),
]  # fmt: skip

BINARY: list[Sample] = [
    *(
        Sample(name, (p, q), f"R.{name}(a, b)", model, ((-4, 4), (-4, 4)))
        for name, model in (
            ("add", np.add), ("subtract", np.subtract), ("multiply", np.multiply), ("maximum", np.maximum),
            ("minimum", np.minimum), ("equal", np.equal), ("not_equal", np.not_equal), ("less", np.less),
            ("less_equal", np.less_equal), ("greater", np.greater), ("greater_equal", np.greater_equal),
        )
        for p, q in ((f(2, 3), f(2, 3)), (i(2, 1, 3), i(4, 1)), (f(3), f()), (f(2, 0), f(1, 1)))
    ),
    *(
        Sample(name, (i(3, 4), i(4)), f"R.{name}(a, b)", model, ((-9, 9), (1, 4)))
        for name, model in (
            ("divide", M.truncdiv), ("mod", np.fmod), ("floor_divide", np.floor_divide), ("floor_mod", np.mod),
            ("left_shift", np.left_shift), ("right_shift", np.right_shift), ("power", np.power),
        )
    ),
    Sample("divide", (f(3, 2), f(2)), "R.divide(a, b)", np.divide, ((-4, 4), (1, 3)), 1),
    Sample("floor_divide", (f(3, 2), f(2)), "R.floor_divide(a, b)", np.floor_divide, ((-9, 9), (1, 3))),
    Sample("power", (f(3, 2), f(2)), "R.power(a, b)", np.power, ((0.5, 4), (-2, 3)), 4),
    Sample("atan2", (f(3), f(3)), "R.atan2(a, b)", np.arctan2, ((-4, 4), (1, 3)), 4),
    Sample("log_add_exp", (f(3), f(3)), "R.log_add_exp(a, b)", np.logaddexp, ((-4, 4), (-4, 4)), 8),
    *(
        Sample(name, (b(2, 3), b(3)), f"R.{name}(a, b)", model)
        for name, model in (
            ("logical_and", np.logical_and), ("logical_or", np.logical_or), ("logical_xor", np.logical_xor),
        )
    ),
    *(
        Sample(name, (i(2, 3), i(3)), f"R.{name}(a, b)", model, ((0, 60), (0, 60)))
        for name, model in (
            ("bitwise_and", np.bitwise_and), ("bitwise_or", np.bitwise_or), ("bitwise_xor", np.bitwise_xor),
        )
    ),
    Sample("where", (b(2, 3), f(2, 1), f(3)), "R.where(a, b, c)", np.where),
    Sample("clip", (f(2, 3),), "R.clip(a, T.float32(-1), T.float32(2))", lambda a: np.clip(a, -1, 2), ((-4, 4),)),
    Sample("ewise_fma", (f(2, 3), f(2, 3), f(2, 3)), "R.ewise_fma(a, b, c)", lambda a, b, c: a * b + c, (), 2),
]  # fmt: skip

CREATE: list[Sample] = [
    Sample("full", (f(),), "R.full((2, 3), a)", lambda a: np.full((2, 3), a)),
    Sample("full_like", (i(2, 3), i()), "R.full_like(a, b)", lambda a, b: np.full((2, 3), b)),
    Sample("ones", (f(1),), 'R.ones((2, 3), "float32")', lambda a: np.ones((2, 3), F)),
    Sample("zeros", (f(1),), 'R.zeros((3, 0), "int32")', lambda a: np.zeros((3, 0), I)),
    Sample("ones_like", (i(2, 3),), "R.ones_like(a)", np.ones_like),
    Sample("zeros_like", (i(2, 3),), 'R.zeros_like(a, "float32")', lambda a: np.zeros((2, 3), F)),
    Sample("eye", (f(1),), 'R.eye(3, 4, 1, "float32")', lambda a: np.eye(3, 4, 1, F)),
    Sample("eye_like", (f(3, 4),), "R.eye_like(a, -1)", lambda a: np.eye(3, 4, -1, F)),
    Sample("arange", (f(1),), 'R.arange(1, 10, 3, "int64")', lambda a: np.arange(1, 10, 3)),
    Sample("tril", (f(2, 3, 4),), "R.tril(a, 1)", lambda a: np.tril(a, 1)),
    Sample("triu", (f(2, 3, 4),), "R.triu(a, -1)", lambda a: np.triu(a, -1)),
    Sample(
        "hamming_window", (f(1),), 'R.hamming_window(5, 0, T.float32(0.54), T.float32(0.46), "float32")',
        lambda a: np.hamming(5), (), 8,
    ),
]  # fmt: skip

REDUCE: list[Sample] = [
    *(
        Sample(name, (p,), f"R.{name}(a{axis})", M.reduction(name, axis), ((-2, 2),), 16)
        for name in ("sum", "prod", "max", "min", "mean", "variance", "std")
        for p, axis in (
            (f(2, 3, 4), ""), (f(2, 3, 4), ", axis=[1]"), (f(2, 3, 4), ", axis=[0, -1], keepdims=True"),
            (f(1, 1), ", axis=[0]"),
        )
    ),
    *(
        Sample(name, (p,), f"R.{name}(a{axis})", M.reduction(name, axis), ((-9, 9),))
        for name in ("sum", "prod", "max", "min", "argmax", "argmin")
        for p, axis in ((i(2, 3), ", axis=1"), (i(3, 2), ""), (i(3, 2), ", axis=-2, keepdims=True"))
        if name in ("argmax", "argmin") or axis == ""
    ),
    Sample("sum", (f(3, 0),), "R.sum(a, axis=[1])", lambda a: a.sum(1)),
    Sample("prod", (f(3, 0),), "R.prod(a, axis=[1])", lambda a: a.prod(1)),
    Sample("median", (f(5, 2),), "R.median(a, axis=[0])", lambda a: (np.median(a, 0), M.median_at(a))),
    Sample("median", (f(5),), "R.median(a)", np.median),
]  # fmt: skip

SHAPES: list[Sample] = [
    Sample("reshape", (f(2, 3, 4),), "R.reshape(a, R.shape([4, 6]))", lambda a: a.reshape(4, 6)),
    Sample("reshape", (f(2, 0),), "R.reshape(a, R.shape([4, 0]))", lambda a: a.reshape(4, 0)),
    Sample("flatten", (f(2, 3, 4),), "R.flatten(a)", np.ravel),
    Sample("nn.batch_flatten", (f(2, 3, 4),), "R.nn.batch_flatten(a)", lambda a: a.reshape(2, 12)),
    Sample("expand_dims", (f(2, 3),), "R.expand_dims(a, axis=[0, -1])", lambda a: a[None, :, :, None]),
    Sample("squeeze", (f(2, 1, 3, 1),), "R.squeeze(a)", np.squeeze),
    Sample("squeeze", (f(2, 1, 3, 1),), "R.squeeze(a, axis=[1])", lambda a: a.squeeze(1)),
    Sample("permute_dims", (f(2, 3, 4),), "R.permute_dims(a, axes=[2, 0, 1])", lambda a: a.transpose(2, 0, 1)),
    Sample("permute_dims", (f(2, 3),), "R.permute_dims(a)", lambda a: a.T),
    Sample("broadcast_to", (f(3, 1),), "R.broadcast_to(a, R.shape([2, 3, 4]))", lambda a: np.broadcast_to(a, (2, 3, 4))),
    Sample("concat", (f(2, 3), f(2, 1)), "R.concat((a, b), axis=1)", lambda a, b: np.concatenate((a, b), 1)),
    Sample("concat", (f(2, 3), f(0, 3)), "R.concat((a, b), axis=-2)", lambda a, b: np.concatenate((a, b), 0)),
    Sample("stack", (f(2, 3), f(2, 3)), "R.stack((a, b), axis=1)", lambda a, b: np.stack((a, b), 1)),
    Sample("split", (f(5, 2),), "R.split(a, 3, axis=0)", lambda a: (a[:2], a[2:4], a[4:])),
    Sample("split", (f(2, 5),), "R.split(a, [1, 4], axis=1)", lambda a: (a[:, :1], a[:, 1:4], a[:, 4:])),
    Sample("repeat", (f(2, 3),), "R.repeat(a, repeats=2, axis=1)", lambda a: a.repeat(2, 1)),
    Sample("repeat", (f(2, 3),), "R.repeat(a, repeats=2)", lambda a: a.repeat(2)),
    Sample("tile", (f(2, 3),), "R.tile(a, repeats=[2, 1, 3])", lambda a: np.tile(a, (2, 1, 3))),
    Sample("tile", (f(2, 3),), "R.tile(a, repeats=[2])", lambda a: np.tile(a, 2)),
    Sample("flip", (f(2, 3),), "R.flip(a, axis=1)", lambda a: a[:, ::-1]),
    Sample("meshgrid", (f(2), f(3)), "R.meshgrid((a, b))", lambda a, b: tuple(np.meshgrid(a, b, indexing="ij"))),
    Sample(
        "strided_slice", (f(5, 4),), "R.strided_slice(a, axes=[0], begin=[1], end=[5], strides=[2])",
        lambda a: a[1:5:2],
    ),
    Sample(
        "strided_slice", (f(5, 4),), "R.strided_slice(a, axes=[1, 0], begin=[3, -4], end=[-5, 9], strides=[-1, 1])",
        lambda a: a[-4:, ::-1],
    ),
    Sample("collapse_sum_like", (f(2, 3, 4), f(3, 1)), "R.collapse_sum_like(a, b)", lambda a, b: a.sum((0, 2))[:, None], (), 16),
    Sample("collapse_sum_to", (f(2, 3),), "R.collapse_sum_to(a, R.shape([1, 3]))", lambda a: a.sum(0)[None], (), 16),
    Sample("reverse_sequence", (f(4, 2), l(2)), "R.reverse_sequence(a, b, seq_axis=0, batch_axis=1)", M.reverse_sequence, (None, (1, 4))),
]  # fmt: skip

GATHER: list[Sample] = [
    Sample("take", (f(4, 3), l(2)), "R.take(a, b, axis=0)", lambda a, b: a[b], (None, (0, 3))),
    Sample("take", (f(2, 4), i(3, 2)), 'R.take(a, b, axis=1, mode="wrap")', lambda a, b: a.take(b, 1, mode="wrap"), (None, (-9, 9))),
    Sample("take", (f(4), l(3)), 'R.take(a, b, mode="clip")', lambda a, b: a.take(b, mode="clip"), (None, (-9, 9))),
    Sample("gather_elements", (f(3, 4), l(3, 2)), "R.gather_elements(a, b, axis=1)", lambda a, b: np.take_along_axis(a, b, 1), (None, (0, 3))),
    Sample("gather_nd", (f(3, 4, 2), l(5, 2)), "R.gather_nd(a, b)", lambda a, b: a[b[:, 0], b[:, 1]], (None, (0, 2))),
    Sample("scatter_elements", (f(3, 4), l(2, 4), f(2, 4)), 'R.scatter_elements(a, b, c, axis=0, reduction="add")', M.scatter_add, (None, (0, 2)), 4),
    Sample("scatter_elements", (f(3, 4), l(1, 4), f(1, 4)), "R.scatter_elements(a, b, c, axis=0)", M.scatter_update, (None, (0, 2))),
    Sample("scatter_nd", (f(4, 3), l(1, 1), f(1, 3)), "R.scatter_nd(a, b, c)", M.scatter_nd, (None, (0, 3))),
    Sample("index_tensor", (f(3, 4, 2), l(2, 1), l(5)), "R.index_tensor(a, (b, c))", lambda a, b, c: a[b, c], (None, (0, 2), (0, 3))),
    Sample("index_put", (f(4), l(1), f(1)), "R.index_put(a, (b,), c, accumulate=True)", M.index_put, (None, (0, 3)), 1),
    Sample("slice_scatter", (f(5, 2), f(2, 2)), "R.slice_scatter(a, b, 1, 4, 2, axis=0)", M.slice_scatter),
    Sample("one_hot", (l(2, 3),), "R.one_hot(a, T.float32(2), T.float32(-1), 4, axis=1)", M.one_hot, ((0, 5),)),
    Sample("matmul", (f(2, 3), f(3, 4)), "R.matmul(a, b)", np.matmul, (), 16),
    Sample("matmul", (f(2, 1, 2, 3), f(4, 3, 2)), "R.matmul(a, b)", np.matmul, (), 16),
    Sample("matmul", (f(3), f(2, 3, 4)), "R.matmul(a, b)", np.matmul, (), 16),
    Sample("matmul", (f(2, 3), f(3)), "R.matmul(a, b)", np.matmul, (), 16),
    Sample("matmul", (h(2, 3), h(3, 1)), 'R.matmul(a, b, out_dtype="float32")', lambda a, b: a.astype(F) @ b.astype(F), (), 16),
    Sample("matmul", (f(2, 0), f(0, 3)), "R.matmul(a, b)", np.matmul),
    Sample("einsum", (f(2, 3), f(3, 4)), 'R.einsum((a, b), "ij,jk->ik")', np.matmul, (), 16),
    Sample("einsum", (f(2, 3, 4),), 'R.einsum((a,), "...ij->...i")', lambda a: a.sum(-1), (), 16),
    Sample("outer", (f(2), f(3)), "R.outer(a, b)", np.outer),
    Sample("shape_of", (f(2, 3),), "R.shape_of(a)", lambda a: (2, 3)),
    Sample("shape_to_tensor", (f(2, 3),), "R.shape_to_tensor(R.shape([2, 3]))", lambda a: np.array([2, 3])),
    Sample("size", (f(2, 3),), "R.size(a)", lambda a: np.array(6)),
    Sample("dynamic_strided_slice", (f(5, 4), l(2), l(2), l(2)), "R.dynamic_strided_slice(a, b, c, d)", M.dynamic_slice, (None, (0, 2), (3, 4), (1, 2))),
]  # fmt: skip

SCAN: list[Sample] = [
    Sample("cumsum", (f(2, 3),), "R.cumsum(a, axis=1)", lambda a: np.cumsum(a, 1), (), 8),
    Sample("cumsum", (i(2, 3),), "R.cumsum(a, exclusive=True)", lambda a: np.cumsum(a) - a.ravel(), ((-9, 9),)),
    Sample("cumprod", (f(2, 3),), "R.cumprod(a, axis=0)", lambda a: np.cumprod(a, 0), (), 8),
    Sample("sort", (f(3, 4),), "R.sort(a, axis=0)", lambda a: np.sort(a, 0)),
    Sample("sort", (i(2, 5),), "R.sort(a, axis=-1, descending=True)", lambda a: -np.sort(-a), ((-9, 9),)),
    Sample("argsort", (i(2, 5),), "R.argsort(a, axis=-1)", lambda a: np.argsort(a, kind="stable"), ((-3, 3),)),
    Sample("topk", (f(2, 5),), "R.topk(a, k=2, axis=-1)", M.topk),
    Sample("bucketize", (f(3), f(4)), "R.bucketize(a, b)", None, (), 0),
    Sample("nonzero", (i(2, 3),), "R.nonzero(a)", lambda a: np.stack(np.nonzero(a)), ((-1, 1),)),
    Sample("unique", (i(9),), "R.unique(a)", np.unique, ((-2, 2),)),
    Sample("multinomial_from_uniform", (f(2, 3), f(4, 1), l(4, 1)), "R.multinomial_from_uniform(a, b, c)", M.multinomial, ((0.1, 0.4), (0, 1), (0, 1))),
]  # fmt: skip
SCAN = [s for s in SCAN if s.model is not None]

ACTIVATION: list[Sample] = [
    Sample("nn.relu", (f(2, 3),), "R.nn.relu(a)", lambda a: np.maximum(a, 0)),
    Sample("nn.leakyrelu", (f(2, 3),), "R.nn.leakyrelu(a, 0.5)", lambda a: np.where(a > 0, a, a * 0.5)),
    Sample("nn.prelu", (f(2, 3), f(3)), "R.nn.prelu(a, b, axis=1)", lambda a, b: np.where(a > 0, a, a * b), (), 1),
    Sample("nn.silu", (f(2, 3),), "R.nn.silu(a)", lambda a: a / (1 + np.exp(-a)), (), 8),
    Sample("nn.gelu", (f(2, 3),), "R.nn.gelu(a)", lambda a: a * (0.5 + 0.5 * M.erf(a * 0.5**0.5)), (), 8),
    Sample("nn.gelu_tanh", (f(2, 3),), "R.nn.gelu_tanh(a)", M.gelu_tanh, (), 8),
    Sample("nn.selu", (f(2, 3),), "R.nn.selu(a)", M.selu, (), 8),
    Sample("nn.softplus", (f(2, 3),), "R.nn.softplus(a)", lambda a: np.log1p(np.exp(a)), (), 8),
    Sample("nn.softmax", (f(2, 3, 4),), "R.nn.softmax(a, axis=1)", lambda a: M.softmax(a, 1), (), 16),
    Sample("nn.log_softmax", (f(2, 3),), "R.nn.log_softmax(a, axis=-1)", lambda a: np.log(M.softmax(a, -1)), (), 16),
]  # fmt: skip

NN: list[Sample] = [
    Sample("nn.layer_norm", (f(2, 3, 4), f(4), f(4)), "R.nn.layer_norm(a, b, c, axes=[-1])", M.layer_norm, (), 64),
    Sample("nn.layer_norm", (h(2, 3, 4), h(4), h(4)), "R.nn.layer_norm(a, b, c, axes=[-1])", M.layer_norm, (), 4),
    Sample("nn.rms_norm", (f(2, 3, 4), f(4)), "R.nn.rms_norm(a, b, axes=[-1])", M.rms_norm, (), 64),
    Sample("nn.group_norm", (f(2, 4, 3), f(4), f(4)), "R.nn.group_norm(a, b, c, num_groups=2, channel_axis=1, axes=[2])", M.group_norm, (), 64),
    Sample("nn.instance_norm", (f(2, 3, 5), f(3), f(3)), "R.nn.instance_norm(a, b, c, channel_axis=1, axes=[2])", M.instance_norm, (), 64),
    Sample("nn.batch_norm", (f(2, 3, 5), f(3), f(3), f(3), f(3)), "R.nn.batch_norm(a, b, c, d, e, axis=1)", M.batch_norm, ((-2, 2), None, None, None, (0.5, 2)), 64),
    Sample("nn.conv1d", (f(2, 3, 5), f(4, 3, 2)), "R.nn.conv1d(a, b, strides=2, padding=[1, 0])", lambda a, b: M.conv(a, b, [2], [1], [0], [1], 1), (), 32),
    Sample("nn.conv2d", (f(1, 4, 5, 6), f(2, 2, 3, 2)), "R.nn.conv2d(a, b, padding=[1, 0, 1, 2], dilation=[1, 2], groups=2)", lambda a, b: M.conv(a, b, [1, 1], [1, 0], [1, 2], [1, 2], 2), (), 64),
    Sample("nn.conv2d", (f(1, 5, 4, 2), f(3, 2, 2, 2)), 'R.nn.conv2d(a, b, data_layout="NHWC", kernel_layout="OHWI")', M.conv_nhwc, (), 64),
    Sample("nn.conv3d", (f(1, 2, 3, 4, 3), f(2, 2, 2, 2, 1)), "R.nn.conv3d(a, b)", lambda a, b: M.conv(a, b, [1] * 3, [0] * 3, [0] * 3, [1] * 3, 1), (), 64),
    Sample("nn.conv1d_transpose", (f(2, 3, 4), f(3, 2, 3)), "R.nn.conv1d_transpose(a, b, strides=2, padding=1, output_padding=1)", lambda a, b: M.conv_transpose(a, b, [2], [1], [1], [1], [1], 1), (), 64),
    Sample("nn.conv2d_transpose", (f(1, 2, 3, 2), f(2, 1, 2, 3)), "R.nn.conv2d_transpose(a, b, strides=[1, 2], groups=2)", lambda a, b: M.conv_transpose(a, b, [1, 2], [0, 0], [0, 0], [1, 1], [0, 0], 2), (), 64),
    Sample("nn.max_pool1d", (f(1, 2, 7),), "R.nn.max_pool1d(a, pool_size=3, strides=2, padding=1)", lambda a: M.pool(a, [3], [2], [1], [1], [1], np.max)),
    Sample("nn.max_pool2d", (f(1, 2, 5, 6),), "R.nn.max_pool2d(a, pool_size=[2, 3], strides=[1, 2])", lambda a: M.pool(a, [2, 3], [1, 2], [0, 0], [0, 0], [1, 1], np.max)),
    Sample("nn.avg_pool2d", (f(1, 2, 5, 6),), "R.nn.avg_pool2d(a, pool_size=[2, 3], strides=[2, 1], padding=[1, 1, 1, 1])", lambda a: M.pool(a, [2, 3], [2, 1], [1, 1], [1, 1], [1, 1], np.mean), (), 16),
    Sample("nn.max_pool3d", (f(1, 1, 3, 4, 3),), "R.nn.max_pool3d(a, pool_size=[2, 2, 2])", lambda a: M.pool(a, [2] * 3, [1] * 3, [0] * 3, [0] * 3, [1] * 3, np.max)),
    Sample("nn.avg_pool3d", (f(1, 1, 3, 4, 3),), "R.nn.avg_pool3d(a, pool_size=[2, 2, 2])", lambda a: M.pool(a, [2] * 3, [1] * 3, [0] * 3, [0] * 3, [1] * 3, np.mean), (), 16),
    Sample("nn.avg_pool1d", (f(1, 2, 7),), "R.nn.avg_pool1d(a, pool_size=3, strides=2)", lambda a: M.pool(a, [3], [2], [0], [0], [1], np.mean), (), 16),
    Sample("nn.adaptive_avg_pool1d", (f(1, 2, 7),), "R.nn.adaptive_avg_pool1d(a, output_size=3)", lambda a: M.adaptive(a, [3]), (), 16),
    Sample("nn.adaptive_avg_pool2d", (f(1, 2, 5, 4),), "R.nn.adaptive_avg_pool2d(a, output_size=[3, 2])", lambda a: M.adaptive(a, [3, 2]), (), 16),
    Sample("nn.adaptive_avg_pool3d", (f(1, 1, 2, 3, 4),), "R.nn.adaptive_avg_pool3d(a, output_size=[1, 2, 2])", lambda a: M.adaptive(a, [1, 2, 2]), (), 16),
    Sample("nn.attention", (f(2, 3, 2, 4), f(2, 5, 2, 4), f(2, 5, 2, 3)), "R.nn.attention(a, b, c)", lambda a, b, c: M.attention(a, b, c), (), 64),
    Sample("nn.attention", (f(1, 3, 2, 4), f(1, 5, 2, 4), f(1, 5, 2, 3)), 'R.nn.attention(a, b, c, scale=T.float32(0.5), causal_mask="TopLeft")', lambda a, b, c: M.attention(a, b, c, None, 0.5, 0), (), 64),
    Sample("nn.attention_bias", (f(1, 3, 2, 4), f(1, 5, 2, 4), f(1, 5, 2, 3), f(1, 2, 3, 5)), 'R.nn.attention_bias(a, b, c, d, causal_mask="BottomRight")', lambda a, b, c, d: M.attention(a, b, c, d, None, 2), (), 64),
    Sample("nn.pad", (f(2, 3),), "R.nn.pad(a, pad_width=[0, 1, 2, 0], pad_value=1.5)", lambda a: np.pad(a, ((0, 1), (2, 0)), constant_values=1.5)),
    Sample("nn.pad", (f(3, 4),), 'R.nn.pad(a, pad_width=[1, 1, 0, 2], pad_mode="reflect")', lambda a: np.pad(a, ((1, 1), (0, 2)), mode="reflect")),
    Sample("nn.pixel_shuffle", (f(1, 8, 2, 3),), "R.nn.pixel_shuffle(a, 2)", M.pixel_shuffle),
    Sample("nn.dropout", (f(2, 3),), "R.nn.dropout(a, 0.25)", lambda a: (a, np.ones_like(a))),
    Sample("nn.cross_entropy_with_logits", (f(2, 3), f(2, 3)), "R.nn.cross_entropy_with_logits(a, b)", lambda a, b: -(a * b).sum() / 2, (), 16),
    Sample("nn.nll_loss", (f(4, 3), l(4), f(3)), 'R.nn.nll_loss(a, b, c, reduction="mean", ignore_index=1)', M.nll_loss, (None, (0, 2), (0.5, 2)), 16),
    Sample("quantize", (f(3, 2), f(2), ((2,), "int8")), 'R.quantize(a, b, c, axis=1, out_dtype="int8")', M.quantize, ((-4, 4), (0.25, 0.5), (-3, 3))),
    Sample("dequantize", (((3, 2), "int8"), f(2), ((2,), "int8")), 'R.dequantize(a, b, c, axis=1, out_dtype="float32")', lambda a, b, c: (a.astype(I) - c) * b, ((-9, 9), (0.25, 0.5), (-3, 3)), 1),
]  # fmt: skip

IMAGE: list[Sample] = [
    Sample("image.resize2d", (f(1, 2, 3, 4),), 'R.image.resize2d(a, R.shape([5, 7]), method="linear")', lambda a: M.resize(a, (5, 7)), (), 64),
    Sample("image.resize2d", (f(1, 2, 3, 4),), 'R.image.resize2d(a, R.shape([6, 8]), method="nearest_neighbor", coordinate_transformation_mode="asymmetric", rounding_method="floor")', lambda a: a.repeat(2, 2).repeat(2, 3)),
    Sample("image.resize2d", (f(1, 2, 4, 5),), 'R.image.resize2d(a, R.shape([4, 5]), method="cubic")', lambda a: a, (), 16),
    Sample("image.resize2d", (f(1, 2, 4, 5),), 'R.image.resize2d(a, R.shape([7, 3]), method="cubic")', M.resize_cubic, (), 64),
    Sample("image.resize2d", (f(1, 2, 3, 4),), 'R.image.resize2d(a, R.shape([5, 6]), method="linear", coordinate_transformation_mode="align_corners")', M.resize_corners, (), 64),
    Sample("image.resize3d", (f(1, 1, 2, 3, 2),), 'R.image.resize3d(a, R.shape([2, 5, 2]), method="linear")', lambda a: M.resize(a.reshape(1, 2, 3, 2), (5, 2)).reshape(1, 1, 2, 5, 2), (), 64),
    Sample("layout_transform", (f(2, 6),), "R.layout_transform(a, index_map=T.index_map(lambda i, j: (j // 4, i, j % 4)), pad_value=T.float32(9))", M.layout_transform),
    Sample("layout_transform", (f(2, 3),), "R.layout_transform(a, index_map=T.index_map(lambda i, j: (j, i)))", lambda a: a.T),
    Sample("grad.take_backward", (f(2, 3), f(4, 3), l(2)), "R.grad.take_backward(a, b, c, axis=0)", M.take_backward, (None, None, (0, 3)), 2),
]  # fmt: skip

GRID: list[Sample] = [
    *(
        Sample("image.affine_grid", (f(2, len(size), len(size) + 1),), f"R.image.affine_grid(a, R.shape({list(size)}), align_corners={corners})", partial(V.affine_grid, size=size, corners=corners), (), 8)
        for size, corners in (((3, 4), True), ((2, 5), False), ((3, 2, 4), False))
    ),
    *(
        Sample("image.grid_sample", (f(2, 3, 4, 5), f(2, 2, 3, 2)), f'R.image.grid_sample(a, b, method="{method}", padding_mode="{padding}", align_corners={corners})', partial(V.grid_sample, method=method, padding=padding, corners=corners), (None, (-1.6, 1.6)), 64)
        for method in ("bilinear", "nearest", "bicubic")
        for padding, corners in (("zeros", False), ("border", True), ("reflection", False), ("reflection", True))
    ),
    Sample("image.grid_sample", (f(1, 2, 3, 4, 5), f(1, 3, 2, 1, 3)), 'R.image.grid_sample(a, b, layout="NCDHW", padding_mode="border")', partial(V.grid_sample, padding="border"), (None, (-1.3, 1.3)), 64),
    Sample("image.grid_sample", (f(1, 2, 3, 1, 5), f(1, 3, 2, 1, 3)), 'R.image.grid_sample(a, b, method="nearest", layout="NCDHW", padding_mode="reflection", align_corners=True)', partial(V.grid_sample, method="nearest", padding="reflection", corners=True), (None, (-1.3, 0.9))),
]  # fmt: skip

ROIS = ((0, 1), (-1, 3), (-1, 3), (3, 8), (3, 8))
"""The columns of a region."""

VISION: list[Sample] = [
    Sample("vision.roi_align", (f(2, 3, 5, 6), f(4, 5)), "R.vision.roi_align(a, b, pooled_size=2, spatial_scale=0.5, sample_ratio=2)", lambda a, b: V.roi_align(a, b, 2, 0.5, 2, False), (None, ROIS), 64),
    Sample("vision.roi_align", (f(2, 3, 5, 6), f(3, 5)), "R.vision.roi_align(a, b, pooled_size=2, spatial_scale=0.75, aligned=True)", lambda a, b: V.roi_align(a, b, 2, 0.75, -1, True), (None, ROIS), 64),
    Sample("vision.roi_align", (f(2, 5, 6, 3), f(3, 5)), 'R.vision.roi_align(a, b, pooled_size=[2, 2], spatial_scale=1.0, layout="NHWC", mode="max")', lambda a, b: V.roi_align(a.transpose(0, 3, 1, 2), b, 2, 1.0, -1, False, "max").transpose(0, 2, 3, 1), (None, ROIS), 64),
    Sample("vision.roi_pool", (f(2, 3, 5, 6), f(4, 5)), "R.vision.roi_pool(a, b, pooled_size=[2, 2], spatial_scale=0.75)", lambda a, b: V.roi_pool(a, b, 2, 0.75), (None, ROIS)),
    Sample("vision.get_valid_counts", (f(2, 5, 6),), "R.vision.get_valid_counts(a, score_threshold=0.5)", lambda a: V.get_valid_counts(a, 0.5)),
    Sample("vision.multibox_transform_loc", (f(2, 3, 5), f(2, 20), f(1, 5, 4)), "R.vision.multibox_transform_loc(a, b, c, threshold=0.3, variances=[0.5, 0.5, 0.25, 0.25], keep_background=False)", lambda a, b, c: V.multibox(a, b, c, 0.3), (), 32),
    Sample("vision.non_max_suppression", (f(2, 7, 6), i(2), i(2, 7)), "R.vision.non_max_suppression(a, b, c, iou_threshold=0.1, force_suppress=True)", lambda a, b, c: V.nms(a, b, c, "indices", 0.1), (None, (5, 7), (0, 99))),
    Sample("vision.non_max_suppression", (f(2, 7, 6), i(2), i(2, 7)), "R.vision.non_max_suppression(a, b, c, iou_threshold=0.6, max_output_size=2, id_index=-1, return_indices=False, invalid_to_bottom=True)", lambda a, b, c: V.nms(a, b, c, "rows", 0.6, 0.0, 2), (None, (5, 7), (0, 99))),
    Sample("vision.non_max_suppression", (f(2, 7, 6), i(2), i(2, 7)), "R.vision.non_max_suppression(a, b, c, iou_threshold=0.5, id_index=-1, soft_nms_sigma=0.5)", lambda a, b, c: V.nms(a, b, c, "soft", 0.5, 0.5), (None, (5, 7), (0, 99)), 16),
    Sample("vision.all_class_non_max_suppression", (f(2, 6, 4), f(2, 3, 6), f(), f()), 'R.vision.all_class_non_max_suppression(a, b, R.const(2, "int64"), c, d)', lambda a, b, c, d: V.all_class(a, b, np.array(2), c, d, "onnx"), (None, (0, 1), (0.1, 0.2), (0.25, 0.3))),
    Sample("vision.all_class_non_max_suppression", (f(2, 6, 4), f(2, 3, 6), l(), f(), f()), 'R.vision.all_class_non_max_suppression(a, b, c, d, e, output_format="tensorflow")', lambda *a: V.all_class(*a, "tensorflow"), (None, (0, 1), (3, 3), (0.1, 0.2), (0.25, 0.3))),
    Sample("grad.nll_loss_backward", (f(), f(4, 3), l(4), f(3)), 'R.grad.nll_loss_backward(a, b, c, d, reduction="mean", ignore_index=1)', V.nll_backward, (None, None, (0, 2), (0.5, 2)), 8),
    Sample("grad.max_pool2d_backward", (f(1, 2, 3, 3), f(1, 2, 5, 4)), "R.grad.max_pool2d_backward(a, b, pool_size=[3, 2], strides=[2, 1], padding=[1, 0, 1, 0])", lambda g, a: V.pool_backward(g, a, False), (), 8),
    Sample("grad.avg_pool2d_backward", (f(1, 2, 3, 3), f(1, 2, 5, 4)), "R.grad.avg_pool2d_backward(a, b, pool_size=[3, 2], strides=[2, 1], padding=[1, 0, 1, 0])", lambda g, a: V.pool_backward(g, a, True), (), 8),
]  # fmt: skip

SAMPLES: list[Sample] = [
    *UNARY,
    *BINARY,
    *CREATE,
    *REDUCE,
    *SHAPES,
    *GATHER,
    *SCAN,
    *ACTIVATION,
    *NN,
    *IMAGE,
    *GRID,
    *VISION,
]


def data(sample: Sample, seed: int = 0) -> list[np.ndarray]:
    """Arguments for a sample: distinct enough to tell axes apart, in the ranges that it names."""
    random = np.random.default_rng(seed)
    result = []
    for k, (shape, dtype) in enumerate(sample.params):
        span = (sample.ranges[k] if k < len(sample.ranges) else None) or (-2, 2)
        if isinstance(span[0], tuple):
            columns = [
                random.integers(*c, shape[0]) + random.choice([0.0, 0.375]) * (n > 0) for n, c in enumerate(span)
            ]
            result.append(np.stack(columns, 1).astype(dtype))
            continue
        low, high = span
        if dtype == B:
            result.append(random.integers(0, 2, shape).astype(bool))
        elif dtype.startswith("float"):
            result.append(random.uniform(low, high, shape).astype(dtype))
        else:
            result.append(random.integers(low, high + 1, shape).astype(dtype))
    return result


def identify(sample: Sample) -> str:
    """A readable test id."""
    shapes = "-".join("x".join(map(str, s)) or "0d" for s, _ in sample.params)
    return f"{sample.op}-{shapes}-{sample.params[0][1]}-{SAMPLES.index(sample)}"
