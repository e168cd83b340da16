"""Calls whose types matter more than their values: symbolic and unknown dims, unknown dtypes, provable contradictions.

Every row: the parameters' annotations, the expression, and the deduced type as text, or the rule that rejects it.
The texts were compared with TVM 0.27 (``tools/compare_operators_with_tvm.py --symbolic``); rows that differ are listed in
``spec/deviations.md``.
"""

# ruff: noqa: E501
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import refrelax as rr

N = 'R.Tensor(("n", "m"), "float32")'
N3 = 'R.Tensor(("n", 4, "m"), "float32")'
U = 'R.Tensor(dtype="float32")'
U2 = 'R.Tensor(dtype="float32", ndim=2)'
X = "R.Tensor(ndim=2)"

ROWS: list[tuple[tuple[str, ...], str]] = [
    # elementwise
    ((N,), "R.exp(a)"), ((U,), "R.exp(a)"), ((U2,), "R.exp(a)"), (("R.Tensor",), "R.exp(a)"), ((X,), "R.abs(a)"),
    (('R.Tensor((2, 3), "int32")',), "R.exp(a)"), ((N,), "R.isnan(a)"), ((U2,), 'R.astype(a, "int8")'),
    ((N, N), "R.add(a, b)"), ((N, 'R.Tensor(("m",), "float32")'), "R.add(a, b)"), ((N, U2), "R.add(a, b)"),
    ((N, U), "R.add(a, b)"), ((N, 'R.Tensor(("k", "m"), "float32")'), "R.add(a, b)"),
    ((N, 'R.Tensor((1, "m"), "float32")'), "R.multiply(a, b)"), ((N, 'R.Tensor(("n", 3), "float32")'), "R.less(a, b)"),
    (('R.Tensor((2, 3), "float32")', 'R.Tensor((3, 2), "float32")'), "R.add(a, b)"),
    (('R.Tensor((2, 3), "float32")', 'R.Tensor((2, 3), "int32")'), "R.add(a, b)"),
    (('R.Tensor((2, 3), "float32")', 'R.Tensor((2, 3), "int32")'), "R.equal(a, b)"),
    (('R.Tensor((2, 3), "bool")', 'R.Tensor((2, 3), "float32")'), "R.add(a, b)"),
    (('R.Tensor((2, 3), "float32")', 'R.Tensor((2, 3), "bool")'), "R.add(a, b)"),
    (('R.Tensor((), "int64")',), "R.add(a, R.prim_value(1))"), ((N,), "R.clip(a, 0, 1)"),
    (('R.Tensor(("n", 1), "bool")', N, 'R.Tensor(("m",), "float32")'), "R.where(a, b, c)"),
    ((N, N, N), "R.where(a, b, c)"), ((N, N, N), "R.ewise_fma(a, b, c)"),
    ((N, N, 'R.Tensor(("n", "k"), "float32")'), "R.ewise_fma(a, b, c)"),
    # creation
    (('R.Tensor((), "float32")',), "R.full((2, 3), a)"), ((N,), "R.full((2, 3), a)"), ((N,), "R.ones_like(a)"),
    ((U2,), 'R.zeros_like(a, "int8")'), ((N,), "R.tril(a)"), (('R.Tensor(("n",), "float32")',), "R.triu(a, 1)"),
    ((N,), 'R.arange(0, 10, 3, "int64")'), ((N,), 'R.eye(3, 4, 0, "float32")'), ((N,), "R.eye_like(a)"),
    # reductions
    ((N3,), "R.sum(a)"), ((N3,), "R.sum(a, axis=[0, -1])"), ((N3,), "R.max(a, axis=[1], keepdims=True)"),
    ((U,), "R.sum(a, axis=[1])"), ((U,), "R.sum(a)"), ((U2,), "R.mean(a, axis=[1])"), ((U2,), "R.mean(a, keepdims=True)"),
    ((N3,), "R.sum(a, axis=[3])"), ((N3,), "R.sum(a, axis=[1, -2])"), ((N3,), "R.argmax(a, axis=1)"),
    ((U2,), "R.argmin(a, axis=0, keepdims=True)"), ((N3,), "R.median(a, axis=[1])"), ((N3,), "R.median(a)"),
    # shapes
    ((N3,), "R.flatten(a)"), ((U2,), "R.flatten(a)"), ((N3,), "R.reshape(a, R.shape([-1]))"),
    ((N3,), "R.reshape(a, R.shape([4, -1]))"), ((N3,), "R.reshape(a, R.shape([0, -1]))"),
    (('R.Tensor((2, 3), "float32")',), "R.reshape(a, R.shape([4, 2]))"), ((N3,), "R.expand_dims(a, [0, -1])"),
    ((U2,), "R.expand_dims(a, [0])"), ((N3,), "R.expand_dims(a, [5])"), ((N3,), "R.squeeze(a)"),
    ((N3,), "R.squeeze(a, axis=[1])"), ((N3,), "R.squeeze(a, axis=[0])"), (('R.Tensor((1, 3, 1), "float32")',), "R.squeeze(a)"),
    ((N3,), "R.permute_dims(a)"), ((N3,), "R.permute_dims(a, [2, 0, 1])"), ((N3,), "R.permute_dims(a, [0, 1])"),
    ((U,), "R.permute_dims(a)"), ((N,), "R.broadcast_to(a, R.shape([2, 3, 4]))"),
    (('R.Tensor((3, 1), "float32")',), "R.broadcast_to(a, R.shape([4, 4]))"),
    ((N3,), "R.nn.batch_flatten(a)"), ((N3, N3), "R.concat((a, b), axis=1)"), ((N3, N3), "R.concat((a, b), axis=0)"),
    ((N, 'R.Tensor(("k", "m"), "float32")'), "R.concat((a, b), axis=0)"),
    ((N, 'R.Tensor(("k", "m"), "float32")'), "R.concat((a, b), axis=1)"), ((N, U2), "R.concat((a, b), axis=1)"),
    (('R.Tensor((2, 3), "float32")', 'R.Tensor((3, 3), "float32")'), "R.concat((a, b), axis=1)"),
    ((N, N), "R.stack((a, b), axis=-1)"), ((N, U2), "R.stack((a, b), axis=0)"), ((N,), "R.split(a, 2, axis=0)"),
    ((N,), "R.split(a, [2, 5], axis=1)"), (('R.Tensor((10, 3), "float32")',), "R.split(a, [3, 7], axis=0)"),
    (('R.Tensor((10, 3), "float32")',), "R.split(a, 3, axis=0)"), ((U2,), "R.split(a, 2, axis=0)"),
    ((N,), "R.repeat(a, 2, axis=0)"), ((N,), "R.repeat(a, 2)"), ((U2,), "R.repeat(a, 2)"), ((N,), "R.tile(a, [2, 3])"),
    ((N,), "R.tile(a, [2, 1, 3])"), ((N,), "R.flip(a, axis=1)"), ((N,), "R.flip(a, axis=2)"),
    ((N,), "R.shape_of(a)"), ((U2,), "R.shape_of(a)"), (('R.Tensor((3,), "int64")',), "R.tensor_to_shape(a)"),
    # slices and gathers
    ((N,), "R.strided_slice(a, axes=[0], begin=[1], end=[3])"),
    ((N,), "R.strided_slice(a, axes=[0], begin=[1], end=[3], assume_inbound=True)"),
    (('R.Tensor((10, "m"), "float32")',), "R.strided_slice(a, axes=[0], begin=[1], end=[-2], strides=[2])"),
    (('R.Tensor((10, "m"), "float32")',), "R.strided_slice(a, axes=[0], begin=[8], end=[1], strides=[-3])"),
    ((N, 'R.Tensor(("k",), "int64")'), "R.take(a, b, axis=1)"), ((N, 'R.Tensor(ndim=1, dtype="int64")'), "R.take(a, b, axis=1)"),
    ((N, 'R.Tensor(("k",), "float32")'), "R.take(a, b, axis=1)"), ((N, 'R.Tensor(("k",), "int64")'), "R.take(a, b)"),
    ((N, 'R.Tensor(("k", "l"), "int64")'), "R.gather_elements(a, b, axis=1)"),
    ((N, 'R.Tensor(("k", 2), "int64")'), "R.gather_nd(a, b)"), ((N, 'R.Tensor(("k", 1), "int64")'), "R.gather_nd(a, b)"),
    ((N, N, N), "R.scatter_elements(a, b, c)"),
    ((N, 'R.Tensor(("n", "m"), "int64")', N), "R.scatter_elements(a, b, c)"),
    (('R.Tensor(("n",), "int64")',), "R.one_hot(a, T.float32(1), T.float32(0), 5)"),
    (('R.Tensor(("n", 3), "float32")', 'R.Tensor(("k", 1), "int64")', 'R.Tensor((4,), "int64")'), "R.index_tensor(a, (b, c))"),
    # linear algebra
    ((N, 'R.Tensor(("m", "k"), "float32")'), "R.matmul(a, b)"), ((N, U2), "R.matmul(a, b)"), ((N, U), "R.matmul(a, b)"),
    (('R.Tensor(("z", "n", 4), "float32")', 'R.Tensor((4, "k"), "float32")'), "R.matmul(a, b)"),
    (('R.Tensor((2, 3), "float32")', 'R.Tensor((4, 5), "float32")'), "R.matmul(a, b)"),
    (('R.Tensor(("n",), "float32")', 'R.Tensor(("n",), "float32")'), "R.matmul(a, b)"),
    (('R.Tensor(("n", 4), "float16")', 'R.Tensor((4, "k"), "float16")'), 'R.matmul(a, b, out_dtype="float32")'),
    (('R.Tensor((), "float32")', N), "R.matmul(a, b)"),
    ((N, 'R.Tensor(("m", "k"), "float32")'), 'R.einsum((a, b), "ij,jk->ik")'),
    # scans
    ((N,), "R.cumsum(a, axis=1)"), ((N,), "R.cumsum(a)"), ((N,), 'R.cumprod(a, axis=0, dtype="float64")'), ((N,), "R.sort(a)"),
    ((N,), "R.argsort(a)"), ((N,), "R.topk(a, k=3)"), (('R.Tensor((5, 2), "float32")',), 'R.topk(a, k=3, axis=0, ret_type="values")'),
    ((N,), "R.nonzero(a)"), ((N,), "R.unique(a)"), ((N,), "R.unique(a, axis=1)"),
    # neural networks
    ((N,), "R.nn.softmax(a, axis=-1)"), ((N,), "R.nn.softmax(a, axis=2)"), (('R.Tensor((2,), "int32")',), "R.nn.softmax(a)"),
    ((N, 'R.Tensor(("m",), "float32")', 'R.Tensor(("m",), "float32")'), "R.nn.layer_norm(a, b, c, axes=[-1])"),
    ((N, 'R.Tensor(("k",), "float32")', 'R.Tensor(("m",), "float32")'), "R.nn.layer_norm(a, b, c, axes=[-1])"),
    ((N, 'R.Tensor((3,), "float32")'), "R.nn.rms_norm(a, b, axes=[-1])"),
    (('R.Tensor((2, 4), "float32")', 'R.Tensor((3,), "float32")'), "R.nn.rms_norm(a, b, axes=[-1])"),
    (('R.Tensor(("n", 3, "h", "w"), "float32")', 'R.Tensor((8, 3, 3, 3), "float32")'), "R.nn.conv2d(a, b)"),
    (('R.Tensor(("n", 3, "h", "w"), "float32")', 'R.Tensor((8, 3, 3, 3), "float32")'), "R.nn.conv2d(a, b, strides=2, padding=1)"),
    (('R.Tensor(("n", 4, "h", "w"), "float32")', 'R.Tensor((8, 3, 3, 3), "float32")'), "R.nn.conv2d(a, b)"),
    (('R.Tensor(("n", 8, 8, 3), "float32")', 'R.Tensor((8, 3, 3, 3), "float32")'), 'R.nn.conv2d(a, b, data_layout="NHWC")'),
    (('R.Tensor(("n", 2, 8, 8, 16), "float32")', 'R.Tensor((4, 2, 3, 3, 16, 16), "float32")'), 'R.nn.conv2d(a, b, data_layout="NCHW16c", kernel_layout="OIHW16i16o")'),
    (('R.Tensor(("n", 3, "h"), "float32")', 'R.Tensor((3, 4, 5), "float32")'), "R.nn.conv1d_transpose(a, b, strides=2, output_padding=1)"),
    (('R.Tensor(("n", 3, "h", 9), "float32")',), "R.nn.max_pool2d(a, pool_size=3, strides=2, ceil_mode=True)"),
    (('R.Tensor(("n", 3, "h", 9), "float32")',), "R.nn.avg_pool2d(a, pool_size=2, strides=2, padding=1)"),
    (('R.Tensor(("n", 3, "h", 9), "float32")',), "R.nn.adaptive_avg_pool2d(a, output_size=[2, 3])"),
    (('R.Tensor(("z", "s", 8, 16), "float16")', 'R.Tensor(("z", "t", 8, 16), "float16")', 'R.Tensor(("z", "t", 8, 32), "float16")'), "R.nn.attention(a, b, c)"),
    (('R.Tensor(("n", 3), "float32")',), "R.nn.pad(a, [1, 2, 0, 3])"),
    (('R.Tensor((2, 3), "float32")', 'R.Tensor((2, 4), "float32")'), "R.nn.cross_entropy_with_logits(a, b)"),
    (('R.Tensor(("n", 5), "float32")', 'R.Tensor(("n",), "int64")'), 'R.nn.nll_loss(a, b, reduction="none")'),
    (('R.Tensor(("n", 5), "float32")', 'R.Tensor((5,), "float32")', 'R.Tensor((5,), "int8")'), "R.quantize(a, b, c, axis=1)"),
]  # fmt: skip


def text(row: tuple[tuple[str, ...], str]) -> str:
    """The module of a row."""
    heads = ", ".join(f"{name}: {type_}" for name, type_ in zip("abcde", row[0], strict=False))
    return f"@I.ir_module\nclass Module:\n    @R.function\n    def main({heads}):\n        gv = {row[1]}\n        return gv\n"


def deduced(row: tuple[tuple[str, ...], str]) -> str:
    """The deduced type as text, or the rules that reject the call."""
    from refrelax.syntax.write.types import type_text

    try:
        return type_text(rr.check(rr.parse(text(row))).types["main"]["gv"])
    except (rr.IllTyped, rr.Malformed) as refused:
        return f"{type(refused).__name__} " + " ".join(d.rule for d in refused.diagnostics)


def compare_typing(
    converse: Callable[[list[dict[str, Any]]], dict[int, dict[str, Any]]], normal: Callable[[str], str]
) -> int:
    """Print the rows on which TVM deduces another type, or accepts what is rejected here, or the reverse."""
    answers = converse([{"id": k, "text": text(row)} for k, row in enumerate(ROWS)])
    different = 0
    for k, row in enumerate(ROWS):
        ours, theirs = deduced(row), answers[k]
        same = ours.startswith("Ill") if "error" in theirs else normal(theirs["type"]) == ours
        if not same:
            different += 1
            print(f"{row}\n    {ours}\n    {theirs}")
    print(f"{len(ROWS)} types, {different} differ")
    return 0 if not different else 1
